"""NumPy's objects that are used in brackets: ``np.r_``, ``c_``, ``s_``, ``index_exp``, ``mgrid``
and ``ogrid``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.frozen import dataclass
from pullback.frontend.kinds.dtypes import DTYPES, Element, promote
from pullback.frontend.kinds.values import ArrayV, RangeV, RecordV, SliceV, Static, TupleV, Value
from pullback.frontend.library.arguments import is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import grid_lines
from pullback.frontend.python.rewrites import refuse_library

if TYPE_CHECKING:
    from pullback.frontend.run import Run


@dataclass(frozen=True, slots=True)
class Points:
    """A step that is imaginary, ``5j``: so many points from the start to the stop."""

    number: object


def bound(run: Run, node: ast.expr | None) -> Value:
    """Return a bound or the step of a slice; of an imaginary step (``5j``, ``n * 1j``,
    ``complex(0, n)``) the number of points that it says."""
    match node:
        case None:
            return Static(None)
        case ast.Constant(complex(real=0.0) as number):
            return RecordV(Points, {"number": Static(int(abs(number)))})
        case ast.BinOp(other, ast.Mult(), ast.Constant(1j)) | ast.BinOp(
            ast.Constant(1j), ast.Mult(), other
        ):
            return RecordV(Points, {"number": run.evaluate(other)})
        case ast.Call(ast.Name("complex"), [ast.Constant(0), other], []):
            return RecordV(Points, {"number": run.evaluate(other)})
        case _:
            return run.evaluate(node)


def spread(run: Run, value: Value, node: ast.AST) -> Value:
    """Return an index as it is, but a range as the array of its numbers."""
    return run.call(Static(np.asarray), (value,), node) if isinstance(value, RangeV) else value


def subscript(run: Run, of: object, index: Value, node: ast.AST) -> Value:
    """Return what such an object gives of an index."""
    items = index.items if isinstance(index, TupleV) and not index.is_list else (index,)
    if of is np.s_ or of is np.index_exp:
        alone = of is np.s_ or isinstance(index, TupleV)
        return index if alone else TupleV((index,))
    if of is np.r_ or of is np.c_:
        return _joined(run, of, items, node)
    if not isinstance(index, TupleV):
        return _line(run, of, index, node, alone=True)
    lines = [_line(run, of, item, node) for item in items]
    real = any(isinstance(v, ArrayV) and DTYPES[v.elem].kind == "f" for v in lines)
    if real:
        lines = [run.call(Static(np.asarray), (v, Static(np.float64)), node) for v in lines]
    options: dict[str, Value] = {"indexing": Static("ij")}
    if of is np.ogrid:
        return run.call(Static(np.meshgrid), lines, node, {**options, "sparse": Static(True)})
    grid = run.call(Static(np.meshgrid), lines, node, options)
    return run.call(Static(np.stack), (grid,), node)


def _line(run: Run, of: object, item: Value, node: ast.AST, alone: bool = False) -> Value:
    """Return the numbers that a slice names. ``alone``: it is the one axis of a grid."""
    if not isinstance(item, SliceV):
        refuse_library(run, of, node)
    start = Static(0) if is_none(item.start) else item.start
    match item.step:
        case RecordV(cls, fields) if cls is Points:
            text = grid_lines.between if of is np.r_ or of is np.c_ else grid_lines.points
            return run_program(run, text, (start, item.stop, fields["number"]), node)
        case _:
            step = Static(1) if is_none(item.step) else item.step
            if alone or of is np.r_ or of is np.c_:
                return run.call(Static(np.arange), (start, item.stop, step), node)
            return run_program(run, grid_lines.steps, (start, item.stop, step), node)


def _joined(run: Run, of: object, items: tuple[Value, ...], node: ast.AST) -> Value:
    """Return the items one after the other; of ``c_``, vectors as columns beside each other."""
    parts = [_line(run, of, v, node) if isinstance(v, SliceV) else v for v in items]
    if any(isinstance(v, Static) and isinstance(v.value, str) for v in parts):
        run.refuse(node, "a text in the brackets of np.r_ or np.c_ is not supported",
                   "np.stack or np.concatenate with axis=")  # fmt: skip
    weak = [isinstance(v, Static) or getattr(v, "py", False) for v in parts]
    arrays = [run.call(Static(np.asarray), (v,), node) for v in parts]
    typed = [old if number else new for old, new, number in zip(parts, arrays, weak, strict=True)]
    t: Element = promote(run, typed, node)
    made = []
    for v in arrays:
        v = run.call(Static(np.asarray), (v, Static(DTYPES[t])), node)
        if of is np.r_:
            made.append(run.call(Static(np.atleast_1d), (v,), node))
        else:
            made.append(run_program(run, grid_lines.column, (v,), node))
    axis = Static(0 if of is np.r_ else -1)
    return run.call(Static(np.concatenate), (TupleV(tuple(made)), axis), node)
