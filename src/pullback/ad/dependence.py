"""Which inputs a result depends on: forward mode with sets of inputs for tangents.

Beside every real stands the set of the inputs, or groups of inputs, that its derivative depends on;
where forward mode adds products of partials and tangents, here sets are united, and a partial that
is 0 by the table of primitives contributes nothing:

    D[z = mul x y]         =  z = mul x y;       dz = either dx dy
    D[z = select c x y]    =  z = select c x y;  dz = select c dx dy
    D[z = floor x]         =  z = floor x;       dz = {}
    D[c = solve a b]       =  c = solve a b;     dc = every element: all of da and all of db

Control flow, indices and updates are those of the program, so the sets are those of the path that
is taken; but if reals decide nothing except choices of numbers, both sides of a choice count, and
the pattern is the same for all reals (``fixed_patterns``). Operations on whole matrices are taken
as dense in all their arguments.

A set is a word: a float64 that is 0, or that lies in [1, 2) and has a bit of the mantissa for each
member. So words are carried by whatever carries tangents, and, since inner derivatives are code
with accumulators here, by the cells of accumulators too (a word is taken, united, and added to the
0 that it leaves).

The idea of bit vectors along the program: Griewank and Walther, Evaluating Derivatives, section
7.1; Geitner, Utke and Griewank (1995).
"""

from __future__ import annotations

from pullback.ad.activity import Facts
from pullback.ad.cells import extents_of, indices, zeros, zeros_like
from pullback.ad.contributions import Contributions
from pullback.ad.differentiate import differentiate
from pullback.ad.fixed_patterns import decided_by_reals, passes
from pullback.ad.forward import Forward, translated
from pullback.ad.function_halves import Functions
from pullback.ad.rules import by_rules, has_rules
from pullback.ad.spaces import Spaces
from pullback.ad.sum_loops import loops_of_sum
from pullback.ad.sweep import DerivativeError
from pullback.core.build import Builder, lit
from pullback.core.prims import TABLE
from pullback.core.prims_fourier import FOURIER
from pullback.core.prims_linear import LINEAR
from pullback.core.prims_order import ORDER
from pullback.core.prims_sparse import SPARSE
from pullback.core.rows import Row
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Call,
    Function,
    If,
    Jvp,
    Let,
    Loop,
    Prim,
    Program,
    Ruled,
    Static,
    Sum_,
    Var,
    Vjp,
)
from pullback.core.traverse import all_lets, map_blocks, map_functions
from pullback.core.types import BOOL, F64, Array, Handle, Real, Type

NOBODY = lit(0.0, F64)
"""The empty set."""

Choices = frozenset[Atom] | None
"""The truth values that reals decide, if the pattern does not depend on them otherwise."""


class WordSpaces(Spaces):
    """D(Real) = Real, float64: the dual space with words for tangents. Accumulators of inner
    derivatives are pairs as well."""

    leaves = (Real, Handle)

    def dual(self, t: Type, active: bool = True) -> tuple[Type, ...]:
        return (t, t) if isinstance(t, Handle) else super().dual(t, active)

    def beside(self, t: Real) -> Type:
        return F64


def dependence(program: Program, wrt: tuple[int, ...]) -> Program:
    """Return a program like that of ``differentiate.tangent``, with words for tangents; they have
    the types of tangents, so those of a float32 have the upper 23 bits only."""
    code, mask = _code(program, wrt)
    spaces, choices = WordSpaces.of(code.decls), decided_by_reals(code)
    functions = Functions(dict(code.functions), dict(code.decls), spaces)
    main = functions.functions[code.main]
    target = functions.functions[words_of(functions, spaces, main.name, mask, choices)]
    b = Builder()
    given: list[Var] = []
    tangents: list[Var] = []
    args: list[Atom] = []
    for p, on in zip(main.params, mask, strict=True):
        given.append(Var(p.name, spaces.dual(p.type, on)[0]))
        args.append(given[-1])
        if len(spaces.dual(p.type, on)) > 1:
            tangents.append(Var(p.name, p.type))
            args.append(_as_type(b, tangents[-1], F64))
    outs = iter(b.let(Call(target.name, tuple(args)), target.results))
    results: list[Atom] = []
    words: list[Atom] = []
    for t, on in zip(main.results, functions.result_on(main.name, mask), strict=True):
        primal, *beside = (next(outs) for _ in spaces.dual(t, on))
        results.append(primal)
        if beside:
            words.append(_as_type(b, beside[0], _real_of(t)))
        elif spaces.bears(t) and not spaces.composite(t):
            words.append(lit(0.0, t) if isinstance(t, Real) else zeros_like(b, primal))
    name = functions.fresh_name(f"{main.name}.words")
    types = tuple(a.type for a in (*results, *words))
    body = b.block((*results, *words))
    functions.functions[name] = Function(name, (*given, *tangents), body, types)
    return functions.program(name)


def fixed_dependence(program: Program, wrt: tuple[int, ...]) -> bool:
    """Whether the words of the results are the same for all values of the reals."""
    return decided_by_reals(_code(program, wrt)[0]) is not None


def _code(program: Program, wrt: tuple[int, ...]) -> tuple[Program, tuple[bool, ...]]:
    """Return the program without derivative terms and rules, and its active parameters."""
    before, params = Functions.of(program), program.functions[program.main].params
    mask = tuple(i in wrt or before.spaces.composite(p.type) for i, p in enumerate(params))
    lets = (let for f in program.functions.values() for let in all_lets(f.body))
    inner = any(isinstance(let.op, (Vjp, Jvp)) for let in lets)
    if any(has_rules(program.functions[g]) for g in _run_by_calls(program)):
        try:
            program = by_rules(before, program.main, mask)
        except DerivativeError as e:
            reason = "sparse derivatives of a function with a rule, and of a gradient with one"
            raise DerivativeError(reason, e.let) from None
    code = differentiate(program)
    return map_functions(code, _without_marks) if inner else code, mask


def _without_marks(f: Function) -> Function:
    """Return a function in which values that are constant for one derivative, by a mark in the code
    of a rule or of a library function, depend on what they come from: the code of an inner
    derivative has such marks, and is differentiated once more."""

    def block(old: Block) -> Block:
        b = Builder()
        for let in old.lets:
            match let.op:
                case Prim("stop_gradient", args):
                    same = Block((), args)
                    b.lets.append(Let(let.vars, If(lit(True, BOOL), same, same), let.site))
                case Prim("plus_delta", (v, t)):  # t is 0, or the 0 of a derivative that is not
                    nothing = b.prim("mulz", t, lit(0.0, t.type))
                    b.lets.append(Let(let.vars, Prim("add", (v, nothing)), let.site))
                case _:
                    b.lets.append(Let(let.vars, map_blocks(let.op, block), let.site))
        return b.block(old.results)

    return Function(f.name, f.params, block(f.body), f.results)


def _run_by_calls(program: Program) -> set[str]:
    """Return the functions that main calls, directly or through others, but by no derivative."""
    found: set[str] = set()
    work = [program.main]
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            lets = all_lets(program.functions[name].body)
            work += [let.op.function for let in lets if isinstance(let.op, (Call, Ruled))]
    return found


def words_of(
    functions: Functions, spaces: WordSpaces, name: str, mask: tuple[bool, ...], choices: Choices
) -> str:
    """Return the name of f with words for these active parameters; the function is written at the
    first request. ``choices``: those truth values of which both sides count."""
    return translated(
        functions, name, mask, "words",
        lambda facts: Dependence(functions, spaces, facts, choices),
    )  # fmt: skip


def _real_of(t: Type) -> Type:
    while isinstance(t, Array):
        t = t.elem
    return t


def _as_type(b: Builder, words: Atom, real: Type) -> Atom:
    """Return words in numbers of another width."""
    t = words.type
    if _real_of(t) == real:
        return words
    if not isinstance(t, Array):
        return b.prim("to_real", words, static=(real,))
    idx, body = indices(t.rank), Builder()
    inner = _as_type(body, body.index(words, idx, checked=False), real)
    made = (Array(inner.type, t.rank),)
    return b.let(Build(extents_of(b, words), idx, body.block((inner,))), made)[0]


def either(b: Builder, x: Atom, y: Atom) -> Atom:
    """Return the union of two sets."""
    if x == NOBODY or x is y:
        return y
    return x if y == NOBODY else b.prim("either", x, y)


class Unions(Contributions):
    """Sums of products, as sets."""

    def product(self, b: Builder, row: Row, p: Atom, ct: Atom, target: Type) -> Atom:
        return ct

    def sum(self, b: Builder, x: Atom, y: Atom) -> Atom:
        return either(b, x, y)


class Dependence(Forward):
    """The translation of one function."""

    def __init__(
        self, functions: Functions, spaces: WordSpaces, facts: Facts, choices: Choices
    ) -> None:
        super().__init__(functions, facts)
        self.choices = choices
        self.spaces: WordSpaces = spaces
        self.active = set(facts.active)
        self.sums = Unions()

    def zero(self, t: Real) -> Atom:
        return NOBODY

    def zeros_like(self, b: Builder, array: Atom) -> Atom:
        return zeros_like(b, array, F64)

    def zeros(self, b: Builder, array: Atom) -> Atom:
        return zeros(b, array, F64)

    def target(self, name: str, mask: tuple[bool, ...]) -> str:
        return words_of(self.functions, self.spaces, name, mask, self.choices)

    def on(self, a: Atom) -> bool:
        return isinstance(a, Var) and a in self.active

    def let(self, let: Let, b: Builder) -> None:
        match let.op:
            case Sum_():
                super().let(loops_of_sum(let, let.op, self.like), b)
            case AccNew() | AccAdd() | AccRead() | AccTake():
                self.accumulator(let, let.op, b)
            case If(cond, then, orelse) if self.choices is not None and cond in self.choices:
                inactive = (False,) * len(let.vars)
                arms = self.inside(then, inactive), self.inside(orelse, inactive)
                primals = tuple(Var(v.name, v.type) for v in let.vars)
                b.lets.append(Let(primals, If(self.value(cond), *arms), let.site))
                words = self.sides(let, let.op, {}, b)
                for v, primal, word in zip(let.vars, primals, words, strict=True):
                    self.env[v] = (primal, word) if self.on(v) else (primal,)
            case _:
                super().let(let, b)

    def sides(
        self, let: Let, op: Prim | If, inside: dict[Var, Atom], b: Builder
    ) -> tuple[Atom, ...]:
        """Return the words of the results of plain arithmetic, whatever is chosen in it; ``inside``
        has those of the variables of the arms around it."""

        def word(a: Atom) -> Atom:
            if isinstance(a, Var) and a in inside:
                return inside[a]
            return self.look(a)[1] if self.on(a) else NOBODY

        def arm(block: Block) -> list[Atom]:
            for x in block.lets:
                assert isinstance(x.op, (Prim, If))
                inside.update(zip(x.vars, self.sides(x, x.op, inside, b), strict=True))
            return [word(r) for r in block.results]

        if isinstance(op, If):
            found = zip(arm(op.then), arm(op.orelse), strict=True)
            return tuple(either(b, x, y) for x, y in found)
        total: Atom = NOBODY
        for i, a in enumerate(op.args):
            if isinstance(a.type, Real) and passes(op, i):
                total = either(b, total, word(a))
        return tuple(total if isinstance(v.type, Real) else NOBODY for v in let.vars)

    def like(self, variables: tuple[Var, ...]) -> tuple[Var, ...]:
        """Return fresh variables that are as active as these."""
        out = tuple(Var(v.name, v.type) for v in variables)
        self.active.update(n for n, v in zip(out, variables, strict=True) if self.on(v))
        return out

    def prim(
        self, let: Let, name: str, args: tuple[Atom, ...], static: Static, b: Builder
    ) -> None:
        row = TABLE[name]
        if self.chooses(let, row, args):
            (out,) = let.vars
            primal = Var(out.name, out.type)
            b.lets.append(Let((primal,), Prim(name, self.values(args), static), let.site))
            self.env[out] = (primal, self.sides(let, Prim(name, args, static), {}, b)[0])
            return
        if name in FOURIER.rows and self.on(let.vars[0]):
            self.by_rows(let, Prim(name, args, static), b)
            return
        if name not in (*LINEAR.rows, *SPARSE.rows, *ORDER.rows) or not any(map(self.on, let.vars)):
            super().prim(let, name, args, static, b)
            return
        results = tuple(Var(v.name, v.type) for v in let.vars)
        b.lets.append(Let(results, Prim(name, self.values(args), static), let.site))
        word: Atom = NOBODY
        for a in args:
            if self.on(a):
                word = either(b, word, union(b, self.look(a)[1]))
        for v, result in zip(let.vars, results, strict=True):
            self.env[v] = (result, self.everywhere(result, word, b)) if self.on(v) else (result,)

    def by_rows(self, let: Let, op: Prim, b: Builder) -> None:
        """Translate a row of which each line of the result depends on that line of the arrays."""
        (out,) = let.vars
        result = Var(out.name, out.type)
        b.lets.append(Let((result,), Prim(op.name, self.values(op.args), op.static), let.site))
        extents, (i,), body = extents_of(b, result), indices(1), Builder()
        word: Atom = NOBODY
        for a in filter(self.on, op.args):
            line = self.look(a)[1]
            if isinstance(line.type, Array):
                line = body.prim("pick", line, i, static=(0,))
            word = either(body, word, union(body, line))
        (lines,) = b.let(Build(extents[:1], (i,), body.block((word,))), (Array(F64, 1),))
        places, inner = indices(len(extents)), Builder()
        item = inner.index(lines, places[:1], checked=False)
        made = b.let(Build(extents, places, inner.block((item,))), (Array(F64, len(extents)),))
        self.env[out] = (result, made[0])

    def everywhere(self, result: Var, word: Atom, b: Builder) -> Atom:
        """Return the word of a number, or an array of it for each element of an array."""
        if not isinstance(result.type, Array):
            return word
        rank = result.type.rank
        made = Build(extents_of(b, result), indices(rank), Block((), (word,)))
        return b.let(made, (Array(F64, rank),))[0]

    def chooses(self, let: Let, row: Row, args: tuple[Atom, ...]) -> bool:
        """Whether a row chooses one of two reals, by what reals decide."""
        if self.choices is None or row.product != "gate" or not self.on(let.vars[0]):
            return False
        return row.name != "select" or args[0] in self.choices

    def accumulator(self, let: Let, op: AccNew | AccAdd | AccRead | AccTake, b: Builder) -> None:
        """Translate an operation on an accumulator: of the same cells there is one of words."""
        match op:
            case AccNew(extents):
                for made in self.fresh(let.vars[0]):
                    b.lets.append(Let((made,), AccNew(self.values(extents)), let.site))
            case AccAdd(handle, idx, value):
                h, words = self.look(handle)
                where = self.values(idx)
                b.lets.append(Let((), AccAdd(h, where, self.value(value)), let.site))
                if self.on(value):
                    (old,) = b.let(AccTake(words, where), (F64,))
                    new = either(b, old, self.look(value)[1])
                    b.lets.append(Let((), AccAdd(words, where, new), let.site))
            case AccRead(handle, idx, bits) | AccTake(handle, idx, bits):
                h, words = self.look(handle)
                where, v = self.values(idx), let.vars[0]
                primal = Var(v.name, v.type)
                b.lets.append(Let((primal,), type(op)(h, where, bits), let.site))
                self.env[v] = (primal, b.let(type(op)(words, where), (F64,))[0])


def union(b: Builder, words: Atom) -> Atom:
    """Emit the union of the words of an array; of a number it is its own."""
    if not isinstance(words.type, Array):
        return words

    def level(axes: tuple[Atom, ...], at: tuple[Var, ...], so_far: Atom, b: Builder) -> Atom:
        if not axes:
            return either(b, so_far, b.index(words, at, checked=False))
        i, word, body = indices(1)[0], Var("word", F64), Builder()
        last = level(axes[1:], (*at, i), word, body)
        return b.let(Loop(axes[0], i, (word,), (so_far,), body.block((last,))), (F64,))[0]

    return level(extents_of(b, words), (), NOBODY, b)


__all__ = ["Dependence", "WordSpaces", "dependence", "fixed_dependence", "words_of"]
