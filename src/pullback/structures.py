"""Structures of numbers and arrays: the functions that the texts of derived operators (``api/``)
use.

A structure is a number, an array, or a tuple, list of known length, dict or record of structures.
Inside compiled code the front end knows its form and translates these functions
(``frontend/library/structures.py``); elsewhere they run as plain Python::

    leaves((1.0, {"a": x}))               (1.0, x)
    rebuilt((1.0, {"a": x}), (y, z))      (y, {"a": z})
    stacked(2, lambda i: (i, f(i)))       (array([0, 1]), array([f(0), f(1)]))
    one_hot(x, (i, j))                    zeros like x, but for a one in place i, j
    picked((a, b, c), (0, 2))             (a, c)
    units((a, b))                         ((True, False), (False, True))
    turned(x, 1)                          x with its first axis as the last
    quiet(f)                              f for another run: it prints nothing again
    replaced((a, b, c), (0, 2), (d, e))   (d, b, e)
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from pullback.errors import ArgumentTypeError, ArgumentValueError

Tree = Any


def parts_of(tree: Tree) -> Sequence[Tree] | None:
    """Return the parts of a structure; None if it is a leaf."""
    match tree:
        case dict():
            return tuple(tree.values())
        case tuple() | list():
            return tree
        case _ if is_dataclass(tree) and not isinstance(tree, type):
            return [getattr(tree, f.name) for f in fields(tree)]
        case _:
            return None


def made_of(tree: Tree, parts: Sequence[Tree]) -> Tree:
    """Return the structure with other parts; no ``__init__`` is run."""
    match tree:
        case dict():
            return dict(zip(tree, parts, strict=True))
        case tuple() if hasattr(tree, "_fields"):
            return type(tree)(*parts)
        case tuple() | list():
            return type(tree)(parts)
        case _:
            names = [f.name for f in fields(tree)]
            return record_of(type(tree), dict(zip(names, parts, strict=True)))


def record_of(cls: type, values: dict[str, Any]) -> Any:
    """Return an object of a record class with these fields; no ``__init__`` is run."""
    if issubclass(cls, tuple):
        return tuple.__new__(cls, values.values())
    made = object.__new__(cls)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def is_leaf(value: object, real: bool) -> bool:
    """Whether a value is a number or an array; ``real``: of floats."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in ("fc" if real else "biufc")
    return isinstance(value, float | complex if real else bool | int | float | complex)


def require_kind(values: Sequence[Any], holomorphic: bool, other: str, what: str) -> None:
    """Require that the leaves are real, or of a holomorphic function that they are complex. Raises
    ``TypeError``. ``other``: the operator that has no such demand."""
    for value in values:
        if bool(np.iscomplexobj(value)) is not holomorphic:
            raise ArgumentTypeError(*not_of_kind(holomorphic, other, what))


def not_of_kind(holomorphic: bool, other: str, what: str) -> tuple[str, str]:
    """Return the error for leaves that are complex, or not, where they should not be."""
    if holomorphic:
        return f"holomorphic=True with a real {what}", "leave holomorphic=True away"
    reason = f"a complex {what}: a real function of it has two derivatives, by each of its parts"
    return reason, f"holomorphic=True, if the function is holomorphic; or use {other}"


def arguments(given: object) -> tuple[Any, ...]:
    """Return the values of one argument, a tuple or a list of them."""
    if not isinstance(given, tuple | list):
        raise ArgumentTypeError(no_tuple(repr(given)), ONE)
    return tuple(given)


def along(given: object, primals: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the vectors of one argument, one for each primal; None for one without reals."""
    vectors = arguments(given)
    if len(vectors) != len(primals):
        raise ArgumentTypeError(f"{len(primals)} primals and {len(vectors)} vectors", EACH)
    for x, v in zip(primals, vectors, strict=True):
        if parts_of(x) is None and not is_leaf(x, True) and not _is_zero(v):
            raise ArgumentTypeError(no_motion(repr(x)), REALS)
    return vectors


def _is_zero(tangent: object) -> bool:
    return tangent is None or (is_leaf(tangent, False) and not np.any(np.asarray(tangent)))


def no_motion(what: str) -> str:
    """Return the text of the error for a direction in which something discrete would move."""
    return f"the tangent of {what} is None: it does not move"


REALS = "pass floats where a derivative is wanted: 2.0, a.astype(float)"


def terms_of(series: tuple[Any, ...], primals: tuple[Any, ...]) -> Any:
    """One of the series, of which there is one for each primal, all of one length."""
    lengths = [None if s is None else len(s) for s in series]
    wrong = wrong_series(lengths, len(primals))
    if wrong is not None:
        raise ArgumentValueError(wrong, SERIES)
    return next(s for s in series if s is not None)


def wrong_series(lengths: Sequence[int | None], primals: int) -> str | None:
    """What is wrong with series of these lengths."""
    given = {n for n in lengths if n is not None}
    if len(lengths) != primals:
        return f"{primals} primals and {len(lengths)} series"
    if len(given) != 1:
        return "the series of the primals have different lengths" if given else "no primal moves"
    if max(given) < 1:
        return "the series have no derivatives"
    return None


SERIES = "give as many derivatives for each primal, ((1.0, 0.0),), and None for one that stays"


def no_tuple(given: str) -> str:
    """Return the text of the error for other values than a tuple."""
    return f"a tuple with one value for each argument is needed, not {given}"


ONE = "write (x,) for a single one"
EACH = "give one for each primal; None stands for zero"
WITH_REALS = "pass floats, arrays of floats, or data that has some"


def with_reals(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the values. Raises ``TypeError`` if one of them has no real number."""
    for value in values:
        if not leaves(value, True):
            raise ArgumentTypeError(f"{value!r} has no derivative", WITH_REALS)
    return values


def reals(values: Sequence[Tree]) -> Numbers:
    """Return which of the values have floats in them."""
    return numbers_of(tuple(k for k, v in enumerate(values) if leaves(v, True)), False)


def leaves(tree: Tree, real: bool = False) -> tuple[Any, ...]:
    """Return the numbers and arrays of a structure, depth first; ``real``: only those of floats."""
    parts = parts_of(tree)
    if parts is None:
        return (tree,) if is_leaf(tree, real) else ()
    return tuple(x for part in parts for x in leaves(part, real))


def rebuilt(tree: Tree, values: Sequence[Any], real: bool = False) -> Tree:
    """Return the structure with other leaves; ``real``: ``values`` has only those of floats, and
    the others become None."""
    return _rebuilt(tree, iter(values), real)


def _rebuilt(tree: Tree, values: Iterator[Any], real: bool) -> Tree:
    parts = parts_of(tree)
    if parts is not None:
        return made_of(tree, [_rebuilt(part, values, real) for part in parts])
    if is_leaf(tree, real):
        return next(values)
    return None if real else tree


def stacked(n: int, f: Callable[[int], Tree], shapes: Sequence[tuple[int, ...]] = ()) -> Tree:
    """Return the structures ``f(0), ..., f(n - 1)`` as one of arrays, with a first axis of n.

    ``shapes``: those of the leaves of every structure, where they are known before (then f returns
    a tuple); if n is 0, the result cannot tell them. Raises ``ValueError`` if nobody can."""
    rows = [f(i) for i in range(n)]
    if not rows:
        if not shapes:
            raise ArgumentValueError(NO_ROWS, SOME_ROWS)
        return tuple(np.zeros((0, *shape)) for shape in shapes)
    columns = [np.array(column) for column in zip(*map(leaves, rows), strict=True)]
    return rebuilt(rows[0], columns)


NO_ROWS = "there is no element that could tell the shape of the result"
SOME_ROWS = "map over one element at least"


def is_larger(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether these numbers and arrays have more items than the others. Compiled code takes an
    array for larger than a few numbers."""
    return sum(map(np.size, some)) > sum(map(np.size, others))


def one_hot(x: Any, index: Sequence[int]) -> Any:
    """Return zeros like ``x``, with a one in this place."""
    result = np.zeros_like(x)
    result[tuple(index)] = 1
    return result[()]


def units(values: Sequence[Any]) -> tuple[tuple[bool, ...], ...]:
    """Return, for each value, its place among them: a tuple with True there."""
    return tuple(tuple(i == j for j in range(len(values))) for i in range(len(values)))


def turned(x: Any, count: int) -> Any:
    """Return the array with its first ``count`` axes as the last."""
    return np.moveaxis(x, tuple(range(count)), tuple(range(-count, 0))) if count else x


def called_as(f: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of positional arguments as one that is called as ``f`` is, with its
    keywords and defaults. (Outside of compiled code the operator's object does this.)"""
    return function


class _Quiet:
    """A function that runs again."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f
        functools.update_wrapper(self, f, updated=())

    @property
    def __pullback_operator__(self) -> tuple[object, ...]:
        return ("quiet", self._f)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._f(*args, **kwargs)


def quiet(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` for another run at the same arguments: in compiled code it does not print again
    what it has printed."""
    return _Quiet(f)


def once(f: Callable[..., Any], args: Any) -> tuple[Any, Any]:
    """Return ``f`` and its arguments for an operator that runs it several times. In compiled code,
    if ``f`` updates what it is given or what is around it, it is run once, here; what is returned
    computes the same from the values before, and updates nothing. (Outside of compiled code the
    operator's object does this.)"""
    return f, args


class Numbers:
    """A choice of arguments of a function; ``alone``: it was written as one number. There is one
    object for each choice, so compiled code knows it by its identity."""

    __slots__ = ("alone", "positions")

    def __init__(self, positions: tuple[int, ...], alone: bool) -> None:
        self.positions = positions
        self.alone = alone

    def __reduce__(self) -> tuple[Any, ...]:
        return numbers_of, (self.positions, self.alone)


@functools.cache
def numbers_of(positions: tuple[int, ...], alone: bool) -> Numbers:
    """Return the one object for this choice."""
    return Numbers(positions, alone)


def argument_numbers(argnums: object, names: Sequence[str]) -> Numbers:
    """The choice that ``argnums`` means, a number or a name or a tuple of such, of a function whose
    parameters have these names. Raises ``TypeError`` and ``ValueError`` for what is none."""
    if isinstance(argnums, Numbers):
        return argnums
    given = tuple(argnums) if isinstance(argnums, tuple | list) else (argnums,)
    positions = []
    for one in given:
        if isinstance(one, str):
            if one not in names:
                known = f": there are {', '.join(names)}" if names else ""
                raise ArgumentValueError(f"no argument is called {one!r}{known}", _ARGNUMS)
            one = names.index(one)
        elif isinstance(one, bool) or not isinstance(one, int | np.integer):
            reason = f"argnums is a number or a name, or a tuple of such, not {argnums!r}"
            raise ArgumentTypeError(reason, _ARGNUMS)
        positions.append(int(one))
    return numbers_of(tuple(positions), not isinstance(argnums, tuple | list))


def chosen(f: Callable[..., Any], argnums: object) -> Numbers:
    """Return the choice of arguments of ``f`` that ``argnums`` means."""
    asked = argnums if isinstance(argnums, tuple | list) else (argnums,)
    if not any([isinstance(one, str) for one in asked]):
        return argument_numbers(argnums, ())
    try:
        parameters = inspect.signature(f).parameters.values()
        several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        known = itertools.takewhile(lambda p: p.kind not in several, parameters)
        names = [p.name for p in known]
    except (ValueError, TypeError):  # a builtin that does not tell
        names = []
    return argument_numbers(argnums, names)


def checked(count: int, numbers: Numbers) -> tuple[int, ...]:
    """Return the numbers counted from 0. Raises ``TypeError`` if there are not so many
    arguments."""
    found = tuple(k + count if k < 0 else k for k in numbers.positions)
    if not all(0 <= k < count for k in found) or len(set(found)) < len(found):
        shown = numbers.positions[0] if numbers.alone else numbers.positions
        raise ArgumentTypeError(f"argnums={shown!r} with {count} arguments given", _ARGNUMS)
    return found


_ARGNUMS = (
    "count the arguments from 0, or name them: argnums=0, argnums=(0, 1), argnums=\"x\"; their "
    "values are given to what it returns: pb.grad(f, 1)(x, y)"
)


def picked(values: Sequence[Any], numbers: Numbers) -> tuple[Any, ...]:
    """Return the chosen values."""
    return tuple(values[k] for k in checked(len(values), numbers))


def replaced(values: Sequence[Any], numbers: Numbers, new: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values, with new ones in place of the chosen ones."""
    result = list(values)
    for k, value in zip(checked(len(values), numbers), new, strict=True):
        result[k] = value
    return tuple(result)


def as_given(values: tuple[Any, ...], numbers: Numbers) -> Any:
    """Return a tuple of values, or its only value if one number was written."""
    return values[0] if numbers.alone else values


__all__ = [
    "NO_ROWS", "REALS", "SOME_ROWS", "Numbers", "along", "argument_numbers", "arguments",
    "as_given", "called_as", "checked", "chosen", "is_larger", "is_leaf", "leaves", "made_of",
    "no_motion", "not_of_kind", "numbers_of", "once", "one_hot", "parts_of", "picked", "quiet",
    "reals", "rebuilt", "record_of", "replaced", "require_kind", "stacked", "terms_of",
    "turned", "units", "with_reals", "wrong_series",
]  # fmt: skip
