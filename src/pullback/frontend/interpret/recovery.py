"""Going on after a statement that is refused, to find what else would be (``problems``)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pullback.core.build import Builder
from pullback.errors import PullbackError
from pullback.frontend.kinds.values import Stale
from pullback.frontend.python.libraries import package_of
from pullback.frontend.python.syntax import STATE, STOP, assigned, pattern_names, target_names
from pullback.frontend.signals import NeedStatic, Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run


UNKNOWN = "the value is not known: the statement that gives it is refused"


def recovered(run: Run, s: ast.stmt, error: PullbackError, *unknown: str) -> None:
    """Go on after a statement that is refused; what these names and those that it assigns hold is
    not known."""
    problems, definition = run.problems, run.frame.definition
    assert problems is not None
    if definition is not None and package_of(definition.file):
        raise error  # shown where the user calls the package
    problems.add(error)
    problems.steps += 1
    for body in _bodies(s):
        _explore(run, s, body)
    names = [*assigned([s]), *unknown]
    if isinstance(s, ast.Return):
        names = ["$return"]
    for name in set(names) - {STATE, STOP}:
        run.scope.names[name] = Stale(UNKNOWN, s, unset=True)


def _bodies(s: ast.stmt) -> list[list[ast.stmt]]:
    match s:
        case ast.If(_, body, orelse) | ast.For(_, _, body, orelse) | ast.While(_, body, orelse):
            return [body, orelse]
        case ast.Match(_, cases):
            return [c.body for c in cases]
        case ast.With(_, body):
            return [body]
        case ast.Try(body, handlers, orelse, final):
            return [body, *(h.body for h in handlers), orelse, final]
        case _:
            return []


def _bound_by(s: ast.stmt) -> list[str]:
    """Return the names that the head of a statement binds."""
    match s:
        case ast.For(target=target):
            return list(target_names(target))
        case ast.Match(_, cases):
            return [n for c in cases for n in pattern_names(c.pattern)]
        case ast.Try(handlers=handlers):
            return [h.name for h in handlers if h.name is not None]
        case _:
            return []


def _explore(run: Run, s: ast.stmt, body: Sequence[ast.stmt]) -> None:
    """Look for problems inside a statement whose head is refused."""

    scope, frame = run.scope, run.frame
    saved = scope.names, frame.in_loop, frame.live_end
    changed = [*_bound_by(s), *assigned(body, updates=False)]
    scope.names = {**scope.names, **{n: Stale(UNKNOWN, s, unset=True) for n in changed}}
    frame.in_loop = True
    try:
        with run.building(Builder()):
            run.execute(body)
    except PullbackError as e:
        assert run.problems is not None
        run.problems.add(e)
    except (Unreachable, NeedStatic):
        pass
    finally:
        scope.names, frame.in_loop, frame.live_end = saved

