"""The library functions that are texts: for each, the Python function that is compiled in its
place, found by its name in the files named here.

The signature of the text is that of the library: names of arguments, their order, defaults. An
argument that is not among its parameters is refused. The annotations of the parameters
(``domains``) say with which arguments the surface test compares a text with the library function.
``docs/adding/library-function.md`` describes how to write one.
"""

from __future__ import annotations

import bisect
import collections
import contextlib
import functools
import heapq
import io
import itertools
import operator
import queue
import random
import statistics
from collections.abc import MutableMapping, MutableSequence
from types import FunctionType, ModuleType

import numpy as np

from pullback.core.later import LaterFunction
from pullback.frontend.kinds.values import WRITTEN, WRITTEN_CLASSES
from pullback.frontend.library.text import (
    alternatives,
    arrangement,
    array_updates,
    bisection,
    chain_maps,
    chebyshev_series,
    comparisons,
    constrained_minima,
    deques,
    dict_methods,
    differences,
    eigenvalues,
    elementary,
    exit_stack,
    frequencies,
    grids,
    heaps,
    hermite_e_series,
    hermite_series,
    image_centers,
    integer_functions,
    iterations,
    laguerre_series,
    legacy_draws,
    legacy_generators,
    legendre_series,
    masked_functions,
    matrix_functions,
    moments,
    more_arrays,
    nan_quantiles,
    older_polynomials,
    operator_texts,
    orderings,
    orthogonal_polynomials,
    partitions,
    pieces,
    placing,
    plain_contexts,
    polynomial_arithmetic,
    polynomial_calculus,
    polynomial_classes,
    polynomial_zeros,
    polynomials,
    power_series,
    pseudo_inverse,
    python_draws,
    python_generators,
    queues,
    random_generators,
    scipy_boundary_values,
    scipy_clusters,
    scipy_codes,
    scipy_counts,
    scipy_distance,
    scipy_eigenvalues,
    scipy_equations,
    scipy_filters,
    scipy_fits,
    scipy_fourier_filters,
    scipy_frozen_densities,
    scipy_global_minima,
    scipy_goodness,
    scipy_graphs,
    scipy_groups,
    scipy_images,
    scipy_initial_value,
    scipy_integer_programs,
    scipy_integrals,
    scipy_integrate,
    scipy_interpolate,
    scipy_iterative,
    scipy_least_squares,
    scipy_linalg,
    scipy_linear_systems,
    scipy_matrix_densities,
    scipy_matrix_functions,
    scipy_measurements,
    scipy_minima,
    scipy_minima_of_numbers,
    scipy_morphology,
    scipy_multivariate,
    scipy_normal_probabilities,
    scipy_normality,
    scipy_older_minima,
    scipy_quadrature,
    scipy_rank_tests,
    scipy_resampling,
    scipy_roots,
    scipy_samples,
    scipy_scattered,
    scipy_schur,
    scipy_signal,
    scipy_small_minima,
    scipy_smoothing,
    scipy_sparse,
    scipy_sparse_linalg,
    scipy_spatial,
    scipy_special,
    scipy_spectra,
    scipy_splines,
    scipy_summaries,
    scipy_surfaces,
    scipy_systems,
    scipy_windows,
    selection,
    sets_of_arrays,
    sets_of_numbers,
    slopes,
    smoothing_splines,
    spherical,
    statistics_functions,
    text_streams,
    whole_arrays,
    windows,
    wrapping,
)


def _texts(library: ModuleType | type, *files: ModuleType) -> dict[object, FunctionType]:
    """Return the functions of these files whose names do not begin with "_", by the functions of
    the library that have the same names."""
    return {
        getattr(library, name): text
        for file in files
        for name, text in vars(file).items()
        if isinstance(text, FunctionType) and text.__module__ == file.__name__ and name[0] != "_"
    }


def _added_comparisons() -> dict[object, FunctionType]:
    """Return the texts of the functions that ``functools.total_ordering`` puts into a class."""
    texts = {n: text for n, text in vars(orderings).items() if isinstance(text, FunctionType)}
    return {getattr(functools, f"_{name}"): text for name, text in texts.items()}


def _added_output() -> dict[object, FunctionType]:
    """Return the text of ``print`` to an object, by itself."""
    return {t: t for t in vars(text_streams).values() if isinstance(t, FunctionType)}


def _series(file: ModuleType) -> dict[object, FunctionType]:
    """Return the functions of this file by those of the modules of ``numpy.polynomial``."""
    found: dict[object, FunctionType] = {}
    for module in ("polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre"):
        library = getattr(np.polynomial, module)
        for name, text in vars(file).items():
            if isinstance(text, FunctionType) and name[0] != "_" and hasattr(library, name):
                found[getattr(library, name)] = text
    return found


def _by_name(module: str, file: ModuleType) -> dict[object, FunctionType]:
    """Return the functions of this file by those of a module of SciPy, which is not imported for
    its sake. A name with "_of_" in it is that of a method: ``pdf_of_norm`` is ``norm.pdf``."""
    return {
        LaterFunction(module, ".".join(reversed(name.split("_of_")))): text
        for name, text in vars(file).items()
        if isinstance(text, FunctionType) and text.__module__ == file.__name__ and name[0] != "_"
    }


def _named(module: str, file: ModuleType, *names: str) -> dict[object, FunctionType]:
    """Return these functions of a file by those of a module of SciPy."""
    return {LaterFunction(module, name): getattr(file, name) for name in names}


ARRAYS = _texts(
    np, arrangement, comparisons, differences, elementary, moments, polynomials, selection,
    sets_of_numbers, windows,
)  # fmt: skip
"""Functions of arrays: the surface test compares every one with the library."""

LISTS = _texts(bisect, bisection) | _texts(heapq, heaps)
"""Functions of lists of any items, some of which they update (``tests/frontend/test_heaps.py``)."""

OTHERS = (
    _texts(
        np, alternatives, frequencies, grids, integer_functions, more_arrays, nan_quantiles,
        partitions, pieces, placing, polynomial_zeros, sets_of_arrays, slopes, whole_arrays,
    )
    | _series(power_series)
    | _texts(np.polynomial.polynomial, polynomial_arithmetic, polynomial_calculus)
    | _texts(np.polynomial.chebyshev, chebyshev_series)
    | _texts(np.polynomial.hermite, hermite_series)
    | _texts(np.polynomial.hermite_e, hermite_e_series)
    | _texts(np.polynomial.laguerre, laguerre_series)
    | _texts(np.polynomial.legendre, legendre_series)
    | _texts(np.linalg, eigenvalues, matrix_functions, pseudo_inverse)
    | _by_name("numpy.ma", masked_functions)
    | _by_name("scipy.special", scipy_special)
    | _by_name("scipy.special", orthogonal_polynomials)
    | _by_name("scipy.special", scipy_integrals)
    | _by_name("scipy.special", spherical)
    | _by_name("scipy.linalg", scipy_linalg)
    | _by_name("scipy.linalg", scipy_eigenvalues)
    | _by_name("scipy.linalg", scipy_linear_systems)
    | _by_name("scipy.linalg", scipy_matrix_functions)
    | _by_name("scipy.linalg", scipy_schur)
    | _by_name("scipy.cluster.hierarchy", scipy_clusters)
    | _by_name("scipy.cluster.vq", scipy_codes)
    | _by_name("scipy.integrate", scipy_boundary_values)
    | _by_name("scipy.integrate", scipy_integrate)
    | _by_name("scipy.integrate", scipy_initial_value)
    | _by_name("scipy.integrate", scipy_quadrature)
    | _by_name("scipy.interpolate", scipy_interpolate)
    | _by_name("scipy.interpolate", scipy_scattered)
    | _by_name("scipy.interpolate", scipy_splines)
    | _by_name("scipy.interpolate", scipy_surfaces)
    | _named("scipy.interpolate", smoothing_splines, "make_smoothing_spline")
    | _by_name("scipy.ndimage", scipy_filters)
    | _by_name("scipy.ndimage", scipy_fourier_filters)
    | _by_name("scipy.ndimage", scipy_images)
    | _by_name("scipy.ndimage", scipy_measurements)
    | _by_name("scipy.ndimage", scipy_morphology)
    | _named("scipy.ndimage", image_centers, "center_of_mass")
    | _by_name("scipy.optimize", scipy_equations)
    | _by_name("scipy.optimize", scipy_fits)
    | _by_name("scipy.optimize", scipy_global_minima)
    | _by_name("scipy.optimize", scipy_integer_programs)
    | _by_name("scipy.optimize", scipy_least_squares)
    | _by_name("scipy.optimize", scipy_minima)
    | _by_name("scipy.optimize", scipy_minima_of_numbers)
    | _by_name("scipy.optimize", scipy_older_minima)
    | _by_name("scipy.optimize", scipy_roots)
    | _by_name("scipy.optimize", scipy_small_minima)
    | _named("scipy.optimize", constrained_minima, "LinearConstraint", "NonlinearConstraint")
    | _by_name("scipy.spatial", scipy_spatial)
    | _by_name("scipy.spatial.distance", scipy_distance)
    | _by_name("scipy.signal", scipy_resampling)
    | _by_name("scipy.signal", scipy_signal)
    | _by_name("scipy.signal", scipy_smoothing)
    | _by_name("scipy.signal", scipy_spectra)
    | _by_name("scipy.signal", scipy_systems)
    | _by_name("scipy.signal.windows", scipy_windows)
    | _by_name("scipy.sparse", scipy_sparse)
    | _by_name("scipy.sparse.csgraph", scipy_graphs)
    | _by_name("scipy.sparse.linalg", scipy_sparse_linalg)
    | _by_name("scipy.sparse.linalg", scipy_iterative)
    | _by_name("scipy.stats", scipy_counts)
    | _by_name("scipy.stats", scipy_frozen_densities)
    | _by_name("scipy.stats", scipy_goodness)
    | _by_name("scipy.stats", scipy_groups)
    | _by_name("scipy.stats", scipy_matrix_densities)
    | _by_name("scipy.stats", scipy_multivariate)
    | _by_name("scipy.stats", scipy_normal_probabilities)
    | _by_name("scipy.stats", scipy_normality)
    | _by_name("scipy.stats", scipy_rank_tests)
    | _by_name("scipy.stats", scipy_samples)
    | _by_name("scipy.stats", scipy_summaries)
    | _texts(itertools, iterations)
    | _texts(operator, operator_texts)
    | _texts(statistics, statistics_functions)
    | _texts(functools, wrapping)
    | _added_comparisons()
    | _texts(dict, dict_methods)
    | _texts(np.ndarray, array_updates)
    | _texts(np.random, legacy_draws)
    | _texts(random, python_draws)
    | _added_output()
)
"""Functions of arguments that no signature describes (``tests/frontend/test_library_texts.py``)."""

WRITTEN.update(ARRAYS | LISTS | OTHERS)

CLASSES: dict[type, type] = {
    collections.deque: deques.deque, collections.ChainMap: chain_maps.ChainMap,
    queue.Queue: queues.Queue, queue.SimpleQueue: queues.SimpleQueue,
    queue.LifoQueue: queues.LifoQueue, queue.PriorityQueue: queues.PriorityQueue,
    **{getattr(np.random, cls.__name__): cls for cls in (
        random_generators.Generator, random_generators.PCG64, random_generators.PCG64DXSM,
        random_generators.SFC64, random_generators.Philox, random_generators.MT19937,
        legacy_generators.RandomState,
    )},
    **{getattr(np.polynomial, cls.__name__): cls for cls in (
        polynomial_classes.Polynomial, polynomial_classes.Chebyshev, polynomial_classes.Legendre,
        polynomial_classes.Hermite, polynomial_classes.HermiteE, polynomial_classes.Laguerre,
    )},
    np.poly1d: older_polynomials.poly1d,
    random.Random: python_generators.Random, contextlib.ExitStack: exit_stack.ExitStack,
    contextlib.nullcontext: plain_contexts.nullcontext, contextlib.closing: plain_contexts.closing,
    io.StringIO: text_streams.StringIO,
    contextlib.redirect_stdout: text_streams.redirect_stdout,
    contextlib.redirect_stderr: text_streams.redirect_stderr,
}  # fmt: skip
"""Classes whose objects change (``tests/frontend/test_deques.py``, ``test_queues.py``)."""

WRITTEN_CLASSES.update(CLASSES)
MutableSequence.register(deques.deque)  # for isinstance, as collections.deque is
MutableMapping.register(chain_maps.ChainMap)
