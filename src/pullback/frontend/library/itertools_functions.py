"""Compile ``functools.reduce`` and the functions of ``itertools``.

An iteration of known length is unrolled; any other one is asked for its items by position. Into
memory go those that Python keeps too, and those of an iteration that is gone through only once."""

from __future__ import annotations

import ast
import functools
import itertools
import operator
from collections.abc import Sequence

from pullback.core.build import i64, lit
from pullback.core.terms import Atom
from pullback.core.types import BOOL
from pullback.errors import ArgumentTypeError, StaticValueError
from pullback.frontend.functions.generator_ends import item as called
from pullback.frontend.interpret import spreading
from pullback.frontend.interpret.iteration import (
    ENDLESS,
    as_run,
    collect,
    has_no_end,
    indexed,
    is_driven,
    iterator,
    known,
    mapped,
    once,
)
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.join import generalise
from pullback.frontend.kinds.undefined import dummy
from pullback.frontend.kinds.values import (
    ArrayV,
    EnumerateV,
    Indexed,
    Items,
    ListV,
    RangeV,
    ReversedV,
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
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, is_none
from pullback.frontend.library.combinators import running
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import iterators, selections
from pullback.frontend.memory.long_tuples import as_class
from pullback.frontend.run import Run

MOST_UNROLLED = 256


def plain_items(sp: Specialiser, value: Value, node: ast.AST) -> Unrolled | Indexed:
    """Return items that are known, or can be asked for by their position; others are put into a
    list."""
    items = sp.iterate(value, node)
    if isinstance(items, Unrolled):
        return items
    found = indexed(items)
    return _listed(sp, collect(as_run(sp), items, node), node) if found is None else found


def indexed_items(sp: Specialiser, value: Value | Unrolled | Indexed, node: ast.AST) -> Indexed:
    items = value if isinstance(value, (Unrolled, Indexed)) else plain_items(sp, value, node)
    return items if isinstance(items, Indexed) else _listed(sp, TupleV(items.items), node)


def _listed(sp: Specialiser, value: Value, node: ast.AST) -> Indexed:
    found = indexed(sp.iterate(sp.to_list(value, node), node))
    assert found is not None
    return found


# --- folds ----------------------------------------------------------------------------------------


@register(functools.reduce)
def reduce(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    function, values, first = bind(
        sp, "reduce", args, kwargs, node, function=MISSING, iterable=MISSING, initial=MISSING_OK
    )
    empty = "reduce() of empty iterable with no initial value"
    if first is MISSING_OK and is_driven(values):
        return run_program(sp, iterators.reduce, (function, values), node)
    if first is MISSING_OK:
        items = plain_items(sp, values, node)
        if isinstance(items, Unrolled):
            if not items.each:
                sp.refuse(node, empty, error=ArgumentTypeError)
            first, rest = items.each[0], items.each[1:]
            return _fold(sp, function, first, Unrolled(rest), node)
        some = sp.b.prim("gt", items.length, ext.ZERO)
        sp.require(some, "TypeError", empty, node)
        found = items
        tail = Indexed(
            ext.sub(sp, items.length, ext.ONE), lambda i: found.at(sp.b.prim("add", i, ext.ONE))
        )
        return _fold(sp, function, items.at(ext.ZERO), tail, node)
    return _fold(sp, function, first, sp.iterate(values, node), node)


MISSING_OK = Static("<no initial value>")


def _fold(sp: Specialiser, f: Value, init: Value, items: Items, node: ast.AST) -> Value:
    if isinstance(items, Unrolled):
        for item in items.each:
            init = sp.call(f, (init, item), node)
        return init
    return sp.fold(
        items, [init], lambda state, item: [sp.call(f, (state[0], item), node)], node
    )[0]


@register(itertools.accumulate)
def accumulate(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    values, f, first = bind(
        sp, "accumulate", args, kwargs, node, iterable=MISSING, func=NONE, initial=NONE
    )
    if is_driven(values) and is_none(first):
        return run_program(sp, iterators.accumulate, (values, f), node)
    if is_driven(values):
        return run_program(sp, iterators.accumulate_from, (values, f, first), node)
    f = Static(operator.add) if is_none(f) else f
    items = plain_items(sp, values, node)
    if isinstance(items, Unrolled):
        given = items.items if is_none(first) else (first, *items.items)
        out = list(given[:1])
        for item in given[1:]:
            out.append(sp.call(f, (out[-1], item), node))
        return TupleV(tuple(out), is_list=True)
    if has_no_end(items):
        return run_program(sp, iterators.accumulate_any, (values, f, first), node)
    found = items
    if is_none(first):
        # The first state is the first item: an empty iteration has neither.
        some = sp.b.prim("gt", items.length, ext.ZERO)
        start = sp.branch(some, lambda: found.at(ext.ZERO), lambda: _like(sp, found, node), node)
        rest = sp.b.prim("max", ext.sub(sp, items.length, ext.ONE), ext.ZERO)
        count = items.length
        tail = Indexed(rest, lambda i: found.at(sp.b.prim("add", i, ext.ONE)))
    else:
        start, tail = first, items
        count = ext.add(sp, items.length, ext.ONE)
    states = running(sp, f, start, tail, node)

    def at(i: Atom) -> Value:
        return sp.branch(
            sp.b.prim("eq", i, ext.ZERO),
            lambda: start,
            lambda: sp.element(states, sp.b.prim("sub", i, ext.ONE), node, checked=False),
            node,
        )

    return iterator(Indexed(count, at), node)


def _like(sp: Specialiser, items: Indexed, node: ast.AST) -> Value:
    """Return a value of the kind of the items, in case there are none."""
    assert isinstance(sp, Run)
    kinds = []

    def probe() -> Sequence[Atom]:
        kinds.append(generalise(sp.kind(items.at(ext.ZERO), node)))
        return ()

    sp.block(probe)
    return dummy(sp, kinds[0])


# --- selections -----------------------------------------------------------------------------------


@register(filter)
def filter_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, values = bind(sp, "filter", args, kwargs, node, function=MISSING, iterable=MISSING)
    return _filtered(sp, f, values, True, node)


@register(itertools.filterfalse)
def filterfalse(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, values = bind(sp, "filterfalse", args, kwargs, node, predicate=MISSING, iterable=MISSING)
    return _filtered(sp, f, values, False, node)


def _filtered(
    sp: Specialiser, f: Value, values: Value, wanted: bool, node: ast.AST
) -> Value:
    items = indexed_items(sp, values, node)

    def keep(i: Atom) -> Atom:
        item = items.at(i)
        truth = sp.truth(item if is_none(f) else called(as_run(sp), f, (item,), node), node)
        atom = lit(truth, BOOL) if isinstance(truth, bool) else truth
        return atom if wanted else sp.b.prim("not", atom)

    return iterator(Indexed(items.length, items.at, keep), node)


@register(itertools.takewhile)
def takewhile(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, values = bind(sp, "takewhile", args, kwargs, node, predicate=MISSING, iterable=MISSING)
    found = plain_items(sp, values, node)
    if known(found) == ():
        return TupleV(())
    items = indexed_items(sp, found, node)
    return iterator(Indexed(_holding(sp, f, items, node), items.at), node)


@register(itertools.dropwhile)
def dropwhile(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, values = bind(sp, "dropwhile", args, kwargs, node, predicate=MISSING, iterable=MISSING)
    found = plain_items(sp, values, node)
    if known(found) == ():
        return TupleV(())
    items = indexed_items(sp, found, node)
    start = _holding(sp, f, items, node)
    rest = sp.b.prim("sub", items.length, start)
    return iterator(Indexed(rest, lambda i: items.at(sp.b.prim("add", i, start))), node)


def _holding(sp: Specialiser, f: Value, items: Indexed, node: ast.AST) -> Atom:
    """Return the number of items before the first one for which the predicate does not hold."""

    def holds(state: Sequence[Value]) -> Value:
        i = sp.scalar(state[0], node).atom

        def at() -> Value:
            truth = sp.truth(called(as_run(sp), f, (items.at(i),), node), node)
            return Static(truth) if isinstance(truth, bool) else Scalar(truth, True, 1)

        return sp.branch(sp.b.prim("lt", i, items.length), at, lambda: Static(False), node)

    def further(state: Sequence[Value]) -> Sequence[Value]:
        return [Scalar(sp.b.prim("add", sp.scalar(state[0], node).atom, ext.ONE), True)]

    (count,) = sp.while_loop([Scalar(ext.ZERO, True)], holds, further, node)
    return sp.scalar(count, node).atom


@register(itertools.starmap)
def starmap(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, values = bind(sp, "starmap", args, kwargs, node, function=MISSING, iterable=MISSING)

    spread = ast.copy_location(ast.Call(ast.Name("f"), [ast.Starred(ast.Name("item"))], []), node)

    def apply(item: Value) -> Value:
        return called(as_run(sp), f, spreading.arguments(as_run(sp), f, (item,), spread), node)

    return iterator(mapped(sp, sp.iterate(values, node), apply, False, node), node)


@register(itertools.islice)
def islice(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if kwargs or not 2 <= len(args) <= 4:
        sp.refuse(node, "islice takes an iterable and one to three ints", error=ArgumentTypeError)
    bounds = args[1:]
    start, stop, step = (NONE, bounds[0], NONE) if len(bounds) == 1 else (*bounds, NONE)[:3]
    if is_driven(args[0]):
        first = Static(0) if is_none(start) else index_scalar(_not_negative(sp, start, node))
        by = Static(1) if is_none(step) else Static(sp.static_int(step, node, "the step of islice"))
        if is_none(stop):
            return run_program(sp, iterators.slice_from, (args[0], first, by), node)
        last = index_scalar(_not_negative(sp, stop, node))
        return run_program(sp, iterators.slice_until, (args[0], first, last, by), node)
    items = plain_items(sp, args[0], node)
    bounds_known = [v.value for v in (start, stop, step) if isinstance(v, Static)]
    if isinstance(items, Unrolled) and len(bounds_known) == 3:
        some = itertools.islice(items.items, *bounds_known)  # type: ignore[call-overload]  # ints
        return TupleV(tuple(some))
    found = indexed_items(sp, items, node)
    a = ext.ZERO if is_none(start) else _not_negative(sp, start, node)
    n = found.length
    b = n if is_none(stop) else sp.b.prim("min", _not_negative(sp, stop, node), n)
    s = 1 if is_none(step) else sp.static_int(step, node, "the step of islice")
    width = sp.b.prim("max", ext.sub(sp, b, a), ext.ZERO)
    if s > 1:
        width = sp.b.prim("floordiv", sp.b.prim("add", width, i64(s - 1)), i64(s))

    def at(i: Atom) -> Value:
        scaled = sp.b.prim("mul", i, i64(s)) if s > 1 else i
        return found.at(sp.b.prim("add", a, scaled))

    return iterator(Indexed(width, at), node)


def _not_negative(sp: Specialiser, value: Value, node: ast.AST) -> Atom:
    atom = ext.int_atom(sp, value, node, "an index of islice")
    message = "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize."
    sp.require(sp.b.prim("ge", atom, ext.ZERO), "ValueError", message, node)
    return atom


# --- endless ones ---------------------------------------------------------------------------------


@register(itertools.count)
def count(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    start, step = bind(sp, "count", args, kwargs, node, start=Static(0), step=Static(1))

    def at(i: Atom) -> Value:
        far = sp.binop("*", step, Scalar(i, True, 62), node)
        return sp.binop("+", start, far, node)

    return iterator(Indexed(i64(ENDLESS), at), node)


@register(itertools.repeat)
def repeat(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    item, times = bind(sp, "repeat", args, kwargs, node, object=MISSING, times=NONE)
    if isinstance(times, Static) and isinstance(times.value, int) and times.value <= MOST_UNROLLED:
        return TupleV((item,) * times.value)
    if is_none(times):
        length: Atom = i64(ENDLESS)
    else:
        length = sp.b.prim("max", ext.int_atom(sp, times, node, "times"), ext.ZERO)
    return iterator(Indexed(length, lambda _: item), node)


@register(itertools.cycle)
def cycle(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (values,) = bind(sp, "cycle", args, kwargs, node, iterable=MISSING)
    items = indexed_items(sp, values, node)
    some = sp.b.prim("gt", items.length, ext.ZERO)
    length = sp.b.prim("select", some, i64(ENDLESS), ext.ZERO)
    return iterator(
        Indexed(length, lambda i: items.at(sp.b.prim("mod", i, items.length))), node
    )


# --- combinations ---------------------------------------------------------------------------------


@register(itertools.pairwise)
def pairwise(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (values,) = bind(sp, "pairwise", args, kwargs, node, iterable=MISSING)
    items = plain_items(sp, values, node)
    if isinstance(items, Unrolled):
        return TupleV(tuple(TupleV(p) for p in itertools.pairwise(items.items)))
    found = items

    def at(i: Atom) -> Value:
        return TupleV((found.at(i), found.at(sp.b.prim("add", i, ext.ONE))))

    n = sp.b.prim("max", ext.sub(sp, items.length, ext.ONE), ext.ZERO)
    return iterator(Indexed(n, at), node)


@register(itertools.zip_longest)
def zip_longest(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (fill,) = bind(sp, "zip_longest", (), kwargs, node, fillvalue=NONE)
    if all(isinstance(v, (ListV, TupleV, ArrayV, RangeV)) for v in args):
        return run_program(sp, iterators.zip_longest, (TupleV(tuple(args)), fill), node)
    each = [
        once(v, functools.partial(sp.iterate, v, node), node)
        if isinstance(v, (ZipV, EnumerateV, ReversedV)) else v
        for v in args
    ]  # fmt: skip
    texts = {2: iterators.longest_two, 3: iterators.longest_three}
    return run_program(sp, texts.get(len(args), iterators.longest), (fill, *each), node)


@register(itertools.chain)
def chain(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if any(map(is_driven, args)):
        return functools.reduce(
            lambda one, other: run_program(sp, iterators.chain, (one, other), node), args
        )
    parts = [plain_items(sp, v, node) for v in args]
    if all(isinstance(p, Unrolled) for p in parts):
        return TupleV(tuple(v for p in parts for v in known(p) or ()))
    pieces = [indexed_items(sp, p, node) for p in parts]
    total = pieces[0].length
    for p in pieces[1:]:
        total = ext.add(sp, total, p.length)

    def at(i: Atom, k: int = 0) -> Value:
        here = pieces[k]
        if k + 1 == len(pieces):
            return here.at(i)
        inside = sp.b.prim("lt", i, here.length)
        return sp.branch(
            inside,
            lambda: here.at(i),
            lambda: at(sp.b.prim("sub", i, here.length), k + 1),
            node,
        )

    return iterator(Indexed(total, at), node)


@register(itertools.chain.from_iterable)
def from_iterable(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (values,) = bind(sp, "from_iterable", args, kwargs, node, iterable=MISSING)
    return run_program(sp, iterators.from_iterable, (values,), node)


@register(itertools.product)
def product(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    times = kwargs.get("repeat", Static(1))
    if set(kwargs) - {"repeat"}:
        sp.refuse(node, "product takes iterables and repeat=", error=ArgumentTypeError)
    try:
        count = sp.static_int(times, node, "repeat=")
    except StaticValueError:
        if len(args) != 1:
            raise
        found = indexed_items(sp, plain_items(sp, args[0], node), node)
        pool = as_class(sp.sequence(found.length, found.at, node), tuple)
        return run_program(sp, selections.repeated, (pool, times), node)
    parts = [plain_items(sp, v, node) for v in args] * count
    all_known = [p.items for p in parts if isinstance(p, Unrolled)]
    if len(all_known) == len(parts):
        rows = list(itertools.product(*all_known))
        if len(rows) <= MOST_UNROLLED:
            return TupleV(tuple(TupleV(row) for row in rows))
    axes = [indexed_items(sp, p, node) for p in parts]
    total: Atom = ext.ONE
    for p in axes:
        total = sp.b.prim("mul.ck", total, p.length)

    def at(i: Atom) -> Value:
        places: list[Value] = []
        for p in reversed(axes):
            places.insert(0, p.at(sp.b.prim("mod", i, p.length)))
            i = sp.b.prim("floordiv", i, p.length)
        return TupleV(tuple(places))

    return iterator(Indexed(total, at), node)


__all__ = ["MOST_UNROLLED", "indexed_items", "plain_items"]
