"""What ``x += v`` leaves in ``x``: NumPy updates arrays in place, so they keep shape and dtype.

An array without axes (``np.array(1.0)``) is a number that has owners (``values.Scalar``).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from pullback.core.terms import Atom
from pullback.errors import ArgumentTypeError, ArgumentValueError, MutationError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import ArrayV, Scalar, Value
from pullback.frontend.library.numpy.create import astype
from pullback.frontend.library.told import larger_result, other_core, told
from pullback.frontend.memory import ownership
from pullback.frontend.python.syntax import BINARY

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_NO_MATRIX = (
    "inplace matrix multiplication requires the first operand to have at least one and the second "
    "at least two dimensions."
)


def whole(
    run: Run, name: str, old: ArrayV | Scalar, new: Value, s: ast.AugAssign
) -> ArrayV | Scalar:
    """Compile ``a += v`` of a variable that has an array."""
    ownership.updatable(run, name, s)
    return fitted(run, old, new, s)


def fitted(run: Run, old: ArrayV | Scalar, new: Value, s: ast.AugAssign) -> ArrayV | Scalar:
    """Return the new contents of an array, with its dtype and shape."""
    if isinstance(old, Scalar):
        return _fitted_number(run, old, new, s)
    own = ext.extents(run, old)
    by_matrix = isinstance(s.op, ast.MatMult)
    if by_matrix and (not isinstance(new, ArrayV) or new.rank < old.rank):
        run.never("ValueError", _NO_MATRIX, s, ArgumentValueError, rewrite=_written_out(s))
    if isinstance(new, ArrayV) and new.rank > old.rank:
        _refuse_larger(run, own, new, s)
    if isinstance(new, ArrayV) and new.elem != old.elem and type(new.elem) is type(old.elem):
        new = astype(run, new, old.elem, s)
    if not isinstance(new, ArrayV) or new.elem != old.elem or new.rank != old.rank:
        _refuse_misfit(run, s)
    others = ext.extents(run, new)
    if by_matrix:
        core = partial(other_core, min(old.rank, 2) - 1)
        text, leaves = told(core, "matmul: the output has other extents", own[-1], others[-1])
        ext.check_equal(run, own[-1], others[-1], text, s, *leaves)
    text, leaves = told(larger_result, "non-broadcastable output operand", own, others)
    for a, b in zip(own, others, strict=True):
        ext.check_equal(run, a, b, text, s, *leaves)
    return ArrayV(new.atom, old.owners, old.fresh)


def _fitted_number(run: Run, old: Scalar, new: Value, s: ast.AugAssign) -> Scalar:
    """The same for an array without axes."""
    if isinstance(new, ArrayV):
        _refuse_larger(run, (), new, s)
    if old.owners & run.as_numbers:
        what = f"{ast.unparse(s.target)!r} has met a number, which would not see this update"
        run.refuse(s, what, _written_out(s), error=MutationError)
    made = run.scalar(new, s)
    if type(made.type) is not type(old.type):
        _refuse_misfit(run, s)
    return replace(old, atom=run.convert(Scalar(made.atom, False), old.type, s))


def _written_out(s: ast.AugAssign) -> str:
    target = ast.unparse(s.target)
    new = target if isinstance(s.target, ast.Name) else "new"
    return f"write {new} = {target} {BINARY[type(s.op)]} ..."


def _refuse_larger(
    run: Run, own: Sequence[Atom], new: ArrayV, s: ast.AugAssign
) -> NoReturn:
    """Raise NumPy's error of a result with more axes."""
    plain = "non-broadcastable output operand: the result has more axes than the array"
    text, leaves = told(larger_result, plain, own, ext.extents(run, new))
    run.never("ValueError", text, s, ArgumentValueError, *leaves, rewrite=_written_out(s))


def _refuse_misfit(run: Run, s: ast.AugAssign) -> NoReturn:
    run.refuse(
        s,
        f"the result does not fit into {ast.unparse(s.target)!r}, which is updated in place",
        _written_out(s),
        error=ArgumentTypeError,
    )


__all__ = ["fitted", "whole"]
