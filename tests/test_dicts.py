"""Dicts as arguments, gradients, tangents and results: their keys are constants, and are looked at
at every call."""

import enum
import gc
import sys
import threading
from dataclasses import dataclass

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.packed import conversion_of, encode
from pullback.call.request import Request, What
from pullback.call.space import Space
from pullback.core.waiting import join
from pullback.frontend.python.pytypes import type_of
from tests.test_boundary import same


class Part(enum.Enum):
    FIRST = 1
    SECOND = 2


@dataclass(frozen=True)
class Scale:
    factor: float
    power: int


def net(p, x):
    h = np.tanh(p["w1"] @ x + p["b1"])
    for layer in p["layers"]:
        h = np.tanh(layer @ h)
    return (
        np.sum(h) * p["more"]["scale"].factor ** p["more"]["scale"].power + p["more"]["rows"][0][0]
    )


def parameters(seed=0):
    rng = np.random.default_rng(seed)
    return {
        "w1": rng.normal(size=(3, 3)),
        "b1": rng.normal(size=3),
        "layers": [rng.normal(size=(3, 3)) for _ in range(3)],
        "more": {"scale": Scale(1.5, 2), "rows": [[0.5], [1.0, 2.0]], "name": "net", "none": None},
    }


def alike(a, b):
    """Whether two dicts have the same keys in the same order, and the same values."""
    if isinstance(a, dict):
        return type(b) is dict and list(a) == list(b) and all(alike(a[k], b[k]) for k in a)
    return same(a, b)


X = np.array([0.5, -1.0, 2.0])


def test_gradients_are_those_of_the_general_way():
    p = parameters()
    conversion = conversion_of(type_of(p), Space.FORWARD)
    assert conversion is not None
    assert encode(conversion, p, 0, False) is not None
    gradient = pb.grad(net)
    assert pb.jit(net)(p, X) == pytest.approx(net(p, X), rel=1e-12)
    for seed in range(3):
        p = parameters(seed)
        found = gradient(p, X)
        function, unit = driver.found(net, (p, X), Request(What.GRADIENT, (0,), True))
        assert alike(found, unit.compiled().general(function, p, X))
        assert list(found) == ["w1", "b1", "layers", "more"]
        assert found["more"]["name"] is None
        packed = pb.pack(p)
        assert alike(pb.unpack(packed), p)
        assert alike(pb.unpack(gradient(packed, X)), found)


def test_keys_are_looked_at():
    def loss(d):
        return 2.0 * d["a"][0][0] + sum(x for row in d["b"] for x in row)

    gradient = pb.grad(loss)
    one = {"a": [[1.0]], "b": [[2.0, 3.0]]}
    assert alike(gradient(one), {"a": [[2.0]], "b": [[1.0, 1.0]]})
    other = {"b": [[2.0, 3.0]], "a": [[1.0]]}
    assert alike(gradient(other), {"b": [[1.0, 1.0]], "a": [[2.0]]})
    made = {"".join(["", "a"]): [[1.0]], "xb"[1:]: [[2.0, 3.0]]}
    assert alike(gradient(made), {"a": [[2.0]], "b": [[1.0, 1.0]]})
    assert alike(gradient({**one, "c": [[1.0]]}), {"a": [[2.0]], "b": [[1.0, 1.0]], "c": [[0.0]]})
    with pytest.raises(Exception, match="b"):
        gradient({"a": [[1.0]]})
    with pytest.raises(Exception, match="b"):
        gradient({"a": [[1.0]], "B": [[2.0, 3.0]]})
    with pytest.raises(TypeError):
        gradient({"a": [[1.0]], "b": [[2.0, "three"]]})
    assert alike(gradient(one), {"a": [[2.0]], "b": [[1.0, 1.0]]})


def test_keys_that_are_numbers_or_members():
    big = 10**6

    def loss(d):
        return d[1][0][0] * d[10**6][0][0] + d[Part.FIRST] * d[Part.SECOND][0][0]

    d = {1: [[2.0]], big + 0: [[3.0]], Part.FIRST: 4.0, Part.SECOND: [[5.0]]}
    gradient = pb.grad(loss)
    expected = {1: [[3.0]], 10**6: [[2.0]], Part.FIRST: 5.0, Part.SECOND: [[4.0]]}
    assert alike(gradient(d), expected)
    assert alike(gradient(dict(zip([1, int("1000000"), *Part], d.values()))), expected)
    with pytest.raises(TypeError):
        gradient(dict(zip([True, int("1000000"), *Part], d.values())))
    assert alike(gradient(d), expected)


def test_dicts_as_results():
    def step(d):
        rows = [[2.0 * x for x in row] for row in d["rows"]]
        return {"rows": rows, "sum": sum(x for row in rows for x in row), "in": d}

    d = {"rows": [[1.0, 2.0], [3.0]], "n": 3}
    assert alike(pb.jit(step)(d), step(d))

    def loss(d):
        found = step(d)
        return found["sum"], found

    (value, beside), gradient = pb.value_and_grad(loss, has_aux=True)(d)
    assert (value, alike(beside, step(d))) == (12.0, True)
    assert alike(gradient, {"rows": [[2.0, 2.0], [2.0]], "n": None})


def test_tangents_and_cotangents():
    def step(d):
        return {"rows": [[x * d["s"] for x in row] for row in d["rows"]], "s": d["s"]}

    d = {"rows": [[1.0, 2.0], [3.0]], "s": 2.0}
    along = {"rows": [[1.0, 0.0], [1.0]], "s": 0.5}
    value, tangent = pb.jvp(step, (d,), (along,))
    assert alike(value, step(d))
    assert alike(tangent, {"rows": [[2.5, 1.0], [3.5]], "s": 0.5})
    value, pull = pb.vjp(step, d)
    assert alike(value, step(d))
    (found,) = pull({"rows": [[1.0, 0.0], [1.0]], "s": 1.0})
    assert alike(found, {"rows": [[2.0, 0.0], [2.0]], "s": 5.0})
    for wrong in ({"rows": [[1.0, 0.0], [1.0]]}, {**along, "t": 1.0}, [1.0, 2.0]):
        with pytest.raises((TypeError, ValueError)):
            pb.jvp(step, (d,), (wrong,))
        with pytest.raises((TypeError, ValueError)):
            pull(wrong)


def test_a_captured_dict_is_read_anew():
    weights = {"a": [[1.0, 2.0]], "b": 3.0}

    def loss(x):
        return x * sum(v for row in weights["a"] for v in row) * weights["b"]

    gradient = pb.grad(loss)
    assert gradient(1.0) == 9.0
    weights["b"] = 1.0
    weights["a"] = [[1.0], [1.0]]
    assert gradient(1.0) == 2.0


def test_nothing_of_a_dict_is_left_behind():
    p = parameters()
    gradient, wrong = pb.grad(net), {**parameters(), "layers": [np.eye(3), "none"]}
    gradient(p, X)
    counted = [p, p["layers"], p["more"], p["more"]["name"], p["w1"], next(iter(p))]

    def after(count):
        for _ in range(count):
            gradient(p, X)
            with pytest.raises(pb.PullbackError):
                gradient(wrong, X)
        gc.collect()
        return [sys.getrefcount(x) for x in counted]

    assert after(30) == after(3)


def test_dicts_by_many_threads():
    gradient = pb.grad(net)
    given = [parameters(k) for k in range(3)]
    expected = [gradient(p, X) for p in given]
    wrong = []

    def work(k):
        for _ in range(100):
            if not alike(gradient(given[k], X), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        join(t)
    assert not wrong


def test_a_key_that_is_not_there_is_a_key_error():
    with pytest.raises(KeyError) as caught:
        pb.grad(lambda p: p["a"] * p["c"])({"a": 1.0})
    assert isinstance(caught.value, pb.PullbackError)
    assert "key error: 'c'\n" in str(caught.value)
