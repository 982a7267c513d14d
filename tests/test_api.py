"""The operators on every form of argument and result, their options, and what they refuse."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.request import Request, What


class Rate(NamedTuple):
    base: float
    power: int


@dataclass(frozen=True)
class Checked:
    """A record whose construction has conditions: gradients do not meet them."""

    size: float

    def __post_init__(self) -> None:
        assert self.size > 0.0


@dataclass(frozen=True)
class Nil:
    pass


@dataclass(frozen=True)
class Cons:
    weights: np.ndarray
    head: float
    count: int
    tail: List


List = Nil | Cons


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Fork:
    left: Tree
    right: Tree


Tree = Leaf | Fork


class Mode(enum.Enum):
    SQUARE = 1
    CUBE = 2


SCALE = 2.0


def total(xs: Any, s: Any) -> Any:
    match xs:
        case Nil():
            return 0.0
        case Cons(weights, head, count, tail):
            return np.sum(weights) * head * s * count + total(tail, s)


def make_list(n: int) -> Any:
    xs: Any = Nil()
    for i in range(n):
        xs = Cons(np.arange(3.0) + i, 0.5 * i + 1.0, i + 1, xs)
    return xs


def leaves_product(t: Any) -> Any:
    match t:
        case Leaf(value):
            return value
        case Fork(left, right):
            return leaves_product(left) * leaves_product(right)


def cube(x: Any) -> Any:
    return x * x * x


# --- forms of results ----------------------------------------------------------------------------


def several(x: Any, n: Any) -> Any:
    items = [Rate(x * i, i) for i in range(n)]
    return items, "text", None, np.float32(x), np.int32(3), True, (x, [x, 1.0])


def test_results_have_pythons_types() -> None:
    found, expected = pb.jit(several)(2.0, 3), several(2.0, 3)
    assert found == expected

    def types(x: Any) -> Any:
        return [type(x), *map(types, x)] if isinstance(x, list | tuple) else type(x)

    assert types(found) == types(expected)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x,
        lambda x: np.sin(x),
        lambda x: 3.0,
        lambda x: None,
        lambda x: (),
        lambda x: x > 1.0,
        lambda x: np.array([x, 1.0]),
        lambda x: [np.ones(i) * x for i in range(3)],
        lambda x: Rate(x, 2),
        lambda x: Cons(np.array([x]), x, 2, Nil()),
    ],
)
def test_results_of_both_tiers_are_pythons(f: Any) -> None:
    for tier in ("eval", "native"):
        found, expected = driver.run(f, (1.5,), tier), f(1.5)
        assert type(found) is type(expected)
        np.testing.assert_equal(_plain(found), _plain(expected))


def _plain(x: Any) -> Any:
    if isinstance(x, Cons):
        return [x.weights, x.head, x.count]
    return list(x) if isinstance(x, list | tuple) else x


def test_a_shared_node_in_a_result_is_one_object() -> None:
    def twice(x: Any) -> Any:
        t = Leaf(x)
        return Fork(t, t)

    found = pb.jit(twice)(2.0)
    assert isinstance(found, Fork) and found.left is found.right


# --- forms of gradients --------------------------------------------------------------------------


def test_a_list_has_a_list() -> None:
    assert pb.grad(lambda v: sum(x * x for x in v))([1.0, 2.0, 3.0]) == [2.0, 4.0, 6.0]


def test_a_list_of_arrays_has_a_list_of_arrays() -> None:
    xs = [np.ones(2), np.array([1.0, 2.0, 3.0])]
    found = pb.grad(lambda v: sum(np.sum(x * x) for x in v))(xs)
    assert isinstance(found, list)
    for g, x in zip(found, xs):
        np.testing.assert_allclose(g, 2.0 * x)


def test_an_empty_list_of_arrays_in_data() -> None:
    @dataclass(frozen=True)
    class Bag:
        items: list[np.ndarray]
        rest: Bag | None

    f = lambda b: sum(np.sum(x * x) for x in b.items) + (0.0 if b.rest is None else f(b.rest))
    bag = Bag([], Bag([np.ones(2)], None))
    found = pb.grad(f)(bag)
    assert found.items == [] and found.rest.items[0].tolist() == [2.0, 2.0]


def test_named_tuples_and_lists_of_them() -> None:
    assert pb.grad(lambda r: r.base**r.power)(Rate(2.0, 3)) == Rate(12.0, None)
    found = pb.grad(lambda rs: sum(r.base * r.power for r in rs))([Rate(1.0, 2), Rate(2.0, 3)])
    assert found == [Rate(2.0, None), Rate(3.0, None)]


def test_gradients_are_made_without_init() -> None:
    found = pb.grad(lambda c: -c.size * c.size)(Checked(1.5))
    assert type(found) is Checked and found.size == -3.0


def test_dtypes_are_kept() -> None:
    assert pb.grad(lambda x: np.sum(x * x))(np.ones(3, np.float32)).dtype == np.float32
    assert type(pb.grad(cube)(np.float32(2.0))) is np.float32
    assert type(pb.grad(cube)(np.float64(2.0))) is np.float64
    assert type(pb.grad(cube)(2.0)) is float
    assert type(pb.grad(cube)(np.array(2.0))) is np.float64  # rank 0 is a scalar


@pytest.mark.parametrize(
    "x",
    [
        np.arange(10.0)[::-2],
        np.arange(12.0).reshape(3, 4).T,
        np.broadcast_to(2.0, (3, 2)),
        np.frombuffer(b"\0" * 25, np.uint8)[1:].view(np.float64),  # not aligned
        np.zeros(0),
    ],
    ids=["reversed", "transposed", "broadcast", "unaligned", "empty"],
)
def test_any_layout_of_an_array(x: Any) -> None:
    found = pb.grad(lambda a: np.sum(a * a))(x)
    assert found.flags.c_contiguous and found.flags.writeable
    np.testing.assert_allclose(found, 2.0 * x)


@pytest.mark.parametrize("tier", ["eval", "native"])
def test_a_union_with_arrays(tier: str) -> None:
    value, (xs, s) = driver.gradient(total, (make_list(3), 2.0), (0, 1), tier)
    assert value == total(make_list(3), 2.0)
    assert s == pytest.approx(0.5 * total(make_list(3), 2.0))
    assert isinstance(xs, Cons)
    np.testing.assert_allclose(xs.weights, 2.0 * 3 * 2.0)
    assert xs.head == 2.0 * 3 * 9.0 and xs.count is None
    assert isinstance(xs.tail, Cons) and isinstance(xs.tail.tail.tail, Nil)


@pytest.mark.parametrize("tier", ["eval", "native"])
def test_a_node_shared_inside_an_argument_is_one_variable(tier: str) -> None:
    leaf = Leaf(3.0)
    tree = Fork(Fork(leaf, leaf), leaf)
    _, (found,) = driver.gradient(leaves_product, (tree,), (0,), tier)
    assert isinstance(found, Fork) and found.right is found.left.left is found.left.right
    assert found.right == Leaf(27.0)


@pytest.mark.parametrize("tier", ["eval", "native"])
def test_one_object_as_two_arguments_is_two_variables(tier: str) -> None:
    leaf = Leaf(3.0)
    f = lambda a, b: leaves_product(a) * leaves_product(a) * leaves_product(b)
    _, found = driver.gradient(f, (leaf, leaf), (0, 1), tier)
    assert found == (Leaf(18.0), Leaf(9.0))


def test_deep_data() -> None:
    n = 20_000
    xs: Any = Nil()
    for _ in range(n):
        xs = Cons(np.ones(1), 1.0, 1, xs)
    found = pb.grad(total)(xs, 2.0)
    depth = 0
    while isinstance(found, Cons):
        assert found.head == 2.0
        found, depth = found.tail, depth + 1
    assert depth == n


# --- options -------------------------------------------------------------------------------------


def test_has_aux_with_a_union_beside() -> None:
    def f(xs: Any, s: Any) -> Any:
        return total(xs, s), xs

    request = Request(What.GRADIENT, (1,), True, True)
    for tier in ("eval", "native"):
        g, aux = driver.call(f, (make_list(2), 2.0), request, tier)
        assert g == pytest.approx(0.5 * total(make_list(2), 2.0))
        assert isinstance(aux, Cons) and aux.head == 1.5 and aux.count == 2
        np.testing.assert_array_equal(aux.weights, np.arange(3.0) + 1)


def test_keywords_defaults_and_negative_argnums() -> None:
    def f(x: Any, y: Any = 3.0, *, z: Any = 2.0) -> Any:
        return x * y * y * z

    assert pb.grad(f)(2.0) == 18.0
    assert pb.grad(f)(y=1.0, x=2.0) == 2.0
    assert pb.grad(f, argnums=-1)(2.0, 3.0) == 24.0
    assert pb.value_and_grad(f, argnums=(1, 0))(2.0, 3.0) == (36.0, (24.0, 18.0))


def test_operators_of_operators() -> None:
    assert pb.jit(pb.grad(pb.jit(cube)))(2.0) == 12.0
    assert pb.grad(pb.grad(pb.grad(cube)))(2.0) == 6.0
    assert pb.grad(np.sin)(0.0) == 1.0 and pb.grad(math.sin)(0.0) == 1.0
    assert pb.vjp(pb.jit(cube), 2.0)[1](1.0) == (12.0,)


def test_the_operators_object_tells_what_it_is() -> None:
    g = pb.grad(cube)
    assert g.__name__ == "cube" and g.__wrapped__ is cube
    assert "pb.grad" in repr(g)


def test_modes_as_arguments() -> None:
    def f(x: Any, mode: Any, how: Any) -> Any:
        y = x * x if mode is Mode.SQUARE else x * x * x
        return y if how == "plain" else -y

    g = pb.grad(f)
    assert g(2.0, Mode.SQUARE, "plain") == 4.0
    assert g(2.0, Mode.CUBE, "plain") == 12.0
    assert g(2.0, Mode.SQUARE, "other") == -4.0
    assert g(2.0, Mode.SQUARE, "plain") == 4.0


def test_functions_as_arguments() -> None:
    g = pb.grad(lambda x, h: h(x))
    assert g(3.0, lambda y: y * y) == 6.0
    for k in (2.0, 5.0):
        assert g(3.0, lambda y: k * y * y) == 6.0 * k


# --- vjp and jvp ---------------------------------------------------------------------------------


def test_a_structured_cotangent() -> None:
    def f(x: Any) -> Any:
        return Rate(2.0 * x, 3), [x, x * x], np.array([x, 3.0 * x])

    out, pullback = pb.vjp(f, 2.0)
    assert out[0] == Rate(4.0, 3)
    assert pullback((Rate(1.0, None), [0.0, 0.0], np.zeros(2))) == (2.0,)
    assert pullback((None, [1.0, 1.0], np.array([0.0, 1.0]))) == (8.0,)
    with pytest.raises(ValueError, match="shape"):
        pullback((None, None, np.zeros(3)))
    with pytest.raises(TypeError):
        pullback((None, 1.0))
    with pytest.raises(TypeError):
        pullback("text")


def test_a_pullback_of_discrete_arguments_and_aux() -> None:
    out, pullback, aux = pb.vjp(lambda x, n: (x * n, n + 1), 2.0, 3, has_aux=True)
    assert (out, pullback(1.0), aux) == (6.0, (3.0, None), 4)


def test_a_pullback_of_data_lives_on() -> None:
    xs = make_list(3)
    weights = xs.weights.copy()
    out, pullback = pb.vjp(total, xs, 2.0)
    xs.weights[:] = np.nan
    first, second = pullback(1.0), pullback(2.0)
    np.testing.assert_allclose(first[0].head, 2.0 * 3 * np.sum(weights))
    np.testing.assert_allclose(second[0].tail.weights, 2.0 * first[0].tail.weights)
    assert out == pytest.approx(first[1] * 2.0)


@pytest.mark.parametrize("tier", ["eval", "native"])
def test_tangents_of_data(tier: str) -> None:
    xs = make_list(2)
    tangent = Cons(np.ones(3), 0.0, None, Cons(np.zeros(3), 1.0, None, Nil()))
    _, found = driver.tangent_of(total, (xs, 2.0), (tangent, None), tier)
    assert found == pytest.approx(3.0 * 1.5 * 2.0 * 2 + 3.0 * 2.0 * 1)


def test_tangents_have_the_form_of_the_result() -> None:
    out, tangent = pb.jvp(lambda x: (Rate(x * x, 2), [x], None), (3.0,), (1.0,))
    assert out == (Rate(9.0, 2), [3.0], None)
    assert tangent == (Rate(6.0, None), [1.0], None)


def test_tangents_must_fit() -> None:
    with pytest.raises(TypeError):
        pb.jvp(cube, (1.0,), ())
    with pytest.raises(ValueError, match="shape"):
        pb.jvp(lambda x: np.sum(x), (np.ones(3),), (np.ones(2),))
    with pytest.raises(TypeError):
        pb.jvp(cube, (1.0,), ("text",))
    for still in (2, True, np.arange(3)):
        with pytest.raises(TypeError, match="does not move"):
            pb.jvp(lambda x: x * 1.0, (still,), (1,))
        pb.jvp(lambda x: x * 1.0, (still,), (None,))
        pb.jvp(lambda x: x * 1.0, (still,), (0.0,))
    for absent in (None, "text"):
        for push in STILL:
            with pytest.raises(TypeError, match="does not move"):
                push(lambda x, y: x * x, absent)


def test_a_float_that_meets_float32_in_a_loop_is_refused() -> None:
    def added(s: Any, xs: Any) -> Any:
        for x in xs:
            s = s + x
        return s

    def from_zero(xs: Any) -> Any:
        s = 0.0
        for x in xs:
            s = s + x
        return s

    def folded(s: Any, xs: Any) -> Any:
        return pb.loop(len(xs), lambda i, s: s + xs[i], s)

    xs = np.arange(1, 5, dtype=np.float32)
    assert type(pb.jit(from_zero)(xs)) is type(from_zero(xs)) is np.float32
    assert type(pb.jit(added)(np.float32(0), xs)) is np.float32
    assert type(pb.jit(added)(np.float64(0), xs)) is np.float64
    for f in (added, folded):
        with pytest.raises(pb.PullbackError, match="float before the loop and a float32 after"):
            pb.jit(f)(0.5, xs)


STILL: list[Callable[[Any, Any], Any]] = [
    lambda f, y: pb.jvp(f, (2.0, y), (1.0, 1.0)),
    lambda f, y: pb.linearize(f, 2.0, y)[1](1.0, 1.0),
    lambda f, y: pb.hvp(f, (2.0, y), (1.0, 1.0)),
    lambda f, y: pb.vhp(f, (2.0, y), (1.0, 1.0)),
    lambda f, y: pb.jet(f, (2.0, y), ((1.0,), (1.0,))),
    lambda f, y: pb.jit(lambda x: pb.jvp(f, (x, y), (1.0, 1.0)))(2.0),
]


# --- check_grads ---------------------------------------------------------------------------------


def test_check_grads_on_structured_types() -> None:
    pb.check_grads(total, (make_list(2), 2.0))
    pb.check_grads(cube, (1.5,), order=3)
    pb.check_grads(lambda x: [x, x * x], (1.5,))


def test_check_grads_names_what_disagrees() -> None:
    def kink(x: Any) -> Any:
        return abs(x)

    with pytest.raises(AssertionError, match="finite differences"):
        pb.check_grads(lambda x: kink(x) * 1e3, (1e-5,))
    with pytest.raises(ValueError, match="modes"):
        pb.check_grads(cube, (1.0,), modes=("sideways",))


def test_check_grads_in_single_precision() -> None:
    pb.check_grads(lambda x: np.sum(np.exp(x) * x), (np.array([1.5, 2.5], np.float32),))
    pb.check_grads(lambda x: x * x + np.float32(1.0), (np.float32(1.5),))
    with pytest.raises(AssertionError, match="disagree"):
        pb.check_grads(lambda x: x * pb.stop_gradient(x), (np.float32(1.5),))


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: pb.grad(cube)(3), TypeError, "no real number"),
        (lambda: pb.grad(lambda x: (x, x))(3.0), TypeError, "returns a tuple"),
        (lambda: pb.grad(lambda x: x > 0.0)(3.0), TypeError, "one real number"),
        (lambda: pb.grad(cube, has_aux=True)(3.0), TypeError, "has_aux"),
        (lambda: pb.grad(3.0), TypeError, "function"),
        (lambda: pb.grad(cube, argnums="y"), ValueError, "argument is called"),
        (lambda: pb.grad(cube, argnums=1)(3.0), TypeError, "argnums"),
        (lambda: pb.jit(cube)(2**70), OverflowError, "large"),
        (lambda: pb.jit(cube)(object()), TypeError, "for \\*: 'object' and 'object'"),
        (lambda: pb.jit(cube)(memoryview(b"")), TypeError, "not supported"),
        (lambda: pb.grad(cube)(1j), TypeError, "complex"),
        (lambda: pb.jit(cube)(1.0, 2.0), TypeError, "too many"),
        (lambda: pb.show(cube, 1.0, stage="nowhere"), ValueError, "no stage"),
        (lambda: pb.cost(cube, 1.0, method="nowhere"), ValueError, "method"),
    ],
)
def test_mistakes(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
    assert pb.grad(cube)(2.0) == 12.0


def test_a_list_that_contains_itself_or_strangers() -> None:
    with pytest.raises(TypeError):
        pb.grad(total)(Cons(np.ones(1), 1.0, 1, 3.0), 1.0)
    xs = Cons(np.ones(1), 1.0, 1, Nil())
    object.__setattr__(xs, "tail", xs)
    with pytest.raises(ValueError, match="contains itself"):
        pb.grad(total)(xs, 1.0)


# --- looking -------------------------------------------------------------------------------------


def test_show_prints_every_stage(capsys: pytest.CaptureFixture[str]) -> None:
    for stage in ("core", *(s.name for s in driver.PIPELINE), "loop", "llvm", "llvm optimised"):
        text = pb.show(pb.grad(cube), 2.0, stage=stage)
        assert text and capsys.readouterr().out == text + "\n"
    assert "mul" in pb.show(cube, 2.0) and "entry" in pb.show(cube, 2.0, method="chad")


def test_cost_counts_steps() -> None:
    f = lambda v: sum(x * x for x in v)
    costs = [pb.cost(f, np.ones(n)) for n in (10, 20, 30)]
    assert costs[1] - costs[0] == costs[2] - costs[1] > 0
    assert costs[0] < pb.cost(f, np.ones(10), method="chad") < 10 * costs[0]
    assert pb.cost(pb.grad(f), np.ones(10)) > costs[0]
