"""A sum and its own reverse sweep become one loop."""

import numpy as np

from pullback.ad.differentiate import gradient
from pullback.core.terms import Dialect, Sum_
from pullback.opt.control.inline import inline_calls
from pullback.opt.cse import merge_common
from pullback.opt.dce import drop_dead
from pullback.opt.reductions.merge import merge_sums
from pullback.opt.scalar.simplify import simplify
from tests.ad.flatcore import A1, program
from tests.opt.agreement import agree, ops, prims

V = np.array([0.3, -0.2, 0.7])
PASSES = [inline_calls, simplify, drop_dead, merge_sums, merge_common, drop_dead]


def merged(body):
    g = gradient(program([A1], body), (0,))
    return agree(PASSES, g, [V, 1.0], dialect=Dialect.ACCUMULATING)


def test_the_value_is_summed_on_the_way() -> None:
    q = merged(lambda c, a: c.sum(a.dim(), lambda i: c.exp(a.at(i))) * 3.0)
    assert len(ops(q, Sum_)) == 1 and prims(q).count("exp") == 1


def test_not_when_the_sweep_needs_the_sum() -> None:
    q = merged(lambda c, a: c.log(c.sum(a.dim(), lambda i: c.exp(a.at(i)))))
    assert len(ops(q, Sum_)) == 2
