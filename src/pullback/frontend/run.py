"""One specialisation: the state that all of the front end works on, and what handlers may ask.

``Run`` implements ``values.Specialiser``. The work itself is in the modules that it delegates to:
expressions, statements, loops, calls, patterns, objects, python_values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn

from pullback.core.build import Builder
from pullback.core.terms import Atom, Block, Build, Function, If, Lit, Site, Sum_, Var
from pullback.core.types import BOOL, I64, Array, Decl, Type
from pullback.errors import PullbackError, UnsupportedError
from pullback.frontend.derivatives.identity import ByNodes
from pullback.frontend.functions.lambda_sets import LambdaSet, LambdaSets
from pullback.frontend.functions.scopes import Frame, Scope
from pullback.frontend.interpret import scalars
from pullback.frontend.kinds.flatten import NoKindError, functions_in, kind_of, live_captures
from pullback.frontend.kinds.join import generalise
from pullback.frontend.kinds.kinds import (
    Kind,
    ListK,
    describe,
    static_kind,
)
from pullback.frontend.kinds.values import (
    ArrayV,
    ClosureV,
    FunctionV,
    Items,
    LambdaSetV,
    ListV,
    Owner,
    RecordV,
    Scalar,
    Static,
    UnionV,
    Value,
)
from pullback.frontend.problems import Problems
from pullback.frontend.python.python_values import PythonValues
from pullback.frontend.python.records import Union
from pullback.frontend.python.source import site_of
from pullback.frontend.signals import AlwaysRaises, NeedStatic, Unreachable, Unresolved

if TYPE_CHECKING:
    pass


ALWAYS_RAISES = "an expression here raises an error whenever it is evaluated"


class Run(PythonValues):
    """The specialiser of one entry function for one tuple of argument kinds."""

    def __init__(self, lambda_sets: LambdaSets) -> None:
        from pullback.frontend.functions.functions import Functions

        super().__init__()
        self.lambda_sets = lambda_sets
        self.builders: list[Builder] = []
        self.boxed: dict[tuple[RecordV, Union], tuple[Builder, UnionV]] = {}
        """The node of a record that was put into a union, and where it was made."""
        self.made: dict[RecordV, Builder] = {}
        """Where records were made."""
        self.arms: set[Builder] = set()
        """The builders of the arms of branches: what is in them runs at most once."""
        self.parts: set[ListV] = set()
        """What slices of lists were evaluated to: views, so far."""
        self.splits: set[str] = set()
        """The functions in which one record may have become several nodes."""
        self.homes: dict[RecordV, Union] = {}
        """The union that a record was put into first."""
        self.several: set[str] = set()
        """The functions in which one record became nodes of several unions."""
        self.by_nodes: list[ByNodes] = []
        """The derivatives by nodes inside: which nodes are one decides these."""
        self.long_tuples = False
        self.list_or_tuple: PullbackError | None = None
        """Whether there are tuples of unknown length, and where lists are told from them."""
        self.assume_equal = False
        self.lapack = True
        self.frames: list[Frame] = []
        self.pending: list[Value] = []  # evaluated, and to be used when the rest has been
        self.functions: dict[str, Function] = {}
        self.decls: dict[str, Decl] = {}
        self.origins: dict[Atom, tuple[object, str]] = {}
        self.problems: Problems | None = None  # where all refusals are collected
        self.calls = Functions(self)

    # --- where we are -----------------------------------------------------------------------------

    @property
    def b(self) -> Builder:
        return self.builders[-1]

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def scope(self) -> Scope:
        return self.frames[-1].scope

    def site(self, node: ast.AST) -> Site:
        definition = self.frame.definition
        if definition is None:
            return Site("<arguments>", 1, 0, 1, 0, "<call>")
        return site_of(definition, node)

    def refuse(
        self,
        node: ast.AST,
        reason: str,
        rewrite: str = "",
        error: type[PullbackError] | None = None,
    ) -> NoReturn:
        definition = self.frame.definition
        own = definition is not None and definition.globals.get("__name__") == "pullback.applied"
        raise (error or UnsupportedError)(reason, rewrite, None if own else self.site(node))

    @contextmanager
    def building(self, builder: Builder) -> Iterator[Builder]:
        self.builders.append(builder)
        try:
            yield builder
        finally:
            self.builders.pop()

    @contextmanager
    def scratch(self) -> Iterator[Builder]:
        """A builder that may be thrown away; what always raises in it stays in the program."""
        with self.building(Builder()) as builder:
            try:
                yield builder
            except Unreachable:
                self.builders[-2].extend(builder.block())
                raise

    @contextmanager
    def holding(self, *values: Value) -> Iterator[None]:
        """Values that an expression will use after what is evaluated now."""
        n = len(self.pending)
        self.pending.extend(values)
        try:
            yield
        finally:
            del self.pending[n:]

    def declare(self, declared: Union | LambdaSet) -> None:
        """Put a declaration, and those inside it, into the program."""
        if isinstance(declared, Union):
            self.lambda_sets.use(declared)
        if declared.name not in self.decls:
            self.redeclare(declared)
            for kind in declared.variant_kinds():
                self.declare_kind(kind)

    def redeclare(self, declared: Union | LambdaSet) -> None:
        """The declaration as it is now: lambda sets grow."""
        self.decls[declared.name] = declared.decl()

    def declare_kind(self, kind: Kind) -> None:
        from pullback.frontend.kinds.kinds import declared_in

        for declared in declared_in(kind):
            self.declare(declared)

    # --- scalars and static values ----------------------------------------------------------------

    def scalar(self, value: Value, node: ast.AST) -> Scalar:
        return scalars.scalar(self, value, node)

    def convert(self, value: Value, type: Type, node: ast.AST) -> Atom:
        return scalars.convert(self, value, type, node)

    def static(
        self,
        value: Value,
        node: ast.AST,
        what: str,
        rewrite: str = "write a literal, or pass it as a parameter of its own",
    ) -> object:
        from pullback.errors import StaticValueError
        from pullback.frontend.kinds.values import SliceV, TupleV

        match value:
            case Static(v):
                return v
            case TupleV(items):
                return tuple(self.static(v, node, what) for v in items)
            case SliceV(start, stop, step):
                return slice(*(self.static(v, node, what) for v in (start, stop, step)))
            case Scalar(atom) if atom in self.origins:
                raise NeedStatic(self.origins[atom], node, what)
            case Scalar(Lit(v)):
                return v
            case _:
                self.refuse(
                    node,
                    f"{what} must be known when the function is compiled",
                    rewrite,
                    error=StaticValueError,
                )

    def static_int(self, value: Value, node: ast.AST, what: str) -> int:
        from pullback.errors import ArgumentTypeError

        v = self.static(value, node, what)
        if not isinstance(v, int):
            self.refuse(node, f"{what} must be an int, not {v!r}", error=ArgumentTypeError)
        return int(v)

    def truth(self, value: Value, node: ast.AST) -> bool | Atom:
        from pullback.frontend.interpret import objects

        return objects.truth(self, value, node)

    def never(
        self, exception: str, message: str, node: ast.AST, error: type[PullbackError]
    ) -> NoReturn:
        """What raises whenever it is reached. That is refused, unless a condition stands before it
        (also around the call of this function): then it is an error of the run, as in Python."""
        at_top = len(self.builders) <= self.frame.depth
        if at_top and all(f.depth <= g.depth + 1 for g, f in pairwise(self.frames[1:])):
            self.refuse(node, message, error=error)
        self.require(self.bool_atom(False), exception, message, node)
        signal = Unreachable()
        signal.refusal = error(message, "", self.site(node))
        raise signal

    def require(self, cond: Atom, exception: str, message: str, node: ast.AST) -> None:
        if isinstance(cond, Lit) and cond.value:
            return
        self.b.require(cond, exception, message, self.site(node))

    # --- operators --------------------------------------------------------------------------------

    def binop(self, op: str, left: Value, right: Value, node: ast.AST) -> Value:
        from pullback.frontend.interpret import operators

        return operators.binop(self, op, left, right, node)

    def unary(self, op: str, operand: Value, node: ast.AST) -> Value:
        from pullback.frontend.interpret import operators

        return operators.unary(self, op, operand, node)

    def compare(self, op: str, left: Value, right: Value, node: ast.AST) -> Value:
        from pullback.frontend.interpret import comparisons

        return comparisons.compare(self, op, left, right, node)

    def subscript(self, value: Value, index: Value, node: ast.AST) -> Value:
        from pullback.frontend.interpret import objects
        from pullback.frontend.memory import places

        made = objects.subscript(self, value, index, node)
        if value in self.frame.places:
            if objects.is_int(index) or isinstance(value, RecordV):
                places.note(self, value, index, made)
        return made

    def attribute(self, value: Value, name: str, node: ast.AST) -> Value:
        from pullback.frontend.interpret import attributes
        from pullback.frontend.memory import places

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
        from pullback.frontend.interpret import calls

        return calls.call(self, function, args, kwargs or {}, node)

    # --- blocks and control -----------------------------------------------------------------------

    @contextmanager
    def sealed(self) -> Iterator[None]:
        """What is run here may not change variables: no branch or loop carries them on."""
        frame = self.frame
        frame.sealed += 1
        try:
            yield
        finally:
            frame.sealed -= 1

    def block(self, fn: Callable[[], Sequence[Atom]]) -> Block:
        with self.building(Builder()) as b, self.sealed():
            try:
                return b.block(tuple(fn()))
            except Unresolved as e:
                e.in_loop = True
                raise
            except Unreachable as e:
                # There is no value to go on with, and no path beside this one.
                definition = self.frame.definition
                if e.refusal is None and definition is None:
                    raise
                site = self.site(definition.node) if definition is not None else None
                raise e.refusal or AlwaysRaises(ALWAYS_RAISES, site, b.block()) from None

    def branch(
        self,
        cond: bool | Atom,
        then: Callable[[], Value],
        orelse: Callable[[], Value],
        node: ast.AST,
    ) -> Value:
        from pullback.frontend.interpret.forks import fork_value

        if isinstance(cond, Lit):
            cond = bool(cond.value)
        if isinstance(cond, bool):
            return then() if cond else orelse()
        test: Atom = cond
        return fork_value(self, (then, orelse), lambda b: If(test, b[0], b[1]), node)

    def select(self, cond: bool | Atom, then: Value, orelse: Value, node: ast.AST) -> Value:
        if isinstance(cond, bool) or not (scalars.is_number(then) and scalars.is_number(orelse)):
            return self.branch(cond, lambda: then, lambda: orelse, node)
        from pullback.frontend.kinds.join import join
        from pullback.frontend.kinds.kinds import ScalarK

        kind = join(generalise(kind_of(then)), generalise(kind_of(orelse)))
        assert isinstance(kind, ScalarK)
        atoms = (self.convert(v, kind.type, node) for v in (then, orelse))
        return Scalar(self.b.prim("select", cond, *atoms), kind.py, kind.bits)

    def array(
        self, extents: Sequence[Atom], fn: Callable[[tuple[Atom, ...]], Atom], node: ast.AST
    ) -> ArrayV:
        indices = tuple(Var("i", I64) for _ in extents)
        body = self.block(lambda: (fn(indices),))
        t = Array(body.results[0].type, len(indices))
        (atom,) = self.b.let(Build(tuple(extents), indices, body), (t,), names=("a",))
        return self.fresh(atom, node)

    def sum(
        self, extents: Sequence[Atom], fn: Callable[[tuple[Atom, ...]], Atom], node: ast.AST
    ) -> Atom:
        indices = tuple(Var("i", I64) for _ in extents)
        body = self.block(lambda: (fn(indices),))
        types = (body.results[0].type,)
        (atom,) = self.b.let(Sum_(tuple(extents), indices, body), types, names=("s",))
        return atom

    def sequence(
        self, length: Atom, fn: Callable[[Atom], Value], node: ast.AST, parallel: bool = True
    ) -> ListV:
        return self.sequence_of(length, fn, node)

    def sequence_of(self, length: Atom, fn: Callable[[Atom], Value], node: ast.AST) -> ListV:
        """One Build; its results are the leaves of the item."""
        from pullback.frontend.interpret import iteration

        return iteration.sequence_of(self, length, fn, node)

    def check_captured_in_loop(self, item: Value, node: ast.AST) -> None:
        """A function made anew in every iteration sees, when it is called later, the last value of
        the variables of the loop: Python's meaning, and hardly ever the one intended."""
        from pullback.frontend.memory.ownership import owners_of

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
    ) -> list[Value]:
        from pullback.frontend.interpret import carry

        return carry.fold(self, items, init, step, node)

    def repeat(
        self,
        count: Atom,
        init: Sequence[Value],
        step: Callable[[Atom, Sequence[Value]], Sequence[Value]],
        node: ast.AST,
    ) -> list[Value]:
        from pullback.frontend.interpret import carry

        return carry.repeat(self, count, init, step, node)

    def while_loop(
        self,
        init: Sequence[Value],
        cond: Callable[[Sequence[Value]], Value],
        step: Callable[[Sequence[Value]], Sequence[Value]],
        node: ast.AST,
    ) -> list[Value]:
        from pullback.frontend.interpret import carry

        return carry.while_loop(self, init, cond, step, node)

    def iterate(self, value: Value, node: ast.AST) -> Items:
        from pullback.frontend.interpret import iteration

        return iteration.iterate(self, value, node)

    def length(self, value: Value, node: ast.AST) -> Value:
        from pullback.frontend.interpret import iteration

        return iteration.length(self, value, node)

    # --- data -------------------------------------------------------------------------------------

    def element(self, items: ListV, index: Atom, node: ast.AST, checked: bool = True) -> Value:
        from pullback.frontend.interpret import objects
        from pullback.frontend.memory import places

        made = objects.element(self, items, index, node, checked)
        places.note(self, items, index, made)
        return made

    def to_list(self, value: Value, node: ast.AST) -> ListV:
        from pullback.frontend.interpret import iteration

        return iteration.to_list(self, value, node)

    def copied(self, items: ListV) -> ListV:
        from pullback.frontend.kinds.coerce import copied

        return copied(self, items)

    def coerce_list(self, value: Value, kind: ListK, node: ast.AST) -> ListV:
        from pullback.frontend.kinds.coerce import coerce

        made = coerce(self, value, kind, node)
        assert isinstance(made, ListV)
        return made

    def case_closure(
        self, value: ClosureV | LambdaSetV, fn: Callable[[FunctionV], Value], node: ast.AST
    ) -> Value:
        from pullback.frontend.interpret.calls import case_closure

        return case_closure(self, value, fn, node)

    def fresh(self, atom: Atom, node: ast.AST) -> ArrayV:
        return ArrayV(atom, frozenset({Owner()}), True)

    def view(self, atom: Atom, of: ArrayV) -> ArrayV:
        return ArrayV(atom, of.owners, False)

    def kind(self, value: Value, node: ast.AST) -> Kind:
        """The kind of a value that is to be kept; iterators are refused."""
        try:
            return kind_of(value)
        except NoKindError as e:
            self.refuse(
                node,
                f"{self.describe(e.value)} can only be used where it is made",
                "make a list of it: [... for ...]",
            )

    def describe(self, value: Value) -> str:
        try:
            return describe(kind_of(value))
        except NoKindError:
            name = type(value).__name__.removesuffix("V").lower()
            return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"

    def bool_atom(self, value: bool | Atom) -> Atom:
        return Lit(value, BOOL) if isinstance(value, bool) else value


__all__ = ["ALWAYS_RAISES", "Frame", "Run", "static_kind"]
