"""Functions as values: what grows becomes data, what cannot end is refused, code stays linear."""

import linecache
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.traverse import all_lets
from pullback.errors import EndlessError, PullbackError, UnknownNameError
from tests.frontend.harness import agrees, compiled
from tests.programs.functions import (
    church_loop,
    church_recursion,
    compose,
    compose_n,
    cps_factorial,
    cps_sum,
    twice,
)

# --- one helper, many types -----------------------------------------------------------------------


def iterate(f, n):
    h = lambda y: y
    for _ in range(n):
        h = compose(f, h)
    return h


def many_types(x, v, n):
    """The set that ``iterate`` makes is one per type of its argument."""
    number = iterate(lambda y: math.sin(y) * x, n)(x)
    array = iterate(lambda a: np.sin(a) * x, n)(v)
    pair = iterate(lambda p: (p[1] * x, p[0] + 1.0), n)((x, 2.0))
    return number, array, pair, twice(lambda a: a + 1, 3), twice(lambda a: a * x, v)


def iterated_iteration(x, n):
    h = lambda y: y * x
    for _ in range(n):
        h = iterate(h, 2)
    return h(x)


def state_monad(x, n):
    def run(m, f, s):
        v, after = m(s)
        return f(v)(after)

    unit = lambda v: lambda s: (v, s)
    bind = lambda m, f: lambda s: run(m, f, s)
    m = unit(0.0)
    for _ in range(n):
        m = bind(m, lambda total: bind(lambda s: (s, s * x + 1.0), lambda v: unit(total + v)))
    return m(x)


def predecessor(x, n):
    """Return the predecessor of a Church numeral, by pairs of numerals."""
    zero = lambda f: lambda y: y
    successor = lambda m: lambda f: lambda y: f(m(f)(y))
    pair = lambda a: lambda b: lambda s: s(a)(b)
    first = lambda p: p(lambda a: lambda b: a)
    second = lambda p: p(lambda a: lambda b: b)
    numeral = zero
    for _ in range(n):
        numeral = successor(numeral)
    shift = lambda p: pair(second(p))(successor(second(p)))
    return first(numeral(shift)(pair(zero)(zero)))(lambda y: y * x)(x)


def environments(x, n):
    """An environment as a function, extended in every call."""

    def go(d, env):
        if d == 0:
            return env(0)
        return go(d - 1, lambda i: x if i == 0 else env(i - 1)) + env(d)

    return go(n, lambda i: 1.0 * i)


def two_continuations(x, n):
    def go(k, f, g):
        if k == 0:
            return f(x) + g(x)
        return go(k - 1, lambda r: g(r * x), lambda r: f(r) + 1.0)

    return go(n, lambda r: r, lambda r: r * r)


def streams(x, n):
    naturals = lambda k: lambda: (k, naturals(k + 1.0))

    def mapped(f, s):
        head, rest = s()
        return f(head), lambda: mapped(f, rest)

    s = lambda: mapped(lambda v: v * x, lambda: mapped(math.sin, naturals(x)))
    total = 0.0
    for _ in range(n):
        head, s = s()
        total += head
    return total


def maybe_a_function(x, n):
    k = None
    for _ in range(n):
        k = (lambda y: y * x) if k is None else compose(k, lambda y: y + 1.0)
    return 0.0 if k is None else k(x)


def left_early(x, ws):
    def build():
        h = lambda y: y
        for w in ws:
            if w < 0.0:
                return h
            h = compose(lambda y, w=w: y * w, h)
        return h

    return build()(x)


def updated_later(x, n):
    def reader(a, h):
        return lambda y: h(y) + a[0]

    a = np.zeros(n)
    h = lambda y: y
    for _ in range(n):
        h = reader(a, h)
    a[0] = x
    return h(x)


def longer_tuples(x, n):
    h = lambda: (x,)
    for _ in range(n):
        h = lambda h=h: (x * x, *h())
    t = h()
    return sum(v * v for v in t) * len(t)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_functions_that_grow(n: int) -> None:
    agrees(many_types, 0.5, np.array([1.0, 2.0]), n)
    agrees(iterated_iteration, 0.9, n)
    agrees(state_monad, 0.5, n)
    agrees(predecessor, 0.5, n)
    agrees(environments, 0.5, n)
    agrees(two_continuations, 0.5, n)
    agrees(streams, 0.5, n)
    agrees(maybe_a_function, 0.5, n)
    agrees(updated_later, 0.5, n + 1)
    agrees(longer_tuples, 0.5, n)
    agrees(left_early, 0.5, [1.0, 2.0, -1.0, 3.0][: n + 1])


def test_what_is_known_stays_known() -> None:
    """Functions composed without a loop are called directly: no declaration, no branch."""

    def f(x):
        return twice(compose(math.sin, twice(lambda g: g, lambda y: y * x)), x)

    assert compiled(f, 0.5).program.decls == {}
    agrees(f, 0.5)


# --- refused --------------------------------------------------------------------------------------


def late_binding(x, n):
    h = lambda y: y
    for i in range(n):
        h = compose(lambda y: y * x + i, h)
    return h(x)


def no_base_case(x):
    def f(g):
        return f(lambda y: g(y))

    return f(lambda y: y)(x)


def calls_itself(x):
    omega = lambda f: f(f)
    return omega(omega)(x)


def ever_new_types(x, n):
    def go(n, f, v):
        if n == 0:
            return f(x)
        return go(n - 1, lambda y: f(y), (v, v))

    return go(n, lambda y: y, x)


def deeper_derivatives(x, n):
    f = lambda y: y**3 * x
    for _ in range(n):
        f = pb.grad(f)
    return f(x)


@pytest.mark.parametrize(
    ("f", "args", "error", "words"),
    [
        (late_binding, (0.5, 3), UnknownNameError, "captured 'i'"),
        (no_base_case, (0.5,), EndlessError, "calls it again"),
        (calls_itself, (0.5,), EndlessError, "calls it again"),
        (ever_new_types, (0.5, 3), EndlessError, "ever new types"),
        (deeper_derivatives, (0.5, 2), PullbackError, "derivative"),
    ],
    ids=lambda v: v.__name__ if callable(v) else "",
)
def test_refused(f: Any, args: Any, error: type[PullbackError], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        pb.grad(f)(*args)
    assert "test_closures.py" in str(caught.value)


# --- code and steps are linear --------------------------------------------------------------------


def written(lines: list[str], name: str) -> Callable[[float], float]:
    """The function ``f`` of these lines."""
    text = "\n".join(["import math", *lines, ""])
    file = f"<written {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {}
    exec(compile(text, file, "exec"), names)
    return names["f"]


def lets(f: Callable[[float], float]) -> int:
    program = compiled(f, 0.5).program
    return sum(len(list(all_lets(g.body))) for g in program.functions.values())


def composed(n: int) -> Callable[[float], float]:
    steps = [f"    h = compose(lambda y: math.sin(y) + {k} * x, h)" for k in range(n)]
    head = ["compose = lambda f, g: lambda u: f(g(u))", "def f(x):", "    h = lambda y: y"]
    return written([*head, *steps, "    return h(x)"], f"composed {n}")


def chained(n: int) -> Callable[[float], float]:
    steps = [f"    h{k + 1} = lambda y: math.sin(h{k}(y)) + x" for k in range(n)]
    return written(
        ["def f(x):", "    h0 = lambda y: y * x", *steps, f"    return h{n}(x)"], f"chained {n}"
    )


@pytest.mark.parametrize("make", [composed, chained])
def test_compositions_written_out_have_linear_code(make: Any) -> None:
    small, large = (lets(make(n)) for n in (25, 100))
    assert large < 4.5 * small, (small, large)


def identities(n: int) -> Callable[[float], float]:
    """t_0 = x, t_(n+1) = (lambda y: y)(t_n), each inside a lambda (Efficient CHAD, section 9)."""
    term = "x * y0"
    for k in range(n):
        term = f"(lambda y{k}: {term})(y{k + 1} * x)"
    return written(["def f(x):", f"    return (lambda y{n}: {term})(x)"], f"identities {n}")


def test_nested_applications_have_linear_gradients() -> None:
    """CHAD-81, CHAD-86: nothing is differentiated twice."""
    sizes = (10, 20, 40)
    steps = [pb.cost(identities(n), 0.9, method="chad") for n in sizes]
    assert steps[2] - steps[1] <= 2.1 * (steps[1] - steps[0]), steps
    assert [lets(identities(n)) for n in sizes] == sorted({lets(identities(n)) for n in sizes})
    assert lets(identities(40)) < 4.5 * lets(identities(10))


@pytest.mark.parametrize(
    ("f", "make"),
    [
        (compose_n, lambda n: (0.9, 0.5, n)),
        (church_recursion, lambda n: (0.9, 0.5, n)),
        (church_loop, lambda n: (0.9, n)),
        (cps_factorial, lambda n: (1.0 / n, n)),
        (cps_sum, lambda n: (np.linspace(0.0, 1.0, n),)),
    ],
)
def test_growing_functions_have_linear_gradients(f: Any, make: Any) -> None:
    sizes = [128, 256, 512]
    counts = [pb.cost(f, *make(n), method="chad") for n in sizes]
    slope = np.polyfit(np.log(sizes), np.log(counts), 1)[0]
    assert slope < 1.05, counts


@pytest.mark.parametrize(
    ("f", "make"),
    [
        (compose_n, lambda n: (0.9, 0.5, n)),
        (church_recursion, lambda n: (0.9, 0.5, n)),
        (cps_sum, lambda n: (np.full(n, 0.5),)),
    ],
)
def test_a_million_deep(f: Any, make: Any) -> None:
    value, gradient = pb.value_and_grad(f)(*make(1_000_000))
    assert np.isfinite(value) and np.all(np.isfinite(gradient))


def test_endless_at_run_time() -> None:
    def f(x, n):
        def go(n, k):
            if n == 0:
                return k(x)
            return go(n - 1, lambda r: k(r * x))

        return go(n, lambda r: r)

    with pytest.raises(RecursionError):
        pb.grad(f)(0.5, -1)
