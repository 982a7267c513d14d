"""Negations go into the operations that read them, and products into choices: no plain value
changes a bit."""

from __future__ import annotations

import math
import random

import pytest

from pullback.core.build import Builder, f64
from pullback.core.eval import evaluate
from pullback.core.terms import Atom, Function, Lit, Prim, Program, Var
from pullback.core.types import BOOL, F64
from pullback.opt.scalar.masks import mask_products
from pullback.opt.scalar.signs import take_signs
from tests.opt.agreement import agree

PLAIN = {"neg": 1, "mul": 2, "div": 2, "add": 2, "sub": 2, "abs": 1, "sin": 1, "select": 3}
EDGES = (0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, math.nan, 5e-324)


def steps(program: Program) -> list[str]:
    return [x.op.name for x in program.functions["f"].body.lets if isinstance(x.op, Prim)]


def written(params: tuple[Var, ...], b: Builder, *results: Atom) -> Program:
    f = Function("f", params, b.block(results), tuple(r.type for r in results))
    return Program({"f": f}, {}, "f")


def changed(program: Program) -> list[str]:
    """The steps after both passes, which may not be more than before."""
    found = steps(mask_products(take_signs(program)))
    assert len(found) <= len(steps(program))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_plain_values_keep_their_bits(seed: int) -> None:
    rng = random.Random(seed)
    params = (*(Var("x", F64) for _ in range(3)), Var("c", BOOL))
    b, reals = Builder(), [*params[:3], f64(0.0), f64(-0.0), f64(2.0)]
    for _ in range(12):
        name = rng.choice(["neg", *PLAIN])
        args = [rng.choice(reals) for _ in range(PLAIN[name])]
        if not all(isinstance(a, Lit) for a in args):
            args = [params[3], *args[1:]] if name == "select" else args
            reals.append(b.prim(name, *args))
    program = written(params, b, *reals[-4:])
    points = [[rng.choice(EDGES) for _ in range(3)] + [rng.random() < 0.5] for _ in range(30)]
    changed(agree([take_signs, mask_products], program, *points))


def test_signs_of_cotangents_cost_nothing() -> None:
    p, d, c = params = Var("p", F64), Var("d", F64), Var("c", F64)
    b = Builder()
    n = b.prim("neg", d)
    y, z = b.prim("fma", p, n, c), b.prim("mulz", c, n)
    program = written(params, b, b.prim("add", b.prim("flush", y), z))
    assert changed(program) == ["fnma", "mulz", "flush", "sub"]
    assert evaluate(take_signs(program), [2.0, 3.0, 5.0])[0] == (-16.0,)


def test_signs_of_singular_partials_in_sums() -> None:
    p, d, c = params = Var("p", F64), Var("d", F64), Var("c", F64)
    b = Builder()
    n, m = b.prim("neg", d), b.prim("neg", p)
    one, two = b.prim("fmaz", p, n, c), b.prim("fmaz", m, n, c)
    three = b.prim("fmaz", p, d, b.prim("neg", c))
    program = written(params, b, one, two, b.prim("sub", c, three))
    assert changed(program) == ["fnmaz", "fmaz", "fnmaz", "add"]
    agree(take_signs, program, [2.0, 3.0, 5.0], [math.inf, 0.0, 1.0], [math.inf, 1.0, 2.0])


def test_of_several_negations_the_one_that_costs_most_stays() -> None:
    x, y = params = Var("x", F64), Var("y", F64)
    b = Builder()
    n, m = b.prim("neg", x), b.prim("neg", y)
    p = b.prim("mul", n, y)
    program = written(params, b, p, b.prim("sin", n), b.prim("add", x, m))
    assert sorted(changed(program)) == ["mul", "neg", "sin", "sub"]


def test_a_negation_is_not_written_twice() -> None:
    x, y = params = Var("x", F64), Var("y", F64)
    b = Builder()
    n = b.prim("neg", x)
    program = written(params, b, b.prim("mul", n, y), b.prim("div", n, y))
    assert changed(program) == ["neg", "mul", "div"]


def test_a_product_is_part_of_the_choice_that_alone_reads_it() -> None:
    c, x, y = params = Var("c", BOOL), Var("x", F64), Var("y", F64)
    b = Builder()
    one, two = b.prim("mul", x, y), b.prim("fma", x, x, y)
    found = b.prim("select", c, one, f64(-0.0)), b.prim("select", c, two, y), two
    program = written(params, b, *found)
    assert sorted(changed(program)) == ["fma", "mul.if", "select"]
    agree(mask_products, program, [True, 2.0, 3.0], [False, math.inf, 0.0])


def test_the_negative_of_a_number_is_a_number() -> None:
    x, b = Var("x", F64), Builder()
    turned = b.prim("neg", f64(0.5))
    program = written((x,), b, turned, b.prim("mul", x, turned), b.prim("neg", turned))
    found = agree(take_signs, program, [3.0], [-0.0])
    assert steps(found) == ["mul"]
