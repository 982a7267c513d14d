"""The messages of errors as parts (``core.messages``): what the run knows of a value is recorded as
its leaves, and Python formats what it builds of them again."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.messages import Applied, Constant, Leaf, Part, SourceText, chosen
from pullback.core.prims_discrete import is_shown
from pullback.core.terms import Atom
from pullback.core.types import BOOL, F32, F64, I32, I64, Type
from pullback.errors import PullbackError
from pullback.frontend.functions.clauses import part_of_caught
from pullback.frontend.kinds.chosen import chosen as chosen_of
from pullback.frontend.kinds.chosen import is_choice_kind
from pullback.frontend.kinds.complex_pairs import Pair, together
from pullback.frontend.kinds.flatten import NoKindError, flatten
from pullback.frontend.kinds.kinds import (
    ArrayK,
    CaughtK,
    Kind,
    ListK,
    OptionalK,
    RangeK,
    RecordK,
    ScalarK,
    StaticK,
    SymbolK,
    TupleK,
    leaf_types,
)
from pullback.frontend.kinds.values import ShownV, Static, Value
from pullback.frontend.python.exact import exact_int
from pullback.frontend.python.instances import bare
from pullback.frontend.python.objects_outside import with_attributes
from pullback.frontend.python.symbols import symbol_of
from pullback.frontend.python.syntax import BINARY
from pullback.frontend.signals import NeedStatic

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_NUMPY: dict[Type, Callable[..., object]] = {
    F64: np.float64, F32: np.float32, I64: np.int64, I32: np.int32, BOOL: np.bool_,
}  # fmt: skip
_PYTHON: dict[Type, Callable[..., object]] = {F64: float, I64: int, BOOL: bool}
_TEXT = (str, repr, ascii, format)
_SHOWN: dict[int, Callable[[object], object]] = {97: ascii, 114: repr, 115: str}


class Recorder:
    """The atoms that the message of one error, at ``node``, needs."""

    def __init__(self, run: Run, node: ast.AST) -> None:
        self.run, self.node = run, node
        self.leaves: list[Atom] = []

    def expression(self, node: ast.expr) -> Part:
        """Return the part that stands for the value of an expression; its source text if the value
        is of a kind that is not recorded."""
        if isinstance(node, ast.Constant):
            return Constant(node.value)
        if isinstance(node, ast.JoinedStr):
            return Applied(_joined, tuple(map(self._piece, node.values)))
        if isinstance(node, ast.Name):
            shown = self.run.scope.names.get(node.id)
            if isinstance(shown, ShownV):
                return moved_to(self, shown)
        made = self._text_call(node) or self._evaluated(node) or self._operation(node)
        return made or Constant(SourceText(ast.unparse(node)))

    def value(self, value: Value) -> Part | None:
        """Return the part that stands for a value; None if its kind is not recorded."""
        try:
            flat = flatten(with_attributes(self.run, value, self.node))
        except (NoKindError, PullbackError):
            return None
        if not all(map(is_shown, leaf_types(flat.kind))):
            return None
        start = len(self.leaves)
        found = _of_kind(flat.kind, iter(range(start, start + len(flat.atoms))))
        if found is not None:
            self.leaves += flat.atoms
        return found

    def _piece(self, node: ast.expr) -> Part:
        """Return a piece of an f-string."""
        match node:
            case ast.FormattedValue(inner, conversion, spec):
                form = Constant("") if spec is None else self.expression(spec)
                if has_source(form):
                    return Constant(SourceText(ast.unparse(inner)))
                return Applied(partial(formatted, conversion), (self.expression(inner), form))
            case ast.Constant(text):
                return Constant(text)
            case _:
                return self.expression(node)

    def _evaluated(self, node: ast.expr) -> Part | None:
        """Return the part for an expression that the specialiser can evaluate."""
        try:
            return self.value(self.run.evaluate(node))
        except (PullbackError, NeedStatic):
            return None

    def _text_call(self, node: ast.expr) -> Part | None:
        """Return the part for ``str(x)``, ``repr(x)``, ``format(x, spec)``, and methods of a
        text."""
        match node:
            case ast.Call(ast.Name(name), args, []) if name in ("str", "repr", "ascii", "format"):
                function = self.run.evaluate(node.func)
                if isinstance(function, Static) and function.value in _TEXT:
                    return self._applied(function.value, args)
                return None
            case ast.Call(ast.Attribute(receiver, name), args, keywords) if (
                _is_text(receiver) or self._is_known_text(receiver)
            ):
                names = [k.arg for k in keywords if k.arg is not None]
                if len(names) < len(keywords) or not hasattr(str, name):
                    return None
                values = [k.value for k in keywords]
                call = partial(_method, name, tuple(names))
                return self._applied(call, [receiver, *args, *values])
            case ast.BinOp(left, op, right) if _is_text(node) and BINARY[type(op)] in OPERATORS:
                return self._applied(OPERATORS[BINARY[type(op)]], [left, right])
            case _:
                return None

    def _is_known_text(self, node: ast.expr) -> bool:
        """Whether a name holds a text that is known."""
        if not isinstance(node, ast.Name):
            return False
        try:
            value = self.run.evaluate(node)
        except (PullbackError, NeedStatic):
            return False
        return isinstance(value, Static) and isinstance(value.value, str)

    def _operation(self, node: ast.expr) -> Part | None:
        """Return the part for an operation on texts, or for a display or choice of them, that is
        done at run time."""
        match node:
            case ast.BinOp(left, op, right) if BINARY[type(op)] in OPERATORS:
                return self._applied(OPERATORS[BINARY[type(op)]], [left, right])
            case ast.Tuple(items) | ast.List(items):
                return self._applied(_tuple if isinstance(node, ast.Tuple) else _list, items)
            case ast.IfExp(test, then, orelse):
                try:
                    cond = self.run.bool_atom(self.run.test_of(test))
                except (PullbackError, NeedStatic):
                    return None
                self.leaves.append(cond)
                leaf = Leaf(len(self.leaves) - 1)
                sides = self._applied(_tuple, [then, orelse])
                return None if sides is None else Applied(_chosen, (leaf, sides))
            case _:
                return None

    def _applied(self, function: object, nodes: Sequence[ast.expr]) -> Part | None:
        """Return the part for a Python function applied to expressions; None if one of these is not
        recorded."""
        assert callable(function)
        if any(isinstance(n, ast.Starred) for n in nodes):
            return None
        parts = tuple(self.expression(n) for n in nodes)
        return None if any(map(is_source, parts)) else Applied(function, parts)


def kept_text(run: Run, target: ast.expr, node: ast.expr) -> ShownV | None:
    """Return the value of a name for a text that only errors of the function show; None if it is
    anything else."""
    definition = run.frame.definition
    if not isinstance(target, ast.Name) or definition is None or not _makes_text(node):
        return None
    if target.id not in shown_names(definition.node):
        return None
    recorder = Recorder(run, node)
    part = recorder.expression(node)
    if is_source(part):
        return None
    reason = (
        f"{target.id!r} is a text of values that only the run knows: raise, assert and print show "
        "it"
    )
    return ShownV(reason, node, part, tuple(recorder.leaves))


def moved_to(recorder: Recorder, shown: ShownV) -> Part:
    """Return the part of a text, with its leaves behind those that are recorded already."""
    start = len(recorder.leaves)
    recorder.leaves += shown.leaves
    return moved(shown.part, start)


def _makes_text(node: ast.expr) -> bool:
    match node:
        case ast.Call(ast.Name("str" | "repr" | "format"), _):
            return True
        case ast.BinOp(left, ast.Add(), right):
            return _makes_text(left) or _makes_text(right)
        case _:
            return _is_text(node)


_SHOWING = frozenset({
    "print", "pprint", "pp", "debug_print", "warn", "write", "log", "debug", "info", "warning",
    "error", "critical", "exception",
})  # fmt: skip


def _shows(node: ast.expr) -> bool:
    """Whether an expression looks like the call of a function that shows its arguments."""
    match node:
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)):
            return name in _SHOWING
        case _:
            return False


@lru_cache(maxsize=256)
def shown_names(function: ast.AST) -> frozenset[str]:
    """Return the names that a function reads in ``raise`` and ``assert`` messages and in calls like
    ``print(...)`` only, or in other texts that only these show."""
    nodes = list(ast.walk(function))
    reads = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    messages = [n.exc for n in nodes if isinstance(n, ast.Raise)]
    messages += [n.msg for n in nodes if isinstance(n, ast.Assert)]
    messages += [n.value for n in nodes if isinstance(n, ast.Expr) and _shows(n.value)]
    texts = [
        (n.targets[0].id, n.value)
        for n in nodes
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
    ]
    shown = {n.id for n in reads}
    while True:
        roots = [*messages, *(value for name, value in texts if name in shown)]
        inside = {id(n) for root in roots if root is not None for n in ast.walk(root)}
        fewer = shown - {n.id for n in reads if id(n) not in inside}
        if fewer == shown:
            return frozenset(shown)
        shown = fewer


def moved(part: Part, by: int) -> Part:
    """Return the part with its leaves at later positions."""
    match part:
        case Leaf(position):
            return Leaf(position + by)
        case Applied(function, parts):
            return Applied(function, tuple(moved(p, by) for p in parts))
        case _:
            return part


def is_source(part: Part) -> bool:
    """Whether the part is the source text of an expression that is not recorded."""
    return isinstance(part, Constant) and isinstance(part.known, SourceText)


def has_source(part: Part) -> bool:
    """Whether the source text of an expression is in the part."""
    inside = part.parts if isinstance(part, Applied) else ()
    return is_source(part) or any(map(has_source, inside))


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.Constant(str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left, ast.Add(), right):
            return _is_text(left) or _is_text(right)
        case ast.BinOp(left, ast.Mod() | ast.Mult(), _):
            return _is_text(left)
        case ast.Call(ast.Attribute(receiver, _)):
            return _is_text(receiver)
        case _:
            return False


# --- values of a kind -----------------------------------------------------------------------------


def _of_kind(kind: Kind, leaves: Iterator[int]) -> Part | None:
    """Return the part that builds a value of a kind from its leaves; None if it cannot be built."""
    match kind:
        case StaticK(_, value):
            return Constant(value)
        case ScalarK(t, py, _, may_be_int, rank0):
            convert = _PYTHON.get(t, _NUMPY[t]) if py else _NUMPY[t]
            number = Applied(convert, (Leaf(next(leaves)),))
            if rank0:
                return Applied(np.array, (number,))
            return Applied(_seen, (number, Leaf(next(leaves)))) if may_be_int else number
        case ArrayK():
            return Leaf(next(leaves))
        case TupleK(items) if is_choice_kind(kind):
            return _all(_member, items, leaves)
        case TupleK(items, is_list):
            return _all(_list if is_list else _tuple, items, leaves)
        case RangeK(items):
            return _all(kind.cls, items, leaves)
        case RecordK(cls, fields):
            make = partial(together, cls) if issubclass(cls, Pair) else (
                partial(_record, cls, tuple(n for n, _ in fields))
            )
            return _all(make, [k for _, k in fields], leaves)
        case OptionalK(inner, other):
            there = Leaf(next(leaves))
            value, instead = _of_kind(inner, leaves), _of_kind(other, leaves)
            if value is None or instead is None:
                return None
            return Applied(chosen, (there, value, instead))
        case SymbolK(cls):
            return Applied(partial(symbol_of, cls), (Leaf(next(leaves)),))
        case CaughtK(steps):
            return Applied(partial(part_of_caught, steps), (Leaf(next(leaves)),))
        case ListK(elem):
            count = len(tuple(leaf_types(elem)))
            item = _of_kind(elem, iter(range(count)))
            columns = tuple(Leaf(next(leaves)) for _ in range(1 + count))
            if item is None or kind.cls is Sequence:
                return None
            return Applied(partial(_items, item, kind.cls), columns)
        case _:
            return None


def _all(
    make: Callable[..., object], kinds: Sequence[Kind], leaves: Iterator[int]
) -> Part | None:
    parts = tuple(p for k in kinds if (p := _of_kind(k, leaves)) is not None)
    return Applied(make, parts) if len(parts) == len(kinds) else None


# --- what Python does when the exception is made --------------------------------------------------


def _joined(*pieces: object) -> str:
    return "".join(map(str, pieces))


def formatted(conversion: int, value: object, form: object) -> str:
    return format(_SHOWN[conversion](value) if conversion in _SHOWN else value, str(form))


def _method(name: str, names: tuple[str, ...], text: object, *args: object) -> object:
    count = len(args) - len(names)
    named = dict(zip(names, args[count:], strict=True))
    result: object = getattr(text, name)(*args[:count], **named)
    return result


def _member(*parts: object) -> object:
    return chosen_of(parts)


def _tuple(*items: object) -> tuple[object, ...]:
    return items


def _list(*items: object) -> list[object]:
    return list(items)


def _record(cls: type, names: tuple[str, ...], *values: object) -> object:
    return bare(cls, dict(zip(names, values, strict=True)))


def _seen(number: object, is_int: object) -> object:
    return exact_int(number) if is_int else number


def _chosen(condition: object, sides: tuple[object, object]) -> object:
    return sides[0] if condition else sides[1]


def _items(
    item: Part, cls: type[list[object]] | type[tuple[object, ...]], length: object,
    *columns: np.ndarray,
) -> Sequence[object]:  # fmt: skip
    assert isinstance(length, int)
    return cls(item.value([c[k].item() for c in columns]) for k in range(length))


OPERATORS: dict[str, Callable[..., object]] = {
    "+": operator.add, "%": operator.mod, "*": operator.mul,
}  # fmt: skip

__all__ = ["OPERATORS", "Recorder", "formatted", "has_source", "is_source", "kept_text"]
