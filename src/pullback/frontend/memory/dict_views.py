"""``d.keys()``, ``d.values()`` and ``d.items()``, the views of a dict.

A view is a record with one field, the dict that it looks into: whatever carries a record (a name, a
list, an object, a function that captures it) carries the dict with it, and shares its memory. Who
goes through a view asks for what is in the dict then (``hash_methods.items_of``).
"""

from __future__ import annotations

from typing import TypeGuard

from pullback.core.frozen import dataclass
from pullback.frontend.kinds.values import RecordV, Value

OF = "of"
"""The name of the field that has the dict."""


@dataclass(frozen=True)
class DictView:
    """A view of a dict; the classes below it have the names of Python's."""

    of: dict[object, object]

    def __repr__(self) -> str:
        """The text of Python's view."""
        return repr(getattr(self.of, WORDS[type(self)])())


CLASSES = {word: type(f"dict_{word}", (DictView,), {}) for word in ("keys", "values", "items")}
WORDS = {cls: word for word, cls in CLASSES.items()}


def view_of(d: Value, word: str) -> RecordV:
    """Return ``d.keys()``, ``d.values()`` or ``d.items()`` of a dict, or of a reference to one."""
    return RecordV(CLASSES[word], {OF: d})


def is_view(value: object) -> TypeGuard[RecordV]:
    """Whether a value is a view of a dict."""
    return isinstance(value, RecordV) and issubclass(value.cls, DictView)


def word_of(value: Value) -> str:
    """Return what a view shows of its dict; of a dict itself, its keys."""
    return WORDS[value.cls] if is_view(value) else "keys"


def seen_by(value: Value) -> Value:
    """Return the dict that a view looks into; another value as it is."""
    return value.fields[OF] if is_view(value) else value


__all__ = ["CLASSES", "DictView", "is_view", "seen_by", "view_of", "word_of"]
