"""The types of values under differentiation.

Reverse mode (accumulators; Efficient CHAD, section 5, with handles that travel with the arrays):

    primal spaces                                        cotangent leaves (by value)
    P(Real) = Real    P(Int) = Int    P(Bool) = Bool     C(Real) = Real   C(Int) = C(Bool) = nothing
    P(Array e) = Array P(e)..., one Handle per C(e)      C(Array e) = nothing: it is accumulated
    P(Sum vs) = Sum of the P(fields)                     C(Sum vs) = the C(fields) of all variants
    P(Named n) = Named n.fwd, whose variants are         C(Named n) = nothing
       P(fields)... and one Handle(1), when C(fields) is not empty: its cells, in order

Forward mode (dual numbers; Krawiec et al., figure 3): D(Real) = Real, Real; arrays, sums and
nodes fieldwise (``n.jvp``).

An array of reals that no differentiated input reaches stays as it is; sums, nodes and arrays of
arrays always take their space (an inactive array in them gets a handle to a cell of no one).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Self

from pullback.core.frozen import dataclass
from pullback.core.types import (
    Array,
    Bool,
    Decl,
    Handle,
    Int,
    Named,
    Real,
    Sum,
    Tuple,
    Type,
    Variant,
    variants_of,
)

Decls = dict[str, Decl]
FORWARD, JVP, SERIES = ".fwd", ".jvp", ".series"


def bearing_decls(decls: Decls, leaves: tuple[type, ...] = (Real,)) -> frozenset[str]:
    """The names of the declarations that contain such a leaf somewhere."""
    found: set[str] = set()
    grew = True
    while grew:
        grew = False
        for name, decl in decls.items():
            if name not in found and any(
                _bears(f, found, leaves) for v in decl.variants for f in v.fields
            ):
                found.add(name)
                grew = True
    return frozenset(found)


def _bears(t: Type, named: set[str] | frozenset[str], leaves: tuple[type, ...] = (Real,)) -> bool:
    match t:
        case Real() | Handle():
            return isinstance(t, leaves)
        case Array(elem, _):
            return _bears(elem, named, leaves)
        case Sum(variants):
            return any(_bears(f, named, leaves) for v in variants for f in v.fields)
        case Named(name):
            return name in named
        case Tuple(items):
            return any(_bears(item, named, leaves) for item in items)
        case Int() | Bool():
            return False


@dataclass(frozen=True, slots=True)
class Spaces:
    """The spaces above, for the declarations of one program."""

    decls: Decls
    bearing_names: frozenset[str]
    leaves: ClassVar[tuple[type, ...]] = (Real,)

    @classmethod
    def of(cls, decls: Decls) -> Self:
        return cls(decls, bearing_decls(decls, cls.leaves))

    @property
    def dual_suffix(self) -> str:
        """What the name of a declaration in its dual space ends with."""
        return JVP

    @property
    def copies(self) -> int:
        """How many parts stand beside a real in its dual space."""
        return 1

    def beside(self, t: Real) -> Type:
        """Return the type that stands beside a real in its dual space: that of its tangent."""
        return t

    def bears(self, t: Type) -> bool:
        """Whether a value of this type contains a real (has a derivative)."""
        match t:
            case Array(elem, _):
                return self.bears(elem)
            case Sum(variants):
                return any(self.bears(f) for v in variants for f in v.fields)
            case Named(name) if name not in self.decls and (found := self.of_dual(name)):
                return self.bears(Named(found[1]))
            case _:
                return _bears(t, self.bearing_names, self.leaves)

    def decl(self, name: str) -> Decl:
        """Return a declaration of the program, or one that is derived from it (``n.jvp.jvp.fwd``):
        a function that was differentiated forward may be differentiated again."""
        if name in self.decls:
            return self.decls[name]
        if name.endswith(FORWARD):
            return self._forward_decl(name.removesuffix(FORWARD))
        found = self.of_dual(name)
        if found is None:
            raise KeyError(name)
        return found[0]._dual_decl(found[1])

    def of_dual(self, name: str) -> tuple[Spaces, str] | None:
        """Return the spaces and the declaration of which this is the name in its dual space."""
        if name.endswith(self.dual_suffix):
            return self, name.removesuffix(self.dual_suffix)
        rest, dot, order = name.rpartition(SERIES)
        if dot and order.isdecimal():
            return SeriesSpaces(self.decls, self.bearing_names, int(order)), rest
        if name.endswith(JVP):
            return Spaces(self.decls, self.bearing_names), name.removesuffix(JVP)
        return None

    def composite(self, t: Type) -> bool:
        """Whether the space of this type does not depend on activity."""
        return self.bears(t) and not isinstance(t, Real) and not _plain_array(t)

    def primal(self, t: Type, active: bool = True) -> tuple[Type, ...]:
        """P(t): the types of the forward sweep's variables for a variable of type t."""
        if not self.bears(t) or (not active and not self.composite(t)):
            return (t,)
        match t:
            case Array(elem, rank):
                arrays = tuple(Array(p, rank) for p in self.primal(elem))
                return arrays + (Handle(rank),) * len(self.cotangent(elem))
            case Sum(variants):
                return (Sum(tuple(self._primal_variant(v) for v in variants)),)
            case Named(name):
                return (Named(name + FORWARD),)
            case _:
                return (t,)

    def _primal_variant(self, v: Variant) -> Variant:
        return Variant(v.name, tuple(p for f in v.fields for p in self.primal(f)))

    def cotangent(self, t: Type) -> tuple[Real, ...]:
        """C(t): the reals of t that have a cotangent by value, in order."""
        match t:
            case Real():
                return (t,)
            case Sum(variants):
                return tuple(c for v in variants for f in v.fields for c in self.cotangent(f))
            case _:
                return ()

    def cells(self, v: Variant) -> int:
        """How many cells the accumulator of a node of this variant has."""
        return sum(len(self.cotangent(f)) for f in v.fields)

    def offset(self, t: Type, tag: int) -> int:
        """Where the cotangent leaves of a variant begin among those of the sum."""
        assert isinstance(t, Sum)
        return sum(self.cells(v) for v in t.variants[:tag])

    def forward_variants(self, t: Type) -> tuple[Variant, ...]:
        """The alternatives of a sum of the forward sweep (``n.fwd`` or one that stays as it is)."""
        return self.decl(t.name).variants if isinstance(t, Named) else variants_of(t, {})

    def forward_decls(self) -> Decls:
        """The declarations ``n.fwd`` of all bearing declarations."""
        return {name + FORWARD: self._forward_decl(name) for name in sorted(self.bearing_names)}

    def _forward_decl(self, name: str) -> Decl:
        variants = tuple(
            Variant(v.name, self._primal_variant(v).fields + (Handle(1),) * (self.cells(v) > 0))
            for v in self.decl(name).variants
        )
        return Decl(name + FORWARD, variants)

    def dual(self, t: Type, active: bool = True) -> tuple[Type, ...]:
        """D(t): primal and tangent of forward mode, side by side."""
        if not self.bears(t) or (not active and not self.composite(t)):
            return (t,)
        match t:
            case Real():
                return (t, *(self.beside(t),) * self.copies)
            case Array(elem, rank):
                return tuple(Array(d, rank) for d in self.dual(elem))
            case Sum(variants):
                return (Sum(tuple(self._dual_variant(v) for v in variants)),)
            case Named(name):
                return (Named(name + self.dual_suffix),)
            case _:
                return (t,)

    def _dual_variant(self, v: Variant) -> Variant:
        return Variant(v.name, tuple(d for f in v.fields for d in self.dual(f)))

    def dual_decls(self) -> Decls:
        """The declarations ``n.jvp`` of all bearing declarations."""
        names = sorted(self.bearing_names)
        return {name + self.dual_suffix: self._dual_decl(name) for name in names}

    def _dual_decl(self, name: str) -> Decl:
        variants = tuple(map(self._dual_variant, self.decl(name).variants))
        return Decl(name + self.dual_suffix, variants)

    def needed(self, decls: Decls, types: Iterable[Type]) -> Decls:
        """Return these declarations and all that are mentioned in them and in types."""
        out = dict(decls)
        todo = [*types, *(f for d in decls.values() for v in d.variants for f in v.fields)]
        while todo:
            match todo.pop():
                case Array(elem, _):
                    todo.append(elem)
                case Sum(variants):
                    todo.extend(f for v in variants for f in v.fields)
                case Named(name) if name not in out:
                    out[name] = self.decl(name)
                    todo.extend(f for v in out[name].variants for f in v.fields)
                case _:
                    pass
        return out


@dataclass(frozen=True, slots=True)
class SeriesSpaces(Spaces):
    """Taylor mode: D(Real) = Real and the coefficients of a path up to an order."""

    order: int

    @property
    def dual_suffix(self) -> str:
        return f"{SERIES}{self.order}"

    @property
    def copies(self) -> int:
        return self.order


def _plain_array(t: Type) -> bool:
    return isinstance(t, Array) and isinstance(t.elem, Real)
