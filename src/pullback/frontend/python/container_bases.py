"""Classes of a user whose base is a container: ``class Stack(list)``, ``class Env(dict)``.

Their objects are objects of plain classes that hold the container in a hidden attribute. In the
order in which Python looks for attributes, each container has a class as text in its place
(``library/text/container_classes.py``), whose methods work on what the attribute holds:

    class Stack(list)            order_of(Stack)      Stack, ListBase, object
    stack.append(v)              ListBase.append      self.__items.append(v)
    super().append(v)            the same, behind the class that says super()
    list.append(stack, v)        the same

Numbers, texts and tuples are such bases too (``class Metres(float)``): what they hold is given by
``__new__``, and nobody changes it (``library/text/value_classes.py``).
"""

from __future__ import annotations

import contextlib
import enum
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, abc, defaultdict, deque
from collections.abc import Callable
from functools import cache
from sys import intern
from types import FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any, cast

import numpy as np

from pullback.core.later import Later
from pullback.frontend.python.annotations import memory

VALUES: dict[type, str] = {
    float: "FloatBase", int: "IntBase", str: "StrBase", tuple: "TupleBase",
}  # fmt: skip
"""The classes of values that may be a base, and the names of the classes as text in their places.
"""

CONTAINERS: dict[type, str] = {
    list: "ListBase", dict: "DictBase", deque: "DequeBase", OrderedDict: "OrderedDictBase",
    defaultdict: "DefaultDictBase", Counter: "CounterBase", UserDict: "UserDictBase",
    UserList: "UserListBase", ChainMap: "ChainMapBase",
    abc.Mapping: "MappingBase", abc.MutableMapping: "MutableMappingBase",
    abc.Sequence: "SequenceBase", abc.MutableSequence: "MutableSequenceBase",
    abc.Iterator: "IteratorBase", contextlib.AbstractContextManager: "ContextManagerBase",
    contextlib.ContextDecorator: "ContextDecoratorBase",
    **dict.fromkeys((abc.Sized, abc.Iterable, abc.Container, abc.Collection, abc.Reversible),
                    "NothingBase"),
    **VALUES,
}  # fmt: skip
"""All classes of Python that may be a base, and the names of the classes as text in
their places."""

EXACT: set[type] = {*CONTAINERS}
"""The classes that are bases themselves."""

VALUE = "_ValueBase__value"
"""The hidden attribute that holds a number, a text or a tuple."""

_HELD: dict[str, type] = {
    "_ListBase__items": list, "_DictBase__table": dict, "_DequeBase__items": deque,
}  # fmt: skip
FACTORY = "_DefaultDictBase__factory"
OWN_DICT = "__dict__"
"""What stands among the attributes of an object that is its own dict: it has no others."""
_TABLES = Counter, defaultdict, dict
_MODULE = "pullback.frontend.library.text."
_texts = Later(f"{_MODULE}container_classes")
_values = Later(f"{_MODULE}value_classes")
_abstract = Later(f"{_MODULE}abstract_containers")


def order_of(cls: type) -> tuple[type, ...]:
    """Return the classes in which an object or a class looks for attributes, in their order."""
    order = cls.__mro__
    if not _is_derived(cls):
        return order
    kept = memory(cls)
    if "order" not in kept:
        kept["order"] = tuple(text for c in order for text in _in_place_of(c, cls))
    found: tuple[type, ...] = kept["order"]
    return found


def _is_derived(cls: type) -> bool:
    """Whether objects of a class are objects of a plain class that holds a container or value."""
    if cls in EXACT or CONTAINERS.keys().isdisjoint(cls.__mro__):
        return False
    return value_base(cls) is None or not _has_meaning(cls)


def value_base(cls: type) -> type | None:
    """Return the class of numbers, texts or tuples from which a class is derived; None if it is
    from none."""
    return next((c for c in cls.__mro__ if c in VALUES), None)


def _has_meaning(cls: type) -> bool:
    """Whether values of a class derived from such a class are known as what they are: members of an
    enumeration, NamedTuples, bools and other numbers."""
    of_tuple = issubclass(cls, tuple) and (hasattr(cls, "_fields") or hasattr(cls, "n_fields"))
    return of_tuple or issubclass(cls, (enum.Enum, np.generic)) or not cls.__flags__ & _HEAP


_HEAP = 1 << 9
"""The flag of classes that were made at run time."""


def is_tuple_class(cls: type) -> bool:
    """Whether the fields of a record of this class are the items of a tuple."""
    return issubclass(cls, tuple) and not held_by(cls)


def holds_value(cls: type) -> bool:
    """Whether the objects of a class hold a number, a text or a tuple by a base class of it."""
    return VALUE in held_by(cls)


def _in_place_of(base: type, cls: type) -> tuple[type, ...]:
    """Return what stands in place of a base class of a class."""
    if base not in CONTAINERS:
        return (base,)
    text = text_of(base)
    if base in VALUES:
        return text.__mro__[:-1]
    if base is dict and _has_missing(cls):
        return _texts.DictWithMissing, text
    if base is UserDict and hasattr(cls, "__missing__"):
        return _abstract.UserDictWithMissing, text
    return (text,)


def text_of(base: type) -> type:
    """Return the class as text in place of a container."""
    if base in VALUES:
        return cast("type", getattr(_values, VALUES[base]))
    real = base in _TABLES or base in (list, deque, OrderedDict)
    text: type = getattr(_texts if real else _abstract, CONTAINERS[base])
    return text


@cache
def _homes() -> dict[FunctionType, tuple[type, str]]:
    bases = {c: None for base in CONTAINERS for c in text_of(base).__mro__[:-1]}
    texts = (*bases, _texts.DictWithMissing, _abstract.UserDictWithMissing)
    entries = ((text, n, f) for text in texts for n, f in vars(text).items())
    plain = ((t, n, f.__func__ if isinstance(f, staticmethod) else f) for t, n, f in entries)
    return {f: (text, n) for text, n, f in plain if isinstance(f, FunctionType)}


def home_of(function: FunctionType) -> tuple[type, str] | None:
    """Return the class as text of which a function is a method, and its name there."""
    here = [f"{_MODULE}{n}" for n in ("container_classes", "abstract_containers", "value_classes")]
    is_text = function.__module__ in here
    return _homes().get(function) if is_text else None


def behind(cls: type, after: type) -> tuple[type, ...]:
    """Return the classes in which ``super()`` looks in a method of the class ``after``."""
    order = order_of(cls)
    return order[order.index(after) + 1 :] if after in order else ()


def held_by(cls: type) -> dict[str, type]:
    """Return the hidden attribute of objects of a class derived from a container, and the class of
    what it holds."""
    if not _is_derived(cls):
        return {}
    base = value_base(cls)
    if base is not None:
        return {VALUE: base}
    return {n: _table(cls) if c is dict else c for n, c in _HELD.items() if issubclass(cls, c)}


def hidden_of(cls: type) -> tuple[str, ...]:
    """Return the names of all hidden attributes of objects of a class."""
    more = (FACTORY,) if issubclass(cls, defaultdict) else ()
    return (*held_by(cls), *more)


def _has_missing(cls: type) -> bool:
    """Whether the user says what a missing item of a dict is."""
    first = next((c for c in cls.__mro__ if "__missing__" in vars(c)), dict)
    return first not in CONTAINERS


def _table(cls: type) -> type:
    """Return the class of the dict that an object of a class holds."""
    if issubclass(cls, OrderedDict):
        return OrderedDict
    return dict if _has_missing(cls) else next(c for c in _TABLES if issubclass(cls, c))


def held_in(value: Any, name: str) -> Any:
    """Return what an object has in a hidden attribute: of a container, a new one."""
    if name == FACTORY:
        return value.default_factory
    if name == OWN_DICT:
        return None if vars(value) is value else vars(value)
    held = held_by(type(value))[name]
    if held in VALUES:
        return tuple(tuple.__iter__(value)) if held is tuple else _PLAIN[held](value)
    if held is list:
        return [*list.__iter__(value)]
    if held is deque:
        return deque(deque.__iter__(value), value.maxlen)
    items = dict.items(value)
    if held is defaultdict:
        return defaultdict(value.default_factory, items)
    return Counter(dict(items)) if held is Counter else held(items)


_PLAIN: dict[type, Callable[..., Any]] = {
    float: float.__float__, int: int.__int__, str: lambda s: intern(str.__str__(s)),
}  # fmt: skip
"""What gives the value that an object is, whatever its class has overridden."""


def filled(cls: type, values: dict[str, Any]) -> Any:
    """Return an object of such a class that has these hidden attributes, and no others."""
    ((name, held),) = held_by(cls).items()
    new: Any = held.__new__
    if held in VALUES:
        return None if values[name] is None else new(cls, values[name])
    made, contents = new(cls), values[name]
    if FACTORY in values:
        made.default_factory = values[FACTORY]
    if held is list:
        list.extend(made, contents)
    elif held is deque:
        deque.__init__(made, contents, contents.maxlen)
    elif held is OrderedDict:
        for key, value in contents.items():
            OrderedDict.__setitem__(made, key, value)
    else:
        dict.update(made, contents)
    return made


def step_to(name: str) -> tuple[str, str]:
    """Return the step of a path that leads from an object to an attribute."""
    return "held" if is_hidden(name) or name == OWN_DICT else "attr", name


def is_hidden(name: str) -> bool:
    """Whether this is the name of a hidden attribute."""
    return name in _HELD or name in (FACTORY, VALUE)


def lacks(cls: type, name: str) -> bool:
    """Whether a class has something under a name from a container that the texts do not have."""
    order = order_of(cls)
    return order is not cls.__mro__ and hasattr(cls, name) and not any(
        name in vars(c) for c in order
    )


def entry_in(cls: type, name: str) -> Any:
    """Return what a class itself has under a name. A method of a container, which a class may have
    under a name of its own (``__getattr__ = dict.__getitem__``), is that of the text."""
    entry = vars(cls)[name]
    return entry if cls in CONTAINERS else as_text(entry) or entry


def as_text(method: object) -> FunctionType | None:
    """Return the function in place of a method of a container; None of anything else."""
    if not isinstance(method, (MethodDescriptorType, WrapperDescriptorType)):
        return None
    base = method.__objclass__
    found = getattr(text_of(base), method.__name__, None) if base in CONTAINERS else None
    return found if isinstance(found, FunctionType) else None


__all__ = [
    "CONTAINERS", "EXACT", "FACTORY", "OWN_DICT", "VALUE", "VALUES", "as_text", "behind",
    "entry_in", "filled",
    "held_by", "held_in", "hidden_of", "holds_value", "home_of", "is_hidden", "is_tuple_class",
    "lacks", "order_of", "step_to", "text_of", "value_base",
]  # fmt: skip
