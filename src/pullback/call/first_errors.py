"""The error that Python would raise first.

Compiled code makes some checks before the loop in which they stand (``opt.checks``) and runs eight
iterations at a time (``lower.lanes``). So where several things go wrong, it may notice another one
first; errors of such places are marked. Then the function itself is compiled once more, in the
order of its text (``Request.in_order``), and run: it raises what Python raises, with its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.call.deferred import driver
from pullback.call.request import Request, What
from pullback.core.held import is_of_program
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
            with silent():
                driver.call(f, args, _IN_ORDER)
        except PullbackError:  # f has no value outside of the operator
            return error
        except Exception as first:
            if not is_of_program(first):
                return error
            last = first.__traceback__
            while last is not None and last.tb_next is not None:
                last = last.tb_next
            return first.with_traceback(last)  # the user's line
    return error


__all__ = ["first_error", "silent"]
