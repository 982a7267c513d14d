"""The checker rejects bad loop code; the printer is deterministic."""

from __future__ import annotations

import pytest

from pullback.lower.check import BadLoopCode, check_module
from pullback.lower.loopcode import (
    Arith,
    ForCode,
    IfCode,
    Imm,
    Instr,
    Load,
    LoopFunction,
    Module,
    RaiseIf,
    Reg,
    Region,
    Ty,
    Value,
)
from pullback.lower.lower import lower
from pullback.lower.show import show_module
from tests.ad.flatcore import A1, F64, program

X, Y = Reg("x", Ty.F64), Reg("y", Ty.F64)
V = Reg("v", Ty.F64, 8)
N = Reg("n", Ty.I64)
ONE, ZERO = Imm(1.0, Ty.F64), Imm(0, Ty.I64)


def module(code: list[Instr], *yields: Value) -> Module:
    types = tuple(y.ty for y in yields)
    main = LoopFunction("main", (X, N), Region(tuple(code), yields), types)
    return Module({"main": main}, "main")


def test_good() -> None:
    check_module(module([Arith(Y, "add", (X, ONE))], Y))


BAD: list[tuple[str, list[Instr], tuple[Value, ...]]] = [
    ("twice", [Arith(Y, "add", (X, ONE)), Arith(Y, "mul", (X, ONE))], (Y,)),
    ("not visible", [], (Y,)),
    ("not visible", [IfCode(Imm(True, Ty.I1), Region((Arith(Y, "move", (X,)),), ()),
                            Region((), ()), ())], (Y,)),
    ("one type", [Arith(Y, "add", (X, N))], (Y,)),
    ("gives", [Arith(Reg("b", Ty.F64), "lt", (X, ONE))], ()),
    ("no scalar operation", [Arith(Y, "frobnicate", (X,))], (Y,)),
    ("lanes gives", [Arith(V, "add", (X, ONE))], ()),
    ("lane_sum", [Arith(Y, "lane_sum", (X,))], (Y,)),
    ("lanes", [Arith(V, "splat", (X,))], (V,)),
    ("should be ptr", [Load(Y, X, ZERO)], (Y,)),
    ("yields", [IfCode(Imm(True, Ty.I1), Region((), (X,)), Region((), ()), (Y,))], ()),
    ("should have 8 lanes", [ForCode(ZERO, N, 1, Reg("i", Ty.I64), (V,), (X,), Region((), (V,)),
                         (Reg("w", Ty.F64, 8),))], ()),
    ("should be i1", [RaiseIf(N, "ValueError", "", None, (ZERO, ZERO))], ()),
]


@pytest.mark.parametrize(("what", "code", "yields"), BAD)
def test_bad(what: str, code: list[Instr], yields: tuple[Value, ...]) -> None:
    with pytest.raises(BadLoopCode, match=what):
        check_module(module(code, *yields))


def test_shown_alike() -> None:
    def text() -> str:
        return show_module(lower(program([A1, F64], lambda c, a, x: c.sum(
            a.dim(), lambda i: a[i] * x))))

    assert text() == text()
    assert "lane_sum" in text()
