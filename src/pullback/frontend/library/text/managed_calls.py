"""What ``contextlib.ContextDecorator`` makes of a function: a manager stands around each call. Of a
generator under ``contextmanager`` each call makes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


def by_object(self: Any, func: Function) -> Function:
    def inner(*args: Any, **kwds: Any) -> Any:
        with self._recreate_cm():
            return func(*args, **kwds)

    return inner


def by_generator(
    make: Function, given: tuple[Any, ...], named: dict[str, Any], func: Function
) -> Function:
    def inner(*args: Any, **kwds: Any) -> Any:
        with make(*given, **named):
            return func(*args, **kwds)

    return inner


__all__ = ["by_generator", "by_object"]
