"""What the stages of dual-numbers reverse AD share (Smeding & Vákár, 3.1, 3.3 and 9).

    N(R) is the stage's own;  N(s*t) = N(s)*N(t), N(s+t) = N(s)+N(t), N(Z) = Z, N(a) = a
    N(s -> t) = N(s) -> N(t)                          in the naive stage, and
              = N(s) -> S -> N(t) * S                 in the others, S the state of the monad
    data T a = C s | ..   gives   data D_T a = C N(s) | ..        and N(T t) = D_T N(t);
                                  T itself if reals come in only through its parameters
    cotangents   R' = R, Z' = 1, (s*t)' = s'*t', (s+t)' = s'+t', (T t)' = C_T t'

>>> from pullback.core.nested import Z
>>> from pullback.core.nested_pretty import show_type
>>> print(show_type(dual_type(Fun(R, Prod(R, Z)), Duals(Prod(R, Z), Z))))
R * Z -> Z -> R * Z * Z * Z
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never, cast

from pullback.core.nested import (
    EV,
    EVM,
    ONE,
    App,
    Arr,
    Con,
    Data,
    DataDecl,
    Exists,
    Foldl,
    Forall,
    Fst,
    Fun,
    Inl,
    Inr,
    Int,
    Lam,
    LetRec,
    Lit,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    R,
    Real,
    Rec,
    Snd,
    Source,
    Static,
    Term,
    TVar,
    TyApp,
    Type,
    Unit,
    Var,
    fresh,
)
from pullback.core.nested_arrays import OPS
from pullback.core.nested_build import app, as_lambda, lets, proj
from pullback.core.nested_check import (
    FIRST_ORDER_ARRAYS,
    SOURCE,
    Dialect,
    NestedTypeError,
    Types,
    check,
    types_of,
)
from pullback.core.nested_eval import apply, evaluate
from pullback.core.nested_machine import Machine
from pullback.core.nested_ops import Library, fits
from pullback.core.nested_prims import arity, is_discrete, partial, split_type
from pullback.core.nested_traverse import deeply, map_parts, rename_apart
from pullback.core.nested_values import items, pair, tuple_value
from pullback.papers.methods import Outcome, Runner, Unsupported

DUAL_SOURCE: Dialect = replace(
    SOURCE, name="dual numbers source", ops=FIRST_ORDER_ARRAYS.ops - {"scatter_add"} | {"error"})
"""Figure 4 with section 9 (recursion, sums, data types, polymorphism), and arrays."""


@dataclass(frozen=True, slots=True)
class Duals:
    """What a stage makes of types: of R, the state of its monad if it has one, and the declared
    types that stay as they are; and of Arr R, where that is not Arr N(R)."""

    real: Type
    state: Type | None = None
    kept: frozenset[str] = frozenset()
    vector: Type | None = None


def dual_type(t: Type, n: Duals) -> Type:
    """N(t)."""
    match t:
        case Real():
            return n.real
        case Int() | Unit() | TVar():
            return t
        case Prod(a, b):
            return Prod(dual_type(a, n), dual_type(b, n))
        case Plus(a, b):
            return Plus(dual_type(a, n), dual_type(b, n))
        case Fun(a, b, kind):
            result = dual_type(b, n)
            if n.state is not None:
                result = Fun(n.state, Prod(result, n.state))
            return Fun(dual_type(a, n), result, kind)
        case Arr(a):
            return n.vector if a == R and n.vector is not None else Arr(dual_type(a, n))
        case Data(name, args):
            changed = name if name in n.kept else f"D_{name}"
            return Data(changed, tuple(dual_type(a, n) for a in args))
        case Forall(names, body):
            return Forall(names, dual_type(body, n))
        case Exists() | EV() | EVM():
            raise Unsupported("dual numbers: types that only targets have")
        case _:
            assert_never(t)


def dual_decls(decls: Sequence[DataDecl], n: Duals) -> tuple[DataDecl, ...]:
    """The declarations of D_T for every T that is not kept."""
    return tuple(
        DataDecl(f"D_{d.name}", d.params, tuple(
            (c, tuple(dual_type(f, n) for f in fields)) for c, fields in d.constructors))
        for d in decls if d.name not in n.kept)  # fmt: skip


def parametric(decls: Sequence[DataDecl]) -> frozenset[str]:
    """The declared types with reals and functions at most in their arguments, for which N(T t) is
    T N(t) (the paper's implementation knows no others)."""
    kept = {d.name for d in decls}

    def plain(t: Type) -> bool:
        match t:
            case Int() | Unit() | TVar():
                return True
            case Prod(a, b) | Plus(a, b):
                return plain(a) and plain(b)
            case Arr(a):
                return plain(a)
            case Data(name, args):
                return name in kept and all(map(plain, args))
            case _:
                return False

    while True:
        lost = {d.name for d in decls if d.name in kept
                and not all(plain(f) for _, fields in d.constructors for f in fields)}
        if not lost:
            return frozenset(kept)
        kept -= lost


def cotangent(t: Type) -> Type:
    """The type of cotangents."""
    match t:
        case Real() | Unit() | TVar():
            return t
        case Int():
            return ONE
        case Prod(a, b):
            return Prod(cotangent(a), cotangent(b))
        case Plus(a, b):
            return Plus(cotangent(a), cotangent(b))
        case Arr(a):
            return Arr(cotangent(a))
        case Data(name, args):
            return Data(f"C_{name}", tuple(map(cotangent, args)))
        case _:
            raise Unsupported("dual numbers: the arguments and the result may not hold functions")


def cotangent_decls(decls: Sequence[DataDecl]) -> tuple[DataDecl, ...]:
    """The declarations of C_T, for every T that can have a cotangent."""
    out = []
    for d in decls:
        try:
            out.append(DataDecl(f"C_{d.name}", d.params, tuple(
                (c, tuple(map(cotangent, fields))) for c, fields in d.constructors)))
        except Unsupported:
            continue  # it holds functions: local use only
    return tuple(out)


class Block:
    """Lets being written in a row, and the state of the monad as it is after them (None: there is
    no monad). What is named here once is computed once."""

    def __init__(self, state: Term | None = None) -> None:
        self.lets: list[tuple[str, Term]] = []
        self.state = state

    def name(self, hint: str, t: Term) -> Var:
        """let hint = t in ..."""
        x = fresh(hint)
        self.lets.append((x, t))
        return Var(x)

    def atom(self, hint: str, t: Term) -> Term:
        """``t`` if it is a variable, else a name for it."""
        return t if isinstance(t, Var) else self.name(hint, t)

    def run(self, hint: str, t: Term) -> Term:
        """The value of t, a computation that has been given the state."""
        if self.state is None:
            return self.name(hint, t)
        z = self.name(hint, t)
        self.state = self.name("i", Snd(z))
        return Fst(z)

    def call(self, hint: str, f: Term, *args: Term) -> Term:
        """The value of ``f args``, where f takes the state last."""
        return self.run(hint, app(f, *args, *([] if self.state is None else [self.state])))

    def close(self, value: Term) -> Term:
        """let .. in (value, state)."""
        return lets(self.lets, value if self.state is None else Pair(value, self.state))


def operands(
    t: Prim, go: Callable[[Term], Term], types: Types, b: Block
) -> tuple[list[Term], list[tuple[int, Term]]]:
    """The primals of the arguments of op(t1..tn), and position and second half of those dual
    numbers that the result depends on. Discrete arguments are their own primals."""
    n = arity(t.op)
    if len(t.args) == 1 and n > 1:  # op on a tuple
        whole = b.atom("p", go(t.args[0]))
        duals = [proj(whole, k, n) for k in range(n)]
        kinds = split_type(types[t.args[0]], n)
    else:
        duals = [go(a) for a in t.args]
        kinds = [types[a] for a in t.args]
    primals: list[Term] = []
    active: list[tuple[int, Term]] = []
    for k, (dual, kind) in enumerate(zip(duals, kinds)):
        if kind != R:
            primals.append(dual if isinstance(dual, Lit) else b.atom("n", dual))
            continue
        dual = b.atom("t", dual)
        primals.append(Fst(dual))
        active.append((k, Snd(dual)))
    if types[t] != R or is_discrete(t.op, t.static):
        return primals, []
    return primals, [(k, d) for k, d in active if not _zero(t, k, primals)]


def _zero(t: Prim, k: int, primals: Sequence[Term]) -> bool:
    try:
        p = partial(t.op, k, primals, t.static)
    except TypeError as e:
        raise Unsupported(f"dual numbers: {e}") from None
    return isinstance(p, Lit) and p.value == 0.0


def retyped(t: Term, change: Callable[[Type], Type]) -> Term:
    """``t`` with its own annotations changed: what a homomorphic clause does beside its parts."""
    def data(d: Data) -> Data:
        return cast(Data, change(d))

    match t:
        case Lam(v, a, body, kind, role):
            return Lam(v, change(a), body, kind, role)
        case LetRec(recs, body):
            return LetRec(tuple(
                Rec(r.f, cast(Fun, change(r.type)), r.fn) for r in recs), body)
        case Inl(a, other):
            return Inl(a, change(other))
        case Inr(a, other):
            return Inr(a, change(other))
        case Con(name, args, d):
            return Con(name, args, data(d))
        case TyApp(a, types):
            return TyApp(a, tuple(map(change, types)))
        case Op(name, args, static):
            return Op(name, args, statics(static, change))
        case _:
            return t


def statics(static: Sequence[Static], change: Callable[[Type], Type]) -> tuple[Static, ...]:
    """The static part of an operation with its types changed."""
    return tuple(s if isinstance(s, str | int) else change(s) for s in static)


def prepared(source: Source, library: Library = OPS) -> tuple[Lam, Types]:
    """The program as one lambda with distinct names, and the types of its subterms."""

    def unsugared(t: Term) -> Term:  # sum a = foldl (acc x. acc + x) 0 a
        if isinstance(t, Op) and t.name == "sum":
            acc, x = fresh("s"), fresh("x")
            return Foldl(acc, x, Prim("add", (Var(acc), Var(x))), Lit(0.0), unsugared(t.args[0]))
        return map_parts(unsugared, t)

    cotangent(source.result)
    lam = rename_apart(deeply(lambda: unsugared(as_lambda(source))))
    assert isinstance(lam, Lam)
    cotangent(lam.type)
    return lam, types_of(lam, (), source.decls, library)


@dataclass(frozen=True, slots=True, eq=False)
class Wrapped:
    """A program and its pullback as one term, x -> (value, cotangent -> cotangents), with the
    declarations and the library that it needs, and the transformed body alone."""

    term: Term
    decls: tuple[DataDecl, ...]
    library: Library
    body: Term


def checked(w: Wrapped, source: Source, lam: Lam) -> Wrapped:
    """``w``, whose type must be as the paper says: s -> t * (t' -o s')."""
    found = check(w.term, (), w.decls, w.library)
    s, t = lam.type, source.result
    wanted = Fun(s, Prod(t, Fun(cotangent(t), cotangent(s), "-o")))
    if not fits(found, wanted):
        raise NestedTypeError(f"the wrapper has type {found}, not {wanted}")
    return w


Wrap = Callable[[Source], Wrapped]


def runner(wrap: Wrap) -> Runner:
    """How the driver runs a stage."""

    def run(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
        w, m = deeply(lambda: wrap(source)), Machine()
        both, forward = evaluate(
            App(w.term, Var("input")), {"input": tuple_value(*args)}, w.library, m)
        value, back = pair(both)
        ct, reverse = apply(back, seed, machine=m)
        return Outcome(
            value, tuple(items(ct, len(args))), forward, reverse, m, w.term)

    return run
