"""Dicts and sets whose keys only the run knows, and ranges, as results: of Python's type and order,
with what leads from cotangents of them to gradients."""

import enum
import sys
from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb
from tests import harness
from tests.campaign import part
from tests.foreign.__main__ import is_right


class Side(enum.Enum):
    LOW = 1
    HIGH = 2


class Pair(NamedTuple):
    x: float
    y: float


@dataclass(frozen=True)
class Holder:
    x: float
    table: dict[int, float]


@dataclass(frozen=True)
class Chain:
    x: float
    rest: "Chain | None"


def squares(xs):
    return {k: x * x for k, x in enumerate(xs)}


def groups(xs):
    out = {}
    for i, x in enumerate(xs):
        out.setdefault(i % 2, []).append(x * x)
    return out


def without_some(xs):
    out = {i: x * xs[0] for i, x in enumerate(xs)}
    del out[1]
    out[9] = xs[1] ** 3
    out.pop(2)
    return out


def sums(xs):
    out = defaultdict(float)
    for i, x in enumerate(xs):
        out[i % 2] += x * x
    return out


def listed(xs):
    out = defaultdict(list)
    for i, x in enumerate(xs):
        out[i % 2].append(x)
    return out


def ordered(xs):
    out = OrderedDict()
    for i, x in enumerate(xs):
        out[i] = x * x
    out.move_to_end(0)
    return out


def weighted(xs):
    out = Counter()
    for x in xs:
        out["high" if x > 2.5 else "low"] += x
    return out


def arrays(xs):
    return {k: np.array([x, x * x]) for k, x in enumerate(xs)}


def many_rows(xs):
    return {k: np.ones((2, k)) * x for k, x in enumerate(xs)}


def compound_keys(xs):
    return {(k, k + 1): (x, k) for k, x in enumerate(xs)}


def members(xs):
    return {(Side.HIGH if x > 2.5 else Side.LOW): x for x in xs}


def named(xs):
    return {f"x{i}": Pair(x, 2.0 * x) for i, x in enumerate(xs)}


def flags(xs):
    return {x > 2.5: x for x in xs}


def in_record(xs):
    return Holder(xs[0], {k: x for k, x in enumerate(xs)})


def nested(xs):
    return {k: {j: x * j for j in range(k)} for k, x in enumerate(xs)}, {"all": squares(xs)}


def known_inside(xs):
    return {k: {"a": x, "b": [x, x * x]} for k, x in enumerate(xs)}


def in_list(xs):
    return [without_some([x, x, x, x]) for x in xs]


def some(xs):
    return {k: (x if x > 2.5 else None) for k, x in enumerate(xs)}


def not_always(xs):
    return squares(xs) if xs[0] > 2.0 else None


def float32s(xs):
    return {k: np.float32(k) for k, _ in enumerate(xs)}


def texts(xs):
    return {k: str(x) for k, x in enumerate(xs)}


def nothing_put_in(xs):
    return set(), Counter(), defaultdict(int), OrderedDict(), defaultdict(None)


def remainders(xs):
    return {i % 3 for i in range(len(xs))}, {"a" if x > 2.5 else "b" for x in xs}


def ranges(xs):
    n = len(xs)
    return range(n), range(2, n), range(n, 0, -2), [range(i) for i in range(n)], range(3)


def slices_of_ranges(xs):
    a, b, n = int(xs[0]), int(xs[3]), len(xs)
    return [
        [r[::-1], r[1:], r[::2], r[-2:], r[:-1], r[n:], r[:b:3], r[b:a:-1], r[9:], r[2:8][1:3]]
        for r in (range(a, 9 * b), range(b, a, -1), range(n), range(9 * b, a, -3), range(0))
    ]


XS = [1.0, 2.0, 3.0, 4.0]
DIFFERENTIATED = [
    squares, groups, without_some, sums, listed, ordered, weighted, arrays, many_rows,
    compound_keys, members, named, flags, nested, known_inside, in_list,
]  # fmt: skip
OTHERS = [
    in_record, some, not_always, float32s, texts, nothing_put_in, remainders, ranges,
    slices_of_ranges,
]  # fmt: skip


def form(value: Any) -> Any:
    """The classes in a value, its order and its text."""
    match value:
        case dict():
            inside: Any = [(form(k), form(v)) for k, v in value.items()]
            return type(value), inside, getattr(value, "default_factory", None)
        case set():
            return type(value), sorted(map(repr, value))
        case list() | tuple():
            return type(value), [form(v) for v in value]
        case np.ndarray():
            return value.dtype, value.tolist()
        case Holder(x, table):
            return Holder, form(x), form(table)
        case _:
            return type(value), repr(value)


@pytest.mark.parametrize("f", [squares, without_some, nested, *OTHERS], ids=lambda f: f.__name__)
def test_results_are_what_python_returns(f):
    assert form(pb.jit(f)(XS)) == form(f(XS))


@pytest.mark.parametrize("f", part("values", DIFFERENTIATED, 3), ids=lambda f: f.__name__)
def test_gradients_are_those_of_differences(f):
    assert form(pb.vjp(f, XS)[0]) == form(f(XS))
    is_right(f, (XS,))


@pytest.mark.parametrize("f", [in_list, remainders, ranges], ids=lambda f: f.__name__)
def test_auxiliary_data_may_have_tables(f):
    def both(xs):
        return xs[0] * xs[1], f(xs)

    (value, aux), gradient = pb.value_and_grad(both, has_aux=True)(XS)
    assert (value, gradient) == (2.0, [2.0, 1.0, 0.0, 0.0])
    assert form(aux) == form(f(XS))


def test_tangents_have_the_keys_of_the_value():
    direction = [1.0, 0.0, 0.5, 0.0]
    value, tangent = pb.jvp(without_some, (XS,), (direction,))
    assert form(value) == form(without_some(XS))
    assert tangent == {0: 2.0, 3: 4.0, 9: 0.0} and list(tangent) == [0, 3, 9]
    assert form(pb.jvp(sums, (XS,), (direction,))[1]) == form(defaultdict(float, {0: 5.0, 1: 0.0}))
    both = pb.jvp(lambda xs: (remainders(xs), range(len(xs)), xs[0]), (XS,), (direction,))
    assert both[1] == ((None, None), None, 1.0)


def test_cotangents_are_dicts_with_the_same_keys():
    _, pullback = pb.vjp(without_some, XS)
    found = pullback({9: 1.0, 3: 2.0, 0: 0.5})
    assert found == pullback({0: 0.5, 3: 2.0, 9: 1.0}) == ([9.0, 12.0, 0.0, 2.0],)
    assert pullback(None) == pullback({0: None, 3: None, 9: None}) == ([0.0] * 4,)
    _, pullback = pb.vjp(sums, XS)
    assert pullback({0: 1.0, 1: 0.0}) == pullback(defaultdict(float, {0: 1.0, 1: 0.0}))
    _, pullback = pb.vjp(lambda xs: (remainders(xs), range(len(xs)), xs[0] ** 2), XS)
    assert pullback((None, None, 1.0)) == ([2.0, 0.0, 0.0, 0.0],)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({0: 1.0, 3: 1.0}, "has the key 9, its cotangent has not"),
        ({0: 1.0, 3: 1.0, 9: 1.0, 1: 1.0}, "has no 1, its cotangent has it"),
        ([1.0, 1.0, 1.0], "is a dict, not a list"),
        ({0: "a", 3: 1.0, 9: 1.0}, "not a str, at cotangent\\[0\\]"),
    ],
)
def test_other_cotangents_are_refused(given, text):
    _, pullback = pb.vjp(without_some, XS)
    with pytest.raises(TypeError, match=text):
        pullback(given)


def test_what_the_caller_does_to_a_result_does_not_reach_the_pullback():
    value, pullback = pb.vjp(squares, XS)
    value.clear()
    assert pullback({0: 1.0, 1: 0.0, 2: 0.0, 3: 0.0}) == ([2.0, 0.0, 0.0, 0.0],)


def test_jacobians_are_dicts_of_jacobians():
    expected = {0: [2.0, 0.0, 0.0, 0.0], 3: [4.0, 0.0, 0.0, 1.0], 9: [0.0, 12.0, 0.0, 0.0]}
    for jacobian in (pb.jacrev, pb.jacfwd):
        assert jacobian(without_some)(XS) == expected


def by_position(chain):
    out, i = {}, 0
    while chain is not None:
        out[i] = chain
        chain, i = chain.rest, i + 1
    return out


def test_nodes_in_a_dict_keep_their_identity():
    chain = Chain(1.0, Chain(2.0, None))
    found, pullback = pb.vjp(by_position, chain)
    assert found == by_position(chain) and found[0].rest is found[1]
    assert pullback({0: Chain(3.0, None), 1: Chain(4.0, None)}) == (Chain(3.0, Chain(4.0, None)),)


def test_a_factory_that_is_no_class_is_refused_at_the_function():
    def f(xs):
        out = defaultdict(lambda: 1.0)
        out[len(xs)] += xs[0]
        return out

    with pytest.raises(pb.PullbackError, match=r"a function as its factory(.|\n)*dict\(d\)"):
        pb.jit(f)(XS)


def test_making_a_dict_takes_linear_time():
    """The bytecode lines and calls of Python that one result takes, by its number of entries."""
    f = pb.jit(squares)

    def events(n: int) -> int:
        xs, count = [1.0] * n, 0

        def step(frame: Any, event: str, arg: object) -> Any:
            nonlocal count
            count += 1
            return step

        f(xs)
        sys.settrace(step)
        try:
            f(xs)
        finally:
            sys.settrace(None)
        return count

    few, many = events(100), events(1000)
    assert many - few <= 10 * 900, (few, many)


def test_computing_it_takes_linear_steps():
    few, many = (harness.steps(squares, ([1.0] * n,)) for n in (100, 1000))
    assert many <= 12 * few, (few, many)
