"""``io.StringIO`` as a plain class that is compiled like the user's own, ``print`` to an object,
and the managers that let ``sys.stdout`` and ``sys.stderr`` be another one.

What is written behind the end, as nearly everything is, is put into a list; the text is made when
it is asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from pullback.errors import UnsupportedError


class StringIO:
    def __init__(self, initial_value: str | None = "") -> None:
        first = "" if initial_value is None else initial_value
        self._parts = [first]
        self._size = len(first)
        self._at = 0
        self.closed = False

    def _check(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def _whole(self) -> str:
        if len(self._parts) == 1:
            return self._parts[0]
        whole = "".join(self._parts)
        self._parts = [whole]
        return whole

    def write(self, s: str, /) -> int:
        self._check()
        if not isinstance(s, str):
            raise TypeError(f"string argument expected, got '{type(s).__name__}'")
        n = len(s)
        if n == 0:
            return 0
        if self._at == self._size:
            self._parts.append(s)
            self._size += n
        else:
            whole = self._whole() + "\0" * (self._at - self._size)
            made = whole[: self._at] + s + whole[self._at + n :]
            self._parts = [made]
            self._size = len(made)
        self._at += n
        return n

    def writelines(self, lines: Iterable[str], /) -> None:
        self._check()
        for line in lines:
            self.write(line)

    def getvalue(self) -> str:
        self._check()
        return self._whole()

    def read(self, size: int | None = -1, /) -> str:
        self._check()
        first = self._at
        end = max(self._size, first)
        if size is not None and size >= 0:
            end = min(first + size, end)
        self._at = end
        return self._whole()[first:end]

    def readline(self, size: int | None = -1, /) -> str:
        self._check()
        whole, first = self._whole(), self._at
        end = max(self._size, first)
        if first < self._size:
            found = whole.find("\n", first)
            if found >= 0:
                end = found + 1
        if size is not None and size >= 0:
            end = min(first + size, end)
        self._at = end
        return whole[first:end]

    def readlines(self, hint: int | None = -1, /) -> list[str]:
        self._check()
        lines: list[str] = []
        size = 0
        line = self.readline()
        while line:
            lines.append(line)
            size += len(line)
            line = "" if hint is not None and 0 < hint <= size else self.readline()
        return lines

    def __iter__(self) -> Iterator[str]:
        self._check()
        return self

    def __next__(self) -> str:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def tell(self) -> int:
        self._check()
        return self._at

    def seek(self, pos: int, whence: int = 0, /) -> int:
        self._check()
        if whence == 0:
            if pos < 0:
                raise ValueError(f"Negative seek position {pos}")
            self._at = pos
        elif whence == 1 or whence == 2:
            if pos != 0:
                raise OSError("Can't do nonzero cur-relative seeks")
            if whence == 2:
                self._at = self._size
        else:
            raise ValueError(f"Invalid whence ({whence}, should be 0, 1 or 2)")
        return self._at

    def truncate(self, pos: int | None = None, /) -> int:
        self._check()
        end = self._at if pos is None else pos
        if end < 0:
            raise ValueError(f"Negative size value {end}")
        if end < self._size:
            whole = self._whole()
            self._parts = [whole[:end]]
            self._size = end
        return end

    def flush(self) -> None:
        self._check()

    def close(self) -> None:
        self.closed = True

    def readable(self) -> bool:
        self._check()
        return True

    def writable(self) -> bool:
        self._check()
        return True

    def seekable(self) -> bool:
        self._check()
        return True

    def isatty(self) -> bool:
        self._check()
        return False

    def __enter__(self) -> StringIO:
        self._check()
        return self

    def __exit__(self, *excinfo: Any) -> None:
        self.close()


def print_to(
    file: Any, *values: Any, sep: str | None = " ", end: str | None = "\n", flush: bool = False
) -> None:
    """Print to an object, in the pieces in which CPython's ``print`` writes them."""
    between = " " if sep is None else sep
    for k, v in enumerate(values):
        if k > 0:
            file.write(between)
        file.write(str(v))
    file.write("\n" if end is None else end)
    if flush:
        file.flush()


class redirect_stdout:  # the library's name
    def __init__(self, new_target: Any) -> None:
        self._new_target = new_target
        self._entered = False

    def __enter__(self) -> Any:
        if self._entered:
            raise UnsupportedError("a redirect_stdout that is entered while it is entered")
        self._entered = True
        self._old_target = sys.stdout
        sys.stdout = self._new_target
        return self._new_target

    def __exit__(self, *excinfo: Any) -> None:
        self._entered = False
        sys.stdout = self._old_target


class redirect_stderr:  # the library's name
    def __init__(self, new_target: Any) -> None:
        self._new_target = new_target
        self._entered = False

    def __enter__(self) -> Any:
        if self._entered:
            raise UnsupportedError("a redirect_stderr that is entered while it is entered")
        self._entered = True
        self._old_target = sys.stderr
        sys.stderr = self._new_target
        return self._new_target

    def __exit__(self, *excinfo: Any) -> None:
        self._entered = False
        sys.stderr = self._old_target
