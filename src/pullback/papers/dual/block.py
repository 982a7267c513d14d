"""What the translations of dual numbers write: do-blocks as lets (Smeding & Vákár, 3.1 and Fig. 8).

    let (x,i1) = N{s} i in let (y,i2) = N{t} i1 in ((x,y), i2)

A ``Block`` is the lets of a translation as they are written, with the state of the monad threaded
through them; ``operands`` are the arguments of a primitive; ``retyped`` changes the annotations of
a term, which is all that a homomorphic clause does beside its parts.

>>> from pullback.papers.language.build import prim
>>> from pullback.papers.language.pretty import show
>>> b = Block(Var("i"))
>>> y = b.call("y", Var("f"), Var("x"))
>>> print(show(b.close(prim("sin", y))))
let y = f x i in let i1 = snd y in (sin (fst y), i1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from pullback.papers.language.build import app, lets, proj
from pullback.papers.language.check import (
    Types,
)
from pullback.papers.language.prims import arity, is_discrete, partial, split_type
from pullback.papers.language.terms import (
    Con,
    Data,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    LetRec,
    Lit,
    Op,
    Pair,
    Prim,
    R,
    Rec,
    Snd,
    Static,
    Term,
    TyApp,
    Type,
    Var,
    fresh,
)
from pullback.papers.methods import Unsupported


class Block:
    """Lets being written in a row, and the state of the monad as it is after them (None: there is
    no monad). What is named here once is computed once."""

    def __init__(self, state: Term | None = None) -> None:
        self.lets: list[tuple[str, Term]] = []
        self.state = state

    def name(self, hint: str, t: Term) -> Var:
        """let hint = t in ..."""
        x = fresh(hint)
        self.lets.append((x, t))
        return Var(x)

    def atom(self, hint: str, t: Term) -> Term:
        """Return ``t`` if it is a variable, else a name for it."""
        return t if isinstance(t, Var) else self.name(hint, t)

    def run(self, hint: str, t: Term) -> Term:
        """Return the value of t, a computation that has been given the state."""
        if self.state is None:
            return self.name(hint, t)
        z = self.name(hint, t)
        self.state = self.name("i", Snd(z))
        return Fst(z)

    def call(self, hint: str, f: Term, *args: Term) -> Term:
        """Return the value of ``f args``, where f takes the state last."""
        return self.run(hint, app(f, *args, *([] if self.state is None else [self.state])))

    def close(self, value: Term) -> Term:
        """let .. in (value, state)."""
        return lets(self.lets, value if self.state is None else Pair(value, self.state))


def operands(
    t: Prim, parts: Callable[[Sequence[Term]], list[Term]], types: Types, b: Block
) -> tuple[list[Term], list[tuple[int, Term]]]:
    """Return the primals of the arguments of op(t1..tn), and position and second half of those dual
    numbers that the result depends on; ``parts`` translates arguments. Discrete ones are their own
    primals."""
    n = arity(t.op)
    if len(t.args) == 1 and n > 1:  # op on a tuple
        whole = b.atom("p", *parts(t.args))
        duals = [proj(whole, k, n) for k in range(n)]
        kinds = split_type(types[t.args[0]], n)
    else:
        duals = parts(t.args)
        kinds = [types[a] for a in t.args]
    primals: list[Term] = []
    active: list[tuple[int, Term]] = []
    for k, (dual, kind) in enumerate(zip(duals, kinds, strict=True)):
        if kind != R:
            primals.append(dual if isinstance(dual, Lit) else b.atom("n", dual))
            continue
        dual = b.atom("t", dual)
        primals.append(Fst(dual))
        active.append((k, Snd(dual)))
    if types[t] != R or is_discrete(t.op):
        return primals, []
    return primals, [(k, d) for k, d in active if not _zero(t, k, primals)]


def _zero(t: Prim, k: int, primals: Sequence[Term]) -> bool:
    try:
        p = partial(t.op, k, primals, t.static)
    except TypeError as e:
        raise Unsupported(str(e)) from None
    return isinstance(p, Lit) and p.value == 0.0


def retyped(t: Term, change: Callable[[Type], Type]) -> Term:
    """Return ``t`` with its own annotations changed, as a homomorphic clause does besides its
    parts."""
    def data(d: Data) -> Data:
        return cast(Data, change(d))

    match t:
        case Lam(v, a, body, kind, role):
            return Lam(v, change(a), body, kind, role)
        case LetRec(recs, body):
            return LetRec(tuple(
                Rec(r.f, cast(Fun, change(r.type)), r.fn) for r in recs), body)
        case Inl(a, other):
            return Inl(a, change(other))
        case Inr(a, other):
            return Inr(a, change(other))
        case Con(name, args, d):
            return Con(name, args, data(d))
        case TyApp(a, types):
            return TyApp(a, tuple(map(change, types)))
        case Op(name, args, static):
            return Op(name, args, statics(static, change))
        case _:
            return t


def statics(static: Sequence[Static], change: Callable[[Type], Type]) -> tuple[Static, ...]:
    """Return the static part of an operation with its types changed."""
    return tuple(s if isinstance(s, str | int) else change(s) for s in static)
