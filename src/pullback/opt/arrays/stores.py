"""Turn a loop that stores every element of an array into a build: its iterations are independent,
and the array is no longer carried, so it may be private to a round of the loops around it.

    loop i < n with a = old. let v = e(i) in a[i] := v   ==>   build i < n. e(i)

where n is the extent of ``a``; on every axis, in nested loops too, the outer one with its own lets:

    loop i < n with a = old. let f... in loop j < m with b = a. b[i, j] := e
        ==>   stack (build i < n. let f... in build j < m. e)

In one iteration the element is a scalar: reading ``a[i]`` gives what was stored there last, before
that ``old[i]``; a branch or a loop that stores there (``c[i, j] += a[i, k] * b[k, j]``) returns or
carries this scalar. Any other use of the array keeps the loop, and so does another carried value.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import cast

from pullback.core.build import Builder, i64
from pullback.core.effects import Effect, EffectsOf
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    If,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Update,
    Var,
    While,
)
from pullback.core.traverse import (
    all_lets,
    free_variables,
    free_variables_of,
    map_blocks,
    substitute,
    uses,
)
from pullback.core.types import Array, Bool, Int, Real, Type
from pullback.opt.arrays.shapes import Shapes, same, stable_arrays
from pullback.opt.dce import drop_dead

MOST_ROUNDS = 4
"""A loop is looked at again when the loops inside store in builds, at most so often."""


def store_in_builds(program: Program) -> Program:
    """Return the program with builds instead of loops that store every element of an array."""
    lets = (let for f in program.functions.values() for let in all_lets(f.body))
    if not any(isinstance(let.op, Update) for let in lets):
        return program
    for _ in range(MOST_ROUNDS):  # what each round stores anew is dead then, and not carried
        walk = _Walk(program)
        functions = {
            name: Function(f.name, f.params, walk.block(f.body), f.results)
            for name, f in program.functions.items()
        }
        if not walk.changed:
            break
        functions = {
            name: Function(f.name, f.params, substitute(f.body, walk.equal), f.results)
            for name, f in functions.items()
        }
        program = drop_dead(Program(functions, program.decls, program.main))
    return program


class _KeptError(Exception):
    """The loop stays as it is."""


@dataclass(frozen=True, slots=True)
class _Stored:
    """An array that a nest of loops stores: its extents, the loops around so far, and what it was
    before, or what its row was before, if the loops around the row have gone by (``rows``)."""

    old: Atom | None  # None: a list that was empty
    extents: tuple[Atom | None, ...]
    loops: tuple[Loop, ...] = ()
    rows: int = 0

    def is_element(self) -> bool:
        return len(self.loops) == len(self.extents)

    def is_at(self, indices: Sequence[Atom]) -> bool:
        """Whether these are the indices of the loops, and each loop covers its axis."""
        return len(indices) == len(self.loops) and all(
            i is x.index and same(x.count, n)
            for i, x, n in zip(indices, self.loops, self.extents, strict=True)
        )


@dataclass(frozen=True, slots=True)
class _Version:
    """What stands for an array in the body of a loop: the number of the array, and its element or
    its row, once there is one."""

    k: int
    now: Atom | None


Versions = dict[Var, _Version]


@dataclass
class _Walk:
    """The walk over a program, outer loops first, since a nest is one build."""

    program: Program
    changed: bool = False
    carried: set[Var] = field(default_factory=set)
    extents: set[Var] = field(default_factory=set)
    equal: dict[Var, Atom] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.effects = EffectsOf(self.program)
        self.shapes = Shapes(stable_arrays(self.program))

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        for let in block.lets:
            if isinstance(let.op, Prim) and let.op.name == "dim":
                self.extents.update(let.vars)
            self.shapes.enter(let.op)
            found = self.made(let, let.op) if isinstance(let.op, Loop) else None
            if found is None:
                if isinstance(let.op, (Loop, While)):
                    self.carried.update(let.op.carried)
                found = [Let(let.vars, map_blocks(let.op, self.block), let.site)]
            else:
                self.changed = True
            for new in found:
                self.shapes.bind(new)
            out += found
        return Block(tuple(out), block.results)

    def made(self, let: Let, op: Loop) -> list[Let] | None:
        """What takes the place of the loop; None: it stays."""
        if len(op.body.results) != len(op.carried) or Effect.CALL in self.effects(op):
            return None
        ends, let, op = _without_counters(let, op)
        if not op.carried or not all(map(_may_be_stored, op.carried)):
            return None
        arrays: list[_Stored] = []
        for a in op.inits:
            extents = tuple(self.shapes.of(a))
            empty = len(extents) == 1 and same(extents[0], i64(0))
            arrays.append(_Stored(None, (op.count,)) if empty else _Stored(a, extents))
        try:
            made = _as_build(let, op, arrays, self.carried)
        except _KeptError:
            return None
        rounds: Atom = op.count
        if ends and rounds not in self.extents and not isinstance(rounds, Lit):
            b = Builder()
            rounds = b.prim("max", rounds, i64(0))
            made = [*b.lets, *made]
        self.equal.update(dict.fromkeys(ends, rounds))
        return made


def _without_counters(let: Let, op: Loop) -> tuple[list[Var], Let, Loop]:
    """The loop without the variables that count its rounds from 0, and what these are after it."""
    ones = {
        x.vars[0]: x.op.args[0] for x in op.body.lets
        if isinstance(x.op, Prim) and x.op.name in ("add", "add.ck") and same(x.op.args[1], i64(1))
    }  # fmt: skip
    stay: list[int] = []
    names: dict[Var, Atom] = {}
    for k, (v, init, end) in enumerate(zip(op.carried, op.inits, op.body.results, strict=True)):
        if same(init, i64(0)) and isinstance(end, Var) and ones.get(end) is v:
            names[v] = op.index
        else:
            stay.append(k)
    carried, inits = tuple(op.carried[k] for k in stay), tuple(op.inits[k] for k in stay)
    body = Block(op.body.lets, tuple(op.body.results[k] for k in stay))
    loop = Loop(op.count, op.index, carried, inits, substitute(body, names))
    ends = [v for v, c in zip(let.vars, op.carried, strict=True) if c in names]
    return ends, Let(tuple(let.vars[k] for k in stay), loop, let.site), loop


def _may_be_stored(v: Var) -> bool:
    return isinstance(v.type, Array) and isinstance(v.type.elem, (Real, Int, Bool, Array))


def _element(v: Var) -> Type:
    assert isinstance(v.type, Array)
    return v.type.elem


def _as_build(
    let: Let, op: Loop, arrays: Sequence[_Stored], carried: Container[Var]
) -> list[Let]:
    """Builds, and a stack of those whose elements are rows."""
    build = _Level(op, arrays, carried).build()
    rows: list[Var] = []
    stacks: list[Let] = []
    for v, s, r in zip(let.vars, arrays, build.body.results, strict=True):
        rest = s.extents[len(s.loops) + 1 :]
        rows.append(Var(v.name, Array(r.type, 1)) if rest else v)
        if rest:
            extents = [n for n in rest if n is not None]
            stacks.append(Let((v,), Prim("stack", (rows[-1], *extents)), let.site))
    return [Let(tuple(rows), build, let.site), *stacks]


class _Level:
    """One loop of a nest. Its body gets scalars for the elements of the arrays that it stores, or
    rows, if loops inside store these."""

    def __init__(
        self, op: Loop, arrays: Sequence[_Stored], carried: Container[Var]
    ) -> None:
        self.op = op
        self.carried = carried
        self.arrays = [replace(s, loops=(*s.loops, op)) for s in arrays]
        self.names: dict[Var, Atom] = {}
        self.full: set[Var] = set()  # the capacities of lists, and whether these are reached
        self.begin = {
            Var(v.name, _element(v)): s
            for v, s in zip(op.carried, self.arrays, strict=True)
            if s.is_element()
        }

    def build(self) -> Build:
        elements = iter(self.begin)
        versions = {
            v: _Version(k, next(elements) if s.is_element() else None)
            for k, (v, s) in enumerate(zip(self.op.carried, self.arrays, strict=True))
        }
        lets = self.lets(self.op.body, versions)
        ends = self.ends(self.op.body, versions, range(len(self.arrays)))
        if not self.begin.keys().isdisjoint(ends):
            raise _KeptError
        body = substitute(Block(lets, ends), self.names)
        found = uses(body)
        if not self.full.isdisjoint(found):
            raise _KeptError
        before = [self.at_begin(v, s) for v, s in self.begin.items() if v in found]
        whole = Block((*before, *body.lets), body.results)
        return Build((self.op.count,), (self.op.index,), whole)

    def at_begin(self, v: Var, s: _Stored) -> Let:
        """The element as it was before the loops."""
        if s.old is None or s.old in self.carried:  # in place, it needs no second array
            raise _KeptError
        return Let((v,), Index(s.old, tuple(x.index for x in s.loops[s.rows :]), False))

    def now(self, a: Atom) -> Atom:
        """The number that has taken the place of an element that is read."""
        return self.names.get(a, a) if isinstance(a, Var) else a

    def lets(self, block: Block, versions: Versions) -> tuple[Let, ...]:
        """The lets of the block without the arrays, whose last versions are in ``versions``."""
        return tuple(new for let in block.lets for new in self.let(let, let.op, versions))

    def ends(
        self, block: Block, versions: Versions, which: Iterable[int | None]
    ) -> tuple[Atom, ...]:
        """The results of the block with elements or rows for versions of these arrays."""
        out: list[Atom] = []
        for a, k in zip(block.results, which, strict=True):
            end = versions.get(a) if isinstance(a, Var) else None
            if (end and end.k) != k or (end and end.now is None):
                raise _KeptError
            out.append(end.now if end and end.now is not None else a)
        return tuple(out)

    def let(self, let: Let, op: Op, versions: Versions) -> Sequence[Let]:
        match op:
            case Index(Var() as a, indices, False) if a in versions:
                return self.read(let, versions[a], indices)
            case Update(Var() as a, indices, value, False) if a in versions:
                k = versions[a].k
                if not (self.arrays[k].is_element() and self.arrays[k].is_at(indices)):
                    raise _KeptError
                versions[let.vars[0]] = _Version(k, self.now(value))
                return ()
            case Loop(_, _, _, inits, _) if not versions.keys().isdisjoint(inits):
                return self.loop(let, op, versions)
            case Prim("dim", (Var() as a,)) if a in versions and self.is_list(versions[a].k):
                self.full.update(let.vars)
                return ()
            case Prim("eq", (i, n)) if i is self.op.index and n in self.full:
                self.full.update(let.vars)
                return ()
            case If(cond, then, Block((), (Var() as a,))) if cond in self.full and a in versions:
                if not _grows(then, a, self.op.index):
                    raise _KeptError
                versions[let.vars[0]] = versions[a]
                return ()
            case If() if not versions.keys().isdisjoint(free_variables_of(op)):
                return (self.branch(let, op, versions),)
            case _ if versions.keys().isdisjoint(free_variables_of(op)):
                return (let,)
        raise _KeptError

    def is_list(self, k: int) -> bool:
        return self.arrays[k].old is None

    def read(self, let: Let, version: _Version, indices: tuple[Atom, ...]) -> Sequence[Let]:
        s, now = self.arrays[version.k], version.now
        if now is None:
            raise _KeptError
        if s.is_element() and s.is_at(indices):
            self.names[let.vars[0]] = now
            return ()
        depth = len(s.loops)
        own = replace(s, extents=s.extents[:depth])
        if s.is_element() or not own.is_at(indices[:depth]):
            raise _KeptError
        return (Let(let.vars, Index(now, indices[depth:], False), let.site),)

    def branch(self, let: Let, op: If, versions: Versions) -> Let:
        """A branch that stores in some of its arms."""
        inside = [dict(versions), dict(versions)]
        lets = [self.lets(arm, v) for arm, v in zip((op.then, op.orelse), inside, strict=True)]
        which = [_of(a, inside[0]) for a in op.then.results]
        then = Block(lets[0], self.ends(op.then, inside[0], which))
        orelse = Block(lets[1], self.ends(op.orelse, inside[1], which))
        found = self.bound(let.vars, which, then.results, versions)
        return Let(found, If(op.cond, then, orelse), let.site)

    def loop(self, let: Let, op: Loop, versions: Versions) -> Sequence[Let]:
        """A loop inside: it stores the rows of arrays, or goes on with their elements."""
        if not versions.keys().isdisjoint(free_variables(op.body)):
            raise _KeptError
        which = [_of(a, versions) for a in op.inits]
        if any(k is not None and not self.arrays[k].is_element() for k in which):
            return self.rows(let, op, versions)
        inits = self.ends(Block((), op.inits), versions, which)
        inside: Versions = {}
        carried = self.bound(op.carried, which, inits, inside)
        lets = self.lets(op.body, inside)
        more = len(op.body.results) - len(which)
        body = Block(lets, self.ends(op.body, inside, (*which, *[None] * more)))
        found = self.bound(let.vars, (*which, *[None] * more), body.results, versions)
        return (Let(found, Loop(op.count, op.index, carried, inits, body), let.site),)

    def rows(self, let: Let, op: Loop, versions: Versions) -> Sequence[Let]:
        """A loop inside that stores the rows of arrays."""
        arrays: list[_Stored] = []
        for a in op.inits:
            if not isinstance(a, Var) or a not in versions:
                raise _KeptError
            s, row = self.arrays[versions[a].k], versions[a].now
            if s.is_element():
                raise _KeptError
            arrays.append(s if row is None else replace(s, old=row, rows=len(s.loops)))
        rows: list[Var] = []
        for v, a, s in zip(let.vars, op.inits, arrays, strict=True):
            t = Array(_element(v), len(s.extents) - len(s.loops))
            rows.append(Var(v.name, t))
            versions[v] = _Version(versions[cast(Var, a)].k, rows[-1])
        return _as_build(Let(tuple(rows), op, let.site), op, arrays, self.carried)

    def bound(
        self, old: Sequence[Var], which: Sequence[int | None], now: Sequence[Atom],
        versions: Versions,
    ) -> tuple[Var, ...]:  # fmt: skip
        """These variables, or for versions of arrays those of their elements."""
        out: list[Var] = []
        for v, k, a in zip(old, which, now, strict=True):
            out.append(v if k is None else Var(v.name, a.type))
            if k is not None:
                versions[v] = _Version(k, out[-1])
        return tuple(out)


def _grows(block: Block, a: Var, count: Var) -> bool:
    """Whether the block gives a list more room: the first ``count`` items are those of ``a``."""
    *_, last = block.lets
    if not isinstance(last.op, Build) or last.vars != block.results or len(last.op.indices) > 1:
        return False
    (i,), body = last.op.indices, last.op.body
    match [x.op for x in body.lets]:
        case [Prim("lt", (at, n)), If(_, Block((read,), kept), _) as choice]:
            lets = body.lets
            return (
                (at, n, choice.cond, lets[1].vars) == (i, count, lets[0].vars[0], body.results)
                and isinstance(read.op, Index) and read.op.array is a
                and read.op.indices == (i,) and read.vars == kept
            )  # fmt: skip
        case _:
            return False


def _of(a: Atom, versions: Versions) -> int | None:
    """The number of the array of which this is a version."""
    return versions[a].k if isinstance(a, Var) and a in versions else None
