"""Partials that are there already: the other function of a pair (``sin`` and ``cos``), an inverse,
a root are computed once, also where several rows ask for them.

    y = sin x   ==>   c = cos x;  dy = c * dx   (and c again for the cotangents)

A factor that all partials of a row share is multiplied once (``Row.shared``), if all arguments have
derivatives:

    y = a / b   ==>   p = 1 / b;  dy = p * (da - y * db)
                      dp = p * ct;  da = dp;  db = -y * dp
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pullback.core.build import Builder, partial
from pullback.core.effects import is_total
from pullback.core.frozen import dataclass, field
from pullback.core.prims import TABLE
from pullback.core.rows import Mark, PartialFn, Row
from pullback.core.terms import Atom, Let, Lit, Prim, Var
from pullback.core.types import F64, Bool, Int, Real

TWICE = replace(TABLE["add"], partials=(2.0, 0.0))
"""The row of the sum of a variable and itself."""

SCALARS = Real | Int | Bool


@dataclass(slots=True)
class Partials:
    """What is computed in the block that is being written, and in those around it."""

    known: dict[Hashable, Atom] = field(default_factory=dict)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """A block inside: what it computes is not known after it."""
        outer = dict(self.known)
        yield
        self.known = outer

    def note(self, op: Prim, results: tuple[Atom, ...]) -> None:
        """Note that a variable holds the result of a scalar op."""
        scalars = all(isinstance(a.type, SCALARS) for a in (*results, *op.args))
        if len(results) == 1 and scalars and is_total(op):
            self.known.setdefault(_key(op), results[0])

    def of(
        self, b: Builder, row: Row, i: int, args: tuple[Atom, ...], result: Atom, write: bool
    ) -> Atom | Mark:
        """Return a partial (``build.partial``), of which only what is not known is emitted;
        ``write``: and is known then."""
        own = Builder()
        p = partial(own, row, i, args, result)
        return p if isinstance(p, Mark) else self._written(b, own, p, write)

    def shared(
        self, b: Builder, cell: PartialFn, args: tuple[Atom, ...], result: Atom, write: bool
    ) -> Atom:
        """Return the factor of all partials of a row, emitted as ``of`` emits a partial."""
        own = Builder()
        return self._written(b, own, cell(own, args, result), write)

    def _written(self, b: Builder, own: Builder, p: Atom, write: bool) -> Atom:
        """Emit what is not known of the code in ``own``, and return what ``p`` is then."""
        names: dict[Atom, Atom] = {}
        for let in own.lets:
            assert isinstance(let.op, Prim)
            (v,) = let.vars
            op = Prim(let.op.name, tuple(names.get(a, a) for a in let.op.args), let.op.static)
            found = _quotient(op) or self.known.get(_key(op))
            if found is not None:
                names[v] = found
                continue
            b.lets.append(Let((v,), op, let.site))
            if write:
                self.known[_key(op)] = v
        return names.get(p, p)


def _quotient(op: Prim) -> Lit | None:
    """Return the quotient of two literals: the partial by what a literal divides."""
    match op:
        case Prim("div", (Lit(x, t), Lit(y))) if t == F64 and y:
            return Lit(float(x) / float(y), t)
        case _:
            return None


def divided(row: Row, active: Sequence[bool]) -> tuple[PartialFn | None, Row]:
    """Return the factor that the partials of a row share, and the row without it, if all arguments
    are active; otherwise no factor and the row."""
    if row.shared is None or not all(active):
        return None, row
    factor, rest = row.shared
    return factor, replace(row, partials=rest)


def is_square(name: str, args: tuple[Atom, ...]) -> bool:
    """Whether an op multiplies a variable with itself."""
    return name == "mul" and isinstance(args[0], Var) and args[0] is args[1]


def _key(op: Prim) -> Hashable:
    return op.name, op.static, *(
        a if isinstance(a, Var) else (a.type, repr(a.value)) for a in op.args
    )
