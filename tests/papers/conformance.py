"""A test of a row of the conformance checklist carries its id: ``pytest -k '[CHAD-12]'``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def claim(row: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The test function is the test of this row; it takes the id as its parameter ``row``."""
    return pytest.mark.parametrize("row", [row])
