"""Deep copies of objects that may have several names, as plain Python that the front end compiles.

A *memo* says which object has been copied, and where its copy lies: ``name_of(x)`` is the number of
its region and that of its row. So what stands twice in a structure is copied once, and what leads
to itself is copied at all, as ``copy.deepcopy`` does with ``id(x)``.
"""

from __future__ import annotations

from typing import Any

from pullback.frontend.library.graph_steps import (
    copied_row,
    fields_of,
    fields_with_references,
    name_of,
    own,
    put,
    renamed,
    row_of,
    sort_of,
    with_fields,
)

Memo = dict[tuple[int, int], int]


def of_graph(x: Any) -> Any:
    """Return a deep copy of what has references in it."""
    memo: Memo = {}
    return _part(x, memo)


def _part(x: Any, memo: Memo) -> Any:
    if x is None:
        return None
    sort = sort_of(x)
    if sort == "without references":
        return own(x)
    if sort == "tuple":
        return x if len(x) == 0 else (_part(x[0], memo), *_part(x[1:], memo))
    if sort == "few items":
        return [] if len(x) == 0 else [_part(x[0], memo), *_part(x[1:], memo)]
    if sort == "record":
        return with_fields(x, _part(fields_of(x), memo))
    if sort == "items":
        items = []
        for v in x:
            items.append(_part(v, memo))
        return items
    if sort == "entries":
        entries = {}
        for k, v in x.items():
            entries[k] = _part(v, memo)
        return entries
    return _object(x, memo, sort)


def _object(x: Any, memo: Memo, sort: str) -> Any:
    """Return the copy of an object, a list or a dict of the store."""
    name = name_of(x)
    if name in memo:
        return renamed(x, memo[name])
    made = copied_row(x)
    memo[name] = row_of(made)
    if sort == "list":
        for k in range(len(made)):
            made[k] = _part(made[k], memo)
    elif sort == "dict":
        for key in list(made):
            made[key] = _part(made[key], memo)
    else:
        for field in fields_with_references(x):
            if hasattr(x, field):
                put(made, field, _part(getattr(x, field), memo))
    return made
