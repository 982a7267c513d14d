"""Attributes of classes and modules that the program assigns.

Each is a variable of the entry, which every function captures where it is called
(``functions.ambient``); what it holds at the end is told to the caller (``seen_outside``).

    Counter.total += v          :.Counter.total += v
    self.total  (no own one)    :.Counter.total
    settings.log.append(v)      :.settings.log.append(v)

Which attributes these are is learnt: an assignment of another one is refused, with the attribute,
and the program is compiled anew with it.
"""

from __future__ import annotations

import ast
import types
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.build import boolean
from pullback.errors import MutationError, UnknownAttributeError
from pullback.frontend.functions import ambient
from pullback.frontend.functions.scopes import Path, PyScope, function_scope, owner_of
from pullback.frontend.kinds.values import (
    UNSET,
    FunctionV,
    MaybeV,
    RecordV,
    RefV,
    Scalar,
    Static,
    Value,
)
from pullback.frontend.memory import ownership
from pullback.frontend.python.container_bases import order_of
from pullback.frontend.python.object_classes import attributes_of
from pullback.frontend.python.paths import Attribute, Holder, Namespace
from pullback.frontend.python.source import definition_of
from pullback.frontend.python.syntax import root_of
from pullback.frontend.store.facts import holds_functions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pullback.core.terms import Atom
    from pullback.frontend.run import Run


def _variables(run: Run) -> Mapping[Path, str]:
    return {} if run.taken is None else run.taken.variables


def value_in(
    run: Run, of: str, bases: Sequence[type], name: str, node: ast.AST
) -> Value | None:
    """Return what an object or class finds under a name in these classes, in their order, if the
    program assigns the attribute of that name of one of them; None: it is what Python says.
    ``of``: what looks, in the words of an AttributeError."""
    variables = _variables(run)
    if all(Attribute(base, name).path not in variables for base in bases):
        return None
    for k, base in enumerate(bases):
        variable = variables.get(Attribute(base, name).path)
        if variable is None:
            if name in vars(base):
                computed = hasattr(type(vars(base)[name]), "__get__")  # not by what is told here
                return None if computed and k == 0 else _of_python(run, base, name, node)
            if base is not object:  # it has none now: a call after it got one is another program
                run.without_own((("class", base),), name)
            continue
        held = _held(run, variable, node)
        if held is UNSET:
            continue
        if not isinstance(held, MaybeV):
            return run.lookup(run.variable_here(variable, node), node)
        below = partial(_below, run, of, bases[k + 1 :], name, node)
        return run.branch(held.bound, partial(_given, held.value), below, node)
    return None


def _given(value: Value) -> Value:
    return value


def there(
    run: Run, orders: Sequence[Sequence[type]], name: str, node: ast.AST
) -> bool | Atom:
    """Whether an object of a class with one of these orders finds an attribute that the program
    assigns."""
    variables = _variables(run)
    if differ(run, orders, name):
        run.refuse(node, f"whether one of several objects has {name!r}", "use isinstance(x, Class)")
    found: bool | Atom = False
    for base in orders[0]:
        variable = variables.get(Attribute(base, name).path)
        held = UNSET if variable is None else _held(run, variable, node)
        if isinstance(held, MaybeV):
            known = boolean(False) if isinstance(found, bool) else found
            found = run.b.prim("or", known, held.bound)
        elif held is not UNSET:
            return True
    return found


def differ(run: Run, orders: Sequence[Sequence[type]], name: str) -> bool:
    """Whether objects of classes with these orders may find different things under a name, since
    the program assigns it."""
    variables = _variables(run)
    mine = [[b for b in bases if Attribute(b, name).path in variables] for bases in orders]
    return any(m != mine[0] for m in mine)


def _below(run: Run, of: str, bases: Sequence[type], name: str, node: ast.AST) -> Value:
    """Return what the other classes have, where the first one has not."""
    found = value_in(run, of, bases, name, node)
    if found is not None:
        return found
    base = next((b for b in bases if name in vars(b)), None)
    if base is None:
        message = f"{of} has no attribute {name!r}"
        run.never("AttributeError", message, node, UnknownAttributeError)
    return _of_python(run, base, name, node)


def _of_python(run: Run, base: type, name: str, node: ast.AST) -> Value:
    return run.from_python(getattr(base, name), Attribute(base, name).path, node)


def _held(run: Run, variable: str, node: ast.AST) -> Value:
    return function_scope(run.scope).names[run.variable_here(variable, node)]


# --- targets --------------------------------------------------------------------------------------


def assigned(run: Run, target: ast.expr, node: ast.AST) -> ast.Name | None:
    """Return the variable in the place of ``Class.name`` or ``module.name``, which is assigned;
    None if the target is something else."""
    if not isinstance(target, ast.Attribute):
        return None
    holder = _holder(run, target.value)
    if holder is None:
        return None
    name = _variable(run, Attribute(holder, target.attr), target)
    ownership.check_carried(run, name, node)
    return ast.copy_location(ast.Name(name, ast.Store()), target)


def of_global(run: Run, target: ast.expr) -> ast.expr:
    """Return the variable in the place of a global variable that is one of another module than the
    entry's, and so an attribute of that module; another target as it is."""
    if not isinstance(target, ast.Name) or run.frame.definition is None:
        return target
    variable = ambient.of_global(_variables(run), run.frame.definition, target.id)
    if variable is None or owner_of(run.scope, target.id) is not None:
        return target
    return ast.copy_location(ast.Name(run.variable_here(variable, target), target.ctx), target)


def is_set(run: Run, variable: ast.Name) -> bool:
    """Whether a variable has a value on every path."""
    held = function_scope(run.scope).names.get(variable.id)
    return held is not UNSET and not isinstance(held, MaybeV)


def resolved(run: Run, target: ast.expr) -> ast.expr:
    """Return the place of something that is updated, with the variable in the place of an attribute
    of a class or module in it: also of one that an object has from its class."""
    match target:
        case ast.Attribute(value, name):
            holder = _holder(run, value)
            bases: Sequence[type] = ()
            if isinstance(holder, types.FunctionType):
                found: Holder | None = holder if name in vars(holder) else None
            elif isinstance(holder, types.ModuleType):
                found = holder
            else:
                bases = _bases(run, value, name) if holder is None else order_of(holder)
                found = _owner(run, bases, name, target)
            if found is not None:
                variable = _variable(run, Attribute(found, name), target)
                return ast.copy_location(ast.Name(variable, ast.Load()), target)
            inner = resolved(run, value)
            made: ast.expr = ast.Attribute(inner, name, target.ctx)
        case ast.Subscript(value, index):
            inner = resolved(run, value)
            made = ast.Subscript(inner, index, target.ctx)
        case _:
            return of_global(run, target)
    return target if inner is value else ast.copy_location(made, target)


def _bases(run: Run, e: ast.expr, name: str) -> Sequence[type]:
    """Return the classes in which an object looks for an attribute that it does not have itself."""
    if not isinstance(e, ast.Name):
        return ()
    match run.lookup(e.id, e):
        case RecordV(cls, fields, outside=place) as one if cls is not dict and name not in fields:
            own = {} if place is None else attributes_of(place.value)
            return () if name in own else _classes(run, one)
        case RefV() as ref if run.store is not None and name not in run.store.group(ref).fields:
            return _classes(run, ref)
        case _:
            return ()


def _classes(run: Run, value: Value) -> Sequence[type]:
    """Return the class of an object and its bases; nothing if it is of one of several classes."""
    match value:
        case RecordV(cls):
            return order_of(cls)
        case RefV() as ref if run.store is not None:
            classes = run.store.classes(ref)
            return order_of(classes[0]) if len(classes) == 1 else ()
        case _:
            return ()


def _owner(run: Run, bases: Sequence[type], name: str, node: ast.AST) -> type | None:
    """Return the first of these classes that has something under a name which can be updated."""
    variables = _variables(run)
    for base in bases:
        variable = variables.get(Attribute(base, name).path)
        held = None if variable is None else _held(run, variable, node)
        if isinstance(held, MaybeV):
            run.refuse(node, f"an update of the attribute {name!r}, which only some paths have "
                       "given to the class", "let the class have it from the start")
        if variable is not None and held is not UNSET:
            return base
        if name in vars(base):
            return base if ambient.is_plain(vars(base)[name]) else None
    return None


def _holder(run: Run, e: ast.expr) -> Holder | None:
    """Return the class or module that an expression names: by names and attributes, as
    ``type(x)``, or as ``x.__class__``."""
    match e:
        case ast.Call(ast.Name("type"), [ast.Name()], []) | ast.Attribute(ast.Name(), "__class__"):
            pass
        case ast.Name() | ast.Attribute() if isinstance(root := root_of(e), ast.Name):
            if not _names_only(e) or not _is_holder(run.lookup(root.id, root)):
                return None
        case _:
            return None
    found = run.evaluate(e)
    held = found.value if isinstance(found, Static) else function_outside(run, found, e)
    return held if isinstance(held, Holder) else None


def function_outside(run: Run, value: Value, e: ast.expr) -> types.FunctionType | None:
    """Return the function of Python that a name stands for; None if it is one of compiled code."""
    if not isinstance(value, FunctionV) or value.bound or not isinstance(e, ast.Name):
        return None
    if isinstance(value.scope, PyScope):
        if value.scope.path[:1] == (("function",),):  # in each call perhaps another one
            return None
        run.is_function(value.scope.function, value.scope.path)
        return value.scope.function
    names = value.definition.globals
    known = names.get(e.id)
    if not isinstance(known, types.FunctionType) or owner_of(run.scope, e.id) is not None:
        return None
    if definition_of(known) is not value.definition:
        return None
    run.is_function(known, (("global", Namespace.of(names), e.id),))
    return known


def _read(run: Run, value: FunctionV, e: ast.expr | None) -> types.FunctionType | None:
    """Return the function of Python that a function is, or of which it is a method; None if it is
    one of compiled code, or nobody knows which one. ``e``: what stands for it."""
    if isinstance(value.scope, PyScope) and value.scope.path[:1] != (("function",),):
        run.is_function(value.scope.function, value.scope.path)
        return value.scope.function
    if not value.bound:
        node = value.definition.node
        if isinstance(node, ast.FunctionDef) and node.col_offset == 0:  # made once
            e = ast.copy_location(ast.Name(node.name, ast.Load()), node)
        return None if e is None else function_outside(run, value, e)
    for base in _classes(run, value.bound[0]):
        known = vars(base).get(value.definition.name)
        if isinstance(known, types.FunctionType) and definition_of(known) is value.definition:
            return known
    return None


def of_function(run: Run, value: FunctionV, name: str, node: ast.AST) -> Value | None:
    """Return an attribute of a function of Python; None if it has none of that name."""
    function = _read(run, value, node.value if isinstance(node, ast.Attribute) else None)
    if function is None or name not in vars(function) or not ambient.is_plain(vars(function)[name]):
        return None
    place = Attribute(function, name)
    variables = _variables(run)
    variable = variables.get(place.path)
    if variable is None:
        return run.from_python(place.value, place.path, node)
    return run.lookup(run.variable_here(variable, node), node)


def function_has(run: Run, value: FunctionV, e: ast.expr | None, name: str,
                 node: ast.AST) -> Value | None:  # fmt: skip
    """Whether a function of Python has an attribute; None if nobody knows which one it is."""
    function = _read(run, value, e)
    if function is None or name.startswith("__"):
        return None
    place = Attribute(function, name)
    variables = _variables(run)
    if place.path in variables:
        held = _held(run, variables[place.path], node)
        if isinstance(held, MaybeV):
            return Scalar(held.bound, True, 1)
        return Static(held is not UNSET)
    if name in vars(function):
        run.from_python(place.value, place.path, node)
        return Static(True)
    run.without_own(place.path[:-1], name)
    return Static(False)


def _names_only(e: ast.expr) -> bool:
    return all(not isinstance(n, ast.Subscript) for n in ast.walk(e))


def _is_holder(value: Value) -> bool:
    return isinstance(value, FunctionV) or (
        isinstance(value, Static) and isinstance(value.value, Holder)
    )


def _variable(run: Run, attribute: Attribute, node: ast.AST) -> str:
    """Return the name of the variable that holds an attribute, or refuse it, to be learnt."""
    if run.taken is not None and attribute.path in run.taken.variables:
        return run.variable_here(run.taken.variables[attribute.path], node)
    holder = attribute.holder
    if isinstance(holder, types.FunctionType):
        what, instead = f"the function {holder.__name__}", "keep it in an object"
    elif isinstance(holder, type):
        what, instead = f"the class {holder.__name__}", "let each object have it"
    else:
        what, instead = f"the module {holder.__name__}", "keep it in an object"
    error = MutationError(
        f"an attribute of {what} cannot be assigned: all would see it",
        f"{instead}, or pass the value", run.site(node),
    )  # fmt: skip
    if ambient.may_be_assigned(attribute):
        error.attribute = attribute
    raise error


def check(run: Run, value: Value, node: ast.AST) -> None:
    """Refuse a function or descriptor as what is assigned: objects would find a method."""
    cls = value.cls if isinstance(value, (RecordV, RefV)) else object
    if holds_functions(run.kind(value, node)) or hasattr(cls, "__get__"):
        run.refuse(node, "a function as an attribute of a class or module that is assigned",
                   "keep it in an object, or choose it by a number", error=MutationError)


__all__ = ["assigned", "check", "differ", "is_set", "of_function", "resolved", "there", "value_in"]
