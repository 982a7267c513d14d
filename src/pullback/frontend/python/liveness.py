"""Liveness: which names may still be read after a statement.

Two passes, so that the time is linear in the statements, however deep loops are nested: the first
finds what each piece of code reads before it binds it (``_Exposed``), from the innermost loop
outwards; with that the names that are live at the head of a loop are known before its body is
looked at, and the second pass looks at every statement once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from pullback.core.frozen import dataclass, field
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.syntax import (
    captured_names,
    free_names,
    given_names,
    local_names,
    pattern_names,
    reads,
    rebinds,
    subscripts_of,
    target_names,
    targets_of,
)
from pullback.frontend.python.texts import FunctionNode

Names = frozenset[str]
Exits = tuple[Names, Names]
"""The names live at ``break`` and at ``continue``."""
_NONE: Names = frozenset()


@dataclass(frozen=True, slots=True)
class _Exposed:
    """What code reads before it binds it (``reads``), and which names it binds on every path to its
    end, to a ``break`` and to a ``continue`` (None: there is no such path)."""

    reads: Names = _NONE
    binds: tuple[Names | None, Names | None, Names | None] = (_NONE, None, None)

    def then(self, rest: _Exposed) -> _Exposed:
        """Return what this code and the code after it expose together."""
        first = self.binds[0]
        if first is None:
            return self
        after = [None if b is None else first | b for b in rest.binds]
        return _Exposed(
            self.reads | (rest.reads - first),
            (after[0], _meet(self.binds[1], after[1]), _meet(self.binds[2], after[2])),
        )

    def beside(self, other: _Exposed) -> _Exposed:
        """Return what this code and another path expose together."""
        end, stop, again = (_meet(a, b) for a, b in zip(self.binds, other.binds, strict=True))
        return _Exposed(self.reads | other.reads, (end, stop, again))


def _meet(a: Names | None, b: Names | None) -> Names | None:
    """Return the names that are bound on both paths."""
    if a is None or b is None:
        return b if a is None else a
    return a & b


@dataclass(slots=True)
class Liveness:
    """The names that may still be read after a statement; for loops also at their head, and for
    branches at their ``else``.

    Names that nested functions capture count as live everywhere; ``ends`` are live at the end."""

    after: dict[ast.stmt, Names] = field(default_factory=dict)
    head: dict[ast.stmt, Names] = field(default_factory=dict)
    captured: Names = _NONE
    ends: Names = _NONE
    begin: Names = _NONE
    """What is read before it is bound."""
    rounds: dict[ast.stmt, _Exposed] = field(default_factory=dict)
    """What the bodies of loops expose."""

    def block(self, stmts: Sequence[ast.stmt], out: Names, exits: Exits = (_NONE, _NONE)) -> Names:
        """Return the names live before ``stmts``, from those live after."""
        for s in reversed(stmts):
            self.after[s] = out | self.captured
            out = self._statement(s, out, exits)
        return out

    def _statement(self, s: ast.stmt, out: Names, exits: Exits) -> Names:
        match s:
            case ast.Return(value):
                return self.ends | _read(value)
            case ast.Raise():
                return _read(s)
            case ast.Break():
                return exits[0]
            case ast.Continue():
                return exits[1]
            case ast.If(test, body, orelse):
                other = self.block(orelse, out, exits)
                self.head[s] = other | self.captured
                return self.block(body, out, exits) | other | _read(test)
            case ast.For(target, iterable, body, orelse):
                after = self._after_loop(s, orelse, out, exits)
                return self._loop(s, body, after, target_names(target)) | _read(iterable)
            case ast.While(test, body, orelse):
                after = self._after_loop(s, orelse, out, exits)
                return self._loop(s, body, after | _read(test), (), after)
            case ast.Match(subject, cases):
                live = out | _read(subject)
                for c in cases:
                    inner = self.block(c.body, out, exits)
                    live |= (inner | _read(c.guard)) - set(pattern_names(c.pattern))
                return live
            case _:
                return (out - _kills(s)) | _read(s)

    def _after_loop(
        self, s: ast.stmt, orelse: list[ast.stmt], out: Names, exits: Exits
    ) -> Names:
        """Return the names live where a loop ends, before its ``else`` or (after ``break``) behind
        it."""
        if not orelse:
            return out
        after = out | self.block(orelse, out, exits)
        self.after[s] = after | self.captured
        return after

    def _loop(
        self, s: ast.stmt, body: list[ast.stmt], head: Names, bound: Iterable[str],
        after: Names | None = None,
    ) -> Names:
        after = head if after is None else after
        head |= self._round(s, body).reads - set(bound)
        self.block(body, head, (after, head))
        self.head[s] = head | self.captured
        return head

    # --- what code exposes -----------------------------------------------------------------------

    def _round(self, s: ast.stmt, body: list[ast.stmt]) -> _Exposed:
        if s not in self.rounds:
            self.rounds[s] = self._exposed(body)
        return self.rounds[s]

    def _exposed(self, stmts: Sequence[ast.stmt]) -> _Exposed:
        found = _Exposed()
        for s in reversed(stmts):
            found = self._exposed_by(s).then(found)
        return found

    def _exposed_by(self, s: ast.stmt) -> _Exposed:
        match s:
            case ast.Return(value):
                return _Exposed(self.ends | _read(value), (None, None, None))
            case ast.Raise():
                return _Exposed(_read(s), (None, None, None))
            case ast.Break():
                return _Exposed(binds=(None, _NONE, None))
            case ast.Continue():
                return _Exposed(binds=(None, None, _NONE))
            case ast.If(test, body, orelse):
                return _reading(test).then(self._exposed(body).beside(self._exposed(orelse)))
            case ast.For(target, iterable, body, orelse):
                inside = self._round(s, body).reads - set(target_names(target))
                return self._around(inside | _read(iterable), orelse)
            case ast.While(test, body, orelse):
                return self._around(self._round(s, body).reads | _read(test), orelse)
            case ast.Match(subject, cases):
                found = _reading(subject)
                for c in cases:
                    arm = _reading(c.guard).then(self._exposed(c.body))
                    names = frozenset(pattern_names(c.pattern))
                    found = found.beside(_Exposed(binds=(names, None, None)).then(arm))
                return found
            case _:
                return _Exposed(_read(s), (_kills(s), None, None))

    def _around(self, inside: Names, orelse: list[ast.stmt]) -> _Exposed:
        """What a loop exposes that may go no round, with its ``else``."""
        return _Exposed(inside).then(self._exposed(orelse).beside(_Exposed()))


def _read(node: ast.AST | None) -> Names:
    return _NONE if node is None else frozenset(reads([node]))


def _reading(node: ast.AST | None) -> _Exposed:
    return _Exposed(_read(node))


def _kills(s: ast.stmt) -> Names:
    if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
        return frozenset({s.name})
    plain = [t for t in targets_of(s) if isinstance(t, (ast.Name, ast.Tuple, ast.List))]
    names = frozenset(n for t in plain for n in target_names(t))
    return names - {n for t in plain for sub in subscripts_of(t) for n in target_names(sub)}


@by_node
def liveness_of(node: FunctionNode) -> Liveness:
    """Return the liveness in a whole function body (a lambda has no statements)."""
    if isinstance(node, ast.Lambda):
        return Liveness()
    ends = given_names(node) | frozenset(free_names(node))
    captured = (captured_names(node.body) & local_names(node)) | rebinds(node)
    live = Liveness(captured=captured, ends=ends)
    live.begin = live.block(node.body, ends)
    return live


__all__ = ["Liveness", "liveness_of"]
