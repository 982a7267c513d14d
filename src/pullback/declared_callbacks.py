"""Python functions that compiled code calls and does not compile, for ``pb.pure_callback``.

``Declared`` is such a function with an example of its result. A call takes the arguments apart into
two vectors, the reals and words (extents and whole numbers), by a layout that is known when the
call is compiled::

    ("number", float)                 the next real            ("number", int)  the next word
    ("array", dtype, rank)            its extents are words, its items reals or words
    ("tuple", parts), ("list", parts), ("dict", keys, parts), ("record", class, names, parts)
    ("static", value)                 nothing
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pullback.core import called_python
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.structures import is_leaf, leaves, parts_of, record_of

Layout = tuple[Any, ...]


class Declared:
    """A Python function that is not compiled, and an example of its result. ``pure``: it does
    nothing but give that."""

    def __init__(self, function: Callable[..., Any], example: Any, pure: bool = True) -> None:
        self.function = function
        self.pure = pure
        self.example = example
        self.name = str(getattr(function, "__name__", type(function).__name__))
        self.shapes = [np.shape(x) for x in leaves(example)]
        self._numbers: dict[Layout, int] = {}
        require_reals(example, self.name)

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)

    def number(self, layout: Layout) -> int:
        """Return the number by which compiled code calls it, with arguments of this layout."""
        if layout not in self._numbers:
            function, shapes, name, example = self.function, self.shapes, self.name, self.example

            def call(reals: np.ndarray, words: np.ndarray) -> np.ndarray:
                args = _made(layout, reals, words, [0, 0])
                return _reals(function(*args), example, shapes, name)

            self._numbers[layout] = called_python.enter(call, self.pure)
        return self._numbers[layout]


def require_reals(example: Any, name: str) -> None:
    """Raise ``TypeError`` if an example has anything else than floats and arrays of floats."""
    parts = parts_of(example)
    for part in parts or ():
        require_reals(part, name)
    if parts is None and not is_leaf(example, True):
        raise ArgumentTypeError(
            f"the example of the result of {name!r} is {example!r}: it has to be made of floats "
            "and arrays of floats",
            "pb.pure_callback(f, np.zeros(3)), or pb.pure_callback(f, 0.0)",
        )


def _reals(
    result: Any, example: Any, shapes: list[tuple[int, ...]], name: str
) -> np.ndarray:
    """Return the reals of a result. Raises if it has another form than the example."""
    if not _is_like(result, example):
        raise ArgumentTypeError(
            f"the callback {name!r} gives {result!r}, which has another structure than its example"
        )
    found = [np.asarray(x, np.float64) for x in _leaves(result)]
    for x, shape in zip(found, shapes, strict=True):
        if x.shape != shape:
            raise ArgumentValueError(
                f"the callback {name!r} gives shape {x.shape} where its example has shape {shape}"
            )
    return np.concatenate([x.ravel() for x in found]) if found else np.zeros(0)


def _leaves(tree: Any) -> Iterator[Any]:
    parts = parts_of(tree)
    if parts is None:
        yield tree
    for part in parts or ():
        yield from _leaves(part)


def _is_like(result: Any, example: Any) -> bool:
    """Whether a result has the structure of an example."""
    mine, wanted = parts_of(result), parts_of(example)
    if wanted is None or mine is None:
        return wanted is mine and is_leaf(result, False)
    same = type(result) is type(example) and len(mine) == len(wanted)
    if isinstance(example, dict) and (not same or list(result) != list(example)):
        return False
    return same and all(_is_like(x, y) for x, y in zip(mine, wanted, strict=True))


def _made(layout: Layout, *given: Any) -> Any:
    """Return the value of a layout; ``given``: the vectors, and how much of them is used up."""
    match layout:
        case ("static", value):
            return value
        case ("number", cls):
            return cls(_next(given, cls in (float, np.float64, np.float32), 1)[0])
        case ("array", dtype, rank):
            shape = tuple(int(n) for n in _next(given, False, rank))
            count = int(np.prod(shape, dtype=np.int64))
            real = np.dtype(dtype).kind == "f"
            return _next(given, real, count).astype(dtype).reshape(shape)
        case ("tuple", parts):
            return tuple([_made(p, *given) for p in parts])
        case ("list", parts):
            return [_made(p, *given) for p in parts]
        case ("dict", names, parts):
            return {n: _made(p, *given) for n, p in zip(names, parts, strict=True)}
        case ("record", cls, names, parts):
            values = {n: _made(p, *given) for n, p in zip(names, parts, strict=True)}
            return record_of(cls, values)
        case _:
            raise AssertionError(layout)


def _next(given: Any, real: bool, count: int) -> np.ndarray:
    """Return the next reals or words."""
    reals, words, used = given
    vector: np.ndarray = reals if real else words
    at = used[not real]
    used[not real] = at + count
    return vector[at : at + count]


__all__ = ["Declared", "Layout"]
