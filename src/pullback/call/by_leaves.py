"""Into an entry and out of it by leaves: of kinds that have no compiled conversions.

The nodes of the flattened arguments (``evaluate``) are laid out in memory (``machine_words``), and
the leaves of the results are read from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.call.evaluate import Decls, Flat, drop_accumulators
from pullback.call.machine_words import Memory, Reader, is_simple, signature_leaves
from pullback.call.normalise import not_taken
from pullback.call.request import Plan
from pullback.core.types import Type
from pullback.lower.loopcode import Ty
from pullback.lower.values import leaves as machine_types
from pullback.native import EntrySignature, Leaf, PyInt, Words


def signature(params: Sequence[Type], results: Sequence[Type], raw: int) -> EntrySignature:
    """The signature of an entry that is called with leaves and gives leaves; its last ``raw``
    results are kept in a residual object."""
    boxed, kept = _returned(results, raw)
    return EntrySignature(_leaves(params), boxed, keep=kept)


def words_signature(
    words: Sequence[tuple[Ty, ...]], cells: bool, results: Sequence[Type], raw: int
) -> EntrySignature:
    """The signature of an entry that is called with the addresses of its arguments' words."""
    boxed, kept = _returned(results, raw)
    return EntrySignature(_words(words, cells), boxed, keep=kept)


def forward_signature(
    params: Sequence[Type], results: Sequence[Type], residuals: Sequence[Type],
    words: Sequence[tuple[Ty, ...]] | None, cells: bool, raw: bool,
) -> EntrySignature:  # fmt: skip
    """The signature of a forward half, by leaves or by words: it keeps its residuals."""
    given = _leaves(params) if words is None else _words(words, cells)
    if raw:
        return EntrySignature(given, (), keep=(*machine(residuals), *machine(results)))
    return EntrySignature(given, _leaves(results), keep=machine(residuals))


def pullback_signature(
    residuals: Sequence[Type], seeds: Sequence[Type], results: Sequence[Type]
) -> EntrySignature:
    """The signature of a reverse half: it resumes from the residuals."""
    return EntrySignature(_leaves(seeds), _leaves(results), resume=machine(residuals))


def _returned(
    results: Sequence[Type], raw: int
) -> tuple[tuple[Leaf, ...], tuple[Ty, ...] | None]:
    """What an entry returns, and what it keeps: the memory that leaves point to, if nothing else.
    """
    boxed, tail = results[: len(results) - raw], results[len(results) - raw :]
    kept = machine(tail) if raw or not all(map(is_simple, boxed)) else None
    return _leaves(boxed), kept


def _words(words: Sequence[tuple[Ty, ...]], cells: bool) -> tuple[Leaf, ...]:
    params: tuple[Leaf, ...] = tuple(map(Words, words))
    return (*params, PyInt()) if cells else params


def _leaves(types: Sequence[Type]) -> tuple[Leaf, ...]:
    return tuple(leaf for t in types for leaf in signature_leaves(t))


def machine(types: Sequence[Type]) -> tuple[Ty, ...]:
    """The machine values of these types."""
    return tuple(ty for t in types for ty in machine_types(t))


Builtin = Callable[..., object]


def call_native(
    builtin: Builtin, decls: Decls, plan: Plan, params: Sequence[Type], flat: Flat,
    copy: bool = False,
) -> tuple[object, Memory]:  # fmt: skip
    """Call an entry point with flattened arguments; also the memory that its results may use.
    ``params``: the types of main's parameters."""
    flat.flattener.require_words(flat.given)
    memory = Memory(decls, copy)
    suffix = f".{plan.space.value}"
    memory.place(
        (name + suffix if name + suffix in decls else name, n.node)
        for n in flat.flattener.flat_nodes
        for name in (n.union.name,)
    )
    args: list[object] = []
    for t, leaf in zip(params, flat.given, strict=False):
        args += memory.arguments(t, leaf)
    if plan.cells:
        args.append(flat.flattener.cells)
    return taken(builtin, args), memory


def taken(builtin: Builtin, args: Sequence[object]) -> object:
    """The result of an entry point, which must take its arguments."""
    found = builtin(*args)
    if found is NotImplemented:
        raise not_taken(args)
    return found


def read_results(
    found: object, types: Sequence[Type], decls: Decls, kept: bool = False
) -> list[object]:
    """The leaves that an entry point returned; ``kept``: with a residual object beside them."""
    simple = all(map(is_simple, types))
    if kept or not simple:
        assert isinstance(found, tuple)
        found = found[0]  # the second part keeps the memory alive that the first points to
    assert isinstance(found, tuple)
    if simple:
        return list(found)
    leaves = Reader(decls).leaves(types, found)
    drop_accumulators(types, leaves, decls)
    return leaves


__all__ = ["call_native", "forward_signature", "machine", "pullback_signature", "read_results",
           "signature", "taken", "words_signature"]  # fmt: skip
