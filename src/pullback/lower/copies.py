"""Allocate fresh arrays: the results of loops, copies, and arrays built from others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pullback.core.terms import Prim, Site
from pullback.core.types import Array, Handle, Type
from pullback.lower.forms import (
    Form,
    ScalarForm,
    SumForm,
    ViewForm,
    c_strides,
    parts,
    pointers,
    shift_of,
)
from pullback.lower.loopcode import LANES, Alloc, Copy, Imm, Offset, RaiseIf, Reg, Ty, Value
from pullback.lower.state import Lowering
from pullback.lower.values import (
    ONE,
    ZERO,
    Item,
    NotInLanes,
    Scalar,
    SumVal,
    Val,
    View,
    has_pointers,
    lanes_of,
    leaves,
    mentions_handle,
)
from pullback.lower.views import Place, dense_view, index_scalar, place_of, read, write


def nest(
    lo: Lowering, extents: Sequence[Value], inits: Sequence[Value],
    step: Callable[[list[Scalar], list[Value]], list[Value]],
) -> list[Value]:
    """Emit loops over all indices below the extents, in C order, which carry registers."""

    def level(found: list[Scalar], carried: list[Value]) -> list[Value]:
        if len(found) == len(extents):
            return step(found, carried)
        n = extents[len(found)]

        def body(i: Reg, inner: list[Value]) -> list[Value]:
            return level([*found, index_scalar(i, n)], inner)

        with lo.trip(n):
            return lo.loop(ZERO, n, 1, carried, body)

    return level([], list(inits))


def varies(v: Val) -> bool:
    """Whether lanes have different values."""
    match v:
        case Scalar(_, value):
            return value is None or lanes_of(value) > 1
        case View():
            return not v.uniform
        case SumVal(_, tag, fields):
            return lanes_of(tag) > 1 or any(varies(f) for fs in fields for f in fs)


class Output:
    """A fresh dense array, filled by code that is emitted before its allocation is. Storing the
    first element shows whether it is interleaved, and what is stored of an element that is an
    array."""

    def __init__(
        self, lo: Lowering, t: Array, extents: tuple[Value, ...], own: bool = False,
        kept: bool = False,
    ) -> None:
        self.lo = lo
        self.own = own  # the result of the loop in lanes itself: ordinary memory
        self.kept = kept  # its elements point to no temporaries
        regs = tuple(Reg("out", Ty.PTR) for _ in leaves(t.elem))
        self.view = View(t, regs, ZERO, extents, c_strides(lo, extents), dense=True)

    @property
    def points(self) -> bool:
        """Whether its elements point to memory."""
        return self.view.item is not None or any(ty is Ty.PTR for ty, _ in self.view.columns)

    @property
    def stored(self) -> Type:
        """The type of what is stored at a time."""
        assert isinstance(self.view.type, Array)
        return self.view.type.elem

    def put(self, indices: list[Scalar], x: Val) -> None:
        """Store an element."""
        lo = self.lo
        lane = None if self.own else lo.lane
        if lane and (varies(x) or lane.mask is not None or any(map(varies, indices))):
            x = row_of_its_own(lo, x)
            self.view = self._private(x)
        write(lo, self.view, place_of(lo, self.view, indices), x)

    def _private(self, x: Val) -> View:
        """Return the array with elements for each lane, of the form of ``x``."""
        lo, t = self.lo, self.view.type
        assert isinstance(t, Array)
        if not self.kept or not _mentions_memory(lo, t.elem):
            return interleaved_type(lo, self.view)
        columns = columns_of(lo, x)
        regs = tuple(Reg("out", Ty.PTR) for _ in columns)
        return replace(self.view, ptrs=regs, item=Item(x, columns))


def columns_of(lo: Lowering, x: Val) -> tuple[tuple[Ty, int], ...]:
    """What is stored of an element that differs by lane."""
    columns = tuple((p.value.ty, lanes_of(p.value)) for p in parts(lo, x))
    if (Ty.PTR, LANES) in columns:
        raise NotInLanes("it keeps data that differ from round to round")
    return columns


def row_of_its_own(lo: Lowering, x: Val) -> Val:
    """Return an element of an array in the one form that arrays of numbers have there: interleaved,
    dense, where it stays."""
    if not (isinstance(x, View) and isinstance(x.type, Array)):
        return x
    if _mentions_memory(lo, x.type.elem):
        return x
    same = x.lanes == LANES and x.dense and x.step is None and x.shift is None
    return x if same else interleave(lo, x, "residual")


def with_rows(lo: Lowering, v: View) -> View:
    """Return a copy of an array of arrays as one whose elements differ by lane."""
    assert isinstance(v.type, Array)
    if not v.uniform or not isinstance(v.type.elem, Array):
        raise NotInLanes("it updates an array of arrays")
    outs: list[View] = []

    def step(indices: list[Scalar], _: list[Value]) -> list[Value]:
        x = row_of_its_own(lo, read(lo, v, place_of(lo, v, indices)))
        columns = columns_of(lo, x)
        regs = tuple(Reg("rows", Ty.PTR) for _ in columns)
        strides = c_strides(lo, v.extents)
        outs.append(View(v.type, regs, ZERO, v.extents, strides, True, item=Item(x, columns)))
        write(lo, outs[0], place_of(lo, outs[0], indices), x)
        return []

    with lo.masked(None):
        code, _ = lo.record(lambda: nest(lo, v.extents, [], step))
    (out,) = outs
    for reg, (ty, lanes) in zip(out.ptrs, out.columns, strict=True):
        lo.emit(Alloc(_register(reg), lo.room((*v.extents, Imm(lanes, Ty.I64))), ty, "residual"))
    lo.code.extend(code)
    return out


class RowOutput(Output):
    """The array of rows of known extents, which are stored as they are made (``stacks``)."""

    def __init__(
        self, lo: Lowering, t: Array, extents: tuple[Value, ...], row: tuple[Value, ...],
        last: bool, own: bool,
    ) -> None:
        assert isinstance(t.elem, Array)
        whole = Array(t.elem.elem, t.rank + t.elem.rank)
        super().__init__(lo, whole, (*extents, *row), own)
        self.axes = len(extents)
        if last:
            strides = c_strides(lo, (*row, *extents))
            turned = (*strides[len(row) :], *strides[: len(row)])
            self.view = replace(self.view, strides=turned, dense=False)

    def put(self, indices: list[Scalar], x: Val) -> None:
        """Store a row."""
        assert isinstance(x, View)
        lo, row = self.lo, x

        def step(inner: list[Scalar], _: list[Value]) -> list[Value]:
            super(RowOutput, self).put([*indices, *inner], read(lo, row, place_of(lo, row, inner)))
            return []

        if lo.lane is None and self.view.dense:
            outer = replace(self.view, strides=self.view.strides[: self.axes])
            at = place_of(lo, outer, indices).scalar
            strides = self.view.strides[self.axes :]
            fill(lo, View(row.type, self.view.ptrs, at, row.extents, strides, dense=True), row)
        else:
            nest(lo, self.view.extents[self.axes :], [], step)


def allocate(lo: Lowering, outputs: Sequence[Output], arena: str) -> None:
    """Emit the allocations of arrays. Leaves of 8 bytes come from one piece of memory, because much
    code works on small arrays of pointers and strides."""
    counts: dict[tuple[tuple[Value, ...], int], Value] = {}
    leaves_of: list[tuple[Reg, Ty, Value]] = []
    for out in outputs:
        for r, (ty, lanes) in zip(out.view.ptrs, out.view.columns, strict=True):
            key = tuple(out.view.extents), lanes  # rows of a stack have extents of their own
            if key not in counts:
                counts[key] = lo.room((*out.view.extents, Imm(lanes, Ty.I64)))
            leaves_of.append((_register(r), ty, counts[key]))
    wide = [leaf for leaf in leaves_of if leaf[1] in (Ty.F64, Ty.I64, Ty.PTR)]
    if len(wide) < 2 or (lo.unit.own and lo.code is lo.outermost):  # results among them
        wide = []
    total: Value = ZERO
    starts: list[Value] = []
    for _, _, count in wide if len(wide) > 1 else ():
        starts.append(total)
        total = lo.add(total, count)
    if starts:
        whole = lo.alloc(total, Ty.I64, arena)
        for (reg, ty, _), start in zip(wide, starts, strict=True):
            lo.emit(Offset(reg, whole, start, ty))
    for leaf in leaves_of:
        if not starts or leaf not in wide:
            reg, ty, count = leaf
            lo.emit(Alloc(reg, count, ty, arena))


def interleaved_type(lo: Lowering, v: View) -> View:
    """Return the view as one with elements for each lane, if its elements allow it."""
    elem = v.type.elem if isinstance(v.type, Array) else None
    if elem is None or v.item is not None or _mentions_memory(lo, elem):
        raise NotInLanes("it keeps arrays of data")
    return replace(v, lanes=LANES)


def _mentions_memory(lo: Lowering, t: Type) -> bool:
    return has_pointers(t) or mentions_handle(t, lo.unit.program.decls)


def _register(v: Value) -> Reg:
    assert isinstance(v, Reg)
    return v


def fresh(lo: Lowering, t: Array, extents: tuple[Value, ...], lanes: int, arena: str) -> View:
    """An uninitialised array."""
    count = lo.room((*extents, Imm(lanes, Ty.I64)))
    ptrs = tuple(lo.alloc(count, ty, arena) for ty in leaves(t.elem))
    return View(t, ptrs, ZERO, extents, c_strides(lo, extents), dense=True, lanes=lanes)


def copy_view(lo: Lowering, v: View, arena: str = "temp") -> View:
    """A dense copy of an array; interleaved if lanes have different ones."""
    assert isinstance(v.type, Array)
    lanes = 1 if v.uniform else LANES
    out = fresh(lo, v.type, v.extents, lanes, arena)
    out = out if lanes == 1 else interleaved_type(lo, out)
    fill(lo, out, v)
    return out


def fill(lo: Lowering, out: View, v: View) -> None:
    """Copy the elements of ``v`` into the dense ``out``."""
    assert isinstance(v.type, Array)
    if v.dense and v.step is None and v.shift is None and v.lanes == out.lanes:
        lanes = Imm(v.lanes, Ty.I64)
        start, count = lo.mul(v.start, lanes), lo.product((*v.extents, lanes))
        for to, ptr, ty in zip(out.ptrs, v.ptrs, leaves(v.type.elem), strict=True):
            target = lo.offset(to, lo.mul(out.start, lanes), ty)
            lo.emit(Copy(target, lo.offset(ptr, start, ty), count, ty))
        return

    def step(indices: list[Scalar], _: list[Value]) -> list[Value]:
        x = read(lo, v, place_of(lo, v, indices))
        # fresh memory: no lane has elements in it
        with lo.masked(lo.mask() if out.lanes == LANES else None):
            write(lo, out, place_of(lo, out, indices), x)
        return []

    nest(lo, v.extents, [], step)


def interleave(lo: Lowering, v: View, arena: str = "temp") -> View:
    """Return a copy of the array for each lane, interleaved."""
    if not isinstance(v.type, Array):
        raise NotInLanes("it updates cells that differ from round to round")
    out = interleaved_type(lo, fresh(lo, v.type, v.extents, LANES, arena))
    fill(lo, out, v)
    return out


# --- primitives -----------------------------------------------------------------------------------


def is_dense(lo: Lowering, v: View) -> Value:
    """Emit the test whether the strides are those of C order."""
    good: Value = Imm(True, Ty.I1)
    for n, stride, expected in zip(v.extents, v.strides, c_strides(lo, v.extents), strict=True):
        if stride != expected:
            fits = lo.test("eq", stride, expected)
            good = lo.test("and", good, lo.test("or", fits, lo.test("eq", n, ONE)))
    return good


def reshape(lo: Lowering, op: Prim) -> View:
    """Emit the same elements in C order under other extents: a view if they are dense, otherwise a
    copy."""
    v = lo.view(op.args[0])
    assert isinstance(v.type, Array)
    extents = tuple(lo.extent(a) for a in op.args[1:])
    t = Array(v.type.elem, len(extents))
    if v.dense:
        return dense_view(lo, t, extents, v)
    if not v.uniform:
        return dense_view(lo, t, extents, copy_view(lo, v))
    whole = pointers(lo, v)
    ptrs = lo.choose(is_dense(lo, v), lambda: whole, lambda: list(copy_view(lo, v).ptrs))
    return View(t, tuple(ptrs), ZERO, extents, c_strides(lo, extents), dense=True)


def stack(lo: Lowering, op: Prim, site: Site | None) -> View:
    """An array of equal arrays as one array."""
    v = lo.view(op.args[0])
    assert isinstance(v.type, Array) and isinstance(v.type.elem, Array)
    inner = v.type.elem
    lanes = 1 if v.item is None else LANES
    if not (v.uniform or v.item) or (lo.mask() and v.item):
        raise NotInLanes("it stacks rows that differ from round to round")
    first = Place(v.start, None, None)
    some = lo.test("gt", lo.product(v.extents), ZERO)

    def sizes() -> list[Value]:
        x = read(lo, v, first)
        assert isinstance(x, View)
        return list(x.extents)

    told = [lo.extent(a) for a in op.args[1:]] or [ZERO] * inner.rank
    extents = lo.choose(some, sizes, lambda: told)
    t = Array(inner.elem, v.type.rank + inner.rank)
    out = fresh(lo, t, (*v.extents, *extents), lanes, "temp")

    def step(indices: list[Scalar], _: list[Value]) -> list[Value]:
        x = read(lo, v, place_of(lo, v, indices))
        assert isinstance(x, View)
        if x.lanes != lanes:
            raise NotInLanes("it stacks rows that differ from round to round")
        bad: Value = Imm(False, Ty.I1)
        for n, expected in zip(x.extents, extents, strict=False):
            bad = lo.test("or", bad, lo.test("ne", n, expected))
        message = "setting an array element with a sequence: inhomogeneous shapes"
        lo.emit(RaiseIf(bad, "ValueError", message, site))
        at = place_of(lo, replace(out, strides=out.strides[: len(indices)]), indices)
        target = View(
            inner, out.ptrs, at.scalar, x.extents, out.strides[len(indices) :], True, lanes
        )
        fill(lo, target, x)
        return []

    nest(lo, v.extents, [], step)
    return out


def coerce(lo: Lowering, v: Val, form: Form) -> Val:
    """Return the value in another form, which ``join_forms`` computed from its own and others."""
    match v, form:
        case Scalar(), ScalarForm(n):
            value = lo.value(v)
            return Scalar(v.type, lo.vector(value) if n == LANES else value, natural=v.natural)
        case View(), ViewForm(n, shifted, dense):
            if form.item is not None and v.item is None:
                v = with_rows(lo, v)
            if n == LANES and v.lanes == 1:
                v = interleave(lo, v)
            if n == 1 and v.lanes == LANES:
                v = _spread(lo, v)
            if shifted:
                v = replace(v, step=None, shift=lo.vector(shift_of(lo, v)))
            return replace(v, dense=dense, root=None)
        case SumVal(), SumForm(n, forms):
            fields = tuple(
                tuple(coerce(lo, x, f) for x, f in zip(xs, fs, strict=True))
                for xs, fs in zip(v.fields, forms, strict=False)
            )
            return SumVal(v.type, lo.vector(v.tag) if n == LANES else v.tag, fields)
        case _:
            raise TypeError("a value and the form of another type")


def _spread(lo: Lowering, v: View) -> View:
    """An accumulator of which each lane has its own cells, as a view of the whole store."""
    assert isinstance(v.type, Handle)
    eight = Imm(LANES, Ty.I64)
    places = lo.sub(lo.address(v.ptrs[0]), lo.address(lo.accumulators()))
    start = lo.add(lo.arith("floordiv", Ty.I64, places, eight), lo.mul(v.start, eight))
    strides = tuple(lo.mul(s, eight) for s in v.strides)
    shift = lo.add(lo.iota(), lo.mul(shift_of(lo, v), eight))
    return View(v.type, (), start, v.extents, strides, shift=shift)

