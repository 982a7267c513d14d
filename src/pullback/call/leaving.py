"""Exceptions on their way out, as the user shall see them.

Only three kinds may leave: refusals of this package, exceptions of the program that was compiled,
and those of the user's own code that ran meanwhile (a ``__repr__``, a property). Whatever else is
raised is a mistake of this package and becomes an ``InternalError`` (``internal``). The frames of
this package say nothing to a user and are taken out of the traceback.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from pullback.call.entries import chained, frames, is_own, wants_all
from pullback.core.held import PLACE, is_place
from pullback.core.later import Later
from pullback.errors import PullbackError

if TYPE_CHECKING:
    from pullback.call import internal
else:
    internal = Later("pullback.call.internal")

P = ParamSpec("P")
R = TypeVar("R")
E = TypeVar("E", bound=Exception)

def on_purpose(error: E) -> E:
    """Return an exception of Python's own that a public call raises, and that its docstring
    names."""
    vars(error)[PLACE] = None
    return error


@contextmanager
def writing() -> Iterator[None]:
    """Files and texts are written where the user says: an error of the system is his, and leaves as
    it is."""
    try:
        yield
    except OSError as error:
        raise on_purpose(error)  # noqa: B904  # it is the same one


def leaving(error: Exception, f: object = None) -> Exception:
    """What leaves a public call in which ``error`` was raised; ``f``: the function that the call
    was given."""
    beside = error.__cause__
    if isinstance(error, SystemError) and type(beside).__module__.startswith("scipy."):
        assert isinstance(beside, Exception)
        return beside  # C code of SciPy has set it beside a result
    if not isinstance(error, (PullbackError, MemoryError)) and not internal.is_of_program(error, f):
        return internal.internal_error(error, f)
    if wants_all():
        return error
    if isinstance(error, PullbackError):
        error.__suppress_context__ = True
    entries = list(frames(error.__traceback__))
    return error.with_traceback(chained([e for e in entries if not _hidden(e)]))


def _hidden(entry: TracebackType) -> bool:
    code = entry.tb_frame.f_code
    return is_own(code.co_filename) and not is_place(code)


def public(f: Callable[P, R]) -> Callable[P, R]:
    """Return a public function whose exceptions leave it as the user shall see them."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return f(*args, **kwargs)
        except Exception as error:
            __tracebackhide__ = True
            raise leaving(error, args[0] if args else None)  # noqa: B904  # it has its cause

    return call


__all__ = ["leaving", "on_purpose", "public", "writing"]
