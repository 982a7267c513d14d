"""``Class(...)`` of a class whose objects change: an object of this function, like a dict; and
``Class.__new__(Class)``, one without its ``__init__``."""

from __future__ import annotations

import ast
import types
from collections import deque
from collections.abc import Sequence
from dataclasses import is_dataclass, replace
from typing import TYPE_CHECKING

from pullback.errors import ArgumentTypeError, MutationError
from pullback.frontend.functions.capturing_classes import captures, class_of, methods_of
from pullback.frontend.functions.constructors import constructor_form
from pullback.frontend.interpret import attributes, objects, shared_objects
from pullback.frontend.interpret.class_functions import function_in
from pullback.frontend.kinds.values import FunctionV, Owner, RecordV, RefV, Static, Value, register
from pullback.frontend.memory import container_objects
from pullback.frontend.python.container_bases import (
    VALUE,
    held_by,
    holds_value,
    home_of,
    text_of,
    value_base,
)
from pullback.frontend.python.instances import bare
from pullback.frontend.python.libraries import is_closed, name_of
from pullback.frontend.python.object_classes import (
    NAMESPACES,
    hook_of,
    is_made_in_python,
    is_object_class,
    maker_of,
)
from pullback.frontend.run import Run
from pullback.frontend.store.facts import can_be_shared

if TYPE_CHECKING:
    from pullback.frontend.interface import Specialiser
    from pullback.frontend.store.protocol import Store


def make(
    run: Run, cls: type, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST,
    methods: dict[str, Value] | None = None,
) -> Value:  # fmt: skip
    """A new object; ``methods``: those that use variables around the class."""
    _check(run, cls, node)
    by = maker_of(cls)
    if by is not None:
        return _by_maker(run, cls, by, args, kwargs, node, methods)
    methods, args = methods or {}, container_objects.taken(run, cls, args, node)
    run.constructed[cls] = None
    if run.store is not None and can_be_shared(cls):
        return _shared(run, run.store, cls, args, kwargs, node, methods)
    new = _new(cls, {**methods, **held(run, cls, node)})
    if cls in NAMESPACES:
        if args:
            run.refuse(node, f"{cls.__name__} of a dict", f"write {cls.__name__}(name=...)")
        return replace(new, fields=dict(kwargs))
    init = attributes.written(cls, "__init__")
    if init is not None:
        return _initialised(run, new, init, args, kwargs, node)
    if is_dataclass(cls):
        given, late = objects.given_fields(run, cls, args, kwargs, node)
        made = replace(new, fields={**methods, **given})
        hook = attributes.written(cls, "__setattr__")
        if hook is not None:
            made = new
            for name, value in given.items():
                made = _initialised(run, made, hook, (Static(name), value), {}, node)
        after = attributes.written(cls, "__post_init__")
        return made if after is None else _initialised(run, made, after, late, {}, node)
    if args or kwargs:
        run.refuse(node, f"{cls.__name__}() takes no arguments", error=ArgumentTypeError)
    return new


def check_named(run: Run, cls: type, node: ast.AST) -> None:
    """Refuse to make an object of a class whose methods use variables around it by anything but
    that (``make_here``)."""
    if captures(cls):
        reason = f"an object of {cls.__name__}, whose methods use variables around it, is made"
        run.refuse(node, f"{reason} by another name", "call the class by its name")


@register(float.__new__, int.__new__, str.__new__, tuple.__new__)
def _value_new(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """``float.__new__(cls, value)`` of a class derived from ``float``."""
    of = args[0] if args else None
    cls = of.value if isinstance(of, Static) else None
    base = value_base(cls) if isinstance(cls, type) and is_object_class(cls) else None
    if not isinstance(cls, type) or base is None:
        reason = "__new__ of a class of Python's own"
        sp.refuse(node, reason, "call the class: float(v)", error=ArgumentTypeError)
    maker = maker_of(text_of(base))
    assert isinstance(sp, Run) and maker is not None
    return sp.call(function_in(sp, cls, maker, "__new__", node), args, node, kwargs)


@register(object.__new__, list.__new__, dict.__new__, deque.__new__)
def _object_new(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """``object.__new__(cls)``, which ``super().__new__(cls)`` and ``cls.__new__(cls)`` may be."""
    assert isinstance(sp, Run)
    run = sp
    of = args[0] if args else None
    cls = of.value if isinstance(of, Static) else None
    if (len(args) > 1 or kwargs) and not (isinstance(cls, type) and held_by(cls)):
        cls = None
    if not isinstance(cls, type) or not is_object_class(cls):
        run.refuse(
            node, "object.__new__ of anything but a plain class, or with more arguments",
            "call it with a plain class, and nothing else", error=ArgumentTypeError,
        )  # fmt: skip
    return empty(run, cls, node)


def empty(run: Run, cls: type, node: ast.AST) -> Value:
    """Return a new object without attributes."""
    check_named(run, cls, node)
    _check(run, cls, node)
    run.constructed[cls] = None
    if run.store is not None and can_be_shared(cls):
        new = run.store.empty(cls, node)
        for name, value in held(run, cls, node).items():
            run.store.write(new, name, value, node)
        return new
    return _new(cls, held(run, cls, node))


def held(run: Run, cls: type, node: ast.AST) -> dict[str, Value]:
    """Return the empty containers that a new object of a class holds, which is one by a base
    class."""
    if holds_value(cls):  # its __new__ gives it what it holds
        return {}
    return {n: run.call(in_text(run, made), (), node) for n, made in held_by(cls).items()}


def in_text(run: Run, cls: type) -> Static:
    """Return a class as programs see it: of the library as text, if it has it."""
    return Static(run.text_class(cls) or cls)


def _by_maker(
    run: Run, cls: type, by: types.FunctionType, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST, methods: dict[str, Value] | None,
) -> Value:  # fmt: skip
    """Return ``cls(...)`` of a class that says by ``__new__`` which object that is."""
    base = value_base(cls)
    if base is not None and home_of(by) is not None:
        given = container_objects.taken(run, cls, args, node)
        plain = not given and not kwargs and base is str
        value = Static("") if plain else run.call(Static(base), given, node, kwargs)
        made = _holding(run, cls, value, methods or {}, node)
        init = attributes.written(cls, "__init__")
        return made if init is None else _initialised(run, made, init, args, kwargs, node)
    if captures(cls) or (is_dataclass(cls) and attributes.written(cls, "__init__") is None):
        run.refuse(node, f"{cls.__name__} has a __new__ of its own", "use a function")
    f = function_in(run, cls, by, "__new__", node)
    found = run.call(f, (Static(cls), *args), node, kwargs)
    init = attributes.written(cls, "__init__")
    if not isinstance(found, (RecordV, RefV)) or not issubclass(found.cls, cls) or init is None:
        return found
    if isinstance(found, RefV):
        run.call(run.attribute(found, "__init__", node), args, node, kwargs)
        return found
    if not found.fresh:
        reason = f"{cls.__name__}.__new__ gives an object that others may have"
        run.refuse(node, reason, "use a function", error=MutationError)
    return _initialised(run, found, init, args, kwargs, node)


def holding(run: Run, cls: Value, value: Value, node: ast.AST) -> RecordV:
    """Return a new object of a class derived from that of a number, text or tuple."""
    assert isinstance(cls, Static) and isinstance(cls.value, type)
    check_named(run, cls.value, node)
    return _holding(run, cls.value, value, {}, node)


def _holding(
    run: Run, cls: type, value: Value, methods: dict[str, Value], node: ast.AST
) -> RecordV:
    _check(run, cls, node)
    run.constructed[cls] = None
    return _new(cls, {**methods, VALUE: value})


def make_here(
    run: Run, constructor: FunctionV, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """A new object of a class whose methods use variables around it."""
    named = class_of(constructor)
    assert isinstance(named, Static) and isinstance(named.value, type)
    cls = named.value
    if is_dataclass(cls) and not is_object_class(cls):
        return objects.construct(run, cls, args, kwargs, node, None, methods_of(constructor))
    return make(run, cls, args, kwargs, node, methods_of(constructor))


def _new(cls: type, fields: dict[str, Value]) -> RecordV:
    return RecordV(cls, fields, None, frozenset({Owner("an object")}), True)


def _shared(
    run: Run, store: Store, cls: type, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST, methods: dict[str, Value],
) -> Value:  # fmt: skip
    """A new object that may have several names."""
    if cls not in store.facts.groups:
        store.facts.add(cls)
    with run.holding(*args, *kwargs.values()):
        new = store.made(cls, node)
    for name, method in {**methods, **held(run, cls, node)}.items():
        store.write(new, name, method, node)
    init = attributes.written(cls, "__init__")
    if init is None and is_dataclass(cls):
        given, args = objects.given_fields(run, cls, args, kwargs, node)
        hooked = attributes.written(cls, "__setattr__") is not None
        for name, value in given.items():
            if hooked:
                hook = shared_objects.of_class(run, cls, new, "__setattr__", node)
                run.call(hook, (Static(name), value), node)
            else:
                store.write(new, name, value, node)
        init, kwargs = attributes.written(cls, "__post_init__"), {}
    if init is not None:
        function = shared_objects.of_class(run, cls, new, init.__name__, node)
        store.given_away = store.temporaries([*args, *kwargs.values()])
        run.call(function, args, node, kwargs)
    elif args or kwargs:
        run.refuse(node, f"{cls.__name__}() takes no arguments", error=ArgumentTypeError)
    return new


def _check(run: Run, cls: type, node: ast.AST) -> None:
    hook = hook_of(cls)
    if hook:
        run.refuse(
            node,
            f"{cls.__name__} has a {hook} of its own, which may do anything when its objects are "
            "made, or their attributes read and assigned",
            f"leave {hook} away: use __init__, properties and methods",
        )
    abstract = sorted(getattr(cls, "__abstractmethods__", ()))
    if abstract:
        run.refuse(
            node,
            f"can't instantiate abstract class {cls.__name__}: it has no {', '.join(abstract)}",
            error=ArgumentTypeError,
        )


def _initialised(
    run: Run, new: RecordV, init: types.FunctionType, args: Sequence[Value],
    kwargs: dict[str, Value], node: ast.AST,
) -> RecordV:  # fmt: skip
    """The object after its ``__init__`` (or ``__post_init__``)."""
    f = attributes.attribute(run, new, init.__name__, node)
    form = constructor_form(f.definition) if isinstance(f, FunctionV) else None
    if form is None:
        run.refuse(
            node,
            f"{new.cls.__name__}.{init.__name__} returns something, or assigns to its first "
            "parameter",
            "let it assign the attributes only",
        )
    assert isinstance(f, FunctionV)
    made = run.call(replace(f, definition=form), args, node, kwargs)
    assert isinstance(made, RecordV) and made.cls is new.cls
    return replace(made, owners=new.owners, fresh=True)


@register(bare)
def _bare(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """An instance with these fields, for which no ``__init__`` is run: in what ``pb.ravel`` writes.
    """
    named, given = args
    assert isinstance(named, Static) and isinstance(given, RecordV) and isinstance(sp, Run)
    cls = named.value
    assert isinstance(cls, type)
    if is_object_class(cls):
        return _new(cls, given.fields)
    return objects.in_its_union(sp, RecordV(cls, given.fields), None, node)


@register(object.__init__)
def _nothing(
    sp: Specialiser, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """``super().__init__()`` where the base class has none of its own; ``object.__init__(me)``."""
    match node:
        case ast.Call(ast.Attribute(ast.Name("object"))) if len(args) == 1:
            args = ()
    if args or kwargs:
        sp.refuse(node, "object.__init__() takes exactly one argument", error=ArgumentTypeError)
    return Static(None)


_VALUES = (float, int, complex, str, bytes, tuple, set, frozenset)
"""Classes that a class of a user may not have as a base."""


def refuse_class(run: Run, obj: object, node: ast.AST) -> None:
    """Refuse a class of the user whose objects are no places, and calls of such objects."""
    base = next((b for b in _VALUES if isinstance(obj, type) and issubclass(obj, b)), None)
    if base is not None and isinstance(obj, type) and is_made_in_python(obj):
        run.refuse(
            node,
            f"{name_of(obj)} is derived from {base.__name__}: its objects are values of a class of "
            "their own",
            "write a frozen dataclass that holds the value",
        )
    made_by = getattr(obj, "__init__", None) if isinstance(obj, type) else None
    if isinstance(made_by, types.FunctionType) and not is_closed(made_by):
        run.refuse(
            node,
            f"{name_of(obj)} is a class with a metaclass or base class of its own",
            "write a plain class or a dataclass, or call it outside and pass what is in it",
        )
    cls = type(obj)
    if any(_is_called(c) for c in cls.__mro__):
        run.refuse(
            node,
            f"a call of an object of {cls.__name__}, a class with a metaclass or base class of its "
            "own",
            "write a plain class or a dataclass, or a function that is given the values",
        )


def _is_called(cls: type) -> bool:
    """Whether the class is the user's, and its objects can be called."""
    method = vars(cls).get("__call__")
    return isinstance(method, types.FunctionType) and not is_closed(method)


__all__ = ["check_named", "holding", "make", "make_here", "refuse_class"]
