"""Reading the parts of a tangent or cotangent that a caller gives, beside those of its value. None
stands for zero; a null address for the items of None."""

from __future__ import annotations

from pullback.native.builder import Code
from pullback.native.pyabi import LIST_ITEMS, OB_TYPE, TUPLE_ITEMS, TUPLE_SIZE

NONE = "@pb_none"


def items_of(c: Code, tangent: str, n: str) -> str:
    """The address of the n items of a tangent that is a list or tuple; null: all are zero. No
    tangent ("") has no items."""
    if not tangent:
        return ""

    def items() -> str:
        ty = c.load("ptr", tangent, OB_TYPE)
        is_list, is_tuple = c.same(ty, "@pb_list"), c.same(ty, "@pb_tuple_type")
        c.need(c.let(f"or i1 {is_list}, {is_tuple}"), "fail")
        c.need(c.same(c.load("i64", tangent, TUPLE_SIZE), n, "i64"), "fail")
        return c.choose(is_list, lambda: c.load("ptr", tangent, LIST_ITEMS),
                        lambda: c.at(tangent, TUPLE_ITEMS), "ptr")  # fmt: skip

    return c.choose(c.same(tangent, NONE), lambda: "null", items, "ptr")


def item_of(c: Code, items: str, k: str) -> str:
    """One of these items."""
    if not items:
        return ""
    return c.choose(c.same(items, "null"), lambda: NONE,
                    lambda: c.load("ptr", items, c.mul(k, 8)), "ptr")  # fmt: skip


def exactly_or_none(c: Code, tangent: str, cls: str) -> str:
    """An ``i1``: whether it is None; if not, it is of this class (or at the block "fail")."""
    none = c.same(tangent, NONE)
    right = c.choose(none, lambda: "true",
                     lambda: c.same(c.load("ptr", tangent, OB_TYPE), cls), "i1")  # fmt: skip
    c.need(right, "fail")
    return none
