"""The classes of references: one for each group of classes whose objects share a region."""

from __future__ import annotations

import types

from pullback.frontend.python.annotations import memory
from pullback.frontend.python.object_classes import is_object_class


def reference_class(classes: tuple[type, ...], base: type) -> type:
    """Return the class of references to objects of these classes. It has the special methods of
    all of them, so that whoever asks for one asks the object."""
    if base is object or len(classes) == 1:
        base = classes[0]
    found = (vars(c) for cls in classes for c in cls.__mro__ if is_object_class(c))
    special = {n: f for names in found for n, f in names.items() if _is_special(n, f)}
    kept, key = memory(classes[0]), f"references {[*map(id, classes)]} {sorted(special)}"
    if key not in kept:
        own: dict[str, object] = {n: f for n, f in special.items() if n not in vars(base)}
        own |= {"__slots__": (), "__module__": base.__module__}
        silent = any("__init_subclass__" in vars(c) for c in base.__mro__[:-1])
        bases = (_Silent, base) if silent else (base,)
        kept[key] = (type(base)(base.__name__, bases, own), classes)
    made: type = kept[key][0]
    return made


class _Silent:
    """Stands before a class that counts its subclasses: one that is made here is none of them."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        pass


def _is_special(name: str, function: object) -> bool:
    return name.startswith("__") and name.endswith("__") and (
        isinstance(function, types.FunctionType) and name not in ("__init__", "__post_init__")
    )


__all__ = ["reference_class"]
