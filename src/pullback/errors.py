"""All errors that Pullback raises, as data, and the function that renders them.

A refusal says where (file, line, a caret under the user's own source), why, and what to write
instead. Each class is also the built-in exception that a Python user expects, so code which
catches ``TypeError`` or ``NotImplementedError`` keeps working.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Sequence
from typing import Any

from pullback.core.terms import Site


class PullbackError(Exception):
    """The base of all errors that Pullback itself raises, with the line in the user's source.

    Each class of them is also the built-in exception that fits, so ``except TypeError`` catches a
    value of the wrong type. Errors that the program raises are not among them: they stay
    themselves.

    Attributes:
        reason: what is wrong, in one sentence.
        rewrite: what to write instead; may be empty.
        site: the place in the user's source; ``None`` where the error is about a call.
        others: the other refusals of the same function.

    Example:
        >>> import pullback as pb
        >>> try:
        ...     pb.grad(abs)(1)
        ... except pb.PullbackError as error:
        ...     error.reason
        'argument 0 is an int: it has no real number to differentiate by'
    """

    title = "error"
    advice = "Instead"
    makes_objects = False
    """Whether the function makes objects that may have several names."""
    shares = False
    """Whether all that is wrong is that an object would need several names here."""
    grows = False
    """Whether all that is wrong is that tuples have tuples in them as deep as the run goes."""
    of_tuples = False
    """Whether it may be that tuples with tags do not meet, or that tuples grow."""
    iterates = False
    """Whether all that is wrong is that the result is an iterator."""

    def __init__(self, reason: str, rewrite: str = "", site: Site | None = None) -> None:
        self.reason = reason
        self.rewrite = rewrite
        self.site = site
        self.others: tuple[PullbackError, ...] = ()
        super().__init__(render(self.title, reason, rewrite, site, self.advice))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args), dict(vars(self))

    def also(self, others: Sequence[PullbackError]) -> None:
        """Show other problems of the same function behind this one."""
        self.others = tuple(others)
        errors = (self, *self.others)
        texts = [render(e.title, e.reason, e.rewrite, e.site, e.advice) for e in errors]
        self.args = ("\n\n".join(texts),)


    def elsewhere(self, reason: str, rewrite: str, site: Site | None) -> PullbackError:
        """Return the same refusal in other words, shown at another place."""
        return type(self)(reason, rewrite, site)


def _again(cls: type[PullbackError], args: tuple[Any, ...]) -> PullbackError:
    """Return an error with this text, which is complete."""
    return cls.__new__(cls, *args)


class UnsupportedError(PullbackError, NotImplementedError):
    """A construct outside the language that Pullback compiles.

    It is also a ``NotImplementedError``, and has the attributes of ``PullbackError``.

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> try:
        ...     pb.jit(np.packbits)(np.ones(2))
        ... except pb.UnsupportedError as error:
        ...     error.reason
        'numpy.packbits is not supported inside compiled code'
    """

    title = "not supported"


class IdentityError(UnsupportedError):
    """A comparison by ``is`` of values whose identity compiled code does not have.

    Broken: ``(1.0, x) is t``. Mended: ``(1.0, x) == t``."""


class StructureError(UnsupportedError):
    """Data whose form only the run knows where structures of known form are compiled.

    Broken: ``pb.jit(lambda xs: pb.jacrev(f)(xs))`` of a list. Mended: ``pb.jacrev(f)(xs)``."""


class ArgumentTypeError(PullbackError, TypeError):
    """A value of a type that does not fit where it is used.

    Broken: ``pb.grad(f)("text")``, ``x + None``. Mended: pass a float or an array of floats."""

    title = "type error"


class ArgumentValueError(PullbackError, ValueError):
    """A value of the right type that cannot be used, as far as known before running.

    Broken: ``np.sum(a, axis=1)`` with a of rank 1. Mended: ``axis=0``."""

    title = "value error"


class IntRangeError(PullbackError, OverflowError):
    """An int in an argument that has more than 64 bits.

    Broken: ``pb.jit(f)(2**70)``. Mended: a float."""

    title = "overflow error"


class StaticIndexError(PullbackError, IndexError):
    """An index known to be out of range.

    Broken: ``(1.0, 2.0)[2]``."""

    title = "index error"


class StaticKeyError(PullbackError, KeyError):
    """A key that a dict is known not to have.

    Broken: ``{"a": 1.0}["b"]``."""

    title = "key error"

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0])


class UnknownNameError(PullbackError, NameError):
    """A name that is bound nowhere, or on no path that leads to where it is used.

    Broken: ``return y`` without any ``y``. Mended: define it, or make it a parameter."""

    title = "name error"


class UnknownAttributeError(PullbackError, AttributeError):
    """An attribute that the value does not have.

    Broken: ``x.foo`` with x an array."""

    title = "attribute error"


class MutationError(UnsupportedError):
    """An update of something that is visible outside the function, or through another name.

    Broken: ``def f(a): a[0] = 1.0``. Mended: ``a = a.copy()`` first."""

    title = "update refused"
    updated: object = None
    """What is updated, as the front end knows it."""
    arguments: tuple[int, ...] = ()
    """The positions of the arguments of the call that are updated."""
    captured: tuple[str, object] | None = None
    """A variable around the function that is changed, and the globals of who changes it."""
    by_two_names = False
    """Whether all that is wrong is that the function has two names for what it updates."""
    attribute: object = None
    """An attribute of a class or module that is assigned (``frontend.python.paths``)."""

    def elsewhere(self, reason: str, rewrite: str, site: Site | None) -> MutationError:
        made = type(self)(reason, rewrite, site)
        made.updated, made.arguments = self.updated, self.arguments
        made.captured, made.attribute = self.captured, self.attribute
        return made


class TypesDoNotMeetError(ArgumentTypeError):
    """Two paths give a name, or a result, values that have no common type.

    Broken: ``return x if c else (x, x)``. Mended: the same kind of value on both paths."""

    title = "types do not meet"


class StaticValueError(UnsupportedError):
    """A value that must be known when the function is compiled, and is not.

    Broken: ``np.sum(a, axis=k)`` with k computed from data. Mended: a literal or a parameter."""

    title = "must be known beforehand"


class SourceError(PullbackError, OSError):
    """The source text of a function cannot be found.

    Broken: a function typed at the interactive prompt. Mended: put it into a file."""

    title = "no source"


class EndlessError(PullbackError, RecursionError):
    """A recursion without a base case, or one whose types grow without end.

    Broken: ``def f(x): return f(x) + 1.0``."""

    title = "endless recursion"


class NonFiniteError(PullbackError, FloatingPointError):
    """A NaN or infinity in a result, with the line where it arises: ``pb.config.debug_nans``.

    Broken: ``np.log(x)`` at -1.0. Mended: ``np.log(np.maximum(x, 1e-12))``."""

    title = "not finite"


class InternalError(PullbackError, RuntimeError):
    """A mistake of Pullback, noticed by itself; it is also a ``RuntimeError``.

    ``site`` is the place of the program at which the compiler stood, and the message says what to
    send. The cause is the exception that it stumbled over, cut short.

    Example:
        >>> import pullback as pb
        >>> issubclass(pb.InternalError, (pb.PullbackError, RuntimeError))
        True
    """

    title = "internal error"
    advice = "Please report it"


MOST_SHOWN = 60
"""So many characters of a value are shown in a message."""


def brief(value: object) -> str:
    """Return what a message shows of a value of the program, on one short line: it may be a table
    of a thousand rows, and no method of a user's class is called for it.

    >>> brief(1.5), brief("text"), brief(object())
    ('1.5', "'text'", 'an object')
    >>> brief(list(range(1000)))
    '[0, 1, 2, 3, 4, 5, 6, 7, ... of 1000 items]'
    """
    if getattr(getattr(value, "dtype", None), "kind", "") == "O":
        return "an array of None"
    cls = type(value)
    if cls in (tuple, list) and isinstance(value, tuple | list):
        shown = ", ".join(map(brief, value[:MOST_ITEMS]))
        more = f", ... of {len(value)} items" if len(value) > MOST_ITEMS else ""
        alone = "," if cls is tuple and len(value) == 1 else ""
        return f"({shown}{alone}{more})" if cls is tuple else f"[{shown}{more}]"
    shows = next(c for c in cls.__mro__ if "__repr__" in vars(c))
    if shows is object or shows.__module__.partition(".")[0] not in _PLAIN or cls in _TABLES:
        return f"{'an' if cls.__name__[0].lower() in 'aeiou' else 'a'} {cls.__name__}"
    text = re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(value).split()))
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def known_as(cls: type, wanted: Sequence[type]) -> str:
    """Return what a message calls an object of a class that does not fit where others are wanted,
    which may have its name."""
    called = f"a {cls.__name__}"
    if cls in wanted:
        return f"{called} with other attributes, or values of other types in them,"
    if any(other.__name__ == cls.__name__ for other in wanted):
        return f"{called} of another class of this name (was it defined again?)"
    return called


def first_keys(keys: Sequence[object]) -> str:
    """Return what a message shows of the keys of a dict."""
    shown = ", ".join(map(repr, keys[:MOST_ITEMS])) or "(none)"
    return shown + (f", ... ({len(keys)} keys)" if len(keys) > MOST_ITEMS else "")


MOST_ITEMS = 8
"""So many items, or keys, are shown of a list, a tuple or a dict."""
_PLAIN = frozenset({"builtins", "datetime", "decimal", "enum", "fractions", "functools", "numpy",
                    "pathlib", "types"})  # fmt: skip
"""The modules whose classes are shown by their own ``__repr__``."""
_TABLES = frozenset({dict, set, frozenset})
"""What may hold anything."""


def source_line(file: str, line: int) -> str:
    """Return a line of the user's source, without its line end ('' if it cannot be found)."""
    return linecache.getline(file, line).rstrip("\n")


def caret_line(text: str, col: int, end_col: int) -> str:
    """Return carets under columns col..end_col of ``text``; tabs are kept so that they line up."""
    end = max(end_col, col + 1)
    pad = "".join("\t" if c == "\t" else " " for c in text[:col])
    return pad + "^" * (min(end, max(len(text), col + 1)) - col)


def excerpt(site: Site) -> str:
    """Return file, line and column (from 1), and the source line with carets."""
    head = f"  {site.file}:{site.line}:{site.col + 1}, in {site.function}"
    text = source_line(site.file, site.line)
    if not text.strip():
        return head
    end = site.end_col if site.end_line == site.line else len(text)
    indent = len(text) - len(text.lstrip())
    carets = caret_line(text, site.col, end)
    return f"{head}\n    {text[indent:]}\n    {carets[indent:]}"


def render(
    title: str, reason: str, rewrite: str, site: Site | None, advice: str = "Instead"
) -> str:
    """Return the text of an error: where, what, why, and what to write instead."""
    parts = [f"{title}: {reason}"]
    if site is not None:
        parts.append(excerpt(site))
    if rewrite:
        parts.append(f"  {advice}: {rewrite}")
    return "\n".join(parts)


def at_site(error: BaseException, site: Site | None) -> BaseException:
    """Return an exception raised by compiled code, with a note that shows the user's line."""
    if site is not None:
        error.add_note("raised by compiled code at\n" + excerpt(site))
    return error
