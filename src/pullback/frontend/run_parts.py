"""What the parts of a run may ask of each other: protocols, so that no part imports another."""

from __future__ import annotations

import ast
from collections.abc import Collection, Hashable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from pullback.core.terms import Atom, Var
from pullback.errors import PullbackError
from pullback.frontend.functions.lambda_sets import LambdaSet
from pullback.frontend.kinds.flatten import Ownership
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.kinds.values import Driven, FunctionV, GeneratorV, Value
from pullback.frontend.python.source import Definition
from pullback.frontend.state import Spec


class Specialisations(Protocol):
    """The table of the functions that are specialised for calls (``functions.Functions``)."""

    active: list[Spec]
    ordered: set[ast.AST]
    """The comprehensions, conditions of loops and calls of library functions of which it is known
    that they change variables around them, or call Python."""
    unrolled: set[ast.AST]
    """The loops over ranges of which it is known that they must be unrolled (``unrolling``)."""
    may_order: set[ast.AST]
    """The calls of library functions that have a text for this."""
    shown: int
    """The number of calls of Python, say to print, that have been compiled so far."""
    marks: list[object]
    """Each ``object()`` that a function makes."""
    mixing: set[Definition]
    """The functions in which numbers that decide branches cannot be known."""
    @property
    def recursive(self) -> Collection[Definition]: ...
    definitions: dict[str, Definition]
    makes_items: int | None
    """The number of frames at which the function of a ``map`` or ``filter`` is called."""

    def call(self, f: FunctionV, args: dict[str, Value], node: ast.AST) -> Value: ...
    def prepare(
        self, f: FunctionV, args: dict[str, Value], node: ast.AST
    ) -> tuple[Spec, list[Atom], list[Ownership]]: ...
    def result(self, spec: Spec, made: Sequence[Var], owners: list[Ownership]) -> Value: ...
    def set_at(self, place: Hashable, node: ast.AST) -> LambdaSet: ...
    def check_syntax(self, definition: Definition) -> None: ...
    def waits(self, refusal: PullbackError) -> bool: ...

    @property
    def incomplete(self) -> bool: ...


class NamedGenerators(Protocol):
    """The generators that variables hold, and the kinds of their items (``generators``)."""

    settling: tuple[ast.AST, frozenset[str]] | None
    met: bool

    def born(self, value: Value, node: ast.AST) -> Value: ...
    def in_a_place(self, value: Value) -> Value: ...
    def name(self, value: GeneratorV, key: object, node: ast.AST) -> Value: ...
    def begin(self, value: GeneratorV, node: ast.AST) -> None: ...
    def chosen(self, value: Value) -> None: ...
    def advance(self, value: GeneratorV) -> bool: ...
    def forgetting(self) -> AbstractContextManager[None]: ...
    def item_kind(self, items: Driven, node: ast.AST) -> Kind | None: ...


__all__ = ["NamedGenerators", "Specialisations"]
