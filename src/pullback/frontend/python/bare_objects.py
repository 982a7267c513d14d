"""Objects that stand for "nothing yet" by their identity alone: ``MISSING = _Missing()`` of a class
that has nothing in it.

Such an object is one like any other until it meets something else (a number on another path, or an
``is``): from there on it is a mark, as an ``object()`` is (``kinds.sum_kinds``)."""

from __future__ import annotations

import numpy as np

from pullback.frontend.python.object_classes import attributes_of, is_object_class

_SAYS_NOTHING = frozenset({
    "__module__", "__doc__", "__dict__", "__weakref__", "__slots__", "__firstlineno__",
    "__static_attributes__", "__annotations__", "__annotate__", "__annotate_func__",
    "__annotations_cache__", "__repr__", "__str__", "__bool__", "__copy__", "__deepcopy__",
    "__reduce__", "__reduce_ex__", "__new__", "__init_subclass__",
})  # fmt: skip
"""What a class may have whose objects have nothing but their identity."""


def is_placeholder(value: object) -> bool:
    """Whether an object is an array of Python's objects: here one of nothing but None."""
    return isinstance(value, np.ndarray) and value.dtype == object


def is_bare(value: object) -> bool:
    """Whether an object of a user's class has nothing but its identity."""
    cls = type(value)
    return (
        is_object_class(cls)
        and all(_says_nothing(cls, n, v) for c in cls.__mro__[:-1] for n, v in vars(c).items())
        and not attributes_of(value)
    )


def _says_nothing(cls: type, name: str, value: object) -> bool:
    """Whether an entry of a class means nothing for its objects; ``_instance``: the only one."""
    its_own = name[0] == "_" and name[:2] != "__" and (value is None or isinstance(value, cls))
    return name in _SAYS_NOTHING or name.startswith("__pullback_") or its_own


__all__ = ["is_bare"]
