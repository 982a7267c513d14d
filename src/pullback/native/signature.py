"""The description of an entry point: how Python values become machine values, and back.

A signature is a tree: its tuples are Python tuples, and every leaf stands for the machine values
listed with it, in order."""

from __future__ import annotations

from pullback.core.frozen import dataclass
from pullback.lower.loopcode import Ty


@dataclass(frozen=True, slots=True)
class PyFloat:
    """A Python float, exactly: f64."""


@dataclass(frozen=True, slots=True)
class PyInt:
    """A Python int of 64 bits: i64. Handles and other plain numbers are passed in this form."""


@dataclass(frozen=True, slots=True)
class PyBool:
    """True or False: i1."""


@dataclass(frozen=True, slots=True)
class NpScalar:
    """A NumPy scalar, exactly (np.float64, np.float32, np.int64, np.int32, np.bool_)."""

    ty: Ty


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """An ndarray of that dtype and rank: ptr, extents, element strides. No copy on the way in;
    a new C-contiguous array on the way out. ``known``: the symbol of its dtype, if that is not
    the one of its items."""

    ty: Ty
    rank: int
    known: str = ""

    @property
    def descr(self) -> str:
        """Return the symbol of its dtype."""
        return self.known or f"pb_descr_{self.ty.value}"


@dataclass(frozen=True, slots=True)
class ComplexOf:
    """A complex ndarray of rank >= 1 whose parts have this type: the machine values of the array of
    its real parts, then those of its imaginary parts. The parts are moved to dense arrays on the
    way in (where more than single items are read), and to a new C-contiguous array on the way out.
    ``adjoint``: it is the conjugate that stands there."""

    ty: Ty
    rank: int
    adjoint: bool = False

    @property
    def descr(self) -> str:
        """Return the symbol of its dtype."""
        return {Ty.F64: "pb_descr_c128", Ty.F32: "pb_descr_c64"}[self.ty]


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list, not empty, of Python numbers of exactly one class: ptr, extent, stride; with
    ``counted`` its length comes before these, as a number of its own. Its items are copied on the
    way in."""

    ty: Ty
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Pointer:
    """An address as a Python int: ptr. The caller keeps the memory alive."""


@dataclass(frozen=True, slots=True)
class Words:
    """The address, as a Python int, of machine values of these types, 8 bytes each. The caller
    keeps them alive, and the memory to which they point."""

    types: tuple[Ty, ...]


@dataclass(frozen=True, slots=True)
class Nothing:
    """None; no machine value."""


Array = ArrayOf | ComplexOf
Leaf = PyFloat | PyInt | PyBool | NpScalar | Array | ListOf | Pointer | Words | Nothing
Tree = Leaf | tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class EntrySignature:
    """The signature of one entry point.

    params    the types of the arguments of the builtin, positionally
    results   the types of what it returns: the first results of the loop function
    keep      if not None, the last results of the loop function, which are kept raw in an opaque
              residual object with all memory of the run; the builtin returns ``(results,
              residual)``, and arrays are copied on the way in
    resume    if not None, the first parameters of the loop function, which are taken from a
              residual object, the first argument of the builtin
    """

    params: tuple[Tree, ...]
    results: Tree
    keep: tuple[Ty, ...] | None = None
    resume: tuple[Ty, ...] | None = None


def leaves(tree: Tree) -> tuple[Leaf, ...]:
    """Return the leaves of a tree, in order."""
    if isinstance(tree, tuple):
        return tuple(leaf for item in tree for leaf in leaves(item))
    return (tree,)


def machine_types(leaf: Leaf) -> tuple[Ty, ...]:
    """Return the types of the machine values of a leaf."""
    match leaf:
        case PyFloat():
            return (Ty.F64,)
        case PyInt():
            return (Ty.I64,)
        case PyBool():
            return (Ty.I1,)
        case NpScalar(ty):
            return (ty,)
        case ArrayOf(_, rank):
            return (Ty.PTR, *(Ty.I64,) * (2 * rank))
        case ComplexOf(ty, rank):
            return machine_types(ArrayOf(ty, rank)) * 2
        case ListOf(_, counted):
            return (*(Ty.I64,) * counted, Ty.PTR, Ty.I64, Ty.I64)
        case Pointer():
            return (Ty.PTR,)
        case Words(types):
            return types
        case Nothing():
            return ()


def tree_types(tree: Tree) -> tuple[Ty, ...]:
    """Return the types of the machine values of all leaves of a tree."""
    return tuple(ty for leaf in leaves(tree) for ty in machine_types(leaf))
