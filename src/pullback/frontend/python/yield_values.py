"""Generators whose ``yield`` has a value, written with ``yield`` statements.

    mean = yield total               yield total; mean = .given
    total += yield mean              yield mean; total += .given
    while (v := (yield y)) > 0:      while True:
        c()                              yield y; v = .given
                                         if not v > 0: break
                                         c()
    n += yield from g(a)             yield from g(a); n += .told.1

``.given`` is what the generator is sent (``g.send``): None where it is asked for an item only. What
is evaluated before the ``yield`` stays before it. ``.told.1`` is what ``g(a)`` has returned. Each
``yield`` of such a generator, and of one that yields under ``try``, is followed by ``if .thrown:
raise .thrown``, for ``g.throw``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from pullback.frontend.python.syntax import (
    GIVEN,
    THROWN,
    declared_outside,
    local_names,
    own_nodes,
    rebound_inside,
    tell,
)
from pullback.frontend.python.syntax_pieces import assign, break_, known, name_
from pullback.frontend.python.texts import FunctionNode

_YIELDS = (ast.Yield, ast.YieldFrom)


def without_yield_values(node: FunctionNode) -> FunctionNode:
    """Return the function with the values of its ``yield`` as variables, and those of the functions
    nested in it: itself if it has none."""
    functions = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef)]
    if isinstance(node, ast.Lambda) or not any(map(_is_written, functions)):
        return node
    made = copy.deepcopy(node)
    for f in ast.walk(made):
        if isinstance(f, ast.FunctionDef) and _is_written(f) and (
            f is made or not f.decorator_list  # no manager
        ):
            f.body = _Writer(f).block(f.body)
    return made


def _is_written(function: ast.FunctionDef) -> bool:
    """Whether a generator has a ``yield`` that is no statement, one under ``try``, or beside a
    ``yield from``."""
    nodes = [n for s in function.body for n in own_nodes(s)]
    plain = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
    tries = [n for n in nodes if isinstance(n, (ast.Try, ast.With))]
    both = {type(n) for n in nodes if isinstance(n, _YIELDS)} == set(_YIELDS)
    return (
        both
        or any(isinstance(n, _YIELDS) and id(n) not in plain for n in nodes)
        or any(_yields(s) for t in tries for s in t.body)
    )


def _yields(e: ast.AST) -> bool:
    return any(isinstance(n, _YIELDS) for n in own_nodes(e))


class _Writer:
    """The writing of one generator."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.fixed = local_names(function) - rebound_inside(function) - declared_outside(function)
        """The names that nobody binds anew while the generator waits."""
        self.count = 0

    def block(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [made for s in stmts for made in self._statement(s)]

    def _statement(self, s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Expr(ast.Yield(value)):
                if value is None or not _yields(value):
                    return [s, *self._thrown(s)]
                first, _ = self._apart(s.value, s)
                return first or [s]
            case ast.Expr(ast.YieldFrom()):
                return [s]
            case ast.AugAssign(ast.Name(name)) if name not in self.fixed:
                return [s]
            case ast.Expr() | ast.Assign() | ast.AnnAssign() | ast.Return() | ast.AugAssign(
                ast.Name()
            ) if s.value is not None and _yields(s.value):
                first, s.value = self._apart(s.value, s)
                return [*first, s]
            case ast.If():
                first = []
                if _yields(s.test):
                    first, s.test = self._apart(s.test, s)
                s.body, s.orelse = self.block(s.body), self.block(s.orelse)
                return [*first, s]
            case ast.While():
                self._while(s)
            case ast.For():
                first = []
                if _yields(s.iter):
                    first, s.iter = self._apart(s.iter, s)
                s.body, s.orelse = self.block(s.body), self.block(s.orelse)
                return [*first, s]
            case ast.Try():
                self._try(s)
            case ast.With():
                s.body = self.block(s.body)
            case ast.Match():
                for case in s.cases:
                    case.body = self.block(case.body)
            case _:
                pass
        return [s]

    def _try(self, s: ast.Try) -> None:
        s.body = self.block(s.body)
        for h in s.handlers:
            h.body = self.block(h.body)
        s.orelse, s.finalbody = self.block(s.orelse), self.block(s.finalbody)

    def _while(self, s: ast.While) -> None:
        body = self.block(s.body)
        if _yields(s.test) and not s.orelse:
            first, test = self._apart(s.test, s)
            ends = ast.If(ast.UnaryOp(ast.Not(), test), [break_(s)], [])
            body = [*first, ast.fix_missing_locations(ast.copy_location(ends, s.test)), *body]
            s.test = ast.copy_location(ast.Constant(True), s.test)
        s.body, s.orelse = body, self.block(s.orelse)

    def _thrown(self, at: ast.stmt) -> list[ast.stmt]:
        raised = ast.copy_location(ast.Raise(name_(THROWN, at), None), at)
        there = ast.Compare(name_(THROWN, at), [ast.IsNot()], [known(None, at)])
        made = ast.If(ast.copy_location(there, at), [raised], [])
        return [ast.copy_location(made, at)]

    def _name(self, what: str) -> str:
        self.count += 1
        return f".{what}.{self.count}"

    # --- expressions ------------------------------------------------------------------------------

    def _apart(self, e: ast.expr, at: ast.stmt) -> tuple[list[ast.stmt], ast.expr]:
        """Return what is done before an expression, up to its last ``yield``, and what is left of
        it; the expression itself where that cannot be told apart."""
        count, stmts = self.count, list[ast.stmt]()
        try:
            return stmts, self._expression(copy.deepcopy(e), stmts, at)
        except _Inseparable:
            self.count = count
            return [], e

    def _expression(self, e: ast.expr, stmts: list[ast.stmt], at: ast.stmt) -> ast.expr:
        match e:
            case ast.Yield(value):
                if value is not None and _yields(value):
                    e.value = self._expression(value, stmts, at)
                made = ast.copy_location(ast.Expr(e), at)
                name = self._name("sent")
                stmts += [made, *self._thrown(made), assign(name, name_(GIVEN, e), e)]
                return name_(name, e)
            case ast.YieldFrom(value):
                if _yields(value):
                    e.value = self._expression(value, stmts, at)
                name = self._name("told")
                tell(e, name)
                stmts.append(ast.copy_location(ast.Expr(e), at))
                return name_(name, e)
            case ast.NamedExpr(ast.Name(name), value):
                stmts.append(assign(name, self._expression(value, stmts, at), e))
                return name_(name, e)
            case ast.BoolOp(_, [first, *rest]) if not any(map(_yields, rest)):
                e.values[0] = self._expression(first, stmts, at)
                return e
            case ast.IfExp(test, then, orelse) if not _yields(then) and not _yields(orelse):
                e.test = self._expression(test, stmts, at)
                return e
            case ast.Compare(_, _, rest) if len(rest) > 1 and any(map(_yields, rest[1:])):
                raise _Inseparable
            case ast.BoolOp() | ast.IfExp() | ast.Starred() | ast.Dict():
                raise _Inseparable
            case _:
                self._parts(e, stmts, at)
                return e

    def _stays(self, part: ast.expr) -> bool:
        """Whether an expression has the same value before and after a ``yield``."""
        name = part.id if isinstance(part, ast.Name) else ""
        return isinstance(part, ast.Constant) or name in self.fixed or name.startswith(".")

    def _parts(self, e: ast.expr, stmts: list[ast.stmt], at: ast.stmt) -> None:
        """Evaluate the parts of an expression, in order, as far as there is a ``yield`` in them."""
        parts = list(_operands(e))
        last = max((k for k, (_, p) in enumerate(parts) if _yields(p)), default=-1)
        for k, (place, part) in enumerate(parts[: last + 1]):
            if _yields(part):
                made = self._expression(part, stmts, at)
            elif self._stays(part) or (place == ("func", None) and _is_method(part)):
                continue
            else:
                name = self._name("part")
                stmts.append(assign(name, part, part))
                made = name_(name, part)
            if k < last and not _is_sent(made):
                name = self._name("part")
                stmts.append(assign(name, made, part))
                made = name_(name, part)
            _put(e, place, made)


class _Inseparable(Exception):
    """What stands before a ``yield`` cannot be evaluated as a statement of its own."""


def _operands(e: ast.expr) -> Iterator[tuple[tuple[str, int | None], ast.expr]]:
    """Iterate over the parts of an expression in the order in which they are evaluated, with their
    places in it."""
    match e:
        case ast.Call(keywords=keywords):
            yield ("func", None), e.func
            yield from ((("args", k), a) for k, a in enumerate(e.args))
            yield from ((("keywords", k), w.value) for k, w in enumerate(keywords))
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Tuple() | ast.List() | (
            ast.Set() | ast.Subscript() | ast.Attribute() | ast.Await() | ast.Slice()
        ):
            for field in e._fields:
                part = getattr(e, field, None)
                if isinstance(part, ast.expr):
                    yield (field, None), part
                elif isinstance(part, list):
                    inside = ((k, p) for k, p in enumerate(part) if isinstance(p, ast.expr))
                    yield from (((field, k), p) for k, p in inside)
        case _:
            raise _Inseparable


def _put(e: ast.expr, place: tuple[str, int | None], part: ast.expr) -> None:
    field, k = place
    if k is None:
        setattr(e, field, part)
    elif field == "keywords":
        e.keywords[k].value = part  # type: ignore[attr-defined]  # ``_operands`` saw a call
    else:
        getattr(e, field)[k] = part


def _is_method(part: ast.expr) -> bool:
    """Whether an expression is a method, or a function of a module, by a name."""
    return isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)


def _is_sent(e: ast.expr) -> bool:
    return isinstance(e, ast.Name) and e.id.startswith(".")


__all__ = ["without_yield_values"]
