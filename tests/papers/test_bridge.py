"""Users' functions in the papers' language: the corpus, bridged, gives the same values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pullback.call.driver import found, gradient
from pullback.call.driver import run as run_tier
from pullback.call.evaluate import flatten_arguments
from pullback.call.request import Request, What
from pullback.convert.flatten import flatten_tuples
from pullback.core.eval import evaluate as evaluate_core
from pullback.core.terms import Jvp, Vjp
from pullback.core.terms import Program as CoreProgram
from pullback.core.traverse import all_lets
from pullback.core.values import Node
from pullback.papers.bridge import differentiate
from pullback.papers.bridge_terms import to_source
from pullback.papers.bridge_values import from_nested, to_nested
from pullback.papers.language.check import EVERYTHING, FIRST_ORDER, check_source
from pullback.papers.language.eval import evaluate
from pullback.papers.language.terms import Source
from pullback.papers.language.values import items
from pullback.papers.methods import METHODS, Method, Outcome, Unsupported, run
from tests import campaign
from tests.harness import leaves
from tests.papers.generate import FIG1, HO3, finite_difference
from tests.programs import Program, corpus

REFUSED = {
    "float64, int64 and bool", "a derivative inside", "recursion", "of whole matrices",
    "updates inside lists", "texts that Python makes",
}  # fmt: skip


Given = Callable[[], list[object]]


def core_of(f: Any, args: tuple[Any, ...]) -> tuple[CoreProgram, list[CoreProgram], Given]:
    """The flat program, others that mean the same, and what makes the evaluator's arguments."""
    run_tier(f, args, "eval")  # settles whether extents that meet are equal
    function, unit = found(f, args, Request(What.VALUE))
    source = unit.special.special.program
    flat = flatten_tuples(source)

    def given() -> list[object]:
        return list(flatten_arguments(unit.plan, unit.special.values(function, args)).given)

    same = [p.type for p in source.functions[source.main].params] == [
        p.type for p in flat.functions[flat.main].params]
    return flat, [source] if same else [], given


def alike(a: object, b: object) -> bool:
    if isinstance(a, Node) and isinstance(b, Node):
        return a.tag == b.tag and len(a.fields) == len(b.fields) and all(
            map(alike, a.fields, b.fields))
    if isinstance(a, np.ndarray) and a.dtype == np.object_:
        return isinstance(b, np.ndarray) and all(map(alike, a.flat, b.flat))
    return bool(np.allclose(np.asarray(a), np.asarray(b), rtol=1e-12, atol=1e-12, equal_nan=True))


def through(program: CoreProgram, args: list[object], functions: bool) -> list[object]:
    source = to_source(program, functions)
    check_source(source)
    main = program.functions[program.main]
    values = [to_nested(p.type, a, program.decls) for p, a in zip(main.params, args)]
    value, _ = evaluate(source.body, dict(zip([x for x, _ in source.context], values)))
    out = items(value, len(main.results))
    return [from_nested(t, v, program.decls) for t, v in zip(main.results, out)]


TURNS = ("functions", "", "", "", "inlined", "", "", "")
"""A program is taken in every fourth shard, in which ``tests/test_agreement.py`` takes it too."""
WAYS = [
    (way == "functions", program) for program in corpus()
    for way in campaign.rotated("papers", program.name, TURNS) if way
]  # fmt: skip


@pytest.mark.parametrize(
    ("functions", "program"), WAYS,
    ids=[f"{'functions' if kept else 'inlined'}-{program}" for kept, program in WAYS],
)  # fmt: skip
def test_the_corpus_bridged(program: Program, functions: bool) -> None:
    args = program.make_args(np.random.default_rng(1), 3)
    flat, others, given = core_of(program.f, args)
    try:
        for core in [flat, *(others if functions else [])]:
            out = through(core, given(), functions)
            if any(isinstance(x.op, Vjp | Jvp) for fn in core.functions.values()
                   for x in all_lets(fn.body)):  # Core's evaluator has no derivatives
                value = [x for x in leaves(run_tier(program.f, args, "eval")) if x is not None]
                mine = [x for x in leaves(tuple(out)) if x is not None]
                assert core is not flat or alike(np.array(value), np.array(mine))
                continue
            wanted, _ = evaluate_core(flatten_tuples(core), given())
            if core is flat:
                assert all(map(alike, wanted, out))
    except Unsupported as e:
        assert any(words in e.reason for words in REFUSED), e.reason


def by_differences(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    env = dict(zip([x for x, _ in source.context], args))
    value, steps = evaluate(source.body, env)
    return Outcome(value, finite_difference(source, args, seed), steps, 0)


@pytest.mark.parametrize("name", ["two_numbers", "with_int", "shared", "polynomial"])
def test_a_method_on_a_users_function(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    method = Method("differences", "by differences", EVERYTHING, by_differences)
    monkeypatch.setitem(METHODS, "differences", method)
    (program,) = [p for p in corpus() if p.name == name]
    args = program.make_args(np.random.default_rng(1), 3)
    flat, _, given = core_of(program.f, args)
    seeds = [1.0] * len(flat.functions[flat.main].results)
    d = differentiate("differences", flat, given(), seeds)
    value, gradients = gradient(program.f, args, program.argnums, tier="eval")
    assert alike(d.results[0], value)
    for k, g in zip(program.argnums, gradients):
        assert np.allclose(np.asarray(d.cotangents[k]), np.asarray(g), rtol=1e-4)
    assert all(c is None for c, a in zip(d.cotangents, args) if isinstance(a, int))


def test_a_method_refuses_what_its_language_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    method = Method("narrow", "first order", FIRST_ORDER, by_differences)
    monkeypatch.setitem(METHODS, "narrow", method)
    assert run("narrow", FIG1, (3.0, 4.0), 1.0).value == 21.0
    with pytest.raises(Unsupported, match="the first-order source language has no lambdas"):
        run("narrow", HO3, (3.0,), 1.0)
