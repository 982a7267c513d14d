"""The entry of the front end: from a Python function and the types of its arguments to Core.

``specialise(f, arg_types, args)`` runs f on abstract values and returns a ``Specialised``: a
program whose ``main`` takes the leaves of the arguments and then those of the hidden arguments, and
returns the leaves of the result.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable
from dataclasses import replace
from types import FunctionType

from pullback.core.build import Builder
from pullback.core.quiet import without_needless
from pullback.core.recursion import recursion_limit
from pullback.core.terms import Atom, Block, Function, Program, Var
from pullback.core.traverse import uses
from pullback.core.types import BOOL
from pullback.errors import (
    EndlessError,
    IdentityError,
    MutationError,
    PullbackError,
    TypesDoNotMeetError,
    UnknownNameError,
)
from pullback.frontend.derivatives import callback_calls, derivative_calls, identity, rules
from pullback.frontend.derivatives.gradients import refuse_results, refuse_unread
from pullback.frontend.functions import memos
from pullback.frontend.functions.closing import closed
from pullback.frontend.functions.lambda_sets import LambdaSets
from pullback.frontend.functions.scopes import Path, Scope
from pullback.frontend.interface import Choice
from pullback.frontend.interpret import iterator_results, made_texts, narrowing, returned_exceptions
from pullback.frontend.interpret.endings import always_fails
from pullback.frontend.interpret.payloads import check_columns
from pullback.frontend.interpreter import Interpreter
from pullback.frontend.kinds.coerce import tightened
from pullback.frontend.kinds.flatten import flatten, rebuild
from pullback.frontend.kinds.joined_fields import orders_noted
from pullback.frontend.kinds.kinds import (
    ArgType,
    Kind,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    UnreadK,
    holds_references,
    leaf_types,
    static_kind,
)
from pullback.frontend.kinds.sum_kinds import Tags, with_tags
from pullback.frontend.kinds.values import RecordV, Static, TupleV, Value
from pullback.frontend.library import registry
from pullback.frontend.library.text.raised import Raised
from pullback.frontend.memory import given_containers
from pullback.frontend.problems import Problems, also, outside
from pullback.frontend.python import handled, kept_variables, records
from pullback.frontend.python.objects_outside import result_of
from pullback.frontend.python.paths import describe_path, read, static_value
from pullback.frontend.python.records import Union
from pullback.frontend.python.source import definition_of, site_of
from pullback.frontend.run import ALWAYS_RAISES, Run
from pullback.frontend.seen_outside import NOTHING, Outside, UntoldError, Updates, updated_by
from pullback.frontend.signals import (
    MEETING,
    ContextsWanted,
    NeedStatic,
    RegionsMeetError,
    Unreachable,
)
from pullback.frontend.specialisation import HiddenArgument, Specialised, StaticArgument
from pullback.frontend.state import Frame, Hidden
from pullback.frontend.store import door
from pullback.frontend.store.columns import Columns
from pullback.frontend.store.door import Graph
from pullback.frontend.store.facts import Facts, StoreGrewError, can_be_shared, forms
from pullback.frontend.store.seen_fields import begin_with
from pullback.frontend.store.shared_memory import as_number, in_full

_RECURSION_LIMIT = 20_000
FLAG = ScalarK(BOOL, True)


def specialise(
    function: FunctionType,
    arg_types: tuple[ArgType, ...],
    args: tuple[object, ...] | None = None,
    assume_equal: bool = False,
    lapack: bool = True,
    known_flags: bool = True,
    contexts: bool = False,
    outside: Outside | None = None,
) -> Specialised:
    """Return ``function``, specialised for arguments of these types (one per parameter, in order).

    ``args``, the arguments themselves, are looked at only where a value must be known at compile
    time. A program that is refused raises a PullbackError that shows the place. With
    ``assume_equal`` extents that meet are assumed to be equal, and with ``lapack`` linear algebra
    is LAPACK's, see ``interface.Specialiser``. With ``known_flags`` the program is compiled for the
    present values of bools, in arguments (outside of lists and nodes) and around the function.
    With ``contexts``, or where it looks at them itself, the program says what it handles
    (``python.handled``). ``outside``: the arguments that it updates (``seen_outside``)."""
    given = function, arg_types, args, assume_equal, lapack, known_flags, outside
    returned = False
    while True:
        try:
            with handled.noted(contexts, returned):
                return kept_variables.tried(lambda: _specialise(*given))
        except ContextsWanted as e:
            contexts, returned = True, e.returned


_UNLIKE = TypesDoNotMeetError, UnknownNameError
"""The refusals of two paths, or rounds of a loop, whose values have no common type."""


def _specialise(
    function: FunctionType, arg_types: tuple[ArgType, ...], args: tuple[object, ...] | None,
    assume_equal: bool, lapack: bool, known_flags: bool, outside: Outside | None,
    facts: Facts | None = None,
) -> Specialised:  # fmt: skip
    """``facts``: the classes whose objects are shared, and what is known of these (``store``)."""
    graph = None if outside is None else outside.graph
    if facts is None and graph is not None:
        facts = Facts()
        for cls in (c for group in graph.groups for c in group):
            facts.enter(cls)
    static: dict[Path, StaticK] = {}
    lambda_sets = _lambda_sets(function)
    equal, choice = Choice(assume_equal), Choice(lapack)
    with recursion_limit(_RECURSION_LIMIT):
        while True:
            lambda_sets.begin()
            tags = Tags(facts is not None and facts.trees)
            try:
                attempt = _Attempt(
                    function, arg_types, args, static, lambda_sets, equal, choice,
                    known_flags, outside, facts,
                )  # fmt: skip
                with records.functions_of(lambda_sets), orders_noted(), with_tags(tags):
                    made = attempt.run() if facts is None else _learning(attempt, facts)
            except NeedStatic as e:
                path = e.origin[0]
                assert isinstance(path, tuple)
                static[path] = static_value(path, e.what, function, args)
                lambda_sets = _lambda_sets(function)  # static values have changed
            except StoreGrewError:
                lambda_sets.rounds = 0
            except PullbackError as e:
                if lambda_sets.unsettled():
                    continue
                e.of_tuples = e.grows or (tags.asked and isinstance(e, _UNLIKE))
                if (outside or NOTHING).learns_from(e):
                    e.makes_objects = any(map(can_be_shared, attempt.rt.constructed))
                    raise
                if e.iterates:
                    raise
                found = None if facts is not None else _with_references(attempt, e)
                if isinstance(found, Specialised):
                    return found
                if facts is not None or getattr(found, "attribute", None) is not None:
                    raise found or e from None  # which attribute is assigned is learnt
                of_trees = e.of_tuples and not isinstance(found, MutationError)
                if found is not None and (e.shares or of_trees):
                    raise found from None
                raise _nearer(e, found, attempt) from None
            else:
                if not lambda_sets.unsettled():
                    return replace(made, asks_lapack=choice.asked, assumes=equal.asked)


def _learning(attempt: _Attempt, facts: Facts) -> Specialised:
    """Return what a run of the program makes; raise StoreGrewError if it has learnt something: from
    there on it had any values, so what has become of it says nothing."""
    facts.begin_run()
    met: list[RegionsMeetError] = []
    token = MEETING.set(met)
    try:
        made = attempt.run()
    except (NeedStatic, ContextsWanted):
        raise
    except Exception:
        if not facts.grew and not met:
            raise
    finally:
        MEETING.reset(token)
    for e in met:
        facts.unite(e.one, e.other)
    if facts.grew:
        raise StoreGrewError
    return made


def _with_references(attempt: _Attempt, why: PullbackError) -> Specialised | PullbackError | None:
    """Return the program with references to the objects that it makes (``store``), or to its lists
    or iterators too, or the refusal of that; None if it makes none. ``why``: that without."""
    rt, refusal, met = attempt.rt, None, attempt.rt.generators.met
    makes_objects = any(map(can_be_shared, rt.constructed))
    of_memory = isinstance(why, (MutationError, UnknownNameError, IdentityError)) or (
        isinstance(why, (TypesDoNotMeetError, EndlessError))
        and any(cls in (dict, list) for _, cls in rt.new_memory)  # trees have no kind as values
    )
    learnt = _Learnt.of(attempt)
    tried = [*learnt, *forms(Raised in rt.constructed, why.of_tuples)]
    for facts in tried:
        if facts not in learnt:
            new = facts.begin(rt.new_memory, rt.copies)
            wanted = met if facts.iterators else makes_objects or facts.trees or (
                of_memory and facts.memory
            )
            if not wanted or (facts.memory and not new):
                continue
            if facts.together and not isinstance(refusal, _UNLIKE):
                continue
            begin_with(facts, (v for names in rt.refused_with for v in names.values()))
        try:
            made = _specialise(
                attempt.function, attempt.arg_types, attempt.args, rt.assume_equal.yes,
                rt.lapack.yes, rt.known_flags, attempt.outside, facts,
            )  # fmt: skip
            if facts.payloads:
                check_columns(made.program)
            _Learnt.last = _Learnt(attempt, facts)
            return made
        except PullbackError as e:
            if e.iterates or isinstance(e, UntoldError):
                raise
            if refusal is None or (facts.together and not isinstance(e, _UNLIKE)):
                refusal = e if makes_objects or facts.trees else None
            met = met or facts.met
            tried += facts.asking(e.of_tuples)
    return refusal


def _nearer(e: PullbackError, found: PullbackError | None, attempt: _Attempt) -> PullbackError:
    """Return the refusal of a program that neither the form with values nor that with references
    (``found``) takes: what both lack, or else what the form lacks that would be right for it. The
    other one is a note. References do away with what is only refused since an object has several
    names; with what is not in the language they do not. (Of one class: callers ask for it.)"""
    differ = found is not None and (found.reason, found.site) != (e.reason, e.site)
    both = isinstance(e, MutationError) and isinstance(found, MutationError)
    if differ and both and found is not None and getattr(e, "by_two_names", False):
        refusal = outside(found, attempt.function, attempt.args or ())
        refusal.add_note(also(e, "without references to objects, "))
    else:
        refusal = _all_problems(e, attempt)
        if differ and found is not None:
            refusal.add_note(also(found))
    refusal.makes_objects = found is not None
    return refusal


class _Learnt:
    """What was learnt of the objects of the last program that shares them. It may be compiled anew
    soon: where extents have met that are not equal (``assume_equal``), or for a derivative."""

    last: _Learnt | None = None

    def __init__(self, attempt: _Attempt, facts: Facts) -> None:
        self.function, self.arg_types = attempt.function, attempt.arg_types
        self.outside, self.facts = attempt.outside, facts

    @classmethod
    def of(cls, attempt: _Attempt) -> list[Facts]:
        """Return what was learnt of this program, once: it is learnt on."""
        found, cls.last = cls.last, None
        if (
            found is None
            or found.function is not attempt.function
            or found.arg_types != attempt.arg_types
            or found.outside != attempt.outside
        ):
            return []
        found.facts.begin_anew()
        return [found.facts]


def _lambda_sets(function: FunctionType) -> LambdaSets:
    made, definition = LambdaSets(), definition_of(function)
    made.here = definition, definition.node
    return made


def _all_problems(first: PullbackError, attempt: _Attempt) -> PullbackError:
    """Return the refusal with all others that are found by going on after it."""
    problems = Problems()
    lambda_sets = _lambda_sets(attempt.function)
    lambda_sets.begin()
    again = _Attempt(
        attempt.function, attempt.arg_types, attempt.args, attempt.rt.static_paths, lambda_sets,
        attempt.rt.assume_equal, attempt.rt.lapack, attempt.rt.known_flags, attempt.outside,
    )  # fmt: skip
    again.rt.problems = problems
    with contextlib.suppress(Exception):  # a run that goes on after a refusal may raise anything
        try:
            with records.functions_of(lambda_sets), orders_noted():
                again.run()
        except PullbackError as e:
            problems.add(e)
    return outside(problems.merged(first), attempt.function, attempt.args or ())


class _Attempt:
    """One attempt, with the values that earlier attempts have found to be static."""

    def __init__(
        self,
        function: FunctionType,
        arg_types: tuple[ArgType, ...],
        args: tuple[object, ...] | None,
        static: dict[Path, StaticK],
        lambda_sets: LambdaSets,
        assume_equal: Choice,
        lapack: Choice,
        known_flags: bool,
        outside: Outside | None,
        facts: Facts | None = None,
    ) -> None:
        self.function = function
        self.arg_types = arg_types
        self.args = args
        self.outside = outside
        self.rt = Interpreter(lambda_sets)
        self.rt.assume_equal = assume_equal
        self.rt.lapack = lapack
        self.rt.known_flags = known_flags
        self.rt.static_paths = dict(static)
        self.rt.store = None if facts is None else Columns(self.rt, facts)
        self.params: list[Var] = []

    def run(self) -> Specialised:
        rt, definition = self.rt, definition_of(self.function)
        node: ast.AST = definition.node
        frame = Frame(definition, Scope({}))
        rt.frames.append(frame)
        result: Value | None = None
        with rt.building(Builder()) as b:
            if rt.store is not None:
                rt.store.begin(frame.scope)
            f = rt.from_python(self.function, (("function",),), node, guarded=False)
            f = memos.enter(rt, frame.scope, f, self.function, node)
            names = [p.arg for p in (*definition.node.args.posonlyargs, *definition.node.args.args)]
            args = [
                self._argument(k, (("arg", i),), names[i] if i < len(names) else "x", node)
                for i, k in enumerate(self.arg_types)
            ]
            kind: Kind = static_kind(None)
            atoms: list[Atom] = []
            try:
                made = self._result(f, args, frame.scope, node)
                made = given_containers.leaving(rt, as_number(rt, made, node), node)
                made = in_full(rt, made, node)
                result = tightened(rt, result_of(rt, made, node), node)
                kind = rt.kind(result, node)
                self._check_result(kind, node)
                returned_exceptions.wanted(rt, kind, node)
                atoms = flatten(result).atoms
            except Unreachable:
                pass
            block = b.block(tuple(atoms))
            if result is None and not always_fails(block, rt.functions):
                rt.refuse(node, ALWAYS_RAISES)
        found = _taken(frame.hidden.values(), block)
        hidden = tuple(HiddenArgument(h.path, h.kind) for h in found)
        extra = [v for h in found for v in h.params]
        types = tuple(a.type for a in atoms)
        main = Function("main", (*self.params, *extra), block, types)
        rt.declare_kind(kind)
        functions = identity.reached(main, rt)  # abandoned trials leave functions that nobody calls
        functions = closed(without_needless(functions))
        identity.settle(rt, main, functions)
        program = Program(functions, dict(rt.decls), "main")
        unions = _unions(rt)
        statics = tuple(StaticArgument(p, k) for p, k in rt.static_paths.items())
        return Specialised(
            program,
            self.arg_types,
            kind,
            hidden,
            tuple(rt.guards.values()),
            statics,
            unions,
            site_of(definition, node),
            result is None,
            any(d.mixed and d.function in functions for d in rt.by_nodes),
            catches_extents=rt.caught.catches_extents,
            contexts=rt.caught.contexts and not handled.NOTED.get(),
            loses=rt.loses,
        )

    def _check_result(self, kind: Kind, node: ast.AST) -> None:
        """Refuse a result of a kind that compiled code cannot give."""
        if holds_references(kind):
            reason = "an object that may have several names, or leads to one, as a result"
            self.rt.refuse(node, reason, "return its numbers: return node.value, node.size")
        refuse_results(self.rt, kind, node)
        made_texts.refuse_lost(self.rt)

    def _result(self, f: Value, args: list[Value], scope: Scope, node: ast.AST) -> Value:
        """Return the result of the function, and what it has updated."""
        if self.outside is not None and self.outside.graph is not None:
            return self._with_graph(self.outside, self.outside.graph, f, args, scope, node)
        updates = Updates(self.rt, self.outside or NOTHING, scope, args, node)
        f = updates.around(f, self.function)
        try:
            result = iterator_results.check(self.rt, self.rt.call(f, args, node), node)
        except MutationError as e:
            e.arguments = updated_by(e, args)
            raise
        if self.outside is None:
            refuse_unread(self.rt, self.rt.kind(result, node), node)
            return result
        return updates.whole(result)

    def _with_graph(
        self, outside: Outside, graph: Graph, f: Value, args: list[Value], scope: Scope,
        node: ast.AST,
    ) -> Value:  # fmt: skip
        """Return the result of a function that gets or gives objects (``store.door``)."""
        rt = self.rt
        assert isinstance(rt.store, Columns)
        args = door.entered(rt, rt.store, graph, scope, args, node)
        result = iterator_results.check(rt, rt.call(f, args, node), node)
        refuse_unread(rt, rt.kind(result, node), node, rt.store.facts.fields())
        if not outside.derived:
            return door.left(rt, rt.store, scope, result, node)
        aux: Value = Static(None)
        if outside.aux:
            if not isinstance(result, TupleV) or len(result.items) != 2:
                reason = "the function returns no pair (value, auxiliary data)"
                rt.refuse(node, reason, "return value, aux")
            result, aux = result.items
        return TupleV((result, door.left(rt, rt.store, scope, aux, node)))

    def _argument(self, kind: Kind, path: Path, name: str, node: ast.AST) -> Value:
        """Return the abstract value of an argument; its leaves become parameters of main."""
        rt = self.rt
        match kind:
            case UnreadK(_, value):
                return Static(value)
            case StaticK(_, value):
                return rt.from_python(value, path, node, guarded=False)
            case TupleK(items, is_list) if type(kind) is TupleK:
                parts = [
                    self._argument(k, (*path, ("item", i)), f"{name}{i}", node)
                    for i, k in enumerate(items)
                ]
                return TupleV(tuple(parts), is_list, fresh=False)
            case RecordK(cls, fields):
                inside = {
                    n: self._argument(k, (*path, records.step(cls, n)), str(n), node)
                    for n, k in fields
                }
                return RecordV(cls, inside)
            case _:
                rt.declare_kind(kind)
                made = [Var(name, t) for t in leaf_types(kind)]
                self.params += made
                if path in rt.static_paths:
                    return Static(rt.static_paths[path].value)
                if kind == FLAG and rt.known_flags and self.args is not None:
                    flag = read(path, self.function, self.args)
                    assert isinstance(flag, bool)
                    return rt.flag(flag, path)
                value = given_containers.given(rt, rebuild(kind, iter(made)), kind, node)
                if len(made) == 1:
                    rt.origins[made[0]] = (path, describe_path(path))
                return value


def _taken(hidden: Iterable[Hidden], block: Block) -> list[Hidden]:
    """Return the hidden arguments without the defaults that no call takes: the type of a default is
    in that of its function."""
    read_here = {*uses(block)}
    return [
        h for h in hidden
        if all(step[0] != "default" for step in h.path) or not read_here.isdisjoint(h.params)
    ]  # fmt: skip


def _unions(rt: Run) -> dict[str, Union]:
    return {name: u for name, u in rt.lambda_sets.declared.items() if name in rt.decls}


REGISTERED = (callback_calls, derivative_calls, registry, narrowing, rules)
"""Imported because importing them registers the meaning of library functions."""

__all__ = ["Specialised", "specialise"]
