"""Masked arrays of ``numpy.ma`` as plain Python that the front end compiles: an array and a mask.
What would be ``np.ma.masked``, a number that is not there, is refused by the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.masked_words import is_masked_number
from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import known, unsupported

_TINY = 2.2250738585072014e-308
_NONE = "a number that is masked (np.ma.masked): ask for count() first"


class MaskedArray:
    """An array, and where it has no numbers; without a mask (None) it has all."""

    __array_ufunc__ = None
    data: Any
    _mask: Any
    _fill: Any

    def __init__(self, data: Any = None, mask: Any = None, dtype: Any = None, copy: bool = False,
                 subok: bool = True, ndmin: int = 0, fill_value: Any = None) -> None:  # fmt: skip
        if known(ndmin) > 0:
            unsupported("masked_array with ndmin", "leave it away")
        given = data.data if isinstance(data, MaskedArray) else np.asarray(data)
        numbers = given if dtype is None else given.astype(dtype)
        self.data = numbers.copy() if known(copy) else numbers
        hidden = None if mask is None else np.asarray(mask)
        if hidden is not None and hidden.ndim == 0:
            hidden = np.full(self.data.shape, bool(hidden))
        if hidden is not None and hidden.shape != self.data.shape:
            raise NotImplementedError("a mask of another shape than the numbers")
        if hidden is not None and hidden.dtype != bool:
            hidden = hidden.astype(bool)
        mine = data._mask if isinstance(data, MaskedArray) else None
        if mine is None:
            self._mask = hidden.copy() if hidden is not None and known(copy) else hidden
        else:
            self._mask = mine if hidden is None else mine | hidden
        kept = data._fill if isinstance(data, MaskedArray) else None
        self._fill = kept if fill_value is None else fill_value

    # what it is

    @property
    def mask(self) -> Any:
        return np.zeros((), dtype=bool)[()] if self._mask is None else self._mask

    @property
    def fill_value(self) -> Any:
        if self._fill is None:
            return _usual(self.data)
        return np.float64(self._fill) if self.data.dtype == np.float64 else self._fill

    @property
    def shape(self) -> Any:
        return self.data.shape

    @property
    def ndim(self) -> int:
        n: int = self.data.ndim
        return n

    @property
    def size(self) -> int:
        n: int = self.data.size
        return n

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def T(self) -> Any:
        return self.transpose()

    def __len__(self) -> int:
        return len(self.data)

    # its numbers

    def filled(self, fill_value: Any = None) -> Any:
        by = self.fill_value if fill_value is None else fill_value
        if self._mask is None:
            return self.data.copy()
        return np.where(self._mask, by, self.data).astype(self.data.dtype)

    def compressed(self) -> Any:
        flat = np.ravel(self.data)
        return flat if self._mask is None else flat[~np.ravel(self._mask)]

    def count(self, axis: Any = None, keepdims: bool = False) -> Any:
        here = np.ones(self.data.shape, dtype=bool) if self._mask is None else ~self._mask
        return np.sum(here, axis=axis, keepdims=keepdims)

    def _made(self, data: Any, mask: Any) -> Any:
        """Return another one, which NumPy fills with the same number. What that is depends on
        whether this one was filled before, if the types are others."""
        if self._fill is None and data.dtype != self.data.dtype:
            unsupported("a masked array of ints that becomes one of floats",
                        "np.ma.masked_array(x.astype(float), mask)")  # fmt: skip
        return _of_parts(data, mask, self._fill)

    def copy(self) -> Any:
        hidden = None if self._mask is None else self._mask.copy()
        return MaskedArray(self.data.copy(), hidden, None, False, True, 0, self._fill)

    def __getitem__(self, index: Any) -> Any:
        at = _numbers(index)
        part = self.data[at]
        hidden = None if self._mask is None else self._mask[at]
        if np.ndim(part) > 0:
            return self._made(part, hidden)
        if hidden is not None and hidden:
            raise NotImplementedError(_NONE)
        return part

    def reshape(self, *shape: Any) -> Any:
        hidden = None if self._mask is None else self._mask.reshape(*shape)
        return self._made(self.data.reshape(*shape), hidden)

    def ravel(self) -> Any:
        return self._made(np.ravel(self.data), None if self._mask is None else np.ravel(self._mask))

    def flatten(self) -> Any:
        return self.ravel()

    def transpose(self) -> Any:
        return self._made(self.data.T, None if self._mask is None else self._mask.T)

    def astype(self, dtype: Any) -> Any:
        return self._made(self.data.astype(dtype), self._mask)

    def __setitem__(self, index: Any, value: Any) -> None:
        at = _numbers(index)
        if is_masked_number(value):
            self._hide(at, True)
            return
        self.data[at] = _numbers(value)
        if isinstance(value, MaskedArray):
            if value._mask is not None:
                self._hide(at, value._mask)
            elif self._mask is not None:
                self._hide(at, False)
        elif self._mask is not None and not isinstance(index, MaskedArray):
            self._hide(at, False)

    def _hide(self, at: Any, hidden: Any) -> None:
        if self._mask is None:
            self._mask = np.zeros(self.data.shape, dtype=bool)
        self._mask[at] = hidden

    def _cover(self, other: Any) -> None:
        """Be masked where another one is."""
        theirs = other._mask if isinstance(other, MaskedArray) else None
        if theirs is not None:
            self._mask = theirs.copy() if self._mask is None else self._mask | theirs

    def _neutral(self, other: Any, number: float) -> Any:
        """Return what an update takes of another one: it leaves what is masked as it is."""
        there = np.asarray(_numbers(other))
        if self._mask is None:
            return there
        return np.where(self._mask, np.asarray(number).astype(there.dtype), there)

    def __iadd__(self, other: Any) -> Any:
        self._cover(other)
        self.data += self._neutral(other, 0)
        return self

    def __isub__(self, other: Any) -> Any:
        self._cover(other)
        self.data -= self._neutral(other, 0)
        return self

    def __imul__(self, other: Any) -> Any:
        self._cover(other)
        self.data *= self._neutral(other, 1)
        return self

    def __itruediv__(self, other: Any) -> Any:
        below = np.broadcast_to(np.asarray(_numbers(other)) * 1.0, self.data.shape)
        lost = np.abs(self.data) * _TINY >= np.abs(below)
        hidden = _both(lost, other._mask if isinstance(other, MaskedArray) else None)
        self._mask = _both(self._mask, hidden)
        self.data /= np.where(self._mask, 1.0, np.where(lost, 1.0, below))
        return self

    def __ipow__(self, other: Any) -> Any:
        powers = self._neutral(other, 1)
        theirs = other._mask if isinstance(other, MaskedArray) else None
        hidden = _both(self._mask, theirs)
        if hidden is not None and not np.any(hidden):
            raise NotImplementedError("**= of a masked array whose mask hides nothing")
        if not np.all(np.isfinite(self.data**powers)):
            raise NotImplementedError("a power of a masked array that is not finite")
        self.data **= powers
        self._cover(other)
        return self

    def __bool__(self) -> bool:
        unsupported("the truth of a masked array", "any() or all()")

    # reductions

    def _reduced(self, whole: Any, axis: Any, keepdims: bool) -> Any:
        """Return what a reduction gives, masked where there are no numbers."""
        none = self.count(axis, keepdims) == 0
        if np.ndim(whole) > 0:
            return self._made(whole, none)
        if none:
            raise NotImplementedError(_NONE)
        return whole

    def sum(self, axis: Any = None, dtype: None = None, out: None = None,
            keepdims: bool = False) -> Any:  # fmt: skip
        return self._reduced(np.sum(self.filled(0), axis=axis, keepdims=keepdims), axis, keepdims)

    def prod(self, axis: Any = None, dtype: None = None, out: None = None,
             keepdims: bool = False) -> Any:  # fmt: skip
        return self._reduced(np.prod(self.filled(1), axis=axis, keepdims=keepdims), axis, keepdims)

    def mean(self, axis: Any = None, dtype: None = None, out: None = None,
             keepdims: bool = False) -> Any:  # fmt: skip
        n = self.count(axis, keepdims)
        total = np.sum(self.filled(0), axis=axis, keepdims=keepdims)
        return self._reduced(total * 1.0 / np.where(n == 0, 1, n), axis, keepdims)

    def var(self, axis: Any = None, dtype: None = None, out: None = None, ddof: int = 0,
            keepdims: bool = False) -> Any:  # fmt: skip
        center = np.sum(self.filled(0), axis=axis, keepdims=True) * 1.0
        every = self.count(axis, True)
        apart = self.filled(0) - center / np.where(every == 0, 1, every)
        here = 1.0 if self._mask is None else np.where(self._mask, 0.0, 1.0)
        left = self.count(axis, keepdims) - ddof
        found = np.sum(here * apart * apart, axis=axis, keepdims=keepdims)
        if np.any(left <= 0):
            raise NotImplementedError(_NONE)
        return self._reduced(found / left, axis, keepdims)

    def std(self, axis: Any = None, dtype: None = None, out: None = None, ddof: int = 0,
            keepdims: bool = False) -> Any:  # fmt: skip
        found = self.var(axis, None, None, ddof, keepdims)
        if isinstance(found, MaskedArray):
            return self._made(np.sqrt(found.data), found._mask)
        return np.sqrt(found)

    def _end(self, end: float) -> Any:
        """Return what is no number that is asked for, or one of several that are the same."""
        if self.data.dtype != np.int64:
            return end
        there = self.compressed()
        if there.size == 0:
            return 0
        return np.max(there) if end > 0.0 else np.min(there)

    def max(self, axis: Any = None, out: None = None, fill_value: None = None,
            keepdims: bool = False) -> Any:  # fmt: skip
        found = np.max(self.filled(self._end(-np.inf)), axis=axis, keepdims=keepdims)
        return _of_parts(self.data, self._mask, None)._reduced(found, axis, keepdims)

    def min(self, axis: Any = None, out: None = None, fill_value: None = None,
            keepdims: bool = False) -> Any:  # fmt: skip
        found = np.min(self.filled(self._end(np.inf)), axis=axis, keepdims=keepdims)
        return _of_parts(self.data, self._mask, None)._reduced(found, axis, keepdims)

    def ptp(self, axis: Any = None) -> Any:
        return self.max(axis) - self.min(axis)

    def any(self) -> Any:
        return self._reduced(np.any(self.filled(0)), None, False)

    def all(self) -> Any:
        return self._reduced(np.all(self.filled(1)), None, False)

    # what functions of NumPy itself make of it

    def _mapped(self, f: Any) -> Any:
        hidden = np.zeros(self.data.shape, dtype=bool) if self._mask is None else self._mask.copy()
        return MaskedArray(f(self.data), hidden, None, False, True, 0, self._fill)

    def _in_domain(self, f: Any, inside: Any, instead: float) -> Any:
        """Return what a function gives that is not defined everywhere."""
        lost = ~inside
        made = np.where(lost, instead, f(np.where(lost, 1.0, self.data)))
        hidden = lost if self._mask is None else lost | self._mask
        return MaskedArray(made, hidden, None, False, True, 0, self._fill)

    def _sqrt(self) -> Any:
        return self._in_domain(np.sqrt, self.data >= 0.0, 0.0)

    def _log(self) -> Any:
        return self._in_domain(np.log, self.data > _TINY, 1.0)

    # arithmetic: under the mask stands what stood there first

    def _joined(self, made: Any, other: Any) -> Any:
        mask = _both(self._mask, other._mask if isinstance(other, MaskedArray) else None)
        whole = None if mask is None else np.broadcast_to(mask, made.shape)
        if made.dtype == bool:
            return _of_parts(made, None if whole is None else whole.copy(), _whether_fill(self))
        if whole is None:
            return self._made(made, None)
        return self._made(np.where(whole, np.broadcast_to(self.data, made.shape), made), whole)

    def _turned(self, made: Any, other: Any) -> Any:
        if self._mask is None:
            return self._made(made, None)
        whole = np.broadcast_to(self._mask, made.shape)
        return self._made(np.where(whole, np.broadcast_to(other, made.shape), made), whole)

    def __neg__(self) -> Any:
        return self._made(-self.data, self._mask)

    def __abs__(self) -> Any:
        return self._made(np.abs(self.data), self._mask)

    def __add__(self, other: Any) -> Any:
        return self._joined(self.data + _numbers(other), other)

    def __radd__(self, other: Any) -> Any:
        return self._turned(_numbers(other) + self.data, other)

    def __sub__(self, other: Any) -> Any:
        return self._joined(self.data - _numbers(other), other)

    def __rsub__(self, other: Any) -> Any:
        return self._turned(_numbers(other) - self.data, other)

    def __mul__(self, other: Any) -> Any:
        return self._joined(self.data * _numbers(other), other)

    def __rmul__(self, other: Any) -> Any:
        return self._turned(_numbers(other) * self.data, other)

    def __truediv__(self, other: Any) -> Any:
        return _quotient(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _quotient(_of_parts(np.asarray(other) * 1.0, None, self._fill), self)

    def __pow__(self, other: Any) -> Any:
        hidden = np.zeros(self.data.shape, dtype=bool) if self._mask is None else self._mask
        made = np.where(hidden, 1.0, self.data) ** _numbers(other)
        if not np.all(np.isfinite(made)):
            raise NotImplementedError("a power of a masked array that is not finite")
        return self._joined(made, other)

    def __eq__(self, other: Any) -> Any:
        return _same(self, other, self.data == _numbers(other), True)

    def __ne__(self, other: Any) -> Any:
        return _same(self, other, self.data != _numbers(other), False)

    def __lt__(self, other: Any) -> Any:
        return self._joined(self.data < _numbers(other), other)

    def __le__(self, other: Any) -> Any:
        return self._joined(self.data <= _numbers(other), other)

    def __gt__(self, other: Any) -> Any:
        return self._joined(self.data > _numbers(other), other)

    def __ge__(self, other: Any) -> Any:
        return self._joined(self.data >= _numbers(other), other)


def _same(a: MaskedArray, other: Any, made: Any, equal: bool) -> Any:
    """Return a comparison; under the mask stands whether both are masked, or whether one is."""
    theirs = other._mask if isinstance(other, MaskedArray) else None
    mask = _both(a._mask, theirs)
    if mask is None:
        return _of_parts(made, None, _whether_fill(a))
    both = False if a._mask is None or theirs is None else a._mask & theirs
    whole = np.broadcast_to(mask, made.shape)
    under = both if equal else np.logical_not(both)
    return _of_parts(np.where(whole, under, made), whole, _whether_fill(a))


def _whether_fill(a: MaskedArray) -> Any:
    """Return what fills an array of truths that is made of this one."""
    return None if a._fill is None else np.bool_(a._fill)


def _numbers(other: Any) -> Any:
    return other.data if isinstance(other, MaskedArray) else other


def _both(first: Any, second: Any) -> Any:
    if first is None:
        return second
    return first if second is None else first | second


def _usual(data: Array) -> Any:
    """Return what fills an array of its type."""
    if data.dtype == bool:
        return True
    return np.int64(999999) if data.dtype == np.int64 else np.float64(1e20)


def _quotient(a: MaskedArray, b: Any) -> Any:
    """Return a quotient, which is masked where the divisor is 0."""
    top, below = a.data * 1.0, _numbers(b) * 1.0
    lost = np.abs(top) * _TINY >= np.abs(below)
    made = top / np.where(lost, 1.0, below)
    mask = _both(a._mask, b._mask if isinstance(b, MaskedArray) else None)
    whole = np.broadcast_to(lost if mask is None else lost | mask, made.shape)
    return a._made(np.where(whole, np.broadcast_to(top, made.shape), made), whole)


def _of(a: Any) -> MaskedArray:
    """Return a masked array of the same numbers, which are no others if they were an array."""
    return a if isinstance(a, MaskedArray) else _of_parts(np.asarray(a), None, None)


def _of_parts(data: Any, mask: Any, fill: Any) -> MaskedArray:
    return MaskedArray(data, mask, None, False, True, 0, fill)
