"""Errors that show numbers of the run: NumPy's texts name shapes, Python's the value that is not
there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import numpy as np

from pullback.core.messages import Applied, Constant, Leaf, Message, Part
from pullback.core.terms import Atom, Lit
from pullback.frontend.kinds.values import Specialiser

Shown = Atom | Sequence[Atom]
"""A number, or numbers that are shown as a tuple."""


def told(text: Callable[..., object], plain: str, *values: Shown) -> tuple[Message, list[Atom]]:
    """Return a message whose argument ``text`` makes of numbers, and what is recorded for it."""
    leaves: list[Atom] = []

    def part(value: Shown) -> Part:
        if isinstance(value, Lit):
            return Constant(value.value)
        if isinstance(value, Sequence):
            return Applied(_together, tuple(map(part, value)))
        leaves.append(value)
        return Leaf(len(leaves) - 1)

    made = Applied(text, tuple(map(part, values)))
    return Message((made,), len(leaves), plain), leaves


def require(
    sp: Specialiser, cond: Atom, exception: str, text: Callable[..., object], plain: str,
    node: ast.AST, *values: Shown,
) -> None:  # fmt: skip
    """Raise an exception where ``cond`` is false, whose argument ``text`` makes of numbers."""
    message, leaves = told(text, plain, *values)
    sp.require(cond, exception, message, node, *leaves)


def _together(*items: object) -> tuple[object, ...]:
    return items


def shape(extents: Sequence[object]) -> str:
    """A shape as NumPy writes it: (2,), (2,3)."""
    return f"({extents[0]},)" if len(extents) == 1 else f"({','.join(map(str, extents))})"


# --- NumPy's and Python's texts -------------------------------------------------------------------


def not_broadcast(*shapes: Sequence[object]) -> str:
    """Operands that do not go together."""
    listed = "".join(f"{shape(s)} " for s in shapes)
    return f"operands could not be broadcast together with shapes {listed}"


def indices_not_broadcast(*shapes: Sequence[object]) -> str:
    """Index arrays that do not go together."""
    listed = "".join(f"{shape(s)} " for s in shapes)
    return f"shape mismatch: indexing arrays could not be broadcast together with shapes {listed}"


def not_together(numbers: Sequence[int], *shapes: Sequence[int]) -> str:
    """What ``np.broadcast_arrays`` says, in NumPy's own words; there are ``numbers`` at these
    places between the arrays."""
    found = list(shapes)
    for k in numbers:
        found.insert(k, ())
    try:
        return f"the shapes {np.broadcast_shapes(*found)}"
    except ValueError as error:
        return str(error)


def not_aligned(a: Sequence[int], b: Sequence[int], axis: int, other: int) -> str:
    """What ``np.dot`` says."""
    return (
        f"shapes {shape(a)} and {shape(b)} not aligned: "
        f"{a[axis]} (dim {axis % len(a)}) != {b[other]} (dim {other % len(b)})"
    )


def core_dimension(signature: str, size: int, other: int) -> str:
    """What a generalised ufunc says of its second operand."""
    return f"{signature} (size {size} is different from {other})"


def not_joined(axis: int, at: int, size: int, other: int) -> str:
    """What ``np.concatenate`` says."""
    return (
        "all the input array dimensions except for the concatenation axis must match exactly, but "
        f"along dimension {axis}, the array at index 0 has size {size} and the array at index {at} "
        f"has size {other}"
    )


def not_reshaped(size: int, wanted: Sequence[int]) -> str:
    """What ``reshape`` says."""
    known = ["newaxis" if n < 0 else str(n) for n in wanted]
    if "newaxis" in known and len(known) == 2 and known[0] == "newaxis":
        known = known[1:]
    listed = ",".join(known)
    text = f"({listed},)" if len(wanted) == 1 else f"({listed})"
    return f"cannot reshape array of size {size} into shape {text}"


def not_assigned(value: Sequence[int], target: Sequence[int]) -> str:
    """What an assignment to a part of an array says: axes before the others do not count."""
    while len(value) > len(target) and value[0] == 1:
        value = value[1:]
    return f"could not broadcast input array from shape {shape(value)} into shape {shape(target)}"


def not_scattered(value: Sequence[int], target: Sequence[int]) -> str:
    """What an assignment to the places of index arrays says."""
    return (
        f"shape mismatch: value array of shape {shape(value)} could not be broadcast to indexing "
        f"result of shape {shape(target)}"
    )


def not_masked(value: Sequence[int], target: Sequence[int]) -> str:
    """What an assignment to the places where a mask is true says."""
    return (
        f"NumPy boolean array indexing assignment cannot assign {value[0]} input values to the "
        f"{target[0]} output values where the mask is true"
    )


def not_combined(value: Sequence[int], target: Sequence[int]) -> str:
    """What ``np.add.at`` says."""
    return "array is not broadcastable to correct shape"


def mask_differs(axis: int, size: int, other: int) -> str:
    """What a boolean index of another length says."""
    return (
        f"boolean index did not match indexed array along axis {axis}; size of axis is {size} "
        f"but size of corresponding boolean axis is {other}"
    )


def larger_result(old: Sequence[int], new: Sequence[int]) -> str:
    """What an update in place says of a result with more elements."""
    return (
        f"non-broadcastable output operand with shape {shape(old)} "
        f"doesn't match the broadcast shape {shape(new)}"
    )


def other_core(dimension: int, size: int, other: int) -> str:
    """What ``a @= b`` says of a result of another extent."""
    signature = (
        f"matmul: Output operand 0 has a mismatch in its core dimension {dimension}, with gufunc "
        "signature (n?,k),(k,m?)->(n?,m?)"
    )
    return core_dimension(signature, size, other)


def not_inside(index: int, axis: int, size: int) -> str:
    """What an index says that an axis does not have."""
    return f"index {index} is out of bounds for axis {axis} with size {size}"


def not_requested(own: Sequence[int], wanted: Sequence[int]) -> str:
    """What ``np.broadcast_to`` says."""
    return (
        "operands could not be broadcast together with remapped shapes [original->remapped]: "
        f"{shape(own)}  and requested shape {shape(wanted)}"
    )


def not_contracted(axes: Sequence[int], *operands: Sequence[int]) -> str:
    """What ``np.einsum`` says of operands (the codes of the subscripts, the shape) that do not go
    together, whose axes it puts in this order."""
    listed = ""
    for letters, own in zip(operands[::2], operands[1::2], strict=True):
        placed = [str(own[letters.index(c)]) if c in letters else "newaxis" for c in axes]
        while placed and placed[0] == "newaxis":
            del placed[0]
        listed += f"{shape(own)}->{shape(placed)} "
    return (
        "operands could not be broadcast together with remapped shapes [original->remapped]: "
        f"{listed}"
    )


def not_collapsed(letter: int, operand: int, size: int, other: int) -> str:
    """What ``np.einsum`` says of a subscript that one operand has twice (-1: the only one)."""
    which = "single operand" if operand < 0 else f"operand {operand}"
    return (
        f"dimensions in {which} for collapsing index {chr(letter)!r} don't match "
        f"({size} != {other})"
    )


def negative_samples(number: int) -> str:
    """What ``np.linspace`` says."""
    return f"Number of samples, {number}, must be non-negative."


def not_in_list(value: object) -> str:
    """What ``xs.index`` says."""
    return f"{value!r} is not in list"


__all__ = [
    "core_dimension", "indices_not_broadcast", "larger_result", "mask_differs", "negative_samples",
    "not_aligned", "not_assigned", "not_broadcast", "not_collapsed", "not_combined",
    "not_contracted", "not_in_list", "not_inside", "not_joined", "not_masked", "not_requested",
    "not_reshaped", "not_scattered", "not_together", "other_core", "require", "shape", "told",
]  # fmt: skip
