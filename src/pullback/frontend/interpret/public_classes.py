"""Of which classes of SciPy the objects are that functions of the library as text make: what
``isinstance`` and patterns ask of them."""

from __future__ import annotations

import ast
import importlib
import numbers
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_TEXTS = "pullback.frontend.library.text."
_RESULT = "scipy.optimize:OptimizeResult"
_NUMBERS = (int, float, complex, str, bytes, list, np.ndarray, np.generic, numbers.Number)

_PUBLIC = {
    "basis_splines.Spline": "scipy.interpolate:BSpline",
    "constrained_minima.SearchResult": _RESULT,
    "known_steps.ImplicitSolution": "scipy.integrate:OdeSolution",
    "ode_solutions.OdeResult": "scipy.integrate._ivp.ivp:OdeResult",
    "ode_solutions.OdeSolution": "scipy.integrate:OdeSolution",
    "orthogonal_polynomials._Orthogonal": "scipy.special._orthogonal:orthopoly1d",
    "piecewise_cubics.PPoly": "scipy.interpolate:PPoly",
    "scipy_boundary_values.BVPResult": "scipy.integrate._bvp:BVPResult",
    "scipy_counts.BinomTestResult": "scipy.stats._binomtest:BinomTestResult",
    "scipy_counts.ECDFResult": "scipy.stats._survival:ECDFResult",
    "scipy_counts._Distribution": "scipy.stats._survival:EmpiricalDistributionFunction",
    "scipy_equations.FoundRoot": _RESULT,
    "scipy_equations.RootResult": _RESULT,
    "scipy_global_minima.GlobalMinimum": _RESULT,
    "scipy_global_minima.LinearResult": _RESULT,
    "scipy_global_minima.ProgramResult": _RESULT,
    "scipy_integer_programs.IntegerResult": _RESULT,
    "scipy_interpolate._Grid": "scipy.interpolate:RegularGridInterpolator",
    "scipy_interpolate._Interpolated": "scipy.interpolate:interp1d",
    "scipy_iterative._Operator": "scipy.sparse.linalg:LinearOperator",
    "scipy_least_squares.LeastSquaresResult": _RESULT,
    "scipy_linalg._Least": "builtins:tuple",
    "scipy_minima.MinimizeResult": _RESULT,
    "scipy_minima_of_numbers.ScalarResult": _RESULT,
    "scipy_roots.RootResults": "scipy.optimize:RootResults",
    "scipy_samples._Density": "scipy.stats:gaussian_kde",
    "scipy_scattered.Barycentric": "scipy.interpolate:BarycentricInterpolator",
    "scipy_scattered.Neighbours": "scipy.interpolate:NearestNDInterpolator",
    "scipy_scattered.Newton": "scipy.interpolate:KroghInterpolator",
    "scipy_scattered.Radial": "scipy.interpolate:RBFInterpolator",
    "scipy_scattered.Simplices": "scipy.interpolate:LinearNDInterpolator",
    "scipy_small_minima._Monotone": _RESULT,
    "scipy_sparse_linalg.SuperLU": "scipy.sparse.linalg:SuperLU",
    "scipy_spatial._Hull": "scipy.spatial:ConvexHull",
    "scipy_spatial._Tree": "scipy.spatial:cKDTree",
    "scipy_splines.Univariate": "scipy.interpolate:UnivariateSpline",
    "scipy_surfaces.Surface": "scipy.interpolate:RectBivariateSpline",
    "scipy_systems._States": "scipy.signal._ltisys:StateSpaceContinuous",
    "scipy_systems._Transfer": "scipy.signal._ltisys:TransferFunctionContinuous",
}
"""The classes as text, and those whose objects theirs stand for."""


def public(cls: type) -> type | None:
    """Return the class of SciPy for which one of the library stands; None if it is another."""
    if not cls.__module__.startswith(_TEXTS):
        return None
    name = _PUBLIC.get(f"{cls.__module__.removeprefix(_TEXTS)}.{cls.__name__}")
    if name is None:
        return None
    module, _, attribute = name.partition(":")
    found: type = getattr(importlib.import_module(module), attribute)
    return found


def within(run: Run, cls: type, classes: tuple[type, ...], node: ast.AST) -> bool:
    """Whether an object of a class is one of these classes for the program."""
    real = public(cls)
    if real is None and issubclass(cls, classes):
        return True
    if real is None:
        hidden = cls.__module__.startswith(f"{_TEXTS}scipy_") and cls.__name__.startswith("_")
        if hidden and not all(issubclass(c, _NUMBERS) for c in classes):
            run.refuse(node, "the class of this object of SciPy", "ask before it is made")
        return False
    if any(c.__module__.startswith(_TEXTS) and issubclass(cls, c) for c in classes):
        return True  # a function as text asks
    if any(c is not real and issubclass(c, real) for c in classes):
        reason = f"which class derived from {real.__name__} this object is of"
        run.refuse(node, reason, "ask before it is made")
    return issubclass(real, classes)


__all__ = ["public", "within"]
