"""What a variable is that functions share which are kept in data (``python.kept_variables``)."""

from __future__ import annotations

from typing import Any


class Variable:
    """The object that stands for a variable."""

    def __init__(self, value: Any) -> None:
        self.value = value


__all__ = ["Variable"]
