"""Krawiec et al., sections 5.3 to 9: the monadic translation, its bounds, theorems and wrapper."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import cast

from pullback.papers.delta.arrays import ARRAY
from pullback.papers.delta.eval import BINDS_DECL, MAP, Store
from pullback.papers.delta.monadic import k_term
from pullback.papers.delta.rows import LIBRARY
from pullback.papers.delta.show import delta_of, show_delta
from pullback.papers.delta.types import DELTA_DECL, STATE, duals
from pullback.papers.delta.wrapper import gradient, run, wrap
from pullback.papers.dual.types import dual_type
from pullback.papers.language import maps as tree
from pullback.papers.language.build import lets, prim, reals
from pullback.papers.language.check import check, types_of
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.pretty import show, show_type
from pullback.papers.language.prims import is_discrete
from pullback.papers.language.terms import (
    Con,
    Data,
    Fst,
    Fun,
    Let,
    Lit,
    Pair,
    Prod,
    R,
    Real,
    Snd,
    Source,
    Term,
    Var,
    Z,
)
from pullback.papers.language.traverse import subterms
from pullback.papers.language.values import ConV, reals_in
from tests.papers.conformance import claim
from tests.papers.families import FAMILIES, size, steps
from tests.papers.families import worst as worst_ratios
from tests.papers.generate import (
    DEAD,
    FIG1,
    FULL,
    REAL_PRIMITIVES,
    WITHIN,
    close,
    count,
    dbl,
    finite_difference,
    random_cotangent,
    random_program,
    sumsq,
)

x, y = Var("x"), Var("y")
Delta = dict[int, float]


def binds(d: ConV) -> tuple[list[tuple[int, ConV]], ConV]:
    """The bindings of a nest of Lets, the outermost first, and its body."""
    out = []
    while d.name == "Let":
        i, rhs, d = cast("tuple[int, ConV, ConV]", d.fields)
        out.append((i, rhs))
    return out, d


def denote(d: object, env: dict[int, Delta]) -> Delta:
    """[[u]]: a linear combination of the free variables."""
    assert isinstance(d, ConV)
    f = d.fields
    match d.name:
        case "Zero":
            return {}
        case "Scale":
            return {k: cast(float, f[0]) * v for k, v in denote(f[1], env).items()}
        case "Add":
            a, b = denote(f[0], env), denote(f[1], env)
            return {k: a.get(k, 0.0) + b.get(k, 0.0) for k in {*a, *b}}
        case "Var":
            i = cast(int, f[0])
            return env.get(i, {i: 1.0})
        case _:
            return denote(f[2], {**env, cast(int, f[0]): denote(f[1], env)})


def eval_map(seed: float, d: ConV) -> Delta:
    """eval seed d {} of the map version."""
    found, _ = evaluate(MAP.fold(Var("x"), Var("u")), {"x": seed, "u": d}, LIBRARY)
    return {e[0]: e[1] for e in cast("list[tuple[int, float]]", list(
        tree.entries(cast(tree.Map, found))))}


def nodes(d: object) -> int:
    """Return the number of constructors of a Delta."""
    parts = d.fields if isinstance(d, ConV) else ()
    return isinstance(d, ConV) + sum(map(nodes, parts))


def visited(m: Machine) -> int:
    return sum(c for role, c in zip(m.roles, m.calls) if role == "eval")


def lets_made(m: Machine, store: Store) -> int:
    return m.counts.get("con:Bind" if store is MAP else "push", 0)


def slope(small: float, large: float, n: int, m: int) -> float:
    return math.log(large / small) / math.log(m / n)


@claim("KR-20")
def test_monadic_translation(row: str) -> None:
    for seed in range(count(150)):
        s, _ = random_program(seed, "RGH", 20)
        wrap(s, MAP)  # which checks the type of what it makes
    assert show_delta(delta_of(FIG1, (3.0, 4.0))).splitlines() == [
        "Let 3 = Add (Var 1) (Var 2) in",
        "Let 4 = Add (Scale 7 (Var 1)) (Scale 3 (Var 3)) in", "Var 4"]
    n = duals(STATE)
    assert show_type(dual_type(Fun(R, Z), n)) == "R * Delta -> DeltaState -> Z * DeltaState"


@claim("KR-21")
def test_invariant(row: str) -> None:
    for seed in range(count(120)):
        s, args = random_program(seed, "RGH", 25)
        if s.result != R:
            continue
        made, body = binds(delta_of(s, args))
        assert body.name in ("Zero", "Var")
        for _, rhs in made:
            atoms: list[object] = [rhs]
            while atoms:
                d = atoms.pop()
                assert isinstance(d, ConV)
                if d.name in ("Scale", "Add"):
                    atoms += [f for f in d.fields if isinstance(f, ConV)]
                else:
                    assert d.name in ("Zero", "Var")
        # and at every dual number that the translation makes, whether it gets into a binding or not
        n, decls = duals(MAP.state), (DELTA_DECL, BINDS_DECL)
        translated = k_term(s.body, s.context, MAP.start(Lit(9)), n)
        context = {v: dual_type(t, n) for v, t in s.context} | {
            "deltaLet": check(MAP.delta_let, (), decls, LIBRARY)}
        types = types_of(translated, context, decls, LIBRARY)
        for t in subterms(translated):
            if isinstance(t, Pair) and types[t] == Prod(R, Data("Delta")):
                assert isinstance(t.right, Con) and t.right.name in ("Zero", "Var"), show(t)
    # a literal is (r, Zero) and makes no binding: Fig. 12's 40 are 38 so
    with_literals = Source(reals("x"), prim("add", prim("mul", x, 2.0), 3.0), R)
    assert show_delta(delta_of(with_literals, (5.0,))).splitlines() == [
        "Let 2 = Add (Scale 2 (Var 1)) (Scale 5 Zero) in",
        "Let 3 = Add (Var 2) Zero in", "Var 3"]


@claim("KR-22")
def test_run_delta(row: str) -> None:
    made, body = binds(delta_of(FIG1, (3.0, 4.0)))
    assert [i for i, _ in made] == [3, 4] and body == ConV("Var", (4,))  # earliest is outermost
    for seed in range(count(200)):
        s, args = random_program(seed, "RG", 20)
        if s.result == R:
            assert gradient(s, args, 1.0, MAP) == gradient(s, args, 1.0, ARRAY)


@claim("KR-23")
def test_eval(row: str) -> None:
    assert eval_map(1.0, delta_of(FIG1, (3.0, 4.0))) == {1: 10.0, 2: 3.0}
    # eval x (Add u v) m = eval x v (eval x u m): 1 is lost in 1e20, and then 1e20 is taken away
    var = ConV("Var", (1,))
    large, away = (ConV("Scale", (c, var)) for c in (1e20, -1e20))
    assert eval_map(1.0, ConV("Add", (ConV("Add", (var, large)), away))) == {1: 0.0}
    assert eval_map(1.0, ConV("Add", (ConV("Add", (large, away)), var))) == {1: 1.0}


@claim("KR-24")
def test_dead_bindings(row: str) -> None:
    # eval visits Let 2 = Scale (cos 3) (Var 1) and Let 3 = .., but not the right side of Let 2.
    for store in (MAP, ARRAY):
        out = run(store)(DEAD, (3.0,), 1.0)
        assert out.cotangents == (6.0,)
        assert lets_made(out.machine, store) == 2
    assert visited(run(ARRAY)(DEAD, (3.0,), 1.0).machine) == 1 + 5  # Add, 2 Scale, 2 Var
    # An infinite coefficient in a dead binding does no harm.
    s = Source(reals("x"), Let("u", prim("sqrt", prim("sub", x, x)), prim("mul", x, x)), R)
    for store in (MAP, ARRAY):
        assert gradient(s, (3.0,), 1.0, store) == (9.0, (6.0,))


@claim("KR-25")
def test_wrapper(row: str) -> None:
    for store in (MAP, ARRAY):
        assert gradient(FIG1, (3.0, 4.0), 1.0, store) == (21.0, (10.0, 3.0))
        assert gradient(FIG1, (3.0, 4.0), 2.0, store) == (21.0, (20.0, 6.0))
        unused = Source(reals("x", "y"), prim("mul", x, x), R)
        assert gradient(unused, (3.0, 4.0), 1.0, store) == (9.0, (6.0, 0.0))
        assert gradient(Source(reals("x"), Lit(2.0), R), (3.0,), 1.0, store) == (2.0, (0.0,))
    # ids 1..a for the inputs, and a+1 is the first that deltaLet gives
    one = Source(reals("x"), x, R)
    assert show_delta(delta_of(one, (3.0,))) == "Var 1"
    lines = show_delta(delta_of(FIG1, (3.0, 4.0))).splitlines()
    assert lines[0] == "Let 3 = Add (Var 1) (Var 2) in" and lines[-1] == "Var 4"


@claim("KR-26")
def test_array_version(row: str) -> None:
    for seed in range(count(200)):
        s, args = random_program(seed, "RGH", 25)
        value = evaluate(s.body, dict(zip((v for v, _ in s.context), args)))[0]
        ct = random_cotangent(value, random.Random(seed))
        assert gradient(s, args, ct, MAP) == gradient(s, args, ct, ARRAY)  # bit for bit
    sizes = (300, 1200, *(4800, 9600) * FULL)
    costs = [run(ARRAY)(dbl(n), (1e-9,), 1.0).reverse for n in sizes]
    for k in range(len(sizes) - 1):
        assert abs(slope(*costs[k : k + 2], *sizes[k : k + 2]) - 1.0) < 0.05


@claim("KR-28")
def test_forward_phase_bound(row: str) -> None:
    def ratio(s: Source, args: tuple[object, ...]) -> float:
        plain = evaluate(s.body, dict(zip((v for v, _ in s.context), args)))[1]
        return run(ARRAY)(s, args, 1.0).forward / (plain + size_of(args))

    worst = 0.0
    for seed in range(count(400)):
        s, args = random_program(seed, "RGH", 30)
        if s.result == R:
            worst = max(worst, ratio(s, args))
    assert worst < 60  # the derivatives of one primitive, pow, take up to 44 (CHAD-47)
    for n in (10, 300, 10_000 if FULL else 2000):
        assert ratio(dbl(n), (1e-9,)) < 40
    for n in (8, 64, 512):
        assert ratio(sumsq(n, balanced=True), (tuple_of(n),)) < 40
    forward, _ = worst_ratios("delta.monadic", (8, 64))
    assert forward < 40


def tuple_of(n: int) -> object:
    return (tuple_of(n // 2), tuple_of(n - n // 2)) if n > 1 else 1.5


def size_of(v: object) -> int:
    return sum(map(size_of, v)) if isinstance(v, tuple) else 1


def operations(m: Machine) -> int:
    return sum(n for k, n in m.counts.items() if k.startswith("prim:"))


@claim("KR-29")
def test_number_of_bindings(row: str) -> None:
    for seed in range(count(400)):
        s, args = random_program(seed, "RGH", 30)
        if s.result != R:
            continue
        m = Machine()
        evaluate(s.body, dict(zip((v for v, _ in s.context), args)), LIBRARY, m)
        assert lets_made(run(MAP)(s, args, 1.0).machine, MAP) <= operations(m)


@claim("KR-30")
def test_eval_is_linear(row: str) -> None:
    # Nodes of the nested Lets: one for each Let, Add and Var of dbl: 4 n + 1.
    for n in (10, 15, 100):
        assert visited(run(MAP)(dbl(n), (1.0,), 1.0).machine) == 4 * n + 1
    # Every primitive makes a binding, so that what uses its result twice does not double the work.
    for name in sorted(p for p, arity in REAL_PRIMITIVES.items() if arity == 1):
        within = lambda t, name=name: prim("add", WITHIN.get(name, ((0.4, 0),))[0][0], prim(
            "mul", 0.1, prim("tanh", t)))

        def chained(n: int, name: str = name, within: Callable[[Term], Term] = within) -> Machine:
            bound: list[tuple[str, Term]] = [("u0", x)]
            for k in range(n):
                bound += [(f"v{k}", prim(name, within(Var(f"u{k}")))),
                          (f"u{k + 1}", prim("add", Var(f"v{k}"), Var(f"v{k}")))]
            s = Source(reals("x"), lets(bound, Var(f"u{n}")), R)
            return run(MAP)(s, (0.3,), 1.0).machine

        few, more, most = map(chained, (4, 8, 12))
        assert visited(most) - visited(more) == visited(more) - visited(few), name
        assert lets_made(few, MAP) == 4 * (4 if is_discrete(name) else 5), name
    # Of any program: at most once each node (what is dead is not visited).
    for seed in range(count(400)):
        s, args = random_program(seed, "RGH", 25)
        if s.result == R:
            assert visited(run(MAP)(s, args, 1.0).machine) <= nodes(delta_of(s, args))


@claim("KR-31")
def test_theorem_5(row: str) -> None:
    for store, bound in ((ARRAY, 1.05), (MAP, 1.25)):
        for s in (dbl, lambda n: sumsq(n, balanced=True)):
            costs = []
            for n in (64, 512 if FULL else 256):
                arg = 1e-9 if s is dbl else tuple_of(n)
                costs.append(run(store)(s(n), (arg,), 1.0).cost)
            assert 0.95 < slope(costs[0], costs[1], 64, 512 if FULL else 256) < bound
    for name, make in FAMILIES.items():
        few, many = (make(n) for n in (16, 64))
        small, large = (run(ARRAY)(*c).cost / (steps(c) + size(c)) for c in (few, many))
        assert large < min(130, 1.1 * small), name
    for seed in range(count(400)):
        s, args = random_program(seed, "RGH", 30)
        if s.result == R:
            plain = evaluate(s.body, dict(zip((v for v, _ in s.context), args)))[1]
            assert run(ARRAY)(s, args, 1.0).cost <= 130 * (plain + size_of(args))


# --- theorems -------------------------------------------------------------------------------------


def random_delta(rng: random.Random, free: list[int], depth: int, ids: list[int]) -> ConV:
    k = rng.randrange(6) if depth else rng.randrange(2)
    if k == 0:
        return ConV("Zero", ())
    if k == 1:
        return ConV("Var", (rng.choice(free),))
    if k == 2:
        return ConV("Scale", (rng.uniform(-2, 2), random_delta(rng, free, depth - 1, ids)))
    if k == 3:
        return ConV("Add", tuple(random_delta(rng, free, depth - 1, ids) for _ in range(2)))
    ids[0] += 1
    i = ids[0]
    rhs = random_delta(rng, free, depth - 1, ids)
    return ConV("Let", (i, rhs, random_delta(rng, [*free, i], depth - 1, ids)))


def near(a: Delta, b: Delta) -> bool:
    return all(abs(a.get(k, 0.0) - b.get(k, 0.0)) <= 1e-9 * max(1.0, abs(a.get(k, 0.0)))
               for k in {*a, *b})


@claim("KR-39")
def test_denotation(row: str) -> None:
    assert denote(delta_of(FIG1, (3.0, 4.0)), {}) == {1: 10.0, 2: 3.0}


@claim("KR-40")
def test_theorem_6(row: str) -> None:
    for seed in range(300, 300 + count(200)):
        s, args = random_program(seed, "RGH", 25)
        value = evaluate(s.body, dict(zip((v for v, _ in s.context), args)))[0]
        ct = random_cotangent(value, random.Random(seed))
        assert close(gradient(s, args, ct)[1], finite_difference(s, args, ct), 1e-5)


@claim("KR-41")
def test_monotonicity(row: str) -> None:
    for seed in range(count(300)):
        rng = random.Random(seed)
        made, body = binds(random_delta(rng, [1, 2], 6, [10]))
        longer = list(made)
        for k in range(3):  # fresh bindings anywhere after what they use
            place = rng.randint(0, len(longer))
            bound = [1, 2, *(i for i, _ in longer[:place])]
            longer.insert(place, (100 + k, random_delta(rng, bound, 2, [200 + 100 * k])))
        assert near(denote(get(longer, body), {}), denote(get(made, body), {}))


def get(made: list[tuple[int, ConV]], d: ConV) -> ConV:
    for i, rhs in reversed(made):
        d = ConV("Let", (i, rhs, d))
    return d


@claim("KR-42")
def test_fundamental_property(row: str) -> None:
    tried = set()
    for seed in range(count(120)):
        for fragment in ("RG", "RGH"):
            s, args = random_program(seed, fragment, 20)
            for g in scalars(s):  # each real of the result: its delta is a row of the Jacobian
                tried.add(len(reals_in(list(args))))
                jacobian = reals_in(list(finite_difference(g, args, 1.0)))
                found = denote(delta_of(g, args), {})
                inputs = range(1, len(jacobian) + 1)
                assert close([found.get(k, 0.0) for k in inputs], jacobian, 1e-5)
    assert len(tried) > 3


def scalars(s: Source) -> list[Source]:
    """The programs of the reals of a result that is a tuple."""
    match s.result:
        case Real():
            return [s]
        case Prod(a, b):
            return [*scalars(Source(s.context, Fst(s.body), a, s.decls)),
                    *scalars(Source(s.context, Snd(s.body), b, s.decls))]
        case _:
            return []


@claim("KR-43")
def test_adequacy(row: str) -> None:
    # Bindings that are there before: z = (x, Var 3) with 3 = 5 x1, and K{e} is run after them.
    start = Pair(Lit(4), Con("Bind", (
        Lit(3), Con("Scale", (Lit(5.0), Con("Var", (Lit(1),), Data("Delta"))), Data("Delta")),
        Con("Done", (), Data("DeltaBinds"))), Data("DeltaBinds")))
    n = duals(MAP.state)
    body = k_term(FIG1.body, FIG1.context, start, n)
    out, _ = evaluate(Let("deltaLet", MAP.delta_let, body), {
        "x": (3.0, ConV("Var", (3,))), "y": (4.0, ConV("Var", (2,)))}, LIBRARY)
    (value, u), (_, made) = cast("tuple[tuple[float, ConV], tuple[int, ConV]]", out)
    rest: list[tuple[int, ConV]] = []
    while made.name == "Bind":
        i, rhs, made = cast("tuple[int, ConV, ConV]", made.fields)
        rest.insert(0, (i, rhs))
    assert value == 21.0 and denote(get(rest, u), {}) == {1: 50.0, 2: 3.0}
    # R^a -> R at random, where the first argument is bound before to 5 x1
    for seed in range(count(200)):
        s, args = random_program(seed, "RGH", 20)
        if s.result != R or any(t != R for _, t in s.context):
            continue
        a = len(args)
        bound = Con("Bind", (
            Lit(a + 1), Con("Scale", (Lit(5.0), Con("Var", (Lit(1),), Data("Delta"))),
                            Data("Delta")),
            Con("Done", (), Data("DeltaBinds"))), Data("DeltaBinds"))
        body = k_term(s.body, s.context, Pair(Lit(a + 2), bound), n)
        ids = [a + 1, *range(2, a + 1)]
        out, _ = evaluate(Let("deltaLet", MAP.delta_let, body), {
            v: (arg, ConV("Var", (i,))) for (v, _), arg, i in zip(s.context, args, ids)}, LIBRARY)
        (value, u), (_, made) = cast("tuple[tuple[float, ConV], tuple[int, ConV]]", out)
        rest = []
        while made.name == "Bind":
            i, rhs, made = cast("tuple[int, ConV, ConV]", made.fields)
            rest.insert(0, (i, rhs))
        wanted = list(finite_difference(s, args, 1.0))
        found = denote(get(rest, u), {})
        assert close([found.get(1, 0.0) / 5.0, *(found.get(k, 0.0) for k in ids[1:])], wanted, 1e-5)


@claim("KR-44")
def test_lemma_10(row: str) -> None:
    for seed in range(count(2000)):
        rng = random.Random(seed)
        u = random_delta(rng, [1, 2, 3], 5, [10])
        s = rng.uniform(-3, 3)
        found = eval_map(s, u)
        want = {k: s * v for k, v in denote(u, {}).items()}
        assert near(found, want) and near(want, found) and not any(k > 3 for k in found)
        twice = eval_map(2 * s, u)
        assert near(twice, {k: 2 * v for k, v in found.items()})
