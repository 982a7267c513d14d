"""Programs that raise something while they handle something else, without ``raise``."""

from __future__ import annotations


class Leaves:
    """A manager whose end may raise."""

    def __init__(self, k: int) -> None:
        self.k = k

    def __enter__(self) -> int:
        return self.k

    def __exit__(self, *_: object) -> bool:
        if self.k > 2:
            raise KeyError("exit", self.k)
        return False


def divides(x: float, n: int) -> float:
    if n > 2:
        return x / (n - n)
    return x + 1.0


def catches(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError:
        return x + 0.5


def by_assert(x: float, n: int) -> float:
    try:
        return [x, x][n]
    except IndexError:
        assert n < 2, "none"
        return x


def by_an_index(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError:
        return [x, x][n]


def by_a_helper(x: float, n: int) -> float:
    d = {n: x}
    try:
        return d[n + 1]
    except KeyError:
        x = catches(x, n)
        return divides(x, n)


def by_an_exit(x: float, n: int) -> float:
    with Leaves(n):
        x = divides(x, n)
    return x


def by_finally(x: float, n: int) -> float:
    xs = [x, x]
    try:
        x = divides(x, n)
    finally:
        x += xs[n]
    return x


def behind_a_return(x: float, n: int) -> float:
    x = catches(x, n)
    for k in range(n):
        x += catches(x, k)
    return divides(x, n)


def behind_a_jump(x: float, n: int) -> float:
    for k in range(2 * n):
        try:
            x = divides(x, k)
        except ZeroDivisionError:
            if k == 3:
                continue
            break
    return [x, x][n]


def in_clauses_of_clauses(x: float, n: int) -> float:
    try:
        try:
            x = divides(x, n)
        except ZeroDivisionError:
            x = [x, x][n]
        finally:
            x = catches(x, n)
    except IndexError as e:
        try:
            assert x < 0.0
        except AssertionError:
            raise e
    return x


RAISED_MEANWHILE = [
    by_assert, by_an_index, by_a_helper, by_an_exit, by_finally, behind_a_return, behind_a_jump,
    in_clauses_of_clauses,
]  # fmt: skip
