"""What statements and expressions do, by their look: whether they may raise, or are seen."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

from pullback.core.frozen import dataclass
from pullback.frontend.python.syntax import jumps, own_nodes


def ends(stmts: Sequence[ast.stmt]) -> bool:
    """Whether what follows these statements is reached by exceptions only, by their look."""
    match stmts[-1]:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return True
        case ast.If(_, body, [_, *_] as orelse):
            return ends(body) and ends(orelse)
        case _:
            return False


def asks(h: ast.ExceptHandler) -> bool:
    """Whether a clause asks for the exception that it catches."""
    return any(
        (isinstance(n, ast.Name) and n.id == h.name)
        or (isinstance(n, ast.Raise) and n.exc is None)
        for s in h.body
        for n in ast.walk(s)
    )


def raises_another(stmts: Sequence[ast.stmt]) -> bool:
    """Whether statements may raise another exception than the one that is being handled."""
    return any(map(_raises_another, stmts))


def _raises_another(s: ast.stmt) -> bool:
    match s:
        case ast.Pass() | ast.Continue() | ast.Break() | ast.Raise(None) | ast.Return(None):
            return False
        case ast.Assign([ast.Name()], value) | ast.Return(value) | ast.Expr(value):
            return value is not None and _may_fail(value)
        case ast.AugAssign(ast.Name(), op, value):
            return _may_fail(ast.BinOp(ast.Name(""), op, value))
        case ast.If(test, body, orelse):
            return _may_fail(test) or raises_another((*body, *orelse))
        case _:
            return True


def _may_fail(e: ast.expr) -> bool:
    """As ``may_raise``, of arrays too, whose extents may not fit."""
    return may_raise(e) or any(
        isinstance(n, (ast.BinOp, ast.Compare))
        and not any(isinstance(part, ast.Constant) for part in ast.iter_child_nodes(n))
        for n in ast.walk(e)
    )


def raises_again(h: ast.ExceptHandler) -> bool:
    """Whether a clause ends in letting the exception go on."""
    last = h.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def last_name(e: ast.expr) -> str:
    match e:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


_CALLED = frozenset({"range", "len", "enumerate", "zip", "isinstance", "reversed", "callable"})
_METHODS = frozenset({"items", "keys", "values"})


def may_raise(e: ast.expr) -> bool:
    """Whether an expression may raise an exception, by its look."""
    match e:
        case ast.Name() | ast.Constant() | ast.Lambda():
            return False
        case ast.Attribute(value):
            return may_raise(value)
        case ast.UnaryOp(_, v):
            return may_raise(v)
        case ast.BoolOp(_, parts) | ast.Tuple(parts):
            return any(map(may_raise, parts))
        case ast.Compare(left, _, others):
            return any(map(may_raise, (left, *others)))
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
            return may_raise(left) or may_raise(right)
        case ast.Call(ast.Name(f), args, []) if f in _CALLED:
            return any(map(may_raise, args))
        case ast.Call(ast.Attribute(value, f), [], []) if f in _METHODS:
            return may_raise(value)
        case _:
            return True


def is_unseen(s: ast.stmt) -> bool:
    """Whether a statement does nothing, by its look, but bind names anew."""
    match s:
        case ast.Pass() | ast.Expr(ast.Constant()):
            return True
        case ast.Assign([ast.Name()], value) | ast.AugAssign(
            ast.Name(), ast.Add() | ast.Sub() | ast.Mult(), value
        ):
            return not may_raise(value)
        case _:
            return False


def may_be_generator(e: ast.expr) -> bool:
    """Whether an expression is a call of a function of the user's, by its look."""
    called = e.func if isinstance(e, ast.Call) else None
    return isinstance(called, ast.Name) and not hasattr(builtins, called.id)


def may_raise_on_the_way(e: ast.expr) -> bool:
    """Whether what a loop goes through may raise when an item is asked for, by its look: it is a
    variable, or calls something other than what has all items from the start."""
    match e:
        case ast.Call(ast.Name(f), args, []) if f in _CALLED:
            return any(map(may_raise_on_the_way, args))
        case ast.Call(ast.Attribute(_, f), [], []) if f in _METHODS:
            return False
        case ast.Name() | ast.Call() | ast.GeneratorExp():
            return True
        case _:
            return False


def mark(s: ast.AST, origin: object) -> None:
    """Note of nodes where they are written (None: in the function they stand in), if it is not
    known."""
    for n in ast.walk(s):
        if hasattr(n, "lineno") and "origin" not in vars(n):
            vars(n)["origin"] = origin  # ``site_of`` reads it


@dataclass(frozen=True, slots=True)
class Guarded:
    """What a ``yield`` stands in: something that is done when the generator is left there
    (``closes``: and seen), a ``with`` of an object."""

    ends: bool
    managed: bool
    closes: bool


def mark_made(s: ast.stmt) -> None:
    """Note that a ``try`` is the form of a ``finally`` or a ``with``: what its clause does where a
    generator is closed is done where it is left."""
    vars(s)["made"] = True


def is_made(s: ast.stmt) -> bool:
    """Whether a ``try`` is such a form."""
    return "made" in vars(s)


def guard_of(s: ast.AST) -> Guarded | None:
    """Return what a ``yield`` statement stands in."""
    found = vars(s).get("guarded")
    return found if isinstance(found, Guarded) else None


# --- what cannot be written so --------------------------------------------------------------------


_CLOSING = frozenset({"GeneratorExit", "BaseException"})


def _inside(stmts: Sequence[ast.stmt]) -> list[ast.AST]:
    return [n for s in stmts for n in (s, *own_nodes(s))]


def _yields(s: ast.stmt) -> bool:
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in _inside([s]))


def refusal(s: ast.Try) -> tuple[str, str] | None:
    """Why a ``try`` is refused, and what to write."""
    if any(map(_yields, s.finalbody)):
        return "a generator yields in a finally", "yield after it"
    leaves = bool(jumps(s.finalbody)) or any(isinstance(n, ast.Raise) for n in _inside(s.finalbody))
    if leaves and any(map(_yields, s.body)):
        return "a generator yields in a try whose finally jumps or raises", "catch it there"
    caught = [h for h in s.handlers if h.type is None or last_name(h.type) in _CLOSING]
    if caught and any(map(_yields, s.body)) and not is_made(s):
        return (
            "a generator yields where GeneratorExit is caught", "except Exception: that it is not"
        )
    return None
