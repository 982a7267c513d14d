"""The vector of a plain tree, quickly: of numbers, arrays of floats or ints, None, and tuples,
lists and dicts of such.

What makes a tree of a vector can be called inside compiled code, too: there it is a text of Python,
written when the front end asks for it.

A list has items of one form, as its type in compiled code demands; any other tree is left to
``pytrees.ravel``, which looks at everything and says what is wrong.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from functools import lru_cache
from types import FunctionType
from typing import Any

import numpy as np

from pullback.errors import ArgumentValueError

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
WHOLE = (np.dtype(np.int64), np.dtype(np.bool_))
MOST_INT = 2**63

Make = Callable[[np.ndarray], Any]
"""From the vector to a part of the tree."""

Text = Callable[[], str]
"""The same as an expression of Python, of the vector ``v`` and of arrays c0, c1, ..."""

MOST_TEXT = 100_000
"""A longer text is not compiled."""


class _UnusualError(Exception):
    """A tree that is not plain."""


class _Walk:
    """The walk over one tree: ``parts`` has its reals, ``size`` says how many there are."""

    __slots__ = ("constants", "parts", "size")

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self.constants: list[np.ndarray] = []
        self.size = 0

    def value(self, x: Any) -> tuple[object, Make, Text]:
        """Return the form of a value, and how it is made of a vector."""
        t = type(x)
        if t is float:
            at = self.size
            self.parts.append(x)
            self.size += 1
            return t, lambda v: v.item(at), lambda: f"float(v[{at}])"
        if t is np.ndarray:
            return self.array(x)
        if t is dict:
            return self.dict(x)
        if t is tuple:
            made = [self.value(item) for item in x]
            makes = [make for _, make, _ in made]
            form = tuple([form for form, _, _ in made])
            return form, lambda v: tuple([m(v) for m in makes]), lambda: f"({_items(made)})"
        if t is list:
            return self.list(x)
        if x is None or t is bool or (t is int and -MOST_INT <= x < MOST_INT):
            return t, lambda v: x, lambda: repr(x)
        raise _UnusualError

    def array(self, x: Any) -> tuple[object, Make, Text]:
        dtype, shape, start = x.dtype, x.shape, self.size
        if dtype in WHOLE:
            same = x.copy()
            self.constants.append(same)
            name = f"c{len(self.constants) - 1}"
            return (dtype, len(shape)), lambda v: same.copy(), lambda: f"{name}.copy()"
        if dtype not in FLOATS or not shape:
            raise _UnusualError
        self.parts.append(x)
        self.size = end = start + x.size
        return (
            (dtype, len(shape)),
            lambda v: v[start:end].astype(dtype).reshape(shape),
            lambda: f"v[{start}:{end}].reshape({shape}).astype(np.{dtype})",
        )

    def dict(self, x: Any) -> tuple[object, Make, Text]:
        if not all([type(name) is str for name in x]):
            raise _UnusualError
        made = [self.value(item) for item in x.values()]
        makes = list(zip(x, [make for _, make, _ in made], strict=True))
        form = (*x, *[form for form, _, _ in made])

        names = tuple(x)

        def text() -> str:
            named = zip(names, made, strict=True)
            return "{" + ", ".join(f"{name!r}: {t()}" for name, (_, _, t) in named) + "}"

        return (dict, form), lambda v: {name: m(v) for name, m in makes}, text

    def list(self, x: Any) -> tuple[object, Make, Text]:
        if x and type(x[0]) is float and set(map(type, x)) == {float}:
            start = self.size
            self.parts.extend(x)
            self.size = end = start + len(x)
            text = f"[float(x) for x in v[{start}:{end}]]"
            return (list, float), lambda v: v[start:end].tolist(), lambda: text
        made = [self.value(item) for item in x]
        forms = {form for form, _, _ in made}
        if len(forms) != 1:
            raise _UnusualError
        makes = [make for _, make, _ in made]
        return (list, *forms), lambda v: [m(v) for m in makes], lambda: f"[{_items(made)}]"


def _items(made: list[tuple[object, Make, Text]]) -> str:
    return "".join(f"{text()}, " for _, _, text in made)


class Unravel:
    """The function that makes a tree of a vector."""

    __slots__ = ("_constants", "_make", "_size", "_text")

    def __init__(
        self, make: Make, size: int, text: Text, constants: list[np.ndarray]
    ) -> None:
        self._make, self._size, self._text, self._constants = make, size, text, constants

    def __call__(self, vector: Any) -> Any:
        return self._make(as_vector(vector, self._size))

    @property
    def __pullback_operator__(self) -> tuple[str, FunctionType]:
        """Inside compiled code: the call of a function that has a text."""
        text = self._text()
        if len(text) > MOST_TEXT:
            raise AttributeError("too large to be compiled")
        return "jit", _written(text, len(self._constants), self._size)(*self._constants)


@lru_cache(64)
def _written(text: str, constants: int, size: int) -> Callable[..., FunctionType]:
    """Return the function that makes the function of arrays. Its text is where Python's tools look
    for it."""
    names = ", ".join(f"c{k}" for k in range(constants))
    source = (
        f"def given({names}):\n"
        f"    def unravel(vector):\n"
        f"        v = np.asarray(vector, dtype=np.float64)\n"
        f"        if v.shape != ({size},):\n"
        f"            raise ValueError(f'a vector of shape {{v.shape}}, not ({size},)')\n"
        f"        return {text}\n"
        f"    return unravel\n"
    )
    file = f"<unravel {hash(source):x}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    space: dict[str, Any] = {"np": np, "__name__": "unravel"}
    exec(compile(source, file, "exec", dont_inherit=True), space)
    made: Callable[..., FunctionType] = space["given"]
    return made


def as_vector(vector: Any, size: int) -> np.ndarray:
    """Return a vector of this size."""
    given = np.asarray(vector, np.float64)
    if given.shape != (size,):
        raise ArgumentValueError(f"a vector of shape {given.shape}, not ({size},)")
    return given


def quick(tree: Any) -> tuple[np.ndarray, Unravel] | None:
    """Return the vector of a tree, and what makes the tree of a vector; None if it is not
    plain."""
    walk = _Walk()
    try:
        _, make, text = walk.value(tree)
    except (_UnusualError, RecursionError):
        return None
    unravel = Unravel(make, walk.size, text, walk.constants)
    if walk.size == len(walk.parts) and all([type(part) is float for part in walk.parts]):
        return np.array(walk.parts, np.float64), unravel
    out = np.empty(walk.size)
    at = 0
    for part in walk.parts:
        if type(part) is float:
            out[at] = part
            at += 1
        else:
            end = at + part.size
            out[at:end] = part.reshape(-1)
            at = end
    return out, unravel


__all__ = ["as_vector", "quick"]
