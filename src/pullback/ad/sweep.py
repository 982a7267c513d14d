"""The common part of the files of the reverse sweep: cotangents by value, accumulators, callees.

Cotangents of reals are by value, in ``Cts``; those of arrays and nodes are in accumulators, named
by the handles of the forward sweep. A cotangent that is statically zero is absent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Protocol

from pullback.ad.contributions import Contributions
from pullback.ad.frames import Frame
from pullback.ad.increments import Operand
from pullback.ad.partials import Partials
from pullback.ad.spaces import Spaces
from pullback.core.build import Builder, lit
from pullback.core.called_python import DRAWS
from pullback.core.consumption import Summary
from pullback.core.terms import (
    AccAdd,
    AccRead,
    AccTake,
    Atom,
    Block,
    Call,
    Let,
    Prim,
    Ruled,
    Var,
    Vjp,
    sub_blocks,
)
from pullback.core.types import Real, Type

Cts = dict[Var, list[Atom | None]]
"""The cotangent leaves (``Spaces.cotangent``) of variables; None and absent: zero."""

Got = list[list[Atom | None] | None]
"""The cotangents that the results of a let have received."""

Key = tuple[Var, int]
"""One cotangent leaf of a variable."""


class Pair(Protocol):
    """The two halves of a translated function."""

    @property
    def forward(self) -> str: ...

    @property
    def reverse(self) -> str: ...

    @property
    def residuals(self) -> tuple[Type, ...]: ...

    @property
    def result_on(self) -> tuple[bool, ...]: ...

    @property
    def given(self) -> tuple[bool, ...]: ...


class Callees(Protocol):
    """The questions that the sweeps ask about the program; functions are translated at request
    (``functions.Functions``)."""

    @property
    def wild(self) -> bool: ...

    def reverse_of(self, name: str, mask: tuple[bool, ...], volatile: bool) -> Pair: ...

    def quiet(self, name: str) -> str: ...
    def run_again(self, op: Ruled) -> str | None: ...
    def linearised(self, name: str, wrt: tuple[int, ...]) -> str: ...

    def result_types(self, name: str) -> tuple[Type, ...]: ...

    def straight(self, name: str) -> bool: ...

    def summary(self, name: str) -> Summary: ...


class DerivativeError(Exception):
    """Code without a derivative is differentiated; the error carries the let."""

    def __init__(self, reason: str, let: Let) -> None:
        super().__init__(reason)
        self.reason = reason
        self.let = let


def refuse_callback(let: Let) -> None:
    """Refuse to differentiate a call of a Python function."""
    match let.op:
        case Prim("callback", _, (number, name)) if number == DRAWS:
            raise DerivativeError(
                f"the derivative of {name} by a parameter on which the draw itself depends (a "
                "shape, a probability, a rate): take pb.stop_gradient of the parameter, or draw "
                "what depends on it by location and scale",
                let,
            )
        case Prim("callback", _, (_, name)):
            raise DerivativeError(
                f"the derivative of the callback {name!r}, which has no rule: give it one by "
                "pb.custom_jvp or pb.custom_vjp (a rule calls the function that has the rule), or "
                "take pb.stop_gradient of its arguments",
                let,
            )
        case _:
            pass


def refuse_data(spaces: Spaces, types: Iterable[Type], let: Let) -> None:
    """Refuse data in a derivative term inside of differentiated code: sums, nodes, and arrays of
    them or of arrays change their form in a differentiated function (``spaces``)."""
    if any(spaces.composite(t) for t in types):
        raise DerivativeError(
            "a derivative inside compiled code of a function of data (records of several classes, "
            "lists of arrays or records, functions in lists or built up at run time): let the "
            "function under the operator make these itself",
            let,
        )


def refuse_composite(spaces: Spaces, let: Let, op: Ruled) -> None:
    """Refuse a rule whose arguments or results are data."""
    types = [*(op.args[i].type for i in op.wrt), *(v.type for v in let.vars)]
    if any(spaces.composite(t) for t in types):
        raise DerivativeError(
            f"{op.rule.name!r} has a rule of its own, and takes or gives data that is neither a "
            "number nor an array (records of several classes, lists of arrays, trees)",
            let,
        )


class Sweep(ABC):
    """The state of the reverse sweep of one function.

    ``touched``: the handles that may have received a cotangent so far. The code to which an
    untouched handle belongs need not be reversed. Handles flow as arrays do, so after going back
    through a let the touch belongs to the names that the handle had before the let.

    ``curved``: variables that are computed from others in a block around.
    """

    def __init__(self, callees: Callees, recomputing: bool = False) -> None:
        self.callees = callees
        self.recomputing = recomputing
        self.touched: set[Var] = set()
        self.curved: set[Var] = set()
        self.sums = Contributions()
        self.partials = Partials()
        self.now: dict[Var, Atom] = {}  # restored array -> its present version in the reverse sweep
        self.added: dict[Let, Operand] = {}  # updates that only add (``increments``)
        self.old: set[Operand] = set()  # operands whose cotangent stays in the cell

    @abstractmethod
    def block(self, f: Frame, block: Block, ct: Cts, b: Builder) -> None:
        """Reverse the lets; the cotangents that remain in ``ct`` belong to variables of enclosing
        blocks."""

    @abstractmethod
    def within(self, recomputing: bool) -> Sweep:
        """Return the same sweep in another region, which may be one that is recomputed."""

    def add(self, f: Frame, ct: Cts, a: Atom, k: int, value: Atom | None, b: Builder) -> None:
        """Add to leaf ``k`` of the cotangent of a primal atom."""
        if value is None or not isinstance(a, Var) or not f.active(a):
            return
        leaves = ct.setdefault(a, [None] * len(f.spaces.cotangent(a.type)))
        old = leaves[k]
        leaves[k] = value if old is None else self.sums.sum(b, old, value)

    def accumulate(self, h: Atom, idx: tuple[Atom, ...], value: Atom, b: Builder) -> None:
        """Add into a cell."""
        self.touch((h,))
        b.lets.append(Let((), AccAdd(h, idx, self.sums.closed(b, value))))

    def read(self, h: Atom, idx: tuple[Atom, ...], t: Real, b: Builder, take: bool = False) -> Atom:
        """Read the cotangent in a cell, or take it out. Where it is 0 it counts as absent, for the
        cell may have received nothing. (Programs whose rows only add and multiply need not ask:
        their partials are finite.)"""
        op = AccTake(h, idx, t.bits) if take else AccRead(h, idx, t.bits)
        (d,) = b.let(op, (t,), names=("d",))
        if self.callees.wild or not take:
            self.sums.nonzero(b, d)
        return d

    def touch(self, atoms: tuple[Atom, ...]) -> None:
        """Note that these handles may have received a cotangent."""
        self.touched.update(a for a in atoms if isinstance(a, Var))

    def is_touched(self, atoms: tuple[Atom, ...]) -> bool:
        return any(isinstance(a, Var) and a in self.touched for a in atoms)

    def join(self, source: tuple[Atom, ...], target: tuple[Atom, ...]) -> None:
        """Note that the source is touched if the target is, because the target's handles come from
        it."""
        if self.is_touched(target):
            self.touch(source)

    def leaf(self, f: Frame, ct: Cts, key: Key, b: Builder) -> Atom:
        """Return a leaf that leaves the block, or a literal zero."""
        return self.sums.closed(b, leaf_of(f, ct, key))

    def restored(self, f: Frame, v: Var, b: Builder) -> Atom:
        """Return a restored array in the state that it had as the version ``v``."""
        if v in f.facts.restored.last:
            return b.prim("copy", f.value(v))
        return self.now[v]

    def back_at(self, f: Frame, v: Var) -> Var:
        """Return the name that the version ``v``, to which the array has been taken back, has in
        the reverse sweep."""
        name = f.value(v)
        assert isinstance(name, Var)
        self.now[v] = name
        return name


def keys_of(cts: list[Cts]) -> list[Key]:
    """Return the leaves that are not zero in all of them."""
    seen: dict[Key, None] = {}
    for ct in cts:
        for v, leaves in ct.items():
            for k, leaf in enumerate(leaves):
                if leaf is not None:
                    seen[(v, k)] = None
    return list(seen)


def leaf_type(f: Frame, key: Key) -> Real:
    """The type of a cotangent leaf."""
    v, k = key
    return f.spaces.cotangent(v.type)[k]


def leaf_of(f: Frame, ct: Cts, key: Key) -> Atom:
    """Return a leaf, or a literal zero."""
    v, k = key
    leaves = ct.get(v)
    return or_zero(leaves[k] if leaves is not None else None, leaf_type(f, key))


def or_zero(leaf: Atom | None, t: Real) -> Atom:
    """Return a cotangent, or a literal zero."""
    return leaf if leaf is not None else lit(0.0, t)


def has_effect(block: Block) -> bool:
    """Whether a reverse block accumulates anything. (A derivative term adds to the accumulators
    among its arguments.)"""
    for let in block.lets:
        if isinstance(let.op, (AccAdd, AccTake, Vjp)):
            return True
        if isinstance(let.op, Call) and let.op.function.endswith(".rev"):
            return True
        if any(has_effect(sub) for _, sub in sub_blocks(let.op)):
            return True
    return False
