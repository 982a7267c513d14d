"""Dual-numbers reverse AD: mutable arrays (section 7, Figs. 11 and 12; section 8.1)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from pullback.papers.dual.arrays import LINEAR_ARRAYS, array_of, modify, used_once
from pullback.papers.language.arrays import ARRAYS, MArr, persistent
from pullback.papers.language.build import E, if_, lam, let, let_pair, letrec, op, prim, reals
from pullback.papers.language.check import NestedTypeError, check
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row
from pullback.papers.language.terms import (
    Build,
    Case,
    Data,
    Fst,
    Fun,
    Let,
    Lit,
    Pair,
    Prod,
    R,
    Snd,
    Source,
    Var,
    Z,
)
from pullback.papers.language.values import pair, reals_in, tuple_value
from tests.papers.conformance import claim
from tests.papers.dual import (
    LINEAR,
    STAGES,
    case,
    outcome,
    primal_and_pullback,
)
from tests.papers.generate import (
    FIG1,
    POW5,
    STANDARD,
    close,
    count,
)

x, y, z = Var("x"), Var("y"), Var("z")
ARRAYS_ONCE = LINEAR_ARRAYS.extended(ARRAYS["nil"], ARRAYS["error"])


@claim("DN-40")
def test_array_sizes(row: str) -> None:
    for s, args, seed, value, gradient in STANDARD.values():
        out = outcome(STAGES["N4"], s, args, seed)
        assert out.value == value and close(out.cotangents, gradient)
        ids = len(out.machine.roles)
        assert out.machine.peaks["marr"] == ids
        assert out.machine.counts["alloc"] == 2
        assert allocated(s, args, seed) == [len(reals_in(list(args))), ids]


def allocated(s: Source, args: Any, seed: Any) -> list[int]:
    """The sizes of the arrays that N4's pullback allocates."""
    w, m, sizes = STAGES["N4"](s), Machine(), []
    original = w.library["alloc"]

    def alloc(m: Machine, given: Any, static: Any) -> object:
        sizes.append(given[0])
        return original.run(m, given, static)

    library = w.library.replaced(Row("alloc", original.rule, alloc, original.cost))
    _, back = primal_and_pullback(w, args, m, library)
    apply(back, seed, machine=m)
    return sizes


@claim("DN-41")
def test_id_0_is_resolved(row: str) -> None:
    for stage in STAGES.values():
        assert outcome(stage, FIG1, (3.0, 4.0), 1.0).cotangents == (10.0, 3.0)
        assert outcome(stage, Source(reals("x"), x, R), (2.0,), 1.0).cotangents == (1.0,)


@claim("DN-44")
def test_space(row: str) -> None:
    """POW5 by ``sign (k - 0.5)`` with an unused literal: 31 IDs are 1 input and 30: 14 literals
    (5, 6 times 0.5, 5 times the 1 of k-1, 1, the unused) and 16 operations (5 products, 11
    differences). With a comparison in place of the sign there are 6 operations less."""
    half = lambda k: prim("sign2", prim("sub", k, 0.5))
    body = letrec("go", Fun(R, R), "k", lambda go, k: Case(
        half(k), "_", Lit(1.0), "_", prim("mul", x, go(k - 1.0))), lambda go: go(5.0))
    out = outcome(STAGES["N4"], Source(reals("x"), Let("u", Lit(0.0), body), R), (2.0,), 1.0)
    assert (out.value, out.cotangents) == (32.0, (80.0,))
    assert out.machine.counts["role:const"] == 14 and out.machine.counts["role:op"] == 16
    assert out.machine.peaks["marr"] == 31
    with_u = Source(reals("x"), Let("u", Lit(0.0), body), R)
    assert allocated(with_u, (2.0,), 1.0) == [1, 31]  # the collector has one cell for one input
    compared = outcome(STAGES["N4"], POW5, (2.0,), 1.0)
    assert compared.machine.peaks["marr"] == 31 - 6 - 1


@claim("DN-46")
def test_arrays_are_used_linearly(row: str) -> None:
    linear_typing()
    for name in ("N4", "N4a", "N4b"):
        for i in range(count(100)):
            s, args, seed = case(i, "RGH")
            w, m = STAGES[name](s), Machine()
            _, back = primal_and_pullback(w, args, m, used_once(w.library))
            found = apply(back, seed, machine=m)[0]
            plain = outcome(STAGES[name], s, args, seed)
            assert found == tuple_value(*plain.cotangents)
    twice = let("m", op("alloc", 1, 0.0), lambda m: let("n", op("set", m, 0, 1.0), lambda n: op(
        "set", m, 0, 2.0)))
    with pytest.raises(RuntimeError, match="consumed before"):
        evaluate(twice, {}, used_once(STAGES["N4"](FIG1).library))


def linear_typing() -> None:
    """Appendix A's typing: what the interface of Fig. 11 takes, and what it does not."""
    a, m = array_of(R), Data("MArr", (R,))
    put = lambda i, x, a: op("set", i, x, a)
    right = [
        lam("a", a, lambda a: op("freeze", put(0, 1.0, put(1, 2.0, a)))),
        lam("a", a, lambda a: op("freeze", modify(Lit(0), lam("x", R, lambda x: x * x), a.t))),
        lam("a", a, lambda a: let_pair(("b", "c"), op("allocBeside", 2, 0.0, a), lambda b, c: op(
            "dealloc", b, op("freeze", c)))),
        lam("a", a, lambda a: if_(prim("lt", 1, 2), op("freeze", a), op("dealloc", a, op(
            "nil", static=(R,))))),
        lam("p", Prod(a, a), lambda p: op("dealloc", Fst(p.t), op("freeze", Snd(p.t)))),
    ]
    wrong = [
        ("twice", lam("a", a, lambda a: Pair(op("freeze", a), op("freeze", a)))),
        ("after it was consumed", lam("a", a, lambda a: let("b", put(0, 1.0, a), lambda b: Pair(
            op("freeze", b), op("size", a))))),
        ("never", lam("a", a, lambda a: 0.0)),
        ("one half only", lam("p", Prod(a, a), lambda p: op("freeze", Fst(p.t)))),
        ("in one branch", lam("a", a, lambda a: if_(
            prim("lt", 1, 2), op("freeze", a), op("nil", static=(R,))))),
        ("by a function that may run again", lam("a", a, lambda a: lam(
            "i", Z, lambda i: op("freeze", a)))),
        ("in a loop", lam("a", a, lambda a: Build(Lit(2), "i", op("freeze", a)))),
    ]
    for t in right:
        check(t, library=ARRAYS_ONCE)
    for what, t in wrong:
        with pytest.raises(NestedTypeError):
            check(t, library=ARRAYS_ONCE)
            raise AssertionError(what)
    # ... and neither does a run
    for _, t in wrong[:2]:
        with pytest.raises(RuntimeError, match="consumed before"):
            evaluate(op("alloc", 3, 0.5, t), library=ARRAYS_ONCE)
    # The arrays of the stages: reading leaves them, and nothing sees a write.
    check(lam("m", m, lambda m: op("set", m, 0, E(op("get", m, 0)) + op("get", m, 1))))
    for t in (
        lam("m", m, lambda m: let("n", op("set", m, 0, 1.0), lambda n: op("get", m, 0))),
        lam("m", m, lambda m: let("n", op("push", m, 1.0), lambda n: Pair(n.t, m.t))),
        lam("m", m, lambda m: Pair(lam("i", Z, lambda i: op("get", m, i)), op("freeze", m))),
    ):
        with pytest.raises(NestedTypeError, match="consumed"):
            check(t)


def mutable_arrays(v: object) -> bool:
    """Whether a value holds a mutable array."""
    match v:
        case MArr():
            return True
        case tuple() | list():
            return any(map(mutable_arrays, v))
        case _:
            return any(map(mutable_arrays, getattr(v, "fields", ())))


@claim("DN-47")
def test_mutation_is_invisible(row: str) -> None:
    for name in LINEAR:
        for i in range(count(60)):
            s, args, seed = case(i, "RGH")
            m = Machine()
            _, back = primal_and_pullback(STAGES[name](s), args, m)
            first = apply(back, seed, machine=m)[0]
            assert first == apply(back, seed, machine=m)[0]
            assert not mutable_arrays(first)  # none escapes
            if i < 5:
                with ThreadPoolExecutor(4) as pool:
                    calls = [pool.submit(apply, back, seed, machine=m) for _ in range(8)]
                    assert all(call.result(60)[0] == first for call in calls)


@claim("DN-48")
def test_persistent_arrays(row: str) -> None:
    """The terms with arrays that are copied, state passing instead of effects, give the same."""
    for name in ("N4", "N4a", "N4b"):
        for i in range(count(60)):
            s, args, seed = case(i, "RGH")
            w, m = STAGES[name](s), Machine()
            library = persistent(w.library)
            _, back = primal_and_pullback(w, args, m, library)
            found = apply(back, seed, machine=m)[0]
            plain = outcome(STAGES[name], s, args, seed)
            assert found == tuple_value(*plain.cotangents)
            assert m.calls == plain.machine.calls
            assert m.counts.get("set") == plain.machine.counts.get("set")


@claim("DN-49")
def test_no_collector(row: str) -> None:
    for i in range(count(300)):
        s, args, seed = case(i, "RGH")
        assert outcome(STAGES["N4"], s, args, seed).cotangents == outcome(
            STAGES["N4a"], s, args, seed).cotangents
        # on termination c[i] = snd m[i] for every input i: N4 freezes c, its second array is m
        arrays: list[MArr] = []
        w, m = STAGES["N4"](s), Machine()
        alloc = w.library["alloc"]

        def noted(
            m: Machine, given: Any, static: Any, alloc: Row = alloc, to: list[MArr] = arrays
        ) -> object:
            out = alloc.run(m, given, static)
            to.append(cast(MArr, out))
            return out

        library = w.library.replaced(Row("alloc", alloc.rule, noted, alloc.cost))
        _, back = primal_and_pullback(w, args, m, library)
        apply(back, seed, machine=m)
        c, calls = arrays
        assert c.cells == [pair(e)[1] for e in calls.cells[: len(c.cells)]]
