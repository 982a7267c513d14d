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

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

State = TypeVar("State")
Value = TypeVar("Value")


def build(n: int, f: Callable[[int], Any]) -> Any:
    """Return the array (or list) of ``f(0), ..., f(n-1)``; the calls are independent of each other.

    Args:
        n: how many there are.
        f: a function of the index, an int.

    Returns:
        An array, with the axis of the index first, if the results are numbers or arrays of one
        shape; else a list.

    Raises:
        ValueError: ``n`` is negative, or the results are arrays of different shapes.

    Source:
        Smeding and Vákár, *Efficient CHAD*, section 7 and figure 8.

    Example:
        >>> import pullback as pb
        >>> pb.build(4, lambda i: 0.5 * i)
        array([0. , 0.5, 1. , 1.5])
    """
    if n < 0:
        raise ValueError("pb.build: the size must not be negative")
    return _gather([f(i) for i in range(n)])


def map(f: Callable[..., Any], xs: Iterable[Any], *more: Iterable[Any]) -> Any:
    """Return the array (or list) of ``f(x, ...)`` over the elements of ``xs`` and ``more``.

    Args:
        f: a function of one element of each.
        xs: an array, along its first axis, or a list.
        more: others of the same length.

    Returns:
        An array, with the axis of the elements first, if the results are numbers or arrays of one
        shape; else a list.

    Raises:
        ValueError: the arguments have different lengths.

    Source:
        Smeding and Vákár, *Efficient CHAD*, section 7 and figure 8.

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> pb.map(lambda x, y: x * y, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        array([3., 8.])
    """
    return _gather([f(*each) for each in zip(xs, *more, strict=True)])


def fold(op: Callable[[Value, Value], Value], init: Value, xs: Iterable[Value]) -> Value:
    """Return ``init`` and the elements of ``xs`` combined by ``op``, ``init`` once and on the left.

    The caller must make sure that ``op`` is associative. The order of combination depends on the
    length of ``xs`` only.

    Args:
        op: an associative function of two values that returns a value of their type.
        init: the first value.
        xs: an array, along its first axis, or a list.

    Returns:
        A value of the type of ``init``.

    Raises:
        TypeError: in compiled code, a result of ``op`` is of another type than ``init``.

    Source:
        Smeding and Vákár, *Efficient CHAD*, section 7 and figures 8 and 9.

    Example:
        >>> import pullback as pb
        >>> pb.fold(lambda a, b: a * b, 10.0, [2.0, 3.0])
        60.0
    """
    result = init
    for x in xs:
        result = op(result, x)
    return result


def scan(op: Callable[[Value, Value], Value], init: Value, xs: Iterable[Value]) -> Any:
    """Return the array (or list) of the partial results of ``fold(op, init, xs)``, the last one
    included.

    Args:
        op: an associative function of two values that returns a value of their type.
        init: the first value; it is not itself among the results.
        xs: an array, along its first axis, or a list.

    Returns:
        An array if the partial results are numbers or arrays of one shape, else a list; it is as
        long as ``xs``.

    Raises:
        TypeError: in compiled code, a result of ``op`` is of another type than ``init``.

    Source:
        Smeding and Vákár, *Efficient CHAD*, section 7.

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> pb.scan(lambda a, b: a + b, 10.0, np.array([2.0, 3.0]))
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
    """Run ``state = step(i, state)`` for ``i`` in ``range(n)``, and return the last state.

    Args:
        n: how many rounds there are; none if it is not positive.
        step: a function of the number of the round and the state.
        state: the first state: anything (numbers, arrays, tuples, records), of one type throughout.
        checkpoint: ``k`` keeps every k-th state for the reverse sweep, which runs the k rounds from
            there again; ``"sqrt"`` is the root of n. So there are n / k + k states in memory, and
            each round runs twice. The state is then of numbers and arrays.

    Returns:
        The last state, or ``state`` itself where there is no round.

    Raises:
        TypeError: in compiled code, the state changes its type.
        ValueError: in compiled code, ``checkpoint`` is neither positive nor ``"sqrt"``.

    Source:
        Checkpoints: Griewank and Walther, *Evaluating Derivatives*, chapter 12.

    Example:
        >>> import pullback as pb
        >>> pb.loop(3, lambda i, s: 2.0 * s + i, 1.0)
        12.0
    """
    for i in range(n):
        state = step(i, state)
    return state


def while_loop(
    cond: Callable[[State], bool], step: Callable[[State], State], state: State,
    checkpoint: int | str | None = None,
) -> State:  # fmt: skip
    """Run ``state = step(state)`` while ``cond(state)`` holds, and return the last state.

    No bound on the number of rounds is needed, not for derivatives either.

    Args:
        cond: a function of the state that returns a bool.
        step: a function of the state that returns the next one.
        state: the first state: anything (numbers, arrays, tuples, records), of one type throughout.
        checkpoint: ``k`` keeps every k-th state for the reverse sweep; ``"sqrt"`` keeps the states
            at the ends of blocks of 1, 2, 3, ... rounds: as many as the root of twice the rounds.
            The rounds between are run again. The state is then of numbers and arrays.

    Returns:
        The first state for which ``cond`` does not hold.

    Raises:
        TypeError: in compiled code, the state changes its type.
        ValueError: in compiled code, ``checkpoint`` is neither positive nor ``"sqrt"``.

    Source:
        Checkpoints: Griewank and Walther, *Evaluating Derivatives*, chapter 12.

    Example:
        >>> import pullback as pb
        >>> pb.while_loop(lambda s: s < 100.0, lambda s: s * 3.0, 1.0)
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
    """Return ``f``, of which a reverse sweep keeps the arguments and nothing else.

    The sweep runs ``f`` again, so that ``f`` costs its time twice, and memory only while it is
    reversed.

    Args:
        f: any function.

    Returns:
        A function with the results and derivatives of ``f``.

    Raises:
        TypeError: ``f`` is not a function.

    Source:
        Griewank and Walther, *Evaluating Derivatives*, chapter 12; JAX's ``checkpoint``.

    Example:
        >>> import pullback as pb
        >>> pb.grad(lambda x: pb.checkpoint(lambda y: y * y)(x) * 2.0)(3.0)
        12.0
    """
    if not callable(f):
        raise TypeError(f"pb.checkpoint is applied to a function, not to {f!r}")
    return Checkpointed(f)


def stop_gradient(x: Value) -> Value:
    """Return ``x`` itself, with derivative zero.

    Args:
        x: a number, an array, or data.

    Returns:
        ``x``. Nothing that is computed from it passes a derivative on to what ``x`` was computed
        from.

    Raises:
        PullbackError: never by itself; what stands in ``x`` may be outside the language.

    Source:
        The operator is JAX's ``stop_gradient``.

    Example:
        >>> import pullback as pb
        >>> pb.grad(lambda x: x * pb.stop_gradient(x))(3.0)
        3.0
    """
    return x


def debug_print(*values: object) -> None:
    """Print the values. Compiled code prints them, too: once, with the values of the run.

    Neither a reverse sweep nor a checkpoint prints again. ``print`` itself does the same.

    Args:
        values: what is printed, with spaces between, as by ``print``.

    Returns:
        Nothing.

    Raises:
        PullbackError: in compiled code, a value cannot be shown (more than 64 words of data).

    Example:
        >>> import pullback as pb
        >>> pb.debug_print("x =", 1.5)
        x = 1.5
    """
    print(*values)


def _gather(elements: list[Any]) -> Any:
    """Return an array if the elements are numbers or arrays, else the list."""
    if all(isinstance(e, (bool, int, float, np.number, np.bool_, np.ndarray)) for e in elements):
        return np.array(elements)
    return elements
