"""Specialising user functions: one Core function per function value and tuple of argument kinds.

Functions that call each other are run in rounds until what they give is known (``fixpoint``).
Within a recursion the kinds of the arguments are joined, so that a function has one specialisation
there, but for flags: what these decide need not be typed for others (``_MOST_VARIANTS``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.terms import Atom, Call, Var
from pullback.core.types import Array
from pullback.errors import (
    PullbackError,
    StaticValueError,
    UnsupportedError,
    excerpt,
)
from pullback.frontend.functions import adopted, generator_ends, generator_forms
from pullback.frontend.functions.bodies import run_once
from pullback.frontend.functions.captured_variables import (
    FUNCTION,
    SAME,
    Variable,
    found_at,
    groups,
    same_variables,
)
from pullback.frontend.functions.fixpoint import Fixpoint, Key
from pullback.frontend.functions.handing import hand_back, left
from pullback.frontend.functions.lambda_sets import STRAIGHT, LambdaSet, skeleton, tie, tie_known
from pullback.frontend.functions.placed import PART, asked, note_part, of_places, wanted_by
from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.functions.self_capture import depth
from pullback.frontend.functions.variants import (
    differ,
    of_other_union,
    recursive_join,
    with_other_data,
)
from pullback.frontend.kinds import tuple_trees
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.flatten import (
    Flat,
    Ownership,
    captured_value,
    captures_of,
    flatten,
    kind_of,
    rebuild,
)
from pullback.frontend.kinds.function_kinds import has_function
from pullback.frontend.kinds.join import generalise, join, same_function, widen
from pullback.frontend.kinds.kinds import (
    FunctionK,
    Kind,
    RefK,
    StaticK,
    ThreadK,
    leaf_types,
)
from pullback.frontend.kinds.table_keys import has_methods
from pullback.frontend.kinds.undefined import dummy_atom
from pullback.frontend.kinds.values import FunctionV, Owner, PlaceV, RefV, Value
from pullback.frontend.library.text import hashing
from pullback.frontend.memory.places import refresh, renew_captured
from pullback.frontend.problems import public_name
from pullback.frontend.python.libraries import OWN, package_of
from pullback.frontend.python.refused_syntax import refused_syntax
from pullback.frontend.python.rewrites import ANYTHING, rewrite_of
from pullback.frontend.python.source import Definition, site_of
from pullback.frontend.python.syntax import CONSUMER
from pullback.frontend.signals import NeedStatic, Unreachable
from pullback.frontend.state import CellPath, Spec, facts
from pullback.frontend.store import tuple_rows

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_MAX_ATTEMPTS, _MAX_NOTES = 12, 5
_MAX_NESTING = 40
_MOST_VARIANTS, _MOST_KEYS = 16, 64  # of a function in a recursion, by flags: nested, in all
_MAX_LEAVES = 2000  # of the arguments of a recursive call

class Functions:
    """All specialisations of a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.fixpoint = Fixpoint(run)
        self.active = self.fixpoint.active
        self.static_params: dict[Definition, set[str]] = {}
        self.placed: dict[Definition, set[str | CellPath]] = {}  # what is to hold places
        self.ordered: set[ast.AST] = set()
        self.unrolled: set[ast.AST] = set()
        self.may_order: set[ast.AST] = set()
        self.shown = 0
        self.mixing: set[Definition] = set()
        self.marks: list[object] = []  # each object() that a function makes
        self.makes_items: int | None = None  # in so many frames, of map and filter
        self.checked: set[Definition] = set()
        self.recursive: dict[Definition, set[Key]] = {}  # with the calls inside of them
        self.numbers = {"main": 1}  # the entry has that name
        self.definitions: dict[str, Definition] = {}  # of the functions of Core

    def waits(self, refusal: PullbackError) -> bool:
        """Whether a refusal may go when more is known of a recursion (``fixpoint``)."""
        return self.fixpoint.waits(refusal)

    @property
    def incomplete(self) -> bool:
        """Whether a path was left out for want of the result of a recursive call."""
        return self.fixpoint.incomplete

    # --- calls ------------------------------------------------------------------------------------

    def call(self, f: FunctionV, args: dict[str, Value], node: ast.AST) -> Value:
        """Call a known function with its parameters bound."""
        refresh(self.run, f)
        told: dict[str, Value] = {}
        if not _is_total(f.definition, map(kind_of, args.values())):
            f, told = self.run.called(f, args)
        args = {n: tuple_rows.given(self.run, v, node) for n, v in args.items()} | told
        if asked(self.run, node):
            args[PART] = facts((PART,))
        bare = FunctionV(f.definition, f.scope)
        while True:
            whole_call = of_places(self.run, bare, args, self.placed.get(f.definition, ()))
            given = whole_call.args
            with whole_call.handed():
                given |= same_variables(f, given)
                spec, atoms, owners = self.prepare(f, given, node)
            more = wanted_by(self.run, spec, bare, whole_call)
            if not more:
                break
            self.placed.setdefault(f.definition, set()).update(more)
        results = tuple(leaf_types(kind)) if (kind := spec.result or spec.ends) else ()
        if spec.handed and SAME in given:
            atoms = self._given_once(spec, {FUNCTION: f, **given}, atoms)
        whole = None if spec.part is None else self._whole(spec, spec.part[0], f, given)
        self.run.loses |= bool(spec.lost) and len(self.run.frames) == 1
        made = self.run.b.let(Call(spec.name, tuple(atoms)), results, self.run.site(node))
        let = self.run.b.lets[-1]
        generator_ends.check_call(self.run, spec.name, node)
        self.shown += spec.shows
        if spec.never_returns:
            left(self.run, spec, f, whole_call, made, owners, let, node)
        value = self.result(spec, list(made), owners)
        if spec.handed:
            value = hand_back(self.run, spec, f, whole_call, value, owners, let, node)
        if spec.homes:
            adopted.adopt(self.run, value, spec.homes, {FUNCTION: bare, **given})
        adopted.tie(self.run, value)
        if spec.same is not None:
            return args[spec.same]
        return value if spec.part is None else note_part(self.run, spec.part, value, whole)

    def _whole(self, spec: Spec, root: str, f: FunctionV, given: dict[str, Value]) -> PlaceV | None:
        """Where the caller has what a function has given a part of."""
        mine = function_scope(self.run.scope)
        if root in given:
            place = self.run.frame.places.get(given[root])
            known = place is not None and mine.names.get(place.root) is place.of
            return place if known else None
        cell = spec.cells[root]
        target = found_at({FUNCTION: f, **given}, cell.argument, cell.steps)
        if target is None or target.home[0] is not mine:
            return None
        value = target.value
        return PlaceV(mine, target.home[1], (), value, value)

    def _given_once(
        self, spec: Spec, values: dict[str, Value], atoms: list[Atom]
    ) -> list[Atom]:
        """The atoms of a call of a function that updates what it knows by several names, and knows
        that these are one: it uses the first one only."""
        cells = (spec.cells[n] for n in spec.handed if n in spec.cells)
        updated = {(v.argument, v.steps) for v in cells}
        arrays: dict[Atom, int] = {}  # and which time it is met there
        for path in (p for group in groups(values) if updated & set(group) for p in group[:1]):
            target = found_at(values, *path)
            assert target is not None
            for a in flatten(target.value).atoms:
                if isinstance(a.type, Array):
                    arrays[a] = min(_times_before(values, target, a), atoms.count(a) - 1)
        given: list[Atom] = []
        for k, a in enumerate(atoms):
            again = a in arrays and atoms[:k].count(a) != arrays[a]
            given.append(dummy_atom(self.run, a.type) if again else a)
        return given

    def prepare(
        self, f: FunctionV, args: dict[str, Value], node: ast.AST
    ) -> tuple[Spec, list[Atom], list[Ownership]]:
        """Return the specialisation to call, the atoms to call it with, and the ownerships of
        these."""
        bare = FunctionV(f.definition, f.scope)
        renew_captured(self.run, (bare, *args.values()), node)
        for _ in range(_MAX_ATTEMPTS):
            given = self._given(f.definition, args, node)
            flat_f = flatten(bare)
            flat_args = [flatten(v) for v in given.values()]
            if f.bound and isinstance(own := next(iter(given.values())), RefV):
                flat_args[0].kind = RefK(own.cls, own.among)
            assert isinstance(flat_f.kind, FunctionK)
            try:
                spec = self.spec(flat_f, flat_args, list(given), node)
            except NeedStatic as e:
                needed, name = e.origin
                of_callee = isinstance(needed, Spec) and needed.definition is f.definition
                if not of_callee or needed in self.active:
                    raise
                self._make_static(f.definition, e, args[name], node)
                continue
            return spec, *self._atoms(spec, bare, given, node)
        raise AssertionError("static parameters do not settle")

    def _make_static(
        self, definition: Definition, e: NeedStatic, value: Value, node: ast.AST
    ) -> None:
        """Let a parameter be static from now on, if its argument is known; else the branches that
        it decides may give texts beside numbers."""
        name, refusal = e.origin[1], e.refusal
        what = f"the argument {name!r} ({e.what})"
        known = self.static_params.setdefault(definition, set())
        try:
            if refusal is not None and definition in self.recursive:
                raise refusal
            if definition not in self.recursive:
                self.run.static(value, node, what)
            if name in known:  # it is asked for again, although it is given as what it is
                rewrite = "let the recursion hand it on as it is"
                self.run.refuse(node, f"{what} changes in a recursion", rewrite, StaticValueError)
            self.run.static(value, node, what)
        except StaticValueError as unknown:
            if refusal is None or definition in self.mixing:
                raise refusal or unknown from None
            self.mixing.add(definition)
            return
        except NeedStatic as outer:
            outer.refusal = refusal
            raise
        known.add(name)

    def _given(
        self, definition: Definition, args: dict[str, Value], node: ast.AST
    ) -> dict[str, Value]:
        """Return the arguments with literal numbers as run-time numbers, unless the parameter must
        be static."""
        static = self.static_params.get(definition, set())
        given = {}
        for name, value in args.items():
            kind = self.run.kind(value, node)
            if name in static:
                given[name] = value
                continue
            wanted = _argument(kind)
            if has_function(wanted):
                wanted = tie(wanted, partial(self.set_at, (definition, name), node), STRAIGHT)
            given[name] = coerce(self.run, value, wanted, node)
        return given

    def set_at(self, place: Hashable, node: ast.AST) -> LambdaSet:
        """Return the lambda set first needed there, in the specialisation being made."""
        here = self.active[-1] if self.active else None
        around = None if here is None else (here.definition, *map(skeleton, here.args))
        outer = self.run.frame.definition
        assert outer is not None
        return self.run.lambda_sets.at((place, around), outer, node)

    def _atoms(
        self, spec: Spec, f: FunctionV, args: dict[str, Value], node: ast.AST
    ) -> tuple[list[Atom], list[Ownership]]:
        converted = [coerce(self.run, f, spec.function, node)]
        converted += [
            coerce(self.run, v, k, node) for v, k in zip(args.values(), spec.args, strict=True)
        ]
        flats = [flatten(v) for v in converted]
        atoms = [a for flat in flats for a in flat.atoms]
        for path, kind in spec.hidden.items():
            atoms += flatten(self.run.hidden(path, kind)).atoms
        return atoms, [o for flat in flats for o in flat.owned]

    def result(self, spec: Spec, made: Sequence[Var], owners: list[Ownership]) -> Value:
        """Return the value that a call gives, from the variables that it binds."""
        if spec.never_returns:
            raise Unreachable
        assert spec.result is not None
        local: dict[int, Owner] = {}
        ownerships = iter(
            (
                frozenset(o for k in params if k < len(owners) for o in owners[k][0])
                | frozenset(local.setdefault(n, Owner()) for n in locals_),
                given is not None and all(k < len(owners) and owners[k][1] for k in given),
            )
            for params, locals_, given in spec.owned
        )
        return rebuild(spec.result, iter(made), lambda: next(ownerships))

    # --- specialisations --------------------------------------------------------------------------

    def spec(
        self, function: Flat, args: list[Flat], names: list[str], node: ast.AST
    ) -> Spec:
        """Return the specialisation for these kinds, made now if need be."""
        assert isinstance(function.kind, FunctionK)
        definition = function.kind.root.definition
        kinds = tuple(a.kind for a in args)
        key: Key = (function.kind, kinds)
        settled = self.fixpoint.known(key)
        if settled is not None:
            return settled
        nested = [s for s in self.active if s.definition is definition]
        if nested:
            self.recursive.setdefault(definition, set()).add(key)
        few = len(nested) < _MOST_VARIANTS and len(self.recursive.get(definition, ())) < _MOST_KEYS
        for s in reversed(nested):
            found = self._recursive(s, function.kind, kinds, few)
            if found is not None:
                return found
        if nested:
            self._tie_growing(nested[-1], function.kind, kinds, len(nested) > _MAX_NESTING, node)
        leaves = len(function.atoms) + sum(len(a.atoms) for a in args)
        if nested and (len(nested) > _MAX_NESTING or leaves > _MAX_LEAVES):
            tuple_trees.refuse_call(self.run, definition.name, nested[-1].args, kinds, node)
        return self._new(function, args, names, node)

    def _recursive(
        self, s: Spec, function: FunctionK, kinds: tuple[Kind, ...], may_differ: bool
    ) -> Spec | None:
        """Return the specialisation being run, if it can serve a call with these kinds."""
        if any(map(of_other_union, s.args, kinds)):
            return None  # there are few unions: each has a form of the function, nothing is changed
        old_f, old = s.wider or (s.function, s.args)
        if len(old) != len(kinds):
            return None  # one is asked for the place of its result
        if may_differ and any(map(differ, old, kinds)):
            return None
        wide_f = recursive_join(old_f, function)
        if wide_f is None and s.updates and depth((function,)) <= depth((old_f,)):
            wide_f = with_other_data(old_f, function)  # a list that it captured has become longer
        wide = [recursive_join(a, b) for a, b in zip(old, kinds, strict=True)]
        known = tuple(k for k in wide if k is not None)
        if wide_f is None or len(known) < len(kinds):
            return None
        if wide_f != old_f or known != old:
            assert isinstance(wide_f, FunctionK)
            s.wider = wide_f, tuple(widen(a, b) for a, b in zip(old, known, strict=True))
        self.fixpoint.call(s)
        return s

    def _tie_growing(
        self, s: Spec, function: FunctionK, kinds: tuple[Kind, ...], must: bool, node: ast.AST
    ) -> None:
        """Turn functions that the recursion makes ever larger into recursive lambda sets, and
        specialise ``s`` for these. Functions that only differ are specialised one by one."""
        if not must and depth((function, *kinds)) <= max(1, depth((s.function, *s.args))):
            return
        if any(map(tuple_trees.grows, s.args, kinds)):
            return
        wide_f = same_function(s.function, function)
        wide = [join(a, b) for a, b in zip(s.args, kinds, strict=False)]
        known = tuple(k for k in wide if k is not None)
        if wide_f is None or len(known) < len(kinds) or len(s.args) != len(kinds):
            return

        def at(place: object) -> Callable[[], LambdaSet]:
            key = s.definition, place, *map(skeleton, s.args)
            return lambda: self.run.lambda_sets.at(key, s.definition, node)

        tied_f = tie_known(wide_f, at("function"))
        tied = tuple(tie(generalise(k), at(j)) for j, k in enumerate(known))
        if (tied_f, tied) != (s.function, s.args) and (must or (tied_f, tied) != (wide_f, known)):
            s.wider = tied_f, tuple(widen(a, b) for a, b in zip(s.args, tied, strict=False))
            self.fixpoint.call(s)

    def _new(self, function: Flat, args: list[Flat], names: list[str], node: ast.AST) -> Spec:
        assert isinstance(function.kind, FunctionK)
        definition = function.kind.root.definition
        kinds = tuple(a.kind for a in args)
        key: Key = (function.kind, kinds)
        spec = self.fixpoint.members.get(key)
        if spec is None or spec in self.active:
            spec = Spec(definition, self._name(definition, kinds), function.kind, kinds)
            if CONSUMER in names and not generator_forms.tells(definition):
                spec.result = _thread(kinds[names.index(CONSUMER)])
        origins = [self.run.origins.get(a) for a in function.atoms]
        once = partial(run_once, self.run, spec, names, origins)
        try:
            self.check_syntax(definition)
            spec = self.fixpoint.settle(spec, key, once, node)
        except PullbackError as e:
            if self._in_package(definition, e):
                raise self._blamed(definition, e, node) from None
            caller = self.run.frame.definition
            shown = caller is None or not package_of(caller.file)
            if shown and len(self.run.frames) > 1 and len(getattr(e, "__notes__", ())) < _MAX_NOTES:
                e.add_note("in the call\n" + excerpt(self.run.site(node)))
            raise
        self.fixpoint.lean_on(spec)
        return spec

    def _in_package(self, definition: Definition, e: PullbackError) -> bool:
        """Whether an installed package, called from elsewhere, is where something is refused (a
        function that it was given is elsewhere)."""
        caller = self.run.frame.definition
        package = package_of(definition.file)
        outer = "" if caller is None else package_of(caller.file)
        here = e.site is not None and package_of(e.site.file) == package
        return package != "" and outer != package and here

    def _blamed(self, definition: Definition, e: PullbackError, node: ast.AST) -> PullbackError:
        """Return the refusal of code of a package with the place where the package is called. What
        is advised instead of a library as a whole does not count where a text of it advises."""
        name, here = public_name(definition), self.run.site(node)
        known = rewrite_of(name, alone=package_of(definition.file) == OWN)
        rewrite = e.rewrite if known == ANYTHING or name.startswith("pb.") else known
        made = e.elsewhere(f"{name}, which is called here: {e.reason}", rewrite, here)
        if e.site is not None:
            made.add_note("inside of it\n" + excerpt(e.site))
        return made

    def _name(self, definition: Definition, kinds: Iterable[Kind]) -> str:
        base = "lambda" if definition.name == "<lambda>" else definition.name
        n = self.numbers[base] = self.numbers.get(base, 0) + 1
        name = base if n == 1 else f"{base}.{n}"
        self.definitions[name] = definition
        if _is_total(definition, kinds):
            self.run.caught.total.add(name)
        return name

    def check_syntax(self, definition: Definition) -> None:
        """Refuse syntax that is outside of the language wherever it stands."""
        if definition in self.checked:
            return
        self.checked.add(definition)
        for n, reason, rewrite in refused_syntax(definition.node):
            error = UnsupportedError(reason, rewrite, site_of(definition, n))
            if self.run.problems is None or package_of(definition.file):
                raise error
            self.run.problems.add(error)


def _thread(consumer: Kind) -> ThreadK:
    """Return the kind of the result of a generator's function, which its consumer knows."""
    assert isinstance(consumer, StaticK)
    return ThreadK(consumer.value.results)  # type: ignore[attr-defined]  # a Consumer or Probe


def _times_before(values: dict[str, Value], target: Variable, a: Atom) -> int:
    """Return how often an atom is among the leaves before those of a variable that is captured."""
    times = 0
    for argument, value in values.items():
        if not isinstance(value, FunctionV):
            times += flatten(value).atoms.count(a)
            continue
        for scope, name in captures_of(value):
            if argument == target.argument and scope is target.scope and name == target.name:
                return times
            held = captured_value(scope, name)
            if not isinstance(held, FunctionV):
                times += flatten(held).atoms.count(a)
    return 0


def _is_total(definition: Definition, kinds: Iterable[Kind]) -> bool:
    """Whether a function raises nothing, and looks at no object: one for hash tables, unless
    methods compare the keys."""
    return definition.globals is vars(hashing) and not any(map(has_methods, kinds))


def _argument(kind: Kind) -> Kind:
    """Return the kind by which an argument is passed: a literal number becomes a number; other
    literals are passed by value."""
    literal = isinstance(kind, StaticK) and not isinstance(kind.value, bool)
    return generalise(kind) if literal else kind
