"""Where arrays flow: which of them are updated later, and which share one accumulator.

After an update of an array in ``consumed``, a value that was read from it cannot be read again, so
the reverse sweep keeps the value. An update returns a new version of the same array
(``versions_of``); all versions share the accumulator of the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pullback.core.consumption import Summary, is_inside
from pullback.core.frozen import dataclass, field
from pullback.core.prims import ALIASES
from pullback.core.sharing import Sharing
from pullback.core.terms import (
    Atom,
    Block,
    Call,
    Case,
    Function,
    If,
    Let,
    Loop,
    Prim,
    Ruled,
    Update,
    Var,
    While,
    sub_blocks,
)
from pullback.core.types import Array

Summaries = Callable[[str], Summary]
"""Which parameters a function consumes and hands through."""


@dataclass
class Flow:
    """The flow of arrays without copies in a function.

    same      names of the same memory
    moves     for a variable, the variables that may be the same array afterwards
    updated   the arrays that an update or a callee consumes
    dug       the arrays inside of whose elements it makes updates
    refills   whether such an update replaces a whole array inside of an element
    linked    pairs of names whose accumulators belong together
    """

    summary: Summaries
    same: dict[Var, Var] = field(default_factory=dict)
    moves: dict[Var, list[Var]] = field(default_factory=dict)
    updated: list[Var] = field(default_factory=list)
    dug: list[Var] = field(default_factory=list)
    refills: bool = False
    linked: list[tuple[Var, Var]] = field(default_factory=list)

    def root(self, v: Var) -> Var:
        """The representative of the variables that name the same memory."""
        while v in self.same:
            v = self.same[v]
        return v

    def move(self, source: Atom, target: Var) -> None:
        if isinstance(source, Var) and isinstance(source.type, Array):
            self.moves.setdefault(source, []).append(target)
            self.linked.append((source, target))

    def block(self, block: Block) -> None:
        for let in block.lets:
            self.let(let)
            for _, sub in sub_blocks(let.op):
                self.block(sub)

    def let(self, let: Let) -> None:
        match let.op:
            case Update(array, _, _, _) if isinstance(array, Var):
                self.linked.append((array, let.vars[0]))
                if is_inside(let.op):  # the outer array is as it was
                    self.dug.append(array)
                    self.move(array, let.vars[0])
                    self.moves.setdefault(let.vars[0], []).append(array)  # they share handles
                    self.refills = self.refills or not keeps_handles(let.op)
                else:
                    self.updated.append(array)
            case Prim(name, args) if (
                name in ALIASES and isinstance(args[0], Var) and isinstance(args[0].type, Array)
            ):
                self.same[let.vars[0]] = args[0]
                if name != "stop_gradient":
                    self.linked.append((args[0], let.vars[0]))
            case If() | Case():
                for _, block in sub_blocks(let.op):
                    for v, a in zip(let.vars, block.results, strict=True):
                        self.move(a, v)
            case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                for c, i, r, v in zip(carried, inits, body.results, let.vars, strict=False):
                    self.move(i, c)
                    self.move(r, c)
                    self.move(r, v)
                    self.move(i, v)
            case Call(name, args):
                summary = self.summary(name)
                for k, a in enumerate(args):
                    if k in summary.consumes and isinstance(a, Var):
                        self.updated.append(a)
                        self.dug += [a] if k in summary.digs else []
                        self.refills = self.refills or k in summary.digs
                        # the array may come back as any result
                        self.linked += [(a, v) for v in let.vars if isinstance(v.type, Array)]
                for v, through in zip(let.vars, summary.returns, strict=True):
                    for k in through:
                        self.move(args[k], v)
            case Ruled(_, args):
                for v in let.vars:
                    for a in args if isinstance(v.type, Array) else ():
                        self.move(a, v)
            case _:
                pass


def flow_of(function: Function, summary: Summaries) -> Flow:
    """The flow of arrays in a function."""
    flow = Flow(summary)
    flow.block(function.body)
    return flow


def consumed_arrays(flow: Flow, everything: Iterable[Var]) -> set[Var]:
    """Return the variables whose memory an update changes after they are bound."""
    back: dict[Var, list[Var]] = {}
    for source, targets in flow.moves.items():
        for target in targets:
            back.setdefault(flow.root(target), []).append(flow.root(source))
    roots: set[Var] = set()
    work = [flow.root(v) for v in flow.updated]
    while work:
        v = work.pop()
        if v not in roots:
            roots.add(v)
            work.extend(back.get(v, ()))
    return {v for v in everything if flow.root(v) in roots}


def dug_groups(function: Function, flow: Flow) -> list[list[Var]]:
    """Return groups of variables that may share storage with an array that is updated inside of its
    elements: the rows of a table, and arrays that become rows."""
    if not flow.dug:
        return []
    sharing = Sharing()
    sharing.block(function.body)
    groups: dict[Var, list[Var]] = {}
    for v in sharing.of(flow.dug):
        groups.setdefault(sharing.find(v), []).append(v)
    return list(groups.values())


def updated_groups(flow: Flow) -> list[list[Var]]:
    """Return groups of variables that can be versions of one array; they are active together."""
    parent: dict[Var, Var] = {}

    def find(v: Var) -> Var:
        parent.setdefault(v, v)
        while parent[v] is not v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for a, b in flow.linked:
        parent[find(a)] = find(b)
    touched = {find(a) for a in flow.updated}
    groups: dict[Var, list[Var]] = {}
    for v in list(parent):
        groups.setdefault(find(v), []).append(v)
    return [group for root, group in groups.items() if root in touched]


# -- versions -----------------------------------------------------------------------------------


def versions_of(function: Function) -> dict[Var, Var]:
    """Map every array that is a later version of another one (by updates, through branches and
    loops) to the first version, whose accumulator it shares."""
    first: dict[Var, Var] = {}
    _versions(function.body, first)
    return {v: _first(first, v) for v in first}


def _first(first: dict[Var, Var], v: Var) -> Var:
    while v in first:
        v = first[v]
    return v


def _versions(block: Block, first: dict[Var, Var]) -> None:
    for let in block.lets:
        for _, sub in sub_blocks(let.op):
            _versions(sub, first)
        match let.op:
            case Update(array, _, _, _) if isinstance(array, Var) and keeps_handles(let.op):
                first[let.vars[0]] = array
            case If() | Case():
                _joined(let, [sub for _, sub in sub_blocks(let.op)], first)
            case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                for c, i, r, v in zip(carried, inits, body.results, let.vars, strict=False):
                    if (
                        isinstance(c.type, Array) and isinstance(i, Var) and isinstance(r, Var)
                        and _first(first, r) is c
                    ):
                        first[c] = i
                        first[v] = i
            case _:
                pass


def keeps_handles(op: Update) -> bool:
    """Whether the array has the same accumulators after the update; it has not if it gets a new
    row."""
    return not isinstance(op.value.type, Array)


def _joined(let: Let, blocks: list[Block], first: dict[Var, Var]) -> None:
    """The result of a branch is a version of an outer array if it is so in every arm."""
    inside = {v for block in blocks for v in block_vars(block)}
    inside.update(v for bound, _ in sub_blocks(let.op) for v in bound)
    for k, v in enumerate(let.vars):
        roots = {
            _first(first, r) if isinstance(r, Var) else None
            for r in (block.results[k] for block in blocks)
        }
        root = roots.pop()
        if isinstance(v.type, Array) and not roots and root is not None and root not in inside:
            first[v] = root


def block_vars(block: Block) -> Iterable[Var]:
    """Yield all variables that are bound in a block and in the blocks inside of it."""
    for let in block.lets:
        yield from let.vars
        for bound, sub in sub_blocks(let.op):
            yield from bound
            yield from block_vars(sub)
