"""The abstract interpreter: ``Run`` with all the parts that do its work.

Every part of the front end calls the others through ``Run``; only here they are put together.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from pullback.core.terms import Atom, If, Lit
from pullback.core.types import Type
from pullback.errors import PullbackError
from pullback.frontend.functions.functions import Functions
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
    scalars,
    statements,
)
from pullback.frontend.interpret.forks import fork_value
from pullback.frontend.interpret.generators import Generators
from pullback.frontend.interpret.indices import is_int
from pullback.frontend.interpret.known_numbers import need_known
from pullback.frontend.kinds.coerce import coerce, copied
from pullback.frontend.kinds.flatten import functions_in, kind_of, live_captures
from pullback.frontend.kinds.join import generalise, join
from pullback.frontend.kinds.kinds import HashK, ListK, ScalarK
from pullback.frontend.kinds.values import (
    ArrayV,
    ClosureV,
    Driven,
    FunctionV,
    HashV,
    Items,
    LambdaSetV,
    ListV,
    OptionalV,
    RecordV,
    Scalar,
    UnionV,
    Value,
    ViewStep,
)
from pullback.frontend.memory import hash_changes, places
from pullback.frontend.memory.ownership import owners_of
from pullback.frontend.python.source import Definition
from pullback.frontend.run import Run
from pullback.frontend.signals import Anew, NotCarriedError
from pullback.frontend.state import Flow


class Interpreter(Run):
    """The specialiser of one entry function for one tuple of argument kinds."""

    def __init__(self, lambda_sets: LambdaSets) -> None:
        super().__init__(lambda_sets)
        self.calls = Functions(self)
        self.generators = Generators(self)

    def evaluate(self, node: ast.expr) -> Value:
        return expressions.evaluate(self, node)

    def evaluate_index(self, node: ast.expr) -> Value:
        return expressions.evaluate_index(self, node)

    def test_of(self, node: ast.expr) -> bool | Atom:
        return expressions.test_of(self, node)

    def lookup(self, name: str, node: ast.AST) -> Value:
        return expressions.lookup(self, name, node)

    def execute(self, statements_: Sequence[ast.stmt]) -> Flow:
        return statements.execute(self, statements_)

    def run_body(self, definition: Definition) -> Value:
        return statements.run_body(self, definition)

    def assign(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        assignment.assign(self, target, value, node)

    def case_value(
        self, value: UnionV | OptionalV, arm: Callable[[Value], Value], node: ast.AST
    ) -> Value:
        return narrowing.case_value(self, value, arm, node)

    def is_instance(self, value: Value, classes: tuple[type, ...], node: ast.AST) -> Value:
        return narrowing.is_instance(self, value, classes, node)

    def scalar(self, value: Value, node: ast.AST) -> Scalar:
        return scalars.scalar(self, value, node)

    def convert(self, value: Value, type: Type, node: ast.AST) -> Atom:
        return scalars.convert(self, value, type, node)

    def truth(self, value: Value, node: ast.AST) -> bool | Atom:
        return objects.truth(self, value, node)

    def binop(self, op: str, left: Value, right: Value, node: ast.AST) -> Value:
        return operators.binop(self, op, left, right, node)

    def unary(self, op: str, operand: Value, node: ast.AST) -> Value:
        return operators.unary(self, op, operand, node)

    def compare(self, op: str, left: Value, right: Value, node: ast.AST) -> Value:
        return comparisons.compare(self, op, left, right, node)

    def subscript(self, value: Value, index: Value, node: ast.AST) -> Value:
        made = objects.subscript(self, value, index, node)
        if value in self.frame.places and (is_int(index) or isinstance(value, RecordV)):
            places.note(self, value, index, made)
        return made

    def view(self, atom: Atom, of: ArrayV, step: ViewStep | None = None) -> ArrayV:
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
            return fork_value(self, (then, orelse), lambda b: If(test, b[0], b[1]), node)
        except PullbackError as refusal:
            need_known(self, test, node, refusal)
            raise

    def select(self, cond: bool | Atom, then: Value, orelse: Value, node: ast.AST) -> Value:
        if isinstance(cond, bool) or not (scalars.is_number(then) and scalars.is_number(orelse)):
            return self.branch(cond, lambda: then, lambda: orelse, node)
        kind = join(generalise(kind_of(then)), generalise(kind_of(orelse)))
        assert isinstance(kind, ScalarK)
        atoms = (self.convert(v, kind.type, node) for v in (then, orelse))
        return Scalar(self.b.prim("select", cond, *atoms), kind.py, kind.bits)

    def sequence(
        self, length: Atom, fn: Callable[[Atom], Value], node: ast.AST, parallel: bool = True
    ) -> ListV:
        return self.sequence_of(length, fn, node)

    def sequence_of(self, length: Atom, fn: Callable[[Atom], Value], node: ast.AST) -> ListV:
        """Return the list that one Build makes, whose results are the leaves of the item."""
        return iteration.sequence_of(self, length, fn, node)

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

    def fold(
        self,
        items: Items,
        init: Sequence[Value],
        step: Callable[[Sequence[Value], Value], Sequence[Value]],
        node: ast.AST,
        stop: Callable[[Sequence[Value]], bool | Atom] | None = None,
    ) -> list[Value]:
        return carry.fold(self, items, init, step, node, stop)

    def drive(
        self,
        items: Driven,
        init: Sequence[Value],
        step: Callable[[Sequence[Value], Value], Sequence[Value]],
        stop: Callable[[Sequence[Value]], bool | Atom] | None,
        node: ast.AST,
    ) -> list[Value]:
        return generators.fold(self, items, init, step, stop, node)

    def handed(self, value: Value, node: ast.AST) -> Value:
        return generators.handed(self, value, node)

    def repeat(
        self,
        count: Atom,
        init: Sequence[Value],
        step: Callable[[Atom, Sequence[Value]], Sequence[Value]],
        node: ast.AST,
    ) -> list[Value]:
        return carry.repeat(self, count, init, step, node)

    def while_loop(
        self,
        init: Sequence[Value],
        cond: Callable[[Sequence[Value]], Value],
        step: Callable[[Sequence[Value]], Sequence[Value]],
        node: ast.AST,
    ) -> list[Value]:
        return carry.while_loop(self, init, cond, step, node)

    def iterate(self, value: Value, node: ast.AST) -> Items:
        return iteration.iterate(self, value, node)

    def length(self, value: Value, node: ast.AST) -> Value:
        return iteration.length(self, value, node)

    def element(self, items: ListV, index: Atom, node: ast.AST, checked: bool = True) -> Value:
        made = objects.element(self, items, index, node, checked)
        places.note(self, items, index, made)
        return made

    def to_list(self, value: Value, node: ast.AST) -> ListV:
        return iteration.to_list(self, value, node)

    def copied(self, items: ListV) -> ListV:
        return copied(self, items)

    def coerce_list(self, value: Value, kind: ListK, node: ast.AST) -> ListV:
        made = coerce(self, value, kind, node)
        assert isinstance(made, ListV)
        return made

    def hash_table(self, value: RecordV, kind: HashK, node: ast.AST) -> HashV:
        return hash_changes.of_record(self, value, kind, node)

    def case_closure(
        self, value: ClosureV | LambdaSetV, fn: Callable[[FunctionV], Value], node: ast.AST
    ) -> Value:
        return calls.case_closure(self, value, fn, node)
