"""What a reader of the figures does in his head: the administrative steps of a term, taken.

A translation names every part and takes it out again; the figures do neither. The meaning stays,
and every operation of the program stays where it is and is done as often:

    let x = y in t, let x = fst y in t     t with y, fst y for x         (and for i + 1, integers)
    let p = (a, b) in t                    t with a for fst p, if a is a name or a function that is
                                           named once; nothing, if p is not used
    let f = \\x. t in .. f a ..             .. t with a for x ..          f used once, or t small
    (\\x. t) a                              let x = a in t
    let q = k in m >>= \\_. q               m >>= \\_. k                   actions are pure
    let q = t in .. q ..                   .. t ..                       q used once, not in a \\x
    fst (a, b)                             a                             b a value
    let x = t in x                         t                             or in (fst x, snd x)

>>> from pullback.papers.language.build import lam, let, prim
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.language.terms import Lit, R
>>> t = let("p", Pair(Var("x"), Lit(2.0)), lambda p: let("a", Fst(p.t), lambda a: let(
...     "f", lam("u", R, lambda u: prim("sin", u)), lambda f: prim("mul", f(a), Snd(p.t)))))
>>> print(show(simplified(t)))
sin x * 2
"""

from __future__ import annotations

from pullback.papers.language.terms import (
    App,
    Con,
    Fst,
    Inl,
    Inr,
    Lam,
    Let,
    Lit,
    Nil,
    Op,
    Pair,
    Prim,
    Snd,
    Term,
    Var,
    fresh,
)
from pullback.papers.language.traverse import (
    alpha_eq,
    deeply,
    map_parts,
    parts,
    rename_apart,
    renamed,
    size,
    substitute,
    subterms,
)

SMALL = 4
"""The size of a function that is written where it is called."""


MARK = "`"
"""Ends the names of a program whose translation is shown: what they name stays named."""
EMPTY = frozenset({"0_c", "zero", "id", "ev_zero", "nil", "lnil"})
"""Operations without arguments that are the zero of something."""
READS = frozenset({"size", "get", "set", "push"})
"""Operations on what changes: they stay where they are."""


def marked(t: Term) -> Term:
    """Return a program with its names marked as those of the user."""
    return renamed(t, lambda x: fresh(x.split("$")[0].rstrip(MARK) + MARK), {})


def of_user(x: str) -> bool:
    """Whether a name is the user's."""
    return x.split("$")[0].endswith(MARK)


def simplified(t: Term) -> Term:
    """Return the term after its administrative steps."""
    return deeply(lambda: Steps().whole(t))


class Steps:
    """The administrative steps of a term and its parts, taken from the inside out."""

    def whole(self, t: Term) -> Term:
        """Take all steps, until nothing changes any more."""
        t = rename_apart(t)
        for _ in range(40):
            after = self.step(t)
            if alpha_eq(after, t):
                return after
            t = rename_apart(after)
        return t

    def step(self, t: Term) -> Term:
        """Take the steps of all parts, and then of the term."""
        t = map_parts(self.step, t)
        match t:
            case Let(x, bound, body):
                return self.let(x, bound, body)
            case App(Lam(x, _, body), a):
                return self.let(x, a, body)
            case Fst(Pair(a, b)) if value(b):
                return a
            case Snd(Pair(a, b)) if value(a):
                return b
            case Fst(Let(x, bound, body)):
                return Let(x, bound, Fst(body))
            case Snd(Let(x, bound, body)):
                return Let(x, bound, Snd(body))
            case App(Let(x, bound, body), a):
                return Let(x, bound, App(body, a))
            # (i + 1) + 1 = i + 2, for integers
            case Prim("add", (Prim("add", (i, Lit(int() as n))), Lit(int() as m))):
                return Prim("add", (i, Lit(n + m)))
            case _:
                return t

    def let(self, x: str, bound: Term, body: Term) -> Term:
        """let x = bound in body."""
        found = uses(body, x)
        match body:  # let x = t in x, and let x = t in (fst x, snd x)
            case Var(y) | Pair(Fst(Var(y)), Snd(Var(_))) if x == y and len(found) == (
                    1 if isinstance(body, Var) else 2):
                return bound
            case _:
                pass
        if not found and value(bound):
            return body
        match bound:
            case Let(y, inner, rest):
                return Let(y, inner, Let(x, rest, body))
            case Fst(Var(y)) | Snd(Var(y)) if of_user(x) and not of_user(y) and "$" in y:
                return Let(x, bound, body)  # until the pair is gone, and takes the user's name
            case _ if is_name(bound):
                return substitute(body, {x: bound})
            case Lam() if len(found) == 1 or size(bound.body) <= SMALL:
                return substitute(body, {x: bound})
            case Pair(a, b) if not of_user(x) and all(path for path, _ in found):
                return self.pair(x, a, b, body, found)
            # let q = k in m >>= \_. q
            case _ if isinstance(body, Op) and body.name == "bind" and isinstance(
                    body.args[1], Lam) and isinstance(body.args[1].body, Var) and (
                        body.args[1].body.name == x) and len(found) == 1:
                m, k = body.args[0], body.args[1]
                return Op("bind", (m, Lam(k.x, k.type, bound)))
            case _ if len(found) == 1 and not found[0][1] and not of_user(x) and not any(
                    isinstance(s, Op) and s.name in READS for s in subterms(bound)):
                return substitute(body, {x: bound})
            case _:
                return Let(x, bound, body)

    def pair(
        self, x: str, a: Term, b: Term, body: Term, found: list[tuple[str, bool]]
    ) -> Term:
        """let x = (a, b) in body, where only parts of x are used."""
        left = [u for u in found if u[0].startswith("f")]
        right = [u for u in found if u[0].startswith("s")]

        def dissolves(t: Term, used: list[tuple[str, bool]]) -> bool:
            return is_name(t) or (value(t) and (not used or isinstance(t, Pair) or (
                isinstance(t, Lam) and (len(used) == 1 or size(t.body) <= SMALL))))

        if not (dissolves(a, left) or dissolves(b, right)):
            return Let(x, Pair(a, b), body)
        name = next((s.x for s in subterms(body) if isinstance(s, Let) and of_user(s.x)
                     and alpha_eq(s.bound, Fst(Var(x)))), x)
        p, q = fresh(name), fresh(f"d{x.split('$')[0]}")
        body = with_parts_named(body, x, Var(p), Var(q))
        return Let(p, a, Let(q, b, body))


def value(t: Term) -> bool:
    """Whether a term does nothing: leaving it out changes no step of the program."""
    match t:
        case Var() | Lit() | Nil() | Lam():
            return True
        case Op(name, ()):
            return name in EMPTY
        case Fst(a) | Snd(a) | Inl(a) | Inr(a):
            return value(a)
        case Pair(a, b):
            return value(a) and value(b)
        case Con(_, args):
            return all(map(value, args))
        case _:
            return is_name(t)


def is_name(t: Term) -> bool:
    """Whether a term is a name, a part of one, a constant, or an integer beside one."""
    match t:
        case Var() | Lit() | Nil():
            return True
        case Fst(a) | Snd(a):
            return is_name(a)
        case Prim("add" | "sub", (a, Lit(int()))):
            return is_name(a)
        case _:
            return False


def uses(t: Term, x: str) -> list[tuple[str, bool]]:
    """Return how a variable is used: the path of projections around each occurrence, the innermost
    first ("f", "s"), and whether it is under a lambda."""
    found: list[tuple[str, bool]] = []
    todo: list[tuple[Term, bool]] = [(t, False)]
    while todo:
        t, under = todo.pop()
        at, path = t, ""
        while isinstance(at, Fst | Snd):
            path = ("f" if isinstance(at, Fst) else "s") + path
            at = at.t
        if isinstance(at, Var):
            if at.name == x:
                found.append((path, under))
            continue
        inside = under or isinstance(t, Lam)
        todo += [(part, inside) for names, part in parts(t) if x not in names]
    return found


def with_parts_named(t: Term, x: str, left: Term, right: Term) -> Term:
    """Return t with ``left`` for fst x and ``right`` for snd x."""
    match t:
        case Fst(Var(y)) if y == x:
            return left
        case Snd(Var(y)) if y == x:
            return right
        case _:
            return map_parts(lambda part: with_parts_named(part, x, left, right), t)
