"""The LLVM text of every scalar row, compiled for one lane and for eight, against its NumPy
meaning on ordinary and on special values."""

from __future__ import annotations

import ctypes
import itertools

import llvmlite.binding as llvm
import numpy as np
import pytest

from pullback.core.build import prim_types
from pullback.core.prims import TABLE, Row
from pullback.core.rows import kind_of
from pullback.core.template import expand, splat, vector
from pullback.core.terms import Lit
from pullback.core.types import BOOL, F32, F64, I32, I64, Bool, Int, Real, Type
from pullback.core.values import boxer, dtype_of

SPECIAL = {
    "real": [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 7.0, 0.3, np.inf, -np.inf, np.nan, 1e300],
    "int": [0, 1, -1, 2, -2, 3, 7, -7, 63, 64, 65, 2**31, 2**62, 2**63 - 1, -(2**63)],
    "bool": [False, True],
}
KINDS: dict[str, tuple[Type, ...]] = {"real": (F64, F32), "int": (I64,), "bool": (BOOL,)}


def _llvm_type(t: Type) -> str:
    match t:
        case Real(bits):
            return "double" if bits == 64 else "float"
        case Int(bits):
            return f"i{bits}"
        case Bool():
            return "i1"
    raise TypeError(t)


def _memory(t: Type) -> str:
    return "i8" if t == BOOL else _llvm_type(t)


Case = tuple[Row, tuple[Type, ...], tuple[Type, ...], Type]


def _cases() -> list[Case]:
    """Row, argument types, static parameters, result type: for all that is plain text."""
    out: list[Case] = []
    for row in TABLE.values():
        for kind, text in row.llvm.items():
            plain = text.startswith("{") or text.startswith("cast:")
            if not plain or row.arity is None:
                continue
            for t in KINDS[kind]:
                if t != I64 and row.name.endswith(".ovf"):
                    continue
                args: tuple[Type, ...] = (t,) * row.arity
                if row.name == "select" or row.name.endswith(".if"):
                    args = (BOOL, *args[1:])
                statics: list[tuple[Type, ...]] = [()]
                if row.name == "to_real":
                    statics = [(F64,), (F32,)]
                if row.name == "to_int":
                    statics = [(I64,), (I32,)]
                for static in statics:
                    atoms = tuple(Lit(0, a) for a in args)
                    out.append((row, args, static, prim_types(row.name, atoms, static)[0]))
    return out


CASES = _cases()


def _function(name: str, case: Case, lanes: int) -> str:
    row, args, _, result = case
    lines = []
    for i, t in enumerate(args):
        wide = vector(_memory(t), lanes)
        lines.append(f"%m{i} = load {wide}, ptr %p{i}, align 1")
        if t == BOOL:
            lines.append(f"%a{i} = trunc {wide} %m{i} to {vector('i1', lanes)}")
        else:
            zero = splat(_llvm_type(t), "0", lanes) if isinstance(t, Int) else None
            lines.append(
                f"%a{i} = add {wide} %m{i}, {zero}" if zero
                else f"%a{i} = bitcast {wide} %m{i} to {wide}"
            )
    names = tuple(f"%a{i}" for i in range(len(args)))
    text = row.llvm[kind_of(args[-1])]
    lines += expand(text, "%r", names, _llvm_type(args[-1]), _llvm_type(result), lanes)
    wide = vector(_llvm_type(result), lanes)
    if result == BOOL:
        lines.append(f"%w = zext {wide} %r to {vector('i8', lanes)}")
        lines.append(f"store {vector('i8', lanes)} %w, ptr %out, align 1")
    else:
        lines.append(f"store {wide} %r, ptr %out, align 1")
    params = ", ".join([f"ptr %p{i}" for i in range(len(args))] + ["ptr %out"])
    return f"define void @{name}({params}) {{\n" + "\n".join(lines) + "\nret void\n}\n"


@pytest.fixture(scope="module")
def engine() -> llvm.ExecutionEngine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    text = ""
    for k, case in enumerate(CASES):
        text += _function(f"s{k}", case, 1) + _function(f"v{k}", case, 8)
    declared = set()
    for line in text.split("\n"):  # the intrinsics that are called
        if "@llvm." in line:
            head, tail = line.split("call ")[1].split("(", 1)
            types = ", ".join(_operand_type(a) for a in _split(tail[:-1]))
            declared.add(f"declare {head}({types})")
    module = llvm.parse_assembly("\n".join(sorted(declared)) + "\n" + text)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
    return llvm.create_mcjit_compiler(module, machine)


def _split(text: str) -> list[str]:
    """Arguments at the commas outside of brackets."""
    parts, depth, at = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "<({"
        depth -= c in ">)}"
        if c == "," and depth == 0:
            parts.append(text[at:i].strip())
            at = i + 1
    return [*parts, text[at:].strip()]


def _operand_type(text: str) -> str:
    return text[: text.index(">") + 1] if text.startswith("<") else text.split(" ")[0]


def _ids() -> list[str]:
    return [f"{c[0].name}-{'-'.join(map(_llvm_type, c[1]))}-{_llvm_type(c[3])}" for c in CASES]


@pytest.mark.parametrize("k", range(len(CASES)), ids=_ids())
def test_text_means_what_numpy_means(engine: llvm.ExecutionEngine, k: int) -> None:
    row, args, static, result = CASES[k]
    points = list(itertools.product(*[SPECIAL[kind_of(t)] for t in args]))
    if row.name in ("ipow", "ipow.ovf"):
        points = [p for p in points if not (row.name == "ipow" and TABLE["ipow.ovf"].numpy(*p))]
    points = [*points, *[points[0]] * (-len(points) % 8)]  # whole vectors
    box = boxer(result)
    with np.errstate(all="ignore"):
        inputs = [np.array([p[i] for p in points], dtype_of(t)) for i, t in enumerate(args)]
        boxes = [boxer(t) for t in args]
        want = np.array(
            [box(row.numpy(*[f(x) for f, x in zip(boxes, p)], *static)) for p in points],
            dtype_of(result),
        )
    for lanes, prefix in ((1, "s"), (8, "v")):
        f = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(args) + 1))(
            engine.get_function_address(f"{prefix}{k}")
        )
        got = np.empty_like(want)
        for j in range(0, len(points), lanes):
            f(*[a[j:].ctypes.data for a in inputs], got[j:].ctypes.data)
        np.testing.assert_array_equal(got, want, err_msg=f"{row.name} {points}")
        if isinstance(result, Real) and row.name != "mulz":  # the sign of zero too
            number = ~np.isnan(want)
            np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(want[number]))
