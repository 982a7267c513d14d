"""Branches: run every arm in a block of its own, then join what the arms give.

An arm that raises, or whose recursive call has no result so far, gives nothing: its block ends in
values of no meaning, of the kinds that the other arms have. An arm that is refused gives nothing
either where the refusal may go when more is known (``Functions.waits``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.build import Builder
from pullback.core.terms import Atom, Block, Op
from pullback.errors import PullbackError, TypesDoNotMeetError
from pullback.frontend.functions import choices
from pullback.frontend.kinds.chosen import NUMBER
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.descriptions import describe_both
from pullback.frontend.kinds.flatten import Flat, NoKindError, Ownership, flatten, rebuild
from pullback.frontend.kinds.growing_tuples import join_growing
from pullback.frontend.kinds.kinds import Kind, MaybeK, StaleK, leaf_types
from pullback.frontend.kinds.parted import met_kind
from pullback.frontend.kinds.undefined import dummy, unset
from pullback.frontend.kinds.values import (
    UNSET,
    FunctionV,
    GeneratorV,
    PlaceV,
    Stale,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.memory import ownership, places
from pullback.frontend.memory.owners import met
from pullback.frontend.python.syntax import STATE, STOP
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Flow

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Names = dict[str, Value]
MakeOp = Callable[[Sequence[Block]], Op]
Meet = Callable[[Kind, Kind], Kind | None]


def fork_value(
    run: Run, arms: Sequence[Callable[[], Value]], make: MakeOp, node: ast.AST,
    meet: Meet = join_growing,
) -> Value:  # fmt: skip
    """Return the joined value of an expression with several arms, of which one is evaluated;
    ``meet`` gives what two kinds join to."""
    results: list[tuple[Builder, Value | None]] = []
    scope, before = run.scope, run.scope.names
    ends: list[Names] = []
    for arm in arms:
        scope.names = dict(before)
        with run.building(Builder()) as b:
            run.arms[b] = arms
            try:
                results.append((b, arm()))
            except Unreachable:
                results.append((b, None))
            except PullbackError as refusal:
                if not run.calls.waits(refusal):
                    raise
                results.append((b, None))
            finally:
                ends.append(scope.names)
                scope.names = before
    values = [v for _, v in results if v is not None]
    if values and any(env.get(n) is not before.get(n) for env in ends for n in env):
        return _with_names(run, results, ends, make, node, meet)
    if not values:
        run.b.let(make([b.block() for b, _ in results]), ())
        raise Unreachable
    functions = choices.all_of(run, values)
    if functions is not None and len(functions) == 1 and not choices.is_choice(values[0]):
        return _same(run, Same(functions[0]), results, make)
    if functions is not None and any(v is not values[0] for v in values):
        tags: list[list[Value | None]] = []
        for b, v in results:
            with run.building(b):
                tags.append([None if v is None else choices.tag_of(run, v, functions, node)])
        return choices.choice(_emit(run, results, [NUMBER], tags, make, node)[0], functions)
    joined = join_values(run, values, node, meet=meet)
    if isinstance(joined, Same):
        if len(values) > 1 or not flatten(joined.value).atoms:
            return _same(run, joined, results, make)
        joined = flatten(joined.value).kind  # its atoms may be local to the one arm
    held = _places_of(run, results)
    steps = places.differing(held) if len(held) > 1 else None
    if steps is None:
        return _emit(run, results, [joined], [[v] for _, v in results], make, node)[0]
    columns: list[list[Value | None]] = []
    waiting = iter(held)
    for b, v in results:
        with run.building(b):
            place = None if v is None else next(waiting)
            columns.append([v, *(
                None if place is None else places.index_of(run, place.steps[k]) for k in steps
            )])  # fmt: skip
    kinds = [joined, *(NUMBER for _ in steps)]
    made, *indices = _emit(run, results, kinds, columns, make, node)
    assert held[0] is not None
    run.frame.places[made] = replace(places.chosen(held[0], steps, indices), value=made)
    return made


def _places_of(
    run: Run, results: Sequence[tuple[Builder, Value | None]]
) -> list[PlaceV | None]:
    """Return the places of the values that the arms give, with indices that count from the
    start."""
    found: list[PlaceV | None] = []
    for b, value in results:
        if value is not None:
            place = run.frame.places.get(value)
            with run.building(b):
                found.append(None if place is None else places.from_start(run, place))
    return found


_VALUE = "$value"


def _with_names(
    run: Run, results: Sequence[tuple[Builder, Value | None]], ends: Sequence[Names], make: MakeOp,
    node: ast.AST, meet: Meet,
) -> Value:  # fmt: skip
    """Compile an expression whose arms assign names (``:=``) or update the values of names."""
    arms: list[tuple[Builder, Names | None]] = [
        (b, None if value is None else {**env, _VALUE: value})
        for (b, value), env in zip(results, ends, strict=False)
    ]
    live = frozenset(n for env in ends for n in env) | {_VALUE}
    join_names(run, arms, make, live, node, meet=meet)
    return run.scope.names.pop(_VALUE)


def _same(run: Run, joined: Same, results: Sequence[tuple[Builder, object]], make: MakeOp) -> Value:
    if any(b.lets for b, _ in results):
        run.b.let(make([b.block() for b, _ in results]), ())
    return joined.value


class Same:
    """All arms give the very same value."""

    def __init__(self, value: Value) -> None:
        self.value = value


def join_values(
    run: Run, values: Sequence[Value], node: ast.AST, envs: Sequence[Names] = (),
    meet: Meet = join_growing,
) -> Kind | Same:  # fmt: skip
    """Return the kind that the values join to; TypesDoNotMeetError if there is none."""
    for v in values:
        run.kind(v, node)
    flats = [_flat_in(run, v, envs[k] if envs else None) for k, v in enumerate(values)]
    if all(_equal(flats[0], f) for f in flats[1:]):
        return Same(values[0])
    found = _met(flats, meet, node)
    if isinstance(found, tuple):
        one, other = found
        run.refuse(
            node,
            f"the value is {one} on one path and {other} on another",
            "give it the same type on every path",
            error=TypesDoNotMeetError,
        )
    return found


def _met(flats: Sequence[Flat], meet: Meet, node: ast.AST) -> Kind | tuple[str, str]:
    """Return the kind that some values join to; else what the first two are that do not."""
    kind = flats[0].kind
    for f in flats[1:]:
        joined = met_kind(kind, f.kind, meet, node)
        if joined is None:
            return describe_both(kind, f.kind)
        kind = joined
    return kind


def _flat_in(run: Run, value: Value, env: Names | None) -> Flat:
    with _names_of(run, env):
        return flatten(value)


def _equal(a: Flat, b: Flat) -> bool:
    alike = a.kind == b.kind and a.among == b.among
    return alike and all(x is y for x, y in zip(a.atoms, b.atoms, strict=True))


def _emit(
    run: Run,
    results: Sequence[tuple[Builder, object]],
    kinds: Sequence[Kind],
    columns: Sequence[Sequence[Value | None]],
    make: MakeOp,
    node: ast.AST,
    envs: Sequence[Names | None] = (),
) -> list[Value]:
    """Close the blocks of all arms with their values converted to ``kinds``, and emit the op."""
    blocks = []
    each: list[list[list[Ownership]]] = [[] for _ in kinds]
    for k_arm, ((b, _), values) in enumerate(zip(results, columns, strict=True)):
        atoms: list[Atom] = []
        with run.building(b), _names_of(run, envs[k_arm] if envs else None):
            for k, (kind, value) in enumerate(zip(kinds, values, strict=True)):
                if value is None or value is UNSET:
                    none = unset(run, kind.inner) if isinstance(kind, MaybeK) else dummy(run, kind)
                    atoms += flatten(none).atoms
                    continue
                same = coerce(run, value, kind, node)
                flat = flatten(same)
                atoms += flat.atoms
                each[k].append(flat.owned)
            blocks.append(b.block(tuple(atoms)))
    types = tuple(t for kind in kinds for t in leaf_types(kind))
    made = iter(run.b.let(make(blocks), types))
    values_out = []
    for kind, arms in zip(kinds, each, strict=True):
        ownership.given_or_made(run, arms)
        values_out.append(rebuild(kind, made, iter(met(arms)).__next__))
    return values_out


@contextmanager
def _names_of(run: Run, env: Names | None) -> Iterator[None]:
    """Return the names that functions capture: the variables as they are at the end of the arm."""
    scope, before = run.scope, run.scope.names
    if env is not None:
        scope.names = env
    try:
        yield
    finally:
        scope.names = before


# --- statements -----------------------------------------------------------------------------------

UNUSED = Stale(
    "a value that is never read was read (an error of liveness)", ast.Pass(), unset=True
)
"""What a name holds on paths from which it is never read: any value will do there."""


def fork_names(
    run: Run,
    arms: Sequence[Callable[[], Flow]],
    make: MakeOp,
    live: frozenset[str],
    node: ast.AST,
    meet: Meet = join_growing,
) -> Flow:
    """Run statements with several arms; afterwards the names have their joined values."""
    scope, before = run.scope, run.scope.names
    results: list[tuple[Builder, Names | None]] = []
    flows: list[Flow] = []
    for arm in arms:
        scope.names = dict(before)
        with run.building(Builder()) as b:
            run.arms[b] = arms
            try:
                flow = arm()
            except Unreachable:
                flow = Flow.DEAD
            except PullbackError as refusal:
                if not run.calls.waits(refusal):
                    raise
                flow = Flow.DEAD
            finally:
                names, scope.names = scope.names, before
        results.append((b, None if flow is Flow.DEAD else names))
        flows.append(flow)
    alive = [f for f in flows if f is not Flow.DEAD]
    if not alive:
        run.b.let(make([b.block() for b, _ in results]), ())
        return Flow.DEAD
    join_names(run, results, make, live, node, meet=meet)
    return alive[0]


def join_names(
    run: Run,
    results: Sequence[tuple[Builder, Names | None]],
    make: MakeOp,
    live: frozenset[str],
    node: ast.AST,
    inside: Container[Atom] = frozenset(),
    meet: Meet = join_growing,
) -> None:
    """Join what names hold. ``inside``: variables of one arm that may be what all arms give."""
    envs = [names for _, names in results if names is not None]
    before, live = run.scope.names, places.with_roots(live | run.scope.always, envs)
    picked = _settle_places(run, results, before, live, node)
    functions = _settle_functions(run, results, before, live, node)
    live |= {f"{n}@f" for n in functions}
    live |= {f"{n}@{k}" for n, (_, steps) in picked.items() for k in ("", *steps)}
    joined: Names = {}
    names: list[str] = []
    kinds: list[Kind] = []
    columns_of: dict[tuple[int, ...], int] = {}  # names of one object in all arms stay so
    twins: dict[str, int] = {}
    for name in dict.fromkeys(n for env in envs for n in env):
        values = [env.get(name) for env in envs]
        outside = len(envs) > 1 or before.get(name) is values[0]
        if outside and inside and before.get(name) is not values[0]:
            outside = not _is_inside(run, values[0], envs[0], inside)
        if outside and all(v is values[0] for v in values) and values[0] is not None:
            joined[name] = values[0]
            continue
        if name not in live and not run.outlasts(name) and name not in (STATE, STOP):
            joined[name] = UNUSED
            continue
        if all(v is UNUSED for v in values):
            joined[name] = UNUSED
            continue
        place = columns_of.setdefault(tuple(map(id, values)), len(names))
        if place < len(names):
            twins[name] = place
            continue
        found = _join_name(run, name, values, envs, node, meet)
        if isinstance(found, Same) and not outside:
            flat = _flat_in(run, found.value, envs[0])
            found = flat.kind if flat.atoms else found  # atoms are local to the one arm
        if isinstance(found, Same):
            del columns_of[tuple(map(id, values))]
            joined[name] = found.value
        elif isinstance(found, StaleK):
            del columns_of[tuple(map(id, values))]
            joined[name] = Stale(found.reason, found.node, unset=found.unset)
        else:
            names.append(name)
            kinds.append(found)
    columns = [
        [None if env is None or env.get(n) is UNUSED else env.get(n, UNSET) for n in names]
        for _, env in results
    ]
    if names or any(b.lets for b, _ in results):
        ends = [env for _, env in results]
        made = _emit(run, results, kinds, columns, make, node, ends)
        joined.update(zip(names, made, strict=True))
        joined.update({n: made[place] for n, place in twins.items()})
    for n, (one, steps) in picked.items():
        value = joined.pop(f"{n}@")
        if not isinstance(value, Stale):
            one = replace(one, value=value, of=joined[one.root])
        joined[n] = places.chosen(one, steps, [joined.pop(f"{n}@{k}") for k in steps])
    for n, known in functions.items():
        joined[n] = _chosen_function(joined, n, known)
    run.scope.names = joined


def _is_inside(run: Run, value: Value | None, env: Names, inside: Container[Atom]) -> bool:
    """Whether what a name holds has variables in it of one arm."""
    if value is None or value is UNSET or isinstance(value, Stale):
        return False
    with suppress(NoKindError):
        return any(a in inside for a in _flat_in(run, value, env).atoms)
    return False


def _chosen_function(joined: Names, name: str, functions: Sequence[Value]) -> Value:
    """What a name holds that was one of these functions."""
    if len(functions) == 1:
        return functions[0]
    tag = joined.pop(f"{name}@f")
    return tag if isinstance(tag, Stale) else choices.choice(tag, functions)


def _settle_functions(
    run: Run, results: Sequence[tuple[Builder, Names | None]], before: Names,
    live: frozenset[str], node: ast.AST,
) -> dict[str, list[Value]]:  # fmt: skip
    """Names for functions that change variables, and are not the same in all arms: of each of these
    only its number is joined."""
    arms = [(b, names) for b, names in results if names is not None]
    found: dict[str, list[Value]] = {}
    for n in dict.fromkeys(n for _, names in arms for n in names):
        values = [names.get(n) for _, names in arms]
        if n not in live and n not in ("$return", _VALUE):
            continue
        if all(v is (values[0] if len(arms) > 1 else before.get(n)) for v in values):
            continue
        known = [v for v in values if isinstance(v, (FunctionV, Static, TupleV))]
        functions = choices.all_of(run, known) if len(known) == len(values) else None
        if functions is None:
            continue
        found[n] = functions
        if len(functions) == 1:
            for _, names in arms:
                del names[n]
            continue
        for (b, names), value in zip(arms, known, strict=True):
            with run.building(b), _names_of(run, names):
                names[f"{n}@f"] = choices.tag_of(run, value, functions, node)
            del names[n]
    return found


def _settle_places(
    run: Run, results: Sequence[tuple[Builder, Names | None]], before: Names,
    live: frozenset[str], node: ast.AST,
) -> dict[str, tuple[PlaceV, list[int]]]:  # fmt: skip
    """Settle the names for parts of structures that differ between the arms: if only indices
    differ, these are joined; else the names become ordinary ones."""
    picked: dict[str, tuple[PlaceV, list[int]]] = {}
    arms = [(b, names) for b, names in results if names is not None]
    placed = {n for _, names in arms for n, v in names.items() if isinstance(v, PlaceV)}
    for n in sorted(placed):
        first = before.get(n)
        if first is not None and all(places.same(names.get(n), first) for _, names in arms):
            for _, names in arms:
                names[n] = first
            continue
        if n not in live and not run.outlasts(n):
            continue
        values = [names.get(n) for _, names in arms]
        held = [v if isinstance(v, PlaceV) else None for v in values]
        steps = places.differing(held) if len(arms) > 1 else None
        if steps is not None and held[0] is not None:
            place = replace(held[0], value=UNSET, of=UNSET)
            for (b, names), one in zip(arms, held, strict=False):
                assert one is not None
                with run.building(b), _names_of(run, names):
                    chosen: Names = {
                        f"{n}@{k}": places.index_of(run, one.steps[k]) for k in steps
                    }
                    chosen[f"{n}@"] = places.settled(run, one, node)
                names |= {**chosen, n: place}
            picked[n] = place, steps
            continue
        for b, names in arms:
            with run.building(b), _names_of(run, names):
                if n in names:
                    names[n] = places.settled(run, names[n], node)
    return picked


def _join_name(
    run: Run, name: str, values: Sequence[Value | None], envs: Sequence[Names], node: ast.AST,
    meet: Meet,
) -> Kind | Same | StaleK:  # fmt: skip
    known: list[Value] = []
    ends: list[Names] = []
    sure = True
    for v, env in zip(values, envs, strict=True):
        if v is UNUSED:
            continue
        if v is None and name == "$return" and run.frame.in_loop:
            continue  # this path has not left the loop by ``return``: nobody reads it
        if v is None and name.startswith("$"):
            return StaleK("a value is not returned on every path to here", node)
        if v is None or v is UNSET:
            sure = False
            continue
        if isinstance(v, Stale):
            nowhere = all(x is None or (isinstance(x, Stale) and x.unset) for x in values)
            return StaleK(v.reason, v.node, nowhere)
        known.append(v)
        ends.append(env)
    if not known and name == "$return":
        return StaleK("a value is not returned on every path to here", node)
    if name in ("$return", _VALUE):
        found = join_values(run, known, node, ends, meet)
        missing = isinstance(found, Same) and len(known) < len(values)
        return run.kind(known[0], node) if missing else found
    try:
        flats = [_flat_in(run, v, env) for v, env in zip(known, ends, strict=True)]
    except NoKindError:
        for v in known:
            if isinstance(v, GeneratorV):
                run.generators.advance(v)
        return StaleK(f"{name!r} is an iterator made on one of several paths", node)
    if not known:
        return Same(UNSET)
    if len(known) == len(values) and all(_equal(flats[0], f) for f in flats[1:]):
        return Same(known[0])
    kind = _met(flats, meet, node)
    if isinstance(kind, tuple):
        one, other = kind
        return StaleK(f"{name!r} is {one} on one path to here and {other} on another", node)
    return kind if sure else _maybe(kind)


def _maybe(kind: Kind) -> MaybeK:
    return kind if isinstance(kind, MaybeK) else MaybeK(kind)


__all__ = ["Flow", "FunctionV", "fork_names", "fork_value"]
