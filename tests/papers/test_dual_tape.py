"""Dual-numbers reverse AD: defunctionalised backpropagators and taping (8.2, 8.3), all stages."""

from __future__ import annotations

from typing import Any, cast

from pullback.papers.language.arrays import MArr
from pullback.papers.language.build import prim, reals
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row
from pullback.papers.language.terms import (
    Let,
    Pair,
    Prod,
    R,
    Source,
    Var,
)
from pullback.papers.language.traverse import (
    free_vars,
)
from pullback.papers.language.values import ConV, pair, tuple_value
from tests.papers.conformance import claim
from tests.papers.dual import (
    STAGES,
    case,
    outcome,
    primal_and_pullback,
)
from tests.papers.generate import (
    FIG1,
    SHARE,
    STANDARD,
    close,
    count,
    finite_difference,
)

x, y, z = Var("x"), Var("y"), Var("z")


@claim("DN-50")
def test_defunctionalised(row: str) -> None:
    for i in range(count(300)):
        s, args, seed = case(i, "RGH")
        out = outcome(STAGES["N4b"], s, args, seed)
        assert out.cotangents == outcome(STAGES["N4a"], s, args, seed).cotangents
        assert out.machine.roles == []
        assert staged_functions(s, args, seed) == []
    # dop_i(x)(z) = z * dop_i(x)(1), and the lists are gone through from the last to the first: an
    # operation that has an argument twice, which is used before, tells the order from the other
    s = Source(reals("x", "y"), prim("add", prim("pow", x, x), prim("mul", x, y)), R)
    different = 0
    for k in range(12):
        args = (0.7 + 0.013 * k, 0.3 + 0.017 * k)
        n4a, n4b = (outcome(STAGES[name], s, args, 1.0).cotangents for name in ("N4a", "N4b"))
        assert n4a == n4b
        different += reversed_edges(s, args) != tuple_value(*n4b)
    assert different


def staged_functions(s: Source, args: Any, seed: Any) -> list[object]:
    """The functions in N4b's staging array at the end."""
    found: list[object] = []
    w, m = STAGES["N4b"](s), Machine()
    freeze = w.library["freeze"]

    def noted(m: Machine, given: Any, static: Any) -> object:
        found.extend(pair(e)[0] for e in given[0].cells if not isinstance(pair(e)[0], ConV))
        return freeze.run(m, given, static)

    library = w.library.replaced(Row("freeze", freeze.rule, noted, freeze.cost))
    _, back = primal_and_pullback(w, args, m, library)
    apply(back, seed, machine=m)
    return found


def reversed_edges(s: Source, args: Any) -> object:
    """N4b's cotangents where edges are gone through from the first to the last."""
    w, m = STAGES["N4b"](s), Machine()
    rule = w.library["reverse"].rule
    library = w.library.replaced(Row("reverse", rule, lambda m, given, static: given[0]))
    _, back = primal_and_pullback(w, args, m, library)
    return apply(back, 1.0, machine=m)[0]


def body_value(name: str, args: Any, state: Any) -> Any:
    """The value of FIG1's transformed body on duals."""
    w = STAGES[name](FIG1)
    free = free_vars(w.body)
    env = {v: args if v.startswith("x") else state for v in free}
    return evaluate(w.body, env, w.library)[0]


@claim("DN-51")
def test_sharing(row: str) -> None:
    empty = ConV("Edges", ([],))
    result, state = body_value("N4b", ((3.0, (0, empty)), (4.0, (1, empty))), 2)
    value, (i, contribution) = result
    assert (value, i, state) == (21.0, 3, 4)
    (first, second) = contribution.fields[0]
    assert (first[0], first[1][0]) == (7.0, 0) and (second[0], second[1][0]) == (3.0, 2)
    of_z = second[1][1].fields[0]
    assert [(w, d[0]) for w, d in of_z] == [(1.0, 0), (1.0, 1)]
    for name in ("N4b", "N5"):  # edges executed: two of the sum, two of the product
        m = Machine()
        _, back = primal_and_pullback(STAGES[name](FIG1), (3.0, 4.0), m)
        before = m.counts.get("prim:mulz", 0)
        apply(back, 1.0, machine=m)
        assert m.counts["prim:mulz"] - before == 4
    # the Contrib of z in the result is the object that z itself carries
    both = Source(FIG1.context, Let("z", prim("add", x, y), Pair(prim("mul", x, z), z)), Prod(R, R))
    given = ((3.0, (0, empty)), (4.0, (1, empty)))
    w = STAGES["N4b"](both)
    env = {v: given if v.startswith("x") else 2 for v in free_vars(w.body)}
    (product, kept), _ = cast(Any, evaluate(w.body, env, w.library)[0])
    assert product[1][1].fields[0][1][1][1] is kept[1][1]
    m = outcome(STAGES["N4b"], SHARE, (3.0,), (1.0, 1.0)).machine
    assert m.counts["con:Edges"] == 3 + 1  # x, y, y+y, and the initial value of the array


@claim("DN-52")
def test_taping(row: str) -> None:
    start = MArr([[], []])
    (value, i), final = body_value("N5", ((3.0, 0), (4.0, 1)), start)
    assert (value, i) == (21.0, 3)
    assert final.cells == [[], [], [(0, 1.0), (1, 1.0)], [(0, 7.0), (2, 3.0)]]
    for k in range(count(300)):
        s, args, seed = case(k, "RGH")
        assert outcome(STAGES["N5"], s, args, seed).cotangents == outcome(
            STAGES["N4b"], s, args, seed).cotangents


@claim("DN-53")
def test_partials_are_forward(row: str) -> None:
    chain = Source(reals("x"), prim("sin", prim("cos", prim("tanh", prim("exp", x)))), R)
    m = Machine()
    _, back = primal_and_pullback(STAGES["N5"](chain), (0.3,), m)
    before = dict(m.counts)
    apply(back, 1.0, machine=m)
    own = [k for k in m.counts if k.startswith("prim:") and m.counts[k] != before.get(k, 0)]
    assert set(own) <= {"prim:add", "prim:mulz", "prim:sub"}
    assert m.peaks["marr"] == 5  # it has grown from nothing


def pairs(s: Source, args: Any, seed: Any) -> list[Any]:
    return [outcome(stage, s, args, seed) for stage in STAGES.values()]


@claim("DN-67")
def test_all_stages_agree(row: str) -> None:
    for s, args, seed, value, gradient in STANDARD.values():
        for out in pairs(s, args, seed):
            assert out.value == value and close(out.cotangents, gradient)
    for i in range(count(100)):
        s, args, seed = case(i, "RGA" if i % 5 == 0 else "RGH")
        first, *others = pairs(s, args, seed)
        for out in others:
            assert out.value == first.value and close(out.cotangents, first.cotangents)


@claim("DN-68")
def test_stage_by_stage(row: str) -> None:
    for i in range(150, 150 + count(100)):
        s, args, seed = case(i, "RGH")
        outs = dict(zip(STAGES, pairs(s, args, seed)))
        assert outs["N4"].cotangents == outs["N4a"].cotangents
        assert outs["N4a"].cotangents == outs["N4b"].cotangents == outs["N5"].cotangents
        assert close(outs["N3"].cotangents, outs["N3m"].cotangents)
        assert close(outs["N2"].cotangents, finite_difference(s, args, seed), 1e-5)
