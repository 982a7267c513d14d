"""Flags that change between calls, wherever they stand, and flags beside data."""

import functools
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests.frontend.test_static_values import Config, agrees


def places() -> list[tuple[str, Callable[[], tuple[Any, Callable[[bool], None]]]]]:
    """Functions, made anew, and how to set the flag that each of them reads."""

    def in_default() -> Any:
        def f(x, twice=False):
            return x * 2.0 if twice else x * x

        return f, lambda flag: setattr(f, "__defaults__", (flag,))

    def in_cell() -> Any:
        twice = False

        def f(x):
            return x * 2.0 if twice else x * x

        def put(flag: bool) -> None:
            nonlocal twice
            twice = flag

        return f, put

    def in_default_of_a_callee() -> Any:
        g, put = in_default()
        return (lambda x: g(x)), put

    def in_partial() -> Any:
        f = functools.partial(two_ways, twice=False)
        return f, lambda flag: f.keywords.update(twice=flag)

    def in_dict() -> Any:
        options = {"twice": False, "scale": 2.0}
        return (lambda x: two_ways(x, options["twice"])), lambda flag: options.update(twice=flag)

    def in_class() -> Any:
        class Options:
            twice = False

        return (lambda x: two_ways(x, Options.twice)), lambda flag: setattr(Options, "twice", flag)

    def in_record() -> Any:
        config = Config(False, 2.0)
        f = lambda x: two_ways(x, config.safe) * config.scale

        def put(flag: bool) -> None:
            nonlocal config
            config = Config(flag, 3.0)

        return f, put

    makers = [in_default, in_cell, in_default_of_a_callee, in_partial, in_dict, in_class, in_record]
    return [(maker.__name__, maker) for maker in makers]


def two_ways(x, twice):
    return x * 2.0 if twice else x * x


@pytest.mark.parametrize(("name", "maker"), places(), ids=lambda v: v if type(v) is str else "")
def test_flags_that_change(name: str, maker: Any) -> None:
    f, put = maker()
    value, both = pb.jit(f), pb.value_and_grad(f)
    for flag in (False, True, True, False, True):
        put(flag)
        expected = f(3.0)
        slope = (f(3.0 + 1e-6) - f(3.0 - 1e-6)) / 2e-6
        assert value(3.0) == expected
        assert both(3.0) == (expected, pytest.approx(slope, rel=1e-6))
        assert pb.jvp(f, (3.0,), (1.0,)) == (expected, pytest.approx(slope, rel=1e-6))
        out, pullback = pb.vjp(f, 3.0)
        assert (out, *pullback(1.0)) == (expected, pytest.approx(slope, rel=1e-6))


def with_data(config, xs, x):
    """A flag in a record beside data that is packed."""
    return sum(v * x for v in xs) * config.scale if config.safe else x * config.scale


def test_flags_beside_packed_data():
    xs = [1.0, 2.0, 0.5]
    packed = pb.pack(xs)
    f = pb.value_and_grad(with_data, argnums=2)
    for safe in (True, False, True):
        config = Config(safe, 2.0)
        value, slope = f(config, packed, 1.5)
        assert value == pytest.approx(with_data(config, xs, 1.5), rel=1e-14)
        assert slope == pytest.approx(with_data(config, xs, 1.0), rel=1e-14)
        gradient = pb.grad(with_data)(config, xs, 1.5)
        assert gradient.safe is None
        assert gradient.scale == pytest.approx(with_data(Config(safe, 1.0), xs, 1.5), rel=1e-14)


def matched(x, flag, *flags, mode=True):
    match flag, mode:
        case False, True:
            return x * x
        case True, _:
            return x[0] if flags[0] else x
        case _:
            return x.wrong


def test_flags_in_a_match_and_in_further_arguments():
    agrees(lambda x: matched(x, False) + matched(x, True, False), 1.3, ())
    agrees(lambda x, *flags: matched(x, *flags), 1.3, (True, False))
