"""Walks over nested terms: parts, free variables, renaming, substitution, equality up to names.

Terms of a paper's program can be as deep as the program is long (10,000 lets in a row), so what
recurses is run by ``deeply``, in a thread with a large stack.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar, assert_never

from pullback.core.recursion import with_large_stack
from pullback.core.unhandled import unhandled
from pullback.papers.language.terms import (
    EV,
    EVM,
    App,
    Arr,
    Build,
    Case,
    Con,
    Data,
    Exists,
    Fold,
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
    Nil,
    Op,
    Pack,
    Pair,
    Plus,
    Prim,
    Prod,
    Real,
    Rec,
    Scan,
    Snd,
    Term,
    TVar,
    TyApp,
    TyLam,
    Type,
    Unit,
    Unpack,
    Var,
    ZipWith,
    fresh,
)

T = TypeVar("T")
_here = threading.local()


def deeply(run: Callable[[], T]) -> T:
    """Return ``run()``, with a large stack (at once, where the stack is large already)."""
    if getattr(_here, "deep", False):
        return run()

    def body() -> T:
        _here.deep = True
        return run()

    return with_large_stack(body)


Part = tuple[tuple[str, ...], Term]
"""A subterm, and the names that are bound in it but not around it."""


def parts(t: Term) -> tuple[Part, ...]:
    """Return the subterms in the order of evaluation, each with the names that its parent binds
    there."""
    match t:
        case Var() | Lit() | Nil():
            return ()
        case Let(x, bound, body):
            return ((), bound), ((x,), body)
        case LetRec(recs, body):
            fs = tuple(r.f for r in recs)
            return (*((fs, r.fn) for r in recs), (fs, body))
        case Lam(x, _, body):
            return (((x,), body),)
        case App(a, b) | Pair(a, b):
            return ((), a), ((), b)
        case Fst(a) | Snd(a) | Inl(a) | Inr(a) | TyLam(_, a) | TyApp(a) | Pack(_, a):
            return (((), a),)
        case Case(a, x, left, y, right):
            return ((), a), ((x,), left), ((y,), right)
        case Match(a, arms):
            return ((), a), *((arm.names, arm.body) for arm in arms)
        case Con(_, args) | Prim(_, args) | Op(_, args):
            return tuple(((), a) for a in args)
        case Build(n, i, body):
            return ((), n), ((i,), body)
        case Map(x, body, a) | Fold(x, body, a) | Scan(x, body, a):
            return ((), a), ((x,), body)
        case ZipWith(x, y, body, a, b):
            return ((), a), ((), b), ((x, y), body)
        case Foldl(x, y, body, z, a):
            return ((), z), ((), a), ((x, y), body)
        case Unpack(a, _, x, body):
            return ((), a), ((x,), body)
        case _:
            unhandled(t)


def with_parts(t: Term, new: tuple[Part, ...]) -> Term:
    """Return ``t`` with other subterms and bound names, in the order of ``parts``."""
    s = [part for _, part in new]
    names = [bound for bound, _ in new]
    match t:
        case Var() | Lit() | Nil():
            return t
        case Let():
            return Let(names[1][0], s[0], s[1])
        case LetRec(recs, _):
            fns = [fn for fn in s[:-1] if isinstance(fn, Lam)]
            return LetRec(tuple(
                Rec(f, r.type, fn) for f, r, fn in zip(names[0], recs, fns, strict=True)), s[-1])
        case Lam(_, a, _, kind, role):
            return Lam(names[0][0], a, s[0], kind, role)
        case App():
            return App(s[0], s[1])
        case Pair():
            return Pair(s[0], s[1])
        case Fst():
            return Fst(s[0])
        case Snd():
            return Snd(s[0])
        case Inl(_, other):
            return Inl(s[0], other)
        case Inr(_, other):
            return Inr(s[0], other)
        case TyLam(alphas, _):
            return TyLam(alphas, s[0])
        case TyApp(_, types):
            return TyApp(s[0], types)
        case Pack(witness, _, a):
            return Pack(witness, s[0], a)
        case Case():
            return Case(s[0], names[1][0], s[1], names[2][0], s[2])
        case Match(_, arms):
            return Match(s[0], tuple(
                MatchArm(arm.con, xs, body) for arm, (xs, body) in zip(arms, new[1:], strict=True)))
        case Con(name, _, a):
            return Con(name, tuple(s), a)
        case Prim(name, _, primitive_static):
            return Prim(name, tuple(s), primitive_static)
        case Op(name, _, static):
            return Op(name, tuple(s), static)
        case Build():
            return Build(s[0], names[1][0], s[1])
        case Map():
            return Map(names[1][0], s[1], s[0])
        case Fold():
            return Fold(names[1][0], s[1], s[0])
        case Scan():
            return Scan(names[1][0], s[1], s[0])
        case ZipWith():
            return ZipWith(names[2][0], names[2][1], s[2], s[0], s[1])
        case Foldl():
            return Foldl(names[2][0], names[2][1], s[2], s[0], s[1])
        case Unpack(_, alpha, _, _):
            return Unpack(s[0], alpha, names[1][0], s[1])
        case _:
            unhandled(t)


def map_parts(change: Callable[[Term], Term], t: Term) -> Term:
    """Return ``t`` with every direct subterm changed."""
    return with_parts(t, tuple((names, change(part)) for names, part in parts(t)))


def subterms(t: Term) -> Iterator[Term]:
    """Iterate over all subterms, outermost first."""
    stack = [t]
    while stack:
        t = stack.pop()
        yield t
        stack += [part for _, part in reversed(parts(t))]


def size(t: Term) -> int:
    """Return the number of constructors."""
    return sum(1 for _ in subterms(t))


def free_vars(t: Term) -> tuple[str, ...]:
    """Return the free variables, in the order of their first use."""
    found: dict[str, None] = {}
    inside: dict[str, int] = {}

    def walk(t: Term) -> None:
        # Down the spine of lets in a loop; what else is deep is deep in the program too.
        opened: list[str] = []
        while True:
            if isinstance(t, Var):
                if not inside.get(t.name):
                    found.setdefault(t.name)
                break
            some = parts(t)
            for names, part in some[:-1]:
                for x in names:
                    inside[x] = inside.get(x, 0) + 1
                walk(part)
                for x in names:
                    inside[x] -= 1
            if not some:
                break
            names, t = some[-1]
            for x in names:
                inside[x] = inside.get(x, 0) + 1
            opened += names
        for x in opened:
            inside[x] -= 1

    deeply(lambda: walk(t))
    return tuple(found)


def renamed(t: Term, name: Callable[[str], str], free: Mapping[str, Term]) -> Term:
    """Return ``t`` with every bound variable called ``name(its old name)`` and free ones
    replaced."""
    now: dict[str, Term] = dict(free)

    def walk(t: Term) -> Term:
        if isinstance(t, Var):
            return now.get(t.name, t)
        renaming: dict[tuple[str, ...], tuple[str, ...]] = {}
        new: list[Part] = []
        for names, part in parts(t):
            if not names:
                new.append(((), walk(part)))
                continue
            # The functions of a letrec are bound once and seen in several parts.
            if not (isinstance(t, LetRec) and names in renaming):
                renaming[names] = tuple(name(x) for x in names)
            old = {x: now.get(x) for x in names}
            now.update({x: Var(y) for x, y in zip(names, renaming[names], strict=True)})
            new.append((renaming[names], walk(part)))
            for x, before in old.items():
                if before is None:
                    del now[x]
                else:
                    now[x] = before
        return with_parts(t, tuple(new))

    return deeply(lambda: walk(t))


def rename_apart(t: Term) -> Term:
    """Return ``t`` with all bound names distinct and fresh (shadowing is gone)."""
    return renamed(t, fresh, {})


def substitute(t: Term, by: Mapping[str, Term]) -> Term:
    """Return ``t`` with free variables replaced; bound ones get fresh names, so nothing is
    captured."""
    return renamed(t, fresh, by)


def alpha_eq(a: Term, b: Term) -> bool:
    """Whether two terms are equal up to the names of bound variables. Literals are equal if they
    print alike."""
    todo = [(_numbered(a), _numbered(b))]
    while todo:
        s, t = todo.pop()
        some, other = parts(s), parts(t)
        if _head(s) != _head(t) or [n for n, _ in some] != [n for n, _ in other]:
            return False
        todo += [(x, y) for (_, x), (_, y) in zip(some, other, strict=False)]
    return True


def _numbered(t: Term) -> Term:
    n = iter(range(10**9))
    return renamed(t, lambda _: f"#{next(n)}", {})


def _head(t: Term) -> tuple[object, ...]:
    """Return the constructor of a term and its constants, on which equal terms agree besides their
    parts."""
    match t:
        case Var(x):
            return ("var", x)
        case Lit(value):
            return ("lit", repr(value))
        case LetRec(recs):
            return ("letrec", tuple(r.type for r in recs))
        case Lam(_, a, _, kind, _):
            return ("lam", a, kind)
        case Inl(_, other) | Inr(_, other):
            return (type(t), other)
        case Con(name, _, a):
            return ("con", name, a)
        case Match(_, arms):
            return ("match", tuple(arm.con for arm in arms))
        case Prim(name, args, primitive_static):
            return ("prim", name, len(args), primitive_static)
        case Op(name, args, static):
            return ("op", name, len(args), static)
        case TyLam(names):
            return ("tylam", names)
        case TyApp(_, types):
            return ("tyapp", types)
        case Pack(witness, _, a):
            return ("pack", witness, a)
        case Unpack(_, alpha):
            return ("unpack", alpha)
        case _:
            return (type(t),)


def subst_type(t: Type, by: Mapping[str, Type]) -> Type:
    """Return ``t`` with its type variables replaced."""
    if not by:
        return t
    match t:
        case Real() | Int() | Unit():
            return t
        case TVar(a):
            return by.get(a, t)
        case Prod(a, b):
            return Prod(subst_type(a, by), subst_type(b, by))
        case Plus(a, b):
            return Plus(subst_type(a, by), subst_type(b, by))
        case Fun(a, b, kind):
            return Fun(subst_type(a, by), subst_type(b, by), kind)
        case Arr(a):
            return Arr(subst_type(a, by))
        case Data(name, args):
            return Data(name, tuple(subst_type(a, by) for a in args))
        case Forall(names, body):
            return Forall(names, subst_type(body, {k: v for k, v in by.items() if k not in names}))
        case Exists(name, body):
            return Exists(name, subst_type(body, {k: v for k, v in by.items() if k != name}))
        case EV(context):
            return EV(tuple((x, subst_type(a, by)) for x, a in context))
        case EVM(context, result):
            return EVM(tuple((x, subst_type(a, by)) for x, a in context), subst_type(result, by))
        case _:
            assert_never(t)
