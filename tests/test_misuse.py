"""Wrong uses of the public functions: each is an error that says how it is meant."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import pullback as pb

A = np.ones(3)


def square(x):
    return x * x


def product(x, y):
    return x * y


def scaled(x, *, s=1.0):
    return x * s


def vector(x):
    return x * 2.0


class Box:
    def __call__(self, x):
        self.calls = 1
        return x


def circle():
    items: list[object] = []
    items.append(items)
    return items


# the use, the built-in class of the error, and what its text says
USES = [
    (lambda: pb.grad(3), TypeError, "write pb.grad(f)(x), not pb.grad(f(x))"),
    (lambda: pb.jit(None), TypeError, "write pb.jit(f)(x), not pb.jit(f(x))"),
    (lambda: pb.value_and_grad(square(2.0)), TypeError, "applied to a function, not to 4.0"),
    (lambda: pb.vjp(3.0, 1.0), TypeError, "write pb.vjp(f, x)"),
    (lambda: pb.jvp(None, (1.0,), (1.0,)), TypeError, "write pb.jvp(f, (x,), (t,))"),
    (lambda: pb.check_grads(1.0, (1.0,)), TypeError, "write pb.check_grads(f, (x,))"),
    (lambda: pb.show(3, 1.0), TypeError, "write pb.show(f, x)"),
    (lambda: pb.cost(3, 1.0), TypeError, "applied to a function, not to 3"),
    (lambda: pb.grad(square, 2.0), TypeError, "pb.grad(f, 1)(x, y)"),
    (lambda: pb.grad(square, b"x"), TypeError, "a number or a name, or a tuple of such, not b'x'"),
    (lambda: pb.grad(square, argnums=True), TypeError, "argnums"),
    (lambda: pb.grad(square, argnums=None), TypeError, "argnums"),
    (lambda: pb.grad(square, argnums=5)(1.0), TypeError, "argnums=0 is the first argument"),
    (lambda: pb.grad(square, argnums=-3)(1.0), TypeError, "argnums=0 is the first argument"),
    (lambda: pb.grad(square, method="reverse"), ValueError, "choose among chad, dual"),
    (lambda: pb.grad(square, method=None), ValueError, "no method None"),
    (lambda: pb.vjp(square, 1.0, method="x"), ValueError, "no method 'x'"),
    (lambda: pb.cost(square, 1.0, method="x"), ValueError, "no method 'x'"),
    (lambda: pb.grad(square)(), TypeError, "square(x): missing a required argument: 'x'"),
    (lambda: pb.grad(square)(1.0, 2.0), TypeError, "square(x): too many positional arguments"),
    (lambda: pb.grad(square)(y=1.0), TypeError, "square(x): missing a required argument: 'x'"),
    (lambda: pb.grad(product)(1.0, z=1.0), TypeError, "product(x, y): missing"),
    (lambda: pb.sparse_jacobian(scaled)(1.0, s=2.0), TypeError, "fix them with a lambda"),
    (lambda: pb.vjp(square), TypeError, "square(x): missing a required argument: 'x'"),
    (lambda: pb.vjp(square, 1.0, 2.0), TypeError, "too many positional arguments"),
    (lambda: pb.show(square), TypeError, "square(x): missing"),
    (lambda: pb.cost(square), TypeError, "square(x): missing"),
    (lambda: pb.grad(lambda s: 1.0)("a"), TypeError, "no real number to differentiate by"),
    (lambda: pb.grad(square)(3), TypeError, "argument 0 is an int"),
    (lambda: pb.grad(lambda x: 1.0)([]), TypeError, "no real number to differentiate by"),
    (lambda: pb.grad(lambda x: 1.0)(circle()), ValueError, "contains itself"),
    (lambda: pb.grad(lambda x: 1.0)([1.0, A] * 300), TypeError, "use a dataclass"),
    (lambda: pb.grad(lambda x: 1.0)({1.5: 1.0}), TypeError, "a dict with the key 1.5"),
    (lambda: pb.grad(vector)(A), TypeError, "use pb.vjp for other results"),
    (lambda: pb.grad(lambda x: None)(1.0), TypeError, "this one returns None"),
    (lambda: pb.grad(lambda x: (x, x))(1.0), TypeError, "a tuple of 2 items"),
    (lambda: pb.grad(square, has_aux=True)(1.0), TypeError, "return value, aux"),
    (lambda: pb.vmap(Box())(A), NotImplementedError, "updating it would be seen outside"),
    (lambda: pb.vjp(vector, A)[1](np.ones(4)), ValueError, "(4,) for an array of shape (3,)"),
    (lambda: pb.vjp(vector, A)[1]("a"), TypeError, "the cotangent of an array"),
    (lambda: pb.vjp(square, 1.0)[1]((1.0,)), TypeError, "the cotangent of a float"),
    (lambda: pb.jvp(square, 1.0, 1.0), TypeError, "write (x,) for a single one"),
    (lambda: pb.jvp(vector, A, A), TypeError, "write (x,) for a single one"),
    (lambda: pb.jvp(product, (1.0, 2.0), (1.0,)), TypeError, "2 primals and 1 tangents"),
    (lambda: pb.jvp(vector, (A,), (np.ones(2),)), ValueError, "a tangent of shape (2,)"),
    (lambda: pb.check_grads(square, 1.0), TypeError, "write (x,) for a single one"),
    (lambda: pb.check_grads(square, (1.0,), modes=("back",)), ValueError, "'fwd' and 'rev'"),
    (lambda: pb.check_grads(square, (1.0,), order=0), ValueError, "order is 1, 2, ..."),
    (lambda: pb.check_grads(square, (1.0,), order="2"), ValueError, "order is 1, 2, ..."),
    (lambda: pb.show(square, 1.0, stage="nope"), ValueError, "choose among core"),
    (lambda: pb.unpack(3.0), TypeError, "pb.unpack takes what pb.pack gave"),
    (lambda: pb.ravel([1.0, 2.0])[1](np.ones(3)), ValueError, "not (2,)"),
    (lambda: pb.jit(lambda x: pb.ravel([x]))(1.0), NotImplementedError, "by their places"),
    (lambda: pb.jit(lambda x: pb.pack([x]))(1.0), NotImplementedError, "call it outside"),
    (lambda: pb.jit(lambda x: pb.grad(square, argnum=0)(x))(1.0), NotImplementedError, "argnum"),
    (lambda: pb.jit(lambda x: pb.grad(square, method="no")(x))(1.0), ValueError, "no method 'no'"),
    (lambda: pb.jit(lambda x: pb.grad(x)(x))(1.0), TypeError, "pass a function"),
]  # fmt: skip


@pytest.mark.parametrize(("use", "error", "says"), USES, ids=range(len(USES)))
def test_a_wrong_use_says_how_it_is_meant(use, error, says):
    with pytest.raises(error) as caught:
        use()
    assert isinstance(caught.value, pb.PullbackError)
    text = str(caught.value)
    assert says in text
    assert "/src/pullback/" not in text, "a place inside of the package says nothing to a user"


def test_settings():
    names = "'check', 'cache_size', 'cache_dir', 'debug_nans', 'threads' and 'verbose'"
    with pytest.raises(AttributeError, match=f"{names}, not 'chekc'"):
        pb.config.chekc = "never"
    wrong = (("check", "sometimes"), ("cache_size", "many"), ("cache_size", 0), ("cache_dir", 1),
             ("threads", 0), ("threads", True), ("verbose", "loud"))  # fmt: skip
    for name, value in wrong:
        before = getattr(pb.config, name)
        with pytest.raises(ValueError, match=rf"pb\.config\.{name} is"):
            setattr(pb.config, name, value)
        assert getattr(pb.config, name) == before


def test_what_is_right_stays_right():
    assert pb.grad(product, argnums=np.int64(1))(1.0, 2.0) == 1.0
    assert pb.jvp(product, [1.0, 2.0], [1.0, None]) == (2.0, 2.0)
    assert pb.grad(product)(y=3.0, x=1.0) == 3.0
    assert math.isclose(pb.jit(math.sin)(1.0), math.sin(1.0))
    assert all(inspect.isfunction(getattr(pb, name)) for name in ("grad", "vjp", "jit"))
