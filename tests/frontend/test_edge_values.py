"""Every function of numbers that the front end accepts, at edge values: against NumPy and ``math``
by value, sign of zero, dtype, rank and error, bit for bit (functions that round within a few ulp).

The functions are those of the registry, so that a new one is compared from the first day. By
default each takes one type of numbers, by its name; PULLBACK_EDGES=all takes all of them."""

from __future__ import annotations

import itertools
import math
import operator
import random
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.frontend import specialise  # noqa: F401  # it fills the registry
from pullback.frontend.kinds.values import CALLS
from tests import campaign

ALL = campaign.full("edges")
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -3.5, math.inf, -math.inf, math.nan, 5e-324,
          -5e-324, 2.3e-308, 1.7976931348623157e308, -1.7976931348623157e308, 3e9, -3e9, 2.0**31,
          2.0**63, -(2.0**63), 9.3e18, 0.1, 709.9, -745.2, 20.0]  # fmt: skip
INTS = [0, 1, -1, 2, -2, 3, 7, -7, 31, 63, 64, 2**31 - 1, -(2**31), 2**31, 2**62, 2**63 - 1,
        -(2**63), -(2**63) + 1]  # fmt: skip
FEW = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, math.inf, -math.inf, math.nan, 5e-324, 1e300]
SOME = [0, 1, -1, 2, -3, 63, 64, 2**31, 2**62, 2**63 - 1, -(2**63)]
SMALL = [n for n in SOME if -(2**31) <= n < 2**31]

# Rounded operations: how many ulp the two may differ by. lgamma near its zeros is CPython's.
ULP = 4
EXACT = {
    "absolute", "fabs", "negative", "positive", "sign", "square", "sqrt", "reciprocal", "floor",
    "ceil", "trunc", "rint", "isnan", "isinf", "isfinite", "logical_not", "invert", "add",
    "subtract", "multiply", "divide", "true_divide", "floor_divide", "remainder", "fmod",
    "maximum", "minimum",
    "fmax", "fmin", "copysign", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift",
    "right_shift", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
    "logical_and", "logical_or", "logical_xor", "heaviside", "conjugate", "modf", "frexp", "isqrt",
    "factorial", "comb", "perm", "gcd", "lcm",
}  # fmt: skip
LOOSE = {"lgamma": 64}


def same(got: object, want: object, ulp: int) -> bool:
    """Whether two results have one type, shape and value; a NaN equals a NaN."""
    if isinstance(want, tuple | list):
        if type(got) is not type(want) or len(got) != len(want):
            return False
        return all(same(g, w, ulp) for g, w in zip(got, want))
    if isinstance(want, np.ndarray) and want.ndim == 0 and not isinstance(got, np.ndarray):
        want = want[()]  # some arrays without axes are numbers (docs/LANGUAGE.md)
    if type(got) is not type(want):
        return False
    a, b = np.asarray(got), np.asarray(want)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    sign = np.signbit(a) == np.signbit(b)
    near = np.isfinite(b) & (np.abs(a - b) <= ulp * np.spacing(np.abs(b)))
    return bool(np.all((np.isnan(a) & np.isnan(b)) | (sign & ((a == b) | near))))


def outcome(f: Callable[..., object], args: Sequence[object]) -> object:
    """The value; what was raised; None: refused (also at run time)."""
    try:
        return f(*args)
    except (pb.PullbackError, NotImplementedError):
        return None
    except Exception as e:
        return e


def fits(got: object, want: object, ulp: int) -> bool:
    """Whether compiled code gives what Python gives, or refuses."""
    if got is None or isinstance(want, complex):
        return True
    if isinstance(want, Exception):
        return isinstance(got, type(want)) or (
            isinstance(got, Exception) and isinstance(want, type(got))
        )
    parts = want if isinstance(want, tuple) else (want,)
    if any(isinstance(v, int) and not -(2**63) <= v < 2**63 for v in parts):
        return isinstance(got, OverflowError)
    return same(got, want, ulp)


def differences(
    f: Callable[..., object], calls: Sequence[Sequence[object]], ulp: int
) -> list[object]:
    """The calls, with both outcomes, in which compiled code differs."""
    compiled = pb.jit(f)
    found: list[object] = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for args in calls:
            want, got = outcome(f, args), outcome(compiled, args)
            if not fits(got, want, ulp):
                found.append((args, got, want))
    return found


def chosen(name: str, kinds: Sequence[Any]) -> Sequence[Any]:
    """All kinds, or one of them, another one for another name and in another shard."""
    return campaign.rotated("edges", name, kinds)


def ulp_of(name: str) -> int:
    return 0 if name in EXACT else LOOSE.get(name, ULP)


# --- ufuncs ---------------------------------------------------------------------------------------

DTYPES = (np.float64, np.float32, np.int64, np.int32, np.bool_)
UFUNCS = {
    f.__name__: f
    for f in CALLS
    if isinstance(f, np.ufunc) and f.signature is None and getattr(np, f.__name__, None) is f
}


def array(t: type, few: bool) -> np.ndarray:
    if t is np.bool_:
        return np.array([True, False])
    if issubclass(t, np.floating):
        return np.array(FEW if few else FLOATS).astype(t)
    whole = SOME if few else INTS
    return np.array([n for n in whole if np.iinfo(t).min <= n <= np.iinfo(t).max], t)


@pytest.mark.parametrize("name", sorted(n for n, f in UFUNCS.items() if f.nin == 1))
def test_ufunc_of_one(name):
    f = UFUNCS[name]
    with np.errstate(all="ignore"):
        for t in chosen(name, DTYPES):
            for x in (array(t, False), array(t, False)[:0]):
                assert not differences(lambda x: f(x), [(x,)], ulp_of(name)), t
            numbers = [(x,) for x in array(t, False)]
            assert not differences(lambda x: f(x), numbers, ulp_of(name)), t
        assert not differences(lambda x: f(x), [(x,) for x in FLOATS], ulp_of(name))


# np.fmax and np.fmin of 0.0 and -0.0 give the one or the other by the size of the array.
UNSTEADY = {"fmax", "fmin"}


@pytest.mark.parametrize("name", sorted(n for n, f in UFUNCS.items() if f.nin == 2))
def test_ufunc_of_two(name):
    f = UFUNCS[name]
    pairs = [(t, t) for t in DTYPES] + [(np.float64, np.int64), (np.int32, np.int64),
                                        (np.float32, np.int32), (np.bool_, np.int64)]  # fmt: skip
    with np.errstate(all="ignore"):
        for t, u in chosen(name, pairs):
            both = [p for p in itertools.product(array(t, True), array(u, True))
                    if not (name == "power" and isinstance(p[1], np.integer) and p[1] < 0)
                    and not (name in UNSTEADY and p[0] == p[1] == 0)]  # fmt: skip
            x, y = np.array([p[0] for p in both], t), np.array([p[1] for p in both], u)
            assert not differences(lambda x, y: f(x, y), [(x, y)], ulp_of(name)), (t, u)
            assert not differences(lambda x, y: f(x, y), both[::3], ulp_of(name)), (t, u)
        if name not in UNSTEADY:
            weak = [(array(np.float64, True), y) for y in FEW]
            assert not differences(lambda x, y: f(x, y), weak, ulp_of(name))


# --- math and operators ---------------------------------------------------------------------------

MATH = {f.__name__: f for f in CALLS if getattr(math, getattr(f, "__name__", ""), None) is f}
ONE = {"acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "degrees",
       "erf", "erfc", "exp", "exp2", "expm1", "fabs", "floor", "gamma", "isfinite", "isinf",
       "isnan", "lgamma", "log", "log10", "log1p", "log2", "radians", "sin", "sinh", "sqrt", "tan",
       "tanh", "trunc", "modf", "frexp"}  # fmt: skip
TWO = {"atan2", "copysign", "fmod", "hypot", "isclose", "log", "pow", "remainder"}
WHOLE = {"comb", "gcd", "lcm", "perm", "factorial", "isqrt"}
SEQUENCES = {"dist", "fsum", "prod", "sumprod"}


def test_every_function_of_math_is_compared():
    assert set(MATH) <= ONE | TWO | WHOLE | SEQUENCES | {"ldexp"}  # test_library_programs.py


NUMBERS: list[tuple[Callable[[Any], object], list[Any]]] = [
    (float, FLOATS), (np.float64, FLOATS), (np.float32, FLOATS), (int, INTS), (np.int64, INTS),
    (bool, [0, 1]),
]  # fmt: skip


@pytest.mark.parametrize("name", sorted(ONE & set(MATH)))
def test_math_of_one(name):
    f = MATH[name]
    with np.errstate(all="ignore"):
        for make, values in chosen(name, NUMBERS):
            calls = [(make(x),) for x in values]
            assert not differences(lambda x: f(x), calls, ulp_of(name)), make
        if not ALL:
            assert not differences(lambda x: f(x), [(x,) for x in FLOATS], ulp_of(name))


@pytest.mark.parametrize("name", sorted(TWO & set(MATH)))
def test_math_of_two(name):
    f = MATH[name]
    assert not differences(lambda x, y: f(x, y), list(itertools.product(FEW, FEW)), ulp_of(name))


@pytest.mark.parametrize("name", sorted(WHOLE & set(MATH)))
def test_math_of_ints(name):
    f = MATH[name]
    for make in (int, np.int64, np.int32) if ALL or name in ("comb", "gcd") else (np.int64,):
        values = [make(n) for n in (SMALL if make is np.int32 else SOME)]
        if name == "factorial":
            assert not differences(lambda n: f(n), [(make(n),) for n in (*range(-1, 23),)], 0)
        elif name == "isqrt":
            assert not differences(lambda n: f(n), [(n,) for n in values], 0)
        else:
            most = 64 if name in ("comb", "perm") else 2**64
            calls = [(a, b) for a in values for b in values if b <= most]
            assert not differences(lambda a, b: f(a, b), calls, 0)


OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "<<": operator.lshift,
    ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<": operator.lt, "==": operator.eq, "divmod": divmod,
}  # fmt: skip
OPERANDS: list[tuple[Callable[[Any], object], list[Any]]] = [
    (float, FEW), (np.float64, FEW), (np.float32, FEW), (int, SOME), (np.int64, SOME),
    (np.int32, SMALL), (bool, [0, 1]), (np.bool_, [0, 1]),
]  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    f = OPERATORS[name]
    kinds = [(k, k) for k in OPERANDS] + [(OPERANDS[3], OPERANDS[0]), (OPERANDS[4], OPERANDS[3]),
                                          (OPERANDS[5], OPERANDS[4])]  # fmt: skip
    with np.errstate(all="ignore"):
        for k in sorted({*chosen(name, range(len(kinds))), 0, 3, 4}):
            (make, xs), (other, ys) = kinds[k]
            calls = [(make(x), other(y)) for x in xs for y in ys]
            if name in ("**", "<<") and make is other is int:
                calls = [c for c in calls if abs(int(c[1])) < 100]
            if name == "/" and make is other is int:  # others are refused when they are divided
                calls = [c for c in calls if all(int(float(v)) == v for v in c)]
            assert not differences(lambda x, y: f(x, y), calls, 0 if name != "**" else ULP)


@pytest.mark.parametrize("f", [abs, operator.neg, operator.pos, operator.invert, operator.not_,
                               int, float, bool, round, np.int64, np.int32, np.float32,
                               np.float64, np.bool_])  # fmt: skip
def test_conversions(f):
    """NaN, infinities and what is out of range, of each kind of number."""
    with np.errstate(all="ignore"):
        for make, values in NUMBERS[:5]:
            assert not differences(lambda x: f(x), [(make(x),) for x in values], 0), make


def elements():
    return [
        lambda x: x.astype(np.int64), lambda x: x.astype(np.int32), lambda x: x.astype(np.float32),
        lambda x: np.int64(x), lambda x: np.asarray(x, dtype=np.int32),
        lambda x: np.array(x, dtype=bool), lambda x: np.full(2, x[3], dtype=np.int64),
    ]  # fmt: skip


@pytest.mark.parametrize("f", elements())
def test_conversions_of_elements(f):
    arrays = [array(t, False) for t in DTYPES[:4]]
    assert not differences(f, [(a,) for a in arrays], 0)


def stored():
    def one(x, dtype):
        a = np.zeros(2, dtype)
        a[0] = x
        return a

    return [
        lambda x: one(x, np.int64), lambda x: one(x, np.int32), lambda x: one(x, np.float32),
        lambda x: np.array([x, x], dtype=int), lambda x: np.asarray([x], dtype=np.int32),
        lambda x: np.full(2, x, dtype=np.int32), lambda x: np.asarray(x, dtype=np.int64),
    ]  # fmt: skip


@pytest.mark.parametrize("f", stored())
def test_what_arrays_of_ints_take(f):
    values = [2.7, -0.0, math.nan, math.inf, 3e9, 1e30]
    for make in (float, np.float64):
        assert not differences(f, [(make(x),) for x in values], 0), make
    for make in (int, np.int64):
        assert not differences(f, [(make(n),) for n in (5, -1, 2**40)], 0), make


BEYOND = [0, 1, -3, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**63 - 513, 10**17 + 1]
NEAR = [0.0, 1.0, 2.0**53, -(2.0**53), 2.0**63, -(2.0**63), 1e17, 2.0**63 - 1024, 1e300,
        math.inf, -math.inf, math.nan]  # fmt: skip


def compared_exactly():
    return [
        lambda n, x: (n < x, n <= x, n == x, n != x, n > x, n >= x),
        lambda n, x: (x < n, x <= n, x == n, x != n, x > n, x >= n),
        lambda n, x: (n == 9007199254740992.0, n < 2.0**63, n >= 0.5),
        lambda n, x: sum(1 for k in range(9) if (n ^ k) <= x),
        lambda n, x: x in [float(n), x] and 0.0 <= n < x,
    ]


@pytest.mark.parametrize("f", compared_exactly())
def test_large_ints_are_compared_exactly(f):
    assert not differences(f, list(itertools.product(BEYOND, NEAR)), 0)


def test_quotients_of_large_ints_are_exact_or_refused():
    for f in (lambda n, m: n / m, lambda n, m: n / 7, lambda n, m: n / 2**62,
              lambda n, m: (2**53 + 1) / m, lambda n, m: n / 2**53):  # fmt: skip
        jitted = pb.jit(f)
        for n, m in itertools.product(BEYOND, BEYOND[1:]):
            try:
                found = jitted(n, m)
            except OverflowError:
                continue
            assert found == f(n, m), (n, m)
    assert pb.jit(lambda n: n / 2**53)(2**63 - 1) == (2**63 - 1) / 2**53
    assert pb.jit(lambda n, m: n / m)(2**53, -(2**53)) == -1.0
    assert pb.jit(lambda n, m: n / m)(10**17, -(2**63)) == 10**17 / -(2**63)


def ranges():
    return [
        lambda a, b: range(a, b), lambda a, b: range(1, b), lambda a, b: range(-5, b),
        lambda a, b: range(a, b, 2), lambda a, b: range(a, b, -3), lambda a, b: range(0, b, 7),
        lambda a, b: range(2**63 - 6, 1 - 2**63), lambda a, b: range(1 - 2**63, 2**63 - 6),
        lambda a, b: range(a, b, 2**63 - 1),
    ]  # fmt: skip


@pytest.mark.parametrize("made", ranges())
def test_ranges_between_far_ends_are_right_or_refused(made):
    def first(a, b):
        n, seen = 0, 0
        for i in made(a, b):
            n, seen = n + 1, seen ^ i
            if n > 3:
                break
        return n, seen

    jitted = pb.jit(first)
    for a, b in itertools.product([0, 5, -7, 2**62, 2**63 - 6, -(2**63), 1 - 2**63], repeat=2):
        try:
            found = jitted(a, b)
        except OverflowError:
            continue
        assert found == first(a, b), (a, b)


def summed():
    def of_rows(s, xs):
        for x in xs:
            s += x
        return s

    return [
        lambda xs: of_rows(-0.0, xs), lambda xs: sum(xs, -0.0), lambda xs: of_rows(0.0, xs),
        lambda xs: sum((x for x in xs if x > 1.0), -0.0), lambda xs: -of_rows(-0.0, xs),
        lambda xs: pb.value_and_grad(lambda ys: of_rows(-0.0, ys))(xs)[0],
    ]


@pytest.mark.parametrize("f", summed())
def test_sums_that_start_from_negative_zero(f):
    zeros = [[-0.0], [0.0], [-0.0] * 9, [-0.0, 0.0], [2.0, -0.0]]
    assert not differences(f, [(xs,) for xs in zeros], 0)


def added_rows():
    return [
        lambda x: sum(x), lambda x: sum([r * 2 for r in x]), lambda x: sum(x, 1),
        lambda x: sum(x, 0.5), lambda x: sum(x, x[0]), lambda x: sum(x[0]),
        lambda x: sum(x[0], np.float64(0.1)), lambda x: sum(x, np.float64(0.1)),
    ]  # fmt: skip


@pytest.mark.parametrize("f", added_rows())
def test_rows_are_added_in_their_type(f):
    x = np.array([[2**30, 5, -1], [2**30 + 1, 7, 2**31 - 1]])
    kinds = (np.int32, np.int64, np.float64, np.float32)
    assert not differences(f, [(x.astype(t),) for t in kinds], 1)


def test_powers_modulo():
    """Of ints of any size; what is negative, not invertible or modulo 0 is as Python says."""
    r, native = random.Random(7), pb.jit(lambda a, e, m: pow(a, e, m))

    def told(f, *args):
        try:
            return repr(f(*args))
        except ValueError as e:
            return repr(e)

    cases = [(5, -1, 1), (3, 2, -5), (2, -1, 4), (2, 3, 0), (2, 2**62, 2**63 - 1), (True, 2, 3)]
    for bits in [5, 20, 40, 62] * 10:
        a, m = (r.randrange(-(2**bits), 2**bits) for _ in range(2))
        cases.append((a, r.randrange(-20, 2 ** r.choice([3, 10, 62])), m))
    for case in cases:
        assert told(native, *case) == told(pow, *case), case
