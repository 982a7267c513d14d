"""Efficient CHAD, sections 2 to 5: the rules, the representations, and what each stage costs."""

from __future__ import annotations

import doctest
import math
import random
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from pullback.papers.chad.dense import DENSE_EV
from pullback.papers.chad.monadic import CHAD, chad_of
from pullback.papers.chad.mutable import MUTABLE, WRITER
from pullback.papers.chad.naive_program import run_ev
from pullback.papers.chad.operations import OPERATIONS, Primitive, transposed
from pullback.papers.chad.program import check_chad, run_monadic
from pullback.papers.chad.sparse import (
    EMAP,
    get,
    logarithm,
    modify,
    pop,
    push0,
    tmagic,
    union,
)
from pullback.papers.chad.types import t2
from pullback.papers.language import maps as nested_map
from pullback.papers.language.build import E, lets, op, prim, reals, tuple_, tuple_type
from pullback.papers.language.check import check_source
from pullback.papers.language.eval import evaluate
from pullback.papers.language.linear import L_R, lprod, lsum, plus, zero
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import implementation
from pullback.papers.language.pretty import show
from pullback.papers.language.terms import (
    ONE,
    Case,
    Context,
    Fst,
    Inl,
    Lam,
    Let,
    Op,
    Pair,
    Prim,
    Prod,
    R,
    Source,
    Term,
    Type,
    Var,
)
from pullback.papers.language.traverse import free_vars, subterms
from pullback.papers.language.values import Inj, Zero
from pullback.papers.methods import METHODS, Outcome
from pullback.papers.methods import run as run_method
from tests.papers.chad_tools import apart, chain, programs, slope, tree
from tests.papers.conformance import claim
from tests.papers.generate import (
    ABS,
    FIG1,
    STANDARD,
    Generator,
    close,
    finite_difference,
)

FIRST = ("chad.naive", "chad.sparse", "chad.monadic", "chad.mutable")
X = Var("x")


@pytest.mark.parametrize("module", [
    "chad.types", "chad.data", "chad.naive", "chad.sparse", "chad.monadic", "chad.mutable",
    "chad.gather", "chad.higher", "chad.operations", "closure_conversion",
    "defunctionalisation"])
def test_docstrings(module: str) -> None:
    found = doctest.testmod(import_module(f"pullback.papers.{module}"))
    assert found.failed == 0 and found.attempted > 0


@claim("CHAD-1")
def test_the_source_language(row: str) -> None:
    for method in FIRST:
        for arg, gradient in ((-3.0, -1.0), (3.0, 1.0)):
            assert run_method(method, ABS, (arg,), 1.0).cotangents == (gradient,)
        out = run_method(method, Source(reals("x"), Prim("log", (X,)), R), (-1.0,), 1.0)
        assert isinstance(out.value, float) and math.isnan(out.value)


@claim("CHAD-2")
def test_tuples_nest_to_the_left(row: str) -> None:
    a, b, c = Var("a"), Var("b"), Var("c")
    t = tuple_(a, b, c)
    assert isinstance(t, Pair) and isinstance(t.left, Pair) and t.right is c
    assert tuple_type(R, ONE, R) == Prod(Prod(R, ONE), R)
    assert show(t) == "(a, b, c)" and show(Pair(a, Pair(b, c))) == "(a, (b, c))"


@claim("CHAD-3")
def test_types(row: str) -> None:
    for source, _, _ in programs("RG"):
        check_chad(apart(source))


def standard() -> list[tuple[Source, tuple[object, ...], object, object, tuple[object, ...]]]:
    return [p for p in STANDARD.values() if not METHODS["chad.naive"].supports(p[0])]


@claim("CHAD-4")
def test_naive(row: str) -> None:
    for source, args, seed, value, gradient in standard():
        out = run_method("chad.naive", source, args, seed)
        assert out.value == value and close(out.cotangents, gradient)
        assert close(finite_difference(source, args, seed), out.cotangents, 1e-5)


@claim("CHAD-5")
def test_two_implementations_of_one_interface(row: str) -> None:
    for source, args, seed in programs("RG"):
        dense, sparse = (run_ev(source, args, seed, lib)[0] for lib in (DENSE_EV, EMAP))
        assert dense.value == sparse.value and close(dense.cotangents, sparse.cotangents)


@claim("CHAD-6")
def test_monoids(row: str) -> None:
    m, either = Machine(), lsum(L_R, L_R)
    for a in (Zero(either), Inj(0, 2.0)):
        for b in (Zero(either), Inj(0, 3.0)):
            assert plus(m, a, b) == plus(m, b, a)
            assert plus(m, plus(m, a, b), a) == plus(m, a, plus(m, b, a))
        assert plus(m, a, Zero(either)) == a
    assert evaluate(zero(lprod(L_R, L_R)), {}, DENSE_EV)[0] == (0.0, 0.0)
    with pytest.raises(ValueError, match="different shapes"):
        plus(m, Inj(0, 1.0), Inj(1, 1.0))
    for cast, wrong in (("lcastl", Inj(1, 1.0)), ("lcastr", Inj(0, 1.0))):
        with pytest.raises(ValueError, match="other branch"):
            evaluate(op(cast, X), {"x": wrong}, DENSE_EV)


def polar() -> Primitive:
    """(x, y) to (r, angle)."""
    return Primitive("polar", 2, lambda x, y: (math.hypot(x, y), math.atan2(y, x)), (
        (lambda x, y: x / math.hypot(x, y), lambda x, y: y / math.hypot(x, y)),
        (lambda x, y: -y / (x * x + y * y), lambda x, y: x / (x * x + y * y))))


@claim("CHAD-7")
def test_operations_with_several_outputs(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    f = polar()
    monkeypatch.setitem(OPERATIONS, "polar", f)
    library = CHAD.extended(*f.rows())
    p = Op("polar", (tuple_(Prim("exp", (Var("x"),)), Var("y")),))
    source = Source(reals("x", "y"), p, Prod(R, R))
    check_source(source, library)

    def back(*d: float) -> list[float]:
        out = run_monadic(source, (0.5, 2.0), d, library)
        r = math.hypot(math.exp(0.5), 2.0)
        assert close(out.value, (r, math.atan2(2.0, math.exp(0.5))))
        return [c for c in out.cotangents if isinstance(c, float)]

    first, second, both = back(1.0, 0.0), back(0.0, 1.0), back(2.0, -3.0)
    assert close(tuple(both), tuple(2.0 * a - 3.0 * b for a, b in zip(first, second)))
    x, r = math.exp(0.5), math.hypot(math.exp(0.5), 2.0)
    assert close(tuple(first), (x / r * x, 2.0 / r))
    assert close(tuple(second), (-2.0 / r**2 * x, x / r**2))
    # Dop^t itself: a term of the two, linear in the second.
    dual = transposed(f, E(Var("p")), E(Var("e")))
    env = {"p": (3.0, 4.0), "e": (5.0, 0.0)}
    assert evaluate(dual, env, library)[0] == (3.0, 4.0)


@claim("CHAD-8")
def test_the_value_is_shared(row: str) -> None:
    # The pass that gives the value evaluates every operation once, and keeps what it needs.
    for source, args, _ in programs("RG"):
        source = apart(source)
        env = dict(zip([v for v, _ in source.context], args))
        plain, chad = Machine(), Machine()
        evaluate(source.body, env, machine=plain)
        evaluate(chad_of(source), env, CHAD, chad)
        ops = [{k: n for k, n in m.counts.items() if k.startswith("prim:")} for m in (plain, chad)]
        assert ops[0] == ops[1]
    # With the gradient it is once too, but for operations that occur in their own derivative.
    for name, count in (("sin", 1), ("log", 1), ("exp", 2), ("tanh", 3)):
        source = Source(reals("x"), Prim(name, (X,)), R)
        m = run_method("chad.monadic", source, (0.5,), 1.0).machine
        assert m.counts[f"prim:{name}"] == count


@claim("CHAD-9")
def test_errors_are_unreachable(row: str) -> None:
    for source, args, seed in programs("RG"):
        for method in FIRST:
            run_method(method, source, args, seed)


@claim("CHAD-10")
def test_shadowing(row: str) -> None:
    t = Let("x", prim("mul", X, X), Let("x", prim("mul", X, X), prim("add", X, X)))
    for method in FIRST:
        assert run_method(method, Source(reals("x"), t, R), (2.0,), 1.0).cotangents == (64.0,)


def costs(method: str, make: object, sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    points = []
    for n in sizes:
        source = chain(n) if make == "chain" else tree(n)
        args = (1.0,) * len(source.context)
        points.append((len(args), run_method(method, source, args, 1.0).reverse))
    return points


@claim("CHAD-11")
def test_the_criterion(row: str) -> None:
    assert slope(costs("chad.naive", "chain", (60, 120))) > 1.9
    assert slope(costs("chad.monadic", "chain", (60, 120))) < 1.05


def wide(n: int) -> tuple[Type, object]:
    """A balanced product of 2^n reals, and a value."""
    t: Type = R
    v: object = 1.0
    for _ in range(n):
        t, v = Prod(t, t), (v, v)
    return t, v


def reverse(method: str, source: Source, args: tuple[object, ...]) -> int:
    return run_method(method, source, args, 1.0).reverse


def work_of(name: str, source: Source, args: tuple[object, ...]) -> int:
    """The steps of one operation in a run of C0."""
    spent = [0]
    row = DENSE_EV[name if name != "plus" else "ev_plus"]

    def measured(m: Machine, given: Any, static: Any) -> object:
        before = m.cost
        out = row.run(m, given, static)
        spent[0] += m.cost - before
        return out

    run_ev(source, args, 1.0, DENSE_EV.replaced(*implementation(DENSE_EV, **{row.name: measured})))
    return spent[0]


@claim("CHAD-12")
def test_four_problems(row: str) -> None:
    y = Var("y")
    bodies = {
        "zero": Fst(Pair(X, y)),  # a zero cotangent of a large type
        "sharing": Fst(Pair(X, Pair(y, y))),  # a large cotangent is added
        "environment": prim("add", X, X),  # environments with a large entry are added
        "one-hot": X,  # an environment with a large entry is made, and none added
    }
    operations = {"zero": "zero", "sharing": "plus", "environment": "ev_plus", "one-hot": "ev_one"}

    def growth(method: str, make: str) -> int:
        few, many = (reverse(method, Source((("x", R), ("y", wide(n)[0])), bodies[make], R), (
            1.0, wide(n)[1])) for n in (3, 6))
        return many - few

    def in_wider(method: str, make: str) -> int:
        # more variables beside x and y; ``run`` itself costs 4 for each of them
        found = []
        for n in (4, 64):
            more = tuple((f"u{k}", R) for k in range(n))
            source = Source((("x", R), ("y", wide(3)[0]), *more), bodies[make], R)
            found.append(reverse(method, source, (1.0, wide(3)[1], *[1.0] * n)) - 4 * n)
        return found[1] - found[0]

    for make in bodies:
        assert growth("chad.naive", make) >= 2**6 - 2**3
        assert growth("chad.monadic", make) == 0
        assert in_wider("chad.monadic", make) == 0
    # each problem is in an operation of its own
    for make, name in operations.items():
        spent = []
        for n in (3, 6):
            t, v = wide(n)
            source = Source((("x", R), ("y", t)), bodies[make], R)
            spent.append(work_of(name, source, (1.0, v)))
        assert spent[1] - spent[0] >= 2**6 - 2**3, make
    assert work_of("ev_plus", Source(reals("x"), X, R), (1.0,)) == 0


@claim("CHAD-13")
def test_operations_of_constant_cost(row: str) -> None:
    makers: tuple[Callable[[Type], Term], ...] = (
        lambda t: op("lpair", zero(t), zero(t)), lambda t: op("linl", zero(t), static=(t,)),
        lambda t: op("lfst", zero(lprod(t, t))), lambda t: op("lcastl", zero(lsum(t, t))),
        lambda t: op("plus", zero(t), zero(t)),
    )
    for make in makers:
        assert len({evaluate(make(t2(wide(n)[0])), {}, CHAD)[1] for n in range(1, 8)}) == 1


@claim("CHAD-14")
def test_projections_of_one_variable(row: str) -> None:
    def cost(method: str, n: int) -> int:
        t, v = wide(n)
        body = prim("add", Fst(X), prim("add", Fst(X), Fst(X)))
        return reverse(method, Source((("x", Prod(R, t)),), body, R), ((1.0, v),))

    assert cost("chad.naive", 7) > 10 * cost("chad.naive", 2)
    for method in ("chad.sparse", "chad.monadic"):
        assert cost(method, 7) == cost(method, 2)


@claim("CHAD-15")
def test_sparse_products(row: str) -> None:
    t = lprod(L_R, lsum(L_R, L_R))
    nothing, some, m = Zero(t), (1.0, Inj(0, 2.0)), Machine()
    assert plus(m, nothing, nothing) == nothing
    assert plus(m, nothing, some) is some and plus(m, some, nothing) is some
    assert plus(m, some, some) == (2.0, Inj(0, 4.0))
    parts = [evaluate(op(f, X), {"x": nothing}, CHAD)[0] for f in ("lfst", "lsnd")]
    assert parts == [0.0, Zero(lsum(L_R, L_R))]


@claim("CHAD-16")
def test_a_zero_costs_at_most_two(row: str) -> None:
    for k in range(200):
        t = t2(Generator(random.Random(k), "RG").type(8))
        assert evaluate(zero(t), {}, CHAD)[1] <= 2


@claim("CHAD-17")
def test_emap(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in (10, 100, 1000):
        a: nested_map.Map = None
        for k in range(n):
            a = nested_map.insert(a, (k * 7) % n, float(k))
        assert nested_map.height(a) <= 1.45 * math.log2(n + 2)
        small = nested_map.insert(nested_map.insert(None, 0, 1.0), n + 1, 2.0)
        m = Machine()
        both = union(m, a, small)
        assert nested_map.size(both) == n + 1 and nested_map.size(union(m, None, a)) == n
        assert m.cost <= 2 * math.log2(n / 2 + 1) + 3
        found = nested_map.lookup(both, n + 1)
        assert found and found.value == 2.0
        assert nested_map.size(nested_map.delete(both, 0)) == n
    # the laws of Fig. 5's operations, for a map as a function from positions to cotangents
    rng = random.Random(4)
    for n in (1, 4, 9):
        d = {k: float(k + 1) for k in rng.sample(range(n), rng.randrange(n + 1))}
        e: nested_map.Map = None
        for k, v in d.items():
            e = modify(e, k, 0.0, lambda old, v=v: old + v)
        inside = lambda m, n=n: [get(m, k, 0.0) for k in range(n)]
        assert inside(None) == [0.0] * n and inside(e) == [d.get(k, 0.0) for k in range(n)]
        assert inside(push0(e)) == inside(e) and get(push0(e), n, 0.0) == 0.0
        for k in range(n):
            changed = modify(e, k, 0.0, lambda v: v + 10.0)
            assert inside(changed) == [v + 10.0 * (j == k) for j, v in enumerate(inside(e))]
        rest, top = pop(modify(push0(e), n, 0.0, lambda v: v + 7.0), n, 0.0)
        assert top == 7.0 and inside(rest) == inside(e) and nested_map.size(rest) == len(d)
        assert pop(push0(e), n, 0.0)[1] == 0.0
    # what the operations do, in nodes that are made anew: of the order of what is charged
    made = [0]
    plain = nested_map.Tree.__init__

    def counted(self: nested_map.Tree, *args: Any) -> None:
        made[0] += 1
        plain(self, *args)

    monkeypatch.setattr(nested_map.Tree, "__init__", counted)

    def nodes(run: Callable[[], object]) -> int:
        made[0] = 0
        run()
        return made[0]

    for n in (64, 512, 4096):
        full: nested_map.Map = None
        for k in range(n):
            full = nested_map.insert(full, 2 * k, 1.0)
        for key in (0, n, 2 * n):
            changed = nodes(lambda a=full, k=key: modify(a, k, 0.0, lambda v: v))
            deleted = nodes(lambda a=full, k=key: nested_map.delete(a, k))
            assert max(changed, deleted) <= 4 * logarithm(full)
        assert nodes(lambda a=full: push0(a)) == 0
        for k in (1, 8, 64):
            few: nested_map.Map = None
            for j in range(k):
                few = nested_map.insert(few, 2 * j * (n // k) + (j % 2), 1.0)
            charged = Machine()
            work = nodes(lambda a=full, b=few, m=charged: union(m, a, b))
            assert work <= 6 * (k * math.log2(n / k + 1) + 1)
            assert charged.cost >= k * math.log2(n / k + 1)


@claim("CHAD-18")
def test_the_text_does_not_change(row: str) -> None:
    for source, args, seed in programs("RG", 50):
        texts = []
        for library in (DENSE_EV, EMAP):
            term = run_ev(source, args, seed, library)[0].term
            assert term is not None
            texts.append(show(term, library=EMAP))
        assert texts[0] == texts[1]


@claim("CHAD-19")
def test_union_is_not_enough(row: str) -> None:
    assert [tmagic(r) for r in range(1, 8)] == [1, 4, 12, 32, 80, 192, 448]
    for r in range(1, 8):
        m = run_method("chad.sparse", tree(r), (1.0,) * 2**r, 1.0).machine
        assert m.counts["union"] == r * 2 ** (r - 1)
        assert m.counts["prim:add"] == 2**r - 1
    assert slope(costs("chad.sparse", "tree", (2, 5))) > 1.1
    assert 0.97 < slope(costs("chad.monadic", "tree", (5, 8))) < 1.02
    # The slope falls with r, as that of n log n does: the steps are exactly those of the
    # operations, 9 each, and those of union.
    for n, steps in costs("chad.sparse", "tree", tuple(range(1, 9))):
        r = n.bit_length() - 1
        assert steps == 9 * 2**r - 6 + r * 2 ** (r - 1)
    for n, steps in costs("chad.monadic", "tree", tuple(range(1, 9))):
        assert steps == 20 * n - 4


@claim("CHAD-21")
def test_monadic(row: str) -> None:
    for source, args, seed, value, gradient in standard():
        out = run_method("chad.monadic", source, args, seed)
        assert out.value == value and close(out.cotangents, gradient)
    for source, args, seed in programs("RG"):
        a, b = (run_method(m, source, args, seed) for m in ("chad.naive", "chad.monadic"))
        assert a.value == b.value and close(a.cotangents, b.cotangents)


@claim("CHAD-22")
def test_nested_scopes(row: str) -> None:
    t: Term = Var("v50")
    for k in reversed(range(50)):
        inner = Let(f"v{k + 1}", prim("mul", Var(f"w{k}"), X), t)
        t = Case(Inl(Var(f"v{k}"), R), f"w{k}", inner, f"u{k}", Var(f"u{k}"))
    source = Source(reals("x"), Let("v0", X, t), R)
    for method in FIRST:
        (d,) = run_method(method, source, (1.01,), 1.0).cotangents
        assert close(d, 51 * 1.01**50)


@claim("CHAD-23")
def test_a_writer_does(row: str) -> None:
    for fragment in ("RG", "RGA"):
        for source, args, seed in programs(fragment, 100):
            a, b = (run_monadic(source, args, seed, lib) for lib in (CHAD, WRITER))
            assert close(a.cotangents, b.cotangents)


@claim("CHAD-24")
def test_no_sums_of_environments(row: str) -> None:
    for source, _, _ in programs("RG"):
        names = {t.name for t in subterms(chad_of(apart(source))) if isinstance(t, Op)}
        assert not names & {"ev_zero", "ev_plus", "ev_one", "split"}


def uses(t: Term, x: str) -> list[str]:
    """Return the uses of a variable: by a projection, or whole."""
    out = []
    for s in subterms(t):
        if isinstance(s, Op) and s.name in ("lfst", "lsnd") and isinstance(s.args[0], Var):
            out += [s.name] if s.args[0].name == x else []
        else:
            from pullback.papers.language.traverse import parts

            out += ["whole" for _, part in parts(s) if isinstance(part, Var) and part.name == x]
    return out


@claim("CHAD-25")
def test_cotangents_are_used_at_most_once(row: str) -> None:
    for source, args, seed in programs("RG"):
        t = chad_of(apart(source))
        for s in subterms(t):
            # A cotangent that is not a number: once, or its two halves once each.
            if isinstance(s, Lam) and s.role and s.type not in (L_R, t2(ONE)):
                assert sorted(uses(s.body, s.x)) in ([], ["whole"], ["lfst", "lsnd"])
        m = run_monadic(source, args, seed).machine
        assert all(n <= 1 for role, n in zip(m.roles, m.calls, strict=True))


@claim("CHAD-30")
def test_actions_cost_the_same_in_every_environment(row: str) -> None:
    found = set()
    for n in (1, 10, 100, 1000):
        context: Context = reals("x", *(f"y{k}" for k in range(n)))
        t = Let("z", prim("mul", X, X), prim("add", Var("z"), X))
        out = run_method("chad.monadic", Source(context, t, R), (1.0,) * (n + 1), 1.0)
        # run: 1 each; the zero environment: a pair and a real zero each
        found.add(out.reverse - 4 * (n + 1))
    assert len(found) == 1


@claim("CHAD-31")
def test_the_growable_stack(row: str) -> None:
    for n in (10, 100, 200):
        t = lets([(f"v{k + 1}", prim("add", Var(f"v{k}"), Var(f"v{k}"))) for k in range(n)],
                 Var(f"v{n}"))
        source = Source(reals("v0"), t, R)
        out = run_method("chad.mutable", source, (1.0,), 1.0)
        assert out.cotangents == (2.0**n,)
        assert out.machine.peaks["stack"] == n + 1 and out.machine.counts["copied"] <= 2 * n
        assert out.cost == run_method("chad.monadic", source, (1.0,), 1.0).cost


@claim("CHAD-32")
def test_three_backends_agree(row: str) -> None:
    for source, args, seed in programs("RG"):
        outs: list[Outcome] = [
            run_monadic(source, args, seed, lib) for lib in (CHAD, MUTABLE, WRITER)]
        assert all(close(outs[0].cotangents, o.cotangents) for o in outs)


def test_the_golden_output_for_fig1() -> None:
    assert free_vars(chad_of(FIG1)) == ("x", "y")
    assert run_method("chad.monadic", FIG1, (3.0, 4.0), 1.0).cotangents == (10.0, 3.0)
