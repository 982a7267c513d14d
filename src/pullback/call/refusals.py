"""What cannot be differentiated, shown at its place in the user's source."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pullback.ad.sweep import DerivativeError
from pullback.core.terms import Call, Let, Program, Site
from pullback.core.traverse import all_lets
from pullback.errors import UnsupportedError, excerpt
from pullback.frontend.python.libraries import OWN, package_of


@contextlib.contextmanager
def refusals(program: Program) -> Iterator[None]:
    """What cannot be differentiated is shown at its place in the user's source: of what a text of
    the library does, where the program calls it."""
    try:
        yield
    except DerivativeError as e:
        places = _places(program, e.let)
        here = None if _is_own(e.let) else e.let.site  # the user has called a text itself
        error = UnsupportedError(e.reason, site=places[0] if places else here)
        for other in places[1:_MOST]:
            error.add_note("or in the call\n" + excerpt(other))
        raise error from None


_MOST = 3


def _is_own(let: Let) -> bool:
    """Whether an op stands in a text of the library."""
    return let.site is not None and package_of(let.site.file) == OWN


def _places(program: Program, let: Let) -> list[Site]:
    """Return where the user's code calls texts of the library that come to an op; [] if that is in
    the user's code itself."""
    if not _is_own(let):
        return []
    lets = [(f, x) for f, fn in program.functions.items() for x in all_lets(fn.body)]
    todo = [f for f, x in lets if x.site == let.site]
    found, seen = list[Site](), set[str]()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for f, x in lets:
            if isinstance(x.op, Call) and x.op.function == name:
                if x.site is not None and package_of(x.site.file) != OWN:
                    found.append(x.site)
                else:
                    todo.append(f)
    return sorted(set(found), key=lambda s: (s.file, s.line, s.col))


__all__ = ["refusals"]
