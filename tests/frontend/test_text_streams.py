"""``io.StringIO``, ``print`` to an object, and what stands as ``sys.stdout``."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import pytest

import pullback as pb
from tests.frontend.harness import same


class Tee:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.flushed = 0

    def write(self, s: str) -> int:
        self.pieces.append(s)
        return len(s)

    def flush(self) -> None:
        self.flushed += 1


def noisy(x):
    print("noisy", round(1.5))
    return x * x


def halves(n):
    for k in range(n):
        print("made", k)
        yield k * 0.5


def redirected(x):
    outer, inner = io.StringIO(), io.StringIO()
    print("first")
    with redirect_stdout(outer):
        y = noisy(x)
        with contextlib.redirect_stdout(inner):
            y += sum(v * x for v in halves(3))
        print("again", flush=True)
    print("last", outer.getvalue().count("noisy"))
    return y * len(outer.getvalue()) + inner.getvalue().count('made')


def left_by_an_exception(x):
    buf = io.StringIO()
    y = x
    with contextlib.suppress(ValueError), redirect_stdout(buf):
        print("hidden")
        if x > 0.0:
            raise ValueError("left")
        y = 3.0 * x
    print("shown", buf.getvalue())
    return y * len(buf.getvalue())


def put_back(x):
    old = sys.stdout
    out = Tee() if x > 0.0 else old
    sys.stdout = out
    try:
        print("perhaps")
        print("outside", file=old)
    finally:
        sys.stdout = old
    print("end")
    return x * 2.0


def read_and_written(x):
    b = io.StringIO("one\ntwo\n")
    found = [b.readline(), str(b.tell()), b.read(2), b.read(), b.read()]
    b.seek(0)
    b.write("J")
    b.seek(0, 2)
    b.writelines(["three", "\n"])
    print(1, 2, sep=None, end=None, file=b)
    b.seek(3)
    b.truncate(10)
    b.seek(12)
    b.write("end")
    b.seek(0)
    return x * len(b.getvalue()), found, b.getvalue(), [line.strip() for line in b], b.readlines()


def closed(x):
    with io.StringIO() as b:
        b.write("x")
    b.write("y")
    return x


def pieces_of_print(x):
    tee = Tee()
    print("a", 2, None, file=tee, sep="-", flush=True)
    print(file=tee)
    return x * tee.flushed, tee.pieces


def outside(x):
    with redirect_stdout(KEPT):
        print("kept", 1)
        sys.stdout.write("direct\n")
    print("end")
    return x * 2.0


def left(x):
    if x > 0.0:
        sys.stdout = io.StringIO()
    return x * 2.0


KEPT = io.StringIO()


def said(f: Callable[..., Any], *args: Any) -> tuple[Any, str, str]:
    """Return what a call gives, or raises, and what is printed."""
    KEPT.seek(0)
    KEPT.truncate()
    with redirect_stdout(io.StringIO()) as out:
        try:
            made = f(*args)
        except pb.PullbackError:
            raise
        except Exception as error:
            made = type(error), error.args
    return made, out.getvalue(), KEPT.getvalue()


@pytest.mark.parametrize("f", [redirected, left_by_an_exception, put_back, outside])
def test_what_print_writes_to(f: Callable[..., Any]) -> None:
    other = pb.value_and_grad(f, method="dual") if f is redirected else pb.jit(f)
    slope = pb.value_and_grad(f)
    for x in (1.3, -0.7):
        right, said_right, kept = said(f, x)
        for operator in (other, slope):
            made, printed, there = said(operator, x)
            assert (printed, there) == (said_right, kept)
            same(made[0] if isinstance(made, tuple) else made, right)
            difference = (said(f, x + 1e-6)[0] - said(f, x - 1e-6)[0]) / 2e-6
            assert not isinstance(made, tuple) or made[1] == pytest.approx(difference, rel=1e-6)


@pytest.mark.parametrize("f", [read_and_written, closed, pieces_of_print])
def test_a_text_that_is_written(f: Callable[..., Any]) -> None:
    assert said(pb.jit(f), 1.3) == said(f, 1.3)


def test_nothing_of_the_function_is_left_outside() -> None:
    before = sys.stdout
    with pytest.raises(pb.PullbackError, match="is left as sys"):
        pb.jit(left)(1.3)
    assert sys.stdout is before
    assert pb.jit(left)(-0.5) == -1.0
