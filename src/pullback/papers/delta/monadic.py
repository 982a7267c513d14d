"""K: the final, monadic translation (Krawiec et al., Fig. 9; primitives: Fig. 14).

    K(R) = R * Delta        K(A -> B) = K(A) -> M K(B)        M a = DeltaState -> (a, DeltaState)
    K{x} = pure x           K{r} = pure (r, Zero)             K{\\x. e} = pure (\\x. K{e})
    K{e1 e2} = do {f <- K{e1}; a <- K{e2}; f a}
    K{let x=e1 in e2} = do {x <- K{e1}; K{e2}}
    K{case e of ..} = do {v <- K{e}; case v of {inl x -> K{e1}; inr y -> K{e2}}}
    K{op} = pure (\\((x1,u1)..(xn,un)). do {i <- deltaLet (Σ_i Scale (∂_i op x) u_i);
                                           pure (op x, Var i)})

``pure`` and ``>>=`` of the state monad are inlined, so that a do-block is a row of lets that
thread the state: a continuation that is a closure would capture all that is live, and the cost
model counts that. ``deltaLet`` is a variable: the wrapper (``delta.wrapper``) binds it to one of
two implementations, and the output of K is the same for both.

>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.pretty import show
>>> fig1 = Let("z", prim("add", Var("x"), Var("y")), prim("mul", Var("x"), Var("z")))
>>> print(show(k_term(fig1, reals("x", "y"), Var("s"))))
let i = deltaLet (Add (snd x) (snd y)) s in
let s1 = snd i in
let z = (fst x + fst y, Var (fst i)) in
let i1 = deltaLet (Add (Scale (fst z) (snd x)) (Scale (fst x) (snd z))) s1 in
let s2 = snd i1 in (fst x * fst z, Var (fst i1), s2)

(The invariant: every dual number carries Zero or Var id.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pullback.core.unhandled import unhandled
from pullback.papers.delta.direct import coefficient
from pullback.papers.delta.loops import Loops
from pullback.papers.delta.types import DELTA, DELTA_LET, STATE, ZERO, duals, scaled
from pullback.papers.dual.block import Block, operands, statics
from pullback.papers.dual.types import Duals
from pullback.papers.language.build import app
from pullback.papers.language.check import Types, types_of
from pullback.papers.language.terms import (
    App,
    Build,
    Case,
    Con,
    Context,
    Data,
    Fold,
    Foldl,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Lit,
    Map,
    Match,
    MatchArm,
    Nil,
    Op,
    Pack,
    Pair,
    Prim,
    R,
    Rec,
    Scan,
    Snd,
    Term,
    TyApp,
    TyLam,
    Type,
    Unpack,
    Var,
    ZipWith,
)
from pullback.papers.methods import Unsupported


def k_term(
    t: Term, context: Context | Mapping[str, Type], state: Term, n: Duals | None = None
) -> Term:
    """K{t} run at a state: a term of type K(A) * DeltaState."""
    block = Block(state)
    k = K(types_of(t, context), n or duals(STATE))
    return block.close(k.term(t, block))


class K(Loops):
    """K{·}. ``order``: of the parts of a pair, an application and a primitive, "lr" or "rl"
    (Fig. 12 was made by OCaml, from right to left). ``literals``: whether a literal makes a
    binding of Zero, as in Fig. 12 and against the invariant."""

    def __init__(
        self, types: Types, n: Duals, order: str = "lr", literals: bool = False
    ) -> None:
        self.types, self.n, self.order, self.literals = types, n, order, literals

    def term(self, t: Term, b: Block) -> Term:
        """K{t}: its do-block goes to ``b``, and this is what it returns."""
        match t:
            # K{x} = pure x
            case Var() | Nil():
                return t
            # K{k} = pure k        K{r} = pure (r, Zero)
            case Lit(value):
                if isinstance(value, int):
                    return t
                return self.bind(t, ZERO, b) if self.literals else Pair(t, ZERO)
            # K{let x=e1 in e2} = do {x <- K{e1}; K{e2}}
            case Let():
                while isinstance(t, Let):
                    b.lets.append((t.x, self.term(t.bound, b)))
                    t = t.body
                return self.term(t, b)
            # K{letrec f = \x. e1 in e2} = letrec f = \x. K{e1} in K{e2}
            case LetRec(recs, body):
                some = tuple(Rec(r.f, cast(Fun, self.type(r.type)), self.fn(r.fn)) for r in recs)
                return b.run("r", LetRec(some, self.inside(body, self.at(b))))
            # K{\x. e} = pure (\x. K{e})
            case Lam():
                return self.fn(t)
            # K{e1 e2} = do {f <- K{e1}; a <- K{e2}; f a}
            case App(e1, e2):
                f, a = self.parts((e1, e2), b)
                return b.call("r", f, a)
            # K{(e1,e2)} = do {x <- K{e1}; y <- K{e2}; pure (x,y)}
            case Pair(e1, e2):
                x, y = self.parts((e1, e2), b)
                return Pair(x, y)
            # K{fst e} = do {p <- K{e}; pure (fst p)}      snd, inl, inr, constructors likewise
            case Fst(e):
                return Fst(self.term(e, b))
            case Snd(e):
                return Snd(self.term(e, b))
            case Inl(e, other):
                return Inl(self.term(e, b), self.type(other))
            case Inr(e, other):
                return Inr(self.term(e, b), self.type(other))
            # K{case e of ..} = do {v <- K{e}; case v of {inl x -> K{e1}; inr y -> K{e2}}}
            case Case(e, x, left, y, right):
                v = self.term(e, b)
                s = self.at(b)
                return b.run("r", Case(v, x, self.inside(left, s), y, self.inside(right, s)))
            case Con(name, args, data):
                return Con(name, tuple(self.parts(args, b)), cast(Data, self.type(data)))
            # K{match e with C x.. -> e1; ..}: as case
            case Match(e, arms):
                v = self.term(e, b)
                s = self.at(b)
                return b.run("r", Match(v, tuple(
                    MatchArm(a.con, a.names, self.inside(a.body, s)) for a in arms)))
            # K{op} = pure (\((x1,u1)..). do {i <- deltaLet (Σ_i Scale (∂_i op x) u_i); ..})
            case Prim():
                return self.prim(t, b)
            case Op():
                return self.op(t, b)
            # section 8.3: delta_loops
            case Build() | Map() | ZipWith() | Fold() | Scan() | Foldl():
                return self.over_array(t, b)
            case TyLam(names, e):
                return TyLam(names, self.term(e, b))
            case TyApp(e, types):
                return TyApp(self.term(e, b), tuple(map(self.type, types)))
            case Pack() | Unpack():
                raise Unsupported("delta: existential types are a target's")
            case _:
                unhandled(t)

    def op(self, t: Op, b: Block) -> Term:
        """Return an operation of arrays, which moves elements about."""
        return Op(t.name, tuple(self.parts(t.args, b)), statics(t.static, self.type))

    # K{f : R^n -> R} (Fig. 14): deltaLet (Add_i (Scale (∂f/∂x_i x) u_i)); discrete ones as they are
    def prim(self, t: Prim, b: Block) -> Term:
        """Return a primitive."""
        xs, active = operands(t, lambda ts: self.parts(ts, b), self.types, b)
        y = Prim(t.op, tuple(xs), t.static)
        if self.types[t] != R:
            return y
        parts = [(coefficient(t, i, xs), u) for i, u in active]
        return self.bind(y, scaled(parts), b) if parts else Pair(y, ZERO)

    def bind(self, y: Term, delta: Term, b: Block) -> Term:
        """do {i <- deltaLet delta; pure (y, Var i)}."""
        i = b.name("i", app(DELTA_LET, delta, self.at(b)))
        b.state = b.name("s", Snd(i))
        return Pair(y, Con("Var", (Fst(i),), DELTA))
