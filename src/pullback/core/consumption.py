"""Which arrays an op consumes, and whether any array is used after it was consumed.

``Update`` is done in place, so the array that it takes is gone afterwards, under every name that
it may have: a view, the result of a branch, loop or call that may hand it through. Arrays inside
data (tuples, nodes, arrays of arrays) are not followed: what ``convert`` takes out of data to
update it, it owns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from pullback.core.call_graph import call_order
from pullback.core.frozen import dataclass
from pullback.core.prims import ALIASES, REQUIRE
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    Update,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import callees
from pullback.core.types import Array, Type, levels

Roots = dict[Var, frozenset[Var]]
"""The arrays whose storage a variable may share; a variable that is not listed has itself."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a function: the parameters that it consumes, for each result the parameters
    that it may be, the consumed parameters in whose elements it may make updates, and whether it
    raises in any case."""

    consumes: frozenset[int]
    returns: tuple[frozenset[int], ...]
    digs: frozenset[int] = frozenset()
    fails: bool = False


Summaries = dict[str, Summary]


def roots_of(a: Atom, roots: Roots) -> frozenset[Var]:
    """The arrays whose storage an atom may share."""
    if isinstance(a, Var) and isinstance(a.type, Array):
        return roots.get(a) or frozenset({a})
    return frozenset()


def visit(x: Let, known: Summaries, roots: Roots, caught: bool = False) -> set[Var]:
    """The arrays from outside the op that it consumes. Notes in ``roots`` what the variables
    bound by it and inside it may share. Arms that raise in any case count only if what they raise
    may be ``caught``: else nobody can use anything afterwards."""
    op = x.op
    out: set[Var] = set()
    for bound, b in sub_blocks(op):
        inner = visit_block(b, known, roots, caught)
        if isinstance(op, (Loop, While)):
            for v, init in zip(op.carried, op.inits, strict=True):
                if v in inner:
                    out |= roots_of(init, roots)
        if caught or not (inner and isinstance(op, (If, Case)) and always_fails(b, known)):
            out |= inner - set(bound)
    if isinstance(op, Update):
        out |= roots_of(op.array, roots)
    for summary, args in _calls(op, known):
        for i in summary.consumes:
            if i < len(args):
                out |= roots_of(args[i], roots)
    if any(isinstance(v.type, Array) for v in x.vars):
        parts = _parts(op)
        for i, v in enumerate(x.vars):
            if isinstance(v.type, Array):
                roots[v] = (_shared(op, parts, i, known, roots) - out) | {v}
    return out


def always_fails(b: Block, known: Summaries) -> bool:
    """Whether a block raises in any case, as far as it and the functions that it calls tell."""
    for x in b.lets:
        match x.op:
            case Prim(name, (Lit(False), *_)) if name in REQUIRE:
                return True
            case If() | Case() if all(always_fails(inner, known) for _, inner in sub_blocks(x.op)):
                return True
            case Call(f) if f in known and known[f].fails:
                return True
            case _:
                pass
    return False


def visit_block(b: Block, known: Summaries, roots: Roots, caught: bool = False) -> set[Var]:
    """The arrays from outside the block that it consumes."""
    out: set[Var] = set()
    for x in b.lets:
        out |= visit(x, known, roots, caught)
    for x in b.lets:
        out.difference_update(x.vars)
    return out


def may_be_consumed(b: Block) -> tuple[set[Var], Roots]:
    """The arrays from outside the block that it consumes, or gives to a function (those may be),
    and the roots of its variables."""
    roots: Roots = {}
    out = visit_block(b, {}, roots, caught=True)
    todo = [b]
    while todo:
        for x in todo.pop().lets:
            todo.extend(inner for _, inner in sub_blocks(x.op))
            if isinstance(x.op, Call):
                out |= {v for a in x.op.args for v in roots_of(a, roots)}
    return out, roots


def _calls(op: Op, known: Summaries) -> list[tuple[Summary, tuple[Atom, ...]]]:
    """The functions that an op may call, with the arguments."""
    match op:
        case Call(f, args):
            return [(known[f], args)] if f in known else []
        case _:
            return []


_Parts = list[tuple[Block, set[Var]]]
"""The blocks of an op, with the variables that each of them defines."""


def _parts(op: Op) -> _Parts:
    return [(b, {v for x in b.lets for v in x.vars}.union(own)) for own, b in sub_blocks(op)]


def _shared(op: Op, parts: _Parts, i: int, known: Summaries, roots: Roots) -> frozenset[Var]:
    """Return the arrays whose storage result ``i`` of an op may share, seen from outside."""
    match op:
        case Prim(name, args, _) if name in ALIASES:
            return roots_of(args[0], roots)
        case If() | Case():
            return _outer(parts, i, roots)
        case Loop(_, _, carried, inits, _) | While(carried, inits, _, _):
            if i >= len(carried):
                return frozenset()
            return (_outer(parts, i, roots) - set(carried)) | roots_of(inits[i], roots)
        case Call():
            out: frozenset[Var] = frozenset()
            for summary, args in _calls(op, known):
                for k in summary.returns[i] if i < len(summary.returns) else ():
                    out |= roots_of(args[k], roots)
            return out
        case _:
            return frozenset()


def _outer(parts: _Parts, i: int, roots: Roots) -> frozenset[Var]:
    """Return the outer arrays whose storage result ``i`` of the op's blocks shares."""
    out: frozenset[Var] = frozenset()
    for b, inside in parts:
        if i < len(b.results):
            out |= roots_of(b.results[i], roots) - inside
    return out


@lru_cache(maxsize=8)
def summaries(program: Program) -> Summaries:
    """The summary of every function: the least fixed point over the call graph."""
    found = {
        f.name: Summary(frozenset(), (frozenset(),) * len(f.results))
        for f in program.functions.values()
    }
    callers: dict[str, set[str]] = {name: set() for name in found}
    for fn in program.functions.values():
        for name in callees(fn):
            callers[name].add(fn.name)
    todo = dict.fromkeys(reversed(call_order(program)))  # callees are taken first
    while todo:
        name, _ = todo.popitem()
        now = summary_of(program.functions[name], found)
        if now != found[name]:
            found[name] = now
            todo.update(dict.fromkeys(callers[name]))
    return found


def summary_of(fn: Function, known: Summaries, caught: bool = False) -> Summary:
    """The summary of a function, given those of what it calls."""
    roots: Roots = {}
    consumed = visit_block(fn.body, known, roots, caught)
    fails = always_fails(fn.body, known)
    if fails and not caught:
        consumed = set()
    returns = tuple(
        frozenset(i for i, p in enumerate(fn.params) if p in roots_of(r, roots))
        for r in fn.body.results
    )
    consumes = frozenset(i for i, p in enumerate(fn.params) if p in consumed)
    nested = frozenset(i for i in consumes if _is_nested(fn.params[i].type))
    if not nested or not _digs(fn.body, known):
        return Summary(consumes, returns, fails=fails)
    return Summary(consumes, returns, nested, fails)


def _digs(block: Block, known: Summaries) -> bool:
    """Whether there are updates inside of elements."""
    return any(
        (isinstance(x.op, Update) and is_inside(x.op))
        or any(summary.digs for summary, _ in _calls(x.op, known))
        or any(_digs(b, known) for _, b in sub_blocks(x.op))
        for x in block.lets
    )


def is_inside(op: Update) -> bool:
    """Whether the update is one inside of an element that is an array."""
    return len(levels(op.array.type, op.indices)) > 1


def _is_nested(t: Type) -> bool:
    return isinstance(t, Array) and isinstance(t.elem, Array)


def consumed_params(program: Program) -> dict[str, frozenset[int]]:
    """Per function, the parameters that it consumes."""
    return {f: s.consumes for f, s in summaries(program).items()}


# --- use after consumption ------------------------------------------------------------------------

Problem = tuple[Function, Let | None, str]


def misuses(program: Program) -> Iterator[Problem]:
    """Yield every use of an array after it was consumed, and the consumptions that are wrong in any
    order of execution."""
    known = summaries(program)
    for fn in program.functions.values():
        for x, message in _Uses(known).block(fn.body, set()):
            yield fn, x, message
    main = program.functions[program.main]
    for i in known[program.main].consumes:
        yield main, None, f"main consumes its parameter {main.params[i].name}"


class _Uses:
    def __init__(self, known: Summaries) -> None:
        self.known = known
        self.roots: Roots = {}

    def read(self, a: Atom, dead: set[Var]) -> Iterator[str]:
        if roots_of(a, self.roots) & dead:
            assert isinstance(a, Var)
            yield f"array {a.name} (id {a.id}) is used after it was consumed"

    def block(self, b: Block, dead: set[Var]) -> Iterator[tuple[Let | None, str]]:
        """Walks in execution order; ``dead`` grows."""
        for x in b.lets:
            for a in atoms(x.op):
                for message in self.read(a, dead):
                    yield x, message
            for _, inner in sub_blocks(x.op):
                yield from self.block(inner, set(dead))
            consumed = visit(x, self.known, self.roots)
            if consumed:
                for message in self.consumption(x.op, consumed):
                    yield x, message
            if isinstance(x.op, (Loop, While)):
                for message in self.next_pass(x.op):
                    yield x, message
            dead |= consumed
        for a in b.results:
            for message in self.read(a, dead):
                yield None, message

    def consumption(self, op: Op, consumed: set[Var]) -> Iterator[str]:
        """An op consumes an array once, under one name; a loop only what it carries."""
        given = [r for a in atoms(op) for r in roots_of(a, self.roots)]
        twice = {v for v in consumed if given.count(v) > 1}
        for v in twice:
            yield f"array {v.name} (id {v.id}) is consumed and given to the same op again"
        if isinstance(op, (Build, Sum_, Loop, While)):
            inside = {r for v in _reads(op) for r in roots_of(v, self.roots)}
            for v in consumed & inside:
                yield f"array {v.name} (id {v.id}) is consumed by a loop that captures it"

    def next_pass(self, op: Loop | While) -> Iterator[str]:
        """Check that an array which the next iteration of a loop updates belongs to nobody else."""
        body = op.body
        inner = visit_block(body, self.known, self.roots)
        own = {v for x in body.lets for v in x.vars}.union(op.carried)
        results = [roots_of(r, self.roots) for r in body.results]
        for j, v in enumerate(op.carried):
            if v not in inner:
                continue
            if results[j] - own:
                yield f"the next {v.name} is a captured array: the next pass would consume it"
            if any(results[j] & r for k, r in enumerate(results) if k != j):
                yield f"the next {v.name} is also another result: the next pass would consume it"


def _reads(op: Op) -> set[Var]:
    """The variables that the blocks of an op read."""
    out: set[Var] = set()
    todo: list[Block] = [b for _, b in sub_blocks(op)]
    while todo:
        b = todo.pop()
        out.update(_vars(b.results))
        for x in b.lets:
            out.update(_vars(atoms(x.op)))
            todo.extend(inner for _, inner in sub_blocks(x.op))
    return out


def _vars(xs: Sequence[Atom]) -> list[Var]:
    return [a for a in xs if isinstance(a, Var)]
