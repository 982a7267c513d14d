"""``pb.sparse_jacobian`` and ``pb.sparse_hessian``: matrices of derivatives that are mostly zero.

The pattern is found (``sparsity``), its columns are coloured (``colouring``), and one directional
derivative is computed for each colour; all of them are one call of compiled code.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pullback.api.colouring import columns_apart, stars
from pullback.api.derived import Text
from pullback.api.gradients import grad
from pullback.api.operator_objects import Argnums, inner_function, positional, with_updates
from pullback.api.sparsity import Array, Directions, Pattern, pattern
from pullback.api.vector_products import jvp, vjp
from pullback.call.deferred import driver
from pullback.call.first_errors import silent
from pullback.call.leaving import public
from pullback.call.misuse import require_function
from pullback.call.pickled import Call, Remade
from pullback.structures import (
    Numbers,
    chosen,
    leaves,
    parts_of,
    picked,
    rebuilt,
    replaced,
    stacked,
    turned,
    with_reals,
)


def sparse_jacobian(f: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return the Jacobian of ``f`` as a ``scipy.sparse.csr_array``, whose pattern is found.

    Every call finds which results depend on which inputs along the path that this call takes:
    another branch gives another pattern, never a wrong number. Inputs that meet in no result share
    a derivative (forward mode), or results that share no input do (reverse mode).

    Args:
        f: a function with any result that has a real number in it.
        argnums: the arguments to differentiate by: a position, a name, or a tuple of these.

    Returns:
        A function of the same arguments. Its result has a row for each real number of the result
        and a column for each one of the argument (depth first, each array in C order; of a tuple of
        arguments one after the other). Some of the stored numbers may be 0. The attribute
        ``directions`` of the function says what the last call computed.

    Raises:
        TypeError: the argument has no real number in it.
        ValueError: no argument has that name.
        PullbackError: ``f`` is outside the language, or this is called inside compiled code.

    Source:
        Griewank and Walther, *Evaluating Derivatives*, sections 7.1 (pattern) and 8 (compression).

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> def steps(x):
        ...     return x[1:] ** 2 - x[:-1] ** 2
        >>> pb.sparse_jacobian(steps)(np.array([1.0, 2.0, 4.0])).toarray()
        array([[-2.,  4.,  0.],
               [ 0., -4.,  8.]])
    """
    require_function(f, "sparse_jacobian", "pb.sparse_jacobian(f)(x), not pb.sparse_jacobian(f(x))")
    inner = inner_function(f)
    return _Sparse("sparse_jacobian", f, inner, chosen(inner, argnums), False)


def sparse_hessian(f: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return the second derivatives of ``f`` as a symmetric ``scipy.sparse.csr_array``.

    One Hessian-vector product is computed for each colour of a star colouring of the pattern: one
    for a diagonal matrix, three for a tridiagonal one.

    Args:
        f: a function that returns one real number.
        argnums: as for ``sparse_jacobian``.

    Returns:
        A function of the same arguments. Rows and columns of its result are the real numbers of the
        argument, in the order of ``sparse_jacobian``.

    Raises:
        TypeError: ``f`` does not return one real number, or the argument has no real number in it.
        ValueError: no argument has that name.
        PullbackError: ``f`` is outside the language, or this is called inside compiled code.

    Source:
        Coleman and Moré, *Estimation of Sparse Hessian Matrices and Graph Coloring Problems*.

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> def energy(x):
        ...     return 2.0 * np.sum((x[1:] - x[:-1]) ** 2)
        >>> pb.sparse_hessian(energy)(np.array([1.0, 2.0, 4.0])).toarray()
        array([[ 4., -4.,  0.],
               [-4.,  8., -4.],
               [ 0., -4.,  4.]])
    """
    require_function(f, "sparse_hessian", "pb.sparse_hessian(f)(x), not pb.sparse_hessian(f(x))")
    inner = inner_function(f)
    numbers = chosen(inner, argnums)

    def gradient(*args: Any) -> Any:
        return grad(inner, numbers)(*args)

    return _Sparse("sparse_hessian", f, gradient, numbers, True)


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the matrix of one pattern is computed.

    numbers   zeros like the numbers and arrays of the arguments and of the result
    colours   of each column, or of each row if ``reverse``
    places    where the values of the pattern are among the compressed ones; if ``pieces`` has
              the ends of those of each number or array, each counts from the first of its own
    kept      the columns and the ends of the rows, in the type that SciPy chooses
    seeds     the directions, if they are few enough to be kept
    """

    pattern: Pattern
    numbers: tuple[tuple[Any, ...], tuple[Any, ...]]
    reverse: bool
    colours: Array
    places: Array
    pieces: tuple[int, ...]
    kept: tuple[Array, Array]
    seeds: tuple[Any, ...] | None

    @property
    def count(self) -> int:
        """Return the number of directional derivatives."""
        return int(self.colours.max()) + 1

    @property
    def shape(self) -> tuple[int, int]:
        """Return the shape of the matrix."""
        return _count(self.numbers[1]), _count(self.numbers[0])

    @property
    def seeded(self) -> tuple[Any, ...]:
        """Return the numbers that directions are made for."""
        return self.numbers[1 if self.reverse else 0]


class _ChangedError(Exception):
    """The result has other shapes than it had in the last call."""


class _Sparse(Remade):
    """A function that returns a sparse matrix of derivatives."""

    def __init__(
        self, name: str, f: Callable[..., Any], inner: Callable[..., Any], numbers: Numbers,
        symmetric: bool,
    ) -> None:  # fmt: skip
        functools.update_wrapper(self, f)
        self._name, self._f, self._of = name, inner_function(f), f
        self._inner, self._numbers, self._symmetric = inner, numbers, symmetric
        self._value = Text(name, inner)
        self._forward = Text(name, _forward(inner, numbers))
        self._reverse = Text(name, _reverse(inner, numbers))
        self._last: tuple[_Plan, object] | None = None

    def __repr__(self) -> str:
        return f"<pb.{self._name} of {self._of!r}>"

    def call_that_made_it(self) -> Call:
        make = sparse_hessian if self._symmetric else sparse_jacobian
        return make, (self._of, self._numbers), {}

    @property
    def directions(self) -> Directions:
        """Return what the last matrix took. Raises ``AttributeError`` before the first call."""
        if self._last is None:
            raise AttributeError("no matrix has been computed yet")
        plan = self._last[0]
        mode = "reverse" if plan.reverse else "forward"
        return Directions(mode, plan.count if len(plan.places) else 0, plan.pattern.runs)

    @public
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        values = positional(self._f, args, kwargs)

        def of(f: Callable[..., Any]) -> Any:
            if f is self._of:
                return self._whole(values)
            make, (_, *said), _ = self.call_that_made_it()
            other = make(f, *said)
            result = other(*values)
            self._last = other._last
            return result

        return with_updates(of, self._of, values)

    def _whole(self, values: tuple[Any, ...]) -> Any:
        from scipy.sparse import csr_array

        try:
            with silent() as left_out:
                plan, data = self._matrix(values)
        finally:
            if left_out:  # the runs for the pattern and the directions have printed nothing
                self._value(*values)
        columns, ends = (k.copy() for k in plan.kept)  # which belong to the caller
        return csr_array((data, columns, ends), plan.shape)

    def _matrix(self, values: Sequence[Any]) -> tuple[_Plan, Array]:
        inputs = tuple(map(_zeros, leaves(with_reals(picked(values, self._numbers)), True)))
        try:
            return self._computed(values, inputs)
        except _ChangedError:
            self._last = None
            return self._computed(values, inputs)

    def _computed(self, values: Sequence[Any], inputs: tuple[Any, ...]) -> tuple[_Plan, Array]:
        """Return the plan for these arguments, and the values of its pattern."""
        last = self._last
        if last is not None and not _alike(last[0].numbers[0], inputs):
            last = None
        plan, decided = last or (None, None)
        outputs = plan.numbers[1] if plan else self._outputs(values)
        now = _decisive(driver.decided_by(self._inner, values))
        if plan is None or now is None or now != decided:
            plan = self._planned(values, (inputs, outputs), plan)
            self._last = plan, now
        dtype = np.result_type(np.float32, *plan.numbers[0], *plan.numbers[1])
        if not len(plan.places):
            return plan, np.zeros(0, dtype)
        compiled = self._reverse if plan.reverse else self._forward
        others = plan.numbers[0 if plan.reverse else 1]
        tables = []
        for count, seeds in _directions(plan):
            tables.append([np.reshape(p, (-1, count)) for p in compiled(count, seeds, values)])
            if list(map(len, tables[-1])) != [np.size(x) for x in others]:
                raise _ChangedError
        parts = tables[0] if len(tables) == 1 else [np.hstack(p) for p in zip(*tables, strict=True)]
        return plan, _found(plan, parts, dtype)

    def _outputs(self, values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(map(_zeros, leaves(self._value(*values), True)))

    def _planned(
        self, values: Sequence[Any], numbers: tuple[tuple[Any, ...], tuple[Any, ...]],
        last: _Plan | None,
    ) -> _Plan:  # fmt: skip
        """Return the plan for the pattern at this point, the last one if that is still right."""
        inputs, outputs = numbers

        def run(words: Array) -> Array:
            tangents = self._tangents(values, _split(words, inputs))
            found = leaves(driver.tangent_of(self._inner, values, tangents, words=True)[1], True)
            if not _alike(found, outputs):
                raise _ChangedError
            return _joined(found)

        width = WIDTH[min((x.dtype.itemsize for x in (*inputs, *outputs)), default=8)]
        shape = _count(outputs), _count(inputs)
        if 0 in shape:
            none = np.zeros(0, np.int64)
            return _plan(Pattern.of(none, none, shape[0]), numbers, False, none, none, none)
        found = pattern(run, shape[1], shape[0], width, last.pattern if last else None)
        if last is not None and found is last.pattern:
            return last
        return _symmetric(found, numbers) if self._symmetric else _any(found, numbers)

    def _tangents(self, values: Sequence[Any], parts: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the tangents of all arguments, given those of the chosen numbers and arrays."""
        given = picked(values, self._numbers)
        moving = rebuilt(given, parts, True)
        return replaced(tuple(None for _ in values), self._numbers, moving)


WIDTH = {8: 52, 4: 23}
"""The bits of a word, by the bytes of the number that carries it."""


def _symmetric(found: Pattern, numbers: tuple[tuple[Any, ...], tuple[Any, ...]]) -> _Plan:
    """Return the plan for a Hessian: each value stands in a row of the compressed columns that no
    other column of that colour meets, its own or that of its mirror image."""
    count = len(found.ends) - 1
    both = np.unique(np.concatenate((
        found.rows * count + found.columns, found.columns * count + found.rows
    )))  # fmt: skip
    full = Pattern.of(both // count, both % count, count, found.levels)
    rows, columns = full.rows, full.columns
    colours = stars(full.ends, columns)
    kinds = int(colours.max()) + 1
    met = np.bincount(rows * kinds + colours[columns], minlength=count * kinds)
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    direct = met[low * kinds + colours[high]] == 1
    row, colour = np.where(direct, low, high), colours[np.where(direct, high, low)]
    return _plan(full, numbers, False, colours, row, colour)


def _any(found: Pattern, numbers: tuple[tuple[Any, ...], tuple[Any, ...]]) -> _Plan:
    """Return the plan for a Jacobian, by the cheaper mode."""
    rows, columns = found.rows, found.columns
    results, inputs = len(found.ends) - 1, _count(numbers[0])
    most = [int(np.bincount(k, minlength=1).max()) for k in (rows, columns)]  # colours at least
    turned = Pattern.of(columns, rows, inputs)
    colours = others = None
    if most[0] <= PULL * most[1] or most[0] <= PULL * RATIO * most[1]:
        colours = columns_apart(found.ends, columns, inputs)
    if colours is None or PULL * most[1] < int(colours.max()) + 1:
        others = columns_apart(turned.ends, turned.columns, results)
    if others is not None and (
        colours is None or PULL * (int(others.max()) + 1) < int(colours.max()) + 1
    ):
        return _plan(found, numbers, True, others, columns, others[rows])
    assert colours is not None
    return _plan(found, numbers, False, colours, rows, colours[columns])


def _plan(
    found: Pattern, numbers: tuple[tuple[Any, ...], tuple[Any, ...]], reverse: bool,
    colours: Array, others: Array, directions: Array,
) -> _Plan:  # fmt: skip
    """Return the plan; ``others`` and ``directions``: where each value of the pattern stands in the
    table, in which the directions are side by side."""
    kinds = int(np.max(colours, initial=-1)) + 1
    pieces: tuple[int, ...] = ()
    if np.all(others[1:] >= others[:-1]):
        sizes = [np.size(x) for x in numbers[0 if reverse else 1]]
        ends = np.cumsum(np.array(sizes, np.int64))
        pieces = tuple(int(k) for k in np.searchsorted(others, ends))
        firsts = ends - np.array(sizes, np.int64)
        lengths = np.diff((0, *pieces))
        others = others - np.repeat(firsts, lengths)
    places = others * kinds + directions
    largest = max(len(places), _count(numbers[0]), _count(numbers[1]))
    dtype = np.int32 if largest < 2**31 else np.int64
    kept = found.columns.astype(dtype), found.ends.astype(dtype)
    plan = _Plan(found, numbers, reverse, colours, places, pieces, kept, None)
    if not len(places) or plan.count * len(colours) > MOST:
        return plan
    return replace(plan, seeds=_ones(plan, 0, plan.count))


def _found(plan: _Plan, parts: Sequence[Array], dtype: Any) -> Array:
    """Return the values of the pattern, from the compressed ones of each number or array."""
    if not plan.pieces:
        return _joined(parts)[plan.places].astype(dtype, copy=False)
    data = np.empty(len(plan.places), dtype)
    start = 0
    for part, end in zip(parts, plan.pieces, strict=True):
        flat = part.reshape(-1).astype(dtype, copy=False)
        if end > start:
            np.take(flat, plan.places[start:end], out=data[start:end], mode="clip")
        start = end
    return data


def _directions(plan: _Plan) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Iterate over the directions, so many at a time as fit, with their number."""
    if plan.seeds is not None:
        yield plan.count, plan.seeds
        return
    step = max(8, MOST // len(plan.colours))
    for start in range(0, plan.count, step):
        end = min(start + step, plan.count)
        yield end - start, _ones(plan, start, end)


def _ones(plan: _Plan, start: int, end: int) -> tuple[Any, ...]:
    """Return, for each of some colours, ones in the places that have it: arrays that have the
    directions as their last axis, side by side."""
    kinds = np.arange(start, end)
    parts = _split(plan.colours.astype(np.float64), plan.seeded)
    return tuple(
        (np.asarray(p)[..., None] == kinds).astype(np.asarray(x).dtype)
        for p, x in zip(parts, plan.seeded, strict=True)
    )


MOST = 1 << 24
"""How many numbers the directions have that are computed at once."""

RATIO = 4
"""How far the least possible numbers of directions of the two modes are apart where only one is
looked at."""

PULL = 2
"""What a cotangent costs, in tangents."""


def _decisive(decided: tuple[object, tuple[Any, ...]] | None) -> object:
    """Return what a pattern depends on: the program, the discrete values, and the shapes of
    everything; None if that is not known."""
    try:
        return decided and (decided[0], tuple(map(_decisive_part, decided[1])))
    except _ChangedError:
        return None


def _decisive_part(value: Any) -> object:
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            return value.shape, value.dtype.char
        if value.dtype.kind in "biu":
            return value.shape, value.dtype.char, value.tobytes()
    elif isinstance(value, float | np.floating):
        return type(value)
    elif value is None or isinstance(value, bool | int | str | np.integer | np.bool_):
        return type(value), value
    parts = parts_of(value)
    if parts is None:
        raise _ChangedError
    names = tuple(value) if isinstance(value, dict) else ()
    return type(value), names, tuple(map(_decisive_part, parts))


def _zeros(x: Any) -> Any:
    """Return zeros of the shape and type of a number or array, in one cell."""
    one = np.asarray(x)
    return np.broadcast_to(np.zeros((), one.dtype), one.shape)


def _alike(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether numbers and arrays have the same shapes and types."""
    return len(some) == len(others) and all(
        np.shape(x) == np.shape(y) and np.asarray(x).dtype == np.asarray(y).dtype
        for x, y in zip(some, others, strict=True)
    )


def _count(values: Sequence[Any]) -> int:
    return sum(int(np.size(x)) for x in values)


def _split(numbers: Array, like: Sequence[Any]) -> tuple[Any, ...]:
    """Return the last axis of an array divided into parts of the shapes and types of ``like``."""
    out: list[Any] = []
    start = 0
    for x in like:
        end = start + int(np.size(x))
        part = numbers[..., start:end].reshape((*numbers.shape[:-1], *np.shape(x)))
        dtype = np.asarray(x).dtype
        out.append(part.astype(dtype) if part.ndim else dtype.type(part[()]))
        start = end
    return tuple(out)


def _joined(parts: Sequence[Any]) -> Array:
    """Return the numbers of arrays one after the other."""
    return np.concatenate([np.asarray(p, np.float64).reshape(-1) for p in parts])


def _forward(f: Callable[..., Any], numbers: Numbers) -> Callable[..., Any]:
    def columns(count: int, seeds: Any, args: Any) -> Any:
        """The derivatives of the results along each of some directions."""
        given = with_reals(picked(args, numbers))

        def inner(*new: Any) -> Any:
            return f(*replaced(args, numbers, new))

        def along(k: Any) -> Any:
            tangents = rebuilt(given, tuple([s[..., k] for s in seeds]), True)
            return leaves(jvp(inner, given, tangents)[1], True)

        return [turned(x, 1) for x in stacked(count, along)]

    return columns


def _reverse(f: Callable[..., Any], numbers: Numbers) -> Callable[..., Any]:
    def rows(count: int, seeds: Any, args: Any) -> Any:
        """The derivatives by the arguments, for each of some cotangents."""
        given = with_reals(picked(args, numbers))

        def inner(*new: Any) -> Any:
            return f(*replaced(args, numbers, new))

        out, pullback = vjp(inner, *given)

        def along(k: Any) -> Any:
            seed = rebuilt(out, tuple([s[..., k] for s in seeds]), True)
            return leaves(pullback(seed), True)

        return [turned(x, 1) for x in stacked(count, along)]

    return rows


__all__ = ["sparse_hessian", "sparse_jacobian"]
