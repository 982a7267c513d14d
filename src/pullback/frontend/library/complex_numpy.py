"""Compile NumPy's functions and methods of complex numbers and arrays.

A function is one of these: it has a text (``text.complex_arrays``); it does the same with the real
and with the imaginary parts (sums, shapes, slices); it is linear in each of its arguments
(products); it makes an array of a complex dtype. Functions that are nowhere here are refused.
"""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from pullback.core.types import F32, F64, Real
from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret.complex_values import (
    is_array,
    is_operand,
    numpy_pair,
    numpy_parts,
    of_parts,
    parts,
)
from pullback.frontend.kinds.complex_pairs import is_complex, is_complex_array
from pullback.frontend.kinds.values import (
    ATTRIBUTES,
    CALLS,
    METHODS,
    ArrayV,
    ListV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.complex_calls import (
    OF_COMPLEX,
    OF_COMPLEX_DTYPE,
    complex_dtype,
    holds_complex,
)
from pullback.frontend.library.numpy import array_methods, rearrange
from pullback.frontend.library.text import complex_arrays as texts
from pullback.frontend.python.python_values import with_defaults

Text = Callable[..., object]
Numbers = Callable[[Specialiser, Value, ast.AST], Value]


def has_text(text: Text, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return the result of a function that has a text, whose first arguments are pairs."""
    names = [n for n, p in inspect.signature(text).parameters.items() if p.annotation == "Pair"]
    given = list(args)
    options = dict(kwargs)
    given += [options.pop(n) for n in names[len(given) :] if n in options]
    arrays = any(isinstance(v, ArrayV) or is_complex_array(v) for v in given)
    pairs = [numpy_parts(sp, as_array(sp, v, node), node, not arrays) for v in given[: len(names)]]
    function = with_defaults(text)  # type: ignore[arg-type]  # a function of Python
    found = sp.call(function, [*pairs, *given[len(names) :]], node, options)
    return numpy_pair(sp, found, node) if text.__annotations__["return"] == "Pair" else found


def as_array(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    """Return a list of numbers as an array, and other values as they are."""
    listed = isinstance(value, (TupleV, ListV))
    return sp.call(Static(np.asarray), (value,), node) if listed else value


def part_of(sp: Specialiser, value: Value, name: str, node: ast.AST) -> Value:
    """Return the real or the imaginary parts of all that is in a value."""
    match value:
        case RecordV() if is_complex(value):
            return value.fields[name]
        case TupleV(items, is_list):
            return TupleV(tuple(part_of(sp, v, name, node) for v in items), is_list)
        case ListV(length):
            return sp.sequence(
                length,
                lambda i: part_of(sp, sp.element(value, i, node, False), name, node),
                node,
            )
        case ArrayV():
            real = name == "real"
            return value if real else sp.call(Static(np.zeros_like), (value,), node)
        case _:
            return value if name == "real" else Static(0.0)


def joined(
    sp: Specialiser, parts: Iterable[Value], node: ast.AST, number: Numbers = numpy_pair
) -> Value:
    """Return what has these real and imaginary parts. ``number`` makes the numbers."""
    real, imag = parts
    if isinstance(real, TupleV) and isinstance(imag, TupleV):
        pairs = zip(real.items, imag.items, strict=True)
        return TupleV(tuple(joined(sp, both, node, number) for both in pairs), real.is_list)
    if isinstance(real, ListV) and isinstance(imag, ListV):
        lists = real, imag
        return sp.sequence(
            real.length,
            lambda i: joined(sp, [sp.element(v, i, node, False) for v in lists], node, number),
            node,
        )
    return number(sp, TupleV((real, imag)), node)


def partwise(
    function: Hashable, places: Sequence[int], sp: Specialiser, args: Args, kwargs: Kwargs,
    node: ast.AST,
) -> Value:  # fmt: skip
    """Return the result of a function that does the same with both parts of the arguments at these
    places."""
    made = []
    options, dtype = _without_dtype(sp, kwargs, node)
    if dtype is not None and function not in _OF_LISTS:
        sp.refuse(node, "dtype= here")
    _require_plain(sp, function, args, options, node)
    others = [v for k, v in enumerate(args) if k not in places]
    if any(map(holds_complex, (*others, *options.values()))):
        sp.refuse(node, f"complex numbers as this argument of {_name_of(function)}")
    for name in ("real", "imag"):
        given = [
            part_of(sp, v, name, node) if k in places else v for k, v in enumerate(args)
        ]
        if dtype is not None and function in _OF_LISTS:
            given[0] = sp.call(Static(function), given[:1], node, {"dtype": dtype})
        made.append(sp.call(Static(function), given, node, options))
    return joined(sp, made, node)


def squeezed(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    part = args[0].fields["real"] if args and isinstance(args[0], RecordV) else None
    array = part if isinstance(part, ArrayV) and len(args) == 1 and not kwargs else None
    if array is not None and rearrange.perhaps_single(sp, array)[1].items:
        reason = "which axes of a complex array have extent 1 is not known here"
        sp.refuse(node, reason, "give axis=")
    return partwise(np.squeeze, (0,), sp, args, kwargs, node)


_NOT_OF_PARTS = frozenset({"initial", "where", "out", "dtype", "prepend", "append"})
"""Arguments that mean something else for a real and for an imaginary part."""
_MOST = {"sum": 2, "mean": 2, "cumsum": 2, "diff": 3, "trace": 4}
"""How many arguments come before those, where they may be given by position."""


def _name_of(function: Hashable) -> str:
    return str(getattr(function, "__name__", function))


def _require_plain(
    sp: Specialiser, function: Hashable, args: Args, kwargs: Kwargs, node: ast.AST
) -> None:
    """Refuse arguments that mean something else for the parts."""
    name = _name_of(function)
    wrong = sorted(_NOT_OF_PARTS & kwargs.keys())
    if wrong or len(args) > _MOST.get(name, len(args)):
        sp.refuse(node, f"{', '.join(wrong) or 'so many arguments'} of {name} of complex numbers")


def _without_dtype(sp: Specialiser, kwargs: Kwargs, node: ast.AST) -> tuple[Kwargs, Value | None]:
    """Return the keywords without a complex dtype, and the dtype of the parts."""
    dtype = complex_dtype(kwargs.get("dtype"))
    if dtype is None:
        return dict(kwargs), None
    return {n: v for n, v in kwargs.items() if n != "dtype"}, Static(dtype)


def multilinear(
    function: Hashable, first: int, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return the result of a function that is linear in each argument from ``first`` on."""
    before = args[:first]
    given = [as_array(sp, v, node) if k >= first else v for k, v in enumerate(args)][first:]
    total: dict[int, Value] = {}
    choices = [("real", "imag") if is_complex(v) else ("",) for v in given]
    for names in itertools.product(*choices):
        parts = [v if not n else part_of(sp, v, n, node) for v, n in zip(given, names, strict=True)]
        term = sp.call(Static(function), [*before, *parts], node, kwargs)
        power = names.count("imag")
        op = "+" if power % 4 < 2 else "-"
        k = power % 2
        if k in total:
            total[k] = sp.binop(op, total[k], term, node)
        else:
            total[k] = term if op == "+" else sp.unary("-", term, node)
    return numpy_pair(sp, TupleV((total[0], total[1])), node)


def vdot(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    a, b = (sp.call(Static(np.ravel), (as_array(sp, v, node),), node) for v in args)
    conjugate = sp.call(Static(np.conjugate), (a,), node)
    return sp.call(Static(np.dot), (conjugate, b), node)


def chosen(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.where(c, x, y)"""
    condition, *arms = args
    if is_complex(condition) or len(arms) != 2 or kwargs:
        sp.refuse(node, "np.where of a complex condition", "write z != 0")
    return partwise(np.where, (1, 2), sp, args, kwargs, node)


def made(
    function: Hashable, at: int, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Return a new array of a complex dtype, which may be the argument at a place."""
    given, options = list(args), dict(kwargs)
    named = options.pop("dtype", None)
    if named is None and len(given) > at:
        named = given.pop(at)
    dtype = complex_dtype(named)
    if dtype is None:
        return partwise(function, _DATA[function], sp, given, options, node)
    if function in _OF_LISTS or any(map(is_complex, given)):
        real, imag = (
            sp.call(
                Static(function),
                [part_of(sp, v, n, node) if k in _DATA[function] else v
                 for k, v in enumerate(given)],
                node, {**options, "dtype": Static(dtype)},
            )
            for n in ("real", "imag")
        )  # fmt: skip
        return numpy_pair(sp, TupleV((real, imag)), node)
    real = sp.call(Static(function), given, node, {**options, "dtype": Static(dtype)})
    imag = sp.call(Static(np.zeros_like), (real,), node)
    return numpy_pair(sp, TupleV((real, imag)), node)


_OF_LISTS: frozenset[Hashable] = frozenset({np.array, np.asarray, np.copy, np.ascontiguousarray})
_MADE: dict[Any, int] = {
    np.zeros: 1, np.ones: 1, np.empty: 1, np.full: 2, np.array: 1, np.asarray: 1, np.arange: 3,
    np.eye: 3, np.identity: 1, np.zeros_like: 1, np.ones_like: 1, np.empty_like: 1,
    np.full_like: 2, np.linspace: 5,
}  # fmt: skip
"""Functions that make arrays, with the place of their dtype."""
_DATA: dict[Any, tuple[int, ...]] = {
    **dict.fromkeys(_MADE, (0,)), np.full: (1,), np.full_like: (0, 1), np.linspace: (0, 1),
}  # fmt: skip


def _like(
    function: Hashable, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """np.zeros_like(z) and its likes, without a dtype or with a complex one."""
    x, *rest = args
    if "dtype" in kwargs or (len(rest) > (function is np.full_like)):
        sp.refuse(node, "a dtype for an array like a complex one", "use np.zeros(z.shape, dtype)")
    if function is np.full_like:
        return partwise(function, (0, 1), sp, args, kwargs, node)
    part = part_of(sp, x, "real", node)
    real = sp.call(Static(function), (part,), node, kwargs)
    imag = sp.call(Static(np.zeros_like), (part,), node)
    return numpy_pair(sp, TupleV((real, imag)), node)


def _any_or_all(
    function: Hashable, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    return sp.call(Static(function), (has_text(texts.truth, sp, args[:1], {}, node), *args[1:]),
                   node, kwargs)  # fmt: skip


def array_equal(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    a, b = args
    one, two = (
        sp.call(Static(np.array_equal), [part_of(sp, v, n, node) for v in (a, b)], node, kwargs)
        for n in ("real", "imag")
    )
    return sp.binop("&", one, two, node)


def _part(name: str, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (z,) = args
    return part_of(sp, as_array(sp, z, node), name, node)


def _operator(op: str, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if kwargs:
        sp.refuse(node, "keywords of a ufunc of complex arrays", "use the operator")
    x, y = (numpy_scalar_of(sp, as_array(sp, v, node), node) for v in args)
    return sp.binop(op, x, y, node)


def numpy_scalar_of(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    """Return a complex number of Python as one of NumPy."""
    if is_complex(value):
        return numpy_pair(sp, numpy_parts(sp, value, node, True), node)
    return value


def _text_names() -> list[str]:
    return [n for n, t in vars(texts).items() if inspect.isfunction(t) and n[0] != "_"]


for _name in _text_names():
    _home = np.linalg if _name in ("solve", "inv", "det") else np
    _function = {"divide": np.divide, "truth": None}.get(_name, getattr(_home, _name, None))
    if _function is not None:
        OF_COMPLEX[_function] = partial(has_text, getattr(texts, _name))
OF_COMPLEX[np.conjugate] = partial(has_text, texts.conjugate)

_PARTWISE: dict[str, tuple[int, ...]] = {
    **dict.fromkeys((
        "sum", "mean", "cumsum", "reshape", "ravel", "transpose", "swapaxes", "moveaxis",
        "expand_dims", "concatenate", "stack", "vstack", "hstack", "dstack",
        "column_stack", "roll", "flip", "fliplr", "flipud", "rot90", "repeat", "tile", "take",
        "diff", "diag", "diagonal", "trace", "tril", "triu", "broadcast_to", "copy", "split",
        "array_split", "atleast_1d", "atleast_2d", "permute_dims", "matrix_transpose",
        "ascontiguousarray", "hsplit", "vsplit",
    ), (0,)),
    "append": (0, 1),
}  # fmt: skip
for _name, _places in _PARTWISE.items():
    _function = getattr(np, _name)
    OF_COMPLEX[_function] = partial(partwise, _function, _places)
for _name, _first in (
    ("matmul", 0), ("dot", 0), ("inner", 0), ("outer", 0), ("tensordot", 0), ("kron", 0),
    ("convolve", 0), ("cross", 0), ("einsum", 1),
):  # fmt: skip
    _function = getattr(np, _name)
    OF_COMPLEX[_function] = partial(multilinear, _function, _first)
for _name, _op in (
    ("add", "+"), ("subtract", "-"), ("multiply", "*"), ("divide", "/"), ("power", "**"),
):  # fmt: skip
    OF_COMPLEX[getattr(np, _name)] = partial(_operator, _op)
for _function, _at in _MADE.items():
    OF_COMPLEX_DTYPE[_function] = partial(made, _function, _at), _at
for _function in (np.array, np.asarray, np.full, np.linspace):
    OF_COMPLEX[_function] = partial(made, _function, _MADE[_function])
OF_COMPLEX.update({
    np.where: chosen, np.vdot: vdot, np.squeeze: squeezed, np.array_equal: array_equal,
    np.real: partial(_part, "real"), np.imag: partial(_part, "imag"),
    **{f: partial(_any_or_all, f) for f in (np.any, np.all)},
    **{f: partial(_like, f) for f in (np.zeros_like, np.ones_like, np.empty_like, np.full_like)},
})  # fmt: skip


# --- methods and attributes ----------------------------------------------------------------------


def _by_function(
    function: Hashable, sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    return sp.call(Static(function), (receiver, *args), node, kwargs)


def _by_parts(
    name: str, sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """A method that does the same with both parts."""
    assert isinstance(receiver, RecordV)
    _require_plain(sp, getattr(np, name, name), (receiver, *args), kwargs, node)
    made = [
        sp.call(sp.attribute(part, name, node), args, node, kwargs)
        for part in receiver.fields.values()
    ]
    return joined(sp, made, node)


def astype(sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """z.astype(complex), of a real array, too."""
    dtype = complex_dtype(args[0] if args else kwargs.get("dtype"))
    if dtype is None:
        sp.refuse(node, "a complex array as real numbers", "use z.real", error=ArgumentTypeError)
    made = []
    for name in ("real", "imag"):
        part = part_of(sp, receiver, name, node)
        if isinstance(part, Static):
            part = sp.binop("*", receiver, Static(0), node)
        made.append(sp.call(sp.attribute(part, "astype", node), (Static(dtype),), node))
    return joined(sp, made, node)


def to_list(sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """z.tolist(): lists of Python's numbers."""
    assert isinstance(receiver, RecordV)
    parts = (sp.call(sp.attribute(v, "tolist", node), (), node) for v in receiver.fields.values())
    return joined(sp, parts, node, of_parts)


def item(sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """z.item(): the number of Python."""
    if is_complex_array(receiver) or args or kwargs:
        sp.refuse(node, "an item of a complex array", "write complex(z[0])")
    return sp.call(Static(complex), (receiver,), node)


def attribute_of(name: str, sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    assert isinstance(receiver, RecordV)
    return sp.attribute(receiver.fields["real"], name, node)


def dtype_of(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    assert isinstance(receiver, RecordV)
    part = receiver.fields["real"]
    t = part.elem if isinstance(part, ArrayV) else sp.scalar(part, node).type
    return Static(np.dtype(np.complex64 if t == F32 else np.complex128))


def transposed(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    assert isinstance(receiver, RecordV)
    parts = [sp.attribute(part, "T", node) for part in receiver.fields.values()]
    return joined(sp, parts, node)


for _name in (
    "reshape", "ravel", "flatten", "transpose", "swapaxes", "sum", "mean", "cumsum",
    "copy", "diagonal", "trace", "repeat", "take",
):  # fmt: skip
    METHODS["complex array", _name] = partial(_by_parts, _name)
for _name, _function in (
    ("conj", np.conjugate), ("conjugate", np.conjugate), ("dot", np.dot), ("prod", np.prod),
    ("any", np.any), ("all", np.all), ("var", np.var), ("std", np.std), ("squeeze", np.squeeze),
):  # fmt: skip
    METHODS["complex array", _name] = partial(_by_function, _function)
METHODS["complex array", "astype"] = astype
_ASTYPE = array_methods.array_astype


def _astype(sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The method of real arrays."""
    given = args[0] if args else kwargs.get("dtype")
    return (_ASTYPE if complex_dtype(given) is None else astype)(sp, receiver, args, kwargs, node)


def _itself(sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return receiver


def _no_imag(sp: Specialiser, receiver: Value, node: ast.AST) -> Value:
    made = sp.call(Static(np.zeros_like), (receiver,), node)
    if isinstance(made, Scalar) and not (isinstance(receiver, Scalar) and receiver.rank0):
        return Scalar(made.atom, False)
    return made


METHODS["array", "astype"] = _astype
for _receiver in ("array", "scalar"):
    METHODS[_receiver, "conj"] = METHODS[_receiver, "conjugate"] = _itself
    ATTRIBUTES[_receiver, "imag"] = _no_imag


def scalar(t: Real, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """np.complex128(z) and np.complex64(z), of one number"""
    if len(args) != 1 or kwargs or not is_operand(args[0]) or is_array(args[0]):
        sp.refuse(node, "this scalar of NumPy takes one number", error=ArgumentTypeError)
    pair = (Scalar(sp.convert(v, t, node), False) for v in parts(sp, args[0], node).items)
    return numpy_pair(sp, TupleV(tuple(pair)), node)


for _function, _type in ((np.complex128, F64), (np.complex64, F32)):
    register(_function)(partial(scalar, _type))
    OF_COMPLEX[_function] = partial(scalar, _type)


def _of_real(
    function: Hashable, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """A function of complex arrays, of a real one."""
    x, *rest = args
    return OF_COMPLEX[function](sp, (as_array(sp, x, node), *rest), kwargs, node)


for _function in (np.imag, np.angle, np.isreal, np.iscomplex):
    if _function not in CALLS:
        register(_function)(partial(_of_real, _function))


@register(np.iscomplexobj)
def is_complex_object(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = args
    return Static(holds_complex(x))


OF_COMPLEX[np.iscomplexobj] = is_complex_object
METHODS["complex array", "tolist"] = to_list
METHODS["complex array", "item"] = item
for _name in ("shape", "ndim", "size"):
    ATTRIBUTES["complex array", _name] = partial(attribute_of, _name)
ATTRIBUTES["complex array", "dtype"] = dtype_of
ATTRIBUTES["complex array", "T"] = transposed

__all__ = ["astype", "joined", "part_of", "partwise"]
