"""The value of an f-string."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.terms import Lit
from pullback.frontend.interpret import made_texts
from pullback.frontend.interpret.messages import formatted
from pullback.frontend.kinds.values import Scalar, Static, Value

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
    return made_texts.of_python(run, partial(_joined, tuple(pieces)), values, node)


def _joined(pieces: tuple[str | int, ...], *values: object) -> str:
    """The pieces of an f-string: texts, or how the next two of the values, a value and its format,
    are converted."""
    given = zip(values[::2], values[1::2], strict=True)
    return "".join(p if isinstance(p, str) else formatted(p, *next(given)) for p in pieces)
