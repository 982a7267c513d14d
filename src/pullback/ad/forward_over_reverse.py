"""The tangents of derivative terms: forward over reverse mode, by terms (design, section 7).

The tangent of (f x, vjp f x u) at (dx, du) is

    (jvp f x dx,  vjp f x du + vjp (x -> jvp f x dx) x u).

All four are results of one term, the pullback of (x, dx) -> (f x, jvp f x dx) at (du, u), whose
part by dx is vjp f x u. So a Hessian times a vector runs the function, with its tangent, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pullback.ad.cells import extents_of, indices, zeros_like
from pullback.ad.spaces import Spaces
from pullback.core.build import Builder, f64, lit
from pullback.core.terms import Atom, Build, Let, Var, Vjp
from pullback.core.types import Array, Real


class Tangents(Protocol):
    """The functions of tangents (``function_halves.Functions``)."""

    def tangent(self, name: str, wrt: tuple[int, ...]) -> str: ...
    def quiet(self, name: str) -> str: ...
    def linearised(self, name: str, wrt: tuple[int, ...]) -> str: ...


class Run(Protocol):
    """Forward mode over one function (``forward.Forward``)."""

    @property
    def functions(self) -> Tangents: ...
    @property
    def spaces(self) -> Spaces: ...
    def on(self, a: Atom) -> bool: ...
    def values(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]: ...
    def tangent(self, a: Atom, b: Builder) -> Atom: ...


Parts = tuple[Sequence[Atom], Sequence[Atom]]


def values_and_tangents(run: Run, let: Let, op: Vjp, b: Builder) -> Parts:
    """Return the values of the let's variables, and a tangent for each that bears reals."""
    on = tuple(i for i, a in enumerate(op.args) if run.on(a))
    if on and set(op.wrt) <= set(on):
        return _in_one(run, let, op, on, b)
    return _in_turn(run, let, op, on, b)


def _bearing(run: Run, let: Let, op: Vjp) -> tuple[Var, ...]:
    """Return the variables for results of the function that have tangents."""
    results = let.vars[: len(let.vars) - len(op.wrt)]
    return tuple(v for v in results if run.spaces.bears(v.type))


def _in_one(run: Run, let: Let, op: Vjp, on: tuple[int, ...], b: Builder) -> Parts:
    """The derivative is by arguments which all move: one term gives everything."""
    n = len(let.vars) - len(op.wrt)
    bearing, gs = _bearing(run, let, op), [v.type for v in let.vars[n:]]
    du = tuple(run.tangent(s, b) if run.on(s) else f64(0.0) for s in op.seeds)
    args = (*run.values(op.args), *(run.tangent(op.args[i], b) for i in on))
    moved = tuple(len(op.args) + on.index(i) for i in op.wrt)
    both = run.functions.tangent(op.function, on)
    types = (*(v.type for v in let.vars[:n]), *(v.type for v in bearing), *gs, *gs)
    term = Vjp(both, args, (*op.wrt, *moved), (*du, *run.values(op.seeds)))
    made = b.let(term, types, let.site)
    end = n + len(bearing) + len(gs)
    return (*made[:n], *made[end:]), made[n:end]


def _in_turn(run: Run, let: Let, op: Vjp, on: tuple[int, ...], b: Builder) -> Parts:
    """The derivative is by arguments of which some do not move."""
    args, seeds = run.values(op.args), run.values(op.seeds)
    n = len(let.vars) - len(op.wrt)
    outs = tuple(v.type for v in let.vars)
    values = b.let(Vjp(op.function, args, op.wrt, seeds), outs, let.site)
    bearing = _bearing(run, let, op)
    tangents: Sequence[Atom] = [
        lit(0.0, v.type) if isinstance(v.type, Real) else zeros_like(b, value)
        for v, value in zip(let.vars[:n], values, strict=False) if v in bearing
    ]  # fmt: skip
    total: Sequence[Atom] | None = None
    again = run.functions.quiet(op.function)
    if on:
        lin = run.functions.linearised(again, on)
        dx = tuple(run.tangent(op.args[i], b) for i in on)
        types = (*(v.type for v in bearing), *outs[n:])
        made = b.let(Vjp(lin, (*args, *dx), op.wrt, seeds), types)
        tangents, total = made[: len(bearing)], made[len(bearing) :]
    if any(run.on(s) for s in op.seeds):
        du = tuple(run.tangent(s, b) if run.on(s) else f64(0.0) for s in op.seeds)
        back = b.let(Vjp(again, args, op.wrt, du), outs)[n:]
        total = back if total is None else [
            _sum(b, x, y) for x, y in zip(total, back, strict=True)
        ]  # fmt: skip
    assert total is not None
    return values, (*tangents, *total)


def _sum(b: Builder, x: Atom, y: Atom) -> Atom:
    """Emit the sum of two reals or of two arrays of one shape."""
    if not isinstance(x.type, Array):
        return b.prim("add", x, y)
    idx, body = indices(x.type.rank), Builder()
    total = body.prim(
        "add", body.index(x, idx, checked=False), body.index(y, idx, checked=False)
    )
    return b.let(Build(extents_of(b, x), idx, body.block((total,))), (x.type,))[0]


__all__ = ["values_and_tangents"]
