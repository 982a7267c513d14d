"""Solvers of SciPy that ask compiled code for the values of its functions: *reverse communication*,
as in ARPACK, where the caller computes what the solver needs, and calls it again.

A solver runs in a thread of its own, and waits there while compiled code answers. What compiled
code sees are *nodes*: what is asked after the answers so far, or the result. A step goes from a
node and an answer to the next node, and is a function of these two: of a node that was answered
before in the same way the next one is known, and one that is answered in another way gets a
solver of its own, which is given the answers again. So steps may be repeated, left out and moved
as those of any pure function.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from pullback.core.called_python import Floats
from pullback.core.waiting import STEP, Lock

Ask = Callable[[int, Any], Floats]
"""Asks for the value of a function, by its number (from 1 on), at a place."""
Solve = Callable[[Ask], Any]

RESULT, ERROR = 0, -1
NAMED_ERRORS = "ValueError", "TypeError", "RuntimeError", "NotImplementedError", "LinAlgError"
"""Errors of solvers that a program can catch; others end the call."""

MOST = 16
"""How many solvers are remembered."""
MANY = 2000
"""Of more answers than these only the result is kept."""


class _Closed(BaseException):
    """Ends a solver that nobody will answer any more."""


class _Running:
    """A solver in its thread."""

    def __init__(self, solve: Solve) -> None:
        self._asked: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        self._answers: SimpleQueue[Floats | None] = SimpleQueue()
        self._solve = solve
        threading.Thread(target=self._run, daemon=True, name="pullback solver").start()

    def _ask(self, kind: int, x: Any) -> Floats:
        self._asked.put((kind, np.array(x, np.float64).ravel()))
        answer = self._answers.get()
        if answer is None:
            raise _Closed
        return answer

    def _run(self) -> None:
        try:
            with np.errstate(all="ignore"):
                found = np.array(self._solve(self._ask), np.float64).ravel()
            self._asked.put((RESULT, found))
        except _Closed:
            pass
        except BaseException as error:  # compiled code raises it
            self._asked.put((ERROR, error))

    def next(self) -> tuple[int, Any]:
        """Return what is asked next: the thread that waits may handle signals."""
        while True:
            with suppress(Empty):
                return self._asked.get(timeout=STEP)

    def answer(self, value: Floats | None) -> None:
        """Answer; None: end the solver."""
        self._answers.put(value)


class _Node:
    """What is asked after some answers, or the result."""

    __slots__ = ("answered", "answers", "data", "following", "kind", "number", "root", "running")

    def __init__(self, root: _Root, answers: tuple[Any, ...], running: _Running) -> None:
        self.root, self.running, self.answered = root, running, False
        self.answers = answers  # the answers before it, as pairs (those before the last one, it)
        self.kind, self.data = running.next()
        self.number = next(_numbers)
        self.following: dict[bytes, int] = {}
        _nodes[self.number] = self
        root.nodes.append(self.number)


class _Root:
    """A call of a solver, with all that was asked and answered."""

    def __init__(self, solve: Solve) -> None:
        self.solve = solve
        self.nodes: list[int] = []
        self.first = _Node(self, (), _Running(solve))


_numbers = itertools.count(1)
_nodes: dict[int, _Node] = {}
_roots: OrderedDict[bytes, _Root] = OrderedDict()
_lock = Lock()


def begun(key: bytes, solve: Solve) -> tuple[int, int, int]:
    """Start a solver, and return its first node: its number, what is asked (or ``RESULT``, or
    ``ERROR``), and how many numbers belong to that (or which of ``NAMED_ERRORS`` it is).
    ``key``: two calls with the same one are the same."""
    with _lock:
        root = _roots.get(key)
        if root is None:
            root = _roots[key] = _Root(solve)
            while len(_roots) > MOST:
                _forget(_roots.popitem(last=False)[1])
        _roots.move_to_end(key)
        return _told(root.first)


def resumed(number: int, answer: Floats) -> tuple[int, int, int]:
    """Return the node that follows a node and an answer."""
    with _lock:
        node = _nodes[number]
        key = answer.tobytes()
        known = node.following.get(key)
        if known is None:
            running = _again(node) if node.answered else node.running
            node.answered = True  # even if an interrupt comes now
            running.answer(answer)
            after = _Node(node.root, (node.answers, answer), running)
            node.following[key] = known = after.number
            if after.kind == RESULT and len(node.root.nodes) > MANY:
                _shorten(node.root, after)
        return _told(_nodes[known])


def numbers(number: int) -> Floats:
    """Return the numbers of a node: the place for which it asks, or the result."""
    found: Floats = _nodes[number].data
    return found


def _told(node: _Node) -> tuple[int, int, int]:
    if node.kind != ERROR:
        return node.number, node.kind, len(node.data)
    error, name = node.data, type(node.data).__name__
    if name in NAMED_ERRORS and len(error.args) == 1 and isinstance(error.args[0], str):
        return node.number, ERROR, NAMED_ERRORS.index(name)
    raise error.with_traceback(None)


def message(number: float) -> str:
    """Return the text of the error with which a solver has ended."""
    return str(_nodes[int(number)].data)


def _again(node: _Node) -> _Running:
    """Return another solver, with the answers that led to a node."""
    answers, rest = [], node.answers
    while rest:
        rest, last = rest
        answers.append(last)
    running = _Running(node.root.solve)
    running.next()
    for answer in reversed(answers):
        running.answer(answer)
        running.next()
    return running


def _shorten(root: _Root, last: _Node) -> None:
    """Keep the first node, which may be answered again, and the result, if nobody else is on the
    way to one."""
    if any(_nodes[n].kind > 0 and not _nodes[n].answered for n in root.nodes):
        return
    for number in root.nodes:
        if number not in (root.first.number, last.number):
            del _nodes[number]
    root.nodes[:] = [root.first.number, last.number]
    root.first.following.clear()
    last.answers = ()


def _forget(root: _Root) -> None:
    for number in root.nodes:
        node = _nodes.pop(number)
        if node.kind > 0 and not node.answered:
            node.running.answer(None)


def _forked() -> None:
    """No thread goes on in a child process."""
    global _lock
    _lock = Lock()
    _nodes.clear()
    _roots.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)

__all__ = ["NAMED_ERRORS", "RESULT", "Ask", "Solve", "begun", "message", "numbers", "resumed"]
