"""Dual-numbers reverse AD: linear factoring and staged calls (section 4, Fig. 8)."""

from __future__ import annotations

import random
from typing import Any, cast

import pytest

from pullback.papers.dual import calls as n2
from pullback.papers.dual import staged as n2_stage
from pullback.papers.dual.deinterleave import Deinterleave
from pullback.papers.dual.ground import Wrapped, checked, prepared
from pullback.papers.dual.types import cotangent
from pullback.papers.language import maps as nested_map
from pullback.papers.language.build import lam, let, lets, op, prim
from pullback.papers.language.check import NestedTypeError, check
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Closure, Machine
from pullback.papers.language.ops import Library, Row, fits
from pullback.papers.language.terms import (
    App,
    Fun,
    Lit,
    Pair,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Var,
    Z,
)
from pullback.papers.language.traverse import free_vars
from pullback.papers.language.values import pair, real
from tests.papers.conformance import claim
from tests.papers.dual import (
    STAGED,
    STAGES,
    case,
    outcome,
    primal_and_pullback,
)
from tests.papers.generate import (
    DEAD,
    FIG1,
    POW5,
    SHARE,
    count,
    dbl,
    every_program,
    random_program,
)

x, y, z = Var("x"), Var("y"), Var("z")


def factoring() -> tuple[Machine, list[Term]]:
    """f1 .. f4 of section 4, as staged functions to R * (R * R)."""
    c = Prod(R, Prod(R, R))
    zero = Pair(Lit(0.0), Pair(Lit(0.0), Lit(0.0)))

    def call(i: int, by: float, of: Any) -> Term:
        return op("SCall", Pair(Lit(i), Var(f"f{i}")), prim("mul", by, of), zero)

    def both(p: Term, q: Term) -> Term:
        return op("+_S", p, q)

    bodies = [
        lambda v: op("SCotan", Pair(Lit(0.0), Pair(v.t, Lit(0.0)))),
        lambda v: both(call(1, 2.0, v), call(1, 3.0, v)),
        lambda v: both(call(2, 4.0, v), call(1, 5.0, v)),
        lambda v: both(call(2, 1.0, v), call(3, 2.0, v)),
    ]
    functions = [(f"f{k + 1}", lam("v", R, body, "-o", "op")) for k, body in enumerate(bodies)]
    whole = lets(functions, let("r", n2.resolve(c), lambda r: App(r.t, call(4, 1.0, Lit(1.0)))))
    return Machine(), [whole]


@claim("DN-14")
def test_plain_calls(row: str) -> None:
    def call(i: int, v: Any) -> Term:
        return App(Var(f"f{i}"), term_of(v))

    def term_of(v: Any) -> Term:
        return cast(Term, getattr(v, "t", v))

    plus = lambda p, q: op("+_c", p, q)
    by = lambda k, v: prim("mul", k, v)
    bodies = [
        lambda v: Pair(Lit(0.0), Pair(v.t, Lit(0.0))),
        lambda v: plus(call(1, by(2.0, v)), call(1, by(3.0, v))),
        lambda v: plus(call(2, by(4.0, v)), call(1, by(5.0, v))),
        lambda v: plus(call(2, v), call(3, by(2.0, v))),
    ]
    functions = [(f"f{k + 1}", lam("v", R, body, "-o", "op")) for k, body in enumerate(bodies)]
    m = Machine()
    value, _ = evaluate(lets(functions, call(4, Lit(1.0))), {}, n2.LIBRARY, m)
    assert value == (0.0, (55.0, 0.0))
    assert m.calls == [5, 2, 1, 1]  # f1 .. f4


def recording(log: list[tuple[object, ...]]) -> Library:
    """N2's library that notes staged calls, and what SResolve takes."""
    scall, mmax = n2.LIBRARY["SCall"], n2.LIBRARY["mmax"]

    def on_call(m: Machine, args: Any, static: Any) -> object:
        i, f = pair(args[0])
        log.append(("call", i, f, args[1]))
        return scall.run(m, args, static)

    def on_max(m: Machine, args: Any, static: Any) -> object:
        i, entry = pair(mmax.run(m, args, static))
        f, a = pair(entry)
        log.append(("take", i, f, a, nested_map.size(args[0])))
        return i, entry

    return n2.LIBRARY.replaced(
        Row("SCall", scall.rule, on_call, scall.cost), Row("mmax", mmax.rule, on_max, mmax.cost))


@claim("DN-15")
def test_staged_calls(row: str) -> None:
    m, (whole,) = factoring()
    log: list[tuple[object, ...]] = []
    value, _ = evaluate(whole, {}, recording(log), m)
    assert value == (0.0, (55.0, 0.0))
    assert m.calls == [1, 1, 1, 1]
    taken = [(e[1], e[3]) for e in log if e[0] == "take"]
    # lowest first: what f4 stages for f2 is resolved before f3 has staged its part
    first = n2.LIBRARY.replaced(Row("mmax", n2.LIBRARY["mmax"].rule, lambda m, args, static: next(
        iter(nested_map.entries(args[0])))))
    lowest, (again,) = factoring()
    assert evaluate(again, {}, first, lowest)[0] == value
    assert lowest.calls[1] == 2 and max(lowest.calls) > 1
    assert taken == [(4, 1.0), (3, 2.0), (2, 9.0), (1, 55.0)]
    assert check(whole, library=n2.LIBRARY) == Prod(R, Prod(R, R))


@claim("DN-16")
def test_staged_is_a_monoid(row: str) -> None:
    fs = [object() for _ in range(4)]
    plus = lambda p, q: n2.LIBRARY["+_S"].run(Machine(), [p, q], ())

    def random_staged(rng: random.Random) -> object:
        m: nested_map.Map = None
        for i in rng.sample(range(4), rng.randrange(4)):
            m = nested_map.insert(m, i, (fs[i], float(rng.randrange(9))))
        return float(rng.randrange(9)), m

    def plain(s: object) -> object:
        c, m = pair(s)
        return c, list(nested_map.entries(cast(nested_map.Map, m)))

    rng = random.Random(1)
    for _ in range(count(200)):
        p, q, r = (random_staged(rng) for _ in range(3))
        assert plain(plus(p, q)) == plain(plus(q, p))
        assert plain(plus(plus(p, q), r)) == plain(plus(p, plus(q, r)))
        assert plain(plus(p, (0.0, None))) == plain(p)
    left = (1.0, nested_map.insert(nested_map.insert(None, 1, (fs[1], 2.0)), 2, (fs[2], 3.0)))
    right = (5.0, nested_map.insert(None, 2, (fs[2], 4.0)))
    assert plain(plus(left, right)) == (6.0, [(1, (fs[1], 2.0)), (2, (fs[2], 7.0))])


@claim("DN-17")
def test_resolution_is_preserved(row: str) -> None:
    weights = [2.0, -3.0, 5.0]
    fs = [lambda a, w=w: w * a for w in weights]

    def meaning(s: object) -> float:
        c, m = pair(s)
        total = real(c)
        for _, call in nested_map.entries(cast(nested_map.Map, m)):
            f, a = pair(call)
            total += cast(Any, f)(a)
        return total

    rng = random.Random(2)
    for _ in range(count(200)):
        both = []
        for _ in range(2):
            m: nested_map.Map = None
            for i in rng.sample(range(3), rng.randrange(4)):
                m = nested_map.insert(m, i, (fs[i], float(rng.randrange(9))))
            both.append((float(rng.randrange(9)), m))
        total = n2.LIBRARY["+_S"].run(Machine(), both, ())
        assert meaning(total) == sum(map(meaning, both))


def resolved(i: int) -> tuple[list[tuple[object, ...]], Machine]:
    s, args, seed = case(i, "RGH")
    log: list[tuple[object, ...]] = []
    m = Machine()
    _, back = primal_and_pullback(STAGES["N2"](s), args, m, recording(log))
    apply(back, seed, machine=m)
    return log, m


@claim("DN-18")
def test_ids_are_topologically_ordered(row: str) -> None:
    checked = 0
    for i in range(count(200)):
        caller: float = float("inf")
        for entry in resolved(i)[0]:
            if entry[0] == "take":
                caller = cast(int, entry[1])
            else:
                assert cast(int, entry[1]) < caller
                checked += 1
    assert checked > 2.5 * count(200)


@claim("DN-19")
def test_an_id_is_one_backpropagator(row: str) -> None:
    for i in range(count(200)):
        known: dict[object, object] = {}
        for entry in resolved(i)[0]:
            assert known.setdefault(entry[1], entry[2]) is entry[2]


@claim("DN-20")
def test_three_forms(row: str) -> None:
    seen: set[str] = set()
    for i in range(count(100)):
        for entry in (r := resolved(i))[0]:
            f = entry[2]
            assert isinstance(f, Closure) and f.serial >= 0
            seen.add(r[1].roles[f.serial])
    assert seen == {"input", "const", "op"}


@claim("DN-21")
def test_the_id_monad(row: str) -> None:
    for i in range(count(300)):
        STAGES["N2"](random_program(i, "RGH")[0])
    out = outcome(STAGES["N2"], FIG1, (3.0, 4.0), 1.0)
    assert (out.value, out.cotangents) == (21.0, (10.0, 3.0))
    assert out.machine.roles == ["input", "input", "op", "op"]  # IDs 0 to 3
    dual = lambda v, i: (v, (i, lambda z: None))
    body = STAGES["N2"](FIG1).body
    env = {v: (dual(3.0, 0), dual(4.0, 1)) if v.startswith("x") else 0.0 if v.startswith("z") else 2
           for v in free_vars(body)}
    result, following = pair(evaluate(body, env, n2.LIBRARY)[0])
    value, call = pair(result)
    assert (value, pair(call)[0], following) == (21.0, 3, 4)
    # N2 ctx |- N2{t} : Z -> N2 s * Z, and the wrapper refuses what has another type
    for i in range(count(100)):
        s = random_program(i, "RGH")[0]
        w = STAGES["N2"](s)
        program, _ = prepared(s)
        wanted = Prod(s.result, Fun(cotangent(s.result), cotangent(program.type), "-o"))
        assert fits(check(w.term, (), w.decls, w.library), Fun(program.type, wanted))
    wrong = Wrapped(lam("x", Prod(R, R), lambda v: v), (), n2.LIBRARY, x)
    with pytest.raises(NestedTypeError, match="the wrapper has type"):
        checked(wrong, FIG1, prepared(FIG1)[0])


@claim("DN-22")
def test_at_most_once(row: str) -> None:
    assert outcome(STAGES["N2"], FIG1, (3.0, 4.0), 1.0).machine.calls == [1, 1, 1, 1]
    for stage in STAGED.values():
        assert outcome(stage, dbl(10), (1.0,), 1.0).machine.calls == [1] * 11
        for i in range(count(200)):
            s, args, seed = case(i, "RGH")
            assert max(outcome(stage, s, args, seed).machine.calls, default=0) <= 1
        for k, program in enumerate(every_program(5, higher=True)):
            if k % 17 == 0:
                m = outcome(stage, program, (0.3,), 1.0).machine
                assert max(m.calls, default=0) <= 1
    assert max(outcome(STAGES["N1"], dbl(10), (1.0,), 1.0).machine.calls) == 1024


@claim("DN-23")
def test_deinterleave_stages(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for stage in STAGED.values():
        out = outcome(stage, SHARE, (3.0,), (1.0, 1.0))
        assert out.cotangents == (18.0,) and out.machine.calls == [1, 1, 1]
    # N2 as the figure has it, where the wrapper calls the backpropagators of the outputs itself
    monkeypatch.setattr(n2_stage, "Deinterleave", lambda n, decls, leaf, **named: Deinterleave(
        n, decls, leaf=lambda v: Snd(Snd(v)), **named))
    out = outcome(STAGES["N2"], SHARE, (3.0,), (1.0, 1.0))
    assert out.cotangents == (18.0,) and out.machine.calls == [1, 2, 1]


@claim("DN-24")
def test_dead_code(row: str) -> None:
    for name in ("N2", "N3", "N3m", "N4", "N4a"):
        out = outcome(STAGES[name], DEAD, (3.0,), 1.0)
        assert out.cotangents == (6.0,) and out.machine.calls == [1, 0, 1]


@claim("DN-25")
def test_map_operations(row: str) -> None:
    """Two operations for each backpropagator that is resolved, the maximum and its deletion, and
    one for each staged call, its insertion (none if it is in the larger of two maps)."""
    for s, args in ((dbl(10), (1.0,)), (POW5, (2.0,)), (FIG1, (3.0, 4.0))):
        m = outcome(STAGES["N2"], s, args, 1.0).machine
        assert m.counts["op:mmax"] == m.counts["op:mdelete"] == sum(m.calls)
        assert m.counts["map"] == 2 * sum(m.calls) + m.counts["+_S inserts"]
        assert m.counts["+_S inserts"] <= m.counts["scall"]
    # x + x stages x twice: one of the two is inserted into the other, nothing else is merged
    assert outcome(STAGES["N2"], dbl(10), (1.0,), 1.0).machine.counts["map"] == 3 * 11 - 1


@claim("DN-26")
def test_ids_of_inputs(row: str) -> None:
    t = Prod(Prod(R, Z), Prod(R, R))
    identity = Source((("x", t),), x, t)
    log: list[tuple[object, ...]] = []
    m = Machine()
    _, back = primal_and_pullback(
        STAGES["N2"](identity), (((1.0, 7), (2.0, 3.0)),), m, recording(log))
    apply(back, ((1.0, ()), (2.0, 3.0)), machine=m)
    assert [(e[1], e[3]) for e in log if e[0] == "call"] == [(0, 1.0), (1, 2.0), (2, 3.0)]
    # the operations go on from there, one ID each
    log.clear()
    _, back = primal_and_pullback(STAGES["N2"](FIG1), (3.0, 4.0), m, recording(log))
    apply(back, 1.0, machine=m)
    assert [e[1] for e in log if e[0] == "take"] == [3, 2, 1, 0]
