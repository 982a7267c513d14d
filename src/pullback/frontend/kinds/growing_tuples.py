"""The join of what is carried round a loop or a recursion, or meets behind a branch that only the
run decides: there tuples may have several lengths."""

from __future__ import annotations

from pullback.frontend.kinds.function_kinds import has_function, is_function
from pullback.frontend.kinds.join import as_list, join
from pullback.frontend.kinds.kinds import HashK, Kind, ListK, TupleK, parts, with_parts
from pullback.frontend.kinds.sum_kinds import is_row, mixes
from pullback.frontend.kinds.widening import generalise, keeps_classes


def join_growing(a: Kind, b: Kind) -> Kind | None:
    """Return the ``join`` of two kinds, in which tuples of different lengths are tuples of any
    length if all their items are of one type, and keep their classes; None if there is none."""
    one, other = _of_any_length(a, b), _of_any_length(b, a)
    both = None if (one, other) == (a, b) else join(one, other)
    return join(a, b) if both is None else both


def _mix(items: ListK, other: TupleK) -> bool:
    """Whether texts and other things would be the items of one tuple."""
    if not other.items:
        return False
    others = as_list(other)
    both = None if others is None else join(items, others)
    return not isinstance(both, ListK) or mixes(both.elem)


def _of_any_length(kind: Kind, other: Kind) -> Kind:
    """Return a kind with tuples that have another length in ``other`` as tuples of any length."""
    mine, others = parts(kind), parts(other)
    if isinstance(kind, TupleK) and isinstance(other, TupleK) and len(mine) != len(others):
        known = kind.is_list or other.is_list or has_function(kind)
        known = known or any(map(is_row, (*mine, *others)))
        made = None if known else as_list(kind)
        if made is None or mixes(made.elem) or _mix(made, other):
            return kind
        return made if all(keeps_classes(generalise(k), made.elem) for k in mine) else kind
    if type(kind) is not type(other) or len(mine) != len(others):
        return kind
    if is_function(kind) or isinstance(kind, HashK):
        return kind
    return with_parts(kind, tuple(map(_of_any_length, mine, others)))
