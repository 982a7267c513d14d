"""``solve_bvp`` of ``scipy.integrate`` as plain Python that the front end compiles: SciPy's mesh
and solution. The derivative is that of the equations of collocation on this mesh (J. Kierzenka and
L. F. Shampine, "A BVP solver based on residual control and the MATLAB PSE", 2001)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from pullback.frontend.library.solutions import constant, root_of
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text.solver_answers import answered, packed
from pullback.frontend.library.text_helpers import unsupported


class _Curve:
    """The solution between the nodes."""

    def __init__(self, x: Vector, y: Matrix, slopes: Matrix) -> None:
        self.x = x
        self._spline = scipy.interpolate.CubicHermiteSpline(x, y.T, slopes.T)

    def __call__(self, x: Any, nu: int = 0) -> Any:
        return np.asarray(self._spline(x, nu)).T


class BVPResult:
    """What ``solve_bvp`` gives."""

    def __init__(self, x: Vector, y: Matrix, yp: Matrix, p: Any, told: Vector) -> None:
        self.x = x
        self.y = y
        self.yp = yp
        self.p = p
        self.sol = _Curve(x, y, yp)
        self.niter = int(told[0])
        self.status = int(told[1])
        self.success = told[1] == 0.0
        self.rms_residuals = told[2:]

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    @property
    def message(self) -> str:
        """How it ended."""
        if self.status == 0:
            return "The algorithm converged to the desired accuracy."
        if self.status == 1:
            return "The maximum number of mesh nodes is exceeded."
        if self.status == 2:
            return "A singular Jacobian encountered when solving the collocation system."
        return "The solver was unable to satisfy boundary conditions tolerance on iteration 10."


def solve_bvp(fun: Callable[..., Any], bc: Callable[..., Any], x: Any, y: Any, p: Any = None,
              S: None = None, fun_jac: Any = None, bc_jac: Any = None, tol: float = 1e-3,
              max_nodes: int = 1000, verbose: int = 0,
              bc_tol: Any = None) -> BVPResult:  # fmt: skip
    if fun_jac is not None or bc_jac is not None:
        unsupported("solve_bvp with Jacobians", "leave them away: SciPy takes differences")
    if verbose != 0:
        unsupported("solve_bvp that prints", "verbose of 0")
    mesh, guess = np.asarray(x) * 1.0, np.asarray(y)
    if np.iscomplexobj(guess):
        unsupported("solve_bvp of complex numbers", "solve for the parts")
    n = guess.shape[0]
    start = np.zeros(0) if p is None else np.asarray(p) * 1.0
    k, fixed = len(start), p is None

    def slopes(x: Vector, y: Matrix, p: Vector) -> Matrix:
        return np.asarray(fun(x, y) if fixed else fun(x, y, p)) * 1.0

    def ends(a: Vector, b: Vector, p: Vector) -> Vector:
        return np.asarray(bc(a, b) if fixed else bc(a, b, p)) * 1.0

    def answer(kind: int, z: Vector) -> Vector:
        if kind == 1:
            m = int(z[0])
            nodes = z[1 : m + 1]
            y = z[m + 1 : m + 1 + n * m].reshape(n, m)
            return np.ravel(slopes(nodes, y, z[m + 1 + n * m :]))
        return ends(z[:n], z[n : 2 * n], z[2 * n :])

    words = described("solve_bvp", fixed, bc_tol is not None)
    numbers = [mesh, np.array([1.0 * n]), guess * 1.0, start, tol, max_nodes,
               0.0 if bc_tol is None else bc_tol]  # fmt: skip
    found = answered(words, constant(packed(numbers)), constant(answer))
    m = int(found[0])
    nodes, steps = found[1 : m + 1], found[2 : m + 1] - found[1:m]
    last = m + 1 + n * m

    def equations(z: Vector) -> Vector:
        y, p = z[: n * m].reshape(n, m), z[n * m :]
        f = slopes(nodes, y, p)
        middle = 0.5 * (y[:, 1:] + y[:, :-1]) - 0.125 * steps * (f[:, 1:] - f[:, :-1])
        g = slopes(nodes[:-1] + 0.5 * steps, middle, p)
        rest = y[:, 1:] - y[:, :-1] - steps / 6.0 * (f[:, :-1] + f[:, 1:] + 4.0 * g)
        return np.concatenate((np.ravel(rest), ends(y[:, 0], y[:, -1], p)))

    z = root_of(equations, found[m + 1 : last + k])
    made, free = z[: n * m].reshape(n, m), z[n * m :]
    return BVPResult(nodes, made, slopes(nodes, made, free), None if fixed else free,
                     found[last + k :])  # fmt: skip
