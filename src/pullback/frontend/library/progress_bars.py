"""Compile the bars of tqdm, and ``pb.progress``: loops whose rounds are counted (``text/bars.py``).

``tqdm(...)`` opens a bar when the program runs (an op ``show``, as for ``print``), asks for its
number (a callback), and goes on as a text in Python: where it is looped over at once a generator,
and where it gets a name an object with the methods of a bar.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence, Sized
from dataclasses import replace
from typing import Any

from pullback import loop_progress
from pullback.core.later import LaterFunction
from pullback.declared_callbacks import Declared
from pullback.frontend.interpret import showing
from pullback.frontend.interpret.advancing import as_generator
from pullback.frontend.interpret.attributes import written
from pullback.frontend.interpret.iteration import as_run
from pullback.frontend.kinds.values import (
    REGISTRY,
    ArrayV,
    GeneratorV,
    HashV,
    ListV,
    OperatorV,
    RangeV,
    RecordV,
    RefV,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import NONE, Args, Kwargs, is_none
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import bars
from pullback.frontend.memory.dict_views import is_view
from pullback.frontend.store.shared_memory import is_shared

_CLASSES = {
    "tqdm.std": "tqdm", "tqdm.asyncio": "tqdm_asyncio", "tqdm.auto": "tqdm",
    "tqdm.notebook": "tqdm_notebook",
}  # fmt: skip
_RANGES = {
    "tqdm.std": "trange", "tqdm.asyncio": "tarange", "tqdm.auto": "trange",
    "tqdm.notebook": "tnrange",
}  # fmt: skip
_OWN_NAMES = ("iterable", "desc", "total")


def _register_class(module: str, name: str) -> None:
    bar = LaterFunction(module, name)

    @register(bar)
    def made(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        return _opened(sp, bar.loaded(), args, kwargs, node)


def _register_range(module: str, name: str, cls: str) -> None:
    bar = LaterFunction(module, cls)

    @register(LaterFunction(module, name))
    def made(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        numbers = sp.call(Static(range), args, node)
        return _opened(sp, bar.loaded(), (numbers,), kwargs, node)


for _module, _name in _CLASSES.items():
    _register_class(_module, _name)
    _register_range(_module, _RANGES[_module], _name)


@register(loop_progress.progress)
def progress_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    cls = loop_progress.bar_class()
    if cls is None:
        given = dict(zip(_OWN_NAMES, args, strict=False)) | kwargs
        return given["iterable"]
    return _opened(sp, cls, args, kwargs, node)


def _opened(
    sp: Specialiser, cls: object, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return a bar that the program opens here."""
    run, given = as_run(sp), dict(kwargs)
    iterable = args[0] if args else given.pop("iterable", NONE)
    if "total" not in given and len(args) < 3 and _has_length(iterable):
        given["total"] = sp.length(iterable, node)
    showing.show_values(run, Static(loop_progress.opened), (Static(cls), *args[1:]), given, node)
    number = _called(sp, _NEWEST, (), node)
    if not is_none(iterable) and not _has_name(run, node):
        source = as_generator(run, iterable, node)
        made = run_program(sp, bars.rounds, (source, number), node)
        advanced = run_program(sp, bars.unguarded_rounds, (source, number), node)
        assert isinstance(made, GeneratorV) and isinstance(advanced, GeneratorV)
        return replace(made, body=advanced.body)
    total = given.get("total", args[2] if len(args) > 2 else NONE)
    start = given.get("initial", Static(0))
    return sp.call(Static(bars.Bar), (iterable, number, total, start), node)


def _has_length(value: Value) -> bool:
    """Whether Python's ``len`` takes it."""
    match value:
        case ArrayV() | ListV() | TupleV() | RangeV() | HashV():
            return True
        case RecordV(cls):
            return cls is dict or is_view(value) or written(cls, "__len__") is not None
        case RefV(cls=cls):
            return is_shared(value) or written(cls, "__len__") is not None
        case Static(known):
            return isinstance(known, Sized)
        case _:
            return False


def _has_name(run: Any, node: ast.AST) -> bool:
    """Whether the bar of a call is given a name, or asked for an attribute."""
    definition = run.frame.definition
    if definition is None:
        return False
    for s in ast.walk(definition.node):
        match s:
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr() | ast.Attribute() | ast.Return():
                if s.value is node:
                    return True
            case ast.withitem(context):
                if context is node:
                    return True
    return False


# --- what calls Python ----------------------------------------------------------------------------

_NEWEST = Declared(loop_progress.newest, 0.0, pure=False)
_TICKED = Declared(loop_progress.ticked, 0.0, pure=False)
_CLOSED = Declared(loop_progress.closed, 0.0, pure=False)


def _called(sp: Specialiser, declared: Declared, args: Sequence[Value], node: ast.AST) -> Value:
    """Compile a call of a Python function that answers with a number."""
    operator = OperatorV("pure_callback", Static(declared), ())
    return REGISTRY.operators["pure_callback"](sp, operator, args, {}, node)


def _register_callback(function: Callable[..., object], declared: Declared) -> None:
    @register(function)
    def call(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        return _called(sp, declared, args, node)


_register_callback(loop_progress.ticked, _TICKED)
_register_callback(loop_progress.closed, _CLOSED)


@register(loop_progress.told)
def told(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return showing.show_values(as_run(sp), Static(loop_progress.told), args, kwargs, node)


__all__: list[str] = []
