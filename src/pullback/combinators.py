"""The combinators, in plain Python.

Inside compiled code the front end translates these functions into Core; everywhere else (in a
debugger, in the oracle of the tests) the definitions below run as they stand. So this file is their
meaning::

    build(n, f)                 [f(0), ..., f(n-1)]
    map(f, xs, ys...)           [f(x, y...) for x, y... in zip(xs, ys...)]
    fold(op, init, xs)          op(... op(op(init, x0), x1) ..., xn-1)
    scan(op, init, xs)          the n partial results of that fold, init not among them
    loop(n, step, state)        state = step(i, state), for i in range(n)
    while_loop(cond, step, s)   s = step(s), while cond(s)

``build``, ``map`` and ``scan`` return an array if the elements are numbers or arrays of one shape,
and a list if they are anything else (tuples, records, functions).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

State = TypeVar("State")
Value = TypeVar("Value")


def build(n: int, f: Callable[[int], Any]) -> Any:
    """Return the array (or list) of ``f(0), ..., f(n-1)``; the calls are independent of each other.

    Raises ``ValueError`` if ``n`` is negative or if the results are arrays of different shapes.

    >>> build(4, lambda i: 0.5 * i)
    array([0. , 0.5, 1. , 1.5])
    """
    if n < 0:
        raise ValueError("pb.build: the size must not be negative")
    return _gather([f(i) for i in range(n)])


def map(f: Callable[..., Any], xs: Iterable[Any], *more: Iterable[Any]) -> Any:
    """Return the array (or list) of ``f(x, ...)`` over the elements of ``xs`` and ``more``.

    Raises ``ValueError`` if the arguments have different lengths.

    >>> map(lambda x, y: x * y, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([3., 8.])
    """
    return _gather([f(*each) for each in zip(xs, *more, strict=True)])


def fold(op: Callable[[Value, Value], Value], init: Value, xs: Iterable[Value]) -> Value:
    """Return ``init`` and the elements of ``xs`` combined by ``op``, ``init`` once and on the left.

    The caller must make sure that ``op`` is associative; the order of combination depends on the
    length of ``xs`` only. The result has the type of ``init``, and so must every result of ``op``:
    compiled code refuses anything else with a ``TypeError``.

    >>> fold(lambda a, b: a * b, 10.0, [2.0, 3.0])
    60.0
    """
    result = init
    for x in xs:
        result = op(result, x)
    return result


def scan(op: Callable[[Value, Value], Value], init: Value, xs: Iterable[Value]) -> Any:
    """Return the array (or list) of the n inclusive partial results of ``fold(op, init, xs)``, as
    long as ``xs``. The conditions are those of ``fold``.

    >>> scan(lambda a, b: a + b, 10.0, np.array([2.0, 3.0]))
    array([12., 15.])
    """
    results: list[Value] = []
    result = init
    for x in xs:
        result = op(result, x)
        results.append(result)
    return _gather(results)


def loop(
    n: int, step: Callable[[int, State], State], state: State, checkpoint: int | str | None = None
) -> State:
    """Run ``state = step(i, state)`` for ``i`` in ``range(n)``. Return the last state (``state``
    itself if n <= 0).

    The state may be anything (numbers, arrays, tuples, records), of one type throughout: compiled
    code refuses anything else with a ``TypeError``.

    With ``checkpoint=k`` the reverse sweep keeps every k-th state and runs the k rounds from there
    again, with ``"sqrt"`` as many as the root of n: memory for n / k + k rounds, and each round
    runs once more. The state is of numbers and arrays then.

    >>> loop(3, lambda i, s: 2.0 * s + i, 1.0)
    12.0
    """
    for i in range(n):
        state = step(i, state)
    return state


def while_loop(
    cond: Callable[[State], bool], step: Callable[[State], State], state: State,
    checkpoint: int | str | None = None,
) -> State:  # fmt: skip
    """Run ``state = step(state)`` while ``cond(state)`` holds. Return the first state for which it
    does not. No bound on the number of steps is needed, not for derivatives either. The state is as
    that of ``loop``.

    With ``checkpoint=k`` the reverse sweep keeps every k-th state, with ``"sqrt"`` the states at
    the ends of blocks of 1, 2, 3, ... rounds, as many as the root of twice the rounds.

    >>> while_loop(lambda s: s < 100.0, lambda s: s * 3.0, 1.0)
    243.0
    """
    while cond(state):
        state = step(state)
    return state


class Checkpointed:
    """A function of which the reverse sweep keeps the arguments only."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f

    @property
    def __pullback_operator__(self) -> tuple[object, ...]:
        return ("checkpoint", (self._f,), ())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._f(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<pb.checkpoint of {self._f!r}>"


def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """``f``, of which a reverse sweep keeps the arguments and nothing else: it runs ``f`` again, so
    that f costs its time twice, and memory only while it is reversed.

    >>> import pullback as pb
    >>> pb.grad(lambda x: checkpoint(lambda y: y * y)(x) * 2.0)(3.0)
    12.0
    """
    if not callable(f):
        raise TypeError(f"pb.checkpoint is applied to a function, not to {f!r}")
    return Checkpointed(f)


def stop_gradient(x: Value) -> Value:
    """Return ``x`` itself (a number, an array, or data), with derivative zero.

    >>> import pullback as pb
    >>> pb.grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return x


def debug_print(*values: object) -> None:
    """Print the values. Compiled code prints, too: once, with the values of the run.

    >>> debug_print("x =", 1.5)
    x = 1.5
    """
    print(*values)


def _gather(elements: list[Any]) -> Any:
    """Return an array if the elements are numbers or arrays, else the list."""
    if all(isinstance(e, (bool, int, float, np.number, np.bool_, np.ndarray)) for e in elements):
        return np.array(elements)
    return elements
