"""The functions of iterators that are advanced from outside, as syntax: state machines.

A generator that ``next`` advances, that stands beside another one, or that is gone through in
several turns keeps its variables between two items. It becomes a function that makes a function:

    def g(a):                       def g(a):
        n = 0                           .at = -1
        while n < a:                    def .step(.what):
            yield n                         nonlocal .at, .value, n
            n += 1                          if .what == "value": return .value
                                            .at = -.at
                                            if .at == 1: n = 0; .at = 3
                                            if .at == 2: n += 1; .at = 3
                                            if .at == 3:
                                                if n < a: .value = n; .at = -2
                                                else: .at = 0
                                            return .at < 0
                                        .settle(.step)
                                        return .step

``.at`` is the block that is run next, negative while the iterator waits, and 0 at its end. A block
that one other leads to stands in that one. If blocks lead back without a ``yield`` on the way, they
are run in a loop. What is alive in several blocks is a variable of the maker: so all that is true
of functions that change variables around them (branches, loops, calls) is true of iterators.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import (
    bound_anew,
    declared_outside,
    gathering,
    is_endless,
    jumps,
    local_names,
    own_nodes,
    parameters,
    reads,
)

AT, VALUE, WHAT, STEP = ".at", ".value", ".what", ".step"
SETTLE, SOURCE, MORE, ITEM, AFTER = ".settle", ".source", ".more", ".item", ".after"
"""The functions that the text calls: see ``interpret/advancing``."""

GO, GIVE = "go", "value"
"""What a step is asked for: to go on (it gives whether there is an item), or for the item."""
RETURNS, RETURNED = ".returns", ".returned"
"""The variables that say whether the iterator has just ended by ``return`` of something, and of
what; a step is asked for them by their names."""

_FORMS: WeakKeyDictionary[Definition, Definition] = WeakKeyDictionary()


def stepped_form(definition: Definition) -> Definition:
    """The function that makes the iterator of a generator."""
    if definition not in _FORMS:
        node = definition.node
        assert isinstance(node, ast.FunctionDef)
        _FORMS[definition] = replace(definition, node=_maker(node))
    return _FORMS[definition]


def is_step(node: ast.AST) -> bool:
    """Whether a function is the step of an iterator."""
    return isinstance(node, ast.FunctionDef) and node.name == STEP


def returns(function: ast.AST) -> bool:
    """Whether a generator, or the step of its iterator, returns something."""
    assert isinstance(function, ast.FunctionDef | ast.Lambda)
    body = function.body if isinstance(function, ast.FunctionDef) else []
    returned = (n for s in body for n in own_nodes(s) if isinstance(n, ast.Return))
    if not is_step(function):
        return any(is_something(n.value) for n in returned)
    return any(isinstance(n.value, ast.Name) and n.value.id == RETURNED for n in returned)


def is_something(value: ast.expr | None) -> bool:
    """Whether this is an expression that may be something other than None."""
    return value is not None and not (isinstance(value, ast.Constant) and value.value is None)


def _maker(generator: ast.FunctionDef) -> ast.FunctionDef:
    graph = _Graph(generator)
    rounds, step = _written(graph)
    given = _parameters(generator)
    state = [n for n in _state(graph, generator, rounds) if n not in given]
    told = [RETURNS, RETURNED] if graph.returns else []
    changed = {AT, VALUE, *told, *state, *given, *declared_outside(generator)}
    asked = {
        GIVE: _name(VALUE),
        RETURNS: _name(RETURNS) if told else ast.Constant(False),
        RETURNED: _name(RETURNED) if told else ast.Constant(None),
    }
    ask = [
        ast.If(ast.Compare(_name(WHAT), [ast.Eq()], [ast.Constant(what)]), [ast.Return(given)], [])
        for what, given in asked.items()
    ]
    begin = [_assign(n, ast.Constant(False)) for n in told[:1]]
    body: list[ast.stmt] = [
        ast.Nonlocal(sorted(changed)),
        *ask,
        *begin,
        _assign(AT, ast.UnaryOp(ast.USub(), _name(AT))),
        *step,
        ast.Return(ast.Compare(_name(AT), [ast.Lt()], [ast.Constant(0)])),
    ]
    args = ast.arguments([], [ast.arg(WHAT)], None, [], [], None, [])
    inner = ast.FunctionDef(STEP, args, body, [])
    never = (VALUE, *told[1:], *state)  # run: they say whose variables these are
    own: list[ast.stmt] = [_assign(n, ast.Constant(None)) for n in never]
    made = ast.FunctionDef(
        generator.name,
        generator.args,
        [
            _assign(AT, ast.UnaryOp(ast.USub(), ast.Constant(1))),
            *copy.deepcopy(begin),
            inner,
            ast.Expr(_call(SETTLE, _name(STEP))),
            ast.Return(_name(STEP)),
            *own,
        ],
        [],
    )
    for n in ast.walk(made):
        if not hasattr(n, "lineno") and "lineno" in n._attributes:
            ast.copy_location(n, generator)
    return made


# --- the graph of blocks --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Goto:
    to: int


@dataclass(frozen=True)
class _Test:
    test: ast.expr
    then: int
    orelse: int


@dataclass(frozen=True)
class _Cases:
    match: ast.Match
    bodies: tuple[int, ...]
    orelse: int


@dataclass(frozen=True)
class _Yield:
    value: ast.expr
    to: int


_End = _Goto | _Test | _Cases | _Yield | None
"""How a block ends; None: the iterator ends."""


@dataclass(frozen=True)
class _Loop:
    head: int
    after: int


class _Graph:
    """The blocks of a generator between which something is yielded or jumped over; the first one is
    number 1."""

    def __init__(self, generator: ast.FunctionDef) -> None:
        self.stmts: list[list[ast.stmt]] = [[], []]
        self.ends: list[_End] = [None, None]
        self.own = local_names(generator)
        self.loops = 0
        self.returns = False
        """Whether a value is returned somewhere."""
        self._block(copy.deepcopy(generator.body), 1, None)

    def new(self) -> int:
        self.stmts.append([])
        self.ends.append(None)
        return len(self.ends) - 1

    def _block(self, stmts: Sequence[ast.stmt], at: int | None, loop: _Loop | None) -> int | None:
        """Write statements from the end of a block on; the block at whose end they end."""
        for s in stmts:
            if at is None:
                break
            at = self._statement(s, at, loop)
        return at

    def _statement(self, s: ast.stmt, at: int, loop: _Loop | None) -> int | None:
        match s:
            case ast.Expr(ast.Yield(value)):
                after = self.new()
                self.ends[at] = _Yield(value or ast.Constant(None), after)
                return after
            case ast.Expr(ast.YieldFrom(source)):
                name = f".x{len(self.ends)}"
                each = ast.Expr(ast.Yield(_name(name)))
                made = ast.copy_location(ast.For(_store(name), source, [each], []), s)
                return self._for(ast.fix_missing_locations(made), at)
            case ast.Return(value):
                if value is not None and is_something(value):
                    self.returns = True
                    told = _assign(RETURNED, value), _assign(RETURNS, ast.Constant(True))
                    self.stmts[at] += [ast.copy_location(t, s) for t in told]
                return None
            case ast.Break() | ast.Continue() if loop is not None:
                self.ends[at] = _Goto(loop.after if isinstance(s, ast.Break) else loop.head)
                return None
            case ast.If() if self._splits(s, loop):
                then, orelse = self.new(), self.new()
                self.ends[at] = _Test(s.test, then, orelse)
                return self._meet([(then, s.body), (orelse, s.orelse)], loop)
            case ast.Match() if self._splits(s, loop):
                bodies, orelse = [self.new() for _ in s.cases], self.new()
                self.ends[at] = _Cases(s, tuple(bodies), orelse)
                arms = zip(bodies, (c.body for c in s.cases), strict=True)
                return self._meet([*arms, (orelse, [])], loop)
            case ast.While() if self._splits(s, None):
                head = self._from(at)
                return self._loop(s, head, None if is_endless(s) else s.test, [])
            case ast.For() if self._splits(s, None):
                return self._for(s, at)
            case _:
                self.stmts[at].append(s)
                return at

    def _splits(self, s: ast.stmt, loop: _Loop | None) -> bool:
        """Whether statements end or leave a block."""
        leaves = ast.Yield | ast.YieldFrom | ast.Return
        inside = any(isinstance(n, leaves) for n in own_nodes(s))
        return inside or (loop is not None and bool(jumps([s]) & {"break", "continue"}))

    def _from(self, at: int) -> int:
        """A new block, to which this one leads."""
        head = self.new()
        self.ends[at] = _Goto(head)
        return head

    def _meet(
        self, arms: Sequence[tuple[int, Sequence[ast.stmt]]], loop: _Loop | None
    ) -> int | None:
        ends = [self._block(body, at, loop) for at, body in arms]
        going = [e for e in ends if e is not None]
        if not going:
            return None
        after = self.new()
        for e in going:
            self.ends[e] = _Goto(after)
        return after

    def _for(self, s: ast.For, at: int) -> int | None:
        self.loops += 1
        index, name = f".i{self.loops}", f".s{self.loops}"
        source: ast.expr = _call(SOURCE, s.iter)
        if not self._stays(s.iter, s.body):
            begun = _assign(name, _call(SOURCE, s.iter, ast.Constant(name)))
            ast.fix_missing_locations(ast.copy_location(begun, s.iter))
            self.stmts[at].append(begun)
            source = _name(name)
        self.stmts[at].append(_assign(index, ast.Constant(0)))
        head = self._from(at)
        item = _call(ITEM, source, _name(index))
        after = _assign(index, _call(AFTER, _name(index)))
        take: list[ast.stmt] = [ast.Assign([s.target], item), after]
        for made in take:
            ast.copy_location(made, s.target)
        more = ast.copy_location(_call(MORE, source, _name(index)), s.iter)
        return self._loop(s, head, more, take)

    def _stays(self, source: ast.expr, body: Sequence[ast.stmt]) -> bool:
        """Whether a source is the same whenever it is evaluated in a loop: a variable, or a range
        whose ends are variables and constants."""
        match source:
            case ast.Name(name):
                return name in self.own - bound_anew(body)
            case ast.Call(ast.Name("range"), ends, []) if "range" not in self.own:
                return all(isinstance(e, ast.Constant) or (
                    isinstance(e, ast.Name) and self._stays(e, body)
                ) for e in ends)
            case _:
                return False

    def _loop(
        self, s: ast.For | ast.While, head: int, test: ast.expr | None, first: list[ast.stmt]
    ) -> int | None:
        body, after = self.new(), self.new()
        left = self.new() if s.orelse else after
        self.ends[head] = _Goto(body) if test is None else _Test(test, body, left)
        self.stmts[body] += first
        end = self._block(s.body, body, _Loop(head, after))
        if end is not None:
            self.ends[end] = _Goto(head)
        if s.orelse:
            end = self._block(s.orelse, left, None)
            if end is not None:
                self.ends[end] = _Goto(after)
        return after

    def next(self, k: int, waiting: bool = True) -> tuple[int, ...]:
        """The blocks to which a block leads; without ``waiting`` only those that follow at once."""
        match self.ends[k]:
            case _Goto(to):
                return (to,)
            case _Test(_, then, orelse):
                return then, orelse
            case _Cases(_, bodies, orelse):
                return *bodies, orelse
            case _Yield(_, to):
                return (to,) if waiting else ()
            case None:
                return ()


# --- writing --------------------------------------------------------------------------------------


def _written(graph: _Graph) -> tuple[dict[int, list[ast.stmt]], list[ast.stmt]]:
    """The blocks that are asked for by their number, and the statements that run them."""
    reached, waiting = {1: 0}, [1]
    for k in waiting:
        for to in graph.next(k):
            if to not in reached:
                waiting.append(to)
            reached[to] = reached.get(to, 0) + 1
    resumed = {end.to for k in reached if isinstance(end := graph.ends[k], _Yield)}
    own = {k for k, times in reached.items() if k == 1 or k in resumed or times > 1}
    blocks = {k: _lines(graph, k, own) for k in sorted(own)}
    order = _forward(graph, own)
    tests: list[ast.stmt] = [
        ast.If(ast.Compare(_name(AT), [ast.Eq()], [ast.Constant(k)]), blocks[k], [])
        for k in order or sorted(own)
    ]
    if order is None:
        going = ast.Compare(_name(AT), [ast.Gt()], [ast.Constant(0)])
        tests = [ast.While(going, tests, [])]
    return blocks, tests


def _lines(graph: _Graph, k: int, own: set[int]) -> list[ast.stmt]:
    """A block, with those that only it leads to."""

    def go(to: int) -> list[ast.stmt]:
        return [_assign(AT, ast.Constant(to))] if to in own else _lines(graph, to, own)

    lines = graph.stmts[k]
    match graph.ends[k]:
        case _Goto(to):
            return [*lines, *go(to)]
        case _Test(test, then, orelse):
            return [*lines, ast.copy_location(ast.If(test, go(then), go(orelse)), test)]
        case _Cases(match, bodies, orelse):
            cases = [
                ast.match_case(c.pattern, c.guard, go(to))
                for c, to in zip(match.cases, bodies, strict=True)
            ]
            last = ast.match_case(ast.MatchAs(), None, go(orelse))
            rest = [] if _takes_all(match.cases) else [last]
            return [*lines, ast.copy_location(ast.Match(match.subject, [*cases, *rest]), match)]
        case _Yield(value, to):
            at = ast.UnaryOp(ast.USub(), ast.Constant(to))
            return [*lines, ast.copy_location(_assign(VALUE, value), value), _assign(AT, at)]
        case None:
            return [*lines, _assign(AT, ast.Constant(0))]


def _takes_all(cases: Sequence[ast.match_case]) -> bool:
    last = cases[-1]
    return last.guard is None and isinstance(last.pattern, ast.MatchAs) and not last.pattern.pattern


def _forward(graph: _Graph, own: set[int]) -> list[int] | None:
    """The blocks in an order in which each leads to later ones only, or waits; None: there is
    none."""
    order: list[int] = []
    state: dict[int, bool] = {}

    def visit(k: int) -> bool:
        if k in state:
            return state[k]
        state[k] = False
        if not all(visit(to) for to in graph.next(k, waiting=False)):
            return False
        state[k] = True
        order.append(k)
        return True

    if not all(visit(k) for k in sorted(own)):
        return None
    return [k for k in reversed(order) if k in own]


# --- what is kept between two items ---------------------------------------------------------------


def _parameters(generator: ast.FunctionDef) -> set[str]:
    return {*parameters(generator), *gathering(generator)}


def _bound(generator: ast.FunctionDef) -> set[str]:
    """The names that a generator binds or updates."""
    stores = (n for s in generator.body for n in own_nodes(s))
    return {
        n.id for n in stores if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    } & local_names(generator)


def _state(
    graph: _Graph, generator: ast.FunctionDef, blocks: dict[int, list[ast.stmt]]
) -> Iterator[str]:
    """The variables that more than one run of a block sees."""
    made = ast.FunctionDef("", generator.args, [s for b in blocks.values() for s in b], [])
    names = local_names(ast.fix_missing_locations(made)) - declared_outside(generator)
    names -= {AT, VALUE, RETURNS, RETURNED}
    for name in sorted(names):
        using = [b for b in blocks.values() if any(_mentions(s, name) for s in b)]
        if len(using) != 1 or not set_first(using[0], name):
            yield name


def _mentions(s: ast.AST, name: str) -> bool:
    return any(
        (isinstance(n, ast.Name) and n.id == name)
        or (isinstance(n, ast.FunctionDef) and n.name == name)
        or (isinstance(n, ast.MatchAs | ast.MatchStar) and n.name == name)
        for n in ast.walk(s)
    )


def set_first(block: Sequence[ast.stmt], name: str) -> bool:
    """Whether a block sets a name before it reads it."""
    for s in block:
        if _mentions(s, name):
            match s:
                case ast.Assign(targets, _):
                    plain = {t.id for t in targets if isinstance(t, ast.Name)}
                    return name in plain and name not in reads([s])
                case ast.If(test, body, orelse) if not _mentions(test, name):
                    using = [b for b in (body, orelse) if any(_mentions(x, name) for x in b)]
                    return len(using) == 1 and s is block[-1] and set_first(using[0], name)
                case _:
                    return False
    return True


# --- syntax ---------------------------------------------------------------------------------------


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([_store(name)], value)


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(_name(name), list(args), [])


__all__ = [
    "AFTER", "GIVE", "GO", "ITEM", "MORE", "RETURNED", "RETURNS", "SETTLE", "SOURCE", "STEP",
    "VALUE", "is_step", "returns", "set_first", "stepped_form",
]  # fmt: skip
