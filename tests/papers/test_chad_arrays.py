"""Efficient CHAD, section 7 and 8.1: array programs."""

from __future__ import annotations

import random
from typing import Any

from pullback.papers.chad.bags import BAGS, TREE, densify
from pullback.papers.chad.gather import recognised, recognised_after
from pullback.papers.chad.monadic import CHAD, chad_of
from pullback.papers.chad.program import check_chad, run_monadic
from pullback.papers.chad.types import t1_context
from pullback.papers.chad.values import bag_size
from pullback.papers.language.build import if_, op, prim
from pullback.papers.language.check import check
from pullback.papers.language.eval import evaluate
from pullback.papers.language.linear import L_R, plus
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    Arr,
    Build,
    Context,
    Fold,
    Foldl,
    Fst,
    Let,
    Lit,
    Map,
    Op,
    Pair,
    R,
    Scan,
    Snd,
    Source,
    Term,
    Type,
    Var,
    Z,
    ZipWith,
)
from pullback.papers.language.traverse import alpha_eq
from pullback.papers.language.values import ConV, Inj
from pullback.papers.methods import Outcome
from tests.papers.chad_tools import apart, programs, slope
from tests.papers.conformance import claim
from tests.papers.generate import close, count, finite_difference

A, BB, C, IDX = Var("a"), Var("b"), Var("c"), Var("ix")
AR: Type = Arr(R)
AB: Context = (("a", AR), ("b", AR))
ABC: Context = (*AB, ("c", R))
a3, b3 = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]


def total(t: Term) -> Term:
    return Fold("p", prim("add", Fst(Var("p")), Snd(Var("p"))), t)


def dot(s: Term, t: Term) -> Term:
    return total(ZipWith("u", "v", prim("mul", Var("u"), Var("v")), s, t))


def product(t: Term, by: Term | None = None) -> Term:
    body = prim("mul", Fst(Var("q")), Snd(Var("q")))
    return Fold("q", prim("mul", body, by) if by else body, t)


def run(context: Context, body: Term, *args: Any, seed: object = 1.0) -> Outcome:
    source = Source(context, body, R)
    check_chad(apart(source))
    out = run_monadic(source, args, seed)
    assert close(finite_difference(source, args, seed), out.cotangents, 1e-5)
    return out


def expect(out: Outcome, value: float, *cotangents: object) -> None:
    assert close(out.value, value, 1e-6) and close(out.cotangents, cotangents, 1e-6)


@claim("CHAD-51")
def test_bags(row: str) -> None:
    for n in (10, 100, 1000):
        bag: object = ConV("BEmpty", ())
        for k in range(n):
            bag = ConV("BPlus", (bag, ConV("BOne", ((k, 1.0),))))
        assert evaluate(op("collect", Var("d")), {"d": bag}, BAGS)[1] == 2 + 2 * n + 1
        assert evaluate(op("plus", Var("d"), Var("d")), {"d": bag}, BAGS)[1] == 3
        assert evaluate(op("BOne", Pair(Lit(1), C)), {"c": 1.0}, BAGS)[1] == 5


@claim("CHAD-52")
def test_build(row: str) -> None:
    body = total(Build(op("length", A), "i", prim(
        "mul", op("index", A, Var("i")), op("index", BB, Var("i")))))
    expect(run(AB, body, a3, b3), 32.0, b3, a3)
    empty = op("sum", Build(op("length", A), "i", op("index", A, Var("i"))))
    expect(run(AB, empty, [], b3), 0.0, [], [0.0, 0.0, 0.0])


@claim("CHAD-53")
def test_index_makes_one_bone(row: str) -> None:
    for n in (1, 5, 20):
        body = total(Build(Lit(n), "i", op("index", A, Lit(0))))
        assert run(AB, body, a3, b3).machine.counts["BOne"] == n


@claim("CHAD-54")
def test_fold(row: str) -> None:
    expect(run(ABC, product(BB), a3, b3, 2.0), 120.0, [0.0] * 3, [30.0, 24.0, 20.0], 0.0)
    expect(run(ABC, product(BB, C), a3, b3, 2.0), 480.0, [0.0] * 3, [120.0, 96.0, 80.0], 480.0)
    # A left tree, by foldl, has the same gradient as the balanced one.
    head = op("index", BB, Lit(0))
    left = Foldl("s", "t", prim("mul", Var("s"), prim("mul", Var("t"), C)), head,
                 op("slice", BB, Lit(1), Lit(2)))
    expect(run(ABC, left, a3, b3, 2.0), 480.0, [0.0] * 3, [120.0, 96.0, 80.0], 480.0)


@claim("CHAD-55")
def test_each_combining_backpropagator_is_called_once(row: str) -> None:
    for n in (1, 2, 3, 7, 16, 33):
        values = [1.0 + k / n for k in range(n)]
        m = run((("b", AR),), product(BB), values).machine
        assert m.counts.get("prim:mul", 0) == n - 1
        assert m.counts.get("op:lscale", 0) == 2 * (n - 1)
        assert all(calls <= 1 for role, calls in zip(m.roles, m.calls) if role == "bp")


@claim("CHAD-56")
def test_linear_time(row: str) -> None:
    squares = total(Map("s", prim("mul", Var("s"), Var("s")), A))
    builds = total(Build(op("length", A), "i", op("index", A, Var("i"))))
    for body in (dot(A, BB), squares, builds):
        points = []
        for n in (2**6, 2**9, 2**12):
            values = [1.0] * n
            out = run_monadic(Source(AB, body, R), (values, values), 1.0)
            points.append((n, out.cost))
        assert 0.97 < slope(points) < 1.03


@claim("CHAD-57")
def test_nested_arrays(row: str) -> None:
    body = total(Build(op("length", Var("m")), "i", prim(
        "mul", op("index", op("index", Var("m"), Var("i")), Lit(1)), op("index", A, Var("i")))))
    matrix = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    expect(run((("m", Arr(AR)), ("a", AR)), body, matrix, a3), 28.0,
           [[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]], [2.0, 4.0, 6.0])


@claim("CHAD-58")
def test_length_is_discrete(row: str) -> None:
    body = prim("mul", prim("to_real", op("length", A)), op("index", A, prim(
        "sub", op("length", A), 1)))
    expect(run((("a", AR),), body, a3), 9.0, [0.0, 0.0, 3.0])


@claim("CHAD-59")
def test_operations_of_the_target(row: str) -> None:
    def value(t: Term, **env: object) -> object:
        return evaluate(t, env, BAGS)[0]

    d = ConV("BPlus", (ConV("BOne", ((2, 5.0),)), ConV("BPlus", (
        ConV("BPairs", ([(0, 1.0), (2, 7.0)],)), ConV("BArray", ([1.0, 2.0],))))))
    assert value(op("collect", A), a=d) == [(2, 5.0), (0, 1.0), (2, 7.0), (0, 1.0), (1, 2.0)]
    assert value(densify(Lit(3), L_R, A), a=d) == [2.0, 2.0, 12.0]
    assert value(op("unzip", A), a=[(1.0, 2), (3.0, 4)]) == ([1.0, 3.0], [2, 4])
    cons = op("lcons", Lit(1.0), op("lcons", Lit(2.0), Op("lnil", (), (R,))))
    assert value(op("fromList", cons)) == [1.0, 2.0]
    assert value(op("concat", A), a=[[1.0], [], [2.0, 3.0]]) == [1.0, 2.0, 3.0]


@claim("CHAD-61")
def test_map_and_zip_with(row: str) -> None:
    body = dot(Map("s", prim("mul", C, prim("sin", Var("s"))), A), BB)
    expect(run(ABC, body, a3, b3, 2.0), 17.518182, [4.322418, -4.161468, -11.87991],
           [1.682942, 1.818595, 0.28224], 8.759091)


@claim("CHAD-62")
def test_replicate_and_sum(row: str) -> None:
    expect(run(ABC, dot(op("replicate", Lit(3), C), BB), a3, b3, 2.0),
           30.0, [0.0] * 3, [2.0] * 3, 15.0)
    squares = op("sum", Map("s", prim("mul", Var("s"), Var("s")), A))
    expect(run((("a", AR),), squares, a3), 14.0, [2.0, 4.0, 6.0])


IX: Context = (*AB, ("ix", Arr(Z)))


@claim("CHAD-63")
def test_gather(row: str) -> None:
    expect(run(IX, dot(op("gather", A, IDX), BB), a3, b3, [2, 0, 2]),
           35.0, [5.0, 0.0, 10.0], [3.0, 1.0, 3.0], [(), (), ()])


@claim("CHAD-64")
def test_scatters(row: str) -> None:
    nothing = [(), (), ()]
    expect(run(IX, dot(op("scatter_add", A, IDX, A), BB), a3, b3, [2, 0, 2]),
           64.0, [10.0, 9.0, 12.0], [3.0, 2.0, 7.0], nothing)
    out = run((*IX, ("c", R)), dot(op("scatter_set", A, IDX, Map(
        "s", prim("mul", Var("s"), C), BB)), BB), a3, b3, [2, 0, 2], 2.0)
    expect(out, 122.0, [0.0, 5.0, 0.0], [10.0, 10.0, 24.0], nothing, 56.0)


@claim("CHAD-65")
def test_scan(row: str) -> None:
    body = prim("mul", Fst(Var("p2")), Snd(Var("p2")))
    expect(run(AB, dot(Scan("p2", body, A), BB), a3, b3), 50.0, [50.0, 23.0, 12.0],
           [1.0, 2.0, 6.0])
    scaled = Scan("p2", prim("mul", body, C), A)
    out = run(ABC, dot(scaled, BB), a3, b3, 2.0)
    assert close(out.value, 4.0 + 5.0 * 4.0 + 6.0 * 24.0)
    run(ABC, op("sum", Scan("p2", body, A)), [], b3, 2.0)


@claim("CHAD-66")
def test_foldl(row: str) -> None:
    body = Foldl("s", "t", prim("add", prim("mul", Var("s"), C), Var("t")), C, A)
    expect(run((("a", AR), ("c", R)), body, a3, 2.0), 27.0, [4.0, 2.0, 1.0], 38.0)


@claim("CHAD-67")
def test_transpose_stencil_matmul(row: str) -> None:
    matrix = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    rows: Context = (("m", Arr(AR)),)
    m = Var("m")
    expect(run(rows, op("sum", op("index", op("transpose", m), Lit(1))), matrix), 12.0,
           [[0.0, 1.0]] * 3)

    def at(t: Term, i: object, j: object) -> Term:
        return op("index", op("index", t, _term(i)), _term(j))

    entry = op("sum", Build(Lit(3), "k", prim(
        "mul", at(m, Var("k"), Var("i")), at(m, Var("k"), Var("j")))))
    gram = Build(Lit(2), "i", Build(Lit(2), "j", entry))
    weights = op("sum", Map("r", op("sum", Map("e", prim("sin", Var("e")), Var("r"))), gram))
    run(rows, weights, [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    near = [op("index", A, prim("add", Var("i"), k)) for k in range(3)]
    stencil = Build(prim("sub", op("length", A), 2), "i", prim("mul", prim(
        "add", near[0], near[2]), near[1]))
    run((("a", AR),), op("sum", stencil), [1.0, 2.0, 3.0, 5.0])


def _term(i: object) -> Term:
    return i if isinstance(i, Var | Lit) else Lit(int(str(i)))


@claim("CHAD-68")
def test_nested_folds(row: str) -> None:
    inner = Fold("q", prim("mul", Fst(Var("q")), Snd(Var("q"))), Var("r"))
    body = Fold("p", prim("add", Fst(Var("p")), Snd(Var("p"))), Map("r", inner, Var("m")))
    ratios = []
    for n in (4, 8, 16, 32, 64):
        matrix = [[1.0] * n for _ in range(n)]
        primal = evaluate(body, {"m": matrix})[1]
        out = run_monadic(Source((("m", Arr(AR)),), body, R), (matrix,), 1.0)
        ratios.append(out.cost / primal)
    assert max(ratios) < 40 and ratios[-1] < 1.1 * ratios[2]


@claim("CHAD-95")
def test_one_element_of_an_array(row: str) -> None:
    body = prim("mul", op("index", A, Lit(0)), op("index", A, Lit(0)))
    costs = set()
    for n in (1, 10, 1000):
        costs.add(run_monadic(Source((("a", AR),), body, R), ([2.0] * n,), 1.0).reverse)
    assert len(costs) == 1


def test_other_operations() -> None:
    weights: Context = (*AB, ("w", AR))
    w, six = Var("w"), [0.5, -1.0, 2.0, 3.0, 0.25, 1.0]
    run(weights, dot(op("append", A, BB), w), a3, b3, six)
    run(AB, dot(op("reverse", A), BB), a3, b3)
    run(AB, dot(op("slice", A, Lit(1), Lit(2)), op("slice", BB, Lit(0), Lit(2))), a3, b3)
    both = op("zip", A, BB)
    run(AB, op("sum", Map("q", prim("mul", Fst(Var("q")), Snd(Var("q"))), both)), a3, b3)
    parts = op("unzip", both)
    run(AB, dot(Fst(parts), Snd(parts)), a3, b3)


def test_random_array_programs() -> None:
    for source, args, seed in programs("RGA"):
        check_chad(apart(source))
        out = run_monadic(source, args, seed)
        assert close(finite_difference(source, args, seed), out.cotangents, 1e-4)
        assert all(n <= 1 for role, n in zip(out.machine.roles, out.machine.calls) if role == "bp")


def doubled(k: int) -> Source:
    """Program (14): let a = build k (i. c * c) in build (length a) (i. (a ! i) * 2)."""
    made = Build(Lit(k), "i", prim("mul", C, C))
    return Source((("c", R),), Let("a2", made, Build(op("length", Var("a2")), "j", prim(
        "mul", op("index", Var("a2"), Var("j")), Lit(2.0)))), AR)


def before(source: Source, *args: Any, seed: object) -> Outcome:
    return run_monadic(source, args, seed, prepare=recognised)


def after(source: Source, *args: Any, seed: object) -> Outcome:
    return run_monadic(source, args, seed, after=recognised_after)


@claim("CHAD-76")
def test_one_block_for_a_gather(row: str) -> None:
    for k in (1, 5, 20):
        source, ds = doubled(k), [1.0 + i for i in range(k)]
        base, found = run_monadic(source, (3.0,), ds), before(source, 3.0, seed=ds)
        assert base.value == found.value and close(base.cotangents, found.cotangents)
        assert base.machine.counts["BOne"] == k
        assert "BOne" not in found.machine.counts and found.machine.counts["BArray"] == 1
        # The cotangent of a is 2 d.
        direct = Source((("a", AR),), Build(op("length", A), "j", prim(
            "mul", op("index", A, Var("j")), Lit(2.0))), AR)
        assert before(direct, ds, seed=ds).cotangents == ([2.0 * d for d in ds],)


@claim("CHAD-77")
def test_gathers_before_and_after(row: str) -> None:
    ints: Context = (("a", AR), ("ix", Arr(Z)))
    at = op("index", IDX, Var("i"))
    args: tuple[Any, ...] = (a3, [2, 0, 2, 1])
    for array in (A, Map("u", prim("sin", Var("u")), A)):
        source = Source(ints, Build(op("length", IDX), "i", op("index", array, at)), AR)
        ds = [1.0, 2.0, 3.0, 4.0]
        base = run_monadic(source, args, ds)
        assert base.machine.counts["BOne"] == 4
        for way in (before, after):
            found = way(source, *args, seed=ds)
            assert found.value == base.value and close(found.cotangents, base.cotangents)
            assert "BOne" not in found.machine.counts and found.machine.counts["BPairs"] == 1
        check(recognised_after(chad_of(apart(source))), t1_context(ints), (TREE,), CHAD)
    # What is no gather stays: i in the array, or another value of i in the body.
    rows = Source((("m", Arr(AR)),), Build(Lit(2), "i", op(
        "index", op("index", Var("m"), Var("i")), Lit(0))), AR)
    with_i = Source(AB, Build(Lit(2), "i", prim("mul", op("index", A, Var("i")), if_(
        prim("lt", Var("i"), Lit(1)), Lit(1.0), Lit(2.0)))), AR)
    for source in (rows, with_i):
        t = chad_of(apart(source))
        assert alpha_eq(recognised_after(t), t)
    assert alpha_eq(recognised(with_i).body, with_i.body)
    for source, given, seed in programs("RGA"):
        wanted = run_monadic(source, given, seed)
        for way in (before, after):
            found = way(source, *given, seed=seed)
            assert found.value == wanted.value
            assert close(found.cotangents, wanted.cotangents)


@claim("CHAD-78")
def test_blocks_cost_their_length(row: str) -> None:
    for n in (1, 10, 100):
        block = op("BArray", Var("ds"))
        d, cost = evaluate(block, {"ds": [1.0] * n}, BAGS)
        assert cost == 2 + n  # so that there is enough for collect
        assert evaluate(op("collect", Var("d")), {"d": d}, BAGS)[1] == 2 + 1 + n
        one = op("BOne", Pair(Lit(0), Var("d")))
        assert evaluate(one, {"d": 1.0}, BAGS)[1] == 5


# --- the bound with arrays (section 7 leaves it to the reader) ------------------------------------


def nodes(v: object) -> int:
    """The size of a value: its constructors."""
    match v:
        case tuple() | list():
            return 1 + sum(map(nodes, v))
        case Inj(_, x):
            return 1 + nodes(x)
        case _:
            return 1


def leaves_of(bag: object) -> list[ConV]:
    """The constructors of a bag that hold something, or nothing."""
    assert isinstance(bag, ConV)
    if bag.name == "BPlus":
        return [*leaves_of(bag.fields[0]), *leaves_of(bag.fields[1])]
    return [bag]


def potential(bag: object) -> int:
    """1 + 3 for each leaf + what is in the leaves: that of CHAD-27 does not pay for BPlus."""
    leaves = leaves_of(bag)
    return 1 + 3 * len(leaves) + sum(nodes(x) for leaf in leaves for x in leaf.fields)


def random_bag(rng: random.Random, depth: int) -> ConV:
    if depth and rng.random() < 0.7:
        return ConV("BPlus", (random_bag(rng, depth - 1), random_bag(rng, depth - 1)))
    return rng.choice((
        ConV("BEmpty", ()), ConV("BOne", ((rng.randrange(9), 1.0),)),
        ConV("BArray", ([1.0] * rng.randrange(4),))))


ARRAY_BOUND = 104
"""The constant of TH2, 34, is too small for arrays. An element that costs a fold one step costs
its derivative 101: Fig. 9 makes a leaf and a node for it, goes down to them, and appends to a
difference list. A fold in the body of a fold comes to 102.7 at 128 elements."""


@claim("CHAD-60")
def test_the_bound_with_arrays(row: str) -> None:
    rng = random.Random(1)
    for _ in range(200):
        a, b = random_bag(rng, 4), random_bag(rng, 4)
        m = Machine()
        both = plus(m, a, b)
        assert m.cost - potential(a) - potential(b) + potential(both) == 0  # eq. 4
        assert bag_size(both) <= potential(both)  # so that collect is paid for
    i, p = Var("i"), Var("p")
    at = lambda v: op("index", v, i)
    arrays = lambda *names: tuple((v, Arr(R)) for v in names)
    each = lambda t: op("sum", Build(op("length", A), "i", t))
    families = [
        Source(arrays("a", "b"), each(prim("mul", at(A), at(Var("b")))), R),
        Source(arrays("a"), Fold("p", prim("mul", Fst(p), Snd(p)), A), R),
        Source(arrays("a"), Foldl("s", "x", prim("mul", Var("s"), Var("x")), Lit(0.5), A), R),
        Source(arrays("a"), op("index", A, 0), R),
        Source(arrays("a"), each(op("sum", Map("x", prim("mul", Var("x"), at(A)), A))), R),
        Source(arrays("a"), op("sum", op("gather", A, Build(op("length", A), "i", i))), R),
    ]
    constant = Fold("p", Var("b"), A)  # the shortest body there is
    families += [Source((*arrays("a"), ("b", R)), t, R) for t in (
        constant, Fold("q", constant, A), Foldl("s", "x", Var("b"), Var("b"), A),
        op("sum", Scan("p", Var("b"), A)), op("sum", Map("x", constant, A)))]
    cases = [(s, tuple(1.5 if t == R else [1.0 + k / 50 for k in range(n)] for _, t in s.context),
              1.0) for s in families for n in (1, 4, 32)]
    cases += list(programs("RGA", count(120), every=False))
    worst = 0.0
    for source, args, seed in cases:
        source = apart(source)
        names = [v for v, _ in source.context]
        steps = evaluate(source.body, dict(zip(names, args, strict=True)))[1]
        taken = run_monadic(source, args, seed).cost
        free = 5 + 4 * len(names) + sum(map(nodes, args)) + nodes(seed)
        assert taken <= ARRAY_BOUND * steps + free
        worst = max(worst, (taken - free) / steps)
    assert worst > 100
