"""Every scalar row of the table at edge values: lanes and scalars of native code against what the
row means in the evaluator, bit for bit; mathematical functions within four ulp."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pullback.core.build import Builder
from pullback.core.eval import evaluate
from pullback.core.later import LaterFunction
from pullback.core.prims import TABLE, Row
from pullback.core.rows import kind_of
from pullback.core.scipy_functions import Kernel
from pullback.core.terms import Build, Function, Program, Var
from pullback.core.types import F32, F64, I32, I64, Array, Type
from pullback.core.values import dtype_of
from pullback.lower.loopcode import Ty
from pullback.lower.lower import lower
from pullback.native import ArrayOf, EntrySignature, compile_module

TYPES: dict[Type, Ty] = {F64: Ty.F64, F32: Ty.F32, I64: Ty.I64, I32: Ty.I32}
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 2.5, -3.5, np.inf, -np.inf, np.nan, 5e-324, -5e-324,
         1e-310, 1.7976931348623157e308, -1.7976931348623157e308, 3e9, -3e9, 2.0**31, 2.0**63,
         -(2.0**63), 9.3e18, 0.1, 709.9, -745.2, 171.7]  # fmt: skip
INTS = [0, 1, -1, 2, -2, 3, 7, 31, 63, 64, 2**31 - 1, -(2**31), 2**31, 2**62, 2**63 - 1,
        -(2**63), -(2**63) + 1]  # fmt: skip
ULP = 4

_FEW = {0.0, 1.0, -1.0, 0.5, 2.0, -3.5, np.inf, -np.inf, 5e-324, 1.7976931348623157e308, 3, 63,
        -2, 2**62, 2**63 - 1, -(2**63), 2**31 - 1, -(2**31)}  # fmt: skip
"""The values of which all pairs are taken; -0.0 and NaN too."""


def _rows(t: Type, arity: int) -> list[tuple[Row, tuple[Type, ...]]]:
    """The rows of so many arguments of a type, with their static parameters; not those of SciPy,
    whose values at the poles and in the last digits are others."""
    found: list[tuple[Row, tuple[Type, ...]]] = []
    for name, row in TABLE.items():
        if row.arity != arity or row.effect or isinstance(row.numpy, (LaterFunction, Kernel)):
            continue
        if row.llvm.get(kind_of(t), "lower") in ("lower", "require", "move"):
            continue
        for static in _TARGETS.get(name, [()]):
            try:
                row.rule((t,) * arity, static)
            except TypeError:
                continue
            found.append((row, static))
    return found


_TARGETS: dict[str, list[tuple[Type, ...]]] = {
    "to_int": [(I64,), (I32,)], "to_real": [(F64,), (F32,)],
}  # fmt: skip


def _edges(t: Type) -> np.ndarray:
    if t in (F64, F32):
        with np.errstate(all="ignore"):
            return np.array(REALS).astype(dtype_of(t))
    return np.array([n for n in INTS if t == I64 or -(2**31) <= n < 2**31], dtype_of(t))


def _program(rows: list[tuple[Row, tuple[Type, ...]]], t: Type, arity: int) -> Program:
    """The rows over all elements of their arrays: an array for each."""
    xs = tuple(Var(f"x{k}", Array(t, 1)) for k in range(arity))
    b, inner, i = Builder(), Builder(), Var("i", I64)
    n = b.prim("dim", xs[0], static=(0,))
    items = [inner.index(x, (i,), False) for x in xs]
    found = [inner.prim(row.name, *items, static=static) for row, static in rows]
    types = tuple(Array(v.type, 1) for v in found)
    out = b.let(Build((n,), (i,), inner.block(found)), types)
    return Program({"f": Function("f", xs, b.block(out), types)}, {}, "f")


def _same(got: np.ndarray, want: np.ndarray, ulp: int) -> np.ndarray:
    if want.dtype.kind != "f":
        return got == want
    with np.errstate(all="ignore"):
        exact = (got == want) & (np.signbit(got) == np.signbit(want))
        near = np.abs(got - want) <= ulp * np.spacing(np.abs(want))
    return exact | (np.isnan(got) & np.isnan(want)) | (bool(ulp) & np.isfinite(want) & near)


@pytest.mark.parametrize("arity", [1, 2])
@pytest.mark.parametrize("t", TYPES, ids=str)
def test_rows(t: Type, arity: int) -> None:
    rows = _rows(t, arity)
    edges = _edges(t)
    if arity == 2:
        edges = np.array([x for x in edges if x in _FEW or x != x], dtype_of(t))
    columns = [np.array(c, dtype_of(t)) for c in zip(*itertools.product(edges, repeat=arity))]
    program = _program(rows, t, arity)
    with np.errstate(all="ignore"):
        wanted, _ = evaluate(program, list(columns))
    results = [r for r in program.functions["f"].results if isinstance(r, Array)]
    leaves = tuple(ArrayOf(TYPES.get(r.elem, Ty.I1), 1) for r in results)
    signature = EntrySignature((ArrayOf(TYPES[t], 1),) * arity, leaves)
    found = compile_module(lower(program), signature).call(*columns)
    bad = []
    for (row, static), got, want in zip(rows, found, wanted, strict=True):
        assert isinstance(want, np.ndarray)
        ulp = ULP if row.llvm[kind_of(t)].startswith("call:") else 0
        right = _same(got, want, ulp)
        for k in np.flatnonzero(~right)[:3]:
            bad.append((row.name, static, [c[k] for c in columns], got[k], want[k]))
    assert not bad
