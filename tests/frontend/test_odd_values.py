"""Values where they seldom are: each program is right or refused, and never an internal error."""

import math
import operator

import numpy as np
import pytest

import pullback as pb
from tests.frontend.odd_values import PROGRAMS

RUN = {
    "a_scan_under_a_finally", "a_scan_that_may_raise", "a_deque_that_lacks_what_is_removed",
    "private_names", "private_slots", "private_names_of_a_local_class",
    "a_captured_dataclass_replaced", "slices_in_a_tuple", "functions_in_a_list",
}  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_right_or_refused(f) -> None:
    x, h = 1.5, 1e-6
    try:
        value, slope = pb.value_and_grad(f)(x)
    except pb.InternalError:
        raise
    except pb.PullbackError as refusal:
        assert f.__name__ not in RUN
        assert refusal.site is not None and "odd_values.py" in str(refusal)
        return
    assert value == f(x)
    assert math.isclose(slope, (f(x + h) - f(x - h)) / (2.0 * h), rel_tol=1e-5)


# --- slices -------------------------------------------------------------------------------------


class Row:
    """A class of a user's whose items and slices are asked for."""

    def __init__(self, a) -> None:
        self.a = a

    def __getitem__(self, key):
        return Row(self.a[key]) if isinstance(key, slice) else self.a[key]

    def __setitem__(self, key, value) -> None:
        self.a[key] = value


def taken(a, key):
    return a[key]


def captured(a):
    s = slice(1, None)
    return (lambda: np.sum(a[s]))()


def carried(a):
    s, total = slice(0, 1), 0.0
    for k in range(len(a)):
        total += np.sum(a[s]) * k
        s = slice(0, k)
    return total


def in_lists(a):
    parts = [slice(k, k + 2) for k in range(len(a) - 1)]
    return np.sum(np.array([np.prod(a[p]) for p in parts])) + np.sum(a[parts[-1]])


def handed_on(a):
    s = slice(0, 2) if a[0] > 0.0 else slice(1, 3)
    return taken(a, s).sum() * taken(a, np.s_[::2]).sum() * taken(a, slice(None, -1)).sum()


def of_objects(a):
    row, m = Row(a), Row(np.outer(a, a))
    m[0, 1:] = 3.0
    m[:, 0] *= 2.0
    return row[1:][0] * row[::-1][0] + m[1:].a.sum()


@pytest.mark.parametrize("f", [captured, carried, in_lists, handed_on, of_objects])
def test_slices_are_values(f) -> None:
    a = np.array([0.5, 1.2, 3.7, 2.1])
    np.testing.assert_allclose(pb.jit(f)(a), f(a), rtol=1e-14)
    by_differences = [(f(a + h) - f(a - h)) / 2e-6 for h in 1e-6 * np.eye(4)]
    for method in ("chad", "dual"):
        np.testing.assert_allclose(pb.grad(f, method=method)(a), by_differences, rtol=1e-6)


MIDDLE, BACK, ROUNDS, BLOCK = np.s_[1:3], slice(None, None, -1), range(1, 3), np.s_[1:, ::2]
PARTS, NAMED = [slice(0, 2), slice(3, None)], {"first": slice(0, 2), "back": BACK}
LAYERS = [np.ones((4, 3)), np.ones((3, 2)), np.ones((2, 2))]


class Parted:
    """A class whose objects and which itself hold slices."""

    whole = BACK

    def __init__(self) -> None:
        self.part = MIDDLE

    def __call__(self, a):
        return np.sum(a[self.part] ** 2) * a[self.whole][0]


PARTED = Parted()


def outside(a):
    return np.sum(a[MIDDLE] ** 2) * a[BACK][0] + np.sum(np.outer(a, a)[BLOCK]) * a[MIDDLE][0]


def in_containers(a, of=MIDDLE):
    parts = sum(np.sum(a[p]) ** 2 for p in PARTS) + sum(np.prod(a[r]) for r in [*ROUNDS])
    return parts * np.sum(a[NAMED["first"]]) * a[NAMED["back"]][1] + PARTED(a) + np.prod(a[of])


def put_there(a):
    b = np.copy(a)
    b[MIDDLE] = 2.0 * a[BACK][:2]
    b[BACK] += 1.0
    first, second = b[MIDDLE]
    known = a[slice(*MIDDLE.indices(4))][0]
    return np.sum(b**2) * first * operator.itemgetter(MIDDLE)(b)[1] + known * second


def rounds(a):
    h = np.sin(a)
    for k in range(2):
        h = np.tanh(h @ LAYERS[k])
    for k in ROUNDS:
        h = h * a[k]
    return np.sum(h) * len(ROUNDS) * ROUNDS[0] + np.sum(a[ROUNDS]) * (2 in ROUNDS)


@pytest.mark.parametrize("f", [outside, in_containers, put_there, rounds])
def test_slices_and_ranges_are_captured(f) -> None:
    test_slices_are_values(f)
    a, d = np.array([0.5, 1.2, 3.7, 2.1]), np.array([1.0, -2.0, 0.5, 0.3])
    slope = pb.grad(f)(a) @ d
    np.testing.assert_allclose(pb.jvp(f, (a,), (d,))[1], slope, rtol=1e-12)


def test_slices_are_arguments() -> None:
    def f(a, parts, named):
        total = np.sum(a[named["k"]]) ** 2
        for p in parts:
            total = total + np.sum(a[p] ** 3)
        return total

    a = np.array([0.5, 1.2, 3.7, 2.1])
    for parts in ([], [MIDDLE], PARTS, tuple(PARTS), (BACK, MIDDLE), [slice(np.int64(1), None)]):
        for k in (BACK, MIDDLE):
            assert math.isclose(pb.jit(f)(a, parts, {"k": k}), f(a, parts, {"k": k}))
            by_hand = sum((3.0 * _at(p) * a**2 for p in parts), 2.0 * np.sum(a[k]) * _at(k))
            for method in ("chad", "dual"):
                found = pb.grad(f, method=method)(a, parts, {"k": k})
                np.testing.assert_allclose(found, by_hand, rtol=1e-12)
    with pytest.raises(pb.PullbackError, match=r"a slice with the step 0\.5"):
        pb.jit(lambda a, s: a[s])(a, slice(0, 1, 0.5))


def _at(part: slice) -> np.ndarray:
    ones = np.zeros(4)
    ones[part] = 1.0
    return ones


def test_a_slice_that_is_changed_is_seen() -> None:
    a = np.array([0.5, 1.2, 3.7, 2.1])
    compiled = pb.jit(PARTED.__call__)
    try:
        for part in (slice(0, 2), slice(1, 4), slice(3, 0, -1), slice(0, 4, 2), slice(None)):
            PARTED.part = part
            np.testing.assert_allclose(compiled(a), PARTED(a), rtol=1e-14)
    finally:
        PARTED.part = MIDDLE


def test_slices_have_bounds_and_leave() -> None:
    def f(n):
        s = slice(1, n)
        found = s.start, s.stop, s.step, s == slice(1, 3), s.indices(2), f"{s}"
        known = isinstance(s, slice), isinstance(range(n), range)
        return found, [s, slice(None)], (s, 2), known

    assert pb.jit(f)(3) == f(3)


# --- dicts of hundreds of keys --------------------------------------------------------------------


def by_key(d, keys):
    s = 0.0
    for k in keys:
        s += d[k] ** 2
    return s


@pytest.mark.parametrize("key", [str, lambda i: 7 * i - 300])
def test_dicts_of_hundreds_of_keys_are_read_by_key(key) -> None:
    keys = [key(i) for i in range(60)]
    d = {k: 1.0 + i for i, k in enumerate(keys)}
    g = pb.grad(by_key)(d, keys[::2])
    assert [g[k] for k in keys] == [0.0 if i % 2 else 2.0 + 2 * i for i in range(60)]
    assert pb.jit(by_key)(d, keys) == by_key(d, keys)
    for missing in (key(60), key(-1)):
        with pytest.raises(KeyError):
            pb.jit(by_key)(d, [keys[0], missing])
    f = pb.jit(lambda d, ks: sum(d.get(k, -1.0) for k in ks))
    assert f(d, [keys[3], missing, keys[-1]]) == 4.0 - 1.0 + 60.0


def test_values_of_several_kinds_are_looked_up_too() -> None:
    d = {i: 0.5 * i if i % 2 else i for i in range(40)}
    f = lambda d, ks: sum(d[k] for k in ks)
    assert pb.jit(f)(d, [1, 4, 39]) == f(d, [1, 4, 39])
    e = {i: np.full(2, 1.0 + i) for i in range(40)}
    h = lambda d, ks: sum(np.sum(d[k]) for k in ks)
    assert pb.jit(h)(e, [1, 4, 39]) == h(e, [1, 4, 39])


def test_values_of_hundreds_of_keys() -> None:
    d = {f"w{i}": 1.0 * i for i in range(300)}
    g = pb.grad(lambda d: sum(v * v for v in d.values()))(d)
    assert g["w7"] == 14.0


def test_messages_show_the_first_keys() -> None:
    d = {f"w{i}": 1.0 * i for i in range(200)}
    with pytest.raises(pb.PullbackError) as caught:
        pb.jit(lambda d: math.sin(d))(d)
    assert "'w7', ... (200 keys)" in str(caught.value) and "w9" not in str(caught.value)


# --- messages run no code of the user's -----------------------------------------------------------


class Silent:
    def __init__(self):
        self.k = 2.0

    def __repr__(self):
        raise TypeError("no repr")

    def go(self, a, b, c, d, e, g, h):
        return self.k * (a + b + c + d + e + g + h)


def test_objects_whose_repr_fails() -> None:
    m = Silent()
    assert pb.jit(m.go)(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0) == 56.0
    assert pb.grad(m.go, 6)(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0) == 2.0
    with pytest.raises(TypeError, match="not to a Silent"):
        pb.grad(m)
    with pytest.raises(TypeError, match="Silent"):
        pb.vjp(lambda x: x * 2.0, 1.0)[1](m)
    with pytest.raises(TypeError, match="Silent"):
        pb.jvp(lambda x: x * 2.0, m, (1.0,))
    with pytest.raises(pb.PullbackError, match="Silent"):
        pb.jit(lambda x: x[m])(np.ones(2))
