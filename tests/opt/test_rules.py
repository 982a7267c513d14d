"""Every identity of the table, sampled: both sides give the same bits."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from pullback.core.prims import TABLE
from pullback.core.terms import Lit
from pullback.core.types import BOOL, F32, F64, I32, I64, Type
from pullback.core.values import boxer
from pullback.opt.scalar.rewrite_rules import (
    LITERALS,
    RULES,
    Apply_,
    Const,
    Pattern,
    Rule,
    Var_,
    parse,
)

REALS = [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 1e300, -1e-310, math.inf, -math.inf, math.nan, 3.0]
INTS = [0, 1, -1, 2, 7, -13, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]
SAMPLES: dict[str, list[tuple[Type, list[Any]]]] = {
    "real": [(F64, REALS), (F32, [x for x in REALS if x != 1e300])],
    "int": [(I64, INTS), (I32, [n for n in INTS if -(2**31) <= n < 2**31])],
    "bool": [(BOOL, [True, False])],
}


def variables(p: Pattern) -> set[str]:
    match p:
        case Var_(name):
            return {name}
        case Apply_(_, args):
            return set().union(*(variables(a) for a in args))
        case Const():
            return set()


def value(p: Pattern, t: Type, env: dict[str, Any]) -> Any:
    """The NumPy meaning of a pattern on values of type ``t``."""
    match p:
        case Var_(name):
            return env[name]
        case Const(v):
            return v if isinstance(v, bool) else boxer(t)(v)
        case Apply_(name, args):
            given = [value(a, t, env) for a in args]
            row = TABLE[name]
            types = tuple(BOOL if isinstance(g, bool) else t for g in given)
            with np.errstate(all="ignore"):
                return boxer(row.rule(types, ())[0])(row.numpy(*given))


def bits(x: Any) -> Any:
    return "nan" if x != x else (x, math.copysign(1.0, x))


def disagreements(rule: Rule) -> list[Any]:
    names = sorted(variables(rule.pattern))
    found = []
    for kind in rule.kinds:
        for t, samples in SAMPLES[kind]:
            if ".ck" in repr(rule.pattern) and t != I64:
                continue
            choices = [[True, False] if n == "c" else samples for n in names]
            for values in itertools.product(*choices):
                env = {n: v if n == "c" else boxer(t)(v) for n, v in zip(names, values)}
                literals = {n: Lit(float(v) if kind == "real" else v, t)
                            for n, v in env.items() if n in LITERALS}
                if rule.when is not None and not rule.when(dict(literals)):
                    continue
                try:
                    left = value(rule.pattern, t, env)
                except OverflowError:
                    left = OverflowError
                try:
                    right = value(rule.result, t, env)
                except OverflowError:
                    right = OverflowError
                same = (
                    left is right if OverflowError in (left, right)
                    else bits(left) == bits(right) if rule.exact
                    else np.allclose(left, right, rtol=4e-16 if t == F64 else 3e-7, equal_nan=True)
                    or not math.isfinite(left) or abs(left) < 1e-290
                )
                if not same:
                    found.append((rule.name, env, left, right))
    return found


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_both_sides_agree(rule: Rule) -> None:
    assert disagreements(rule)[:3] == []


@pytest.mark.parametrize(
    "wrong",
    [
        Rule("plus zero", "add(x, 0.0)", "x", ("real",)),
        Rule("times zero", "mul(x, 0.0)", "0.0", ("real",)),
        Rule("less itself", "sub(x, x)", "0.0", ("real",)),
        Rule("equal to itself", "eq(x, x)", "True", ("real",)),
        Rule("not below", "not_(lt(x, y))", "ge(x, y)", ("real",)),
        Rule("any partial", "mulz(k, x)", "mul(k, x)", ("real",)),
        Rule("checked together", "add_ck(add_ck(x, k), l)", "add_ck(x, add(k, l))", ("int",)),
    ],
    ids=lambda r: r.name,
)
def test_a_wrong_identity_is_caught(wrong: Rule) -> None:
    assert disagreements(wrong)


def test_every_row_is_used_once_and_names_rows_of_the_table() -> None:
    names = [(r.name, r.left) for r in RULES]
    assert len(set(names)) == len(names)

    def heads(p: Pattern) -> set[str]:
        if not isinstance(p, Apply_):
            return set()
        return {p.name}.union(*(heads(a) for a in p.args))

    for r in RULES:
        assert heads(r.pattern) | heads(r.result) <= set(TABLE)
        assert variables(r.result) <= variables(r.pattern) and "x" in variables(r.pattern)


def test_patterns_are_parsed_and_nothing_else_is() -> None:
    assert parse("not_(x)") == Apply_("not", (Var_("x"),))
    assert parse("add_ck(x, -1)") == Apply_("add.ck", (Var_("x"), Const(-1)))
    with pytest.raises(ValueError):
        parse("x + 1")
