"""Loops that keep some of their states, and run again what is between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.combinators import checkpoint, loop, while_loop

State = Any


def rounded_root(n: int) -> int:
    """The least k with k * k >= n, at least 1."""
    k = 1
    while k * k < n:
        k += 1
    return k


def loop_in_blocks(n: int, step: Callable[[int, State], State], state: State, k: int) -> State:
    """A loop of n rounds, k at a time; the first state of each block is kept."""
    if k < 1:
        raise ValueError("pb.loop: checkpoint must be positive")

    def block(j: int, start: State) -> State:
        return loop(min(k, n - j * k), lambda i, s: step(j * k + i, s), start)

    return loop((max(n, 0) + k - 1) // k, checkpoint(block), state)


def loop_by_root(n: int, step: Callable[[int, State], State], state: State) -> State:
    """A loop of n rounds in blocks of about the root of n."""
    return loop_in_blocks(n, step, state, rounded_root(n))


def while_in_blocks(
    cond: Callable[[State], bool], step: Callable[[State], State], state: State, k: int, more: int
) -> State:
    """A loop while a condition holds, in blocks of k rounds, each longer than the one before by
    ``more``."""
    if k < 1:
        raise ValueError("pb.while_loop: checkpoint must be positive")

    def block(count: int, start: State) -> State:
        def goes_on(s: tuple[int, State]) -> bool:
            return s[0] < count and cond(s[1])

        return while_loop(goes_on, lambda s: (s[0] + 1, step(s[1])), (0, start))[1]

    again = checkpoint(block)

    def longer(s: tuple[int, State]) -> tuple[int, State]:
        return s[0] + more, again(s[0], s[1])

    return while_loop(lambda s: cond(s[1]), longer, (k, state))[1]
