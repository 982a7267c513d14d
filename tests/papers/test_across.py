"""Rows X of the checklist: the systems of the four papers beside each other."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pytest

import pullback as pb
from pullback.papers import load
from pullback.papers.chad.dense import DENSE_EV
from pullback.papers.chad.higher import HIGHER
from pullback.papers.chad.naive import c0_of
from pullback.papers.chad.program import check_chad
from pullback.papers.chad.types import t1_context, t2_context
from pullback.papers.chad.values import environment, to_cotangent
from pullback.papers.closure_conversion import convert
from pullback.papers.curry.translation import applied_lets
from pullback.papers.delta.eval import MAP
from pullback.papers.delta.wrapper import execute, wrap
from pullback.papers.dual.forward import push
from pullback.papers.language import check as nested_check
from pullback.papers.language.administrative import simplified
from pullback.papers.language.build import prim
from pullback.papers.language.check import check_source
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.pretty import show
from pullback.papers.language.terms import (
    EV,
    Fst,
    Int,
    Prod,
    R,
    Real,
    Source,
    Term,
    Type,
    Var,
    Z,
)
from pullback.papers.language.traverse import renamed
from pullback.papers.language.values import pair, reals_in
from pullback.papers.methods import METHODS, Unsupported, run
from pullback.papers.stages import translated
from tests.campaign import chosen, part
from tests.harness import distance, leaves
from tests.papers.as_python import function_of
from tests.papers.chad_tools import apart, programs, slope
from tests.papers.conformance import claim
from tests.papers.errata import ERRATA
from tests.papers.families import BOUNDS, FAMILIES, TABLE, ratios, takes, worst
from tests.papers.generate import (
    FIG1,
    FULL,
    STANDARD,
    close,
    count,
    dbl,
    finite_difference,
    inner,
    random_cotangent,
    random_value,
    sumsq,
)
from tests.papers.test_chad_higher import family
from tests.programs import corpus

load()
EFFICIENT = {name: reverse for name, (_, reverse) in BOUNDS.items()}


class Found(NamedTuple):
    """What a method gives for a program; ``typed``: whether its wrapper checked what it made."""

    value: object
    cotangents: tuple[object, ...]
    reverse: int
    typed: bool


_known: dict[tuple[str, int], dict[str, Found]] = {}


def outcomes(
    source: Source, args: tuple[Any, ...], seed: object, which: str
) -> dict[str, Found]:
    """Return what a program is by each of the methods that take it: by a third of them in each
    shard, and by the default."""
    checked: list[Term] = []
    plain = nested_check.types_of

    def types_of(t: Term, *more: Any, **named: Any) -> nested_check.Types:
        checked.append(t)
        return plain(t, *more, **named)

    out = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nested_check, "types_of", types_of)
        for name, method in METHODS.items():
            taken = name == "chad.closures" or chosen("papers", f"{name}, {which}", 3)
            if taken and not method.supports(source):
                checked.clear()
                try:
                    done = run(name, source, args, seed)
                except Unsupported:  # types that the Differentiable Curry does not have
                    assert name.startswith("curry."), name
                    continue
                out[name] = Found(done.value, done.cotangents, done.reverse, bool(checked))
    return out


def everywhere(fragment: str, n: int) -> Iterator[tuple[Source, Any, Any, dict[str, Found]]]:
    """Iterate over random programs with arguments and a cotangent, and what the methods give for
    them. That is the same for all theorems of this file, and found once."""
    for k, (source, args, seed) in enumerate(programs(fragment, n)):
        if (fragment, k) not in _known:
            _known[fragment, k] = outcomes(source, args, seed, f"{fragment} {k}")
        yield source, args, seed, _known[fragment, k]


@claim("X-1")
def test_all_systems_agree(row: str) -> None:
    for fragment in ("RG", "RGH"):
        for _, _, _, found in everywhere(fragment, count(24)):
            wanted = found["chad.closures"]
            for name, got in found.items():
                assert got.value == wanted.value, name
                assert close(got.cotangents, wanted.cotangents), name


@claim("X-2")
def test_forward_is_reverse(row: str) -> None:
    for k, (source, args, seed, found) in enumerate(everywhere("RGH", count(20))):
        rng = random.Random(k)
        ds = tuple(random_cotangent(a, rng) for a in args)
        _, dt = push(source, args, ds)
        for name in EFFICIENT.keys() & found:
            gradient = list(found[name].cotangents)
            both = float(inner(seed, dt)), float(inner(gradient, list(ds)))
            assert close(*both, 1e-8), name


@claim("X-3")
def test_finite_differences(row: str) -> None:
    for source, args, seed, value, gradient in STANDARD.values():
        wanted = finite_difference(source, args, seed)
        assert close(wanted, gradient, 1e-5)
        for name, method in METHODS.items():
            if not method.supports(source):
                out = run(name, source, args, seed)
                assert close(out.value, value) and close(out.cotangents, gradient), name


@claim("X-4")
def test_outputs_are_typed(row: str) -> None:
    # The wrappers of the other papers check what they make whenever they run.
    for _, _, _, found in everywhere("RGH", count(20)):
        assert all(got.typed for name, got in found.items() if not name.startswith("chad."))
    for source, _, _ in programs("RGA", count(20)):
        check_chad(apart(source))
    for source, _, _ in programs("RGH", count(20)):
        check_chad(convert(apart(source)))
    for source, _, _ in programs("RG", count(20)):
        source = apart(source)
        nested_check.check(c0_of(source), t1_context(source.context), (), DENSE_EV)


def ratio(name: str, source: Source, args: tuple[object, ...], seed: object) -> float:
    """Steps of the reverse pass over steps of the program and reals of its input and result."""
    return run(name, source, args, seed).reverse / bounding(source, args, seed)


def bounding(source: Source, args: tuple[object, ...], seed: object) -> int:
    """Steps of the program, and reals of its input and result."""
    steps = evaluate(source.body, dict(zip([x for x, _ in source.context], args)))[1]
    return steps + sum(len(reals_in(v)) for v in (*args, seed))


def values(source: Source) -> tuple[object, ...]:
    return tuple(random_value(t, random.Random(1)) for _, t in source.context)


@claim("X-5")
def test_efficient_systems(row: str) -> None:
    sizes = (8, 48, *[1000] * FULL)
    for name, bounds in part("papers", [*BOUNDS.items()], 2):
        assert all(a <= b for a, b in zip(worst(name, sizes), bounds)), name
        if FULL:
            assert ratio(name, dbl(10_000), (1e-9,), 1.0) <= bounds[1], name
    for source, args, seed, found in everywhere("RGH", count(15)):
        most = bounding(source, args, seed)
        for name in BOUNDS.keys() & found:
            assert found[name].reverse <= BOUNDS[name][1] * most, name


def test_the_slack_is_shown() -> None:
    # After a change of costs: python -m tests.papers.families, then tests.papers.conformance
    lines = [line.split(" | ") for line in TABLE.read_text().splitlines()]
    assert {(f, m) for f, m, *_ in lines} == {
        (f, m) for f in FAMILIES for m in BOUNDS if takes(m, f)}
    for which, method, forward, reverse in lines:
        found = ratios(method, FAMILIES[which](16))
        for text, now, bound in zip((forward, reverse), found, BOUNDS[method]):
            small, large, _, most = text.split()
            assert small == f"{now:.2f}" and int(most) == bound, (which, method)
            assert float(large) <= bound and float(large) < 1.25 * float(small), (which, method)


@claim("X-6")
def test_inefficient_systems_fail_the_bound(row: str) -> None:
    # Exponential: the largest of these bounds, and still it breaks with a handful of steps.
    for name, make, n in (("dual.naive", dbl, 12), ("delta.symbolic", dbl, 12),
                          ("chad.higher", family, 8), ("curry.simple", family, 8)):
        sources = [make(k) for k in (n - 1, n)]
        steps = [run(name, s, values(s), 1.0).reverse for s in sources]
        assert steps[1] > 1.8 * steps[0], name
        assert ratio(name, sources[1], values(sources[1]), 1.0) > max(EFFICIENT.values()), name
    # Quadratic, and with a logarithm.
    wide = {"dual.staged": (1.7, 2.3), "delta.dense": (1.7, 2.3), "chad.naive": (1.7, 2.3),
            "dual.cayley": (1.02, 1.4), "dual.scalars": (1.02, 1.4), "chad.sparse": (1.02, 1.4)}
    for name, (low, high) in wide.items():
        points = []
        for n in (16, 64):
            source = sumsq(n, True)
            points.append((n, run(name, source, values(source), 1.0).cost))
        assert low < slope(points) < high, name


@claim("X-7")
def test_discrete_parts(row: str) -> None:
    body = prim("mul", Fst(Var("p")), Fst(Var("p")))
    source = Source((("p", Prod(R, Z)), ("n", Z)), body, R)
    for name, method in METHODS.items():
        if not method.supports(source):
            out = run(name, source, ((3.0, 7), 5), 1.0)
            assert out.cotangents == ((6.0, ()), ()), name  # CHAD: unit
    f = lambda xs, n: xs[0] * xs[1] * n
    for name in ("chad", "dual.tape", "delta.monadic", "chad.monadic"):
        back = pb.vjp(f, [2.0, 3.0], 4, method=name)[1](1.0)
        assert back == ([12.0, 8.0], None)  # None where a whole argument is discrete
    # Dual numbers, Krawiec et al.: a gradient has the input's structure, with its integers.
    mixed = lambda pair: pair[0] * pair[0]
    for name in METHODS:
        assert pb.grad(mixed, method=name)((3.0, 7)) == (6.0, None)


def test_a_partial_that_is_not_finite_takes_no_part_where_nothing_flows() -> None:
    # log x is NaN, and the exponent has no tangent; the root's is infinite, and its cotangent 0
    square, root = (lambda x: x**2.0), (lambda x: 0.0 * math.sqrt(x) + x)
    for name in METHODS:
        assert pb.grad(square, method=name)(-3.0) == -6.0, name
        assert pb.grad(root, method=name)(0.0) == 1.0, name


@claim("X-8")
def test_native_equals_reference(row: str, tmp_path: Path) -> None:
    for fragment in ("RG", "RGA"):
        random_programs_natively(fragment, tmp_path)
    few = ("two_numbers", "newton_sqrt", "power_by_recursion", "list_sum", "tree_value")
    for program in corpus():
        if not FULL and program.name not in few:
            continue
        args = program.make_args(np.random.default_rng(1), 3)
        if not isinstance(program.f(*args), float | np.floating):
            continue
        wanted = pb.value_and_grad(program.f, program.argnums)(*args)
        args = program.make_args(np.random.default_rng(1), 3)
        try:
            found = pb.value_and_grad(program.f, program.argnums, method="chad.closures")(*args)
        except NotImplementedError as e:
            assert "papers' languages" in str(e)
            continue
        assert distance(wanted, found) < 1e-12, program


def plain_type(t: Type) -> bool:
    """Whether an argument is a real, or tuples of reals and integers."""
    return isinstance(t, Real | Int) or (
        isinstance(t, Prod) and plain_type(t.left) and plain_type(t.right))


def random_programs_natively(fragment: str, folder: Path) -> None:
    # The program as a Python function, compiled: against C on the term itself.
    todo = 150 if FULL else 2
    for k, (source, args, _) in enumerate(programs(fragment, 40 * todo, every=False)):
        if source.result != R or not all(plain_type(t) for _, t in source.context):
            continue
        source = apart(source)
        source = Source(source.context, renamed(
            source.body, lambda x: x.replace("$", "_"), {}), R)
        wanted = run("chad.monadic", source, args, 1.0)
        f = function_of(source, folder, f"random_{fragment}_{k}")
        real = tuple(i for i, a in enumerate(args) if reals_in(a))
        value, found = pb.value_and_grad(f, real)(*args)
        assert close(value, wanted.value, 1e-12), k
        for i, got in zip(real, found, strict=True):
            mine = [x for x in leaves(got) if x is not None]
            for a, b in zip(mine, reals_in(wanted.cotangents[i]), strict=True):
                assert abs(a - b) <= 1e-12 * max(1.0, abs(a), abs(b)), (k, a, b)
        todo -= 1
        if not todo:
            return
    raise AssertionError("too few programs of these types")


GOLDEN = Path(__file__).parent / "golden_figures.txt"
"""FIG1 by each system, written from the figures of the papers and not by the printer. 1 * d stays,
and z is named once where a paper may put x + y for it."""


@claim("X-10")
def test_golden_files(row: str) -> None:
    texts = GOLDEN.read_text().strip().split("\n\n")
    wanted = {name: text for name, _, text in (t.partition("\n") for t in texts)}
    same = {"N3m": "N3", "N4": "N3", "N4a": "N3", "C1": "C0"}  # other operations, one text
    for name in ("F", "N1", "N2", "N3", "N3m", "N4", "N4a", "N4b", "N5", "K1", "K2", "K", "C0",
                 "C1", "C"):
        assert translated(name, FIG1) == wanted[same.get(name, name)], name
    applied = Source(FIG1.context, applied_lets(FIG1.body, check_source(FIG1)), FIG1.result)
    assert translated("S", applied) == wanted["J"]  # let z = e1 in e2 as (\\z. e2) e1
    assert show(FIG1.body) == "let z = x + y in x * z"
    administrative_steps_keep_the_meaning()


def administrative_steps_keep_the_meaning() -> None:
    # What is printed is the translation: it runs to the same value and the same cotangents.
    for source, args, seed in programs("RGH", count(6)):
        source = apart(source)
        if METHODS["chad.higher"].supports(source):
            continue
        t = simplified(c0_of(source))
        env = dict(zip([x for x, _ in source.context], args, strict=True))
        value, back = pair(evaluate(t, env, HIGHER)[0])
        wanted = run("chad.higher", source, args, seed)
        assert value == wanted.value
        cells = cast(Any, back)(to_cotangent(source.result, seed))
        entries = HIGHER["emap"].run(Machine(), (cells,), (EV(t2_context(source.context)),))
        assert close(environment(entries, source.context, env), wanted.cotangents)


@claim("X-11")
def test_the_order_of_evaluation(row: str) -> None:
    for source, args, seed in programs("RGH", count(40)):
        if METHODS["delta.monadic"].supports(source):
            continue
        found = [execute(
            wrap(source, MAP, order=order).term, source, args, seed, Machine())
            for order in ("lr", "rl")]
        assert close(found[0].value, found[1].value)
        assert close(found[0].cotangents, found[1].cotangents)


@claim("X-12")
def test_errata(row: str) -> None:
    # What is printed is run where it can be, and goes wrong; what is here does not.
    for correct in ERRATA.values():
        with pytest.MonkeyPatch.context() as patch:
            correct(patch)
