"""``pb.config.debug_nans``: where the first NaN or infinity arises; off, nothing is there."""

import dis
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

import pullback as pb
from pullback.api.operator_objects import Operator
from pullback.errors import NonFiniteError

PLAIN = Operator.__call__


@pytest.fixture
def looking() -> Iterator[None]:
    pb.config.debug_nans = True
    yield
    pb.config.debug_nans = False


def logs(x):
    y = np.maximum(x, 0.0)
    z = np.log(y)  # here
    return np.sum(z)


def steep(x):
    y = x * 4.0
    return math.log(y)  # here: the derivative is too large


def grown(x, n):
    for _ in range(n):
        x = x * x  # here
    return x


def best(xs):
    low = math.inf
    for x in xs:
        low = min(low, x)
    return low


def twice(x):
    x *= 2.0
    return np.sum(np.log(x))  # here


@dataclass
class Pair:
    a: float
    b: float


def paired(x):
    return Pair(x, np.log(x))  # here


def line_of(f) -> int:
    lines = dis.findlinestarts(f.__code__)
    import inspect
    import linecache

    numbers = {n for _, n in lines if n is not None}
    return next(n for n in numbers if "# here" in linecache.getline(inspect.getfile(f), n))


CASES = {
    "a value": (pb.jit(logs), logs, (np.array([1.0, 0.0]),), "-inf", "log of 0"),
    "a cotangent": (pb.grad(steep), steep, (1e-310,), "inf arises in a cotangent", "e-310"),
    "an overflow": (pb.jit(grown), grown, (1e10, 8), "inf", "mul of 1"),
    "a gradient": (pb.grad(grown), grown, (1e10, 8), "inf", "mul of 1"),
    "updated": (pb.value_and_grad(twice), twice, (np.array([1.0, -1.0]),), "nan", "log of -2"),
    "a field": (pb.jit(paired), paired, (-1.0,), "nan", "log of -1"),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CASES)
def test_the_line_the_operation_and_the_operands(looking: None, name: str) -> None:
    operator, f, args, what, operands = CASES[name]
    with pytest.raises(NonFiniteError) as caught:
        operator(*args)
    error = caught.value
    assert error.site is not None and error.site.line == line_of(f)
    assert what in error.reason and operands in error.reason
    assert isinstance(error, FloatingPointError) and "# here" in str(error)


def test_what_is_finite_is_as_before(looking: None) -> None:
    assert pb.grad(steep)(4.0) == 0.25
    assert pb.value_and_grad(best)([3.0, 2.0]) == (2.0, [0.0, 1.0])  # math.inf is no operand here
    x = np.array([1.0, 2.0])
    assert np.array_equal(pb.grad(twice)(x), [1.0, 0.5])
    assert np.array_equal(x, [2.0, 4.0]), "the update is there, once"


def test_an_argument_that_is_nan(looking: None) -> None:
    with pytest.raises(NonFiniteError, match="it is in an argument"):
        pb.grad(steep)(math.nan)


def test_off_it_is_not_there() -> None:
    """The call of operators is the very function that it was, so its cost is the same."""
    pb.config.debug_nans = True
    assert Operator.__call__ is not PLAIN
    pb.config.debug_nans = False
    assert Operator.__call__ is PLAIN
    assert math.isinf(pb.jit(grown)(1e10, 8))
    with pytest.raises(ValueError, match="debug_nans is True or False"):
        pb.config.debug_nans = 1  # type: ignore[assignment]  # it is wrong
