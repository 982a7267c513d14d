"""Interleave and Deinterleave at every first-order type (Smeding & Vákár, Fig. 7 and section 9).

    Inter_R (x,d) = the leaf of the stage       Inter_Z (n,d) = n       Inter_1 ((),d) = ()
    Inter_{s*t} ((x,y),d) = (Inter_s (x, \\_z. d (z, 0)), Inter_t (y, \\_z. d (0, z)))
    Inter_{s+t} (inl x, d) = inl (Inter_s (x, \\_z. d (inl z)))
    after the Cayley transform: \\_f. d (\\(v,w). (f v, w)), ..; from section 6 on there is no d,
    and Interleave gives a rebuilder beside its value: \\g. (f1 g, f2 g)
    Deinter_{s*t} (x,y) = let (x1,x2) = Deinter_s x in let (y1,y2) = Deinter_t y in
                          ((x1,y1), \\_z. x2 (fst z) + y2 (snd z))

A declared type has one recursive function for each of the three. All recur on the actual value,
so that zeros and cotangents have its branches, constructors and lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from pullback.core.nested import (
    App,
    Arr,
    Build,
    Case,
    Con,
    Data,
    DataDecl,
    Foldl,
    Fst,
    Fun,
    Inl,
    Inr,
    Int,
    Lam,
    LetRec,
    Map,
    Match,
    MatchArm,
    Nil,
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
    Type,
    Unit,
    Var,
    Z,
    ZipWith,
    fresh,
)
from pullback.core.nested_build import lam, op
from pullback.core.nested_traverse import subst_type
from pullback.papers.dual_ground import Block, Duals, cotangent, dual_type
from pullback.papers.methods import Unsupported


@dataclass
class Generic:
    """Functions by type: one for each declared type that occurs, written once."""

    n: Duals
    decls: Sequence[DataDecl]
    names: dict[Data, str] = field(default_factory=dict)
    recs: list[Rec] = field(default_factory=list)

    def fields(self, t: Data) -> list[tuple[str, tuple[Type, ...]]]:
        decl = next(d for d in self.decls if d.name == t.name)
        by = dict(zip(decl.params, t.args))
        return [(c, tuple(subst_type(f, by) for f in fs)) for c, fs in decl.constructors]

    def function(self, hint: str, t: Data, kind: Fun, make: Callable[[], Lam]) -> Var:
        """The function for a declared type."""
        if t not in self.names:
            if len(self.names) > 100:
                raise Unsupported("dual numbers: an argument of a type that grows as it recurs")
            self.names[t] = fresh(f"{hint}_{t.name}")
            self.recs.append(Rec(self.names[t], kind, make()))
        return Var(self.names[t])

    def around(self, t: Term) -> Term:
        """letrec the functions in t."""
        return LetRec(tuple(self.recs), t) if self.recs else t

    def dual(self, t: Type) -> Type:
        return dual_type(t, self.n)

    def stateful(self, *types: Type) -> Fun:
        """s -> .. -> t, with the state if there is one."""
        out = types[-1]
        if self.n.state is not None:
            out = Fun(self.n.state, Prod(out, self.n.state))
        for t in reversed(types[:-1]):
            out = Fun(t, out)
        assert isinstance(out, Fun)
        return out

    def body(self, make: Callable[[Block], Term]) -> Term:
        """What comes under the last argument of a stateful function."""
        if self.n.state is None:
            b = Block()
            return b.close(make(b))
        i = fresh("i")
        b = Block(Var(i))
        return Lam(i, self.n.state, b.close(make(b)))

    def branch(self, b: Block, make: Callable[[Block], Term]) -> Term:
        """A branch, from the state of ``b`` on."""
        inner = Block(b.state)
        return inner.close(make(inner))

    def traverse(self, b: Block, a: Term, elem: Type, make: Callable[[Block, Term], Term]) -> Term:
        """An array from the elements of another, in order."""
        if self.n.state is None:
            x = fresh("x")
            return Map(x, self.branch(b, lambda c: make(c, Var(x))), a)
        x = fresh("x")
        f = Lam(x, elem, self.body(lambda c: make(c, Var(x))))
        assert b.state is not None
        return b.run("a", op("traverse", f, a, b.state))


def error(t: Type) -> Op:
    """The branch that is not taken."""
    return Op("error", (), (t, "another branch than the value's"))


def cot(t: Data) -> Data:
    """The cotangent type of a declared type."""
    return cast(Data, cotangent(t))


@dataclass
class Interleave(Generic):
    """Inter with a function d from where the value is: for one-hot vectors (``update`` False),
    d : t' -o target; for changes, d : (t' -> t') -o target. ``leaf(b, x, d)`` is Inter_R."""

    leaf: Callable[[Block, Term, Term], Term] = lambda b, x, d: Pair(x, d)
    target: Type = R
    update: bool = False

    def place(self, t: Type) -> Type:
        """What d takes."""
        return Fun(cotangent(t), cotangent(t)) if self.update else cotangent(t)

    def child(
        self, d: Term, part: Type, whole: Type,
        put: Callable[[Term], Term], change: Callable[[Term, Term], Term],
    ) -> Term:  # fmt: skip
        """The d of a component: ``put z`` is the whole with z in its place and 0 elsewhere,
        ``change f v`` the whole v with f applied in its place."""
        if self.update:
            return lam("f", self.place(part), lambda f: App(d, lam(
                "v", cotangent(whole), lambda v: change(f.t, v.t))), kind="-o")
        return lam("z", cotangent(part), lambda z: App(d, put(z.t)), kind="-o")

    def go(self, b: Block, t: Type, x: Term, d: Term) -> Term:
        x, d = b.atom("x", x), b.atom("d", d)
        match t:
            case Real():
                return self.leaf(b, x, d)
            case Int() | Unit():
                return x
            case Prod(s, r):
                left = self.go(b, s, Fst(x), self.child(
                    d, s, t, lambda z: Pair(z, zero(Snd(x))),
                    lambda f, v: Pair(App(f, Fst(v)), Snd(v))))
                right = self.go(b, r, Snd(x), self.child(
                    d, r, t, lambda z: Pair(zero(Fst(x)), z),
                    lambda f, v: Pair(Fst(v), App(f, Snd(v)))))
                return Pair(left, right)
            case Plus(s, r):
                return self.plus(b, t, s, r, x, d)
            case Arr(s):
                return self.array(b, s, x, d)
            case Data():
                kind = self.stateful(t, Fun(self.place(t), self.target, "-o"), self.dual(t))
                return b.call("y", self.function("inter", t, kind, lambda: self.data(t)), x, d)
            case _:
                raise Unsupported("dual numbers: an argument that holds functions")

    def plus(self, b: Block, t: Plus, s: Type, r: Type, x: Term, d: Term) -> Term:
        v, w = fresh("v"), fresh("w")
        cs, cr = cotangent(s), cotangent(r)

        def inl(c: Block) -> Term:
            return Inl(self.go(c, s, Var(v), self.child(
                d, s, t, lambda z: Inl(z, cr), lambda f, u: Case(
                    u, "p", Inl(App(f, Var("p")), cr), "q", error(Plus(cs, cr))))), self.dual(r))

        def inr(c: Block) -> Term:
            return Inr(self.go(c, r, Var(w), self.child(
                d, r, t, lambda z: Inr(z, cs), lambda f, u: Case(
                    u, "p", error(Plus(cs, cr)), "q", Inr(App(f, Var("q")), cs)))), self.dual(s))

        return b.run("s", Case(x, v, self.branch(b, inl), w, self.branch(b, inr)))

    def array(self, b: Block, s: Type, x: Term, d: Term) -> Term:
        def element(c: Block, k: Term) -> Term:
            def put(z: Term) -> Term:
                return each(k, Op("length", (x,)), z, lambda j: zero(op("index", x, j)))

            def change(f: Term, v: Term) -> Term:
                return each(k, Op("length", (v,)), App(f, op("index", v, k)), lambda j: op(
                    "index", v, j))

            return self.go(c, s, op("index", x, k), self.child(d, s, Arr(s), put, change))

        return self.traverse(b, indices(x), Z, element)

    def data(self, t: Data) -> Lam:
        x, d = fresh("x"), fresh("d")

        def body(b: Block) -> Term:
            return b.run("y", Match(Var(x), tuple(
                self.arm(b, t, c, fields, Var(d)) for c, fields in self.fields(t))))

        return Lam(x, t, Lam(d, Fun(self.place(t), self.target, "-o"), self.body(body)))

    def arm(self, b: Block, t: Data, con: str, fields: tuple[Type, ...], d: Term) -> MatchArm:
        names = tuple(fresh("x") for _ in fields)

        def one(c: Block, k: int) -> Term:
            def put(z: Term) -> Term:
                return Con(con, tuple(
                    z if j == k else zero(Var(y)) for j, y in enumerate(names)), cot(t))

            def change(f: Term, v: Term) -> Term:
                return only(con, self.fields(t), cot(t), v, lambda vs: Con(con, tuple(
                    App(f, w) if j == k else w for j, w in enumerate(vs)), cot(t)))

            return self.go(c, fields[k], Var(names[k]), self.child(d, fields[k], t, put, change))

        return MatchArm(con, names, self.branch(b, lambda c: Con(
            con, tuple(one(c, k) for k in range(len(fields))), cast(Data, self.dual(t)))))


def zero(x: Term) -> Term:
    """The cotangent 0 in the shape of a value."""
    return op("0_c", x)


def indices(a: Term) -> Term:
    """[0, .., length a - 1]."""
    j = fresh("j")
    return Build(Op("length", (a,)), j, Var(j))


def each(k: Term, n: Term, here: Term, there: Callable[[Term], Term]) -> Term:
    """build n (j. if j = k then here else there j)."""
    j = fresh("j")
    return Build(n, j, Case(Prim("eq", (Var(j), k)), "_", there(Var(j)), "_", here))


def only(
    con: str, constructors: Sequence[tuple[str, tuple[Type, ...]]], t: Type, v: Term,
    then: Callable[[list[Term]], Term],
) -> Term:  # fmt: skip
    """match v with {con vs -> then vs; others -> error}."""
    arms = []
    for c, fields in constructors:
        names = tuple(fresh("v") for _ in fields)
        arms.append(MatchArm(c, names, then([Var(x) for x in names]) if c == con else error(t)))
    return Match(v, tuple(arms))


@dataclass
class Rebuilding(Generic):
    """Inter from section 6 on: ``leaf(b, x)`` is Inter_R, a dual number and its rebuilder, a
    function of ``source`` (a map or an array of the scalars' cotangents)."""

    leaf: Callable[[Block, Term], tuple[Term, Term]] = lambda b, x: (x, x)
    source: Type = R

    def function_of(self, make: Callable[[Term], Term]) -> Term:
        return lam("g", self.source, lambda g: make(g.t))

    def both(self, t: Type) -> Prod:
        return Prod(self.dual(t), Fun(self.source, cotangent(t)))

    def go(self, b: Block, t: Type, x: Term) -> tuple[Term, Term]:
        x = b.atom("x", x)
        match t:
            case Real():
                return self.leaf(b, x)
            case Int() | Unit():
                return x, self.function_of(lambda g: Nil())
            case Prod(s, r):
                left, f1 = self.go(b, s, Fst(x))
                f1 = b.atom("f", f1)
                right, f2 = self.go(b, r, Snd(x))
                f2 = b.atom("f", f2)
                return Pair(left, right), self.function_of(lambda g: Pair(App(f1, g), App(f2, g)))
            case Plus():
                z = b.atom("y", b.run("s", self.plus(b, t, x)))
            case Arr(s):
                q, g = fresh("q"), fresh("g")
                z = b.atom("y", self.traverse(b, x, s, lambda c, e: Pair(*self.go(c, s, e))))
                return Map(q, Fst(Var(q)), z), Lam(
                    g, self.source, Map(q, App(Snd(Var(q)), Var(g)), z))
            case Data():
                f = self.function("inter", t, self.stateful(t, self.both(t)), lambda: self.data(t))
                z = b.atom("y", b.call("s", f, x))
            case _:
                raise Unsupported("dual numbers: an argument that holds functions")
        return Fst(z), Snd(z)

    def plus(self, b: Block, t: Plus, x: Term) -> Term:
        v, w = fresh("v"), fresh("w")
        cs, cr = cotangent(t.left), cotangent(t.right)

        def inl(c: Block) -> Term:
            y, f = self.go(c, t.left, Var(v))
            f = c.atom("f", f)
            return Pair(Inl(y, self.dual(t.right)), self.function_of(lambda g: Inl(App(f, g), cr)))

        def inr(c: Block) -> Term:
            y, f = self.go(c, t.right, Var(w))
            f = c.atom("f", f)
            return Pair(Inr(y, self.dual(t.left)), self.function_of(lambda g: Inr(App(f, g), cs)))

        return Case(x, v, self.branch(b, inl), w, self.branch(b, inr))

    def data(self, t: Data) -> Lam:
        x = fresh("x")

        def arm(b: Block, con: str, fields: tuple[Type, ...]) -> MatchArm:
            names = tuple(fresh("x") for _ in fields)

            def inside(c: Block) -> Term:
                made = []
                for f, y in zip(fields, names):
                    dual, rebuild = self.go(c, f, Var(y))
                    made.append((c.atom("y", dual), c.atom("f", rebuild)))
                return Pair(
                    Con(con, tuple(y for y, _ in made), cast(Data, self.dual(t))),
                    self.function_of(lambda g: Con(con, tuple(App(f, g) for _, f in made), cot(t))))

            return MatchArm(con, names, self.branch(b, inside))

        return Lam(x, t, self.body(lambda b: b.run("y", Match(
            Var(x), tuple(arm(b, c, fields) for c, fields in self.fields(t))))))


@dataclass
class Deinterleave(Generic):
    """Deinter: ``leaf(x)`` is the second half of Deinter_R x, ``zero`` and ``plus`` combine them at
    the type ``target``."""

    leaf: Callable[[Term], Term] = Snd
    target: Type = R
    zero: Callable[[], Term] = Nil
    plus: Callable[[Term, Term], Term] = Pair

    def back(self, t: Type, make: Callable[[Term], Term]) -> Term:
        return lam("z", cotangent(t), lambda z: make(z.t), kind="-o")

    def go(self, b: Block, t: Type, x: Term) -> tuple[Term, Term]:
        x = b.atom("x", x)
        match t:
            case Real():
                return Fst(x), self.leaf(x)
            case Int() | Unit():
                return x, self.back(t, lambda z: self.zero())
            case Prod(s, r):
                y1, d1 = self.named(b, s, Fst(x))
                y2, d2 = self.named(b, r, Snd(x))
                return Pair(y1, y2), self.back(t, lambda z: self.plus(
                    App(d1, Fst(z)), App(d2, Snd(z))))
            case Plus(s, r):
                y = b.name("y", self.case(t, s, r, x))
            case Arr(s):
                return self.array(b, s, x)
            case Data():
                kind = Fun(self.dual(t), Prod(t, Fun(cotangent(t), self.target, "-o")))
                y = b.name("y", App(self.function("deinter", t, kind, lambda: self.data(t)), x))
            case _:
                raise Unsupported("dual numbers: a result that holds functions")
        return Fst(y), Snd(y)

    def named(self, b: Block, t: Type, x: Term) -> tuple[Term, Term]:
        y, d = self.go(b, t, x)
        return b.atom("y", y), b.atom("d", d)

    def alone(self, make: Callable[[Block], tuple[Term, Term]]) -> Term:
        b = Block()
        return b.close(Pair(*make(b)))

    def case(self, t: Type, s: Type, r: Type, x: Term) -> Term:
        v, w = fresh("v"), fresh("w")

        def inl(b: Block) -> tuple[Term, Term]:
            y, d = self.named(b, s, Var(v))
            return Inl(y, r), self.back(t, lambda z: Case(
                z, "p", App(d, Var("p")), "q", error(self.target)))

        def inr(b: Block) -> tuple[Term, Term]:
            y, d = self.named(b, r, Var(w))
            return Inr(y, s), self.back(t, lambda z: Case(
                z, "p", error(self.target), "q", App(d, Var("q"))))

        return Case(x, v, self.alone(inl), w, self.alone(inr))

    def array(self, b: Block, s: Type, x: Term) -> tuple[Term, Term]:
        e, q, w, acc = fresh("x"), fresh("q"), fresh("w"), fresh("acc")
        both = b.name("y", Map(e, self.alone(lambda c: self.go(c, s, Var(e))), x))
        return Map(q, Fst(Var(q)), both), self.back(Arr(s), lambda z: Foldl(
            acc, e, self.plus(Var(acc), Var(e)), self.zero(),
            ZipWith(q, w, App(Snd(Var(q)), Var(w)), both, z)))

    def data(self, t: Data) -> Lam:
        x = fresh("x")

        def arm(con: str, fields: tuple[Type, ...]) -> MatchArm:
            names = tuple(fresh("x") for _ in fields)

            def inside(b: Block) -> tuple[Term, Term]:
                made = [self.named(b, f, Var(y)) for f, y in zip(fields, names)]

                def back(vs: list[Term]) -> Term:
                    total = [App(d, v) for (_, d), v in zip(made, vs)]
                    out = total[0] if total else self.zero()
                    for p in total[1:]:
                        out = self.plus(out, p)
                    return out

                return Con(con, tuple(y for y, _ in made), t), self.back(t, lambda z: only(
                    con, self.fields(t), self.target, z, back))

            return MatchArm(con, names, self.alone(inside))

        return Lam(x, self.dual(t), Match(Var(x), tuple(
            arm(c, fields) for c, fields in self.fields(t))))
