"""The vector of a plain tree, quickly: of numbers, arrays of floats or ints, None, and tuples,
lists and dicts of such.

A list has items of one form, as its type in compiled code demands; any other tree is left to
``pytrees.ravel``, which looks at everything and says what is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.call.way_back import Make, Text, Unravel, Written

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
WHOLE = (np.dtype(np.int64), np.dtype(np.bool_))
MOST_INT = 2**63


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


def quick(tree: Any) -> tuple[np.ndarray, Unravel] | None:
    """Return the vector of a tree, and what makes the tree of a vector; None if it is not
    plain."""
    walk = _Walk()
    try:
        _, make, text = walk.value(tree)
    except (_UnusualError, RecursionError):
        return None
    unravel = Unravel(make, walk.size, lambda: Written((), text(), walk.constants))
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


__all__ = ["quick"]
