"""Updates in place: NumPy's texts, and arrays without axes, which they change too."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver

ROW, MATRIX = np.ones(3), np.ones((2, 3))


def plus(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        c += b
    return c


def times_matrix(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        c @= b
    return c


def power(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        c **= b
    return c


def row_minus(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        c[0] -= b
    return c


def masked_times(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        c[c > 0.0] *= b
    return c


def gathered_plus(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        c[np.array([0, 1])] += b
    return c


def item_plus(a: Any, b: Any, n: int) -> Any:
    cs = [np.copy(a), np.copy(a)]
    if n > 0:
        cs[1] += b
    return cs[1]


def stored(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        c[:] = b
    return c


def row_stored(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        c[0] = b
    return c


def mask_stored(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        c[c > 0.0] = b
    return c


def gathered_stored(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        c[np.array([0, 1])] = b
    return c


def added_at(a: Any, b: Any, n: int) -> Any:
    c = np.copy(a)
    if n > 0:
        np.add.at(c, np.array([0, 1]), b)
    return c


def two_indices(a: Any, b: Any, n: int) -> Any:
    at = np.arange(a.shape[0]), np.arange(b.shape[0])
    return MATRIX[at]


def together(a: Any, b: Any, n: int) -> Any:
    return np.broadcast_arrays(1.0, a, b)[2]


UPDATES = (plus, power, row_minus, masked_times, gathered_plus, item_plus)
STORES = (stored, row_stored, mask_stored, gathered_stored, added_at)
WRONG: list[tuple[Callable[..., Any], Any, Any]] = [
    *((f, a, b) for f in UPDATES for a, b in [
        (MATRIX, np.ones(4)), (MATRIX, np.ones((4, 3))), (np.ones((2, 1)), MATRIX),
        (ROW, np.ones(2)), (ROW, MATRIX), (MATRIX, np.ones((3, 2, 3))),
    ] if not (f is row_minus and a is ROW)
      and not (f is gathered_plus and b.shape == (2,))
      and not (f is masked_times and b.shape == (3, 2, 3))),
    *((f, a, b) for f in STORES for a, b in [
        (MATRIX, np.ones(4)), (MATRIX, np.ones((1, 4, 3))), (MATRIX, np.ones((4, 2, 3))),
        (ROW, np.ones(2)), (ROW, np.ones((2, 3))), (ROW, np.ones((1, 4))),
    ] if not (f is gathered_stored and b.shape == (2,)) and not (f is added_at and len(b) == 2)),
    (plus, np.float64(1.0), ROW), (power, np.float64(1.0), MATRIX),
    (times_matrix, ROW, ROW), (times_matrix, MATRIX, ROW), (times_matrix, ROW, MATRIX.T),
    (times_matrix, MATRIX, np.ones((3, 2))), (times_matrix, MATRIX, np.ones((2, 3))),
    (two_indices, MATRIX, ROW), (together, MATRIX, np.ones(4)), (together, ROW, np.ones(2)),
]  # fmt: skip
RIGHT: list[tuple[Callable[..., Any], Any, Any]] = [
    (stored, ROW, np.full((1, 3), 2.0)), (stored, MATRIX, np.full((1, 1, 1, 3), 2.0)),
    (row_stored, MATRIX, np.full((1, 3), 2.0)), (gathered_stored, ROW, np.full((1, 2), 2.0)),
    (times_matrix, MATRIX, np.full((3, 3), 2.0)), (together, MATRIX, np.full(3, 2.0)),
]  # fmt: skip


def left_with(f: Callable[..., Any], *args: Any) -> tuple[type, str]:
    with pytest.raises(Exception) as caught:
        f(*args)
    assert not isinstance(caught.value, pb.PullbackError), caught.value
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize("k", range(0, len(WRONG), 15))
def test_texts(k: int) -> None:
    for f, a, b in WRONG[k : k + 15]:
        found = left_with(lambda *args, f=f: driver.run(f, args, tier="eval"), a, b, 1)
        assert found == left_with(f, a, b, 1), (f, a.shape, b.shape)


def test_axes_before_the_others() -> None:
    for f, a, b in RIGHT:
        assert np.array_equal(pb.jit(f)(a, b, 1), f(a, b, 1))
        gradient = pb.grad(lambda b, f=f, a=a: np.sum(f(a, b, 1) ** 2))(b)
        wanted = pb.grad(lambda b, f=f, a=a: np.sum(f(a, b, 1) ** 2), method="dual")(b)
        assert np.array_equal(gradient, wanted) and np.any(gradient != 0.0)


# --- arrays without axes --------------------------------------------------------------------------


def other_name(x: float) -> Any:
    a = np.array(x)
    b = a
    a += x
    return b


def in_a_loop(x: float) -> Any:
    a = np.zeros(())
    b = a
    for k in range(3):
        a += x * k
    return b


def chosen(x: float) -> Any:
    a = np.where(x > 0.0, x, -x)
    b = np.asarray(a)
    if x > 1.0:
        a *= x
    return b * x


def grow(t: Any, x: float) -> None:
    t += x


def handed(x: float) -> Any:
    a = np.full((), x)
    grow(a, x * x)
    return a


def in_an_object(x: float) -> Any:
    d = {"a": np.copy(x), "b": np.array(x)}
    a = d["a"]
    d["a"] *= 3.0
    return a + d["b"]


def in_a_list(x: float) -> Any:
    parts = [np.array(x * k) for k in range(4)]
    for k in range(4):
        parts[k] += x
    return parts[2] * parts[3]


def copied(x: float) -> Any:
    a = np.array(x)
    b = np.array(a)
    a += 1.0
    return b * a


def made_of_it(x: float) -> Any:
    a = np.array(x)
    bs = [+a, copy.copy(a), copy.deepcopy([a])[0], np.float64(a), np.sum(a), abs(a)]
    a += 1.0
    return bs[0] * bs[1] * bs[2] * bs[3] * bs[4] * bs[5]


def single(x: float) -> Any:
    a = np.zeros((), dtype=np.float32)
    a += 1.0 / 3.0
    return np.float64(a) * x


def rebound(x: float) -> Any:
    a = np.array(x)
    b = a
    a = a + x  # a number
    b = b * 2.0
    c = a
    a += x
    return a * c + b


def classes(x: float) -> Any:
    a = np.array(x)
    found = x if isinstance(a, np.ndarray) else 0.0
    return found if isinstance(a, float) else 2.0 * found


def total(x: float) -> Any:
    s = np.zeros(())
    for k in range(3):
        s = s + x * k
        t = s
        s += x
        s = s + t
    return s


class Node:
    def __init__(self, v: Any, rest: Any) -> None:
        self.v, self.rest = v, rest


def linked(x: float) -> Any:
    head = None
    for k in range(4):
        head = Node(np.where(x > k, x * k, x), head)
    other = head
    s = 0.0
    while head is not None:
        s = s + head.v
        head.v = np.where(s > 1.0, s, x)
        head = head.rest
    return s + other.v


WITHOUT_AXES = (other_name, in_a_loop, chosen, handed, in_an_object, in_a_list, copied,
                made_of_it, single,
                rebound, classes, total, linked)  # fmt: skip


@pytest.mark.parametrize("f", WITHOUT_AXES, ids=lambda f: f.__name__)
def test_names_of_one_array(f: Callable[[float], Any]) -> None:
    value, gradient = pb.value_and_grad(f)(1.5)
    assert value == f(1.5)
    assert gradient == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6, rel=1e-6)


def view_of_an_item(x: float) -> Any:
    v = np.array([x, x])
    w = v[0, ...]
    w += 1.0
    return v[0]


def twice_in_a_list(x: float) -> Any:
    a = np.array(x)
    parts = [a, a]
    parts[0] += 1.0
    return parts[1]


def one_of_two(x: float) -> Any:
    a = np.array(x)
    b = a if x > 0.0 else 0.5
    a += 1.0
    return b


@pytest.mark.parametrize("f", [view_of_an_item, twice_in_a_list, one_of_two])
def test_updates_that_others_see(f: Callable[[float], Any]) -> None:
    with pytest.raises(pb.PullbackError, match="update refused"):
        pb.jit(f)(1.5)


def test_texts_show_the_array() -> None:
    def f(x: float) -> float:
        a = np.array(x)
        raise ValueError(f"{a} {a!r}", a)

    with pytest.raises(ValueError) as wanted:
        f(1.5)
    with pytest.raises(ValueError) as found:
        pb.jit(f)(1.5)
    assert repr(found.value) == repr(wanted.value)


def test_round() -> None:
    def f(x: float, n: int) -> Any:
        return round(np.array(x)) if n > 0 else 1.0

    assert left_with(pb.jit(f), 1.5, 1) == left_with(f, 1.5, 1)
