"""Krawiec et al., sections 8 and 9: compilation, primitives, arrays, data, general S and T."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest

import pullback as pb
from pullback.papers.constant_functions import run_with_functions
from pullback.papers.delta import eval as evaluator
from pullback.papers.delta import monadic as translation
from pullback.papers.delta import tensors, wrapper
from pullback.papers.delta.arrays import ARRAY
from pullback.papers.delta.dense import K1, dense
from pullback.papers.delta.eval import BINDS_DECL, MAP
from pullback.papers.delta.monadic import K, k_term
from pullback.papers.delta.rows import LIBRARY
from pullback.papers.delta.show import delta_of, show_delta
from pullback.papers.delta.types import DELTA_DECL, duals
from pullback.papers.delta.wrapper import gradient, run
from pullback.papers.language.build import E, if_, lam, let, op, prim, reals, term, tuple_
from pullback.papers.language.check import NestedTypeError, check, types_of
from pullback.papers.language.eval import evaluate
from pullback.papers.language.pretty import show_type
from pullback.papers.language.terms import (
    App,
    Arr,
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
    Var,
    Z,
    ZipWith,
)
from pullback.papers.language.terms import Arr as Array
from pullback.papers.language.values import ConV, Inj
from pullback.papers.methods import run as run_method
from tests.papers.conformance import claim
from tests.papers.generate import (
    POW5,
    close,
    finite_difference,
)
from tests.papers.test_delta_monadic import binds
from tests.papers.test_dual_language import product, trees
from tests.papers.test_dual_language import tree as two_types

x, y = Var("x"), Var("y")


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
    # K1 cannot: what it makes of f has S in its type, and serves no main with another S
    made = {}
    for s in (R, Prod(R, R)):
        n1 = dense(s)
        context = {"plus": Fun(Prod(s, s), s), "times": Fun(Prod(R, s), s), "zeros": s}
        made[s] = K1(types_of(f), n1).term(f)
        assert check(made[s], context, decls(), LIBRARY) == Fun(Prod(R, s), Prod(R, s))
    wrong = App(made[R], Pair(Lit(3.0), Pair(Lit(1.0), Lit(0.0))))
    with pytest.raises(NestedTypeError):
        check(wrong, {"plus": Fun(Prod(R, R), R), "times": Fun(Prod(R, R), R), "zeros": R})


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
    # Mutually recursive types with a parameter, and integers inside (section 9 of dual numbers).
    mutual = product(trees(R, ("a",)), (R,))
    for store in (MAP, ARRAY):
        assert gradient(mutual, (two_types((2.0, 3.0, 4.0), (5, 7)),), 1.0, store) == (
            24.0, (two_types((12.0, 8.0, 6.0), ((), ())),))
    # A tree as the result, and recursion with a power.
    same = Source((("x", tree),), Var("x"), tree, (decl,))
    assert gradient(same, (arg,), want) == (arg, (want,))
    assert gradient(POW5, (2.0,), 1.0) == (32.0, (80.0,))


@claim("KR-54")
def test_mixed_variance(row: str) -> None:
    """x^k by self-application: data Self = Self (Self -> R -> R), with no letrec anywhere."""
    me = Data("Self")
    inner = Fun(me, Fun(R, R))
    decl = DataDecl("Self", (), (("Self", (inner,)),))
    again = App(App(Match(Var("s"), (MatchArm("Self", ("g",), Var("g")),)), Var("s")),
                prim("sub", Var("k"), 1.0))
    power = Lam("s", me, Lam("k", R, if_(
        prim("lt", Var("k"), 0.5), 1.0, prim("mul", x, again))))
    body = Let("f", power, App(App(Var("f"), Con("Self", (Var("f"),), me)), Lit(5.0)))
    s = Source(reals("x"), body, R, (decl,))
    for store in (MAP, ARRAY):
        assert gradient(s, (2.0,), 1.0, store) == (32.0, (80.0,))


@claim("KR-70")
def test_piecewise_functions(row: str) -> None:
    """A branch differentiates as what it runs: ReLU, and a function that is not even continuous."""
    relu = Source(reals("x"), if_(prim("lt", x, 0.0), 0.0, x), R)
    jump = Source(reals("x"), if_(prim("lt", x, 0.0), prim("mul", x, x), prim("add", x, 7.0)), R)
    for store in (MAP, ARRAY):
        for at, wanted in ((-2.0, 0.0), (3.0, 1.0), (0.0, 1.0)):
            assert gradient(relu, (at,), 1.0, store)[1] == (wanted,)
        assert gradient(jump, (-3.0,), 1.0, store) == (9.0, (-6.0,))
        assert gradient(jump, (3.0,), 1.0, store) == (10.0, (1.0,))


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


@claim("KR-67")
def test_functions_are_refused(row: str) -> None:
    s = Source((("f", Fun(R, R)),), App(Var("f"), Lit(1.0)), R)
    with pytest.raises(NotImplementedError, match="functions"):
        gradient(s, (abs,), 1.0)
    # the option: a function that is given is a constant, of which there is no cotangent
    context = (("g", Fun(R, R)), ("x", R))
    twice = Source(context, App(Var("g"), App(Var("g"), Var("x"))), R)
    cube = lam("u", R, lambda u: u * u * u)
    for name in ("delta.monadic", "delta.symbolic", "dual.tape", "chad.closures", "curry.simple"):
        with pytest.raises(NotImplementedError, match="functions"):
            run_method(name, twice, (cube, 2.0), 1.0)
        done = run_with_functions(name, twice, (cube, 2.0), 1.0)
        assert (done.value, done.cotangents) == (512.0, ((), 9 * 2.0**8))
    with pytest.raises(NotImplementedError, match="closed"):
        run_with_functions("delta.monadic", twice, (
            lam("u", R, lambda u: u * E(Var("x"))), 2.0), 1.0)


@claim("KR-51")
def test_arrays_as_primitive_types(row: str) -> None:
    rng = np.random.default_rng(0)

    def layers(w: Any, v: Any, x: Any, b: Any) -> Any:
        hidden = tensors.elementwise("tanh", w @ x + b)
        square = v @ w  # of two matrices
        return tensors.dot(square @ hidden, x) * hidden[1] + square[0, 2]

    def plain(w: Any, v: Any, x: Any, b: Any) -> Any:
        hidden = np.tanh(w @ x + b)
        square = v @ w
        return np.sum((square @ hidden) * x) * hidden[1] + square[0, 2]

    for n in (3, 8, 20):
        args = tuple(rng.normal(size=shape) for shape in ((n, n), (n, n), (n,), (n,)))
        done = tensors.reverse(layers, args)
        value, wanted = pb.value_and_grad(plain, (0, 1, 2, 3))(*args)
        assert math.isclose(done.result.value, value, rel_tol=1e-12)
        for found, right in zip(done.gradient(), wanted, strict=True):
            assert np.allclose(found, right, rtol=1e-11, atol=1e-11)
        assert len(done.tape.binds) == 8  # one for each operation, whatever n is; indices need none
    # a real beside a vector, a constant to the left, and what is not used
    real = tensors.reverse(lambda r, x, y: tensors.dot(x * r, 2.0 * x), (
        np.asarray(3.0), np.array([1.0, -2.0]), np.ones(2)))
    r, x, y = (g.tolist() for g in real.gradient(2.0))
    assert (r, x, y) == (20.0, [24.0, -48.0], [0.0, 0.0])
    constant = np.array([[1.0, 2.0], [3.0, 5.0]])
    (g,) = tensors.reverse(lambda v: (constant @ v)[1], (np.ones(2),)).gradient()
    assert g.tolist() == [3.0, 5.0]
    # K binds for every element
    dots = Source(tuple((v, Arr(R)) for v in "xy"), op("sum", ZipWith(
        "a", "b", prim("mul", Var("a"), Var("b")), Var("x"), Var("y"))), R)
    by_elements = run(ARRAY)(dots, ([1.0] * 20, [2.0] * 20), 1.0)
    once = tensors.reverse(tensors.dot, (np.ones(20), np.full(20, 2.0)))
    assert by_elements.machine.counts["push"] >= 20 and len(once.tape.binds) == 1
    assert [g.tolist() for g in once.gradient()] == list(by_elements.cotangents)
