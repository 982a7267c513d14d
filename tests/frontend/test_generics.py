"""Generic classes in unions: what their parameters stand for, and where that is not known."""

from __future__ import annotations

import sys
import textwrap
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pytest

import pullback as pb
from tests import harness
from tests.programs.generics import (
    Cons,
    Leaf,
    Node,
    Pair,
    Tree,
    folded,
    listed,
    map_tree,
    mapped,
    reduce_tree,
)

T, E = TypeVar("T"), TypeVar("E")
XS = np.array([1.0, 2.0, 0.5])


@dataclass(frozen=True)
class Maybe(Generic[T]):
    value: T | None
    rest: Maybe[T] | None


@dataclass(frozen=True)
class Base(Generic[T]):
    value: T


@dataclass(frozen=True)
class Floats(Base[float]):
    rest: Floats | None


@dataclass(frozen=True)
class Holder:
    items: Cons[float] | None
    tree: Tree[float]


@dataclass(frozen=True)
class Open(Generic[T]):
    items: Cons[T] | None
    extra: T


@dataclass(frozen=True)
class Deeper(Generic[T]):
    value: T
    rest: Deeper[tuple[T, T]] | None


@dataclass(frozen=True)
class Whole:
    value: int
    rest: Whole | None


@dataclass(frozen=True)
class Layer(Generic[T]):
    weights: np.ndarray
    bias: T
    above: Layer[T] | None


@dataclass(frozen=True)
class Branching(Generic[T]):
    """A tree whose children are in a list that is generic itself."""

    label: T
    children: Cons[Branching[T]] | None


class Option(Generic[T]):
    def then(self, f: Any) -> Any:
        return f(self.value) if isinstance(self, Some) else self


@dataclass(frozen=True)
class Some(Option[T]):
    value: T


@dataclass(frozen=True)
class Nothing(Option[T]):
    """Nothing is declared with its parameter."""


@dataclass(frozen=True)
class Ok(Generic[T, E]):
    value: T


@dataclass(frozen=True)
class Err(Generic[T, E]):
    error: E
    penalty: float = 1.0


def root(v: Any) -> Any:
    return Some(v**0.5) if v >= 0.0 else Nothing()


def roots(xs: Any) -> Any:
    found = [root(v).then(lambda u: Some(u + 1.0) if u > 0.8 else Nothing()) for v in xs]
    last = Nothing()
    for v in xs:
        last = last.then(lambda u, v=v: root(u * v)) if isinstance(last, Some) else root(v)
    match last:
        case Some(v):
            return v * sum(o.value if isinstance(o, Some) else 0.5 for o in found)
    return 0.0


def results(xs: Any) -> Any:
    pairs = [Ok([v, 2.0 * v]) if v > 0.7 else Err("low", 3.0 * v) for v in xs]
    texts = {k: Ok((v, "a")) if v > 1.5 else Err(k) for k, v in enumerate(xs)}
    total = sum(r.penalty if isinstance(r, Err) else r.value[0] * r.value[1] for r in pairs)
    return total + sum(r.value[0] if isinstance(r, Ok) else 10.0 * r.error for r in texts.values())


def labels(tree: Any) -> Any:
    return tree.label**2 + folded(lambda s, child: s + labels(child), 0.0, tree.children)


def relabelled(tree: Any) -> Any:
    def scaled(b: Any) -> Any:
        return Branching(3.0 * b.label, mapped(scaled, b.children))

    return labels(scaled(tree))


def squares(chain: Any) -> Any:
    return folded(lambda s, v: s + v * v, 0.0, chain)


def square_tree(tree: Any) -> Any:
    return reduce_tree(lambda v: v * v, lambda a, b: a + b, tree)


def nested(chain: Any) -> Any:
    return folded(lambda s, inner: s + squares(inner), 0.0, chain)


def of_floats(node: Any) -> Any:
    s = 0.0
    while node is not None:
        s += 0.0 if node.value is None else node.value * node.value
        node = node.rest
    return s


def held(h: Any) -> Any:
    return squares(h.items) * square_tree(h.tree)


def layers(layer: Any) -> Any:
    s = 0.0
    while layer is not None:
        s += layer.weights.sum() * layer.bias
        layer = layer.above
    return s


def made_nested(xs: Any) -> Any:
    chain = listed(xs)
    return nested(Cons(chain, Cons(chain.tail, None)))


def made_functions(xs: Any) -> Any:
    chain = mapped(lambda v: Pair(v, Leaf(v * v)), listed(xs))
    return folded(lambda s, p: s + p.first * square_tree(p.second), 0.0, chain)


def trees_in_a_list(xs: Any) -> Any:
    """A leaf and a node in one list: it is a list of trees."""
    chain = Cons(Leaf(xs[0]), Cons(Node(Leaf(xs[1]), Leaf(xs[2])), None))
    return folded(lambda s, t: s + square_tree(t), 0.0, chain)


def lists_in_a_list(xs: Any) -> Any:
    chain = Cons([1.0], None)
    for x in xs:
        chain = Cons([x, 2.0 * x, x], chain)
    return folded(lambda s, v: s + sum(v), 0.0, chain)


def some_missing(xs: Any) -> Any:
    chain = None
    for i in range(len(xs)):
        chain = Maybe(xs[i] if xs[i] > 0.7 else None, chain)
    return of_floats(chain)


def said(x: Any) -> Any:
    chain = Cons[float](0, Cons(x, None))
    return chain.head + 2.0 * chain.tail.head


def layers_made(x: Any) -> Any:
    return layers(Layer(np.ones((2, 2)) * x, x, Layer(np.ones((3, 2)), x, None)))


def cubes_inside(x: Any) -> Any:
    d = pb.grad(lambda c: folded(lambda s, v: s + v**3, 0.0, c))(Cons(x, Cons(2.0 * x, None)))
    return folded(lambda s, v: s + v, 0.0, d)


TREE = Node(Leaf(1.5), Node(Leaf(0.5), Leaf(2.0)))


@pytest.mark.parametrize(("f", "arg", "expected"), [
    (squares, listed([1.0, 2.0]), listed([2.0, 4.0])),
    (squares, listed([1, 2.5]), listed([2.0, 5.0])),  # as where the field is declared float
    (nested, listed([listed([1.0, 2.0]), None]), listed([listed([2.0, 4.0]), None])),
    (held, Holder(listed([1.0]), Leaf(2.0)), Holder(listed([8.0]), Leaf(4.0))),
    (held, Holder(None, TREE), Holder(None, map_tree(lambda v: 0.0, TREE))),
    (lambda h: squares(h.items) * h.extra, Open(None, 3.0), Open(None, 0.0)),
    (lambda h: squares(h.items) * h.extra, Open(listed([2.0]), 3.0), Open(listed([12.0]), 4.0)),
    (of_floats, Floats(1.0, Floats(3.0, None)), Floats(2.0, Floats(6.0, None))),
    (of_floats, Maybe(None, Maybe(2.0, None)), Maybe(None, Maybe(4.0, None))),
    (layers, Layer(np.ones((1, 2)), 3.0, None), Layer(np.full((1, 2), 3.0), 2.0, None)),
    (labels, Branching(1.0, listed([Branching(2.0, None)])),
     Branching(2.0, listed([Branching(4.0, None)]))),
    (relabelled, Branching(1.0, listed([Branching(2.0, None)])),
     Branching(18.0, listed([Branching(36.0, None)]))),
    (made_nested, XS, np.array([2.0, 8.0, 2.0])),
    (made_functions, XS, 5 * XS**4),
    (trees_in_a_list, XS, 2 * XS),
    (lists_in_a_list, XS, np.full(3, 4.0)),
    (some_missing, XS, np.array([2.0, 4.0, 0.0])),
    (said, 3.0, 2.0),
    (layers_made, 2.0, 22.0),
    (cubes_inside, 2.0, 60.0),
])  # fmt: skip
def test_gradients(f: Any, arg: Any, expected: Any) -> None:
    value, gradient = pb.value_and_grad(f)(arg)
    assert value == f(arg)
    assert repr(gradient) == repr(expected)


def test_two_instances_of_one_class_as_result() -> None:
    def both(xs: Any) -> Any:
        chain = listed(xs)
        return mapped(lambda v: (v, v), chain), mapped(lambda v: np.array([v]), chain)

    value, back = pb.vjp(both, XS)
    assert harness.distance(value, both(XS)) == 0.0
    pairs, arrays = value
    assert repr(back((pairs, arrays))) == repr((3 * XS,))


def test_numbers_of_one_type_are_needed_from_the_start() -> None:
    def grown(xs: Any) -> Any:
        chain = Cons(0, None)
        for x in xs:
            chain = Cons(x, chain)
        return squares(chain)

    with pytest.raises(pb.PullbackError, match=r"float64 where an int is needed(.|\n)*0\.0 in"):
        pb.grad(grown)(XS)


def test_a_float_is_not_cut_off_to_be_an_int() -> None:
    with pytest.raises(pb.PullbackError, match="a float where an int is needed"):
        pb.grad(lambda x: Whole(x, None).value * 2.0)(2.5)


def test_two_instances_do_not_meet() -> None:
    def either(x: Any) -> Any:
        chain = Cons(x, None) if x > 0.0 else Cons((x, x), None)
        return x if chain is None else 2.0 * x

    with pytest.raises(pb.PullbackError, match=r"Cons\[float\] on one path and a Cons\[tuple"):
        pb.grad(either)(1.0)


def test_data_of_ever_other_types_is_refused() -> None:
    with pytest.raises(pb.PullbackError, match="ever other type arguments"):
        pb.grad(lambda d: d.value)(Deeper(1.0, Deeper((1.0, 2.0), None)))


def test_values_of_different_types_are_refused() -> None:
    with pytest.raises(pb.PullbackError, match="an array of float64, rank 1 beside a float"):
        pb.grad(squares)(listed([1.0, np.zeros(2)]))


def test_a_text_beside_numbers() -> None:
    def lengths(chain: Any) -> Any:
        return folded(
            lambda s, v: s + (len(v) if isinstance(v, str) else v * v), 0.0, chain
        )

    chain = listed([1.0, "a", "bcd", 2.0])
    assert pb.jit(lengths)(chain) == lengths(chain) == 9.0
    assert pb.grad(lengths)(chain) == listed([2.0, None, None, 4.0])


@pytest.mark.parametrize("program", [roots, results])
@pytest.mark.parametrize("method", ["chad", "dual"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_parameters_that_no_field_has(program: Any, method: Any, sign: float) -> None:
    """Of classes that no declaration brings together: ``Nothing[T]`` says nothing of T."""
    xs = sign * XS
    assert harness.distance(pb.jit(program)(xs), program(xs)) < 1e-12
    pb.check_grads(program, (xs,))
    found, forward = pb.grad(program, method=method)(xs), pb.jacfwd(program)(xs)
    assert harness.distance(found, forward) < 1e-12


def test_one_parameter_is_one_type() -> None:
    def program(xs: Any) -> Any:
        last = Some(xs[0])
        for v in xs:
            last = Nothing() if v > 1.5 else Some(Some(v))
        return xs[0] if isinstance(last, Some) else 0.0

    with pytest.raises(pb.PullbackError, match="Some"):
        pb.jit(program)(XS)


def test_a_list_that_is_none() -> None:
    """The body of a loop that never begins is not looked at."""
    assert pb.grad(lambda chain, x: squares(chain) + x * x, argnums=1)(None, 2.0) == 4.0


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax of PEP 695")
def test_type_parameter_syntax(tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "newer.py").write_text(
        textwrap.dedent("""
        from dataclasses import dataclass

        type Chain[T] = Link[T] | None

        @dataclass(frozen=True)
        class Link[T]:
            head: T
            tail: "Chain[T]"

        def total(chain):
            return 0.0 if chain is None else chain.head * chain.head + total(chain.tail)
        """)
    )
    monkeypatch.syspath_prepend(tmp_path)
    import newer

    assert pb.grad(newer.total)(newer.Link(2.0, None)) == newer.Link(4.0, None)


