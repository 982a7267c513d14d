"""C: monadic CHAD (Efficient CHAD, Fig. 6, with the exact code of its Agda specification, App. D).

    T1 ctx |- C{t} : T1 s * (T2 s -> EVM (T2 ctx) 1)      for ctx |- t : s

The same rules as C0's, with 0 as ``return ()``, + as one action after the other, and split as
``scope``: an action on one environment that is only ever added into. m >> k is bind m (\\_. k).

>>> from pullback.core.nested_build import E, reals
>>> from pullback.core.nested_pretty import show
>>> def printed(t, *names):
...     print(show(chad_of(Source(reals(*names), t, R)), library=CHAD))
>>> printed(Var("x"), "x")
(x, \\d:L(R). one_x d)
>>> printed((E(Var("x")) * E(Var("y"))).t, "x", "y")
let z = (x, \\d:L(R). one_x d) in
let x1 = fst z in
let x' = snd z in
let z1 = (y, \\d:L(R). one_y d) in
let x2 = fst z1 in
let x'1 = snd z1 in (x1 * x2, \\d:L(R). let q = x'1 (d * x1) in (x' (d * x2)) >>= (\\_:1. q))
>>> printed(Let("z", Prim("sin", (Var("x"),)), Var("z")), "x")
let a = let a = (x, \\d:L(R). one_x d) in
  (sin (fst a), \\d:L(R). snd a (let p = fst a in let e = d in (cos p * e))) in
let z = fst a in
let b = (z, \\d:L(R). one_z d) in
(fst b, \\d:L(R). (scope_z 0 (snd b d)) >>= (\\r:L(R) * 1. snd a (fst r)))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from pullback.core.nested import (
    EVM,
    ONE,
    App,
    Build,
    Case,
    Con,
    Context,
    Data,
    DataDecl,
    Fold,
    Foldl,
    Fst,
    Fun,
    Inl,
    Inr,
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
    Prim,
    Prod,
    R,
    Scan,
    Snd,
    Source,
    Term,
    Type,
    Unpack,
    Var,
    ZipWith,
)
from pullback.core.nested_build import E, Like, lam, let, let_pair, op, proj, term
from pullback.core.nested_check import FIRST_ORDER_ARRAYS, Types, check, check_source
from pullback.core.nested_eval import apply, evaluate
from pullback.core.nested_linear import env_type, one, return_, run, scope, zero
from pullback.core.nested_machine import Machine
from pullback.core.nested_ops import Library
from pullback.core.nested_prims import arity, split_type
from pullback.core.nested_traverse import deeply, rename_apart
from pullback.core.nested_values import pair
from pullback.papers.chad_arrays import array_rule
from pullback.papers.chad_bags import BAGS, TREE
from pullback.papers.chad_closed import CLOSED, closed_rule
from pullback.papers.chad_data import DECLARED, data_rule
from pullback.papers.chad_operations import OPERATIONS, primitive_rule
from pullback.papers.chad_types import (
    dops,
    environment,
    is_constant,
    product,
    t1,
    t1_context,
    t2,
    t2_context,
    to_cotangent,
)
from pullback.papers.methods import Method, Outcome, Unsupported, register

CHAD: Library = BAGS.extended(*CLOSED, *DECLARED)
"""The target language of C."""


def bp(t: Type, body: Callable[[E], Like]) -> Lam:
    """\\d. body, for a cotangent d of a value of type t."""
    return lam("d", t2(t), body, role="bp")


def then(m: Like, k: Like, gamma: Context) -> Term:
    """m >> k, with k evaluated first: let q = k in bind m (\\_. q)."""
    return let("q", k, lambda q: op("bind", m, lam("_", ONE, lambda _: q)))


def chad(t: Term, gamma: Context, types: Types) -> Term:
    """C{t}; ``gamma`` has the cotangent types of the context."""
    match t:
        # C{f} = (f, \d. return ()), closed functions have no cotangent
        case Var() if isinstance(types[t], Fun):
            return Pair(t, bp(types[t], lambda d: return_(Nil(), gamma)))
        # C{x} = (x, \d. one_x d)
        case Var(x):
            return Pair(t, lam("d", t2(types[t]), lambda d: one(x, d.t, gamma), role="var"))
        # C{let x=t in s} = let a=C{t} in let x=fst a in let b=C{s} in
        #                   (fst b, \d. scope (snd b d) >>= \r. snd a (fst r))
        case Let(x, bound, body):
            cell = t2(types[bound])
            inner = (*gamma, (x, cell))
            return let("a", chad(bound, gamma, types), lambda a: Let(x, Fst(a.t), let(
                "b", chad(body, inner, types), lambda b: Pair(Fst(b.t), bp(
                    types[body], lambda d: scoped(x, cell, App(Snd(b.t), d.t), lambda dx: App(
                        Snd(a.t), dx)))))))
        # C{()} = ((), \d. return ())    C{r} = (r, \d. return ())
        case Nil() | Lit():
            return Pair(t, bp(types[t], lambda d: return_(Nil(), gamma)))
        # C{(t,s)} = let a=(C{t},C{s}) in ((fst (fst a), fst (snd a)),
        #                                  \d. snd (fst a) (lfst d) >> snd (snd a) (lsnd d))
        case Pair(left, right):
            return let("a", Pair(chad(left, gamma, types), chad(right, gamma, types)), lambda a:
                       Pair(Pair(Fst(Fst(a.t)), Fst(Snd(a.t))), bp(types[t], lambda d: then(
                           App(Snd(Fst(a.t)), op("lfst", d)), App(Snd(Snd(a.t)), op("lsnd", d)),
                           gamma))))
        # C{fst t} = let a=C{t} in (fst (fst a), \d. snd a <d,0>)      C{snd t}: <0,d>
        case Fst(of):
            whole = product(types[of])
            return let("a", chad(of, gamma, types), lambda a: Pair(Fst(Fst(a.t)), bp(
                whole.left, lambda d: App(Snd(a.t), op("lpair", d, zero(t2(whole.right)))))))
        case Snd(of):
            whole = product(types[of])
            return let("a", chad(of, gamma, types), lambda a: Pair(Snd(Fst(a.t)), bp(
                whole.right, lambda d: App(Snd(a.t), op("lpair", zero(t2(whole.left)), d)))))
        # C{inl t} = let a=C{t} in (inl (fst a), \d. snd a (lcastl d))      C{inr t}: lcastr
        case Inl(of, other):
            return let("a", chad(of, gamma, types), lambda a: Pair(
                Inl(Fst(a.t), t1(other)), bp(types[t], lambda d: App(
                    Snd(a.t), op("lcastl", d)))))
        case Inr(of, other):
            return let("a", chad(of, gamma, types), lambda a: Pair(
                Inr(Fst(a.t), t1(other)), bp(types[t], lambda d: App(
                    Snd(a.t), op("lcastr", d)))))
        # C{case t of {inl x -> s; inr y -> r}} = let a=C{t} in case fst a of
        #   {inl x -> let b=C{s} in (fst b, \d. scope (snd b d) >>= \r. snd a (linl (fst r)));
        #    inr y -> .. linr (fst r)}
        case Case(of, x, left, y, right):
            cells = cast("tuple[Data, Data]", t2(types[of]).args)

            def branch(v: str, k: int, body: Term, a: E) -> Term:
                return let("b", chad(body, (*gamma, (v, cells[k])), types), lambda b: Pair(
                    Fst(b.t), bp(types[t], lambda d: scoped(
                        v, cells[k], App(Snd(b.t), d.t), lambda dx: App(Snd(a.t), op(
                            ("linl", "linr")[k], dx, static=(cells[1 - k],)))))))

            return let("a", chad(of, gamma, types), lambda a: Case(
                Fst(a.t), x, branch(x, 0, left, a), y, branch(y, 1, right, a)))
        case Prim():
            return _prim(t, gamma, types)
        case Op(name) if name in OPERATIONS:
            return primitive_rule(t, gamma, types, chad)
        case Build() | Map() | ZipWith() | Fold() | Scan() | Foldl() | Op():
            return array_rule(t, gamma, types, chad)
        case Lam() | App() | Pack() | Unpack():
            return closed_rule(t, gamma, types, chad)
        case LetRec() | Con() | Match():
            return data_rule(t, gamma, types, chad)
        case _:
            raise Unsupported(f"chad.monadic: no rule for {type(t).__name__}")


def scoped(x: str, cell: Type, m: Like, k: Callable[[Term], Term]) -> Term:
    """scope m >>= \\r. k (fst r): what m has added into the new cell x goes to k."""
    return op("bind", scope(x, cell, term(m)), lam(
        "r", Prod(cell, ONE), lambda r: k(Fst(r.t))))


def _prim(t: Prim, gamma: Context, types: Types) -> Term:
    n = arity(t.op)
    if len(t.args) == 1:
        # C{op t} = let a=C{t} in (op (fst a), \d. snd a (let p=fst a in let e=d in Dop^t p e))
        of = types[t.args[0]]
        parts = split_type(of, n)

        def body(a: E, d: E) -> Term:
            return App(Snd(a.t), let("p", Fst(a.t), lambda p: let("e", d, lambda e: _dprim(
                t, [proj(p, i, n) for i in range(n)], parts, e, types[t]))))

        return let("a", chad(t.args[0], gamma, types), lambda a: Pair(
            Prim(t.op, (Fst(a.t),), t.static), bp(types[t], lambda d: body(a, d))))

    # C{op(t1..tn)} = let (x1,x1')=C{t1} .. in (op(x1..xn), \d. let <d1..dn> = Dop^t (x1..xn) d in
    #                                                       x1' d1 >> .. >> xn' dn)
    args = [types[a] for a in t.args]

    def rest(k: int, xs: list[E], bps: list[E]) -> Term:
        if k < n:
            return let_pair(("x", "x'"), chad(t.args[k], gamma, types), lambda x, x_: rest(
                k + 1, [*xs, x], [*bps, x_]))
        return Pair(Prim(t.op, tuple(x.t for x in xs), t.static), bp(types[t], lambda d: actions(
            d, xs, bps)))

    def actions(d: E, xs: list[E], bps: list[E]) -> Term:
        if is_constant(t.op, args, types[t]):
            return return_(Nil(), gamma)
        *ms, out = [bps[i](each).t for i, each in enumerate(dops(
            t.op, [x.t for x in xs], args, d.t)) if args[i] == R] or [return_(Nil(), gamma)]
        for m in reversed(ms):
            out = then(m, out, gamma)
        return out

    return rest(0, [], [])


def _dprim(t: Prim, xs: list[Term], parts: list[Type], e: E, result: Type) -> Term:
    """Dop^t of a tuple. Where nothing goes through: lunits of integers, zeros of reals."""
    if is_constant(t.op, parts, result):
        ds: list[Term] = [zero(t2(p)) for p in parts]
    else:
        ds = dops(t.op, xs, parts, e.t)
    out = ds[0]
    for d in ds[1:]:
        out = op("lpair", out, d)
    return out


CHAD_SOURCE = FIRST_ORDER_ARRAYS.extended(
    "first-order source with arrays and declared types", (Con, Match))
"""What C takes by itself; functions and recursion after closure conversion."""

# --- the whole program ----------------------------------------------------------------------------


def chad_of(source: Source, types: Types | None = None) -> Term:
    """C{body}; the bound names must be distinct."""
    types = types or check_source(source, CHAD)
    return deeply(lambda: chad(source.body, t2_context(source.context), types))


def pullback(source: Source, body: Term) -> Term:
    """let a = C{t} in (fst a, \\d. run (snd a d) <0,..,0>)."""
    gamma = t2_context(source.context)
    return let("a", body, lambda a: Pair(Fst(a.t), lam("d", t2(source.result), lambda d: run(
        App(Snd(a.t), d.t), zeros(gamma), gamma))))


def zeros(gamma: Context) -> Term:
    """The zero environment: a tuple that begins with ()."""
    out: Term = Nil()
    for _, t in gamma:
        out = Pair(out, zero(t))
    return out


def run_monadic(
    source: Source,
    args: tuple[object, ...],
    seed: object,
    library: Library = CHAD,
    prepare: Callable[[Source], Source] = lambda s: s,
    after: Callable[[Term], Term] = lambda t: t,
    machine: Machine | None = None,
) -> Outcome:
    """Value and cotangents by C, between a translation of the source and one of C's term, and on
    a library."""
    source = Source(source.context, rename_apart(source.body), source.result, source.decls)
    source = prepare(source)
    types = check_source(source, library)
    t = deeply(lambda: after(chad_of(source, types)))
    m = machine or Machine()
    env = {x: v for (x, _), v in zip(source.context, args, strict=True)}
    both, forward = evaluate(pullback(source, t), env, library, m)
    value, back = pair(both)
    out, reverse = apply(back, to_cotangent(source.result, seed, types), machine=m)
    return Outcome(value, environment(pair(out)[1], source.context, env), forward, reverse, m, t)


def t1_decl(d: DataDecl) -> DataDecl:
    """A declaration with the primal types of its fields."""
    return DataDecl(d.name, d.params, tuple(
        (c, tuple(map(t1, fields))) for c, fields in d.constructors))


def check_chad(source: Source) -> None:
    """C{t} has the type that it should have (eq. 1); NestedTypeError if not."""
    gamma, t = t2_context(source.context), chad_of(source)
    decls = (TREE, *map(t1_decl, source.decls))
    found = check(t, t1_context(source.context), decls, CHAD)
    wanted = Prod(t1(source.result), Fun(t2(source.result), EVM(gamma, ONE)))
    assert found == wanted, found
    whole = check(pullback(source, t), t1_context(source.context), decls, CHAD)
    assert whole == Prod(t1(source.result), Fun(t2(source.result), Prod(ONE, env_type(gamma))))


register(Method(
    "chad.monadic", "chad_monadic", "C: actions on one environment of cotangents (Figs. 6, 8)",
    CHAD_SOURCE, run_monadic))
