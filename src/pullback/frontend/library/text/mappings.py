"""What a mapping holds, by its methods."""

from __future__ import annotations

from typing import Any


def by_keys(mapping: Any) -> dict[Any, Any]:
    """Return the items of an object that says by methods what they are, as ``dict`` asks it."""
    return {key: mapping[key] for key in mapping.keys()}  # noqa: SIM118  # it may be no dict


__all__ = ["by_keys"]
