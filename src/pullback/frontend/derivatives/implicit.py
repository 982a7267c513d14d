"""The tangent of what an equation defines: of y with F(y, x) = 0, y = g(y, x), or where f(y, x) has
a minimum (grad f = 0).

    dy = -(dF/dy)^-1 dF/dx dx        dy = (1 - dg/dy)^-1 dg/dx dx

The derivatives are taken of the function as forward mode takes them, a column for each number in y,
and the linear system is solved by LAPACK. The value y is a call of the same function with the same
rule, so that derivatives of higher order are right.

A solver of the library says how near its y should be. The derivatives are taken at the solution
beside y, to which steps of Newton's method go, -(dF/dy)^-1 F: a search ends somewhat before it.
Where a step from there is longer than said, y solves no smooth equation, and the tangent is NaN.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pullback.core.build import f64
from pullback.core.terms import Atom
from pullback.core.types import F64, Array
from pullback.frontend.derivatives.cotangents import cotangent, is_real
from pullback.frontend.derivatives.derivative_calls import derivative_along
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.extents import int_atom
from pullback.frontend.kinds.flatten import flatten, kind_of
from pullback.frontend.kinds.values import (
    REGISTRY,
    ArrayV,
    OperatorV,
    Scalar,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.kinds.values import index_scalar as number
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.numpy.sequences import to_array
from pullback.frontend.library.solutions import ALONG, SLOPES, nearness, of_solver, stopped
from pullback.frontend.library.text import implicit as text
from pullback.frontend.run import Run

IMPLICIT = frozenset({"implicit_root", "implicit_fixed_point", "implicit_minimum"})


def implicit_tangent(
    run: Run, name: str, equation: Value, y: Value, args: Sequence[Value],
    tangents: Sequence[Value], node: ast.AST,
) -> Value:  # fmt: skip
    """Return the tangent of y, a value that the equation defines, for tangents of the arguments."""
    return _Solver(run, name, equation, y, tuple(args), node).tangent(tuple(tangents))


class _Solver:
    """One implicit derivative."""

    def __init__(
        self, run: Run, name: str, equation: Value, y: Value, args: tuple[Value, ...],
        node: ast.AST,
    ) -> None:  # fmt: skip
        self.run, self.y, self.args, self.node = run, y, args, node
        self.fixed = name == "implicit_fixed_point"
        self.f = equation
        if name == "implicit_minimum":
            slopes = of_solver(equation) and _one_leaf(y)
            self.f = OperatorV(SLOPES if slopes else "grad", equation, (0, False))
        self.name, self.near = name, nearness(equation)
        self.leaves = [a for a in flatten(y).atoms if is_real(a.type)]
        every = all(_element(a) == F64 for a in self.leaves)
        if not self.leaves or not every or len(self.leaves) != len(flatten(y).atoms):
            run.refuse(
                node,
                f"pb.{name} with {describe(kind_of(y))} as the solution",
                "let it be a float, an array of floats, or a tuple or record of these",
            )

    def text(self, program: object, *args: Value) -> Value:
        return run_program(self.run, program, args, self.node)

    def settled(self, near: Value) -> Value:
        """Return y, a number or an array, moved to the solution beside it."""
        y, args = stopped(self.run, self.y), stopped(self.run, TupleV(self.args))
        found = text.settled if isinstance(y, ArrayV) else text.settled_number
        return self.text(text.moved, self.y, self.text(found, self.f, args, y, near))

    def zero(self, value: Value) -> Value:
        """Return the tangent 0 of a value."""
        like = [a for a in flatten(value).atoms if is_real(a.type)]
        zeros = [flatten(self.text(text.unit, ArrayV(a), Static(-1))).atoms[0]
                 if isinstance(a.type, Array) else f64(0.0) for a in like]  # fmt: skip
        return self.shaped(value, zeros)

    def shaped(self, like: Value, leaves: Sequence[Atom]) -> Value:
        """Return the tangent of a value that has these leaves."""
        return cotangent(self.run, kind_of(like), iter(flatten(like).atoms), iter(leaves))

    def along(self, dy: Value, dargs: Sequence[Value]) -> list[Atom]:
        """Return the leaves of the tangent of the equation."""
        primals, tangents = TupleV((self.y, *self.args)), TupleV((dy, *dargs))
        made = derivative_along(self.run, self.f, primals, tangents, self.node)
        atoms = [a for a in flatten(made).atoms if is_real(a.type)]
        if [a.type for a in atoms] != [a.type for a in self.leaves]:
            self.run.refuse(
                self.node,
                f"pb.{self.name}: the equation gives {self.run.describe(made)} for "
                f"{describe(kind_of(self.y))}",
                "it must have the form of the solution",
            )
        return atoms

    def residual(self) -> list[Atom]:
        """Return the leaves of the value of the equation at y, which should be 0."""
        made = self.run.call(self.f, (self.y, *self.args), self.node)
        return [a for a in flatten(made).atoms if is_real(a.type)]

    def total(self, tangents: Sequence[Value]) -> Value:
        """Return the sum of the tangents of all arguments."""
        total: Value = Scalar(f64(0.0), False)
        for a in flatten(TupleV(tuple(tangents))).atoms:
            if isinstance(a.type, Array) and is_real(a.type):
                total = self.run.binop("+", total, self.text(text.total, ArrayV(a)), self.node)
            elif is_real(a.type):
                total = self.run.binop("+", total, Scalar(a, False), self.node)
        return total

    def tangent(self, tangents: tuple[Value, ...]) -> Value:
        run = self.run
        if self.near is not None:
            self.y = self.settled(self.near)
        b = self.along(self.zero(self.y), tangents)
        zeros = [self.zero(a) for a in self.args]
        if len(self.leaves) == 1 and not isinstance(self.leaves[0].type, Array):
            one = self.shaped(self.y, [f64(1.0)])
            (slope,) = self.along(one, zeros)
            below = run.b.prim("sub", f64(1.0), slope) if self.fixed else run.b.prim("neg", slope)
            dy = run.b.prim("div", b[0], below)
            if self.near is not None:
                step: Value = Scalar(run.b.prim("div", self.residual()[0], below), False)
                lost = self.text(text.lost, self.total(tangents), step, self.near)
                dy = run.b.prim("add", dy, flatten(lost).atoms[0])
            return self.shaped(self.y, [dy])
        starts = self.starts()
        count = int_atom(run, starts[-1], self.node, "the size")

        def column(i: Atom) -> Value:
            units = [flatten(self.unit(a, start, i)).atoms[0]
                     for a, start in zip(self.leaves, starts, strict=False)]  # fmt: skip
            made = self.vector(self.along(self.shaped(self.y, units), zeros))
            if self.fixed:
                return self.text(text.plus_unit, self.vector(units), made)
            return self.text(text.negative, made)

        columns = to_array(run, run.sequence(count, column, self.node), self.node, True)
        v = self.text(text.solved, columns, self.vector(b))
        if self.near is not None:
            step = self.text(text.solved, columns, self.vector(self.residual()))
            lost = self.text(text.lost_of_all, self.total(tangents), step, self.near)
            v = run.binop("+", v, lost, self.node)
        out = []
        for a, start in zip(self.leaves, starts, strict=False):
            if isinstance(a.type, Array):
                found = self.text(text.part, v, start, ArrayV(a))
            else:
                found = run.subscript(v, start, self.node)
            out.append(flatten(found).atoms[0])
        return self.shaped(self.y, out)

    def slopes(self) -> Value:
        """Return the gradient of the equation by y, the solution, which is a number or an array,
        as forward mode takes it."""
        zeros = [self.zero(a) for a in self.args]

        def along(dy: Value) -> Value:
            primals, tangents = TupleV((self.y, *self.args)), TupleV((dy, *zeros))
            return derivative_along(self.run, self.f, primals, tangents, self.node)

        if isinstance(self.y, Scalar):
            return along(Scalar(f64(1.0), self.y.py))
        starts = self.starts()
        count = int_atom(self.run, starts[-1], self.node, "the size")
        (leaf,) = self.leaves
        column = self.run.sequence(
            count, lambda i: along(self.unit(leaf, Static(0), i)), self.node
        )
        made = to_array(self.run, column, self.node, True)
        return self.text(text.part, made, Static(0), self.y)

    def starts(self) -> list[Value]:
        """Return the position in the vector at which each leaf begins, and the length of the
        vector."""
        out: list[Value] = [Static(0)]
        for a in self.leaves:
            is_array = isinstance(a.type, Array)
            size = self.text(text.size_of, ArrayV(a)) if is_array else Static(1)
            out.append(self.run.binop("+", out[-1], size, self.node))
        return out

    def unit(self, leaf: Atom, start: Value, i: Atom) -> Value:
        k = self.run.binop("-", number(i), start, self.node)
        if isinstance(leaf.type, Array):
            return self.text(text.unit, ArrayV(leaf), k)
        return self.text(text.unit_number, Scalar(leaf, True), k)

    def vector(self, leaves: Sequence[Atom]) -> Value:
        """Return the leaves as one vector."""
        parts = [self.text(text.flat, ArrayV(a)) if isinstance(a.type, Array)
                 else self.text(text.single, Scalar(a, True)) for a in leaves]  # fmt: skip
        whole = parts[0]
        for more in parts[1:]:
            whole = self.text(text.joined, whole, more)
        return whole


def _slopes(
    run: Run, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    y, *others = args
    return _Solver(run, "implicit_root", operator.function, y, tuple(others), node).slopes()


def _along(
    run: Run, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    y, dy = args
    return derivative_along(run, operator.function, TupleV((y,)), TupleV((dy,)), node)


REGISTRY.operators[SLOPES] = _slopes
REGISTRY.operators[ALONG] = _along


def _one_leaf(y: Value) -> bool:
    return isinstance(y, (Scalar, ArrayV))


def _element(a: Atom) -> object:
    return a.type.elem if isinstance(a.type, Array) else a.type


__all__ = ["IMPLICIT", "implicit_tangent"]
