"""Running the body of a user function once, for one specialisation: a Core function.

Where the function is recursive, ``functions`` has it run until the kind of its result is stable.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.core.build import Builder
from pullback.core.terms import Atom, Function, Var
from pullback.core.types import Bool, Int
from pullback.errors import TypesDoNotMeetError
from pullback.frontend.functions import (
    exits,
    generator_forms,
    iterator_lifetimes,
    placed,
    threads,
)
from pullback.frontend.functions.adopted import homes
from pullback.frontend.functions.captured_variables import (
    APART,
    enter,
    lent,
    owned_parameters,
    taken_over,
)
from pullback.frontend.functions.handing import of_raising, with_updates
from pullback.frontend.functions.lambda_sets import tie
from pullback.frontend.functions.scopes import Scope, chain
from pullback.frontend.kinds import tuple_trees
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.descriptions import describe_both
from pullback.frontend.kinds.flatten import Flat, Ownership, flatten, rebuild
from pullback.frontend.kinds.function_kinds import has_function
from pullback.frontend.kinds.growing_tuples import join_growing
from pullback.frontend.kinds.kinds import Kind, ScalarK, ThreadK, leaf_types
from pullback.frontend.kinds.parted import met_kind
from pullback.frontend.kinds.values import FunctionV, GeneratorV, Owner, Static, ThreadV, Value
from pullback.frontend.library.marks import check_kept
from pullback.frontend.memory.holding import is_updated_in_place
from pullback.frontend.python.syntax import (
    CONSUMER,
    STATE,
    STOP,
    free_names,
    given_names,
    local_names,
    parameters,
    rebound_inside,
)
from pullback.frontend.signals import Unreachable
from pullback.frontend.state import Frame, ResultOwner, Spec
from pullback.frontend.store import tuple_rows

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def run_once(
    run: Run, spec: Spec, names: list[str], origins: list[tuple[object, str] | None]
) -> tuple[Kind | None, list[ResultOwner]]:
    """Run the body once; the Core function is entered into the program."""
    params: list[Var] = []
    owners: list[Owner] = []

    def take(kind: Kind, hint: str, note: str) -> Value:
        run.declare_kind(kind)
        made = [Var(hint, t) for t in leaf_types(kind)]
        params.extend(made)

        def own() -> Ownership:
            owners.append(Owner(note))
            return frozenset({owners[-1]}), False

        return rebuild(kind, iter(made), own)

    f = take(spec.function, "c", "captured from the enclosing function")
    assert isinstance(f, FunctionV)
    for around in chain(f.scope):
        for cell in (o for owned in around.cells.values() for o in owned):
            cell.become_cell()
    for var, origin in zip(params, origins, strict=False):
        if origin is not None:
            run.origins[var] = origin
    node = spec.definition.node
    scope = Scope(
        {}, f.scope, local_names(node) | {"$return"}, rebound=rebound_inside(node)
    )
    given: dict[str, frozenset[Owner]] = {}
    args: dict[str, Value] = {}
    kept, mine = given_names(node), owned_parameters(names, spec.args)
    for name, kind in zip(names, spec.args, strict=True):
        first = len(owners)
        given_away = name in mine
        taken = take(kind, name, "" if given_away else "an argument")
        args[name] = scope.names[name] = (taken_over if given_away else lent)(taken)
        if not given_away and (name in kept or "@" in name):
            given[name] = frozenset(owners[first:])
        if isinstance(kind, ScalarK) and isinstance(kind.type, (Int, Bool)):
            run.origins[params[-1]] = (spec, name)
    ends = kept | frozenset(free_names(node)) | {"$return"}
    frame = Frame(spec.definition, scope, live_end=ends, spec=spec, given=given)
    run.frames.append(frame)
    before = run.calls.shown
    try:
        spec.cells = enter(run, frame, f, args, mine)
        return _body(run, spec, frame, params, owners)
    finally:
        spec.shows = spec.shows or run.calls.shown > before
        run.frames.pop()


def _body(
    run: Run, spec: Spec, frame: Frame, params: list[Var], owners: list[Owner]
) -> tuple[Kind | None, list[ResultOwner]]:
    node = spec.definition.node
    flat: Flat | None = None
    handed: Flat | None = None
    scope = frame.scope
    scope.borrowed |= {n for n in scope.names if "@" in n}
    starts = {n: frame.scope.names[n] for n in spec.cells}
    kept = {*starts, STATE}
    frame.starts = {n: v for n, v in scope.names.items() if n in kept or is_updated_in_place(v)}
    with run.building(Builder()) as b:
        frame.depth = len(run.builders)
        if CONSUMER in frame.scope.names:
            frame.scope.names[STOP] = Static(False)
        for name, given in list(scope.names.items()):
            if isinstance(given, GeneratorV):
                scope.names[name] = run.generators.name(given, (node, name), node)
        for path, kind in spec.hidden.items():
            run.hidden(path, kind)
        if APART in scope.names:
            run.rows.begin(scope)
        try:
            state = scope.names.get(STATE)
            if isinstance(state, ThreadV):
                scope.names[STATE] = threads.take(run, state.atoms, state.owners, node)
            placed.enter(run, scope, spec.cells, node)
            tuple_rows.taken(run, scope.names, node)
            value = run.handed(run.run_body(spec.definition), node)
            iterator_lifetimes.check_result(run, value, node)
            run.kind(value, node)
            spec.homes = homes(value, scope, spec.cells)
            spec.same = _same(run, spec, value)
            value = placed.with_part(run, spec, value)
            value = with_updates(run, spec, value, starts, node)
            if tuple(sorted(spec.updates)) != spec.handed:
                spec.result = None  # what is known is of another form
            handed = flat = flatten(_to_estimate(run, spec, value, node))
        except Unreachable:
            raised = of_raising(run, spec, starts, node)
            handed = None if raised is None else flatten(raised)
        check_kept(run, handed, node)
        spec.ends = handed.kind if handed is not None and flat is None else None
        atoms = tuple(handed.atoms) if handed is not None else ()
        block = b.block(atoms)
        run.caught.handed.pop(spec.name, None)
        if flat is not None and CONSUMER in frame.scope.names:
            tells = generator_forms.tells(spec.definition) and not spec.updates
            if isinstance(flat.kind, ThreadK) or tells:
                run.caught.handed[spec.name] = exits.of_generator(run, spec, frame, flat.kind)
        elif handed is not None:
            run.caught.handed[spec.name] = exits.handed_back(run, spec, frame, handed)
    for path, hidden in frame.hidden.items():
        spec.hidden[path] = hidden.kind
    extra = [v for path in spec.hidden for v in frame.hidden[path].params]
    types = tuple(a.type for a in atoms)
    run.functions[spec.name] = Function(spec.name, (*params, *extra), block, types)
    if flat is None:
        return None, []
    run.declare_kind(flat.kind)
    numbers = {o: k for k, o in enumerate(owners)}
    spec.touched |= {numbers[o] for o in frame.touched if o in numbers}
    return flat.kind, _result_owners(flat, owners, params)


def _same(run: Run, spec: Spec, value: Value) -> str | None:
    """Return the parameter whose object a function gives as it is: the caller has it already."""
    if spec.definition in run.calls.recursive or not is_updated_in_place(value):
        return None
    names, starts = run.frame.scope.names, run.frame.starts
    given = parameters(spec.definition.node)
    return next((n for n in given if starts.get(n) is value and names[n] is value), None)


def _to_estimate(run: Run, spec: Spec, value: Value, node: ast.AST) -> Value:
    """Return the result converted to the join of its kind and what recursive calls assumed."""
    own = flatten(value).kind
    if spec.result is None or not spec.used:
        return value
    wide = met_kind(spec.result, own, join_growing)
    if wide is None:
        one, other = describe_both(spec.result, own)
        run.refuse(
            node,
            f"{spec.definition.name!r} gives {one} on one path and {other} on another",
            "return the same type of value on every path",
            error=TypesDoNotMeetError,
        )
    what = f"what {spec.definition.name!r} gives"
    tuple_trees.check(run, spec.result, wide, what, node)
    if wide != spec.result and has_function(wide):
        wide = tie(wide, lambda: run.calls.set_at((spec.definition, "result"), node))
    return coerce(run, value, wide, node)


def _result_owners(flat: Flat, params: list[Owner], given: list[Var]) -> list[ResultOwner]:
    """Return the owners that results share, by number. Arrays made inside that the same results
    share count as one: there are finitely many then, so that recursions settle."""
    owned, taken = flat.owned, set(given)
    numbers: dict[Owner, int] = {o: k for k, o in enumerate(params)}
    places: dict[Owner, tuple[int, ...]] = {}
    for place, (owners, _) in enumerate(owned):
        for o in owners:
            if o not in numbers and not o.cell:
                places[o] = (*places.get(o, ()), place)

    def needed(owners: frozenset[Owner], fresh: bool, whole: Atom | bool) -> frozenset[int] | None:
        """Return the parts of arguments that must be fresh for a part of the result to be so."""
        same = whole if isinstance(whole, bool) else whole in taken
        if same and len(owners) == 1 and owners <= numbers.keys():  # what a parameter is, no view
            return frozenset(numbers[o] for o in owners)
        return frozenset(numbers[o] for o in owners if o in numbers and o.told) if fresh else None

    local = {shared: k for k, shared in enumerate(sorted(set(places.values())))}
    return [
        (
            frozenset(numbers[o] for o in owners if o in numbers),
            frozenset(local[places[o]] for o in owners if o in places),
            needed(owners, fresh, whole),
        )
        for (owners, fresh), whole in zip(owned, flat.wholes, strict=True)
    ]
