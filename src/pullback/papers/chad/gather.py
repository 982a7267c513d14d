"""Gathers, recognised before and after differentiation (Efficient CHAD, section 8.1, eq. 14).

By its rule, build n (i. t ! s) makes a BOne for every element and adds them up. Where i is not in t
it is a gather, whose cotangent is one block:

    before   build n (i. e[t ! s])  =>  map (x. e[x]) (gather t (build n (i. s)))       i not in e
             build (length a) (i. e[a ! i])  =>  map (x. e[x]) a
    after    C{build n (i. t ! s)}  =>  (gather t1 ix, \\d. t' (BPairs [(ix ! j, e) | ..]))
             with (t1,t') = C{t}, ix = build n (i. fst C{s}), (j,e) from collect d

The first leaves a BArray, the second BPairs; both cost their length when they are made, which pays
for ``collect``. Only what every element surely reads is taken out: not what is in a branch.

>>> from pullback.papers.language.terms import Arr, R
>>> from pullback.papers.language.build import op, prim
>>> from pullback.papers.language.pretty import show
>>> a, i = Var("a"), Var("i")
>>> body = Build(op("length", a), "i", prim("mul", op("index", a, i), 2.0))
>>> twice = recognised(Source((("a", Arr(R)),), body, Arr(R)))
>>> print(show(twice.body))
map (x. x * 2) a
"""

from __future__ import annotations

from pullback.papers.chad.array_ops import pairs
from pullback.papers.chad.program import CHAD_SOURCE, linearise_monadic
from pullback.papers.language.build import E, lam, op
from pullback.papers.language.terms import (
    EV,
    App,
    Build,
    Con,
    Fst,
    Lam,
    Let,
    LetRec,
    Map,
    Op,
    Pair,
    Prim,
    Snd,
    Source,
    Term,
    Var,
    ZipWith,
    fresh,
)
from pullback.papers.language.traverse import alpha_eq, deeply, free_vars, map_parts, subterms
from pullback.papers.methods import Curried, Method, register

# --- before ---------------------------------------------------------------------------------------


def recognised(source: Source) -> Source:
    """Return the program with gathers where it has builds that are gathers."""
    return Source(source.context, deeply(lambda: gathers(source.body)), source.result, source.decls)


def gathers(t: Term) -> Term:
    """Return the term with each build n (i. e[t ! s]) as a map over a gather."""
    t = map_parts(gathers, t)
    if not isinstance(t, Build):
        return t
    found, body, extent = reads(t.t, t.i), t.t, t.n
    names = [fresh("x") for _ in found]
    for x, read in zip(names, found, strict=True):
        body = replaced(body, read, Var(x))
    if not 1 <= len(found) <= 2 or t.i in free_vars(body):
        return t
    n = fresh("n")
    columns = [column(read, t, n) for read in found]
    match names, columns:
        case [x], [a]:
            t = a if isinstance(body, Var) else Map(x, body, a)
        case [x, y], [a, b]:
            t = ZipWith(x, y, body, a, b)
        case _:
            return t
    return Let(n, extent, t) if n in free_vars(t) else t


def column(read: Op, t: Build, n: str) -> Term:
    """Return the elements that are read for all i as an array: the whole array, or a gather of n
    elements."""
    array, at = read.args
    whole = isinstance(at, Var) and at.name == t.i and alpha_eq(t.n, Op("length", (array,)))
    return array if whole else op("gather", array, Build(Var(n), t.i, at))


def reads(t: Term, i: str) -> list[Op]:
    """Return the different a ! s in t that are surely computed, with i in s and not in a."""
    found: list[Op] = []

    def walk(t: Term, bound: frozenset[str]) -> None:
        match t:
            case Op("index", (a, s)) if i in free_vars(s) and i not in free_vars(a):
                if not bound & {*free_vars(a), *free_vars(s)} and not any(
                        alpha_eq(t, other) for other in found):
                    found.append(t)
            case Let(x, b, body):
                walk(b, bound)
                walk(body, bound | {x})
            case Pair(a, b):
                walk(a, bound)
                walk(b, bound)
            case Fst(a) | Snd(a):
                walk(a, bound)
            case Prim(_, args) | Op(_, args):
                for a in args:
                    walk(a, bound)
            case _:
                pass

    walk(t, frozenset())
    return found


def replaced(t: Term, old: Term, new: Term) -> Term:
    """Return t with new for every old; names are distinct."""
    if type(t) is type(old) and alpha_eq(t, old):
        return new
    return map_parts(lambda part: replaced(part, old, new), t)


# --- after ----------------------------------------------------------------------------------------


def recognised_after(t: Term) -> Term:
    """Return the term that C gives, in which the cotangent of every gather is one block."""
    t = map_parts(recognised_after, t)
    match t:
        # let u = unzip (build n (i. C{t ! s})) in let a1 = fst u in let a2 = snd u in (a1, \d. ..)
        case Let(_, Op("unzip", (Build(n, i, element),)), Let(_, Fst(), Let(_, Snd(), Pair(
                Var(), Lam(_, cotangent))))):
            found = naive_gather(element, i)
            if found is None or any(isinstance(s, LetRec | Con) for s in subterms(found[0])):
                return t
            of, at = found
            z, ix = fresh("z"), fresh("ix")
            x, back = E(Fst(Var(z))), E(Snd(Var(z)))
            return Let(z, without(of, i), Let(ix, Build(n, i, Fst(at)), Pair(
                op("gather", x, Var(ix)), lam("d", cotangent, lambda d: pairs(
                    back, d, lambda k, e: Pair(op("index", Var(ix), k), e.t)), role="bp"))))
        case _:
            return t


def naive_gather(t: Term, i: str) -> tuple[Term, Term] | None:
    """(C{t}, C{s}) if a term is C{t ! s} with i not in t, as its rule writes it."""
    match t:
        # let z=C{t} in let x=fst z in let x'=snd z in let w=C{s} in let j=fst w in let _=snd w in
        # (x ! j, \d. x' (BOne (j,d)))
        case Let(z, of, Let(x, Fst(Var(z1)), Let(back, Snd(Var(z2)), Let(w, at, Let(
                j, Fst(Var(w1)), Let(_, Snd(Var(w2)), Pair(Op("index", (Var(x1), Var(j1))), Lam(
                    d, _, App(Var(back1), Op("BOne", (Pair(Var(j2), Var(d1)),))))))))))):
            bound = (z, z, w, w, x, j, back, j, d) == (z1, z2, w1, w2, x1, j1, back1, j2, d1)
            return (of, at) if bound and i not in free_vars(of) else None
        case _:
            return None


def without(t: Term, i: str) -> Term:
    """Return a term of C that does not add into the cell i, in an environment that has none."""
    t = map_parts(lambda part: without(part, i), t)
    if not isinstance(t, Op):
        return t
    static = tuple(EV(tuple((x, cell) for x, cell in s.context if x != i))
                   if isinstance(s, EV) else s for s in t.static)
    return Op(t.name, t.args, static)


register(Method(
    "chad.gathers", "C with gathers recognised before and after it (section 8.1)", CHAD_SOURCE,
    Curried(lambda source, args: linearise_monadic(
        source, args, prepare=recognised, after=recognised_after))))
