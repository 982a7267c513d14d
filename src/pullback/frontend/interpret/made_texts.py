"""Texts of values that only the run knows: Python makes them when the program runs.

An op ``show`` calls Python with the values (``messages``) and gives a number: that of the text it
has made (``python.symbols``), or the int or bool that it has found of texts. So such a text is a
string like any other that only the run tells: it is compared, is a key, an item, a result.
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from pullback.core.build import i64
from pullback.core.messages import MOST_WORDS, Applied, Message
from pullback.core.terms import Atom, Lit, Prim
from pullback.core.types import I64, Array, has_reals
from pullback.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    StaticValueError,
    UnsupportedError,
)
from pullback.frontend.interpret.messages import OPERATORS, Recorder
from pullback.frontend.kinds import placeholders
from pullback.frontend.kinds.kinds import CaughtK, Kind, leaf_types, parts
from pullback.frontend.kinds.plain_kinds import may_change
from pullback.frontend.kinds.values import (
    Indexed,
    ListV,
    Scalar,
    SliceV,
    Specialiser,
    Static,
    SymbolV,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import floats
from pullback.frontend.python.symbols import length_of, number_of_joined, number_of_made
from pullback.frontend.run import Run
from pullback.frontend.store.shared_memory import in_full

_FEW = 12


def is_text(value: Value) -> bool:
    """Whether a value is a string, known or not."""
    if isinstance(value, SymbolV):
        return value.cls is str
    return isinstance(value, Static) and type(value.value) is str


def are_known(run: Run, values: Iterable[Value]) -> bool:
    """Whether values are known, or parameters for whose values the program can be compiled."""
    return all(
        isinstance(v, Static)
        or (isinstance(v, Scalar) and (isinstance(v.atom, Lit) or v.atom in run.origins))
        for v in values
    )


def few_parts(text: Value) -> TupleV | None:
    """Return the texts that are in a known text, unless they are many."""
    known = text.value if isinstance(text, Static) else None
    if not isinstance(known, str) or len(known) > _FEW:
        return None
    ends = range(len(known) + 1)
    found = dict.fromkeys(known[i:j] for i in ends for j in ends if i < j)
    return TupleV((*map(Static, sorted(found, key=len)), Static("")))


def of_python(
    run: Run,
    function: Callable[..., object],
    values: Sequence[Value],
    node: ast.AST,
    gives: type = str,
    numbered: Callable[..., int] | None = None,
    plain: Collection[int] = (),
) -> Value:
    """Return what Python's function gives for values: a text, an int or a bool (``gives``). If all
    are known and do not change, the result is known. Else ``numbered`` may compute it, as the
    number of a text or an int, from the same values with numbers for the texts at the places
    ``plain``."""
    placeholders.check_known(run, values, node)
    if all(isinstance(v, Static) and not may_change(v.value) for v in values):
        try:
            return Static(function(*(v.value for v in values if isinstance(v, Static))))
        except (TypeError, ValueError, LookupError) as e:
            run.never(type(e).__name__, str(e), node, ArgumentValueError)
    recorder = Recorder(run, node)
    parts = []
    for place, v in enumerate(in_full(run, v, node) for v in values):
        part = recorder.value(v)
        if part is None:
            run.refuse(
                node,
                f"{run.describe(v)} cannot be made a text by compiled code",
                "make texts of numbers, arrays, strings, and tuples, lists and records of them",
                error=StaticValueError,
            )
        if place in plain and isinstance(v, SymbolV):
            assert isinstance(part, Applied)
            (part,) = part.parts
        parts.append(part)
    leaves = tuple(recorder.leaves)
    if gives is str and any(map(_has_float, map(run.kind, values, itertools.repeat(node)))):
        run.texts_of_floats = run.texts_of_floats or node
    if sum(1 + 2 * a.type.rank if isinstance(a.type, Array) else 1 for a in leaves) > MOST_WORDS:
        run.refuse(node, "more values than one text can show", "make it of several texts")
    made = Applied(numbered or _NUMBERS[gives],
                   tuple(parts) if numbered else (Applied(function, tuple(parts)),))  # fmt: skip
    message = Message((made,), len(leaves), "a text", gives=True)
    (number,) = run.b.let(Prim("show", leaves, (message,)), (I64,), run.site(node))
    if gives is str:
        return SymbolV(number, str)
    return Scalar(run.b.prim("ne", number, i64(0)), True, 1) if gives is bool else (
        Scalar(number, True)
    )  # fmt: skip


def _has_float(kind: Kind) -> bool:
    """Whether there is a float in a value of this kind, or an exception, which may say one."""
    own = isinstance(kind, CaughtK) or any(has_reals(t, {}) for t in leaf_types(kind))
    return own or any(map(_has_float, parts(kind)))


def ranks(run: Run, texts: ListV, node: ast.AST) -> Callable[[Atom], Value]:
    """Let Python sort texts; return the function from the place of a text to its rank: equal texts
    have equal ranks. That is one call of Python for all and one for each."""
    table = of_python(run, _ranked, (texts,), node, int)
    return lambda i: of_python(run, _rank, (table, Scalar(i, True)), node, int)


_RANKS: dict[int, list[int]] = {}
_MOST_TABLES = 1024
"""How many tables of ranks are kept. Not so many threads sort at once."""

_tables = itertools.count(1)


def _ranked(texts: Sequence[str]) -> int:
    """Return the number of the table of the ranks of texts."""
    order = {text: k for k, text in enumerate(sorted(set(texts)))}
    number = next(_tables)
    _RANKS[number] = [order[text] for text in texts]
    _RANKS.pop(number - _MOST_TABLES, None)
    return number


def _rank(table: int, place: int) -> int:
    return _RANKS[table][place]


def _number_of_text(made: object) -> int:
    if not isinstance(made, str):
        raise TypeError(f"a text was expected, not {made!r}")
    return number_of_made(str(made))


_NUMBERS: dict[type, Callable[..., object]] = {str: _number_of_text, int: int, bool: int}


def operation(run: Run, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Return ``left op right`` if that is a text that only the run knows."""
    if isinstance(left, Static) and isinstance(right, Static):
        return None
    match op:
        case "+" if is_text(left) and is_text(right):
            return of_python(run, operator.add, (left, right), node,
                             numbered=number_of_joined, plain=(0, 1))  # fmt: skip
        case "%" if is_text(left):
            pass
        case "*" if is_text(left) or is_text(right):
            pass
        case _:
            return None
    return of_python(run, OPERATORS[op], (left, right), node)


def items(run: Run, text: Value, node: ast.AST) -> Indexed:
    """Return the characters of a text."""
    n = run.scalar(length(run, text, node), node).atom
    return Indexed(n, lambda i: _character(run, text, i, node))


def length(run: Run, text: Value, node: ast.AST) -> Value:
    """Return the number of characters of a text."""
    return of_python(run, len, (text,), node, int, numbered=length_of, plain=(0,))


def character(run: Run, text: SymbolV, index: Atom, node: ast.AST) -> Value:
    """Return ``text[index]``."""
    n = run.scalar(length(run, text, node), node).atom
    b = run.b
    inside = b.prim("and", b.prim("ge", index, b.prim("neg", n)), b.prim("lt", index, n))
    run.require(inside, "IndexError", "string index out of range", node)
    return _character(run, text, index, node)


def _character(run: Run, text: Value, index: Atom, node: ast.AST) -> Value:
    return of_python(run, operator.getitem, (text, Scalar(index, True)), node)


def is_late_part(run: Run, text: Value, index: Value) -> bool:
    """Whether ``text[index]`` is a part of a text that only the run knows."""
    if not (is_text(text) and isinstance(index, SliceV)):
        return False
    return isinstance(text, SymbolV) or not are_known(run, index.bounds)


def part(run: Run, text: Value, index: Value, node: ast.AST) -> Value:
    """Return ``text[start:stop:step]``."""
    assert isinstance(index, SliceV)
    return of_python(run, _part, (text, *index.bounds), node)


def checked(
    run: Run, function: Callable[..., object], values: Sequence[Value], node: ast.AST,
    gives: type, error: type[Exception],
) -> Value:  # fmt: skip
    """Return what Python's function gives for values, where it raises nothing but this error, which
    is raised as one of the program's own."""
    if not all(isinstance(v, Static) for v in values):
        call = of_python(run, partial(_succeeds, function, error), values, node, bool)
        recorder = Recorder(run, node)
        shown = [recorder.value(v) for v in values]
        parts = tuple(part for part in shown if part is not None)
        assert len(parts) == len(values)
        text = Applied(partial(_failure, function, error), parts)
        message = Message((text,), len(recorder.leaves), "the text does not fit")
        run.require(
            run.scalar(call, node).atom, error.__name__, message, node, *recorder.leaves
        )
    return of_python(run, function, values, node, gives)


def _succeeds(function: Callable[..., object], error: type[Exception], *values: object) -> bool:
    try:
        function(*values)
    except error:
        return False
    return True


def _failure(function: Callable[..., object], error: type[Exception], *values: object) -> str:
    try:
        function(*values)
    except error as raised:
        return str(raised)
    return ""


def integer(run: Run, text: Value, node: ast.AST) -> Value:
    """Return ``int(text)``."""
    return checked(run, int, (text,), node, int, ValueError)


def number(run: Run, text: Value, node: ast.AST) -> Value:
    """Return ``float(text)``, which has no derivative: see ``refuse_lost``."""
    run.floats_of_texts = run.floats_of_texts or run.site(node)
    digits = checked(run, _digits, (text,), node, int, ValueError)
    exponent = of_python(run, _exponent, (text,), node, int)
    return run_program(run, floats.of_parts, (digits, exponent), node)


def refuse_lost(run: Run) -> None:
    """Refuse a program that makes texts of floats and floats of texts: of which of the texts, only
    the run knows, so a derivative might be lost."""
    if run.floats_of_texts is not None and run.texts_of_floats is not None:
        raise UnsupportedError(
            "a float of a text, where texts of floats are made, too, would lose its derivative",
            "hand the number itself on",
            run.floats_of_texts,
        )


def _digits(text: str) -> int:
    """Return n of the float n * 2**e that a text says; of infinities and nan the sign, or 0."""
    x = float(text)
    return int(math.frexp(x)[0] * 2.0**53) if math.isfinite(x) else (x > 0) - (x < 0)


def _exponent(text: str) -> int:
    """Return e; of infinities and nan, and of the other zero, a number that is no e."""
    x = float(text)
    if not math.isfinite(x):
        return floats.INFINITE
    return floats.MINUS_ZERO if x == 0.0 > math.copysign(1.0, x) else math.frexp(x)[1] - 53


def _part(text: str, *bounds: int | None) -> str:
    return text[slice(*bounds)]


def _shown(function: Callable[..., object]) -> None:
    @register(function)
    def handler(
        sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
    ) -> Value:
        if kwargs or not 1 <= len(args) <= 1 + (function is format):
            name = getattr(function, "__name__", "")
            sp.refuse(node, f"{name} of these arguments", error=ArgumentTypeError)
        assert isinstance(sp, Run)
        return of_python(sp, function, args, node)


for _function in (str, repr, ascii, format):
    _shown(_function)
