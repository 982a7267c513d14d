"""Make undefined values, which are never looked at: the result of a path that raises, and the
content of a variable before it is set."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pullback.core.build import Builder, boolean, i64, lit
from pullback.core.terms import Atom, Block, Build, Call, Function, Inject, Lit, Var
from pullback.core.types import I64, Array, Bool, Decl, Int, Named, Real, Sum, Type, variants_of
from pullback.frontend.kinds.flatten import NO_OWNER, kind_of, rebuild
from pullback.frontend.kinds.kinds import Kind, leaf_types
from pullback.frontend.kinds.values import MaybeV, Owner, Value

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def dummy(run: Run, kind: Kind) -> Value:
    """Return any value of a kind, for a path that never gives one."""
    run.declare_kind(kind)
    atoms = [dummy_atom(run, t) for t in leaf_types(kind)]
    return rebuild(kind, iter(atoms), lambda: NO_OWNER)


def any_value(run: Run, like: Value) -> Value:
    """Return any value of the same kind that shares no memory."""
    return any_of_kind(run, kind_of(like))


def any_of_kind(run: Run, kind: Kind) -> Value:
    """Return any value of a kind, which shares no memory."""
    run.declare_kind(kind)
    atoms = [dummy_atom(run, t) for t in leaf_types(kind)]
    return rebuild(kind, iter(atoms), lambda: (frozenset({Owner()}), True))


def any_of(run: Run) -> Callable[[Builder, Type], Atom]:
    """Return what makes any value of a type in a builder."""

    def made(b: Builder, t: Type) -> Atom:
        with run.building(b):
            return dummy_atom(run, t)

    return made


def unset(run: Run, kind: Kind) -> MaybeV:
    """Return the content of a variable of this kind before it is set."""
    return MaybeV(boolean(False), any_of_kind(run, kind))


def dummy_atom(run: Run, t: Type, inside: frozenset[Type] = frozenset()) -> Atom:
    """Return any atom of a type. ``inside`` has the types of the values of which it becomes a part:
    it must not contain these."""
    match t:
        case Real() | Int() | Bool():
            return lit(0, t)
        case Array(elem, rank):
            return _empty_array(run, elem, rank)
        case Named(name) if not _is_finite(t, run.decls, frozenset(), strict=True):
            return _nothing(run, name, t)
        case Sum() | Named():
            tag, fields = _variant(run, t, inside)
            op = Inject(t, tag, tuple(dummy_atom(run, f, inside | {t}) for f in fields))
            (atom,) = run.b.let(op, (t,))
            return atom
        case _:
            raise AssertionError(f"no dummy of {t}")


def _nothing(run: Run, name: str, t: Named) -> Atom:
    """Return a value whose empty arrays have elements of the type itself. It comes from a function,
    which calls itself where an element would be made."""
    function = f"nothing.{name}"
    if function not in run.functions:
        run.functions[function] = Function(function, (), Block((), ()), (t,))
        tag, fields = _variant(run, t, frozenset())

        def made() -> tuple[Atom, ...]:
            op = Inject(t, tag, tuple(dummy_atom(run, f) for f in fields))
            return run.b.let(op, (t,))

        run.functions[function] = Function(function, (), run.block(made), (t,))
    (atom,) = run.b.let(Call(function, ()), (t,))
    return atom


def _empty_array(run: Run, elem: Type, rank: int) -> Atom:
    zero: Lit = i64(0)
    indices = tuple(Var("i", I64) for _ in range(rank))
    body = run.block(lambda: (dummy_atom(run, elem),))
    (atom,) = run.b.let(Build((zero,) * rank, indices, body), (Array(elem, rank),))
    return atom


def _variant(run: Run, t: Type, inside: frozenset[Type]) -> tuple[int, tuple[Type, ...]]:
    """Return a variant that is finite. If all functions of a set capture such functions (or none is
    known yet), it is the variant for no function."""
    found = _finite_variant(t, run.decls, inside)
    if found is None:
        for name in _reached(t, run.decls):
            lambdas = run.lambda_sets.make_blank(name)
            if lambdas is not None:
                run.redeclare(lambdas)
        found = _finite_variant(t, run.decls, inside)
    assert found is not None, f"no finite value of {t}"
    return found


def _reached(t: Type, decls: dict[str, Decl]) -> list[str]:
    """Return the names of all declarations that a type reaches."""
    found: list[str] = []
    todo = [t]
    while todo:
        match todo.pop():
            case Array(elem):
                todo.append(elem)
            case (Named() | Sum()) as u if not (isinstance(u, Named) and u.name in found):
                found += [u.name] if isinstance(u, Named) else []
                todo += [f for v in variants_of(u, decls) for f in v.fields]
            case _:
                pass
    return found


def _finite_variant(
    t: Type, decls: dict[str, Decl], inside: frozenset[Type]
) -> tuple[int, tuple[Type, ...]] | None:
    """Return a variant that contains no value of the type itself, if possible not even as the
    element of an empty array."""
    for strict in (True, False):
        for tag, variant in enumerate(variants_of(t, decls)):
            if all(_is_finite(f, decls, inside | {t}, strict) for f in variant.fields):
                return tag, variant.fields
    return None


def _is_finite(
    t: Type, decls: dict[str, Decl], inside: frozenset[Type], strict: bool = False
) -> bool:
    while strict and isinstance(t, Array):
        t = t.elem
    if not isinstance(t, (Sum, Named)):
        return True
    return t not in inside and any(
        all(_is_finite(f, decls, inside | {t}, strict) for f in v.fields)
        for v in variants_of(t, decls)
    )
