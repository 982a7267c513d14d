"""Which arrays functions and blocks consume, and which arrays are later versions of which.

    b = a[i] := v        consumes a; b is a version of a
    c, d = f(b, x)       and so is c, if f gives what has become of its first parameter

Of functions this is known as far as they are complete: they are looked at while others are being
run that they may call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from pullback.core.consumption import Roots, Summaries, Summary, summary_of, visit_block
from pullback.core.frozen import dataclass, field
from pullback.core.prims import ALIASES
from pullback.core.terms import (
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
from pullback.core.traverse import all_lets, free_variables_of
from pullback.core.types import Array


@dataclass(slots=True)
class ArrayVersions:
    """What is known of complete functions. ``complete`` gives the one of a name, None if it is
    being run; a version of it that catches has more results before those of the function."""

    complete: Callable[[str], Function | None]
    consumes: dict[Function, Summary] = field(default_factory=dict)
    becomes: dict[Function, tuple[int | None, ...]] = field(default_factory=dict)
    """For each result the parameter of which it is a version."""

    def consumed_inside(self, let: Let) -> list[Var]:
        """Return the arrays from outside that the blocks of an op consume; a function that is not
        complete may consume what it gets."""
        known = self._summaries(Block((let,), ()))
        roots: Roots = {}
        inside: set[Var] = set()
        for bound, inner in sub_blocks(let.op):
            inside |= visit_block(inner, known, roots, caught=True) - set(bound)
        return [v for v in free_variables_of(let.op) if v in inside]

    def _summaries(self, block: Block) -> Summaries:
        """Return what the functions consume that a block calls, and those that these call."""
        found: Summaries = {}
        made: dict[str, Function] = {}
        complete, todo = True, [block]
        while todo:
            for let in all_lets(todo.pop()):
                if not isinstance(let.op, Call) or let.op.function in found:
                    continue
                name, function = let.op.function, self.complete(let.op.function)
                if function is None:
                    complete = False
                    found[name] = Summary(frozenset(range(len(let.op.args))), ())
                elif function in self.consumes:
                    found[name] = self.consumes[function]
                else:
                    made[name] = function
                    found[name] = Summary(frozenset(), ())
                    todo.append(function.body)
        settled = False
        while not settled:
            settled = True
            for name, function in made.items():
                summary = replace(summary_of(function, found, caught=True), returns=())
                settled &= summary == found[name]
                found[name] = summary
        if complete:
            self.consumes.update((function, found[name]) for name, function in made.items())
        return found

    def later(self, first: Iterable[Var], block: Block) -> Mapping[Var, Var]:
        """Return of which of these arrays the variables of a block are versions."""
        known = {v: v for v in first if isinstance(v.type, Array)}
        self._follow(block, known)
        return known

    def _follow(self, block: Block, known: dict[Var, Var]) -> None:
        for let in block.lets:
            if not any(isinstance(v.type, Array) for v in let.vars):
                continue
            for v, olds in zip(let.vars, self._before(let, known), strict=False):
                found = next((known[a] for a in olds if isinstance(a, Var) and a in known), None)
                if found is not None:
                    known[v] = found

    def _before(self, let: Let, known: dict[Var, Var]) -> Iterable[Iterable[object]]:
        """Return for each result of an op what it may be a version of."""
        match let.op:
            case Update(array):
                return [(array,)]
            case Prim(name, (array, *_)) if name in ALIASES:
                return [(array,)]
            case If() | Case():
                arms = [inner for _, inner in sub_blocks(let.op)]
                for arm in arms:
                    self._follow(arm, known)
                return zip(*(arm.results for arm in arms), strict=True)
            case Loop(_, _, _, inits, _) | While(_, inits):
                return ((init,) for init in inits)
            case Call(f, args):
                given = self._given(self.complete(f))
                more = ((),) * (len(let.vars) - len(given))
                return [*more, *(() if k is None else (args[k],) for k in given)]
            case _:
                return ()

    def _given(self, function: Function | None) -> tuple[int | None, ...]:
        if function is None:
            return ()
        if function not in self.becomes:
            self.becomes[function] = (None,) * len(function.results)  # in a recursion
            known = self.later(function.params, function.body)
            places = {p: k for k, p in enumerate(function.params)}
            self.becomes[function] = tuple(
                places[known[r]] if isinstance(r, Var) and r in known else None
                for r in function.body.results
            )
        return self.becomes[function]


__all__ = ["ArrayVersions"]
