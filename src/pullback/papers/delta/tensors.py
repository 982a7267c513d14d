"""Arrays of reals as primitive types with derivatives (Krawiec et al., section 8.3, last sentence).

    data Tensor = Dual Array Delta        beside the reals, which are the arrays without an axis
    op on elements                        Scale (∂_i op xs) u_i, and Spread c u where u is a real
    dot x y : R                           Add (Dot y u) (Dot x v)
    A @ x                                 Add (MulR u x) (MulL A v)
    x ! k : R                             At k u

A Delta stands for a whole array, so that a vectorised operation binds once where K binds once for
each element. eval is that of Fig. 11, with the transposed operation in each new clause:

    eval X (Scale C u) = eval (C * X) u          elementwise
    eval X (Spread C u) = eval (sum (C * X)) u   eval x (Dot Y u) = eval (x * Y) u
    eval X (MulL A u) = eval (Aᵀ @ X) u          eval X (MulR u A) = eval (X @ Aᵀ) u
    eval x (At k u) = eval (x in the place k of zeros) u

>>> matrix, vector = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])
>>> run = reverse(lambda a, x: dot(a @ x, elementwise("sin", x)), (matrix, vector))
>>> [delta.name for _, delta in run.tape.binds]
['Add', 'Scale', 'Add']
>>> print(run.gradient()[0].round(3).tolist())
[[0.841, -0.841], [-0.841, 0.841]]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pullback.core.frozen import dataclass
from pullback.papers.delta.numbers import apply, partials
from pullback.papers.delta.overload import ZERO, Tape
from pullback.papers.language.values import ConV

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """Dual Array Delta, and the tape of the run."""

    value: Array
    delta: ConV
    tape: Tape

    __array_ufunc__ = None  # a NumPy array to the left leaves the operation to this class

    def __add__(self, other: object) -> Tensor:
        return elementwise("add", self, other)

    def __sub__(self, other: object) -> Tensor:
        return elementwise("sub", self, other)

    def __mul__(self, other: object) -> Tensor:
        return elementwise("mul", self, other)

    __radd__, __rmul__ = __add__, __mul__

    # A @ x = Dual (A @ x) (Var i), i <- deltaLet (Add (MulR u x) (MulL A v))
    def __matmul__(self, other: object) -> Tensor:
        a, x = self.value, value_of(other)
        assert a.ndim == 2 and 1 <= x.ndim <= 2
        terms = [ConV("MulR", (self.delta, x))]
        if isinstance(other, Tensor):
            terms.append(ConV("MulL", (a, other.delta)))
        return bound(a @ x, terms, self.tape)

    def __rmatmul__(self, other: Array) -> Tensor:
        return bound(other @ self.value, [ConV("MulL", (other, self.delta))], self.tape)

    # x ! k = Dual (x ! k) (At k u): a name is enough
    def __getitem__(self, k: int | tuple[int, ...]) -> Tensor:
        at = ConV("At", (self.value.shape, k, self.delta))
        return Tensor(np.asarray(self.value[k]), at, self.tape)


def value_of(x: object) -> Array:
    """Return the array in a tensor, or a constant."""
    return x.value if isinstance(x, Tensor) else np.asarray(x, np.float64)


def bound(value: Array, terms: list[ConV], tape: Tape) -> Tensor:
    """Dual value (Var i), for i <- deltaLet (the sum of the terms)."""
    if not terms:
        return Tensor(value, ZERO, tape)
    total = reduce(lambda s, t: ConV("Add", (s, t)), terms)
    return Tensor(value, tape.let(total), tape)


def elementwise(op: str, *xs: object) -> Tensor:
    """Apply a primitive to arrays of one shape, and to reals, element by element."""
    tape = next(x.tape for x in xs if isinstance(x, Tensor))
    values = [value_of(x) for x in xs]
    shape = np.broadcast_shapes(*(v.shape for v in values))
    assert all(v.shape in (shape, ()) for v in values), "arrays of different shapes"
    rows = [tuple(map(float, row)) for row in zip(
        *(np.broadcast_to(v, shape).ravel() for v in values), strict=True)]
    slopes = [{p.i: p.value for p in partials(op, row)} for row in rows]
    terms = []
    for i, x in enumerate(xs):
        if isinstance(x, Tensor):
            slope = np.array([s.get(i, 0.0) for s in slopes]).reshape(shape)
            terms.append(ConV("Scale" if x.value.shape == shape else "Spread", (slope, x.delta)))
    return bound(np.array([apply(op, *row) for row in rows]).reshape(shape), terms, tape)


def dot(x: Tensor, y: Tensor) -> Tensor:
    """The inner product of two vectors."""
    terms = [ConV("Dot", (y.value, x.delta)), ConV("Dot", (x.value, y.delta))]
    return bound(np.asarray(x.value @ y.value), terms, x.tape)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run of a program: the arguments, the result, the tape."""

    args: tuple[Array, ...]
    result: Tensor
    tape: Tape

    def gradient(self, seed: float = 1.0) -> tuple[Array, ...]:
        """Return eval seed, and lookupOrZero of the arguments' ids."""
        fm: dict[int, Array] = {}
        evaluate(np.asarray(seed), self.result.delta, fm)
        for i, rhs in reversed(self.tape.binds):
            if i in fm:
                evaluate(fm.pop(i), rhs, fm)
        return tuple(fm.get(k, np.zeros(a.shape)) for k, a in enumerate(self.args, 1))


def reverse(f: Callable[..., Tensor], args: tuple[Array, ...]) -> Run:
    """Run f on tensors whose deltas are Var 1, Var 2, ..; it gives a real."""
    tape = Tape(len(args) + 1)
    given = [Tensor(a, ConV("Var", (k,)), tape) for k, a in enumerate(args, 1)]
    return Run(args, f(*given), tape)


def evaluate(x: Array, u: ConV, fm: dict[int, Array]) -> None:
    """eval x u fm, in place."""
    f: Any = u.fields
    match u.name:
        case "Zero":
            pass
        case "Var":
            fm[f[0]] = fm[f[0]] + x if f[0] in fm else x
        case "Add":
            evaluate(x, f[0], fm)
            evaluate(x, f[1], fm)
        case "Scale":
            evaluate(f[0] * x, f[1], fm)
        case "Spread":
            evaluate(np.sum(f[0] * x), f[1], fm)
        case "Dot":
            evaluate(x * f[0], f[1], fm)
        case "MulL":
            evaluate(f[0].T @ x, f[1], fm)
        case "MulR":
            a = f[1]
            evaluate(np.outer(x, a) if a.ndim == 1 else x @ a.T, f[0], fm)
        case "At":
            zeros = np.zeros(f[0])
            zeros[f[1]] = x
            evaluate(zeros, f[2], fm)
        case _:
            raise AssertionError(u.name)
