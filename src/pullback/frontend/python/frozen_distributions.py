"""Tell which objects are frozen distributions of ``scipy.stats``: ``norm(0, 1)`` is an object that
holds a copy of ``norm`` and arguments."""

from __future__ import annotations

import sys
from typing import Any

from pullback.frontend.functions.scopes import Path
from pullback.frontend.kinds.kinds import StaticK


def distribution_in(obj: Any) -> object | None:
    """Return the distribution of ``scipy.stats`` that a frozen one was made of; None: it is no
    frozen distribution, or one of a distribution that somebody has made."""
    cls = type(obj)
    if not (cls.__module__.startswith("scipy.stats._") and cls.__name__ in _CLASSES):
        return None
    found = getattr(sys.modules.get("scipy.stats"), str(obj.dist.name), None)
    same = type(found) is type(obj.dist) and _ends(found) == _ends(obj.dist)
    return found if same else None


_CLASSES = ("rv_continuous_frozen", "rv_discrete_frozen")


def _ends(distribution: Any) -> tuple[float, float]:
    return distribution.a, distribution.b


def frozen_kind(obj: Any) -> StaticK:
    """Return what has to be so of a frozen distribution, besides the kinds of its arguments."""
    names = tuple(obj.kwds)
    return StaticK(("frozen distribution", obj.dist.name, len(obj.args), names), obj)


def parts_of(obj: Any) -> list[tuple[Path, object]]:
    """Return the arguments that a frozen distribution holds, each with the way to it."""
    args = [((("attr", "args"), ("item", k)), v) for k, v in enumerate(obj.args)]
    return args + [((("attr", "kwds"), ("key", n)), v) for n, v in obj.kwds.items()]


__all__ = ["distribution_in", "frozen_kind", "parts_of"]
