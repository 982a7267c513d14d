"""The join of what is carried round a loop or a recursion, or meets behind a branch that only the
run decides: there tuples may have several lengths."""

from __future__ import annotations

from pullback.frontend.kinds.join import as_list, has_function, is_function, join
from pullback.frontend.kinds.kinds import Kind, TupleK, parts, with_parts
from pullback.frontend.kinds.widening import generalise, keeps_classes


def join_growing(a: Kind, b: Kind) -> Kind | None:
    """Return the ``join`` of two kinds, also of tuples of different lengths, whose items keep their
    classes; None if there is none."""
    both = join(a, b)
    return join(_of_any_length(a, b), _of_any_length(b, a)) if both is None else both


def _of_any_length(kind: Kind, other: Kind) -> Kind:
    """Return a kind with tuples that have another length in ``other`` as tuples of any length."""
    mine, others = parts(kind), parts(other)
    if isinstance(kind, TupleK) and isinstance(other, TupleK) and len(mine) != len(others):
        known = kind.is_list or other.is_list or has_function(kind)
        made = None if known else as_list(kind)
        same = made is not None and all(keeps_classes(generalise(k), made.elem) for k in mine)
        return made if made is not None and same else kind
    if type(kind) is not type(other) or len(mine) != len(others) or is_function(kind):
        return kind
    return with_parts(kind, tuple(map(_of_any_length, mine, others)))
