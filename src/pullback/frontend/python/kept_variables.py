"""Variables that several functions share, as objects.

    def make(k):                        def make(k):
        n = 0.0                             n = 0.0; .n = Variable(n)
        def add(x):             ==>         def add(x):
            nonlocal n
            n += k * x                          .n.value += k * x
            return n                            return .n.value
        return add                          return add

A function that changes a variable around it is compiled with that as one more argument and result.
If the functions are kept in data, or chosen at run time, it is not known which variable that is: a
program that is refused for this is compiled once more with such variables as objects, which the
functions capture, and which lie in a region like others (``store``). A variable is left as it is
where something else than an assignment or a loop binds it, or a branch is the first that does.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeVar

from pullback.errors import PullbackError
from pullback.frontend.library.text.variables import Variable
from pullback.frontend.python.syntax import bound_by, local_names, parameters, rebinds
from pullback.frontend.python.syntax_pieces import assign, known, name_
from pullback.frontend.python.texts import FunctionNode

T = TypeVar("T")

KEPT: ContextVar[bool] = ContextVar("KEPT", default=False)
"""Whether text is being compiled in which variables that functions share are objects."""

_WANTED: ContextVar[list[str] | None] = ContextVar("_WANTED", default=None)


@contextmanager
def _asked() -> Iterator[list[str]]:
    """Give the list of the variables for whose sake the program is refused inside."""
    wanted: list[str] = []
    token = _WANTED.set(wanted)
    try:
        yield wanted
    finally:
        _WANTED.reset(token)


def ask_for(name: str) -> None:
    """Note that a program is refused since it is not known which variable a call changes."""
    wanted = _WANTED.get()
    if wanted is not None:
        wanted.append(name)


def tried(make: Callable[[], T]) -> T:
    """Return a program; if it is refused for variables that functions change which are kept in
    data, compile it from text in which these are objects."""
    try:
        with _asked() as wanted:
            return make()
    except PullbackError:
        if not wanted or KEPT.get():
            raise
        token = KEPT.set(True)
        try:
            with suppress(PullbackError):
                return make()
        finally:
            KEPT.reset(token)
        raise


def with_kept_variables(node: FunctionNode) -> FunctionNode:
    """Return a function with the variables that functions inside of it change as objects."""
    if not KEPT.get() or not any(isinstance(n, ast.Nonlocal) for n in ast.walk(node)):
        return node
    made = copy.deepcopy(node)
    for function in [n for n in ast.walk(made) if isinstance(n, ast.FunctionDef)]:
        for name in sorted(_shared(function)):
            if _can_be_kept(function, name):
                _keep(function, name)
    return copy.deepcopy(made)  # what was found of these nodes is remembered


def _functions(at: ast.AST) -> Iterator[FunctionNode]:
    """Iterate over the functions that stand in one, but in no other one."""
    for n in ast.iter_child_nodes(at):
        if isinstance(n, (ast.FunctionDef, ast.Lambda)):
            yield n
        else:
            yield from _functions(n)


def _shared(function: FunctionNode) -> set[str]:
    """Return the variables of a function that one inside of it declares ``nonlocal``."""
    mine = local_names(function)
    return {n for f in _functions(function) for n in _changed(f)} & mine


def _changed(function: FunctionNode) -> frozenset[str]:
    """Return the variables around a function that it or one inside of it changes."""
    inside = frozenset(n for f in _functions(function) for n in _changed(f))
    return rebinds(function) | (inside - local_names(function))


_BY_TARGET = ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For


def _can_be_kept(function: ast.FunctionDef, name: str) -> bool:
    """Whether assignments and loops alone bind a variable, and the first one surely does."""
    if not _bound_well(function, name):
        return False
    return name in parameters(function) or _first(function, name) is not None


def _bound_well(function: FunctionNode, name: str) -> bool:
    """Whether assignments and loops alone bind a variable, in the functions that share it."""
    todo: list[ast.AST] = list(ast.iter_child_nodes(function))
    while todo:
        n = todo.pop()
        if isinstance(n, (ast.FunctionDef, ast.Lambda)) and name in local_names(n):
            continue
        if isinstance(n, _COMPREHENSIONS) and _hides(n, name):
            continue
        if _binds_otherwise(n, name):
            return False
        todo.extend(ast.iter_child_nodes(n))
    return True


def _binds_otherwise(n: ast.AST, name: str) -> bool:
    """Whether a node binds a name otherwise than by an assignment or a loop, or may do so."""
    match n:
        case ast.FunctionDef(name=bound):
            return bound == name
        case ast.ClassDef():
            return _names(n, name)
        case ast.Delete(targets):
            return any(_names(t, name) for t in targets)
        case _:
            return name in bound_by(n) and not isinstance(n, _BY_TARGET)


_COMPREHENSIONS = ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp


def _hides(n: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, name: str) -> bool:
    """Whether a comprehension has a variable of this name of its own."""
    return any(_names(g.target, name) for g in n.generators)


def _names(at: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(at))


def _first(function: ast.FunctionDef, name: str) -> int | None:
    """Return the place of the statement of the body that is the first to bind a variable, if it is
    an assignment that names it once: ``n = 0.0``, ``total, n = 0.0, 0``."""
    for k, s in enumerate(function.body):
        if isinstance(s, ast.FunctionDef) or not _names(s, name):
            continue
        once = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(s)) == 1
        is_bound = isinstance(s, (ast.Assign, ast.AnnAssign)) and s.value is not None
        return k if once and is_bound and name in bound_by(s) else None
    return None


def _keep(function: ast.FunctionDef, name: str) -> None:
    """Make the object of a variable behind the statement that binds it first, or at the start if it
    is a parameter; from there on it stands in its place."""
    body, first = function.body, None if name in parameters(function) else _first(function, name)
    at = body[0 if first is None else first]
    made = ast.Call(known(Variable, at), [name_(name, at)], [])
    bound = assign(_object(name), ast.fix_missing_locations(ast.copy_location(made, at)), at)
    kept = _Kept(name)
    before = [] if first is None else [*map(kept.visit, body[:first]), at]
    function.body = [*before, bound, *map(kept.visit, body[len(before) :])]


def _object(name: str) -> str:
    return f".{name}"


class _Kept(ast.NodeTransformer):
    """A variable as the value of an object, in the functions in which it is that variable."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Name(self, n: ast.Name) -> ast.expr:
        if n.id != self.name:
            return n
        made = ast.Attribute(name_(_object(self.name), n), "value", n.ctx)
        return ast.copy_location(made, n)

    def visit_Nonlocal(self, n: ast.Nonlocal) -> ast.stmt:
        names = [x for x in n.names if x != self.name]
        return ast.copy_location(ast.Nonlocal(names) if names else ast.Pass(), n)

    def visit_FunctionDef(self, n: ast.FunctionDef) -> ast.AST:
        return self._function(n)

    def visit(self, n: ast.AST) -> Any:
        if isinstance(n, _COMPREHENSIONS) and _hides(n, self.name):
            n.generators[0].iter = self.visit(n.generators[0].iter)  # it stands outside
            return n
        return super().visit(n)

    def visit_Lambda(self, n: ast.Lambda) -> ast.AST:
        return self._function(n)

    def _function(self, n: ast.FunctionDef | ast.Lambda) -> ast.AST:
        if self.name not in local_names(n):
            return self.generic_visit(n)
        spec = n.args  # its defaults, and what decorates it, stand outside
        spec.defaults = [self.visit(d) for d in spec.defaults]
        spec.kw_defaults = [d and self.visit(d) for d in spec.kw_defaults]
        if isinstance(n, ast.FunctionDef):
            n.decorator_list = [self.visit(d) for d in n.decorator_list]
        return n


__all__ = ["KEPT", "ask_for", "tried", "with_kept_variables"]
