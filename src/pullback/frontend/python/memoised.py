"""Functions that keep their results, as functions that do so by a dict.

    @cache                      d$memo = {}
    def d(i, j):                def d$run(i, j):
        ...                         ...
                                def d(i, j):
                                    if (i, j) in d$memo:
                                        return d$memo[i, j]
                                    d$value = d$run(i, j)
                                    d$memo[i, j] = d$value
                                    return d$value

The dict is a variable of the function around, so it lives as long as one call of that.

How often the function runs can be seen if it changes something else, or by ``d.cache_info()``. Then
the dict is as long as ``maxsize`` allows, the result that was used last stands at its end, and the
two counts are variables beside it. The methods are attributes of the function
(``function_attributes``).

The dict of a method is an attribute of its object, which nobody outside sees (``instances``). A
function of floats has none for them (``cached_by_floats``).
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pullback.core.frozen import dataclass
from pullback.frontend.library.text.cache_counts import CacheInfo
from pullback.frontend.library.text.cache_keys import checked, has_no_key
from pullback.frontend.python.cached_by_floats import passed_on, reads_what_stays, renamed_copy
from pullback.frontend.python.memo import Remembered, by_node
from pullback.frontend.python.purity import Effect, Effects
from pullback.frontend.python.texts import FunctionNode

_CACHES = functools.cache, functools.lru_cache
_METHODS = {"cache_info", "cache_clear"}


def expanded(node: FunctionNode, names: dict[str, object]) -> FunctionNode:
    """Return the function with the cached functions inside of it written out; ``names`` are the
    globals."""
    if not any(isinstance(n, ast.FunctionDef) and _is_cached(n, names) for n in _inside(node)):
        return node
    made = _Expansion(node, names).visit_children(node)
    assert isinstance(made, (ast.FunctionDef, ast.Lambda))
    return made


def _inside(node: FunctionNode) -> list[ast.AST]:
    return [n for child in ast.iter_child_nodes(node) for n in ast.walk(child)]


class _Expansion:
    """A copy of a syntax tree in which cached functions are written out."""

    def __init__(self, tree: FunctionNode, names: dict[str, object]) -> None:
        self.names, self.tree = names, tree
        self.effects = Effects(tree, names)
        nodes = [*ast.walk(tree)]
        self.counted = any(isinstance(n, ast.Attribute) and n.attr in _METHODS for n in nodes)
        self.by_keyword = {
            n.func.id for n in nodes
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.keywords
        }  # fmt: skip

    def visit_children(self, node: ast.AST) -> ast.AST:
        fields = {name: self.visited(value) for name, value in ast.iter_fields(node)}
        made = type(node)(**fields)
        return ast.copy_location(made, node)

    def visited(self, value: object) -> object:
        match value:
            case list():
                return [made for item in value for made in self.statements(item)]
            case ast.AST():
                return self.visit_children(value)
            case _:
                return value

    def statements(self, item: object) -> list[object]:
        if isinstance(item, ast.FunctionDef) and _is_cached(item, self.names):
            form = self.form(item)
            inner = self.visit_children(item)
            assert isinstance(inner, ast.FunctionDef)
            return [inner] if form is None else [*_parts(inner, form)]
        return [self.visited(item)]

    def form(self, node: ast.FunctionDef) -> _Form | None:
        """Return how a function keeps its results; None if only Python knows that."""
        effect = self.effects.of(node)
        limit = _limit(node.decorator_list[0], self.names)
        if effect is Effect.NONE and not self.counted:
            stays = reads_what_stays(node, self.tree, self.names)
            if stays or limit is None:  # what is forgotten is computed to the same
                return _Form(once=stays)
        args = node.args
        one_key = not (args.defaults or args.kwonlyargs) and node.name not in self.by_keyword
        if effect is Effect.UNKNOWN and limit is None and not (self.counted or one_key):
            return _Form()
        if limit == _UNKNOWN or not one_key:  # f(1) and f(n=1) are two results in Python
            return None
        return _Form(limit, True, self.counted)


def _is_cached(node: ast.FunctionDef, names: dict[str, object]) -> bool:
    """Whether a function is decorated by ``cache`` or ``lru_cache``, and by nothing else."""
    match node.decorator_list:
        case [decorator] if not (node.args.vararg or node.args.kwarg):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            return _object(called, names) in _CACHES
        case _:
            return False


def _object(node: ast.expr, names: dict[str, object]) -> object:
    """Return what a dotted name is in these globals, if it is a function."""
    match node:
        case ast.Name(name):
            found = names.get(name)
        case ast.Attribute(ast.Name(module), name) if names.get(module) is functools:
            found = getattr(functools, name, None)
        case _:
            return None
    return found if callable(found) else None


def parts(
    node: ast.FunctionDef, names: dict[str, object]
) -> tuple[ast.Assign, ast.FunctionDef, ast.FunctionDef]:
    """Return the dict, the function without it, and the function with it, of a function of a
    module with these globals."""
    return _PARTS.of(node, None, lambda: _parts_in_module(node, names))


def method(
    node: ast.FunctionDef, names: dict[str, object], place: str
) -> ast.FunctionDef | None:
    """Return a method that keeps its results in its object, in the attribute ``place``; its first
    parameter is the method that does not. None if it can be seen how often that runs."""
    args = node.args
    every = [*args.posonlyargs, *args.args]
    effect = Effects(node, names, every[0].arg if every else None).of(node)
    if effect is Effect.CHANGES or args.vararg or args.kwarg or not every:
        return None
    several = effect is not Effect.NONE or _changes_attributes(node)
    if several and (args.defaults or args.kwonlyargs):  # f(1) and f(n=1) are two results in Python
        return None
    return _of_object(node, place, several)


@by_node
def _of_object(node: ast.FunctionDef, place: str, by_position: bool) -> ast.FunctionDef:
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    own = every[0].arg
    given = [a.arg for a in every[1:]]
    key = given[0] if len(given) == 1 else f"({', '.join(given)})"
    text = f"""
if not hasattr({own}, name):
    setattr({own}, name, {{}})
checked({", ".join(given)})
if {key} in {own}.memo:
    return {own}.memo[{key}]
value = run({own}, {", ".join(given)})
{own}.memo[{key}] = value
return value
"""
    names_of = {n: f"{node.name}${n}" for n in ("run", "value")}
    body = _named(text, names_of, {"name": place, "checked": checked}, node)
    for n in (n for s in body for n in ast.walk(s)):
        if isinstance(n, ast.Attribute):
            n.attr = place
    taken = copy.deepcopy(args)
    if by_position:
        taken.posonlyargs, taken.args = [*taken.posonlyargs, *taken.args], []
    first = ast.copy_location(ast.arg(names_of["run"]), node)
    (taken.posonlyargs or taken.args).insert(0, first)
    made = ast.FunctionDef(node.name, taken, body, [], None, None)
    return ast.copy_location(made, node)


def _changes_attributes(node: ast.FunctionDef) -> bool:
    stored = (ast.Store, ast.Del)
    return any(
        isinstance(n, (ast.Attribute, ast.Subscript)) and isinstance(n.ctx, stored)
        for n in ast.walk(node)
    )


_Parts = tuple[ast.Assign, ast.FunctionDef, ast.FunctionDef]
_PARTS = Remembered[_Parts]()


def _parts_in_module(node: ast.FunctionDef, names: dict[str, object]) -> _Parts:
    effects = Effects(node, names)
    effects.inside.setdefault(node.name, []).append(node)
    pure = effects.of(node) is Effect.NONE
    start, inner, outer, *_ = _parts(node, _Form(once=pure and reads_what_stays(node, None, names)))
    return start, inner, outer


@dataclass(frozen=True, slots=True)
class _Form:
    """How results are kept: at most so many, if it can be seen (``exact``) how often the function
    runs; whether hits and misses are counted; whether each call from outside may have results of
    its own (``once``)."""

    limit: int | None = None
    exact: bool = False
    counted: bool = False
    once: bool = False


_UNKNOWN = -1
_DEFAULT = 128


def _limit(decorator: ast.expr, names: dict[str, object]) -> int | None:
    """Return how many results a decorator keeps; None for all."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if _object(called, names) is functools.cache:
        return None
    if not isinstance(decorator, ast.Call):
        return _DEFAULT
    given = {k.arg: k.value for k in decorator.keywords}
    given |= dict(zip(("maxsize", "typed"), decorator.args, strict=False))
    match given.get("maxsize", ast.Constant(_DEFAULT)):
        case ast.Constant(int(size)):
            return size
        case ast.Constant(None):
            return None
        case _:
            return _UNKNOWN


_LAST = "memo[{key}] = value = memo.pop({key})\nreturn value\n"
_LONGEST = """if {key} not in memo:
    if len(memo) >= {limit}:
        memo.pop(next(iter(memo), {key}))
    memo[{key}] = value
"""


def _text(key: str, given: str, form: _Form) -> str:
    """Return the body of the function with the dict."""
    hit = "hits += 1\n" if form.counted else ""
    miss = "misses += 1\n" if form.counted else ""
    run = f"value = run({given})\n"
    if form.limit == 0:
        return f"{miss}return run({given})\n"
    if form.limit is None:
        found, kept = f"return memo[{key}]\n", f"memo[{key}] = value\n"
    else:
        found = _LAST.format(key=key)
        kept = _LONGEST.format(key=key, limit=form.limit)
    inside = "".join(f"    {line}\n" for line in (hit + found).splitlines())
    return f"checked({given})\nif {key} in memo:\n{inside}{miss}{run}{kept}return value\n"


_COUNTED = """hits = misses = 0
def clear():
    nonlocal hits, misses
    memo.clear()
    hits = misses = 0
cache_clear = clear
cache_info = lambda: info(hits, misses, limit, len(memo))
"""


def _parts(
    node: ast.FunctionDef, form: _Form
) -> tuple[ast.Assign, ast.FunctionDef, ast.FunctionDef, *tuple[ast.stmt, ...]]:
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    given = ", ".join(a.arg for a in every)
    key = given if len(every) == 1 else f"({given})"
    renamed = _renaming(node, form)
    body = renamed(_text(key, given, form))
    start = ast.Assign([ast.Name(memo_name(node.name), ast.Store())], ast.Dict([], []))
    params = [ast.arg(a.arg) for a in every]
    plain = ast.arguments([], params, None, [], [], None, [])
    inner = ast.FunctionDef(run_name(node.name), plain, node.body, [], None, None)
    taken = ast.arguments(params, [], None, [], [], None, []) if form.exact else node.args
    outer = ast.FunctionDef(node.name, taken, body, [], None, None)
    more: list[ast.stmt] = []
    if form.once and (same := passed_on(node)):
        body[:0] = [_each_call(node, same)]
    if form.counted:
        counts = [f"{node.name}$hits", f"{node.name}$misses"]
        methods = ast.parse("lambda: (cache_info, cache_clear)").body
        body[:0] = [ast.Nonlocal(counts), *renamed(methods)]  # it has them, wherever it goes
        more = renamed(_COUNTED)
    for n in (start, *ast.walk(start), inner, outer, *params, *body[:1]):
        ast.copy_location(n, node)
    return start, inner, outer, *more


def _each_call(node: ast.FunctionDef, same: list[str]) -> ast.If:
    """Return the statement by which each call from outside has results of its own, if some of the
    parameters that its recursion hands on (``same``) are no keys."""
    args = node.args
    every = [a.arg for a in (*args.posonlyargs, *args.args)]
    given = ", ".join([*every, *(f"{a.arg}={a.arg}" for a in args.kwonlyargs)])
    rest = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs) if a.arg not in same]
    key = rest[0] if len(rest) == 1 else f"({', '.join(rest)})"
    kept = (
        f"if {key} in memo:\n        return memo[{key}]\n"
        f"    memo[{key}] = value = run({given})\n    return value"
    )
    text = f"""
if no_key({", ".join(same)}):
    memo = {{}}
    return function({given})
def function():
    {kept if rest else f"return run({given})"}
"""
    own = {n: f"{node.name}$own_{n}" for n in ("memo", "run", "value")}
    choice, outer = _named(text, own | {"function": node.name}, {"no_key": has_no_key}, node)
    assert isinstance(choice, ast.If) and isinstance(outer, ast.FunctionDef)
    outer.args = copy.deepcopy(args)
    choice.body[1:1] = [renamed_copy(node, own["run"]), outer]
    return choice


def _constant(value: object) -> ast.Constant:
    made = ast.Constant(None)
    vars(made)["value"] = value
    return made


def _renaming(
    node: ast.FunctionDef, form: _Form
) -> Callable[[str | list[ast.stmt]], list[ast.stmt]]:
    """Return what makes statements of a text, with the names of a function in it."""
    own = {n: f"{node.name}${n}" for n in ("memo", "run", "value", "hits", "misses", "clear")}
    own |= {n: f"{node.name}.{n}" for n in _METHODS}
    known: dict[str, object] = {
        "info": CacheInfo, "limit": form.limit, "checked": checked,
    }  # fmt: skip
    return partial(_named, own=own, known=known, at=node)


def _named(
    text: str | list[ast.stmt], own: dict[str, str], known: dict[str, object], at: ast.AST
) -> list[ast.stmt]:
    """Return the statements of a text, with names of their own and known objects in it."""

    class Renaming(ast.NodeTransformer):
        def visit_Name(self, n: ast.Name) -> ast.expr:
            if n.id in known:
                return ast.copy_location(_constant(known[n.id]), n)
            n.id = own.get(n.id, n.id)
            return n

    body = ast.parse(text).body if isinstance(text, str) else text
    for n in (inside for s in body for inside in ast.walk(s)):
        match n:
            case ast.Nonlocal(names):
                n.names = [own[name] for name in names]
            case ast.FunctionDef(name=name):
                n.name = own[name]
    made = [Renaming().visit(s) for s in body]
    for n in (inside for s in made for inside in ast.walk(s)):
        if hasattr(n, "lineno"):
            ast.copy_location(n, at)
    return made


def memo_name(name: str) -> str:
    """Return the name of the dict of a cached function."""
    return f"{name}$memo"


def run_name(name: str) -> str:
    """Return the name of a cached function without its dict."""
    return f"{name}$run"


__all__ = ["expanded", "memo_name", "parts", "replace", "run_name"]
