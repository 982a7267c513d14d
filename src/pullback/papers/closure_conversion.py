"""Typed closure conversion (Efficient CHAD, App. B).

    (s->t)^CC  = Exists a. a * ((a * s^CC) ->□ t^CC)
    (\\x.t)^CC  = pack (FV, \\□(FV,x). t^CC)          FV the free variables, as a left-nested tuple
    (t s)^CC   = case t^CC of pack_a z -> let env = fst z in let f = snd z in f (env, s^CC)

    (letrec f = \\x.t in s)^CC = letrec f□ = \\□(FV,x). let f = pack (FV, f□) in t^CC in
                               let f = pack (FV, f□) in s^CC      FV those of all lambdas together

Everything else stays. What comes out has closed functions only: their free variables are none, or
the names of closed functions.

>>> from pullback.papers.language.terms import R
>>> from pullback.papers.language.build import E, lam, reals
>>> from pullback.papers.language.pretty import show
>>> x = E(Var("x"))
>>> s = Source(reals("x"), App(lam("u", R, lambda u: x * u), x.t), R)
>>> print(show(convert(s).body))  # doctest: +ELLIPSIS
case pack[R] (x, \\□q:R * R. let x = fst q in let u = snd q in x * u) of pack[a...] {
  z -> let env = fst z in let f = snd z in f (env, x)}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pullback.papers.language.build import lets, tuple_, tuple_type, unpacked
from pullback.papers.language.check import Types, check_source
from pullback.papers.language.terms import (
    App,
    Arr,
    Con,
    Data,
    DataDecl,
    Exists,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Op,
    Pack,
    Pair,
    Plus,
    Prod,
    Rec,
    Snd,
    Source,
    Term,
    TVar,
    Type,
    Unpack,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply, free_vars, map_parts, parts


def cc_type(t: Type) -> Type:
    """Return the converted type."""
    match t:
        # (s->t)^CC = Exists a. a * ((a * s^CC) ->□ t^CC)
        case Fun(a, b):
            env = TVar("a")
            return Exists("a", Prod(env, Fun(Prod(env, cc_type(a)), cc_type(b), "->□")))
        # every other type as it is, with its parts converted
        case Prod(a, b):
            return Prod(cc_type(a), cc_type(b))
        case Plus(a, b):
            return Plus(cc_type(a), cc_type(b))
        case Arr(a):
            return Arr(cc_type(a))
        case Data(name, args):
            return Data(name, tuple(map(cc_type, args)))
        case _:
            return t


def cc(t: Term, types: Types, scope: Mapping[str, Type]) -> Term:
    """Return t^CC; ``scope`` has the source types of all variables (their names are distinct)."""
    match t:
        # (\x.t)^CC = pack (FV, \□q. let FV = fst q in let x = snd q in t^CC)
        case Lam(x, a, body):
            names = free_vars(t)
            env = tuple_type(*(cc_type(scope[y]) for y in names))
            q, whole = fresh("q"), cc_type(types[t])
            assert isinstance(whole, Exists)
            opened = unpacked(Fst(Var(q)), names)
            code = Lam(q, Prod(env, cc_type(a)), lets(
                [*opened, (x, Snd(Var(q)))], cc(body, types, scope)), "->□")
            return Pack(env, Pair(tuple_(*map(Var, names)), code), whole)
        # (t s)^CC = case t^CC of pack_a z -> let env = fst z in let f = snd z in f (env, s^CC)
        case App(fn, arg):
            z, e, f = fresh("z"), fresh("env"), fresh("f")
            return Unpack(cc(fn, types, scope), fresh("a"), z, Let(e, Fst(Var(z)), Let(
                f, Snd(Var(z)), App(Var(f), Pair(Var(e), cc(arg, types, scope))))))
        # (letrec f = \x.t in s)^CC = letrec f□ = \□q. let f = pack (FV, f□) in t^CC in ..
        case LetRec():
            return _letrec(t, types, scope)
        # everything else stays, but for the types that it names
        case Inl(of, other):
            return Inl(cc(of, types, scope), cc_type(other))
        case Inr(of, other):
            return Inr(cc(of, types, scope), cc_type(other))
        case Con(name, args, data):
            return Con(name, tuple(cc(a, types, scope) for a in args), cast(Data, cc_type(data)))
        case Op(name, args, static):
            return Op(name, tuple(cc(a, types, scope) for a in args), tuple(
                s if isinstance(s, str | int) else cc_type(s) for s in static))
        case _:
            return map_parts(lambda part: cc(part, types, scope), t)


def _letrec(t: LetRec, types: Types, scope: Mapping[str, Type]) -> Term:
    fs = [r.f for r in t.recs]
    names = list(dict.fromkeys(y for r in t.recs for y in free_vars(r.fn) if y not in fs))
    env = tuple_type(*(cc_type(scope[y]) for y in names))
    codes = {r.f: fresh(r.f) for r in t.recs}

    def packed(captured: Term) -> list[tuple[str, Term]]:
        """Return every function as a closure."""
        return [(r.f, Pack(env, Pair(captured, Var(codes[r.f])), cast(Exists, cc_type(r.type))))
                for r in t.recs]

    recs = []
    for r in t.recs:
        assert isinstance(r.fn, Lam)
        q, a = fresh("q"), cc_type(r.fn.type)
        opened = unpacked(Fst(Var(q)), names)
        code = Lam(q, Prod(env, a), lets(
            [*opened, *packed(Fst(Var(q))), (r.fn.x, Snd(Var(q)))],
            cc(r.fn.body, types, scope)), "->□")
        recs.append(Rec(codes[r.f], Fun(Prod(env, a), cc_type(r.type.result), "->□"), code))
    return LetRec(tuple(recs), lets(
        packed(tuple_(*map(Var, names))), cc(t.body, types, scope)))


def convert(source: Source) -> Source:
    """Return the program after closure conversion; its bound names must be distinct."""
    types = check_source(source)
    return Source(source.context, deeply(lambda: cc(
        source.body, types, scope_of(source, types))), cc_type(source.result), tuple(
            DataDecl(d.name, d.params, tuple(
                (c, tuple(map(cc_type, fields))) for c, fields in d.constructors))
            for d in source.decls))


def scope_of(source: Source, types: Types) -> dict[str, Type]:
    """Return the types of all variables of a program with distinct names, found where they are
    used."""
    out = dict(source.context)
    todo: list[Term] = [source.body]
    while todo:
        t = todo.pop()
        if isinstance(t, Var):
            out[t.name] = types[t]
        todo += [part for _, part in parts(t)]
    return out
