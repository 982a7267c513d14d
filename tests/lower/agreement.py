"""The check of lowering that all tests share: the loop code is well formed, and its evaluator gives
the results of the Core evaluator (sums up to the order of their terms)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pullback.core.check import check
from pullback.core.eval import Node, evaluate
from pullback.core.terms import Dialect, Program
from pullback.core.types import F64, Array, Decl, Handle, Named, Sum, Type, variants_of
from pullback.core.values import boxer, make_array, to_value
from pullback.lower.arenas import instructions
from pullback.lower.check import check_module
from pullback.lower.eval import Machine
from pullback.lower.eval_parts import SIZE
from pullback.lower.loopcode import LANES, Instr, Module, Reg
from pullback.lower.lower import lower
from pullback.lower.values import leaves, machine


@dataclass
class Memory:
    """Moves evaluator values into the memory of a machine and out of it."""

    machine: Machine
    decls: dict[str, Decl]
    nodes: dict[int, int] = field(default_factory=dict)
    stores: dict[int, tuple[np.ndarray, int]] = field(default_factory=dict)

    def into(self, t: Type, x: Any) -> list[Any]:
        """Return the leaves of a value."""
        m = self.machine
        match t:
            case Array(elem, rank):
                kinds = leaves(elem)
                columns: list[list[Any]] = [[] for _ in kinds]
                for y in x.ravel():
                    for column, leaf in zip(columns, self.into(elem, y), strict=True):
                        column.append(leaf)
                ptrs = []
                for ty, column in zip(kinds, columns, strict=True):
                    at = m.arenas["inputs"].alloc(SIZE[ty] * len(column))
                    for k, leaf in enumerate(column):
                        m.put(at + k * SIZE[ty], ty, leaf)
                    ptrs.append(at)
                return [*ptrs, *x.shape, *(int(np.prod(x.shape[k + 1 :])) for k in range(rank))]
            case Handle(rank):
                whole = owner(x)  # handles of one store remain handles of one store
                if id(whole) not in self.stores:
                    at = m.arenas["store"].alloc(8 * whole.size)
                    m.memory[at : at + 8 * whole.size] = whole.tobytes()
                    self.stores[id(whole)] = (whole, at)
                at = self.stores[id(whole)][1] + x.ctypes.data - whole.ctypes.data
                first = (at - m.arenas["store"].base) // 8
                return [first, *x.shape, *(s // 8 for s in x.strides)]
            case Sum(variants):
                out: list[Any] = [x.tag]
                for k, v in enumerate(variants):
                    for i, f in enumerate(v.fields):
                        out += (
                            self.into(f, x.fields[i]) if k == x.tag else [0] * len(leaves(f))
                        )
                return out
            case Named():
                if id(x) not in self.nodes:
                    fields = variants_of(t, self.decls)[x.tag].fields
                    flat = [
                        (ty, leaf)
                        for f, y in zip(fields, x.fields, strict=True)
                        for ty, leaf in zip(leaves(f), self.into(f, y), strict=True)
                    ]
                    at = m.arenas["inputs"].alloc(8 * (1 + len(flat)))
                    for k, (ty, leaf) in enumerate([(leaves(Handle(0))[0], x.tag), *flat]):
                        m.put(at + 8 * k, ty, leaf)
                    self.nodes[id(x)] = at
                return [self.nodes[id(x)]]
            case _:
                return [to_value(t, x, self.decls)]

    def out(self, t: Type, values: Iterator[Any]) -> Any:
        """Return the value made of leaves."""
        match t:
            case Handle(rank):
                first, *rest = (next(values) for _ in range(1 + 2 * rank))
                shape, strides = rest[:rank], rest[rank:]
                out = np.empty(shape)
                for index in np.ndindex(*shape):
                    at = first + sum(i * s for i, s in zip(index, strides, strict=True))
                    out[index] = self.machine.get(
                        self.machine.arenas["store"].base + 8 * at, machine(F64)
                    )
                return out
            case Array(elem, rank):
                kinds = leaves(elem)
                ptrs = [next(values) for _ in kinds]
                shape = tuple(next(values) for _ in range(rank))
                strides = [next(values) for _ in range(rank)]
                elements = []
                for index in np.ndindex(*shape):
                    at = sum(i * s for i, s in zip(index, strides, strict=True))
                    found = [self.machine.get(p + at * SIZE[ty], ty) for p, ty in zip(ptrs, kinds)]
                    elements.append(self.out(elem, iter(found)))
                return make_array(elem, elements, shape)
            case Sum(variants):
                tag = next(values)
                own = []
                for k, v in enumerate(variants):
                    for f in v.fields:
                        given = [next(values) for _ in leaves(f)]
                        own += [self.out(f, iter(given))] if k == tag else []
                return Node(tag, own)
            case Named():
                at = next(values)
                tag = self.machine.get(at, leaves(Handle(0))[0])
                fields = []
                for f in variants_of(t, self.decls)[int(tag)].fields:
                    own = []
                    for ty in leaves(f):
                        at += 8
                        own.append(self.machine.get(at, ty))
                    fields.append(self.out(f, iter(own)))
                return Node(int(tag), fields)
            case _:
                return boxer(t)(next(values))

    def copy_back(self) -> None:
        """Copy the cells of the handles among the arguments back."""
        for x, at in self.stores.values():
            cells = np.frombuffer(self.machine.memory, np.float64, x.size, at)
            x[...] = cells.reshape(x.shape)


def owner(x: np.ndarray) -> np.ndarray:
    """Return the array of whose memory this is a view."""
    while x.base is not None:
        below = x.base if isinstance(x.base, np.ndarray) else getattr(x.base, "base", None)
        if not isinstance(below, np.ndarray):
            break
        x = below
    return x


def run(
    program: Program, args: Sequence[Any], size: int = 1 << 22
) -> tuple[list[Any], Machine, Module]:
    """Return the results of the loop code of a program, and the machine after the run."""
    module = lower(program)
    check_module(module)
    runner = Machine(module, size)
    memory = Memory(runner, program.decls)
    params = program.functions[program.main].params
    given = [
        leaf
        for p, a in zip(params, args, strict=True)
        for leaf in memory.into(p.type, to_value(p.type, a, program.decls))
    ]
    values = iter(runner.call(module.main, given))
    results = [memory.out(t, values) for t in program.functions[program.main].results]
    memory.copy_back()
    return results, runner, module


def agree(program: Program, args: Sequence[Any], size: int = 1 << 22) -> tuple[Machine, Module]:
    """Assert that the two evaluators agree, also in errors."""
    check(program, Dialect.ACCUMULATING)
    handles = [isinstance(p.type, Handle) for p in program.functions[program.main].params]
    mine = [np.array(a) if h else a for a, h in zip(args, handles, strict=True)]
    expected, _ = evaluate(program, args)
    results, runner, module = run(program, mine, size)
    for x, y in zip(results, expected, strict=True):
        assert same(x, y), f"loop code gives {x}, Core {y}"
    for a, b, h in zip(mine, args, handles, strict=True):
        if h:
            assert np.allclose(a, b, 1e-12, 1e-14), f"cells: loop code {a}, Core {b}"
    return runner, module


def same(x: Any, y: Any) -> bool:
    """Whether two values are equal up to the rounding of sums."""
    if isinstance(x, Node):
        if x.tag != y.tag or len(x.fields) != len(y.fields):
            return False
        return all(same(a, b) for a, b in zip(x.fields, y.fields, strict=True))
    if isinstance(x, np.ndarray) and x.dtype == object:
        if x.shape != y.shape:
            return False
        return all(same(a, b) for a, b in zip(x.ravel(), y.ravel(), strict=True))
    if np.shape(x) != np.shape(y) or type(x) is not type(y):
        return False
    wide = np.asarray(x).dtype != np.float32
    return bool(np.allclose(x, y, 1e-12 if wide else 1e-5, 1e-13, equal_nan=True))


def code_of(module: Module) -> list[Instr]:
    """Return all instructions of a module."""
    return [i for f in module.functions.values() for i in instructions(f.body.code)]


def vectors(module: Module) -> int:
    """Return the number of vector registers of a module."""
    found: set[Reg] = set()
    for i in code_of(module):
        for name in ("dst", "dsts", "carried"):
            x = getattr(i, name, ())
            found |= {x} if isinstance(x, Reg) else {r for r in x if isinstance(r, Reg)} if (
                isinstance(x, tuple)) else set()
    return sum(r.lanes == LANES for r in found)
