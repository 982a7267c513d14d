"""What is done to an exception between the call that makes it and its ``raise``: attributes that
are assigned, and notes. Python's object gets them, and where the program keeps what its exceptions
are made of (``payloads``), so does the row."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.frontend.interpret import made_texts, payloads
from pullback.frontend.interpret.messages import Recorder
from pullback.frontend.kinds.values import CaughtV, Scalar, Static, SymbolV, TupleV, Value
from pullback.frontend.library.text.raised import Raised
from pullback.frontend.python.raised_classes import plain_class

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def made_here(cls: type[Exception], number: Atom, row: Atom | None) -> CaughtV:
    """Return the value of an exception that is made of a known class. Its attributes may be
    assigned where they are plain."""
    plain = plain_class(cls)
    own = "__setattr__" in {n for c in cls.__mro__ if c.__module__ != "builtins" for n in vars(c)}
    known = None if plain is Raised or own else plain
    return CaughtV(number, made=known, row=i64(-1) if row is None else row)


def assign(run: Run, value: Value | None, name: str, new: Value, node: ast.AST) -> bool:
    """Compile ``error.name = new``. Return False if that cannot be done."""
    if not isinstance(value, CaughtV) or value.steps:
        return False
    cls, recorder = value.made, Recorder(run, node)
    if cls is None or hasattr(Exception, name) or hasattr(cls, name) or name.startswith("__"):
        return False
    if not _is_fixed(new) or recorder.value(new) is None:
        return False
    made_texts.of_python(run, partial(_assigned, name), (value, new), node, int)
    if payloads.are_kept(run):
        assert value.row is not None
        run.rows.write(payloads.row_in_columns(run, value.row), name, new, node)
    return True


def _is_fixed(value: Value) -> bool:
    """Whether nobody can change what a value is."""
    if isinstance(value, TupleV):
        return not value.is_list and all(map(_is_fixed, value.items))
    known = value.value if isinstance(value, Static) else None
    return isinstance(value, (Scalar, SymbolV)) or (
        isinstance(value, Static) and (known is None or isinstance(known, (int, float, str)))
    )


def add_note(run: Run, value: CaughtV, args: Sequence[Value], node: ast.AST) -> Value:
    """Compile ``error.add_note(text)``."""
    made_texts.of_python(run, _noted, (value, *args), node, int)
    return Static(None)


def _assigned(name: str, exception: object, value: object) -> int:
    setattr(exception, name, value)
    return 0


def _noted(exception: BaseException, *text: str) -> int:
    exception.add_note(*text)
    return 0


__all__ = ["add_note", "assign", "made_here"]
