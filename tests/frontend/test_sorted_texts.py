"""``sorted`` and ``list.sort`` by texts that only the run knows: in Python's order, stable."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness


def counted(xs, words):
    counts = {}
    for w, x in zip(words, xs):
        counts[w] = counts.get(w, 0.0) + x * x
    total = 0.0
    for k, (_, c) in enumerate(sorted(counts.items())):
        total += c * (k + 1)
    return total


def by_key(xs, words):
    pairs = sorted(zip(words, xs), key=lambda p: p[0], reverse=True)
    return sum((k + 1.0) * p[1] ** 2 for k, p in enumerate(pairs))


def grouped(xs, words):
    groups = {}
    for w, x in zip(words, xs):
        groups.setdefault(w, []).append(x)
    total = 0.0
    for k, (_, group) in enumerate(sorted(groups.items(), reverse=True)):
        total += (k + 1) * sum(v * v for v in group) / len(group)
    return total


def in_place(xs, words):
    made = [(w.upper(), x) for w, x in zip(words, xs)]
    made.sort(key=lambda p: (-len(p[0]), p[0]))
    return sum((k + 1.0) * x * x for k, (_, x) in enumerate(made))


def of_a_set(xs, words):
    total = 0.0
    for w in sorted(set(words)):
        total = total * 0.5 + xs[words.index(w)] ** 2
    return total


def of_records(xs, words):
    rows = [{"name": f"{w}{k % 2}", "x": x} for k, (w, x) in enumerate(zip(words, xs))]
    rows = sorted(rows, key=lambda r: r["name"])
    return sum((k + 1.0) * r["x"] ** 2 for k, r in enumerate(rows))


PROGRAMS = [counted, by_key, grouped, in_place, of_a_set, of_records]
LETTERS = "abzAZ\u00e9\u4e00 _"


@pytest.mark.parametrize("f", campaign.part("agreement", PROGRAMS, 2))
@pytest.mark.parametrize("n", [1, 2, 3, 8, 30])
def test_as_in_python(f: Callable[..., Any], n: int) -> None:
    rng = random.Random(n)
    for _ in range(3):
        words = ["".join(rng.choices(LETTERS, k=rng.randrange(4))) for _ in range(n)]
        xs = [rng.uniform(0.5, 2.0) for _ in range(n)]
        want = f(xs, words)
        assert pb.jit(f)(xs, words) == pytest.approx(want, rel=1e-12)
        step = 1e-6
        differences = [
            (f([*xs[:k], xs[k] + step, *xs[k + 1 :]], words)
             - f([*xs[:k], xs[k] - step, *xs[k + 1 :]], words)) / (2 * step)
            for k in range(n)
        ]  # fmt: skip
        for way in campaign.rotated("agreement", f.__name__, ("chad", "dual", "tangent")):
            if way != "tangent":
                slopes = pb.grad(f, method=way)(xs, words)
                np.testing.assert_allclose(slopes, differences, rtol=1e-6, atol=1e-8)
                continue
            along = ([1.0] * n, harness.still(words))
            tangent = pb.jvp(f, (xs, words), along)[1]
            assert tangent == pytest.approx(sum(differences), rel=1e-6, abs=1e-8)


def test_equal_strings_need_not_be_one_object() -> None:
    def made(text: str) -> str:
        return "".join(list(text))

    def first(xs, words):
        return sum(xs) * len(words[0])

    def second(xs, words):
        return sum(xs) * len(words[0]) * 2.0

    for text in ("sorted texts, one", "sorted texts, two", "\u4e00", ""):
        for f in (first, second):
            for words in ([made(text)], [made(text), made("other")]):
                assert pb.jit(f)([1.5], words) == f([1.5], words)
                assert pb.grad(f)([1.5], words) == [f([1.0], words)]
