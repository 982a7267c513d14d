"""The names of the algorithms that ``method=`` takes."""

from __future__ import annotations

from pullback.call.later import by_method

CHAD = "chad"
"""The production algorithm: what ``method=`` is by default."""

NATIVE = (CHAD, "dual")
"""The algorithms that are compiled (``ad.methods``)."""


def require_method(name: str) -> None:
    """ValueError if there is no such method, neither of the papers nor among the native ones."""
    if name not in NATIVE:
        by_method.require_paper_method(name)


__all__ = ["CHAD", "NATIVE", "require_method"]
