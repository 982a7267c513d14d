"""Where arrays flow: which are updated later on, and which share one accumulator.

``consumed``: a value read from such an array cannot be read again after the update, so the reverse
sweep keeps the value. ``versions_of``: an update gives a new version of the same array; all
versions share the accumulator of the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pullback.core.consumption import Summary, is_inside
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
    """Where arrays flow without being copied.

    ``same``: names of the same memory; ``moves``: v may be r afterwards; ``updated``: what an
    update or a callee takes; ``dug``: inside of whose elements it makes updates (``refills``: that
    replace whole arrays there); ``linked``: names whose accumulators belong together."""

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
            case _:
                pass


def flow_of(function: Function, summary: Summaries) -> Flow:
    """The flow of arrays in a function."""
    flow = Flow(summary)
    flow.block(function.body)
    return flow


def consumed_arrays(flow: Flow, everything: Iterable[Var]) -> set[Var]:
    """The variables whose memory an update changes at some time after they are bound."""
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
    """Groups of variables that may share storage with what is updated inside of its elements:
    the rows of a table, and what is made to be one."""
    if not flow.dug:
        return []
    sharing = Sharing()
    sharing.block(function.body)
    groups: dict[Var, list[Var]] = {}
    for v in sharing.of(flow.dug):
        groups.setdefault(sharing.find(v), []).append(v)
    return list(groups.values())


def updated_groups(flow: Flow) -> list[list[Var]]:
    """Groups of variables that can be versions of one updated array: active together."""
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
    """Arrays that are later versions of another one (by updates, through branches and loops),
    each with the first version: they share its accumulator."""
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
    """Whether the array has the same accumulators after the update: unless it gets a new row."""
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
    """All variables bound in a block and in the blocks inside it."""
    for let in block.lets:
        yield from let.vars
        for bound, sub in sub_blocks(let.op):
            yield from bound
            yield from block_vars(sub)
