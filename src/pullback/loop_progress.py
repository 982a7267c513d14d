"""Progress bars: ``pb.progress`` in plain Python, and the bars of compiled loops.

A compiled loop counts its rounds, and calls ``ticked`` now and then. That shows the count by
tqdm's own bar, and answers with the count at which it wants to be called again: about twice in
tqdm's interval (0.1 s), so that short rounds cost nothing.
"""

from __future__ import annotations

import itertools
import threading
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar, get_type_hints

T = TypeVar("T")

NEVER = 2.0**62
"""A count that no loop comes to."""

_GROWTH = 8
"""How many times as many rounds as the last time may go by unseen."""


def progress(iterable: Iterable[T], desc: str | None = None, **options: Any) -> Iterable[T]:
    """Return an iterable with a progress bar: what ``tqdm.auto.tqdm`` is, in compiled loops too.

    Compiled code counts its rounds and shows them about ten times a second; a loop whose rounds
    were independent runs them one after the other. The bar is written to ``sys.stderr``, once:
    neither the reverse sweep nor another direction of a Jacobian shows it again. ``tqdm.tqdm`` and
    ``tqdm.trange`` themselves are compiled in the same way, with the methods of a bar that has a
    name (``update``, ``set_postfix``, ``set_description``, ``write``, ``close``).

    Args:
        iterable: what the loop runs over.
        desc: the text before the bar.
        options: of ``tqdm.tqdm``: ``total``, ``leave``, ``unit``, ``disable`` and others.

    Returns:
        What gives the same items. Where tqdm is not installed that is ``iterable`` itself, and a
        warning says so once.

    Raises:
        TypeError: ``iterable`` cannot be iterated over.
        Exception: whatever tqdm raises, say for an option that it does not have.

    Source:
        The bar is tqdm's.

    Example:
        >>> import pullback as pb
        >>> def total(x):
        ...     s = 0.0
        ...     for k in pb.progress(range(1000), disable=True):
        ...         s += x / (k + 1)
        ...     return s
        >>> round(pb.grad(total)(1.0), 6)
        7.485471
    """
    bar = bar_class()
    return iterable if bar is None else bar(iterable, desc, **options)


progress.__annotations__ = get_type_hints(progress)  # which ``help`` shows


def bar_class() -> Any:
    """Return the class of tqdm's bars that suits here, a terminal or a notebook; None without
    tqdm."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says that notebooks want a package of their own
            return import_module("tqdm.auto").tqdm
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] != "tqdm":
            raise
    warnings.warn(
        "pb.progress shows no bar, since tqdm is not installed: pip install tqdm", stacklevel=3
    )
    return None


# --- the bars of compiled loops -------------------------------------------------------------------


@dataclass
class _Open:
    """A bar, the count that it began with, and when ``ticked`` was called last."""

    bar: Any
    start: float
    count: float = 0.0
    step: float = 1.0
    since: float = 0.0


_open: dict[int, _Open] = {}
_numbers = itertools.count(1)
_last = threading.local()


def opened(cls: Any, *args: Any, **options: Any) -> None:
    """Open a bar, as ``cls(None, *args, **options)``; ``newest`` gives its number."""
    bar = cls(None, *args, **options)
    _last.number = number = next(_numbers)
    _open[number] = _Open(bar, float(getattr(bar, "n", 0)), since=time.perf_counter())


def newest() -> float:
    """Return the number of the bar that this thread has opened last, once; 0: there is none, since
    a derivative goes through the loop again, and shows nothing."""
    number = getattr(_last, "number", 0)
    _last.number = 0
    return float(number)


def ticked(number: int, count: float) -> float:
    """Show a count, and return that at which to be called again."""
    one = _open.get(number)
    if one is None or one.bar.disable:
        return NEVER
    _show(one, count)
    now = time.perf_counter()
    wanted = float(getattr(one.bar, "mininterval", 0.1)) / 2.0
    rounds, seconds = max(count - one.count, 1.0), max(now - one.since, 1e-9)
    one.step = float(int(min(max(rounds * wanted / seconds, 1.0), _GROWTH * one.step)))
    one.count, one.since = count, now
    return count + one.step


def closed(number: int, count: float) -> float:
    """Show the last count and close the bar."""
    one = _open.pop(number, None)
    if one is not None:
        _show(one, count)
        one.bar.close()
    return 0.0


def told(number: int, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Call a method of a bar."""
    one = _open.get(number)
    if one is not None:
        getattr(one.bar, name)(*args, **options)


def _show(one: _Open, count: float) -> None:
    change = one.start + count - getattr(one.bar, "n", 0.0)
    if change and not one.bar.disable:
        one.bar.update(int(change) if change == int(change) else change)


__all__ = ["bar_class", "closed", "newest", "opened", "progress", "ticked", "told"]
