"""What a mapping holds, by its methods."""

from __future__ import annotations

from typing import Any


def by_keys(mapping: Any) -> dict[Any, Any]:
    """Return the items of an object that says by methods what they are, as ``dict`` asks it."""
    return {key: mapping[key] for key in mapping.keys()}  # noqa: SIM118  # it may be no dict


def item_as_attribute(obj: Any, name: str, cls: str) -> Any:
    """Return an item of a dict that is the dict of its object."""
    if not dict.__contains__(obj, name):
        raise AttributeError(f"{cls!r} object has no attribute {name!r}")
    return dict.__getitem__(obj, name)


__all__ = ["by_keys", "item_as_attribute"]
