"""Krawiec et al., sections 6 and 8: overloading, primitives, vectors, towers, static fusion."""

from __future__ import annotations

import doctest
import math
import random
from importlib import import_module
from typing import Any, cast

import pytest

from pullback.papers.delta.along import derivatives
from pullback.papers.delta.arrays import ARRAY
from pullback.papers.delta.eval import MAP, Store
from pullback.papers.delta.fused import VARIANT as FUSED
from pullback.papers.delta.fused import fused
from pullback.papers.delta.fusion import fuse
from pullback.papers.delta.lazy import LazyTower, Triple
from pullback.papers.delta.monadic import K
from pullback.papers.delta.numbers import Dual, Number, apply, primal
from pullback.papers.delta.over import over
from pullback.papers.delta.overload import Run, reverse
from pullback.papers.delta.primitives import Primitive, tangent, variant
from pullback.papers.delta.show import delta_of
from pullback.papers.delta.triples import second, triples
from pullback.papers.delta.types import duals
from pullback.papers.delta.vectors import VECTOR, Vectors, vector_duals
from pullback.papers.delta.wrapper import gradient, run
from pullback.papers.dual.contrib import contrib
from pullback.papers.dual.forward import push
from pullback.papers.dual.tape import tape
from pullback.papers.dual.types import dual_type
from pullback.papers.language.build import E, lam, op, prim, reals, tuple_
from pullback.papers.language.check import types_of
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row
from pullback.papers.language.terms import (
    App,
    Arr,
    Build,
    Con,
    Foldl,
    Fst,
    Lam,
    Let,
    Lit,
    Op,
    Pair,
    Prim,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Var,
    Z,
)
from pullback.papers.language.traverse import free_vars, subterms
from pullback.papers.language.values import ConV, map_reals, reals_in
from pullback.papers.methods import METHODS, Unsupported
from tests.papers.conformance import claim
from tests.papers.dual import primal_and_pullback
from tests.papers.generate import (
    DEAD,
    FIG1,
    HO3,
    POW5,
    STANDARD,
    close,
    count,
    dbl,
    finite_difference,
    random_cotangent,
    random_program,
)
from tests.papers.test_delta_direct import tangents
from tests.papers.test_delta_fusion import outer_binds
from tests.papers.test_delta_monadic import binds, lets_made
from tests.papers.test_delta_quaternion import Q0, V0, quaternion

x, y = Var("x"), Var("y")


@pytest.mark.parametrize("module", [
    "over", "numbers", "overload", "triples", "towers", "lazy", "primitives", "vectors", "fused"])
def test_docstrings(module: str) -> None:
    found = doctest.testmod(import_module(f"pullback.papers.delta.{module}"))
    assert found.failed == 0 and found.attempted > 0


def program_of(s: Source, literal: Any = float) -> Any:
    """A term as a function of numbers of any kind."""
    names = [v for v, _ in s.context]
    return lambda *args: over(s.body, dict(zip(names, args)), apply, literal)


# --- the tape -------------------------------------------------------------------------------------


def edges_of_delta(made: list[tuple[int, ConV]]) -> dict[int, list[tuple[int, float]]]:
    """(operand, weight) of every binding, the operands in order."""

    def edges(d: ConV, by: float) -> list[tuple[int, float]]:
        f = cast(Any, d.fields)
        match d.name:
            case "Add":
                return [*edges(f[0], by), *edges(f[1], by)]
            case "Scale":
                return edges(f[1], by * f[0])
            case "Var":
                return [(f[0], by)]
            case _:
                return []

    return {i: edges(rhs, 1.0) for i, rhs in made}


def tape_of(s: Source, args: tuple[Any, ...]) -> list[list[tuple[int, float]]]:
    """N5's tape at the end of the forward phase."""
    kept: list[Any] = []
    m = Machine()
    w = tape(s)
    original = w.library["push"]

    def push_row(m: Machine, given: Any, static: Any) -> object:
        out = original.run(m, given, static)
        kept[:] = [out]
        return out

    library = w.library.replaced(Row("push", original.rule, push_row, original.cost))
    primal_and_pullback(w, args, m, library)
    return cast("list[list[tuple[int, float]]]", kept[0].cells)


def same_edges(s: Source, args: tuple[Any, ...], inputs: int) -> bool:
    """N5's tape without its literals is K's bindings, with the ids renamed."""
    entries = tape_of(s, args)
    names: dict[int, int] = {}
    for i, entry in enumerate(entries):
        if i < inputs or entry:
            names[i] = len(names) + 1
    found = [[(names[j], w) for j, w in entry if j in names]
             for i, entry in enumerate(entries) if i >= inputs and i in names]
    wanted = edges_of_delta(binds(delta_of(s, args))[0])
    return list(wanted.values()) == found and list(wanted) == list(
        range(inputs + 1, inputs + 1 + len(wanted)))


@claim("KR-27")
def test_the_same_tape(row: str) -> None:
    for s, args in ((FIG1, (3.0, 4.0)), (DEAD, (3.0,)), (HO3, (3.0,)), (POW5, (2.0,)),
                    (dbl(10), (1.0,)), (quaternion(), (Q0, V0))):
        assert same_edges(s, args, len(reals_in(list(args))))
    assert edges_of_delta(binds(delta_of(FIG1, (3.0, 4.0)))[0]) == {
        3: [(1, 1.0), (2, 1.0)], 4: [(1, 7.0), (3, 3.0)]}
    for seed in range(count(150)):
        s, args = random_program(seed, "RGH", 25)
        if s.result == R:
            assert same_edges(s, args, len(reals_in(list(args)))), seed


@claim("DN-66")
def test_linear_factoring_is_the_distributive_law(row: str) -> None:
    """v·x + v·y = v·(x + y): eval collects at Var i what SResolve collects at ID i. Edges and
    adjoints are those of the tape."""
    for seed in range(150, 150 + count(400)):
        s, args = random_program(seed, "RGH", 25)
        if s.result != R:
            continue
        assert same_edges(s, args, len(reals_in(list(args)))), seed
        _, back = primal_and_pullback(contrib(s), args, Machine())
        assert close(reals_in(back(1.0)), reals_in(list(gradient(s, args, 1.0)[1])), 1e-12)


# --- section 6 ------------------------------------------------------------------------------------


def trace(r: Run) -> tuple[list[tuple[int, ConV]], ConV]:
    return r.tape.binds, r.delta


@claim("KR-32")
def test_overloading_leaves_the_same_trace(row: str) -> None:
    def fig1(a: Any, b: Any) -> Any:
        z = a + b
        return a * z

    assert trace(reverse(fig1, (3.0, 4.0))) == binds(delta_of(FIG1, (3.0, 4.0)))

    def dot(p: Any, q: Any) -> Any:
        return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]

    def rotate(q: Any, v: Any) -> Any:  # Fig. 12, as a Python program on numbers
        (((a, b), c), s), ((e, f), g) = q, v
        u, v = (a, b, c), (e, f, g)
        first = 2.0 * dot(u, v)
        one = [first * k for k in u]
        middle = s * s - dot(u, u)
        two = [middle * k for k in v]
        some = [k + m for k, m in zip(one, two)]
        last = 2.0 * s
        cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        three = [last * k for k in cross]
        x, _, _ = (k + m for k, m in zip(some, three))
        return x

    r = reverse(rotate, (Q0, V0))
    assert trace(r) == binds(delta_of(quaternion(), (Q0, V0))) and len(r.tape.binds) == 38
    assert close(r.gradient(1.0), gradient(quaternion(), (Q0, V0), 1.0)[1], 1e-12)
    for seed in range(count(150)):
        # without floor and the like: by overloading they give a plain number, in K one with Zero
        s, args = random_program(seed, "RGA" if seed % 3 == 0 else "RGH", 25, every=False)
        if s.result != R:
            continue
        found = reverse_of(s, args)
        assert trace(found) == binds(delta_of(s, args)), seed
        assert found.gradient(1.0) == gradient(s, args, 1.0)[1]


def reverse_of(s: Source, args: tuple[Any, ...]) -> Run:
    """A term run with Reverse; its literals are Dual r Zero."""
    def f(*given: Any) -> Any:
        some = [n for n in numbers(given)]
        return program_of(s, some[0].tape.literal)(*given)

    return reverse(f, args)


def numbers(v: object) -> list[Any]:
    match v:
        case Number():
            return [v]
        case tuple() | list():
            return [n for part in v for n in numbers(part)]
        case _:
            inner = getattr(v, "value", None) if not isinstance(v, float) else None
            return numbers(inner) if inner is not None else []


def twice_differentiable(seed: int, size: int) -> tuple[Source, tuple[Any, ...]]:
    """A random program with all primitives whose derivatives have derivatives: digamma's has not,
    those of gamma and lgamma are made of it, and nothing has one by the order of struve."""
    found = random_program(seed, "RGH", size)
    known = any(isinstance(t, Prim) and t.op in ("gamma", "tgamma", "lgamma", "digamma")
                for t in subterms(found[0].body))  # fmt: skip
    try:
        triples(found[0])
    except Unsupported as e:
        assert "has no derivative by argument" in str(e)
        known = True
    return random_program(seed, "RGH", size, every=False) if known else found


@claim("KR-33")
def test_one_program_with_every_kind_of_number(row: str) -> None:
    for seed in range(count(120)):
        s, args = twice_differentiable(seed, 20)
        if s.result != R:
            continue
        f, steps = program_of(s), tangents(args, random.Random(seed))
        value, slope = push(s, args, steps)
        assert f(*args) == value

        def at(make: Any, steps: Any = steps, args: Any = args) -> list[Any]:
            moves = iter(reals_in(list(steps)))
            return [map_reals(lambda r: make(r, next(moves)), a) for a in args]

        dual = f(*at(Dual))
        triple = f(*at(lambda r, d: Triple(r, d, 0.0)))
        lazy = f(*at(LazyTower.variable))
        slopes = [getattr(dual, "tangent", 0.0), getattr(triple, "first", 0.0),
                  lazy.nth(1) if isinstance(lazy, LazyTower) else 0.0]
        assert all(primal(v) == value for v in (dual, triple, lazy, reverse_of(s, args).result))
        assert all(close([v], [slope], 1e-9) for v in slopes), seed
        curve = lazy.nth(2) if isinstance(lazy, LazyTower) else 0.0
        assert close([curve], [getattr(triple, "second", 0.0)], 1e-9)


# --- section 8.2 ----------------------------------------------------------------------------------

POLAR = Primitive("cartesian", 2, lambda r, t: (r * math.cos(t), r * math.sin(t)), (
    (lambda r, t: math.cos(t), lambda r, t: -r * math.sin(t)),
    (lambda r, t: math.sin(t), lambda r, t: r * math.cos(t))))


@claim("KR-47")
def test_arbitrary_primitives(row: str) -> None:
    s = Source(reals("r", "t"), Op("cartesian", (Pair(Var("r"), Var("t")),)), Prod(R, R))
    args, known = (2.0, 0.5), variant(POLAR)
    made, _ = binds(delta_of(s, args, (1.0, 0.0), variant=known))
    assert [[d.fields[0] for d in cast(Any, rhs.fields)] for _, rhs in made[:2]] == [
        [math.cos(0.5), -2 * math.sin(0.5)], [math.sin(0.5), 2 * math.cos(0.5)]]
    assert len(made) == 2 + 3  # two for the primitive, and ⊙ with the cotangent
    jacobian = [[math.cos(0.5), -2 * math.sin(0.5)], [math.sin(0.5), 2 * math.cos(0.5)]]
    for store in (MAP, ARRAY):
        for k, seed in enumerate(((1.0, 0.0), (0.0, 1.0))):
            out = run(store, known)(s, args, seed)
            assert close(list(out.cotangents), jacobian[k], 1e-12)
            counts = out.machine.counts
            assert counts["op:cartesian"] == counts["op:dcartesian_11"] == 1  # never in eval
    columns = [tangent(s, args, d, POLAR)[1] for d in ((1.0, 0.0), (0.0, 1.0))]
    assert columns == [tuple(r[k] for r in jacobian) for k in range(2)]
    # in a larger program, inside a function
    z = Op("cartesian", (Var("p"),))
    body = Let("f", Lam("p", Prod(R, R), Let("z", z, prim(
        "mul", Fst(Var("z")), prim("sin", Snd(Var("z")))))), App(Var("f"), Pair(
            Var("r"), App(Var("f"), Pair(Var("t"), Var("r"))))))
    s = Source(s.context, body, R)

    def once(r: float, t: float) -> float:
        return r * math.cos(t) * math.sin(r * math.sin(t))

    def plain(r: float, t: float) -> float:
        return once(r, once(t, r))

    h = 1e-6
    wanted = [(plain(2 + h, 0.5) - plain(2 - h, 0.5)) / (2 * h),
              (plain(2, 0.5 + h) - plain(2, 0.5 - h)) / (2 * h)]
    assert close(list(run(ARRAY, known)(s, args, 1.0).cotangents), wanted, 1e-6)
    assert close([tangent(s, args, d, POLAR)[1] for d in ((1.0, 0.0), (0.0, 1.0))], wanted, 1e-6)


# --- section 8.3 ----------------------------------------------------------------------------------


@claim("KR-50")
def test_pairs_of_vectors(row: str) -> None:
    assert dual_type(Arr(R), vector_duals(Z)) == VECTOR
    assert dual_type(Arr(Arr(R)), vector_duals(Z)) == Arr(VECTOR)
    method = METHODS["delta.vectors"].runner
    v, w, i = Var("v"), Var("w"), Var("i")
    dot = Foldl("acc", "k", prim("add", Var("acc"), prim(
        "mul", op("index", v, Var("k")), op("index", w, Var("k")))), Lit(0.0),
        Build(op("length", v), "i", i))
    s = Source((("v", Arr(R)), ("w", Arr(R))), dot, R)
    assert method(s, ([1.0, 2.0], [3.0, 4.0]), 1.0).cotangents == ([3.0, 4.0], [1.0, 2.0])
    moved = Source((("v", Arr(R)), ("m", Arr(Arr(R)))), tuple_(
        op("append", op("reverse", v), op("gather", v, Build(Lit(4), "i", Lit(1)))),
        op("transpose", Var("m")), Fst(op("unzip", op("zip", v, op("index", Var("m"), 0))))),
        Prod(Prod(Arr(R), Arr(Arr(R))), Arr(R)))
    args = ([1.0, 2.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    ct = random_cotangent(evaluate(moved.body, dict(zip("vm", args)))[0], random.Random(1))
    assert close(method(moved, args, ct).cotangents, finite_difference(moved, args, ct), 1e-6)
    for seed in range(count(100)):
        s, given = random_program(seed, "RGA", 25)
        value = evaluate(s.body, dict(zip((n for n, _ in s.context), given)))[0]
        ct = random_cotangent(value, random.Random(seed))
        out, pairs = run(ARRAY)(s, given, ct), method(s, given, ct)
        assert pairs.value == out.value and close(pairs.cotangents, out.cotangents, 1e-12), seed
    # A built vector has no pairs to be allocated: values and deltas go to their vectors.
    built = Source((("v", Arr(R)),), Build(op("length", v), "i", op("index", v, i)), Arr(R))
    one, two = (m(built, ([1.0] * 50,), [1.0] * 50) for m in (run(ARRAY), method))
    assert one.cotangents == two.cotangents == ([1.0] * 50,)
    built_types = types_of(built.body, {"v": Arr(R)})
    made = Vectors(built_types, vector_duals(Z)).inside(built.body, Lit(0))
    assert {t.name for t in subterms(made) if isinstance(t, Op)} == {
        "length", "index", "sequence2"}
    # what K makes of a vector: n pairs, or one
    term = op("reverse", v)
    types = types_of(term, {"v": Arr(R)})
    pairs, vectors = ([(1.0, 0)] * 9, ([1.0] * 9, [0] * 9))
    plain = K(types, duals(Z)).inside(term, Lit(0))
    of_vectors = Vectors(types, vector_duals(Z)).inside(term, Lit(0))
    for t, given, allocated in ((plain, pairs, 9), (of_vectors, vectors, 1)):
        value = evaluate(t, {"v": given})[0]
        assert isinstance(value, tuple)
        assert tuples(value[0]) == allocated


def tuples(v: object) -> int:
    """The pairs of a value."""
    match v:
        case tuple() | list():
            return isinstance(v, tuple) + sum(map(tuples, v))
        case _:
            return 0


# --- section 8.6 ----------------------------------------------------------------------------------


@claim("KR-55")
def test_triple_numbers(row: str) -> None:
    cube = Source(reals("x"), prim("mul", x, prim("mul", x, x)), R)
    assert second(cube, (2.0,), (1.0,)) == (8.0, 12.0, 12.0)
    # d²/dt² sin((a+pt)(b+qt)) = cos(ab) 2pq - sin(ab) (pb+qa)²
    a, b, p, q = 0.7, -1.3, 0.5, 2.0
    s = Source(reals("x", "y"), prim("sin", prim("mul", x, y)), R)
    wanted = (math.sin(a * b), math.cos(a * b) * (p * b + q * a),
              math.cos(a * b) * 2 * p * q - math.sin(a * b) * (p * b + q * a) ** 2)
    assert close(list(second(s, (a, b), (p, q))), list(wanted), 1e-12)
    overloaded = apply("sin", Triple(a, p, 0.0) * Triple(b, q, 0.0))
    assert close([overloaded.value, overloaded.first, overloaded.second], list(wanted), 1e-12)
    for seed in range(count(60)):
        s, args = twice_differentiable(seed, 20)
        steps = tangents(args, random.Random(seed))
        value, first, curve = second(s, args, steps)
        assert (value, first) == push(s, args, steps) or close(
            [value, first], list(push(s, args, steps)), 1e-12)
        ahead, behind = (push(s, shifted(args, steps, h), steps)[1] for h in (1e-6, -1e-6))
        slopes = [(m - n) / 2e-6 for m, n in zip(reals_in(ahead), reals_in(behind))]
        assert close(reals_in(curve), slopes, 1e-4), seed


def shifted(args: tuple[Any, ...], steps: tuple[Any, ...], h: float) -> tuple[Any, ...]:
    moves = iter(reals_in(list(steps)))
    return tuple(map_reals(lambda r: r + h * next(moves), a) for a in args)


@claim("KR-56")
def test_lazy_towers(row: str) -> None:
    product = Source(reals("x"), prim("mul", prim("exp", x), x), R)
    assert derivatives(product, (0.0,), (1.0,), 5) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    t = LazyTower.variable(0.0)
    lazy = apply("exp", t) * t
    assert [lazy.nth(k) for k in range(6)] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    power = derivatives(POW5, (2.0,), (1.0,), 6)  # through recursion: x^5 at 2
    assert power == [32.0, 80.0, 160.0, 240.0, 240.0, 120.0, 0.0]
    for seed in range(count(40)):
        s, args = twice_differentiable(seed, 15)
        if s.result != R:
            continue
        steps = tangents(args, random.Random(seed))
        assert close(derivatives(s, args, steps, 2), list(second(s, args, steps)), 1e-9), seed


@claim("KR-57")
def test_forward_over_reverse(row: str) -> None:
    def rows(f: Any, args: tuple[float, ...]) -> list[list[float]]:
        out = []
        for k in range(len(args)):
            r = reverse(f, args, lambda i, v, k=k: Dual(v, float(i == k + 1)))
            out.append([getattr(g, "tangent", 0.0) for g in r.gradient(1.0)])
        return out

    assert rows(program_of(FIG1), (3.0, 4.0)) == [[2.0, 1.0], [1.0, 0.0]]
    s = Source(reals("x", "y"), prim("sin", prim("mul", x, prim("exp", y))), R)
    found = rows(program_of(s), (0.3, 0.4))
    for k, d in enumerate(((1.0, 0.0), (0.0, 1.0))):
        assert close([found[k][k]], [second(s, (0.3, 0.4), d)[2]], 1e-12)
    assert close([found[0][1]], [found[1][0]], 1e-12)


# --- section 8.7 ----------------------------------------------------------------------------------


def scales(t: Term) -> int:
    return sum(isinstance(s, Con) and s.name == "Scale" for s in subterms(t))


@claim("KR-60")
def test_static_fusion(row: str) -> None:
    f = lam("x", R, lambda x: x * prim("sin", x))
    n = duals(MAP.state)
    code = fused(f, types_of(f), n)
    assert scales(code) == 1 and scales(K(types_of(f), n).fn(f)) == 3
    assert not any(isinstance(t, Con) and t.name == "Add" for t in subterms(code))
    value, (rhs,) = outer_binds(code, (2.0, ConV("Var", (1,))), 2)
    assert value == 2 * math.sin(2.0) and rhs.fields[1] == ConV("Var", (1,))
    assert close([rhs.fields[0]], [0.0770037537], 1e-9)
    assert free_vars(code) == ("deltaLet",)
    # the same coefficients as Fig. 15 has at run time, of two arguments too
    two = lam("p", Prod(R, R), lambda p: E(Fst(p.t)) * (E(Fst(p.t)) + E(Snd(p.t))))
    given = ((3.0, ConV("Var", (1,))), (4.0, ConV("Var", (2,))))
    assert outer_binds(fused(two, types_of(two), n), given, 3) == outer_binds(fuse(two), given, 3)
    # a loop of k calls makes k bindings, and as many again for what is outside f
    for k in (1, 5, 20):
        loop = Source(reals("x"), Let("f", f, Foldl("s", "i", App(Var("f"), Var("s")), x, Build(
            Lit(k), "j", Var("j")))), R)
        for store in (MAP, ARRAY):
            assert bindings(loop, (0.5,), store) == k
            assert bindings(loop, (0.5,), store, False) == 2 * k
            assert close(gradient(loop, (0.5,), 1.0, store)[1],
                         run(store, FUSED)(loop, (0.5,), 1.0).cotangents, 1e-12)
    # a function of a tuple is fused too: one binding a call for the two of its body
    for k in (1, 5):
        calls = Source(reals("x", "y"), Let("f", two, Foldl(
            "s", "i", App(Var("f"), Pair(Var("s"), Var("y"))), x, Build(Lit(k), "j", Var("j")))), R)
        for store in (MAP, ARRAY):
            assert bindings(calls, (0.5, 0.25), store) == k
            assert bindings(calls, (0.5, 0.25), store, False) == 2 * k


def bindings(s: Source, args: tuple[Any, ...], store: Store, fusing: bool = True) -> int:
    """The bindings that a run makes."""
    out = run(store, FUSED)(s, args, 1.0) if fusing else run(store)(s, args, 1.0)
    return lets_made(out.machine, store)


@claim("KR-61")
def test_whenever_it_can(row: str) -> None:
    """The heuristic: fuse every straight line. A call then makes one binding, where it made one for
    each operation; it never makes more."""
    method = METHODS["delta.fused"].runner
    for seed in range(count(120)):
        s, args = random_program(seed, "RGH", 30)
        value = evaluate(s.body, dict(zip((v for v, _ in s.context), args)))[0]
        ct = random_cotangent(value, random.Random(seed))
        plain, found = run(ARRAY)(s, args, ct), method(s, args, ct)
        assert found.value == plain.value and close(found.cotangents, plain.cotangents, 1e-9)
        assert lets_made(found.machine, ARRAY) <= lets_made(plain.machine, ARRAY)
    for s, args, ct, _, wanted in STANDARD.values():
        assert close(method(s, args, ct).cotangents, wanted)
