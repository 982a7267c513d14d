"""Generators: the body of one runs where it is consumed, and ``yield`` calls the consumer.

    for x in g(a): body            s' = g(a, c, s)                  c(s, x) = body
    def g(a): ... yield v ...      g(a, c, s) = ... s = c(s, v) ... return s

The state ``s`` is what the consumer carries round; ``c`` is one function of Core (a join point),
however many ``yield`` call it, so a program stays linear in its source. The body of the generator
is a function like others, with the consumer as a static argument: so recursion (``yield from`` of
itself) is a recursion of this function, and nothing is kept of the items. A consumer that may want
no further item also gives whether it does (``stops``); then the generator returns after the
``yield``.

What must be known before the consumer is made is found with a ``Probe`` as the consumer: the
generator is run once with it, and that code is dropped. It tells the kind of the items, and which
variables around it the generator changes: these are part of the state (``functions/threads``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from pullback.core.build import Builder
from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom, Call, Function, Var
from pullback.core.types import BOOL, Type
from pullback.errors import EndlessError, MutationError
from pullback.frontend.functions import (
    exits,
    generator_ends,
    iterator_lifetimes,
    noted,
)
from pullback.frontend.functions.captured_variables import FUNCTION, SLOTS, same_variables
from pullback.frontend.functions.generator_forms import (
    driven_form,
    is_called,
    is_form_of,
    is_parameter,
)
from pullback.frontend.functions.handing import hand_back, lost_by
from pullback.frontend.functions.placed import Given
from pullback.frontend.functions.scopes import shown
from pullback.frontend.functions.stepped_form import ends
from pullback.frontend.functions.threads import (
    changes_of,
    in_the_state,
    settle_changes,
    slots_in,
)
from pullback.frontend.interpret.advancing import advanced, as_generator, of_choice, renewed
from pullback.frontend.interpret.carried import Carried
from pullback.frontend.interpret.carry import bind_carried, carry_names
from pullback.frontend.interpret.generator_consumers import Consumer, Probe
from pullback.frontend.interpret.iteration import is_iterator
from pullback.frontend.kinds.flatten import Ownership, kind_of, rebuild
from pullback.frontend.kinds.function_kinds import has_function
from pullback.frontend.kinds.kinds import Kind, leaf_types
from pullback.frontend.kinds.values import (
    Driven,
    FunctionV,
    GeneratorV,
    Owner,
    Static,
    ThreadV,
    TupleV,
    Value,
)
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.syntax import CONSUMER, STATE
from pullback.frontend.python.texts import FunctionNode
from pullback.frontend.signals import Anew, Unreachable
from pullback.frontend.state import facts
from pullback.frontend.store.shared_memory import is_only_read

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.state import Slot, Spec

Stop = Callable[[Sequence[Value]], bool | Atom]
"""Whether a consumer in this state wants no further item."""

_FOR_GOOD = -2
_ITEM = "an item of a generator"
_DEEPEST = 3
"""So often a generator may run inside of itself, each time with another consumer."""


@dataclass(slots=True)
class Generators:
    """What a run knows of generators: what a look at them has told, and where those that have a
    name were made and begun."""

    run: Run
    probes: dict[object, tuple[Probe, Probe, int]] = field(default_factory=dict)
    made: dict[GeneratorV, tuple[object, tuple[Builder, ...]]] = field(default_factory=dict)
    begun: dict[GeneratorV, tuple[Builder, ...]] = field(default_factory=dict)
    consumers: dict[object, Consumer] = field(default_factory=dict)
    advanced: set[object] = field(default_factory=set)
    """The places where names are given to generators that are advanced from outside."""
    met: bool = False
    """Whether a generator has been made."""
    kept: bool = False
    outlives: bool = False
    """Whether a generator is being run that is not closed where it is left, by an exception too."""
    settling: tuple[ast.AST, frozenset[str]] | None = None
    """The step of an iterator of which a run tells the kinds of the variables, and is dropped; of
    these those that may be read before they are set."""
    rounds: dict[Spec | None, tuple[int, int]] = field(default_factory=dict)
    """Of each function: when its round began, and how many consumers that has made."""

    # --- what can be used once --------------------------------------------------------------------

    def born(self, value: Value, node: ast.AST) -> Value:
        """Note that a generator has been made: from here on the specialiser makes sure that it runs
        once. Where iterators are objects it is one, if it is not gone through at once, or inside of
        itself."""
        if not isinstance(value, GeneratorV):
            return value
        self.met = True
        self.made.setdefault(value, (None, tuple(self.run.builders)))
        store, body = self.run.store, value.body
        if store is not None:
            store.facts.met = True
        if store is None or not store.facts.iterators or body is None:
            return value
        definition = body.function.definition
        if exits.is_of_library(self.run.frame.definition) or ends(definition.node):
            return value
        makes_others = any(isinstance(n, ast.YieldFrom) for n in ast.walk(definition.node))
        running = any(is_form_of(s.definition, definition) for s in self.run.calls.active)
        if is_only_read(self.run, node) and not makes_others and not running:
            return value
        return advanced(self.run, value, node)

    def in_a_place(self, value: Value) -> Value:
        """Note that a place in other data has a generator."""
        if isinstance(value, GeneratorV) and value.body is not None:
            value.body.named = True
        return value

    def name(self, value: GeneratorV, key: object, node: ast.AST) -> Value:
        """Return the value of a name, or of a place in a list, that is given a generator: an
        iterator that can be advanced from outside, if it is known to be advanced so."""
        if isinstance(key, ast.Name) and key.id in liveness_of(self._function()).captured:
            self.advanced.add(key)  # a function that captures it may advance it
        held = self.run.scope.names.get(key.id) if isinstance(key, ast.Name) else None
        if held is not None and is_iterator(held):
            self.advanced.add(key)
        own = not exits.is_of_library(self.run.frame.definition) and not is_called(key)
        if own and value.body is not None:
            if ends(value.body.function.definition.node):
                alone = is_parameter(key) or iterator_lifetimes.is_assigned(key, node)
                if value.body.named or not alone:  # something else keeps it, too
                    iterator_lifetimes.refuse(self.run, node)
                iterator_lifetimes.check_given(self.run, value.body, node)
                self.advanced.add(key)  # it is left where nobody has it any longer
            if not is_parameter(key):
                iterator_lifetimes.check_apart(self.run, value.body.args.values(), node)
        if key in self.advanced and value not in self.begun:
            self.begin(value, node)
            made = advanced(self.run, value, node, known=True)
            if held is not None:
                iterator_lifetimes.dropped(self.run, held, made, node)
                made = renewed(self.run, held, made, node)
            if iterator_lifetimes.is_ending(made):
                if self.outlives:  # it ends with the generator that is run, which something keeps
                    iterator_lifetimes.refuse(self.run, node)
                iterator_lifetimes.named(self.run, _name_of(key, self.run, node), made, node)
            return made
        known, here = self.made.get(value, (None, tuple(self.run.builders)))
        self.made[value] = key if known is None else known, here
        if value.body is not None and not is_called(key):
            value.body.named |= not exits.is_of_library(self.run.frame.definition)
        return value

    def _function(self) -> FunctionNode:
        definition = self.run.frame.definition
        assert definition is not None
        return definition.node

    def returned(self, value: Value, s: ast.Return) -> Value:
        """Return the value of a ``return``. If another one returns another iterator, it becomes one
        that is advanced from outside (``chosen``)."""
        made = as_generator(self.run, value, s)
        if not isinstance(made, GeneratorV) or made.body is None:
            return made
        if s in self.advanced:
            return of_choice(self.run, made, s)
        self.made[made] = s, tuple(self.run.builders)
        return made

    def chosen(self, value: Value) -> None:
        """Note that a value is one of several: a generator that a ``return`` gives is advanced from
        outside then."""
        if isinstance(value, GeneratorV):
            made = self.made.get(value)
            if made is not None and isinstance(made[0], ast.Return):
                self.advance(value)

    def advance(self, value: GeneratorV) -> bool:
        """Note that a generator with a name is advanced from outside, and run the code that gave it
        the name anew. Return False if it has no name."""
        made = self.made.get(value)
        if made is None or made[0] is None or made[0] in self.advanced:
            return False
        self.advanced.add(made[0])
        raise Anew

    def begin(self, value: GeneratorV, node: ast.AST) -> None:
        """Note that a generator is begun, or handed on. Refuse it if it may have been begun
        before."""
        known, here = self.made.get(value), tuple(self.run.builders)
        if known is None:
            return
        made = known[1]
        around = here[len(made) :] if here[: len(made)] == made else here
        before = self.begun.get(value)
        again = before is not None and not self._exclusive(before, here)
        if again or any(b not in self.run.arms for b in around):
            self.advance(value)
            self.run.refuse(
                node,
                "a generator that may have been begun before goes on where it was left",
                "make a list of it: xs = list(...); or make a new generator here",
            )
        self.begun[value] = here

    def _exclusive(self, one: tuple[Builder, ...], other: tuple[Builder, ...]) -> bool:
        """Whether these are in two arms of one branch."""
        arms = self.run.arms
        for a, b in zip(one, other, strict=False):
            if a is not b:
                return a in arms and b in arms and arms[a] is arms[b]
        return False

    @contextmanager
    def forgetting(self) -> Iterator[None]:
        """Run a trial that is dropped: it begins no generator."""
        before = dict(self.begun)
        try:
            yield
        finally:
            self.begun = before

    # --- driving ----------------------------------------------------------------------------------

    def item(self, items: Driven, node: ast.AST) -> tuple[Value, tuple[Var, ...]] | None:
        """Return an item that nothing is known of, and its variables; None where there are no
        items: then the generator has been run for its errors."""
        kind = self.item_kind(items, node)
        if kind is None:
            self.call(items, Probe(), (), node)
            return None
        made = tuple(Var("item", t) for t in leaf_types(kind))
        probes = self.probes[kind_of(GeneratorV(node, items, items, handed=True))][:2]
        held = (self.held_by_items(items, p, node) for p in probes if p.kind is not None)
        owners = frozenset({Owner(_ITEM)}).union(*held)
        return rebuild(kind, iter(made), lambda: (owners, False)), made

    def held_by_items(
        self, items: Driven, probe: Probe, node: ast.AST
    ) -> frozenset[Owner]:
        """Return the memory around a generator that its items may share: what it was given or has
        captured, and yields as it is."""
        with self.run.building(Builder()) as b, self.forgetting():
            self.run.arms[b] = probe  # dropped
            spec, _, owners, _ = self._prepared(items, probe, (), (), node)
        params = spec.owned[0][0] if spec.owned else ()
        return frozenset(o for k in params if k < len(owners) for o in owners[k][0])

    def item_kind(self, items: Driven, node: ast.AST) -> Kind | None:
        """Return the kind of all items; None if no ``yield`` is ever reached."""
        return self._looked_at(items, node).kind

    def _looked_at(self, items: Driven, node: ast.AST) -> Probe:
        """Return the facts that a run of the generator shows, whose code is dropped. In a recursion
        they are asked for anew in each round."""
        run, spec = self.run, self.run.frame.spec
        key = kind_of(GeneratorV(node, items, items, handed=True))
        began = 0 if spec is None else spec.began
        probe, ending, seen = self.probes.setdefault(key, (Probe(), Probe(stops=True), -1))
        if seen in (_FOR_GOOD, began):
            return probe
        seen = began
        with run.building(Builder()) as b, self.forgetting(), suppress(Unreachable):
            run.arms[b] = probe  # dropped: in the end it runs once
            made, _, owners, _ = self._prepared(items, probe, (), (), node)
            if made.never_returns:  # it may end where its consumer wants no further item
                made, _, owners, _ = self._prepared(items, ending, (), (), node)
            probe.kind = probe.kind or ending.kind
            probe.changed = changes_of(made, self._result(made, owners))
            if made.head is None:
                seen = _FOR_GOOD
        self.probes[key] = probe, ending, seen
        return probe

    def _result(self, made: Spec, owners: list[Ownership]) -> Value | None:
        """Return what the function of a generator gives, of which only the ownership is asked; None
        while it is not known."""
        if made.result is None or not made.handed or made.head is not None:
            return None
        atoms = [Var("kept", t) for t in leaf_types(made.result)]
        return self.run.calls.result(made, atoms, owners)

    def changed(self, items: Driven, node: ast.AST) -> list[str]:
        """Return the variables of the function being run that a generator changes. From here on
        they are of kinds that suit it."""
        return settle_changes(self.run, items, lambda: self._looked_at(items, node).changed, node)

    def consume(
        self, items: Driven, c: Carried, names: Sequence[str], item: tuple[Var, ...],
        stop: Stop | None, node: ast.AST, others: Iterable[str] = (),
    ) -> list[Value]:  # fmt: skip
        """Return the state after the last item. ``c`` is the consumer, ``names`` are the variables
        in its state, ``others`` those that it changes beside these."""
        run, block = self.run, c.blocks[-1]
        stops = stop is not None
        if stop is not None:
            with run.building(Builder()) as b:
                atoms = b.extend(block)
                flag = run.bool_atom(stop(c.results([*atoms])))
                block = b.block((*atoms, flag))
        types = tuple(v.type for v in c.params)
        results = (*types, BOOL) if stops else types
        kind = self.item_kind(items, node)
        assert kind is not None
        owners = (o for owned in c.owned for owners, _ in owned for o in owners)
        keeps = has_function(kind) and any(o.note == _ITEM for o in owners)
        consumer = self._join_point(kind, results, stops, keeps, node)
        function = Function(consumer.name, (*c.params, *item), block, results)
        run.functions[consumer.name] = function
        kinds = [h.kind for h in c.heads]
        made = exits.of_consumer(run, function, names, kinds, stops)
        run.caught.handed[consumer.name] = made
        ends = zip(c.params, block.results, *(e.ends for e in made.exits().values()), strict=False)
        left = [all(e is x or isinstance(e, Type) for e in others) for x, *others in ends]
        slots = slots_in(run, items, names, kinds, left)
        try:
            values = c.results(self.call(items, consumer, c.inits, node, slots)[0])
        except Unreachable:  # it raises in the end, and its function has no results
            call = next(let for let in reversed(run.b.lets) if isinstance(let.op, Call))
            noted.driven(run.frame, call, (*filter(None, names), *others))
            raise
        call = next(let for let in reversed(run.b.lets) if isinstance(let.op, Call))
        noted.carried(run.frame, call, dict(zip(names, values, strict=True)), others)
        return values

    @contextmanager
    def _left(self, items: Driven, consumer: Consumer | Probe, node: ast.AST) -> Iterator[None]:
        """Run a generator that its consumer may leave: what it runs over is left with it."""
        outer = self.kept, self.outlives
        self.kept = consumer.stops and (self.kept or items.named)
        self.outlives = self.outlives or items.named
        try:
            if consumer.stops:
                generator = items.function.definition.node
                generator_ends.check_left(self.run, generator, self.kept, node)
            yield
        finally:
            self.kept, self.outlives = outer

    def _join_point(
        self, item: Kind, results: tuple[Type, ...], stops: bool, keeps: bool, node: ast.AST
    ) -> Consumer:
        """Return the consumer; in a later round of a recursion, the consumer that stood in the same
        place in the round before, if the two are alike. So the functions of generators settle,
        too."""
        spec = self.run.frame.spec
        began = 0 if spec is None else spec.began
        round_, place = self.rounds.get(spec, (began, 0))
        place = place if round_ == began else 0
        self.rounds[spec] = began, place + 1
        key = spec, place, node, item, results, stops, keeps
        known = self.consumers.get(key)
        if known is None:
            name = f"consumer.{len(self.consumers) + 1}"
            known = self.consumers[key] = Consumer(name, item, results, stops, keeps)
        return known

    def call(
        self, items: Driven, consumer: Consumer | Probe, state: Sequence[Atom], node: ast.AST,
        slots: Sequence[Slot] = (), telling: bool = False,
    ) -> tuple[tuple[Var, ...], Value]:  # fmt: skip
        """Return the next state of the consumer and whether it stops, and (``telling``) what the
        generator returns."""
        run, f = self.run, items.function
        with self._left(items, consumer, node):
            spec, atoms, owners, given = self._prepared(
                items, consumer, state, slots, node, telling
            )
        in_probe = isinstance(consumer, Probe)
        if spec.handed and not in_probe:
            name = shown(spec.handed[0])
            if spec.handed[0] in items.args:
                reason = f"updates its parameter {name!r}"
                rewrite = f"let it work on a copy: {name} = list({name})"
            else:
                reason = f"changes {name!r}, a variable of a function around it,"
                rewrite = f"give it {name!r} as a parameter, and yield what becomes of it"
            reason = f"{f.definition.name!r} {reason} while others may look at it between two items"
            run.refuse(node, reason, rewrite, error=MutationError)
        run.loses |= bool(spec.lost) and len(run.frames) == 1
        lost = lost_by(run, spec, {FUNCTION: f, **given}, node)
        if spec.never_returns:
            run.b.let(Call(spec.name, tuple(atoms)), (), run.site(node))
            noted.driven(run.frame, run.b.lets[-1], lost)
            raise Unreachable
        if not spec.handed and not telling:
            left = run.b.let(Call(spec.name, tuple(atoms)), consumer.results, run.site(node))
            noted.driven(run.frame, run.b.lets[-1], lost)
            return left, Static(None)
        assert spec.result is not None
        types = tuple(leaf_types(spec.result))
        made = run.b.let(Call(spec.name, tuple(atoms)), types, run.site(node))
        let = run.b.lets[-1]
        value = run.calls.result(spec, list(made), owners)
        thread = value
        if spec.handed:
            thread = hand_back(run, spec, f, Given(given), value, owners, let, node)
        else:
            noted.driven(run.frame, let, lost)
        told: Value = Static(None)
        if telling:
            assert isinstance(thread, TupleV)
            thread, told = thread.items
        assert isinstance(thread, ThreadV)
        return cast("tuple[Var, ...]", thread.atoms), told

    def _prepared(
        self, items: Driven, consumer: Consumer | Probe, state: Sequence[Atom],
        slots: Sequence[Slot], node: ast.AST, telling: bool = False,
    ) -> tuple[Spec, list[Atom], list[Ownership], dict[str, Value]]:  # fmt: skip
        """Return the function of a generator for this consumer."""
        run, f = self.run, items.function
        form = FunctionV(driven_form(f.definition, consumer.stops, telling), f.scope)
        if sum(s.definition is form.definition for s in run.calls.active) > _DEEPEST:
            run.refuse(
                node,
                f"{f.definition.name!r} runs inside of itself, with ever other consumers",
                "hand the items on as they are (yield from), and give what changes them as an "
                "argument",
                error=EndlessError,
            )
        args = {n: handed(run, v, node) for n, v in items.args.items()}
        given = {**args, CONSUMER: Static(consumer), STATE: ThreadV(tuple(state))}
        given |= same_variables(f, args, every=True)
        if slots:
            given[SLOTS] = facts(tuple(slots))
        with in_the_state(run, items, slots):
            return (*run.calls.prepare(form, given, node), given)


def _name_of(key: object, run: Run, node: ast.AST) -> str:
    """Return the variable that is given a generator."""
    match key:
        case ast.Name(name) | (_, str(name)):
            return name
        case _:
            iterator_lifetimes.refuse(run, node)


def of(run: Run) -> Generators:
    """Return the generators of a run."""
    assert isinstance(run.generators, Generators)
    return run.generators


def handed(run: Run, value: Value, node: ast.AST) -> Value:
    """Hand on an argument or a result; a generator is handed on with the right to run it."""
    value = as_generator(run, value, node)
    if not isinstance(value, GeneratorV) or value.body is None:
        return value
    run.generators.begin(value, node)
    return replace(value, handed=True)


def fold(
    run: Run,
    items: Driven,
    init: Sequence[Value],
    step: Callable[[Sequence[Value], Value], Sequence[Value]],
    stop: Stop | None,
    node: ast.AST,
) -> list[Value]:
    """Compile ``state = step(state, item)`` over the items of a generator."""
    changed = of(run).changed(items, node)
    found = of(run).item(items, node)
    if found is None:
        return list(init)
    item, params = found
    names, c = carry_names(run, init, [lambda state: step(state, item)], node, changed)
    made = of(run).consume(items, c, names, params, stop, node)
    return bind_carried(run, names, made)


__all__ = ["Consumer", "Generators", "Probe", "fold", "handed", "of"]
