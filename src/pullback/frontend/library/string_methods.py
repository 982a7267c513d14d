"""The methods of strings, where the string or an argument is known by the run only: Python makes
their results when the program runs (``interpret.made_texts``)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache, partial

from pullback.frontend.interpret.made_texts import checked, is_text, of_python
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.values import (
    METHODS,
    ListV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind
from pullback.frontend.run import Run

_TEXTS = (
    "capitalize", "casefold", "center", "expandtabs", "format", "join", "ljust", "lower", "lstrip",
    "removeprefix", "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title",
    "upper", "zfill",
)  # fmt: skip
_INTS = ("count", "find", "rfind")
_BOOLS = (
    "endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower",
    "isnumeric", "isspace", "istitle", "isupper", "startswith",
)  # fmt: skip

_LISTS = ("rsplit", "split", "splitlines")
_TRIPLES = ("partition", "rpartition")
_PLACES = ("index", "rindex")


def _method(
    name: str, gives: type, run: Run, receiver: Value, args: Sequence[Value],
    kwargs: dict[str, Value], node: ast.AST,
) -> Value:  # fmt: skip
    """A method of a string."""
    if name == "join" and len(args) == 1 and not is_text(args[0]):
        optionals.require_items(run, args[0], "can only join an iterable", node)
        given = args[0] if isinstance(args[0], (TupleV, ListV)) else run.to_list(args[0], node)
        known = [v.value for v in getattr(given, "items", ()) if isinstance(v, Static)]
        is_known = isinstance(given, TupleV) and len(known) == len(given.items)
        args = (Static(tuple(known)) if is_known else given,)
    call = partial(_called, name, len(args), tuple(kwargs))
    return of_python(run, call, (receiver, *args, *kwargs.values()), node, gives)


def _called(name: str, count: int, names: tuple[str, ...], text: str, *given: object) -> object:
    named = dict(zip(names, given[count:], strict=True))
    result: object = getattr(text, name)(*given[:count], **named)
    return result



def _place(
    name: str, run: Run, receiver: Value, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """``text.index(part)``: a ValueError if it is not there."""
    call = partial(_called, name, len(args), tuple(kwargs))
    return checked(run, call, (receiver, *args, *kwargs.values()), node, int, ValueError)


# --- methods that give several texts --------------------------------------------------------------


def _pieces(
    name: str, run: Run, receiver: Value, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """The texts into which a method divides a text: their number is a call of Python, and each of
    them one more. Python divides once (``_divided``)."""
    divide = partial(_divided, name, len(args), tuple(kwargs))
    given = (receiver, *args, *kwargs.values())
    count = checked(run, partial(_count, divide), given, node, int, ValueError)
    if isinstance(count, Static):
        known = divide(*(v.value for v in given if isinstance(v, Static)))
        return TupleV(tuple(map(Static, known)), isinstance(known, list))

    def piece(place: Value) -> Value:
        return of_python(run, partial(_piece, divide), (place, *given), node)

    if name in _TRIPLES:
        return TupleV(tuple(piece(Static(k)) for k in range(3)))
    length = run.scalar(count, node).atom
    return run.sequence(length, lambda i: piece(Scalar(i, True)), node)


@lru_cache(maxsize=1024)
def _divided(
    name: str, count: int, names: tuple[str, ...], text: str, *given: object
) -> Sequence[str]:
    found = _called(name, count, names, text, *given)
    assert isinstance(found, (list, tuple))
    return found


def _count(divide: partial[Sequence[str]], *values: object) -> int:
    return len(divide(*values))


def _piece(divide: partial[Sequence[str]], place: int, *values: object) -> str:
    return divide(*values)[place]


for _names, _gives in ((_TEXTS, str), (_INTS, int), (_BOOLS, bool)):
    for _name in _names:
        METHODS["string", _name] = partial(_method, _name, _gives)
for _name in (*_LISTS, *_TRIPLES):
    METHODS["string", _name] = partial(_pieces, _name)
for _name in _PLACES:
    METHODS["string", _name] = partial(_place, _name)


# --- characters and their numbers -----------------------------------------------------------------


@register(ord)
def ord_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (text,) = bind(sp, "ord", args, kwargs, node, c=MISSING)
    assert isinstance(sp, Run)
    return checked(sp, ord, (text,), node, int, TypeError)


@register(chr)
def chr_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (number,) = bind(sp, "chr", args, kwargs, node, i=MISSING)
    assert isinstance(sp, Run)
    return checked(sp, chr, (number,), node, str, ValueError)
