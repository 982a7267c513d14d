"""Arguments of library functions that may be None, a mark, a text, or one of several tuples."""

from __future__ import annotations

import ast
import copy
import dataclasses
import math
import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.frontend.kinds import optionals, several_ranks
from pullback.frontend.kinds.several_ranks import is_of_several_ranks
from pullback.frontend.kinds.values import OptionalV, TupleV, Value
from pullback.frontend.library import graph_steps, hashing_steps
from pullback.frontend.library.text import iterators
from pullback.frontend.python.contexts import is_method

if TYPE_CHECKING:
    from pullback.frontend.run import Run

ASKING = (
    isinstance, bool, hasattr, callable, str, repr, hash, ascii, format, copy.copy, copy.deepcopy,
    is_method, hashing_steps.code, hashing_steps.same, iterators.more, *graph_steps.TAKING_NONE,
    type, operator.not_, operator.truth, operator.is_, operator.is_not, operator.eq, operator.ne,
    operator.lt, operator.le, operator.gt, operator.ge, operator.add, operator.sub, operator.mul,
    operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.matmul, operator.neg,
    operator.pos, operator.and_, operator.or_, operator.xor, operator.getitem, operator.contains,
)  # fmt: skip
"""The functions that may be asked about None, or say themselves what Python says of it."""

_OF_TEXTS = frozenset({float, int, len})
"""The functions that take a text as well as other things."""


_OF_RECORDS = frozenset({dataclasses.replace, getattr})
"""The functions that take a record of any class."""

_OF_INTS = frozenset({
    math.comb, math.factorial, math.gcd, math.isqrt, math.lcm, math.perm, math.trunc
})  # fmt: skip
"""Functions that say something else of what is no number."""

_OF_ONE_NUMBER = frozenset({
    float, int, round,
    *(f for f in vars(math).values() if callable(f) and optionals.takes_numbers_only(f)),
}) - _OF_INTS  # fmt: skip
"""The functions that take no tuple, list, dict or set first."""


def are_apart(obj: Hashable, args: Sequence[Value]) -> bool:
    """Whether a call is compiled for each of the things that an argument may be."""
    if obj in ASKING:
        return False
    if any(map(is_of_several_ranks, args)) or _unlike_items(obj, args) is not None:
        return True
    if obj in _OF_RECORDS and any(map(optionals.may_be_record, args)):
        return True
    return any(map(optionals.may_be_tuple, args)) or (
        obj in _OF_TEXTS and any(map(optionals.may_be_text, args))
    )


def _unlike_items(obj: Hashable, args: Sequence[Value]) -> int | None:
    """Return which argument of a function of NumPy has an array of one of several ranks among items
    that are known one by one, as in ``np.vstack((path, x))``; None: no argument has one."""
    of_numpy = (getattr(obj, "__module__", None) or "").partition(".")[0] == "numpy"
    if not of_numpy or any(map(optionals.may_be_text, args)):
        return None
    for k, v in enumerate(args):
        if isinstance(v, TupleV) and any(map(is_of_several_ranks, v.items)):
            return k
    return None


def apart(
    run: Run, obj: Hashable, args: Sequence[Value], call: Callable[[Sequence[Value]], Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    unlike = _unlike_items(obj, args)
    if unlike is not None:
        return _items_apart(run, args, unlike, call, node)
    k = next(k for k, v in enumerate(args) if optionals.may_be_text(v))
    told = optionals.told_of_nothing(obj)

    def with_part(part: Value) -> Value:
        if told is not None and (obj is len or obj in optionals.ITERATES):
            optionals.require_items(run, part, told("{}"), node)
        return call([*args[:k], part, *args[k + 1 :]])

    found = optionals.apart(run, args[k], with_part, node)
    assert found is not None
    return found


def _items_apart(
    run: Run, args: Sequence[Value], k: int, call: Callable[[Sequence[Value]], Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """Return what a call gives, compiled for each of the arrays that the items may be."""
    whole = args[k]
    assert isinstance(whole, TupleV)
    at = next(at for at, v in enumerate(whole.items) if is_of_several_ranks(v))
    item = whole.items[at]
    assert isinstance(item, OptionalV)

    def with_item(v: Value) -> Value:
        items = replace(whole, items=(*whole.items[:at], v, *whole.items[at + 1 :]))
        return call([*args[:k], items, *args[k + 1 :]])

    return several_ranks.apart(run, item, with_item, node)


def present(
    run: Run, obj: Hashable, args: Sequence[Value], node: ast.AST
) -> Sequence[Value]:
    """Return the arguments after the checks that they are something."""
    told = optionals.told_of_nothing(obj)
    if obj not in ASKING and any(isinstance(v, OptionalV) for v in args):
        said = told or f"{getattr(obj, '__name__', obj)}: the argument is None".format
        of_numbers = optionals.takes_numbers_only(obj)
        return [optionals.present(run, v, said, node, of_numbers=of_numbers) for v in args]
    if args and optionals.is_nothing(args[0]) and told is not None:
        optionals.present(run, args[0], told, node)
    if args and told is not None and obj in _OF_ONE_NUMBER:
        optionals.require_number(run, args[0], told, node)
    return args


__all__ = ["apart", "are_apart", "present"]
