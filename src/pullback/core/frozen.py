"""Dataclasses whose fields nobody assigns to, which only the type checker makes sure of.

A constructor of ``dataclasses`` that makes sure itself takes three times as long, and the front end
and the passes make new values, kinds and terms all the time: of the instructions of a small
compilation 15 % went there. It also takes two more functions to write for each class, and a third
for the text: with the three hundred classes of the compiler these were a quarter of the
instructions of ``import pullback`` (without NumPy and llvmlite).

>>> @dataclass(frozen=True, slots=True)
... class Pair:
...     left: int
...     right: int = 2
>>> Pair(1), Pair(1) == Pair(1, 2), len({Pair(1), Pair(1, 2)})
(Pair(left=1, right=2), True, 1)
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses
    from reprlib import recursive_repr

    @recursive_repr()
    def _text(self):
        """Return the text that ``dataclasses`` writes."""
        fields = (f.name for f in dataclasses.fields(self) if f.repr)
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in fields)
        return f"{type(self).__qualname__}({inside})"

    def dataclass(cls=None, /, *, frozen=False, eq=True, **how):
        """Make a dataclass: with ``frozen`` it has a hash, as a frozen one has, and says that it is
        frozen, so that frozen classes of ``dataclasses`` may be derived from it."""

        def made(cls):
            hashed = frozen and eq and cls.__dict__.get("__hash__") is None
            if "__repr__" not in cls.__dict__:
                cls.__repr__ = _text
            above = [b.__dataclass_params__ for b in cls.__mro__[1:] if b in _FROZEN]
            for params in above:
                params.frozen = False
            new = dataclasses.dataclass(
                cls, eq=eq, repr=False, **({"unsafe_hash": True} if hashed else {}), **how
            )
            if frozen:
                _FROZEN.add(new)
                above.append(new.__dataclass_params__)
            for params in above:
                params.frozen = True
            return new

        return made if cls is None else made(cls)

    _FROZEN = set()
    """The classes that say that they are frozen."""


__all__ = ["dataclass", "field"]
