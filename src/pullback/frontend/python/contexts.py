"""Generators under ``contextlib.contextmanager``: what stands behind their ``yield`` is the exit.

    @contextmanager
    def scaled(box, f):              with scaled(b, 2.0) as c:      box, f = b, 2.0
        box.scale *= f                   y = c.scale        ==>     box.scale *= f
        try:                                                        try:
            yield box                                                   c = box
        finally:                                                        y = c.scale
            box.scale /= f                                          finally:
                                                                        box.scale /= f

The statements of the generator, with names of their own, stand around those of the ``with``
statement (``trying`` writes the jumps). Whether a name means such a generator is decided by what it
stands for when the function is read, not by how it is written.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType, ModuleType

from pullback.core.frozen import dataclass, field
from pullback.errors import SourceError
from pullback.frontend.python.libraries import is_closed
from pullback.frontend.python.texts import FunctionNode

Find = Callable[[FunctionType], tuple[ast.FunctionDef, "Origin"]]
"""A function as it is written, and where that is."""


class Context(ast.Expr):
    """The expression behind ``with``, of which the run knows what it is. ``means``: what it stood
    for when the function was read."""

    means: object = None


class Consumed(ast.stmt):
    """Where a generator yields: here the body of the ``with`` statement of this number stands."""

    _fields = ("value",)

    def __init__(self, value: ast.expr | None = None, number: int = 0) -> None:
        super().__init__()
        self.value, self.number = value, number


class Origin:
    """Where nodes have been written that stand in another function now."""

    def __init__(
        self, file: str, name: str, globals: dict[str, object], lines: tuple[str, ...]
    ) -> None:
        self.file, self.name, self.globals, self.lines = file, name, globals, lines

    def __deepcopy__(self, _: object) -> Origin:
        return self


class OfModule(ast.Name):
    """A name of a module, ``name``, that is looked up where it has been written. What it is called
    here no program can have."""

    written: Origin

    @property
    def name(self) -> str:
        return self.id.partition("@")[0]


_MANAGED = contextlib.contextmanager(iter).__code__
UNKNOWN = object()
"""What a name stands for that is not known when the function is read."""


Asked = dict[tuple[tuple[str, ...], int], tuple[Mapping[str, object], object]]
"""What dotted names stood for, and in which globals."""


@dataclass(eq=False)
class Names:
    """What names stand for where a function is read. ``around``: the functions around a place, from
    the outermost one on; ``asked``: what has been asked for."""

    globals: Mapping[str, object]
    cells: Mapping[str, object]
    find: Find
    around: tuple[FunctionNode, ...] = ()
    asked: Asked = field(default_factory=dict)

    @staticmethod
    def of(function: FunctionType, find: Find) -> Names:
        """The names of a function."""
        return Names(function.__globals__, cells_of(function), find)

    def inside(self, node: FunctionNode) -> Names:
        """The names in a function that stands here."""
        return Names(self.globals, self.cells, self.find, (*self.around, node), self.asked)

    def value(self, e: ast.expr) -> object:
        """What a dotted name of modules stands for; UNKNOWN if it is something else."""
        path = _path(e)
        if path is None or any(path[0] in bound_in(f) for f in self.around):
            return UNKNOWN
        names = _globals_of(e, self.globals)
        found = looked_up(path, names, self.cells if names is self.globals else {})
        self.asked[path, id(names)] = names, found
        return found

    def is_current(self, function: FunctionType) -> bool:
        """Whether the names stand for what they stood for when the function was read."""
        cells = cells_of(function)
        return all(
            looked_up(path, names, cells if names is function.__globals__ else {}) is found
            for (path, _), (names, found) in self.asked.items()
        )

    def nested(self, name: str) -> Manager | None:
        """The generator that a name of the functions around stands for, if it is one."""
        for k in range(len(self.around) - 1, -1, -1):
            f = self.around[k]
            if name not in bound_in(f):
                continue
            made = [s for s in _own(f) if isinstance(s, ast.FunctionDef) and s.name == name]
            if len(made) != 1 or _times_bound(f, name) != 1 or not self.is_manager(made[0]):
                return None
            free = _names_in(made[0]) - bound_in(made[0])
            inner = self.around[k + 1 :]
            outside = {n for s in _own(made[0]) if isinstance(s, ast.Nonlocal) for n in s.names}
            if any(free & bound_in(g) for g in inner) or (inner and outside):
                return None
            return Manager(made[0], None, self)
        return None

    def methods(self, name: str) -> list[tuple[object, Manager]]:
        """The generators that are methods of this name, of the classes that have a name here."""
        found: dict[object, Manager] = {}
        for space in (self.cells, self.globals):
            for n, cls in tuple(space.items()):
                made = of_class(cls, name)
                generator = generator_of(made)
                if generator is None:
                    continue
                self.value(ast.Name(n, ast.Load()))
                manager = _manager(generator, self)
                if manager is not None:
                    found[made] = manager
        return list(found.items())

    def is_manager(self, node: ast.FunctionDef) -> bool:
        """Whether a nested function is a generator under ``contextmanager``, and only used in
        ``with``."""
        match node.decorator_list:
            case [decorator] if self.value(decorator) is contextlib.contextmanager:
                pass
            case _:
                return False
        if not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in _own(node)):
            return False
        read = used = 0
        for f in self.around[:1]:
            for n in ast.walk(f):
                read += isinstance(n, ast.Name) and n.id == node.name
                if isinstance(n, ast.withitem) and isinstance(n.context_expr, ast.Call):
                    called = n.context_expr.func
                    used += isinstance(called, ast.Name) and called.id == node.name
        return read == used


@dataclass(frozen=True)
class Manager:
    """A generator under ``contextmanager``; ``origin``: where it is written, if it does not stand
    in the function that uses it."""

    node: ast.FunctionDef
    origin: Origin | None
    names: Names

    def statements(
        self, call: ast.Call, number: int, host: Names
    ) -> tuple[list[ast.stmt], list[ast.stmt]] | None:
        """Return what binds the parameters, and the body, for the function that they stand in in
        the end; None if it cannot be written so."""
        given = _arguments(self.node, _spread(call, host))
        mine = _own(self.node)
        if given is None or any(isinstance(n, (ast.ClassDef, ast.Global)) for n in mine):
            return None
        body: list[ast.stmt] = copy.deepcopy(self.node.body)
        outside = {n for s in mine if isinstance(s, ast.Nonlocal) for n in s.names}
        bound = {*_bound_anywhere(self.node)} - outside
        taken = {n for f in host.around for n in bound_in(f)}
        if self.origin is None or self.names.globals is host.globals:
            rename = _Renamed(bound, f"@with{number}", self.origin, taken)
        else:
            rename = _Renamed(bound, f"@with{number}", self.origin, None)
        for s in body:
            rename.visit(s)
        body = [made for s in body for made in _consumed(s, number)]
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for s in body for n in ast.walk(s)):
            return None
        binds: list[ast.stmt] = [
            ast.Assign([ast.Name(rename.name(name), ast.Store())], value) for name, value in given
        ]
        for s in binds:
            ast.fix_missing_locations(ast.copy_location(s, call))
        return binds, body


def managed_by(names: Names, e: ast.expr) -> Manager | None:
    """Return the generator that the expression behind ``with`` calls, if it is known."""
    if not isinstance(e, ast.Call):
        return None
    function = e.func
    if isinstance(function, ast.Name) and not isinstance(function, OfModule):
        made = names.nested(function.id)
        if made is not None:
            return made
    generator = generator_of(names.value(function))
    return None if generator is None else _manager(generator, names)


def _manager(generator: FunctionType, names: Names) -> Manager | None:
    try:
        node, origin = names.find(generator)
    except SourceError:
        return None
    if generator.__code__.co_freevars:
        return None
    here = Names(generator.__globals__, {}, names.find, (node,), names.asked)
    return Manager(node, origin, here)


def generator_of(value: object) -> FunctionType | None:
    """Return the generator function of a function that ``contextmanager`` has made."""
    if not isinstance(value, FunctionType) or value.__code__ is not _MANAGED:
        return None
    found = cells_of(value).get("func")
    if not isinstance(found, FunctionType) or is_closed(found):
        return None
    return found if inspect.isgeneratorfunction(found) else None


def is_method(obj: object, name: str, function: object) -> bool:
    """Whether the method of this name, of an object, is this function."""
    return of_class(type(obj), name) is function


def of_class(cls: object, name: str) -> object:
    """Return what a class has under a name."""
    return inspect.getattr_static(cls, name, None) if isinstance(cls, type) else None


def cells_of(function: FunctionType) -> dict[str, object]:
    """Return what the variables around a function hold, as far as they hold anything."""
    found = {}
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        with contextlib.suppress(ValueError):
            found[name] = cell.cell_contents
    return found


def looked_up(
    path: Sequence[str], names: Mapping[str, object], cells: Mapping[str, object]
) -> object:
    """What a dotted name of modules stands for."""
    first, *rest = path
    found = cells.get(first, names.get(first, UNKNOWN))
    for name in rest:
        if not isinstance(found, ModuleType):
            return UNKNOWN
        found = vars(found).get(name, UNKNOWN)
    return found


def _globals_of(e: ast.expr, names: Mapping[str, object]) -> Mapping[str, object]:
    """Return the globals that a dotted name belongs to."""
    while isinstance(e, ast.Attribute):
        e = e.value
    return e.written.globals if isinstance(e, OfModule) else names


def _path(e: ast.expr) -> tuple[str, ...] | None:
    match e:
        case OfModule(name=name) | ast.Name(name):
            return (name,)
        case ast.Attribute(value, name):
            before = _path(value)
            return None if before is None else (*before, name)
        case _:
            return None


# --- names ----------------------------------------------------------------------------------------


def _own(f: FunctionNode) -> list[ast.AST]:
    """Return the nodes of a function that are not those of functions inside of it."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = [f.body] if isinstance(f, ast.Lambda) else [*f.body]
    while waiting:
        n = waiting.pop()
        found.append(n)
        if not isinstance(n, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(n)
    return found


def _binds(n: ast.AST) -> Iterator[str]:
    match n:
        case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
            yield name
        case ast.FunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.MatchStar(str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
        case ast.alias(name, other):
            yield other or name.partition(".")[0]
        case _:
            pass


def bound_in(f: FunctionNode) -> set[str]:
    """Return the names that a function binds."""
    own = _own(f)
    names = {name for n in own for name in _binds(n)} | {a.arg for a in _parameters(f)}
    return names - {n for s in own if isinstance(s, ast.Nonlocal) for n in s.names}


def _times_bound(f: FunctionNode, name: str) -> int:
    inside = sum(name in _binds(n) for n in ast.walk(f) if not isinstance(n, ast.arg))
    return inside - (isinstance(f, ast.FunctionDef) and f.name == name)


def _bound_anywhere(f: ast.FunctionDef) -> Iterator[str]:
    for s in (f.args, *f.body):
        for n in ast.walk(s):
            yield from _binds(n)


def _names_in(f: FunctionNode) -> set[str]:
    return {n.id for n in ast.walk(f) if isinstance(n, ast.Name)}


def _parameters(f: FunctionNode) -> list[ast.arg]:
    return [n for n in ast.walk(f.args) if isinstance(n, ast.arg)]


class _Renamed(ast.NodeTransformer):
    """Gives the names of a generator an ending, and marks the ones of its module (``taken``: those
    that may mean something else where it is put; None: all)."""

    def __init__(
        self, bound: set[str], ending: str, origin: Origin | None, taken: set[str] | None
    ) -> None:
        self.bound, self.ending, self.origin, self.taken = bound, ending, origin, taken

    def name(self, name: str) -> str:
        return name + self.ending if name in self.bound else name

    def _is_other(self, name: str) -> bool:
        return self.taken is None or name in self.taken

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        if self.origin is not None and hasattr(node, "lineno"):
            vars(node)["origin"] = self.origin  # ``site_of`` reads it
        match node:
            case ast.Name(name, ctx) if name not in self.bound:
                if self.origin is None or not self._is_other(name):
                    return node
                made = OfModule(f"{name}@of", ctx)
                made.written = self.origin
                vars(made)["origin"] = self.origin
                return ast.copy_location(made, node)
            case ast.Name(name):
                node.id = self.name(name)
            case ast.arg(name):
                node.arg = self.name(name)
            case ast.FunctionDef(name) | ast.MatchStar(str(name)):
                node.name = self.name(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                node.name = self.name(name)
            case ast.MatchMapping(rest=str(name)):
                node.rest = self.name(name)
            case ast.Nonlocal(names):
                node.names = [self.name(n) for n in names]
            case ast.alias(name, other):
                if other is not None or "." not in name:
                    node.asname = self.name(other or name)
            case _:
                pass
        return node


# --- what is put in -------------------------------------------------------------------------------


def _spread(call: ast.Call, names: Names) -> ast.Call:
    """Return a call with the items of tuples and dicts around the function one by one."""
    args: list[ast.expr] = []
    for a in call.args:
        held = names.value(a.value) if isinstance(a, ast.Starred) else None
        if isinstance(a, ast.Starred) and isinstance(held, tuple):
            args += [_item(a.value, k) for k in range(len(held))]
            continue
        args.append(a)
    keywords: list[ast.keyword] = []
    for k in call.keywords:
        named = names.value(k.value) if k.arg is None else None
        names_of = list(named) if isinstance(named, dict) else None
        more = [k] if names_of is None else [ast.keyword(n, _item(k.value, n)) for n in names_of]
        keywords += more
    return ast.copy_location(ast.Call(call.func, args, keywords), call)


def _item(e: ast.expr, key: str | int) -> ast.expr:
    made = ast.Subscript(e, ast.Constant(key), ast.Load())
    return ast.fix_missing_locations(ast.copy_location(made, e))


def _arguments(f: ast.FunctionDef, call: ast.Call) -> list[tuple[str, ast.expr]] | None:
    """Return what the parameters are bound to, in order; None if that is not to be seen."""
    a = f.args
    if any(isinstance(v, ast.Starred) for v in call.args) or a.kwarg is not None:
        return None
    positional = [p.arg for p in (*a.posonlyargs, *a.args)]
    named = {p.arg for p in (*a.args, *a.kwonlyargs)}
    given = list(zip(positional, call.args, strict=False))
    rest = call.args[len(positional) :]
    if a.vararg is not None:
        given.append((a.vararg.arg, ast.Tuple(rest, ast.Load())))
    elif rest:
        return None
    known = {name for name, _ in given}
    for k in call.keywords:
        if k.arg is None or k.arg not in named or k.arg in known:
            return None
        given.append((k.arg, k.value))
        known.add(k.arg)
    defaults = dict(zip(reversed(positional), reversed(a.defaults), strict=False))
    defaults |= {p.arg: d for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d}
    for name in (*positional, *(p.arg for p in a.kwonlyargs)):
        if name in known:
            continue
        default = defaults.get(name)
        if not isinstance(default, ast.Constant):
            return None
        given.append((name, ast.Constant(default.value)))
    return given


def _consumed(s: ast.stmt, number: int) -> list[ast.stmt]:
    """Return a statement with its ``yield`` as places for a body."""
    match s:
        case ast.Expr(ast.Yield(value)) | ast.Assign(_, ast.Yield(value)):
            made = Consumed(value, number)
            ast.copy_location(made, s)
            if isinstance(s, ast.Expr):
                return [made]
            s.value = ast.copy_location(ast.Constant(None), s)
            return [made, s]
        case ast.FunctionDef():
            return [s]
        case ast.Nonlocal():  # they are variables of the function that it stands in
            return [ast.copy_location(ast.Pass(), s)]
        case _:
            pass
    for block in (s, *getattr(s, "handlers", ()), *getattr(s, "cases", ())):
        for name in ("body", "orelse", "finalbody"):
            stmts = getattr(block, name, None)
            if isinstance(stmts, list):
                setattr(block, name, [made for t in stmts for made in _consumed(t, number)])
    return [s]


def is_certain(body: Sequence[ast.stmt]) -> bool:
    """Whether a generator, if it ends, has yielded once, by its look."""
    places = [n for s in body for n in ast.walk(s) if isinstance(n, Consumed)]
    returns = any(isinstance(n, ast.Return) for s in body for n in ast.walk(s))
    return len(places) == 1 and not returns and _certain(body)


def _certain(body: Sequence[ast.stmt]) -> bool:
    return any(
        isinstance(s, Consumed) or (isinstance(s, ast.Try) and not s.handlers and _certain(s.body))
        for s in body
    )


__all__ = [
    "UNKNOWN", "Consumed", "Context", "Manager", "Names", "OfModule", "Origin", "generator_of",
    "is_certain", "is_method", "looked_up", "managed_by", "of_class",
]  # fmt: skip
