"""Dicts of many keys as arguments, which are data and no records, and lists of dicts with other
keys: values, gradients, what is raised, and what the caller's dicts are then, are Python's."""

import copy

import numpy as np
import pytest

import pullback as pb
from tests.campaign import part, rotated
from tests.frontend import given_dict_programs as programs


def name_of(case):
    return case[0].__name__


def listed(value):
    """A value that can be compared, in the order of its dicts."""
    if isinstance(value, dict):
        return [(k, listed(v)) for k, v in value.items()]
    if isinstance(value, list | tuple | np.ndarray):
        return [listed(v) for v in value]
    return value


def outcome(f, args):
    """The value or exception of a call, and what the arguments are then."""
    args = copy.deepcopy(args)
    try:
        found = f(*args)
    except (ValueError, KeyError) as e:
        found = repr(e)
    return found, listed(args)


@pytest.mark.parametrize("case", part("values", programs.PROGRAMS, 2), ids=name_of)
def test_as_in_python(case):
    f, *args = case
    (value, state), (wanted, then) = outcome(pb.jit(f), args), outcome(f, args)
    assert value == (pytest.approx(wanted) if isinstance(wanted, float) else wanted)
    assert state == then


@pytest.mark.parametrize("case", part("values", programs.PROGRAMS, 3), ids=name_of)
def test_gradients(case):
    f, x, *rest = case
    if isinstance(outcome(f, [x, *rest])[0], str):
        return

    def at(x):
        return f(x, *copy.deepcopy(rest))

    for method in rotated("values", f.__name__, ("chad", "dual")):
        found, state = outcome(pb.grad(f, method=method), [x, *rest])
        assert found == pytest.approx((at(x + 1e-6) - at(x - 1e-6)) / 2e-6, rel=1e-5)
        assert state == outcome(f, [x, *rest])[1]


DIRECTION = {k: float(i % 5) for i, k in enumerate(programs.FLOATS)}


def along(f, s):
    return f(0.7, {k: v + s * DIRECTION[k] for k, v in programs.FLOATS.items()})


@pytest.mark.parametrize(
    "f", [programs.weighted, programs.in_order, programs.copied], ids=lambda f: f.__name__
)
def test_derivatives_by_a_dict(f):
    wanted = (along(f, 1e-6) - along(f, -1e-6)) / 2e-6
    for method in ("chad", "dual"):
        gradient = pb.grad(f, argnums=1, method=method)(0.7, programs.FLOATS)
        assert list(gradient) == list(programs.FLOATS)
        found = sum(gradient[k] * DIRECTION[k] for k in gradient)
        assert found == pytest.approx(wanted, rel=1e-6)
    mixed = dict(reversed(DIRECTION.items()))
    for given in (DIRECTION, mixed):
        moved = pb.jvp(f, (0.7, programs.FLOATS), (0.0, given))[1]
        assert moved == pytest.approx(wanted, rel=1e-6)


def test_second_derivatives_by_a_dict():
    def f(d):
        return programs.weighted(0.7, d)

    found = pb.hvp(f, (programs.FLOATS,), (dict(reversed(DIRECTION.items())),))[0]
    n = programs.LARGE
    wanted = {
        k: 1.4 * len(k) * 0.9 ** (n - 1 - i) * DIRECTION[k] for i, k in enumerate(programs.FLOATS)
    }
    assert found == pytest.approx(wanted)
    assert pb.linearize(f, programs.FLOATS)[1](DIRECTION) == pytest.approx(
        pb.jvp(f, (programs.FLOATS,), (DIRECTION,))[1]
    )


def cubes(d):
    return sum(v * v * v for v in d.values())


def inner_gradient(x, n):
    d = {i: x * (i + 1.0) for i in range(n)}
    del d[2], d[5]
    d[n] = x
    g = pb.grad(cubes)(d)
    return sum((k + 1.0) * v for k, v in g.items()) + len(g)


def by_hand(x, n):
    d = {i: x * (i + 1.0) for i in range(n) if i not in (2, 5)} | {n: x}
    return sum((k + 1.0) * 3.0 * v * v for k, v in d.items()) + len(d)


def inner_tangent(x, n):
    d = {i: x * (i + 1.0) for i in range(n)}
    del d[1]
    along = {i: x for i in range(n - 1, -1, -1) if i != 1}
    return pb.jvp(cubes, (d,), (along,))[1]


def tangent_by_hand(x, n):
    return sum(3.0 * (x * (i + 1.0)) ** 2 * x for i in range(n) if i != 1)


@pytest.mark.parametrize(
    ("f", "plain"), [(inner_gradient, by_hand), (inner_tangent, tangent_by_hand)]
)
def test_derivatives_inside_by_tables(f, plain):
    assert pb.jit(f)(0.7, 9) == pytest.approx(plain(0.7, 9))
    wanted = (plain(0.7 + 1e-6, 9) - plain(0.7 - 1e-6, 9)) / 2e-6
    for method in ("chad", "dual"):
        assert pb.grad(f, method=method)(0.7, 9) == pytest.approx(wanted, rel=1e-6)


def inner_tangent_in_a_record(x, n):
    p = {"a": {i: x * (i + 1.0) for i in range(n)}, "b": x}
    q = {"a": {i: float(i) for i in range(n - 1, -1, -1)}, "b": 1.0}
    return pb.jvp(lambda p: cubes(p["a"]) * p["b"], (p,), (q,))[1]


def test_tangents_in_another_order():
    """Entries are matched by their keys, also inside of records and along paths."""
    def f(d):
        return sum((i + 1) * v * v for i, v in enumerate(d.values()))

    mixed = dict(reversed(DIRECTION.items()))
    for ways in (
        lambda t: pb.jet(f, (programs.FLOATS,), ((t, t),)),
        lambda t: pb.hvp(lambda p: f(p["a"]), ({"a": programs.FLOATS},), ({"a": t},)),
        lambda t: pb.linearize(lambda p: f(p["a"]), {"a": programs.FLOATS})[1]({"a": t}),
    ):
        assert ways(mixed) == ways(DIRECTION)
    x, n = 0.7, 5
    slopes = sum(3.0 * (x * (i + 1.0)) ** 2 * i for i in range(n)) * x
    values = sum((x * (i + 1.0)) ** 3 for i in range(n))
    assert pb.jit(inner_tangent_in_a_record)(x, n) == pytest.approx(slopes + values)


def test_values_in_lists_and_arrays():
    rows = pb.grad(lambda d: sum(sum(v) * len(v) for v in d.values()))(programs.ROWS)
    assert rows == {i: [float(i % 3)] * (i % 3) for i in range(programs.LARGE)}
    arrays = pb.grad(lambda d: sum((v * v).sum() for v in d.values()))(programs.ARRAYS)
    assert all(np.array_equal(arrays[k], 2 * v) for k, v in programs.ARRAYS.items())


@pytest.mark.parametrize("tangent", [{"a": 1.0}, [1.0] * programs.LARGE, 2.0])
def test_wrong_tangents_are_refused(tangent):
    with pytest.raises(TypeError, match="the tangent of a dict of strings to float items"):
        pb.jvp(programs.in_order, (0.7, programs.FLOATS), (0.0, tangent))


def test_what_is_no_table_is_a_record():
    """Ints among floats keep their types, and a small dict has its own program."""
    mixed = {**{i: i + 0.5 for i in range(programs.LARGE)}, 7: 9}
    assert str(pb.jit(lambda d: [d[3], d[7]])(mixed)) == "[3.5, 9]"
    f = pb.jit(programs.looked_up)
    for n in (3, 256, 257, 1000, 4):
        d = {i: float(i) for i in range(n)}
        assert f(2.0, d, [1, n - 1]) == programs.looked_up(2.0, d, [1, n - 1])


def test_compilation_does_not_grow_with_the_keys():
    counts = []
    for n in (1000, 100_000):
        d = {f"a{i}": i + 0.5 for i in range(n)}
        assert pb.grad(programs.looked_up)(2.0, d, ["a3", f"a{n - 1}"]) == 3.5**2 + (n - 0.5) ** 2
        counts.append(len(str(pb.show(programs.looked_up, 2.0, d, ["a3"]))))
    assert counts[0] == counts[1]
