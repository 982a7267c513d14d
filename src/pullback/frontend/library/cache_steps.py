"""What ``text.cache_keys`` asks of the kinds of its arguments."""

from __future__ import annotations

import ast

from pullback.core.types import Real
from pullback.frontend.kinds.complex_pairs import Pair
from pullback.frontend.kinds.flatten import kind_of
from pullback.frontend.kinds.kinds import Kind, RecordK, ScalarK, StaticK, TupleK, parts
from pullback.frontend.kinds.table_keys import is_by_fields, key_kind
from pullback.frontend.kinds.values import Specialiser, Static, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.text.cache_keys import checked, has_no_key


@register(has_no_key)
def _has_no_key(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    missing = [k for v in args if key_kind(k := kind_of(v)) is None]
    return Static(bool(missing) and all(map(_is_number_or_made_of_such, missing)))


def _is_number_or_made_of_such(kind: Kind) -> bool:
    """Whether a value that is no key is one in Python, and never changes: a number, or tuples and
    frozen dataclasses of such."""
    match kind:
        case TupleK(is_list=False):
            pass
        case RecordK(cls):
            if not (issubclass(cls, Pair) or is_by_fields(cls)):
                return False
        case ScalarK(rank0=rank0):
            return not rank0
        case _:
            return isinstance(kind, StaticK) and isinstance(kind.value, float)
    return all(key_kind(k) is not None or _is_number_or_made_of_such(k) for k in parts(kind))


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
