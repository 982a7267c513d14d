"""Compile calls of the combinators (``pullback.combinators`` has their meaning in plain Python)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from pullback import combinators
from pullback.core.build import boolean
from pullback.core.terms import Atom, Lit, Loop, Var
from pullback.core.types import I64, Array, Real, Type
from pullback.errors import ArgumentTypeError, ArgumentValueError, TypesDoNotMeetError
from pullback.frontend.interpret.iteration import indexed
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.flatten import flatten, kind_of, rebuild
from pullback.frontend.kinds.join import generalise, join, widen
from pullback.frontend.kinds.kinds import ArrayK, Kind, ScalarK, leaf_types
from pullback.frontend.kinds.values import (
    ArrayV,
    Indexed,
    ListV,
    OperatorV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Unrolled,
    Value,
    ZipV,
    index_scalar,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.numpy.sequences import to_array
from pullback.frontend.library.text import checkpoints


def count_of(sp: Specialiser, n: Value, node: ast.AST) -> Atom:
    count = ext.int_atom(sp, n, node, "the size")
    message = "the size must not be negative"
    if isinstance(count, Lit) and int(count.value) < 0:
        sp.require(boolean(False), "ValueError", message, node)
    elif not ext.never_negative(sp, count):
        sp.require(sp.b.prim("ge", count, ext.ZERO), "ValueError", message, node)
    return count


def _gathered(sp: Specialiser, items: ListV, node: ast.AST) -> Value:
    """Return an array if the elements are numbers or arrays, else the list."""
    if not items.atoms or isinstance(items.elem, (ScalarK, ArrayK)):
        return to_array(sp, items, node, temporary=True)
    return items


@register(combinators.build)
def build(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    n, f = bind(sp, "pb.build", args, kwargs, node, n=MISSING, f=MISSING)
    count = count_of(sp, n, node)
    items = sp.sequence(count, lambda i: sp.call(f, (index_scalar(i),), node), node)
    return _gathered(sp, items, node)


@register(combinators.map)
def map_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if kwargs or len(args) < 2:
        reason = "pb.map needs a function and at least one sequence"
        sp.refuse(node, reason, error=ArgumentTypeError)
    f, *sequences = args
    lengths = [ext.int_atom(sp, sp.length(s, node), node, "a length") for s in sequences]
    for other in lengths[1:]:
        message = "pb.map: the arguments have different lengths"
        ext.check_equal(sp, lengths[0], other, message, node)
    items = sp.iterate(args[1] if len(args) == 2 else ZipV(tuple(sequences)), node)

    def apply(item: Value) -> Value:
        return sp.call(f, (item,) if len(args) == 2 else _items(item), node)

    if isinstance(items, Unrolled):
        results = TupleV(tuple(apply(item) for item in items.each), is_list=True)
        return to_array(sp, results, node) if _numeric(results) else results
    found = indexed(items)
    assert found is not None  # it has a length
    return _gathered(sp, sp.sequence(lengths[0], lambda i: apply(found.at(i)), node), node)


def _items(value: Value) -> tuple[Value, ...]:
    assert isinstance(value, TupleV)
    return value.items


def _numeric(items: TupleV) -> bool:
    return all(
        isinstance(v, (Scalar, ArrayV))
        or (isinstance(v, Static) and isinstance(v.value, (bool, int, float)))
        for v in items.items
    )


@register(combinators.fold)
def fold(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    op, init, xs = bind(sp, "pb.fold", args, kwargs, node, op=MISSING, init=MISSING, xs=MISSING)

    def step(state: Sequence[Value], item: Value) -> Sequence[Value]:
        return [sp.call(op, (state[0], item), node)]

    return sp.fold(sp.iterate(xs, node), [init], step, node)[0]


@register(combinators.loop)
def loop(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    n, step, state, kept = bind(
        sp, "pb.loop", args, kwargs, node, n=MISSING, step=MISSING, state=MISSING,
        checkpoint=Static(None),
    )  # fmt: skip
    if _by_root(sp, kept, "pb.loop", node):
        return run_program(sp, checkpoints.loop_by_root, (n, step, state), node)
    if not (isinstance(kept, Static) and kept.value is None):
        return run_program(sp, checkpoints.loop_in_blocks, (n, step, state, kept), node)

    def body(i: Atom, old: Sequence[Value]) -> Sequence[Value]:
        return [sp.call(step, (index_scalar(i), old[0]), node)]

    return sp.repeat(ext.int_atom(sp, n, node, "the count"), [state], body, node)[0]


@register(combinators.while_loop)
def while_loop(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    cond, step, state, kept = bind(
        sp, "pb.while_loop", args, kwargs, node, cond=MISSING, step=MISSING, state=MISSING,
        checkpoint=Static(None),
    )  # fmt: skip
    if not (isinstance(kept, Static) and kept.value is None):
        root = _by_root(sp, kept, "pb.while_loop", node)
        first, more = (Static(1), Static(1)) if root else (kept, Static(0))
        given = (cond, step, state, first, more)
        return run_program(sp, checkpoints.while_in_blocks, given, node)
    return sp.while_loop(
        [state],
        lambda old: sp.call(cond, (old[0],), node),
        lambda old: [sp.call(step, (old[0],), node)],
        node,
    )[0]


def _by_root(sp: Specialiser, kept: Value, name: str, node: ast.AST) -> bool:
    """Whether a loop is to keep as many states as the root of its rounds."""
    if isinstance(kept, Static) and isinstance(kept.value, str):
        if kept.value != "sqrt":
            sp.refuse(
                node, f"{name} with checkpoint={kept.value!r}", 'checkpoint="sqrt", or a number',
                ArgumentValueError,
            )  # fmt: skip
        return True
    return False


@register(combinators.checkpoint)
def checkpoint(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (f,) = bind(sp, "pb.checkpoint", args, kwargs, node, f=MISSING)
    return OperatorV("checkpoint", TupleV((f,)), ((),))


# --- scan ----------------------------------------------------------------------------------------


@register(combinators.scan)
def scan(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    op, init, xs = bind(sp, "pb.scan", args, kwargs, node, op=MISSING, init=MISSING, xs=MISSING)
    items = sp.iterate(xs, node)
    if isinstance(items, Unrolled):
        states: list[Value] = []
        for item in items.each:
            init = sp.call(op, (init, item), node)
            states.append(init)
        results = TupleV(tuple(states), is_list=True)
        return to_array(sp, results, node) if states and _numeric(results) else results
    found = indexed(items)
    if found is None:
        sp.refuse(node, "pb.scan over a filtered or nested iteration", "make a list of it first")
    return _gathered(sp, running(sp, op, init, found, node), node)


def running(
    sp: Specialiser, op: Value, init: Value, found: Indexed, node: ast.AST
) -> ListV:
    """Return the states of a fold, one after each item: a Loop that carries the state and emits
    it."""
    def as_kind(value: Value, kind: Kind) -> Value:
        return coerce(sp, value, kind, node)  # type: ignore[arg-type]  # the Specialiser is a Run

    kind = generalise(kind_of(init))
    while True:
        index = Var("i", I64)
        carried = tuple(Var("s", t) for t in leaf_types(kind))
        after: list[Kind] = []

        def body(
            kind: Kind = kind, carried: tuple[Var, ...] = carried, index: Var = index,
            after: list[Kind] = after,
        ) -> Sequence[Atom]:  # fmt: skip
            state = rebuild(kind, iter(carried))
            new = sp.call(op, (state, found.at(index)), node)
            joined = join(kind, generalise(kind_of(new)))
            if joined is None:
                reason = "the state changes its type from one step to the next"
                sp.refuse(node, reason, error=TypesDoNotMeetError)
            after.append(widen(kind, joined))
            if after[0] != kind:
                return ()
            atoms = flatten(as_kind(new, kind)).atoms
            return (*atoms, *atoms)

        block = sp.block(body)
        if after[0] == kind:
            break
        kind = after[0]
    inits = tuple(flatten(as_kind(init, kind)).atoms)
    types: tuple[Type, ...] = tuple(v.type for v in carried)
    emitted = tuple(Array(t, 1) for t in types)
    made = sp.b.let(Loop(found.length, index, carried, inits, block), (*types, *emitted))
    return ListV(found.length, kind, tuple(made[len(types) :]))


# --- stop_gradient -------------------------------------------------------------------------------


@register(combinators.stop_gradient)
def stop_gradient(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = bind(sp, "pb.stop_gradient", args, kwargs, node, x=MISSING)
    return _stopped(sp, x, node)


def _stopped(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    match value:
        case Scalar(atom, py, bits) if isinstance(atom.type, Real):
            return Scalar(sp.b.prim("stop_gradient", atom), py, bits)
        case Scalar() | Static():
            return value
        case ArrayV(atom):
            known = ext.extents(sp, value)
            return ext.note(sp, sp.view(sp.b.prim("stop_gradient", atom), value), known)
        case TupleV(items, is_list):
            stopped_items = tuple(_stopped(sp, v, node) for v in items)
            return TupleV(stopped_items, is_list, value.owners, False)
        case RecordV(cls, fields):
            inside = {k: _stopped(sp, v, node) for k, v in fields.items()}
            return RecordV(cls, inside, None, value.owners, False)
        case ListV(atoms=atoms):
            stopped = tuple(sp.b.prim("stop_gradient", a) for a in atoms)
            return replace(value, atoms=stopped, fresh=False, sole=False)
        case _:
            sp.refuse(node, f"pb.stop_gradient of {sp.describe(value)} is not supported")
