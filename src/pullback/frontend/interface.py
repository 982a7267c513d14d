"""What the handlers of library functions may ask of the specialiser."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn, Protocol

if TYPE_CHECKING:
    from pullback.core.build import Builder
    from pullback.core.terms import Atom, Block, Site
    from pullback.core.types import Type
    from pullback.errors import PullbackError
    from pullback.frontend.kinds.values import ArrayV, Items, ListV, Scalar, Value

class Specialiser(Protocol):
    """What handlers may ask of the specialiser. Everything is emitted into the current block.

    ``builders``: of the block being built and those around it, the innermost last.
    ``assume_equal``: extents that meet in an elementwise operation are taken to be equal, which is
    checked; that one of them is 1 at run time raises the ValueError for shapes that do not fit
    (``extents.NO_BROADCAST``), and the caller specialises again without the assumption.
    ``lapack``: linear algebra becomes primitives that LAPACK does; else it is the plain programs
    that say what they mean."""

    builders: list[Builder]
    assume_equal: bool
    lapack: bool

    @property
    def b(self) -> Builder:
        """The builder of the current block (changes inside ``block``, ``branch``, ``build``)."""
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
        """A number as a Scalar (a Static number becomes a literal atom); else refused."""
        ...

    def convert(self, value: Value, type: Type, node: ast.AST) -> Atom:
        """A scalar's atom converted to a scalar type (int -> real, bool -> int, ...)."""
        ...

    def static(
        self, value: Value, node: ast.AST, what: str, rewrite: str = ...
    ) -> object:
        """The compile-time value; an unchanged int parameter is made static by respecialising."""
        ...

    def static_int(self, value: Value, node: ast.AST, what: str) -> int: ...

    def truth(self, value: Value, node: ast.AST) -> bool | Atom:
        """Python's truth of a value: known now, or a Bool atom."""
        ...

    def require(self, cond: Atom, exception: str, message: str, node: ast.AST) -> None:
        """Raise the builtin exception at run time where ``cond`` is false."""
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
        """Lazy conditional; the two values are joined (bool < int < float)."""
        ...

    def select(self, cond: bool | Atom, then: Value, orelse: Value, node: ast.AST) -> Value:
        """``branch`` of two values that are already there (still joined)."""
        ...

    def array(
        self, extents: Sequence[Atom], fn: Callable[[tuple[Atom, ...]], Atom], node: ast.AST
    ) -> ArrayV:
        """A fresh array ``Build(extents, i*, fn(i*))``; fn gives a scalar atom."""
        ...

    def sum(
        self, extents: Sequence[Atom], fn: Callable[[tuple[Atom, ...]], Atom], node: ast.AST
    ) -> Atom:
        """``Sum_(extents, i*, fn(i*))``; fn gives a Real atom."""
        ...

    def sequence(
        self, length: Atom, fn: Callable[[Atom], Value], node: ast.AST, parallel: bool = True
    ) -> ListV:
        """The list ``[fn(0), ..., fn(length-1)]``: a Build with one array per leaf of the item."""
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
        """``state = step(i, state)`` count times."""
        ...

    def while_loop(
        self,
        init: Sequence[Value],
        cond: Callable[[Sequence[Value]], Value],
        step: Callable[[Sequence[Value]], Sequence[Value]],
        node: ast.AST,
    ) -> list[Value]: ...

    def iterate(self, value: Value, node: ast.AST) -> Items:
        """The items of anything that ``for`` accepts; else refused (TypeError)."""
        ...

    def length(self, value: Value, node: ast.AST) -> Value:
        """``len(value)``: a Static int or a small Python Scalar."""
        ...

    # data
    def element(self, items: ListV, index: Atom, node: ast.AST, checked: bool = True) -> Value: ...
    def to_list(self, value: Value, node: ast.AST) -> ListV:
        """A TupleV, range, array... as a ListV (items joined to one kind)."""
        ...

    def copied(self, items: ListV) -> ListV:
        """A new list of the same items."""
        ...

    def fresh(self, atom: Atom, node: ast.AST) -> ArrayV:
        """An array that was just created."""
        ...

    def view(self, atom: Atom, of: ArrayV) -> ArrayV:
        """An array that shares (or may share) the memory of another one."""
        ...

    def describe(self, value: Value) -> str:
        """What a user calls the value's type: 'a float', 'an array of float64, rank 2', ..."""
        ...
