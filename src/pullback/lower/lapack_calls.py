"""Lower linear algebra to LAPACK: each primitive copies its matrices to memory of its own, which
the routine overwrites, and returns a view of that memory.

LAPACK stores matrices in columns. The memory of a dense array of Core is the transpose in columns,
so matrices are copied transposed, or the routine computes with the transpose, and results are
transposed views.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pullback.core.terms import Prim, Site
from pullback.core.types import F64, Array
from pullback.lower.copies import copy_view, fresh, nest
from pullback.lower.forms import c_strides, from_leaves, pointers, to_leaves
from pullback.lower.loopcode import (
    Arith,
    CallCode,
    Foreign,
    Fork,
    Imm,
    LoopFunction,
    RaiseIf,
    Reg,
    Region,
    Store,
    Ty,
    Value,
)
from pullback.lower.state import Lowering
from pullback.lower.values import ONE, ZERO, NotInLanes, Scalar, Val, View, leaves
from pullback.lower.views import place_of, read, write

LARGE = 1 << 22
"""A product of fewer multiplications is computed as a whole."""

PART = 128
"""The rows of a part of a product are a multiple of this: dgemm reads the other matrix for each
part."""

_MATRIX, _VECTOR = Array(F64, 2), Array(F64, 1)
_NAN = Imm(float("nan"), Ty.F64)
_NORMAL, _TURNED = Imm(ord("N"), Ty.I64), Imm(ord("T"), Ty.I64)
"""How a routine reads a matrix, as an integer, whose first byte in memory is the character."""


def linear_prim(lo: Lowering, op: Prim, site: Site | None) -> Val:
    """The result of a row of ``core/prims_linear.py``."""
    if op.name in ("logdet", "det"):
        return lo.atom(op.args[1])
    if lo.lane is not None:
        raise NotInLanes("it calls linear algebra")
    views = [lo.view(a) for a in op.args]
    match op.name.removesuffix(".ck"):
        case "product":
            return _product(lo, *views)
        case "solve":
            out, info = _solve(lo, *views)
        case "solve_triangular":
            lower, unit = op.static
            out, info = _solve_triangular(lo, views, bool(lower), bool(unit))
        case "cholesky":
            out, info = _cholesky(lo, *views)
        case "lu":
            return _lu(lo, *views)
        case "eigenvectors":
            out, info = _eigenvectors(lo, *views)
        case "right_vectors":
            out, info = _right_vectors(lo, *views)
        case "orthonormal":
            out, info = _orthonormal(lo, *views)
        case "eigenvalues":
            out, info = _eigenvalues(lo, *views)
        case "singular_values":
            out, info = _singular_values(lo, *views)
        case "upper_factor":
            return _upper_factor(lo, *views)
        case "known":
            return copy_view(lo, views[1])
        case _:
            raise TypeError(f"not linear algebra: {op.name}")
    failed = lo.test("ne", info, ZERO)
    if op.name.endswith(".ck"):
        lo.emit(RaiseIf(failed, "LinAlgError", str(op.static[0]), site))
    else:
        lo.choose(failed, lambda: _fill(lo, out), lambda: [])
    return out


def _fill(lo: Lowering, out: View) -> list[Value]:
    """Emit NaN for all elements."""

    def body(inner: Lowering, v: View) -> list[Value]:
        def step(indices: list[Scalar], _: list[Value]) -> list[Value]:
            write(inner, v, place_of(inner, v, indices), Scalar(F64, _NAN))
            return []

        return nest(inner, v.extents, [], step)

    return _by(lo, f"linear.fail{len(out.extents)}", out, body, ())


# --- memory --------------------------------------------------------------------------------------


def _by(
    lo: Lowering, name: str, v: View, body: Callable[[Lowering, View], list[Value]],
    results: tuple[Ty, ...],
) -> list[Value]:
    """Emit ``body`` on a matrix, in a function of the module whose code is written once."""
    if name not in lo.unit.functions:
        inner = Lowering(lo.unit, lambda lowering, block: [])
        params = [Reg("p", ty) for ty in leaves(v.type)]
        matrix = from_leaves(inner, v.type, list(params))
        assert isinstance(matrix, View)
        found = tuple(body(inner, matrix))
        region = Region((*inner.prelude, *inner.code), found)
        lo.unit.functions[name] = LoopFunction(name, tuple(params), region, results)
    dsts = tuple(Reg("m", ty) for ty in results)
    lo.emit(CallCode(dsts, name, tuple(to_leaves(lo, v))))
    return list(dsts)


def _copied(lo: Lowering, v: View) -> View:
    """A dense copy."""
    (ptr,) = _by(
        lo, "linear.copy", v, lambda inner, m: [copy_view(inner, m).ptrs[0]], (Ty.PTR,)
    )
    return View(_MATRIX, (ptr,), ZERO, v.extents, c_strides(lo, v.extents), dense=True)


def transposed(v: View) -> View:
    """A view of the transpose."""
    return replace(
        v, extents=v.extents[::-1], strides=v.strides[::-1], dense=False, root=None
    )


def _columns(lo: Lowering, v: View) -> View:
    """Emit a copy with the matrix in columns, which is the dense transpose."""
    return _copied(lo, transposed(v))


def _room(lo: Lowering, count: Value) -> Value:
    return lo.alloc(count, Ty.F64)


def _lead(lo: Lowering, n: Value) -> Value:
    """Return a leading dimension, at least 1."""
    return lo.arith("max", Ty.I64, n, ONE)


def _times(lo: Lowering, k: int, n: Value) -> Value:
    return lo.mul(Imm(k, Ty.I64), n)


def _call(lo: Lowering, routine: str, *args: Value | str) -> Value:
    info = Reg("info", Ty.I64)
    lo.emit(Foreign(info, routine, args))
    return info


# --- the routines --------------------------------------------------------------------------------


def _factor(lo: Lowering, v: View) -> tuple[Value, Value, Value]:
    """Return how dgemm reads a matrix: "N" or "T" (as their codes), its address and its leading
    dimension. Rows or columns that are dense are read where they are, others from a copy."""
    (rows, columns), (down, right) = v.extents, v.strides
    as_rows, as_columns = (
        lo.arith("and", Ty.I1, lo.test("eq", step, ONE), lo.test("ge", lead, _lead(lo, extent)))
        for step, lead, extent in ((right, down, columns), (down, right, rows))
    )

    def in_place() -> list[Value]:
        code = lo.select(as_rows, _NORMAL, _TURNED)
        return [code, pointers(lo, v)[0], lo.select(as_rows, down, right)]

    def copied() -> list[Value]:
        return [_NORMAL, _copied(lo, v).ptrs[0], _lead(lo, columns)]

    in_lines = lo.arith("or", Ty.I1, as_rows, as_columns) if v.uniform else Imm(False, Ty.I1)
    code, address, lead = lo.choose(in_lines, in_place, copied)
    return code, address, lead


def _product(lo: Lowering, x: View, y: View) -> View:
    """Multiply; in columns the transposes are multiplied."""
    (rows, inner), columns = x.extents, y.extents[1]
    out = fresh(lo, _MATRIX, (rows, columns), 1, "temp")
    (first, a, down), (second, b, across) = _factor(lo, y), _factor(lo, x)
    given = (first, second, columns, inner, a, down, b, across, out.ptrs[0])

    if lo.whole or lo.unit.in_order:
        _multiply(lo, rows, *given)
        return out
    large = lo.test("ge", lo.product((rows, inner, columns)), Imm(LARGE, Ty.I64))
    lo.emit(Fork((), _part_of_product(lo), large, rows, PART, (rows, *given)))
    return out


def _multiply(
    lo: Lowering, rows: Value, first: Value, second: Value, columns: Value, inner: Value, a: Value,
    down: Value, b: Value, across: Value, out: Value,
) -> None:
    """Emit a product of matrices as dgemm reads them."""
    one, zero = Imm(1.0, Ty.F64), Imm(0.0, Ty.F64)
    lo.emit(Foreign(None, "dgemm", (
        first, second, columns, rows, inner, one, a, down, b, across, zero, out,
        _lead(lo, columns),
    )))  # fmt: skip


def _part_of_product(lo: Lowering) -> str:
    """Return the function for some rows of a product. Its parameters: the number of the chunk, how
    many rows a chunk has, and the product."""
    name = "linear.product"
    if name not in lo.unit.functions:
        part = Lowering(lo.unit, lambda lowering, block: [])
        numbers = [Reg(x, Ty.I64) for x in (
            "chunk", "length", "rows", "first", "second", "columns", "inner", "down", "across",
        )]  # fmt: skip
        chunk, length, rows, first, second, columns, inner, down, across = numbers
        a, b, out = (Reg(x, Ty.PTR) for x in "abc")
        begin = part.mul(chunk, length)
        count = part.arith("min", Ty.I64, length, part.sub(rows, begin))
        step = part.select(part.test("eq", second, _NORMAL), across, ONE)
        to = part.offset(out, part.mul(begin, columns), Ty.F64)
        source = part.offset(b, part.mul(begin, step), Ty.F64)
        _multiply(part, count, first, second, columns, inner, a, down, source, across, to)
        params = (chunk, length, rows, first, second, columns, inner, a, down, b, across, out)
        region = Region(tuple(part.code), ())
        lo.unit.functions[name] = LoopFunction(name, params, region, (), chunk=True)
    return name


def _solve(lo: Lowering, a: View, b: View) -> tuple[View, Value]:
    n, columns = b.extents
    m, x = _columns(lo, a), _columns(lo, b)
    lead = _lead(lo, n)
    info = _call(
        lo, "dgesv", n, columns, m.ptrs[0], lead, _room(lo, n), x.ptrs[0], lead
    )  # fmt: skip
    return transposed(x), info


def _solve_triangular(
    lo: Lowering, given: list[View], lower: bool, unit: bool
) -> tuple[View, Value]:
    m, b = given
    n, columns = b.extents
    rows, x = _copied(lo, m), _columns(lo, b)
    lead = _lead(lo, n)
    info = _call(
        lo, "dtrtrs", "U" if lower else "L", "T", "U" if unit else "N", n, columns,
        rows.ptrs[0], lead, x.ptrs[0], lead,
    )  # fmt: skip
    return transposed(x), info


def _cholesky(lo: Lowering, a: View) -> tuple[View, Value]:
    """The upper factor of the transpose, in columns, is the lower factor, in rows."""
    n = a.extents[0]
    out = _copied(lo, a)
    info = _call(lo, "dpotrf", "U", n, out.ptrs[0], _lead(lo, n))

    def clear(row: Reg, _: list[Value]) -> list[Value]:
        start = lo.mul(row, n)

        def right(column: Reg, _: list[Value]) -> list[Value]:
            lo.emit(Store(out.ptrs[0], lo.add(start, column), Imm(0.0, Ty.F64)))
            return []

        return lo.loop(lo.add(row, ONE), n, 1, [], right)

    lo.loop(ZERO, n, 1, [], clear)
    return out, info


def _lu(lo: Lowering, a: View) -> View:
    n = a.extents[0]
    out = fresh(lo, _MATRIX, (lo.add(n, ONE), n), 1, "temp")  # transposed
    source = transposed(a)
    target = replace(out, extents=(n, n))

    def element(indices: list[Scalar], _: list[Value]) -> list[Value]:
        write(lo, target, place_of(lo, target, indices),
              read(lo, source, place_of(lo, source, indices)))  # fmt: skip
        return []

    nest(lo, (n, n), [], element)
    pivots = _room(lo, n)
    _call(lo, "dgetrf", n, n, out.ptrs[0], _lead(lo, n), pivots)
    end = lo.mul(n, n)

    def pivot(i: Reg, _: list[Value]) -> list[Value]:
        real = Reg("pivot", Ty.F64)
        lo.emit(Arith(real, "to_real", (lo.load(Ty.I32, pivots, i, 1),)))
        lo.emit(Store(out.ptrs[0], lo.add(end, i), real))
        return []

    lo.loop(ZERO, n, 1, [], pivot)
    return transposed(out)


def _eigenvectors(lo: Lowering, a: View) -> tuple[View, Value]:
    n = a.extents[0]
    out = _columns(lo, a)
    work = lo.add(lo.add(ONE, _times(lo, 6, n)), _times(lo, 2, lo.mul(n, n)))
    whole = lo.add(Imm(3, Ty.I64), _times(lo, 5, n))
    info = _call(
        lo, "dsyevd", "V", "L", n, out.ptrs[0], _lead(lo, n), _room(lo, n),
        _room(lo, work), work, _room(lo, whole), whole,
    )  # fmt: skip
    return transposed(out), info


def _right_vectors(lo: Lowering, a: View) -> tuple[View, Value]:
    """vt in columns is v in rows."""
    rows, n = a.extents
    m = _columns(lo, a)
    out = fresh(lo, _MATRIX, (n, n), 1, "temp")
    small = _times(lo, 4, lo.mul(n, n))
    work = lo.add(lo.add(small, _times(lo, 71, n)), _times(lo, 65, _lead(lo, rows)))
    info = _call(
        lo, "dgesdd", "S", rows, n, m.ptrs[0], _lead(lo, rows), _room(lo, n),
        _room(lo, lo.mul(rows, n)), _lead(lo, rows), out.ptrs[0], _lead(lo, n),
        _room(lo, work), work, _room(lo, _times(lo, 8, n)),
    )  # fmt: skip
    return out, info


def _orthonormal(lo: Lowering, a: View) -> tuple[View, Value]:
    rows, n = a.extents
    out = _columns(lo, a)
    scales, work = _room(lo, n), _times(lo, 64, _lead(lo, n))
    lead = _lead(lo, rows)
    room = _room(lo, work)
    _call(lo, "dgeqrf", rows, n, out.ptrs[0], lead, scales, room, work)
    info = _call(lo, "dorgqr", rows, n, n, out.ptrs[0], lead, scales, room, work)
    return transposed(out), info


def _eigenvalues(lo: Lowering, a: View) -> tuple[View, Value]:
    n = a.extents[0]
    out, m = fresh(lo, _VECTOR, (n,), 1, "temp"), _columns(lo, a)
    work = lo.add(ONE, _times(lo, 66, n))
    info = _call(
        lo, "dsyevd", "N", "L", n, m.ptrs[0], _lead(lo, n), out.ptrs[0],
        _room(lo, work), work, _room(lo, ONE), ONE,
    )  # fmt: skip
    return out, info


def _singular_values(lo: Lowering, a: View) -> tuple[View, Value]:
    rows, n = a.extents
    out, m = fresh(lo, _VECTOR, (n,), 1, "temp"), _columns(lo, a)
    work = lo.add(_times(lo, 75, _lead(lo, n)), _times(lo, 65, _lead(lo, rows)))
    info = _call(
        lo, "dgesdd", "N", rows, n, m.ptrs[0], _lead(lo, rows), out.ptrs[0],
        m.ptrs[0], ONE, m.ptrs[0], ONE, _room(lo, work), work, _room(lo, _times(lo, 8, n)),
    )  # fmt: skip
    return out, info


def _upper_factor(lo: Lowering, a: View) -> View:
    rows, n = a.extents
    m = _columns(lo, a)
    work = _times(lo, 64, _lead(lo, n))
    _call(
        lo, "dgeqrf", rows, n, m.ptrs[0], _lead(lo, rows), _room(lo, n), _room(lo, work), work
    )  # fmt: skip
    out = fresh(lo, _MATRIX, (n, n), 1, "temp")
    source = transposed(m)

    def element(indices: list[Scalar], _: list[Value]) -> list[Value]:
        i, j = indices
        kept = read(lo, source, place_of(lo, source, indices))
        assert isinstance(kept, Scalar) and i.value and j.value and kept.value
        upper = lo.select(lo.test("ge", j.value, i.value), kept.value, Imm(0.0, Ty.F64))
        write(lo, out, place_of(lo, out, indices), Scalar(F64, upper))
        return []

    nest(lo, (n, n), [], element)
    return out
