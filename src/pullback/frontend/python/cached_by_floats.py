"""Functions that keep their results, and are given floats.

Two floats that are equal may have different derivatives, so no dict has them as keys. But a
recursion mostly hands the same float on. What one call from outside computes is then kept by the
other arguments, in a dict of that call:

    @cache                           def p(n, x):
    def p(n, x):                         if has_no_key(x):
        if n < 2:                            p$own_memo = {}
            return x**n                      def p$own_run(n, x):
        return p(n - 1, x) * x + (               ...  # as it is written: p is the one below
            p(n - 2, x))                     def p(n, x):
                                                 ...  # by p$own_memo[n]
                                             return p(n, x)
                                         ...  # by p$memo[n, x]

A function that does not call itself is run by each call. Both run more often than in Python, which
must not be seen: the function changes nothing, and what it reads stays the same between the calls.
"""

from __future__ import annotations

import ast
import builtins
import copy
import dis
import itertools
from collections import Counter
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import numpy as np

from pullback.frontend.python.libraries import is_closed_module
from pullback.frontend.python.syntax import bound_by, free_names
from pullback.frontend.python.texts import FunctionNode

_FIXED = (int, float, str, type(None), type, BuiltinFunctionType, ModuleType)
_DATA = (list, tuple, dict, set, frozenset, np.ndarray)
_QUESTIONS = {
    "get", "items", "keys", "values", "index", "count", "shape", "size", "ndim", "sum", "max",
    "min", "mean", "dot", "T", "copy",
}  # fmt: skip
"""The methods of data that change nothing."""


def passed_on(node: ast.FunctionDef) -> list[str] | None:
    """Return the parameters that all calls of a function by itself pass on as they are; None if
    the function is used otherwise, or its arguments may be none of these."""
    args = node.args
    every = [*args.posonlyargs, *args.args]
    given = [*args.defaults, *(d for d in args.kw_defaults if d is not None)]
    if not all(isinstance(d, ast.Constant) for d in given):
        return None
    inside = [n for s in node.body for n in ast.walk(s)]
    calls = [n for n in inside if isinstance(n, ast.Call) and _is_name(n.func, node.name)]
    named = [n for n in inside if isinstance(n, ast.Name) and n.id == node.name]
    bound = {name for n in inside for name in _bound(n)}
    if len(named) != len(calls) or node.name in bound:
        return None
    places = {a.arg: k for k, a in enumerate(every)}
    places |= {a.arg: len(every) for a in args.kwonlyargs}
    return [
        name for name, k in places.items()
        if name not in bound and all(_hands_on(c, name, k) for c in calls)
    ]  # fmt: skip


def _bound(n: ast.AST) -> Iterator[str]:
    match n:
        case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
            yield name
        case ast.Nonlocal(names) | ast.Global(names):
            yield from names
        case ast.MatchAs() | ast.MatchStar() | ast.MatchMapping() | ast.ExceptHandler():
            yield from (v for v in vars(n).values() if isinstance(v, str))
        case ast.FunctionDef() | ast.ClassDef() | ast.Import() | ast.ImportFrom():
            yield from bound_by(n)


def _is_name(e: ast.expr, name: str) -> bool:
    return isinstance(e, ast.Name) and e.id == name


def _hands_on(call: ast.Call, name: str, k: int) -> bool:
    if any(isinstance(a, ast.Starred) for a in call.args):
        return False
    if k < len(call.args):
        return _is_name(call.args[k], name)
    return any(w.arg == name and _is_name(w.value, name) for w in call.keywords)


def reads_what_stays(
    node: ast.FunctionDef, around: FunctionNode | None, names: dict[str, object]
) -> bool:
    """Whether what a function reads from outside, of a function ``around`` it or of a module,
    stays as it is between its calls, as far as the text tells. (A function that calls itself by
    another one reads that.)"""
    bound = {} if around is None else _bindings(around)
    nodes = [] if around is None else list(ast.walk(around))
    waiting, seen = [node], {node.name}
    for function in waiting:
        for name in free_names(function):
            if name == node.name and function is not node:
                return False  # called again with other arguments, it would run ever more often
            if name in seen:
                continue
            seen.add(name)
            if name not in bound:
                if not _stays_in_module(name, names):
                    return False
                continue
            if bound[name] > 1 or not _is_only_read(nodes, name):
                return False
            waiting += [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == name]
    return True


def _bindings(around: FunctionNode) -> dict[str, int]:
    """Return how often each variable is bound in a function: more than once if that is in a loop,
    or where it is not the only one of that name."""
    repeated = (ast.For, ast.While, ast.Nonlocal, ast.Global, ast.comprehension, ast.Lambda)
    again = [n for s in ast.walk(around) if isinstance(s, repeated) for n in ast.walk(s)]
    own = [around.name] if isinstance(around, ast.FunctionDef) else []
    return Counter([*own, *(name for n in [*ast.walk(around), *again] for name in _bound(n))])


def _is_only_read(nodes: list[ast.AST], name: str) -> bool:
    parents = {child: n for n in nodes for child in ast.iter_child_nodes(n)}
    uses = (n for n in nodes if isinstance(n, ast.Name) and n.id == name)
    return all(isinstance(n.ctx, ast.Store) or _only_reads(n, parents) for n in uses)


def _only_reads(n: ast.expr, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether an expression is used for nothing by which what it is could be changed."""
    match parents.get(n):
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.FormattedValue():
            return True
        case ast.Subscript(value, ctx=ast.Load()) as part if value is n:
            return _only_reads(part, parents)
        case ast.Subscript(slice=used):
            return used is n
        case ast.Call(func, args):
            return func is n or (n in args and _is_builtin(func))
        case ast.For(iter=used) | ast.comprehension(iter=used):
            return used is n
        case ast.Tuple() as several:
            return _only_reads(several, parents)
        case _:
            return False


def _is_builtin(func: ast.expr) -> bool:
    match func:
        case ast.Name(name):
            return hasattr(builtins, name) and name not in ("setattr", "delattr", "next")
        case ast.Attribute(ast.Name("math" | "np" | "numpy")):
            return True
        case _:
            return False


def _stays_in_module(name: str, names: dict[str, object]) -> bool:
    if name not in names:
        return hasattr(builtins, name)
    value = names[name]
    if isinstance(value, FunctionType):
        return is_closed_module(str(value.__module__))
    functions = [v for v in names.values() if isinstance(v, FunctionType)]
    inside = [c for f in functions for c in codes(f.__code__)]
    if isinstance(value, _DATA):
        return not any(_may_change(c, name) for c in inside)
    return isinstance(value, _FIXED) and not any(name in _stored(c) for c in inside)


def codes(code: CodeType) -> Iterator[CodeType]:
    """Iterate over the code of a function, and of those that are nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def _stored(code: CodeType) -> set[str]:
    return {str(i.argval) for i in dis.get_instructions(code) if i.opname == "STORE_GLOBAL"}


def _may_change(code: CodeType, name: str) -> bool:
    """Whether a function that reads a global variable may change what it holds: it assigns some
    item, or calls a method of it that is no question."""
    if name not in code.co_names:
        return False
    found = list(dis.get_instructions(code))
    stored = {"STORE_GLOBAL", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE", "DELETE_GLOBAL"}
    called = (
        second.argval for first, second in itertools.pairwise(found)
        if (first.opname == "LOAD_GLOBAL" and first.argval == name and "ATTR" in second.opname)
        or (second.opname == "LOAD_METHOD" and first.argval == name)
    )  # fmt: skip
    return any(i.opname in stored for i in found) or not _QUESTIONS.issuperset(called)


def renamed_copy(node: ast.FunctionDef, name: str) -> ast.FunctionDef:
    """Return a copy of a function without its decorators, under another name."""
    made = copy.deepcopy(node)
    made.name, made.decorator_list = name, []
    return made


__all__ = ["codes", "passed_on", "reads_what_stays", "renamed_copy"]
