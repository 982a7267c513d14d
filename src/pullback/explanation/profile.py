"""``pb.profile``: the seconds of each line, natively."""

import json
import linecache
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pullback.api.looking import asked
from pullback.api.operator_objects import Operator, with_updates
from pullback.call.binding import register_operators
from pullback.call.leaving import public
from pullback.call.methods import CHAD, NATIVE
from pullback.call.request import Request, What
from pullback.call.tangents import differentiable
from pullback.core.later import Later
from pullback.errors import ArgumentValueError, PullbackError, brief

if TYPE_CHECKING:
    from pullback.explanation import timed_runs
    from pullback.explanation.timed_runs import Timed
else:
    timed_runs = Later("pullback.explanation.timed_runs")

PARTS = ("forward", "again", "reverse")


@dataclass(frozen=True, slots=True)
class LineTime:
    """The seconds that a line takes in a run of the function (``value``), and in a run of value and
    gradient: in the function itself, in what is computed again, and in the reverse sweep."""

    file: str
    line: int
    text: str
    value: float
    forward: float
    again: float
    reverse: float


class Profile:
    """The seconds of one run, of ``f`` and of its value and gradient. ``lines``: by line, in their
    order; ``outside``: what is spent outside of compiled code, of ``f`` and of its gradient."""

    def __init__(self, value: "Timed", gradient: "Timed | None", note: str) -> None:
        self._runs = {"value": value, "value and gradient": gradient}
        self.note = note
        self.value_seconds = value.seconds
        self.gradient_seconds = gradient.seconds if gradient else None
        one = value.shares()
        two: Mapping[Any, float] = gradient.shares() if gradient else {}
        self.outside = one.get(None, 0.0), two.get(None, 0.0)
        places = sorted({line[:2] for line in (*one, *two) if line is not None})
        self.lines = tuple(
            LineTime(
                file, number, linecache.getline(file, number).rstrip(),
                sum(one.get((file, number, part), 0.0) for part in PARTS),
                *(two.get((file, number, part), 0.0) for part in PARTS))
            for file, number in places)

    def __str__(self) -> str:
        out = [f"{_seconds(self.value_seconds)} a run of the function"
               + (f", {_seconds(self.gradient_seconds)} of value and gradient"
                  if self.gradient_seconds is not None else ""), *([self.note] * bool(self.note)),
               f"{'value':>9} {'forward':>9} {'again':>9} {'reverse':>9}"]  # fmt: skip
        file = ""
        for line in self.lines:
            if line.file != file:
                file = line.file
                out.append(file)
            times = (line.value, line.forward, line.again, line.reverse)
            shown = " ".join(f"{_seconds(t) if t else '':>9}" for t in times)
            out.append(f"{shown} {line.line:5} {line.text}")
        if any(self.outside):
            shown = " ".join(f"{_seconds(t) if t else '':>9}" for t in self.outside)
            out.append(f"{shown} {'':19} {'':5} outside of lines: calls, conversion, BLAS")
        return "\n".join(out)

    __repr__ = __str__

    def trace(self, path: str | os.PathLike[str]) -> Path:
        """Write the samples as a trace that Perfetto and Chrome (``chrome://tracing``) show, and
        return its path: neighbouring samples of one line are one event."""
        events: list[dict[str, object]] = []
        for row, (name, runs) in enumerate(self._runs.items(), 1):
            named = {"name": "thread_name", "ph": "M", "pid": 1, "tid": row}
            events.append({**named, "args": {"name": name}})
            events += _events(runs, row) if runs is not None else []
        to = Path(path)
        to.write_text(json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}))
        return to


def _events(runs: "Timed", row: int) -> list[dict[str, object]]:
    step = 1e6 * timed_runs.INTERVAL
    events: list[dict[str, object]] = []
    start = 0
    for k in range(1, len(runs.samples) + 1):
        if k < len(runs.samples) and runs.samples[k] == runs.samples[start]:
            continue
        line = runs.samples[start]
        name = "outside" if line is None else f"{Path(line[0]).name}:{line[1]} {line[2]}"
        told = "" if line is None else linecache.getline(line[0], line[1]).strip()
        events.append({"name": name, "ph": "X", "ts": start * step, "dur": (k - start) * step,
                       "pid": 1, "tid": row, "args": {"source": told}})  # fmt: skip
        start = k
    return events


def _seconds(s: float | None) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if s is not None and s >= size:
            return f"{s / size:.3g} {unit}"
    return f"{(s or 0.0) / 1e-9:.3g} ns"


@public
def profile(f: Callable[..., Any], *args: Any, seconds: float = 1.0) -> Profile:
    """Return the seconds of each line of ``f``, and of its value and gradient, natively.

    Both are compiled with the lines of the source and run again and again at these arguments, on
    one thread, while a timer looks every half millisecond which line the machine code comes from.
    Instructions that serve several lines are told as one of them: LLVM moves them. The runs are
    those of compiled code, so what calls of Python take is outside.

    Args:
        f: the function, or what an operator has made of one: then the gradient is by its
            ``argnums``, otherwise by all arguments that hold reals
        args: its arguments, which are left as they are
        seconds: for how long each of the two runs

    Returns:
        an object whose text is a table, with the lines as ``lines``; its ``trace(path)`` writes a
        file that Perfetto and Chrome show

    Raises:
        PullbackError: the function is refused; or the machine is none whose signals are known
            (Linux on x86-64 or aarch64), or this is not the main thread
        ValueError: ``seconds`` is no number, negative or infinite

    Example:
        >>> import pullback as pb
        >>> def sums(n):
        ...     total = 0.0
        ...     for i in range(n):
        ...         total += i * 0.5
        ...     return total
        >>> made = pb.profile(sums, 1000, seconds=0.01)
        >>> made.value_seconds > 0.0, made.gradient_seconds  # there is no gradient by an int
        (True, None)
    """
    if not (isinstance(seconds, int | float) and 0.0 <= seconds < math.inf):
        raise ArgumentValueError(
            f"seconds is a number that is not negative, not {brief(seconds)}", "write seconds=1.0"
        )
    return with_updates(lambda g: _profiled(g, args, seconds), f, args, writes=False)


def _profiled(f: Callable[..., Any], args: tuple[Any, ...], seconds: float) -> Profile:
    g, values, request = asked(f, args, CHAD, "profile")
    reverse = request.what in (What.GRADIENT, What.VALUE_AND_GRADIENT)
    by = request.argnums if isinstance(f, Operator) and reverse else differentiable(values)
    method = request.method if request.method in NATIVE else CHAD
    wanted = Request(What.VALUE_AND_GRADIENT, by, method=method, outside=request.outside)
    value = timed_runs.timed(g, values, wanted.of_value(), seconds)
    if not by:
        return Profile(value, None, "no gradient: no argument holds real numbers")
    try:
        gradient = timed_runs.timed(g, values, wanted, seconds)
    except PullbackError as refusal:
        return Profile(value, None, f"no gradient: {refusal.reason}")
    return Profile(value, gradient, "")


register_operators(profile=profile)


__all__ = ["LineTime", "Profile", "profile"]
