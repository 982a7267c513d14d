"""Build loop code for the tests: every method appends an instruction."""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.terms import Site
from pullback.lower.loopcode import (
    LANES,
    AccAlloc,
    AccBase,
    Alloc,
    Arith,
    AtAdd,
    CallCode,
    ForCode,
    IfCode,
    Imm,
    Instr,
    Load,
    LoopFunction,
    Mark,
    Module,
    RaiseIf,
    Reg,
    Region,
    Release,
    Store,
    Ty,
    Value,
    WhileCode,
)

F, I, B, P = Ty.F64, Ty.I64, Ty.I1, Ty.PTR  # noqa: E741  # the types, by their letters


def f64(value: float) -> Imm:
    return Imm(value, Ty.F64)


def i64(value: int) -> Imm:
    return Imm(value, Ty.I64)


NOUGHT = i64(0)


class Code:
    def __init__(self) -> None:
        self.instrs: list[Instr] = []

    def add(self, instr: Instr) -> None:
        self.instrs.append(instr)

    def op(self, name: str, *args: Value, ty: Ty | None = None, lanes: int = 0) -> Reg:
        if not lanes:
            lanes = max(a.lanes if isinstance(a, Reg) else 1 for a in args)
        r = Reg(name, ty or args[-1].ty, lanes)
        self.add(Arith(r, name, args))
        return r

    def load(self, ptr: Value, index: Value, ty: Ty = F, lanes: int = 1) -> Reg:
        r = Reg("load", ty, lanes)
        self.add(Load(r, ptr, index))
        return r

    def store(self, ptr: Value, index: Value, value: Value) -> None:
        self.add(Store(ptr, index, value))

    def at_add(self, ptr: Value, index: Value, value: Value) -> None:
        self.add(AtAdd(ptr, index, value))

    def alloc(self, count: Value, ty: Ty = F, arena: str = "temp") -> Reg:
        r = Reg("alloc", P)
        self.add(Alloc(r, count, ty, arena))
        return r

    def acc_alloc(self, count: Value) -> tuple[Reg, Reg]:
        at, base = Reg("at", I), Reg("base", P)
        self.add(AccAlloc(at, count))
        self.add(AccBase(base))
        return at, base

    def mark(self) -> Reg:
        r = Reg("mark", P)
        self.add(Mark(r))
        return r

    def release(self, mark: Reg) -> None:
        self.add(Release(mark))

    def call(self, function: str, results: tuple[Ty, ...], *args: Value) -> tuple[Reg, ...]:
        dsts = tuple(Reg("r", t) for t in results)
        self.add(CallCode(dsts, function, args))
        return dsts

    def raise_if(
        self, cond: Value, kind: str, message: str, a: Value = NOUGHT, b: Value = NOUGHT,
        site: Site | None = None,
    ) -> None:  # fmt: skip
        self.add(RaiseIf(cond, kind, message, site, (a, b)))

    def region(self, *yields: Value) -> Region:
        return Region(tuple(self.instrs), yields)

    def loop(
        self, lo: Value, hi: Value, inits: tuple[Value, ...],
        body: Callable[[Code, Reg, tuple[Reg, ...]], tuple[Value, ...]],
        step: int = 1, lanes: int = 1,
    ) -> tuple[Reg, ...]:  # fmt: skip
        i = Reg("i", I)
        carried = tuple(Reg("c", v.ty, lanes) for v in inits)
        inner = Code()
        values = body(inner, i, carried)
        dsts = tuple(Reg("d", v.ty, lanes) for v in inits)
        self.add(ForCode(lo, hi, step, i, carried, inits, inner.region(*values), dsts))
        return dsts

    def branch(
        self, cond: Value, then: Callable[[Code], tuple[Value, ...]],
        orelse: Callable[[Code], tuple[Value, ...]],
    ) -> tuple[Reg, ...]:  # fmt: skip
        a, b = Code(), Code()
        yes, no = then(a), orelse(b)
        dsts = tuple(
            Reg("if", v.ty, max(x.lanes if isinstance(x, Reg) else 1 for x in (v, w)))
            for v, w in zip(yes, no)
        )
        self.add(IfCode(cond, a.region(*yes), b.region(*no), dsts))
        return dsts

    def repeat(
        self, inits: tuple[Value, ...], cond: Callable[[Code, tuple[Reg, ...]], Value],
        body: Callable[[Code, tuple[Reg, ...]], tuple[Value, ...]],
    ) -> tuple[Reg, ...]:  # fmt: skip
        carried = tuple(Reg("c", v.ty) for v in inits)
        c, b = Code(), Code()
        test = cond(c, carried)
        values = body(b, carried)
        dsts = tuple(Reg("d", v.ty) for v in inits)
        self.add(WhileCode(carried, inits, c.region(test), b.region(*values), dsts))
        return dsts


def params(*types: Ty) -> tuple[Reg, ...]:
    return tuple(Reg(f"p{k}", t) for k, t in enumerate(types))


def function(
    name: str, types: tuple[Ty, ...], body: Callable[..., tuple[Value, ...]],
) -> LoopFunction:  # fmt: skip
    """Return the function of ``body(code, *params) -> results``."""
    ps = params(*types)
    code = Code()
    results = body(code, *ps)
    return LoopFunction(name, ps, code.region(*results), tuple(r.ty for r in results))


def module(*functions: LoopFunction) -> Module:
    """Return a module whose main is the first function."""
    return Module({f.name: f for f in functions}, functions[0].name)


__all__ = ["LANES", "B", "Code", "F", "I", "P", "f64", "function", "i64", "module", "params"]
