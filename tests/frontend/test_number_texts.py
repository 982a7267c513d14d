"""``float(text)`` of texts that only the run knows: Python's floats to the bit, or refused where a
derivative might be lost."""

from __future__ import annotations

import random
import struct
from typing import Any

import pytest

import pullback as pb
from tests.foreign.__main__ import is_right
from tests.frontend.number_texts import PROGRAMS, REFUSED


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case[0].__name__)
def test_as_in_python(case: Any) -> None:
    f, *args = case
    is_right(f, tuple(args))


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_no_derivative_is_lost(f: Any) -> None:
    with pytest.raises(pb.UnsupportedError, match="would lose its derivative"):
        pb.jit(f)(1.3)


def test_every_bit() -> None:
    r = random.Random(3)
    floats = [struct.unpack("d", r.randbytes(8))[0] for _ in range(300)]
    texts = [*map(repr, floats), "-0.0", "0", "-nan", "  7_000.5 ", "1e-400", "-1e999"]

    def f(texts: list[str]) -> list[float]:
        return [float(t) for t in texts]

    found, wanted = pb.jit(f)(texts), f(texts)
    assert [struct.pack("d", v) for v in found if v == v] == [
        struct.pack("d", v) for v in wanted if v == v
    ]
    assert [v == v for v in found] == [v == v for v in wanted]
