"""Random functions that call each other, with flags that change on the way, against plain Python.

``PULLBACK_RECURSIONS=500``: so many programs instead of a few."""

import math
import os
import random
from collections.abc import Callable
from typing import Any

import pytest

from pullback.call import driver
from tests.test_rebinding import space

PROGRAMS = int(os.environ.get("PULLBACK_RECURSIONS", "6"))
ARGUMENTS = ((1.3, 4, True), (0.7, 3, False), (5.0, 4, True))
Random = random.Random


def expression(r: Random, k: int, depth: int) -> str:
    """A number made of ``x``, ``n``, ``flag`` and calls of ``k`` functions."""
    c = r.random()
    if depth == 0 or c < 0.25:
        return r.choice(["x", "x * 0.5", "1.5", "2", "n", "x + n"])
    if c < 0.55:
        flag = r.choice(["flag", "not flag", "True", "False", "x > 1.0"])
        return f"f{r.randrange(k)}({expression(r, k, 0)}, n - {r.choice([1, 1, 2])}, {flag})"
    one = expression(r, k, depth - 1)
    if c < 0.7:
        return f"({one} + {expression(r, k, depth - 1)})"
    if c < 0.8:
        test = r.choice(["flag", "x > 1.0", "n > 2"])
        return f"({one} if {test} else {expression(r, k, depth - 1)})"
    if c < 0.9:
        call = f"f{r.randrange(k)}(x * 0.3, n - 2 - j, flag)"
        return f"sum({call} for j in range({r.choice(['2', 'n - 2'])}))"
    return f"max([{one}, x])"


def statement(r: Random, k: int) -> str:
    c = r.random()
    one = expression(r, k, 2 if c < 0.2 else 1)
    if c < 0.2:
        return f"    if {r.choice(['flag', 'n == 2', 'x > 3.0'])}:\n        return {one}\n"
    if c < 0.3:
        return f"    if x > {r.choice([4, 8])}.0:\n        raise ValueError('{r.randrange(9)}')\n"
    if c < 0.45:
        loop = f"    for j in range({r.choice(['2', 'n - 1'])}):\n        t += {one}\n"
        return f"    t = {r.choice(['0', 'x', '0.0'])}\n{loop}    x = x + t * 0.25\n"
    if c < 0.6:
        return f"    if flag:\n        x = {one}\n    else:\n        x = x * 0.5\n"
    return f"    x = {one} * 0.5\n"


def program(seed: int) -> Callable[..., Any]:
    r = Random(seed)
    k, text = r.choice([1, 2, 3]), ""
    for i in range(k):
        base = f"    if n <= 0:\n        return {r.choice(['x', 'x', '1', 'x * 2.0'])}\n"
        body = "".join(statement(r, k) for _ in range(r.choice([0, 1, 2])))
        text += f"def f{i}(x, n, flag):\n{base}{body}    return {expression(r, k, 2)}\n"
    return space(text + "f = lambda x, n, flag=False: f0(x, n, flag)\n")


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (ValueError, OverflowError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_as_in_python(seed: int) -> None:
    f = program(seed)
    for args in ARGUMENTS:
        expected = outcome(lambda args=args: f(*args))
        found = outcome(lambda args=args: driver.run(f, args, tier="eval"))
        if isinstance(expected, tuple):
            assert found == expected
        else:
            assert math.isclose(found, expected, rel_tol=1e-9), (args, found, expected)
