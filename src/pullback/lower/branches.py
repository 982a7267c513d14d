"""Lower If, Case and the values of sums.

A condition that is the same in all lanes is a branch. For one that differs both arms run, each
under the mask of the lanes that took it (an arm of more than a few operations runs only if some
lane took it), and the results are selected lane by lane.
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.terms import Case, If, Inject
from pullback.core.types import Int, Named, Sum, variants_of
from pullback.lower.arenas import keep
from pullback.lower.copies import coerce
from pullback.lower.forms import (
    form_of,
    from_leaves,
    join_forms,
    parts,
    rebuild,
    to_leaves,
    undefined,
    zero,
)
from pullback.lower.loopcode import LANES, Arith, IfCode, Imm, Reg, Region, Store, Ty, Value
from pullback.lower.state import Lowering, Mask
from pullback.lower.values import ZERO, NotInLanes, Scalar, SumVal, Val, View, lanes_of, leaves

Thunk = Callable[[], list[Val]]

FEW = 4
"""So many variants are tested one after the other, more by bisection."""

CHEAP = 16
"""An arm of at most so many arithmetic instructions is run by all lanes without a test."""


def if_(lo: Lowering, op: If) -> list[Val]:
    """A conditional."""
    cond = lo.value(lo.scalar(op.cond))
    return either(lo, cond, lambda: lo.block(op.then), lambda: lo.block(op.orelse))


def either(lo: Lowering, cond: Value, then: Thunk, orelse: Thunk) -> list[Val]:
    """Return the results of one of two pieces of code."""
    if isinstance(cond, Imm):
        return then() if cond.value else orelse()
    if lanes_of(cond) == LANES:
        return _masked(lo, cond, then, orelse)
    (code1, vals1), (code2, vals2) = lo.record(then), lo.record(orelse)
    forms = [join_forms(form_of(a), form_of(b)) for a, b in zip(vals1, vals2, strict=True)]
    found = []
    for code, vals in ((code1, vals1), (code2, vals2)):
        with lo.into(code):
            vals[:] = [coerce(lo, v, f) for v, f in zip(vals, forms, strict=True)]
            found.append([p.value for v in vals for p in parts(lo, v)])
    values = lo.join(cond, (code1, found[0]), (code2, found[1]))
    return [rebuild(lo, like, values) for like in vals1]


def _masked(lo: Lowering, cond: Value, then: Thunk, orelse: Thunk) -> list[Val]:
    around = lo.mask()
    no = lo.negate(cond)
    lanes = (cond, no) if around is None else (
        lo.test("and", around.lanes, cond), lo.test("and", around.lanes, no)
    )
    first = _arm(lo, lanes[0], then)
    second = _arm(lo, lanes[1], orelse)
    return [_merge(lo, cond, a, b) for a, b in zip(first, second, strict=True)]


def _arm(lo: Lowering, lanes: Value, run: Thunk) -> list[Val]:
    """Emit code for some of the lanes. Its results are vectors, or exist outside of it."""
    mask = Mask(lanes)
    with lo.masked(mask):
        code, results = lo.record(run)
    code[:0] = lo.find_leader(mask)
    if len(code) <= CHEAP and all(isinstance(i, Arith) for i in code):
        lo.code.extend(code)
        return results
    dsts: list[Reg] = []
    yields: list[Value] = []
    with lo.into(code):
        results = [_carry_out(lo, v, dsts, yields) for v in results]
    blank, zeros = lo.record(lambda: [lo.vector(zero(d.ty)) for d in dsts])
    body, other = Region(tuple(code), tuple(yields)), Region(tuple(blank), tuple(zeros))
    lo.emit(IfCode(lo.any_lane(lanes), body, other, tuple(dsts)))
    return results


def _carry_out(lo: Lowering, v: Val, dsts: list[Reg], yields: list[Value]) -> Val:
    def out(value: Value) -> Value:
        if isinstance(value, Imm):
            return value
        if value.ty is Ty.PTR:
            raise NotInLanes("a branch chooses among data")
        dsts.append(Reg("if", value.ty, LANES))
        yields.append(lo.vector(value))
        return dsts[-1]

    match v:
        case Scalar():
            return Scalar(v.type, out(lo.value(v)))
        case SumVal():
            fields = tuple(tuple(_carry_out(lo, f, dsts, yields) for f in fs) for fs in v.fields)
            return SumVal(v.type, out(v.tag), fields)
        case View():
            return v  # ``_merge`` accepts it only if both arms have the same one


def _merge(lo: Lowering, cond: Value, a: Val, b: Val) -> Val:
    match a, b:
        case Scalar(), Scalar():
            x, y = lo.value(a), lo.value(b)
            if x != y and x.ty is Ty.PTR:
                raise NotInLanes("a branch chooses among data")
            return Scalar(a.type, x if x == y else lo.select(cond, x, y))
        case SumVal(), SumVal():
            fields = tuple(
                tuple(_merge(lo, cond, f, g) for f, g in zip(fs, gs, strict=False))
                for fs, gs in zip(a.fields, b.fields, strict=False)
            )
            tag = a.tag if a.tag == b.tag else lo.select(cond, a.tag, b.tag)
            return SumVal(a.type, tag, fields)
        case View(), View() if a == b:
            return a
        case _:
            raise NotInLanes("a branch chooses among arrays")


# --- sums -----------------------------------------------------------------------------------------


def inject(lo: Lowering, op: Inject) -> Val:
    """A value of a sum: unboxed, or a fresh node."""
    given: list[Val] = [lo.atom(a) for a in op.fields]
    tag = Imm(op.tag, Ty.I64)
    match op.type:
        case Sum(variants):
            fields = tuple(
                tuple(given) if k == op.tag else tuple(map(undefined, v.fields))
                for k, v in enumerate(variants)
            )
            return SumVal(op.type, tag, fields)
        case Named():
            values = [x for v in keep(lo, given) for x in to_leaves(lo, v)]
            if lo.lane and (lo.mask() or any(lanes_of(x) > 1 for x in values)):
                raise NotInLanes("it makes nodes")
            values = lo.unit.layouts.stored((op.type.name, op.tag), values)
            node = lo.alloc(Imm(1 + len(values), Ty.I64), Ty.I64, "residual")
            lo.emit(Store(node, ZERO, tag))
            for k, x in enumerate(values):
                lo.emit(Store(lo.offset(node, Imm(k + 1, Ty.I64), Ty.I64), ZERO, x))
            return Scalar(op.type, node)
        case _:
            raise TypeError(f"not a sum: {op.type}")


def case(lo: Lowering, op: Case) -> list[Val]:
    """A branch on the variant of a sum."""
    x = lo.atom(op.scrutinee)
    match x:
        case SumVal():
            tag = x.tag
        case Scalar(Int()):
            tag = lo.value(x)
        case Scalar():
            tag = lo.load(Ty.I64, lo.uniform(x), ZERO, 1)
        case View():
            raise TypeError("case of an array")

    def arm(k: int) -> list[Val]:
        if not op.arms[k].fields:
            return lo.block(op.arms[k].body)
        fields = list(x.fields[k]) if isinstance(x, SumVal) else _node_fields(lo, x, k)
        lo.env.update(zip(op.arms[k].fields, fields, strict=True))
        return lo.block(op.arms[k].body)

    def among(low: int, high: int) -> list[Val]:
        if high - low == 1:
            return arm(low)
        if high - low <= FEW:
            is_low = lo.test("eq", tag, Imm(low, tag.ty))
            return either(lo, is_low, lambda: arm(low), lambda: among(low + 1, high))
        middle = (low + high) // 2
        below = lo.test("lt", tag, Imm(middle, tag.ty))
        return either(lo, below, lambda: among(low, middle), lambda: among(middle, high))

    return among(0, len(op.arms))


def _node_fields(lo: Lowering, x: Val, tag: int) -> list[Val]:
    assert isinstance(x, Scalar) and isinstance(x.type, Named)
    node = lo.uniform(x)
    types = variants_of(x.type, lo.unit.program.decls)[tag].fields
    kinds = [ty for t in types for ty in leaves(t)]
    loaded: dict[tuple[int, Ty], Value] = {}
    words: list[Value] = []
    for word in lo.unit.layouts.words((x.type.name, tag), kinds):
        if isinstance(word, Imm):
            words.append(word)
            continue
        if word not in loaded:
            at = lo.offset(node, Imm(word[0] + 1, Ty.I64), Ty.I64)
            loaded[word] = lo.load(word[1], at, ZERO, 1)
        words.append(loaded[word])
    return [from_leaves(lo, t, words) for t in types]
