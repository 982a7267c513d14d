"""The functions that library texts call besides NumPy and Python: ``unsupported``, ``times``,
``known``, ``axes``, ``of_axis``, ``parameters_of``, ``takes_only``, ``view_of``, ``one_type``,
``same_shape``, ``go_together``, ``each``, ``contents`` and ``items_of``."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from pullback.errors import ArgumentValueError
from pullback.frontend.interpret import making
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    ArrayV,
    FunctionV,
    HashV,
    ListV,
    OperatorV,
    RecordV,
    RefV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import NONE, Args, Kwargs
from pullback.frontend.library.numpy.arrays import elementwise
from pullback.frontend.library.numpy.broadcasting import broadcast
from pullback.frontend.library.numpy.elementwise import strong
from pullback.frontend.library.told import not_together
from pullback.frontend.memory import container_objects
from pullback.frontend.python.container_bases import order_of
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def unsupported(reason: str, rewrite: str) -> NoReturn:
    """Refuse a call at compile time, where the text does not have the meaning of the library
    function."""
    raise NotImplementedError(f"{reason}: {rewrite}")


@register(unsupported)
def _unsupported(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    reason, rewrite = (str(sp.static(v, node, "a message")) for v in args)
    sp.refuse(node, f"{reason} is not supported", rewrite)


def times(number: int) -> Any:
    """Return an iterator for ``for _ in times(n)``, which runs n times. n is known at compile time:
    the loop is unrolled."""
    return (None,) * number


@register(times)
def _times(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (number,) = args
    return TupleV((NONE,) * sp.static_int(number, node, "how often something is done"))


def known(number: Any) -> Any:
    """Return an int, or a tuple of ints, that must be known at compile time: what is computed of it
    is known, too (an axis counted from 0)."""
    return number


@register(known)
def _known(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (number,) = args
    if isinstance(number, TupleV):
        return TupleV(tuple(_known(sp, (v,), {}, node) for v in number.items))
    return Static(sp.static_int(number, node, "an axis"))


def axes(array: Any, last: bool = False) -> tuple[int, ...]:
    """Return the axes of an array, which are known; ``last``: counted from the end, as -2, -1."""
    n: int = array.ndim
    return tuple(range(-n, 0) if last else range(n))


@register(axes)
def _axes(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    array, *last = args
    assert isinstance(array, ArrayV)
    return TupleV(tuple(Static(k - array.rank if last else k) for k in range(array.rank)))


def of_axis(value: Any, axis: int) -> Any:
    """Return what is meant for an axis: one value for all, or one for each; known, if that is."""
    return value[axis] if isinstance(value, (tuple, list, np.ndarray)) else value


@register(of_axis)
def _of_axis(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    value, axis = args
    if isinstance(value, TupleV):
        k = sp.static_int(axis, node, "an axis")
        if k >= len(value.items):
            sp.refuse(node, "fewer values than axes", error=ArgumentValueError)
        return value.items[k]
    if isinstance(value, (ArrayV, ListV)):
        return sp.subscript(value, axis, node)
    return value


def parameters_of(f: Any) -> int:
    """Return how many positional parameters a function has."""
    return len(inspect.getfullargspec(f).args)


@register(parameters_of)
def _parameters_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (f,) = args
    if not isinstance(f, FunctionV):
        sp.refuse(node, "a function whose number of parameters is not known is not supported",
                  "give the first values of the parameters")  # fmt: skip
    named = f.definition.node.args
    if named.vararg is not None:
        sp.refuse(node, "a function of any number of parameters is not supported here",
                  "give each parameter a name")  # fmt: skip
    return Static(len(named.posonlyargs) + len(named.args) - len(f.bound))


def takes_only(f: Any, name: str) -> bool:
    """Return whether a function has one parameter, of this name."""
    return set(inspect.signature(f).parameters) == {name}


@register(takes_only)
def _takes_only(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, name = args
    return Static(set(_names(cast("Run", sp), f)) == {sp.static(name, node, "a name")})


def _names(run: Run, f: Value) -> list[str]:
    """Return the names of the parameters that a function of the user's still has."""
    match f:
        case FunctionV(definition, bound=bound):
            named = definition.node.args
            every = [p.arg for p in (*named.posonlyargs, *named.args)][len(bound) :]
            more = (*named.kwonlyargs, named.vararg, named.kwarg)
            return every + [p.arg for p in more if p is not None]
        case OperatorV("partial", function, options, given):
            return _names(run, function)[len(given) - len(options) :]
        case RecordV() | RefV():
            classes = container_objects.classes_of(run, f)
            called = [inspect.signature(c.__call__).parameters for c in classes]
            return [n for names in called for n in list(names)[1:]]
        case _:
            return []


def one_type(number: Any) -> Any:
    """Return a number that is of one type whatever happens: not an int on one path and a float on
    another, which the library would make what the first one is."""
    return number


@register(one_type)
def _one_type(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (number,) = args
    if isinstance(number, TupleV):
        sp.refuse(node, "a function that gives several results is not supported here",
                  "one call for each result")  # fmt: skip
    if isinstance(number, Scalar) and number.is_int is not None:
        reason = "a function that gives an int here and a float there (the first result decides)"
        sp.refuse(node, f"{reason} is not supported", "give floats: 0.0 and not 0")
    return number


def view_of(made: Any, array: Any) -> Any:
    """Return ``made``, which in the library is a view of the array that cannot be updated: it may
    not be used any more once the array is updated."""
    return made


@register(view_of)
def _view_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    made, array = args
    if not isinstance(made, ArrayV) or not isinstance(array, ArrayV):
        return made
    return ext.note(sp, sp.view(made.atom, array), ext.extents(sp, made))


def same_shape(a: Any, b: Any, message: str) -> None:
    """Raise ValueError unless these arrays have one shape; the code that follows may rely on it."""
    if a.shape != b.shape:
        raise ValueError(message)


@register(same_shape)
def _same_shape(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    a, b, message = args
    assert isinstance(a, ArrayV) and isinstance(b, ArrayV)
    text = str(sp.static(message, node, "a message"))
    for mine, theirs in zip(ext.extents(sp, a), ext.extents(sp, b), strict=True):
        ext.check_equal(sp, mine, theirs, text, node)
    return NONE


def go_together(*arrays: Any) -> None:
    """Raise ValueError unless the arrays can be broadcast to one shape."""
    np.broadcast_arrays(*arrays)


@register(go_together)
def _go_together(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    numbers = [k for k, a in enumerate(args) if not isinstance(a, ArrayV)]
    arrays = [a for a in args if isinstance(a, ArrayV)]
    if arrays:
        broadcast(sp, arrays, node, ext.NO_BROADCAST, partial(not_together, numbers))
    return NONE


def each(f: Callable[[Any], Any], x: Any) -> Any:
    """Return ``f`` of a number, or of every item of an array of any rank, in its shape."""
    items = np.asarray(x)
    return np.array([f(v) for v in items.ravel()]).reshape(items.shape) if items.ndim else f(x)


@register(each)
def _each(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    f, x = args
    array = sp.call(Static(np.asarray), (x,), node) if isinstance(x, (ListV, TupleV)) else x

    def one(items: Sequence[Value]) -> Value:
        return sp.call(f, [strong(sp, v, node) for v in items], node)

    return elementwise(sp, (array,), one, node)


def contents(value: Any) -> Any:
    """Return the list or dict that an object of a class derived from one is, whatever its class has
    overridden; anything else as it is."""
    return value


@register(contents)
def _contents(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return container_objects.contents(cast("Run", sp), args[0], node)


def has_missing(mapping: Any) -> bool:
    """Return whether a dict says itself what an item is that it lacks: a defaultdict, a Counter, an
    object of a class with a ``__missing__``."""
    return hasattr(type(mapping), "__missing__")


@register(has_missing)
def _has_missing(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    value = opened(cast("Run", sp), args[0], node)
    match value:
        case HashV(cls):
            return Static(hasattr(cls, "__missing__"))
        case RecordV() | RefV():
            classes = container_objects.classes_of(cast("Run", sp), value)
            return Static(any("__missing__" in vars(c) for cls in classes for c in order_of(cls)))
        case _:
            sp.refuse(node, f"{sp.describe(value)} in a ChainMap", "pass dicts")


def holding(cls: type, value: Any) -> Any:
    """Return a new object of a class derived from that of a number, text or tuple, which holds
    this one."""
    return value


@register(holding)
def _holding(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    cls, value = args
    return making.holding(cast("Run", sp), cls, value, node)


def items_of(value: Any) -> Any:
    """Return the same for who goes through it: an ``__iter__`` of the class is asked."""
    return value


@register(items_of)
def _items_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return container_objects.gone_through(cast("Run", sp), args[0], node)
