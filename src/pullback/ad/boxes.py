"""The node in which one call of a function keeps what its reverse sweep reads.

What a branch keeps is an unboxed sum: a tag and what the arm that was taken keeps, with room for
every arm. A node that held it would have that room too. So the node has one variant for each arm,
with no more than that arm keeps: in most recursions half of the calls or more keep nothing there.
"""

from __future__ import annotations

from pullback.core.build import Builder
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Case, CaseArm, Inject, Var
from pullback.core.types import Array, Bool, Handle, Int, Named, Real, Sum, Type, Variant

Types = tuple[Type, ...]


def box_variants(types: Types) -> tuple[Variant, ...]:
    """The variants of a node that keeps values of these types.

    >>> from pullback.core.types import F64, I64
    >>> took = Sum((Variant("b0", ()), Variant("b1", (F64, F64))))
    >>> [len(v.fields) for v in box_variants((took, I64))]
    [1, 3]
    """
    return tuple(Variant(f"R{k}", fields) for k, fields in enumerate(_layouts(types)))


@dataclass(frozen=True, slots=True)
class Kept:
    """What the forward half of a function keeps for its reverse half: some values as they are, and,
    if there is a box, others in a node."""

    outside: tuple[Var, ...]
    inside: tuple[Var, ...] = ()
    box: Named | None = None

    @property
    def vars(self) -> tuple[Var, ...]:
        """What the caller gets, and hands to the reverse half."""
        return self.outside if self.box is None else (*self.outside, Var("r", self.box))

    def given(self, b: Builder) -> tuple[Var, ...]:
        """Emit what the forward half returns."""
        if self.box is None:
            return self.outside
        return (*self.outside, put_in_box(b, self.box, self.inside))

    def taken(self, b: Builder, got: tuple[Var, ...]) -> dict[Var, Atom]:
        """Emit the values in the reverse half, which gets these variables."""
        names: dict[Var, Atom] = dict(zip(self.outside, got, strict=False))
        if self.box is not None:
            opened = take_from_box(b, got[-1], tuple(v.type for v in self.inside))
            names.update(zip(self.inside, opened, strict=True))
        return names


def refers(t: Type) -> bool:
    """Whether a value refers to memory, so that a loop which keeps one for each round runs as a
    whole anyway."""
    match t:
        case Real() | Int() | Bool():
            return False
        case Sum(variants):
            return any(refers(f) for v in variants for f in v.fields)
        case _:
            return True


def put_in_box(b: Builder, box: Named, kept: tuple[Var, ...]) -> Var:
    """Emit a node that holds the values, and return it."""
    return _put(b, box, 0, (), kept)


def take_from_box(b: Builder, node: Var, types: Types) -> tuple[Var, ...]:
    """Return the values that a node holds."""
    arms = []
    for tag, fields in enumerate(_layouts(types)):
        given, inner = tuple(Var("kept", t) for t in fields), Builder()
        arms.append(CaseArm(given, inner.block(_taken(inner, tag, types, given))))
    return b.let(Case(node, tuple(arms)), types, names=("kept",) * len(types))


def _opened(types: Types) -> int | None:
    """Return the position of the sum that is split into variants, the one that takes the most room.
    """
    sizes = [(room(t), -k) for k, t in enumerate(types) if isinstance(t, Sum)]
    return -max(sizes)[1] if sizes else None


def room(t: Type) -> int:
    """Estimate how many words a value takes."""
    match t:
        case Sum(variants):
            return 1 + sum(room(f) for v in variants for f in v.fields)
        case Array(elem, rank):
            return room(elem) + 2 * rank
        case Handle(rank):
            return 1 + 2 * rank
        case _:
            return 1


def _layouts(types: Types) -> list[Types]:
    """Return the fields of each variant: first those that all variants have, then those of the sum
    that is split."""
    k = _opened(types)
    if k is None:
        return [types]
    common = (*types[:k], *types[k + 1 :])
    return [(*common, *own) for arm in _arms(types[k]) for own in _layouts(arm)]


def _arms(t: Type) -> list[Types]:
    assert isinstance(t, Sum)
    return [v.fields for v in t.variants]


def _put(
    b: Builder, box: Named, tag: int, common: tuple[Var, ...], values: tuple[Var, ...]
) -> Var:
    k = _opened(tuple(v.type for v in values))
    if k is None:
        (node,) = b.let(Inject(box, tag, (*common, *values)), (box,), names=("kept",))
        return node
    common = (*common, *values[:k], *values[k + 1 :])
    arms = []
    for fields in _arms(values[k].type):
        given, inner = tuple(Var("t", t) for t in fields), Builder()
        arms.append(CaseArm(given, inner.block((_put(inner, box, tag, common, given),))))
        tag += len(_layouts(fields))
    (node,) = b.let(Case(values[k], tuple(arms)), (box,), names=("kept",))
    return node


def _taken(b: Builder, tag: int, types: Types, given: tuple[Var, ...]) -> tuple[Var, ...]:
    k = _opened(types)
    if k is None:
        return given
    n, arms, arm = len(types) - 1, _arms(types[k]), 0
    while tag >= (count := len(_layouts(arms[arm]))):
        tag, arm = tag - count, arm + 1
    own = _taken(b, tag, arms[arm], given[n:])
    (chosen,) = b.let(Inject(types[k], arm, own), (types[k],), names=("took",))
    return (*given[:k], chosen, *given[k:n])
