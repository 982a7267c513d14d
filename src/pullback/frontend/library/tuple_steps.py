"""The steps of ``text.tuple_numbers``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, cast

from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.flatten import kind_of
from pullback.frontend.kinds.key_numbers import FIRST, number_of
from pullback.frontend.kinds.table_keys import key_kind
from pullback.frontend.kinds.values import Scalar, Specialiser, Value, register
from pullback.frontend.library.arguments import Args, Kwargs

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def joined(code: int, item: Any) -> int:
    """Return a number that follows from that of the items before, and from an item."""
    return hash((code, item))


@register(joined)
def _joined(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    before, item = args
    kind = key_kind(kind_of(item))
    assert kind is not None
    key = coerce(cast("Run", sp), item, kind, node)
    return Scalar(number_of(sp, key, node, sp.scalar(before, node).atom), True)


def none() -> int:
    """Return the number of no items."""
    return 0


@register(none)
def _none(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Scalar(FIRST, True)
