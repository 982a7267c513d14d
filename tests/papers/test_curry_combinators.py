"""The Differentiable Curry: the translation to combinators, primitives, the RNN, its costs."""

from __future__ import annotations

import doctest
import math
import random
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from pullback.papers.curry import dependent as curry_dependent
from pullback.papers.curry import simple as curry_simple
from pullback.papers.curry.combinators import COMBINATORS, proj, rep
from pullback.papers.curry.dependent import dependent
from pullback.papers.curry.environments import DEPENDENT, ERASED
from pullback.papers.curry.simple import SIMPLE, simple
from pullback.papers.curry.tangents import plus, primal, tangent, zero
from pullback.papers.curry.translation import applied_lets, combinators, differentiable
from pullback.papers.language.build import E, lam, op, prim, reals, tuple_, tuple_type
from pullback.papers.language.check import NestedTypeError, check, types_of
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.pretty import show
from pullback.papers.language.terms import (
    App,
    Arr,
    B,
    Context,
    Data,
    Fst,
    Fun,
    Lam,
    Let,
    Op,
    Pair,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Type,
    Var,
    Z,
)
from pullback.papers.language.values import pair, tuple_value
from pullback.papers.methods import Outcome, Unsupported, run
from tests.papers.conformance import claim
from tests.papers.generate import (
    FIG1,
    HO3,
    STANDARD,
    Generator,
    close,
    count,
    finite_difference,
    random_cotangent,
    random_value,
)

BOTH = ("curry.simple", "curry.dependent")
w, h0, x, y, c = (E(Var(v)) for v in ("w", "h0", "x", "y", "c"))


class Lambdas(Generator):
    """Programs of λ∂ as the paper has it: no sums, no control flow."""

    def type(self, depth: int, arrays: bool = True) -> Type:
        while True:
            t = super().type(depth, False)
            if "Plus" not in str(t):
                return t

    def branch(self, t: Type, size: int) -> Term:
        return self.made(t, size)


def program(seed: int, size: int = 14) -> tuple[Source, tuple[Any, ...]]:
    rng = random.Random(f"λ∂/{seed}")
    g = Lambdas(rng, "RGH")
    context: Context = (("x", R), *((v, g.type(2)) for v in ("y", "w")[: rng.randrange(3)]))
    g.scope = list(context)
    result = rng.choice((R, R, g.type(2)))
    body = g.term(result, rng.randint(2, size))
    return Source(context, body, result), tuple(random_value(t, rng) for _, t in context)


def with_applied_lets(s: Source) -> Source:
    types = types_of(s.body, s.context)
    return Source(s.context, applied_lets(s.body, types), s.result)


def primitive_calls(o: Outcome) -> tuple[int, int]:
    """Return how often rep-functions of primitives were run forward and backward."""
    by = dict.fromkeys(("forward", "backward"), 0)
    for role, n in zip(o.machine.roles, o.machine.calls):
        by[role] += n
    return by["forward"], by["backward"]


@pytest.mark.parametrize(
    "name",
    ["combinators", "tangents", "simple", "environments", "dependent", "rolled", "universal_zero",
     "sum_tangents", "call_lists", "simple_sums", "exists", "dependent_sums"])
def test_the_figures(name: str) -> None:
    assert doctest.testmod(import_module(f"pullback.papers.curry.{name}")).failed == 0


@claim("DC-1")
def test_j_means_what_the_program_means(row: str) -> None:
    for seed in range(count(60)):
        source, args = program(seed)
        env = dict(zip([v for v, _ in source.context], args))
        wanted, _ = evaluate(source.body, env)
        for library, term in ((curry_simple.LIBRARY, simple(combinators(source))),
                              (curry_dependent.LIBRARY, dependent(combinators(source)))):
            m = Machine()
            f, _ = evaluate(term, {}, library, m)
            code = f if library is curry_simple.LIBRARY else pair(f)[1]
            found, _ = apply(code, tuple_value(*args), machine=m)
            assert close((pair(found)[0],), (wanted,), 1e-12), seed


def test_random_programs_against_differences() -> None:
    for seed in range(count(60)):
        source, args = program(seed)
        env = dict(zip([v for v, _ in source.context], args))
        value, _ = evaluate(source.body, env)
        ct = random_cotangent(value, random.Random(seed))
        found = [run(m, source, args, ct).cotangents for m in BOTH]
        applied = [run(m, with_applied_lets(source), args, ct).cotangents for m in BOTH]
        assert all(close(found[0], other, 1e-9) for other in (found[1], *applied)), seed
        assert close(found[0], finite_difference(source, args, ct), 1e-5), seed


def test_the_golden_output() -> None:
    text = show(combinators(with_applied_lets(FIG1)), library=COMBINATORS)
    assert text == ("(prod (curry ((prod proj_1 proj_3) ∘ rep_mul)) "
                    "((prod proj_1 proj_2) ∘ rep_add)) ∘ eval")
    text = show(combinators(FIG1), library=COMBINATORS)
    assert text == (
        "(prod id ((prod proj_1 proj_2) ∘ rep_add)) ∘ ((prod proj_1 proj_3) ∘ rep_mul)")


@pytest.mark.parametrize("method", BOTH)
def test_standard_programs(method: str) -> None:
    for source, args, seed, value, cotangents in STANDARD.values():
        o = run(method, source, args, seed)
        assert o.value == value and close(o.cotangents, cotangents)


@claim("DC-2")
def test_primitives_have_rep_functions(row: str) -> None:
    for name, args, partials in [
        ("mul", (3.0, 4.0), (4.0, 3.0)), ("add", (3.0, 4.0), (1.0, 1.0)),
        ("sin", (0.5,), (math.cos(0.5),)), ("tanh", (0.5,), (1 - math.tanh(0.5) ** 2,)),
        ("div", (3.0, 4.0), (0.25, -3 / 16)), ("sub", (3.0, 4.0), (1.0, -1.0)),
    ]:  # any row of the table of primitives is one
        for method in BOTH:
            names = ["x", "y"][: len(args)]
            s = Source(reals(*names), prim(name, *map(Var, names)), R)
            assert close(run(method, s, args, 1.0).cotangents, partials, 1e-12)


@claim("DC-3")
def test_the_combinators_have_their_types(row: str) -> None:
    f, g = Op("rep", (), ("mul", Prod(R, R))), Op("rep", (), ("sin", R))
    for t, a, b in [
        (Op("id", (), (R,)), R, R), (op("curry", f), R, rep(R, R)),
        (Op("eval", (), (R, Z)), Prod(rep(R, Z), R), Z), (op("prod", f, f), Prod(R, R), Prod(R, R)),
        (op("comp", f, g), Prod(R, R), R), (op("const", 2.0, static=(Z,)), Z, R),
        (proj(2, 3, tuple_type(R, Z, B)), tuple_type(R, Z, B), Z),
    ]:
        assert check(t, library=COMBINATORS) == rep(a, b)
        assert check(simple(t), library=curry_simple.LIBRARY) == primal(rep(a, b), SIMPLE)
        assert check(dependent(t), library=curry_dependent.LIBRARY) == primal(rep(a, b), DEPENDENT)
    with pytest.raises(NestedTypeError):
        check(op("comp", g, f), library=COMBINATORS)


@claim("DC-31")
def test_j_is_typed_as_the_figure_says(row: str) -> None:
    for seed in range(count(60)):
        source, _ = program(seed)
        delta = tuple_type(*(differentiable(t) for _, t in source.context))
        term = combinators(source)
        assert check(term, library=COMBINATORS) == rep(delta, differentiable(source.result))
        arrow = rep(delta, differentiable(source.result))
        assert check(simple(term), library=curry_simple.LIBRARY) == primal(arrow, SIMPLE)
        found = check(dependent(term), library=curry_dependent.LIBRARY)
        assert found == primal(arrow, DEPENDENT)


@claim("DC-26")
def test_vjp_is_outside_the_language(row: str) -> None:
    inside = Source(reals("x"), op("vjp", lam("u", R, lambda u: u * u), x, 1.0), R)
    for method in BOTH:
        with pytest.raises(Unsupported, match="has no op"):
            run(method, inside, (3.0,), 1.0)
    with pytest.raises(NestedTypeError):
        combinators(inside)
    squared = Source(reals("x"), (x * x).t, R)  # outside, it is an ordinary function
    assert run("curry.simple", squared, (3.0,), 1.0).cotangents == (6.0,)


@claim("DC-9")
def test_the_tangent_table(row: str) -> None:
    for fs in (SIMPLE, DEPENDENT):
        for t, wanted in [
            (R, R), (Arr(R), Arr(R)), (Prod(R, Z), Prod(R, Data("1"))), (Z, Data("1")),
            (B, Data("1")), (Arr(Z), Data("1")), (Arr(Arr(R)), Arr(Arr(R))),
        ]:
            shown = str(tangent(t, fs)).replace("Unit()", str(Data("1")))
            assert shown == str(wanted)
    t = Prod(Prod(R, Arr(R)), Prod(Z, Arr(Z)))
    v, a = ((1.0, [2.0, 3.0]), (4, [5])), ((0.5, [0.25, 4.0]), ((), ()))

    def ev(term: Term) -> object:
        return evaluate(term, {"v": v, "a": a, "b": a})[0]

    nothing = ev(zero(t, Var("v"), SIMPLE))
    assert nothing == ((0.0, [0.0, 0.0]), ((), ()))
    assert ev(plus(t, Var("a"), Var("b"), SIMPLE)) == ((1.0, [0.5, 8.0]), ((), ()))
    total = plus(t, Var("a"), Var("n"), SIMPLE)
    assert evaluate(total, {"a": a, "n": nothing})[0] == a


# --- the recurrent network ------------------------------------------------------------------------


def rnn(steps: int) -> Source:
    """g = \\h.\\x. sin(w*h + x), applied to one input after the other."""
    xs = [f"x{k}" for k in range(1, steps + 1)]
    h = h0
    for v in xs:
        h = E(Var("g"))(h)(E(Var(v)))
    cell = lam("h", R, lambda h: lam("v", R, lambda v: prim("sin", w * h + v)))
    return with_applied_lets(Source(reals("w", "h0", *xs), Let("g", cell, h.t), R))


@claim("DC-22")
def test_the_network_propagates_to_its_parameters(row: str) -> None:
    wanted = (0.116294, 0.230389, 0.329127, 0.493715, 0.717748)
    for method in BOTH:
        o = run(method, rnn(3), (0.7, 0.3, 0.1, -0.4, 0.9), 1.0)
        assert close((o.value, o.cotangents[0]), (0.696303, wanted[0]), 1e-6)
        assert all(abs(a - b) < 1e-6 for a, b in zip(map(float, o.cotangents), wanted))


@claim("DC-23")
def test_the_cost_of_the_network(row: str) -> None:
    for steps in (1, 2, 4, 8):
        args = (0.7, 0.3, *(0.1 * k for k in range(steps)))
        for method, each in (("curry.simple", 15), ("curry.dependent", 3)):
            o = run(method, rnn(steps), args, 1.0)
            assert primitive_calls(o) == (each * steps, each * steps)


@claim("DC-25")
def test_a_cell_compiled_elsewhere(row: str) -> None:
    # The cell is a closed rep-function of its own module; the network knows its type only.
    cell = Source(tuple((v, R) for v in ("w", "h", "x")), prim("sin", w * E(Var("h")) + x), R)
    kinds: list[tuple[Callable[[Term], Term], Any, Any, Any]] = [
        (simple, curry_simple.LIBRARY, lambda f: f, lambda d: d),
        (dependent, curry_dependent.LIBRARY, lambda f: pair(f)[1], lambda d: pair(d)[1]),
    ]
    step = Fun(tuple_type(R, R, R), R)
    f = E(Var("cell"))
    user = Source((("cell", step), *reals("w", "h0", "x1", "x2")), f(
        E(tuple_(w, f(E(tuple_(w, h0, E(Var("x1"))))), E(Var("x2"))))).t, R)
    for library_of, library, code, back in kinds:
        m = Machine()
        imported, _ = evaluate(library_of(combinators(cell)), {}, library, m)
        made, _ = evaluate(library_of(combinators(user)), {}, library, m)
        out, _ = apply(code(made), tuple_value(imported, 0.7, 0.3, 0.1, -0.4), machine=m)
        value, pullback = pair(out)
        whole = run("curry.simple", rnn(2), (0.7, 0.3, 0.1, -0.4), 1.0)
        tangents, _ = apply(pullback, 1.0, machine=m)
        found = back(tangents)
        assert close((value,), (whole.value,), 1e-12)
        (((_, dw), dh), dx1), dx2 = found
        assert close(((dw, dh), (dx1, dx2)), (whole.cotangents[:2], whole.cotangents[2:]), 1e-12)


# --- recomputation --------------------------------------------------------------------------------


def nested(n: int) -> Source:
    """n applied lambdas around sin."""
    t: Term = prim("sin", Var(f"v{n}"))
    for k in range(n, 0, -1):
        t = App(Lam(f"v{k}", R, t), Var(f"v{k - 1}"))
    return Source(reals("v0"), t, R)


@claim("DC-13")
def test_nested_functions_recompute(row: str) -> None:
    for n in range(1, 8):
        slow, fast = (run(m, nested(n), (0.5,), 1.0) for m in BOTH)
        assert primitive_calls(slow) == (2**n, 2**n)
        assert primitive_calls(fast) == (1, 1)
        assert close(slow.cotangents, fast.cotangents)


CAPTURE = with_applied_lets(Source(reals("c", "x"), Let("f", lam("u", R, lambda u: c * u), (
    E(Var("f"))(x) + E(Var("f"))(x)).t), R))


@claim("DC-16")
def test_captured_values(row: str) -> None:
    for method, calls in (("curry.simple", 8), ("curry.dependent", 3)):
        o = run(method, CAPTURE, (5.0, 3.0), 1.0)
        assert (o.value, o.cotangents) == (30.0, (6.0, 10.0))
        assert primitive_calls(o) == (calls, calls)


@claim("DC-8")
def test_closures_against_differences(row: str) -> None:
    cell = Source(reals("x", "y"), Let("f", lam("u", R, lambda u: lam("v", R, lambda v: (
        x * u + prim_sin(v * y)))), E(Var("f"))(E(Var("f"))(x)(y))(2.0 * x).t), R)
    twice = lam("f", Fun(R, R), lambda f: lam("u", R, lambda u: f(f(u) + y)))
    returned = Source(reals("x", "y"), E(App(twice, lam("u", R, lambda u: u * x)))(x * y).t, R)
    in_pairs = Source(reals("x", "y"), Let("p", Pair(
        lam("u", R, lambda u: u * x), lam("u", R, lambda u: prim_sin(u * y))),
        (E(Fst(Var("p")))(y) * E(Snd(Var("p")))(x)).t), R)
    never = Source(reals("x", "y"), Let("f", lam("u", R, lambda u: u * x), (x * y).t), R)
    for source, args in ((HO3, (3.0,)), (cell, (0.7, -0.4)), (returned, (0.7, -0.4)),
                         (in_pairs, (0.7, -0.4)), (never, (0.7, -0.4))):
        for method in BOTH:
            o = run(method, source, args, 1.0)
            assert close(o.cotangents, finite_difference(source, args, 1.0), 1e-6)
    for seed in range(count(120)):
        source, args = program(seed, 20)
        env = dict(zip([v for v, _ in source.context], args))
        ct = random_cotangent(evaluate(source.body, env)[0], random.Random(seed))
        o = run("curry.simple", source, args, ct)
        assert close(o.cotangents, finite_difference(source, args, ct), 1e-5), seed


def prim_sin(v: E) -> E:
    return E(prim("sin", v))


@claim("DC-21")
def test_without_witnesses(row: str) -> None:
    # the universal zero on either side of a sum: where f is called, and where it is not
    c, u, f = E(Var("c")), E(Var("u")), E(Var("f"))
    for body in (f(u) + u, u + f(u), f(u) + f(u)):
        source = Source(reals("c", "u"), Let("f", lam("v", R, lambda v: c * v), body.t), R)
        found = run("curry.erased", source, (5.0, 3.0), 1.0)
        assert found.cotangents == run("curry.dependent", source, (5.0, 3.0), 1.0).cotangents
        assert found.cotangents[0] in (3.0, 6.0)
    for seed in range(count(60)):
        source, args = program(seed)
        term = dependent(combinators(source))
        env = dict(zip([v for v, _ in source.context], args))
        ct = random_cotangent(evaluate(source.body, env)[0], random.Random(seed))
        m = Machine()
        f, _ = evaluate(term, {}, ERASED, m)
        out, _ = apply(pair(f)[1], tuple_value(*args), machine=m)
        found, _ = apply(pair(out)[1], ct, machine=m)
        typed = run("curry.dependent", source, args, ct)
        assert close((pair(found)[1],), (tuple_value(*typed.cotangents),), 1e-12), seed
