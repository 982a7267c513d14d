"""Compute fingerprints of declarations: the same in every process, whatever was compiled before.

A fingerprint is part of the name of a union in Core. So the name follows from the classes and from
what is known of their fields, and in one program two unions of classes with the same names have
different names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from pullback.frontend.kinds.kinds import (
    HashK,
    Kind,
    ListK,
    RecordK,
    StaticK,
    SymbolK,
    TupleK,
    UnionK,
    parts,
    static_kind,
    with_parts,
)

_NONE = static_kind(None)
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def fingerprint(texts: Iterable[str]) -> str:
    """Return eight hexadecimal digits for a sequence of texts."""
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=4).hexdigest()


def text_of_class(cls: type) -> str:
    """Return a text that distinguishes a class from others of its name: its module, and its fields
    as they are written."""
    fields = ", ".join(f"{n}: {a}" for n, a in getattr(cls, "__annotations__", {}).items())
    return _ADDRESS.sub("", f"{cls.__module__}.{cls.__qualname__}({fields})")


def text_of_kind(kind: Kind) -> str:
    """Return a kind as a text without addresses."""
    match kind:
        case UnionK(union, absent):
            without = [c.__qualname__ for c in union.classes if c in absent]
            return f"{union.name} without {without}"
        case SymbolK(cls):
            return text_of_class(cls)
        case StaticK(key):
            return f"constant {_ADDRESS.sub('', str(key))}"
        case _ if inside := parts(kind):
            outer = type(kind).__name__
            if isinstance(kind, RecordK):
                outer += f" {text_of_class(kind.cls)} {[n for n, _ in kind.fields]}"
            elif isinstance(kind, (ListK, TupleK, HashK)):
                outer += f" {kind.cls.__name__}"
            return f"{outer}({', '.join(map(text_of_kind, inside))})"
        case _:
            return repr(kind)


def shallow(kind: Kind) -> object:
    """Return an object that is equal for equal kinds and holds no union: as a key it keeps no union
    alive."""
    inside = parts(kind)
    if isinstance(kind, UnionK):
        return id(kind.union), kind.absent
    return (with_parts(kind, (_NONE,) * len(inside)), *map(shallow, inside)) if inside else kind
