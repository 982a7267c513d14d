"""``contextlib.ExitStack`` as an object: what is to be called is a list of functions, each of which
gets what an ``__exit__`` gets. Statements ``with`` whose managers are all known are written without
it (``python.managers``, ``python.exit_stacks``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Exit = Callable[[Any, Any, Any], Any]


class ExitStack:
    def __init__(self) -> None:
        self._exits: list[Exit] = []

    def __enter__(self) -> ExitStack:
        return self

    def enter_context(self, cm: Any) -> Any:
        entered = cm.__enter__()
        self._exits.append(lambda t, e, tb: cm.__exit__(t, e, tb))
        return entered

    def push(self, exit: Any) -> Any:
        if hasattr(exit, "__exit__"):
            self._exits.append(lambda t, e, tb: exit.__exit__(t, e, tb))
        else:
            self._exits.append(exit)
        return exit

    def callback(self, callback: Callable[..., Any], /, *args: Any, **kwds: Any) -> Any:
        if kwds:

            def call(t: Any, e: Any, tb: Any) -> bool:
                callback(*args, **kwds)
                return False

        else:

            def call(t: Any, e: Any, tb: Any) -> bool:
                callback(*args)
                return False

        self._exits.append(call)
        return callback

    def pop_all(self) -> ExitStack:
        new = ExitStack()
        new._exits = list(self._exits)
        self._exits = []
        return new

    def close(self) -> None:
        self._leave(None, None, None)

    def __exit__(self, t: Any, e: Any, tb: Any) -> bool:
        return self._leave(t, e, tb) and t is not None

    def _leave(self, t: Any, e: Any, tb: Any) -> bool:
        """Call what is left, and return whether the exception, or one that this has raised, is
        swallowed."""
        if not self._exits:
            return False
        leave = self._exits.pop()
        try:
            swallowed = leave(t, e, tb)
        except BaseException as new:
            if self._leave(type(new), new, None):
                return True
            raise
        if swallowed:
            self._leave(None, None, None)
            return True
        return self._leave(t, e, tb)
