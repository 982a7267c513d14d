"""The evaluator (``eval.py``) that stops where the first NaN or infinity arises.

A NaN arises where no operand is one, an infinity where all operands are finite: an infinity that
the program has written itself (``best = math.inf``) is none that arises.

>>> from pullback.core.build import Builder, f64
>>> from pullback.core.terms import Function, Var
>>> from pullback.core.types import F64
>>> x, b = Var("x", F64), Builder()
>>> y = b.prim("add", b.prim("mul", x, f64(2.0)), f64(1.0))
>>> program = Program({"f": Function("f", (x,), b.block((y,)), (F64,))}, {}, "f")
>>> try:
...     evaluate_finite(program, [1e308])
... except NonFinite as found:
...     found.let.op.name, found.operands, found.result
('mul', (1e+308, 2.0), inf)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pullback.core.recursion import with_large_stack
from pullback.core.terms import Block, Let, Program, atoms, sub_blocks
from pullback.core.translate import Machine, Translator, place
from pullback.core.translate_state import Frame, Step
from pullback.core.types import Array, Real, Type
from pullback.core.values import to_value


class NonFinite(Exception):
    """Raised where the first NaN or infinity arises: the let, its operands and its result."""

    def __init__(self, let: Let, operands: tuple[object, ...], result: object) -> None:
        super().__init__(let)
        self.let, self.operands, self.result = let, operands, result


def evaluate_finite(
    program: Program, args: Sequence[object]
) -> tuple[tuple[object, ...], int]:
    """Return the results of ``main`` on these arguments, and the cost. Raise NonFinite instead if
    a NaN or infinity arises."""
    fn = program.functions[program.main]
    values = [to_value(p.type, a, program.decls) for p, a in zip(fn.params, args, strict=True)]
    machine = _Machine(program)
    return with_large_stack(lambda: machine.call(program.main, values)), machine.cost


class _Machine(Machine):
    @property
    def translator(self) -> type[Translator]:
        return _Translator


class _Translator(Translator):
    """The translation whose blocks look at the results of all operations on reals."""

    def block(self, b: Block) -> tuple[Step, list[int]]:
        m = self.m
        rows = []
        for x in b.lets:
            step = self.let(x)
            leaf = not any(True for _ in sub_blocks(x.op))
            reals = [v for v in x.vars if _is_real(v.type)] if leaf else []
            rows.append((step, x, self.all(reals), self.all(atoms(x.op)) if reals else []))

        def run(f: Frame) -> None:
            for step, let, results, operands in rows:
                m.cost += 1
                try:
                    step(f)
                except NonFinite:
                    raise
                except Exception as e:
                    place(e, let.site)
                    raise
                for k in results:
                    if arises(f[k], [f[i] for i in operands]):
                        raise NonFinite(let, tuple(f[i] for i in operands), f[k])

        return run, self.all(b.results)


def _is_real(t: Type) -> bool:
    return isinstance(t, Real) or (isinstance(t, Array) and isinstance(t.elem, Real))


def arises(result: object, operands: Sequence[object]) -> bool:
    """Return whether a NaN or infinity is new in a result."""
    if is_finite(result):
        return False
    if np.isnan(result).any():  # type: ignore[call-overload]  # it is a number or an array
        return not any(_has_nan(x) for x in operands)
    return all(map(is_finite, operands))


def is_finite(value: object) -> bool:
    """Return whether there is no NaN and no infinity in a number or an array of numbers."""
    if isinstance(value, (float, np.floating)):
        return bool(np.isfinite(value))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return bool(np.isfinite(value).all())
    return True


def _has_nan(value: object) -> bool:
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and bool(np.isnan(value).any())


__all__ = ["NonFinite", "arises", "evaluate_finite", "is_finite"]
