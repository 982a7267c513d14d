"""Values have Python's bits: functions, ``value_and_grad``, ``vjp``, both methods, in lanes."""

from __future__ import annotations

import ctypes
import math
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver, stage_programs
from pullback.pipeline import PIPELINE, SHARED, run_stages
from tests.campaign import seeds
from tests.exact import Writer, bits, functions_of, outcome, points, some_number

METHODS = ("chad", "dual")


def ways(f: Callable[..., Any], argnums: tuple[int, ...]) -> dict[str, Callable[..., Any]]:
    """The calls that give the value of a function, by themselves and beside derivatives."""

    def inside(*args):
        return pb.vjp(f, *args)[0]

    return {
        "jit": pb.jit(f),
        "inside a vjp": pb.jit(inside),
        **{f"{method} gradient": (lambda *args, m=method: pb.value_and_grad(
            f, argnums=argnums, method=m)(*args)[0]) for method in METHODS},
        **{f"{method} vjp": (lambda *args, m=method: pb.vjp(f, *args, method=m)[0])
           for method in METHODS},
    }  # fmt: skip


def agree(f: Callable[..., Any], arguments: list[tuple[float, ...]], *chosen: str) -> None:
    """All ways (or the chosen ones) give what Python gives, to the bit or as an error."""
    for name, way in ways(f, tuple(range(len(arguments[0])))).items():
        if not chosen or name in chosen:
            for args in arguments:
                assert outcome(way, *args) == outcome(f, *args), (name, args)


@pytest.mark.parametrize("seed", seeds("random", 1, 1, 60))
def test_random_programs(seed: int) -> None:
    text = Writer(seed).text()
    f = functions_of(text, f"exact {seed}")["f"]
    rng = random.Random(seed)
    agree(f, points(rng, 20), "jit", "chad gradient", "dual gradient", "chad vjp")
    for method in METHODS:  # derivatives are those of the same program, rounded as it says
        for args in points(rng, 5):
            native, exact = (
                driver.gradient(f, args, (0, 1, 2), tier, method) for tier in ("native", "eval")
            )
            assert bits(native) == bits(exact), (text, args)


@pytest.mark.parametrize("seed", range(200, 202))
def test_bits_do_not_depend_on_the_passes_after_ad(seed: int) -> None:
    f = functions_of(Writer(seed).text(), f"exact {seed}")["f"]
    arguments = points(random.Random(seed), 10)
    for method in METHODS:

        def without(unit: driver.Unit, method: str = method) -> driver.Unit:
            """The operator with no pass at all after the derivative is written."""
            given: dict[str, Any] = {
                "invariant loads": unit.prepared, "ad": unit.derived,
                "entry": lambda p: unit.entry(p, False),
            }  # fmt: skip
            out = driver.Unit(unit.plan, unit.special, unit.source)
            few = [stage for stage in PIPELINE[SHARED:] if stage.run is None]
            out.programs[False] = run_stages(unit.source, few, given)
            return out

        request = driver.Request(driver.What.VALUE_AND_GRADIENT, (0, 1, 2), method=method)
        for args in arguments:
            plain = driver.using(
                f, args, request, lambda g, unit, args=args: without(unit).evaluate(args)[0]
            )
            assert bits(plain) == bits(driver.gradient(f, args, (0, 1, 2), "native", method))


@pytest.mark.parametrize("seed", [100 + k for k in seeds("random", 1, 0, 30)])
def test_random_programs_in_lanes(seed: int) -> None:
    space = functions_of(Writer(seed).text(), f"exact {seed}")
    rng = random.Random(seed)
    many, last = space["many"], space["last"]
    for n in (19, 3):
        arrays = tuple(list(column) for column in zip(*points(rng, n)))
        assert bits(pb.jit(many)(*arrays)) == bits(many(*arrays))
        for method in METHODS:
            value, _ = pb.value_and_grad(last, argnums=(0, 1, 2), method=method)(*arrays)
            assert bits(value) == bits(last(*arrays)), method


# --- what numerical programs rely on --------------------------------------------------------------


def difference(x, y):
    return x * x - y * y


def roots(a, b, c):
    d = b * b - 4 * a * c
    return (-b + math.sqrt(d)) / (2 * a)


def on_the_line(a, b, c):
    return a + b if a * b - c == 0 else a - b


def heron(a, b, c):
    s = (a + b + c) / 2.0
    area = s * (s - a) * (s - b) * (s - c)
    return math.sqrt(area) if area > 0.0 else 0.0


def turn(ax, ay, bx, by):
    cross = ax * by - ay * bx
    if cross > 0.0:
        return 1.0 + cross
    return -1.0 - cross if cross < 0.0 else 0.0


def kahan(x, y, z):
    total, lost = 0.0, 0.0
    for v in [x, y, z, x * y, y * z, 1e-17 * x, 1e17, z, -1e17]:
        term = v - lost
        new = total + term
        lost = (new - total) - term
        total = new
    return total - lost * x


def split(a, b):
    p = a * b
    t = 134217729.0 * a
    high = t - (t - a)
    u = 134217729.0 * b
    top = u - (u - b)
    return ((high * top - p) + high * (b - top) + (a - high) * top) + (a - high) * (b - top)


def rotated(x, y, z):
    for _ in range(5):
        x, y = x * z - y * y, x * y + y * z
    return x * x + y * y


def horner(x, y, z):
    p = 0.0
    for c in (x, y, z, 0.1, -0.7):
        p = p * x + c
    return p - ((((x * x + y) * x + z) * x + 0.1) * x - 0.7)


def newton(a, b):
    x = 1.0
    for _ in range(6):
        x = x - (x * x - abs(a)) / (2.0 * x + b * b)
    return x * x - abs(a)


def signs(x, y):
    return math.copysign(1.0, 0.0 - x) + math.copysign(2.0, -x) + math.copysign(4.0, x - (-y) * 0.0)


def reciprocal(x, y):
    return x / 3.0 + y / 7.0 - x / 3.0 / 7.0 + (x + y) - y - (x - (x - y)) + 2.0 * x * 0.1 * y


def on_the_way(a, b, c, d):
    return (
        difference(a, b), on_the_line(a, b, c), heron(a, b, c), turn(a, b, c, d), kahan(a, b, c),
        split(a, b), rotated(a, b, c), horner(a, b, c), newton(a, b), signs(a, b), reciprocal(a, b),
    )


def one_of_them(a, b, c, d):
    return turn(a, b, c, d) * on_the_line(a, b, c) + kahan(a, b, c) * difference(c, d)


def test_what_programs_rely_on() -> None:
    rng = random.Random(1)
    arguments = []
    for k in range(80):
        a, b, c, d = (some_number(rng) for _ in range(4))
        arguments += [(a, b, c, d), (a, a, a * a, a), (a, b, a * b, -b), (0.0, a, -0.0, b)]
        arguments.append((math.copysign(0.0, k % 2 - 0.5), a, b, b))
    agree(on_the_way, arguments, "jit", "inside a vjp", "chad vjp", "dual vjp")
    agree(one_of_them, arguments)


def chosen_zeros(x):
    a = -0.0 if x > 1.0 else 0.0
    b = x
    if x > 0.0:
        b = 0.0 if x > 1.5 else -0.0
    c, n = 0.0, 0
    while n < 3 and x > 0.5:
        c, n = -c, n + 1
    both = (0.0, -0.0)
    return (
        math.copysign(1.0, a), math.copysign(2.0, b), math.copysign(4.0, c),
        math.copysign(8.0, both[0 if x > 1.0 else 1]), [-0.0, 0.0][x > 1.0],
        math.atan2(0.0 if x > 1.0 else -0.0, -1.0), np.where(x > 1.0, 0.0, -0.0) * 1.0,
    )  # fmt: skip


def test_zeros_keep_the_sign_that_a_branch_chose() -> None:
    agree(chosen_zeros, [(x,) for x in (0.4, 0.7, 1.2, 1.6)], "jit", "inside a vjp", "chad vjp")


def one_term(xs):
    return sum(xs[k] * 2.0 for k in range(1))


def test_a_sum_begins_with_zero() -> None:
    for xs in (np.array([-0.0]), np.array([0.0]), np.array([-1.5])):
        assert bits(pb.jit(one_term)(xs)) == bits(one_term(xs))
        assert bits(pb.value_and_grad(one_term)(xs)[0]) == bits(one_term(xs))


def twice(xs):
    s = t = 0.0
    for x in xs:
        v = x * x
        s += v
        t += v
    return s + t * 2.0


def test_a_product_that_another_block_adds() -> None:
    xs = np.array([0.5, -1.25, 3.0])
    for method in METHODS:
        assert pb.grad(twice, method=method)(xs).tolist() == (6.0 * xs).tolist()


def test_double_roots() -> None:
    """The discriminant is 0 and not a bit less, which would be an error."""
    rng = random.Random(2)
    arguments = []
    for k in range(1, 200):
        s = 0.1 * k
        arguments += [(s, 2.0 * s, s), (s, 2.0 * s, s * rng.choice([1.0, 1.1]))]
    assert ValueError in {outcome(roots, *args) for args in arguments}
    agree(roots, arguments)


def whitened(xs, ys):
    rs = [x * x - y * y for x, y in zip(xs, ys)]
    return [1.0 / math.sqrt(r) if r > 0.0 else x * y for r, x, y in zip(rs, xs, ys)]


def energy(xs, ys):
    rs = [x * x - y * y for x, y in zip(xs, ys)]
    best = 0.0
    for k in range(len(rs)):
        if rs[k] == 0.0:
            best = best * 0.5 + xs[k]
        else:
            best = best * 0.5 + 1.0 / math.sqrt(abs(rs[k]))
    return best


def test_values_that_reverse_sweeps_compute_again() -> None:
    """The condition and the root are done again backwards, in lanes, and exactly."""
    rng = random.Random(5)
    xs = [some_number(rng) for _ in range(40)]
    ys = [rng.choice([x, -x, some_number(rng)]) for x in xs]
    given, seed = (np.array(xs), np.array(ys)), [1.0] * len(xs)

    def by_hand(x: float, y: float) -> tuple[float, float]:
        r = x * x - y * y
        if r > 0.0:
            p = -0.5 / (r * math.sqrt(r))
            return 2.0 * x * p, -2.0 * y * p
        return y, x

    for method in METHODS:
        out, back = pb.vjp(whitened, *given, method=method)
        assert bits(out) == bits(whitened(xs, ys))
        got = np.array(back(seed)).T
        assert np.allclose(got, [by_hand(x, y) for x, y in zip(xs, ys)], rtol=1e-14, atol=0.0)
        value, native = driver.gradient(energy, given, (0, 1), "native", method)
        exact = driver.gradient(energy, given, (0, 1), "eval", method)
        assert bits(value) == bits(energy(xs, ys)) == bits(exact[0])
        for a, b in zip(native, exact[1]):
            assert np.array_equal(a, b)


def test_arrays_in_lanes() -> None:
    x = np.array([0.1 * k for k in range(1, 30)])

    def f(x, y):
        return np.where(x * x - y * y == 0.0, x * y - y * x + x, x * y - x / y)

    for y in (x, x[::-1], 1.1 * x):
        expected = f(x, y)
        assert np.array_equal(pb.jit(f)(x, y), expected)
        for method in METHODS:
            assert np.array_equal(pb.vjp(f, x, y, method=method)[0], expected)


def test_single_precision() -> None:
    x = np.array([0.1 * k for k in range(1, 30)], dtype=np.float32)

    def f(x, y):
        return x * x - y * y + x / y * x

    for y in (x, x[::-1], np.float32(1.1) * x):
        assert np.array_equal(pb.jit(f)(x, y), f(x, y))
        assert np.array_equal(pb.vjp(f, x, y)[0], f(x, y))


def arrays_of(x, y):
    return (
        np.cumsum(x), np.cumprod(x), np.diff(x), np.interp(x, np.array([-1.0, 0.3, 2.0]), y[:3]),
        np.polyval(y[:4], x), np.gradient(x, 0.3), np.linspace(x[0], y[0], 13), np.kron(x[:3], y),
        np.arange(x[0], x[0] + 2.0, 0.3), np.round(x, 2), np.mod(x, y), x // y, x**2, x / 3.0,
        np.cross(x[:3], y[:3]), np.sqrt(np.abs(x)) / (1.0 + x * x),
    )


def test_functions_of_arrays() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        x, y = (np.round(rng.normal(size=13), 1) + 0.05 for _ in range(2))
        for a, b in zip(pb.jit(arrays_of)(x, y), arrays_of(x, y)):
            assert np.array_equal(a, b)


# --- powers and functions -------------------------------------------------------------------------


EXPONENTS = (2, 3, 4, 7, 16, -1, -2, -6, 0.5)


def test_powers_with_a_known_exponent() -> None:
    """As Python's to the last digit but for one of some hundred, where ``pow`` is not the nearest
    float either, or ours is not."""
    rng = random.Random(7)
    xs = [math.exp(rng.uniform(-3, 3)) for _ in range(2000)]
    powers = ", ".join(f"x ** {n}" for n in EXPONENTS)
    text = f"def f(x):\n    return {powers}\ndef many(xs):\n    return [({powers}) for x in xs]\n"
    space = functions_of(text, "powers")
    single, lanes = list(map(pb.jit(space["f"]), xs)), pb.jit(space["many"])(xs)
    assert bits(single) == bits(lanes)
    for got, want in zip(zip(*single), zip(*map(space["f"], xs))):
        other = [(a, b) for a, b in zip(got, want) if a != b]
        assert len(other) <= 20
        assert all(abs(a - b) <= math.ulp(b) for a, b in other)


def test_powers_at_the_edges() -> None:
    edges = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-200, -1e-200, 1e200, -1e60]
    edges += [5e-324, 1e103, 1e-103, -3.5e-53]
    powers = ", ".join(f"np.float64(x) ** {float(n)}" for n in EXPONENTS)
    text = f"import numpy as np\ndef f(x):\n    return {powers}\n"
    f = functions_of(text, "powers at the edges")["f"]
    for x in edges:
        with np.errstate(all="ignore"):
            want = f(x)
        for n, a, b in zip(EXPONENTS, pb.jit(f)(x), want):
            close = abs(a - b) <= 2 * math.ulp(b) if math.isfinite(b) else False
            assert bits(float(a)) == bits(float(b)) or (close and b != 0.0), (n, x, a, b)


def test_functions_of_literals_are_those_of_the_library() -> None:
    def f(x):
        return x * math.exp(2.7) + math.sin(0.3) * math.log(7.1) + 1.1**2.3 + 2.0**x + 10.0**x

    rng = random.Random(0)
    agree(f, [(rng.uniform(-2, 2),) for _ in range(50)], "jit", "chad gradient")


def test_an_fma_is_exact() -> None:
    from pullback.core.libm import fused

    c = ctypes.CDLL(None).fma
    c.argtypes, c.restype = (ctypes.c_double,) * 3, ctypes.c_double
    assert fused(0.1, 10.0, -1.0) == c(0.1, 10.0, -1.0) == 2.0**-54
    one = np.float32(0.1)
    assert fused(one, np.float32(10.0), np.float32(-1.0)) == np.float32(float(one) * 10.0 - 1.0)


# --- the text -------------------------------------------------------------------------------------

FLAGS = re.compile(r"= (tail )?\w+ (fast|contract|reassoc|nnan|ninf|nsz|arcp|afn)\b|llvm\.fmuladd")


def total(xs, ys):
    s = 0.0
    for k in range(len(xs)):
        s += xs[k] * ys[k] * math.exp(xs[k])
    return s + np.sum(np.sin(ys) ** 3) * s


def test_no_flag_lets_llvm_round_otherwise() -> None:
    xs = np.linspace(0.1, 1.0, 20)
    for method in METHODS:
        request = driver.Request(driver.What.VALUE_AND_GRADIENT, (0, 1), method=method)
        stages = stage_programs.stages(total, (xs, xs), request)
        for stage in ("llvm", "llvm optimised"):
            assert "fmul" in stages[stage] and "@llvm.fma." in stages[stage]
            assert not FLAGS.findall(stages[stage])
