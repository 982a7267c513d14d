"""Iterators that are advanced from outside: by ``next``, beside others, or in several turns.

Such an iterator is a function (``functions/stepped_form``): asked to go on it says whether there is
an item, and then it can be asked for that. What it keeps between two items are variables, so it can
be passed on, advanced in branches and loops, and by other functions. What an iterator takes its
items from is a *source*: an iterator, or data whose items are asked for by number.

    sequence    list, array, range         item k
    side        (ITEMS, source, ...)       zip: the items of all, as long as each has one
    numbered    (COUNT, source, start)     enumerate
    backwards   (BACK, sequence)           reversed

A generator that is gone through once, as most are, needs none of this (``interpret/generators``);
whether one is advanced shows when that is run, and then the function is run anew.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING

from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.frontend.functions import choices, generator_ends, iterator_lifetimes
from pullback.frontend.functions.captured_variables import (
    FUNCTION,
    has_functions,
    set_variable,
    variables,
)
from pullback.frontend.functions.exits import is_of_library
from pullback.frontend.functions.generator_blocks import (
    AFTER,
    ITEM,
    MORE,
    NAMED,
    SETTLE,
    SOURCE,
    TOLD,
    VALUE,
)
from pullback.frontend.functions.iterator_rows import (
    attribute_of,
    fields_of,
    object_of,
    row_form,
)
from pullback.frontend.functions.scopes import Scope, chain, function_scope
from pullback.frontend.functions.stepped_form import (
    GIVE,
    GO,
    ends,
    stepped_form,
)
from pullback.frontend.interpret import sending, settling
from pullback.frontend.interpret.iteration import (
    given_to_view,
    indexed,
    is_iterator,
    once,
    text_over,
)
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.coerce import coerce
from pullback.frontend.kinds.flatten import captured_value, functions_in, kind_of
from pullback.frontend.kinds.values import (
    ORDERED,
    UNSET,
    CellV,
    Driven,
    EnumerateV,
    FunctionV,
    GeneratorV,
    HashV,
    Indexed,
    ReversedV,
    Scalar,
    Specialiser,
    Stale,
    Static,
    TupleV,
    Unrolled,
    Value,
    ZipV,
    index_scalar,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.text import iterators as text
from pullback.frontend.memory.dict_views import is_view
from pullback.frontend.memory.owners import owners_of
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.source import definition_of
from pullback.frontend.python.special_methods import is_iterable
from pullback.frontend.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

class _Sort:
    """What a tuple is that stands for a source."""


_ITEMS, _COUNT, _BACK, _BY_NAME = _Sort(), _Sort(), _Sort(), _Sort()


def advanced(run: Run, value: Value, node: ast.AST, known: bool = False) -> Value:
    """The iterator that goes on where it was left; ``value``: a generator that has not begun.
    ``known``: the caller knows where it ends."""
    if is_iterator(value):
        return value
    driven = _driven(run, value, node)
    f = driven.function
    if (made := _object(run, driven, node)) is not None:
        return made
    generator_ends.check_advanced(run, f.definition.node, driven.args.values(), node)
    if ends(f.definition.node) and not known:
        iterator_lifetimes.refuse(run, node)
    form = stepped_form(f.definition, _CALLED, _objects(driven))
    if any(s.definition is form for s in run.calls.active):
        run.refuse(
            node,
            f"{f.definition.name!r} runs over itself, and is advanced by next() or beside others",
            "make a list of its items first: xs = list(...)",
        )
    args = {n: _of_argument(run, v, node) for n, v in driven.args.items()}
    _check_apart(run, f, args.values(), node)
    made = run.calls.call(FunctionV(form, f.scope), args, node)
    assert isinstance(made, FunctionV)
    return made


def _object(run: Run, driven: Driven, node: ast.AST) -> Value | None:
    """The iterator as an object of the store; None where the program has none, or something is done
    where it is left: that is known of variables only."""
    store, definition = run.store, driven.function.definition
    if store is None or not store.facts.iterators or ends(definition.node):
        return None
    form = row_form(definition, _CALLED, _objects(driven))
    if form is None:
        return None
    fields, unsure = fields_of(form)
    made_by = (definition, node) if is_of_library(definition) else definition
    name = definition.name.strip("<>")
    group = store.facts.iterators_of(made_by, name, fields - unsure)
    args = {n: _of_argument(run, v, node) for n, v in driven.args.items()}
    store.learn_each(group, {attribute_of(n): v for n, v in args.items()}, node)
    with run.holding(*args.values()):
        new = store.made(group.reference, node)
    store.given_away = store.temporaries([*args.values()])
    whole = FunctionV(form, driven.function.scope)
    made = run.calls.call(whole, {object_of(definition.node): new, **args}, node)
    assert isinstance(made, FunctionV)
    return replace(made, bound=(new,))


def _objects(driven: Driven) -> frozenset[str]:
    """Return the arguments that are objects of which ``for`` makes an iterator."""
    return frozenset(n for n, v in driven.args.items() if is_iterable(v))


def _check_apart(run: Run, f: FunctionV, args: Iterable[Value], node: ast.AST) -> None:
    """Refuse a generator that has one iterator by two names: it would keep it twice."""
    homes = [_homes(v) for v in (f, *args) if has_functions(v)]
    if any(mine & other for k, mine in enumerate(homes) for other in homes[:k]):
        run.refuse(
            node, f"{f.definition.name!r}, which is advanced by next(), has one iterator twice",
            "give it the iterator once",
        )  # fmt: skip


def of_choice(run: Run, value: Value, node: ast.AST) -> Value:
    """The value of one of several arms: of a generator the iterator, for it is another one in
    another arm."""
    if isinstance(value, (ZipV, EnumerateV, ReversedV)):
        return advanced_over(run, value, node)
    if not isinstance(value, GeneratorV) or value.body is None:
        return value
    run.generators.begin(value, node)
    return advanced(run, value, node)


def as_generator(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a value; a zip, or another view of the items of several, as a generator."""
    if isinstance(value, ZipV) and any(map(is_made, value.items)):
        driven = text_over(run, text.rows, {"source": source_of(run, value, node)})
        return GeneratorV(node, driven, driven)
    given = given_to_view(value)
    if given is None:
        return value
    function = ORDERED[type(value)]
    assert isinstance(function, FunctionType)
    given = tuple(as_generator(run, v, node) for v in given)
    return run.call(FunctionV(definition_of(function), None), given, node)


def is_made(value: Value) -> bool:
    """Whether a value is an iterator, made by an expression or kept by a name."""
    return isinstance(value, (GeneratorV, ZipV, EnumerateV, ReversedV)) or is_iterator(value)


def _driven(run: Run, value: Value, node: ast.AST) -> Driven:
    """The function that yields the items of a value."""
    match value:
        case GeneratorV(body=Driven() as driven):
            return driven
        case GeneratorV():
            run.kind(value, node)  # refuses it
        case _:
            pass
    return text_over(run, text.rows, {"source": source_of(run, value, node)})


def _of_argument(run: Run, value: Value, node: ast.AST) -> Value:
    made = is_made(value) and not is_iterator(value)
    return source_of(run, value, node) if made else value


# --- sources --------------------------------------------------------------------------------------


def source_of(run: Run, value: Value, node: ast.AST) -> Value:
    """What the items of a value are asked from, one after the other."""
    match value:
        case TupleV((Static(_Sort()), *_)):
            return value
        case ZipV(items):
            return TupleV((Static(_ITEMS), *_apart(run, items, node)))
        case EnumerateV(items, start):
            return TupleV((Static(_COUNT), source_of(run, items, node), start))
        case ReversedV(items):
            return TupleV((Static(_BACK), source_of(run, items, node)))
        case GeneratorV(body=Driven()):
            run.generators.begin(value, node)
            return advanced(run, value, node)
        case _ if is_iterator(value):
            return value
        case _:
            pass
    over = run.iterate(value, node)
    if isinstance(over, Driven):
        return advanced(run, GeneratorV(node, over, over), node)
    if isinstance(over, Unrolled):
        made = run.to_list(TupleV(over.items), node)
        return replace(made, owners=made.owners | owners_of(value), fresh=False)
    if (isinstance(value, HashV) or is_view(value)) and over.keep is not None:
        # some of its entries have been deleted, or it is a set, whose items lie apart
        made = run.to_list(value, node)
        return replace(made, owners=made.owners | owners_of(value), fresh=False)
    run.kind(value, node)
    return value


def _apart(run: Run, items: Sequence[Value], node: ast.AST) -> list[Value]:
    """The sources of several values. An iterator that is among them more than once is asked for one
    item after the other: each is kept apart."""
    found = [source_of(run, v, node) for v in items]
    if run.store is not None and run.store.facts.iterators:
        return _each_kept(run, found, node)
    homes = [_homes(v) for v in found]
    several = {h for k, mine in enumerate(homes) for h in mine if any(h in o for o in homes[:k])}
    if any(choices.is_choice(v) and several & mine for v, mine in zip(found, homes, strict=True)):
        run.refuse(
            node,
            "an iterator that is chosen at run time, beside itself",
            "make a list of its items first: xs = list(...)",
        )
    return [
        v if several.isdisjoint(mine) else advanced_over(run, v, node)
        for v, mine in zip(found, homes, strict=True)
    ]


_PLACES: Remembered[ast.AST] = Remembered()


def _each_kept(run: Run, found: list[Value], node: ast.AST) -> list[Value]:
    """The sources, of which each keeps its item while the next ones are asked: of objects it is not
    known which go through one another."""
    moving = [k for k, v in enumerate(found) if _is_moving(v)]
    for k in moving[:-1]:
        place = _PLACES.of(node, k, lambda: ast.copy_location(ast.Pass(), node))
        found[k] = advanced_over(run, found[k], place)
    return found


def _is_moving(source: Value) -> bool:
    """Whether an iterator is in a source."""
    inside = source.items if isinstance(source, TupleV) else ()
    return is_iterator(source) or any(map(_is_moving, inside))


def _homes(value: Value) -> set[tuple[Scope, str]]:
    """Where the items are that the iterators in a source have."""
    return {v.home for v in variables({FUNCTION: value}) if v.name == VALUE}


def advanced_over(run: Run, value: Value, node: ast.AST) -> Value:
    """An iterator over the items of a source."""
    return advanced(run, once(value, lambda: run.iterate(value, node), node), node)


def source(items: object, name: str) -> object:
    """The source of what a ``for`` runs over, which gets this name."""
    return items


def after(k: int) -> int:
    """The number of the next item."""
    return k + 1


@register(source)
def _source(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    made = source_of(sp, args[0], node)
    if len(args) == 1 and is_iterable(args[0]):
        sp.refuse(
            node, "a generator that is advanced, and goes through an object that it has made",
            "make the iterator where the loop begins: for v in iter(items)",
        )  # fmt: skip
    if args[0] is not made and any(map(iterator_lifetimes.is_ending, functions_in(made))):
        iterator_lifetimes.refuse(sp, node)  # nobody leaves it where the loop is left
    if len(args) == 1:
        return made
    name, around = args[1:]
    assert isinstance(name, Static) and isinstance(around, Static)
    if is_iterator(args[0]) and _is_shared(sp, args[0]):
        if around.value is None or _is_bound_anew(sp, str(around.value)):
            sp.refuse(
                node, "a generator goes through an iterator that something else has, too",
                "give it the iterator as an argument",
            )  # fmt: skip
        return Static(_BY_NAME)
    for scope in chain(sp.scope):
        held = scope.names.get(str(name.value))
        if held is not None:
            old = held.value if isinstance(held, CellV) else held
            assert old is not None
            if old is UNSET and any(map(is_iterator, functions_in(made))):
                raise settling.Begun(str(name.value), kind_of(made))
            return made if isinstance(old, Stale) else _renewed(sp, old, made, node)
    return made


def _is_shared(run: Run, iterator: Value) -> bool:
    """Whether a variable has an iterator."""
    mine = _homes(iterator)
    known = (v for s in chain(run.scope) for n, v in s.names.items() if not n.startswith("."))
    values = (v.value if isinstance(v, CellV) else v for v in known)
    return any(v is not None and has_functions(v) and mine & _homes(v) for v in values)


def _is_bound_anew(run: Run, name: str) -> bool:
    """Whether the function around that has a variable may bind it more than once."""
    owner = next((s for s in chain(run.scope) if name in s.locals), None)
    inside = (f.definition.node for f in run.frames if f.scope is owner and f.definition)
    return any(
        sum(isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
            for n in ast.walk(node)) > 1
        for node in inside
    )  # fmt: skip


def named(kept: object, variable: object) -> object:
    """The source that a variable of an iterator keeps, or that a variable around it has."""
    return variable if kept is _BY_NAME else kept


@register(named)
def _named(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    kept, variable = args
    return variable if isinstance(kept, Static) and kept.value is _BY_NAME else kept


def renewed(run: Run, old: Value, new: Value, node: ast.AST) -> Value:
    """What a name holds that held an iterator, and gets another one: if no other name has the old
    one, and it is of the same function, its variables get new values."""
    if not is_iterator(old) or run.frame.sealed or run.scope is not function_scope(run.scope):
        return new
    mine = _homes(old)
    known = [v for s in chain(run.scope) if s.live for v in s.names.values()]
    others = [v for v in known if v is not old and has_functions(v)]
    if any(mine & _homes(v) for v in others) or any(h[0] is not run.scope for h in mine):
        return new
    return _renewed(run, old, new, node)


def _renewed(run: Run, old: Value, new: Value, node: ast.AST) -> Value:
    """An iterator that a generator makes anew: its variables are those that the one before had,
    which nobody else knows."""
    match old, new:
        case TupleV(items), TupleV(others) if len(items) == len(others):
            parts = (_renewed(run, a, b, node) for a, b in zip(items, others, strict=True))
            return TupleV(tuple(parts), old.is_list)
        case FunctionV(definition, Scope() as mine), FunctionV(again, Scope() as theirs) if (
            definition is again and mine is not theirs
        ):
            for name in sorted(mine.names.keys() & theirs.names.keys()):
                held, value = mine.names[name], captured_value(theirs, name)
                if isinstance(held, CellV) and not isinstance(value, Stale):
                    same = coerce(run, value, kind_of(captured_value(mine, name)), node)
                    set_variable(run, (held.scope, held.name), same, node)
            return old
        case _:
            return new


@register(after)
def _after(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return index_scalar(sp.b.prim("add", sp.scalar(args[0], node).atom, i64(1)))


@register(text.more)
def _more(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    items, k, *given = args
    more = partial(_has_more, sp, items, sp.scalar(k, node).atom, node)
    if not given:
        return more()
    value, thrown = given
    truth = sp.truth(sending.gone_on(sp, items, value, thrown, more, node), node)
    return Static(truth) if isinstance(truth, bool) else Scalar(truth, py=True, bits=1)


def _has(run: Run, items: Value, k: Atom, node: ast.AST) -> bool | Atom:
    """Whether a source has an item with this number; an iterator goes on."""
    match items:
        case TupleV((Static(_Sort() as sort), first, *rest)):
            some = _has(run, first, k, node)
            for other in rest if sort is _ITEMS else ():
                more = partial(_has_more, run, other, k, node)
                some = run.truth(run.branch(some, more, lambda: Static(False), node), node)
            return some
        case TupleV((Static(_Sort()),)):
            return False
        case _ if is_iterator(items):
            return run.truth(run.call(items, (Static(GO),), node), node)
        case _:
            return run.b.prim("lt", k, _found(run, items, node).length)


def _has_more(run: Run, items: Value, k: Atom, node: ast.AST) -> Value:
    truth = _has(run, items, k, node)
    return Static(truth) if isinstance(truth, bool) else Scalar(truth, py=True, bits=1)


@register(text.item)
def _item(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    assert isinstance(sp, Run)
    items, k = args
    return _at(sp, items, sp.scalar(k, node).atom, node)


def _at(run: Run, items: Value, k: Atom, node: ast.AST) -> Value:
    """The item of a source that has one."""
    match items:
        case TupleV((Static(_Sort() as sort), *rest)) if sort is _ITEMS:
            return TupleV(tuple(_at(run, v, k, node) for v in rest))
        case TupleV((Static(_Sort() as sort), first, start)) if sort is _COUNT:
            number = run.binop("+", start, Scalar(k, py=True, bits=31), node)
            return TupleV((number, _at(run, first, k, node)))
        case TupleV((Static(_Sort()), first)):
            last = ext.sub(run, _found(run, first, node).length, i64(1))
            return _at(run, first, run.b.prim("sub", last, k), node)
        case _ if is_iterator(items):
            return run.call(items, (Static(GIVE),), node)
        case _:
            return _found(run, items, node).at(k)


def _found(run: Run, items: Value, node: ast.AST) -> Indexed:
    found = indexed(run.iterate(items, node))
    if found is None:
        run.refuse(
            node,
            f"{run.describe(items)} beside other iterators, or advanced by next()",
            "make a list of it",
        )
    return found


_CALLED = {
    SOURCE: source, MORE: text.more, ITEM: text.item, AFTER: after, TOLD: sending.told,
    NAMED: named, SETTLE: settling.settle,
}  # fmt: skip
"""The functions that the text of an iterator calls."""

__all__ = [
    "advanced", "advanced_over", "as_generator", "is_made", "of_choice", "renewed", "source_of",
]  # fmt: skip
