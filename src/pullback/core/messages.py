"""The message of an exception of the program, as data: a tree over values of the run.

    part ::= Constant(value) | Leaf(k) | Applied(function, part*)

``Leaf(k)`` is the k-th number or array that the run records beside the error. When the exception is
built, Python itself does the rest: it builds the tuples and records again, formats them, and calls
the class of the exception. So a text is the one that Python would write, whatever the format.

>>> from operator import mod
>>> pair = Applied(lambda *xs: xs, (Leaf(0), Leaf(1)))
>>> Applied(mod, (Constant("%d of %.1f"), pair)).value((3, 2.5))
'3 of 2.5'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from pullback.core.frozen import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A value that is known when the program is compiled."""

    known: object

    def value(self, leaves: Sequence[object]) -> object:
        """The value itself."""
        return self.known


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """One of the recorded numbers and arrays."""

    position: int

    def value(self, leaves: Sequence[object]) -> object:
        """The recorded number or array."""
        return leaves[self.position]


def chosen(there: object, value: object, other: object) -> object:
    """The first of two parts where a condition is true, else the second one."""
    return value if there else other


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """The result of a Python function on some parts."""

    function: Callable[..., object]
    parts: tuple[Part, ...]

    def value(self, leaves: Sequence[object]) -> object:
        """The result of the function; of a choice, of which the other part may be no value."""
        if self.function is chosen:
            there, value, other = self.parts
            return (value if there.value(leaves) else other).value(leaves)
        return self.function(*[p.value(leaves) for p in self.parts])


Part = Constant | Leaf | Applied

Raised = str | type[Exception]
"""What is raised: a built-in exception by its name, a class of the user's itself."""


class Limit(str):
    """The name of a built-in exception that Python would not raise there: compiled code has less
    than Python, say ints of 64 bits. So no clause of the program catches it."""


class RaisedName(str):
    """The name of a class of the user's, with the class, where constants are texts."""

    raised: type[Exception]

    def __new__(cls, raised: type[Exception]) -> RaisedName:
        made = super().__new__(cls, exception_text(raised))
        made.raised = raised
        return made


def exception_text(kind: Raised) -> str:
    """The name of what is raised."""
    return kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"


PLACE = "pullback_site"
"""The attribute of an exception of a program that has its place, where the traceback has none."""

MOST_WORDS = 64
"""The number of machine values that can be recorded for an error, or for one call of Python."""


class SourceText:
    """The source text of an expression, in the place of a value that a message cannot show."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return "{" + self.text + "}"

    def __format__(self, form: str) -> str:
        return repr(self)


def of_key(key: object) -> Message:
    """The message of a KeyError for a key that is known, which is the exception's argument."""
    return Message((Constant(key),), 0, repr(key))


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """The arguments of an exception, by position and then by ``names``, and its cause (``None``: it
    has none). ``leaves``: the numbers or arrays that are recorded for it; ``plain``:
    the text to use if they are not. ``gives``: what Python is called for gives a whole number."""

    parts: tuple[Part, ...]
    leaves: int
    plain: str
    names: tuple[str, ...] = ()
    cause: Part | None = None
    gives: bool = False

    def exception(self, cls: type[Exception], leaves: Sequence[object]) -> Exception:
        """The exception, as Python would make it."""
        values = [p.value(leaves) for p in self.parts]
        count = len(values) - len(self.names)
        made = cls(*values[:count], **dict(zip(self.names, values[count:], strict=True)))
        if self.cause is not None:
            cause = self.cause.value(leaves)
            assert cause is None or isinstance(cause, BaseException)
            made.__cause__ = cause
        return made

    def show(self, leaves: Sequence[object]) -> object:
        """Do what the one part says, unless it is to be left out (``silent``)."""
        left_out = _silent.get()
        if left_out is None or self.gives:
            try:
                return self.parts[0].value(leaves)
            except Exception as error:  # a format that does not fit, a warning that is an error
                vars(error)[PLACE] = None
                raise
        left_out.append(self)
        return None

    def __str__(self) -> str:
        return self.plain


_silent: ContextVar[list[Message] | None] = ContextVar("pullback_silent", default=None)


@contextmanager
def silent() -> Iterator[list[Message]]:
    """Let programs show nothing, since they show it in another run. The list has what is left
    out."""
    left_out: list[Message] = []
    token = _silent.set(left_out)
    try:
        yield left_out
    finally:
        _silent.reset(token)


def plain_exception(cls: type[Exception], text: str) -> Exception:
    """An exception of which only a text is known (none: an empty one), whatever its constructor."""
    args = (text,) if text else ()
    try:
        return cls(*args)
    except Exception:
        return cls.__new__(cls, *args)
