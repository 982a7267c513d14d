"""Partials that are there already: the other function of a pair (``sin`` and ``cos``), an inverse,
a root are computed once, also where several rows ask for them.

    y = a / b   ==>   p = 1 / b;  dy = p * da - (y * p) * db   (and p again for the cotangents)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from pullback.core.build import Builder, partial
from pullback.core.effects import is_total
from pullback.core.prims import TABLE
from pullback.core.rows import Mark, Row
from pullback.core.terms import Atom, Let, Prim, Var
from pullback.core.types import Bool, Int, Real

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
        names: dict[Atom, Atom] = {}
        for let in own.lets:
            assert isinstance(let.op, Prim)
            (v,) = let.vars
            op = Prim(let.op.name, tuple(names.get(a, a) for a in let.op.args), let.op.static)
            found = self.known.get(_key(op))
            if found is not None:
                names[v] = found
                continue
            b.lets.append(Let((v,), op, let.site))
            if write:
                self.known[_key(op)] = v
        return p if isinstance(p, Mark) else names.get(p, p)


def is_square(name: str, args: tuple[Atom, ...]) -> bool:
    """Whether an op multiplies a variable with itself."""
    return name == "mul" and isinstance(args[0], Var) and args[0] is args[1]


def _key(op: Prim) -> Hashable:
    return op.name, op.static, *(
        a if isinstance(a, Var) else (a.type, repr(a.value)) for a in op.args
    )
