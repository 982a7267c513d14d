"""E: the dependently typed library (The Differentiable Curry, Fig. 5, Defs. 5.1 and 5.2).

    a ~> b = exists env. a -> (b, T b -> (env, T a))         T[v : a ~> b] = the witness of v

    eval = exT () (\\(exT τ f, x). let (y, pb) = f x in (y, \\g. ((), pb g)))
    comp (exT τf f) (exT τg g) = exT (τf, τg) (\\a. let (b, pf) = f a in let (c, pg) = g b in
        (c, \\gc. let (eg, gb) = pg gc in let (ef, ga) = pf gb in ((ef, eg), ga)))
    curry (exT τ f) = exT τ (\\t. (exT (τ, T[t]) gf, \\env. env))  where
        gf s = let (r, pb) = f (t, s) in
            (r, \\gr. let (cte, (ctt, cts)) = pb gr in ((cte, ctt), cts))

The tangent of a function is that of the environment it closed over, so nothing runs twice. Figure 5
prints ``exT () new_f`` for curry; as new_pb returns (τ, T[t]), the witness is τ.

T[v] depends on the value v. Here a rep-function carries its witness at run time, ``exT w f`` is the
pair (w, f), and every environment tangent has the one type Env:

    ty_unit, ty_pair w w : Ty    ty_of[a] v : Ty, that is T[v : a]
    env w v : Env  (v is checked to be of the type w)    open[t] e : t    zero_env w    plus_env e e

``ERASED`` has the same rows without witnesses (reinterpret casts and a universal zero), as the end
of section 5 proposes for languages without dependent types.

>>> from pullback.core.nested import R
>>> from pullback.core.nested_build import op
>>> from pullback.core.nested_pretty import show
>>> f = Op("rep", (), ("mul", Prod(R, R)))
>>> print(show(dependent(f), library=LIBRARY))
((), \\x:R * R. (mul x, \\_g:R. ((), let x1 = fst x in let x2 = snd x in (x2 * g, x1 * g))))
>>> print(show(dependent(op("curry", f)).body, width=80, library=LIBRARY))
(fst f, \\t:R.
 let w = ((fst f), T[t]) in
 (w, \\s:R.
  let z = snd f (t, s) in
  let r = fst z in
  let pb = snd z in
  (r, \\_g:R.
   let z1 = pb g in
   let cte = fst z1 in let ct = snd z1 in ((cte, fst ct), snd ct)), \\_g:Env. g))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pullback.core.nested import (
    ONE,
    Arr,
    Data,
    Fst,
    Fun,
    Nil,
    Op,
    Pair,
    Prim,
    Prod,
    Real,
    Snd,
    Source,
    Static,
    Term,
    TVar,
    Type,
    Unit,
)
from pullback.core.nested_arrays import OPS
from pullback.core.nested_build import E, app, lam, let, let_pair, op, proj
from pullback.core.nested_check import Types, check, types_of
from pullback.core.nested_machine import Machine
from pullback.core.nested_ops import Row, pure, sig
from pullback.core.nested_traverse import deeply
from pullback.core.nested_values import array, pair, real
from pullback.papers.curry_combinators import (
    COMBINATORS,
    CURRY_SOURCE,
    combinators,
    components,
    parameters,
)
from pullback.papers.curry_simple import named
from pullback.papers.curry_tangents import (
    Functions,
    derivative,
    injected,
    plus,
    primal,
    run_rep,
    tangent,
    type_of,
    zero,
)
from pullback.papers.methods import Method, Outcome, register

TY, ENV = Data("Ty"), Data("Env")

DEPENDENT = Functions(
    # Def. 5.1: exT w f, with f : a -> (b, T b -> (env, T a))
    lambda a, b: Prod(TY, Fun(e(a), Prod(e(b), Fun(T(b), Prod(ENV, T(a)), "-o")))),
    # Def. 5.2: T[v : a ~> b] is the witness of v
    lambda a, b: ENV,
    lambda f: Op("zero_env", (Fst(f),)),
    lambda x, y: Op("plus_env", (x, y)),
)


def e(t: Type) -> Type:
    """The type of values."""
    return primal(t, DEPENDENT)


def T(t: Type) -> Type:
    """The type of tangents, as far as it does not depend on the value."""
    return tangent(t, DEPENDENT)


# --- environment tangents -------------------------------------------------------------------------


def tangent_type(t: Type, v: object) -> Type:
    """T[v : t] (Fig. 6, Def. 5.2)."""
    match t:
        case Real():
            return t
        # A tensor: also its shape depends on the value.
        case Arr(a) if tangent(t, DEPENDENT) != ONE:
            return Data("Tensor", tuple(tangent_type(a, x) for x in array(v)))
        case Prod(a, b):
            x, y = pair(v)
            return Prod(tangent_type(a, x), tangent_type(b, y))
        case Fun():
            witness = pair(v)[0]
            assert isinstance(witness, Real | Prod | Data | Unit)
            return witness
        case _:
            return ONE


def is_tangent(v: object, w: Type) -> bool:
    """Whether v is a tangent of this type."""
    match w:
        case Real():
            return isinstance(v, float)
        case Data("Tensor", ws):
            return isinstance(v, list) and len(v) == len(ws) and all(map(is_tangent, v, ws))
        case Prod(a, b):
            return isinstance(v, tuple) and len(v) == 2 and (
                is_tangent(v[0], a) and is_tangent(v[1], b))
        case _:
            return v == ()


def _env(w: Type, v: object) -> object:
    if not is_tangent(v, w):
        raise TypeError(f"{v} is not a tangent of type {w}")
    return v


def _zero_env(w: Type) -> object:
    match w:
        case Real():
            return 0.0
        case Prod(a, b):
            return _zero_env(a), _zero_env(b)
        case Data("Tensor", ws):
            return [_zero_env(x) for x in ws]
        case _:
            return ()


def plus_env(x: object, y: object) -> object:
    """x + y; a TypeError where they are tangents of different types."""
    match x, y:
        case (float(), float()):
            return x + y
        case (list(), list()) if len(x) == len(y):
            return [plus_env(v, w) for v, w in zip(x, y)]
        case ((), ()):
            return ()
        case ((_, _), (_, _)) if not isinstance(x, list) and not isinstance(y, list):
            (x1, x2), (y1, y2) = pair(x), pair(y)
            return plus_env(x1, y1), plus_env(x2, y2)
        case _:
            raise TypeError(f"tangents of different functions are added: {x} + {y}")


_a = TVar("a")
LIBRARY = OPS.extended(
    Row("ty_unit", sig((), TY), lambda m, args, static: ONE, show="()"),
    Row("ty_pair", sig((TY, TY), TY), pure(Prod), show="({0}, {1})"),
    Row("ty_of", sig((TVar("v"),), TY, "a"),
        lambda m, args, static: tangent_type(type_of(static[0]), args[0]), show="T[{0}]"),
    Row("env", sig((TY, _a), ENV), pure(_env), show="{1}"),
    Row("open", sig((ENV,), _a, "a"), pure(lambda v: v), show="{0}"),
    Row("zero_env", sig((TY,), ENV), pure(_zero_env), show="0"),
    Row("plus_env", sig((ENV, ENV), ENV), pure(plus_env), show="{0} + {1}"),
)


# --- without witnesses ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnyZero:
    """The zero of every tangent: Z + x = x."""


ANY_ZERO = AnyZero()


def _cast(t: Type) -> object:
    # What is known of the type gets its own zero; environments stay what they are.
    match t:
        case Real():
            return 0.0
        case Prod(a, b):
            return _cast(a), _cast(b)
        case Data("Env"):
            return ANY_ZERO
        case Arr():
            raise TypeError("the zero of a tensor in an environment has no shape")
        case _:
            return ()


def _open_erased(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    return _cast(type_of(static[0])) if args[0] is ANY_ZERO else args[0]


def _plus_erased(x: object, y: object) -> object:
    if x is ANY_ZERO or y is ANY_ZERO:
        return y if x is ANY_ZERO else x
    if isinstance(x, tuple) and x and isinstance(y, tuple):
        return _plus_erased(x[0], y[0]), _plus_erased(x[1], y[1])
    if isinstance(x, list):
        return [_plus_erased(v, w) for v, w in zip(x, array(y))]
    return real(x) + real(y) if isinstance(x, float) else ()


ERASED = LIBRARY.replaced(
    Row("ty_pair", sig((TY, TY), TY), pure(lambda x, y: ONE)),
    Row("ty_of", sig((TVar("v"),), TY, "a"), pure(lambda v: ONE)),
    Row("env", sig((TY, _a), ENV), pure(lambda w, v: v)),
    Row("open", sig((ENV,), _a, "a"), _open_erased),
    Row("zero_env", sig((TY,), ENV), pure(lambda w: ANY_ZERO)),
    Row("plus_env", sig((ENV, ENV), ENV), pure(_plus_erased)),
)

# --- the library ----------------------------------------------------------------------------------


def dependent(t: Term) -> Term:
    """A combinator term as a lambda-term."""
    types = types_of(t, library=COMBINATORS)
    return deeply(lambda: D(t, types))


def D(t: Term, types: Types) -> Term:
    """E{t}: what each combinator is."""
    arrow = types[t]
    if not (isinstance(t, Op) and isinstance(arrow, Fun)):
        return t  # the constant of a const
    a, c = arrow.arg, arrow.result
    fs = [D(arg, types) for arg in t.args]
    match t.name:
        # id = exT () (\x. (x, \g. ((), g)))
        case "id":
            return closed("x", a, c, lambda x: x.t, lambda x, g: g)
        # const c = exT () (\y. (c, \_. ((), 0)))
        case "const":
            return closed("y", a, c, lambda y: fs[0], lambda y, g: zero(a, y.t, DEPENDENT))
        # proj_i = exT () (\d. (d_i, \g. ((), (0,..,g,..,0))))
        case "proj":
            i, n = int(str(t.static[0])) - 1, int(str(t.static[1]))
            return closed("d", a, c, lambda d: proj(d, i, n), lambda d, g: injected(
                i, components(a, n), d.t, g, DEPENDENT))
        # mult = exT () (\(x1, x2). (x1 * x2, \g. ((), (x2 * g, x1 * g))))
        case "rep":
            name, static = str(t.static[0]), parameters(t.static)
            return closed("x", a, c, lambda x: Prim(name, (x.t,), static),
                          lambda x, g: derivative(name, a, x.t, g, static), ("forward", "backward"))
        case "comp":
            return named(fs, lambda f, g: comp(f, g, a, c))
        case "prod":
            return named(fs, lambda f, g: prod(f, g, a, c))
        # eval = exT () (\(exT τ f, x). let (y, pb) = f x in (y, \g. ((), pb g)))
        case "eval":
            return Pair(Op("ty_unit"), lam("p", e(a), lambda p: let_pair(
                ("y", "pb"), app(Snd(Fst(p.t)), Snd(p.t)),
                lambda y, pb: Pair(y.t, back(c, lambda g: Pair(UNIT, app(pb, g)))))))
        case "curry":
            return named(fs, lambda f: curry(f, a, c))
        case _:
            raise TypeError(f"no combinator {t.name}")


UNIT = Op("env", (Op("ty_unit"), Nil()))
"""The tangent of an empty environment."""


def closed(
    x: str, a: Type, c: Type, value: Callable[[E], Term], tangent: Callable[[E, Term], Term],
    roles: tuple[str, str] = ("", ""),
) -> Term:  # fmt: skip
    """exT () (\\x. (value, \\g. ((), tangent)))."""
    return Pair(Op("ty_unit"), lam(x, e(a), lambda v: Pair(
        value(v), back(c, lambda g: Pair(UNIT, tangent(v, g)), roles[1])), role=roles[0]))


def comp(f: E, g: E, a: Type, c: Type) -> Term:
    """comp (exT τf f) (exT τg g) = exT (τf, τg) h."""
    # h a = let (b, pf) = f a in let (c, pg) = g b in (c, \gc. ((ef, eg), ga)) where
    # (eg, gb) = pg gc and (ef, ga) = pf gb
    return both(f, g, lambda w: lam("a", e(a), lambda x: let_pair(
        ("b", "pf"), app(Snd(f.t), x), lambda y, pf: let_pair(
            ("c", "pg"), app(Snd(g.t), y), lambda z, pg: Pair(z.t, back(c, lambda gc: let_pair(
                ("eg", "gb"), app(pg, gc), lambda eg, gb: let_pair(
                    ("ef", "ga"), app(pf, gb),
                    lambda ef, ga: Pair(env(w, Pair(ef.t, eg.t)), ga.t)))))))))


def prod(f: E, g: E, a: Type, c: Type) -> Term:
    """prod (exT τf f) (exT τg g) = exT (τf, τg) h."""
    # h y = let (a, pf) = f y in let (b, pg) = g y in ((a, b), \(ga,gb). ((ef, eg), y1 + y2)) where
    # (ef, y1) = pf ga and (eg, y2) = pg gb
    return both(f, g, lambda w: lam("y", e(a), lambda y: let_pair(
        ("a", "pf"), app(Snd(f.t), y), lambda x, pf: let_pair(
            ("b", "pg"), app(Snd(g.t), y), lambda z, pg: Pair(
                Pair(x.t, z.t), back(c, lambda gs: let_pair(
                    ("ef", "y1"), app(pf, Fst(gs)), lambda ef, y1: let_pair(
                        ("eg", "y2"), app(pg, Snd(gs)), lambda eg, y2: Pair(
                            env(w, Pair(ef.t, eg.t)),
                            plus(a, y1.t, y2.t, DEPENDENT))))))))))


def curry(f: E, a: Type, g: Type) -> Term:
    """curry (exT τ f) = exT τ new_f."""
    assert isinstance(g, Fun)
    b, c = g.arg, g.result

    # gf s = let (r, pb) = f (t, s) in (r, \gr. let (cte, (ctt, cts)) = pb gr in ((cte,ctt), cts))
    def gf(t: E, w: E) -> Term:
        return lam("s", e(b), lambda s: let_pair(
            ("r", "pb"), app(Snd(f.t), Pair(t.t, s.t)),
            lambda r, pb: Pair(r.t, back(c, lambda gr: let_pair(
                ("cte", "ct"), app(pb, gr),
                lambda cte, ct: Pair(env(w, Pair(cte.t, Fst(ct.t))), Snd(ct.t)))))))

    # new_f t = (exT (τ, T[t]) gf, \env. env)
    new_f = lam("t", e(a), lambda t: let(
        "w", op("ty_pair", Fst(f.t), op("ty_of", t, static=(a,))), lambda w: Pair(
            Pair(w.t, gf(t, w)), back(g, lambda d: Op("open", (d,), (Prod(ENV, T(a)),))))))
    return Pair(Fst(f.t), new_f)


def both(f: E, g: E, code: Callable[[E], Term]) -> Term:
    """exT (τf, τg) code."""
    return let("w", op("ty_pair", Fst(f.t), Fst(g.t)), lambda w: Pair(w.t, code(w)))


def env(w: E, t: Term) -> Term:
    """``t`` as the tangent of an environment."""
    return Op("env", (w.t, t))


def back(t: Type, body: Callable[[Term], Term], role: str = "") -> Term:
    """A backpropagator, from a cotangent of ``t``."""
    return lam("g", T(t), lambda g: body(g.t), kind="-o", role=role)


def run_dependent(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """The rep-function of the program, run; the tangent of its empty environment is dropped."""
    term = dependent(combinators(source))
    check(term, decls=source.decls, library=LIBRARY)
    return run_rep(term, LIBRARY, lambda f: pair(f)[1], source, args, seed, lambda d: pair(d)[1])


register(Method("curry.dependent", "curry_dependent",
                "E: the tangent of a function is that of its environment (Fig. 5)",
                CURRY_SOURCE, run_dependent))
