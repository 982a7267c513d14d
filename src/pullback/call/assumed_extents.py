"""Whether a program that takes extents to be equal is right for the arguments of a call, found
before it is compiled.

The checks of extents depend on those of the arguments. So the scalars of main that follow from
them are computed, in straight code, in branches that are certainly taken, and in loops that
certainly have a round. If a check that would ask for another program (``misuse.may_broadcast``)
certainly fails, the other one is compiled at once. Where that is not known, the compiled program
asks. ``driver.using``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import numpy as np

from pullback.call.evaluate import flatten_arguments
from pullback.call.request import Plan
from pullback.core.build import lit
from pullback.core.prims import REQUIRE, TABLE
from pullback.core.rows import Static
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    If,
    Let,
    Lit,
    Loop,
    Prim,
    Program,
    Sum_,
    Var,
)
from pullback.core.types import BOOL, I64, Array, Bool, Int, Type
from pullback.errors import PullbackError
from pullback.frontend.kinds.extents import NO_BROADCAST

DEEPEST = 8
"""Calls are followed so deep."""

LONGEST = 1000
"""So many items of a list are looked at."""


class _Failed(Exception):
    """A check that certainly fails; ``broadcasts``: it is one of extents taken to be equal."""

    def __init__(self, broadcasts: bool) -> None:
        self.broadcasts = broadcasts


def must_broadcast(program: Program, plan: Plan, values: Sequence[object]) -> bool:
    """Whether the program certainly fails with these arguments, because extents that it takes to
    be equal are not. Of arguments that take long to be looked at nothing is known."""
    if any(map(_is_long, values)):
        return False
    with contextlib.suppress(PullbackError):
        known = _Known(program)
        leaves = flatten_arguments(plan, values).leaves
        known.bind_leaves(program.functions[program.main].params, leaves)
        try:
            known.block(program.functions[program.main].body, 0)
        except _Failed as failed:
            return failed.broadcasts
    return False


def _is_long(value: object) -> bool:
    match value:
        case list() | tuple():
            return len(value) > LONGEST or any(map(_is_long, value))
        case dict():
            return len(value) > LONGEST or any(map(_is_long, value.values()))
        case _:
            return False


class _Known:
    """What is known of the variables: numbers and truth values, and the extents of arguments."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.values: dict[Var, Lit] = {}
        self.extents: dict[Var, list[Lit]] = {}

    def bind_leaves(self, params: Sequence[Var], leaves: Sequence[object]) -> None:
        """Note what the parameters of main are."""
        for v, leaf in zip(params, leaves, strict=True):
            if isinstance(leaf, np.ndarray) and isinstance(v.type, Array):
                self.extents[v] = [lit(n, I64) for n in leaf.shape]
            elif isinstance(v.type, (Int, Bool)) and isinstance(leaf, (int, np.integer, np.bool_)):
                self.values[v] = lit(int(leaf), v.type)

    def value(self, a: Atom) -> Lit | None:
        return a if isinstance(a, Lit) else self.values.get(a)

    def block(self, block: Block, depth: int) -> None:
        for let in block.lets:
            match let.op:
                case Prim() as op:
                    self.prim(let, op)
                case If(cond, then, orelse):
                    known = self.value(cond)
                    if known is not None:
                        arm = then if known.value else orelse
                        self.block(arm, depth)
                        self.bind(let.vars, arm.results)
                case Build(extents, _, body) | Sum_(extents, _, body):
                    if all(self.runs(n) for n in extents):
                        self.block(body, depth)
                case Loop(count, _, _, _, body):
                    if self.runs(count):
                        self.block(body, depth)
                case Call(name, args) if depth < DEEPEST:
                    callee = self.program.functions[name]
                    self.bind(callee.params, args)
                    self.block(callee.body, depth + 1)
                    self.bind(let.vars, callee.body.results)
                case _:
                    pass

    def runs(self, extent: Atom) -> bool:
        """Whether a loop certainly has a round."""
        known = self.value(extent)
        return known is not None and known.value > 0

    def bind(self, variables: Sequence[Var], atoms: Sequence[Atom]) -> None:
        """Note that the variables are these atoms, now."""
        for v, a in zip(variables, atoms, strict=True):
            known = self.value(a)
            if known is not None:
                self.values[v] = known
            else:
                self.values.pop(v, None)
            if isinstance(a, Var) and a in self.extents:
                self.extents[v] = self.extents[a]
            else:
                self.extents.pop(v, None)

    def prim(self, let: Let, op: Prim) -> None:
        args = tuple(self.value(a) for a in op.args)
        match op:
            case Prim("dim", (Var() as a,), (int(axis),)):
                if a in self.extents:
                    self.values[let.vars[0]] = self.extents[a][axis]
            case Prim(name, _, static) if name in REQUIRE:
                if args[0] is not None and not args[0].value:
                    raise _Failed(NO_BROADCAST in static)
            case Prim(name, _, static) if len(let.vars) == 1:
                known = tuple(a for a in args if a is not None)
                decides = name in ("and", "or") and lit(name == "or", BOOL) in known
                if decides or len(known) == len(args):
                    (v,) = let.vars
                    value = lit(name == "or", BOOL)
                    found = value if decides else _computed(name, known, static, v.type)
                    self.bind((v,), (v if found is None else found,))
            case _:
                pass


def _computed(name: str, args: Sequence[Lit], static: Static, t: Type) -> Lit | None:
    """A number or truth value; None where it raises, or is of another type."""
    if not isinstance(t, (Int, Bool)) or TABLE[name].effect:
        return None
    with contextlib.suppress(ArithmeticError, AttributeError, ValueError):
        value = TABLE[name].numpy(*(a.value for a in args), *static)
        if isinstance(value, (int, np.integer, np.bool_)):
            return lit(int(value), t)
    return None
