"""Containers of the standard library that are arguments: plain data in a class of its own.

A deque is a list and a bound, a Counter a dict, a ChainMap a tuple of dicts, a range three ints, a
generator of random numbers the words of its state. So plain data crosses (``held``), and what is no
data is known (``extra``: a factory, the step of a slice). The entry makes the container of both
(``memory.given_containers``), and a result is put together of them again.
"""

from __future__ import annotations

import json
import random
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pullback.core import draws
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.scipy_objects import ROWS, Row, held_attributes
from pullback.frontend.python.container_bases import held_by
from pullback.frontend.python.instances import bare
from pullback.frontend.python.object_classes import attributes_of, is_container_class


class Wrapper(NamedTuple):
    """How a container is taken apart into plain data (``held``) and the rest (``extra``), and
    put together of both; ``inside``: the objects in it that may be updated; ``tangent``: how a
    tangent of this class is taken apart, if otherwise; ``adjoint``: the data of a cotangent of the
    class, of that of a cotangent and of the data of the value."""

    held: Callable[[Any], object]
    together: Callable[[Any, Any], object]
    extra: Callable[[Any], object] = lambda _: None
    inside: Callable[[Any], Iterable[object]] = lambda value: ()
    tangent: Callable[[Any], object] | None = None
    adjoint: Callable[[Any, Any], object] = lambda held, _: held


def _values(value: dict[Any, Any]) -> Iterable[object]:
    return value.values()


def _range(bounds: tuple[Any, Any, Any], _: object) -> range | None:
    return None if bounds[0] is None else range(*bounds)


def _slice(bounds: tuple[Any, Any] | None, step: Any) -> slice | None:
    return None if bounds is None else slice(*bounds, int(step) if step else None)


def _step(value: slice) -> str:
    step = value.step
    if step is not None and not isinstance(step, (int, np.integer)):
        raise ArgumentTypeError(f"a slice with the step {step!r}", "give it an int")
    return "" if step is None else str(int(step))


def _generator(cls: type, words: Any, _: object) -> object:
    return None if words is None else draws.with_words(words, cls)


def _bits(generator: Any) -> Iterable[object]:
    """Return the bit generator, from which others may draw, too."""
    found = getattr(generator, "bit_generator", None) or getattr(generator, "_bit_generator", None)
    return () if found is None else (found,)


GENERATORS: tuple[type, ...] = np.random.Generator, np.random.RandomState, random.Random
"""The classes of generators of random numbers."""

CAPTURED: tuple[type, ...] = *GENERATORS, range, slice
"""The classes whose objects are taken apart where they are captured."""

SERIES: tuple[type, ...] = tuple(getattr(np.polynomial, name) for name in (
    "Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre",
))  # fmt: skip
"""The classes of ``numpy.polynomial``."""


def _series(value: Any) -> tuple[object, ...]:
    return value.coef, value.domain, value.window


def _of_series(cls: type, held: Any, symbol: Any) -> object:
    return None if held is None else cls(*held, symbol or "x")


WRAPPERS: dict[type, Wrapper] = {
    deque: Wrapper(
        lambda d: (list(d), d.maxlen), lambda held, _: deque(*held), inside=list,
        tangent=lambda d: (list(d), None),
    ),
    defaultdict: Wrapper(
        dict, lambda held, make: defaultdict(make, held), lambda d: d.default_factory, _values
    ),
    Counter: Wrapper(dict, lambda held, _: Counter(held), inside=_values),
    OrderedDict: Wrapper(dict, lambda held, _: OrderedDict(held), inside=_values),
    ChainMap: Wrapper(
        lambda c: tuple(c.maps), lambda held, _: ChainMap(*held), inside=lambda c: c.maps
    ),
    range: Wrapper(lambda r: (r.start, r.stop, r.step), _range),
    slice: Wrapper(lambda s: (s.start, s.stop), _slice, _step),
    **{
        cls: Wrapper(draws.words_of, partial(_generator, cls), inside=_bits) for cls in GENERATORS
    },
    **{
        cls: Wrapper(_series, partial(_of_series, cls), lambda p: p.symbol) for cls in SERIES
    },
    np.poly1d: Wrapper(
        lambda p: p.coeffs, lambda held, name: np.poly1d(held, variable=name), lambda p: p.variable
    ),
}  # fmt: skip

# --- classes of users whose base is a container --------------------------------------------------


def wrapper_of(cls: type) -> Wrapper | None:
    """Return how objects of a class are taken apart; None if they are not."""
    found = WRAPPERS.get(cls)
    if found is None and is_container_class(cls):
        found = Wrapper(
            _attributes, partial(_with_attributes, cls), _names,
            inside=_inside,
        )  # fmt: skip
    return found


def _names(value: object) -> str:
    """Return the names of the attributes of an object, the container itself among them."""
    return "\0".join(attributes_of(value))


def _attributes(value: object) -> tuple[object, ...]:
    return tuple(attributes_of(value).values())


def _inside(value: object) -> Iterable[object]:
    held = attributes_of(value)
    for name in held_by(type(value)):
        items = held.pop(name)
        if isinstance(items, (float, int, str)):
            yield items
        else:
            yield from items.values() if isinstance(items, dict) else items
    yield from held.values()


def _with_attributes(cls: type, held: Any, names: Any) -> object:
    if held is None:
        return None
    return bare(cls, dict(zip(names.split("\0"), held, strict=True)))


# --- sparse matrices: SciPy is imported by whoever has one ----------------------------------------

ARRAYS = {
    "csr": ("data", "indices", "indptr"), "csc": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"), "dia": ("data", "offsets"),
}  # fmt: skip
"""The formats of ``scipy.sparse`` that cross, and the arrays that they consist of."""

SPARSE = {
    (f"scipy.sparse._{name}", f"{name}_{what}"): name
    for name in ARRAYS
    for what in ("array", "matrix")
}
"""The classes of sparse matrices and arrays by their modules and names, and their formats."""


SPARSE_BASES = {("scipy.sparse._base", "sparray"), ("scipy.sparse._matrix", "spmatrix")}
"""The base classes of the arrays and of the matrices."""


ROTATION = "scipy.spatial.transform._rotation", "Rotation"
TURNS = {ROTATION, (ROTATION[0], "Slerp")}
"""Rotations, which are quaternions, and what interpolates them."""


MASKED = "numpy.ma", "MaskedArray"


def _masked_parts(array: Any) -> tuple[object, ...]:
    mask, fill = array._mask, array._fill_value
    if array.dtype.names or not array.ndim:
        raise ArgumentTypeError("a masked array of records, or without axes", "pass an array")
    if array.hardmask:
        raise ArgumentTypeError("a masked array with a hard mask", "soften its mask before")
    hidden = mask if np.ndim(mask) else None
    return np.asarray(array.data), hidden, None if fill is None else fill[()]


def _masked(cls: Any, held: Any, _: object) -> object:
    if held is None or held[0] is None:
        return None
    data, mask, fill = held
    made = cls(data, fill_value=fill)
    if mask is not None:
        made.mask = mask
    return made


def _with_mask(held: Any, of: Any) -> object:
    """Return the data of a gradient, which is masked where the array is."""
    return held if held is None or of is None else (held[0], of[1], None)


def is_met(cls: type) -> bool:
    """Whether a class is one of SciPy's, or that of masked arrays, whose objects cross; it is known
    to ``WRAPPERS`` from now on."""
    name = cls.__module__, cls.__name__
    if name == MASKED and cls not in WRAPPERS:
        WRAPPERS[cls] = Wrapper(_masked_parts, partial(_masked, cls), adjoint=_with_mask)
    if name in SPARSE and cls not in WRAPPERS:
        names = ARRAYS[SPARSE[name]]
        WRAPPERS[cls] = Wrapper(
            partial(_arrays_of, names), partial(_sparse, cls),
            inside=lambda m: [getattr(m, name) for name in names], adjoint=_with_places,
        )  # fmt: skip
    if name == ROTATION:
        WRAPPERS[cls] = Wrapper(lambda r: (r.as_quat(),), partial(_rotation, cls))
    if name in ROWS and cls not in WRAPPERS:
        row = ROWS[name]
        WRAPPERS[cls] = Wrapper(
            row.data, partial(_of_row, row, cls), lambda v: json.dumps(row.known(v)),
            inside=lambda v: [x for x in row.data(v) if isinstance(x, np.ndarray)],
        )  # fmt: skip
    return name in SPARSE or name in (ROTATION, MASKED) or name in ROWS


def _of_row(row: Row, cls: type, held: Any, known: Any) -> object:
    return None if held is None or held[0] is None else row.made(cls, held, json.loads(known))


def _rotation(cls: Any, held: Any, _: object) -> object:
    return None if held is None or held[0] is None else cls(held[0], normalize=False)


def _arrays_of(names: tuple[str, ...], matrix: Any) -> object:
    if matrix.ndim != 2:
        raise ArgumentTypeError(f"a sparse array with {matrix.ndim} axes", "pass an array")
    rows, cols = map(int, matrix.shape)
    return (*[getattr(matrix, name) for name in names], (rows, cols))


def _with_places(held: Any, of: Any) -> object:
    """Return the data of a gradient: its entries are where those of the matrix are."""
    if held is None or of is None:
        return held
    _, *places, shape = of
    return (held[0], *map(np.copy, places), shape)


def _sparse(cls: Any, held: Any, _: object) -> object:
    if held is None or held[0] is None:
        return None
    *arrays, shape = held
    if arrays[1] is None:
        raise ArgumentTypeError(
            f"the gradient by a {cls.__name__} is not known here",
            "differentiate by its entries: a function of data that makes the matrix of them",
        )
    if SPARSE[cls.__module__, cls.__name__] == "coo":
        return cls((arrays[0], (arrays[1], arrays[2])), shape=shape)
    return cls(tuple(arrays), shape=shape)


__all__ = [
    "ARRAYS", "CAPTURED", "GENERATORS", "MASKED", "ROTATION", "SPARSE", "SPARSE_BASES", "TURNS",
    "WRAPPERS", "Wrapper", "held_attributes", "is_met", "wrapper_of",
]  # fmt: skip
