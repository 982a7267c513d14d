"""Data of other libraries as arguments: columns of pandas and polars, xarray, Arrow, DLPack.

A row says how a value of a type is read, as arrays and dicts of arrays, and how a gradient by it is
written, with the same index or coordinates. It stands under the type's name, so that no library is
imported for it. The function sees the arrays, which are read-only; labels are not aligned.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pullback.core.frozen import dataclass
from pullback.errors import ArgumentTypeError, ArgumentValueError

Write = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Row:
    """``read(value)`` gives arrays, ``write(value, gradient)`` the gradient in the type's form."""

    read: Callable[[Any], Any]
    write: Write


def _array(value: Any, missing: bool) -> np.ndarray:
    """Return the numbers of a column, or of a whole array, without missing ones."""
    name = type(value).__name__
    if missing:
        raise ArgumentValueError(
            f"a {name} has missing values", "fill them, or leave these rows out, before the call"
        )
    array = np.asarray(value.to_numpy())
    if array.dtype.kind not in "fiub":
        raise ArgumentTypeError(
            f"a {name} of {value.dtype if hasattr(value, 'dtype') else value.type}, not of numbers",
            "convert it to numbers before the call",
        )
    return array


def _pandas(value: Any) -> np.ndarray:
    """A column of pandas; NaN of NumPy's floats is a number like any other."""
    return _array(value, not isinstance(value.dtype, np.dtype) and bool(value.isna().any()))


def _columns(value: Any, names: Iterable[Any], read: Callable[[Any], Any]) -> dict[Any, Any]:
    """Return the columns of a frame by their names, which must differ."""
    given = list(names)
    if len(set(given)) < len(given):
        raise ArgumentValueError(
            f"a {type(value).__name__} has two columns of one name", "rename one of them"
        )
    return {name: read(value[name]) for name in given}


def _reals(gradient: dict[Any, Any]) -> dict[Any, Any]:
    """The columns that have a gradient."""
    return {name: g for name, g in gradient.items() if g is not None}


def _arrow(value: Any) -> np.ndarray:
    if value.null_count:
        return _array(value, True)
    kind = str(value.type)
    if not kind.startswith(("float", "double", "int", "uint", "bool")):
        raise ArgumentTypeError(
            f"Arrow data of {kind}, not of numbers", "convert it to numbers before the call"
        )
    return np.asarray(value.to_numpy())


def _arrow_table(value: Any, gradient: Any) -> Any:
    return sys.modules["pyarrow"].table(_reals(gradient))


def _arrow_array(value: Any, gradient: Any) -> Any:
    return sys.modules["pyarrow"].array(gradient)


def _read_unpacked(value: Any) -> Any:
    device, _ = value.__dlpack_device__()
    if int(device) != 1:
        raise ArgumentTypeError(
            f"a {type(value).__name__} that is not in the memory of the CPU",
            "move it there before the call",
        )
    if getattr(value, "requires_grad", False):
        raise ArgumentTypeError(
            "a tensor that requires a gradient of PyTorch's",
            "use pb.interop.torch.function(f), or pass t.detach()",
        )
    return np.from_dlpack(value)[()]


def _write_packed(value: Any, gradient: Any) -> Any:
    """The gradient as an array of the same library, if that follows the Array API."""
    space = getattr(value, "__array_namespace__", None)
    return gradient if space is None else space().asarray(gradient)


_DLPACK = Row(_read_unpacked, _write_packed)

ROWS: dict[str, Row] = {
    "pandas.Series": Row(_pandas, lambda x, g: type(x)(g, index=x.index, name=x.name)),
    "pandas.DataFrame": Row(
        lambda x: _columns(x, x.columns, _pandas),
        lambda x, g: type(x)(_reals(g), index=x.index),
    ),
    "polars.Series": Row(
        lambda x: _array(x, bool(x.null_count())), lambda x, g: type(x)(x.name, g)
    ),
    "polars.DataFrame": Row(
        lambda x: {s.name: _array(s, bool(s.null_count())) for s in x.get_columns()},
        lambda x, g: type(x)(_reals(g)),
    ),
    "xarray.DataArray": Row(lambda x: _array(x, False), lambda x, g: x.copy(data=g)),
    "xarray.Dataset": Row(
        lambda x: {name: _array(v, False) for name, v in x.data_vars.items()},
        lambda x, g: type(x)({n: (x[n].dims, a) for n, a in _reals(g).items()}, coords=x.coords),
    ),
    "pyarrow.Array": Row(_arrow, _arrow_array),
    "pyarrow.ChunkedArray": Row(_arrow, _arrow_array),
    "pyarrow.Table": Row(lambda x: _columns(x, x.column_names, _arrow), _arrow_table),
}
"""The types whose values are read, by the library and the name of the class."""

_known: dict[type, Row | None] = {}


def register(name: str, row: Row) -> None:
    """Let values of the class of this name (library and class) be arguments."""
    ROWS[name] = row
    _known.clear()


def row_of(cls: type) -> Row | None:
    """Return how values of a class are read; None: they are Python's, NumPy's, or the user's."""
    try:
        return _known[cls]
    except KeyError:
        found = _known[cls] = _looked_up(cls)
        return found


def _looked_up(cls: type) -> Row | None:
    for base in cls.__mro__:
        library = str(base.__module__).partition(".")[0]
        for name in (f"{library}.{base.__name__}", f"{base.__module__}.{base.__qualname__}"):
            if name in ROWS:
                return ROWS[name]
    own = issubclass(cls, (np.ndarray, np.generic))
    return _DLPACK if hasattr(cls, "__dlpack__") and not own else None


def read(values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return arguments with the data of other libraries read; None: there is none in them."""
    found = [_read(value) for value in values]
    if all(new is old for new, old in zip(found, values, strict=True)):
        return None
    return tuple(found)


def _read(value: Any) -> Any:
    cls = type(value)
    row = row_of(cls)
    if row is not None:
        return _fixed(row.read(value))
    if cls is dict:
        found = {key: _read(item) for key, item in value.items()}
        return found if any(found[k] is not value[k] for k in found) else value
    if cls is tuple or (cls is list and value and row_of(type(value[0])) is not None):
        items = [_read(item) for item in value]
        return cls(items) if any(a is not b for a, b in zip(items, value, strict=True)) else value
    return value


def _fixed(value: Any) -> Any:
    """Arrays as read-only ones: an update would change the data of another library."""
    if isinstance(value, dict):
        return {key: _fixed(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


def written(value: Any, gradient: Any) -> Any:
    """Return the gradient by an argument in the form that the argument has."""
    if gradient is None:
        return None
    row = row_of(type(value))
    if row is not None:
        return row.write(value, gradient)
    if type(value) is dict:
        return {key: written(item, gradient[key]) for key, item in value.items()}
    if type(value) in (tuple, list):
        items = (written(item, g) for item, g in zip(value, gradient, strict=True))
        return type(value)(items)
    return gradient


__all__ = ["ROWS", "Row", "read", "register", "row_of", "written"]
