"""Strings that only the run knows: their parts, what divides them, characters and their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests.foreign.__main__ import is_right


def longest_palindrome(s):
    best = ""
    for i in range(len(s)):
        for j in range(i, len(s) + 1):
            part = s[i:j]
            if part == part[::-1] and len(part) > len(best):
                best = part
    return best


def pieces(s, n):
    return [s[i : i + n] for i in range(0, len(s), n)]


def ends(s, n):
    k = n + len(s) - len(s)
    return s[:k].upper(), s[k:], s[-k:], s[::k]


def turned(s, n):
    return s if n == 0 else turned(s[1:] + s[0], n - 1)


def counted_words(s, n):
    out = {}
    for word in (s * n).split():
        out[word] = out.get(word, 0) + 1
    return out


def numbers_of_a_text(x, n):
    a, b = f"{n},{n + 1}".split(",")
    return x * int(a) + x ** int(b)


def parts(s, n):
    t = s + "=" * n
    return t.partition("="), t.rpartition("=")[0], t.rsplit("=", 1), (t + "\n" + s).splitlines()


def follows(pattern, s):
    """Whether the letters of a pattern stand for pieces of a string."""
    if len(pattern) == 0 or len(s) == 0:
        return len(pattern) == len(s)
    for end in range(1, len(s) - len(pattern) + 2):
        if pattern[0] != s[end - 1] and follows(pattern[1:], s[end:]):
            return True
    return False


def by_functions(s, x):
    words = sorted(map(str.strip, s.split(",")), key=str.lower)
    digits = [len(list(filter(str.isdigit, word))) for word in words]
    return words, digits, max(words, key=str.upper), float.is_integer(x), x * digits[0]


def alphabet(n):
    return "".join(chr(ord("a") + k) for k in range(n))


def shifted(s, n):
    return "".join(chr((ord(c) - 97 + n) % 26 + 97) for c in s)


def decoded(s):
    stack, number, text = [], 0, ""
    for c in s:
        if c == "[":
            stack.append((text, number))
            text, number = "", 0
        elif c == "]":
            before, times = stack.pop()
            text = before + times * text
        elif c.isdigit():
            number = number * 10 + int(c)
        else:
            text += c
    return text


def place(s, word):
    try:
        return (s + "!").index(word)
    except ValueError as error:
        return len(str(error))


def known_pieces(x):
    a, b = "2.5 4".split(" ")  # noqa: SIM905  # meant
    return x * float(a) + int(b)


PROGRAMS = [
    (longest_palindrome, ("xabcbay",)),
    (pieces, ("abcdefg", 3)),
    (ends, ("abcdef", 2)),
    (turned, ("abc", 2)),
    (counted_words, ("a b a ", 2)),
    (numbers_of_a_text, (2.0, 2)),
    (parts, ("a=b", 2)),
    (alphabet, (5,)),
    (shifted, ("xyz", 3)),
    (decoded, ("3[a2[c]]",)),
    (place, ("abc", "c!")),
    (place, ("abc", "d")),
    (known_pieces, (2.0,)),
    (follows, ("abab", "redblueredblue")),
    (by_functions, ("b1, a22 ,C", 2.0)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_value_and_derivative(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    is_right(f, args)


def character(n):
    return chr(n)


def number(s, n):
    return ord((s * n)[:n])


def empty_separator(s, n):
    return (s * n).split("" * n)


def beyond(s, k):
    return (s + "z")[k]


def first_letter_of_nothing(n):
    return 1.0 if n > 3.0 else n * len(""[0])


@pytest.mark.parametrize(
    ("f", "args"),
    [(character, (-1,)), (character, (1114112,)), (character, (2**40,)), (number, ("ab", 2)),
     (empty_separator, ("a", 2)), (beyond, ("ab", 3)), (first_letter_of_nothing, (1.0,))],
)  # fmt: skip
def test_errors_are_python_s(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with pytest.raises(Exception) as expected:
        f(*args)
    with pytest.raises(type(expected.value)) as raised:
        pb.jit(f)(*args)
    assert str(raised.value) == str(expected.value)
