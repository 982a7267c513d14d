"""The table of texts: for a function of a library, the Python function that is compiled in its
place.

The signature of the text is that of the library: names of arguments, their order, defaults. An
argument that is not among its parameters is refused. The annotations of the parameters
(``domains``) say with which arguments the surface test compares a text with the library function.
``docs/adding/library-function.md`` describes how to add a row.
"""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import statistics
from collections.abc import Callable, MutableSequence
from types import FunctionType
from typing import Any, cast

import numpy as np

from pullback.frontend.kinds.values import WRITTEN, WRITTEN_CLASSES
from pullback.frontend.library.text import (
    arrangement,
    bisection,
    comparisons,
    deques,
    differences,
    heaps,
    moments,
    polynomials,
    pseudo_inverse,
    statistics_functions,
    windows,
    wrapping,
)

ARRAYS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.diff: differences.diff,
    np.ediff1d: differences.ediff1d,
    np.gradient: differences.gradient,
    np.trapezoid: differences.trapezoid,
    np.unwrap: differences.unwrap,
    np.average: moments.average,
    np.corrcoef: moments.corrcoef,
    np.cov: moments.cov,
    np.cumulative_prod: moments.cumulative_prod,
    np.cumulative_sum: moments.cumulative_sum,
    np.nancumprod: moments.nancumprod,
    np.nancumsum: moments.nancumsum,
    np.nanmean: moments.nanmean,
    np.nanprod: moments.nanprod,
    np.nanstd: moments.nanstd,
    np.nansum: moments.nansum,
    np.nanvar: moments.nanvar,
    np.convolve: polynomials.convolve,
    np.correlate: polynomials.correlate,
    np.poly: polynomials.poly,
    np.polyadd: polynomials.polyadd,
    np.polyder: polynomials.polyder,
    np.polyint: polynomials.polyint,
    np.polysub: polynomials.polysub,
    np.polyval: polynomials.polyval,
    np.vander: polynomials.vander,
    np.bartlett: windows.bartlett,
    np.blackman: windows.blackman,
    np.hamming: windows.hamming,
    np.hanning: windows.hanning,
    np.kaiser: windows.kaiser,
    np.allclose: comparisons.allclose,
    np.array_equal: comparisons.array_equal,
    np.isclose: comparisons.isclose,
    np.outer: comparisons.outer,
    np.trace: comparisons.trace,
    np.vecdot: comparisons.vecdot,
    np.diagflat: arrangement.diagflat,
    np.dstack: arrangement.dstack,
    np.fliplr: arrangement.fliplr,
    np.flipud: arrangement.flipud,
    np.logspace: arrangement.logspace,
    np.matrix_transpose: arrangement.matrix_transpose,
    np.rollaxis: arrangement.rollaxis,
    np.rot90: arrangement.rot90,
    np.tri: arrangement.tri,
    np.tril_indices: arrangement.tril_indices,
    np.triu_indices: arrangement.triu_indices,
}
"""Functions of arrays: the surface test compares every one with the library."""

LISTS: dict[Callable[..., Any], Callable[..., Any]] = {
    bisect.bisect_left: bisection.bisect_left,
    bisect.bisect_right: bisection.bisect_right,
    bisect.insort_left: bisection.insort_left,
    bisect.insort_right: bisection.insort_right,
    heapq.heapify: heaps.heapify,
    heapq.heappop: heaps.heappop,
    heapq.heappush: heaps.heappush,
    heapq.heappushpop: heaps.heappushpop,
    heapq.heapreplace: heaps.heapreplace,
    heapq.nlargest: heaps.nlargest,
    heapq.nsmallest: heaps.nsmallest,
}
"""Functions of lists of any items, some of which they update (``tests/frontend/test_heaps.py``)."""

OTHERS: dict[Callable[..., Any], Callable[..., Any]] = {
    functools.wraps: wrapping.wraps,
    np.linalg.pinv: pseudo_inverse.pinv,
    np.select: arrangement.select,
    statistics.fmean: statistics_functions.fmean,
    statistics.mean: statistics_functions.mean,
    statistics.pstdev: statistics_functions.pstdev,
    statistics.pvariance: statistics_functions.pvariance,
    statistics.stdev: statistics_functions.stdev,
    statistics.variance: statistics_functions.variance,
}
"""Functions of arguments that no signature describes (``tests/frontend/test_library_texts.py``)."""

WRITTEN.update(cast("dict[object, FunctionType]", ARRAYS | LISTS | OTHERS))

CLASSES: dict[type, type] = {collections.deque: deques.deque}
"""Classes whose objects change (``tests/frontend/test_deques.py``)."""

WRITTEN_CLASSES.update(CLASSES)
MutableSequence.register(deques.deque)  # for isinstance, as collections.deque is
