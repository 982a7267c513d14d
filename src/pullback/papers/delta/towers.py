"""Lazy towers of all derivatives (Krawiec et al., section 8.6, after Karczmarczuk).

    data Tower = Tower R (1 -> Tower)             T(R) = Tower, otherwise homomorphic
    T{r} = Tower r (\\_. zero)                     zero = Tower 0 (\\_. zero)
    T{op(t1..tn)} = op^ (T{t1}, .., T{tn})        one function for every primitive that is needed:
    op^ (x1, .., xn) = Tower (op (head x1 ..)) (\\_. Σ_i T{(∂_i op)(x1..xn)} *^ tail xi)

A tail is made when it is asked for, and again each time that it is: the language is strict, and
keeps no thunks. The partials of a primitive are programs of primitives, so the group of functions
is closed under them. ``delta.lazy`` has the same by overloading, with tails that are kept.

>>> from pullback.papers.language.build import prim, reals
>>> x = Var("x")
>>> product = Source(reals("x"), prim("mul", prim("exp", x), x), R)
>>> from pullback.papers.delta.along import derivatives
>>> derivatives(product, (0.0,), (1.0,), 6)
[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
>>> from pullback.papers.language.pretty import show
>>> print(show(towers(Source(reals("x"), prim("sin", x), R))[0].body))
sin^ x
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.frozen import dataclass, field
from pullback.papers.delta.triples import kinds
from pullback.papers.dual.block import retyped
from pullback.papers.dual.ground import prepared
from pullback.papers.dual.types import Duals, dual_decls, dual_type, parametric
from pullback.papers.language.build import app, lam, lets, proj, tuple_, tuple_type
from pullback.papers.language.check import Types, check, types_of
from pullback.papers.language.prims import Static, is_discrete, partial, product
from pullback.papers.language.terms import (
    ONE,
    App,
    Con,
    Data,
    DataDecl,
    Fun,
    Lam,
    LetRec,
    Lit,
    Match,
    MatchArm,
    Nil,
    Pair,
    Prim,
    R,
    Rec,
    Source,
    Term,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import map_parts
from pullback.papers.methods import Unsupported

TOWER = Data("Tower")
TAIL = Fun(ONE, TOWER)
DECL = DataDecl("Tower", (), (("Tower", (R, TAIL)),))


def head(t: Term) -> Term:
    """head (Tower r k) = r."""
    r = fresh("r")
    return Match(t, (MatchArm("Tower", (r, fresh("k")), Var(r)),))


def tail(t: Term) -> Term:
    """tail (Tower r k) = k ()."""
    k = fresh("k")
    return Match(t, (MatchArm("Tower", (fresh("r"), k), App(Var(k), Nil())),))


def tower(r: Term, rest: Term) -> Term:
    """Tower r (\\_. rest)."""
    return Con("Tower", (r, lam("_", ONE, lambda _: rest)), TOWER)


@dataclass(eq=False)
class Towers:
    """T{·}, and the functions op^ that it needs: by primitive, and the types of its arguments."""

    n: Duals
    names: dict[tuple[str, Static, tuple[Type, ...]], str] = field(default_factory=dict)
    recs: list[Rec] = field(default_factory=list)

    def zero(self) -> Term:
        """zero ()."""
        return App(Var("zero"), Nil())

    def term(self, t: Term, types: Types) -> Term:
        """T{t}."""

        def go(t: Term) -> Term:
            match t:
                # T{r} = Tower r (\_. zero)
                case Lit(float()):
                    return tower(t, self.zero())
                # T{op(t1..tn)} = op^ (T{t1}, .., T{tn})        T{sign t} = sign (head T{t})
                case Prim(op, args, static) if R in (of := kinds(t, types)) or types[t] == R:
                    f = self.function(op, static, tuple(of), types[t])
                    return app(f, go(args[0]) if len(args) == 1 else tuple_(*map(go, args)))
                case _:
                    return map_parts(go, retyped(t, lambda a: dual_type(a, self.n)))

        return go(t)

    def function(self, op: str, static: Static, of: tuple[Type, ...], result: Type) -> Var:
        """op^."""
        key = (op, static, of)
        if key not in self.names:
            self.names[key] = fresh(f"{op}^")
            p = fresh("p")
            xs = [proj(Var(p), i, len(of)) for i in range(len(of))]
            duals = tuple_type(*(dual_type(a, self.n) for a in of))
            y = Prim(
                op, tuple(head(x) if a == R else x for a, x in zip(of, xs, strict=False)), static
            )
            body: Term = y
            if result == R:
                body = Con("Tower", (y, Lam(fresh("_"), ONE, self.slope(op, static, of, xs))),
                           TOWER)
            kind = Fun(duals, dual_type(result, self.n))
            self.recs.append(Rec(self.names[key], kind, Lam(p, duals, body)))
        return Var(self.names[key])

    # Σ_i T{(∂_i op)(x1..xn)} *^ tail xi
    def slope(self, op: str, static: Static, of: Sequence[Type], xs: Sequence[Term]) -> Term:
        """Return the term under the tail of op^."""
        if is_discrete(op, R in of):
            return self.zero()
        names = [fresh("x") for _ in of]
        out: Term | None = None
        for i, a in enumerate(of):
            if a != R:
                continue
            try:
                p = partial(op, i, [Var(v) for v in names], static)
            except TypeError as e:
                raise Unsupported(f"towers: {e}") from None
            if isinstance(p, Lit) and p.value == 0.0:
                continue
            part: Term = tail(xs[i])
            if not (isinstance(p, Lit) and p.value == 1.0):
                given = self.term(p, types_of(p, dict(zip(names, of, strict=True))))
                factor = lets(list(zip(names, xs, strict=True)), given)
                part = app(self.function(product(op), (), (R, R), R), Pair(factor, part))
            out = part if out is None else self.plus(out, part)
        return out if out is not None else self.zero()

    def plus(self, a: Term, b: Term) -> Term:
        """a +^ b."""
        return app(self.function("add", (), (R, R), R), Pair(a, b))

    def around(self, t: Term) -> Term:
        """letrec the functions in t."""
        unit = Lam(fresh("_"), ONE, tower(Lit(0.0), self.zero()))
        return LetRec((Rec("zero", TAIL, unit), *self.recs), t)


def towers(source: Source) -> tuple[Lam, Term, tuple[DataDecl, ...]]:
    """T{\\x. t}, the same with the functions that it needs around it, type-checked, and the
    declarations."""
    program, types = prepared(source)
    make = Towers(Duals(TOWER, None, parametric(source.decls)))
    out = make.term(program, types)
    assert isinstance(out, Lam)
    whole = make.around(out)
    decls = (*source.decls, DECL, *dual_decls(source.decls, make.n))
    check(whole, (), decls)
    return out, whole, decls
