"""Derivatives inside a program of Core, on the way to the papers' language.

>>> from pullback.core.build import Builder
>>> from pullback.core.terms import Function
>>> from pullback.core.terms import Var as Name
>>> from pullback.core.types import F64
>>> b, x = Builder(), Name("x", F64)
>>> f = Function("f", (x,), b.block((b.prim("mul", x, x),)), (F64,))
>>> list(reached(Program({"f": f, "g": f}, {}, "g"), "f").functions)
['f']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module

from pullback.core.terms import Program
from pullback.core.traverse import callees
from pullback.papers.language.terms import DataDecl, Source, Term


def reached(program: Program, main: str) -> Program:
    """Return the program of a function, with the functions that it needs."""
    found, todo = {main}, [main]
    while todo:
        more = set(callees(program.functions[todo.pop()])) - found
        found |= more
        todo += more
    return replace(program, main=main, functions={
        name: f for name, f in program.functions.items() if name in found})


def expanded(
    kind: str, inner: Source, count: int, args: Sequence[Term], wrt: Sequence[int],
    given: Sequence[Term],
) -> tuple[Term, tuple[DataDecl, ...]]:  # fmt: skip
    """Return a "vjp" or "jvp" of a function of so many results, and the declarations that it needs.
    ``nested_derivatives`` stands on a stage, which is imported when it is needed."""
    expand = import_module("pullback.papers.nested_derivatives")
    out: Term = getattr(expand, kind)(inner, count, args, wrt, given)
    decls: tuple[DataDecl, ...] = expand.declared(inner)
    return out, decls
