"""What the run cannot change is static through calls: the branch that is not taken is not looked
at, so it need not be typed. Every program here is wrong for the other value of its flag."""

import enum
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver

SAFE = False
MODE = "fast"
FLAGS = (False, True)
SETTINGS = {"safe": False, "scale": 2.0}


class Kind(enum.Enum):
    SCALAR = 1
    PAIR = 2


@dataclass(frozen=True)
class Config:
    safe: bool
    scale: float


class Options(NamedTuple):
    safe: bool
    degree: int


OPTIONS = Options(False, 2)
CONFIG = Config(False, 2.0)


class Solver:
    safe = False


def default(x, safe=False):
    if safe:
        return x["no such key"]
    return x * x


def default_negated(x, fast=True):
    if not fast:
        return x.no_such_attribute
    return x * x


def keyword_only(x, *, safe=False):
    return (x, x).wrong if safe else x * 3.0


def use_global(x):
    if SAFE:
        return np.linalg.no_such_function(x)
    return x * x * x


def use_global_tuple(x):
    safe, fast = FLAGS
    if safe and fast:
        return x[0]
    return x * x if fast else (x, x)


def use_settings(x):
    if SETTINGS["safe"]:
        return x[0]
    return x * SETTINGS["scale"]


def use_class_variable(x):
    return x[0][1] if Solver.safe else x * 4.0


def closed_over(safe):
    def f(x):
        if safe:
            return x[0]
        return x * 5.0

    return f


def closed_over_inside(x, safe=False):
    def g(y):
        return y[0] if safe else y * y

    return g(x) + g(2.0 * x)


def lambda_inside(x, safe=False):
    g = lambda y: y[0] if safe else y * y
    return g(x)


def worker(x, safe, twice=False):
    if safe:
        return x[0]
    y = x * x
    if twice:
        return y, y
    return y


def from_inside(x):
    a, b = worker(x, safe=False, twice=True)
    return a + b + worker(x, False)


def middle(x, safe):
    return worker(x, safe) * 2.0


def two_levels(x, safe=False):
    return middle(x, safe) + middle(x + 1.0, safe=safe)


def renamed(x, safe=False):
    careful = safe
    quick = not careful
    if quick:
        return x * x
    return x[0]


def combined(x, a=False, b=True):
    if a and not b:
        return x[0]
    if a or not b:
        return x.wrong
    return x * x


def computed(x, a=False, b=True):
    both = a and b
    if both:
        return x[0]
    return x * x


def compared(x, a=False):
    if a is True:
        return x[0]
    if a == True:  # noqa: E712  # not ``is``
        return x[1]
    return x * x


def in_tuple(x, flags=(False, True)):
    if flags[0]:
        return x[0]
    return x * x


def in_config(x, config=CONFIG):
    if config.safe:
        return x[0]
    return x * config.scale


def in_options(x, options=OPTIONS):
    return x[0] if options.safe else x**options.degree


@dataclass(frozen=True)
class Model:
    config: Config

    def loss(self, x):
        if self.config.safe:
            return x[0]
        return x * self.config.scale


MODEL = Model(Config(False, 3.0))


def by_method(x):
    return MODEL.loss(x)


def made_inside(x):
    model = Model(Config(False, 3.0))
    return model.loss(x)


def with_mode(x, mode=MODE):
    if mode == "safe":
        return x[0]
    return x * x


def passed_mode(x):
    return with_mode(x, "fast") + with_mode(x, mode=MODE)


def with_kind(x, kind=Kind.SCALAR):
    if kind is Kind.PAIR:
        return x[0]
    return x * x


def optional(x, weight=None):
    if weight is not None:
        return x * weight[0]
    return x * x


def optional_both(x):
    return optional(x) + optional(x, (2.0,))


def tuple_or_number(x, with_parts=False):
    y = x * x
    if with_parts:
        return y, (x, y)
    return y


def takes_parts(x):
    value, (a, b) = tuple_or_number(x, with_parts=True)
    return value + a * b + tuple_or_number(x)


def in_loop(x, safe=False):
    total = 0.0
    for k in range(3):
        if safe:
            total += x[k]
        else:
            total += x * k
    return total


def while_flag(x, forever=False):
    while forever:
        x = x[0]
    return x * x


def in_comprehension(x, safe=False):
    return sum([x[k] if safe else x * k for k in range(4)])


def asserted(x, safe=True):
    assert safe, x[0]
    return x * x


def higher_order(x, safe=False):
    return apply(lambda y: y[0] if safe else y * y, x)


def apply(f, x):
    return f(x)


def recursive(x, n=3, safe=False):
    if safe:
        return x[0]
    if n == 0:
        return x
    return recursive(x * x * 0.5, n - 1, safe)


def flag_changes_in_recursion(x, n=3, first=True):
    if first:
        return flag_changes_in_recursion((x, x), n, False)
    if n == 0:
        return x[0] * x[1]
    return flag_changes_in_recursion((x[0] * 0.5, x[1]), n - 1, first)


def returns_flag(x):
    if is_safe():
        return x[0]
    return x * x


def is_safe():
    return SAFE


def order(x, p=2):
    """A number that types need."""
    if p == 1:
        return x
    if p == 2:
        return x * x, x
    return x.wrong


def use_order(x):
    a, b = order(x, 2)
    return a * b + order(x, 1)


def from_elsewhere(x, safe=False, other=True):
    g = functools.partial(worker, safe=safe)
    return g(x) if other else g


ONE = [
    default, default_negated, keyword_only, use_global, use_global_tuple, use_settings,
    use_class_variable, closed_over(False), closed_over_inside, lambda_inside, from_inside,
    two_levels, renamed, combined, computed, compared, in_tuple, in_config, in_options, by_method,
    made_inside, with_mode, passed_mode, with_kind, optional, optional_both, takes_parts, in_loop,
    while_flag, in_comprehension, asserted, higher_order, recursive, flag_changes_in_recursion,
    returns_flag, use_order, from_elsewhere, functools.partial(worker, safe=False),
    functools.partial(tuple_or_number, with_parts=False), lambda x: default(x, safe=False),
    Model(Config(False, 2.0)).loss,
]  # fmt: skip
OUTSIDE = [
    (worker, (False, False)), (default, (False,)), (middle, (False,)), (in_tuple, ((False, True),)),
    (in_config, (Config(False, 2.0),)), (recursive, (2, False)), (with_mode, ("fast",)),
    (with_kind, (Kind.SCALAR,)), (optional, (None,)), (optional, ((2.0,),)), (in_loop, (False,)),
    (closed_over_inside, (False,)), (combined, (False, True)), (higher_order, (False,)),
    (in_options, (Options(False, 3),)), (from_elsewhere, (False, True)),
    (flag_changes_in_recursion, (2, True)),
]  # fmt: skip


def name_of(f: Any) -> str:
    return str(getattr(f, "__name__", "partial"))


def agrees(f: Callable[..., Any], x: float, rest: tuple[Any, ...]) -> None:
    """Value and derivative, reverse and forward, are Python's."""
    step = 1e-6
    slope = (f(x + step, *rest) - f(x - step, *rest)) / (2 * step)
    assert pb.jit(f)(x, *rest) == pytest.approx(f(x, *rest), rel=1e-14)
    value, grad = pb.value_and_grad(f)(x, *rest)
    assert value == pytest.approx(f(x, *rest), rel=1e-14)
    assert grad == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("f", ONE, ids=name_of)
def test_flags_inside(f: Any) -> None:
    agrees(f, 1.3, ())


@pytest.mark.parametrize(("f", "rest"), OUTSIDE, ids=name_of)
def test_flags_from_outside(f: Any, rest: tuple[Any, ...]) -> None:
    agrees(f, 1.3, rest)


# --- what is compiled, and how often --------------------------------------------------------------


@pytest.fixture
def compilations(monkeypatch):
    """The list of what is specialised from now on."""
    made: list[object] = []
    real = driver.specialise

    def counted(f: Any, *args: Any, **kwargs: Any) -> Any:
        made.append(f)
        return real(f, *args, **kwargs)

    monkeypatch.setattr(driver, "specialise", counted)
    return made


def test_numbers_do_not_compile_again(compilations):
    f = pb.jit(lambda x, n, k, safe: x * n + k if safe else x - n)
    for i in range(6):
        assert f(0.5 * i, i, 2.0 * i, True) == 0.5 * i * i + 2.0 * i
    assert len(compilations) == 1
    assert [f(1.5, 2, 3.0, flag) for flag in (False, True, False, True)] == [-0.5, 6.0] * 2
    assert len(compilations) == 2


def weighted(x, a, b, c, d, e):
    for k, flag in enumerate((a, b, c, d, e)):
        if flag:
            x = x * (k + 1.5)
    return x


def test_many_flags_become_generic(compilations):
    f = pb.value_and_grad(weighted)
    for n in range(32):
        flags = tuple(bool(n >> k & 1) for k in range(5))
        value, slope = f(1.5, *flags)
        assert value == pytest.approx(weighted(1.5, *flags), rel=1e-14)
        assert slope == pytest.approx(weighted(1.0, *flags), rel=1e-14)
    assert len(compilations) == 17


def test_flags_are_read_anew(monkeypatch):
    f, g = pb.jit(use_global), pb.jit(lambda x: x * 2.0 if SETTINGS["safe"] else x)
    assert (f(2.0), g(2.0)) == (8.0, 2.0)
    monkeypatch.setitem(SETTINGS, "safe", True)
    assert g(2.0) == 4.0
    monkeypatch.setitem(globals(), "SAFE", True)
    with pytest.raises(pb.PullbackError):
        f(2.0)
    monkeypatch.setitem(globals(), "SAFE", 1)
    with pytest.raises(pb.PullbackError):
        f(2.0)
    monkeypatch.setitem(globals(), "SAFE", False)
    assert f(2.0) == 8.0


def by_number(x, n=3):
    if n == 0:
        return x
    if n == 1:
        return by_number(tuple([x, x]), n - 1)
    return by_number(x * 0.5, n - 1)


def test_numbers_are_not_known_around_a_recursion():
    with pytest.raises(pb.PullbackError, match="ever new types"):
        pb.jit(by_number)(1.5)


def over_axes(a, n=1):
    if n == 0:
        return np.sum(a, axis=n)
    return over_axes(a, n - 1) + np.sum(a, axis=n)


def test_an_axis_that_changes_in_a_recursion():
    with pytest.raises(pb.PullbackError, match="known"):
        pb.jit(over_axes)(np.ones((2, 2)))


def summed(a, axis):
    return np.sum(a, axis=axis)


def handed_on(a, axis):
    return summed(a, axis) * 2.0


def at_two_levels(a):
    return summed(a, 1), handed_on(a, 0)


def test_an_axis_is_handed_on_to_a_function_that_was_called_before():
    a = np.arange(6.0).reshape(2, 3)
    for found, wanted in zip(pb.jit(at_two_levels)(a), at_two_levels(a), strict=True):
        np.testing.assert_array_equal(found, wanted)
