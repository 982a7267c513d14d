"""The interface of the store, for the parts of the front end below it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Hashable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from pullback.core.terms import Atom
from pullback.frontend.functions.scopes import Scope
from pullback.frontend.kinds.values import FunctionV, ListV, Owner, PlaceV, RefV, Scalar, Value
from pullback.frontend.store.facts import Facts, Group

Step = Value | str
"""An index, or the name of a field."""


class Store(Protocol):
    """The objects of a run that may have several names (``columns.Columns``)."""

    facts: Facts
    given_away: list[Value]
    """The arguments of the call being made that the function may keep as its own."""

    def within(self, f: FunctionV) -> FunctionV:
        """Return a function as it is called here: it captures the columns."""

    def called(
        self, f: FunctionV, args: dict[str, Value]
    ) -> tuple[FunctionV, dict[str, Value]]:
        """Return a function that is called, with the columns around it (not one of the library that
        can have nothing to do with objects), and what it is told of the arguments that are given
        away."""

    def apart(
        self, f: FunctionV, args: dict[str, Value]
    ) -> tuple[FunctionV, dict[str, Value]]:
        """Return a function that is differentiated, and its arguments: with columns of its own, if
        it gets no reference."""

    def apart_next(self) -> AbstractContextManager[None]:
        """Let the function that is called next have columns of its own, if it gets no reference."""

    def begin(self, scope: Scope) -> None:
        """Give a function columns of its own."""

    def group(self, ref: RefV) -> Group:
        """Return the classes of which the objects in the region of an object are."""

    def classes(self, ref: RefV) -> tuple[type, ...]:
        """Return the classes that an object can be of."""

    def among(self, ref: RefV, classes: Collection[type]) -> RefV:
        """Return a reference to an object that is known to be of one of these classes."""

    def made(self, cls: type, node: ast.AST) -> RefV:
        """Return a new object, whose fields have no value yet."""

    def empty(self, cls: type, node: ast.AST) -> RefV:
        """Return a new object without attributes."""

    def known(self, cls: type, fields: dict[str, Value], node: ast.AST) -> RefV:
        """Return a new object with these fields."""

    @property
    def regions(self) -> list[Group]:
        """Return all regions."""

    def copied(
        self, ref: RefV, copy: Callable[[Value], Value] | None, node: ast.AST
    ) -> RefV:
        """Return a new object of the same class with the same fields, or with copies of those that
        have no references in them."""

    def new_memory(self, value: Value, cls: type, made_at: Hashable, node: ast.AST) -> RefV:
        """Return a reference to a list, dict or array that was made here, which may have several
        owners; it lies in the region of this place."""

    def region(self, variable: str) -> Group | None:
        """Return the region of lists, dicts or arrays whose column a variable is, if it is one."""

    def let_be_lists(self, place: PlaceV | None) -> None:
        """Begin anew with a region whose lists are of any length, if what is at this place is one
        of its lists of ints and floats, each of which has its type so far."""

    def are_in_regions(self, owners: frozenset[Owner]) -> bool:
        """Whether a list of these owners may be one of those that may have several owners."""

    def temporaries(self, args: Sequence[Value]) -> list[Value]:
        """Return the arguments that nobody else has: the new object may keep them as its own."""

    def item(self, ref: RefV, name: str, node: ast.AST) -> Value:
        """Return a field of an object that has it."""

    def is_row(self, items: ListV, index: Atom) -> bool:
        """Whether a list is a column, and an index a row that it has."""

    def is_set(self, ref: RefV, name: str, node: ast.AST) -> Atom:
        """Return whether an object has a field."""

    def tag(self, ref: RefV, node: ast.AST) -> Scalar:
        """Return the number of an object's class in its group."""

    def write(self, ref: RefV, name: str, value: Value, node: ast.AST) -> None:
        """Store a field of an object."""

    def clear(self, ref: RefV, name: str, node: ast.AST) -> None:
        """Let an object have a field no more."""

    def learn_each(self, group: Group, values: dict[str, Value], node: ast.AST) -> None:
        """Learn what several fields hold."""

    def place(
        self, ref: RefV, name: str, last: bool, put: bool, node: ast.AST
    ) -> tuple[str, list[Step]] | None:
        """Return the variable and the steps to a field that is updated in its place; None if it is
        stored by ``write`` (it is the ``last`` step), or may be something else."""

    def bound(self, ref: RefV) -> str:
        """Return a name that holds a reference, for what is stored by ``write`` or a method."""

    def check(self, name: str, made: Value, node: ast.AST) -> None:
        """Learn from a column what has been put into a list or dict in it."""


__all__ = ["Store"]
