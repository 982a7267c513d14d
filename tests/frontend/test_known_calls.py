"""Dates, fractions, patterns and texts that are known: Python computes them when the program is
compiled."""

from __future__ import annotations

import collections
import re
from datetime import date, datetime, timedelta
from fractions import Fraction

import pytest

import pullback as pb
from tests.foreign.__main__ import is_right

START = date(2020, 1, 1)
PATTERN = re.compile(r"(\d+)-(\d+)")


def days(x):
    return x * (date(2020, 3, 1) - START).days + x * START.year + START.toordinal()


def durations(x):
    d = START + timedelta(days=31)
    hours = timedelta(days=2, hours=3).total_seconds() / timedelta(hours=1).total_seconds()
    return x * d.month + hours * x * d.timetuple().tm_yday + (datetime(2020, 1, 2) > datetime.min)


def patterns(x):
    found = re.match(r"(\d+)", "12a")
    if found is None:
        return x
    numbers = [int(w) for w in re.split(r",\s*", "1, 2,3")]
    return x * int(found.group(1)) + int(PATTERN.match("12-34").group(2)) * sum(numbers) * x


def fractions(x):
    third = Fraction(1, 3)
    rounded = round(Fraction(7, 2))
    return third * x + x / Fraction(1, 2) - float(third + 1) * x + abs(-third) * rounded


def letters(x):
    total = x * int("ff", 16) * len(chr(97) + bin(5)) + len("ab" * 3)
    total += len("%d items" % 3)  # noqa: UP031  # it is what is tested
    for c in "abc":
        total += x * (ord(c) - ord("a"))
    return total


def sorted_days(x):
    many = [date(2020, k, 1) for k in (1, 5, 3)]
    return x * sorted(many)[1].month + x * max(many).month + x * (START in many)


WORD = b"abz"


def known_bytes(x):
    h, s = 0, 0.0
    for c in WORD:
        h = (h * 31 + c) % 997
    for k, c in enumerate(b"ab"):
        s += k * c
    first, *rest = WORD
    told = 97 in WORD, b"bz" in WORD, b"c" in WORD, 5 in WORD, WORD == b"abz", WORD == "abz"
    kinds = isinstance(WORD, bytes) + isinstance(WORD, str) + (1 if b"" else 2)
    try:
        s += WORD[7]
    except IndexError as e:
        s += len(str(e))
    return x * h + s + first + sum(rest) + WORD[-1] + len(WORD[1:]) + max(WORD) + sum(told) + kinds


def made_class(x):
    pair = collections.namedtuple("Pair", "a b", defaults=[2.0])
    return pair(x).a * pair(x, x * x).b + pair(x).b


def wrong_month(x):
    try:
        return x * date(2020, 13, 1).year
    except ValueError as e:
        return x * len(str(e))


@pytest.mark.parametrize("f", [
    days, durations, patterns, fractions, letters, sorted_days, made_class, wrong_month,
    known_bytes,
], ids=lambda f: f.__name__)  # fmt: skip
def test_as_in_python(f) -> None:
    is_right(f, (1.5,))


def test_an_argument_is_known_to_the_program_that_is_compiled_for_it() -> None:
    def weekday(x, year, month, word):
        return x * date(year, month, 1).weekday() + x * ord(word)

    f = pb.jit(weekday)
    for given in ((2020, 3, "a"), (2021, 4, "b"), (2020, 3, "c")):
        assert f(1.5, *given) == weekday(1.5, *given)
    with pytest.raises(ValueError, match=r"month must be in 1\.\.12"):
        f(1.5, 2020, 13, "a")


@pytest.mark.parametrize(("f", "reason"), [
    (lambda x: Fraction(x) * 2, "an argument of fractions.Fraction is a float"),
    (lambda x: x + START, "beside a float"),
    (lambda x: x * datetime.now().year, "now is not supported"),
    (lambda x: x * START.today().year, "today is not supported"),
    (lambda x: x * datetime(2020, 1, 1).timestamp(), "timestamp is not supported"),
    (lambda x: x * len(START.strftime("%B")), "strftime is not supported"),
    (lambda x: x * hash(START), "hash is not supported"),
    (lambda x: x * (300 in WORD), "whether bytes have something in them"),
], ids=["float", "with float", "clock", "today", "zone", "language", "hash", "bytes"])  # fmt: skip
def test_refused(f, reason: str) -> None:
    with pytest.raises(pb.PullbackError, match=re.escape(reason)):
        pb.jit(f)(1.5)
