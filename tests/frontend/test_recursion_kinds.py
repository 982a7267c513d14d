"""What a recursion gives, found from a function that never returns upwards (Kleene iteration): by
value against plain Python, by derivative against finite differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.campaign import part
from tests.frontend.harness import same


@dataclass(frozen=True)
class Tree:
    value: float
    children: tuple[Tree, ...]


@dataclass(frozen=True)
class Cell:
    head: float
    tail: Cell | None


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class Add:
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Number:
    value: float


Expr = Add | Number

TREE = Tree(1.1, (Tree(0.3, ()), Tree(0.5, (Tree(0.7, ()), Tree(0.2, ())))))
LIST = Cell(0.5, Cell(1.5, Cell(0.7, None)))


# --- where the first result comes from ------------------------------------------------------------


def base_first(x, n=4):
    if n == 0:
        return x
    return base_first(math.sin(x) + x, n - 1)


def base_last(x, n=4):
    if n > 0:
        return base_last(math.sin(x) + x, n - 1)
    return x


def base_in_the_middle(x, n=5):
    if n > 3:
        return 0.5 * base_in_the_middle(x, n - 1)
    if n == 0:
        return x * x
    return base_in_the_middle(x * 1.1, n - 1)


def base_in_an_expression(x, n=4):
    return x if n == 0 else base_in_an_expression(x * 1.2, n - 1) * x


def base_after_a_condition(x, n=4):
    return (n > 0 and base_after_a_condition(x * 1.2, n - 1)) or x * x


def base_is_a_loop_without_rounds(x, tree=TREE):
    total = x * tree.value
    for child in tree.children:
        total += base_is_a_loop_without_rounds(x * 0.9, child)
    return total


def base_is_an_empty_sum(x, tree=TREE):
    return x * tree.value + sum(base_is_an_empty_sum(x * x, c) for c in tree.children)


def base_is_an_empty_list(x, tree=TREE):
    parts = [base_is_an_empty_list(x * 0.8, c) for c in tree.children]
    return x * tree.value + sum(parts) + len(parts)


def count_nodes(tree=TREE):
    return 1 + sum(count_nodes(c) for c in tree.children)


def nodes(x, tree=TREE):
    return x * count_nodes(tree)


def height(tree=TREE):
    return 1 + max((height(c) for c in tree.children), default=0)


def heights(x, tree=TREE):
    return x * x * height(tree)


def every(tree=TREE):
    return all(every(c) for c in tree.children)


def every_node(x, tree=TREE):
    return x * x if every(tree) else x


def last_of_a_loop(x, tree=TREE):
    last = x
    for child in tree.children:
        last = last * last_of_a_loop(x, child)
    return last + tree.value


def until_it_returns(x, n=3):
    while True:
        if n == 0:
            return x
        n = n - 1
        return 1.5 * until_it_returns(x * x, n)


def fixed_rounds(x, n=3):
    if n == 0:
        return x
    total = 0.0
    for _ in range(2):
        total += fixed_rounds(x * 0.7, n - 1)
    return total


# --- several functions ----------------------------------------------------------------------------


def is_even(x, n=5):
    return x if n == 0 else is_odd(x * 1.1, n - 1)


def is_odd(x, n):
    return x * x if n == 0 else is_even(x + 0.1, n - 1)


def first_of_three(x, n=6):
    return second_of_three(x, n - 1) + 1.0


def second_of_three(x, n):
    return third_of_three(x * 1.1, n - 1)


def third_of_three(x, n):
    if n > 0:
        return first_of_three(x, n - 1) * second_of_three(x, n - 2)
    return x


def loops_and_calls(x, tree=TREE):
    return tree.value + over_children(x, tree)


def over_children(x, tree):
    total = x
    for c in tree.children:
        total = total * loops_and_calls(x, c)
    return total


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def by_ackermann(x):
    return x ** ackermann(1, 2)


# --- what it gives --------------------------------------------------------------------------------


def pair(x, n=3):
    if n == 0:
        return x, 1
    a, k = pair(x * x, n - 1)
    return a + x, k + 1


def of_pair(x):
    a, k = pair(x)
    return a * k


def int_or_float(x, n=3):
    """The first path gives an int, the second one a float."""
    if n == 0:
        return 1
    return int_or_float(x, n - 1) * x


def record(x, n=3):
    if n == 0:
        return Point(x, 1.0)
    p = record(x * 0.5, n - 1)
    return Point(p.y + x, p.x * x)


def of_record(x):
    p = record(x)
    return p.x * p.y


def expression(x, n=2):
    if n == 0:
        return Number(x)
    return Add(expression(x * x, n - 1), Number(x))


def value(e):
    match e:
        case Number(v):
            return v
        case Add(left, right):
            return value(left) * value(right)


def of_expression(x):
    return value(expression(x))


def grown(x, n=3):
    if n == 0:
        return None
    return Cell(x, grown(x * x, n - 1))


def total(cell):
    if cell is None:
        return 0.0
    return cell.head + 2.0 * total(cell.tail)


def of_list(x):
    return total(grown(x))


def found(x, cell=LIST):
    """A value or None."""
    if cell is None:
        return None
    if cell.head > 1.0:
        return x * cell.head
    return found(x * x, cell.tail)


def of_found(x):
    y = found(x)
    return x if y is None else y + x


def best(x, tree=TREE):
    """None until the first child."""
    most = None
    for c in tree.children:
        b = best(x, c)
        if most is None or b > most:
            most = b
    return x * tree.value if most is None else most + x


def function(x, n=3):
    if n == 0:
        return lambda y: y * x
    f = function(x * 1.1, n - 1)
    return lambda y: f(y) + math.sin(x)


def of_function(x):
    return function(x)(x * x)


def leaves(x, tree=TREE):
    if not tree.children:
        return [x * tree.value]
    out = []
    for c in tree.children:
        out = out + leaves(x * x, c)
    return out


def of_leaves(x):
    found = leaves(x)
    return sum(found) * len(found)


def halves(xs):
    if len(xs) == 1:
        return xs
    m = len(xs) // 2
    left, right = halves(xs[:m]), halves(xs[m:])
    return np.concatenate([right * right, left])


def of_halves(x):
    return float(halves(np.array([x, x * x, 0.5 * x, x + 1.0]))[2])


def closure(x):
    def go(y, n):
        if n == 0:
            return y * x
        return go(math.sin(y), n - 1) + x

    return go(x, 4)


def closures(x):
    def even(y, n):
        return y if n == 0 else odd(y * x, n - 1)

    def odd(y, n):
        return y + x if n == 0 else even(y, n - 1)

    return even(x, 5)


def updates(x):
    out = []

    def walk(tree):
        out.append(tree.value * x)
        for c in tree.children:
            walk(c)

    walk(TREE)
    return sum(v * v for v in out)


def wider_arguments(x, n=3):
    """The first call gives an int, the recursive one a float."""
    return accumulated(0, x, n)


def accumulated(so_far, x, n):
    if n == 0:
        return so_far
    return accumulated(so_far + x, x * x, n - 1)


def toggling(x, n=3, pair=False):
    """The flag decides what is given."""
    if pair:
        return x, x * x
    if n == 0:
        return x
    a, b = toggling(x * 0.5, n, True)
    return toggling(a + b, n - 1, False)


def machine(x, n=7, state="start"):
    if n == 0:
        return x
    if state == "start":
        return machine((x, x), n - 1, "double")
    if state == "double":
        return machine(x[0] * x[1], n - 1, "start" if n > 3 else "end")
    return machine(x + 1.0, n - 1, "end")


PROGRAMS = [
    base_first, base_last, base_in_the_middle, base_in_an_expression, base_after_a_condition,
    base_is_a_loop_without_rounds, base_is_an_empty_sum, base_is_an_empty_list, nodes, heights,
    every_node, last_of_a_loop, until_it_returns, fixed_rounds, is_even, first_of_three,
    loops_and_calls, by_ackermann, of_pair, int_or_float, of_record, of_expression, of_list,
    of_found, best, of_function, of_leaves, of_halves, closure, closures, updates, wider_arguments,
    toggling,
]  # fmt: skip


@pytest.mark.parametrize("f", part("values", PROGRAMS, 3), ids=lambda f: f.__name__)
def test_recursion(f: Callable[..., Any]) -> None:
    x, h = 0.7, 1e-6
    same(pb.jit(f)(x), f(x))
    slope = (f(x + h) - f(x - h)) / (2 * h)
    assert pb.grad(f)(x) == pytest.approx(slope, rel=1e-6)
    assert pb.jvp(f, (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-6)
