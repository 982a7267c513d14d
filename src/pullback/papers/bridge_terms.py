"""From Core, what the front end makes of a user's function, to the papers' language.

Blocks become lets, several results a tuple, functions lambdas (``bridge_functions``), loops folds
and recursion (``bridge_loops``), primitives on arrays ``build`` and its like (``bridge_arrays``).

>>> from pullback.core.build import Builder
>>> from pullback.papers.language.pretty import show
>>> from pullback.core.terms import Function
>>> from pullback.core.terms import Var as Name
>>> from pullback.core.types import F64
>>> b, x = Builder(), Name("x", F64)
>>> f = Function("f", (x,), b.block((b.prim("mul", x, b.prim("sin", x)), x)), (F64, F64))
>>> print(show(to_source(Program({"f": f}, {}, "f")).body))
let t = sin x in let t1 = x * t in (t1, x)
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.messages import Message, RaisedName
from pullback.core.prims import REQUIRE
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Build,
    Call,
    If,
    Index,
    Inject,
    Jvp,
    Loop,
    MakeTuple,
    Prim,
    Program,
    Project,
    Ruled,
    Sum_,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Update,
    Vjp,
    While,
)
from pullback.core.terms import Case as CoreCase
from pullback.core.terms import Let as CoreLet
from pullback.core.types import Array, Named, Sum, Tuple, Type, variants_of
from pullback.papers import bridge_arrays as arrays
from pullback.papers.bridge_derivatives import expanded, reached
from pullback.papers.bridge_functions import Functions
from pullback.papers.bridge_loops import Loops
from pullback.papers.bridge_values import (
    constructors,
    declarations,
    inject,
    variant_type,
)
from pullback.papers.language import terms as nested
from pullback.papers.language.build import if_, proj, tuple_
from pullback.papers.language.terms import (
    Case,
    Con,
    DataDecl,
    Match,
    MatchArm,
    Source,
    Term,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.methods import NeedsRecursion, Unsupported


def to_source(program: Program, functions: bool = True) -> Source:
    """Return the program in the papers' language. Without ``functions`` all calls are inlined, and
    recursion is refused."""
    return deeply(lambda: Bridge(program, functions).source())


class Bridge(Functions, Loops):
    """A whole program; ``more``: the declarations that derivatives inside it need."""

    more: tuple[DataDecl, ...] = ()

    def source(self) -> Source:
        main = self.program.functions[self.program.main]
        context = tuple((self.bind(p), self.type(p.type)) for p in main.params)
        body = self.block(main.body)
        if self.functions:
            body = self.definitions(body)
        elif self.recursive:
            raise NeedsRecursion("its source language has no recursion")
        decls = {d.name: d for d in (*declarations(self.program), *self.more)}
        return Source(context, body, self.types(main.results), tuple(decls.values()))

    def derivative(
        self, kind: str, f: str, args: Sequence[Atom], wrt: Sequence[int], given: Sequence[Atom]
    ) -> Term:  # fmt: skip
        """Return a derivative inside the program, expanded (``nested_derivatives``)."""
        inner = to_source(reached(self.program, f), self.functions)
        out, decls = expanded(kind, inner, len(self.program.functions[f].results),
                              self.atoms(args), wrt, self.atoms(given))
        self.more += decls
        return out

    def op(self, x: CoreLet) -> Term:
        match x.op:
            case Prim("show"):
                raise Unsupported("texts that Python makes are not in the papers' languages")
            case Prim(name, args, static):
                if name in REQUIRE:  # without what its message shows
                    return nested.Prim(name, (self.atom(args[0]),), tuple(map(_text, static)))
                first = args[0].type if args else None
                rank = first.rank if isinstance(first, Array) else 0
                terms = self.atoms(args)
                found = arrays.array_prim(name, terms, static, rank) if args else None
                if found is not None:
                    return found
                if any(isinstance(a.type, Array) for a in args):
                    raise Unsupported(
                        f"{name.split('.')[0]} of whole matrices is not in the papers' languages")
                given = tuple(s for s in static if not isinstance(s, Message | type))
                return nested.Prim(name, tuple(terms), given)
            case MakeTuple(_, parts):
                return tuple_(*self.atoms(parts))
            case Project(a, i):
                assert isinstance(a.type, Tuple)
                return proj(self.atom(a), i, len(a.type.items))
            case Inject(t, tag, fields):
                return self.injection(t, tag, self.atoms(fields))
            case CoreCase():
                return self.case(x.op)
            case If(c, then, orelse):
                return if_(self.atom(c), self.block(then), self.block(orelse))
            case Call(f, args):
                return self.call(f, self.atoms(args))
            case Build(extents, indices, body):
                return self.build(self.atoms(extents), indices, body)
            case Sum_():
                return self.sum(x.op)
            case Loop():
                return self.loop(x.op, x.vars)
            case While():
                return self.while_(x.op, x.vars)
            case Index(a, indices, checked):
                array, ixs = self.atom(a), self.atoms(indices)
                if not checked:
                    return arrays.at(array, ixs)
                return arrays.checked(array, ixs, lambda done: arrays.at(array, done))
            case Update(a, indices, v, checked):
                if isinstance(a.type, Array) and len(indices) > a.type.rank:
                    raise Unsupported("updates inside lists are not in the papers' languages")
                array, ixs, value = self.atom(a), self.atoms(indices), self.atom(v)
                if not checked:
                    return arrays.update(array, ixs, value)
                return arrays.checked(array, ixs, lambda done: arrays.update(array, done, value))
            case Ruled():
                raise Unsupported("a rule of one's own is not in the papers' languages")
            case Vjp(f, args, wrt, seeds):
                return self.derivative("vjp", f, args, wrt, seeds)
            case Jvp(f, args, wrt, tangents):
                if len(tangents) != len(wrt):
                    raise Unsupported("Taylor coefficients are not in the papers' languages")
                return self.derivative("jvp", f, args, wrt, tangents)
            case (
                AccNew() | AccAdd() | AccRead() | AccTake()
                | TapeRoom() | TapePush() | TapeWrite() | TapeRead()
            ):
                raise Unsupported("accumulators are not in the papers' languages")

    # --- sums -------------------------------------------------------------------------------------

    def injection(self, t: Type, tag: int, fields: list[Term]) -> Term:
        if isinstance(t, Named):
            name = constructors(self.program.decls[t.name])[tag]
            return Con(name, tuple(fields), nested.Data(t.name))
        variants = variants_of(t, self.program.decls)
        types = [variant_type(v, self.program) for v in variants]
        return inject(tuple_(*fields), tag, types)

    def case(self, c: CoreCase) -> Term:
        on, t = self.atom(c.scrutinee), c.scrutinee.type
        if isinstance(t, Named):
            names = constructors(self.program.decls[t.name])
            arms = []
            for name, arm in zip(names, c.arms, strict=True):
                bound = tuple(self.bind(v) for v in arm.fields)
                arms.append(MatchArm(name, bound, self.block(arm.body)))
            return Match(on, tuple(arms))
        assert isinstance(t, Sum)

        def level(on: Term, k: int) -> Term:
            # ((t1 + t2) + ..) + tk: the last alternative is the outermost inr.
            if k == 0:
                return self.opened(c.arms[0].fields, on, c.arms[0].body)
            x, y = fresh("s"), fresh("s")
            last = self.opened(c.arms[k].fields, Var(y), c.arms[k].body)
            return Case(on, x, level(Var(x), k - 1), y, last)

        return level(on, len(c.arms) - 1)


def _text(static: object) -> str:
    return RaisedName(static) if isinstance(static, type) else str(static)
