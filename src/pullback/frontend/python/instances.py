"""Make instances of the user's classes from their fields."""

from __future__ import annotations

from types import SimpleNamespace

from pullback.frontend.python.container_bases import filled, held_by, is_hidden, is_tuple_class


def is_inside(name: str) -> bool:
    """Whether this is the name of an attribute that compiled code gives its objects for itself
    (``memoised``): nobody outside sees it."""
    return "$" in name


def bare(cls: type, values: dict[str, object]) -> object:
    """Return an instance with these fields; neither ``__init__`` nor ``__post_init__`` is run."""
    if cls is dict:
        return values
    if is_tuple_class(cls):
        return tuple.__new__(cls, values.values())
    if held_by(cls):
        made = filled(cls, values)
        if made is None:  # in a gradient: an int or a text has none
            return None
    else:
        made = (SimpleNamespace if issubclass(cls, SimpleNamespace) else object).__new__(cls)
    for name, value in values.items():
        if not is_hidden(name) and not is_inside(name):
            object.__setattr__(made, name, made if name == "__dict__" else value)
    return made


__all__ = ["bare", "is_inside"]
