"""The parts of the boundary that need the compiler, or the papers: imported at the first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pullback.core.later import Later

if TYPE_CHECKING:
    from pullback.call import by_method, driver
    from pullback.lower import lower as lowering
    from pullback.lower import show as showing
else:
    by_method = Later("pullback.call.by_method")
    driver = Later("pullback.call.driver")
    lowering = Later("pullback.lower.lower")
    showing = Later("pullback.lower.show")


def is_imported(module: object) -> bool:
    """Whether one of these modules has been imported."""
    return not isinstance(module, Later) or module.here


__all__ = ["by_method", "driver", "is_imported", "lowering", "showing"]
