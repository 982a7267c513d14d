"""What is run twice prints once: where extents turn out to differ, and where derivatives nest."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, 1.2, 0.7])


def broadcast(x: Any, n: int) -> Any:
    print("of", n)
    return (x * np.ones(n)).sum()


def nested(x: Any) -> Any:
    def cubes(v: Any) -> Any:
        print("cubes", v[0])
        return (v * v * v).sum()

    print("begin")
    g = pb.grad(cubes)(x * 2.0)
    print("end")
    return (g * x).sum()


def looped(x: Any) -> Any:
    t = x[0]
    for k in range(3):
        print(k)
        t = t * x[1] + x[2] * t
    return t


def test_a_broadcast_that_only_the_run_shows(capsys: pytest.CaptureFixture[str]) -> None:
    for operator in (pb.jit, pb.grad):
        f = operator(broadcast)
        for n in (3, 1, 3):
            f(X, n)
            assert capsys.readouterr().out == f"of {n}\n"


OPERATORS: dict[str, Callable[[Any], Any]] = {
    "of a gradient": lambda f: pb.grad(lambda x: pb.grad(f)(x).sum()),
    "of a gradient's gradient": lambda f: pb.grad(
        lambda x: pb.grad(lambda y: pb.grad(f)(y)[0])(x)[0]
    ),
    "along a direction": lambda f: lambda x: pb.jvp(pb.grad(f), (x,), (x,)),
    "by a number": lambda f: lambda x: pb.grad(lambda t: pb.grad(f)(x * t)[0])(1.5),
}


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize("f", [nested, looped], ids=["nested", "looped"])
def test_derivatives_of_derivatives(
    f: Callable[[Any], Any], operator: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    f(X * 1.5 if operator is OPERATORS["by a number"] else X)
    wanted = capsys.readouterr().out
    operator(f)(X)
    assert capsys.readouterr().out == wanted


def test_a_pipe_that_is_closed_is_no_mistake_of_the_compiler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Closed:
        def write(self, text: str) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr("sys.stdout", Closed())
    with pytest.raises(BrokenPipeError):
        pb.show(lambda x: x * x, 2.0)
