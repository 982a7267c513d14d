"""Keep what is known of the extents of arrays while a function is specialised.

Shapes are dynamic, but most code combines arrays of evidently equal shape (``x * x``, ``a + b``
where b was made from a). Two extents are *evidently equal* if they are the same atom, the same
literal, or the same axis of the same array. Elementwise code then needs no check and no
broadcasting at run time, so it can be fused and run in lanes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

from pullback.core.build import Builder, i64
from pullback.core.frozen import dataclass, field
from pullback.core.messages import Message
from pullback.core.terms import Atom, Lit, Var
from pullback.core.types import I64, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.values import ArrayV, Specialiser, Static, TupleV, Value, index_scalar

Key = tuple[str, int] | tuple[Var, int] | Var

ONE, ZERO = i64(1), i64(0)

NO_BROADCAST = "operands could not be broadcast together"
"""The message of the ValueError for shapes that do not fit. Where equal extents were assumed
(``Specialiser.assume_equal``) it may also mean that an extent is 1 only at run time."""


@dataclass(slots=True)
class Facts:
    """What is known of arrays and extents.

    ``extents``: for arrays whose extents were known when they were made, these (they are in scope
    wherever the array is). ``dims``: the atoms that are ``dim(array; axis)``; ``asked``: where they
    were emitted for an array. ``built``: arrays that are the result of a Build (a later pass may
    fuse them into the code that reads them; a view would prevent that). ``checked``: pairs of
    extents that a check has found equal, and the block in which it stands. ``positions``:
    numbers that are places in an array, so they are not negative."""

    extents: dict[Var, tuple[Atom, ...]] = field(default_factory=dict)
    dims: dict[Var, tuple[Var, int]] = field(default_factory=dict)
    asked: dict[Var, tuple[Builder, tuple[Var, ...]]] = field(default_factory=dict)
    built: set[Var] = field(default_factory=set)
    checked: dict[tuple[Key, Key], Builder] = field(default_factory=dict)
    positions: set[Atom] = field(default_factory=set)


_FACTS: WeakKeyDictionary[Specialiser, Facts] = WeakKeyDictionary()


def facts(sp: Specialiser) -> Facts:
    found = _FACTS.get(sp)
    if found is None:
        found = _FACTS[sp] = Facts()
    return found


def note(sp: Specialiser, array: ArrayV, extents: Sequence[Atom], built: bool = False) -> ArrayV:
    """Remember the extents of an array that was just made, and return it."""
    assert isinstance(array.atom, Var) and len(extents) == array.rank
    known = facts(sp)
    known.extents[array.atom] = tuple(extents)
    if built:
        known.built.add(array.atom)
    return array


def extents(sp: Specialiser, array: ArrayV) -> tuple[Atom, ...]:
    """Return the extents of an array, as atoms in scope here."""
    assert isinstance(array.atom, Var)
    known = facts(sp)
    if array.atom in known.extents:
        return known.extents[array.atom]
    where = known.asked.get(array.atom)
    if where is not None and where[0] in sp.builders:
        return where[1]
    dims = tuple(sp.b.dim(array.atom, axis) for axis in range(array.rank))
    for axis, dim in enumerate(dims):
        known.dims[dim] = (array.atom, axis)
    known.asked[array.atom] = (sp.b, dims)
    return dims


def key(sp: Specialiser, extent: Atom) -> Key:
    """Return a key for an extent; two extents with equal keys are equal."""
    if isinstance(extent, Lit):
        return ("literal", int(extent.value))
    return facts(sp).dims.get(extent, extent)


def same(sp: Specialiser, a: Atom, b: Atom) -> bool:
    """Whether two extents are evidently equal, or a check has found them equal before."""
    x, y = key(sp, a), key(sp, b)
    if x == y:
        return True
    checked = facts(sp).checked
    builder = checked.get((x, y)) or checked.get((y, x))
    return builder is not None and builder in sp.builders


def note_position(sp: Specialiser, at: Atom) -> None:
    """A number that is a place in an array, wherever it is known."""
    facts(sp).positions.add(at)


def never_negative(sp: Specialiser, n: Atom) -> bool:
    """Whether ``n`` is an extent of an array, a place in one, or a literal that is not
    negative."""
    if isinstance(n, Lit):
        return int(n.value) >= 0
    return n in facts(sp).dims or n in facts(sp).positions


def shape(sp: Specialiser, array: ArrayV) -> TupleV:
    """Return the value of ``array.shape``."""
    return TupleV(tuple(int_value(e) for e in extents(sp, array)))


def int_value(extent: Atom) -> Value:
    """Return an extent or index as Python's int."""
    if isinstance(extent, Lit):
        return Static(int(extent.value))
    return index_scalar(extent)


def position(value: Value) -> Value:
    """Return an index or a bound of a slice; a literal beyond 64 bits becomes another number that
    is out of range."""
    if isinstance(value, Static) and type(value.value) is int and abs(value.value) > _FAR:
        return Static(_FAR if value.value > 0 else -_FAR)
    return value


_FAR = 2**61


def int_atom(sp: Specialiser, value: Value, node: ast.AST, what: str) -> Atom:
    """Return the I64 atom of an integer value; a float is refused."""
    scalar = sp.scalar(value, node)
    if isinstance(scalar.type, Real):
        sp.refuse(node, f"{what} must be an integer", "convert it with int(...)",
                  error=ArgumentTypeError)  # fmt: skip
    return sp.convert(scalar, I64, node)


def check_equal(
    sp: Specialiser, a: Atom, b: Atom, message: str | Message, node: ast.AST, *leaves: Atom
) -> None:
    """Emit a ValueError at run time for extents that differ; emit nothing if they are evidently
    equal. ``leaves``: what the message shows."""
    if not same(sp, a, b):
        sp.require(sp.b.prim("eq", a, b), "ValueError", message, node, *leaves)
        facts(sp).checked[key(sp, a), key(sp, b)] = sp.b


def check_broadcasts(
    sp: Specialiser, own: Atom, target: Atom, message: str | Message, node: ast.AST, *leaves: Atom
) -> None:
    """Emit a ValueError at run time for an axis of extent ``own`` that does not fit one of extent
    ``target``."""
    if same(sp, own, ONE) or same(sp, own, target):
        return
    if sp.assume_equal:
        check_equal(sp, own, target, NO_BROADCAST, node)
        return
    fits = sp.b.prim("or", sp.b.prim("eq", own, target), sp.b.prim("eq", own, ONE))
    sp.require(fits, "ValueError", message, node, *leaves)


# --- integer arithmetic on extents and indices: small numbers, literals folded ------------------


def _folded(sp: Specialiser, name: str, fold: Callable[[int, int], int], a: Atom, b: Atom) -> Atom:
    if isinstance(a, Lit) and isinstance(b, Lit):
        return i64(fold(int(a.value), int(b.value)))
    return sp.b.prim(name, a, b)


def _is(a: Atom, value: int) -> bool:
    return isinstance(a, Lit) and int(a.value) == value


def add(sp: Specialiser, a: Atom, b: Atom) -> Atom:
    if _is(a, 0):
        return b
    return a if _is(b, 0) else _folded(sp, "add", lambda x, y: x + y, a, b)


def sub(sp: Specialiser, a: Atom, b: Atom) -> Atom:
    return a if _is(b, 0) else _folded(sp, "sub", lambda x, y: x - y, a, b)


def mul(sp: Specialiser, a: Atom, b: Atom) -> Atom:
    if _is(a, 1):
        return b
    return a if _is(b, 1) else _folded(sp, "mul", lambda x, y: x * y, a, b)


def floordiv(sp: Specialiser, a: Atom, b: Atom) -> Atom:
    return a if _is(b, 1) else _folded(sp, "floordiv", lambda x, y: x // y, a, b)


def mod(sp: Specialiser, a: Atom, b: Atom) -> Atom:
    return ZERO if _is(b, 1) else _folded(sp, "mod", lambda x, y: x % y, a, b)


def larger(sp: Specialiser, a: Atom, b: Atom) -> Atom:
    return _folded(sp, "max", max, a, b)


def smaller(sp: Specialiser, a: Atom, b: Atom) -> Atom:
    return _folded(sp, "min", min, a, b)


def product(sp: Specialiser, extents: Sequence[Atom]) -> Atom:
    """Return the number of elements of an array with these extents."""
    n: Atom = ONE
    for extent in extents:
        n = mul(sp, n, extent)
    return n
