"""Texts of values that only the run knows are Python's own: compared, kept, joined, returned."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.frontend.python import symbols

# ruff: noqa: UP031, UP032  # the older spellings are what is tested


def formats(x: Any) -> Any:
    return x * 2, f"{x!r:>10}|{x:+.3e}|{x:,}|{np.float64(x)}|{[x, 1]}|{(x,)}|{x > 1}|{int(x):04d}"


def older_spellings(x: Any) -> Any:
    a = np.array([x, 2 * x])
    return x * x, "%s %.2f %d%%" % ("a", x, 3), "v={} {w}".format(x, w=x + 1), f"{a}", str(a.sum())


def collected(x: Any) -> Any:
    log, line = [], ""
    for k in range(int(x) + 2):
        log.append((k, f"{k}:{x:.1f}"))
        line += f"{k};"
    return x * len(log), log, line, ",".join([str(k) for k in range(int(x))])


def compared(x: Any) -> Any:
    shown = f"{x:.1f}"
    if shown.startswith("1") and not shown.endswith("8"):
        return x * 10.0
    return x * x if shown < "2" else x


def parts(x: Any) -> Any:
    name = "ab" if x > 1.1 else "c"
    found = name in "abc", name in "acb", "b" in name
    return x * len(name), found, name.upper(), name[0], name[::-1], name + "!" + name * 2


def characters(x: Any) -> Any:
    total, number, sign = 0.0, 0, 1
    for c in "3+42-5" if x > 1.1 else "17-2":
        if c.isdigit():
            number = number * 10 + int(c)
        elif c in "+-":
            total, number = total + sign * number * x, 0
            sign = -1 if c == "-" else 1
    return total + sign * number * x


def keys(x: Any) -> Any:
    table: dict[str, float] = {}
    for k in range(4):
        table[f"n{k % 2}"] = table.get(f"n{k % 2}", 0.0) + x * k
    return table["n0"] + 2 * table["n1"] * x, "".join(table)


def memo_by_text(x: Any) -> Any:
    memo: dict[str, float] = {}

    def fib(n: int) -> float:
        key = f"k{n}"
        if key not in memo:
            memo[key] = x if n < 2 else fib(n - 1) + x * fib(n - 2)
        return memo[key]

    return fib(6)


def heap(x: Any) -> Any:
    waiting: list[tuple[float, str]] = []
    for k, name in enumerate(["d", "a", "c", "b"]):
        heapq.heappush(waiting, (x * (k % 2), name))
    order, total = [], 0.0
    while waiting:
        cost, name = heapq.heappop(waiting)
        order.append(name)
        total += cost * len(order)
    return total, order


@dataclass
class Named:
    name: str
    v: float


def objects(x: Any) -> Any:
    best = max([Named(f"p{k}", x * k) for k in range(3)], key=lambda p: (p.v, p.name))
    return best.v * x, best.name


def not_a_number(x: Any) -> Any:
    try:
        return x * int(f"{x:.1f}" if x > 1.1 else "12")
    except ValueError as error:
        print("bad", error)
        return -x * x


def in_an_error(x: Any) -> Any:
    message = f"x={x:.3f}"
    if x > 2:
        raise ValueError(message + "!")
    return x * len(message)


PROGRAMS: list[Callable[[Any], Any]] = [
    formats, older_spellings, collected, compared, parts, characters, keys, memo_by_text, heap,
    objects, not_a_number, in_an_error,
]  # fmt: skip


def outcome(f: Callable[[Any], Any], x: float) -> str:
    try:
        return repr(f(x))
    except ValueError as error:
        return f"{type(error)} {error}"


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_in_python(f: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]) -> None:
    compiled = pb.jit(f)

    def number(x: Any) -> Any:
        made = f(x)
        return made[0] if isinstance(made, tuple) else made

    runs = [pb.value_and_grad(number), pb.value_and_grad(number, method="dual")]
    for x in (0.62, 1.23, 1.77, 3.18):
        wanted, shown = outcome(f, x), capsys.readouterr().out
        assert (outcome(compiled, x), capsys.readouterr().out) == (wanted, shown)
        if "ValueError" in wanted:
            continue
        h = 1e-6
        slope = (number(x + h) - number(x - h)) / (2 * h)
        capsys.readouterr()
        for run in runs:
            value, gradient = run(x)
            assert value == number(x)
            capsys.readouterr()
            assert math.isclose(gradient, slope, rel_tol=1e-6, abs_tol=1e-6)


def test_a_float_of_a_text_would_lose_its_derivative() -> None:
    with pytest.raises(pb.PullbackError, match="lose its derivative"):
        pb.grad(lambda x: float(str(x)) * x)(2.0)


def grown(x: Any, n: int) -> Any:
    text, other = "", ""
    for k in range(n):
        text += "ab" + "c"
        other = f"{other}ab{'c'}"
        text = f"{text}{k % 7}{x:.1f}"
        other = other + str(k % 7) + f"{x:.1f}"
    front = ""
    while len(front) < n:
        front = str(len(front)) + "-" + front
    same = text == other
    return x * len(text) if same else -x, text[:70], text[-70:], front, text.count("ab"), same


def test_texts_that_grow() -> None:
    """Texts that are equal are equal, whatever pieces they were made of."""
    compiled = pb.jit(grown)
    for n in (0, 1, 5, 30, 300):
        assert compiled(1.5, n) == grown(1.5, n)
        assert compiled(1.5, n) == grown(1.5, n)  # again: all these texts are known now


def test_a_text_that_grows_is_kept_by_its_pieces() -> None:
    """A text is written out when it is asked for; until then it is its two halves, so the pieces
    take as much room as Python's text takes, and not one room for each of its beginnings."""

    def text(x: float, n: int) -> float:
        s = ""
        for k in range(n):
            s += f"<{k}>"
        return x * len(s)

    compiled = pb.jit(text)
    before, n = set(symbols.STRINGS), 5000
    assert compiled(1.0, n) == text(1.0, n)
    new = set(symbols.STRINGS) - before
    assert sum(len(symbols.STRINGS[number]) for number in new) < 20 * n


@pytest.mark.parametrize("seed", range(40))
def test_the_number_of_a_text_is_that_of_its_pieces(seed: int) -> None:
    chosen = random.Random(seed)
    pieces = [
        "".join(chosen.choices("ab\0\n\U0001f600\ud800", k=chosen.choice((0, 1, 3, 40))))
        for _ in range(chosen.randrange(13))
    ]
    fold = chosen.randrange(6)
    whole = "".join(pieces)
    number = symbols.number_of_joined(*pieces)
    left = symbols.number_of_joined("")
    for piece in pieces:
        left = symbols.number_of_joined(left, symbols.number_of_made(piece))
    right = symbols.number_of_joined("")
    for piece in reversed(pieces):
        right = symbols.number_of_joined(piece, right)
    assert number == left == right == symbols.number_of(whole)
    assert symbols.symbol_of(str, number) == whole
    assert symbols.length_of(number) == len(whole)
    other = "".join(pieces[fold:] + pieces[:fold])
    assert (symbols.number_of_joined(*pieces[fold:], *pieces[:fold]) == number) == (other == whole)


def test_texts_with_one_digest_have_two_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among few digests many are the same. The tables are the test's own: its small numbers would
    stand in every program that mentions them."""
    for table in ("NUMBERS", "STRINGS", "JOINED"):
        monkeypatch.setattr(symbols, table, type(getattr(symbols, table))())
    monkeypatch.setattr(symbols, "_PRIME", 61)
    made = [symbols.number_of_joined("one digest " * 9, str(k)) for k in range(40)]
    assert len(set(made)) == 40
    for k, number in enumerate(made):
        assert symbols.symbol_of(str, number) == "one digest " * 9 + str(k)
        assert symbols.number_of("one digest " * 9 + str(k)) == number
