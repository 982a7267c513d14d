"""Higher-order programs for the papers' stages: with their lambdas, as the user wrote them.

The front end makes first-order programs, in which lambdas are closed functions of what they
capture: the higher-order stages would have nothing to do. Where a function is in the part of Python
that is the papers' language (``papers.reader``), a stage that has lambdas gets it as it is. The
plain run of the function goes first: it decides which errors there are, and what the value is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType

from pullback.call.request import Plan
from pullback.errors import PullbackError
from pullback.frontend.python.source import definition_of
from pullback.papers.language.arrays import OPS
from pullback.papers.language.eval import evaluate
from pullback.papers.language.reader import Function, Reader, Unreadable, shaped_like, value_of
from pullback.papers.language.terms import Lam, Source
from pullback.papers.language.traverse import subterms
from pullback.papers.methods import method_named


def read(function: FunctionType, args: Sequence[object]) -> Source | None:
    """Return a function as a program of the papers' language, with its own names; None if it is
    not in the part of Python that can be read so."""
    try:
        node, lookup = definition(function)
        return Reader(lookup, definition).source(node, args)
    except (Unreadable, PullbackError, RecursionError):
        return None


def definition(function: FunctionType) -> tuple[Function, Callable[[str], object]]:
    """Return the syntax of a function, and what a name that it does not bind stands for."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))

    def lookup(name: str) -> object:
        if name in cells:
            try:
                return cells[name].cell_contents
            except ValueError:
                raise KeyError(name) from None
        return function.__globals__[name]

    found = definition_of(function).node
    if not isinstance(found, Function):
        raise Unreadable("a function of another kind")
    return found, lookup


def unconverted(
    method: str, function: FunctionType, plan: Plan, values: Sequence[object]
) -> tuple[Source, object] | None:
    """Return a higher-order program and its value at these arguments, which is Python's; None where
    the program that the front end makes is taken."""
    if Lam not in method_named(method).source.terms:
        return None
    values = values[: plan.arguments]  # hidden ones are read where they stand
    source = read(function, values)
    if source is None or method_named(method).supports(source):
        return None
    if not any(isinstance(t, Lam) for t in subterms(source.body)):
        return None
    value = function(*values)
    return (source, value) if agrees(run_source(source, values, value), value) else None


def agrees_with(source: Source, function: FunctionType, values: Sequence[object]) -> bool:
    """Whether a program has the value of the function that it was read from."""
    value = function(*values)
    return agrees(run_source(source, values, value), value)


def run_source(source: Source, values: Sequence[object], like: object) -> object:
    """Return the value of a program at Python's arguments, in the form of another value."""
    names = [x for x, _ in source.context]
    found, _ = evaluate(source.body, dict(zip(names, map(value_of, values), strict=True)), OPS)
    return shaped_like(found, like)


def agrees(a: object, b: object) -> bool:
    """Whether two values of reals and tuples are equal; a NaN is equal to a NaN."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(agrees, a, b))
    if not (isinstance(a, float) and isinstance(b, float)):
        return False
    return a == b or (a != a and b != b)
