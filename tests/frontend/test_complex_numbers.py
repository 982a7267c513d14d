"""Python's complex numbers: values, signs of zeros and errors are Python's, to the bit."""

import cmath
import itertools
import math

import numpy as np
import pytest

import pullback as pb
from tests.frontend.complex_programs import PROGRAMS, mandelbrot, transform

INF, NAN = math.inf, math.nan
COMPLEX = [
    0j, -0j, 1 + 2j, complex(-0.0, 0.0), complex(0.0, -0.0), 3 - 1j, -2 + 0j, 1e200 + 1e200j,
    complex(INF, 1), complex(NAN, 0),
]  # fmt: skip
REAL = [0, 1, -3, 2.5, 0.0, -0.0, True, False, 1e308, INF]
POINTS = [
    complex(a, b)
    for a in (-2.0, -1.0, -0.5, -0.0, 0.0, 0.3, 1.0, 3.0, 800.0, 1e-310, 1e300)
    for b in (-2.0, -0.0, 0.0, 0.7, 1.0, 5e-320, 1e200)
]


def outcome(f, *args):
    """What a call returns, or the class and the text of what it raises."""
    try:
        return repr(f(*args))
    except Exception as error:
        return type(error).__name__, str(error).split("\n")[0]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_programs(f, args):
    assert outcome(pb.jit(f), *args) == outcome(f, *args)


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@pytest.mark.parametrize("op", OPERATORS)
def test_operators(op):
    f = OPERATORS[op]
    compiled = pb.jit(f)
    pairs = itertools.chain(
        itertools.product(COMPLEX, COMPLEX), itertools.product(COMPLEX, REAL),
        itertools.product(REAL, COMPLEX),
    )  # fmt: skip
    for a, b in pairs:
        assert outcome(compiled, a, b) == outcome(f, a, b), (a, b)


POWERS = {
    "0": lambda z: z**0, "1": lambda z: z**1, "2": lambda z: z**2, "3": lambda z: z**3,
    "-1": lambda z: z**-1, "-2": lambda z: z**-2, "100": lambda z: z**100,
    "0.5": lambda z: z**0.5, "2.0": lambda z: z**2.0, "True": lambda z: z**True,
}  # fmt: skip


@pytest.mark.parametrize("n", POWERS)
def test_powers(n):
    f = POWERS[n]
    compiled = pb.jit(f)
    for z in COMPLEX:
        assert outcome(compiled, z) == outcome(f, z), z


FUNCTIONS = {
    "exp": lambda z: cmath.exp(z), "log": lambda z: cmath.log(z),
    "log10": lambda z: cmath.log10(z), "sqrt": lambda z: cmath.sqrt(z),
    "sin": lambda z: cmath.sin(z), "cos": lambda z: cmath.cos(z), "tan": lambda z: cmath.tan(z),
    "sinh": lambda z: cmath.sinh(z), "cosh": lambda z: cmath.cosh(z),
    "tanh": lambda z: cmath.tanh(z), "asin": lambda z: cmath.asin(z),
    "acos": lambda z: cmath.acos(z), "atan": lambda z: cmath.atan(z),
    "asinh": lambda z: cmath.asinh(z), "acosh": lambda z: cmath.acosh(z),
    "atanh": lambda z: cmath.atanh(z),
}  # fmt: skip
OTHERS = {
    "polar": lambda z: cmath.polar(z), "isnan": lambda z: cmath.isnan(z),
    "isinf": lambda z: cmath.isinf(z), "isfinite": lambda z: cmath.isfinite(z),
    "log2": lambda z: cmath.log(z, 2), "logz": lambda z: cmath.log(3.0, z),
}  # fmt: skip


@pytest.mark.parametrize("name", [*FUNCTIONS, *OTHERS])
def test_cmath(name):
    f = (FUNCTIONS | OTHERS)[name]
    compiled = pb.jit(f)
    for z in POINTS:
        assert outcome(compiled, z) == outcome(f, z), z


def test_cmath_of_infinite_numbers_is_refused():
    with pytest.raises(NotImplementedError, match="of an infinite number"):
        pb.jit(FUNCTIONS["exp"])(complex(-INF, 0.0))


DERIVATIVES = {
    "exp": cmath.exp, "log": lambda z: 1 / z, "log10": lambda z: 1 / z / math.log(10),
    "sqrt": lambda z: 0.5 / cmath.sqrt(z), "sin": cmath.cos, "cos": lambda z: -cmath.sin(z),
    "tan": lambda z: 1 / cmath.cos(z) ** 2, "sinh": cmath.cosh, "cosh": cmath.sinh,
    "tanh": lambda z: 1 / cmath.cosh(z) ** 2, "asin": lambda z: 1 / cmath.sqrt(1 - z * z),
    "acos": lambda z: -1 / cmath.sqrt(1 - z * z), "atan": lambda z: 1 / (1 + z * z),
    "asinh": lambda z: 1 / cmath.sqrt(1 + z * z), "atanh": lambda z: 1 / (1 - z * z),
    "acosh": lambda z: 1 / (cmath.sqrt(z - 1) * cmath.sqrt(z + 1)),
}  # fmt: skip


def powers(z):
    return z**3 + z**-2 + z**0.5 + 2**z + z ** (1 + 1j) + (1 + z) / (z - 2)


def slope_of_powers(z):
    first = 3 * z**2 - 2 * z**-3 + 0.5 * z**-0.5 + 2**z * math.log(2) + (1 + 1j) * z**1j
    return first + 1 / (z - 2) - (1 + z) / (z - 2) ** 2


HOLOMORPHIC = [(f, DERIVATIVES[name]) for name, f in FUNCTIONS.items()]
HOLOMORPHIC.append((powers, slope_of_powers))
SMOOTH = [0.3 + 0.4j, 0.5 + 0j, -0.4 + 0j, -0.3 - 0.2j, 0.7j, 1.1 + 0.1j, 2 - 3j]


@pytest.mark.parametrize(("f", "slope"), HOLOMORPHIC)
def test_derivatives_of_holomorphic_functions(f, slope):
    """Also on the real and the imaginary axis, where absolute values of parts have kinks."""
    reverse = {m: pb.grad(f, method=m, holomorphic=True) for m in ("chad", "dual")}
    for z in SMOOTH:
        want = pytest.approx(slope(z), rel=1e-9)
        for method, gradient in reverse.items():
            assert gradient(z) == want, (method, z)
        assert pb.jacfwd(f, holomorphic=True)(z) == want, z
        assert pb.jacrev(f, holomorphic=True)(z) == want, z
        _, tangent = pb.jvp(f, (z,), (1 - 2j,))
        assert tangent / (1 - 2j) == want, z
        _, pullback = pb.vjp(f, z)
        assert pullback(1 - 2j)[0] / (1 - 2j) == want, z


def loss(p, xs):
    total = 0.0
    for x in xs:
        total += abs(p["a"] * x + p["b"]) ** 2 + (x * x.conjugate()).real
    return total


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_gradients_of_real_functions(method):
    """They are du/dx - i du/dy, as in JAX."""
    given = {"a": 1 + 1j, "b": 2.0}, [1j, 2 + 2j]
    by_p, by_xs = pb.grad(loss, argnums=(0, 1), method=method)(*given)

    def moved(step, k):
        xs = list(given[1])
        p = dict(given[0])
        if k < 0:
            p["a"] += step
        else:
            xs[k] += step
        return loss(p, xs)

    def by_differences(k):
        h = 1e-6
        along = [(moved(h * d, k) - moved(-h * d, k)) / (2 * h) for d in (1, 1j)]
        return along[0] - 1j * along[1]

    assert by_p["a"] == pytest.approx(by_differences(-1), rel=1e-6)
    assert by_xs == pytest.approx([by_differences(0), by_differences(1)], rel=1e-6)
    assert isinstance(by_p["b"], float)
    pb.check_grads(loss, given, order=1)


def quartic(z):
    return (z**4).real


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_second_derivatives(method):
    z = 0.3 + 0.4j
    second = pb.grad(lambda z: pb.grad(quartic)(z).real, method=method)
    assert second(z) == pytest.approx(12 * z**2)
    assert pb.jit(lambda z: pb.grad(quartic)(z))(z) == pytest.approx(4 * z**3)
    (product,) = pb.hvp(quartic, (z,), (1 + 1j,))
    assert product == pytest.approx(12 * z**2 * (1 + 1j))
    hessian = pb.hessian(lambda z: z**4, holomorphic=True)
    assert hessian(z) == pytest.approx(12 * z**2)


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_real_arguments_of_programs_with_complex_numbers(method):
    gradient = pb.grad(mandelbrot, (0, 1), method=method)(0.1, 0.2)
    h = 1e-6
    assert gradient == pytest.approx((
        (mandelbrot(0.1 + h, 0.2) - mandelbrot(0.1 - h, 0.2)) / (2 * h),
        (mandelbrot(0.1, 0.2 + h) - mandelbrot(0.1, 0.2 - h)) / (2 * h),
    ), rel=1e-6)  # fmt: skip

    def power(xs):
        return sum(abs(z) ** 2 for z in transform(xs))

    xs = [1.0, 2.0, -0.5, 0.25]
    assert pb.grad(power, method=method)(xs) == pytest.approx([2 * len(xs) * x for x in xs])


def test_lists_of_complex_numbers_cross():
    zs, ws = [0.3 + 0.4j, 1j, 2 + 0j], [1 + 0j, 1j, 2 + 1j]
    turn = lambda zs: [z * 1j for z in zs]  # meant
    assert pb.vjp(turn, zs)[1](ws) == ([w * 1j for w in ws],)
    assert pb.jvp(turn, (zs,), (ws,))[1] == [w * 1j for w in ws]
    gradient = pb.grad(lambda zs: sum(abs(z) ** 2 for z in zs))
    assert gradient(zs) == pytest.approx([2 * z.conjugate() for z in zs])


def test_ravel_and_custom_rules():
    vector, back = pb.ravel((1 + 2j, 3.0))
    assert vector.tolist() == [1.0, 2.0, 3.0] and back(2 * vector) == (2 + 4j, 6.0)
    assert pb.jit(lambda v: back(v)[0])(np.ones(3)) == 1 + 1j

    @pb.custom_vjp
    def square(z):
        return z * z

    square.defvjp(lambda z: (z * z, z), lambda z, ct: (2 * z * ct,))
    z = 0.3 + 0.4j
    assert pb.grad(lambda z: square(z).real)(z) == pytest.approx(2 * z)
    assert pb.vjp(square, z)[1](1j)[0] == pytest.approx(2j * z)


@pytest.mark.parametrize(("f", "args", "said"), [
    (lambda z: z % 2, (1j,), "unsupported operand type"),
    (lambda z: z // 2, (1j,), "unsupported operand type"),
    (lambda z: z < 1, (1j,), "not supported between instances of 'complex' and 'int'"),
    (lambda z: max([z, 1j]), (1j,), "not supported between instances"),
    (lambda z: ~z, (1j,), "bad operand type for unary ~: 'complex'"),
    (lambda z: float(z), (1j,), "a complex number"),
    (lambda z: math.sqrt(z), (1j,), "a complex number"),
    (lambda z: {z: 1}, (1j,), "a complex number as a key"),
])  # fmt: skip
def test_refusals(f, args, said):
    with pytest.raises(TypeError, match=said):
        pb.jit(f)(*args)


@pytest.mark.parametrize(("call", "said"), [
    (lambda: pb.grad(lambda z: z * z)(1j), "one real number"),
    (lambda: pb.jacfwd(lambda z: z * z)(1j), "holomorphic=True"),
    (lambda: pb.jacrev(lambda z: z * z)(1j), "holomorphic=True"),
    (lambda: pb.hessian(lambda z: abs(z))(1j), "holomorphic=True"),
    (lambda: pb.jacrev(lambda x: x * x, holomorphic=True)(2.0), "holomorphic=True with a real"),
    (lambda: pb.vjp(lambda z: z * z, 1j)[1]("x"), "cotangent"),
])  # fmt: skip
def test_derivatives_that_are_not_defined(call, said):
    with pytest.raises(TypeError, match=said):
        call()


def test_jacobians_between_real_and_complex_numbers():
    assert pb.jacfwd(lambda x: x * (1 + 2j))(2.0) == 1 + 2j
    assert pb.jacrev(lambda z: abs(z) ** 2)(1 + 2j) == pytest.approx(2 - 4j)


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_powers_are_differentiated_by_the_exponent_too(method):
    """Also where Python multiplies, since the exponent is whole, or has no imaginary part."""
    base = 0.5 + 1.5j
    for w in (2 + 0j, -1 - 0j, 0.5 + 0j, 1 + 2j):
        gradient = pb.grad(lambda z, w: z**w, 1, method=method, holomorphic=True)
        assert gradient(base, w) == pytest.approx(base**w * cmath.log(base)), w
    assert pb.jvp(lambda w: 2**w, (0.5 + 0j,), (1j,))[1] == pytest.approx(1j * 2**0.5 * math.log(2))
