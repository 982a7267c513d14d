"""``contextlib.ExitStack`` whose managers are entered in loops and branches: what the stack gets
stands around all that runs afterwards, so what runs afterwards is a function that is called there.

    with ExitStack() as stack:               .it = iter(ms)
        for m in ms:                         def .rest():
            t += stack.enter_context(m)          nonlocal t
        t += 1.0                                 t += 1.0
                                             def .loop():
                                                 nonlocal t, m
                                                 for m in .it:
                                                     with m as .entered:
                                                         t += .entered
                                                         .loop()
                                                     return
                                                 .rest()
                                             .loop()

``return`` and jumps to loops around the statement leave these functions with a number that says
which (``.left``), and are done behind it. What the functions share has a value before, or the
statement is left as it is. Where the managers are entered one by one, in statements
of the body itself, ``managers`` writes them without functions.
"""

from __future__ import annotations

import ast
import contextlib
import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from pullback.frontend.python import managers
from pullback.frontend.python.contexts import Names, bound_in
from pullback.frontend.python.syntax import own_nodes, target_names
from pullback.frontend.python.syntax_pieces import assign, if_, known, name_
from pullback.frontend.python.texts import FunctionNode

_JUMPS = {ast.Return: 1, ast.Break: 2, ast.Continue: 3}


def without_stacks(node: FunctionNode, names: Names) -> FunctionNode:
    """Return the function with these statements written so, and those of the functions nested in
    it: itself if it has none."""
    withs = [n for n in ast.walk(node) if isinstance(n, ast.With)]
    if isinstance(node, ast.Lambda) or not any(_stack_of(s, names) for s in withs):
        return node
    made = copy.deepcopy(node)
    functions = [f for f in ast.walk(made) if isinstance(f, ast.FunctionDef)]
    for f in functions:
        own = [n for s in f.body for n in own_nodes(s)]
        if not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own):
            f.body = _Writer(f, names).block(f.body)
    return made


def _stack_of(s: ast.stmt, names: Names) -> str:
    """The name of the stack, if this is such a statement; else nothing."""
    match s:
        case ast.With([ast.withitem(ast.Call(function, [], []), ast.Name(name))]) if (
            names.value(function) is contextlib.ExitStack
        ):
            return name
        case _:
            return ""


class _GiveUpError(Exception):
    """The statement cannot be written so."""


class _Writer:
    """What writes the statements of one function."""

    def __init__(self, function: ast.FunctionDef, names: Names) -> None:
        self.function, self.names, self.number = function, names, 0
        inside = (n for n in ast.walk(function) if isinstance(n, ast.Nonlocal))
        self.elsewhere = {n for s in inside for n in s.names}

    def block(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for s in stmts:
            nested = isinstance(s, (ast.FunctionDef, ast.ClassDef))
            parts = [s, *getattr(s, "handlers", ()), *getattr(s, "cases", ())]
            for part in () if nested else parts:
                for name in ("body", "orelse", "finalbody"):
                    inner = getattr(part, name, None)
                    if isinstance(inner, list):
                        setattr(part, name, self.block(inner))
            stack = _stack_of(s, self.names)
            if isinstance(s, ast.With) and stack:
                found += self._written(s, stack)
            else:
                found.append(s)
        return found

    def _written(self, s: ast.With, stack: str) -> list[ast.stmt]:
        self.number += 1
        name = _at(ast.Assign([ast.Name(stack, ast.Store())], known(contextlib.ExitStack, s)), s)
        straight = managers.entered(stack, s.body, f"stack.{self.number}")
        if straight is not None:
            return [name, *straight]
        outside = {*_named(self.function, s)} | self.elsewhere
        whole = _Stack(self, stack, f"{self.number}", outside)
        try:
            first, call = whole.function("body", whole.chain(copy.deepcopy(s.body), []), s)
            if not whole.declared() <= self._set_before(s):
                raise _GiveUpError
        except _GiveUpError:
            return [s]
        after = [_jump(kind, whole, s) for kind in _JUMPS if kind in whole.jumps]
        start = [assign(whole.left, ast.Constant(0), s)]
        if ast.Return in whole.jumps:
            start.append(assign(whole.result, ast.List([], ast.Load()), s))
        return [name, *start, *first, *call, *after]


    def _set_before(self, s: ast.stmt) -> set[str]:
        """The names that have a value where the statement begins, by their look: functions that
        are called bind them anew."""
        own = (n for t in self.function.body for n in own_nodes(t) if isinstance(n, ast.Name))
        before = {n.id for n in own if isinstance(n.ctx, ast.Store) and n.lineno < s.lineno}
        before -= _gone_through(self.function)
        return before | {n.arg for n in ast.walk(self.function.args) if isinstance(n, ast.arg)}


def _jump(kind: type[ast.stmt], whole: _Stack, s: ast.stmt) -> ast.stmt:
    leaves: ast.stmt = kind()
    if kind is ast.Return:
        last = ast.UnaryOp(ast.USub(), ast.Constant(1))
        given = ast.Subscript(name_(whole.result, s), last, ast.Load())
        leaves = _at(ast.Return(given), s)
    return if_(whole.left, ast.Eq(), _JUMPS[kind], [ast.copy_location(leaves, s)], [], s)


class _Stack:
    """One stack. ``outside``: the names that code around reads too; ``defs``: the functions that
    are made; ``jumps``: what leaves the statement."""

    def __init__(self, writer: _Writer, name: str, number: str, outside: set[str]) -> None:
        self.writer, self.name, self.number, self.count = writer, name, number, 0
        self.left, self.result = f".stack.left.{number}", f".stack.result.{number}"
        self.shared = {self.left}
        self.outside, self.defs = outside, list[ast.FunctionDef]()
        self.jumps: set[type[ast.stmt]] = set()

    def chain(
        self, stmts: Sequence[ast.stmt], end: list[ast.stmt], loop: Loop = None
    ) -> list[ast.stmt]:
        """Return statements, with what follows inside of what they give the stack, and ``end`` at
        last. ``loop``: the functions for the next round of the loop around and for what is behind
        it."""
        for k, s in enumerate(stmts):
            if not self._mentions(s):
                continue
            before, rest = self._jumps(stmts[:k], loop), stmts[k + 1 :]
            match s:
                case ast.If(test, body, orelse) if not self._mentions(test):
                    first, end = self.function("rest", self.chain(rest, end, loop), s)
                    arms = [self.chain(part, copy.deepcopy(end), loop) for part in (body, orelse)]
                    return [*before, *first, _at(ast.If(test, arms[0] or [ast.Pass()], arms[1]), s)]
                case ast.For(orelse=[]) | ast.While(orelse=[]):
                    return [*before, *self._loop(s, self.chain(rest, end, loop))]
                case ast.Assign([target], ast.ListComp(e, [ast.comprehension() as c])):
                    parts = self._listed(target, e, c, s)
                    return [*before, *self.chain([*parts, *rest], end, loop)]
                case ast.Expr(ast.Call(ast.Attribute(ast.Name(self.name), "callback")) as call):
                    inside = self.chain(rest, end, loop) or [ast.Pass()]
                    made = managers.around(s, "callback", call, inside, self._name("stack"))
                    if made is None or any(map(self._mentions, [*call.args, *call.keywords])):
                        raise _GiveUpError
                    return [*before, *made]
                case _:
                    name = self._name("entered")
                    manager, used = self._entered(s, name)
                    inside = self.chain([*used, *rest], end, loop) or [ast.Pass()]
                    held = ast.withitem(manager, ast.Name(name, ast.Store()))
                    return [*before, _at(ast.With([held], inside), s)]
        return [*self._jumps(stmts, loop), *end]

    def _loop(self, s: ast.For | ast.While, rest: list[ast.stmt]) -> list[ast.stmt]:
        first, behind = self.function("rest", rest, s)
        again, items = self._name("loop"), self._name("it")
        body = self.chain(s.body, [_call(again, s)], (again, behind))
        inside: list[ast.stmt]
        if isinstance(s, ast.While):
            inside = [_at(ast.If(s.test, body, copy.deepcopy(behind)), s)]
        else:
            source = ast.Call(known(iter, s), [s.iter], [])
            first.append(assign(items, source, s))
            leaves: list[ast.stmt] = [*body, ast.Return(None)]
            inside = [_at(ast.For(s.target, name_(items, s), leaves, []), s), *behind]
        return [*first, self._def(again, inside, s), _call(again, s)]

    def function(
        self, what: str, body: list[ast.stmt], at: ast.stmt
    ) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Return a function with these statements, and its call; nothing if there are none."""
        if not body:
            return [], []
        name = self._name(what)
        return [self._def(name, body, at)], [_call(name, at)]

    def _def(self, name: str, body: list[ast.stmt], at: ast.stmt) -> ast.stmt:
        none = ast.arguments([], [], None, [], [], None, [])
        made = _at(ast.FunctionDef(name, none, body, [], None, None), at)
        self.defs.append(made)
        return made

    def declared(self) -> set[str]:
        """Declare, in the functions that are made, the names that are not a function's own; return
        those that are not set in the outermost one either, before it calls others."""
        named = [{n.id for n in _own(f) if isinstance(n, ast.Name)} for f in self.defs]
        whole, found = self.defs[-1], set[str]()
        for f, mine in zip(self.defs, named, strict=True):
            away = self.outside.union(*(names for names in named if names is not mine))
            bound = {n for n in bound_in(f) if n[0] != "." or n in self.shared} - _gone_through(f)
            taken = {n for n in bound if n in away or not _begins(f.body, n, _count([*_own(f)], n))}
            taken |= bound & self.shared
            if f is whole:
                taken = {n for n in taken if n in self.outside | self.shared or not _is_set(f, n)}
            found |= {n for n in taken if n in self.outside or not _is_set(whole, n)}
            if taken:
                f.body.insert(0, _at(ast.Nonlocal(sorted(taken)), f))
        found -= self.shared
        return found

    def _name(self, what: str) -> str:
        self.count += 1
        return f".stack.{what}.{self.number}.{self.count}"

    def _mentions(self, part: ast.AST) -> bool:
        return any(isinstance(n, ast.Name) and n.id == self.name for n in ast.walk(part))

    def _entered(self, s: ast.stmt, name: str) -> tuple[ast.expr, list[ast.stmt]]:
        """Return the manager that a statement enters before it does anything else, and the
        statement with what that gives."""
        found = [n for n in ast.walk(s) if isinstance(n, ast.Call) and self._enters(n)]
        if len(found) != 1 or any(map(self._mentions, found[0].args)):
            raise _GiveUpError
        call, held = found[0], name_(name, s)
        match s:
            case ast.Expr(value) if value is call:
                return call.args[0], []
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(xs), "append"), [value], [])) if (
                value is call and xs not in self.writer.elsewhere
            ):
                assert isinstance(s.value, ast.Call)
                s.value.args = [held]
            case ast.AugAssign(ast.Name(x), _, value) if (
                value is call and x not in self.writer.elsewhere
            ):
                s.value = held
            case ast.Assign(_, value) if value is call:
                s.value = held
            case ast.AnnAssign(_, _, value) | ast.Return(value) if value is call:
                s.value = held
            case _:
                raise _GiveUpError
        if self._mentions(s):
            raise _GiveUpError
        return call.args[0], [s]

    def _enters(self, call: ast.Call) -> bool:
        match call:
            case ast.Call(ast.Attribute(ast.Name(self.name), "enter_context"), [_], []):
                return True
            case _:
                return False

    def _listed(
        self, target: ast.expr, e: ast.expr, c: ast.comprehension, s: ast.Assign
    ) -> list[ast.stmt]:
        """Return the loop that a list comprehension is."""
        if c.is_async or any(isinstance(n, ast.NamedExpr) for n in ast.walk(s)):
            raise _GiveUpError
        items, out = c.target, self._name("out")
        given = {n.id for n in ast.walk(s.value) if isinstance(n, ast.Name)}
        alone = isinstance(target, ast.Name) and target.id not in self.outside | given
        if isinstance(target, ast.Name) and alone:
            out = target.id
        own = {n.id for n in ast.walk(items) if isinstance(n, ast.Name)}
        for part in (items, e, *c.ifs):
            for n in ast.walk(part):
                if isinstance(n, ast.Name) and n.id in own:
                    n.id = f".stack.{n.id}.{self.number}.{self.count}"
        put = ast.Call(ast.Attribute(name_(out, s), "append", ast.Load()), [e], [])
        body: list[ast.stmt] = [ast.Expr(put)]
        for test in reversed(c.ifs):
            body = [ast.If(test, body, [])]
        filled = [
            assign(out, ast.List([], ast.Load()), s), _at(ast.For(items, c.iter, body, []), s)
        ]  # fmt: skip
        return filled if alone else [*filled, _at(ast.Assign([target], name_(out, s)), s)]

    # --- jumps ------------------------------------------------------------------------------------

    def _jumps(self, stmts: Sequence[ast.stmt], loop: Loop) -> list[ast.stmt]:
        """Return statements that give the stack nothing, whose jumps leave the function that they
        are in now."""
        return [made for s in stmts for made in self._jump(s, loop, False, False)]

    def _jump(self, s: ast.stmt, loop: Loop, mine: bool, tried: bool) -> list[ast.stmt]:
        """``mine``: whether a loop inside is what ``break`` leaves; ``tried``: whether something
        stands around that sees where the function is left."""
        if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
            return [s]
        if isinstance(s, (ast.Break, ast.Continue)) and (mine or loop is not None):
            if mine:
                return [s]
            if tried or loop is None:
                raise _GiveUpError
            again, behind = loop
            calls = [_call(again, s)] if isinstance(s, ast.Continue) else copy.deepcopy(behind)
            return [*calls, _at(ast.Return(None), s)]
        if isinstance(s, (ast.Return, ast.Break, ast.Continue)):
            self.jumps.add(type(s))
            value = getattr(s, "value", None)
            gives: list[ast.stmt] = []
            if isinstance(s, ast.Return):
                put = ast.Attribute(name_(self.result, s), "append", ast.Load())
                gives = [_at(ast.Expr(ast.Call(put, [value or ast.Constant(None)], [])), s)]
            left = assign(self.left, ast.Constant(_JUMPS[type(s)]), s)
            return [*gives, left, _at(ast.Return(None), s)]
        tried = tried or isinstance(s, (ast.Try, ast.With))
        for part in (s, *getattr(s, "handlers", ()), *getattr(s, "cases", ())):
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(part, name, None)
                if isinstance(inner, list):
                    here = mine or (isinstance(s, (ast.For, ast.While)) and name == "body")
                    made = [m for t in inner for m in self._jump(t, loop, here, tried)]
                    setattr(part, name, made)
        return [s]


def _own(f: ast.FunctionDef) -> Iterator[ast.AST]:
    """Iterate over the nodes of a function, without those of functions made inside of it."""
    waiting: list[ast.AST] = [*f.body]
    while waiting:
        n = waiting.pop()
        if not (isinstance(n, ast.FunctionDef) and n.name.startswith(".")):
            yield n
            waiting += ast.iter_child_nodes(n)


def _gone_through(f: ast.FunctionDef) -> set[str]:
    """The names that are variables of comprehensions, and of nothing else."""
    nodes = [*_own(f)]
    inside = [n for c in nodes if isinstance(c, ast.comprehension) for n in ast.walk(c.target)]
    stores = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    others = {n.id for n in stores if not any(n is m for m in inside)}
    return {n.id for n in inside if isinstance(n, ast.Name)} - others


def _is_set(f: ast.FunctionDef, name: str) -> bool:
    """Whether a function binds a name in statements of its own before it calls those in it."""
    for s in f.body:
        match s:
            case ast.FunctionDef() | ast.Expr(ast.Call(ast.Name())):
                return False
            case ast.Assign([ast.Name(bound)]) if bound == name:
                return True
            case _:
                pass
    return False


def _named(node: ast.AST, without: ast.AST) -> Iterator[str]:
    """Iterate over the names in a node, without those of one inside of it, and without the
    variables of comprehensions."""
    if node is without:
        return
    if isinstance(node, ast.Name):
        yield node.id
    inner = (n for child in ast.iter_child_nodes(node) for n in _named(child, without))
    loops = getattr(node, "generators", ())
    own = {n for c in loops for n in target_names(c.target)}
    yield from (n for n in inner if n not in own)


def _begins(stmts: Sequence[ast.stmt], name: str, times: int) -> bool:
    """Whether statements bind a name before anything in them may read it, by their look. ``times``:
    how often it stands in the function."""
    for s in stmts:
        here = _count(ast.walk(s), name)
        match s:
            case _ if not here:
                continue
            case ast.Assign([ast.Name(bound)], value) if bound == name:
                return not _count(ast.walk(value), name)
            case ast.For(target, source) if name in target_names(target):
                return here == times and not _count(ast.walk(source), name)
            case ast.For(body=body) | ast.With(body=body):
                inner = sum(_count(ast.walk(t), name) for t in body)
                return here == inner == times and _begins(body, name, times)
            case _:
                return False
    return False


def _count(nodes: Iterable[ast.AST], name: str) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name for n in nodes)


Loop = tuple[str, list[ast.stmt]] | None
"""The function for the next round of the loop around, and the call for what is behind it."""

Made = TypeVar("Made", bound=ast.stmt)


def _call(name: str, at: ast.stmt) -> ast.stmt:
    return _at(ast.Expr(ast.Call(name_(name, at), [], [])), at)


def _at(made: Made, at: ast.stmt) -> Made:
    return ast.fix_missing_locations(ast.copy_location(made, at))


__all__ = ["without_stacks"]
