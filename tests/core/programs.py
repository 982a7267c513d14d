"""Short ways to write Core programs in the tests."""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.build import Builder
from pullback.core.terms import Atom, Block, Function, Program, Var
from pullback.core.types import Decl, Type


def function(name: str, params: Sequence[Var], b: Builder, *results: Atom) -> Function:
    """Return a function whose body is the content of the builder."""
    return Function(name, tuple(params), b.block(results), tuple(r.type for r in results))


def program(
    params: Sequence[Var], b: Builder, *results: Atom,
    functions: Sequence[Function] = (), decls: Sequence[Decl] = (),
) -> Program:
    """Return a program with this main."""
    all_functions = [function("main", params, b, *results), *functions]
    return Program({f.name: f for f in all_functions}, {d.name: d for d in decls}, "main")


def block(*results: Atom) -> Block:
    """Return a block without lets."""
    return Block((), results)


def var(name: str, t: Type) -> Var:
    """Return a variable."""
    return Var(name, t)
