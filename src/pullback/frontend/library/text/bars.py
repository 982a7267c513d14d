"""The bars of tqdm as plain Python: loops that count, and call Python when the count is due.

``rounds`` stands for a bar that a loop runs over, and ``Bar`` for one with a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pullback.loop_progress import closed, ticked, told


def rounds(iterable: Iterable[Any], number: int) -> Iterator[Any]:
    count, due = 0, 1
    try:
        for item in iterable:
            yield item
            count += 1
            if count >= due:
                due = int(ticked(number, count))
    finally:
        closed(number, count)


def unguarded_rounds(iterable: Iterable[Any], number: int) -> Iterator[Any]:
    """The same for an iterator that is advanced from outside: its end may never come."""
    count, due = 0, 1
    for item in iterable:
        yield item
        count += 1
        if count >= due:
            due = int(ticked(number, count))
    closed(number, count)


class Bar:
    """A bar with a name."""

    def __init__(self, iterable: Any, number: int, total: Any, n: float) -> None:
        self.iterable = iterable
        self.total = total
        self.n = n
        self._start = n
        self._number = number
        self._due = 0.0

    def __iter__(self) -> Iterator[Any]:
        number = self._number
        count, due = 0, 1
        try:
            for item in self.iterable:
                yield item
                count += 1
                if count >= due:
                    due = int(ticked(number, count))
        finally:
            self.n = self._start + count
            closed(number, count)

    def __len__(self) -> int:
        return int(self.total)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def update(self, n: float = 1) -> None:
        self.n += n
        count = self.n - self._start
        if count >= self._due or n < 0:
            self._due = ticked(self._number, count)

    def close(self) -> None:
        closed(self._number, self.n - self._start)

    def refresh(self) -> None:
        told(self._number, "refresh", (), {})

    def clear(self) -> None:
        told(self._number, "clear", (), {})

    def set_description(self, desc: Any = None, refresh: bool = True) -> None:
        told(self._number, "set_description", (desc, refresh), {})

    def set_description_str(self, desc: Any = None, refresh: bool = True) -> None:
        told(self._number, "set_description_str", (desc, refresh), {})

    def set_postfix_str(self, s: Any = "", refresh: bool = True) -> None:
        told(self._number, "set_postfix_str", (s, refresh), {})

    def set_postfix(self, ordered_dict: Any = None, refresh: bool = True, **kwargs: Any) -> None:
        told(self._number, "set_postfix", (ordered_dict, refresh), kwargs)

    def write(self, s: Any) -> None:
        told(self._number, "write", (s,), {})
