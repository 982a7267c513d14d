"""Entries and functions of very many arguments: LLVM gets text that it compiles in linear time, and
what goes through memory then is what went in registers before."""

from __future__ import annotations

import re
from typing import Any

import pytest

import pullback as pb
from pullback.native import compile as compiling
from pullback.native.convention import ARGUMENTS

Table = dict[str, Any]


def table(n: int) -> Table:
    """Floats, and among them one integer and one truth, which end a row of floats."""
    d: Table = {f"k{k}": 0.5 * k - 3.0 for k in range(n)}
    return {**d, f"k{n // 3}": 7, f"k{n // 2}": True}


def total(d: Table) -> float:
    s = 0.0
    for k in d:
        s += d[k] * d[k]
    return s


def descend(d: Table, n: int) -> float:
    if n == 0:
        return d["k1"] * d["k2"]
    return d["k3"] * n + d["k100"] + descend(d, n - 1)


def test_values_and_gradients() -> None:
    d = table(n := ARGUMENTS + 60)
    assert pb.jit(total)(d) == total(d)
    assert pb.jit(descend)(d, 4) == descend(d, 4)
    by_total, by_descend = pb.grad(total)(d), pb.grad(descend)(d, 4)
    reals = [k for k, v in d.items() if isinstance(v, float)]
    assert len(reals) == n - 2
    assert {k: by_total[k] for k in reals} == {k: 2.0 * d[k] for k in reals}
    want = {"k1": d["k2"], "k2": d["k1"], "k3": 10.0, "k100": 4.0}
    assert {k: by_descend[k] for k in reals} == {k: want.get(k, 0.0) for k in reals}


def test_other_classes_in_a_row_of_floats() -> None:
    compiled, d = pb.jit(total), {f"k{k}": 0.5 * k for k in range(64)}
    assert compiled(d) == total(d)
    for k in (0, 31, 63):
        other = {**d, f"k{k}": k + 1}
        assert compiled(other) == total(other)
    assert compiled(d) == total(d)


def test_text_that_llvm_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few lines for each argument and each result, and no call of many arguments."""
    texts: list[str] = []
    real = compiling.link_text

    def seen(text: str, *given: Any, **named: Any) -> compiling.Linked:
        texts.append(text)
        return real(text, *given, **named)

    monkeypatch.setattr("pullback.native.module.link_text", seen)
    lines = []
    for n in (2 * ARGUMENTS, 4 * ARGUMENTS):
        d = {f"k{k}": 0.5 * k for k in range(n)}
        assert pb.grad(total)(d)["k1"] == 1.0
        lines.append(texts[-1].count("\n"))
        calls = re.findall(r" call .*\((.*)\)", texts[-1])
        assert calls and max(call.count(",") for call in calls) < 10, n
    assert lines[1] - lines[0] <= 10 * 2 * ARGUMENTS
