"""What ``text.cache_keys`` asks of the kinds of its arguments."""

from __future__ import annotations

import ast

from pullback.core.types import Real
from pullback.frontend.kinds.flatten import kind_of
from pullback.frontend.kinds.kinds import ScalarK
from pullback.frontend.kinds.table_keys import key_kind
from pullback.frontend.kinds.values import Specialiser, Static, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.text.cache_keys import checked, has_no_key


@register(has_no_key)
def _has_no_key(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return Static(any(key_kind(kind_of(v)) is None for v in args))


@register(checked)
def _checked(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    kinds = map(kind_of, args)
    if any(isinstance(k, ScalarK) and isinstance(k.type, Real) for k in kinds):
        sp.refuse(
            node,
            "a function that keeps its results by floats which are not handed on as they are: two "
            "that are equal may have different derivatives",
            "leave functools.cache away, or let its recursion pass the floats on unchanged",
        )
    return Static(None)
