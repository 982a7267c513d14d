"""The extents of arrays and handles, as far as atoms of the program stand for them.

A forward pass tells ``Shapes`` of every let; ``Shapes`` answers with one atom per axis or None. An
array keeps its shape when it is updated. A loop that carries the array keeps it too if the body
returns an array of the shape of the carried one (``stable_arrays``).
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.terms import (
    AccNew,
    Atom,
    Block,
    Build,
    Case,
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
    sub_blocks,
)
from pullback.core.traverse import defined
from pullback.core.types import I64, Array, Handle

Extents = list[Atom | None]

_SAME_SHAPE = frozenset({"copy", "stop_gradient"})
_AS_LAST = frozenset({
    "solve", "solve.ck", "solve_triangular", "cholesky", "cholesky.ck", "eigenvectors",
    "orthonormal", "known",
})  # fmt: skip
"""Primitives whose result has the shape of their last argument."""
_OF_COLUMNS = {
    "right_vectors": 2, "upper_factor": 2, "eigenvalues": 1, "singular_values": 1,
}  # fmt: skip
"""Primitives of a matrix of which all extents of the result are the number of its columns."""


def same(a: Atom | None, b: Atom | None) -> bool:
    """Whether two atoms are the same variable or the same literal, to the bit."""
    return a is not None and a == b


def is_shaped(v: Atom) -> bool:
    """Whether the atom has extents."""
    return isinstance(v.type, (Array, Handle))


def _rank(v: Var) -> int:
    assert isinstance(v.type, (Array, Handle))
    return v.type.rank


def _unknown(v: Var) -> Extents:
    return [None] * _rank(v)


class Shapes:
    """The extents of the variables so far. ``unknown`` returns those of a variable from elsewhere;
    arrays of one shape share the list that it returns."""

    def __init__(
        self, stable: frozenset[Var], unknown: Callable[[Var], Extents] = _unknown
    ) -> None:
        self.stable = stable
        self.unknown = unknown
        self.known: dict[Var, Extents] = {}
        self.elements: dict[Var, Extents] = {}  # the common shape of elements that are arrays
        self.array_of: dict[Var, Var] = {}  # extent from ``unknown`` -> its array

    def of(self, a: Atom) -> Extents:
        """Return one atom per axis, or None for an unknown extent."""
        assert isinstance(a, Var)
        found = self.known.get(a)
        if found is None:
            found = self.known[a] = self.unknown(a)
        return found

    def enter(self, op: Op) -> None:
        """Note the shapes of the carried variables, before the blocks of a loop."""
        match op:
            case Loop(_, _, carried, inits, _) | While(carried, inits, _, _):
                for v, init in zip(carried, inits, strict=True):
                    if v in self.stable and is_shaped(v):
                        self.known[v] = self.of(init)
            case _:
                return

    def bind(self, let: Let) -> None:
        """Note the shapes of the results of a let; its blocks come first."""
        op = let.op
        match op:
            case Prim(name, args, static):
                for v in let.vars:
                    if is_shaped(v):
                        self.known[v] = self._view(v, name, args, static)
            case Build(extents, indices, body):
                for v, item in zip(let.vars, body.results, strict=True):
                    self.known[v] = list(extents)
                    if is_shaped(item):
                        inside = defined(body).union(indices)
                        self.elements[v] = [
                            None if self._is_inside(n, inside) else n for n in self.of(item)
                        ]
            case AccNew(extents):
                self.known[let.vars[0]] = list(extents)
            case Update(a, _, _, _):
                self.known[let.vars[0]] = self.of(a)
            case Index(a, _, _):
                v = let.vars[0]
                if is_shaped(v) and isinstance(a, Var) and a in self.elements:
                    self.known[v] = self._or_unknown(v, self.elements[a])
            case If(_, then, orelse):
                for v, x, y in zip(let.vars, then.results, orelse.results, strict=True):
                    self._join(v, (x, y))
            case Case(_, arms):
                for k, v in enumerate(let.vars):
                    self._join(v, tuple(arm.body.results[k] for arm in arms))
            case Loop(n, _, carried, inits, _):
                self._carried(let.vars, carried, inits)
                if self._is_extent(n):
                    for v in let.vars[len(carried) :]:
                        self.known[v] = [n]
            case While(carried, inits, _, _):
                self._carried(let.vars, carried, inits)
            case _:
                return

    def _is_extent(self, n: Atom) -> bool:
        """Whether a count is known not to be negative, as an extent is."""
        return n.value >= 0 if isinstance(n, Lit) else n in self.array_of

    def _is_inside(self, n: Atom | None, inside: set[Var]) -> bool:
        return isinstance(n, Var) and (n in inside or self.array_of.get(n) in inside)

    def _carried(
        self, results: tuple[Var, ...], carried: tuple[Var, ...], inits: tuple[Atom, ...]
    ) -> None:
        for v, c, init in zip(results, carried, inits, strict=False):
            if c in self.stable and is_shaped(v):
                self.known[v] = self.of(init)

    def _join(self, v: Var, given: tuple[Atom, ...]) -> None:
        """Note the extents on which all branches agree; two variables of different branches are
        never the same."""
        if is_shaped(v):
            shapes = [self.of(a) for a in given]
            first = shapes[0]
            several = len(shapes) > 1  # a single arm always agrees with itself
            agreed = [
                n if several and all(same(n, s[k]) for s in shapes) else None
                for k, n in enumerate(first)
            ]
            self.known[v] = self._or_unknown(v, agreed)

    def _or_unknown(self, v: Var, extents: Extents) -> Extents:
        if all(n is not None for n in extents):
            return extents
        fresh = self.unknown(v)
        return [n if n is not None else fresh[k] for k, n in enumerate(extents)]

    def _view(
        self, v: Var, name: str, args: tuple[Atom, ...], static: tuple[object, ...]
    ) -> Extents:
        if name in ("reshape", "broadcast"):
            return list(args[1:])
        if not args:  # of an array that nobody reads
            return self.unknown(v)
        base = self.of(args[0]) if is_shaped(args[0]) else []
        if name in _SAME_SHAPE:
            return base
        if name in _AS_LAST:
            return self.of(args[-1])
        if name == "product":
            return self._or_unknown(v, [base[0], self.of(args[1])[1]])
        if name in _OF_COLUMNS:
            return self._or_unknown(v, [base[1]] * _OF_COLUMNS[name])
        if name == "transpose":
            return [base[axis] for axis in static if isinstance(axis, int)]
        if name == "stack" and len(args) > 1:
            return base + list(args[1:])
        if name == "stack":
            inner = self.elements.get(args[0]) if isinstance(args[0], Var) else None
            assert isinstance(v.type, Array)
            if not all(isinstance(n, Lit) and n.value > 0 for n in base):
                inner = None  # an array of no rows has no columns, whatever their length would be
            missing: Extents = [None] * (v.type.rank - len(base))
            return self._or_unknown(v, base + (inner or missing))
        axis = static[0] if static else None
        if not isinstance(axis, int):
            return self.unknown(v)
        match name:
            case "pick":
                return base[:axis] + base[axis + 1 :]
            case "slice":
                return [*base[:axis], args[2], *base[axis + 1 :]]
            case "expand":
                return [*base[:axis], Lit(1, I64), *base[axis:]]
            case _:
                return self.unknown(v)


def stable_arrays(program: Program) -> frozenset[Var]:
    """Return the carried variables whose next value has the shape of the present one, or, on every
    axis where it has not, the initial extent."""
    stable = _Stable()
    for f in program.functions.values():
        stable.walk(f.body)
    return frozenset(stable.found)


class _Stable:
    """A walk that notes which variables have the shape of which others.

    ``origin``  a variable whose shape this one has
    ``made``    the extents of the results of a build
    ``dims``    variables that are an extent of an array
    """

    def __init__(self) -> None:
        self.origin: dict[Var, Var] = {}
        self.made: dict[Var, tuple[Atom, ...]] = {}
        self.dims: dict[Var, tuple[Atom, int]] = {}
        self.found: set[Var] = set()

    def root(self, a: Atom) -> Atom:
        while isinstance(a, Var) and a in self.origin:
            a = self.origin[a]
        return a

    def extent(self, a: Atom, axis: int) -> Atom | tuple[Atom, int]:
        """Return the extent as an atom, or as an axis of an array about which no more is known."""
        while True:
            a = self.root(a)
            n = self.made[a][axis] if isinstance(a, Var) and a in self.made else None
            if n is None:
                return a, axis
            if not isinstance(n, Var) or n not in self.dims:
                return n
            a, axis = self.dims[n]

    def keeps_shape(self, next_: Atom, c: Var, init: Atom) -> bool:
        return all(
            self.extent(next_, k) in (self.extent(c, k), self.extent(init, k))
            for k in range(_rank(c))
        )

    def link(self, v: Var, a: Atom) -> None:
        target = self.root(a)
        if isinstance(target, Var) and is_shaped(v) and target is not v:
            self.origin[v] = target

    def join(self, v: Var, given: list[Atom]) -> None:
        roots = [self.root(a) for a in given]
        if all(r is roots[0] for r in roots):
            self.link(v, roots[0])
        elif is_shaped(v):
            shapes = [tuple(self.extent(a, k) for k in range(_rank(v))) for a in given]
            known = tuple(n for n in shapes[0] if not isinstance(n, tuple))
            if all(s == known for s in shapes):
                self.made[v] = known

    def walk(self, block: Block) -> None:
        for let in block.lets:
            op = let.op
            for _, inner in sub_blocks(op):
                self.walk(inner)
            match op:
                case Update(a, _, _, _):
                    self.link(let.vars[0], a)
                case Prim("dim", (a,), (int(axis),)):
                    self.dims[let.vars[0]] = a, axis
                case Prim(name, args, _):
                    if name in _SAME_SHAPE:
                        self.link(let.vars[0], args[0])
                    if name in ("reshape", "broadcast"):
                        self.made[let.vars[0]] = args[1:]
                case Build(extents, _, _) | AccNew(extents):
                    self.made.update((v, extents) for v in let.vars)
                case If(_, then, orelse):
                    for v, x, y in zip(let.vars, then.results, orelse.results, strict=True):
                        self.join(v, [x, y])
                case Case(_, arms):
                    for k, v in enumerate(let.vars):
                        self.join(v, [arm.body.results[k] for arm in arms])
                case Loop(_, _, carried, inits, body) | While(carried, inits, _, body):
                    for v, c, init, next_ in zip(
                        let.vars, carried, inits, body.results, strict=False
                    ):
                        if is_shaped(c) and self.keeps_shape(next_, c, init):
                            self.found.add(c)
                            self.link(c, init)
                            self.link(v, init)
                case _:
                    pass
