"""Allocate accumulators in the reverse sweep, where the forward sweep does not need their handles.

    f.fwd(x, h):  a = ...; h' = acc_new(n); y, r = f.fwd(a, h'); return y, R(h, h', r)
    f.rev(R(h, h', r)):  ... f.rev(r) ...
    ==>   f.fwd(x):  a = ...; y, r = f.fwd(a); return y, R(r)
          f.rev(R(r), h):  h' = acc_new(n); ... f.rev(r, h') ...

The forward sweep numbers the cells of an array so that the number can travel with the array into
data, through loops and out of calls. An array that is only read and passed to calls does not need
that: the caller of the reverse half has the accumulator, and passes it. So a recursion keeps no
handles, and the cells of a call whose reverse is done serve the next call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from pullback.ad.activity import Facts
from pullback.core.frozen import dataclass, field
from pullback.core.prims import TABLE
from pullback.core.rows import Mark
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Inject,
    Let,
    Loop,
    Prim,
    Update,
    Var,
    While,
    sub_blocks,
)
from pullback.core.types import Array, Real

Key = tuple[str, tuple[bool, ...], bool]
"""A function, which of its parameters are active, and whether its arrays are updated later."""


class Program(Protocol):
    """The questions that this analysis asks about the program."""

    functions: dict[str, Function]

    def analysed(self, name: str, mask: tuple[bool, ...], volatile: bool) -> Facts: ...

    def recursive(self, name: str) -> bool: ...


@dataclass
class ReverseOnly:
    """For each function and each set of active parameters, the arrays without handles in the
    forward sweep."""

    program: Program
    known: dict[Key, frozenset[Var]] = field(default_factory=dict)

    def arrays(self, key: Key) -> frozenset[Var]:
        """Return these arrays of a function, parameters among them."""
        if key not in self.known:
            self._settle(key)
        return self.known[key]

    def given(self, key: Key) -> tuple[bool, ...]:
        """Return for each parameter whether the reverse half gets its handle from the caller."""
        found = self.arrays(key)
        return tuple(p in found for p in self.program.functions[key[0]].params)

    def _settle(self, key: Key) -> None:
        """Assume all arrays to be reverse-only until a use is found that needs the handle forward.
        (A parameter that a recursion only passes on is reverse-only.)"""
        told: dict[Key, set[Var]] = {key: set()}
        grown = True
        while grown:
            size = sum(map(len, told.values())), len(told)
            for k in list(told):
                self._look(k, told)
            grown = size != (sum(map(len, told.values())), len(told))
        self.known.update((k, self._look(k, told).found()) for k in told)

    def _look(self, key: Key, told: dict[Key, set[Var]]) -> _Uses:
        name, mask, _ = key
        function = self.program.functions[name]
        facts = self.program.analysed(*key)

        def forward(let: Let, op: Call, at: int) -> bool:
            """Whether the forward half of a callee needs the handle of an argument."""
            on = tuple(a in facts.active for a in op.args)
            later = any(a in facts.consumed for a in (*op.args, *let.vars))
            callee: Key = (op.function, on, later)
            if callee in self.known:
                return not self.given(callee)[at]
            return self.program.functions[op.function].params[at] in told.setdefault(callee, set())

        uses = _Uses(facts, forward, self.program.recursive(name))
        uses.function(function, mask)
        told[key].update(p for p in function.params if uses.is_told(p))
        return uses


@dataclass
class _Uses:
    """The uses of the active arrays of reals in one function.

    same    views and versions, each with the array that they belong to
    told    arrays whose handles flow somewhere in the forward sweep
    passed  arguments of calls, and parameters; in a recursion, all arrays that it builds
    """

    facts: Facts
    forward: Callable[[Let, Call, int], bool]
    recursive: bool
    same: dict[Var, Var] = field(default_factory=dict)
    told: set[Var] = field(default_factory=set)
    passed: set[Var] = field(default_factory=set)
    bound: list[Var] = field(default_factory=list)

    def function(self, function: Function, mask: tuple[bool, ...]) -> None:
        for p, on in zip(function.params, mask, strict=True):
            if self.candidate(p):
                (self.passed if on else self.told).add(p)
                self.bound.append(p)
        self.block(function.body)
        self.tell(function.body.results)

    def candidate(self, a: Atom) -> bool:
        t = a.type
        return isinstance(t, Array) and isinstance(t.elem, Real) and a in self.facts.active

    def root(self, v: Var) -> Var:
        while v in self.same:
            v = self.same[v]
        return v

    def is_told(self, v: Var) -> bool:
        return self.root(v) in {self.root(x) for x in self.told}

    def found(self) -> frozenset[Var]:
        told = {self.root(v) for v in self.told}
        passed = {self.root(v) for v in self.passed}
        return frozenset(v for v in self.bound if self.root(v) in passed - told)

    def tell(self, some: Iterable[Atom]) -> None:
        self.told.update(a for a in some if isinstance(a, Var) and self.candidate(a))

    def block(self, block: Block) -> None:
        for let in block.lets:
            for bound, sub in sub_blocks(let.op):
                self.bind(bound)
                self.block(sub)
            self.let(let)
            view = any(v in self.same for v in let.vars)
            self.bind(let.vars, isinstance(let.op, Build) or view)

    def bind(self, some: Iterable[Var], made: bool = False) -> None:
        """Note the variables whose handles are those of other variables, are new, or come from the
        forward sweep."""
        for v in some:
            if self.candidate(v):
                self.bound.append(v)
                first = self.facts.versions.get(v)
                if first is not None:
                    self.same[v] = first
                elif not made:
                    self.told.add(v)
                elif self.recursive:
                    self.passed.add(v)

    def let(self, let: Let) -> None:
        match let.op:
            case Prim(name, args) if let.vars and TABLE[name].partial(0) is Mark.VIEW:
                (v,) = let.vars
                if self.candidate(v) and isinstance(args[0], Var):
                    self.same[v] = args[0]
            case Inject(_, _, fields):
                self.tell(fields)
            case Update(_, _, value, _):
                self.tell((value,))
            case If() | Case():
                for _, block in sub_blocks(let.op):
                    self.handed_on(let.vars, block.results)
            case Build(_, _, body):
                self.tell(body.results)
            case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                n = len(carried)
                self.handed_on(carried, inits)
                self.handed_on(carried, body.results[:n])
                self.tell(body.results[n:])
            case Call(_, args):
                for at, a in enumerate(args):
                    if isinstance(a, Var) and self.candidate(a):
                        (self.told if self.forward(let, let.op, at) else self.passed).add(a)
            case _:
                pass

    def handed_on(self, targets: tuple[Var, ...], some: tuple[Atom, ...]) -> None:
        """Note that handles flow on as ``targets``, unless a target is a version of the same array.
        """
        for v, a in zip(targets, some, strict=True):
            if v not in self.facts.versions:
                self.tell((a,))


__all__ = ["ReverseOnly"]
