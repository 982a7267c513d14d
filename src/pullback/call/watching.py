"""Say what the compiler works on, when it takes long.

Nothing is noted while it works: another thread looks at the frames of the one that compiles, as
``internal`` does when it has failed.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from time import perf_counter
from types import FrameType, FunctionType

from pullback.call.internal import place_of, stage_of
from pullback.call.uncollected import uncollected
from pullback.core import interrupts, waiting
from pullback.settings import config

LONG = 2.0
"""After so many seconds it says what it does, and again after twice as many, and so on."""
MOST = 24
"""So often at most: for a year."""
SAME = 0.1
"""Work that begins so soon after the last one goes on with it: its seconds are counted together."""


class _Clock:
    """When the present piece of work began, and when the last one ended."""

    def __init__(self) -> None:
        self.began = self.ended = float("-inf")
        self.depth = 0


_clock = _Clock()  # it belongs to the thread that has the lock of the compiler


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Compile something, without the collector of garbage. It is used under the lock of the
    compiler."""
    if _clock.depth or not _is_wanted():
        with uncollected():
            yield
        return
    now = perf_counter()
    if now - _clock.ended > SAME:
        _clock.began = now
    ended = threading.Event()
    given = threading.get_ident(), _clock.began, ended
    threading.Thread(target=_watch, args=given, name="pullback-watch", daemon=True).start()
    _clock.depth = 1
    try:
        with uncollected():
            yield
    finally:
        ended.set()
        _clock.depth, _clock.ended = 0, perf_counter()


def _is_wanted() -> bool:
    if config.verbose == "slow":
        return sys.stderr is not None and sys.stderr.isatty()
    return config.verbose != "never"


def _watch(compiler: int, began: float, ended: threading.Event) -> None:
    for k in range(MOST):
        left = began + LONG * 2**k - perf_counter()
        if left < 0.0 and k:
            continue
        if ended.wait(max(left, 0.0)):
            return
        with contextlib.suppress(Exception):  # what is said of the work must not end it
            frame = sys._current_frames().get(compiler)
            if frame is not None:
                print(f"pullback: {_doing(frame)}", file=sys.stderr, flush=True)


def _doing(inner: FrameType) -> str:
    """What is compiled, and where in the user's program and the compiler it stands."""
    frames: list[FrameType] = []
    frame: FrameType | None = inner
    while frame is not None:
        if frame.f_code.co_filename not in _WAITS:  # for LLVM, which runs in another thread
            frames.append(frame)
        frame = frame.f_back
    site = place_of(frames)
    whole = next((f.f_locals["function"] for f in reversed(frames)
                  if isinstance(f.f_locals.get("function"), FunctionType)), None)  # fmt: skip
    name = whole.__qualname__ if whole is not None else site.function if site else "a function"
    line = f", line {site.line}" if site is not None else ""
    if site is not None and whole is not None and site.file != whole.__code__.co_filename:
        line += f" of {site.file}"
    return f'compiling {name}{line} (stage "{stage_of(frames)}") ...'


_WAITS = frozenset((waiting.__file__, interrupts.__file__))

__all__ = ["watched"]
