"""Items of a dict that are the attributes of its object.

    class Config(dict):
        def __init__(self, **kw):
            super().__init__(**kw)
            self.__dict__ = self            # config.lr is config["lr"]

    class Config(dict):
        __getattr__ = dict.__getitem__      # where there is no attribute lr
        __setattr__ = dict.__setitem__

An object whose dict it is itself has a field ``__dict__``; what is an attribute by its name is an
item then. A ``__getattr__`` that gives an item gives a part of the object, which may be updated.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.errors import MutationError
from pullback.frontend.kinds.values import MaybeV, RecordV, RefV, Static, Value
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import mappings
from pullback.frontend.memory.container_objects import (
    classes_of,
    contents,
    hidden,
    is_container,
    opens,
)
from pullback.frontend.python.container_bases import OWN_DICT, as_text, is_hidden, order_of
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.object_classes import attributes_of, fallback_of, is_written
from pullback.frontend.python.source import definition_of
from pullback.frontend.python.texts import FunctionNode
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

def is_own_dict(run: Run, value: Value, node: ast.AST) -> bool:
    """Whether an object is its own dict."""
    if not is_container(value):
        return False
    fields = run.rows.group(value).fields if isinstance(value, RefV) else value.fields
    perhaps = OWN_DICT in run.rows.group(value).unset if isinstance(value, RefV) else (
        isinstance(value.fields.get(OWN_DICT), MaybeV)
    )  # fmt: skip
    if perhaps:
        run.refuse(node, f"a {value.cls.__name__} that is its own dict on some paths only")
    return OWN_DICT in fields or (
        isinstance(value, RecordV) and value.outside is not None
        and OWN_DICT in attributes_of(value.outside.value)
    )


def becomes_own_dict(run: Run, target: ast.expr, value: Value, node: ast.AST) -> bool:
    """Whether ``self.__dict__ = self`` is assigned."""
    if not isinstance(target, ast.Attribute) or target.attr != OWN_DICT or not is_container(value):
        return False
    if not isinstance(node, ast.Assign) or ast.unparse(target.value) != ast.unparse(node.value):
        return False
    if hidden(value) != "_DictBase__table":
        return False
    names = value.fields if isinstance(value, RecordV) else run.rows.group(value).fields
    if not {n for n in names if not is_hidden(n)} <= {OWN_DICT}:
        run.refuse(node, "an object with attributes of its own becomes its own dict",
                   error=MutationError)  # fmt: skip
    for cls in classes_of(run, value):
        if not cls.__dictoffset__ or is_written(cls, "__setattr__"):
            run.refuse(node, f"a {cls.__name__} becomes its own dict", error=MutationError)
    return True


def attribute(run: Run, value: Value, name: str, node: ast.AST) -> Value | None:
    """Return the item that an attribute of an object is, which is its own dict; None of others."""
    special = is_hidden(name) or (name[:2] == "__" and name[-2:] == "__")
    if special or not is_own_dict(run, value, node):
        return None
    assert isinstance(value, (RecordV, RefV))
    orders = [order_of(cls) for cls in classes_of(run, value)]
    known = any(name in vars(c) for order in orders for c in order)
    if any(isinstance(vars(c).get(name), property) for order in orders for c in order):
        return None
    held = opened(run, contents(run, value, node), node)
    if isinstance(held, RecordV):
        return run.subscript(held, Static(name), node) if name in held.fields else None
    if known:
        reason = f"{name!r} of an object that is its own dict, whose keys only the run knows"
        run.refuse(node, reason)
    given = value, Static(name), Static(value.cls.__name__)
    return run_program(run, mappings.item_as_attribute, given, node)


def has_item(run: Run, value: Value, name: str, node: ast.AST) -> bool | None:
    """Whether an object that is its own dict has an attribute as an item; None: only the run knows
    it; False: it is no such object, or has none."""
    if name.startswith("__") or not is_own_dict(run, value, node):
        return False
    held = opened(run, contents(run, value, node), node)
    if not isinstance(held, RecordV):
        return None
    return name in held.fields


def is_item(run: Run, value: Value, name: object, node: ast.AST) -> bool:
    """Whether an attribute of an object on the way to what is updated is an item of it."""
    if not isinstance(name, str) or not is_container(value) or is_hidden(name):
        return False
    if is_own_dict(run, value, node):
        return True
    names = value.fields if isinstance(value, RecordV) else run.rows.group(value).fields
    if name in names or not opens(run, value):
        return False
    classes = classes_of(run, value)
    if any(name in vars(c) for cls in classes for c in order_of(cls)):
        return False
    return all(gives_item(cls) for cls in classes)


def gives_item(cls: type) -> bool:
    """Whether the ``__getattr__`` of a class gives an item."""
    ask = fallback_of(cls)
    if ask is None:
        return False
    return ask is as_text(dict.__getitem__) or _is_item_of(definition_of(ask).node)


@by_node
def _is_item_of(node: FunctionNode) -> bool:
    """Whether a function of an object and a name gives the item of this name, if it gives
    anything."""
    names = [p.arg for p in node.args.args]
    if isinstance(node, ast.Lambda) or len(names) != 2:
        return False
    nodes = [n for s in node.body for n in ast.walk(s)]
    given = [ast.unparse(n) for n in nodes if isinstance(n, ast.Return)]
    bound = any(isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Store)
                for n in nodes)  # fmt: skip
    return given == [f"return {names[0]}[{names[1]}]"] and not bound


__all__ = ["attribute", "becomes_own_dict", "gives_item", "has_item", "is_item", "is_own_dict"]
