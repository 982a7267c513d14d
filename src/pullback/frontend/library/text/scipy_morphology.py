"""Morphology of ``scipy.ndimage`` as plain Python that the front end compiles. That of grey images
is least and largest items of windows; that of binary ones, and distances, are SciPy's own, and have
no derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text.scipy_filters import maximum_filter, minimum_filter
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import axes, known, of_axis, unsupported


def _plain(structure: Any, output: Any) -> None:
    if structure is not None or output is not None:
        unsupported("morphology with structure or output", "a size or a footprint")


def grey_erosion(input: Array, size: Any = None, footprint: Any = None, structure: Any = None,
                 output: Any = None, mode: Any = "reflect", cval: float = 0.0,
                 origin: Any = 0) -> Array:  # fmt: skip
    _plain(structure, output)
    if size is None and footprint is None:
        raise ValueError("size, footprint, or structure must be specified")
    return minimum_filter(input, size, footprint, None, mode, cval, origin)


def grey_dilation(input: Array, size: Any = None, footprint: Any = None, structure: Any = None,
                  output: Any = None, mode: Any = "reflect", cval: float = 0.0,
                  origin: Any = 0) -> Array:  # fmt: skip
    _plain(structure, output)
    if size is None and footprint is None:
        raise ValueError("size, footprint, or structure must be specified")
    x = np.asarray(input)
    shape = size if footprint is None else np.asarray(footprint).shape
    turned = tuple(-of_axis(origin, k) - (1 if of_axis(shape, k) % 2 == 0 else 0) for k in axes(x))
    mask = None if footprint is None else np.flip(np.asarray(footprint))
    return maximum_filter(x, size, mask, None, mode, cval, turned)


def grey_opening(input: Array, size: Any = None, footprint: Any = None, structure: Any = None,
                 output: Any = None, mode: Any = "reflect", cval: float = 0.0,
                 origin: Any = 0) -> Array:  # fmt: skip
    least = grey_erosion(input, size, footprint, structure, output, mode, cval, origin)
    return grey_dilation(least, size, footprint, None, None, mode, cval, origin)


def grey_closing(input: Array, size: Any = None, footprint: Any = None, structure: Any = None,
                 output: Any = None, mode: Any = "reflect", cval: float = 0.0,
                 origin: Any = 0) -> Array:  # fmt: skip
    most = grey_dilation(input, size, footprint, structure, output, mode, cval, origin)
    return grey_erosion(most, size, footprint, None, None, mode, cval, origin)


def morphological_gradient(input: Array, size: Any = None, footprint: Any = None,
                           structure: Any = None, output: Any = None, mode: Any = "reflect",
                           cval: float = 0.0, origin: Any = 0) -> Array:  # fmt: skip
    most = grey_dilation(input, size, footprint, structure, output, mode, cval, origin)
    return most - grey_erosion(input, size, footprint, None, None, mode, cval, origin)


def morphological_laplace(input: Array, size: Any = None, footprint: Any = None,
                          structure: Any = None, output: Any = None, mode: Any = "reflect",
                          cval: float = 0.0, origin: Any = 0) -> Array:  # fmt: skip
    most = grey_dilation(input, size, footprint, structure, output, mode, cval, origin)
    least = grey_erosion(input, size, footprint, None, None, mode, cval, origin)
    return most + least - 2 * np.asarray(input)


def white_tophat(input: Array, size: Any = None, footprint: Any = None, structure: Any = None,
                 output: Any = None, mode: Any = "reflect", cval: float = 0.0,
                 origin: Any = 0) -> Array:  # fmt: skip
    x = np.asarray(input)
    return x - grey_opening(x, size, footprint, structure, output, mode, cval, origin)


def black_tophat(input: Array, size: Any = None, footprint: Any = None, structure: Any = None,
                 output: Any = None, mode: Any = "reflect", cval: float = 0.0,
                 origin: Any = 0) -> Array:  # fmt: skip
    x = np.asarray(input)
    return grey_closing(x, size, footprint, structure, output, mode, cval, origin) - x


# --- binary images --------------------------------------------------------------------------------


def _vectors(given: Any) -> Any:
    """Return the shape and the numbers of an array, twice nothing if there is none."""
    if given is None:
        return np.zeros(0), np.zeros(0)
    x = np.asarray(given)
    return np.array([1.0 * n for n in x.shape]), np.where(x != 0, 1.0, 0.0)


def _binary(name: str, output: Any, x: Any, numbers: Any, *others: Any) -> Array:
    """Return what SciPy makes of a mask, with other masks and with these numbers."""
    if output is not None:
        unsupported("binary morphology with output", "leave it away")
    vectors: Any = [*_vectors(x)]
    for other in others:
        vectors += [*_vectors(other)]
    words = described("binary", name, tuple(other is not None for other in others))
    found = told(words, packed([*vectors, np.array(numbers) * 1.0]))
    return (found != 0.0).reshape(np.asarray(x).shape)


def binary_erosion(input: Array, structure: Any = None, iterations: int = 1, mask: Any = None,
                   output: Any = None, border_value: int = 0, origin: int = 0,
                   brute_force: bool = False) -> Array:  # fmt: skip
    numbers = (iterations, border_value, origin)
    return _binary("binary_erosion", output, input, numbers, structure, mask)


def binary_dilation(input: Array, structure: Any = None, iterations: int = 1, mask: Any = None,
                    output: Any = None, border_value: int = 0, origin: int = 0,
                    brute_force: bool = False) -> Array:  # fmt: skip
    numbers = (iterations, border_value, origin)
    return _binary("binary_dilation", output, input, numbers, structure, mask)


def binary_opening(input: Array, structure: Any = None, iterations: int = 1, output: Any = None,
                   origin: int = 0, mask: Any = None, border_value: int = 0,
                   brute_force: bool = False) -> Array:  # fmt: skip
    numbers = (iterations, border_value, origin)
    return _binary("binary_opening", output, input, numbers, structure, mask)


def binary_closing(input: Array, structure: Any = None, iterations: int = 1, output: Any = None,
                   origin: int = 0, mask: Any = None, border_value: int = 0,
                   brute_force: bool = False) -> Array:  # fmt: skip
    numbers = (iterations, border_value, origin)
    return _binary("binary_closing", output, input, numbers, structure, mask)


def binary_fill_holes(input: Array, structure: Any = None, output: Any = None,
                      origin: int = 0) -> Array:  # fmt: skip
    return _binary("binary_fill_holes", output, input, (origin,), structure)


def binary_propagation(input: Array, structure: Any = None, mask: Any = None, output: Any = None,
                       border_value: int = 0, origin: int = 0) -> Array:  # fmt: skip
    return _binary("binary_propagation", output, input, (border_value, origin), structure, mask)


def binary_hit_or_miss(input: Array, structure1: Any = None, structure2: Any = None,
                       output: Any = None, origin1: int = 0,
                       origin2: Any = None) -> Array:  # fmt: skip
    if origin2 is not None:
        unsupported("binary_hit_or_miss with two origins", "one for both")
    return _binary("binary_hit_or_miss", output, input, (origin1,), structure1, structure2)


def generate_binary_structure(rank: int, connectivity: int) -> Array:
    n = known(rank)
    if n < 1:
        return np.array(True, dtype=bool)
    far = np.abs(np.indices((3,) * n) - 1)
    return np.sum(far, axis=0) <= max(connectivity, 1)


# --- distances ------------------------------------------------------------------------------------


def _distances(name: str, x: Any, metric: Any, sampling: Any, given: Any,
               both: Callable[[Any], Any]) -> Any:  # fmt: skip
    for array in given:
        if array is not None:
            unsupported("distances with arrays for the results", "leave them away")
    image = np.asarray(x)
    if sampling is None:
        spaces = np.zeros(0)
    else:
        spaces = np.zeros(image.ndim) + np.asarray(sampling)
    words = described("distances", name, metric, sampling is not None)
    return both(told(words, packed([*_vectors(image), spaces])))


def distance_transform_edt(input: Array, sampling: Any = None, return_distances: bool = True,
                           return_indices: bool = False, distances: Any = None,
                           indices: Any = None) -> Any:  # fmt: skip
    """Return how far each item is from the next one that is 0, and where that is."""
    if not return_distances and not return_indices:
        raise RuntimeError("at least one of return_distances/return_indices must be True")
    x = np.asarray(input)

    def both(found: Any) -> Any:
        far = found[: x.size].reshape(x.shape)
        places = found[x.size :].astype(np.int32).reshape((x.ndim, *x.shape))
        if return_distances and return_indices:
            return far, places
        return far if return_distances else places

    return _distances("distance_transform_edt", x, None, sampling, (distances, indices), both)


def distance_transform_cdt(input: Array, metric: str = "chessboard", return_distances: bool = True,
                           return_indices: bool = False, distances: Any = None,
                           indices: Any = None) -> Array:  # fmt: skip
    if return_indices or not return_distances or not isinstance(metric, str):
        unsupported("distance_transform_cdt with indices or a structure", "distance_transform_edt")
    x = np.asarray(input)

    def both(found: Any) -> Any:
        return found[: x.size].astype(np.int32).reshape(x.shape)

    return _distances("distance_transform_cdt", x, metric, None, (distances, indices), both)


def distance_transform_bf(input: Array, metric: str = "euclidean", sampling: Any = None,
                          return_distances: bool = True, return_indices: bool = False,
                          distances: Any = None, indices: Any = None) -> Array:  # fmt: skip
    if return_indices or not return_distances:
        unsupported("distance_transform_bf with indices", "distance_transform_edt")
    if metric != "euclidean":
        unsupported("distance_transform_bf by this metric", "distance_transform_cdt")
    x = np.asarray(input)

    def both(found: Any) -> Any:
        return found[: x.size].reshape(x.shape)

    return _distances("distance_transform_bf", x, metric, sampling, (distances, indices), both)
