"""Programs that try what a number, tuple or text cannot do, and do something else then."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

TRIED: list[Callable[[float], Any]] = [
    lambda x: x[0], lambda x: x["a"], lambda x: x[:2], lambda x: np.sin(x)[0], lambda x: len(x),
    lambda x: len(np.sin(x)), lambda x: x.any(), lambda x: x(), lambda x: np.sin(x)(),
    lambda x: sum(x), lambda x: max(x), lambda x: list(map(abs, x)), lambda x: sorted(x),
    lambda x: list(zip(x, [1.0], strict=False)), lambda x: list(reversed(x)), lambda x: set(x),
    lambda x: [v for v in x], lambda x: iter(x), lambda x: 1.0 in x, lambda x: ", ".join(x),
    lambda x: math.sin([x]), lambda x: float([x]), lambda x: round((x,)), lambda x: x @ x,
    lambda x: np.sin(x) @ x, lambda x: [x][x], lambda x: [x][np.sin(x)], lambda x: [x].shape,
    lambda x: (x,).shape, lambda x: {"a": x}.shape, lambda x: np.array([x]).values,
    lambda x: np.array([x]).append(x), lambda x: np.sin(x).values, lambda x: (x > 0.0).any(),
    lambda x: (x > 0.0)[0], lambda x: np.array([x])(), lambda x: x.shape,
    lambda x: math.sin(np.array([x, x])), lambda x: float(np.array([x, x])),
    lambda x: np.array([x], copy=False), lambda x: np.array(x, copy=False),
    lambda x: np.array(np.array([x]), dtype=int, copy=False),
]  # fmt: skip


@pytest.mark.parametrize("tried", TRIED)
def test_what_python_raises_is_caught(tried: Callable[[float], Any]) -> None:
    def f(x: float) -> tuple[int, str]:
        try:
            tried(x)
        except TypeError as e:
            return 1, str(e)
        except AttributeError as e:
            return 2, str(e)
        except IndexError as e:
            return 3, str(e)
        except ValueError as e:
            return 4, str(e)
        return 0, ""

    assert pb.jit(f)(0.4) == f(0.4)


def item(x):
    x[0] = 1.0


def item_of_numpys(x):
    np.sin(x)  # the argument itself may be one
    y = np.cos(x)
    y[y > 0.0] = 1.0


def item_of_tuple(x):
    t = (x, x)
    t[0] = 1.0


def item_of_text(x):
    s = "ab"
    s[0] = "c"


def item_in_list(x):
    rows = [x, x]
    rows[0][1] = 2.0


def attribute(x):
    x.unit = 1.0


def attribute_of_list(x):
    rows = [x]
    rows.unit = 2.0


def attribute_of_array(x):
    a = np.array([x, x])
    a.unit = "m"


def deleted(x):
    del x[0]


def deleted_of_tuple(x):
    t = (x, x)
    del t[0]


def by_a_text(x):
    rows = [x]
    rows["a"] = x


def unpacked(x):
    a, b = x
    return a + b


def with_rest(x):
    a, *b = np.sin(x)
    return a, b


def added_to(x):
    x[0] += 1.0


def gone_through(x):
    for _ in x:
        pass


STATEMENTS = [
    item, item_of_numpys, item_of_tuple, item_of_text, item_in_list, attribute, attribute_of_list,
    attribute_of_array, deleted, deleted_of_tuple, by_a_text, unpacked, with_rest, added_to,
    gone_through,
]  # fmt: skip


@pytest.mark.parametrize("tried", STATEMENTS, ids=lambda f: f.__name__)
def test_statements_too(tried: Callable[[float], None]) -> None:
    test_what_python_raises_is_caught(tried)


def as_arrays_or_numbers(x: Any, y: Any) -> Any:
    """The way of pymap3d."""
    east, north = x * y, np.sin(x) - y
    try:
        east[abs(east) < 1e-3] = 0.0
        north[abs(north) < 1e-3] = 0.0
    except TypeError:
        if abs(east) < 1e-3:
            east = 0.0
        if abs(north) < 1e-3:
            north = 0.0
    try:
        far = (east > 1.0).any()
    except AttributeError:
        far = east > 1.0
    return np.hypot(east, north) * (2.0 if far else 1.0)


def test_one_text_for_numbers_and_arrays() -> None:
    for x, y in ((0.4, 2.0), (1.5, 2.0), (1e-5, 2.0)):
        assert pb.jit(as_arrays_or_numbers)(x, y) == as_arrays_or_numbers(x, y)
    pb.check_grads(as_arrays_or_numbers, (0.4, 2.0))
    xs, ys = np.array([0.4, 1e-5]), np.array([2.0, 1.0])
    np.testing.assert_array_equal(
        pb.jit(as_arrays_or_numbers)(xs, ys), as_arrays_or_numbers(xs, ys)
    )


def test_a_mask_of_a_number_of_numpys() -> None:
    def f(x: float) -> Any:
        y = np.sin(x)
        return y[y > 0.0]

    for x in (0.4, -0.4):
        np.testing.assert_array_equal(pb.jit(f)(x), f(x))
    assert pb.grad(lambda x: np.sum(f(x)))(0.4) == np.cos(0.4)


def test_without_a_try_it_is_refused() -> None:
    for f in (lambda x: x[0], lambda x: len(x), lambda x: x.any(), lambda x: sum(x)):
        with pytest.raises(pb.PullbackError, match="'float'"):
            pb.jit(f)(0.4)
