"""``getattr``, ``hasattr`` and ``setattr`` by a name that only the run knows: a choice among the
attributes of the class that the name can mean.

    getattr(self, "on_" + s)(v)     self.on_run(v) if s == "run" else self.on_stop(v) if s == "stop"
                                    else the AttributeError

What a literal says of the name (``"on_" + s``, ``f"visit_{op}"``) says which attributes these are,
so that no text is made. The arms stand where the call stands, and each has its arguments: so a
method may update its object.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import partial
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

from pullback.core.build import boolean
from pullback.core.messages import Applied, Message
from pullback.errors import UnsupportedError
from pullback.frontend.functions.scopes import Outside
from pullback.frontend.interpret import made_texts
from pullback.frontend.interpret.attributes import entry_of
from pullback.frontend.interpret.iteration import as_run
from pullback.frontend.interpret.messages import Recorder
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.kinds import ArrayK, ListK, ScalarK, StaticK, SymbolK
from pullback.frontend.kinds.values import (
    ArrayV,
    ListV,
    OptionalV,
    RecordV,
    RefV,
    Scalar,
    Static,
    SymbolV,
    Value,
    register,
)
from pullback.frontend.python.container_bases import holds_value, order_of
from pullback.frontend.python.guards import Guard
from pullback.frontend.python.literal_texts import texts_of
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.object_classes import attributes_of, is_object_class
from pullback.frontend.python.records import is_record_class
from pullback.frontend.python.syntax_pieces import known, name_
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.interface import Specialiser
    from pullback.frontend.library.arguments import Args, Kwargs
    from pullback.frontend.run import Run

_MOST = 64


def instead(run: Run, node: ast.Call) -> ast.expr | None:
    """Return what stands for a call of ``getattr``, ``hasattr`` or ``setattr``, or of what
    ``getattr`` gives, by a name that only the run knows; None of any other call."""
    look = node.func if isinstance(node.func, ast.Call) else node
    if not _is_look(run, look):
        return None
    obj, name = look.args[0], look.args[1]
    pieces, inner = _taken_apart(name)
    if isinstance(inner, ast.Constant):
        return None
    if not _is_place(obj):
        obj = _held(run, look, obj, "object")
    value = run.evaluate(inner)
    if isinstance(value, Static) and _is_place(inner) and obj is look.args[0]:
        return None
    if not made_texts.is_text(value) and inner is not name:  # an int in a text
        pieces, inner = ("", ""), name
        value = run.evaluate(inner)
    if not made_texts.is_text(value):
        return None
    if not _is_place(inner):
        inner = _held(run, look, inner, "name", value)
    default = look.args[2] if len(look.args) == 3 else None
    if default is not None and not _is_place(default):
        default = _held(run, look, default, "default")
    elif default is not None:
        run.evaluate(default)  # which may raise
    around = (pieces[0], pieces[1]) if len(pieces) == 2 else ("", "")  # else the whole is asked for
    if isinstance(value, Static):
        return _looked_up(node, look, obj, default, str(value.value).join(around), False)
    held = run.evaluate(obj)
    if isinstance(held, Static) and isinstance(held.value, ModuleType):
        if default is not None or _word(look) == "hasattr":
            return None
        given = (obj, inner, None), around, _functions(run, held.value, around)
        return _chosen(node, look, *given, ((), ()), True)
    while isinstance(held, OptionalV) and optionals.is_nothing(held.other):
        held = held.value  # of what is there: each arm asks
    names = _names(run, held, pieces)
    if names is None or len(names) > _MOST:
        return None
    definition = run.frame.definition
    texts = None if definition is None else texts_of(definition.node, inner)
    if texts is not None:
        names = tuple(n for n in names if n in {t.join(around) for t in texts})
    unread: tuple[str, ...] = ()
    plain = not any(pieces) and _word(look) != "hasattr"
    if _word(look) == "setattr" or (node is look and plain and not _is_called(run, node)):
        unread = tuple(n for n in names if _is_method(run, obj, n))
    elif plain:
        unread = tuple(n for n in names if _is_data(run, held, n))
    special = _special(_classes(run, held), pieces, around)
    of_class = isinstance(held, Static)  # which has all of them
    return _chosen(node, look, (obj, inner, default), around, names, (unread, special), of_class)


def _functions(run: Run, module: ModuleType, around: tuple[str, str]) -> tuple[str, ...]:
    """Return the functions of a module whose names are among the texts that the program has."""
    written = {text for text in run.lambda_sets.symbols if isinstance(text, str)}
    for frame in run.frames:
        if frame.definition is not None:
            nodes = ast.walk(frame.definition.node)
            constants = (n.value for n in nodes if isinstance(n, ast.Constant))
            written |= {v for v in constants if isinstance(v, str)}
    names = (around[0] + text + around[1] for text in sorted(written))
    return tuple(n for n in names if n[:1] != "_" and callable(getattr(module, n, None)))


def _is_method(run: Run, obj: ast.expr, name: str) -> bool:
    """Whether a name is that of a method of an object."""
    classes = _classes(run, run.evaluate(obj))
    return any(isinstance(entry_of(c, name), FunctionType) for c in classes)


def _is_called(run: Run, look: ast.Call) -> bool:
    """Whether what a call gives gets a name by which the function calls it: ``m = getattr(...)``,
    then ``m(x)``."""
    definition = run.frame.definition
    nodes = [] if definition is None else [*ast.walk(definition.node)]
    targets = [n.targets for n in nodes if isinstance(n, ast.Assign) and n.value is look]
    names = {t.id for ts in targets for t in ts if isinstance(t, ast.Name)}
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in names
        for n in nodes
    )


def _is_data(run: Run, obj: Value, name: str) -> bool:
    """Whether an attribute is something that nobody can call."""
    if isinstance(obj, RecordV) and name in obj.fields:
        held = obj.fields[name]
        constant = isinstance(held, Static) and not callable(held.value)
        return constant or isinstance(held, (Scalar, ArrayV, ListV, SymbolV))
    if isinstance(obj, RefV) and name in run.rows.group(obj).fields:
        kind = run.rows.group(obj).fields[name]
        constant = isinstance(kind, StaticK) and not callable(kind.value)
        return constant or isinstance(kind, (ScalarK, ArrayK, ListK, SymbolK))
    entry = entry_of(_classes(run, obj)[0], name)
    return entry is not None and not callable(entry) and not hasattr(type(entry), "__get__")


def _classes(run: Run, obj: Value) -> Sequence[type]:
    """Return the classes of which an object is one; of a class itself that."""
    match obj:
        case RecordV(cls) | Static(type() as cls):
            return (cls,)
        case RefV():
            return run.rows.classes(obj)
        case OptionalV(_, inner):
            return _classes(run, inner)
        case _:
            raise AssertionError(obj)


def _held(
    run: Run, look: ast.Call, e: ast.expr, what: str, value: Value | None = None
) -> ast.expr:
    """Return a hidden name for a value that is asked for several times."""
    held = f".{what}.{look.lineno}.{look.col_offset}"
    given = run.evaluate(e) if value is None else value
    run.assign(ast.copy_location(ast.Name(held, ast.Store()), e), given, e)
    return _name(look, held)


def _is_look(run: Run, e: ast.expr) -> bool:
    match e:
        case ast.Call(ast.Name("getattr" | "hasattr") as f, [_, _] | [_, _, _], []) | ast.Call(
            ast.Name("setattr") as f, [_, _, _], []
        ):
            found = run.evaluate(f)
            return isinstance(found, Static) and found.value in (getattr, hasattr, setattr)
        case _:
            return False


def _word(look: ast.Call) -> str:
    assert isinstance(look.func, ast.Name)
    return look.func.id


def _is_place(e: ast.expr) -> bool:
    """Whether an expression may be evaluated several times."""
    match e:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value):
            return _is_place(value)
        case _:
            return False


def _taken_apart(name: ast.expr) -> tuple[tuple[str, ...], ast.expr]:
    """Return the literal pieces of a name, and what stands between them: the name itself if that is
    more than one expression."""
    pieces, between = _pieces(name)
    return tuple(pieces), (between[0] if len(between) == 1 else name)


def _pieces(name: ast.expr) -> tuple[list[str], list[ast.expr]]:
    parts: list[ast.expr] = []
    match name:
        case ast.BinOp(left, ast.Add(), right) if _is_written(left) or _is_written(right):
            parts = [left, right]
        case ast.JoinedStr(values):
            parts = values
        case ast.Constant(str(text)):
            return [text], []
        case ast.FormattedValue(inner, -1, None):
            return ["", ""], [inner]
        case _:
            return ["", ""], [name]
    pieces, between = [""], list[ast.expr]()
    for part in parts:
        more, inside = _pieces(part)
        pieces[-1:] = [pieces[-1] + more[0], *more[1:]]
        between += inside
    return pieces, between


def _is_written(e: ast.expr) -> bool:
    """Whether an expression is a text that is, in parts, written out."""
    match e:
        case ast.Constant(str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left, ast.Add(), right):
            return _is_written(left) or _is_written(right)
        case _:
            return False


def _names(run: Run, obj: Value, pieces: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the attributes of an object with such names; None if these are not known."""
    match obj:
        case RecordV(cls, fields, outside=place) if (
            not issubclass(cls, (dict, tuple)) or holds_value(cls)
        ):
            classes, held = [cls], {*fields}
            if place is not None:
                held |= {*attributes_of(place.value)}
                _guard(run, place)
        case RefV():
            group = run.rows.group(obj)
            classes, held = group.classes, {*group.fields}
        case Static(type() as cls) if is_object_class(cls) or is_record_class(cls):
            classes, held = [cls], set()
        case _:
            return None
    found = dict.fromkeys(n for c in classes for b in order_of(c) for n in vars(b))
    if any("__getattr__" in vars(b) for c in classes for b in order_of(c)):
        return None
    fits = re.compile(".*".join(map(re.escape, pieces)))
    return tuple(
        n for n in [*found, *sorted(held - found.keys())]
        if n.isidentifier() and fits.fullmatch(n) and not n.startswith("__")
    )


def _special(
    classes: Sequence[type], pieces: tuple[str, ...], around: tuple[str, str]
) -> tuple[str, ...]:
    """Return what a name may be so that it means a special attribute, such as ``__class__``."""
    fits = re.compile(".*".join(map(re.escape, pieces)))
    every = {n for c in classes for n in dir(c)} | {"__dict__"}
    found = sorted(n for n in every if n.startswith("__") and fits.fullmatch(n))
    return tuple(n[len(around[0]) : len(n) - len(around[1])] for n in found)


def _guard(run: Run, place: Outside) -> None:
    """Have it looked at each call whether an object from outside has these attributes."""
    if type(place.value).__dictoffset__:
        path, own = (*place.path, ("attr", "__dict__")), vars(place.value)
        run.guards[path] = Guard(path, StaticK(("keys", tuple(own)), own))


@by_node
def _name(node: ast.Call, held: str) -> ast.expr:
    return name_(held, node)


@by_node
def _looked_up(
    node: ast.Call, look: ast.Call, obj: ast.expr, default: ast.expr | None, name: str, surely: bool
) -> ast.expr:
    """Return a call with a name that is known."""
    there: ast.expr
    if surely:
        there = ast.Attribute(obj, name, ast.Load())
    else:
        given = [] if default is None else [default]
        there = ast.Call(look.func, [obj, known(name, look), *given], [])
    made = there if node is look else ast.Call(there, node.args, node.keywords)
    return _placed(made, node)


@by_node
def _chosen(
    node: ast.Call, look: ast.Call, parts: tuple[ast.expr, ast.expr, ast.expr | None],
    around: tuple[str, str],
    names: tuple[str, ...], refused_ones: tuple[tuple[str, ...], tuple[str, ...]], of_class: bool,
) -> ast.expr:  # fmt: skip
    """Return the choice among the attributes with these names, of which some are no values beside
    the others, and some are those of every object."""
    unread, special = refused_ones
    prefix, suffix = around
    obj, inner, default = parts
    asks, sets = _word(look) == "hasattr", _word(look) == "setattr"
    surely = not asks and not sets and (of_class or default is None)
    if asks:
        made: ast.expr = known(False, node)
    elif sets:
        made = ast.Call(known(refused, node), [], [])
    elif default is not None:
        made = default if node is look else ast.Call(default, node.args, node.keywords)
    else:
        said = [obj, inner, known(prefix, node), known(suffix, node)]
        made = ast.Call(known(absent, node), said, [])
    if special:
        ones: list[ast.expr] = [known(n, node) for n in special]
        asked = ast.Compare(inner, [ast.In()], [ast.Tuple(ones, ast.Load())])
        made = ast.IfExp(asked, ast.Call(known(refused, node), [], []), made)
    for name in reversed(names):
        short = name[len(prefix) : len(name) - len(suffix)]
        test = ast.Compare(inner, [ast.Eq()], [known(short, node)])
        there = _looked_up(node, look, obj, default, name, surely)
        if asks and of_class:
            there = known(True, node)
        if name in unread:
            there = ast.Call(known(refused, node), [], [])
        made = ast.IfExp(test, there, made)
    return _placed(made, node)


def _placed(made: ast.expr, node: ast.AST) -> ast.expr:
    for n in ast.walk(made):
        if isinstance(n, ast.expr) and not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return made


def absent(obj: object, name: str, prefix: str, suffix: str) -> object:
    """Raise the AttributeError of an attribute that no class has."""
    return getattr(obj, f"{prefix}{name}{suffix}")


def refused() -> object:
    """Stand for an attribute that is a method, where others are values."""
    raise AssertionError


@register(refused)
def _refused(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    reason = (
        "a method, a new attribute or one of several classes, by a name that only the run knows"
    )
    sp.require(boolean(False), UnsupportedError, reason, node)
    raise Unreachable


@register(absent)
def _absent(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    obj, name, prefix, suffix = args
    run = as_run(sp)
    assert isinstance(prefix, Static) and isinstance(suffix, Static)
    around = str(prefix.value), str(suffix.value)
    recorder = Recorder(run, node)
    shown = recorder.value(name)
    assert shown is not None
    if isinstance(obj, Static) and isinstance(obj.value, ModuleType):
        module = obj.value.__name__
        said = partial(_said, f"module {module!r}", *around)
        message = Message((Applied(said, (shown,)),), len(recorder.leaves), "no such attribute")
        has = partial(_has, obj.value, *around)
        there = run.bool_atom(run.truth(made_texts.of_python(run, has, (name,), node, bool), node))
        run.require(there, "AttributeError", message, node, *recorder.leaves)
        reason = f"a function of {module} by a name that stands nowhere in the function"
        rewrite = "write the names there, or pass the functions: for f in [np.sin, np.cos]: ..."
        run.require(boolean(False), UnsupportedError, f"{reason}: {rewrite}", node)
        raise Unreachable
    classes = _classes(run, obj)
    if len(classes) > 1:  # which of them it is, is not said
        return _refused(sp, (), {}, node)
    name_of_class = repr(classes[0].__name__)
    owner = f"type object {name_of_class}" if isinstance(obj, Static) else f"{name_of_class} object"
    said = partial(_said, owner, *around)
    message = Message((Applied(said, (shown,)),), len(recorder.leaves), "no such attribute")
    run.require(boolean(False), "AttributeError", message, node, *recorder.leaves)
    raise Unreachable


def _has(module: ModuleType, prefix: str, suffix: str, name: object) -> bool:
    return hasattr(module, prefix + str(name) + suffix)


def _said(owner: str, prefix: str, suffix: str, name: object) -> str:
    return f"{owner} has no attribute {prefix + str(name) + suffix!r}"


__all__ = ["absent", "instead"]
