"""Names without a value, and values that no case of a ``match`` takes, are errors of the run."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
import pytest

import pullback as pb
from tests.programs import unset

EMPTY = np.zeros(0)
NEGATIVE = np.array([-1.0, -2.0])


@pytest.mark.parametrize("operator", [pb.jit, pb.grad], ids=["jit", "grad"])
@pytest.mark.parametrize(
    "f, args",
    [
        (unset.last_item, (EMPTY,)),
        (unset.last_positive, (EMPTY,)),
        (unset.last_positive, (NEGATIVE,)),
        (unset.inner_of_nested, (NEGATIVE, 2)),
        (unset.inner_of_nested, (np.array([1.0]), 0)),
        (unset.array_of_last_round, (1.0, 0)),
        (unset.chosen_by_number, (NEGATIVE, 7)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_a_name_that_was_not_set(operator, f, args):
    with pytest.raises(UnboundLocalError) as plain:
        f(*args)
    with pytest.raises(UnboundLocalError) as native:
        operator(f)(*args)
    assert str(native.value) == str(plain.value)
    lines = [error.traceback[-1].lineno for error in (native, plain)]
    assert lines[0] == lines[1]


def deleted(x, n):
    for i in range(n):
        x = x * (1.5 + 0.0 * i)
    del i
    return x


def test_a_name_that_is_deleted_was_set():
    assert pb.jit(deleted)(2.0, 1) == 3.0 and pb.grad(deleted)(2.0, 2) == 2.25
    for f in (deleted, pb.grad(deleted)):
        with pytest.raises(UnboundLocalError, match="local variable 'i' where it is not"):
            f(2.0, 0)


def captured_unset(x, n):
    if n > 0:
        k = x * 3.0
    return (lambda z: z * k)(x)


def test_a_captured_name_that_was_not_set():
    assert pb.grad(captured_unset)(2.0, 1) == 12.0
    for f in (captured_unset, pb.grad(captured_unset)):
        with pytest.raises(NameError, match="cannot access free variable 'k' where it is not"):
            f(2.0, 0)


# --- match ----------------------------------------------------------------------------------------


class Op(enum.Enum):
    ADD = 1
    MUL = 2


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Scaled:
    scale: float
    inner: Leaf | Scaled | Pair


@dataclass(frozen=True)
class Pair:
    left: Leaf | Scaled | Pair
    right: Leaf | Scaled | Pair


def total(t: Leaf | Scaled | Pair):
    match t:
        case Leaf(value):
            return value * value
        case Pair(left, right):
            return total(left) + total(right)


def small(k, x):
    match k:
        case 0:
            return x
        case 1:
            return x * x


def first(point, x):
    match point:
        case (0.0, y):
            return x * y


def of_operation(ops, k, x):
    match ops[k]:
        case Op.ADD:
            return x + x


def of_name(names, k, x):
    match names[k]:
        case "add{0}":
            return x + x


@dataclass(frozen=True)
class Step:
    op: Op
    name: str


def of_symbols(steps, k, x):
    total = 0.0
    for step in steps[:k]:
        total += of_symbol(step, x)
    return total


def of_symbol(step, x):
    match step.op, step.name:
        case (Op.ADD, _):
            return x + x
        case (Op.MUL, "a"):
            return x * x


def of_one_symbol(op: Op, x):
    match op:
        case Op.ADD:
            return x + x


def of_steps(steps, x):
    return sum(of_one_symbol(s.op, x) for s in steps)


PAIR = Pair(Leaf(1.0), Scaled(2.5, Leaf(3.0)))
MESSAGE = "no case of the match takes "


@pytest.mark.parametrize(
    "f, args, shown",
    [
        (total, (PAIR,), "Scaled(scale=2.5, inner=<Leaf or Scaled or Pair>)"),
        (small, (7, 1.0), "7"),
        (first, ((1.5, 2.0), 1.0), "(1.5, 2.0)"),
        (of_operation, ((Op.ADD, Op.MUL), 1, 1.0), "<Op.MUL: 2>"),
        (of_name, (("add{0}", "mul{0}"), 1, 1.0), "'mul{0}'"),
        (of_steps, ([Step(Op.ADD, "a"), Step(Op.MUL, "a")], 1.0), "<Op.MUL: 2>"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
@pytest.mark.parametrize("operator", [pb.jit, pb.grad], ids=["jit", "grad"])
def test_what_no_case_takes(operator, f, args, shown):
    argnums = {"argnums": len(args) - 1} if operator is pb.grad else {}
    with pytest.raises(ValueError) as error:
        operator(f, **argnums)(*args)
    assert MESSAGE + shown + ";" in str(error.value)


def test_symbols_in_a_tuple():
    steps = [Step(Op.ADD, "a"), Step(Op.MUL, "a")]
    assert pb.grad(of_symbols, argnums=2)(steps, 2, 3.0) == 2.0 + 6.0
    with pytest.raises(ValueError, match="no case of the match takes"):
        pb.grad(of_symbols, argnums=2)([Step(Op.MUL, "b")], 1, 3.0)


def optional(t: Leaf | Scaled | Pair) -> float | None:
    match t:
        case Leaf(value):
            return value * value


def found_or(t: Leaf | Scaled | Pair):
    found = optional(t)
    return 1.0 if found is None else found


def goes_on(t: Leaf | Scaled | Pair, x):
    match t:
        case Leaf(value):
            return value * value
    return x


@pytest.mark.parametrize("t", [Leaf(3.0), PAIR], ids=["leaf", "pair"])
def test_functions_that_say_none_or_go_on(t):
    assert pb.jit(optional)(t) == optional(t)
    assert pb.jit(found_or)(t) == found_or(t)
    assert pb.jit(goes_on)(t, 2.0) == goes_on(t, 2.0)
    assert pb.grad(found_or)(Leaf(3.0)) == Leaf(6.0)
