"""What a library does inside is no business of the user's: a call of it is refused where it stands,
once and at once."""

from __future__ import annotations

import colorsys
import secrets
import statistics
import sys
import textwrap
import time
import typing

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.special
import scipy.stats
from scipy.integrate import ode
from scipy.special import logsumexp

import pullback as pb

RNG = np.random.default_rng(0)


def solves(x):
    return ode(lambda t, y: -y).set_initial_value(x).integrate(1.0)[0]


def integrates(x):
    return scipy.integrate.tanhsinh(lambda t: t * x, 0.0, 1.0).integral


def interpolates(x):
    xs = np.arange(6.0)
    return scipy.interpolate.make_splrep(xs, x * xs)(0.5)


def has_density(x):
    return scipy.stats.levy_stable.logpdf(x, 1.5, 0.5)


def minimises(x):
    return scipy.optimize.quadratic_assignment(np.array([[x]]), np.array([[x]])).fun


def elliptic(x):
    return scipy.special.ellip_harm(5, 8, 1, 1, x)


def factors(x):
    return scipy.linalg.ldl(np.eye(2) * x)[1][0, 0]


def draws(x):
    return x * secrets.randbelow(3)


def draws_by_object(x):
    return x * RNG.spawn(1)[0].normal()


CASES = [
    (solves, "scipy.integrate.ode", "write the steps"),
    (integrates, "scipy.integrate.tanhsinh", "np.trapezoid"),
    (interpolates, "scipy.interpolate.make_splrep", "np.interp"),
    (has_density, "scipy.stats.levy_stable.logpdf", "write its formula"),
    (minimises, "scipy.optimize.quadratic_assignment", "jac=pb.grad(f)"),
    (elliptic, "scipy.special.ellip_harm", "write its formula"),
    (factors, "scipy.linalg.ldl", "np.linalg.solve"),
    (draws, "secrets.randbelow", "np.random.default_rng(seed)"),
    (draws_by_object, "numpy.random.Generator.spawn", "np.random.default_rng(seed)"),
]


@pytest.mark.parametrize(("f", "name", "rewrite"), CASES, ids=[c[0].__name__ for c in CASES])
def test_a_library_is_refused_where_it_is_called(f, name, rewrite):
    start = time.thread_time()  # the runtime is compiled in another one
    with pytest.raises(pb.UnsupportedError) as caught:
        pb.grad(f)(1.5)
    assert time.thread_time() - start < 0.5, "the library was read"
    error = caught.value
    assert f"{name} is not supported inside compiled code" in error.reason
    assert rewrite in error.rewrite
    assert error.site is not None and error.site.file == __file__
    assert error.others == ()
    assert not getattr(error, "__notes__", ())


def middle(x):
    y = typing.cast(float, statistics.median([x, 1.0, 2.0]))
    return y * colorsys.rgb_to_yiq(x, 0.1, 0.2)[0]


def mode(x):
    return statistics.mode([x, 1.0, 2.0])


def test_modules_of_plain_arithmetic_are_read():
    assert np.isclose(pb.value_and_grad(middle)(1.5)[0], middle(1.5), rtol=1e-14)
    with pytest.raises(pb.PullbackError) as caught:
        pb.grad(mode)(1.5)
    assert "statistics.mode, which is called here: " in caught.value.reason
    assert "a float as a key" in caught.value.reason
    assert caught.value.site is not None and caught.value.site.file == __file__
    assert caught.value.others == ()


def test_library_functions_that_are_known_stay():
    def f(x):
        return logsumexp(np.array([x, 2.0 * x]))

    assert np.isclose(pb.jit(f)(1.5), f(1.5), rtol=1e-14)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package in plain Python."""
    folder = tmp_path / "lib" / "site-packages"
    (folder / "parcel").mkdir(parents=True)
    (folder / "parcel" / "__init__.py").write_text(
        textwrap.dedent(
            """
            import logging

            def square(x):
                return x * x

            def careless(x):
                try:
                    y = open(x)
                except OSError:
                    y = None
                global z
                z = {y}
                logging.info(x)
                return deeper(x)

            def deeper(x):
                return sorted(x, wrong=open(x))

            def gentle(x):
                return deeper(x) + 1.0
            """
        )
    )
    monkeypatch.syspath_prepend(str(folder))
    yield __import__("parcel")
    del sys.modules["parcel"]


def test_an_installed_package_is_read(package):
    def f(x):
        return package.square(x) + 1.0

    assert pb.value_and_grad(f)(3.0) == (10.0, 6.0)


@pytest.mark.parametrize(("name", "inside"), [("careless", "global z"), ("gentle", "open(x)")])
def test_what_a_package_refuses_is_shown_at_the_call(package, name, inside):
    function = getattr(package, name)

    def f(x):
        return function(x) + 1.0

    with pytest.raises(pb.PullbackError) as caught:
        pb.grad(f)(3.0)
    error = caught.value
    assert f"parcel.{name}, which is called here: " in error.reason
    assert error.site is not None and error.site.file == __file__
    assert error.others == ()
    assert "return function(x) + 1.0" in str(error)
    assert any(inside in note for note in error.__notes__)
