"""Krawiec et al., sections 5.3 to 9: the monadic translation, its bounds, theorems and wrapper."""

from __future__ import annotations

import math
import random
from typing import cast

import pytest

from pullback.core import nested_map as tree
from pullback.core.nested import (
    App,
    Build,
    Case,
    Con,
    Data,
    DataDecl,
    Foldl,
    Fst,
    Fun,
    Lam,
    Let,
    LetRec,
    Lit,
    Match,
    MatchArm,
    Pair,
    Plus,
    Prod,
    R,
    Rec,
    Snd,
    Source,
    Term,
    Var,
    Z,
)
from pullback.core.nested import Arr as Array
from pullback.core.nested_build import E, if_, lam, let, lets, op, prim, reals, term, tuple_
from pullback.core.nested_check import check, types_of
from pullback.core.nested_eval import evaluate
from pullback.core.nested_machine import Machine
from pullback.core.nested_pretty import show_type
from pullback.core.nested_values import ConV, Inj
from pullback.papers import delta_eval as evaluator
from pullback.papers import delta_monadic as translation
from pullback.papers import delta_wrapper as wrapper
from pullback.papers.delta_eval import ARRAY, BINDS_DECL, MAP, Store
from pullback.papers.delta_ground import LIBRARY
from pullback.papers.delta_monadic import DELTA_DECL, STATE, K, duals, k_term
from pullback.papers.delta_wrapper import delta_of, gradient, run, show_delta, wrap
from pullback.papers.dual_ground import dual_type
from tests.papers.conformance import claim
from tests.papers.generate import (
    DEAD,
    FIG1,
    POW5,
    close,
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


def visited(m: Machine) -> int:
    return sum(c for role, c in zip(m.roles, m.calls) if role == "eval")


def lets_made(m: Machine, store: Store) -> int:
    return m.counts.get("con:Bind" if store is MAP else "push", 0)


def slope(small: float, large: float, n: int, m: int) -> float:
    return math.log(large / small) / math.log(m / n)


@claim("KR-20")
def test_monadic_translation(row: str) -> None:
    for seed in range(150):
        s, _ = random_program(seed, "RGH", 20)
        wrap(s, MAP)  # which checks the type of what it makes
    assert show_delta(delta_of(FIG1, (3.0, 4.0))).splitlines() == [
        "Let 3 = Add (Var 1) (Var 2) in",
        "Let 4 = Add (Scale 7 (Var 1)) (Scale 3 (Var 3)) in", "Var 4"]
    n = duals(STATE)
    assert show_type(dual_type(Fun(R, Z), n)) == "R * Delta -> DeltaState -> Z * DeltaState"


@claim("KR-21")
def test_invariant(row: str) -> None:
    for seed in range(120):
        s, args = random_program(seed, "RGH", 25)
        if s.result != R:
            continue
        made, body = binds(delta_of(s, args))
        assert body.name in ("Zero", "Var")
        for _, rhs in made:
            atoms = [rhs] if rhs.name == "Scale" else list(rhs.fields)
            while atoms:
                d = atoms.pop()
                assert isinstance(d, ConV)
                if d.name in ("Scale", "Add"):
                    atoms += [f for f in d.fields if isinstance(f, ConV)]
                else:
                    assert d.name in ("Zero", "Var")


@claim("KR-22")
def test_run_delta(row: str) -> None:
    made, body = binds(delta_of(FIG1, (3.0, 4.0)))
    assert [i for i, _ in made] == [3, 4] and body == ConV("Var", (4,))  # earliest is outermost
    for seed in range(60):
        s, args = random_program(seed, "RG", 20)
        if s.result == R:
            assert gradient(s, args, 1.0, MAP) == gradient(s, args, 1.0, ARRAY)


@claim("KR-23")
def test_eval(row: str) -> None:
    assert eval_map(1.0, delta_of(FIG1, (3.0, 4.0))) == {1: 10.0, 2: 3.0}


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


@claim("KR-26")
def test_array_version(row: str) -> None:
    for seed in range(150):
        s, args = random_program(seed, "RGH", 25)
        value = evaluate(s.body, dict(zip((v for v, _ in s.context), args)))[0]
        ct = random_cotangent(value, random.Random(seed))
        assert gradient(s, args, ct, MAP) == gradient(s, args, ct, ARRAY)  # bit for bit
    costs = [run(ARRAY)(dbl(n), (1e-9,), 1.0).reverse for n in (300, 2400)]
    assert abs(slope(costs[0], costs[1], 300, 2400) - 1.0) < 0.05


@claim("KR-28")
def test_forward_phase_bound(row: str) -> None:
    def ratio(s: Source, args: tuple[object, ...]) -> float:
        plain = evaluate(s.body, dict(zip((v for v, _ in s.context), args)))[1]
        return run(ARRAY)(s, args, 1.0).forward / (plain + size_of(args))

    worst = 0.0
    for seed in range(300):
        s, args = random_program(seed, "RGH", 30)
        if s.result == R:
            worst = max(worst, ratio(s, args))
    assert worst < 40
    for n in (10, 300, 10000):
        assert ratio(dbl(n), (1e-9,)) < 40
    for n in (8, 64, 512):
        assert ratio(sumsq(n, balanced=True), (tuple_of(n),)) < 40


def tuple_of(n: int) -> object:
    return (tuple_of(n // 2), tuple_of(n - n // 2)) if n > 1 else 1.5


def size_of(v: object) -> int:
    return sum(map(size_of, v)) if isinstance(v, tuple) else 1


def operations(m: Machine) -> int:
    return sum(n for k, n in m.counts.items() if k.startswith("prim:"))


@claim("KR-29")
def test_number_of_bindings(row: str) -> None:
    for seed in range(200):
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


@claim("KR-31")
def test_theorem_5(row: str) -> None:
    for store, bound in ((ARRAY, 1.05), (MAP, 1.25)):
        for s in (dbl, lambda n: sumsq(n, balanced=True)):
            costs = []
            for n in (64, 512):
                arg = 1e-9 if s is dbl else tuple_of(n)
                costs.append(run(store)(s(n), (arg,), 1.0).cost)
            assert 0.95 < slope(costs[0], costs[1], 64, 512) < bound


# --- the quaternion -------------------------------------------------------------------------------

def vec(v: E) -> tuple[E, E, E]:
    """The components of ((x,y),z)."""
    return E(Fst(Fst(v.t))), E(Snd(Fst(v.t))), E(Snd(v.t))


def quaternion(component: int = 0) -> Source:
    """Fig. 12, left: functions on records, here on tuples. A record is evaluated as a tuple."""
    vec3 = Prod(Prod(R, R), R)

    def dot(p: E) -> E:
        (a, b, c), (d, e, f) = vec(E(Fst(p.t))), vec(E(Snd(p.t)))
        return a * d + b * e + c * f

    def plus(p: E) -> Term:
        pairs = zip(vec(E(Fst(p.t))), vec(E(Snd(p.t))))
        return tuple_(*(a + b for a, b in pairs))

    def scale(p: E) -> Term:
        return tuple_(*(E(Fst(p.t)) * v for v in vec(E(Snd(p.t)))))

    def cross(p: E) -> Term:
        (ax, ay, az), (bx, by, bz) = vec(E(Fst(p.t))), vec(E(Snd(p.t)))
        return tuple_(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)

    def call(f: str, a: E | Term | float, b: E | Term) -> E:
        return E(Var(f))(Pair(term(a), term(b)))

    v, q, u, s = (E(Var(n)) for n in ("v", "q", "u", "s"))
    first = call("scale", E(Lit(2.0)) * call("dot", u, v), u)
    second = call("scale", s * s - call("dot", u, u), v)
    third = call("scale", E(Lit(2.0)) * s, call("cross", u, v))
    body = call("plus", call("plus", first, second), third)
    two = Prod(vec3, vec3)
    bound: list[tuple[str, Term]] = [
        ("dot", lam("p", two, dot)), ("plus", lam("p", two, plus)),
        ("scale", lam("p", Prod(R, vec3), scale)), ("cross", lam("p", two, cross)),
        ("u", Fst(q.t)), ("s", Snd(q.t)), ("out", body.t)]
    out = vec(E(Var("out")))[component]
    return Source((("q", Prod(vec3, R)), ("v", vec3)), lets(bound, out.t), R)


Q0, V0 = (((1.1, 2.2), 3.3), 4.4), ((5.5, 6.6), 7.7)
FIG12 = """
1 Add (Scale 5.5 (Var qy)) (Scale 2.2 (Var vx))
2 Add (Scale 6.6 (Var qx)) (Scale 1.1 (Var vy))
3 Add (Var x2) (Scale (-1.0) (Var x1))
4 Add (Scale 7.7 (Var qx)) (Scale 1.1 (Var vz))
5 Add (Scale 5.5 (Var qz)) (Scale 3.3 (Var vx))
6 Add (Var x5) (Scale (-1.0) (Var x4))
7 Add (Scale 6.6 (Var qz)) (Scale 3.3 (Var vy))
8 Add (Scale 7.7 (Var qy)) (Scale 2.2 (Var vz))
9 Add (Var x8) (Scale (-1.0) (Var x7))
10 Zero
11 Add (Scale 4.4 (Var x10)) (Scale 2 (Var qw))
12 Add (Scale (-4.84) (Var x11)) (Scale 8.8 (Var x3))
13 Add (Scale 9.68 (Var x11)) (Scale 8.8 (Var x6))
14 Add (Scale (-4.84) (Var x11)) (Scale 8.8 (Var x9))
15 Add (Scale 3.3 (Var qz)) (Scale 3.3 (Var qz))
16 Add (Scale 2.2 (Var qy)) (Scale 2.2 (Var qy))
17 Add (Scale 1.1 (Var qx)) (Scale 1.1 (Var qx))
18 Add (Var x17) (Var x16)
19 Add (Var x18) (Var x15)
20 Add (Scale 4.4 (Var qw)) (Scale 4.4 (Var qw))
21 Add (Var x20) (Scale (-1.0) (Var x19))
22 Add (Scale 7.7 (Var x21)) (Scale 2.42 (Var vz))
23 Add (Scale 6.6 (Var x21)) (Scale 2.42 (Var vy))
24 Add (Scale 5.5 (Var x21)) (Scale 2.42 (Var vx))
25 Add (Scale 7.7 (Var qz)) (Scale 3.3 (Var vz))
26 Add (Scale 6.6 (Var qy)) (Scale 2.2 (Var vy))
27 Add (Scale 5.5 (Var qx)) (Scale 1.1 (Var vx))
28 Add (Var x27) (Var x26)
29 Add (Var x28) (Var x25)
30 Zero
31 Add (Scale 45.98 (Var x30)) (Scale 2 (Var x29))
32 Add (Scale 3.3 (Var x31)) (Scale 91.96 (Var qz))
33 Add (Scale 2.2 (Var x31)) (Scale 91.96 (Var qy))
34 Add (Scale 1.1 (Var x31)) (Scale 91.96 (Var qx))
35 Add (Var x32) (Var x22)
36 Add (Var x33) (Var x23)
37 Add (Var x34) (Var x24)
38 Add (Var x35) (Var x12)
39 Add (Var x36) (Var x13)
40 Add (Var x37) (Var x14)
""".strip().splitlines()


@claim("KR-34")
def test_quaternion_values(row: str) -> None:
    found = [gradient(quaternion(k), (Q0, V0), 1.0, ARRAY)[0] for k in range(3)]
    assert close(found, [71.874, 303.468, 279.51], 1e-9)


@claim("KR-35")
def test_quaternion_trace(row: str) -> None:
    names = dict(enumerate(("qx", "qy", "qz", "qw", "vx", "vy", "vz"), 1))

    def text(d: object, top: bool = False) -> str:
        if isinstance(d, ConV) and d.name == "Var":
            i = cast(int, d.fields[0])
            out = f"Var {names.get(i, f'x{i - 7}')}"
        elif isinstance(d, ConV):
            out = " ".join([d.name, *(text(f) for f in d.fields)])
        else:
            assert isinstance(d, float)
            number = f"{d:.10g}"
            return "(-1.0)" if d == -1 else f"({number})" if d < 0 else number
        return out if top or " " not in out else f"({out})"

    made, body = binds(delta_of(quaternion(), (Q0, V0), order="rl", literals=True))
    assert [f"{i - 7} {text(rhs, True)}" for i, rhs in made] == FIG12
    assert text(body, True) == "Var x40"


@claim("KR-36")
def test_quaternion_without_literals(row: str) -> None:
    made, _ = binds(delta_of(quaternion(), (Q0, V0)))
    assert len(made) == 38 and all(rhs.name != "Zero" for _, rhs in made)


@claim("KR-37")
def test_quaternion_gradients(row: str) -> None:
    rows = [(91.96, 58.08, -77.44, 38.72, 4.84, -24.20, 26.62),
            (-58.08, 91.96, 38.72, 77.44, 33.88, 12.10, 4.84),
            (77.44, -38.72, 91.96, 58.08, -12.10, 24.20, 24.20)]
    for k, (a, b, c, d, e, f, g) in enumerate(rows):
        for store in (MAP, ARRAY):
            found = gradient(quaternion(k), (Q0, V0), 1.0, store)[1]
            assert close(found, ((((a, b), c), d), ((e, f), g)), 1e-9)


@claim("KR-38")
def test_delta_is_linear(row: str) -> None:
    assert [c for c, _ in DELTA_DECL.constructors] == ["Zero", "Scale", "Add", "Var", "Let"]
    m = Machine()
    s = quaternion()
    evaluate(s.body, {"q": Q0, "v": V0}, LIBRARY, m)
    made, _ = binds(delta_of(s, (Q0, V0), literals=True))
    assert len(made) == operations(m) + 2  # the operations and the two literals that are run


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
    for seed in range(300, 500):
        s, args = random_program(seed, "RGH", 25)
        value = evaluate(s.body, dict(zip((v for v, _ in s.context), args)))[0]
        ct = random_cotangent(value, random.Random(seed))
        assert close(gradient(s, args, ct)[1], finite_difference(s, args, ct), 1e-5)


@claim("KR-41")
def test_monotonicity(row: str) -> None:
    for seed in range(300):
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
    for seed in range(120):
        s, args = random_program(seed, "RG", 20)
        if s.result == R and all(t == R for _, t in s.context):
            jacobian = finite_difference(s, args, 1.0)
            found = denote(delta_of(s, args), {})
            assert close([found.get(k + 1, 0.0) for k in range(len(args))], list(jacobian), 1e-5)


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


@claim("KR-44")
def test_lemma_10(row: str) -> None:
    for seed in range(2000):
        rng = random.Random(seed)
        u = random_delta(rng, [1, 2, 3], 5, [10])
        s = rng.uniform(-3, 3)
        found = eval_map(s, u)
        want = {k: s * v for k, v in denote(u, {}).items()}
        assert near(found, want) and near(want, found) and not any(k > 3 for k in found)
        twice = eval_map(2 * s, u)
        assert near(twice, {k: 2 * v for k, v in found.items()})


# --- section 8 ------------------------------------------------------------------------------------


@claim("KR-45")
def test_separate_compilation(row: str) -> None:
    f = lam("a", R, lambda a: a * a)
    n = duals(MAP.state)
    f_rev = K(types_of(f), n).fn(f)
    wanted = "R * Delta -> Z * DeltaBinds -> R * Delta * (Z * DeltaBinds)"
    assert show_type(check(f_rev, {"deltaLet": check(MAP.delta_let, (), decls())}, decls(),
                           LIBRARY)) == wanted  # no S in it
    compiled, _ = evaluate(Let("deltaLet", MAP.delta_let, f_rev), {}, LIBRARY)
    r3z = Prod(Prod(Prod(R, R), R), Z)
    for s, arg, of, value in (
        (R, (3.0, V(1)), x, 9.0),
        (r3z, ((((3.0, V(1)), (4.0, V(2))), (5.0, V(3))), 7), Snd(Fst(x)), 25.0),
        (Array(R), [(3.0, V(1)), (4.0, V(2))], op("index", x, 1), 16.0),
    ):
        main = k_term(App(Var("f"), of), (("x", s), ("f", Fun(R, R))), MAP.start(Lit(9)), n)
        out, _ = evaluate(main, {"x": arg, "f": compiled}, LIBRARY)
        assert cast("tuple[tuple[float, object], object]", out)[0] == (value, V(9))


def V(i: int) -> ConV:
    return ConV("Var", (i,))


def decls() -> tuple[DataDecl, ...]:
    return DELTA_DECL, BINDS_DECL


@claim("KR-46")
def test_primitives(row: str) -> None:
    s = Source(reals("y", "x"), prim("atan2", y, x), R)
    value, _ = gradient(s, (1.0, 2.0), 1.0)
    assert abs(cast(float, value) - 0.4636476) < 1e-7
    found = show_delta(delta_of(s, (1.0, 2.0))).splitlines()[0]
    assert found == "Let 3 = Add (Scale 0.4 (Var 1)) (Scale (-0.2) (Var 2)) in"
    sin = Source(reals("x"), prim("sin", x), R)
    cos = Source(reals("x"), prim("cos", x), R)
    assert gradient(sin, (2.0,), 1.0)[1] == (math.cos(2.0),)
    assert gradient(cos, (2.0,), 1.0)[1] == (-math.sin(2.0),)


@claim("KR-48")
def test_no_record_of_operations(row: str) -> None:
    s = Source(reals("x"), prim("sin", prim("exp", prim("cos", x))), R)
    for store in (MAP, ARRAY):
        out = run(store)(s, (0.3,), 1.0)
        counts = out.machine.counts
        # Once for the value, and once more where the coefficient has it; nothing in eval.
        assert counts["prim:sin"] == 2 and counts["prim:exp"] == 2 and counts["prim:cos"] == 2


@claim("KR-49")
def test_arrays(row: str) -> None:
    v, w = Var("v"), Var("w")
    vector = (("v", Array(R)), ("w", Array(R)), ("c", R))
    i = Var("i")
    dot = Foldl("acc", "k", prim("add", Var("acc"), prim("mul", prim(
        "mul", op("index", v, Var("k")), op("index", w, Var("k"))), Var("c"))), Lit(0.0),
        Build(Lit(3), "i", i))
    assert gradient(Source(vector, dot, R), ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], 2.0), 1.0) == (
        64.0, ([8.0, 10.0, 12.0], [2.0, 4.0, 6.0], 32.0))
    outer = Build(Lit(2), "i", Build(Lit(2), "j", prim(
        "mul", op("index", v, i), prim("mul", Var("c"), op("index", w, Var("j"))))))
    matvec = Build(Lit(2), "i", op("sum", Build(Lit(2), "j", prim(
        "mul", op("index", op("index", Var("m"), i), Var("j")), op("index", v, Var("j"))))))
    m = (("m", Array(Array(R))), ("v", Array(R)))
    for s, args, ct in (
        (Source(vector, outer, Array(Array(R))), ([1.0, 2.0], [3.0, 4.0], 2.0),
         [[1.0, 2.0], [3.0, 4.0]]),
        (Source(m, matvec, Array(R)), ([[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0]), [1.0, 10.0]),
    ):
        for store in (MAP, ARRAY):
            assert close(gradient(s, args, ct, store)[1], finite_difference(s, args, ct), 1e-6)


@claim("KR-53")
def test_inductive_types(row: str) -> None:
    tree = Data("Tree")
    decl = DataDecl("Tree", (), (("Leaf", (R,)), ("Node", (tree, tree))))
    f = Fun(tree, R)
    total = Match(Var("t"), (
        MatchArm("Leaf", ("r",), prim("mul", Var("r"), Var("r"))),
        MatchArm("Node", ("a", "b"), prim(
            "mul", App(Var("sum"), Var("a")), App(Var("sum"), Var("b"))))))
    body = LetRec((Rec("sum", f, Lam("t", tree, total)),), App(Var("sum"), Var("x")))
    s = Source((("x", tree),), body, R, (decl,))

    def leaf(r: float) -> ConV:
        return ConV("Leaf", (r,))

    arg = ConV("Node", (leaf(2.0), ConV("Node", (leaf(3.0), leaf(5.0)))))
    want = ConV("Node", (leaf(900.0), ConV("Node", (leaf(600.0), leaf(360.0)))))
    for store in (MAP, ARRAY):
        assert gradient(s, (arg,), 1.0, store) == (900.0, (want,))
    # A tree as the result, and recursion with a power.
    same = Source((("x", tree),), Var("x"), tree, (decl,))
    assert gradient(same, (arg,), want) == (arg, (want,))
    assert gradient(POW5, (2.0,), 1.0) == (32.0, (80.0,))


# --- section 9 ------------------------------------------------------------------------------------


@claim("KR-63")
def test_general_wrapper(row: str) -> None:
    s = Source(reals("x", "y"), tuple_(E(x) * E(y), y), Prod(R, R))
    for store in (MAP, ARRAY):
        assert gradient(s, (3.0, 4.0), (10.0, 100.0), store) == ((12.0, 4.0), (40.0, 130.0))
    assert show_delta(delta_of(s, (3.0, 4.0), (10.0, 100.0))).splitlines() == [
        "Let 3 = Add (Scale 4 (Var 1)) (Scale 3 (Var 2)) in",
        "Let 4 = Add (Scale 10 (Var 3)) (Scale 12 Zero) in",
        "Let 5 = Add (Scale 100 (Var 2)) (Scale 4 Zero) in",
        "Let 6 = Add (Var 4) (Var 5) in", "Var 6"]
    product = Source((*s.context, *reals("p", "q")), term(let("t", s.body, lambda t: E(
        Fst(t.t)) * E(Var("p")) + E(Snd(t.t)) * E(Var("q")))), R)
    assert gradient(product, (3.0, 4.0, 10.0, 100.0), 1.0)[0] == 520.0


@claim("KR-64")
def test_ids_depend_on_the_value(row: str) -> None:
    s = Source((("s", Plus(R, Prod(R, R))),), Case(
        Var("s"), "a", prim("sin", Var("a")), "b", prim("mul", Fst(Var("b")), Snd(Var("b")))), R)
    one, two = Inj(0, 1.0), Inj(1, (3.0, 4.0))
    assert binds(delta_of(s, (one,)))[0][0][0] == 2  # the first fresh id
    assert binds(delta_of(s, (two,)))[0][0][0] == 3
    assert gradient(s, (one,), 1.0)[1] == (Inj(0, math.cos(1.0)),)
    assert gradient(s, (two,), 1.0)[1] == (Inj(1, (4.0, 3.0)),)


@claim("KR-65")
def test_discrete_argument(row: str) -> None:
    body = LetRec((Rec("pow", Fun(Z, R), Lam("k", Z, if_(
        prim("eq", Var("k"), 0), 1.0, prim("mul", Fst(Var("a")), App(
            Var("pow"), prim("sub", Var("k"), 1)))))),), prim(
        "add", App(Var("pow"), Var("n")), prim("mul", Snd(Var("a")), Var("b"))))
    s = Source((("a", Prod(R, R)), ("n", Z), ("b", R)), body, R)
    assert gradient(s, ((2.0, 3.0), 4, 5.0), 1.0) == (31.0, ((32.0, 5.0), (), 3.0))
    assert gradient(s, ((2.0, 3.0), 1, 5.0), 1.0) == (17.0, ((1.0, 5.0), (), 3.0))


@claim("KR-66")
def test_only_the_wrapper_is_general(row: str) -> None:
    # The files of K, Delta and eval know nothing of the polytypic functions, which only the
    # wrapper uses; and eval is one term, made without S and T.
    for module in (translation, evaluator):
        assert not {"Polytypic", "Leaves"} & set(vars(module))
    assert {"Polytypic", "Leaves"} <= set(vars(wrapper))


def test_functions_are_refused() -> None:
    s = Source((("f", Fun(R, R)),), App(Var("f"), Lit(1.0)), R)
    with pytest.raises(NotImplementedError, match="functions"):
        gradient(s, (abs,), 1.0)
