"""What makes a value of a vector (``pb.ravel``). Inside of compiled code it is a text of Python,
written when the front end asks for it.
"""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from pullback.call.shapes import Shape
from pullback.call.shapes.complex_pair import ComplexPair
from pullback.call.shapes.dictionary import Dict
from pullback.call.shapes.node import Node
from pullback.call.shapes.optional import Optional
from pullback.call.shapes.record import Record
from pullback.call.shapes.sequence import List
from pullback.core.frozen import dataclass
from pullback.errors import ArgumentValueError
from pullback.frontend.python.instances import bare
from pullback.frontend.python.unions import Union

Make = Callable[[np.ndarray], Any]
"""From the vector to a part of the value."""

Text = Callable[[], str]
"""The same as an expression of Python, of the vector ``v`` and of constants c0, c1, ..."""

MOST_TEXT = 100_000
"""A longer text is not compiled."""


class Written(NamedTuple):
    """A way back as text: lines that come first, the expression of the value, the constants."""

    lines: tuple[str, ...]
    value: str
    constants: Sequence[object]


class Unravel:
    """The function that makes a value of a vector. ``text``: writes the same."""

    __slots__ = ("_function", "_make", "_size", "_text")
    __name__ = "ravel.<locals>.unravel"

    def __init__(self, make: Make, size: int, text: Callable[[], Written]) -> None:
        self._make, self._size, self._text = make, size, text
        self._function: FunctionType | None = None

    def __call__(self, vector: Any) -> Any:
        return self._make(as_vector(vector, self._size))

    @property
    def __pullback_operator__(self) -> tuple[str, FunctionType]:
        """Inside compiled code: the call of a function that has a text."""
        if self._function is None:
            try:
                lines, value, constants = self._text()
            except RecursionError:
                raise AttributeError("too deep to be compiled") from None
            if len(value) + sum(map(len, lines)) > MOST_TEXT:
                raise AttributeError("too large to be compiled")
            make = _written(lines, value, len(constants), self._size)
            self._function = make(*constants)
        return "jit", self._function


@lru_cache(64)
def _written(
    lines: tuple[str, ...], value: str, constants: int, size: int
) -> Callable[..., FunctionType]:
    """Return the function that makes the function of constants. Its text is where Python's tools
    look for it."""
    names = ", ".join(f"c{k}" for k in range(constants))
    source = (
        f"def given({names}):\n"
        f"    def unravel(vector):\n"
        f"        v = np.asarray(vector, dtype=np.float64)\n"
        f"        if v.shape != ({size},):\n"
        f"            raise ValueError(f'a vector of shape {{v.shape}}, not ({size},)')\n"
        f"{''.join(f'        {line}' + chr(10) for line in lines)}"
        f"        return {value}\n"
        f"    return unravel\n"
    )
    file = f"<unravel {hash(source):x}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    space: dict[str, Any] = {"np": np, "bare": bare, "__name__": "unravel"}
    exec(compile(source, file, "exec", dont_inherit=True), space)
    made: Callable[..., FunctionType] = space["given"]
    return made


def as_vector(vector: Any, size: int) -> np.ndarray:
    """Return a vector of this size."""
    given = np.asarray(vector, np.float64)
    if given.shape != (size,):
        raise ArgumentValueError(f"a vector of shape {given.shape}, not ({size},)")
    return given


# --- the text of any value ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a leaf is in the vector; ``dtype`` is None for a Python float."""

    start: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None

    def value(self, vector: np.ndarray) -> object:
        """Return the leaf that a vector has here."""
        if self.dtype is None:
            return float(vector[self.start])
        return vector[self.start : self.end].astype(self.dtype).reshape(self.shape)[()]

    @property
    def end(self) -> int:
        """Return where the next leaf begins."""
        return self.start + math.prod(self.shape)

    def text(self) -> str:
        """Return the same as an expression."""
        if self.dtype is None:
            return f"float(v[{self.start}])"
        if not self.shape:
            return f"np.{self.dtype.name}(v[{self.start}])"
        part = f"v[{self.start}:{self.end}].reshape({self.shape})"
        return f"{part}.astype(np.{self.dtype.name})"


def text_of(shape: Shape, form: object) -> Written:
    """Return the text that makes a value like ``form``, which has slots for its reals."""
    texts = _Texts()
    value = texts.of(shape, form)
    return Written(tuple(texts.lines), value, texts.constants)


class _Texts:
    """Writes the text of one value. A node is made on a line of its own: what is shared is one
    variable."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.constants: list[object] = []
        self.nodes: dict[tuple[int, Union], str] = {}

    def of(self, shape: Shape, x: object) -> str:
        if shape.leaf:
            return self._leaf(x)
        if isinstance(shape, Node):
            return self._node(shape, x)
        if isinstance(shape, List) and isinstance(x, list) and shape.item.is_float and x:
            return f"[float(x) for x in v[{x[0].start}:{x[-1].end}]]"
        parts = shape.inside_native(x)
        texts = [self.of(part.shape, part.value) for part in parts]
        if isinstance(shape, ComplexPair) and shape.of_python:
            return f"complex({', '.join(texts)})"
        if isinstance(shape, Record):
            keys = [self._leaf(part.step) for part in parts]
            pairs = ", ".join(f"{k}: {t}" for k, t in zip(keys, texts, strict=True))
            fields = f"{{{pairs}}}"
            return fields if isinstance(shape, Dict) else f"bare({self._leaf(shape.cls)}, {fields})"
        if isinstance(shape, Optional):
            return texts[0] if texts else "None"
        items = "".join(f"{text}, " for text in texts)
        match x:
            case tuple():
                return f"({items})"
            case list():
                return f"[{items}]"
            case _:
                raise AttributeError(f"there is no text of a {type(x).__name__}")

    def _node(self, shape: Node, x: object) -> str:
        if x is None:
            return "None"
        key = id(x), shape.union
        if key not in self.nodes:
            (part,) = shape.inside(x)
            made = self.of(part.shape, x)
            self.nodes[key] = name = f"n{len(self.nodes)}"
            self.lines.append(f"{name} = {made}")
        return self.nodes[key]

    def _leaf(self, x: object) -> str:
        if isinstance(x, Slot):
            return x.text()
        if x is None or type(x) in (bool, int, str):
            return repr(x)
        k = next((k for k, c in enumerate(self.constants) if c is x), len(self.constants))
        if k == len(self.constants):
            self.constants.append(x)
        return f"c{k}.copy()" if isinstance(x, np.ndarray) else f"c{k}"


__all__ = ["Make", "Slot", "Text", "Unravel", "Written", "as_vector", "text_of"]
