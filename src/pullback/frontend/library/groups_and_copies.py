"""Call ``itertools.groupby`` and ``tee``: each place that calls one of them has classes of its own,
so that their items may be of other types in another place."""

from __future__ import annotations

import ast
import itertools

from pullback.frontend.interpret.advancing import advanced_over, of_choice
from pullback.frontend.interpret.iteration import is_iterator
from pullback.frontend.kinds.values import RecordV, RefV, Specialiser, Static, Value, register
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import shared_iterators as text
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.special_methods import is_iterable
from pullback.frontend.run import Run

_CLASSES: Remembered[type] = Remembered()


def _class_at(node: ast.AST, cls: type) -> Static:
    """Return the class of the objects that this call makes."""

    def copied() -> type:
        own = {n: v for n, v in vars(cls).items() if n not in ("__dict__", "__weakref__")}
        return type(cls.__name__, (), own)

    return Static(_CLASSES.of(node, cls, copied))


@register(itertools.groupby)
def groupby(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    items, key = bind(sp, "groupby", args, kwargs, node, iterable=MISSING, key=NONE)
    classes = (_class_at(node, c) for c in (text.Groups, text.Group))
    return run_program(sp, text.groups, (*classes, _iterator(sp, items, node), key), node)


@register(itertools.tee)
def tee(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    one, n = bind(sp, "tee", args, kwargs, node, iterable=MISSING, n=Static(2))
    if isinstance(one, (RecordV, RefV)) and (cls := _class_of_copy(one.cls)) is not None:
        return run_program(sp, text.more_copies, (Static(cls), one, n), node)
    classes = (_class_at(node, c) for c in (text.Source, text.Copy))
    return run_program(sp, text.copies, (*classes, _iterator(sp, one, node), n), node)


def _class_of_copy(cls: type) -> type | None:
    """Return the class, or that of which this is one of references, if ``tee`` makes its
    objects."""
    own = vars(text.Copy)["__next__"]
    return next((c for c in cls.__mro__ if vars(c).get("__next__") is own), None)


def _iterator(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    """Return ``iter(value)`` as an iterator that an object may keep."""
    assert isinstance(sp, Run)
    sp.generators.met = True
    if sp.store is None or not sp.store.facts.iterators:
        sp.refuse(
            node, "an iterator that several go through, in a program that has no form with objects",
            "make a list of its items; a loop that remembers the last key finds groups",
        )  # fmt: skip
    made = sp.call(Static(iter), (value,), node)
    if is_iterable(made) or is_iterator(made):
        return made
    chosen = of_choice(sp, made, node)
    return chosen if is_iterator(chosen) else advanced_over(sp, made, node)
