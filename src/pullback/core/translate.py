"""Core functions as chains of Python closures: how the evaluator (``eval.py``) runs them.

A function is translated once, when it is first called; evaluating is then a chain of calls on a
frame (a list with a slot per variable and literal) without any dispatch."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import product
from typing import assert_never, cast

import numpy as np

from pullback.core.held import PLACE
from pullback.core.prims import TABLE, Row
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Index,
    Inject,
    Jvp,
    Let,
    Lit,
    Loop,
    MakeTuple,
    Op,
    Prim,
    Program,
    Project,
    Ruled,
    Site,
    Sum_,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Update,
    Var,
    Vjp,
    While,
    out_of_range,
)
from pullback.core.translate_state import (
    Frame,
    Step,
    Tape,
    accumulator_step,
    in_range,
    tape_step,
)
from pullback.core.types import F64, Array, Bool, Int, Type, levels
from pullback.core.values import (
    NDArray,
    Node,
    boxer,
    make_array,
)

# Their types are those of the arguments: frames hold objects.
_item: Callable[..., object] = np.ndarray.item
_getitem: Callable[..., object] = operator.getitem
_setitem: Callable[..., None] = operator.setitem


class Code:
    """A translated function."""

    def __init__(self) -> None:
        self.template: Frame = []
        self.run: Step = _nothing
        self.results: list[int] = []


def _nothing(f: Frame) -> None:
    return None


def place(e: Exception, site: Site | None) -> None:
    """Write into an exception where it was raised, unless it was written at a let inside."""
    if site is not None and PLACE not in vars(e):
        vars(e)[PLACE] = site
        if isinstance(e, IndexError) and site.of:
            e.args = (out_of_range(site, ""),)


class Machine:
    """The translated functions (each when first called), the tape and the cost so far."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.codes: dict[str, Code] = {}
        self.begin()

    @property
    def translator(self) -> type[Translator]:
        """What translates its functions."""
        return Translator

    def begin(self) -> None:
        """Start again, with an empty tape."""
        self.cost = 0
        self.tape = Tape()

    def code(self, name: str) -> Code:
        if name not in self.codes:
            self.codes[name] = code = Code()
            self.translator(self, code).function(self.program.functions[name])
        return self.codes[name]

    def call(self, name: str, args: Sequence[object]) -> tuple[object, ...]:
        code = self.codes.get(name) or self.code(name)
        f = code.template.copy()
        f[: len(args)] = args
        code.run(f)
        return tuple([f[i] for i in code.results])


class Translator:
    """One function to closures. The parameters have the first slots of its frames."""

    def __init__(self, machine: Machine, code: Code) -> None:
        self.m = machine
        self.template = code.template
        self.code = code
        self.slots: dict[Var, int] = {}
        self.literals: dict[tuple[Type, str], int] = {}

    def function(self, fn: Function) -> None:
        for p in fn.params:
            self.bind(p)
        self.code.run, self.code.results = self.block(fn.body)

    def bind(self, v: Var) -> int:
        self.slots[v] = len(self.template)
        self.template.append(None)
        return self.slots[v]

    def binds(self, vs: Sequence[Var]) -> list[int]:
        return [self.bind(v) for v in vs]

    def slot(self, a: Atom) -> int:
        match a:
            case Var():
                return self.slots[a]
            case Lit(value, t):
                key = (t, repr(value))
                if key not in self.literals:
                    self.literals[key] = len(self.template)
                    self.template.append(boxer(t)(value))
                return self.literals[key]
            case _:
                assert_never(a)

    def all(self, xs: Sequence[Atom]) -> list[int]:
        return [self.slot(x) for x in xs]

    def block(self, b: Block) -> tuple[Step, list[int]]:
        m, n = self.m, len(b.lets)
        steps: list[Step] = []
        sites: dict[Step, Site | None] = {}
        for x in b.lets:
            step = self.let(x)
            steps.append(step)
            sites[step] = x.site

        def run(f: Frame) -> None:
            m.cost += n
            step: Step = _nothing
            try:
                for step in steps:
                    step(f)
            except Exception as e:
                place(e, sites.get(step))
                raise

        return run, self.all(b.results)

    def let(self, x: Let) -> Step:
        # The op first: its own results are not in scope inside it.
        return self.op(x.op, x.vars)

    def op(self, op: Op, out: tuple[Var, ...]) -> Step:
        match op:
            case Prim():
                return self.prim(op, out)
            case MakeTuple(_, items):
                return self.gather(tuple, items, out)
            case Project(a, i):
                return self.project(a, i, out)
            case Inject(_, tag, fields):
                return self.gather(lambda values: Node(tag, values), fields, out)
            case If(c, then, orelse):
                return self.branch(c, then, orelse, out)
            case Case():
                return self.case(op, out)
            case Call(function, args):
                return self.call(function, args, out)
            case Build(extents, indices, body):
                return self.build(extents, indices, body, out)
            case Sum_(extents, indices, body):
                return self.sum(extents, indices, body, out)
            case Loop():
                return self.loop(op, out)
            case While():
                return self.while_(op, out)
            case Index():
                return self.index(op, out)
            case Update():
                return self.update(op, out)
            case AccNew() | AccAdd() | AccRead() | AccTake():
                return accumulator_step(self, op, out)
            case TapeRoom() | TapePush() | TapeWrite() | TapeRead():
                return tape_step(self, op, out)
            case Vjp() | Jvp() | Ruled():
                raise NotImplementedError("derivative terms are evaluated after ad")
            case _:
                assert_never(op)

    # --- primitives and data ----------------------------------------------------------------------

    def prim(self, op: Prim, out: tuple[Var, ...]) -> Step:
        row, static, m = TABLE[op.name], op.static, self.m
        call = row.numpy
        args = self.all(op.args)
        if not out:
            def effect(f: Frame) -> None:
                call(*[f[a] for a in args], *static)

            return effect
        box = boxer(out[0].type)
        dst = self.bind(out[0])
        if row.cost != "one":
            def sized(f: Frame) -> None:
                a = cast(NDArray, call(*[f[a] for a in args], *static))
                m.cost += _whole_cost(row, f[args[0]], a)
                f[dst] = a

            return sized
        if len(args) == 1 and not static:
            (x,) = args

            def unary(f: Frame) -> None:
                f[dst] = box(call(f[x]))

            return unary
        if len(args) == 2 and not static:
            x, y = args

            def binary(f: Frame) -> None:
                f[dst] = box(call(f[x], f[y]))

            return binary

        def general(f: Frame) -> None:
            f[dst] = box(call(*[f[a] for a in args], *static))

        return general

    def gather(
        self, make: Callable[[list[object]], object], items: Sequence[Atom], out: tuple[Var, ...]
    ) -> Step:
        slots, dst = self.all(items), self.bind(out[0])

        def step(f: Frame) -> None:
            f[dst] = make([f[i] for i in slots])

        return step

    def project(self, a: Atom, i: int, out: tuple[Var, ...]) -> Step:
        src, dst = self.slot(a), self.bind(out[0])

        def step(f: Frame) -> None:
            f[dst] = _getitem(f[src], i)

        return step

    # --- control ----------------------------------------------------------------------------------

    def branch(self, c: Atom, then: Block, orelse: Block, out: tuple[Var, ...]) -> Step:
        cond = self.slot(c)
        yes, yes_results = self.block(then)
        no, no_results = self.block(orelse)
        dsts = self.binds(out)

        def step(f: Frame) -> None:
            run, results = (yes, yes_results) if f[cond] else (no, no_results)
            run(f)
            for d, r in zip(dsts, results):
                f[d] = f[r]

        return step

    def case(self, op: Case, out: tuple[Var, ...]) -> Step:
        scrutinee = self.slot(op.scrutinee)
        arms = [(self.binds(arm.fields), *self.block(arm.body)) for arm in op.arms]
        dsts = self.binds(out)
        number = isinstance(op.scrutinee.type, Int)

        def step(f: Frame) -> None:
            node = Node(cast(int, f[scrutinee])) if number else cast(Node, f[scrutinee])
            fields, run, results = arms[node.tag]
            for d, v in zip(fields, node.fields):
                f[d] = v
            run(f)
            for d, r in zip(dsts, results):
                f[d] = f[r]

        return step

    def call(self, function: str, args: Sequence[Atom], out: tuple[Var, ...]) -> Step:
        slots, dsts, m = self.all(args), self.binds(out), self.m

        def step(f: Frame) -> None:
            for d, v in zip(dsts, m.call(function, [f[a] for a in slots])):
                f[d] = v

        return step

    # --- loops ------------------------------------------------------------------------------------

    def build(
        self, extents: Sequence[Atom], indices: Sequence[Var], body: Block, out: tuple[Var, ...]
    ) -> Step:
        ns, ixs, m = self.all(extents), self.binds(indices), self.m
        run, results = self.block(body)
        dsts = [(self.bind(v), cast(Array, v.type).elem) for v in out]

        def step(f: Frame) -> None:
            shape = tuple([max(0, cast(int, f[n])) for n in ns])
            columns: list[list[object]] = [[] for _ in results]
            for point in product(*map(range, shape)):
                m.cost += 1
                for i, k in zip(ixs, point):
                    f[i] = k
                run(f)
                for column, r in zip(columns, results):
                    column.append(f[r])
            for (d, elem), column in zip(dsts, columns):
                f[d] = make_array(elem, column, shape)

        return step

    def sum(
        self, extents: Sequence[Atom], indices: Sequence[Var], body: Block, out: tuple[Var, ...]
    ) -> Step:
        ns, ixs, m = self.all(extents), self.binds(indices), self.m
        run, results = self.block(body)
        dsts = [(self.bind(v), boxer(v.type)) for v in out]

        def step(f: Frame) -> None:
            totals = [box(0) for _, box in dsts]
            for point in product(*[range(cast(int, f[n])) for n in ns]):
                m.cost += 1
                for i, k in zip(ixs, point):
                    f[i] = k
                run(f)
                for j, r in enumerate(results):
                    totals[j] = operator.add(totals[j], f[r])
            for (d, box), total in zip(dsts, totals):
                f[d] = box(total)

        return step

    def loop(self, op: Loop, out: tuple[Var, ...]) -> Step:
        n, inits, m = self.slot(op.count), self.all(op.inits), self.m
        index, carried = self.bind(op.index), self.binds(op.carried)
        run, results = self.block(op.body)
        k = len(carried)
        dsts = self.binds(out)
        elems = [cast(Array, v.type).elem for v in out[k:]]

        def step(f: Frame) -> None:
            columns: list[list[object]] = [[] for _ in elems]
            state = [f[i] for i in inits]
            for i in range(cast(int, f[n])):
                m.cost += 1
                f[index] = i
                for c, v in zip(carried, state):
                    f[c] = v
                run(f)
                state = [f[r] for r in results]
                for column, v in zip(columns, state[k:]):
                    column.append(v)
            for d, v in zip(dsts, state[:k]):
                f[d] = v
            for d, elem, column in zip(dsts[k:], elems, columns):
                f[d] = make_array(elem, column, (len(column),))

        return step

    def while_(self, op: While, out: tuple[Var, ...]) -> Step:
        inits, carried, m = self.all(op.inits), self.binds(op.carried), self.m
        test, (answer,) = self.block(op.cond)
        run, results = self.block(op.body)
        k = len(carried)
        dsts = self.binds(out)
        elems = [cast(Array, v.type).elem for v in out[k:]]

        def step(f: Frame) -> None:
            columns: list[list[object]] = [[] for _ in elems]
            state = [f[i] for i in inits]
            while True:
                for c, v in zip(carried, state):
                    f[c] = v
                m.cost += 1
                test(f)
                if not f[answer]:
                    break
                run(f)
                state = [f[r] for r in results]
                for column, v in zip(columns, state[k:]):
                    column.append(v)
            for d, v in zip(dsts, state[:k]):
                f[d] = v
            for d, elem, column in zip(dsts[k:], elems, columns):
                f[d] = make_array(elem, column, (len(column),))

        return step

    # --- arrays ----------------------------------------------------------------------------------

    def index(self, op: Index, out: tuple[Var, ...]) -> Step:
        a, idx, checked = self.slot(op.array), self.all(op.indices), op.checked
        dst, t = self.bind(out[0]), out[0].type
        item = isinstance(t, (Int, Bool)) or t == F64  # as a Python scalar

        def step(f: Frame) -> None:
            point = tuple([f[i] for i in idx])
            if not checked:
                in_range(cast(NDArray, f[a]), point)
            if item:
                f[dst] = _item(f[a], *point)
            else:
                f[dst] = _getitem(f[a], point)

        return step

    def update(self, op: Update, out: tuple[Var, ...]) -> Step:
        a, idx, v, checked = (
            self.slot(op.array), self.all(op.indices), self.slot(op.value), op.checked,
        )
        dst = self.bind(out[0])
        *outer, last = levels(op.array.type, idx)

        def step(f: Frame) -> None:
            row = f[a]
            for some in outer:
                point = tuple([f[i] for i in some])
                in_range(cast(NDArray, row), point)
                row = _getitem(row, point)
            point = tuple([f[i] for i in last])
            if not checked:
                in_range(cast(NDArray, row), point)
            _setitem(row, point, f[v])
            f[dst] = f[a]

        return step


def _whole_cost(row: Row, first: object, out: NDArray) -> int:
    """The steps of a row on whole arrays. "cubic": the multiplications of a product, or of a
    factorisation of the first matrix and its use for every column of the result."""
    if row.cost == "size":
        return int(out.size)
    if row.cost == "transform":
        return int(out.size * max(out.shape[-1], 2).bit_length())
    a, columns = cast(NDArray, first), out.shape[-1] if out.ndim == 2 else 1
    return int(a.size * (columns if row.name == "product" else len(a) + columns))
