"""Two hundred programs that were not written for Pullback (``tests/foreign``): each gives Python's
value and derivative, or is refused, and none is refused that was not.

A twentieth of them runs in every run, all of them in the campaign "foreign"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests import campaign
from tests.foreign.__main__ import FILES, REFUSED, cases, verdict

PROGRAMS = [
    case for name in FILES for case in cases(name) if campaign.chosen("foreign", case[0], 20)
]


@pytest.mark.parametrize(("title", "f", "args"), PROGRAMS, ids=[title for title, *_ in PROGRAMS])
def test_program(title: str, f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    word, why = verdict(f, args)
    assert word != "wrong", why
    assert (word == "refused") == (title in REFUSED.read_text().split()), why or "no longer refused"
