"""The interface of the specialiser for handlers of library functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn, Protocol

if TYPE_CHECKING:
    from pullback.core.build import Builder
    from pullback.core.messages import Message, Raised
    from pullback.core.terms import Atom, Block, Site
    from pullback.core.types import Type
    from pullback.errors import PullbackError
    from pullback.frontend.kinds.values import ArrayV, Items, ListV, Scalar, Value, ViewStep

class Choice:
    """A yes or no that remembers whether anybody has asked for it."""

    def __init__(self, yes: bool) -> None:
        self.yes, self.asked = yes, False

    def __bool__(self) -> bool:
        self.asked = True
        return self.yes


class Specialiser(Protocol):
    """The methods of the specialiser that handlers may call; code goes into the current block.

    ``builders``: those of the block being built and of the blocks around it, the innermost last.
    ``assume_equal``: extents that meet in an elementwise operation are assumed to be equal, and a
    check is emitted; if one of them is 1 at run time, the check raises the ValueError for shapes
    that do not fit (``extents.NO_BROADCAST``), and the caller specialises again without the
    assumption. ``lapack``: linear algebra becomes primitives that LAPACK computes; otherwise the
    plain programs are compiled that define its meaning."""

    builders: list[Builder]
    assume_equal: Choice
    lapack: Choice

    @property
    def b(self) -> Builder:
        """The builder of the current block (it changes inside ``block``, ``branch``, ``build``)."""
        ...

    def site(self, node: ast.AST) -> Site: ...

    def refuse(
        self,
        node: ast.AST,
        reason: str,
        rewrite: str = "",
        error: type[PullbackError] | None = None,
    ) -> NoReturn:
        """Refuse the program at ``node`` (default error: UnsupportedError)."""
        ...

    # scalars and static values
    def scalar(self, value: Value, node: ast.AST) -> Scalar:
        """Return a number as a Scalar (a Static number becomes a literal atom); anything else is
        refused."""
        ...

    def operand_of_exception(self, value: Value, node: ast.AST) -> Value:
        """Return an argument of a caught exception as the number or array that it is, where that is
        known; any other value as it is."""
        ...

    def convert(self, value: Value, t: Type, node: ast.AST) -> Atom:
        """Return a scalar's atom converted to a scalar type (int -> real, bool -> int, ...)."""
        ...

    def static(
        self, value: Value, node: ast.AST, what: str, rewrite: str = ...
    ) -> object:
        """Return the compile-time value. If it is an int parameter that nothing changes, the
        function is specialised again with the parameter as a static value."""
        ...

    def static_int(self, value: Value, node: ast.AST, what: str) -> int: ...

    def truth(self, value: Value, node: ast.AST) -> bool | Atom:
        """Return Python's truth of a value: known at compile time, or a Bool atom."""
        ...

    def require(
        self, cond: Atom, exception: Raised, message: str | Message, node: ast.AST, *leaves: Atom
    ) -> None:
        """Raise the exception at run time where ``cond`` is false. ``leaves``: what the message
        shows."""
        ...

    def never(
        self, exception: str, message: str | Message, node: ast.AST, error: type[PullbackError],
        *leaves: Atom, rewrite: str = "", reason: str = "",
    ) -> NoReturn:  # fmt: skip
        """Compile an operation that raises whenever it is reached: at run time if a condition
        stands before it, else it is refused (for this reason, or the message)."""
        ...

    # operators with Python's meaning on any values (op as written: "+", "<=", "not", ...)
    def binop(self, op: str, left: Value, right: Value, node: ast.AST) -> Value: ...
    def unary(self, op: str, operand: Value, node: ast.AST) -> Value: ...
    def compare(self, op: str, left: Value, right: Value, node: ast.AST) -> Value: ...
    def subscript(self, value: Value, index: Value, node: ast.AST) -> Value: ...
    def attribute(self, value: Value, name: str, node: ast.AST) -> Value: ...

    def call(
        self,
        function: Value,
        args: Sequence[Value],
        node: ast.AST,
        kwargs: dict[str, Value] | None = None,
    ) -> Value:
        """Call any function value (user function, NumPy function, closure chosen at run time)."""
        ...

    # blocks, control
    def block(self, fn: Callable[[], Sequence[Atom]]) -> Block:
        """Run ``fn`` with a nested builder; its atoms are the results of the block."""
        ...

    def branch(
        self,
        cond: bool | Atom,
        then: Callable[[], Value],
        orelse: Callable[[], Value],
        node: ast.AST,
    ) -> Value:
        """Emit a branch of which only the chosen arm runs. Return the join of the two values (bool
        < int < float)."""
        ...

    def select(self, cond: bool | Atom, then: Value, orelse: Value, node: ast.AST) -> Value:
        """Emit the choice of two values that are both computed. Return their join."""
        ...

    def array(
        self, extents: Sequence[Atom], fn: Callable[[tuple[Atom, ...]], Atom], node: ast.AST
    ) -> ArrayV:
        """Return a fresh array ``Build(extents, i*, fn(i*))``; fn gives a scalar atom."""
        ...

    def sum(
        self, extents: Sequence[Atom], fn: Callable[[tuple[Atom, ...]], Atom], node: ast.AST
    ) -> Atom:
        """Return ``Sum_(extents, i*, fn(i*))``; fn gives a Real atom."""
        ...

    def sequence(self, length: Atom, fn: Callable[[Atom], Value], node: ast.AST) -> ListV:
        """Return the list ``[fn(0), ..., fn(length-1)]``: a Build with one array per leaf of the
        item."""
        ...

    def fold(
        self,
        items: Items,
        init: Sequence[Value],
        step: Callable[[Sequence[Value], Value], Sequence[Value]],
        node: ast.AST,
        stop: Callable[[Sequence[Value]], bool | Atom] | None = None,
    ) -> list[Value]:
        """Run ``state = step(state, item)`` over the items in order (a Loop, or unrolled), until
        ``stop(state)``; the kinds of the state are joined to a fixpoint."""
        ...

    def repeat(
        self,
        count: Atom,
        init: Sequence[Value],
        step: Callable[[Atom, Sequence[Value]], Sequence[Value]],
        node: ast.AST,
    ) -> list[Value]:
        """Run ``state = step(i, state)`` count times."""
        ...

    def while_loop(
        self,
        init: Sequence[Value],
        cond: Callable[[Sequence[Value]], Value],
        step: Callable[[Sequence[Value]], Sequence[Value]],
        node: ast.AST,
    ) -> list[Value]: ...

    def iterate(self, value: Value, node: ast.AST) -> Items:
        """Return the items of anything that ``for`` accepts; other values are refused
        (TypeError)."""
        ...

    def length(self, value: Value, node: ast.AST) -> Value:
        """Return ``len(value)``: a Static int or a small Python Scalar."""
        ...

    # data
    def element(self, items: ListV, index: Atom, node: ast.AST, checked: bool = True) -> Value: ...
    def to_list(self, value: Value, node: ast.AST) -> ListV:
        """Return a TupleV, range, array... as a ListV (its items are joined to one kind)."""
        ...

    def copied(self, items: ListV) -> ListV:
        """Return a new list of the same items."""
        ...

    def fresh(self, atom: Atom, node: ast.AST) -> ArrayV:
        """Return the array of an atom that was just created."""
        ...

    def view(self, atom: Atom, of: ArrayV, step: ViewStep | None = None) -> ArrayV:
        """Return an array that shares (or may share) the memory of another one; ``step``: it is
        this view of it, so an update of the view is one of the other array."""
        ...

    def describe(self, value: Value) -> str:
        """Return what a user calls the value's type: 'a float', 'an array of float64, rank 2',
        ..."""
        ...
