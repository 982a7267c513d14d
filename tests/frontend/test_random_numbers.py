"""Random numbers are NumPy's and Python's own, bit by bit, and so is the state of the generator
after a call: of a value, of a gradient, of one that raises."""

from __future__ import annotations

import ctypes
import importlib.util
import random
import sys
import threading

import numpy as np
import pytest

import pullback as pb
from pullback.core import called_python, draws
from pullback.native import native_draws
from pullback.native.draws_ir import NATIVE, ROUTINES
from tests import harness
from tests.campaign import part
from tests.frontend import random_programs as programs
from tests.frontend.random_programs import legacy_generator, numpy_generator, python_generator

X = 1.3


def state(rng):
    return draws.words_of(rng).tolist()


def same(a, b):
    """Whether two results are the same bits, in the same types but for NumPy's floats."""
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    types = {type(a), type(a.item()) if isinstance(a, np.generic) else type(a)}
    return type(b) in types and np.float64(a).tobytes() == np.float64(b).tobytes()


# --- every method ---------------------------------------------------------------------------------

BOTH = [
    "random() random(3) random((2,3)) uniform() uniform(x,2*x,4) uniform(x,[2.,3.]) normal(x,2.0)"
    " normal(x,x,(2,2)) normal([x,1.],[[1.],[2.]]) normal(size=[2]) standard_normal(5)",
    "standard_exponential() standard_cauchy(2) exponential(x,3) exponential() laplace(x,2.0,4)"
    " gumbel(x,x,4) logistic(x,2.0) rayleigh(x,3) gamma(2.0,x,3) gamma([2.,.5],x) lognormal(x)"
    " standard_gamma(1.5,2) lognormal(x,.5,3)",
    "beta(2.0,[3.,1.]) beta(2.,3.,3) chisquare(3.0) noncentral_chisquare(3,1.0,2) f(2,3,2)"
    " noncentral_f(2,3,1,2) standard_t(4,3) pareto(3.0,2) weibull(2.0) power(2.0,2)"
    " wald(1.0,2.0,2) vonmises(0.5,2.0,3) triangular(0,1,2,3)",
    "poisson(3.0,5) poisson([1.,20.,300.]) poisson(2.0) binomial(10,.3,5) binomial(100,[.5,.1])"
    " binomial(5,.5) negative_binomial(3,.4,4) geometric(.3,4) zipf(2.5,3) logseries(.5,3)"
    " hypergeometric(5,6,4,3)",
    "multinomial(10,[.2,.3,.5]) multinomial(10,[.2,.3,.5],(2,2)) dirichlet([1.,2.,3.],2)"
    " multivariate_normal([x,1.],[[2.,.5],[.5,1.]]) permutation(7) permutation([1.,2.,3.])"
    " permutation(np.arange(6).reshape(3,2))",
    "choice(5) choice(5,3) choice(5,(2,2),True) choice(5,3,False) choice([x,2.,3.])"
    " choice(5,3,p=[.1,.2,.3,.2,.2]) choice(np.array([x,2.,3.]),4)",
]
GENERATOR = [
    "integers(10) integers(2,5) integers(10,size=4) integers(0,10,(2,2))"
    " integers(-5,5,3,endpoint=True) integers(2,size=1)"
    " multivariate_normal([x,1.],[[2.,.5],[.5,1.]],3,method='cholesky')"
    " permutation(np.arange(6).reshape(3,2),axis=1) choice(np.arange(6).reshape(3,2),2,axis=1)"
    " choice(5,3,replace=False,shuffle=False) integers(9,dtype=int) choice(4,0)",
]
LEGACY = [
    "rand() rand(3) rand(2,2) randn() randn(2) random_sample() random_sample(3) randint(5)"
    " randint(2,9) randint(2,9,4,dtype=np.int64) randint(9,dtype=np.int64)"
    " randint(0,2,size=(2,2)) choice(4,0)",
]
PYTHON = [
    "random() uniform(1.0,x) gauss(x,2.0) gauss() normalvariate(x,1.0) lognormvariate(x,.5)"
    " expovariate(x) gammavariate(2.0,x) gammavariate(0.5,x) gammavariate(1.0,x)"
    " betavariate(2.0,3.0) weibullvariate(x,2.0) paretovariate(3.0) vonmisesvariate(0.5,2.0)",
    "triangular() triangular(0.0,3.0,1.0) getrandbits(5) getrandbits(60) randrange(10)"
    " randrange(2,10) randrange(2,20,3) randint(1,6) choice([x,2.0,3.0]) choices([1.0,2.0,x],k=4)"
    " choices([1,2,3],[1,2,3],k=2) choices([1,2,3],cum_weights=[1,2,4],k=2) sample([1,2,3,4],2)"
    " sample(range(10),3) choice((1,2,3))",
]
CALLS = [
    *((make, calls) for make in (numpy_generator, legacy_generator) for calls in BOTH),
    *((numpy_generator, calls) for calls in GENERATOR),
    *((legacy_generator, calls) for calls in LEGACY),
    *((python_generator, calls) for calls in PYTHON),
]


def written(calls, tmp_path):
    """A function that makes these calls of a generator."""
    lines = [f"    a{k} = rng.{call}" for k, call in enumerate(calls)]
    names = ", ".join(f"a{k}" for k in range(len(calls)))
    text = ["import numpy as np", "", "def drawn(x, rng):", *lines, f"    return {names}", ""]
    file = tmp_path / "drawn_numbers.py"
    file.write_text("\n".join(text))
    spec = importlib.util.spec_from_file_location("drawn_numbers", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["drawn_numbers"] = module
    spec.loader.exec_module(module)
    return module.drawn


def title(value: object) -> str:
    """The name of a case, the same in all processes."""
    return getattr(value, "__name__", None) or (value if isinstance(value, str) else "")


@pytest.mark.parametrize(("make", "calls"), part("values", CALLS, 3), ids=title)
def test_methods_draw_the_numbers_of_the_library(make, calls, tmp_path):
    f, mine, theirs = written(calls.split(), tmp_path), make(), make()
    assert same(f(X, theirs), pb.jit(f)(X, mine))
    assert state(mine) == state(theirs)


WRONG = [
    (numpy_generator, "normal(0.0, -x)"), (numpy_generator, "beta(1.0, -x)"),
    (numpy_generator, "uniform(x, 0.0)"), (numpy_generator, "integers(5, 2)"),
    (numpy_generator, "choice(3, 5, replace=False)"), (numpy_generator, "choice(-1)"),
    (legacy_generator, "choice([x][1:])"), (numpy_generator, "binomial(3, x)"),
    (legacy_generator, "gamma(-x)"), (legacy_generator, "choice(3, p=[0.5, 0.5])"),
    (python_generator, "sample([1.0, x], 3)"), (python_generator, "randint(3, 2)"),
    (python_generator, "choice([1.0][1:])"), (python_generator, "expovariate(0.0)"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "call"), part("values", WRONG, 3), ids=title)
def test_errors_are_those_of_the_library(make, call, tmp_path):
    f, mine, theirs = written(["random()", call], tmp_path), make(), make()
    with pytest.raises((ValueError, ArithmeticError, LookupError)) as expected:
        f(X, theirs)
    with pytest.raises(expected.type) as found:
        pb.jit(f)(X, mine)
    assert str(found.value) == str(expected.value)
    assert state(mine) == state(theirs)


# --- programs -------------------------------------------------------------------------------------


def outcome(f, args):
    """What a function gives or raises, and the state of its generator then."""
    try:
        found = f(*args)
    except ValueError as error:
        found = repr(error)
    return found, state(args[1])


def check_derivatives(f, make):
    """Compare value, state and derivatives by all ways with Python's and with differences."""
    value, after = outcome(f, (X, make()))
    slope = harness.difference(lambda x: f(x, make()), (X,), (1.0,))
    for method in ("chad", "dual"):
        rng = make()
        assert pb.value_and_grad(f, method=method)(X, rng) == (
            pytest.approx(value, rel=1e-13), pytest.approx(slope, rel=1e-6, abs=1e-9)
        )
        assert state(rng) == after
    rng = make()
    assert pb.jvp(f, (X, rng), (1.0, None)) == (
        pytest.approx(value, rel=1e-13), pytest.approx(slope, rel=1e-6, abs=1e-9)
    )
    assert state(rng) == after


@pytest.mark.parametrize("f", part("values", programs.PROGRAMS, 3), ids=lambda f: f.__name__)
def test_programs(f):
    value, after = outcome(f, (X, numpy_generator()))
    assert outcome(pb.jit(f), (X, numpy_generator())) == (pytest.approx(value, rel=1e-13), after)
    check_derivatives(f, numpy_generator)


@pytest.mark.parametrize("f", programs.RAISING, ids=lambda f: f.__name__)
def test_a_generator_is_advanced_where_the_function_raises(f):
    expected = outcome(f, (X, numpy_generator()))
    assert outcome(pb.jit(f), (X, numpy_generator())) == expected
    assert outcome(pb.grad(f), (X, numpy_generator())) == expected


@pytest.mark.parametrize(("f", "make"), part("values", programs.DERIVATIVES, 3), ids=title)
def test_derivatives_by_location_and_scale(f, make):
    check_derivatives(f, make)


@pytest.mark.parametrize("f", part("values", programs.BY_SHAPE, 2), ids=lambda f: f.__name__)
def test_derivatives_by_what_the_draw_depends_on_are_refused(f):
    refused = "by a parameter on which the draw itself depends"
    for operate in (
        lambda rng: pb.grad(f)(0.7, rng), lambda rng: pb.grad(f, method="dual")(0.7, rng),
        lambda rng: pb.jvp(f, (0.7, rng), (1.0, None)),
    ):
        rng = numpy_generator()
        with pytest.raises(pb.UnsupportedError, match=refused) as caught:
            operate(rng)
        assert caught.value.site.file == programs.__file__
        assert state(rng) == state(numpy_generator())


def test_a_shape_that_is_held_is_a_number():
    def f(x, rng):
        return x * rng.gamma(pb.stop_gradient(x), 2.0)

    check = numpy_generator().gamma(X, 2.0)
    assert pb.grad(f)(X, numpy_generator()) == pytest.approx(check, rel=1e-14)


# --- generators around the function ---------------------------------------------------------------


def around(f):
    """What a call gives, and what the generators around it draw next."""
    np.random.seed(99)
    random.seed(99)
    programs.CAPTURED.bit_generator.state = np.random.default_rng(11).bit_generator.state
    found = f()
    return found, np.random.rand(), random.random(), programs.CAPTURED.random()


@pytest.mark.parametrize("f", part("values", programs.AROUND, 2), ids=lambda f: f.__name__)
def test_generators_around_the_function(f):
    before = np.random.get_state(), random.getstate()
    try:
        value, *after = around(lambda: f(X))
        slope = harness.difference(lambda x: around(lambda: f(x))[0], (X,), (1.0,))
        assert around(lambda: pb.jit(f)(X)) == (value, *after)
        for found in (
            around(lambda: pb.value_and_grad(f)(X)), around(lambda: pb.jvp(f, (X,), (1.0,))),
            around(lambda: pb.value_and_grad(f, method="dual")(X)),
        ):
            assert found == ((value, pytest.approx(slope, rel=1e-6)), *after)
    finally:
        np.random.set_state(before[0])
        random.setstate(before[1])


@pytest.mark.parametrize(("f", "makes", "reason"), programs.REFUSED, ids=title)
def test_what_is_refused(f, makes, reason):
    with pytest.raises(pb.PullbackError, match=reason) as caught:
        pb.jit(f)(X, *(make() for make in makes))
    assert caught.value.site.file == programs.__file__


# --- what a generator is --------------------------------------------------------------------------


@pytest.mark.parametrize("bits", ["PCG64", "PCG64DXSM", "SFC64", "Philox", "MT19937"])
def test_states_go_there_and_back(bits):
    rng = np.random.Generator(getattr(np.random, bits)(5))
    rng.integers(5, dtype=np.int32)  # leaves half of a number
    words = draws.words_of(rng)
    again = draws.with_words(words, np.random.Generator)
    assert draws.words_of(again).tolist() == words.tolist()
    assert again.integers(9, size=5, dtype=np.int32).tolist() == (
        rng.integers(9, size=5, dtype=np.int32).tolist()
    )


def test_code_that_draws_otherwise_is_left_to_python():
    library = ctypes.CDLL(np.random._generator.__file__)
    at = {r: ctypes.cast(getattr(library, r), ctypes.c_void_p).value for r in ROUTINES}
    python = called_python.address(called_python.DRAWS)
    _, right = native_draws.compared(at, python)
    assert right == list(NATIVE)
    _, right = native_draws.compared(at | {"random_gumbel": at["random_logistic"]}, python)
    assert right == [name for name in NATIVE if name != "gumbel"]


def test_long_sequences_are_those_of_the_library():
    """The Mersenne Twister makes new words several times; half numbers are left and taken."""

    def f(n, numpy, legacy, python):
        s = 0.0
        for k in range(n):
            s += numpy.normal() + legacy.normal() * legacy.rand() + legacy.exponential()
            s += python.random() + python.gauss(0.0, 1.0) * python.normalvariate(0.0, 1.0)
            s += numpy.integers(k + 1) + legacy.randint(k + 1) + python.randrange(2**k + 1)
            s += numpy.poisson(k + 0.5) + numpy.beta(0.5, k + 1.0) + numpy.standard_gamma(k + 0.3)
        return s

    mine, theirs = (
        (numpy_generator(), legacy_generator(), python_generator()) for _ in range(2)
    )
    for n in (40, 3, 60):
        assert pb.jit(f)(n, *mine) == f(n, *theirs)
        assert [*map(state, mine)] == [*map(state, theirs)]


@pytest.mark.parametrize("make", [legacy_generator, python_generator])
def test_a_spare_number_is_part_of_the_state(make):
    def f(rng):
        return rng.normal() if isinstance(rng, np.random.RandomState) else rng.gauss(0.0, 1.0)

    mine, theirs = make(), make()
    compiled = pb.jit(lambda x, rng: x * f(rng))
    assert [compiled(2.0, mine) for _ in range(3)] == [2.0 * f(theirs) for _ in range(3)]


def test_a_generator_that_is_returned_spawns_no_others():
    made = pb.jit(lambda seed: np.random.default_rng(seed))(7)
    assert state(made) == state(numpy_generator())
    with pytest.raises(NotImplementedError, match="cannot generate state"):
        made.spawn(1)


def of_two(x, a, b):
    return x * a.normal() + b.normal() * a.random()


@pytest.mark.parametrize("first", [np.random.Generator, np.random.RandomState])
def test_two_generators_that_draw_from_the_same_bits(first):
    def made():
        bits = np.random.MT19937(3)
        return first(bits), np.random.Generator(bits)

    assert pb.jit(of_two)(X, *made()) == of_two(X, *made())
    with pytest.raises(pb.PullbackError, match="shares memory with what the function has"):
        pb.grad(of_two)(X, *made())


def test_two_generators_of_the_same_bits_made_inside():
    def f(x):
        bits = np.random.PCG64(3)
        return of_two(x, np.random.Generator(bits), np.random.Generator(bits))

    with pytest.raises(NotImplementedError, match="draw from one bit generator"):
        pb.jit(f)(X)


def test_threads_begin_together():
    """None of them is refused since another one has learnt first that the generator is updated."""

    def f(x, rng):
        return sum(x * rng.normal() for _ in range(500))

    found, ready = [], threading.Barrier(4, timeout=60)

    def draw():
        ready.wait(60)
        found.append(pb.jit(f)(X, numpy_generator()))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert found == [f(X, numpy_generator())] * 4


def test_a_generator_has_no_derivative():
    with pytest.raises(pb.PullbackError, match="argument 1 is a Generator"):
        pb.grad(programs.two_names, argnums=1)(X, numpy_generator())


def test_a_generator_is_one_object():
    f = pb.jit(programs.two_names)
    rng = numpy_generator()
    bits = rng.bit_generator
    f(X, rng)
    assert rng.bit_generator is bits
    both = pb.jit(lambda x, a, b: x * a.random() + b.random())
    rng, other = numpy_generator(), numpy_generator()
    assert both(X, rng, rng) == X * other.random() + other.random()
    assert state(rng) == state(other)
