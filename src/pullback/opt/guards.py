"""Checks of loop indices are made once, in front of the loop.

    build i < n. ... require (i < E) ... a?[i] ...
    ==>  require (n <= E); require (n <= dim a 0); build i < n. ... a[i] ...

A check moves out of a loop when every iteration makes it (it stands in no branch), what it reads
is known outside, and the loop runs at all (else it holds). Inner loops are done first, so a check
travels as far out as it can. A program that raises still raises; one with several faults may
report another of them first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pullback.core.build import Builder, i64
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Site,
    Sum_,
    Var,
)
from pullback.core.traverse import defined, map_blocks

MESSAGE = ("IndexError", "index is out of bounds")


@dataclass(frozen=True, slots=True)
class _Guard:
    """``x < bound`` (or ``x <= bound`` if ``closed``), unless one of ``empty`` is zero. The bound
    is an atom or an extent of an array; without one, ``x`` is the condition itself."""

    x: Atom
    closed: bool
    bound: Atom | None
    axis: int | None
    empty: tuple[Atom, ...]
    static: tuple[str, str]
    site: Site | None


def hoist_checks(program: Program) -> Program:
    """Move the checks of loop indices in front of their loops."""
    functions = {name: _function(f) for name, f in program.functions.items()}
    return Program(functions, program.decls, program.main)


def _function(f: Function) -> Function:
    walk = _Walk({})
    block, guards = walk.block(f.body, (), set())
    assert not guards
    return Function(f.name, f.params, block, f.results)


class _Walk:
    def __init__(self, ops: dict[Var, Op]) -> None:
        self.ops = ops
        self.indices: set[Var] = set()

    def block(
        self, block: Block, loops: tuple[Var, ...], indices: set[Var]
    ) -> tuple[Block, list[_Guard]]:
        """The block and the guards that may leave it; ``indices``: all loop indices in scope.

        Without a loop around it (``loops`` empty: a function's body, a branch) all stay."""
        out: list[Let] = []
        leaving: list[_Guard] = []
        inside = defined(block)
        for let in block.lets:
            for v in let.vars:
                self.ops[v] = let.op
            match let.op:
                case Build() | Sum_() | Loop():
                    new, guards = self.loop(let.op, indices)
                    for g in guards:
                        if loops and self.outside(g, inside):
                            leaving.append(g)
                        else:
                            out.extend(_made(g))
                    out.append(Let(let.vars, new, let.site))
                case Prim("require", (Var() as c,), (str() as kind, str() as text)) if loops:
                    made = self.require(c, (kind, text), let.site)
                    if self.outside(made, inside):
                        leaving.append(made)
                    else:
                        out.append(let)
                case Index(array, idx, True) if loops and array not in inside and all(
                    i in indices if isinstance(i, Var) else i.value >= 0 for i in idx
                ):
                    for axis, i in enumerate(idx):
                        leaving.append(_Guard(i, False, array, axis, (), MESSAGE, let.site))
                    out.append(Let(let.vars, Index(array, idx, False), let.site))
                case _:
                    alone = map_blocks(let.op, lambda b: self.block(b, (), indices)[0])
                    out.append(Let(let.vars, alone, let.site))
        return Block(tuple(out), block.results), leaving

    def outside(self, g: _Guard, inside: set[Var]) -> bool:
        return g.bound not in inside and g.x not in inside and inside.isdisjoint(g.empty)

    def require(self, c: Var, static: tuple[str, str], site: Site | None) -> _Guard:
        match self.ops.get(c):
            case Prim("lt", (x, bound)):
                return _Guard(x, False, bound, None, (), static, site)
            case Prim("le", (x, bound)):
                return self.opened(_Guard(x, True, bound, None, (), static, site))
            case Prim("gt", (bound, x)):
                return _Guard(x, False, bound, None, (), static, site)
            case _:
                return _Guard(c, False, None, None, (), static, site)

    def opened(self, g: _Guard) -> _Guard:
        """``i + 1 <= bound`` is ``i < bound``."""
        if g.closed and isinstance(g.x, Var):
            match self.ops.get(g.x):
                case Prim("add", (Var() as i, Lit(1))) | Prim("add", (Lit(1), Var() as i)):
                    return replace(g, x=i, closed=False)
                case _:
                    pass
        return g

    def loop(self, op: Build | Sum_ | Loop, indices: set[Var]) -> tuple[Op, list[_Guard]]:
        """The loop, and the guards to be made in front of it."""
        if isinstance(op, Loop):
            mine, extents = (op.index,), (op.count,)
        else:
            mine, extents = op.indices, op.extents
        self.indices.update(mine)
        body, guards = self.block(op.body, mine, indices | set(mine))
        out: dict[_Guard, None] = {}
        for g in guards:
            used = dict(zip(mine, extents, strict=True))
            if isinstance(g.x, Var) and g.x in used and not g.closed and g.bound is not None:
                n = used.pop(g.x)
                g = self.opened(replace(g, x=n, closed=True))
            if not (isinstance(g.x, Var) and g.x in mine) and g.bound not in mine:
                empty = tuple(n for n in used.values() if n not in g.empty and not self.some(n))
                out[replace(g, empty=(*g.empty, *empty))] = None
            else:
                body = Block(tuple(_made(g)) + body.lets, body.results)
        if isinstance(op, Loop):
            return replace(op, body=body), list(out)
        return replace(op, body=body), list(out)

    def some(self, n: Atom) -> bool:
        """Whether an extent is certainly positive."""
        if isinstance(n, Lit):
            return n.value > 0
        match self.ops.get(n):
            case Prim("add", (Var() as i, Lit(c))):
                return c > 0 and i in self.indices
            case _:
                return False


def _made(g: _Guard) -> list[Let]:
    b = Builder()
    ok = g.x
    if g.bound is not None:
        bound = g.bound if g.axis is None else b.dim(g.bound, g.axis)
        ok = b.prim("le" if g.closed else "lt", g.x, bound)
    for n in g.empty:
        ok = b.prim("or", ok, b.prim("le", n, i64(0)))
    b.require(ok, *g.static, g.site)
    return b.lets
