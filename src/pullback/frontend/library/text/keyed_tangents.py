"""Dicts and their tangents with the same keys in the same order, as plain Python that the front end
compiles."""

from __future__ import annotations

from typing import Any


def plain(d: dict[Any, Any]) -> dict[Any, Any]:
    """Return a dict of which no entry has been deleted."""
    return {k: v for k, v in d.items()}  # a copy would keep the places of deleted ones


def in_order(d: dict[Any, Any], tangent: dict[Any, Any]) -> dict[Any, Any]:
    """Return the tangent in the order of the dict."""
    if len(tangent) != len(d):
        raise ValueError("the tangent of a dict has other keys")
    return {k: tangent[k] for k in d}
