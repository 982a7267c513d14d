"""Defunctionalisation of whole programs (Efficient CHAD, section 9; Reynolds).

    s -> t       becomes a declared type F, with a constructor for every lambda of that type:
                 data F = L1 (what lambda 1 captures) | L2 ..
    (\\x.t)^D     = L FV                         FV the free variables
    (t s)^D      = apply_F (t^D, s^D)
    apply_F (q) = match fst q {L1 FV -> let x = snd q in t^D | ..}      closed, one for each F

Where closure conversion hides what a function captures, this lists it: no existentials, but the
program must be there as a whole. ``letrec`` names are constructors too.

>>> from pullback.papers.language.terms import R
>>> from pullback.papers.language.build import E, lam, reals
>>> from pullback.papers.language.pretty import show, show_decl
>>> x = E(Var("x"))
>>> s = defunctionalised(Source(reals("x"), App(lam("u", R, lambda u: x * u), x.t), R))
>>> print(show_decl(s.decls[0]))
data F1 = F1L1 R
>>> print(show(s.body))  # doctest: +NORMALIZE_WHITESPACE
letrec apply1 : F1 * R ->□ R = \\□q:F1 * R. match fst q with {F1L1 x -> let u = snd q in x * u} in
    apply1 (F1L1 x, x)
"""

from __future__ import annotations

from pullback.core.frozen import dataclass, field
from pullback.papers.closure_conversion import scope_of
from pullback.papers.language.build import lets
from pullback.papers.language.check import Types, check_source
from pullback.papers.language.terms import (
    App,
    Arr,
    Con,
    Data,
    DataDecl,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Match,
    MatchArm,
    Op,
    Pair,
    Plus,
    Prod,
    Rec,
    Snd,
    Source,
    Term,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply, free_vars, map_parts
from pullback.papers.methods import Unsupported, first_order


def defunctionalised(source: Source) -> Source:
    """Return the program without function values; its bound names must be distinct."""
    for x, t in source.context:
        if not first_order(t):
            raise Unsupported(f"defunctionalisation: the lambdas behind {x} are not known; "
                              "it takes whole programs")
    types = check_source(source)
    d = Defunctionalisation(types, scope_of(source, types))
    body = deeply(lambda: d.term(source.body))
    decls = [DataDecl(decl.name, decl.params, tuple(
        (c, tuple(map(d.type, fields))) for c, fields in decl.constructors))
        for decl in source.decls]
    recs = tuple(arrow.apply(d) for arrow in list(d.arrows.values()))
    decls += [DataDecl(arrow.name, (), tuple(arrow.lambdas)) for arrow in d.arrows.values()]
    return Source(source.context, LetRec(recs, body) if recs else body, d.type(source.result),
                  tuple(decls))


@dataclass
class Arrow:
    """A type s -> t: the constructors of its lambdas, and the arms of its ``apply``."""

    name: str
    function: Fun
    code: str
    lambdas: list[tuple[str, tuple[Type, ...]]] = field(default_factory=list)
    arms: dict[str, tuple[str, tuple[str, ...], str, Term]] = field(default_factory=dict)

    def apply(self, d: Defunctionalisation) -> Rec:
        """\\q. match fst q {L FV -> let x = snd q in body | ..}"""
        q = fresh("q")
        arg = Prod(Data(self.name), d.type(self.function.arg))
        result = d.type(self.function.result)
        arms = [self.arms[con] for con, _ in self.lambdas]
        body: Term = Match(Fst(Var(q)), tuple(
            MatchArm(con, names, Let(x, Snd(Var(q)), t)) for con, names, x, t in arms))
        if not arms:  # nothing of this type is ever made
            body = Op("error", (), (result, "no function"))
        return Rec(self.code, Fun(arg, result, "->□"), Lam(q, arg, body, "->□"))


class Defunctionalisation:
    """The arrow types of a program, found while it is translated."""

    def __init__(self, types: Types, scope: dict[str, Type]) -> None:
        self.types = types
        self.scope = scope
        self.arrows: dict[Type, Arrow] = {}

    def arrow(self, t: Type) -> Arrow:
        """Return the constructors and arms for the functions of a type."""
        assert isinstance(t, Fun)
        if t not in self.arrows:
            n = len(self.arrows) + 1
            self.arrows[t] = Arrow(f"F{n}", t, fresh(f"apply{n}"))
        return self.arrows[t]

    def type(self, t: Type) -> Type:
        """t^D."""
        match t:
            # (s -> t)^D = F, with a constructor for every lambda of that type
            case Fun():
                return Data(self.arrow(t).name)
            # every other type as it is, with its parts converted
            case Prod(a, b):
                return Prod(self.type(a), self.type(b))
            case Plus(a, b):
                return Plus(self.type(a), self.type(b))
            case Arr(a):
                return Arr(self.type(a))
            case Data(name, args):
                return Data(name, tuple(map(self.type, args)))
            case _:
                return t

    def term(self, t: Term) -> Term:
        """t^D."""
        match t:
            # (\x.t)^D = L FV
            case Lam(x, _, body):
                names = free_vars(t)
                con = self.constructor(self.types[t], names)
                self.arrow(self.types[t]).arms[con.name] = con.name, names, x, self.term(body)
                return con
            # (t s)^D = apply_F (t^D, s^D)
            case App(fn, arg):
                return App(Var(self.arrow(self.types[fn]).code), Pair(
                    self.term(fn), self.term(arg)))
            # (letrec f = \x.t in s)^D = let f = L FV in s^D, and in the arm of L too
            case LetRec():
                return self.letrec(t)
            # everything else stays, but for the types that it names
            case Inl(of, other):
                return Inl(self.term(of), self.type(other))
            case Inr(of, other):
                return Inr(self.term(of), self.type(other))
            case Con(name, args, data):
                whole = self.type(data)
                assert isinstance(whole, Data)
                return Con(name, tuple(map(self.term, args)), whole)
            case Op(name, args, static):
                return Op(name, tuple(map(self.term, args)), tuple(
                    s if isinstance(s, str | int) else self.type(s) for s in static))
            case _:
                return map_parts(self.term, t)

    def constructor(self, t: Type, names: tuple[str, ...]) -> Con:
        """Return a new constructor of an arrow type, of the variables that a lambda captures."""
        arrow = self.arrow(t)
        con = f"{arrow.name}L{len(arrow.lambdas) + 1}"
        arrow.lambdas.append((con, tuple(self.type(self.scope[x]) for x in names)))
        return Con(con, tuple(map(Var, names)), Data(arrow.name))

    def letrec(self, t: LetRec) -> Term:
        """Return the term with constructors for the functions of a group, which capture the same
        variables."""
        fs = [r.f for r in t.recs]
        names = tuple(dict.fromkeys(
            y for r in t.recs for y in free_vars(r.fn) if y not in fs))
        cons: list[tuple[str, Term]] = [(r.f, self.constructor(r.type, names)) for r in t.recs]
        for r, (_, con) in zip(t.recs, cons, strict=True):
            assert isinstance(con, Con)
            body = lets(cons, self.term(r.fn.body))
            self.arrow(r.type).arms[con.name] = con.name, names, r.fn.x, body
        return lets(cons, self.term(t.body))
