"""One specialisation: the state that all of the front end works on, and the interface of its parts.

``Run`` is the interface of the abstract interpreter: the parts of the front end call each other
through it, so none of them imports a part that stands above it. ``interpreter.Interpreter`` is the
class of the objects.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from typing import NoReturn

from pullback.core.build import Builder
from pullback.core.messages import Message, Raised
from pullback.core.prims_discrete import EXCEPTIONS
from pullback.core.quiet import Functions, quiet_lets
from pullback.core.terms import Atom, Block, Build, Function, Let, Lit, Site, Sum_, Var
from pullback.core.types import BOOL, I64, Array, Decl
from pullback.errors import (
    ArgumentTypeError,
    PullbackError,
    StaticValueError,
    UnsupportedError,
    brief,
)
from pullback.frontend.functions import noted
from pullback.frontend.functions.caught_functions import CaughtFunctions
from pullback.frontend.functions.clauses import Clauses
from pullback.frontend.functions.lambda_sets import LambdaSet, LambdaSets
from pullback.frontend.functions.scopes import Scope
from pullback.frontend.interface import Choice, Specialiser
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.flatten import NoKindError, kind_of
from pullback.frontend.kinds.kinds import HashK, Kind, ListK, declared_in
from pullback.frontend.kinds.values import (
    ArrayV,
    CaughtV,
    ClosureV,
    Driven,
    FunctionV,
    HashV,
    LambdaSetV,
    ListV,
    OptionalV,
    Owner,
    RecordV,
    RefV,
    Scalar,
    SliceV,
    Static,
    SuperV,
    TupleV,
    UnionV,
    Value,
    ViewStep,
)
from pullback.frontend.problems import Problems
from pullback.frontend.python.python_values import PythonValues
from pullback.frontend.python.records import Union
from pullback.frontend.python.source import Definition, site_of
from pullback.frontend.run_parts import NamedGenerators, Specialisations
from pullback.frontend.signals import NeedStatic, Unreachable, always_raises
from pullback.frontend.state import ByNodes, Flow, Frame, KnownLoops

ALWAYS_RAISES = "an expression here raises an error whenever it is evaluated"


class Run(PythonValues, Specialiser):
    """The specialiser of one entry function for one tuple of argument kinds."""

    def __init__(self, lambda_sets: LambdaSets) -> None:
        super().__init__()
        self.calls: Specialisations
        self.lambda_sets = lambda_sets
        self.builders: list[Builder] = []
        self.boxed: dict[tuple[RecordV, Union], tuple[Builder, UnionV]] = {}
        """For a record that was put into a union, its node and the builder that made the node."""
        self.constructed: dict[type, None] = {}
        self.refused_with: list[dict[str, Value]] = []
        """What the names of the functions being run held where the program was refused."""
        """The classes whose objects the program makes and may update."""
        self.new_memory: dict[tuple[Hashable, type], None] = {}
        """What makes lists, dicts and arrays that may get several owners, with their class."""
        self.copies = False
        """Whether there are copies of what the function gets and updates (``own_copies``)."""
        self.followed: set[ast.AST] = set()
        """The loops over lists with several owners that change meanwhile."""
        self.follows: Frame | None = None
        """The frame in which what is evaluated is gone through by a loop that changes it."""
        self.reads: set[ast.AST] = set()
        """The calls of functions of the library that only read their arguments."""
        self.made: dict[RecordV, Builder] = {}
        """For a record, the builder in which it was made."""
        self.arms: dict[Builder, object] = {}
        """For the builder of an arm of a branch, the branch: code in it runs at most once."""
        self.generators: NamedGenerators
        self.known_loops = KnownLoops()
        self.parts: set[ListV] = set()
        """The results of slices of lists, which are still views."""
        self.put_into: set[str] = set()
        self.assigned: set[str] = set()  # the same, also of numbers, and of what methods do
        """The attributes into which objects have been put (``memory.updates``: also items)."""
        self.as_numbers: set[Owner] = set()
        """The arrays without axes that have met numbers."""
        self.splits: set[str] = set()
        """The functions in which one record may have become several nodes."""
        self.homes: dict[RecordV, Union] = {}
        """For a record, the union into which it was put first."""
        self.several: set[str] = set()
        """The functions in which one record became nodes of several unions."""
        self.rules: dict[object, object] = {}
        """The functions of Core for calls with a rule (``derivatives.rules``), by kinds."""
        self.shared: dict[object, str] = {}
        """The functions of Core for updates of hash tables, by kinds."""
        self.by_nodes: list[ByNodes] = []
        """The derivatives by nodes inside the program; they depend on which nodes are one."""
        self.assume_equal = Choice(False)
        self.lapack = Choice(True)
        self.frames: list[Frame] = []
        self.pending: list[Value] = []  # used when the rest of an expression is there
        self.functions: dict[str, Function] = Functions()
        self.caught = CaughtFunctions(self.functions)
        self.trying: Clauses | None = None  # what catches the exceptions of this statement
        self.loses = False
        """Whether the function changes something that is seen outside where it raises only."""
        self.texts_of_floats: ast.AST | None = None  # where one is made of floats, or of what an
        self.floats_of_texts: Site | None = None  # exception says; and where one is made a float
        self.decls: dict[str, Decl] = {}
        self.origins: dict[Atom, tuple[object, str]] = {}
        self.problems: Problems | None = None  # if it is set, refusals are collected here

    @property
    def incomplete(self) -> bool:
        return self.calls.incomplete

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
        self, node: ast.AST, reason: str, rewrite: str = "",
        error: type[PullbackError] | None = None,
    ) -> NoReturn:  # fmt: skip
        definition = self.frame.definition
        module = None if definition is None else definition.globals.get("__name__")
        own = module == "pullback.call.callee"
        if self.store is None:
            self.refused_with = [f.scope.names for f in self.frames]
        raise (error or UnsupportedError)(reason, rewrite, None if own else self.site(node))

    @contextmanager
    def building(self, builder: Builder) -> Iterator[Builder]:
        self.builders.append(builder)
        builder.noted = self._note
        try:
            yield builder
        finally:
            self.builders.pop()
            if builder not in self.builders:
                builder.noted = None  # it may live longer than this run

    def _note(self, let: Let) -> None:
        if self.frames:
            noted.note(self.frame, let)
            if self.frame.kept:
                self.keeps(let)

    def outlasts(self, name: str) -> bool:
        """Whether a variable has its value on where nothing reads it: it is one of a function
        around, or has an iterator that is to be left."""
        return name in self.scope.borrowed or name in self.frame.kept

    @abstractmethod
    def keeps(self, let: Let) -> None:
        """Note an op where it may raise while variables hold iterators that are to be left."""

    @contextmanager
    def scratch(self) -> Iterator[Builder]:
        """Open a builder whose code may be thrown away; but if it always raises, it stays in the
        program."""
        with self.building(Builder()) as builder:
            try:
                yield builder
            except Unreachable:
                self.builders[-2].extend(builder.block())
                raise

    @contextmanager
    def holding(self, *values: Value) -> Iterator[None]:
        """Keep values that an expression uses after the part that is being evaluated."""
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
        """Replace a declaration by its present form: lambda sets grow."""
        self.decls[declared.name] = declared.decl()

    def declare_kind(self, kind: Kind) -> None:
        for declared in declared_in(kind):
            self.declare(declared)

    # --- scalars and static values ----------------------------------------------------------------

    def static(
        self,
        value: Value,
        node: ast.AST,
        what: str,
        rewrite: str = "write a literal, or pass it as a parameter of its own",
    ) -> object:
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
        v = self.static(value, node, what)
        if isinstance(v, int):
            return int(v)
        self.refuse(node, f"{what} must be an int, not {brief(v)}", error=ArgumentTypeError)

    def never(
        self, exception: str, message: str | Message, node: ast.AST, error: type[PullbackError],
        *leaves: Atom, rewrite: str = "", reason: str = "",
    ) -> NoReturn:  # fmt: skip
        """Compile an operation that raises whenever it is reached. It is refused, unless a
        condition stands before it (also around the call of this function): then it raises.
        ``reason``: that of the refusal, if it is not the message."""
        at_top = len(self.builders) <= self.frame.depth and not self.has_flags
        at_top = at_top and all(f.depth <= g.depth + 1 for g, f in pairwise(self.frames[1:]))
        if at_top or exception not in EXCEPTIONS:  # others have more than a text
            self.refuse(node, reason or str(message), rewrite, error)
        self.require(self.bool_atom(False), exception, message, node, *leaves)
        signal = Unreachable()
        signal.refusal = error(reason or str(message), rewrite, self.site(node))
        raise signal

    def quietly(self, fn: Callable[[], Value]) -> Value:
        """Return what ``fn`` gives, which is run again here: it calls nothing of Python."""
        start, shown = len(self.b.lets), self.calls.shown
        value = fn()
        self.b.lets[start:] = quiet_lets(self.b.lets[start:])
        self.calls.shown = shown
        return value

    def require(
        self, cond: Atom, exception: Raised, message: str | Message, node: ast.AST, *leaves: Atom
    ) -> None:
        """Raise the exception here when ``cond`` is false. ``leaves``: what the message shows."""
        if not (isinstance(cond, Lit) and cond.value):
            self.b.require(cond, exception, message, self.site(node), leaves=leaves)

    # --- blocks and control -----------------------------------------------------------------------

    @contextmanager
    def sealed(self) -> Iterator[None]:
        """Run code that may not change variables, because no branch or loop carries them on."""
        frame = self.frame
        frame.sealed += 1
        try:
            yield
        finally:
            frame.sealed -= 1

    def block(self, fn: Callable[[], Sequence[Atom]], ends: bool = False) -> Block:
        """Return a block in which variables may not change, unless the program ``ends`` there."""
        with self.building(Builder()) as b, nullcontext() if ends else self.sealed():
            try:
                return b.block(tuple(fn()))
            except Unreachable as e:
                # It has no value, and there is no other path.
                definition = self.frame.definition
                if e.refusal is None and definition is None:
                    raise
                site = self.site(definition.node) if definition is not None else None
                refusal = e.refusal or UnsupportedError(ALWAYS_RAISES, "", site)
                raise always_raises(refusal, b.block()) from None

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

    # --- what the interpreter does: expressions, statements, names --------------------------------

    @abstractmethod
    def evaluate(self, node: ast.expr) -> Value:
        """Return the abstract value of an expression; its code is emitted into the current
        block."""

    @abstractmethod
    def evaluate_index(self, node: ast.expr) -> Value:
        """Return the value of the index in the brackets of a subscript."""

    @abstractmethod
    def test_of(self, node: ast.expr) -> bool | Atom:
        """Return the truth of a condition."""

    @abstractmethod
    def lookup(self, name: str, node: ast.AST) -> Value:
        """Return the value of a name: of this function, of those around it, global, or built in."""

    @abstractmethod
    def handed(self, value: Value, node: ast.AST) -> Value:
        """Return a value that is passed into or out of a function; if it is a generator, only the
        receiver may begin it."""

    @abstractmethod
    def drive(
        self,
        items: Driven,
        init: Sequence[Value],
        step: Callable[[Sequence[Value], Value], Sequence[Value]],
        stop: Callable[[Sequence[Value]], bool | Atom] | None,
        node: ast.AST,
    ) -> list[Value]:
        """Fold the items of a generator: its body runs, and every ``yield`` is a step."""

    @abstractmethod
    def execute(self, stmts: Sequence[ast.stmt]) -> Flow:
        """Run statements in order."""

    @abstractmethod
    def run_body(self, definition: Definition) -> Value:
        """Run the body of a function. Return its value (None if it ends without a return)."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        """Bind a target to a value."""

    # --- cases ------------------------------------------------------------------------------------

    @abstractmethod
    def case_value(
        self, value: UnionV | OptionalV | RefV, arm: Callable[[Value], Value], node: ast.AST
    ) -> Value:
        """Return the value of ``arm``, for each alternative that the value can be."""

    @abstractmethod
    def shared_attribute(self, value: RefV | SuperV, name: str, node: ast.AST) -> Value:
        """Return ``value.name`` of an object that may have several names (or its ``super()``)."""

    @abstractmethod
    def of_exception(self, value: CaughtV, name: str, node: ast.AST) -> Value | None:
        """Return ``value.name`` of an exception that was caught; None if Python has it."""

    @abstractmethod
    def case_closure(
        self, value: ClosureV | LambdaSetV, fn: Callable[[FunctionV], Value], node: ast.AST
    ) -> Value:
        """Return the value of ``fn``, for each function that the value can be."""

    @abstractmethod
    def is_instance(self, value: Value, classes: tuple[type, ...], node: ast.AST) -> Value:
        """Return ``isinstance(value, classes)`` as a value."""

    # --- data -------------------------------------------------------------------------------------

    @abstractmethod
    def hash_table(self, d: RecordV, kind: HashK, node: ast.AST) -> HashV:
        """Return a dict with known keys as a hash table of this kind."""

    @abstractmethod
    def coerce_list(self, value: Value, kind: ListK, node: ast.AST) -> ListV:
        """Return the value as a list of this kind."""

    @abstractmethod
    def check_captured_in_loop(self, item: Value, node: ast.AST) -> None:
        """Refuse a function in a list that captures the variable of the loop around it."""

    def fresh(self, atom: Atom, node: ast.AST) -> ArrayV:
        return ArrayV(atom, frozenset({Owner()}), True)

    @abstractmethod
    def view(self, atom: Atom, of: ArrayV, step: ViewStep | None = None) -> ArrayV:
        """Return an array that shares the memory of another one."""

    def kind(self, value: Value, node: ast.AST) -> Kind:
        """Return the kind of a value that is to be kept; iterators are refused."""
        try:
            return kind_of(value)
        except NoKindError as e:
            raise self.not_kept(e.value, node) from None

    def not_kept(self, value: Value, node: ast.AST) -> PullbackError:
        """Return the refusal to keep a value that exists only while an expression is evaluated."""
        self.generators.chosen(value)
        reason = f"{self.describe(value)} can only be used where it is made"
        return UnsupportedError(reason, "make a list of it: [... for ...]", self.site(node))

    def describe(self, value: Value) -> str:
        try:
            return describe(kind_of(value))
        except NoKindError:
            name = type(value).__name__.removesuffix("V").lower()
            return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"

    def bool_atom(self, value: bool | Atom) -> Atom:
        return Lit(value, BOOL) if isinstance(value, bool) else value
