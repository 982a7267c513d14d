"""What a program prints: with the values of the run, in order, once, before the error that
follows; whatever runs the program, and however often it is run for a derivative."""

from __future__ import annotations

import io
import itertools
import logging
import math
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.core.waiting import join

X = np.linspace(0.5, 9.5, 10)
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Point:
    at: float
    n: int


def looped(x: Any) -> Any:
    """Loops that would run in lanes, branches and a ``while`` loop."""
    total = 0.0
    for i in range(10):
        print(i, x[i])
        total += math.sin(x[i]) * x[i]
    y = np.exp(-x)
    print("whole", y.round(6), f"{y.sum():.6f}")
    for i in range(3):
        for j in range(2):
            if x[i] > x[j]:
                print(f"{i}>{j}", end="; ")
            total += x[i] * y[j]
    k = 0
    while total < 100.0:
        total, k = total * 2.0, k + 1
        print(f"{k:03d} {total:8.3f}")
    return total


def recursive(x: Any) -> Any:
    """A recursive function, a generator and a comprehension."""

    def power(n: int, v: float) -> float:
        print("power", n, v)
        if n == 0:
            return v
        return v * power(n - 1, v * 0.5) if n % 2 else power(n - 1, v) + v

    def items() -> Any:
        for v in x[:3]:
            print("yield", v)
            yield v * 2.0

    ys = [power(1, v) for v in items()]
    return power(5, x[0]) + sum(ys) + sum(power(0, v) for v in x[:2])


def caught(x: Any) -> Any:
    """``try`` in a loop."""
    total = 0.0
    for i in range(3):
        try:
            print("try", i)
            if x[i] > 1.2:
                raise KeyError(i)
            total += x[i] ** 2
        except KeyError:
            print("caught", i)
            total += 10.0 * x[i] ** 2
        finally:
            print("end", i)
    return total


def failing(x: Any) -> Any:
    """An error after some iterations, behind a loop that runs in lanes."""
    total = np.sum(x / (x + 1.0))
    for i in range(10):
        print("at", i)
        if x[i] > 3.0:
            raise ValueError(f"bad {x[i]} at {i}")
        total += x[i]
    return total


def in_lanes(x: Any) -> Any:
    """An error in a loop that runs in lanes, which is found by running the program again."""
    print("before")
    total = 0.0
    for i in range(20):
        total += x[i] / (x[i] - 5.0)
    print("after")
    return total


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "eval": lambda f, x: driver.run(f, (x,), tier="eval"),
    "jit": lambda f, x: pb.jit(f)(x),
    "chad": lambda f, x: pb.value_and_grad(f)(x),
    "dual": lambda f, x: pb.value_and_grad(f, method="dual")(x),
    "nested": lambda f, x: pb.jit(lambda y: pb.grad(f)(y))(x),
    "vjp": lambda f, x: pb.vjp(f, x)[1](1.0),
    "pullback": lambda f, x: pb.jit(lambda y: [p := pb.vjp(f, y)[1], p(1.0), p(2.0)][2])(x),
    "jvp": lambda f, x: pb.jvp(f, (x,), (x,)),
    "linearize": lambda f, x: pb.linearize(f, x)[1](x),
    "hvp": lambda f, x: pb.hvp(f, (x,), (x,)),
    "jet": lambda f, x: pb.jet(f, (x,), ((x, x),)),
    "jacobian": lambda f, x: pb.jacobian(f)(x),
    "hessian": lambda f, x: pb.hessian(f)(x),
    "sparse": lambda f, x: pb.sparse_hessian(f)(x),
    "checkpoint": lambda f, x: pb.grad(pb.checkpoint(f))(x),
    "pack": lambda f, x: pb.grad(f)(pb.pack(x)),
}
ALL = [(looped, name) for name in OPERATORS if name != "pullback"]
SOME = [(f, name) for f in (recursive, caught) for name in ("eval", "chad", "dual", "jvp")]
ERRORS = [(f, name) for f in (failing, in_lanes) for name in ("jit", "chad", "sparse")]


def printed(
    f: Callable[..., Any], *args: Any, capture: pytest.CaptureFixture[str]
) -> tuple[str, str]:
    """Return what a call prints, and its error."""
    capture.readouterr()
    try:
        f(*args)
    except (ValueError, IndexError) as e:
        return capture.readouterr().out, f"{type(e).__name__}: {e}"
    return capture.readouterr().out, ""


@pytest.mark.parametrize(("f", "name"), ALL + SOME + ERRORS)
def test_a_program_prints_once(
    f: Callable[..., Any], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = printed(f, X, capture=capsys)
    assert wanted[0]
    assert printed(OPERATORS[name], f, X, capture=capsys) == wanted


def test_vmap_prints_for_one_element_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    rows = np.stack([X, 2.0 * X])
    wanted = "".join(printed(caught, x, capture=capsys)[0] for x in rows)
    assert printed(pb.vmap(caught), rows, capture=capsys) == (wanted, "")


def test_the_derivative_is_that_of_the_program_without_prints() -> None:
    quiet = pb.grad(lambda x: sum(v**2 if v <= 1.2 else 10.0 * v**2 for v in x[:3]))(X)
    for method in ("chad", "dual"):
        assert np.allclose(pb.grad(caught, method=method)(X), quiet)


OLD, FORM = "%d of %.2f", "{:e} {k}"


def shown(x: float, a: Any, n: int, report: Callable[..., None] = print) -> float:
    print()
    print(x, a, n, True, None, "text", x > 1.0, a > 1.0, a.astype(int), np.float32(x), sep="|")
    print((x, [1.0, x]), Point(x, n), {"k": x, 2: a}, range(n), [v for v in a], a.shape)
    print(f"{x:.3f} {n:>4} {x!r:>8} {x=} {a}", OLD % (n, x), FORM.format(x, k=n))
    print(*a, *(x, n), str(x) + "!", "-" * n, end=";\n")
    line = f"line {x}"
    print(line, file=sys.stderr, flush=True)
    sys.stdout.write(f"written {x:g}\n")
    report("handed", x)
    pb.debug_print("seen", x)
    return x * x


def test_values_look_as_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    args = 1.25, np.array([1.0, 2.5]), 3
    shown(*args)
    wanted = capsys.readouterr()
    assert "1.250" in wanted.out and wanted.err == "line 1.25\n"
    for run in (pb.jit(shown), pb.grad(shown), lambda *a: driver.run(shown, a, tier="eval")):
        run(*args)
        assert capsys.readouterr() == wanted


def logged(x: float) -> float:
    log.info("x is %.1f", x)
    log.warning("big: %s", x, stacklevel=2)
    if x > 1.0:
        warnings.warn(f"{x} is big", RuntimeWarning, stacklevel=2)
    return x * x


def test_logs_and_warnings_know_where_they_come_from(caplog: pytest.LogCaptureFixture) -> None:
    found = []
    for f in (logged, pb.jit(logged), pb.grad(logged)):
        caplog.clear()
        with caplog.at_level(logging.INFO), pytest.warns(RuntimeWarning) as record:
            f(2.0)
        where = [(r.getMessage(), r.filename, r.funcName) for r in caplog.records]
        found.append((where, str(record[0].message), record[0].filename))
    assert found[0][0][0] == ("x is 2.0", "test_printing.py", "logged")
    assert found[1:] == found[:1] * 2


def test_a_warning_that_is_an_error_leaves_the_program() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match=r"2\.0 is big"):
            pb.grad(logged)(2.0)


def test_a_format_that_does_not_fit_is_pythons_error() -> None:
    def f(x: float) -> float:
        print(OLD % x)
        return x

    with pytest.raises(TypeError, match="not enough arguments"):
        pb.jit(f)(1.0)


STREAM = io.StringIO()


def to_stream(x: float) -> float:
    print(x, file=STREAM)
    return x * x


def test_several_threads_print_on_their_own() -> None:
    gradient = pb.grad(to_stream)
    gradient(0.0)
    threads = [threading.Thread(target=gradient, args=(float(k),)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        join(t)
    assert sorted(map(float, STREAM.getvalue().split())) == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_what_cannot_be_shown_is_refused() -> None:
    def f(x: float) -> float:
        print(lambda y: x * y)
        return x

    with pytest.raises(pb.UnsupportedError, match="cannot be shown"):
        pb.jit(f)(1.0)


def square(v: float) -> float:
    print("square", v)
    return v * v


def minus(v: float) -> float:
    print("minus", v)
    return -v


MANY: tuple[Callable[[Any], Any], ...] = (
    lambda x: [list(map(print, x)), x[0]][1],
    lambda x: [[print(v) for v in x], x[0]][1],
    lambda x: max(map(square, x)),
    lambda x: max(map(square, x), key=minus) + min(x[0], x[1], x[2], key=minus),
    lambda x: sum(sorted(map(square, x), key=minus)[:2]),
    lambda x: sum(map(lambda a, b: square(a) * minus(b), x, x[1:])),
    lambda x: [map(square, x), x[0]][1],
    lambda x: sum(v for v in map(square, x) if v > 1.0),
    lambda x: next(square(v) for v in x if v > 1.0),
    lambda x: sum([square(v) for v in x if minus(v) < -1.0]),
    lambda x: sum(v for i, v in enumerate(map(square, x)) if i < 2),
    lambda x: sum(itertools.takewhile(lambda v: v < 5.0, map(square, x))),
)


@pytest.mark.parametrize("k", range(len(MANY)))
def test_items_are_computed_once_and_in_order(k: int, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = printed(MANY[k], X[:3], capture=capsys)
    assert printed(pb.grad(MANY[k]), X[:3], capture=capsys) == wanted


def test_the_papers_methods_refuse_programs_that_print() -> None:
    with pytest.raises(pb.UnsupportedError, match="are not in the papers' languages"):
        pb.grad(looped, method="chad.monadic")(X)


def newton(f: Any, slope: Any, x: Any) -> Any:
    while True:
        yield x
        x = x - f(x) / slope(x)


def far_from_root(a: Any) -> Any:
    iterates = newton(lambda x: x**3 - a, lambda x: 3.0 * x * x, a)
    return itertools.takewhile(lambda x: abs(x**3 - a) > 1e-6, iterates)


def silent_steps(a: Any) -> Any:
    return sum(x * x for x in far_from_root(a))


def printed_steps(a: Any) -> Any:
    s = 0.0
    for x in far_from_root(a):
        print(round(x, 3))
        s += x * x
    return s


def test_copies_read_the_variables_of_copies(capsys: pytest.CaptureFixture[str]) -> None:
    """What consumes a generator reads variables of the function around it, in a copy that prints
    nothing too."""
    slope = pb.grad(silent_steps)(3.0)
    assert math.isclose(pb.linearize(silent_steps, 3.0)[1](1.0), slope, rel_tol=1e-12)
    assert capsys.readouterr().out == ""
    printed_steps(3.0)
    wanted = capsys.readouterr().out
    assert math.isclose(pb.linearize(printed_steps, 3.0)[1](1.0), slope, rel_tol=1e-12)
    assert capsys.readouterr().out == wanted
