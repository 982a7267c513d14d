"""Classes that are defined inside of compiled functions.

Such a class is made once, when the function is compiled: Python's own code of its body, which is a
part of the function's code, runs as it does in a ``class`` statement. Its methods may use the class
itself, and variables of the functions around it whose values are known at compile time, say other
classes.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType, NoneType
from typing import TYPE_CHECKING

from pullback.frontend.functions import capturing_classes
from pullback.frontend.functions.scopes import Scope, chain, outermost
from pullback.frontend.kinds.values import CellV, Static, Value
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.object_classes import LOCAL, is_object_class
from pullback.frontend.python.private_names import is_written
from pullback.frontend.python.syntax import (
    bound_by,
    gathering,
    own_nodes,
    parameters,
    rebound_inside,
)

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_MADE: Remembered[type] = Remembered()
_Kept = type | ModuleType | FunctionType | BuiltinFunctionType
_ELSEWHERE = "define the class at module level"


def class_value(run: Run, s: ast.ClassDef) -> Value:
    """Return what a ``class`` statement gives its name: the class, or what its decorators make of
    it. Those of the standard library are called when the class is made; the user's, each time."""
    known = [*itertools.takewhile(partial(_is_of_library, run), reversed(s.decorator_list))][::-1]
    own = s.decorator_list[: len(s.decorator_list) - len(known)]
    decorators = [(run.evaluate(d), d) for d in own]
    made = _class_of(run, s, known)
    value = made
    for decorator, node in reversed(decorators):
        value = run.call(decorator, (value,), node)
    if value is not made and any(s.name in c.co_freevars for c in _codes_of(run, s)):
        named = capturing_classes.class_of(value), capturing_classes.class_of(made)
        same = [v.value if isinstance(v, Static) else v for v in named]
        if same[0] is not same[1]:
            reason = "a class that uses its own name, which its decorator replaces"
            run.refuse(s, reason, _ELSEWHERE)
    return value


def _codes_of(run: Run, s: ast.ClassDef) -> Iterator[CodeType]:
    code = _code_of(run, s)
    assert code is not None
    yield code
    yield from _codes(code)


def _is_of_library(run: Run, decorator: ast.expr) -> bool:
    """Whether a decorator is one of the standard library or NumPy."""
    root = decorator.func if isinstance(decorator, ast.Call) else decorator
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and _is_standard(_known(run, root.id))


def _is_standard(value: object) -> bool:
    name = "__name__" if isinstance(value, ModuleType) else "__module__"
    package = str(getattr(value, name, "")).partition(".")[0]
    return value is not _UNKNOWN and package in {*sys.stdlib_module_names, "numpy"} - {"__main__"}


def _class_of(run: Run, s: ast.ClassDef, decorated: Sequence[ast.expr]) -> Value:
    """Return the class of a statement with these decorators: the same one as long as what it uses
    is the same. Where methods use what only the run knows, it is a constructor
    (``capturing_classes``)."""
    code = _code_of(run, s)
    if code is None:
        run.refuse(s, "a class that is defined here", _ELSEWHERE)
    _check(run, s)
    bases = tuple(_made_at_once(run, base) for base in s.bases)
    above = [b for b in map(run.evaluate, s.bases) if capturing_classes.is_constructor(b)]
    options = {str(k.arg): _made_at_once(run, k.value) for k in s.keywords}
    decorators = [_made_at_once(run, d) for d in decorated]
    unknown = {n for n in code.co_freevars if n != s.name and _known(run, n) is _UNKNOWN}
    for n in _used_at_once(s) & unknown:
        _held(run, n, s)
    if unknown or above:
        unknown.add(s.name)
    held = {n: _held(run, n, s) for n in code.co_freevars if n != s.name and n not in unknown}

    def make() -> type:
        cells = {n: CellType(value) for n, value in held.items()}
        cells |= {n: CellType() for n in (s.name, *unknown)}
        closure = tuple(cells[n] for n in code.co_freevars)
        assert run.frame.definition is not None
        body = FunctionType(code, run.frame.definition.globals, code.co_name, None, closure)
        made = builtins.__build_class__(body, code.co_name, *bases, **options)
        for decorator in reversed(decorators):
            assert callable(decorator)
            made = decorator(made)
        cells[s.name].cell_contents = made
        assert isinstance(made, type)
        LOCAL.add(made)
        return made

    used = (*bases, *options.values(), *decorators, *held.values())
    cls = _MADE.of(s, (*map(_key, used), *sorted(unknown)), make)
    if not unknown:
        return Static(cls)
    if not is_object_class(cls) and not is_dataclass(cls):
        for n in sorted(unknown - {s.name}):
            _held(run, n, s)
    own = capturing_classes.codes_using(code, unknown)
    return capturing_classes.constructor(run, s, cls, own, above)


def _key(value: object) -> object:
    plain = isinstance(value, (int, float, str, NoneType))
    return (type(value), value) if plain else id(value)


def _code_of(run: Run, s: ast.ClassDef) -> CodeType | None:
    """Return the code of the body of a class."""
    assert run.frame.definition is not None
    first = min([s.lineno, *(d.lineno for d in s.decorator_list)])
    around = run.frame.definition.code
    found = () if around is None else _codes(around)
    here = (c for c in found if c.co_firstlineno == first)
    return next((c for c in here if is_written(c.co_name, s.name)), None)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _made_at_once(run: Run, e: ast.expr) -> object:
    """Return the value of an expression that Python evaluates when the class is made."""
    found = (n for n in ast.walk(e) if isinstance(n, ast.Name))
    names = {n.id: _held(run, n.id, n) for n in found}
    _check_calls(run, e)
    return eval(compile(ast.Expression(e), "<class>", "eval"), {}, names)


_UNKNOWN = object()
"""What stands for the value of a name that only the run knows."""


def _known(run: Run, name: str) -> object:
    """Return what a name holds for the class: a variable of the functions around, or a global."""
    for scope in chain(run.scope):
        found = scope.names.get(name)
        value = found.value if isinstance(found, CellV) else found
        value = None if value is None else capturing_classes.class_of(value)
        if isinstance(value, Static) and _is_bound_once(run, scope, name):
            return value.value
        if value is not None or name in scope.locals:
            break
    else:
        kept = _outside(run, name)
        if isinstance(kept, _Kept):
            return kept
    return _UNKNOWN


def _held(run: Run, name: str, node: ast.AST) -> object:
    """Return the same; refused if it is not known."""
    found = _known(run, name)
    if found is not _UNKNOWN:
        return found
    run.refuse(
        node,
        f"a class that uses {name!r}, a variable of the function around it",
        f"give it to the objects: self.{name} = {name} in __init__(self, ..., {name})",
    )


def _is_bound_once(run: Run, scope: Scope, name: str) -> bool:
    """Whether a variable always holds what it holds now: methods see what it holds later."""
    frame = next((f for f in run.frames if f.scope is scope), None)
    if frame is None or frame.definition is None:
        return False
    node = frame.definition.node
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
    own = [n for part in body for n in own_nodes(part)]
    places = [*parameters(node), *gathering(node)].count(name)
    places += sum(name in bound_by(n) for n in own)
    loops = (n for n in own if isinstance(n, (ast.For, ast.While)))
    again = any(name in bound_by(inner) for n in loops for inner in own_nodes(n))
    return places == 1 and not again and name not in rebound_inside(node)


def _outside(run: Run, name: str) -> object:
    cells, here = outermost(run.scope), run.frame.definition
    if cells is not None and name in cells.function.__code__.co_freevars:
        place = cells.function.__code__.co_freevars.index(name)
        return (cells.function.__closure__ or ())[place].cell_contents
    assert here is not None
    return here.globals.get(name, getattr(builtins, name, None))


def _used_at_once(s: ast.ClassDef) -> set[str]:
    """Return the names that Python reads when it makes the class."""
    return {n.id for part in _at_once(s) for n in ast.walk(part) if isinstance(n, ast.Name)}


def _at_once(s: ast.ClassDef) -> list[ast.AST]:
    """Return what Python evaluates when it makes the class, of its body."""
    found: list[ast.AST] = []
    for part in s.body:
        if isinstance(part, ast.FunctionDef):
            defaults = (d for d in part.args.kw_defaults if d is not None)
            found += [*part.decorator_list, *part.args.defaults, *defaults]
        else:
            found.append(part)
    return found


def _check(run: Run, s: ast.ClassDef) -> None:
    """Refuse a class whose definition does more than define."""
    for part in s.body:
        match part:
            case ast.FunctionDef() | ast.Assign() | ast.AnnAssign() | ast.Pass():
                pass
            case ast.Expr(ast.Constant()):
                pass
            case _:
                run.refuse(part, "a statement in the body of such a class", _ELSEWHERE)
    for made in _at_once(s):
        _check_calls(run, made)


def _check_calls(run: Run, part: ast.AST) -> None:
    for call in (n for n in ast.walk(part) if isinstance(n, ast.Call)):
        root: ast.expr = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        value = _held(run, root.id, root) if isinstance(root, ast.Name) else None
        if not _is_standard(value):
            run.refuse(call, "a call in the body of such a class", _ELSEWHERE)


__all__ = ["class_value"]
