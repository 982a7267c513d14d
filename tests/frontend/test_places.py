"""Variables that inner functions rebind, and parts that are updated by other names: as in Python
(the result, what happens to the arguments, the gradient), or refused with a way round."""

import copy
import time

import numpy as np
import pytest

import pullback as pb
from tests.foreign.__main__ import is_right
from tests.frontend import carried_places, places_hard, places_programs
from tests.frontend.harness import agrees, run, same

X = [0.7, 1.3, 0.9]
DIFFERENTIATED = [
    "recursion_that_rebinds", "two_levels", "list_rebound", "array_rebound", "none_first",
    "in_while_with_break", "passed_on", "tokens", "push_passed_on", "array_captured",
    "heap_by_another_name", "whole_array_in_a_helper", "force_on_bodies", "buckets",
    "pages_in_helpers", "row_captured",
]  # fmt: skip
REFUSED = {
    "in_build": "write a loop",
}


@pytest.mark.parametrize("f", places_programs.PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f):
    x = list(X)
    same(run(f, x), f(copy.copy(x)))
    assert x == X


@pytest.mark.parametrize("f", places_programs.SEEN_OUTSIDE, ids=lambda f: f.__name__)
def test_arguments_stay_as_they_are(f):
    with pytest.raises(pb.PullbackError, match="seen outside"):
        run(f, list(X))


@pytest.mark.parametrize("f", places_hard.PROGRAMS, ids=lambda f: f.__name__)
def test_right_or_refused(f):
    if f.__name__ in REFUSED:
        with pytest.raises(pb.PullbackError, match=REFUSED[f.__name__]):
            run(f, X)
    else:
        agrees(f, X)


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_gradients(name):
    """Natively, and by finite differences."""
    f = getattr(places_programs, name)
    value, found = pb.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-12)
    for k in range(3):
        up, down = list(X), list(X)
        up[k] += 1e-6
        down[k] -= 1e-6
        assert found[k] == pytest.approx((f(up) - f(down)) / 2e-6, rel=1e-5, abs=1e-6)


def test_a_derivative_inside():
    def f(x):
        def loss(v):
            n = 0.0

            def add(w):
                nonlocal n
                n += w * w

            add(v)
            add(v * x)
            return n

        return pb.grad(loss)(x * 2.0)

    assert pb.value_and_grad(f)(3.0) == (120.0, 112.0)

    def changes(x):
        n = 0.0

        def loss(v):
            nonlocal n
            n += 1.0
            return v * v

        return pb.grad(loss)(x) * n

    assert pb.jit(changes)(1.0) == changes(1.0) == 2.0


def test_a_variable_of_a_function_that_is_not_compiled():
    total = 0.0

    def f(x):
        nonlocal total
        total += x
        return total

    with pytest.raises(pb.PullbackError, match="pass the value in and return the new one"):
        pb.vmap(f)(np.ones(2))
    assert total == 0.0
    assert pb.jacfwd(f)(1.5) == 1.0
    assert total == 1.5


def test_a_deep_recursion_does_not_copy_what_it_updates() -> None:
    """Each level has a loop that carries the list: none of them moves it in memory."""

    def f(edges):
        order = []
        visited = 0

        def visit(v):
            nonlocal visited
            visited += 1
            order.append(v * 0.5)
            for u in edges[v]:
                visit(u)

        visit(0)
        return sum(order) + visited

    def seconds(n: int) -> float:
        edges, taken = [[k + 1] if k + 1 < n else [] for k in range(n)], []
        for _ in range(4):
            before = time.process_time()
            assert compiled(edges) == 0.25 * n * (n - 1) + n
            taken.append(time.process_time() - before)
        return min(taken)

    compiled = pb.jit(f)
    assert seconds(32000) < 80 * seconds(4000)


@pytest.mark.parametrize(
    ("f", "x"), carried_places.PROGRAMS, ids=lambda f: getattr(f, "__name__", "")
)
def test_places_that_loops_carry(f, x):
    """The value, and the gradient by finite differences."""
    is_right(f, (x,))
