"""Linear functions: what may stand under ``\\_z``, the function of kind ``-o``.

Smeding & Vákár, Fig. 5, gives linear functions a syntax of their own, in which every body is a
homomorphism of commutative monoids by its form:

    b ::= () | (b,b) | z | x b | dop_i(..)(b) | b + b | 0          x a variable of type s -o t

``require_figure5`` holds a term to that grammar, as the stage N1 does with its output.
``Linearity.linear`` is the same judgement for the targets of all stages (``zs`` are the linear
variables, everything else is constant):

    z, (), 0, fst b, snd b, (b,b), inl b, C b*       b + b, -b, p * b, b / p for a constant p
    f b for a constant f : s -o t                    let, case, match of b or of a constant
    build, map, zipWith, foldl with linear bodies    name(b..) where the row says ``linear``
    \\a. u   for a change u of a: after the Cayley transform a sum of changes is a composition

A change u of a touches places of a, each by a linear addition or by a linear change of that place:

    u_a ::= a | b + a | f a for a linear f | (u_{fst a}, u_{snd a}) | a[i -> u_{a[i]}]
          | case a of {inl v -> inl u_v; ..}

``check`` asks for the judgement wherever it types a function of kind ``-o``, so that the output of
every stage passes it. What is linear by a theorem and not by its form (``SResolve``, section 4) is
marked by the operation ``homomorphism``, which costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from pullback.papers.language.ops import Library
from pullback.papers.language.pretty import show
from pullback.papers.language.terms import (
    ONE,
    App,
    Arr,
    Build,
    Case,
    Con,
    Exists,
    Foldl,
    Forall,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    Let,
    Lit,
    Map,
    Match,
    Nil,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    Snd,
    Term,
    Type,
    Var,
    ZipWith,
)
from pullback.papers.language.traverse import alpha_eq, free_vars, map_parts, substitute, subterms

Names = frozenset[str]


def in_figure5(t: Term, z: str) -> bool:
    """Whether a term is a linear body of Fig. 5. A partial derivative may name what it uses twice,
    and x may be a component of a variable."""
    match t:
        # () | z | 0
        case Nil() | Op("0_c", _):
            return True
        case Var(x):
            return x == z
        # (b,b) | b + b
        case Pair(a, b) | Op("+_c", (a, b)):
            return in_figure5(a, z) and in_figure5(b, z)
        # inl b | inr b (section 9)
        case Inl(a) | Inr(a):
            return in_figure5(a, z)
        # x b
        case App(f, b):
            while isinstance(f, Fst | Snd):
                f = f.t
            return isinstance(f, Var) and f.name != z and in_figure5(b, z)
        # dop_i(x1..xn)(b): a product with a term without z
        case Prim("mul" | "mulz", (a, b)):
            return (z not in free_vars(a) and in_figure5(b, z)) or (
                z not in free_vars(b) and in_figure5(a, z))
        case Let(x, bound, body):
            return z not in free_vars(bound) and (x == z or in_figure5(body, z))
        case _:
            return False


def require_figure5(t: Term) -> None:
    """Raise a TypeError unless every linear function in t is one of Fig. 5: from a type without
    functions, with a body of the grammar."""
    for s in subterms(t):
        if isinstance(s, Lam) and s.kind == "-o" and not (
                no_functions(s.type) and in_figure5(s.body, s.x)):
            raise TypeError(f"not a linear function of Fig. 5: {show(s)}")


def no_functions(t: Type) -> bool:
    """Whether a type has no function in it (declared types are taken to hold none)."""
    match t:
        case Fun() | Forall() | Exists():
            return False
        case Prod(a, b) | Plus(a, b):
            return no_functions(a) and no_functions(b)
        case Arr(a):
            return no_functions(a)
        case _:
            return True


class Linearity:
    """The judgement, for terms whose types are known and operations of a library."""

    def __init__(self, types: Mapping[Term, Type], library: Library) -> None:
        self.types = types
        self.library = library

    def linear(self, t: Term, zs: Names) -> bool:
        """Whether t is linear in the variables zs, jointly."""
        match t:
            case Var(x):
                return x in zs or self.types.get(t) == ONE
            case Nil():
                return True
            case Lit(r):
                return r == 0.0
            case Fst(a) | Snd(a) | Inl(a) | Inr(a) | Prim("neg", (a,)):
                return self.linear(a, zs)
            case Pair(a, b) | Prim("add" | "sub", (a, b)):
                return self.linear(a, zs) and self.linear(b, zs)
            case Prim("mul" | "mulz", (a, b)):
                return (constant(a, zs) and self.linear(b, zs)) or (
                    constant(b, zs) and self.linear(a, zs))
            case Prim("div", (a, b)):
                return constant(b, zs) and self.linear(a, zs)
            case Con(_, args):
                return all(self.linear(a, zs) for a in args)
            case App(f, a):
                found = self.types.get(f)
                of = isinstance(found, Fun) and found.kind == "-o"
                return of and constant(f, zs) and self.linear(a, zs)
            case Op(name, args):
                return self.op(name, args, zs)
            case Let(x, bound, body):
                return self.under(bound, (x,), body, zs)
            case Case(a, x, left, y, right):
                return self.under(a, (x,), left, zs) and self.under(a, (y,), right, zs)
            case Match(a, arms):
                return all(self.under(a, arm.names, arm.body, zs) for arm in arms)
            case Lam(x, _, body):
                return self.change(body, Var(x), zs - {x})
            case _:
                return self.over_array(t, zs)

    def over_array(self, t: Term, zs: Names) -> bool:
        """Check array constructs: they are linear if the results for the elements are."""
        match t:
            case Build(n, i, body):
                return constant(n, zs) and self.linear(body, zs - {i})
            case Map(x, body, a):
                return self.under(a, (x,), body, zs)
            case ZipWith(x, y, body, a, b):
                kept = zs - {x, y}
                for v, part in ((x, a), (y, b)):
                    if not constant(part, zs):
                        if not self.linear(part, zs):
                            return False
                        kept |= {v}
                return self.linear(body, kept)
            case Foldl(acc, x, body, z, a):
                return self.linear(z, zs) and self.under(a, (x,), body, zs - {x}, {acc})
            case _:
                return False

    def under(
        self, bound: Term, names: tuple[str, ...], body: Term, zs: Names,
        more: set[str] | None = None,
    ) -> bool:  # fmt: skip
        """Check ``body`` with ``names`` for the bound variables, linear or constant."""
        inner = (zs - set(names)) | (more or set())
        if constant(bound, zs):
            return self.linear(body, inner)
        return self.linear(bound, zs) and self.linear(body, inner | set(names))

    def op(self, name: str, args: tuple[Term, ...], zs: Names) -> bool:
        """Check an operation that is linear in some of its arguments, jointly."""
        places = self.library[name].linear
        if places is None:
            return False
        return all(self.linear(a, zs) if k in places else constant(a, zs)
                   for k, a in enumerate(args))

    # --- changes ----------------------------------------------------------------------------------

    def change(self, t: Term, a: Term, zs: Names) -> bool:
        """Whether t is a change of the value ``a``, linear in zs."""
        if at(t, a):
            return True
        match t:
            case Let(x, bound, body):
                return self.change(substitute(body, {x: bound}), a, zs)
            # b + a
            case Prim("add", (b, c)):
                return (at(c, a) and self.linear(b, zs)) or (at(b, a) and self.linear(c, zs))
            # f a, for a linear f (or one that is a linear variable itself)
            case App(f, b):
                return at(b, a) and self.linear(f, zs)
            # a function that gives a function: \s after \a
            case Lam(x, _, body):
                return self.change(body, Var(x), zs - {x})
            case Pair(left, right):
                return self.change(left, Fst(a), zs) and self.change(right, Snd(a), zs)
            case Op("staged", (b,)):
                return self.change(b, Op("unstaged", (a,)), zs)
            # a[i -> u], where a pair of a function and a number keeps its function
            case Op("set" | "minsert", (b, i, u)):
                old: Term = Op("get" if t.name == "set" else "mget", (a, i))
                if isinstance(u, Pair) and constant(u.left, zs):
                    u, old = u.right, Snd(old)
                return at(b, a) and constant(i, zs) and self.change(u, old, zs)
            case Op("error"):
                return True
            case Case(b, x, left, y, right) if at(b, a):
                return self.arm(left, (x,), zs) and self.arm(right, (y,), zs)
            case Match(b, arms) if at(b, a):
                return all(self.arm(arm.body, arm.names, zs) for arm in arms)
            # build n (j. if j = k then u else a ! j)
            case Build(_, j, Case(Prim("eq", (_, k)), _, there, _, here)):
                return (self.change(there, Op("index", (a, Var(j))), zs)
                        and self.change(here, Op("index", (a, k)), zs))
            case _:
                return False

    def arm(self, t: Term, names: tuple[str, ...], zs: Names) -> bool:
        """Return an arm of a branch on a changed value: the constructor again, with changes of its
        fields."""
        match t:
            case Inl(b) | Inr(b):
                return self.change(b, Var(names[0]), zs)
            case Con(_, args):
                return len(args) == len(names) and all(
                    self.change(b, Var(x), zs) for b, x in zip(args, names, strict=False))
            case Op("error"):
                return True
            case _:
                return False


def constant(t: Term, zs: Names) -> bool:
    """Whether no variable of zs is in t, but for its length."""

    def structure(s: Term) -> Term:
        return Nil() if isinstance(s, Op) and s.name == "length" else map_parts(structure, s)

    free = zs.intersection(free_vars(t))
    return not free or not zs.intersection(free_vars(structure(t)))


def at(t: Term, a: Term) -> bool:
    """Whether t is the place ``a``; a map's place may say what it is where nothing is."""
    match t, a:
        case (Fst(p), Fst(q)) | (Snd(p), Snd(q)):
            return at(p, q)
        case Op("mget", (p, i, _)), Op("mget", (q, j)):
            return at(p, q) and alpha_eq(i, j)
        case _:
            return alpha_eq(t, a)
