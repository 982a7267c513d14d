"""From Core, what the front end makes of a user's function, to the papers' language.

Functions become lambdas (recursive ones one letrec group), or are inlined where the method's source
language has no lambdas; blocks become lets; several results become a tuple; a counted loop becomes
a foldl over its indices, a while loop a letrec. ``differentiate`` runs a method on it, and brings
value and cotangents back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pullback.core import nested
from pullback.core.calls import call_order, recursive_functions
from pullback.core.nested import (
    App,
    Case,
    Con,
    Foldl,
    Lam,
    Let,
    LetRec,
    Lit,
    Match,
    MatchArm,
    Nil,
    Op,
    Rec,
    Source,
    Term,
    Var,
    fresh,
)
from pullback.core.nested_build import FALSE, TRUE, if_, op, proj, tuple_, tuple_type
from pullback.core.nested_traverse import deeply
from pullback.core.nested_values import items, map_reals, tuple_value
from pullback.core.terms import (
    AccAdd,
    AccCell,
    AccNew,
    AccRead,
    AccTake,
    Apply,
    Atom,
    Block,
    Build,
    Call,
    Closure,
    Function,
    If,
    Index,
    Inject,
    Jvp,
    Loop,
    MakeTuple,
    Prim,
    Program,
    Project,
    Sum_,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeSum,
    Update,
    Vjp,
    While,
)
from pullback.core.terms import Case as CoreCase
from pullback.core.terms import Let as CoreLet
from pullback.core.terms import Var as CoreVar
from pullback.core.types import Array, Named, Real, Sum, Tuple, Type, variants_of
from pullback.papers import bridge_arrays as arrays
from pullback.papers.bridge_values import (
    constructors,
    declarations,
    from_nested,
    inject,
    to_nested,
    type_of,
    variant_type,
)
from pullback.papers.methods import METHODS, Outcome, Unsupported, run


@dataclass(frozen=True, slots=True, eq=False)
class Derivative:
    """Values of Core's evaluator: the results, a cotangent per parameter (``None`` where it is
    discrete), and what the method itself gave."""

    results: tuple[object, ...]
    cotangents: tuple[object, ...]
    outcome: Outcome


def differentiate(
    method: str, program: Program, args: Sequence[object], seeds: Sequence[object]
) -> Derivative:
    """A method on a program: ``seeds`` has the cotangent of every result (anything for a discrete
    one). Unsupported says what the method's source language does not have."""
    source = to_source(program, functions=Lam in METHODS[method].source.terms)
    main, decls = program.functions[program.main], program.decls
    values = tuple(to_nested(p.type, a, decls) for p, a in zip(main.params, args))
    seed = tuple_value(*(
        seed_of(t, s, program) for t, s in zip(main.results, seeds, strict=True)))
    outcome = run(method, source, values, seed)
    results = items(outcome.value, len(main.results))
    return Derivative(
        tuple(from_nested(t, v, decls) for t, v in zip(main.results, results)),
        tuple(from_nested(p.type, c, decls, a)
              for p, c, a in zip(main.params, outcome.cotangents, args)),
        outcome,
    )


def seed_of(t: Type, seed: object, program: Program) -> object:
    """The cotangent of a result: () for what is discrete."""
    if seed is None:
        return ()
    return map_reals(lambda r: r, to_nested(t, seed, program.decls), discrete=True)


def to_source(program: Program, functions: bool = True) -> Source:
    """The program in the papers' language. Without ``functions`` all calls are inlined, and
    recursion is refused."""
    return deeply(lambda: _Bridge(program, functions).source())


class _Bridge:
    def __init__(self, program: Program, functions: bool) -> None:
        self.program = program
        self.functions = functions
        self.recursive = recursive_functions(program)
        self.names = {f: fresh(f) for f in program.functions}
        self.env: dict[CoreVar, Term] = {}

    def type(self, t: Type) -> nested.Type:
        return type_of(t, self.program)

    def types(self, ts: Sequence[Type]) -> nested.Type:
        return tuple_type(*map(self.type, ts))

    def source(self) -> Source:
        main = self.program.functions[self.program.main]
        context = tuple((self.bind(p), self.type(p.type)) for p in main.params)
        body = self.block(main.body)
        if self.functions:
            body = self.definitions(body)
        elif self.recursive:
            raise Unsupported("recursion is not in the source language of this method")
        return Source(context, body, self.types(main.results), declarations(self.program))

    def bind(self, v: CoreVar) -> str:
        x = fresh(v.name)
        self.env[v] = Var(x)
        return x

    # --- functions --------------------------------------------------------------------------------

    def definitions(self, body: Term) -> Term:
        """The functions of the program around ``body``: callees outside."""
        order = [f for f in call_order(self.program) if self.used(f)]
        group = [f for f in order if f in self.recursive]
        if not group:
            chain: list[str] = order
            after: list[str] = []
        else:
            last = max(order.index(f) for f in group)
            chain = [f for f in order[:last] if f not in self.recursive]
            after = order[last + 1 :]
        for f in reversed(after):
            body = Let(self.names[f], self.function(f), body)
        if group:
            body = LetRec(tuple(Rec(self.names[f], self.fun(f), self.function(f))
                                for f in group), body)
        for f in reversed(chain):
            body = Let(self.names[f], self.function(f), body)
        return body

    def used(self, f: str) -> bool:
        return f != self.program.main or f in self.recursive

    def fun(self, f: str) -> nested.Fun:
        fn = self.program.functions[f]
        return nested.Fun(self.types([p.type for p in fn.params]), self.types(fn.results))

    def function(self, f: str) -> Lam:
        fn = self.program.functions[f]
        x = fresh("args")
        return Lam(x, self.fun(f).arg, self.with_args(fn, Var(x)))

    def with_args(self, fn: Function, args: Term) -> Term:
        n = len(fn.params)
        bound = [(self.bind(p), proj(args, i, n)) for i, p in enumerate(fn.params)]
        body = self.block(fn.body)
        for x, t in reversed(bound):
            body = Let(x, t, body)
        return body

    def call(self, f: str, args: Sequence[Term]) -> Term:
        if self.functions:
            return App(Var(self.names[f]), tuple_(*args))
        if f in self.recursive:
            raise Unsupported("recursion is not in the source language of this method")
        fn = self.program.functions[f]
        bound = [(self.bind(p), a) for p, a in zip(fn.params, args, strict=True)]
        body = self.block(fn.body)
        for x, t in reversed(bound):
            body = Let(x, t, body)
        return body

    def closure(self, f: str, captures: Sequence[Term]) -> Term:
        fn, x = self.program.functions[f], fresh("args")
        rest = fn.params[len(captures) :]
        given = [proj(Var(x), i, len(rest)) for i in range(len(rest))]
        return Lam(x, self.types([p.type for p in rest]), self.call(f, [*captures, *given]))

    # --- blocks -----------------------------------------------------------------------------------

    def atom(self, a: Atom) -> Term:
        if isinstance(a, CoreVar):
            return self.env[a]
        self.type(a.type)  # refuses what is not in the language
        if isinstance(a.value, bool):
            return TRUE if a.value else FALSE
        return Lit(float(a.value) if isinstance(a.type, Real) else int(a.value))

    def atoms(self, atoms: Sequence[Atom]) -> list[Term]:
        return [self.atom(a) for a in atoms]

    def block(self, b: Block, results: Callable[[list[Term]], Term] | None = None) -> Term:
        """The block as a term: the tuple of its results, or what ``results`` makes of them."""
        bound: list[tuple[str, Term]] = []
        for x in b.lets:
            try:
                t = self.op(x)
                for v in x.vars:
                    self.type(v.type)
            except Unsupported as e:
                raise Unsupported(e.reason, e.site or x.site) from None
            if len(x.vars) == 1:
                bound.append((self.bind(x.vars[0]), t))
                continue
            whole = fresh("r" if x.vars else "_")
            bound.append((whole, t))
            n = len(x.vars)
            bound += [(self.bind(v), proj(Var(whole), i, n)) for i, v in enumerate(x.vars)]
        out = self.atoms(b.results)
        body = results(out) if results else tuple_(*out)
        for name, t in reversed(bound):
            body = Let(name, t, body)
        return body

    def op(self, x: CoreLet) -> Term:
        match x.op:
            case Prim(name, args, static):
                first = args[0].type if args else None
                rank = first.rank if isinstance(first, Array) else 0
                terms = self.atoms(args)
                found = arrays.array_prim(name, terms, static, rank) if args else None
                if found is not None:
                    return found
                if any(isinstance(a.type, Array) for a in args):
                    raise Unsupported(
                        f"{name.split('.')[0]} of whole matrices is not in the papers' languages")
                return nested.Prim(name, tuple(terms), static)
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
            case Closure(_, f, captures):
                return self.closure(f, self.atoms(captures))
            case Apply(fn, args):
                return App(self.atom(fn), tuple_(*self.atoms(args)))
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
                array, ixs, value = self.atom(a), self.atoms(indices), self.atom(v)
                if not checked:
                    return arrays.update(array, ixs, value)
                return arrays.checked(array, ixs, lambda done: arrays.update(array, done, value))
            case Vjp() | Jvp():
                raise Unsupported("a derivative inside a function is not in the papers' languages")
            case (
                AccNew() | AccAdd() | AccRead() | AccTake() | AccCell()
                | TapeRoom() | TapePush() | TapeSum() | TapeRead()
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
                return self.arm(c, 0, on)
            x, y = fresh("s"), fresh("s")
            return Case(on, x, level(Var(x), k - 1), y, self.arm(c, k, Var(y)))

        return level(on, len(c.arms) - 1)

    def arm(self, c: CoreCase, k: int, on: Term) -> Term:
        arm = c.arms[k]
        n = len(arm.fields)
        bound = [(self.bind(v), proj(on, i, n)) for i, v in enumerate(arm.fields)]
        body = self.block(arm.body)
        for x, t in reversed(bound):
            body = Let(x, t, body)
        return body

    # --- loops ------------------------------------------------------------------------------------

    def nest(self, extents: list[Term], indices: Sequence[CoreVar], body: Block) -> Term:
        """build n (i. build m (j. .. tuple of results))."""
        if not extents:
            return self.block(body)
        i = self.bind(indices[0])
        return nested.Build(extents[0], i, self.nest(extents[1:], indices[1:], body))

    def build(self, extents: list[Term], indices: Sequence[CoreVar], body: Block) -> Term:
        whole, n = self.nest(extents, indices, body), len(body.results)
        if n < 2:
            return whole

        def column(a: Term, k: int) -> Term:
            return arrays.over(len(extents), a, lambda x: proj(x, k, n))

        return arrays.named(whole, lambda a: tuple_(*(column(a, k) for k in range(n))))

    def sum(self, s: Sum_) -> Term:
        extents, rank = self.atoms(s.extents), len(s.extents)
        whole, n = self.nest(extents, s.indices, s.body), len(s.body.results)

        def column(a: Term, k: int, depth: int) -> Term:
            if depth == 0:
                return proj(a, k, n)
            x = fresh("x")
            inner = nested.Map(x, column(Var(x), k, depth - 1), a)
            return arrays.total(inner, isinstance(s.body.results[k].type, Real))

        return arrays.named(whole, lambda a: tuple_(*(column(a, k, rank) for k in range(n))))

    def state(self, vars_: Sequence[CoreVar], carried: int, inits: list[Term]) -> list[Term]:
        """The first state of a loop: what it carries, and the emitted arrays, empty."""
        empty: list[Term] = []
        for v in vars_[carried:]:
            assert isinstance(v.type, Array)
            empty.append(Op("nil", (), (self.type(v.type.elem),)))
        return [*inits, *empty]

    def step(self, carried: Sequence[CoreVar], state: Term, n: int, body: Block) -> Term:
        """One iteration: the next state."""
        k = len(carried)
        bound = [(self.bind(v), proj(state, i, n)) for i, v in enumerate(carried)]
        emitted = [(fresh("out"), proj(state, i, n)) for i in range(k, n)]
        t = self.block(body, lambda out: tuple_(
            *out[:k],
            *(op("append", Var(x), arrays.one(v)) for (x, _), v in zip(emitted, out[k:]))))
        for x, part in reversed([*bound, *emitted]):
            t = Let(x, part, t)
        return t

    def loop(self, loop: Loop, vars_: Sequence[CoreVar]) -> Term:
        inits = self.state(vars_, len(loop.carried), self.atoms(loop.inits))
        acc, i = fresh("state"), self.bind(loop.index)
        body = self.step(loop.carried, Var(acc), len(vars_), loop.body)
        indices = arrays.build(self.atom(loop.count), lambda k: k)
        return Foldl(acc, i, body, tuple_(*inits) if inits else Nil(), indices)

    def while_(self, loop: While, vars_: Sequence[CoreVar]) -> Term:
        if not self.functions:
            raise Unsupported("a while loop is recursion: this method's language has none")
        n, k = len(vars_), len(loop.carried)
        inits = self.state(vars_, k, self.atoms(loop.inits))
        types = [self.type(v.type) for v in vars_]
        go, s = fresh("loop"), fresh("state")
        t = nested.Fun(tuple_type(*types), tuple_type(*types))
        bound = [(self.bind(v), proj(Var(s), i, n)) for i, v in enumerate(loop.carried)]
        cond = self.block(loop.cond)
        for x, part in reversed(bound):
            cond = Let(x, part, cond)
        again = App(Var(go), self.step(loop.carried, Var(s), n, loop.body))
        body = if_(cond, again, Var(s))
        return LetRec((Rec(go, t, Lam(s, t.arg, body)),), App(Var(go), tuple_(*inits)))
