"""The parts of the boundary that need the compiler, the papers or a notebook: imported at the first
use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pullback.call.methods import NATIVE
from pullback.core.later import Later

if TYPE_CHECKING:
    from pullback.call import by_method, c_conventions, driver, exported, non_finite, stage_programs
else:
    c_conventions = Later("pullback.call.c_conventions")
    exported = Later("pullback.call.exported")
    by_method = Later("pullback.call.by_method")
    driver = Later("pullback.call.driver")
    non_finite = Later("pullback.call.non_finite")
    stage_programs = Later("pullback.call.stage_programs")

given_iterators: Any = Later("pullback.call.given_iterators")
graphs: Any = Later("pullback.call.graphs")
notebook_tables: Any = Later("pullback.call.notebook_tables")
"""(These import this file.)"""


def compiler_is_imported() -> bool:
    """Whether anything was compiled in this process."""
    return not isinstance(driver, Later) or driver.here


def require_method(name: str) -> None:
    """ValueError if there is no such method, neither of the papers nor among the native ones."""
    if name not in NATIVE:
        by_method.require_paper_method(name)


__all__ = [
    "by_method", "c_conventions", "compiler_is_imported", "driver", "exported",
    "given_iterators", "graphs", "non_finite", "notebook_tables",
    "require_method", "stage_programs",
]  # fmt: skip
