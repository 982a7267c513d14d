"""Questions of images for texts of the library (``solver_calls``): what SciPy makes of masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.core.later import Later
from pullback.core.reverse_communication import Ask

_ndimage = Later("scipy.ndimage")

_NUMBERS = {
    "binary_fill_holes": ("origin",), "binary_propagation": ("border_value", "origin"),
    "binary_hit_or_miss": ("origin1",),
}  # fmt: skip
_USUAL = "iterations", "border_value", "origin"
_MASKS = {"binary_hit_or_miss": ("structure1", "structure2")}


def _array(given: Any) -> Any:
    """Return the next array, of no items if it has no shape."""
    shape, values = given.vector().astype(int), given.vector()
    return values.reshape(shape) if len(shape) else values


def binary(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return a mask that SciPy makes of one."""
    name, there = told
    image = _array(given) != 0.0
    more: dict[str, Any] = {}
    for key, is_given in zip(_MASKS.get(name, ("structure", "mask")), there, strict=False):
        other = _array(given)
        if is_given:
            more[key] = other != 0.0
    keys = _NUMBERS.get(name, _USUAL)
    more |= dict(zip(keys, map(int, given.vector()), strict=True))
    return getattr(_ndimage, name)(image, **more)


def distances(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return how far each item is from the next one that is 0, and where that one is."""
    name, metric, sampled = told
    image = _array(given) != 0.0
    spaces = given.vector()
    more: dict[str, Any] = {"sampling": spaces} if sampled else {}
    if metric is not None:
        more["metric"] = metric
    if name != "distance_transform_edt":
        return getattr(_ndimage, name)(image, **more)
    far, places = _ndimage.distance_transform_edt(image, return_indices=True, **more)
    return np.concatenate((far.ravel(), places.ravel()))


def labels(ask: Ask, told: list[Any], given: Any) -> Any:
    """Return the piece of each item, and behind them how many there are."""
    image, structure = _array(given) != 0.0, _array(given)
    found, count = _ndimage.label(image, structure)
    return np.append(found, count)


__all__ = ["binary", "distances", "labels"]
