"""``d.keys()``, ``d.values()`` and ``d.items()`` of a dict whose keys are known.

Such a view is a tuple of what is in the dict, with the dict it is of: whose memory it shares, and
which a loop reads anew (``places.renewed``). Views of hash tables are ``ViewV``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pullback.frontend.kinds.values import RecordV, Static, TupleV, Value

if TYPE_CHECKING:
    from pullback.frontend.run import Run


@dataclass(frozen=True, slots=True, eq=False)
class FieldsV(TupleV):
    """The keys, values or items (``what``) of a dict."""

    of: RecordV | None = None
    what: str = ""


def fields_of(d: RecordV, what: str) -> FieldsV:
    """Return ``d.keys()``, ``d.values()`` or ``d.items()``."""
    match what:
        case "keys":
            items: tuple[Value, ...] = tuple(map(Static, d.fields))
        case "values":
            items = tuple(d.fields.values())
        case _:
            items = tuple(TupleV((Static(k), v)) for k, v in d.fields.items())
    return FieldsV(items, of=d, what=what)


def refuse_views(run: Run, values: Iterable[Value], node: ast.AST) -> None:
    """Refuse an object with several names that keeps a view: it would be the tuple alone."""
    for v in values:
        if isinstance(v, FieldsV):
            reason = "a view of a dict that an object with several names keeps"
            run.refuse(node, reason, f"make a list of it: list(d.{v.what}())")


__all__ = ["FieldsV", "fields_of", "refuse_views"]
