"""Replace calls of small functions, and of functions that are called once, by their bodies.

Callees come first, so a body that is inlined is already rewritten. Recursive functions stay, and so
do functions that a derivative term or a closure names (their calls may be inlined all the same).
"""

from __future__ import annotations

from collections import Counter

from pullback.core.call_graph import call_order, recursive_functions
from pullback.core.terms import (
    Atom,
    Block,
    Call,
    Function,
    Let,
    Program,
    Var,
    sub_blocks,
)
from pullback.core.trails import is_followed, mark_call
from pullback.core.traverse import all_lets, called, map_children, refresh, substitute

SMALL = 40
"""Functions with at most this many lets, nested ones included, are copied into every caller."""

LARGEST = 20_000
"""A function does not grow beyond this many lets by copies."""


def inline_calls(program: Program) -> Program:
    """Return the program with small and once-called functions inlined, and without those that
    nobody calls any more."""
    recursive = recursive_functions(program)
    calls: Counter[str] = Counter()
    named: set[str] = {program.main}
    for f in program.functions.values():
        for let in all_lets(f.body):
            if isinstance(let.op, Call):
                calls[let.op.function] += 1
            else:
                named.update(called(let.op))
    once = {name for name, n in calls.items() if n == 1} - recursive - named
    done: dict[str, Function] = {}
    size: dict[str, int] = {}
    for name in call_order(program):
        f = program.functions[name]
        body = _Inliner(done, size, once).block(f.body)
        done[name] = Function(name, f.params, body, f.results)
        size[name] = LARGEST if name in recursive else _size(body)
    kept = {name: done[name] for name in program.functions if name not in once}
    return Program(kept, program.decls, program.main)


class _Inliner:
    """The walk over one caller, with the new names of its variables."""

    def __init__(self, done: dict[str, Function], size: dict[str, int], once: set[str]) -> None:
        self.done = done
        self.size = size
        self.once = once
        self.grown = 0
        self.names: dict[Var, Atom] = {}

    def atom(self, a: Atom) -> Atom:
        return self.names.get(a, a) if isinstance(a, Var) else a

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        for let in block.lets:
            op = map_children(let.op, self.atom, self.block)
            body = self.body_of(op) if isinstance(op, Call) else None
            if body is None:
                out.append(Let(let.vars, op, let.site))
            else:
                if is_followed():
                    mark_call(body.lets, let.site)
                out.extend(body.lets)
                self.names.update(zip(let.vars, body.results, strict=True))
        return Block(tuple(out), tuple(self.atom(a) for a in block.results))

    def body_of(self, call: Call) -> Block | None:
        """Return the body of the callee with these arguments, if the call is to be inlined."""
        name = call.function
        f = self.done.get(name)
        if f is None:  # it is recursive through the caller
            return None
        if name in self.once:
            return substitute(f.body, dict(zip(f.params, call.args, strict=True)))
        self.grown += self.size[name]
        if self.size[name] > SMALL or self.grown > LARGEST:
            return None
        return refresh(f.body, dict(zip(f.params, call.args, strict=True)))


def _size(block: Block) -> int:
    total = len(block.lets)
    for let in block.lets:
        for _, inner in sub_blocks(let.op):
            total += _size(inner)
    return total
