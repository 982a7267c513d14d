"""A choice between integers is computed both ways and selected; of reals it stays a branch."""

import numpy as np

import pullback as pb
from pullback.call.driver import PIPELINE
from pullback.core.terms import If, Program
from pullback.opt.scalar.if_conversion import convert_ifs
from tests.ad.flatcore import A1, F64, I64, program
from tests.opt.agreement import agree, ops

V = np.array([0.5, -2.0, 3.0, 0.25])


def branches(body, *runs) -> int:
    p: Program = program([A1, F64, I64], body)
    return len(ops(agree(convert_ifs, p, *runs), If))


def test_integers_of_a_few_steps_are_selected() -> None:
    def body(c, a, x, k):
        def step(i):
            return a.at(c.if_(i < k, lambda: i, lambda: c.if_(i < 3, lambda: i - 1, lambda: i)))

        return c.sum(a.dim(), step)

    assert branches(body, [V, 0.5, 2], [V, 0.5, 4]) == 0


def test_what_may_raise_or_is_real_stays() -> None:
    def body(c, a, x, k):
        way = k < a.dim()
        one = c.if_(way, lambda: c.prim("add.ck", k, 1), lambda: k)
        two = c.if_(way, lambda: c.prim("floordiv", k, k), lambda: k)
        three = c.if_(way, lambda: x * x, lambda: x)
        four = c.if_(way, lambda: k * k * k * k * k, lambda: k)
        return c.real(one + two + four) + three

    assert branches(body, [V, 0.5, 2], [V, 0.5, 7]) == 4


def test_nothing_is_kept_for_the_reverse_sweep() -> None:
    def skipping(x, k):
        y = x * 1.0
        for _ in range(3):
            for j in range(len(x) - 1):
                y[j] = y[j] * y[j if j < k else j + 1]
        return np.sum(y)

    assert "if conversion" in [stage.name for stage in PIPELINE]
    assert "took" not in pb.show(pb.grad(skipping), V, 2, stage="ad")
