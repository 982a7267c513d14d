"""What the delta translations share (Krawiec et al., Figs. 1 and 16): polytypic functions.

"Each should be understood as an infinite family of ordinary, lambda-definable functions, indexed
by type" (section 3): here is the generator of the family. A function on a declared type is a member
of one letrec group around the program.

    r ⊗_R s = r * s       r ⊗_K k = k        homomorphic on pairs, sums, arrays, data
    s ⊕_R t = s + t       k ⊕_K _ = k        on two shapes: an error
    s ⊙_R t = s * t       k ⊙_K _ = 0        the sum over the parts
    primal (x,_) = x      initZeros r = (r, Zero)      lookup fm (_,Var i) = lookupOrZero i fm
    initVars_R (r,n) = ((r, Var (n+1)), n+1)           the last used id comes back

>>> from pullback.core.nested_pretty import show
>>> p = Polytypic(())
>>> print(show(p.times(Prod(R, Plus(R, Z)), Var("r"), Var("s"))))
let z = s in (r * fst z, case snd z of {inl a -> inl (r * a); inr b -> inr b})
>>> print(show(p.plus(Prod(R, Z), Var("s"), Var("t"))))
let z = s in let w = t in (fst z + fst w, snd z)
>>> print(show(p.dot(Prod(R, Prod(Z, R)), Var("s"), Var("t"))))
let z = s in
let w = t in fst z * fst w + (let z1 = snd z in let w1 = snd w in 0 + snd z1 * snd w1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never, cast

from pullback.core.nested import (
    EV,
    EVM,
    Arr,
    Case,
    Con,
    Data,
    DataDecl,
    Exists,
    Foldl,
    Forall,
    Fst,
    Fun,
    Inl,
    Inr,
    Int,
    Lam,
    Let,
    LetRec,
    Lit,
    Map,
    Match,
    MatchArm,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    R,
    Real,
    Rec,
    Snd,
    Term,
    TVar,
    Type,
    Unit,
    Var,
    Z,
    ZipWith,
    fresh,
)
from pullback.core.nested_arrays import OPS
from pullback.core.nested_build import app, lets
from pullback.core.nested_check import FIRST_ORDER_ARRAYS, SOURCE, Dialect
from pullback.core.nested_machine import Machine
from pullback.core.nested_ops import Library, Row, sig
from pullback.core.nested_traverse import subst_type
from pullback.core.nested_values import ConV, Inj, array, map_reals, pair
from pullback.papers.methods import Unsupported

DELTA_SOURCE: Dialect = replace(
    SOURCE, name="Krawiec et al. source", ops=FIRST_ORDER_ARRAYS.ops - {"scatter_add"} | {"error"})
"""Figure 1 with sections 8.2, 8.3 and 8.5: primitives, arrays, recursion and data."""


def _sequence(m: Machine, args: Sequence[object], static: Sequence[object]) -> object:
    out, s = [], args[1]
    for action in array(args[0]):
        v, s = pair(m.call(action, s))
        out.append(v)
        m.cost += 1
    return out, s


def _sequence2(m: Machine, args: Sequence[object], static: Sequence[object]) -> object:
    both: tuple[list[object], list[object]] = [], []
    s = args[1]
    for action in array(args[0]):
        v, s = pair(m.call(action, s))
        for half, out in zip(pair(v), both):
            out.append(half)
        m.cost += 1
    return both, s


def _fold_m(m: Machine, args: Sequence[object], static: Sequence[object]) -> object:
    f, level, s = args[0], list(array(args[1])), args[2]
    if not level:
        raise ValueError("fold of an empty array")
    while len(level) > 1:
        above: list[object] = []
        for k in range(0, len(level) - 1, 2):
            v, s = pair(m.call(f, (level[k], level[k + 1]), s))
            above.append(v)
            m.cost += 2
        level = above + level[len(level) // 2 * 2 :]
    return level[0], s


def _scan_m(m: Machine, args: Sequence[object], static: Sequence[object]) -> object:
    out: list[object] = []
    s = args[2]
    for v in array(args[1]):
        if out:
            v, s = pair(m.call(args[0], (out[-1], v), s))
            m.cost += 2
        out.append(v)
    return out, s


_a, _b, _s = TVar("a"), TVar("b"), TVar("s")
_step = Fun(Prod(_a, _a), Fun(_s, Prod(_a, _s)))
LIBRARY: Library = OPS.extended(
    Row("sequence", sig((Arr(Fun(_s, Prod(_a, _s))), _s), Prod(Arr(_a), _s)), _sequence),
    Row("sequence2", sig((Arr(Fun(_s, Prod(Prod(_a, _b), _s))), _s),
                         Prod(Prod(Arr(_a), Arr(_b)), _s)), _sequence2),
    Row("foldM", sig((_step, Arr(_a), _s), Prod(_a, _s)), _fold_m),
    Row("scanM", sig((_step, Arr(_a), _s), Prod(Arr(_a), _s)), _scan_m),
)
"""The shared rows, and those that run an array of actions of a state monad one after the other
(``sequence2``: actions that give pairs, into two arrays)."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """A function that is homomorphic but at reals: its name, what it does there, and the types."""

    name: str
    leaf: Callable[[Term], Term]
    source: Callable[[Type], Type]
    target: Callable[[Type], Type]


def same(t: Type) -> Type:
    """A type that does not change."""
    return t


class Polytypic:
    """The families of functions, for one set of declarations. ``close`` puts the functions on
    declared types around a term."""

    def __init__(self, decls: Sequence[DataDecl]) -> None:
        self.decls = {d.name: d for d in decls}
        self.recs: dict[tuple[str, Data], Rec] = {}

    def close(self, body: Term) -> Term:
        """letrec .. in body."""
        return LetRec(tuple(self.recs.values()), body) if self.recs else body

    def fields(self, t: Data) -> list[tuple[str, tuple[Type, ...]]]:
        """The constructors of a declared type and their fields."""
        if t.name not in self.decls:
            raise Unsupported(f"delta: no data type {t.name}")
        d = self.decls[t.name]
        by = dict(zip(d.params, t.args, strict=True))
        return [(c, tuple(subst_type(f, by) for f in fs)) for c, fs in d.constructors]

    def call(self, name: str, t: Data, f: Fun, body: Callable[[Term], Term], x: Term) -> Term:
        """``name_t x``, where name_t : f = \\p. body(p)."""
        if (name, t) not in self.recs:
            g, p = fresh(name), fresh("p")
            self.recs[name, t] = Rec(g, f, Lam(p, f.arg, Lit(0)))  # seen by the body
            self.recs[name, t] = Rec(g, f, Lam(p, f.arg, body(Var(p))))
        return app(Var(self.recs[name, t].f), x)

    def times(self, t: Type, r: Term, s: Term) -> Term:
        """r ⊗_t s."""
        return self.map(t, s, Leaves("times", lambda x: Prim("mul", (r, x)), same, same))

    def zeros(self, t: Type, s: Term) -> Term:
        """zeros_t, in the shape of s: at a sum it depends on the value (section 5.2)."""
        return self.map(t, s, Leaves("zeros", lambda x: Lit(0.0), same, same))

    def map(self, t: Type, x: Term, f: Leaves) -> Term:
        """f_t x."""
        match t:
            case Real():
                return f.leaf(x)
            case Int() | Unit():
                return x
            case Prod(a, b):
                z = fresh("z")
                return Let(z, x, Pair(self.map(a, Fst(Var(z)), f), self.map(b, Snd(Var(z)), f)))
            case Plus(a, b):
                v, w = fresh("a"), fresh("b")
                return Case(x, v, Inl(self.map(a, Var(v), f), f.target(b)),
                            w, Inr(self.map(b, Var(w), f), f.target(a)))
            case Arr(a):
                return self.map_array(t, a, x, f)
            case Data():
                to = cast(Data, f.target(t))

                def arms(p: Term) -> Term:
                    out = []
                    for c, fs in self.fields(t):
                        names = tuple(fresh("f") for _ in fs)
                        parts = tuple(self.map(a, Var(v), f) for a, v in zip(fs, names))
                        out.append(MatchArm(c, names, Con(c, parts, to)))
                    return Match(p, tuple(out))

                return self.call(f.name, t, Fun(f.source(t), to), arms, x)
            case Fun() | TVar() | Forall() | Exists() | EV() | EVM():
                raise Unsupported("delta: the arguments and the result may not hold functions")
            case _:
                assert_never(t)

    def map_array(self, t: Arr, a: Type, x: Term, f: Leaves) -> Term:
        """f_t of an array; before or after, it may be a pair of arrays (section 8.3)."""
        v, w, z = fresh("v"), fresh("w"), fresh("z")
        if isinstance(f.source(t), Prod):
            both = f.leaf(Pair(Var(v), Var(w)))
            return Let(z, x, ZipWith(v, w, both, Fst(Var(z)), Snd(Var(z))))
        each = Map(v, self.map(a, Var(v), f), x)
        return Op("unzip", (each,)) if isinstance(f.target(t), Prod) else each

    def thread(
        self, t: Type, x: Term, n: Term, leaf: Callable[[Term, Term], Term],
        target: Callable[[Type], Type],
    ) -> Term:  # fmt: skip
        """f_t (x, n) : target(t) * Z for a function that counts the reals, from left to right."""

        def go(t: Type, x: Term, n: Term) -> Term:
            return self.thread(t, x, n, leaf, target)

        match t:
            case Real():
                return leaf(x, n)
            case Int() | Unit():
                return Pair(x, n)
            case Prod(a, b):
                z, p, q = fresh("z"), fresh("p"), fresh("q")
                return lets([(z, x), (p, go(a, Fst(Var(z)), n)),
                             (q, go(b, Snd(Var(z)), Snd(Var(p))))],
                            Pair(Pair(Fst(Var(p)), Fst(Var(q))), Snd(Var(q))))
            case Plus(a, b):
                v, w, p, q = fresh("a"), fresh("b"), fresh("p"), fresh("q")
                left = Pair(Inl(Fst(Var(p)), target(b)), Snd(Var(p)))
                right = Pair(Inr(Fst(Var(q)), target(a)), Snd(Var(q)))
                return Case(x, v, Let(p, go(a, Var(v), n), left),
                            w, Let(q, go(b, Var(w), n), right))
            case Arr(a):
                v, k = fresh("v"), fresh("n")
                row = "sequence2" if isinstance(target(t), Prod) else "sequence"
                return Op(row, (Map(v, Lam(k, Z, go(a, Var(v), Var(k))), x), n))
            case Data():
                to = cast(Data, target(t))

                def arms(p: Term) -> Term:
                    out = []
                    for c, fs in self.fields(t):
                        names, bound, k = tuple(fresh("f") for _ in fs), [], cast(Term, Snd(p))
                        for a, v in zip(fs, names):
                            q = fresh("q")
                            bound.append((q, go(a, Var(v), k)))
                            k = Snd(Var(q))
                        made = Con(c, tuple(Fst(Var(q)) for q, _ in bound), to)
                        out.append(MatchArm(c, names, lets(bound, Pair(made, k))))
                    return Match(Fst(p), tuple(out))

                return self.call("init", t, Fun(Prod(t, Z), Prod(to, Z)), arms, Pair(x, n))
            case Fun() | TVar() | Forall() | Exists() | EV() | EVM():
                raise Unsupported("delta: the arguments and the result may not hold functions")
            case _:
                assert_never(t)

    def plus(self, t: Type, s: Term, u: Term) -> Term:
        """s ⊕_t u."""
        return self.zip("plus", t, t, s, u, dot=False)

    def dot(self, t: Type, s: Term, u: Term) -> Term:
        """s ⊙_t u : R."""
        return self.zip("dot", t, R, s, u, dot=True)

    def zip(self, name: str, t: Type, result: Type, x: Term, y: Term, dot: bool) -> Term:
        """⊙ (``dot``) or ⊕ of two values of one shape."""

        def go(t: Type, x: Term, y: Term) -> Term:
            return self.zip(name, t, R if dot else t, x, y, dot)

        mismatch = Op("error", (), (result, "two values of different shapes"))
        match t:
            case Real():
                return Prim("mul" if dot else "add", (x, y))
            case Int() | Unit():
                return Lit(0.0) if dot else x
            case Prod(a, b):
                z, w = fresh("z"), fresh("w")
                p, q = go(a, Fst(Var(z)), Fst(Var(w))), go(b, Snd(Var(z)), Snd(Var(w)))
                return lets([(z, x), (w, y)], Prim("add", (p, q)) if dot else Pair(p, q))
            case Plus(a, b):
                v, w, k, m, o = (fresh(n) for n in ("a", "b", "a", "b", "o"))
                left, right = go(a, Var(v), Var(k)), go(b, Var(w), Var(m))
                return Let(o, y, Case(
                    x, v, Case(Var(o), k, left if dot else Inl(left, b), fresh("_"), mismatch),
                    w, Case(Var(o), fresh("_"), mismatch, m, right if dot else Inr(right, a))))
            case Arr(a):
                v, w, acc, e = fresh("v"), fresh("w"), fresh("s"), fresh("e")
                each = ZipWith(v, w, go(a, Var(v), Var(w)), x, y)
                return Foldl(
                    acc, e, Prim("add", (Var(acc), Var(e))), Lit(0.0), each) if dot else each
            case Data():

                def arms(p: Term) -> Term:
                    out = []
                    for c, fs in self.fields(t):
                        left = tuple(fresh("f") for _ in fs)
                        inner = []
                        for other, gs in self.fields(t):
                            right = tuple(fresh("g") for _ in gs)
                            body: Term = mismatch
                            if c == other:
                                parts = tuple(
                                    go(a, Var(v), Var(w)) for a, v, w in zip(fs, left, right))
                                body = total(parts) if dot else Con(c, parts, t)
                            inner.append(MatchArm(other, right, body))
                        out.append(MatchArm(c, left, Match(Snd(p), tuple(inner))))
                    return Match(Fst(p), tuple(out))

                return self.call(name, t, Fun(Prod(t, t), result), arms, Pair(x, y))
            case Fun() | TVar() | Forall() | Exists() | EV() | EVM():
                raise Unsupported("delta: the arguments and the result may not hold functions")
            case _:
                assert_never(t)


def total(parts: Sequence[Term]) -> Term:
    """t1 + t2 + ..., 0 if there is none."""
    if not parts:
        return Lit(0.0)
    out = parts[0]
    for t in parts[1:]:
        out = Prim("add", (out, t))
    return out


def structured(seed: object, value: object) -> object:
    """A cotangent with the discrete parts of ``value``: "δA is a synonym for A" (section 3.1)."""
    match value:
        case float():
            return seed
        case bool() | int():
            return value
        case list():
            return [structured(s, v) for s, v in zip(array(seed), value, strict=True)]
        case ():
            return ()
        case (a, b):
            s, t = pair(seed)
            return structured(s, a), structured(t, b)
        case Inj(tag, x):
            assert isinstance(seed, Inj)
            return Inj(seed.tag, structured(seed.value, x)) if seed.tag == tag else seed
        case ConV(name, fields):
            assert isinstance(seed, ConV)
            if seed.name != name:
                return seed
            return ConV(name, tuple(map(structured, seed.fields, fields)))
        case _:
            raise TypeError(f"not a first-order value: {value!r}")


def unstructured(gradient: object) -> object:
    """A cotangent with () for its discrete parts."""
    return map_reals(lambda r: r, gradient, discrete=True)
