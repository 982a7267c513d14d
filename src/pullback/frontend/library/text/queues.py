"""The queues of ``queue`` as plain classes that the front end compiles like the user's own.

One thread runs a compiled program, so nobody else puts an item into a queue: who would wait for one
would wait for ever, and gets ``Empty`` or ``Full`` instead."""

from __future__ import annotations

import heapq
from collections import deque
from queue import Empty, Full
from typing import Any


class Queue:
    """Items that are taken in the order in which they were put in."""

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.queue: Any = deque()
        self.unfinished_tasks = 0

    def _put(self, item: Any) -> None:
        self.queue.append(item)

    def _get(self) -> Any:
        return self.queue.popleft()

    def qsize(self) -> int:
        return len(self.queue)

    def empty(self) -> bool:
        return len(self.queue) == 0

    def full(self) -> bool:
        return 0 < self.maxsize <= len(self.queue)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        if 0 < self.maxsize <= len(self.queue):
            raise Full
        self._put(item)
        self.unfinished_tasks += 1

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        if len(self.queue) == 0:
            raise Empty
        return self._get()

    def put_nowait(self, item: Any) -> None:
        self.put(item)

    def get_nowait(self) -> Any:
        return self.get()

    def task_done(self) -> None:
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1


class SimpleQueue:
    """A queue without a bound."""

    def __init__(self) -> None:
        self._items: Any = deque()

    def qsize(self) -> int:
        return len(self._items)

    def empty(self) -> bool:
        return len(self._items) == 0

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        self._items.append(item)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        if len(self._items) == 0:
            raise Empty
        return self._items.popleft()

    def put_nowait(self, item: Any) -> None:
        self.put(item)

    def get_nowait(self) -> Any:
        return self.get()


class LifoQueue(Queue):
    """Items of which the one that was put in last is taken first."""

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.queue = []
        self.unfinished_tasks = 0

    def _get(self) -> Any:
        return self.queue.pop()


class PriorityQueue(Queue):
    """Items of which the least one is taken first."""

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.queue = []
        self.unfinished_tasks = 0

    def _put(self, item: Any) -> None:
        heapq.heappush(self.queue, item)

    def _get(self) -> Any:
        return heapq.heappop(self.queue)
