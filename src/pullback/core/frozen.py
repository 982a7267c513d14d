"""Dataclasses whose fields nobody assigns to, which only the type checker makes sure of.

A constructor of ``dataclasses`` that makes sure itself takes three times as long, and the front end
and the passes make new values, kinds and terms all the time: of the instructions of a small
compilation 15 % went there. It also takes two more functions to write for each class, and a third
for the text: with the three hundred classes of the compiler these were a quarter of the
instructions of ``import pullback`` (without NumPy and llvmlite). The constructor, the comparison
and the hash are compiled when they are first called: most classes have no object in a process that
compiles one small program, and these methods were a quarter of the rest.

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
    from functools import cache
    from reprlib import recursive_repr

    _POST_INIT = "__post_init__"

    @recursive_repr()
    def _text(self):
        """Return the text that ``dataclasses`` writes."""
        fields = (f.name for f in dataclasses.fields(self) if f.repr)
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in fields)
        return f"{type(self).__qualname__}({inside})"

    def _constructor(cls):
        """Return the text of a constructor, and the values of its names."""
        said, does, names = {False: [], True: []}, [], {"_new": dataclasses.MISSING}
        for f in dataclasses.fields(cls):
            value = f"_default_{f.name}"
            made = f.default_factory is not dataclasses.MISSING
            default = made or f.default is not dataclasses.MISSING
            names[value] = f.default_factory if made else f.default
            if f.init:
                given = f"{f.name}={'_new' if made else value}" if default else f.name
                said[f.kw_only].append(given)
                new = f"{value}() if {f.name} is _new else {f.name}" if made else f.name
            elif default:
                new = f"{value}()" if made else value
            else:
                continue
            does.append(f" self.{f.name} = {new}")
        if hasattr(cls, _POST_INIT):
            does.append(f" self.{_POST_INIT}()")
        asked = ", ".join(["self", *said[False], *(["*", *said[True]] if said[True] else ())])
        return "\n".join([f"def __init__({asked}):", *(does or [" pass"])]), names

    def _comparison(cls):
        names = [f.name for f in dataclasses.fields(cls) if f.compare]
        one, other = (f"({''.join(f'{of}.{n},' for n in names)})" for of in ("self", "other"))
        return (
            "def __eq__(self, other):\n if other.__class__ is self.__class__:\n"
            f"  return {one} == {other}\n return NotImplemented"
        ), {}

    def _hash(cls):
        fields = dataclasses.fields(cls)
        names = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
        inside = "".join(f"self.{name}," for name in names)
        return f"def __hash__(self):\n return hash(({inside}))", {}

    @cache
    def _generated(code):
        """Return code that belongs to no file, as all that ``dataclasses`` writes: nobody takes it
        for a method that was written by hand."""
        return code.replace(co_filename="<string>")

    def _write(cls, name, text_of):
        """Give a class a method that is compiled when it is called first."""

        def first(self, *args, **by_name):
            text, names = text_of(cls)
            exec(text, names)
            method = names[name]
            method.__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, method)
            return method(self, *args, **by_name)

        first.__code__ = _generated(first.__code__)
        first.__name__, first.__qualname__ = name, f"{cls.__qualname__}.{name}"
        setattr(cls, name, first)

    def dataclass(cls=None, /, *, frozen=False, eq=True, order=False, **how):
        """Make a dataclass: with ``frozen`` it has a hash, as a frozen one has, and says that it is
        frozen, so that frozen classes of ``dataclasses`` may be derived from it."""

        def made(cls):
            own = cls.__dict__
            hashed = frozen and eq and own.get("__hash__") is None
            comparing = eq and "__eq__" not in own
            constructs = "__init__" not in own
            if "__repr__" not in own:
                cls.__repr__ = _text
            above = [b.__dataclass_params__ for b in cls.__mro__[1:] if b in _FROZEN]
            for params in above:
                params.frozen = False
            new = dataclasses.dataclass(cls, init=False, repr=False, eq=order, order=order, **how)
            new.__dataclass_params__.eq, new.__dataclass_params__.init = eq, True
            if constructs:
                _write(new, "__init__", _constructor)
            if comparing:
                _write(new, "__eq__", _comparison)
            if hashed:
                _write(new, "__hash__", _hash)
            elif comparing and "__hash__" not in own:
                new.__hash__ = None
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
