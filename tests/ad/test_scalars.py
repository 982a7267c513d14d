"""Reverse mode on scalars: every primitive, singular points, float32, several results."""

import numpy as np
import pytest

from pullback.ad.differentiate import gradient
from pullback.ad.reverse import DerivativeError
from pullback.core.eval import evaluate
from pullback.core.prims import TABLE
from pullback.core.rows import NOT_DIFFERENTIABLE
from pullback.core.types import Real
from tests.ad.agreement import agree
from tests.ad.flatcore import BOOL, F32, F64, I64, program

SCALAR = sorted(
    name for name, row in TABLE.items()
    if row.domain and NOT_DIFFERENTIABLE not in row.partials and name not in ("to_real", "select")
    and not row.kinks.startswith("derivative 1 by definition")
)


@pytest.mark.parametrize("name", SCALAR)
def test_every_primitive_with_partials(name: str) -> None:
    row = TABLE[name]
    rng = np.random.default_rng(len(name))
    args = [rng.uniform(low, high) for low, high in row.domain]
    p = program([F64] * len(args), lambda c, *xs: c.sin(c.prim(name, *xs)))
    agree(p, args)


def test_select_and_conversions() -> None:
    p = program([BOOL, F64, F64, I64], lambda c, q, x, y, n: c.select(q, x * y, y) * c.real(n))
    for q in (True, False):
        assert agree(p, [q, 1.3, 0.7, 3]) == [1.3 * 0.7 * 3 if q else 0.7 * 3]
    agree(program([F64], lambda c, x: c.real(c.real(x, F32) * x.code.real(x, F32))), [1.25],
          differences=False)


def test_a_primitive_without_derivative_is_refused() -> None:
    with pytest.raises(DerivativeError, match="zeta"):
        gradient(program([F64, F64], lambda c, s, q: c.zeta(s, q)), (0,))


def test_zero_cotangents_meet_infinite_partials() -> None:
    """No NaN comes out of sqrt, log and so on at 0 when nothing asks for that derivative."""
    for name in ("sqrt", "log", "log1p", "asin"):
        at = {"log1p": -1.0, "asin": 1.0}.get(name, 0.0)
        p = program([F64, F64], lambda c, x, y, name=name: c.prim(name, x) * y)
        (_, dx, _), _ = evaluate(gradient(p, (0, 1)), (at, 0.0, 1.0))
        assert dx == 0.0


def test_float32_stays_float32() -> None:
    p = program([F32, F32], lambda c, x, y: c.sin(x) * y + c.exp(y))
    g = gradient(p, (0, 1))
    assert g.functions[g.main].results == (Real(32),) * 3
    agree(p, [np.float32(0.5), np.float32(0.25)], tolerance=1e-6, differences=False)


def test_a_diamond_and_unused_values() -> None:
    def body(c, x, y):
        a = x * y
        c.exp(a)  # unused
        d = a + c.cos(a)
        return d * d + d * x

    agree(program([F64, F64], body), [0.4, 1.1])


def test_results_that_repeat_are_literals_or_arguments() -> None:
    agree(program([F64, F64], lambda c, x, y: (x, x, c.expr(2.0), x * y, y)), [0.4, 1.1])


def test_discrete_arguments_and_some_of_the_real_ones() -> None:
    def body(c, n, x, y, q):
        return c.if_(q, lambda: x * c.real(n), lambda: c.sin(y)) + x * y, n + 1

    p = program([I64, F64, F64, BOOL], body)
    for q in (True, False):
        for wrt in ((1,), (2,), (1, 2), (2, 1)[:1]):
            agree(p, [3, 0.3, 0.8, q], wrt)


def test_stop_gradient() -> None:
    p = program([F64], lambda c, x: c.stop_gradient(x) * x)
    (_, d), _ = evaluate(gradient(p, (0,)), (3.0, 1.0))
    assert d == 3.0


def test_long_programs_do_not_recurse() -> None:
    def body(c, x):
        a = c.build(3, lambda i: x * c.real(i))
        for k in range(700):
            x = x * 0.999 + 0.001
            if k % 10 == 0:
                a = a.set(1, a.at(1) + x)
        return c.sin(x) * a.at(1)

    agree(program([F64], body), [0.7], differences=False)
