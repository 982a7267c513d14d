"""Programs that give the number of the clause that catches an exception, instead of raising it.

    [[ requires c, E; rest ]]  =  if c then [[ rest ]] else (k, ends)            clause k catches E
    [[ y = op; rest ]]         =  (t, y) = [[ op ]]; if t == 0 then [[ rest ]] else (t, ends)
    [[ results ]]              =  (0, results)

The ``ends`` are what the results are where something is raised (``Exit``): what variables hold
there, or any values. An op whose blocks may raise what is caught becomes one whose blocks give a
number too: branches stay branches, loops become loops that an exception leaves. Its own results
mean nothing where it raises; so they carry the ends out of its blocks, as far as the types fit, and
more results the others. A call becomes one of a second version of the function, which is made when
all functions are known (``version``). What nobody catches is raised as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pullback.core.build import Builder, boolean, f64, i64, lit
from pullback.core.frozen import dataclass, field
from pullback.core.prims_discrete import AGAIN
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    CaseArm,
    Function,
    If,
    Index,
    Jvp,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Ruled,
    Sum_,
    Update,
    Var,
    Vjp,
    While,
    sub_blocks,
)
from pullback.core.traverse import defined, free_variables, free_variables_of, refresh
from pullback.core.types import BOOL, F64, I64, Array, Type
from pullback.errors import UnsupportedError
from pullback.frontend.functions import caught_loops
from pullback.frontend.functions.caught_functions import (
    CaughtFunctions,
    End,
    Exit,
    Exits,
    called_by,
    escapes_op,
    inner_ops,
    is_linear,
    leaves,
    numbers_of_op,
    ops_of,
    raised_by_op,
    types_of,
)
from pullback.frontend.functions.caught_loops import AnyOf, bind
from pullback.frontend.functions.clauses import Clauses, held_number, raised_again, readied
from pullback.frontend.kinds.extents import NO_BROADCAST


@dataclass(frozen=True, slots=True)
class _WayOut:
    """How the results of a block have their ends where an op raises: each is a value, any value of
    a type, or the result of this number of the op itself, which has ``more`` results for that."""

    ends: tuple[End | int, ...]
    lets: tuple[Let, ...] = ()
    more: tuple[Type, ...] = ()
    inside: Exits = field(default_factory=dict)
    """What the results of the op's blocks are where something in them raises."""
    kept: tuple[Var, ...] = ()
    """Arrays that a block updates before it raises: they are results too, so that nobody uses what
    was updated. A loop carries them."""

    def behind(self, catching: Catching) -> Callable[[Block], Block]:
        """Return what gives the number for a block whose results come behind a flag."""
        exits = {key: end.after(BOOL) for key, end in self.inside.items()}
        return lambda block: catching.block(block, exits)


def _is_same(a: Atom, b: Atom) -> bool:
    """Whether two atoms are the same value, to the sign of a zero."""
    return a is b or (isinstance(a, Lit) and repr(a) == repr(b))


def _bound(op: Op) -> tuple[Var, ...]:
    """Return the variables that an op binds for its blocks."""
    return tuple(v for bound, _ in sub_blocks(op) for v in bound)


@dataclass(slots=True)
class Catching:
    """Blocks that give the number of a clause of ``clauses``."""

    caught: CaughtFunctions
    clauses: Clauses
    any_of: AnyOf

    def raises(self, block: Block) -> bool:
        """Whether a block may raise what is caught."""
        return any(map(self._raises, ops_of(block)))

    def left(self, block: Block, passes: str | None) -> bool:
        """Whether code with attempts in it may raise what is caught in other places: solvers and
        derivatives stand where they have been found not to raise, and what is raised again where
        nothing catches it, as in the versions of functions that catch; what the consumer of a
        generator raises ``passes``."""
        ops = (op for op in ops_of(block) if not is_linear(op) and raised_by_op(op) != AGAIN)
        ops = (op for op in ops if not (isinstance(op, Call) and op.function == passes))
        ops = (op for op in ops if not self.caught.wanted.keys() & set(called_by(op)))
        return any(self._raises(op) for op in ops if not isinstance(op, (Vjp, Jvp, Ruled)))

    def _raises(self, op: Op) -> bool:
        return escapes_op(op, self.clauses) or any(
            self.caught.raises(f, self.clauses) for f in called_by(op)
        )

    def numbers(self, block: Block) -> Iterator[int]:
        """Iterate over the numbers of the clauses that catch what a block may raise."""
        for op in ops_of(block):
            yield from numbers_of_op(op, self.clauses)
            for f in called_by(op):
                yield from self.caught.numbers(f, self.clauses)

    def leaves(self, block: Block) -> list[Let]:
        """Return the ops that may raise what is caught."""
        return [
            let for let in leaves(block)
            if any(map(self._raises, (let.op, *inner_ops(let.op))))
        ]  # fmt: skip

    def block(self, block: Block, exits: Exits) -> Block:
        """Return the block with the number of the clause (0: nothing was raised) before its
        results. ``exits``: what these are where something was raised."""
        return self._rest(block.lets, 0, block.results, exits)

    def _rest(self, lets: Sequence[Let], k: int, results: Sequence[End], exits: Exits) -> Block:
        """``results``: a type stands for any value of it."""
        b = Builder()
        while k < len(lets) and not self._raises_somewhere(lets[k].op):
            b.lets.append(lets[k])
            k += 1
        if k == len(lets):
            return b.block((i64(0), *self._any(b, results)))
        let, types = lets[k], types_of(results)
        exit_ = self.caught.exit_of(let, exits) or Exit((), types[1:])
        if raised_by_op(let.op) == AGAIN:
            tag = self._raised_again(b, let)
            on = Builder()
            on.lets.append(let)  # where nobody catches it
            goes_on = on.block(on.extend(self._behind(let, lets[k + 1 :], results, exits)))
            test = b.prim("eq", tag, i64(0))
            return b.block(b.let(If(test, goes_on, self._raised(tag, exit_)), types))
        if escapes_op(let.op, self.clauses) and not is_linear(let.op):
            fine, bare = self._checked(b, let)
            after = [*([bare] if bare is not None else []), *lets[k + 1 :]]
            then = self._behind(let, after, results, exits)
            return b.block(b.let(If(fine, then, self._raised(let, exit_)), types))
        return b.block(self._tagged(b, let, lets, k, results, exits))

    def _behind(
        self, check: Let, lets: Sequence[Let], results: Sequence[End], exits: Exits
    ) -> Block:
        """Return what follows a check; where that fails always, nothing is reached."""
        if isinstance(check.op, Prim) and check.op.args[0] == boolean(False):
            return self._rest((), 0, types_of(results)[1:], exits)
        return self._rest(lets, 0, results, exits)

    def _raised_again(self, b: Builder, let: Let) -> Atom:
        """Return the number of the clause that catches what an op raises again; 0: none, or there
        is nothing to raise."""
        assert isinstance(let.op, Prim)
        again, then = self.caught.want_again(self.clauses), Builder()
        block = then.block(then.let(Call(again, (readied(then, let),)), (I64,)))
        fine = let.op.args[0]
        return b.let(If(fine, Builder().block((i64(0),)), block), (I64,))[0]

    def _tagged(
        self, b: Builder, let: Let, lets: Sequence[Let], k: int, results: Sequence[End],
        exits: Exits,
    ) -> tuple[Atom, ...]:  # fmt: skip
        """Return an op that gives a number before its results, and what follows it."""
        behind = Block(tuple(lets[k + 1 :]), tuple(r for r in results if not isinstance(r, Type)))
        way = self._way_out(let, results, exits, behind)
        tag, more = Var("caught", I64), tuple(Var("end", t) for t in way.more)
        again = {v: Var(v.name, v.type) for v in way.kept}
        made = (*let.vars, *again.values(), *more)
        done = len(b.lets)
        bind(b, self._op(let, way), (tag, *made))
        if not isinstance(let.op, (If, Case, Loop, While)):
            for raised in leaves(Block(tuple(b.lets[done:]), ())):
                self.caught.stands_for(raised, let)
        ends = tuple(made[e] if isinstance(e, int) else e for e in way.ends)
        last = k == len(lets) - 1 and tuple(results) == let.vars and not (way.lets or again)
        if last and all(isinstance(e, Type) or e is v for e, v in zip(ends, made, strict=False)):
            return (tag, *let.vars)
        if self.caught.never_returns(let.op):
            return tuple(b.extend(self._raised(tag, Exit(way.lets, ends))))
        if again:
            lets = self.caught.renamed(behind, again).lets
            on = [again.get(r, r) if isinstance(r, Var) else r for r in results]
            rest = self._rest(lets, 0, on, exits)
        else:
            rest = self._rest(lets, k + 1, results, exits)
        fine = b.prim("eq", tag, i64(0))
        return b.let(If(fine, rest, self._raised(tag, Exit(way.lets, ends))), types_of(results))

    def _kept(self, let: Let, behind: Block, exits: Exits) -> tuple[Var, ...]:
        """Return the arrays that the blocks of an op may update: those that are used behind a
        branch, and all of a loop."""
        consumed = self.caught.arrays.consumed_inside(let)
        if not consumed or not isinstance(let.op, (If, Case)):
            return tuple(consumed)
        used = set(free_variables(behind))
        for x in self.leaves(behind):
            end = self.caught.exit_of(x, exits)
            used |= set() if end is None else set(free_variables(end.block()))
        return tuple(v for v in consumed if v in used)

    def _way_out(
        self, let: Let, results: Sequence[End], exits: Exits, behind: Block
    ) -> _WayOut:
        """Return how the results of the block have their ends where an op in it raises."""
        types = types_of(results)[1:]
        own = self.caught.exit_of(let, exits)
        if not isinstance(let.op, (If, Case, Loop, While)):
            return _WayOut(types if own is None else own.ends, () if own is None else own.lets)
        blocks = [inner for _, inner in sub_blocks(let.op)]
        inside = {
            self.caught.key(x): end
            for inner in blocks for x in self.leaves(inner)
            if (end := self.caught.exit_of(x, exits)) is not None
        }  # fmt: skip
        kept = self._kept(let, behind, exits)
        slots = (*let.vars, *kept)
        if not inside:
            return _WayOut(types, kept=kept)
        mine = {v for inner in blocks for v in defined(inner)} | set(_bound(let.op))
        mine |= {v for end in inside.values() for x in end.lets for v in x.vars}
        taken = set(free_variables_of(let.op))
        ends: list[End | int] = [*types]
        changed: list[int] = []
        for k, t in enumerate(types):
            atoms = [a for end in inside.values() if not isinstance(a := end.ends[k], Type)]
            one = atoms[0] if atoms and all(_is_same(a, atoms[0]) for a in atoms) else None
            if one is not None and one not in mine and not (
                isinstance(t, Array) and one in taken
            ):
                ends[k] = one
            elif atoms:
                changed.append(k)
        wanted: dict[int, int] = {}  # the number of a result of the block, by that which carries it
        known = self.caught.arrays.later(slots, behind)
        for k in changed:
            first = known.get(r, r) if isinstance(r := results[k], Var) else r
            if first in slots:
                wanted.setdefault(slots.index(first), k)
        more: list[Type] = []
        for k in changed:
            if k not in wanted.values():
                free = (j for j, v in enumerate(slots) if v.type == types[k] and j not in wanted)
                j = next(free, len(slots) + len(more))
                more += [types[k]] if j >= len(slots) else []
                wanted[j] = k
        for j, k in wanted.items():
            ends[k] = j
        carried = (*(v.type for v in slots), *more)
        inner_exits = {
            key: Exit(end.lets, tuple(
                end.ends[wanted[j]] if j in wanted else t for j, t in enumerate(carried)
            ))
            for key, end in inside.items()
        }  # fmt: skip
        return _WayOut(tuple(ends), (), tuple(more), inner_exits, kept)

    def _raises_somewhere(self, op: Op) -> bool:
        return self._raises(op) or any(self.raises(inner) for _, inner in sub_blocks(op))

    def _any(self, b: Builder, ends: Sequence[End]) -> tuple[Atom, ...]:
        return tuple(self.any_of(b, e) if isinstance(e, Type) else e for e in ends)

    def _raised(self, tag: Atom | Let, exit_: Exit) -> Block:
        """Return the end where something was raised: by an op, or with this number."""
        b = Builder()
        if isinstance(tag, Let):
            name = raised_by_op(tag.op) or ""
            number, cls = self.clauses.number(name), self.caught.class_of(name)
            asks = number in self.clauses.asks
            tag = held_number(b, tag, name, cls, number) if asks else i64(number)
        atoms = tuple(e for e in exit_.ends if not isinstance(e, Type))
        made = iter(b.extend(refresh(Block(exit_.lets, atoms))))
        ends = [e if isinstance(e, Type) else next(made) for e in exit_.ends]
        return b.block((tag, *self._any(b, ends)))

    def _checked(self, b: Builder, let: Let) -> tuple[Atom, Let | None]:
        """Whether an op does not raise, and the op without its check."""
        match let.op:
            case Prim(_, (fine, *_), (_, message, *_)):
                self.caught.catches_extents |= message == NO_BROADCAST
                return fine, None
            case Index(a, idx, _):
                fine, places = _in_range(b, a, idx)
                return fine, Let(let.vars, Index(a, places, False), let.site)
            case Update(a, idx, v, _):
                fine, places = _in_range(b, a, idx)
                return fine, Let(let.vars, Update(a, places, v, False), let.site)
            case _:
                raise AssertionError(let.op)

    # --- ops with blocks, and calls ---------------------------------------------------------------

    def _op(self, let: Let, way: _WayOut) -> Block:
        """Return a block that gives the number, and the results of the op: what its last op
        binds."""
        b = Builder()
        types = (*(v.type for v in (*let.vars, *way.kept)), *way.more)
        carried = {v: Var(v.name, v.type) for v in way.kept}

        def tagged(block: Block) -> Block:
            return self.block(block, way.inside)

        def arm(block: Block) -> Block:
            results = (*block.results, *way.kept, *way.more)
            return self._rest(block.lets, 0, results, way.inside)

        rounds = caught_loops.Rounds(
            tagged, self.any_of, b, carried, way.more, self.caught.renamed
        )
        made: tuple[Atom, ...]
        match let.op:
            case Call(f, args):
                made = b.let(Call(self.caught.want(f, self.clauses), args), (I64, *types))
            case If(c, then, orelse):
                op = If(c, arm(then), arm(orelse))
                made = b.let(op, (I64, *types))
            case Case(x, arms):
                bodies = (CaseArm(a.fields, arm(a.body)) for a in arms)
                made = b.let(Case(x, tuple(bodies)), (I64, *types))
            case Vjp(f, args) | Jvp(f, args) | Ruled(f, args):
                made = self._derivative(b, let, f, args)
            case Prim():
                made = self._linear(b, let)
            case Loop():
                made = rounds.loop(let.op, types)
            case Build(extents, indices, body):
                made = rounds.build(extents, indices, body, types)
            case Sum_(extents, indices, body):
                sums = tuple(Var("s", t) for t in types)
                zeros = [lit(0, t) for t in types]

                def add(c: Builder, values: Sequence[Atom]) -> list[Atom]:
                    return [c.prim("add", s, v) for s, v in zip(sums, values, strict=True)]

                made = rounds.points(extents, indices, sums, zeros, body, add)
            case While(own, inits, cond, body):
                made = rounds.while_(own, inits, cond, body, way.behind(self))
            case _:
                raise AssertionError(let.op)
        return b.block(made)

    def _derivative(self, b: Builder, let: Let, f: str, args: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """Return a derivative of a function raises what the function raises: that is tried
        before."""
        if f not in self.caught.functions:
            raise UnsupportedError(
                "a derivative of a function that is being compiled, under a try",
                "take the derivative outside of the try",
                let.site,
            )
        types, then = tuple(v.type for v in let.vars), Builder()
        results = self.caught.functions[f].results
        tag, *_ = b.let(Call(self.caught.want(f, self.clauses), args), (I64, *results))
        made = then.let(let.op, types, let.site)
        fine = b.prim("eq", tag, i64(0))
        op = If(fine, then.block((i64(0), *made)), self._raised(tag, Exit((), types)))
        return b.let(op, (I64, *types))

    def _linear(self, b: Builder, let: Let) -> tuple[Atom, ...]:
        """Catch the failures of ``solve.ck`` and ``cholesky.ck``. If all inputs are finite, they
        fail if nothing but NaN comes out; a first run finds out, since the derivative of a failure
        is NaN too. If an input is not finite, they raise themselves."""
        assert isinstance(let.op, Prim)
        args, types = let.op.args, tuple(v.type for v in let.vars)
        then, orelse = Builder(), Builder()
        finite: Atom = boolean(True)
        for a in args:
            zero = _sum(b, a, lambda c, v: c.prim("mul", v, f64(0.0)))
            finite = b.prim("and", finite, b.prim("eq", zero, f64(0.0)))
        name = let.op.name.removesuffix(".ck")
        trial = then.prim(name, *(then.prim("stop_gradient", a) for a in args))
        found = _sum(then, trial, lambda c, v: c.prim("to_real", c.prim("eq", v, v), static=(F64,)))
        size = then.prim("mul", then.dim(trial, 0), then.dim(trial, 1))
        failed = then.prim("and", then.prim("eq", found, f64(0.0)), then.prim("gt", size, i64(0)))
        solved = Builder()
        done = solved.block((i64(0), solved.prim(name, *args)))
        inside = then.let(If(failed, self._raised(let, Exit((), types)), done), (I64, *types))
        kept = orelse.let(let.op, types, let.site)
        op = If(finite, then.block(inside), orelse.block((i64(0), *kept)))
        return b.let(op, (I64, *types))


def version(caught: CaughtFunctions, name: str, any_of: AnyOf) -> Function:
    """Return the version of this name; its function is complete."""
    function, clauses = caught.wanted[name]
    if function in caught.wanted and function not in caught.functions:
        caught.functions[function] = version(caught, function, any_of)
    refusal = caught.assumed.get((function, clauses))
    if refusal is not None and not caught.known(function, clauses, ()):
        raise refusal
    known = caught.functions[function]
    block = Catching(caught, clauses, any_of).block(known.body, caught.exits(function))
    return Function(name, known.params, block, (I64, *known.results))


def raised_again_version(caught: CaughtFunctions, name: str) -> Function:
    """Return the function of this name (``want_again``); all others are complete."""
    return raised_again(name, caught.classes, caught.again[name])


def _in_range(b: Builder, a: Atom, indices: Sequence[Atom]) -> tuple[Atom, tuple[Atom, ...]]:
    """Whether indices are in range, and what they are when counted from the start."""
    fine: Atom = boolean(True)
    places = []
    for axis, i in enumerate(indices):
        n = b.dim(a, axis)
        from_end = b.prim("add", i, n)
        place = b.prim("select", b.prim("lt", i, i64(0)), from_end, i)
        inside = b.prim("and", b.prim("ge", place, i64(0)), b.prim("lt", place, n))
        fine = b.prim("and", fine, inside)
        places.append(place)
    return fine, tuple(places)


def _sum(b: Builder, a: Atom, term: Callable[[Builder, Atom], Atom]) -> Atom:
    assert isinstance(a.type, Array)
    indices = tuple(Var("i", I64) for _ in range(a.type.rank))
    c = Builder()
    body = c.block((term(c, c.index(a, indices, False)),))
    (s,) = b.let(Sum_(tuple(b.dim(a, k) for k in range(a.type.rank)), indices, body), (F64,))
    return s
