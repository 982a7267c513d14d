"""The evaluator (``eval.py``) with a count for each let: its steps, how often it ran, and the bytes
of new memory that its results have.

The steps of a let are its own: those of the lets inside of it, or of a function that it calls, are
theirs. So the sum over all lets is the cost of the run.

>>> from pullback.core.build import Builder
>>> from pullback.core.terms import Function, Var
>>> from pullback.core.types import F64
>>> x, b = Var("x", F64), Builder()
>>> y = b.prim("mul", b.prim("sin", x), x)
>>> counts = Counts()
>>> program = Program({"f": Function("f", (x,), b.block((y,)), (F64,))}, {}, "f")
>>> counts.evaluate(program, [0.0]), sorted(counts.steps.values())
(((0.0,), 2), [1, 1])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import inf

import numpy as np

from pullback.core.recursion import with_large_stack
from pullback.core.terms import AccNew, Block, Let, Program
from pullback.core.translate import Machine, Translator, place
from pullback.core.translate_state import Frame, Step
from pullback.core.types import Array, Handle, Type
from pullback.core.values import NDArray, Node, to_value


class TooLong(Exception):
    """Raised where a run takes more steps than it may."""


class Counts:
    """The counts of one run or of several. ``measured``: the lets whose memory is measured;
    ``most``: how many steps a run may take, or it raises TooLong."""

    def __init__(self, measured: Collection[Let] = (), most: float = inf) -> None:
        self.measured, self.most = frozenset(measured), most
        self.steps: Counter[Let] = Counter()
        self.runs: Counter[Let] = Counter()
        self.bytes: Counter[Let] = Counter()

    def evaluate(
        self, program: Program, args: Sequence[object]
    ) -> tuple[tuple[object, ...], int]:
        """Return the results of ``main`` on these arguments, and the cost."""
        fn = program.functions[program.main]
        values = [to_value(p.type, a, program.decls) for p, a in zip(fn.params, args, strict=True)]
        machine = CountingMachine(program, self, Memory(values))
        results = with_large_stack(lambda: machine.call(program.main, values))
        return results, machine.cost


class Memory:
    """The arrays and nodes that were met so far, those of the arguments first."""

    def __init__(self, known: Iterable[object]) -> None:
        self.met: dict[int, object] = {}
        for value in known:
            self.new(value)

    def new(self, value: object) -> int:
        """Return the bytes of a value that were not met before."""
        total, todo = 0, [value]
        while todo:
            x = todo.pop()
            if isinstance(x, np.ndarray):
                x = _whole(x)
            if not isinstance(x, (np.ndarray, Node)) or id(x) in self.met:
                continue
            self.met[id(x)] = x
            if isinstance(x, Node):
                total += 8 + 8 * len(x.fields)
                todo += x.fields
            else:
                total += x.nbytes
                todo += x.ravel().tolist() if x.dtype == np.object_ else ()
        return total


def _whole(a: NDArray) -> NDArray:
    """Return the array whose memory a view shows."""
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a


class CountingMachine(Machine):
    """A machine that tells each step which let it belongs to. ``owner``: the let that runs."""

    def __init__(self, program: Program, counts: Counts, memory: Memory) -> None:
        self.counts, self.memory = counts, memory
        self.owner: Let | None = None
        self.given = 0
        super().__init__(program)

    @property
    def translator(self) -> type[Translator]:
        return CountingTranslator

    def settle(self) -> None:
        """Give the steps that nobody has yet to the let that runs."""
        if self.owner is not None:
            self.counts.steps[self.owner] += self.cost - self.given
        self.given = self.cost
        if self.cost > self.counts.most:
            raise TooLong


class CountingTranslator(Translator):
    """The translation whose blocks count."""

    def block(self, b: Block) -> tuple[Step, list[int]]:
        m = self.m
        assert isinstance(m, CountingMachine)
        counts = m.counts
        pairs = [(self.let(x), x) for x in b.lets]
        slots = {x: self.all([v for v in x.vars if not _is_handle(v.type)])
                 for x in b.lets if x in counts.measured}  # fmt: skip
        cells = {x: self.all(x.vars) for x in b.lets if isinstance(x.op, AccNew)}

        def run(f: Frame) -> None:
            m.settle()
            around = m.owner
            for step, let in pairs:
                m.owner = let
                m.cost += 1
                counts.runs[let] += 1
                try:
                    step(f)
                except Exception as e:
                    place(e, let.site)
                    raise
                m.settle()
                if let in cells:  # accumulators are no values
                    m.memory.new(f[cells[let][0]])
                if let in slots:
                    counts.bytes[let] += sum(m.memory.new(f[k]) for k in slots[let])
            m.owner = around

        return run, self.all(b.results)


def _is_handle(t: Type) -> bool:
    return isinstance(t, Handle) or (isinstance(t, Array) and _is_handle(t.elem))


__all__ = ["Counts", "Memory", "TooLong"]
