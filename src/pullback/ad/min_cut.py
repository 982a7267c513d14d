"""Choose the values that straight-line code keeps for its reverse: as few words as possible.

The operations of backward code that depend on cotangents are *linear*. The other values that they
read come from values of the forward sweep by plain operations, which either sweep can do. The
program may keep any set of variables that separates the linear operations from the values that
exist before; a smallest such set is a minimum cut of the graph of the plain operations (and of
those forward operations that are cheap enough to be repeated). The capacity of a variable is what
it costs to keep it (``broadcast_residuals``). Of several smallest cuts the last one is taken, so
that most is done forward, once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence

from pullback.core.build import Builder, lit
from pullback.core.effects import is_total
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Block, Let, Lit, Var, atoms
from pullback.core.traverse import free_variables, refresh

MOST_NODES = 400
"""Of larger graphs what the linear operations read is kept."""


@dataclass(frozen=True)
class Kept:
    """How the work is divided between the sweeps.

    front    what the forward sweep computes besides
    stored   the values that it stores
    back     the backward code, in terms of these, of the cotangents, and of what does not vary
    """

    front: tuple[Let, ...]
    stored: tuple[Var, ...]
    back: Block


Backward = Callable[[Builder, Sequence[Atom]], tuple[Atom, ...]]
"""Writes backward code, from cotangents to cotangents."""


def fewest(
    backward: Backward, seeds: tuple[Var, ...], product: str | None, cheap: Mapping[Var, Let],
    varies: Callable[[Var], bool], weight: Callable[[Var], int] = lambda v: 1,
) -> Kept:
    """Return the division for some backward code. If there is a single cotangent, the code may also
    be its products with partial derivatives, which are then the values to keep (``product``: the
    primitive that multiplies)."""
    b = Builder()
    kept = divide(b, backward(b, seeds), seeds, cheap, varies, weight)
    if len(seeds) != 1 or len(kept.stored) < 2 or product is None:
        return kept
    (ct,) = seeds
    b = Builder()
    partials = backward(b, (lit(1.0, ct.type),))
    results = tuple(_product(b, product, p, ct) for p in partials)
    other = divide(b, results, seeds, cheap, varies, weight)
    return other if sum(map(weight, other.stored)) < sum(map(weight, kept.stored)) else kept


def _product(b: Builder, name: str, p: Atom, ct: Var) -> Atom:
    if p.type != ct.type:
        p = b.prim("to_real", p, static=(ct.type,))
    if isinstance(p, Lit) and p.value in (0.0, 1.0):
        return ct if p.value == 1.0 else p
    return b.prim(name, p, ct)


def divide(
    b: Builder, results: tuple[Atom, ...], cotangents: Collection[Var],
    cheap: Mapping[Var, Let], varies: Callable[[Var], bool],
    weight: Callable[[Var], int] = lambda v: 1,
) -> Kept:
    """Return the division for the backward code in ``b``, which reads forward values and
    ``cotangents``. The forward operations in ``cheap`` may be repeated; values that do not vary
    need not be kept."""
    linear = set(cotangents)
    linear_lets: list[Let] = []
    plain: dict[Var, Let] = {}
    for let in b.lets:
        if any(a in linear for a in atoms(let.op)):
            linear.update(let.vars)
            linear_lets.append(let)
        else:
            plain[let.vars[0]] = let
    read = dict.fromkeys(
        a for a in (*(a for x in linear_lets for a in atoms(x.op)), *results)
        if isinstance(a, Var) and a not in linear
    )
    graph = _Graph(plain, cheap, varies)
    stored = graph.cut([a for a in read if graph.enter(a)], weight)
    front = graph.between([v for v in stored if v in plain], plain, ())
    again = graph.between(read, {**cheap, **plain}, stored)
    block = Block((*again, *linear_lets), results)
    return Kept(front, stored, block)


MOST_STEPS = 24
"""So many operations are done again instead of keeping an id."""


def above(
    roots: Collection[Atom], cheap: Mapping[Var, Let], varies: Callable[[Var], bool]
) -> tuple[Let, ...] | None:
    """Return the cheap operations that compute the roots from values that do not vary, in order;
    None if the roots cannot be computed so."""
    out: dict[Var, Let] = {}
    todo = [(a, False) for a in roots]
    while todo:
        v, done = todo.pop()
        if not isinstance(v, Var) or v in out or not varies(v):
            continue
        let = cheap.get(v)
        if let is None or len(out) >= MOST_STEPS * len(roots):
            return None
        if done:
            out[v] = let
        else:
            todo.append((v, True))
            todo += [(a, False) for a in atoms(let.op)]
    return tuple(out.values())


def invariant_part(b: Builder, block: Block, varying: Collection[Var]) -> Block:
    """Return the body of a loop without the lets that do not depend on varying values; these are
    emitted in front of the loop."""
    dependent = set(varying)
    front: list[Let] = []
    rest: list[Let] = []
    for let in block.lets:
        if dependent.isdisjoint(atoms(let.op)) and is_total(let.op):
            front.append(let)
        else:
            dependent.update(let.vars)
            rest.append(let)
    made = {v for let in front for v in let.vars}
    wanted = tuple(v for v in free_variables(Block(tuple(rest), block.results)) if v in made)
    found = b.extend(refresh(Block(tuple(front), wanted)))
    return refresh(Block(tuple(rest), block.results), dict(zip(wanted, found, strict=True)))


class _Graph:
    """The graph of the varying variables, from those whose values are available to those that are
    read."""

    def __init__(
        self, plain: dict[Var, Let], cheap: Mapping[Var, Let], varies: Callable[[Var], bool]
    ) -> None:
        self.plain = plain
        self.cheap = cheap
        self.varies = varies
        self.args: dict[Var, list[Var]] = {}
        self.constant: set[Var] = set()

    def define(self, v: Var) -> Let | None:
        return self.plain.get(v) or self.cheap.get(v)

    def enter(self, root: Var) -> bool:
        """Add the operations that a variable comes from; return whether it varies."""
        todo = [root]
        while todo:
            v = todo[-1]
            if v in self.args or v in self.constant:
                todo.pop()
                continue
            let = self.define(v)
            if v not in self.plain and not self.varies(v):
                self.constant.add(v)
                continue
            parts = [] if let is None else [a for a in atoms(let.op) if isinstance(a, Var)]
            more = [a for a in parts if a not in self.args and a not in self.constant]
            if more:
                todo += more
                continue
            mine = [a for a in parts if a in self.args]
            if let is not None and not mine:
                self.constant.add(v)
                continue
            self.args[v] = mine
        return root in self.args

    def cut(self, sinks: list[Var], weight: Callable[[Var], int]) -> tuple[Var, ...]:
        """Return a smallest set of variables on every path from the available ones to the sinks, as
        near to the sinks as possible."""
        if len(self.args) > MOST_NODES:
            return tuple(sinks)
        flow = _Flow(self.args, sinks, weight)
        while flow.augment():
            pass
        return flow.last_cut()

    def between(
        self, roots: Collection[Var], define: Mapping[Var, Let], known: Collection[Var]
    ) -> tuple[Let, ...]:
        """Return the operations from the variables ``known`` (or those that ``define`` does not
        define) to the roots."""
        out: dict[Var, Let] = {}
        seen: set[Var] = set()
        todo = [(v, False) for v in reversed(list(roots))]
        while todo:
            v, done = todo.pop()
            let = define.get(v)
            if let is None or v in known or (v not in self.plain and not self.varies(v)):
                continue
            if done:
                out[v] = let
            elif v not in seen:
                seen.add(v)
                todo.append((v, True))
                todo += [(a, False) for a in atoms(let.op) if isinstance(a, Var)]
        return tuple(out.values())


_SOURCE, _SINK = -1, -2


class _Flow:
    """The flow from the available variables to those that are read, by the remaining capacity of
    each edge. A variable is an edge between two nodes, with the cost of keeping it as its capacity.
    """

    def __init__(
        self, args: Mapping[Var, Sequence[Var]], sinks: Sequence[Var],
        weight: Callable[[Var], int],
    ) -> None:
        weights = {v: weight(v) for v in args}
        most = sum(weights.values()) + 1
        self.node = {v: 2 * k for k, v in enumerate(args)}
        self.room: dict[int, dict[int, int]] = {}
        for v, mine in args.items():
            n = self.node[v]
            self.edge(n, n + 1, weights[v])
            for a in mine:
                self.edge(self.node[a] + 1, n, most)
            if not mine:
                self.edge(_SOURCE, n, most)
        for v in sinks:
            self.edge(self.node[v] + 1, _SINK, most)

    def edge(self, a: int, b: int, capacity: int) -> None:
        self.room.setdefault(a, {})[b] = capacity
        self.room.setdefault(b, {}).setdefault(a, 0)

    def augment(self) -> bool:
        """Increase the flow along a shortest path, if there is one."""
        came: dict[int, int] = {_SOURCE: _SOURCE}
        todo = deque([_SOURCE])
        while todo and _SINK not in came:
            n = todo.popleft()
            for m, more in self.room.get(n, {}).items():
                if more > 0 and m not in came:
                    came[m] = n
                    todo.append(m)
        if _SINK not in came:
            return False
        way = [_SINK]
        while way[-1] != _SOURCE:
            way.append(came[way[-1]])
        edges = list(zip(way[1:], way, strict=False))
        more = min(self.room[a][b] for a, b in edges)
        for a, b in edges:
            self.room[a][b] -= more
            self.room[b][a] += more
        return True

    def last_cut(self) -> tuple[Var, ...]:
        """Return the saturated variables behind which there still is a path to the sink."""
        reaches = {_SINK}
        todo = [_SINK]
        while todo:
            n = todo.pop()
            for m in self.room.get(n, {}):
                if self.room[m][n] > 0 and m not in reaches:
                    reaches.add(m)
                    todo.append(m)
        return tuple(v for v, n in self.node.items() if n + 1 in reaches and n not in reaches)


__all__ = ["Kept", "above", "divide", "fewest", "invariant_part"]
