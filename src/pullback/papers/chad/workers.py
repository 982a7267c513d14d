"""Frames, counters and threads of the parallel reverse pass (Efficient CHAD, section 8, App. E).

The environment is a cactus stack: every branch has a frame of its own, for the cells that it opens,
on top of the frame that it was forked from. App. E gives all branches one array, in which
concurrent scopes would claim the same slot.

>>> trunk = Frame(None)
>>> trunk.cells = [make(Machine(), 1.0), make(Machine(), 2.0)]
>>> left, right = trunk.branch(), trunk.branch()
>>> left.cells, right.cells = [make(Machine(), 3.0)], [make(Machine(), 4.0)]
>>> [frame.find(k).read(Machine()) for frame in (left, right) for k in (0, 2)]
[1.0, 3.0, 1.0, 4.0]
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from threading import Semaphore, Thread, local

import numpy as np

from pullback.core.waiting import Lock, join
from pullback.papers.chad.cells import Cell, make
from pullback.papers.language.machine import Machine


class Frame:
    """The cells that one branch has opened, on top of those of the branch it comes from."""

    __slots__ = ("base", "cells", "depth", "parent")

    def __init__(self, parent: Frame | None) -> None:
        self.base: int = parent.base + len(parent.cells) if parent else 0
        self.depth: int = parent.depth + 1 if parent else 0
        self.parent = parent
        self.cells: list[Cell] = []

    def branch(self) -> Frame:
        """Return a new branch."""
        return Frame(self)

    def find(self, k: int) -> Cell:
        """Return the cell at position k of the context."""
        frame = self
        while k < frame.base:
            assert frame.parent is not None
            frame = frame.parent
        return frame.cells[k - frame.base]


class Counters(local):
    """What each thread counts for itself; a new thread starts at nothing."""

    def __init__(self) -> None:
        self.cost = 0
        self.counts: dict[str, int] = {}


class Shared(Machine):
    """A machine whose counters are the thread's own until it is joined."""

    def __init__(self) -> None:
        self._here = Counters()
        super().__init__()

    @property
    def cost(self) -> int:
        return self._here.cost

    @cost.setter
    def cost(self, n: int) -> None:
        self._here.cost = n

    @property
    def counts(self) -> dict[str, int]:
        return self._here.counts

    @counts.setter
    def counts(self, counts: dict[str, int]) -> None:
        self._here.counts = counts


class Workers:
    """At most ``count`` threads. A ``sequence`` of fewer than ``threshold`` actions stays in its
    thread, and so do two actions more than ``depth`` forks deep. With ``order`` there is one
    thread, and actions run in a random order."""

    def __init__(
        self, count: int = 8, threshold: int = 2, depth: int = 3,
        order: random.Random | None = None,
    ) -> None:
        self.count = count
        self.threshold = threshold
        self.depth = depth
        self.order = order
        self.forks = 0
        self._free = Semaphore(count - 1)
        self._lock = Lock()

    def each(self, m: Machine, tasks: Sequence[Callable[[], object]]) -> list[object]:
        """Return all results, in the order of the tasks."""
        out: list[object] = [None] * len(tasks)
        order = list(range(len(tasks)))
        if self.order is not None:
            self.order.shuffle(order)
        threads: list[Thread] = []
        ended: list[tuple[int, dict[str, int]]] = []
        failed: list[BaseException] = []

        def run(ks: Sequence[int]) -> None:
            for k in ks:
                out[k] = tasks[k]()

        def work(ks: Sequence[int]) -> None:
            try:
                with np.errstate(all="ignore"):
                    m.cost, m.counts = 0, {}
                    run(ks)
                ended.append((m.cost, m.counts))
            except BaseException as e:
                failed.append(e)
            finally:
                self._free.release()

        parts = [order[k :: self.count] for k in range(self.count)]
        for part in parts[1:]:
            if part and self._free.acquire(blocking=False):
                with self._lock:
                    self.forks += 1
                threads.append(Thread(target=work, args=(part,)))
                threads[-1].start()
            else:
                run(part)
        run(parts[0])
        for thread in threads:
            join(thread)
        for cost, counts in ended:
            m.cost += cost
            for what, n in counts.items():
                m.count(what, n)
        if failed:
            raise failed[0]
        return out


__all__ = ["Frame", "Shared", "Workers", "make"]
