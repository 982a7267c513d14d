"""The place of a row in the text of a program: ``t[i]`` written where ``row`` stands.

What is asked of the text first: all through it, the place holds the row that it held at the start.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pullback.frontend.python.syntax import (
    LIST_UPDATES,
    Comprehension,
    Liveness,
    Scopes,
    binds_names,
    pattern_names,
    reads,
    target_names,
)

_READERS = frozenset({
    "len", "enumerate", "zip", "reversed", "sum", "min", "max", "sorted", "map", "list", "tuple",
})  # fmt: skip
"""Builtins that only read a list."""


@dataclass(frozen=True)
class Row:
    """``name`` stands for ``place``, whose root is the variable ``root``. ``levels``: how many
    lists and dicts there are on the way to it."""

    name: str
    root: str
    place: ast.expr
    levels: int


def root_of(place: ast.expr) -> str | None:
    while isinstance(place, ast.Subscript | ast.Attribute):
        place = place.value
    return place.id if isinstance(place, ast.Name) else None


def path_of(place: ast.expr) -> list[ast.expr | str]:
    match place:
        case ast.Subscript(value, index):
            return [*path_of(value), index]
        case ast.Attribute(value, name):
            return [*path_of(value), name]
        case _:
            return []


def is_path(place: ast.expr) -> bool:
    """Whether single items are taken, one after the other."""
    steps = path_of(place)
    return any(not isinstance(e, str) for e in steps) and not any(
        isinstance(e, ast.Slice | ast.Tuple) for e in steps
    )



# --- what is asked --------------------------------------------------------------------------------


def stays(row: Row, body: Sequence[ast.stmt], is_builtin: Callable[[str], bool]) -> bool:
    """Whether all through the statements the place holds this row, and the name means it."""
    nodes = [n for s in body for n in ast.walk(s)]
    in_place = {n.target for n in nodes if isinstance(n, ast.AugAssign)}
    inner = [n for n in nodes if isinstance(n, Comprehension)]
    own = {n for c in inner for g in c.generators for n in ast.walk(g.target)}
    readers = set(filter(is_builtin, _READERS))
    return (
        not any(n not in in_place | own and _binds(n, {row.name, row.root}) for n in nodes)
        and not any(row.name in reads([c]) and _names_set(c) & reads([row.place]) for c in inner)
        and not any(row.name in reads([c]) & _names_set(c) for c in inner)
        and not any(isinstance(t, ast.Name) and t.id == row.root for t in in_place)
        and not any(_captures(n, row) for n in nodes)
        and all(_keeps(s, row, readers) for s in body)
    )


def _names_set(c: Comprehension) -> set[str]:
    return {name for g in c.generators for name in target_names(g.target)}


def _binds(n: ast.AST, names: set[str]) -> bool:
    """Whether a node gives one of the names another value."""
    match n:
        case ast.Name(name, ast.Store() | ast.Del()):
            return name in names
        case ast.match_case(pattern):
            return bool(names & set(pattern_names(pattern)))
        case ast.FunctionDef(name) | ast.alias(asname=str(name)):
            return name in names
        case _:
            return False


def _captures(n: ast.AST, row: Row) -> bool:
    """Whether a nested function reads the name."""
    return isinstance(n, Scopes) and row.name in reads(ast.iter_child_nodes(n))


def _keeps(s: ast.stmt, row: Row, readers: set[str]) -> bool:
    """Whether a statement leaves all that is above the row as it is."""
    return not any(map(_changes_above(row), ast.walk(s))) and not any(
        isinstance(n, ast.expr) and root_of(n) == row.root and len(path_of(n)) < row.levels
        for n in ast.walk(s)
        if n not in _harmless(s, row, readers)
    )


def _changes_above(row: Row) -> Callable[[ast.AST], bool]:
    """Whether a node puts something in the place of the row, or of what is above it."""

    def is_above(place: ast.expr, levels: int) -> bool:
        return root_of(place) == row.root and len(path_of(place)) < levels

    def changes(n: ast.AST) -> bool:
        match n:
            case ast.Call(ast.Attribute(value, method)) if method in LIST_UPDATES:
                return is_above(value, row.levels)
            case ast.AugAssign(ast.Subscript() as target):  # it updates what is there
                return is_above(target, row.levels)
            case ast.Assign(targets) | ast.Delete(targets):
                pass
            case ast.For(target=target) | ast.AnnAssign(target=target):
                targets = [target]
            case _:
                return False
        return any(
            isinstance(part, ast.Subscript)
            and isinstance(part.ctx, ast.Store | ast.Del)
            and is_above(part, row.levels + 1)
            for t in targets
            for part in ast.walk(t)
        )

    return changes


def itself(function: Callable[..., object]) -> ast.Constant:
    """The expression of a built-in function, whatever its name means in the user's module."""
    return ast.Constant(function)  # type: ignore[arg-type]


def is_itself(node: ast.Constant, function: Callable[..., object]) -> bool:
    """Whether an expression is that of this built-in function."""
    value: object = node.value
    return value is function


def _harmless(s: ast.stmt, row: Row, readers: set[str]) -> set[ast.AST]:
    """Where lists above the row stand without getting another name."""
    found: set[ast.AST] = set()
    called = {n.func for n in ast.walk(s) if isinstance(n, ast.Call)}
    for n in ast.walk(s):
        match n:
            case ast.Subscript(value):
                found.add(value)
            case ast.Attribute(value, name) if n in called or name not in LIST_UPDATES:
                found.add(value)
            case ast.Call(ast.Name("len"), args) if "len" in readers:
                found.update(args)
            case ast.Call(ast.Constant() as f, args) if is_itself(f, len):
                found.update(args)
            case ast.Call(ast.Name(f), args) if f in readers:
                found.update(a for a in args if len(path_of(a)) + 1 >= row.levels)
            case ast.ListComp() | ast.GeneratorExp() if not binds_names([n]):
                found.update(g.iter for g in n.generators)
            case ast.For(iter=value) | ast.comprehension(iter=value):
                if len(path_of(value)) + 1 >= row.levels:  # else its items are above the row
                    found.add(value)
            case ast.BinOp() | ast.Compare() | ast.Return() | ast.If() | ast.While():
                found.update(ast.iter_child_nodes(n))
            case _:
                pass
    return found


# --- writing the place for the name ---------------------------------------------------------------


class _Places(ast.NodeTransformer):
    def __init__(self, rows: dict[str, ast.expr]) -> None:
        self.rows = rows

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, Comprehension) and not self.rows.keys() <= reads([node]):
            inside = {n: p for n, p in self.rows.items() if n in reads([node])}
            return _Places(inside).generic_visit(node)
        return super().visit(node)  # type: ignore[no-any-return]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        place = self.rows.get(node.id)
        if place is None:
            return node
        made = copy.deepcopy(place)
        for n in ast.walk(made):
            ast.copy_location(n, node)
        made.ctx = node.ctx  # type: ignore[attr-defined]
        return made


class _Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.old:
            return ast.copy_location(self.new, node)
        return self.generic_visit(node)


def name_of(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def copied(s: ast.stmt, rows: Sequence[Row], live: Liveness) -> ast.stmt:
    """The statement with the places for the names, and what is live in it."""
    memo: dict[int, ast.AST] = {}
    made = copy.deepcopy(s, memo)
    for old in [n for n in ast.walk(s) if isinstance(n, ast.stmt)]:
        new = memo[id(old)]
        assert isinstance(new, ast.stmt)
        for known in (live.after, live.head):
            if old in known:
                known[new] = _live(known[old], rows)
    return placed(made, {r.name: r.place for r in rows})


def placed(s: ast.stmt, rows: dict[str, ast.expr]) -> ast.stmt:
    """The statement (itself changed) with places for names."""
    made = _Places(rows).visit(s)
    assert isinstance(made, ast.stmt)
    return made


def _live(names: frozenset[str], rows: Sequence[Row]) -> frozenset[str]:
    for r in rows:
        if r.name in names:
            names = (names - {r.name}) | reads([r.place])
    return names


def put(whole: ast.expr, old: ast.expr, new: ast.expr) -> ast.expr:
    """The expression with ``new`` where ``old`` stands first."""
    texts = ast.unparse(old)
    place = next(n for n in ast.walk(whole) if isinstance(n, ast.expr) and (
        ast.unparse(n) == texts))  # fmt: skip
    made = _Replaced(place, ast.copy_location(new, place)).visit(whole)
    assert isinstance(made, ast.expr)
    return made
