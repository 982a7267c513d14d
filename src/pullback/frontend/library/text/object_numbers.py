"""What ``id`` gives: a number of which nothing is known but that no other object has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pullback.frontend.library.text_helpers import unsupported


@dataclass(frozen=True, repr=False)
class ObjectNumber:
    """The number of an object, which is equal to itself, and a key."""

    of: Any

    def __repr__(self) -> str:
        unsupported("the number that id gives as a text", "compare it, or use it as a key")
        return ""
