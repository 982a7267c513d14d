"""One test of several cotangents: the same numbers, one branch, no choices where none is small."""

from __future__ import annotations

import math
import random
import struct

import numpy as np
import pytest

import pullback as pb
from pullback.core.prims import TABLE
from pullback.lower.check import check_module
from pullback.lower.eval import Machine
from pullback.lower.fast_paths import asks, separate_fast_paths
from pullback.lower.loopcode import (
    Arith,
    AtAdd,
    IfCode,
    Imm,
    Instr,
    Load,
    LoopFunction,
    Module,
    Reg,
    Region,
    Store,
    Ty,
    Value,
)

EDGES = (0.0, -0.0, 5e-324, -1e-310, 2.0**-1022, math.inf, -math.inf, math.nan, 1.5, -2.0, 1e300)
CELLS = 6


def cell(k: int) -> Imm:
    return Imm(k, Ty.I64)


def code_at_random(rng: random.Random) -> Module:
    """Reads, writes and arithmetic of cotangents as the reverse sweep writes them, in any order."""
    at = Reg("cells", Ty.PTR)
    reals: list[Value] = [Imm(x, Ty.F64) for x in (0.5, -3.0)]
    truths: list[Value] = []
    code: list[Instr] = []

    def real(name: str, *args: Value) -> None:
        reals.append(Reg("x", Ty.F64))
        code.append(Arith(reals[-1], name, args))

    def truth(name: str, *args: Value) -> None:
        truths.append(Reg("t", Ty.I1))
        code.append(Arith(truths[-1], name, args))

    def some() -> Value:
        return rng.choice(reals[-8:])

    def read() -> None:
        reals.append(Reg("c", Ty.F64))
        code.append(Load(reals[-1], at, cell(rng.randrange(CELLS))))

    for _ in range(rng.randrange(8, 50)):
        match rng.randrange(12):
            case 0 | 1:
                read()
                real("flush", reals[-1])
                truth("present", reals[-1])
            case 2:
                truth("present", some())
            case 3:
                real("flush", some())
            case 4:
                real(rng.choice(("mul", "add", "mulz")), some(), some())
            case 5:
                real(rng.choice(("fma", "fmaz", "fnmaz")), some(), some(), some())
            case 6 | 7 if truths:
                real("select", rng.choice(truths), some(), rng.choice([Imm(0.0, Ty.F64), some()]))
            case 8 if len(truths) > 1:
                truth(rng.choice(("and", "or")), rng.choice(truths), rng.choice(truths))
            case 9:
                code.append(Store(at, cell(rng.randrange(CELLS)), some()))
            case 10:
                code.append(AtAdd(at, cell(rng.randrange(CELLS)), some()))
            case _:
                real("neg", some())
                truth("lt", some(), some())
    kept = tuple(x for x in reals if rng.random() < 0.3)
    ask = tuple(x for x in truths if rng.random() < 0.3)
    types = tuple(x.ty for x in (*kept, *ask))
    main = LoopFunction("main", (at,), Region(tuple(code), (*kept, *ask)), types)
    return Module({"main": main}, "main")


def run(module: Module, cells: list[float]) -> list[bytes]:
    """Return the bits of the results and of the cells."""
    machine = Machine(module, 1 << 12)
    at = machine.arenas["inputs"].alloc(8 * CELLS)
    for k, x in enumerate(cells):
        machine.put(at + 8 * k, Ty.F64, x)
    with np.errstate(all="ignore"):
        out = machine.call("main", [at])
    bits = [struct.pack("<d", x) for x in out]
    return [
        b"nan" if x != x else b for x, b in zip(out, bits, strict=True)
    ] + [
        b"nan" if x != x else struct.pack("<d", x)
        for x in (machine.get(at + 8 * k, Ty.F64) for k in range(CELLS))
    ]


@pytest.mark.parametrize("seed", range(60))
def test_the_numbers_are_the_same(seed: int) -> None:
    rng = random.Random(seed)
    module = code_at_random(rng)
    check_module(module)
    other = separate_fast_paths(module)
    check_module(other)
    for _ in range(8):
        large = rng.random() < 0.4
        cells = [rng.choice(EDGES[-3:] if large else EDGES) for _ in range(CELLS)]
        assert run(other, cells) == run(module, cells)


def test_a_cell_is_read_before_it_is_emptied() -> None:
    """A read that nothing in front needs goes behind the branch only with the write after it."""
    at = Reg("cells", Ty.PTR)
    c0, c1, c2, f, g, h, s, r = (Reg(n, Ty.F64) for n in ("c0", "c1", "c2", *"fghsr"))
    p, q, zero = Reg("p", Ty.I1), Reg("q", Ty.I1), Imm(0.0, Ty.F64)
    code = (
        Load(c0, at, cell(0)), Arith(p, "present", (c0,)), Arith(f, "mul", (c0, c0)),
        Arith(q, "present", (f,)),
        Arith(s, "select", (p, f, zero)), AtAdd(at, cell(3), s),
        Load(c1, at, cell(1)), Store(at, cell(1), zero), Load(c2, at, cell(2)),
        Arith(g, "fma", (c0, c0, c2)), Arith(h, "select", (p, g, c2)), Arith(r, "sub", (c1, s)),
    )  # fmt: skip
    main = LoopFunction("main", (at,), Region(code, (h, r)), (Ty.F64,) * 2)
    module = Module({"main": main}, "main")
    other = separate_fast_paths(module)
    assert other.functions["main"].body.code != code
    cells = [1.5, 2.5, -3.0, 0.5, 0.0, 0.0]
    assert run(other, cells) == run(module, cells)


def test_most_of_these_get_two_versions() -> None:
    modules = [code_at_random(random.Random(seed)) for seed in range(60)]
    codes = [separate_fast_paths(m).functions["main"].body.code for m in modules]
    assert sum(any(isinstance(i, IfCode) for i in code) for code in codes) > 40


def rotation() -> Module:
    """The reverse of a rotation of two cells."""
    at = Reg("cells", Ty.PTR)
    c0, c1, d, e, f, g, h, s = (Reg(n, Ty.F64) for n in ("c0", "c1", "d", "e", "f", "g", "h", "s"))
    p, q = Reg("p", Ty.I1), Reg("q", Ty.I1)
    code = (
        Load(c0, at, cell(0)), Arith(d, "flush", (c0,)), Arith(p, "present", (d,)),
        Load(c1, at, cell(1)), Arith(e, "flush", (c1,)), Arith(q, "present", (e,)),
        Arith(f, "mul", (d, d)), Arith(g, "select", (p, f, Imm(0.0, Ty.F64))),
        Arith(h, "fma", (e, d, g)), Arith(s, "select", (q, h, g)),
        AtAdd(at, cell(2), s),
    )  # fmt: skip
    return Module({"main": LoopFunction("main", (at,), Region(code, ()), ())}, "main")


def test_one_branch_and_no_choices() -> None:
    code = separate_fast_paths(rotation()).functions["main"].body.code
    (branch,) = [i for i in code if isinstance(i, IfCode)]
    assert branch.seldom and len(branch.dsts) == 1
    names = [i.name for i in branch.orelse.code if isinstance(i, Arith)]
    assert names == ["mul", "fma"]
    assert sum(map(asks, branch.then.code)) == 4
    assert isinstance(code[-1], AtAdd)  # written once, behind the branch


def test_small_is_what_flush_makes_zero() -> None:
    for x in (*EDGES, 2.0**-1022 - 5e-324, -(2.0**-1022)):
        for kind in (float, np.float32):
            with np.errstate(all="ignore"):
                y = kind(x)
                flushed = TABLE["flush"].numpy(y)
            assert TABLE["small"].numpy(y) == (flushed == 0), (x, kind)


# --- compiled: two cells that loops read, take and add to -----------------------------------------


def turned(a, b, x, rounds):
    """Rotations in place; the partials by the angle are as large as the elements."""
    m = np.array([a, b])
    for _ in range(rounds):
        c, s = math.cos(x), math.sin(x)
        m[0], m[1] = c * m[0] - s * m[1], s * m[0] + c * m[1]
    return m


def of_one(a, b, x, rounds):
    return turned(a, b, x, rounds)[0]


def with_a_branch(a, b, x, rounds):
    m = np.array([a, b])
    for _ in range(rounds):
        m[0] = np.where(x < 1.0, np.exp(x), 1.0) * m[0] + m[1]
        m[1] = 0.5 * m[1]
    return m[0] + m[1]


def test_rotations() -> None:
    value, grads = pb.value_and_grad(of_one, argnums=(0, 1, 2))(1.0, 2.0, 0.3, 4)
    z = complex(1.0, 2.0) * complex(math.cos(0.3), math.sin(0.3)) ** 4
    assert value == pytest.approx(z.real, rel=1e-14)
    assert grads == pytest.approx((math.cos(1.2), -math.sin(1.2), -4 * z.imag), rel=1e-13)


def test_a_zero_cotangent_meets_an_infinite_partial() -> None:
    def f(x, y, t):
        m = np.array([x, y])
        for _ in range(2):
            m[0], m[1] = m[0] * t, m[1] * np.exp(t)
        return m[0]

    grads = pb.grad(f, argnums=(0, 1, 2))(3.0, 2.0, np.float64(1000.0))
    assert grads == pytest.approx((1e6, 0.0, 6000.0), rel=1e-14)


def test_a_nan_beside_a_zero_cotangent() -> None:
    def f(x, y, t):
        m = np.array([x, y, x])
        for _ in range(2):
            m[0], m[1] = m[0] * t, m[1] * np.exp(t)
        return m[0] * np.float64(math.nan) + 0.0 * m[2]

    gx, gy, _ = pb.grad(f, argnums=(0, 1, 2))(3.0, 2.0, np.float64(1000.0))
    assert math.isnan(gx) and gy == 0.0


def test_what_only_an_arm_uses_in_a_loop() -> None:
    grads = pb.grad(with_a_branch, argnums=(0, 1, 2))(1.0, 2.0, np.float64(1000.0), 3)
    assert grads == pytest.approx((1.0, 1.875, 0.0), rel=1e-14)
    a, b, x = pb.grad(with_a_branch, argnums=(0, 1, 2))(1.0, 2.0, np.float64(0.5), 3)
    e = math.exp(0.5)
    assert (a, b) == pytest.approx((e**3, e * e + 0.5 * e + 0.25 + 0.125), rel=1e-13)
    assert x == pytest.approx(3 * e**3 + 2 * (2 * e * e + 0.5 * e), rel=1e-13)
