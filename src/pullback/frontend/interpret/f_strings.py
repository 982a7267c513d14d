"""The value of an f-string."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.terms import Lit
from pullback.frontend.interpret import made_texts
from pullback.frontend.interpret.messages import formatted
from pullback.frontend.kinds.values import Scalar, Static, SymbolV, Value
from pullback.frontend.python.symbols import number_of_joined

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def joined_string(run: Run, node: ast.JoinedStr) -> Value:
    """An f-string; its text is known if the values are."""
    values: list[Value] = []
    pieces: list[str | int] = []
    for v in node.values:
        match v:
            case ast.Constant(str(text)):
                pieces.append(text)
            case ast.FormattedValue(value, conversion, spec):
                inner = run.evaluate(value)
                if isinstance(inner, Scalar) and inner.py and isinstance(inner.atom, Lit):
                    inner = Static(inner.atom.value)
                pieces.append(conversion)
                values += (inner, Static("") if spec is None else run.evaluate(spec))
            case _:
                run.refuse(node, "this f-string is not supported")
    whole = partial(_joined, tuple(pieces))
    plain = tuple(
        2 * k
        for k, how in enumerate(p for p in pieces if not isinstance(p, str))
        if how in _AS_IT_IS and _is_empty(values[2 * k + 1]) and _is_made(values[2 * k])
    )
    if not plain:
        return made_texts.of_python(run, whole, values, node)
    numbered = partial(_number_of_joined, tuple(pieces), plain)
    return made_texts.of_python(run, whole, values, node, numbered=numbered, plain=plain)


_AS_IT_IS = (-1, ord("s"))
"""The conversions of an f-string that leave a text as it is."""


def _is_empty(spec: Value) -> bool:
    return isinstance(spec, Static) and spec.value == ""


def _is_made(value: Value) -> bool:
    return isinstance(value, SymbolV) and value.cls is str


def _number_of_joined(
    pieces: tuple[str | int, ...], plain: tuple[int, ...], *values: object
) -> int:
    """The number of an f-string. In the places ``plain`` are the numbers of texts that are put in
    as they are."""
    found: list[str | int] = []
    place = 0
    for piece in pieces:
        if isinstance(piece, str):
            found.append(piece)
            continue
        value = values[place]
        if place in plain:
            assert isinstance(value, int)
            found.append(value)
        else:
            found.append(formatted(piece, value, values[place + 1]))
        place += 2
    return number_of_joined(*found)


def _joined(pieces: tuple[str | int, ...], *values: object) -> str:
    """The pieces of an f-string: texts, or how the next two of the values, a value and its format,
    are converted."""
    given = zip(values[::2], values[1::2], strict=True)
    return "".join(p if isinstance(p, str) else formatted(p, *next(given)) for p in pieces)
