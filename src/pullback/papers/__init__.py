"""The algorithms of the four papers, figure by figure.

Every stage is one file: a transformation of nested terms (``papers/language/terms.py`` has the
language and the notation) whose output can be printed, type-checked and run with its
cost. In reading order:

    Efficient Dual-Numbers Reverse AD (Smeding & Vákár): naive, staged calls, Cayley transform, only
        scalars, mutable arrays, without a collector, defunctionalised, taping
    Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD (Krawiec et al.):
        forward mode, dense, symbolic and monadic deltas
    Efficient CHAD (Smeding & Vákár): naive, sparse, monadic, mutable, arrays, higher order
    The Differentiable Curry (Vytiniotis et al.): combinators; simply typed and dependent libraries

``methods`` has the registry that they add themselves to, ``bridge`` brings a user's function here.
``load()`` imports them all.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pullback.papers.language.terms import Source

STAGE_NAMES = ("F", "N1", "N2", "N3", "N3m", "N4", "N4a", "N4b", "N5", "K1", "K2", "K", "C0", "C1",
               "C", "CH0", "CC", "S", "E")
"""The stages that ``told`` shows, as the page of the papers names them."""


def told(source: Source, args: Sequence[object], only: Sequence[str] = ()) -> str:
    """Return a program by all stages (``only``: by some), as text: ``stage_cards.story``."""
    load()
    text = import_module(f"{__name__}.stage_cards").story(source, args, only)
    assert isinstance(text, str)
    return text


@cache  # the folders are looked through once, and not at every derivative
def load() -> None:
    """Import every file of these folders, so that every method is registered."""
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        import_module(module.name)
