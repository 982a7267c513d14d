"""Tell the shape of the rows of a build before it runs, so that it is right for no rows, too.

The extents of a result are followed backwards through the code that makes it, into the functions
that it calls, to extents that are known in front of the build. Where a shape depends on the values
of the rows there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pullback.core.build import Builder
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Jvp,
    Lit,
    Loop,
    Op,
    Prim,
    Ruled,
    Update,
    Var,
    Vjp,
    While,
)
from pullback.core.types import I64, Array, Decl, has_reals


@dataclass(frozen=True, slots=True)
class Extent:
    """An extent in terms of what is known in front of the build: an atom (``name`` is empty), one
    of its extents (``dim``), or a result of integer arithmetic."""

    name: str
    of: tuple[Extent | Atom, ...]
    axis: int = 0


Known = Extent | None
Shape = tuple[Known, ...]

_ARITHMETIC = frozenset({"add", "sub", "mul", "min", "max", "floordiv", "mod", "neg"})
_LIKE_FIRST = frozenset({"copy", "stop_gradient"})
_LIKE_LAST = frozenset({"solve", "solve.ck", "solve_triangular", "cholesky", "cholesky.ck"})


def row_shapes(
    build: Build, functions: Mapping[str, Function], decls: dict[str, Decl]
) -> list[Shape]:
    """Return the shapes of the results of the body of a build, None for what is not known."""
    hidden: dict[Var, Shape] = {i: (None,) for i in build.indices}
    inside = _Scope(functions, decls, (), build.body, hidden, None)
    return [inside.shape(a) for a in build.body.results]


def emitted(b: Builder, extent: Extent) -> Atom:
    """Emit the code that computes an extent."""
    if not extent.name:
        (atom,) = extent.of
        assert isinstance(atom, (Var, Lit))
        return atom
    if extent.name == "dim":
        (array,) = extent.of
        assert isinstance(array, Var)
        return b.dim(array, extent.axis)
    return b.prim(extent.name, *(emitted(b, x) for x in extent.of if isinstance(x, Extent)))


def _literal(n: int) -> Extent:
    return Extent("", (Lit(n, I64),))


@dataclass(eq=False)
class _Scope:
    """A block whose variables are looked up. ``active``: the functions around it. ``given``: the
    shapes of variables that it does not define; a number has its value as the only extent."""

    functions: Mapping[str, Function]
    decls: dict[str, Decl]
    active: tuple[str, ...]
    block: Block
    given: dict[Var, Shape]
    outer: _Scope | None
    made: dict[Var, tuple[Op, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for let in self.block.lets:
            self.made.update((v, (let.op, k)) for k, v in enumerate(let.vars))

    def shape(self, a: Atom) -> Shape:
        """Return the extents of an array, or the value of an integer."""
        if isinstance(a, Lit):
            return (Extent("", (a,)),)
        found = self.given.get(a)
        if found is None and a in self.made:
            op, k = self.made[a]
            found = self._of(op, k, a)
        elif found is None and self.outer is not None:
            return self.outer.shape(a)
        elif found is None and isinstance(a.type, Array):
            return tuple(Extent("dim", (a,), axis) for axis in range(a.type.rank))
        elif found is None:
            return (Extent("", (a,)),)
        assert found is not None
        rank = a.type.rank if isinstance(a.type, Array) else 1
        self.given[a] = found if len(found) == rank else (None,) * rank
        return self.given[a]

    def number(self, a: Atom) -> Known:
        return self.shape(a)[0]

    def _of(self, op: Op, k: int, v: Var) -> Shape:
        """Return the shape of result k of an operation."""
        match op:
            case Build(extents):
                return tuple(map(self.number, extents))
            case Update(array):
                return self.shape(array)
            case Prim():
                return self._primitive(op)
            case Call(name, args) | Ruled(name, args):
                return self._result(name, args, k)
            case Vjp(name, args, wrt) | Jvp(name, args, wrt) if name in self.functions:
                results = self.functions[name].results
                if k < len(results):
                    return self._result(name, args, k)
                if isinstance(op, Vjp):
                    return self.shape(args[wrt[k - len(results)]])
                real = [j for j, t in enumerate(results) if has_reals(t, self.decls)]
                return self._result(name, args, real[(k - len(results)) % len(real)])
            case If(_, then, orelse):
                return _common([self._inside(x, {}).shape(x.results[k]) for x in (then, orelse)])
            case Case(_, arms):
                return _common([self._inside(a.body, _unknown(a.fields)).shape(a.body.results[k])
                                for a in arms])  # fmt: skip
            case Loop(_, index, carried, inits, body) if k < len(carried):
                return self._carried(k, carried, inits, body, {index: (None,)})
            case While(carried, inits, _, body):
                return self._carried(k, carried, inits, body, {})
            case _:
                return ()

    def _inside(self, block: Block, given: dict[Var, Shape]) -> _Scope:
        return _Scope(self.functions, self.decls, self.active, block, given, self)

    def _result(self, name: str, args: Sequence[Atom], k: int) -> Shape:
        """Return the shape of a result of a function."""
        f = self.functions.get(name)
        if f is None or name in self.active:
            return ()
        given = {p: self.shape(a) for p, a in zip(f.params, args, strict=True)}
        around = (*self.active, name)
        inside = _Scope(self.functions, self.decls, around, f.body, given, None)
        return inside.shape(f.body.results[k])

    def _carried(
        self, k: int, carried: Sequence[Var], inits: Sequence[Atom], body: Block,
        given: dict[Var, Shape],
    ) -> Shape:  # fmt: skip
        """Return the shape of a carried array that no iteration changes."""
        start = self.shape(inits[k])
        others = _unknown([v for v in carried if v is not carried[k]])
        again = self._inside(body, {**given, **others, carried[k]: start}).shape(body.results[k])
        return _common([start, again])

    def _primitive(self, op: Prim) -> Shape:
        name, args = op.name, op.args
        axis = op.static[0] if op.static else None
        if name in _ARITHMETIC and all(a.type == I64 for a in args):
            inner = [self.number(a) for a in args]
            known = tuple(x for x in inner if x is not None)
            return (Extent(name, known),) if len(known) == len(inner) else (None,)
        if name in ("reshape", "broadcast"):
            return tuple(map(self.number, args[1:]))
        base = self.shape(args[0]) if args and isinstance(args[0].type, Array) else ()
        match name:
            case "dim":
                return (base[axis],) if isinstance(axis, int) else ()
            case "pick" if isinstance(axis, int):
                return base[:axis] + base[axis + 1 :]
            case "slice" if isinstance(axis, int):
                return (*base[:axis], self.number(args[2]), *base[axis + 1 :])
            case "expand" if isinstance(axis, int):
                return (*base[:axis], _literal(1), *base[axis:])
            case "transpose":
                return tuple(base[k] for k in op.static if isinstance(k, int))
            case "stack" if len(args) > 1:
                return (*base, *map(self.number, args[1:]))
            case _ if name in _LIKE_FIRST:
                return base
            case _ if name in _LIKE_LAST:
                return self.shape(args[-1])
            case _:
                return ()


def _unknown(variables: Sequence[Var]) -> dict[Var, Shape]:
    return {v: (None,) * (v.type.rank if isinstance(v.type, Array) else 1) for v in variables}


def _common(shapes: Sequence[Shape]) -> Shape:
    """Return the extents that all shapes have in common."""
    return tuple(x[0] if all(_same(x[0], y) for y in x) else None
                 for x in zip(*shapes, strict=False))  # fmt: skip


def _same(x: Known | Atom, y: Known | Atom) -> bool:
    match x, y:
        case Extent(), Extent():
            return x.name == y.name and x.axis == y.axis and len(x.of) == len(y.of) and all(
                _same(a, b) for a, b in zip(x.of, y.of, strict=True)
            )
        case Lit(), Lit():
            return x.value == y.value
        case _:
            return x is y and x is not None


__all__ = ["Extent", "emitted", "row_shapes"]
