"""Programs that give the number of the clause that catches an exception, instead of raising it.

    [[ requires c, E; rest ]]  =  if c then [[ rest ]] else (k, any values)      clause k catches E
    [[ y = op; rest ]]         =  (t, y) = [[ op ]]; if t == 0 then [[ rest ]] else (t, any values)
    [[ results ]]              =  (0, results)

An op whose blocks may raise what is caught becomes one whose blocks give a number too: branches
stay branches, loops become loops that an exception leaves. A call becomes one of a second version
of the function, which is made when all functions are known (``CaughtFunctions.made``). What nobody
catches is raised as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from pullback.core.build import Builder, boolean, f64, i64, lit
from pullback.core.messages import Raised
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
from pullback.core.traverse import free_variables_of
from pullback.core.types import F64, I64, Array, Type
from pullback.errors import UnsupportedError
from pullback.frontend.functions import caught_loops
from pullback.frontend.functions.caught_loops import AnyOf
from pullback.frontend.functions.clauses import Clauses, held_number, raised_again, readied
from pullback.frontend.kinds.extents import NO_BROADCAST


@dataclass(frozen=True, slots=True)
class Handed:
    """A result that a call hands back: what it was ``before`` this call, and what the call gives,
    also where the call has raised something."""

    call: Let
    before: Atom
    after: Atom

    @property
    def type(self) -> Type:
        return self.before.type


End = Type | Atom | Handed
"""A result where something was raised: this one, or any value of a type."""

@dataclass(frozen=True, slots=True)
class Updated:
    """An object that a function updates: the ops that may raise after it has changed
    (``unfinished``), and what it is at first, by the numbers of the results that hand it back."""

    ops: tuple[Op, ...]
    starts: dict[int, Atom]


@dataclass(slots=True)
class CaughtFunctions:
    """The second versions of functions that are called under a ``try``, by name."""

    functions: dict[str, Function]
    wanted: dict[str, tuple[str, Clauses]] = field(default_factory=dict)
    again: dict[str, Clauses] = field(default_factory=dict)
    """The functions of what is raised again: from its number to that of the clause."""
    classes: list[Raised] = field(default_factory=list)
    """The exceptions of which clauses ask for the object, by number."""
    updated: dict[str, dict[str, Updated]] = field(default_factory=dict)
    total: set[str] = field(default_factory=set)
    """The functions of the library that check what cannot fail: they raise nothing."""
    contexts: bool = False
    """Whether something may be raised while something else is being handled."""
    catches_extents: bool = False
    """Whether a clause catches the error of extents that do not fit."""

    def want(self, function: str, clauses: Clauses) -> str:
        """Return the name of the version of a function that gives the numbers of these clauses."""
        name = f"{function}.try.{clauses.text}"
        while self.wanted.setdefault(name, (function, clauses)) != (function, clauses):
            name += "'"
        return name

    def want_again(self, clauses: Clauses) -> str:
        """Return the name of the function that gives the number of the clause that catches what is
        raised again; 0: none."""
        name = f"again.try.{clauses.text}"
        while self.again.setdefault(name, clauses) != clauses:
            name += "'"
        return name

    def made(self, name: str, any_of: AnyOf) -> Function:
        """Return the version of this name; its function is complete."""
        function, clauses = self.wanted[name]
        if function in self.wanted and function not in self.functions:
            self.functions[function] = self.made(function, any_of)
        known = self.functions[function]
        ends: list[End] = list(known.results)
        for results in self.kept(function, clauses).values():
            for k, end in results.items():
                ends[k] = end
        caught = Catching(self, clauses, any_of).block(known.body, ends)
        return Function(name, known.params, caught, (I64, *known.results))

    def made_again(self, name: str) -> Function:
        """Return the function of this name (``want_again``); all others are complete."""
        return raised_again(name, self.classes, self.again[name])

    def class_of(self, exception: Raised) -> int:
        """Return the number of an exception."""
        if exception not in self.classes:
            self.classes.append(exception)
        return self.classes.index(exception)

    def kept(self, function: str, clauses: Clauses) -> dict[str, dict[int, End]]:
        """Return the names of what a function has not changed yet wherever it raises what these
        clauses catch, and what the results that hand it back are there."""
        found: dict[str, dict[int, End]] = {}
        for name, update in self.updated.get(function, {}).items():
            if not any(self.escapes(op, clauses) for op in update.ops):
                body = self.functions[function].body
                ends = {
                    k: self.handed(body, body.results[k], start, clauses)
                    for k, start in update.starts.items()
                }
                known = {k: end for k, end in ends.items() if end is not None}
                if len(known) == len(ends):
                    found[name] = known
        return found

    def handed(self, block: Block, result: Atom, before: Atom, clauses: Clauses) -> End | None:
        """Return what a result of a block, which has not changed yet where the block raises, is
        there: what it was ``before``, or what the op gives back that had it then; None: it is not
        known."""
        if not isinstance(before.type, Array):
            return before
        for let in block.lets:
            if isinstance(let.op, Prim | Index | Update):
                continue  # they test before they take
            if before not in free_variables_of(let.op) or not self.escapes(let.op, clauses):
                continue
            if result not in let.vars:
                return None
            k = let.vars.index(result)
            match let.op:
                case Call(f):
                    known = any(k in ends for ends in self.kept(f, clauses).values())
                case If() | Case():
                    arms = [arm for _, arm in sub_blocks(let.op)]
                    known = all(self.handed(a, a.results[k], before, clauses) for a in arms)
                case _:
                    return None
            return Handed(let, before, result) if known else None
        return before

    def escapes(self, op: Op, clauses: Clauses) -> bool:
        """Whether an op may raise what is caught."""
        return any(
            _escapes(o, clauses) or any(self.raises(f, clauses) for f in _called(o))
            for o in (op, *inner_ops(op))
        )

    def raises(self, name: str, clauses: Clauses) -> bool:
        """Whether a function may raise what is caught; one that is not complete may."""
        seen: set[tuple[str, tuple[Clauses, ...]]] = set()
        todo: list[tuple[str, tuple[Clauses, ...]]] = [(name, ())]
        while todo:
            f, inside = todo.pop()
            while f in self.wanted:  # a version, of which nothing comes that it gives a number for
                f, inner = self.wanted[f]
                inside = (*inside, inner)
            if f in self.total or (f, inside) in seen or clauses in inside or f in self.again:
                continue
            seen.add((f, inside))
            if f not in self.functions:
                return True
            for op in _ops(self.functions[f].body):
                if _escapes(op, clauses, inside):
                    return True
                todo += [(g, inside) for g in _called(op)]
        return False


def bind(b: Builder, block: Block, results: Sequence[Var]) -> None:
    """Run a block whose results its last op gives, bound to these variables."""
    *before, last = block.lets
    names = dict(zip(block.results, results, strict=True))
    b.lets += before
    b.lets.append(Let(tuple(names.get(v, v) for v in last.vars), last.op, last.site))


def inner_ops(op: Op) -> Iterator[Op]:
    """Iterate over the ops in the blocks of an op."""
    for _, inner in sub_blocks(op):
        yield from _ops(inner)


def _called(op: Op) -> tuple[str, ...]:
    match op:
        case Call(f) | Vjp(f) | Jvp(f) | Ruled(f):
            return (f,)
        case _:
            return ()


def _ops(block: Block) -> Iterator[Op]:
    for let in block.lets:
        yield let.op
        yield from inner_ops(let.op)


_EVERYTHING = Clauses(((((BaseException,), 1),),))


def may_raise(op: Op) -> bool:
    """Whether an op may raise anything at all, as far as the op says."""
    return any(_escapes(o, _EVERYTHING) or _called(o) for o in (op, *inner_ops(op)))


def _after(let: Let, ends: Sequence[End]) -> Sequence[End]:
    return [e.after if isinstance(e, Handed) and e.call is let else e for e in ends]


def _types(ends: Sequence[End]) -> tuple[Type, ...]:
    return (I64, *(e if isinstance(e, Type) else e.type for e in ends))


def _is_linear(op: Op) -> bool:
    return isinstance(op, Prim) and op.name in ("solve.ck", "cholesky.ck")


def _escapes(op: Op, clauses: Clauses, inside: Iterable[Clauses] = ()) -> bool:
    """Whether the clauses catch what the op itself may raise, and none of those inside does."""
    name = _raised_by(op)
    if name is None or name == AGAIN:
        return name == AGAIN
    return bool(clauses.number(name)) and not any(c.number(name) for c in inside)


def _raised_by(op: Op) -> Raised | None:
    """Return what the op itself may raise."""
    match op:
        case Prim("require" | "require.early", _, (str() | type() as raised, *_)):
            return raised
        case Prim() if _is_linear(op):
            return np.linalg.LinAlgError.__name__
        case Index(_, _, True) | Update(_, _, _, True):
            return IndexError.__name__
        case _:
            return None


@dataclass(slots=True)
class Catching:
    """Blocks that give the number of a clause of ``clauses``."""

    caught: CaughtFunctions
    clauses: Clauses
    any_of: AnyOf

    def raises(self, block: Block) -> bool:
        """Whether a block may raise what is caught."""
        return any(map(self._raises, _ops(block)))

    def left(self, block: Block) -> bool:
        """Whether code with attempts in it may raise what is caught in other places: solvers and
        derivatives stand where they have been found not to raise, and what is raised again where
        nothing catches it."""
        ops = (op for op in _ops(block) if not _is_linear(op) and _raised_by(op) != AGAIN)
        return any(self._raises(op) for op in ops if not isinstance(op, Vjp | Jvp | Ruled))

    def _raises(self, op: Op) -> bool:
        return _escapes(op, self.clauses) or any(
            self.caught.raises(f, self.clauses) for f in _called(op)
        )

    def block(self, block: Block, ends: Sequence[End]) -> Block:
        """Return the block with the number of the clause (0: nothing was raised) before its
        results. ``ends``: what these are where something was raised."""
        return self._rest(block.lets, 0, block.results, ends)

    def _rest(
        self, lets: Sequence[Let], k: int, results: Sequence[Atom], ends: Sequence[End]
    ) -> Block:
        b = Builder()
        while k < len(lets) and not self._raises_somewhere(lets[k].op):
            b.lets.append(lets[k])
            ends = _after(lets[k], ends)
            k += 1
        if k == len(lets):
            return b.block((i64(0), *results))
        let = lets[k]
        if _raised_by(let.op) == AGAIN:
            again = self.caught.want_again(self.clauses)
            (tag,) = b.let(Call(again, (readied(b, let),)), (I64,))
            on = Builder()
            on.lets.append(let)
            goes_on = on.block((i64(0), *self._any(on, ends)))
            test = b.prim("eq", tag, i64(0))
            return b.block(b.let(If(test, goes_on, self._raised(tag, ends)), _types(ends)))
        if _escapes(let.op, self.clauses) and not _is_linear(let.op):
            fine, bare = self._checked(b, let)
            after = [*([bare] if bare is not None else []), *lets[k + 1 :]]
            then = self._rest(after, 0, results, ends)
            return b.block(b.let(If(fine, then, self._raised(let, ends)), _types(ends)))
        return b.block(self._tagged(b, let, lets, k, results, ends))

    def _tagged(
        self, b: Builder, let: Let, lets: Sequence[Let], k: int, results: Sequence[Atom],
        ends: Sequence[End],
    ) -> tuple[Atom, ...]:  # fmt: skip
        """Return an op that gives a number before its results, and what follows it."""
        tag = Var("caught", I64)
        bind(b, self._op(let, ends), (tag, *let.vars))
        ends = _after(let, ends)
        free = all(isinstance(e, Type) for e in ends)
        if free and k == len(lets) - 1 and tuple(results) == let.vars:
            return (tag, *let.vars)
        rest = self._rest(lets, k + 1, results, ends)
        fine = b.prim("eq", tag, i64(0))
        return b.let(If(fine, rest, self._raised(tag, ends)), _types(ends))

    def _raises_somewhere(self, op: Op) -> bool:
        return self._raises(op) or any(self.raises(inner) for _, inner in sub_blocks(op))

    def _any(self, b: Builder, ends: Sequence[End]) -> tuple[Atom, ...]:
        held = (e.before if isinstance(e, Handed) else e for e in ends)
        return tuple(self.any_of(b, e) if isinstance(e, Type) else e for e in held)

    def _raised(self, tag: Atom | Let, ends: Sequence[End]) -> Block:
        """Return the end where something was raised: by an op, or with this number."""
        b = Builder()
        if isinstance(tag, Let):
            name = _raised_by(tag.op) or ""
            number, cls = self.clauses.number(name), self.caught.class_of(name)
            asks = number in self.clauses.asks
            tag = held_number(b, tag, name, cls, number) if asks else i64(number)
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

    def _op(self, let: Let, ends: Sequence[End]) -> Block:
        """Return a block that gives the number, and the results of the op: what its last op
        binds."""
        b, types = Builder(), tuple(v.type for v in let.vars)
        handed = {e.after: e.before for e in ends if isinstance(e, Handed) and e.call is let}

        def arm(block: Block) -> Block:
            """An arm, which gives back what it has not changed where it raises."""
            return self.block(block, [
                (v in handed and self.caught.handed(block, r, handed[v], self.clauses)) or v.type
                for v, r in zip(let.vars, block.results, strict=True)
            ])  # fmt: skip

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
            case Loop(n, i, carried, inits, body) if len(body.results) == len(carried):
                made = caught_loops.rounds(self.block, b, n, i, carried, inits, body)
            case Loop():
                made = caught_loops.emitting(self.block, self.any_of, b, let.op, types)
            case Build(extents, indices, body):
                made = caught_loops.build(self.block, self.any_of, b, extents, indices, body, types)
            case Sum_(extents, indices, body):
                sums = tuple(Var("s", t) for t in types)
                zeros = [lit(0, t) for t in types]

                def add(c: Builder, values: Sequence[Atom]) -> list[Atom]:
                    return [c.prim("add", s, v) for s, v in zip(sums, values, strict=True)]

                made = caught_loops.points(self.block, b, extents, indices, sums, zeros, body, add)
            case While(carried, inits, cond, body):
                made = caught_loops.while_(self.block, b, carried, inits, cond, body)
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
        op = If(fine, then.block((i64(0), *made)), self._raised(tag, types))
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
        inside = then.let(If(failed, self._raised(let, types), done), (I64, *types))
        kept = orelse.let(let.op, types, let.site)
        op = If(finite, then.block(inside), orelse.block((i64(0), *kept)))
        return b.let(op, (I64, *types))


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
