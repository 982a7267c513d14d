"""Short ways to write nested terms and types.

Functions that bind take a Python function from the bound variable to the body, and choose a fresh
name from a hint:

>>> from pullback.papers.language.pretty import show
>>> print(show(lam("x", R, lambda x: let("y", x * x, lambda y: y + y))))
\\x:R. let y = x * x in y + y

``E(term)`` adds operators to a term while a test writes a program down; ``.t`` is the term.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.papers.language.terms import (
    ONE,
    App,
    B,
    Case,
    Context,
    Fst,
    Fun,
    Inl,
    Inr,
    Kind,
    Lam,
    Let,
    LetRec,
    Lit,
    Nil,
    Op,
    Pair,
    Prim,
    Prod,
    R,
    Rec,
    Snd,
    Source,
    Static,
    Term,
    Type,
    Var,
    fresh,
)


class E:
    """A term with Python's operators (for writing programs down, not for transformations)."""

    __slots__ = ("t",)

    def __init__(self, t: Term) -> None:
        self.t = t

    def __add__(self, other: Like) -> E:
        return E(prim("add", self, other))

    def __radd__(self, other: Like) -> E:
        return E(prim("add", other, self))

    def __sub__(self, other: Like) -> E:
        return E(prim("sub", self, other))

    def __rsub__(self, other: Like) -> E:
        return E(prim("sub", other, self))

    def __mul__(self, other: Like) -> E:
        return E(prim("mul", self, other))

    def __rmul__(self, other: Like) -> E:
        return E(prim("mul", other, self))

    def __truediv__(self, other: Like) -> E:
        return E(prim("div", self, other))

    def __neg__(self) -> E:
        return E(prim("neg", self))

    def __call__(self, *args: Like) -> E:
        return E(app(self, *args))

    def __getitem__(self, i: Like) -> E:
        return E(op("index", self, i))


Like = E | Term | float | int
"""What stands for a term: a number is a literal (a float a real, an int an integer)."""


def term(x: Like) -> Term:
    """Return the term that ``x`` stands for."""
    match x:
        case E():
            return x.t
        case float() | int():
            return Lit(x)
        case _:
            return x


def lam(
    hint: str, t: Type, body: Callable[[E], Like], kind: Kind = "->", role: str = ""
) -> Lam:
    """\\x:t. body(x)."""
    x = fresh(hint)
    return Lam(x, t, term(body(E(Var(x)))), kind, role)


def let(hint: str, bound: Like, body: Callable[[E], Like]) -> Let:
    """let x = bound in body(x)."""
    x = fresh(hint)
    return Let(x, term(bound), term(body(E(Var(x)))))


def lets(bound: Sequence[tuple[str, Term]], body: Term) -> Term:
    """let x1 = t1 in let x2 = t2 in ... body; names as given."""
    for x, t in reversed(bound):
        body = Let(x, t, body)
    return body


def let_pair(hints: tuple[str, str], bound: Like, body: Callable[[E, E], Like]) -> Term:
    """let (x,y) = bound in body(x, y)."""
    return let("z", bound, lambda z: let(hints[0], Fst(z.t), lambda x: let(
        hints[1], Snd(z.t), lambda y: body(x, y))))


def letrec(
    hint: str, t: Fun, x: str, fn: Callable[[E, E], Like], body: Callable[[E], Like]
) -> LetRec:
    """letrec f : t = \\x. fn(f, x) in body(f)."""
    f = fresh(hint)
    rec = Rec(f, t, lam(x, t.arg, lambda a: fn(E(Var(f)), a), t.kind))
    return LetRec((rec,), term(body(E(Var(f)))))


def app(f: Like, *args: Like) -> Term:
    """f a b ..."""
    out = term(f)
    for a in args:
        out = App(out, term(a))
    return out


def prim(name: str, *args: Like) -> Prim:
    """op(args)."""
    return Prim(name, tuple(term(a) for a in args))


def op(name: str, *args: Like, static: tuple[Static, ...] = ()) -> Op:
    """Return a library operation."""
    return Op(name, tuple(term(a) for a in args), static)


def tuple_(*items: Like) -> Term:
    """The tuple (t1,..,tn), pairs nested to the left: () of no terms, the term itself of one."""
    if not items:
        return Nil()
    out = term(items[0])
    for item in items[1:]:
        out = Pair(out, term(item))
    return out


def tuple_type(*items: Type) -> Type:
    """Return the type of ``tuple_``."""
    if not items:
        return ONE
    out = items[0]
    for item in items[1:]:
        out = Prod(out, item)
    return out


def proj(t: Like, i: int, n: int) -> Term:
    """Return component i of an n-tuple."""
    out = term(t)
    for _ in range(n - 1 - max(i, 1)):
        out = Fst(out)
    if n == 1:
        return out
    return Fst(out) if i == 0 else Snd(out)


def unpacked(whole: Term, names: Sequence[str]) -> list[tuple[str, Term]]:
    """Bindings of the components of a left-nested tuple. Each prefix of the tuple is bound once, so
    that n names cost O(n) steps; a path of projections for each would cost O(n^2).

    >>> from pullback.papers.language.pretty import show
    >>> print(show(lets(unpacked(Var("t"), ("x", "y", "z")), Nil())))
    let p = fst t in let x = fst p in let y = snd p in let z = snd t in ()
    """
    if len(names) < 2:
        return [(x, whole) for x in names]
    prefixes = [whole]  # prefixes[k] has the first n-k components
    bound: list[tuple[str, Term]] = []
    for _ in names[2:]:
        p = fresh("p")
        bound.append((p, Fst(prefixes[-1])))
        prefixes.append(Var(p))
    bound.append((names[0], Fst(prefixes[-1])))
    return bound + [(x, Snd(p)) for x, p in zip(names[1:], reversed(prefixes), strict=False)]


FALSE, TRUE = Inl(Nil(), ONE), Inr(Nil(), ONE)


def case(
    t: Like, x: str, left: Callable[[E], Like], y: str, right: Callable[[E], Like]
) -> Case:
    """case t of {inl x -> left(x); inr y -> right(y)}."""
    x, y = fresh(x), fresh(y)
    return Case(term(t), x, term(left(E(Var(x)))), y, term(right(E(Var(y)))))


def if_(c: Like, then: Like, orelse: Like) -> Case:
    """if c then .. else ..: c : B."""
    return Case(term(c), fresh("_"), term(orelse), fresh("_"), term(then))


def fun(*types: Type, kind: Kind = "->") -> Type:
    """s -> t -> ... -> u."""
    out = types[-1]
    for t in reversed(types[:-1]):
        out = Fun(t, out, kind)
    return out


def as_lambda(s: Source) -> Lam:
    """\\(x1,..,xn). body: the context as one left-nested tuple."""
    names = [name for name, _ in s.context]
    if len(names) == 1:
        return Lam(names[0], s.context[0][1], s.body)
    arg = fresh("x")
    parts = unpacked(Var(arg), names)
    return Lam(arg, tuple_type(*(t for _, t in s.context)), lets(parts, s.body))


def reals(*names: str) -> Context:
    """Return a context of reals."""
    return tuple((name, R) for name in names)


__all__ = [
    "FALSE",
    "TRUE",
    "B",
    "E",
    "Like",
    "app",
    "as_lambda",
    "case",
    "fun",
    "if_",
    "lam",
    "let",
    "let_pair",
    "letrec",
    "lets",
    "op",
    "prim",
    "proj",
    "reals",
    "term",
    "tuple_",
    "tuple_type",
    "unpacked",
]  # fmt: skip
