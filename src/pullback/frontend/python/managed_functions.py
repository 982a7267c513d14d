"""Functions of Python that a manager decorates: ``@tracing("f")``, where ``tracing`` is a generator
under ``contextmanager``, or its class a ``ContextDecorator``. A function as text stands for them
(``library/text/managed_calls.py``), with the variables that theirs have around them."""

from __future__ import annotations

import contextlib
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from pullback.core.later import Later
from pullback.core.waiting import Lock

_CALL = contextlib.ContextDecorator.__call__.__code__
_INNER = next(c for c in _CALL.co_consts if isinstance(c, CodeType))
_texts = Later("pullback.frontend.library.text.managed_calls")
_forms: WeakKeyDictionary[FunctionType, FunctionType] = WeakKeyDictionary()
_lock = Lock()


def is_managed(function: object) -> bool:
    """Whether a manager of Python's stands around each call of a function."""
    return isinstance(function, FunctionType) and function.__code__ is _INNER


def form_of(function: FunctionType) -> FunctionType:
    """Return the function that stands for one that is managed, for each the same."""
    with _lock:
        if function not in _forms:
            cells = function.__closure__ or ()
            held: dict[str, Any] = {
                n: c.cell_contents for n, c in zip(_INNER.co_freevars, cells, strict=True)
            }
            self, func = held["self"], held["func"]
            if isinstance(self, contextlib._GeneratorContextManager):
                make = contextlib.contextmanager(self.func)
                made: FunctionType = _texts.by_generator(make, self.args, self.kwds, func)
            else:
                made = _texts.by_object(self, func)
            _forms[function] = made
        return _forms[function]


__all__ = ["form_of", "is_managed"]
