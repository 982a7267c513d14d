"""First-order Core to loop code.

    views      arrays as (pointers, start, extents, strides); places, loads, stores, bounds
    copies     fresh arrays, copies, reshape, stack
    lanes      Build and Sum_, as parallel loops, 8 iterations at a time where the body allows it
    index_sets loops divided where a comparison of their index changes its truth
    sequences  Loop and While
    branches   If, Case, Inject
    scalars    rows of the table
    accumulators, arenas, tape
    fast_paths one test of several cotangents
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import assert_never

from pullback.core.consumption import is_inside
from pullback.core.prims import VIEWS
from pullback.core.prims_fourier import FOURIER
from pullback.core.prims_linear import LINEAR
from pullback.core.prims_order import ORDER
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
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
    Loop,
    MakeTuple,
    Prim,
    Program,
    Project,
    Ruled,
    Sum_,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Update,
    Vjp,
    While,
)
from pullback.core.trails import Trail
from pullback.core.types import I64, Array, levels
from pullback.lower import accumulators, branches, lanes, sequential, tape
from pullback.lower.arenas import keep
from pullback.lower.callback_code import callback
from pullback.lower.chunks import chunked_loops
from pullback.lower.copies import (
    copy_view,
    interleave,
    reshape,
    row_of_its_own,
    stack,
    varies,
    with_rows,
)
from pullback.lower.escape import lasting_arrays
from pullback.lower.fast_paths import separate_fast_paths
from pullback.lower.filled import filled_arrays
from pullback.lower.fission import separate_neighbours
from pullback.lower.flushing import flushing_loops, in_own_function, passed_on, repeated
from pullback.lower.fold_code import fold
from pullback.lower.folds import folding_loops
from pullback.lower.forms import from_leaves, to_leaves, undefined
from pullback.lower.fourier_calls import fourier_prim
from pullback.lower.lapack_calls import linear_prim
from pullback.lower.layouts import Layouts, OtherWordsError
from pullback.lower.loopcode import CallCode, Imm, LoopFunction, Module, Reg, Region, Ty, Value
from pullback.lower.notes import PlanRow, plan_of, plan_text
from pullback.lower.order_calls import order_prim
from pullback.lower.own_memory import in_own_memory
from pullback.lower.scalars import require, scalar_prim, show
from pullback.lower.separate import Rounds, separate_loops
from pullback.lower.split import split_loops
from pullback.lower.stacks import stacks_of
from pullback.lower.state import Lowering, Unit
from pullback.lower.values import NotInLanes, Scalar, Val, View, has_temporaries, leaves
from pullback.lower.views import checked_indices, place_of, read, view_prim, write


def lower(
    program: Program, in_order: bool = False, texts: dict[str, str] | None = None,
    early: bool = False, rows: list[PlanRow] | None = None, own: int = 0,
) -> Module:  # fmt: skip
    """The loop code of a program in the dialects FLAT (without derivatives) or ACCUMULATING;
    ``in_order``: one iteration after the other. ``texts`` gets the "plan", ``rows`` its rows.
    ``early``: all errors are marked as such before which another one might have come. So many
    results, ``own``, may have memory of their own."""
    rounds = Rounds()
    program = separate_neighbours(split_loops(program), rounds)
    separate, folds = separate_loops(program), folding_loops(program)
    unit = Unit(
        program, Layouts.of(program), lasting_arrays(program), filled_arrays(program),
        separate, stacks_of(program), chunked_loops(program, separate), in_order=in_order,
        early=early, flushing=flushing_loops(program), repeated=repeated(program),
        passed_on=passed_on(program), folds=folds, own=own,
        rounds=rounds,
    )
    module = _module(unit)
    if texts is not None:
        texts["plan"] = plan_text(plan_of(program, unit.notes, separate, folds))
    if rows is not None:
        rows += plan_of(program, unit.notes, separate, folds)
    smaller = unit.layouts.found()
    if smaller.known:
        with suppress(OtherWordsError):
            return _module(replace(unit, layouts=smaller, functions={}, helpers={}))
    return module


def _module(unit: Unit) -> Module:
    for fn in unit.program.functions.values():
        unit.functions[fn.name] = _function(unit, fn)
    if unit.own:
        main = unit.program.functions[unit.program.main]
        made = in_own_memory(unit.functions[main.name], main.results[: unit.own])
        unit.functions[main.name] = made
    return separate_fast_paths(Module(unit.functions, unit.program.main, unit.places))


def _function(unit: Unit, fn: Function) -> LoopFunction:
    lo = Lowering(unit, _block, fn.name in unit.repeated)
    params: list[Reg] = []
    for x in fn.params:
        own = [Reg(x.name, ty) for ty in leaves(x.type)]
        params += own
        lo.env[x] = from_leaves(lo, x.type, list(own))
    values = [v for x in lo.block(fn.body) for v in to_leaves(lo, x)]
    results = tuple(ty for t in fn.results for ty in leaves(t))
    body = Region((*lo.prelude, *lo.code), tuple(values))
    return LoopFunction(fn.name, tuple(params), body, results)


def _block(lo: Lowering, block: Block) -> list[Val]:
    around = lo.here
    for let in block.lets:
        lo.here = let.site if isinstance(let.site, Trail) else around
        if lo.known and not lo.known.keys().isdisjoint(let.vars):
            (test,) = let.vars
            lo.env[test] = Scalar(test.type, Imm(lo.known[test], Ty.I1))
            continue
        results = _op(lo, let)
        lo.env.update(zip(let.vars, results, strict=True))
    lo.here = around
    return [lo.atom(a) for a in block.results]


def _op(lo: Lowering, let: Let) -> list[Val]:
    op = let.op
    match op:
        case Prim():
            out = _prim(lo, op, let)
            stay = lo.lane is None and lo.unit.arena_of(let.vars) == "residual"
            return keep(lo, out) if stay else out
        case Inject():
            return [branches.inject(lo, op)]
        case Case():
            return branches.case(lo, op)
        case If():
            return branches.if_(lo, op)
        case Call():
            return _call(lo, op, let)
        case Build():
            return lanes.build(lo, op, let.vars)
        case Sum_():
            return lanes.sum_(lo, op, let.vars)
        case Loop() if op in lo.unit.separate and lo.lane is None:
            return lanes.separate(lo, op, lo.unit.separate[op], let.vars)
        case Loop() if op in lo.unit.folds and lo.lane is None:
            return fold(lo, op, lo.unit.folds[op], let.vars)
        case Loop() if op in lo.unit.flushing and lo.lane is None:
            return in_own_function(lo, op, let.vars)
        case Loop():
            return sequential.loop(lo, op, let.vars)
        case While():
            return sequential.while_(lo, op, let.vars)
        case Index():
            return [_index(lo, op, let)]
        case Update():
            return [_update(lo, op, let)]
        case AccNew():
            return [accumulators.new(lo, op)]
        case AccAdd():
            accumulators.add(lo, op)
            return []
        case AccRead():
            return [accumulators.read(lo, op)]
        case AccTake():
            return [accumulators.take(lo, op)]
        case TapeRoom():
            return [tape.room(lo, op)]
        case TapePush():
            return tape.push(lo, op)
        case TapeWrite():
            tape.write(lo, op)
            return []
        case TapeRead():
            return tape.read(lo)
        case MakeTuple() | Project() | Vjp() | Jvp() | Ruled():
            raise TypeError(f"{type(op).__name__} in a flat program")
        case _:
            assert_never(op)


def _prim(lo: Lowering, op: Prim, let: Let) -> list[Val]:
    if op.name in VIEWS:
        return [view_prim(lo, op)]
    match op.name:
        case "require" | "require.early":
            require(lo, op, let.site)
            return []
        case "show":
            return show(lo, op)
        case "dim":
            (axis,) = op.static
            assert isinstance(axis, int)
            return [Scalar(I64, lo.view(op.args[0]).extents[axis], natural=True)]
        case "reshape":
            return [reshape(lo, op)]
        case "stack" if op.args[0] in lo.unit.stacks:
            return [lo.view(op.args[0])]  # the rows were stored there
        case "stack":
            return [stack(lo, op, let.site)]
        case "copy":
            stay = "temp" if lo.lane else lo.unit.arena_of(let.vars)
            if stay == "residual" and isinstance(t := let.vars[0].type, Array):
                stay = "temp" if has_temporaries(t.elem) else stay  # and kept with its rows
            return [copy_view(lo, lo.view(op.args[0]), "residual" if op.static else stay)]
        case "stop_gradient":
            return [lo.atom(op.args[0])]
        case "undefined":
            return [undefined(let.vars[0].type)]
        case "address":
            return [Scalar(I64, lo.address(lo.uniform(lo.scalar(op.args[0]))))]
        case "callback" | "sparse_solve":
            return [callback(lo, op, let.site)]
        case name if name in LINEAR.rows:
            return [linear_prim(lo, op, let.site)]
        case name if name in FOURIER.rows:
            return [fourier_prim(lo, op)]
        case name if name in ORDER.rows:
            return [order_prim(lo, op)]
        case _:
            return [scalar_prim(lo, op, let.vars[0].type, let.site)]


def _index(lo: Lowering, op: Index, let: Let) -> Val:
    v = lo.view(op.array)
    indices = [lo.scalar(i) for i in op.indices]
    if op.checked:
        indices = checked_indices(lo, v, indices, let.site)
    return read(lo, v, place_of(lo, v, indices))


def _update(lo: Lowering, op: Update, let: Let) -> View:
    v = lo.view(op.array)
    indices = [lo.scalar(i) for i in op.indices]
    if is_inside(op):
        return _update_inside(lo, op, v, indices)
    if op.checked:
        indices = checked_indices(lo, v, indices, let.site)
    (value,) = keep(lo, [lo.atom(op.value)])
    if lo.lane and v.lanes == 1 and v.item is None and (
        lo.lane.mask or varies(v) or varies(value) or any(map(varies, indices))
    ):
        v = with_rows(lo, v) if isinstance(value.type, Array) else interleave(lo, v)
    if v.item is not None:
        value = row_of_its_own(lo, value)
    write(lo, v, place_of(lo, v, indices), value)
    return v


def _update_inside(lo: Lowering, op: Update, v: View, indices: list[Scalar]) -> View:
    """Update an element inside of an element, in the memory of the inner array, which nobody
    shares."""
    (value,) = keep(lo, [lo.atom(op.value)])
    if lo.lane:  # its rows belong to all lanes
        raise NotInLanes("it updates rows of an array of arrays")
    row: Val = v
    *outer, last = levels(op.array.type, indices)
    for some in outer:
        assert isinstance(row, View)
        row = read(lo, row, place_of(lo, row, list(some)))
    assert isinstance(row, View)
    write(lo, row, place_of(lo, row, list(last)), value)
    return v


def _call(lo: Lowering, op: Call, let: Let) -> list[Val]:
    if lo.lane:
        raise NotInLanes("it calls a function")
    args = [x for a in op.args for x in to_leaves(lo, lo.atom(a))]
    dsts = [Reg(v.name, ty) for v in let.vars for ty in leaves(v.type)]
    lo.emit(CallCode(tuple(dsts), op.function, tuple(args)))
    rest: list[Value] = list(dsts)
    return [from_leaves(lo, v.type, rest) for v in let.vars]
