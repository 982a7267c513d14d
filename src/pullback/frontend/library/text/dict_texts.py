"""Methods of dicts that are passed on as functions: ``max(d, key=d.get)``."""

from __future__ import annotations

from typing import Any


def get(d: dict[Any, Any], key: Any, default: Any = None) -> Any:
    return d.get(key, default)
