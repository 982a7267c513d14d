"""Whether code always ends in an error."""

from __future__ import annotations

from collections.abc import Mapping

from pullback.core.build import Builder
from pullback.core.prims import REQUIRE
from pullback.core.terms import Atom, Block, Call, Case, Function, If, Lit, Prim, Sum_, Var
from pullback.core.types import BOOL
from pullback.frontend.kinds.values import Indexed
from pullback.frontend.signals import AlwaysRaises, Unreachable

_NEVER = Lit(False, BOOL)


def always_fails(
    block: Block, functions: Mapping[str, Function], inside: frozenset[str] = frozenset()
) -> bool:
    """Whether a block cannot end without an error; ``inside``: the functions it is called from."""
    for let in block.lets:
        match let.op:
            case Prim(name, args) if name in REQUIRE and args[0] == _NEVER:
                return True
            case If(_, then, orelse) if all(
                always_fails(b, functions, inside) for b in (then, orelse)
            ):
                return True
            case Case(_, arms) if arms and all(
                always_fails(arm.body, functions, inside) for arm in arms
            ):
                return True
            case Sum_((Lit(n),), _, body) if n > 0 and always_fails(body, functions, inside):
                return True
            case Call(name) if name in inside or (
                name in functions
                and always_fails(functions[name].body, functions, inside | {name})
            ):
                return True
            case _:
                pass
    return False


def without_rounds(b: Builder, length: Atom, index: Var, error: AlwaysRaises) -> None:
    """Compile a loop of which every round raises: the first round raises, if there is one."""
    b.let(Sum_((length,), (index,), error.block), ())
    if isinstance(length, Lit) and length.value > 0:
        raise Unreachable


def has_items(items: Indexed) -> bool:
    """Whether there certainly is an item."""
    sure = items.keep is None and items.nested is None
    return sure and isinstance(items.length, Lit) and bool(items.length.value > 0)


__all__ = ["always_fails", "has_items", "without_rounds"]
