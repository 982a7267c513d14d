"""Read the subscripts of ``np.einsum``: a text or lists of ints, an ellipsis for other axes."""

from __future__ import annotations

import ast
import string
from collections.abc import Sequence

from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.kinds.values import Specialiser, Static, TupleV, Value


def einsum_text(
    sp: Specialiser, args: Sequence[Value], node: ast.AST
) -> tuple[str, list[Value]]:
    """Return the subscripts as a text, and the operands. With lists, each operand stands before
    that of its axes, and the list of the result is the last argument."""
    if args and isinstance(args[0], Static) and isinstance(args[0].value, str):
        return args[0].value.replace(" ", ""), list(args[1:])
    pairs = len(args) // 2
    given = [_letters(sp, v, node) for v in args[1 : 2 * pairs : 2]]
    if not given:
        given = [str(sp.static(v, node, "the subscripts")) for v in args[:1]]
        sp.refuse(node, "np.einsum is supported with subscripts like 'ij,jk->ik'")
    text = ",".join(given)
    if len(args) % 2:
        text += "->" + _letters(sp, args[-1], node)
    return text, list(args[: 2 * pairs : 2])


def _letters(sp: Specialiser, axes: Value, node: ast.AST) -> str:
    """Return the letters for a list of ints and ``...``."""
    if not isinstance(axes, TupleV):
        reason = f"a list of axes is needed here, not {sp.describe(axes)}"
        sp.refuse(node, reason, "np.einsum('ij,jk->ik', a, b)", error=ArgumentTypeError)
    letters = ""
    for v in axes.items:
        if isinstance(v, Static) and v.value is ...:
            letters += "..."
            continue
        k = sp.static_int(v, node, "an axis of np.einsum")
        if not 0 <= k < 52:
            reason = "subscript is not within the valid range [0, 52)"
            sp.refuse(node, reason, error=ArgumentValueError)
        letters += string.ascii_letters[26 + k if k < 26 else k - 26]
    return letters


def named_axes(
    sp: Specialiser, text: str, ranks: Sequence[int], node: ast.AST
) -> tuple[list[str], str]:
    """Return the letters of the operands' axes, and of the result's. An ellipsis is replaced by
    letters that the text has not: the last axes of all operands belong together."""
    left, arrow, result = text.partition("->")
    inputs = left.split(",")
    every = string.ascii_uppercase[:-1] + string.ascii_lowercase
    spare = [c for c in every if c not in text]
    most = 0
    for k, (letters, rank) in enumerate(zip(inputs, ranks, strict=False)):
        if "..." in letters:
            count = rank - len(letters.replace("...", "", 1))
            if count < 0 or count > len(spare):
                reason = "the subscripts do not fit the number or the ranks of the arrays"
                sp.refuse(node, reason, error=ArgumentValueError)
            most = max(most, count)
            inputs[k] = letters.replace("...", "".join(spare[:count][::-1]), 1)
    whole = "".join(inputs)
    others = "".join(spare[:most][::-1])
    if arrow:
        if most and "..." not in result:
            reason = "output has no ellipsis, but the operands' ellipses have axes"
            sp.refuse(node, reason, "np.einsum('...i->...', x)", error=ArgumentValueError)
        return inputs, result.replace("...", others, 1)
    alone = sorted(c for c in set(whole) if whole.count(c) == 1 and c not in others)
    return inputs, others + "".join(alone)
