"""Classes derived from ``float``, ``int``, ``str`` and ``tuple``: made in functions, as arguments,
results and gradients."""

import math

import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend.value_class_programs import PROGRAMS, Id, Metres, Money, Name, Quantity, Vec


@pytest.mark.parametrize("f", part("values", PROGRAMS, 12), ids=lambda f: f.__name__)
def test_programs(f):
    is_right(f, (1.3,))
    slope, h = pb.grad(f)(1.3), 1e-6
    assert pb.grad(f, method="dual")(1.3) == pytest.approx(slope, rel=1e-12)
    assert slope == pytest.approx((f(1.3 + h) - f(1.3 - h)) / (2 * h), rel=1e-5)


def total(d):
    return d["m"].feet() * d["v"].x * len(d["n"]) + sum(d["ms"]) * d["i"]


def test_arguments_and_gradients():
    given = {
        "m": Metres(1.5), "v": Vec(2.0, 3.0), "n": Name("abc"), "ms": [Metres(1.0), Metres(2.0)],
        "i": Id(4),
    }  # fmt: skip
    assert pb.jit(total)(given) == pytest.approx(total(given), rel=1e-14)
    for method in ("chad", "dual"):
        found = pb.grad(total, method=method)(given)
        assert [type(v) for v in found.values()] == [Metres, Vec, type(None), list, type(None)]
        assert found["m"] == pytest.approx(6.0 / 0.3048) and found["v"][1] == 0.0
        assert found["v"][0] == pytest.approx(4.5 / 0.3048) and found["ms"] == [4.0, 4.0]
        assert type(found["ms"][0]) is Metres


class Ratio:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __float__(self):
        return self.a / self.b

    def __round__(self, digits=None):
        return round(self.a / self.b, digits)

    def __floor__(self):
        return 7

    def __index__(self):
        return 2


def test_conversions_ask_methods():
    def f(x):
        r = Ratio(x, 2.0)
        return float(r) + math.sin(float(r)) + round(r, 1) + math.floor(r) + int(r)

    assert pb.jit(f)(1.3) == pytest.approx(f(1.3), rel=1e-14)
    assert pb.grad(f)(1.3) == pytest.approx(0.5 + 0.5 * math.cos(0.65))


def test_results():
    def all_of_them(x):
        return Metres(x), [Money(x)], {"v": Vec(x, 1.0), "n": Name("q"), "i": Id(3)}

    found = pb.jit(all_of_them)(1.5)
    assert repr(found) == repr(all_of_them(1.5))
    assert type(found[0]) is Metres and type(found[2]["n"]) is Name and type(found[2]["i"]) is Id
    primal, tangent = pb.jvp(lambda x: Vec(x * x, 1.0), (1.5,), (2.0,))
    assert repr((primal, tangent)) == "(Vec(2.25, 1.0), Vec(6.0, 0.0))"


def test_a_loss_of_such_a_class():
    """The gradient of a function that returns a Money is that of the number in it."""
    assert pb.grad(lambda x: Money(x) * x)(1.5) == 3.0
    with pytest.raises(TypeError, match="this one returns a Money"):
        pb.value_and_grad(lambda x: Money(x) * x)(1.5)


def test_attributes_of_arguments():
    q = Quantity(1.5, "m")
    f = pb.jit(lambda q: q * 2.0 if q.unit == "m" else q * 3.0)
    assert f(q) == 3.0 and f(Quantity(1.5, "s")) == 4.5
    assert vars(pb.grad(lambda q: q * q)(q)) == {"unit": None}


def test_a_plain_number_is_no_such_object():
    """What is compiled for a float is not taken for an object of a class derived from it."""
    class Loud(float):
        def __mul__(self, other):
            return 100.0

    f = pb.jit(lambda v: v * 2.0)
    assert (f(1.5), f(Loud(1.5)), f(1.5)) == (3.0, 100.0, 3.0)


class Signed(complex):
    pass


class Members(set):
    pass


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (lambda x: abs(Signed(x, 1.0)), "Signed is derived from complex: "),
        (lambda x: x * len(Members([1, 2])), "Members is derived from set: "),
        (lambda x: (Metres(x) if x > 1 else 2.0) + 1.0, "a Metres on one path and 2.0 on another"),
        (lambda x: {Id(1): x}[1], "an int as a key beside a Id, which __eq__ compares"),
        (lambda x: Metres(x) + "a", "unsupported operand type"),
    ],
)
def test_refused(f, why):
    with pytest.raises(PullbackError, match=why):
        pb.jit(f)(1.3)
