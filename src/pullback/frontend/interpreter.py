"""The abstract interpreter: ``Run`` with all the parts that do its work.

Every part of the front end calls the others through ``Run``; only here they are put together.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from pullback.core.messages import Message, Raised
from pullback.core.terms import Atom, If, Lit
from pullback.errors import PullbackError
from pullback.frontend.functions import iterator_lifetimes
from pullback.frontend.functions.functions import Functions
from pullback.frontend.functions.generator_ends import left_with
from pullback.frontend.functions.lambda_sets import LambdaSets
from pullback.frontend.interpret import (
    assignment,
    attributes,
    calls,
    carry,
    comparisons,
    expressions,
    generators,
    iteration,
    narrowing,
    objects,
    operators,
    payloads,
    scalars,
    shared_objects,
    statements,
)
from pullback.frontend.interpret.forks import fork_value
from pullback.frontend.interpret.generators import Generators
from pullback.frontend.interpret.indices import is_int, names_items
from pullback.frontend.interpret.known_numbers import meeting, need_known
from pullback.frontend.kinds.coerce import coerce, copied
from pullback.frontend.kinds.complex_pairs import is_complex_array
from pullback.frontend.kinds.flatten import functions_in, kind_of, live_captures
from pullback.frontend.kinds.join import generalise, join
from pullback.frontend.kinds.kinds import ListK, ScalarK
from pullback.frontend.kinds.number_kinds import tells_int
from pullback.frontend.kinds.values import (
    ArrayV,
    ListV,
    Owner,
    RecordV,
    Scalar,
    SliceV,
    Static,
    TupleV,
    Value,
    ViewStep,
)
from pullback.frontend.memory import given_containers, hash_changes, places
from pullback.frontend.memory.container_objects import is_container
from pullback.frontend.memory.long_tuples import as_class
from pullback.frontend.memory.owners import owners_of
from pullback.frontend.run import Run
from pullback.frontend.signals import Anew, NotCarriedError


class Interpreter(Run):
    """The specialiser of one entry function for one tuple of argument kinds."""

    def __init__(self, lambda_sets: LambdaSets) -> None:
        super().__init__(lambda_sets)
        self.calls = Functions(self)
        self.generators = Generators(self)

    evaluate = expressions.evaluate
    evaluate_index = expressions.evaluate_index
    test_of = expressions.test_of
    lookup = expressions.lookup
    execute = statements.execute
    run_body = statements.run_body
    keeps = iterator_lifetimes.raised
    assign = assignment.assign
    case_value = narrowing.case_value
    is_instance = narrowing.is_instance
    scalar = scalars.scalar
    convert = scalars.convert
    truth = objects.truth
    binop = operators.binop
    unary = operators.unary
    compare = comparisons.compare
    sequence = iteration.sequence
    fold = carry.fold
    drive = generators.fold
    handed = generators.handed
    repeat = carry.repeat
    while_loop = carry.while_loop
    iterate = iteration.iterate
    length = iteration.length
    to_list = iteration.to_list
    copied = copied
    given = given_containers.given
    text_class = staticmethod(given_containers.text_class)
    texts_within = staticmethod(given_containers.texts_within)
    met = given_containers.met
    hash_table = hash_changes.of_record
    case_closure = calls.case_closure
    shared_attribute = shared_objects.attribute
    of_exception = payloads.attribute
    operand_of_exception = payloads.operand

    def subscript(self, value: Value, index: Value, node: ast.AST) -> Value:
        made = objects.subscript(self, value, index, node)
        is_copy = isinstance(index, SliceV) and is_container(value)
        is_copy = is_copy or (is_complex_array(value) and names_items(index))
        is_part = isinstance(value, RecordV) and not is_copy
        if value in self.frame.places and (is_int(index) or is_part):
            places.note(self, value, index, made)
        return made

    def view(self, atom: Atom, of: ArrayV, step: ViewStep | None = None) -> ArrayV:
        if step is not None and of.fresh and of not in self.frame.places:
            return ArrayV(atom, of.owners | {Owner()}, True)  # of an array that nothing else has
        made = ArrayV(atom, of.owners, False)
        if step is not None:
            places.note(self, of, step, made)
        return made

    def attribute(self, value: Value, name: str, node: ast.AST) -> Value:
        made = attributes.attribute(self, value, name, node)
        if isinstance(value, RecordV) and value.fields.get(name) is made:
            places.note(self, value, name, made)
        return made

    def call(
        self,
        function: Value,
        args: Sequence[Value],
        node: ast.AST,
        kwargs: dict[str, Value] | None = None,
    ) -> Value:
        in_order, shown = node in self.calls.ordered, self.calls.shown
        try:
            made = calls.call(self, function, args, kwargs or {}, node)
        except NotCarriedError as change:
            if in_order or node not in self.calls.may_order:
                raise
            self.calls.ordered.add(node)
            raise Anew from change
        if not in_order and node in self.calls.may_order and self.calls.shown > shown:
            self.calls.ordered.add(node)
            raise Anew
        return made

    def branch(
        self,
        cond: bool | Atom,
        then: Callable[[], Value],
        orelse: Callable[[], Value],
        node: ast.AST,
    ) -> Value:
        if isinstance(cond, Lit):
            cond = bool(cond.value)
        if isinstance(cond, bool):
            return then() if cond else orelse()
        test: Atom = cond
        try:
            meet = meeting(self, test)
            return fork_value(self, (then, orelse), lambda b: If(test, b[0], b[1]), node, meet)
        except PullbackError as refusal:
            need_known(self, test, node, refusal)
            raise

    def require(
        self, cond: Atom, exception: Raised, message: str | Message, node: ast.AST, *leaves: Atom
    ) -> None:
        raised, shown = left_with(self, exception, message, len(leaves))
        super().require(cond, raised, shown, node, *leaves)

    def select(self, cond: bool | Atom, then: Value, orelse: Value, node: ast.AST) -> Value:
        if isinstance(cond, bool) or not (scalars.is_number(then) and scalars.is_number(orelse)):
            return self.branch(cond, lambda: then, lambda: orelse, node)
        kind = join(generalise(kind_of(then)), generalise(kind_of(orelse)))
        if not isinstance(kind, ScalarK):  # this says why
            return self.branch(cond, lambda: then, lambda: orelse, node)
        atoms = (self.convert(v, kind.type, node) for v in (then, orelse))
        chosen = self.b.prim("select", cond, *atoms)
        if not kind.may_be_int:
            return Scalar(chosen, kind.py, kind.bits)
        told = (tells_int(v) for v in (then, orelse) if isinstance(v, (Static, Scalar)))
        return Scalar(chosen, kind.py, kind.bits, self.b.prim("select", cond, *told))

    def check_captured_in_loop(self, item: Value, node: ast.AST) -> None:
        """Refuse a function made anew in every iteration that captures variables of the loop. When
        it is called later it sees their last values: that is Python's meaning, and hardly ever the
        intended one."""
        names = {n for f in functions_in(item) for s, n in live_captures(f) if not s.locals}
        names |= {o.note for o in owners_of(item) if o.cell and o.note}
        if names:
            name = min(names)
            self.refuse(
                node,
                f"a function in a list captures the loop variable {name!r}: when it is "
                "called, it would see the last value only",
                f"bind the value now: lambda ..., {name}={name}: ...",
            )

    def element(self, items: ListV, index: Atom, node: ast.AST, checked: bool = True) -> Value:
        made = objects.element(self, items, index, node, checked)
        places.note(self, items, index, made)
        return made

    def coerce_list(self, value: Value, kind: ListK, node: ast.AST) -> ListV:
        if isinstance(value, (TupleV, ListV)) and kind.cls not in (value.cls, Sequence):
            value = as_class(value, kind.cls)
        made = coerce(self, value, kind, node)
        assert isinstance(made, ListV)
        return made

