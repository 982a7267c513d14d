"""The steps of ``text.tuple_numbers``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, cast

from pullback.frontend.kinds import key_numbers
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.flatten import kind_of
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
    number = key_numbers.number_of(sp, key, node)
    return Scalar(key_numbers.joined(sp, sp.scalar(before, node).atom, number), True)


def none() -> int:
    """Return the number of no items."""
    return 0


@register(none)
def _none(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Scalar(key_numbers.start(), True)


def ended(code: int, count: int) -> int:
    """Return the number of a tuple of so many items, of what follows from them."""
    return hash((code, count))


@register(ended)
def _ended(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    code, count = (sp.scalar(v, node).atom for v in args)
    return Scalar(key_numbers.ended(sp, code, count), True)
