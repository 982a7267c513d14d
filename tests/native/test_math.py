"""The mathematical functions: in lanes against long doubles, scalars against libm and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.special

from pullback.lower.loopcode import LANES, Reg, Ty
from pullback.native import ArrayOf, EntrySignature, NpScalar, PyFloat, compile_module
from pullback.native.vectormath import INLINE
from tests.native.code import Code, F, I, P, function, i64, module


def in_lanes(name: str, ty: Ty = F, arity: int = 1):
    """name over an array whose length is a multiple of 8."""

    def body(c: Code, p: Reg, n: Reg, s: Reg, *more: Reg) -> tuple[Reg, ...]:
        out = c.alloc(n, ty)

        def step(b: Code, i: Reg, _: tuple[Reg, ...]) -> tuple[Reg, ...]:
            xs = [b.load(q, i, ty, LANES) for q in (p, *more[::3])]
            b.store(out, i, b.op(name, *xs))
            return ()

        c.loop(i64(0), n, (), step, LANES)
        return out, n, i64(1)

    array = ArrayOf(ty, 1)
    f = function("main", (P, I, I) * arity, body)
    return compile_module(module(f), EntrySignature((array,) * arity, array)).call


def points(name: str) -> np.ndarray:
    rng = np.random.default_rng(3)
    n = 20_000
    wide = np.ldexp(rng.uniform(1, 2, n), rng.integers(-1074, 1024, n))
    parts = [rng.uniform(-4, 4, n), wide, -wide, rng.uniform(-750, 750, n), rng.normal(size=n)]
    parts += [1 + np.ldexp(rng.uniform(-1, 1, n), rng.integers(-52, 0, n))]
    parts += [np.ldexp(rng.uniform(-1, 1, n), rng.integers(-60, 3, n))]
    parts += [rng.integers(-70_000, 70_000, n) * (math.pi / 2)]
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1.0, -1.0, 1e22,
               709.782712893384, 709.782712893385, -745.1332191019411, -745.1332191019412,
               2.0**-1022, 1e5, -1e5, 100000.00001, 1.7976931348623157e308, 2.0**0.5,
               0.5**0.5]  # fmt: skip
    special += [0.0] * (-len(special) % 8)
    return np.concatenate([*parts, special])


TWO = ("atan2", "fmod", "hypot", "pow")
"""The functions of two arguments."""


def pairs(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Every point with another one, with one of its own size, and with the ends of the range; for
    powers also such that they are of all sizes."""
    x = points(name)
    rng = np.random.default_rng(6)
    near = x * rng.uniform(-1, 1, x.size)
    ends = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 2.0**-1022, 1e308, 1.0, -1.0, 2.0,
            -2.0, 3.0, -3.0, 0.5, -2.5, 2.0**53, 2.0**53 + 2]  # fmt: skip
    all_ends = np.array(np.meshgrid(ends, ends)).reshape(2, -1)
    found = [(x, np.random.default_rng(7).permutation(x)), (x, near),
             (x, np.resize(ends, x.size)), tuple(all_ends)]  # fmt: skip
    if name == "pow":
        for base in (np.abs(x[:40_000]), rng.uniform(0.5, 2, 40_000), rng.uniform(0, 99, 40_000)):
            with np.errstate(all="ignore"):
                size = rng.uniform(-745, 709.7, base.size) / np.log(base)
            found += [(base, size), (base, rng.uniform(-3, 3, base.size)), (-base, np.rint(size))]
    both = np.concatenate(found, axis=1)
    return both[0], both[1]


def errors(name: str, *x: np.ndarray) -> np.ndarray:
    """By how many ulp the results in lanes differ from the true ones; infinities, NaN and the signs
    of zeros agree."""
    x = tuple(np.append(one, [1.0] * (-len(one) % 8)) for one in x)
    with np.errstate(all="ignore"):
        got = in_lanes(name, arity=len(x))(*x)
        exact = getattr(np, name)(*(one.astype(np.longdouble) for one in x))
        want = exact.astype(np.float64)
        finite = np.isfinite(want)
        ulp = np.spacing(np.abs(want[finite])).astype(np.longdouble)
        error = np.abs(got[finite].astype(np.longdouble) - exact[finite]) / ulp
    np.testing.assert_array_equal(got[~finite], want[~finite])
    zero = want == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]))
    return error


@pytest.mark.parametrize("name", sorted(INLINE))
def test_lanes_are_within_two_ulp(name: str) -> None:
    error = errors(name, *(pairs(name) if name in TWO else (points(name),)))
    bound = {"pow": 0.8, "cbrt": 0.51, "fmod": 0.0}.get(name, 1.9)
    # without long doubles the reference itself is off by half an ulp and more
    assert error.max() <= bound + (0.0 if np.finfo(np.longdouble).eps < 1e-17 else 1.0)


@pytest.mark.parametrize("name", ["asin", "acos", "atanh", "acosh", "tan", "atan", "sinh"])
def test_lanes_on_the_domain(name: str) -> None:
    """Where most of the other points are outside, or the polynomial meets the other formula."""
    x = np.random.default_rng(8).uniform(-1, 1, 100_000)
    x = 1 + np.abs(x) * 3 if name == "acosh" else x * {"tan": 99_999.0, "atan": 3.0}.get(name, 1.0)
    assert errors(name, x).max() < 1.9


def test_results_that_are_exact() -> None:
    n = np.arange(-1074, 1023)
    two = np.ldexp(1.0, n[1:])  # a multiple of 8
    np.testing.assert_array_equal(in_lanes("log2")(two), n[1:])
    np.testing.assert_array_equal(in_lanes("exp2")(n[1:].astype(float)), two)
    ten = np.array([float(f"1e{k}") for k in range(304)])
    np.testing.assert_array_equal(in_lanes("log10")(ten), np.arange(304))
    base, by = np.array(np.meshgrid(np.arange(1.0, 33), np.arange(0.0, 11))).reshape(2, -1)
    np.testing.assert_array_equal(in_lanes("pow", arity=2)(base, by), base**by)
    cubes = np.arange(-2000.0, 2000) ** 3
    np.testing.assert_array_equal(in_lanes("cbrt")(cubes), np.arange(-2000, 2000))


@pytest.mark.parametrize("name", ["mod", "floordiv"])
def test_remainders_in_lanes(name: str) -> None:
    """They are those of scalars, to the bit, for quotients of all sizes."""
    x, y = (np.append(one, [1.0] * (-len(one) % 8)) for one in pairs("mod"))
    reference = np.mod if name == "mod" else np.floor_divide
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(in_lanes(name, arity=2)(x, y), reference(x, y))


@pytest.mark.parametrize(
    "name", ["sqrt", "erf", "lgamma", "digamma", "floor", "sign"]
)
def test_other_functions_in_lanes(name: str) -> None:
    x = np.abs(points(name)) if name in ("sqrt", "lgamma", "digamma") else points(name)
    if name == "lgamma":  # SciPy's gammaln overflows early at both ends
        x = np.clip(x, 1e-300, 1e300)
    reference = {"erf": scipy.special.erf, "lgamma": scipy.special.gammaln,
                 "digamma": scipy.special.digamma}.get(name) or getattr(np, name)  # fmt: skip
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(in_lanes(name)(x), reference(x), rtol=3e-14, atol=3e-15)


@pytest.mark.parametrize("name", ["mod", "floordiv", "max", "maximum"])
def test_binary_functions_in_lanes(name: str) -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 800)) * 3
    y[:4] = 0.0
    wanted = {"mod": np.mod, "floordiv": np.floor_divide}.get(name, np.maximum)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(in_lanes(name, arity=2)(x, y), wanted(x, y), rtol=1e-15)


@pytest.mark.parametrize("name", sorted(INLINE.difference(TWO)) + ["digamma"])
def test_single_precision(name: str) -> None:
    x = np.random.default_rng(5).uniform(0.1, 4, 800).astype(np.float32)
    reference = scipy.special.digamma if name == "digamma" else getattr(np, name)
    with np.errstate(invalid="ignore"):
        want = reference(x.astype(np.float64))
    tolerance = 1e-6 if name == "digamma" else 1.2e-7  # digamma has a root
    got = in_lanes(name, Ty.F32)(x)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, want, rtol=tolerance)
    one = function("main", (Ty.F32,), lambda c, v: (c.op(name, v),))
    leaf = NpScalar(Ty.F32)
    call = compile_module(module(one), EntrySignature((leaf,), leaf)).call
    if name == "log10":
        tolerance = 2.4e-7  # the error of libm's log10f
    np.testing.assert_allclose([call(v) for v in x[:50]], want[:50], rtol=tolerance)


@pytest.mark.parametrize("name", [*TWO, "mod", "floordiv"])
def test_single_precision_of_two(name: str) -> None:
    x, y = np.random.default_rng(5).uniform(0.1, 4, (2, 800)).astype(np.float32)
    reference = {"mod": np.mod, "floordiv": np.floor_divide}.get(name) or getattr(np, name)
    exact = name in ("fmod", "mod", "floordiv")  # of floats of 32 bits
    want = reference(x, y) if exact else reference(x.astype(np.float64), y.astype(np.float64))
    got = in_lanes(name, Ty.F32, 2)(x, y)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, want, rtol=0 if exact else 1.2e-7)


def test_digamma() -> None:
    one = function("main", (F,), lambda c, v: (c.op("digamma", v),))
    call = compile_module(module(one), EntrySignature((PyFloat(),), PyFloat())).call
    x = np.concatenate([np.linspace(-10.03, 50, 997), [1e-300, 1e10, 1e300, math.inf, math.nan]])
    got = np.array([call(float(v)) for v in x])
    np.testing.assert_allclose(got, scipy.special.digamma(x), rtol=5e-14, atol=5e-15)
    assert call(0.0) == -math.inf and call(-0.0) == math.inf and math.isnan(call(-3.0))
