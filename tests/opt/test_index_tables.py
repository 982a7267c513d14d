"""What depends on few indices of a nest is computed once for these, and its errors are Python's."""

import math

import numpy as np
import pytest

import pullback as pb
from tests.opt.test_stores import A, X, check

L = np.array([[0.3, -0.7, 1.1], [0.2, 0.5, -1.4], [1.0, 0.1, 0.6], [0.4, -0.2, 0.9]])


def packed(x, a):
    """A triangle whose part below the diagonal is packed."""
    s = 0.0
    d = a.shape[1]
    for i in range(len(a)):
        far = 0.0
        for r in range(d):
            y = math.exp(x[r]) * a[i, r]
            for c in range(r):
                y += x[c * (2 * d - c - 1) // 2 + r - c - 1] * a[i, c]
            far += y * y
        s += math.log(1.0 + far)
    return s


def upwards(x, a):
    s = 0.0
    n, m = a.shape
    for i in range(n):
        t = 1.0
        for r in range(m):
            for c in range(r + 1):
                t += a[i, c] * np.sin(x[r] * x[c]) / (1.0 + (r * 3 + c * c) // 2)
            for c in range(r + 1, m):
                t += a[i, c] * math.sqrt(x[r] * x[r] + 1.0 + (r * c + c) % 3)
        s += t * t
    return s


def of_one_index(x, a):
    return sum(
        max(a[i, j] * math.exp(x[j]) + math.cos(x[k] * 2.0 + k % 2) for j in range(a.shape[1])
            for k in range(len(x)))
        for i in range(len(a))
    )  # fmt: skip


def in_branches_too(x, a):
    s = 0.0
    for i in range(len(a)):
        t = 0.0
        for j in range(a.shape[1]):
            e = math.exp(x[j]) * 0.5
            if a[i, j] > 0.0:
                t += e * a[i, j] + math.exp(-x[j])
            else:
                t -= e
        s += t * t
    return s


@pytest.mark.parametrize("f", [packed, upwards, of_one_index, in_branches_too])
def test_tables(f) -> None:
    assert "table" in pb.show(f, X, A, stage="index tables")
    check(f, X, A)
    for n in (0, 1):
        check(f, X, A[:n])
    if f is not of_one_index:
        check(f, X, A[:, :0])


# --- errors ---------------------------------------------------------------------------------------


def several_errors(x, a, index):
    s = 0.0
    for i in range(len(a)):
        t = 0.0
        for r in range(len(index)):
            t += math.exp(x[r]) * a[i, 0]
            for c in range(r):
                t += x[index[c] * 2 // 1 + r * (r + 1) // 2 - r] * a[i, c]
        s += math.log(t)
    return s


CASES = [
    ([0.5, 0.1, 0.2, 0.3], 4, [0, 0, 0]),
    ([0.5, 900.0, 0.2, 0.3], 4, [0, 9, 0]),  # exp before the index
    ([0.5, 0.1, 900.0, 0.3], 4, [9, 9, 0]),  # the index before exp
    ([0.5, 0.1, 900.0, 0.3], 4, [-9, 0, 0]),
    ([0.5, 0.1, 0.2, 0.3], 4, [-1, -2, 0]),  # from the end
    ([0.5, 900.0, 0.2, 0.3], 0, [0, 9, 0]),  # no rounds
    ([-0.5, -900.0, -0.2, 0.3], 4, [0, 0, 0]),
    ([0.5, 0.1, 0.2, 0.3], 1, [0, 2**62, 0]),  # an int that is too large for the array
    ([900.0, 0.1, 0.2, 0.3], 2, []),
]


@pytest.mark.parametrize(("x", "rows", "index"), CASES)
@pytest.mark.parametrize("sign", [1.0, -1.0])  # the last round, or the first, has no logarithm
def test_the_first_error_of_the_program(x, rows, index, sign) -> None:
    a = np.abs(L[:rows]) * sign
    a[-1:] = np.abs(a[-1:])
    args = np.array(x), a, np.array(index, dtype=np.int64)
    for f in (pb.jit(several_errors), pb.grad(several_errors)):
        try:
            expected = several_errors(*args)
        except (OverflowError, IndexError, ValueError) as e:
            with pytest.raises(type(e)) as found:
                f(*args)
            assert str(found.value).split("\n")[0] == str(e)
        else:
            result = f(*args)
            assert np.ndim(result) or abs(result - expected) <= 1e-12 * (1.0 + abs(expected))
