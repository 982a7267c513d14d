"""Every row of the table: its partials against finite differences, its cells, its kinks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pullback.core import prims_real
from pullback.core.build import Builder, f64, lit, partial, scale
from pullback.core.eval import evaluate
from pullback.core.prims import TABLE, Row
from pullback.core.rows import ZERO, Mark, Table
from pullback.core.terms import Function, Lit, Program, Var
from pullback.core.types import BOOL, F32, F64, I64, Array, Handle, Type

SAMPLES = 20
SMOOTH = [row.name for row in TABLE.values() if row.domain]


def _args(row: Row) -> tuple[Var, ...]:
    """Float arguments, but for the condition of select."""
    types: list[Type] = [F64] * len(row.domain)
    if row.name == "select":
        types[0] = BOOL
    return tuple(Var(f"x{i}", t) for i, t in enumerate(types))


def _program(params: tuple[Var, ...], b: Builder, result: Lit | Var) -> Program:
    return Program({"f": Function("f", params, b.block((result,)), (result.type,))}, {}, "f")


def _static(row: Row) -> tuple[Type, ...]:
    return (F64,) if row.name == "to_real" else ()


def _points(row: Row) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    rng = np.random.default_rng(len(row.name))
    low, high = np.array(row.domain).T
    return rng.uniform(low, high, (SAMPLES, len(row.domain)))


def wrong_partials(row: Row) -> list[str]:
    """The arguments at which the row's partial and a central difference disagree."""
    params = _args(row)
    b = Builder()
    program = _program(params, b, b.prim(row.name, *params, static=_static(row)))
    bad: list[str] = []
    for i, p in enumerate(params):
        if p.type != F64:
            continue
        b = Builder()
        result = b.prim(row.name, *params, static=_static(row))
        cell = partial(b, row, i, params, result)
        if cell is Mark.NOT_DIFFERENTIABLE:
            continue
        derivative = _program(params, b, f64(0.0) if isinstance(cell, Mark) else cell)
        for point in _points(row):
            h = 1e-5
            up, down = point.copy(), point.copy()
            up[i] += h
            down[i] -= h
            (hi,), _ = evaluate(program, list(up))
            (lo,), _ = evaluate(program, list(down))
            if abs(hi - lo) > 0.5:  # across a jump of floor and the like
                continue
            (got,), _ = evaluate(derivative, list(point))
            if not math.isclose(got, (hi - lo) / (2 * h), rel_tol=1e-6, abs_tol=1e-6):
                bad.append(f"{row.name}, argument {i} at {point}: {got}, {(hi - lo) / (2 * h)}")
    return bad


MEASURED = [name for name in SMOOTH if not TABLE[name].kinks.startswith("derivative 1 by def")]


@pytest.mark.parametrize("name", MEASURED)
def test_partials_match_finite_differences(name: str) -> None:
    assert wrong_partials(TABLE[name]) == []


def wrong_factors(row: Row) -> list[str]:
    """The arguments at which the shared factor times the rest is not the partial."""
    assert row.shared is not None
    factor, rest = row.shared
    params, bad = _args(row), list[str]()
    for i, cell in enumerate(rest):
        b = Builder()
        result = b.prim(row.name, *params)
        left = f64(cell) if isinstance(cell, float) else cell(b, params, result)
        product = b.prim("mul", factor(b, params, result), left)
        p = partial(b, row, i, params, result)
        assert not isinstance(p, Mark)
        both = Program({"f": Function("f", params, b.block((product, p)), (F64, F64))}, {}, "f")
        for point in _points(row):
            (got, expected), _ = evaluate(both, list(point))
            if not math.isclose(got, expected, rel_tol=1e-15):
                bad.append(f"{row.name}, argument {i} at {point}: {got}, {expected}")
    return bad


SHARING = [row.name for row in TABLE.values() if row.shared is not None]


@pytest.mark.parametrize("name", SHARING)
def test_a_shared_factor_times_the_rest_is_the_partial(name: str) -> None:
    row = TABLE[name]
    assert wrong_factors(row) == []
    factor, rest = row.shared or (None, ())
    assert factor is not None and len(rest) == row.arity
    assert wrong_factors(replace(row, shared=(factor, (*rest[:-1], lambda b, a, r: r))))


def test_a_wrong_partial_is_caught() -> None:
    sin = replace(TABLE["sin"], partials=(lambda b, a, r: b.prim("sin", a[0]),))
    assert wrong_partials(sin)
    add = replace(TABLE["add"], partials=(1.0, -1.0))
    assert wrong_partials(add)
    mul = replace(TABLE["mul"], partials=(ZERO, TABLE["mul"].partials[1]))
    assert wrong_partials(mul)


def test_every_real_row_is_sampled_or_discrete() -> None:
    for row in TABLE.values():
        discrete = all(isinstance(p, Mark) for p in row.partials)
        assert row.domain or discrete, row.name


@pytest.mark.parametrize("name", SMOOTH)
def test_float32_stays_float32(name: str) -> None:
    row = TABLE[name]
    params = tuple(Var(p.name, F32 if p.type == F64 else p.type) for p in _args(row))
    static = (F32,) if name == "to_real" else ()
    for i, p in enumerate(params):
        b = Builder()
        result = b.prim(name, *params, static=static)
        cell = partial(b, row, i, params, result)
        if p.type == F32 and not isinstance(cell, Mark):
            assert cell.type == (BOOL if row.product == "gate" else F32)
            cell = scale(b, row, cell, Lit(1.0, F32), F32)
            (got,), _ = evaluate(_program(params, b, cell), list(_points(row)[0]))
            assert isinstance(got, np.float32)


def _value(name: str, *args: float) -> float:
    """A row at literals."""
    b = Builder()
    t = lambda x: BOOL if isinstance(x, bool) else F64 if isinstance(x, float) else I64
    r = b.prim(name, *[lit(x, t(x)) for x in args])
    (value,), _ = evaluate(_program((), b, r), [])
    assert isinstance(value, float | int)
    return value


def _slope(name: str, args: Sequence[float], i: int, ct: float = 1.0) -> float:
    """Return the contribution of a cotangent to argument ``i``."""
    b, row = Builder(), TABLE[name]
    atoms = tuple(lit(x, BOOL if isinstance(x, bool) else F64) for x in args)
    cell = partial(b, row, i, atoms, b.prim(name, *atoms))
    if isinstance(cell, Mark):
        return 0.0
    (value,), _ = evaluate(_program((), b, scale(b, row, cell, f64(ct), F64)), [])
    assert isinstance(value, float)
    return value


def test_kinks() -> None:
    assert _slope("abs", [0.0], 0) == 0.0
    for name in ("max", "min", "maximum", "minimum"):
        assert [_slope(name, [1.0, 1.0], i) for i in (0, 1)] == [1.0, 0.0]
    assert [_slope("max", [1.0, 2.0], i) for i in (0, 1)] == [0.0, 1.0]
    assert [_slope("min", [1.0, 2.0], i) for i in (0, 1)] == [1.0, 0.0]
    assert _slope("sqrt", [0.0], 0) == 0.0  # as of a norm
    assert _slope("sqrt", [0.0], 0, ct=0.0) == 0.0
    assert _slope("log", [0.0], 0, ct=0.0) == 0.0
    assert [_slope("hypot", [0.0, 0.0], i) for i in (0, 1)] == [0.0, 0.0]
    assert _slope("pow", [0.0, 0.0], 0) == 0.0
    assert _slope("pow", [0.0, 2.0], 0) == 0.0
    assert _slope("pow", [0.0, 2.0], 1) == 0.0
    assert _slope("pow", [-3.0, 2.0], 0) == -6.0
    assert [_slope("pow", [0.0, 0.5], i) for i in (0, 1)] == [0.0, 0.0]
    assert _slope("pow", [0.0, -1.0], 0) == -math.inf
    assert _slope("cbrt", [0.0], 0) == 0.0


def test_gates_do_not_leak() -> None:
    assert _slope("select", [True, 1.0, 2.0], 2, ct=math.inf) == 0.0
    assert _slope("select", [True, 1.0, 2.0], 1, ct=math.inf) == math.inf
    assert _slope("max", [1.0, 2.0], 0, ct=math.nan) == 0.0


def test_ieee_and_nan() -> None:
    assert _value("div", 1.0, 0.0) == math.inf
    assert math.isnan(_value("div", 0.0, 0.0))
    assert _value("log", 0.0) == -math.inf
    assert math.isnan(_value("sqrt", -1.0))
    assert _value("exp", 1e4) == math.inf
    assert _value("mulz", math.inf, 0.0) == 0.0
    for name, sign in (("fmaz", 1.0), ("fnmaz", -1.0)):
        assert _value(name, math.inf, -0.0, 3.0) == 3.0
        assert _value(name, math.nan, 0.0, 3.0) == 3.0
        assert _value(name, math.inf, 2.0, 3.0) == sign * math.inf
        assert _value(name, 0.5, 2.0, 3.0) == 3.0 + sign
    assert _value("max", 1.0, math.nan) == 1.0
    assert math.isnan(_value("max", math.nan, 1.0))
    assert math.isnan(_value("maximum", 1.0, math.nan))
    assert math.isnan(_value("minimum", math.nan, 1.0))
    assert math.isnan(_value("sign", math.nan))


@pytest.mark.parametrize("a", [7, -7, 0])
@pytest.mark.parametrize("b", [3, -3])
def test_python_division(a: int, b: int) -> None:
    assert _value("floordiv", a, b) == a // b
    assert _value("mod", a, b) == a % b
    assert _value("floordiv", float(a), float(b)) == float(a) // float(b)
    assert _value("mod", float(a), float(b)) == float(a) % float(b)


def test_integers_wrap_or_raise() -> None:
    top = 2**63 - 1
    assert _value("add", top, 1) == -(2**63)
    assert _value("neg", -(2**63)) == -(2**63)
    with pytest.raises(OverflowError):
        _value("add.ck", top, 1)
    assert _value("add.ovf", top, 1) is True
    assert _value("ipow.ck", -2, 63) == -(2**63)
    with pytest.raises(OverflowError):
        _value("ipow.ck", 2, 10**18)
    assert _value("ipow.ck", -1, 10**18 + 1) == -1
    assert (_value("shl", 1, 64), _value("shr", -1, 70), _value("shl", 3, 2)) == (0, -1, 12)


def test_a_missing_cell_names_row_and_column() -> None:
    with pytest.raises(ValueError, match=r"'sin', column 'partials'"):
        Table().add(replace(TABLE["sin"], partials=()))
    with pytest.raises(ValueError, match=r"'sin', column 'llvm'"):
        Table().add(replace(TABLE["sin"], llvm={}))
    with pytest.raises(ValueError, match=r"'sin', column 'domain'"):
        Table().add(replace(TABLE["sin"], domain=()))
    table = Table()
    table.add(TABLE["sin"])
    with pytest.raises(ValueError, match="two rows"):
        table.add(TABLE["sin"])


@pytest.mark.parametrize(
    ("name", "types", "static"),
    [
        ("add", (F64, F32), ()),
        ("add", (BOOL, BOOL), ()),
        ("add", (F64,), ()),
        ("sin", (I64,), ()),
        ("not", (I64,), ()),
        ("select", (F64, F64, F64), ()),
        ("to_real", (F64,), (I64,)),
        ("add.ck", (F64, F64), ()),
        ("dim", (Array(F64, 1),), (1,)),
        ("pick", (Array(F64, 1), I64), (0,)),
        ("transpose", (Array(F64, 2),), (0, 0)),
        ("reshape", (Handle(1), I64, I64), ()),
        ("stack", (Array(F64, 1),), ()),
        ("broadcast", (Array(F64, 2), I64), ()),
        ("slice", (Array(F64, 1), I64, I64, F64), (0,)),
        ("require", (F64,), ("ValueError", "")),
    ],
)
def test_type_rules_refuse(name: str, types: tuple[Type, ...], static: tuple[int | Type]) -> None:
    with pytest.raises(TypeError):
        TABLE[name].rule(types, static)


def test_views_alias_and_rearrangements_copy() -> None:
    a = np.arange(6.0).reshape(2, 3)
    view = TABLE["slice"].numpy(a, 2, 3, -1, 1)
    assert np.array_equal(view, a[:, ::-1]) and np.shares_memory(view, a)
    row = TABLE["pick"].numpy(a, 1, 0)
    assert np.shares_memory(row, a)
    wide = TABLE["broadcast"].numpy(TABLE["expand"].numpy(row, 0), 4, 3)
    assert np.shape(wide) == (4, 3) and np.shares_memory(wide, a)
    assert not np.shares_memory(TABLE["copy"].numpy(a), a)


def test_the_row_of_the_page_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """``docs/adding/primitive.md`` shows a row as it would stand in ``core/prims_real.py``."""
    page = Path(__file__).parents[2] / "docs/adding/primitive.md"
    text = page.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    table = Table()
    with monkeypatch.context() as here:
        here.setattr(prims_real, "REAL", table)
        exec(text, vars(prims_real))
    monkeypatch.setitem(TABLE, "exp10", table.rows["exp10"])
    assert wrong_partials(TABLE["exp10"]) == []
