"""The module whose attributes the programs of ``class_state_programs.py`` assign."""

import numpy as np

rate, n, log, other, table = 2.0, 0, [], [1.0], np.ones(2)


def product() -> float:
    return rate * n


def size() -> int:
    return len(log)
