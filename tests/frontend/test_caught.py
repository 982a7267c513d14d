"""Exceptions as objects: shown, raised again, causes of others; what is printed on their way out.

Each program runs as plain Python and compiled: the result, or the exception with its text, cause
and line, and all that is printed, are the same."""

from __future__ import annotations

import contextlib
import io
import logging
import math
import traceback
import warnings
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from tests.campaign import part

log = logging.getLogger("told")


class OutsideError(Exception):
    def __init__(self, value: float, why: str) -> None:
        super().__init__(f"{why}: {value}")
        self.value = value
        self.why = why


class Gauge:
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def report(self, x: Any) -> None:
        print("gauge", self.scale * x)


def report(x: Any) -> None:
    print("report", x)


def helper(x: Any) -> None:
    report(x)
    print("helped", 2.0 * x)


def checked(x: Any) -> Any:
    print("checking", x)
    if x < 0.0:
        raise ValueError(f"bad {x:.2f}")
    return math.sqrt(x)


def missing(x: Any) -> Any:
    if x < 0.0:
        raise KeyError("below")
    return math.log(x)


def helper_in_clause(x: Any) -> Any:
    try:
        return math.log(x)
    except ValueError:
        helper(x)
        raise


def helper_in_finally(x: Any) -> Any:
    try:
        return math.log(x)
    finally:
        helper(x)


def method_in_clause(x: Any) -> Any:
    g = Gauge(3.0)
    try:
        return checked(x)
    except ValueError:
        g.report(x)
        raise
    finally:
        g.report(2.0 * x)


def logs_and_warns(x: Any) -> Any:
    def tell(v: Any) -> None:
        log.error("v is %s", v)
        warnings.warn("odd", RuntimeWarning, stacklevel=1)

    try:
        return math.log(x)
    except ValueError:
        tell(x)
        raise


def caught_again_outside(x: Any) -> Any:
    try:
        try:
            y = math.log(x)
        finally:
            print("inner", x)
    except ValueError as e:
        print("outer", e, e.args, e.args[0], type(e).__name__)
        y = 2.0 * x
    return y


def wrapped(x: Any) -> Any:
    try:
        return checked(x) * 2.0
    except ValueError as e:
        print("got", e)
        raise RuntimeError(f"wrapped: {e}") from e


def on_some_paths(x: Any) -> Any:
    try:
        y = checked(x) * 2.0
    except ValueError as e:
        if x < -2.0:
            raise
        print(f"swallowed {e!r}")
        y = x * x
    return y


def fields(x: Any) -> Any:
    try:
        if x < 0.0:
            raise OutsideError(x, "negative")
        return x * 3.0
    except OutsideError as e:
        print(e.value, e.why, str(e))
        raise e


def _leaving(n: int, x: Any) -> Any:
    try:
        if n == 0:
            return math.log(x)
        return _leaving(n - 1, x) * x
    finally:
        print("leave", n)


def out_of_recursion(x: Any) -> Any:
    return _leaving(3, x)


def _changing(n: int, x: Any) -> Any:
    try:
        if n == 0:
            return math.log(x)
        return _changing(n - 1, x) * x
    except ValueError as e:
        print("at", n, e)
        raise KeyError(n) from e
    except KeyError as e:
        print("key at", n, e)
        if n == 2:
            return x * 7.0
        raise


def changed_in_recursion(x: Any) -> Any:
    return _changing(4, x)


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for i in range(4):
        try:
            total += math.log(x + i + 0.5)
        except ValueError as e:
            print(i, e)
            total += x
        finally:
            print("end", i)
    return total


def index(x: Any) -> Any:
    xs, a = [x, x * 2.0, x * 3.0], np.array([x, x])
    try:
        n = 0
        while xs[n] < 7.0 and n < 5:
            n += 1
        return a[n]
    except IndexError as e:
        print("index", e)
        raise


def another_in_the_clause(x: Any) -> Any:
    try:
        return checked(x)
    except ValueError:
        print(1.0 / (x + 1.0))
        raise


def text_by_name(x: Any) -> Any:
    try:
        return checked(x)
    except ValueError as e:
        y = 3.0 * x
        text = f"text {e}"
        raise OutsideError(y, text) from None


def several_classes(x: Any) -> Any:
    try:
        return [x, 2.0 * x][3 if x > 2.0 else 1] / (x - 0.5) + math.log(x)
    except (ValueError, ZeroDivisionError) as e:
        print("arithmetic", repr(e))
        return x
    except IndexError as e:
        raise LookupError("no such place") from e


def linear(x: Any) -> Any:
    a = np.array([[x, 1.0], [4.0, 2.0]])
    try:
        return np.linalg.solve(a, np.array([1.0, 2.0]))[0]
    except np.linalg.LinAlgError as e:
        print("solve:", e)
        raise


class Color(Enum):
    RED = 1
    BLUE = 2


def texts_of_the_library(x: Any) -> Any:
    """What Python says of keys, members and items, shown by each exception."""
    d, e, xs = {"a": x, Color.RED: x}, {int(x): x}, [x]
    xs.append(x)
    for k in range(5):
        try:
            if k == 0:
                x += d["b"]
            elif k == 1:
                x += d[Color.BLUE]
            elif k == 2:
                x += e[int(x) + 7]
            elif k == 3:
                a, b, c = xs
                x += a + b + c
            else:
                x += Color(int(x) + 9).value
        except KeyError as error:
            print(k, error, error.args)
        except ValueError as error:
            print(k, repr(error))
    return x


def _inner(x: Any) -> Any:
    try:
        return missing(x)
    except ValueError:
        return 0.0


def through_another_try(x: Any) -> Any:
    """The callee's own ``try`` lets it through."""
    try:
        return _inner(x)
    except KeyError:
        return 7.0 * x


def kept_for_later(x: Any) -> Any:
    """Exceptions are values: kept in names, tuples and lists, compared, asked for their class."""
    first, texts = None, []
    for k in range(4):
        try:
            x += checked(x - k)
        except ValueError as error:
            texts.append(str(error))
            if first is None:
                first = error
    if first is not None:
        print(first, type(first).__name__, isinstance(first, KeyError), first.args[0] == "low")
    print(texts)
    return x * x


def value_and_error(x: Any) -> Any:
    def safe(v: Any) -> Any:
        try:
            return checked(v), None
        except ValueError as error:
            return 0.0 * v, error

    y, error = safe(x)
    if error is not None and type(error) is not KeyError:
        print("failed:", error, error.__class__ is ValueError)
    return y + x


def raised_later(x: Any) -> Any:
    found = None
    try:
        y = checked(x)
    except ValueError as error:
        found, y = error, x
    if found and x < -2:
        raise found
    return y * x


PROGRAMS: list[Callable[[Any], Any]] = [
    helper_in_clause, helper_in_finally, method_in_clause, logs_and_warns, caught_again_outside,
    wrapped, on_some_paths, fields, out_of_recursion, changed_in_recursion, in_a_loop, index,
    another_in_the_clause, text_by_name, several_classes, linear,
    texts_of_the_library, through_another_try, kept_for_later,
    value_and_error, raised_later,
]  # fmt: skip
POINTS = (-3.0, -1.0, 0.5, 1.75, 2.0, 3.0)


def outcome(run: Callable[[Any], Any], x: float) -> tuple[Any, ...]:
    """What a call gives or raises, and what it shows."""
    out = io.StringIO()
    seen: list[str] = []

    class Seen(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(record.getMessage())

    handler = Seen()
    logging.getLogger("told").addHandler(handler)
    made: Any = None
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            made = run(x)
        except Exception as e:
            places = traceback.extract_tb(e.__traceback__)
            line = [p.lineno for p in places if p.filename == __file__][-1]
            made = type(e), str(e), repr(e.__cause__), line
    logging.getLogger("told").removeHandler(handler)
    return made, out.getvalue(), seen, [str(w.message) for w in warned]


@pytest.mark.parametrize("f", part("values", PROGRAMS, 3), ids=lambda f: f.__name__)
def test_as_in_python(f: Callable[[Any], Any]) -> None:
    runs = [pb.value_and_grad(f), pb.value_and_grad(f, method="dual")]
    for x in POINTS:
        wanted = outcome(f, x)
        assert outcome(pb.jit(f), x) == wanted
        for run in runs:
            made, *shown = outcome(run, x)
            assert shown == list(wanted[1:])
            if isinstance(wanted[0], tuple):
                assert made == wanted[0]
            else:
                value, slope = made
                ahead, behind = (outcome(f, x + d)[0] for d in (1e-6, -1e-6))
                assert math.isclose(value, wanted[0], rel_tol=1e-12)
                if type(ahead) is type(behind) is float and abs(ahead - behind) < 1e-3:
                    assert math.isclose(slope, (ahead - behind) / 2e-6, rel_tol=1e-6, abs_tol=1e-6)


OPERATORS: dict[str, Callable[[Any, float], Any]] = {
    "eval": lambda f, x: driver.run(f, (x,), tier="eval"),
    "vjp": lambda f, x: pb.vjp(f, x)[1](1.0),
    "jvp": lambda f, x: pb.jvp(f, (x,), (1.0,)),
    "linearize": lambda f, x: pb.linearize(f, x)[1](1.0),
    "hvp": lambda f, x: pb.hvp(f, (x,), (1.0,)),
    "jet": lambda f, x: pb.jet(f, (x,), ((1.0, 0.0),)),
    "jacobian": lambda f, x: pb.jacobian(f)(x),
    "hessian": lambda f, x: pb.hessian(f)(x),
    "checkpoint": lambda f, x: pb.grad(pb.checkpoint(f))(x),
    "nested": lambda f, x: pb.jit(lambda y: pb.grad(f)(y))(x),
    "vmap": lambda f, x: pb.vmap(f)(np.array([x])),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_under_every_operator(name: str) -> None:
    for x in (-3.0, 0.5):
        for f in (on_some_paths, caught_again_outside):
            made, *shown = outcome(lambda v, f=f: OPERATORS[name](f, v), x)
            wanted, *printed = outcome(f, x)
            assert shown == printed, made
            if isinstance(wanted, tuple):
                assert made[:2] == wanted[:2]


def test_each_exception_is_an_object_of_its_own() -> None:
    """Also if nothing in it depends on the run, and it is used on a path that is seldom taken."""

    def sums(xs: Any) -> Any:
        total = 0.0
        for x in xs:
            try:
                total += math.log(x) * x
            except ValueError:
                if x < -5.0:
                    raise
                total -= x * x
        return total

    slope = pb.grad(sums)
    assert np.allclose(slope(np.array([2.0, -1.0, -3.0])), [math.log(2.0) + 1.0, 2.0, 6.0])
    found = []
    for run in (pb.jit(sums), slope, pb.grad(sums, method="dual")):
        for x in (-6.0, -7.0):
            with pytest.raises(ValueError, match="math domain error") as error:
                run(np.array([1.0, -1.0, x]))
            found.append(error.value)
    assert len(set(map(id, found))) == 6


def test_what_is_held_is_bounded() -> None:
    def many(x: float) -> float:
        total = 0.0
        for i in range(20000):
            try:
                total += math.log(x - i)
            except ValueError as e:
                if i == 19999:
                    print(e)
        return total

    wanted, *shown = outcome(many, 3.5)
    found, *printed = outcome(pb.jit(many), 3.5)
    assert math.isclose(found, wanted, rel_tol=1e-12)
    assert printed == shown
