"""The error that Python would raise first.

Compiled code makes some checks before the loop in which they stand (``opt.checks``) and runs eight
iterations at a time (``lower.parallel_loops``). So where several things go wrong, it may notice
another one first. And it does not note what it handles while it raises something else: the
context. Errors of such places are marked. Then the function itself is compiled once more, in the
order of its text (``Request.in_order``) and with what it handles, and run: it raises what Python
raises, with its numbers and its contexts. Where it changes something that
is seen outside before it raises, and only there, its plain run does that.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.call.binding import bind, compiled_here
from pullback.call.deferred import driver
from pullback.call.plain_runs import run_again
from pullback.call.request import Request, What
from pullback.core.held import chain_of, handling, is_of_program
from pullback.core.messages import silent
from pullback.errors import PullbackError
from pullback.native.runtime import is_early

_IN_ORDER = Request(What.VALUE, in_order=True)


def first_error(
    error: Exception, f: object, args: Sequence[object], surely: bool = False
) -> Exception:
    """The error that f(*args) raises, where compiled code of an operator raised ``error``;
    ``surely``: where something else ran the program, whose errors show less."""
    if surely or is_early(error):
        try:
            with silent(), handling() as last:
                bind(f, args, _IN_ORDER)
        except PullbackError:  # f has no value outside of the operator
            return error
        except Exception as first:
            if not is_of_program(first):
                return error
            if callable(f) and _loses(f, args):
                run_again(f, args)
            if last.left is first:
                first.__context__ = last.context
            for e in chain_of(first):
                if e.__context__ is error:  # which is being handled, but not by the program
                    e.__context__ = error.__context__
            entry = first.__traceback__
            while entry is not None and entry.tb_next is not None:
                entry = entry.tb_next
            return first.with_traceback(entry)  # the user's line
    return error


def _loses(f: object, args: Sequence[object]) -> bool:
    """Whether a function changes something before it raises only (such programs are not kept)."""
    here = compiled_here(f, args, _IN_ORDER)
    return here and driver.found(f, args, _IN_ORDER)[1].special.special.loses


class in_its_context:  # it reads as a statement
    """``with in_its_context(error): raise error``: it keeps its context, whatever is being handled
    there."""

    def __init__(self, error: BaseException) -> None:
        self.error, self.context = error, error.__context__

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        self.error.__context__ = self.context


__all__ = ["first_error", "in_its_context", "silent"]
