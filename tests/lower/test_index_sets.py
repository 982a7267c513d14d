"""Loops are divided where a comparison of their index with a number changes its truth: for every
place of such seams, beside Python's own loops, whole and in chunks on threads."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import pullback as pb
from pullback.core.thresholds import LIMITS

SIZES = (0, 1, 2, 7, 8, 9, 17, 40)
FAR = 2**63 - 1
CUTS = (0, 1, 2, 8, 13, 16, 40, 41, -1, -3, FAR, -FAR, FAR - 3)


def below(a, b, k):
    return [a[i] if i < k else b[i] * 2.0 for i in range(len(a))]


def above(a, b, k):
    return [a[i] if i + 3 >= k else b[i] * 2.0 for i in range(len(a))]


def backwards(a, b, k):
    return [a[i] if len(a) - 1 - i <= k else b[i] * 2.0 for i in range(len(a))]


def at_one_place(a, b, k):
    return [a[i] * b[i] if i - 2 == k else b[i] * 2.0 for i in range(len(a))]


def at_none(a, b, k):
    return [a[i] * b[i] if k != 5 - i else b[i] * 2.0 for i in range(len(a))]


def in_a_window(a, b, k):
    return [a[i] if k <= i < k + 5 or i == 1 else b[i] * 2.0 for i in range(len(a))]


def three_parts(a, b, k):
    out = []
    for i in range(len(a)):
        if i < k:
            out.append(a[i] * 3.0)
        elif not i <= k + 4:
            out.append(b[i] * a[i])
        else:
            out.append(b[i])
    return out


def many_parts(a, b, k):
    out = []
    for i in range(len(a)):
        if i == 0:
            out.append(a[i] * 3.0)
        elif i == k:
            out.append(b[i] * a[i])
        elif i == k + 3:
            out.append(b[i])
        elif i > 20:
            out.append(a[i])
        elif i > 25:
            out.append(-a[i])
        else:
            out.append(a[i] + b[i])
    return out


PROGRAMS = (
    below, above, backwards, at_one_place, at_none, in_a_window, three_parts, many_parts,
)  # fmt: skip


def runs():
    rng = np.random.default_rng(1)
    for n, k in itertools.product(SIZES, CUTS):
        yield rng.normal(size=n), rng.normal(size=n), k


def loss_of(f):
    def loss(a, b, k):
        total = 0.0
        for v in f(a, b, k):
            total += v * v
        return total

    return loss


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_wherever_the_seam_is(f):
    array = pb.jit(lambda a, b, k: np.array(f(a, b, k)))
    loss = loss_of(f)
    slopes = pb.grad(loss, argnums=(0, 1))
    for a, b, k in runs():
        if f in (three_parts, many_parts, in_a_window) and abs(k) > 2**62:
            continue  # k + 4 does not fit in an integer of 64 bits
        expected = f(a, b, k)
        assert array(a, b, k).tolist() == expected
        of_a, of_b = slopes(a, b, k)
        for i in range(len(a)):
            step = np.zeros(len(a))
            step[i] = 1e-5
            for slope, up, down in (
                (of_a, (a + step, b), (a - step, b)), (of_b, (a, b + step), (a, b - step)),
            ):  # fmt: skip
                if len(a) > 9 and i not in (0, 1, 16, k, k + 3, len(a) - 1):
                    continue
                difference = (loss(*up, k) - loss(*down, k)) / 2e-5
                assert slope[i] == pytest.approx(difference, rel=1e-6, abs=1e-8)


def joined(m, v, k):
    rows = np.concatenate((m, np.vstack((v, v * v)), m[:k]))
    return np.sum(np.hstack((rows, rows[:, :2] * 3.0)) * np.roll(rows[:1], 2, axis=1).sum())


def bordered(m, v, k):
    out = np.pad(m, ((1, 2), (k, 1)))
    return np.sum(np.roll(out, (k, -1), (0, 1)) * out) + np.sum(np.gradient(v) ** 2)


@pytest.mark.parametrize("f", [joined, bordered])
@pytest.mark.parametrize("chunked", [False, True])
def test_arrays_with_seams(f, chunked, monkeypatch):
    if chunked:
        for name in ("worth", "body", "cell"):
            monkeypatch.setattr(LIMITS, name, 1 if name == "worth" else 0)
    rng = np.random.default_rng(2)
    for rows, columns, k in ((1, 2, 0), (3, 5, 2), (4, 17, 3), (40, 33, 7)):
        m, v = rng.normal(size=(rows, columns)), rng.normal(size=columns)
        assert pb.jit(f)(m, v, k) == pytest.approx(f(m, v, k), rel=1e-12)
        pb.check_grads(lambda m, v: f(m, v, k), (m, v))


def test_errors_come_in_the_order_of_the_rounds():
    def checked(a, b, k):
        out = np.zeros(len(a))
        for i in range(len(a)):
            if i < k:
                out[i] = a[i] / b[2 * i]
            else:
                if a[i] < 0.0:
                    raise ValueError(i)
                out[i] = 1.0
        return out

    a = np.ones(30)
    a[[17, 20]] = -1.0
    with pytest.raises(ValueError, match="17"):
        pb.jit(checked)(a, a, 12)
    with pytest.raises(IndexError):
        pb.jit(checked)(a, a[:20], 12)
    with pytest.raises(IndexError):
        pb.jit(checked)(a, a, 19)


def test_the_pieces_read_and_write_without_masks(capsys):
    def stencil(a):
        out = np.zeros(len(a))
        for i in range(len(a)):
            if i == 0:
                out[i] = a[0]
            elif i == len(a) - 1:
                out[i] = 2.0 * a[i]
            else:
                out[i] = a[i - 1] - 2.0 * a[i] + a[i + 1]
        return out

    for f in (
        stencil,
        lambda a: np.concatenate((a, a[:3] * a[0], np.exp(a))),
        lambda a: np.roll(a, 3),
        lambda a: np.pad(a, 2),
        lambda a: np.tile(a, 3),
        lambda a: np.gradient(a),
    ):
        pb.show(pb.jit(f), np.ones(40), stage="loop")
        text = capsys.readouterr().out
        assert "leader" not in text and "x8" in text
