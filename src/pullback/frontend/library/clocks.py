"""The clocks of ``time``: Python is asked while the program runs, once for each call and in its
order. What they say has no derivative."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable

from pullback.declared_callbacks import Declared
from pullback.frontend.kinds.values import (
    REGISTRY,
    OperatorV,
    Specialiser,
    Static,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs, bind

_CLOCKS: tuple[Callable[[], float], ...] = (
    time.time, time.perf_counter, time.monotonic, time.process_time, time.thread_time,
)  # fmt: skip


def _register_clock(clock: Callable[[], float]) -> None:
    declared = Declared(clock, 0.0, pure=False)

    @register(clock)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        bind(sp, f"time.{clock.__name__}", args, kwargs, node)
        operator = OperatorV("pure_callback", Static(declared), ())
        return REGISTRY.operators["pure_callback"](sp, operator, (), {}, node)


for _clock in _CLOCKS:
    _register_clock(_clock)


__all__: list[str] = []
