"""Operators are pickled and copied: by name, as the call that made them, and with functions that
have no name."""

from __future__ import annotations

import copy
import functools
import linecache
import multiprocessing
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.test_rebinding import space

X = np.array([0.5, 2.0])


def square(x: Any) -> Any:
    return x * x


@pb.jit
def cube(x: Any) -> Any:
    return x**3


@pb.grad
def slope(x: Any) -> Any:
    return x * x


@pb.custom_vjp
def ruled(x: Any) -> Any:
    return x * x


ruled.defvjp(lambda x: (x * x, x), lambda x, ct: (7.0 * ct,))


def power(c: Any) -> Callable[..., Any]:
    def f(x: Any, n: int) -> Any:
        return c if n == 0 else x * f(x, n - 1)

    return f


def rule(f: Any) -> Any:
    made = pb.custom_jvp(f)
    made.defjvps(lambda t, out, x: 3.0 * t)
    return made


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (pb.grad(square), (3.0,)),
    (cube, (2.0,)),
    (pb.grad(cube), (2.0,)),
    (slope, (2.0,)),
    (pb.value_and_grad(lambda x: x * 5.0), (2.0,)),
    (pb.grad(lambda x, y=3.0, *, k=2.0: x * y * k, argnums=(0, 1)), (2.0, 4.0)),
    (pb.grad(lambda x: (x * x, x), has_aux=True), (2.0,)),
    (pb.grad(power(2.0)), (3.0, 2)),
    (pb.grad(square, method="dual"), (2.0,)),
    (pb.grad(square, method="chad.naive"), (2.0,)),
    (pb.grad(pb.grad(power(2.0))), (3.0, 2)),
    (pb.grad(lambda x: ruled(x)), (2.0,)),
    (ruled, (2.0,)),
    (pb.jit(rule(lambda x: x * x)), (2.0,)),
    (pb.jacobian(lambda x: x * x), (X,)),
    (pb.hessian(square), (2.0,)),
    (pb.vmap(lambda a, b: a * b, in_axes=(0, None), out_axes=0), (X, 2.0)),
    (pb.sparse_jacobian(lambda x: x * x), (X,)),
    (functools.partial(pb.grad(lambda x, y: x * y), 2.0), (3.0,)),
    (pb.jit(np.exp), (X,)),
    (pb.pure_callback(square, 0.0), (2.0,)),
    (pb.checkpoint(square), (2.0,)),
]  # fmt: skip


def result(f: Any, args: tuple[Any, ...]) -> str:
    found = f(*args)
    return repr(found.toarray() if hasattr(found, "toarray") else found)


@pytest.mark.parametrize("k", range(len(CASES)))
def test_pickles_and_copies(k: int) -> None:
    f, args = CASES[k]
    expected = result(f, args)
    for again in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f)):
        assert type(again) is type(f)
        assert result(again, args) == expected


def applied(case: tuple[Any, tuple[Any, ...]]) -> str:
    return result(*case)


def test_a_pool_of_processes() -> None:
    some = [CASES[k] for k in (0, 1, 3, 4, 7, 14, 18)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map_async(applied, some).get(60)
        assert found == [applied(case) for case in some]
        assert pool.map_async(pb.grad(lambda x: x * 7.0), [1.0, 2.0]).get(60) == [7.0, 7.0]


def test_what_stands_under_its_name_is_pickled_as_it() -> None:
    for f in (cube, slope, ruled):
        assert pickle.loads(pickle.dumps(f)) is f
    f = power(2.0)
    again = pickle.loads(pickle.dumps(pb.grad(f))).__wrapped__
    assert again is not f and again.__closure__[1].cell_contents is again  # it calls itself
    assert pickle.loads(pickle.dumps(pb.grad(square))).__wrapped__ is square


def test_attributes_of_the_operator_go_along() -> None:
    g = pb.grad(square)
    g.note = [1, 2]
    assert pickle.loads(pickle.dumps(g)).note == [1, 2]
    assert copy.copy(g).note is g.note
    assert not hasattr(pickle.loads(pickle.dumps(pb.grad(square))), "note")


def test_a_text_that_is_in_no_file_goes_along() -> None:
    f = space("f = lambda x: x * 3.0\n")
    file = f.__code__.co_filename
    with pytest.raises(pickle.PicklingError, match="globals are those of no module"):
        pickle.dumps(pb.grad(f))
    text = "made = lambda x: x * 4.0\n"
    linecache.cache["<cell>"] = len(text), None, [text], "<cell>"
    exec(compile(text, "<cell>", "exec"), globals())
    image = pickle.dumps(pb.grad(globals().pop("made")))
    del linecache.cache["<cell>"], linecache.cache[file]
    assert pickle.loads(image)(1.0) == 4.0


def test_what_cannot_be_pickled_says_why() -> None:
    f = eval("lambda x: x * x", globals())
    with pytest.raises(pickle.PicklingError, match=r"the source of .* cannot be read"):
        pickle.dumps(pb.grad(f))
    _, linear = pb.linearize(square, 2.0)
    with pytest.raises(pickle.PicklingError, match=r"what pb.linearize returned"):
        pickle.dumps(linear)


def test_errors_are_pickled_as_they_are() -> None:
    with pytest.raises(pb.PullbackError) as error:
        pb.grad(square)(1)
    again = pickle.loads(pickle.dumps(error.value))
    assert type(again) is type(error.value) and str(again) == str(error.value)
    assert (again.reason, again.rewrite) == (error.value.reason, error.value.rewrite)
