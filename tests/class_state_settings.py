"""The module whose attributes the programs of ``class_state_programs.py`` assign."""

from typing import Any

import numpy as np

rate, n, log, other, table = 2.0, 0, [], [1.0], np.ones(2)
mode, modes = "whole", []


def product() -> float:
    return rate * n


def size() -> int:
    return len(log)


def grown(x: float) -> float:
    """Rebinds and updates what is global here, where it is called from another module."""
    global rate, n
    n += 1
    for k in range(3):
        rate *= x
        if rate > 4.0:
            break
        log.append(rate * k)
    return rate


def kept_in_a_table(x: float, k: int) -> float:
    """Reads and writes a global array, in a recursion and in a function inside of one."""
    global rate

    def again() -> float:
        global n, other
        n, other = n + k, [x, *other]
        return kept_in_a_table(x * x, k - 1)

    rate = rate + x * table[k]
    table[k] += x
    return again() if k else rate


class Mode:
    """Its methods rebind a global variable of this module, and update another one."""

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def __enter__(self) -> Any:
        global mode
        self.before, mode = mode, self.mode
        modes.append(mode)
        return self

    def __exit__(self, *raised: object) -> None:
        global mode
        mode = self.before


def _by_mode(x: float) -> float:
    return x * (3.0 if mode == "half" else 2.0) + len(modes)


def global_in_methods(x: float) -> float:
    with Mode("half"):
        first = _by_mode(x)
    try:
        with Mode("half"):
            raise ValueError(first)
    except ValueError:
        return first * _by_mode(x)
