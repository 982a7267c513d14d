"""The types of nested terms.

``check`` infers the type of every subterm, from the types at the binders; it knows the variables,
the declarations of data types, a library of operations and a *dialect*: which constructors and
operations a language has. A source language is a dialect, and so is each paper's target.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pullback.core.frozen import dataclass
from pullback.core.unhandled import unhandled
from pullback.papers.language.arrays import ARRAYS, OPS
from pullback.papers.language.linearity import Linearity
from pullback.papers.language.ops import Library, fits
from pullback.papers.language.pretty import show, show_type
from pullback.papers.language.prims import prim_type
from pullback.papers.language.resources import NotLinear, require_linear
from pullback.papers.language.terms import (
    ONE,
    App,
    Arr,
    Build,
    Case,
    Con,
    Data,
    DataDecl,
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
    Nil,
    Op,
    Pack,
    Pair,
    Plus,
    Prim,
    Prod,
    R,
    Scan,
    Snd,
    Source,
    Term,
    TVar,
    TyApp,
    TyLam,
    Type,
    Unpack,
    Var,
    Z,
    ZipWith,
)
from pullback.papers.language.traverse import deeply, free_vars, subst_type, subterms


class NestedTypeError(TypeError):
    """An ill-typed term, or one outside its dialect."""


class Types(dict[Term, Type]):
    """The type of every subterm (terms are compared by identity), and the declared types."""

    def __init__(self, decls: Mapping[str, DataDecl]) -> None:
        super().__init__()
        self.decls = decls

    def fields(self, data: Data) -> dict[str, tuple[Type, ...]]:
        """Return the types of the fields of every constructor."""
        if data.name not in self.decls:
            raise NestedTypeError(f"no data type {data.name} is declared")
        decl = self.decls[data.name]
        by = dict(zip(decl.params, data.args, strict=True))
        return {c: tuple(subst_type(f, by) for f in fs) for c, fs in decl.constructors}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The constructors and operations that a language has. ``kinds``: of functions."""

    name: str
    terms: frozenset[type]
    ops: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset({"->"})

    def extended(
        self,
        name: str,
        terms: Iterable[type] = (),
        ops: Iterable[str] = (),
        kinds: Iterable[str] = (),
    ) -> Dialect:
        """Return a dialect with more constructs, under another name."""
        return replace(
            self, name=name, terms=self.terms | set(terms), ops=self.ops | set(ops),
            kinds=self.kinds | set(kinds),
        )  # fmt: skip


FIRST_ORDER = Dialect("first-order source", frozenset(
    {Var, Lit, Nil, Let, Pair, Fst, Snd, Inl, Inr, Case, Prim}))
FIRST_ORDER_ARRAYS = FIRST_ORDER.extended(
    "first-order source with arrays", (Build, Map, ZipWith, Fold, Scan, Foldl, Op), ARRAYS)
HIGHER_ORDER = FIRST_ORDER.extended("higher-order source", (Lam, App))
SOURCE = FIRST_ORDER_ARRAYS.extended(
    "source", (Lam, App, LetRec, Con, Match, TyLam, TyApp), ("error",))
EVERYTHING = SOURCE.extended(
    "target", (Pack, Unpack), OPS, ("-o", "->□", "~>"))


def outside(t: Term, dialect: Dialect) -> Term | None:
    """Return the first construct that the dialect has not; None if it has all."""
    for s in subterms(t):
        if (type(s) not in dialect.terms
                or (isinstance(s, Op) and s.name not in dialect.ops)
                or (isinstance(s, Lam) and s.kind not in dialect.kinds)):
            return s
    return None


def require_dialect(t: Term, dialect: Dialect) -> None:
    """Raise a NestedTypeError that names the first construct which the dialect has not."""
    s = outside(t, dialect)
    if s is not None:
        what = f"functions {s.kind}" if isinstance(s, Lam) and Lam in dialect.terms else _words(s)
        raise NestedTypeError(f"the {dialect.name} language has no {what}")


def _words(t: Term) -> str:
    match t:
        case Op(name):
            return f"operation {name}"
        case Con() | Match():
            return "declared types"
        case LetRec():
            return "recursion"
        case Lam():
            return "lambdas"
        case _:
            return type(t).__name__.lower()


def check(
    t: Term,
    context: Mapping[str, Type] | Sequence[tuple[str, Type]] = (),
    decls: Sequence[DataDecl] = (),
    library: Library = OPS,
    dialect: Dialect | None = None,
) -> Type:
    """Return the type of ``t``; NestedTypeError if it has none.

    >>> from pullback.papers.language.build import lam
    >>> from pullback.papers.language.pretty import show_type
    >>> print(show_type(check(lam("x", Prod(R, Z), lambda p: Fst(p.t)))))
    R * Z -> R
    """
    return types_of(t, context, decls, library, dialect)[t]


def check_source(s: Source, library: Library = OPS, dialect: Dialect | None = None) -> Types:
    """Return the types in a source program, whose result must be as it says."""
    types = types_of(s.body, s.context, s.decls, library, dialect)
    if not fits(types[s.body], s.result):
        raise NestedTypeError(f"the body has type {types[s.body]}, not {s.result}")
    return types


def types_of(
    t: Term,
    context: Mapping[str, Type] | Sequence[tuple[str, Type]] = (),
    decls: Sequence[DataDecl] = (),
    library: Library = OPS,
    dialect: Dialect | None = None,
) -> Types:
    """Return the type of every subterm of ``t``."""
    if dialect is not None:
        require_dialect(t, dialect)
    checker = _Checker(dict(context), {d.name: d for d in decls}, library)
    deeply(lambda: checker.infer(t))
    try:
        require_linear(t, checker.types)
    except NotLinear as e:
        raise NestedTypeError(str(e)) from None
    return checker.types


class _Checker:
    def __init__(
        self, context: dict[str, Type], decls: dict[str, DataDecl], library: Library
    ) -> None:
        self.context = context
        self.library = library
        self.types = Types(decls)

    def infer(self, t: Term) -> Type:
        if isinstance(t, Let):
            return self.lets(t)
        found = self.types[t] = self.term(t)
        return found

    def lets(self, t: Let) -> Type:
        spine: list[Let] = []
        old: dict[str, Type | None] = {}
        body: Term = t
        while isinstance(body, Let):
            spine.append(body)
            bound = self.infer(body.bound)
            old.setdefault(body.x, self.context.get(body.x))
            self.context[body.x] = bound
            body = body.body
        result = self.infer(body)
        self.restore(old)
        for let in spine:
            self.types[let] = result
        return result

    def restore(self, old: Mapping[str, Type | None]) -> None:
        for x, t in old.items():
            if t is None:
                del self.context[x]
            else:
                self.context[x] = t

    def under(self, bound: Mapping[str, Type], t: Term) -> Type:
        old = {x: self.context.get(x) for x in bound}
        self.context.update(bound)
        result = self.infer(t)
        self.restore(old)
        return result

    def want(self, t: Term, wanted: Type) -> None:
        found = self.infer(t)
        if not fits(found, wanted):
            raise NestedTypeError(f"{_text(t)} has type {_type(found)}, not {_type(wanted)}")

    def same(self, a: Type, b: Type, what: str) -> Type:
        if fits(a, b):
            return b
        if fits(b, a):
            return a
        raise NestedTypeError(f"the branches of {what} have types {_type(a)} and {_type(b)}")

    def array(self, t: Term) -> Type:
        match self.infer(t):
            case Arr(elem):
                return elem
            case other:
                raise NestedTypeError(f"{_text(t)} has type {_type(other)}, not an array's")

    def prod(self, t: Term) -> Prod:
        match self.infer(t):
            case Prod() as found:
                return found
            case other:
                raise NestedTypeError(f"{_text(t)} has type {_type(other)}, not a product")

    def term(self, t: Term) -> Type:
        match t:
            case Var(x):
                if x not in self.context:
                    raise NestedTypeError(f"the variable {x} is not bound")
                return self.context[x]
            case Lit(value):
                return R if isinstance(value, float) else Z
            case Nil():
                return ONE
            case Let():
                return self.lets(t)
            case LetRec(recs, body):
                fs: dict[str, Type] = {r.f: r.type for r in recs}
                for r in recs:
                    found = self.under(fs, r.fn)
                    if not fits(found, r.type):
                        raise NestedTypeError(f"{r.f} has type {_type(found)}, not {_type(r.type)}")
                return self.under(fs, body)
            case Lam(_, a, _, kind, _):
                return Fun(a, self.function(t), kind)
            case App(fn, arg):
                f = self.infer(fn)
                if not isinstance(f, Fun):
                    raise NestedTypeError(f"{_text(fn)} has type {_type(f)}, not a function's")
                self.want(arg, f.arg)
                return f.result
            case Pair(a, b):
                return Prod(self.infer(a), self.infer(b))
            case Fst(a):
                return self.prod(a).left
            case Snd(a):
                return self.prod(a).right
            case Inl(a, other):
                return Plus(self.infer(a), other)
            case Inr(a, other):
                return Plus(other, self.infer(a))
            case Case(a, x, left, y, right):
                match self.infer(a):
                    case Plus(p, q):
                        return self.same(
                            self.under({x: p}, left), self.under({y: q}, right), "a case")
                    case other:
                        raise NestedTypeError(f"{_text(a)} has type {_type(other)}, not a sum")
            case Con(name, args, data):
                fields = self.types.fields(data)
                if name not in fields or len(fields[name]) != len(args):
                    raise NestedTypeError(f"{_type(data)} has no constructor {name}/{len(args)}")
                for arg, field in zip(args, fields[name], strict=True):
                    self.want(arg, field)
                return data
            case Match():
                return self.match(t)
            case Prim(name, args, primitive_static):
                types = [self.infer(arg) for arg in args]
                try:
                    return prim_type(name, types, primitive_static)
                except TypeError as e:
                    raise NestedTypeError(f"primitive {name}: {e}") from None
            case Op():
                return self.op(t)
            case Build(n, i, body):
                self.want(n, Z)
                return Arr(self.under({i: Z}, body))
            case Map(x, body, a):
                return Arr(self.under({x: self.array(a)}, body))
            case ZipWith(x, y, body, a, b):
                return Arr(self.under({x: self.array(a), y: self.array(b)}, body))
            case Fold(p, body, a):
                elem = self.array(a)
                return self.same(self.under({p: Prod(elem, elem)}, body), elem, "a fold")
            case Scan(p, body, a):
                elem = self.array(a)
                return Arr(self.same(self.under({p: Prod(elem, elem)}, body), elem, "a scan"))
            case Foldl(acc, x, body, z, a):
                state, elem = self.infer(z), self.array(a)
                return self.same(self.under({acc: state, x: elem}, body), state, "a foldl")
            case TyLam(names, a):
                return Forall(names, self.infer(a))
            case TyApp(a, args):
                match self.infer(a):
                    case Forall(names, inside) if len(names) == len(args):
                        return subst_type(inside, dict(zip(names, args, strict=True)))
                    case other:
                        raise NestedTypeError(f"{_text(a)} has type {_type(other)}, not Forall")
            case Pack(witness, a, exists):
                self.want(a, subst_type(exists.body, {exists.name: witness}))
                return exists
            case Unpack(a, alpha, x, body):
                match self.infer(a):
                    case Exists(name, inside):
                        inside = subst_type(inside, {name: _tvar(alpha)})
                        return self.under({x: inside}, body)
                    case other:
                        raise NestedTypeError(f"{_text(a)} has type {_type(other)}, not Exists")
            case _:
                unhandled(t)

    def function(self, t: Lam) -> Type:
        """Return the result type of a lambda, whose kind must be true of it."""
        if t.kind == "->□":  # App. B: x : s |- t : r; other closed functions may be named
            outer = self.context
            self.context = {y: s for y, s in outer.items()
                            if isinstance(s, Fun) and s.kind == "->□"}
            for y in free_vars(t):
                if y in outer and y not in self.context:
                    raise NestedTypeError(f"a closed function captures {y}: {_text(t)}")
            found = self.under({t.x: t.type}, t.body)
            self.context = outer
            return found
        found = self.under({t.x: t.type}, t.body)
        linearity = Linearity(self.types, self.library)
        if t.kind == "-o" and not linearity.linear(t.body, frozenset({t.x})):
            raise NestedTypeError(f"{_text(t)} is not linear")
        return found

    def match(self, t: Match) -> Type:
        data = self.infer(t.t)
        if not isinstance(data, Data):
            raise NestedTypeError(f"{_text(t.t)} has type {_type(data)}, not a declared one")
        fields = self.types.fields(data)
        if [arm.con for arm in t.arms] != list(fields):
            raise NestedTypeError(f"a match on {_type(data)} needs the arms {list(fields)}")
        result: Type | None = None
        for arm in t.arms:
            bound = dict(zip(arm.names, fields[arm.con], strict=True))
            found = self.under(bound, arm.body)
            result = found if result is None else self.same(found, result, "a match")
        assert result is not None
        return result

    def op(self, t: Op) -> Type:
        if t.name not in self.library:
            raise NestedTypeError(f"no operation {t.name} in the library")
        types = [self.infer(arg) for arg in t.args]
        try:
            return self.library[t.name].rule(types, t.static)
        except TypeError as e:
            raise NestedTypeError(f"operation {t.name}: {e}") from None


def _tvar(name: str) -> Type:
    return TVar(name)


def _text(t: Term) -> str:
    text = show(t)
    return text if len(text) < 80 else text[:77] + "..."


def _type(t: Type) -> str:
    return show_type(t)


__all__ = [
    "EVERYTHING", "FIRST_ORDER", "FIRST_ORDER_ARRAYS", "HIGHER_ORDER", "SOURCE", "Dialect",
    "Int", "NestedTypeError", "Types", "check", "check_source", "require_dialect", "types_of",
]  # fmt: skip
