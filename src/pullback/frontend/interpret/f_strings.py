"""The value of an f-string."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from pullback.core.types import Int
from pullback.errors import ArgumentValueError, StaticValueError
from pullback.frontend.kinds.values import Scalar, Static, Value

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def joined_string(run: Run, node: ast.JoinedStr) -> Value:
    """An f-string of values that are known."""
    parts = []
    for v in node.values:
        match v:
            case ast.Constant(str(text)):
                parts.append(text)
            case ast.FormattedValue(value, conversion, spec):
                inner = run.evaluate(value)
                if isinstance(inner, Scalar) and isinstance(inner.type, Int):
                    inner = Static(run.static(inner, value, "what an f-string shows"))
                form = Static("") if spec is None else run.evaluate(spec)
                if isinstance(inner, Static) and isinstance(form, Static):
                    parts.append(_formatted(run, inner.value, conversion, str(form.value), v))
                else:
                    run.refuse(
                        v,
                        "text is made when the function is compiled; this value is known later",
                        "compare the values themselves; in the message of an error, write the "
                        "f-string in the raise or assert itself",
                        error=StaticValueError,
                    )
            case _:
                run.refuse(node, "this f-string is not supported")
    return Static("".join(parts))


def _formatted(run: Run, value: object, conversion: int, form: str, node: ast.expr) -> str:
    shown: dict[int, Callable[[object], str]] = {97: ascii, 114: repr, 115: str}
    try:
        return format(shown[conversion](value) if conversion in shown else value, form)
    except (ValueError, TypeError) as e:
        run.refuse(node, str(e), error=ArgumentValueError)
