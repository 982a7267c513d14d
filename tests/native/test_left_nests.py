"""Nests of loops that are left in the middle, as users compile them.

LLVM 22's IndVarSimplify makes wrong code of such nests: the second round of the outer loop here
went beyond the end of what it reads (llvm-project 207744). The pass is not run on loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from pullback.native import compile as compiling


def in_words(words, wanted):
    k = 0
    for word in words:
        for i in range(len(word)):
            letter = word[i]
            for c in ["a", "b"]:
                if c + letter == wanted:
                    return k
                k += 1
    return -1


def in_numbers(counts, values, wanted):
    k = 0
    for n in counts:
        for i in range(int(n)):
            for c in (1.0, 2.0):
                if c * values[i] == wanted:
                    return k
                k += 1
    return -1


def twice(rows, limit):
    total = 0.0
    for row in rows:
        i = 0
        while i < len(row):
            for c in (0.5, 1.5):
                if row[i] * c > limit:
                    break
                total += row[i] * c
            else:
                total += 1.0
            i += 1
        if total > 10.0 * limit:
            break
    return total


PROGRAMS = [
    (in_words, (["hit", "dog"], "zz")),
    (in_words, (["hit", "dog", "a"], "ba")),
    (in_numbers, ([2.0, 1.0, 3.0], [1.0, 2.0, 5.0], 7.5)),
    (in_numbers, ([2.0, 1.0, 3.0], [1.0, 2.0, 5.0], 10.0)),
    (twice, ([[1.0, 2.0], [3.0], [4.0, 0.5]], 3.0)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_as_in_python(
    f: Callable[..., Any], args: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "most", compiling.THOROUGH)
    assert pb.jit(f)(*args) == f(*args)
