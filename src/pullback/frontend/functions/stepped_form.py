"""The functions of iterators that are advanced from outside, as syntax: state machines.

A generator that ``next`` advances, that stands beside another one, or that is gone through in
several turns keeps its variables between two items. It becomes a function that makes a function:

    def g(a):                       def g(a):
        n = 0                           .at = -1
        while n < a:                    def .step(.what):
            yield n                         nonlocal .at, .value, n
            n += 1                          if .what == "value": return .value
                                            .now = -.at; .at = 0
                                            if .now == 1: n = 0; .now = 3
                                            if .now == 2: n += 1; .now = 3
                                            if .now == 3:
                                                if n < a: .value = n; .now = -2
                                                else: .now = 0
                                            .at = .now
                                            return .now < 0
                                        .settle(.step)
                                        return .step

``.at`` is the block that is run next, negative while the iterator waits, and 0 while it runs and
at its end (where it raises, too). A block that one other leads to stands in that one. If blocks
lead back without a ``yield`` on the way, they are run in a loop. What is alive in several blocks is
a variable of the maker: so all that is true of functions that change variables around them
(branches, loops, calls) is true of iterators.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from pullback.frontend.functions.generator_blocks import (
    AT,
    LOST,
    NOW,
    RETURNED,
    RETURNS,
    SETTLE,
    STEP,
    VALUE,
    WHAT,
    Cases,
    Goto,
    Graph,
    Test,
    Tried,
    Yield,
    assign_,
    call_,
    is_something,
    name_,
)
from pullback.frontend.functions.generator_forms import guards
from pullback.frontend.kinds.values import Static, Value
from pullback.frontend.python.attempted import CAUGHT, OBJECT, Attempt, Once
from pullback.frontend.python.liveness import liveness_of
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import (
    GIVEN,
    STOP,
    THROWN,
    declared_outside,
    gathering,
    given_names,
    local_names,
    own_nodes,
    parameters,
    reads,
)
from pullback.frontend.python.syntax_pieces import known

GO, SEND, THROW, GIVE, CLOSE, DROP = "go", "send", "throw", "value", "close", "drop"
"""What a step is asked for: to go on (it gives whether there is an item), also with what it is sent
or with an exception, for the item, or to be left where it stands: by ``close()``, or since nobody
has it any longer."""

TEXTS = "pullback.frontend.library."
NOT_BEGUN = "can't send non-None value to a just-started generator"

_FORMS: WeakKeyDictionary[Definition, dict[frozenset[str], Definition]] = WeakKeyDictionary()


def stepped_form(
    definition: Definition, called: Mapping[str, object], objects: frozenset[str]
) -> Definition:
    """The function that makes the iterator of a generator; ``called``: what its text calls;
    ``objects``: the parameters that are objects with an ``__iter__``, which is called once."""
    forms = _FORMS.setdefault(definition, {})
    if objects not in forms:
        node = definition.node
        assert isinstance(node, ast.FunctionDef)
        own = str(definition.globals.get("__name__", "")).startswith(TEXTS)
        made = _maker(node, not own, objects)
        for n in ast.walk(made):
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in called:
                function: Any = called[n.func.id]
                n.func = ast.copy_location(ast.Constant(function), n.func)
        forms[objects] = replace(definition, node=made)
    return forms[objects]


def is_step(node: ast.AST) -> bool:
    """Whether a function is the step of an iterator."""
    return isinstance(node, ast.FunctionDef) and node.name == STEP


def ends(node: ast.AST) -> bool:
    """Whether something is done where a generator, or the step of its iterator, is left."""
    return any(g.closes for g in guards(node)) or bool(vars(node).get("ends"))


def unsure(step: ast.AST) -> frozenset[str]:
    """Return the variables of a generator that may be read before they are set."""
    found = vars(step).get("unsure", frozenset())
    assert isinstance(found, frozenset)
    return found


def kept_by(step: ast.AST) -> frozenset[str]:
    """Return the variables that an iterator keeps between two steps."""
    found = vars(step)["kept"]
    assert isinstance(found, frozenset)
    return found


def returns(function: ast.AST) -> bool:
    """Whether a generator, or the step of its iterator, returns something."""
    if is_step(function):
        return bool(vars(function)["returns"])
    assert isinstance(function, (ast.FunctionDef, ast.Lambda))
    body = function.body if isinstance(function, ast.FunctionDef) else []
    returned = (n for s in body for n in own_nodes(s) if isinstance(n, ast.Return))
    return any(is_something(n.value) for n in returned)


def tells_something(function: ast.AST) -> bool:
    """Whether a generator, or the step of its iterator, returns anything but None. (A ``return``
    under ``try`` returns a variable, which may be None always.)"""
    assert isinstance(function, (ast.FunctionDef, ast.Lambda))
    body = function.body if isinstance(function, ast.FunctionDef) else []
    nodes = [n for s in body for n in own_nodes(s)]
    kept = [n.value for n in nodes if isinstance(n, ast.Assign) and _is_result(n.targets[0])]
    given = [n.value for n in nodes if isinstance(n, ast.Return) and not _is_result(n.value)]
    told = is_step(function) or any(map(is_something, (*kept, *given)))
    return returns(function) and told


def _is_result(node: ast.expr | None) -> bool:
    """Whether this is the variable that keeps what a ``return`` under ``try`` returns."""
    return isinstance(node, ast.Name) and node.id.startswith(".result.")


def _maker(
    generator: ast.FunctionDef, is_given: bool, objects: frozenset[str]
) -> ast.FunctionDef:
    """``is_given``: it may be sent something, as nobody does with those of the library."""
    graph = Graph(generator, is_given, objects)
    first, before = graph.shortened()
    rounds, step = _written(graph, first)
    sent = _sent() if graph.receives else []
    given = _parameters(generator)
    state = [n for n in _state(graph, generator, rounds) if n not in given]
    told = [RETURNS, RETURNED] if graph.returns else []
    changed = {AT, VALUE, *told, *state, *given, *declared_outside(generator)}
    asked = {
        GIVE: name_(VALUE),
        RETURNS: name_(RETURNS) if told else ast.Constant(False),
        RETURNED: name_(RETURNED) if told else ast.Constant(None),
    }
    ask = [
        ast.If(ast.Compare(name_(WHAT), [ast.Eq()], [ast.Constant(what)]), [ast.Return(given)], [])
        for what, given in asked.items()
    ]
    begin = [assign_(n, ast.Constant(False)) for n in told[:1]]
    body: list[ast.stmt] = [
        ast.Nonlocal(sorted(changed)),
        *ask,
        *begin,
        *sent,
        *_left(graph),
        assign_(NOW, ast.UnaryOp(ast.USub(), name_(AT))),
        assign_(AT, ast.Constant(0)),
        *step,
        assign_(AT, name_(NOW)),
        ast.Return(ast.Compare(name_(NOW), [ast.Lt()], [ast.Constant(0)])),
    ]
    given_to = [GIVEN, THROWN] if graph.receives else []
    params = [ast.arg(n) for n in (WHAT, *given_to)]
    args = ast.arguments([], params, None, [], [], None, [ast.Constant(None) for _ in given_to])
    inner = ast.FunctionDef(STEP, args, body, [])
    throws = is_given and (graph.throws or not graph.receives)
    vars(inner).update(
        receives=graph.receives, throws=throws, returns=graph.returns, ends=ends(generator),
        kept=frozenset(changed - declared_outside(generator)), unsure=_unsure(generator),
    )  # fmt: skip
    never_run = (assign_(n, ast.Constant(None)) for n in (VALUE, *told[1:], *state))
    made = ast.FunctionDef(
        generator.name,
        generator.args,
        [
            assign_(AT, ast.UnaryOp(ast.USub(), ast.Constant(first))),
            *before,
            *copy.deepcopy(begin),
            inner,
            ast.Expr(call_(SETTLE, name_(STEP))),
            ast.Return(name_(STEP)),
            *never_run,  # they say whose variables these are
        ],
        [],
    )
    for n in ast.walk(made):
        if not hasattr(n, "lineno") and "lineno" in n._attributes:
            ast.copy_location(n, generator)
    return made


def _unsure(generator: ast.FunctionDef) -> frozenset[str]:
    given = {*given_names(generator), *declared_outside(generator)}
    read = liveness_of(generator).begin & local_names(generator) - given
    return frozenset(n for n in read if not n.startswith("."))


def _sent() -> list[ast.stmt]:
    """What is done first where the iterator is sent something, or gets an exception."""
    is_sent, thrown = (
        ast.Compare(name_(WHAT), [ast.Eq()], [ast.Constant(w)]) for w in (SEND, THROW)
    )
    begun = ast.Compare(name_(AT), [ast.NotEq()], [ast.UnaryOp(ast.USub(), ast.Constant(1))])
    waits = ast.Compare(name_(AT), [ast.Lt()], [ast.UnaryOp(ast.USub(), ast.Constant(1))])
    error = known(TypeError, ast.Pass())
    none = ast.Raise(ast.Call(error, [ast.Constant(NOT_BEGUN)], []))
    over = [assign_(AT, ast.Constant(0)), ast.Raise(name_(THROWN))]
    return [
        ast.If(is_sent, [ast.If(begun, [ast.Pass()], [none])], []),
        ast.If(thrown, [ast.If(waits, [ast.Pass()], over)], []),
    ]


def receives(step: ast.AST) -> bool:
    """Whether it makes a difference what an iterator is sent."""
    return bool(vars(step).get("receives"))


def throws(step: ast.AST) -> bool:
    """Whether it is known what an iterator does where an exception is thrown into it: if it does
    not look at what it is given, it is at its end."""
    return bool(vars(step).get("throws"))


def request(step: ast.AST, what: str) -> dict[str, Value]:
    """Return the arguments of a step that is asked for this, and given nothing."""
    given = (GIVEN, THROWN) if receives(step) else ()
    return {WHAT: Static(what), **{name: Static(None) for name in given}}


def _left(graph: Graph) -> list[ast.stmt]:
    """What is done where the iterator is left; one that has not begun is at its end then."""
    end: ast.stmt = assign_(AT, ast.Constant(0))
    told = [ast.Compare(name_(WHAT), [ast.Eq()], [ast.Constant(w)]) for w in (CLOSE, DROP)]
    if not graph.guarded:
        return [ast.If(told[0], [end], [])]
    never = ast.Compare(name_(AT), [ast.Eq()], [ast.UnaryOp(ast.USub(), ast.Constant(1))])
    return [
        assign_(LOST, told[1]),
        ast.If(
            ast.BoolOp(ast.Or(), list(told)),
            [assign_(STOP, ast.Constant(True)), ast.If(never, [end], [])],
            [assign_(STOP, ast.Constant(False))],
        ),
    ]


# --- writing --------------------------------------------------------------------------------------


def _written(graph: Graph, first: int) -> tuple[dict[int, list[ast.stmt]], list[ast.stmt]]:
    """The blocks that are asked for by their number, and the statements that run them."""
    reached, waiting = {first: 0}, [first]
    for k in waiting:
        for to in graph.next(k):
            if to not in reached:
                waiting.append(to)
            reached[to] = reached.get(to, 0) + 1
    resumed = {end.to for k in reached if isinstance(end := graph.ends[k], Yield)}
    own = {k for k, times in reached.items() if k == first or k in resumed or times > 1}
    own |= {to for k in reached for to in graph.next(k) if graph.levels[to] != graph.levels[k]}
    blocks = {k: _lines(graph, k, own) for k in sorted(own)}
    order = _forward(graph, own)
    tests: list[ast.stmt] = [
        ast.If(
            ast.Compare(name_(NOW), [ast.Eq()], [ast.Constant(k)]), _once(graph, k, blocks[k]), []
        )
        for k in order or sorted(own)
    ]
    if order is None:
        going = ast.Compare(name_(NOW), [ast.Gt()], [ast.Constant(0)])
        tests = [ast.While(going, tests, [])]
    return blocks, tests


def _once(graph: Graph, k: int, lines: list[ast.stmt]) -> list[ast.stmt]:
    """A block, from which attempts lead elsewhere by a jump."""
    if not graph.leaps:
        return lines
    made = Once(ast.Constant(True), lines, [])
    made.levels = graph.levels[k]
    return [made]


def _lines(graph: Graph, k: int, own: set[int]) -> list[ast.stmt]:
    """A block, with those that only it leads to."""
    end = [ast.Break()] if graph.leaps else []

    def go(to: int) -> list[ast.stmt]:
        return [assign_(NOW, ast.Constant(to)), *end] if to in own else _lines(graph, to, own)

    lines = graph.stmts[k]
    match graph.ends[k]:
        case Goto(to):
            return [*lines, *go(to)]
        case Test(test, then, orelse):
            return [*lines, ast.copy_location(ast.If(test, go(then), go(orelse)), test)]
        case Tried(attempt, then, orelse):
            made = Attempt(attempt.test, attempt.body, go(orelse))
            made.levels = attempt.levels
            return [*lines, ast.copy_location(made, attempt), *go(then)]
        case Cases(match, bodies, orelse):
            cases = [
                ast.match_case(c.pattern, c.guard, go(to))
                for c, to in zip(match.cases, bodies, strict=True)
            ]
            last = ast.match_case(ast.MatchAs(), None, go(orelse))
            rest = [] if _takes_all(match.cases) else [last]
            return [*lines, ast.copy_location(ast.Match(match.subject, [*cases, *rest]), match)]
        case Yield(value, to):
            at = ast.UnaryOp(ast.USub(), ast.Constant(to))
            given = ast.copy_location(assign_(VALUE, value), value)
            return [*lines, given, assign_(NOW, at), *end]
        case None:
            return [*lines, assign_(NOW, ast.Constant(0)), *end]


def _takes_all(cases: Sequence[ast.match_case]) -> bool:
    last = cases[-1]
    return last.guard is None and isinstance(last.pattern, ast.MatchAs) and not last.pattern.pattern


def _forward(graph: Graph, own: set[int]) -> list[int] | None:
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
    graph: Graph, generator: ast.FunctionDef, blocks: dict[int, list[ast.stmt]]
) -> Iterator[str]:
    """The variables that more than one run of a block sees."""
    made = ast.FunctionDef("", generator.args, [s for b in blocks.values() for s in b], [])
    names = local_names(ast.fix_missing_locations(made)) - declared_outside(generator)
    names -= {AT, NOW, VALUE, RETURNS, RETURNED, CAUGHT, OBJECT, STOP, LOST, GIVEN, THROWN}
    for name in sorted(names):
        using = [b for b in blocks.values() if any(_mentions(s, name) for s in b)]
        if len(using) != 1 or not set_first(using[0], name):
            yield name


def _mentions(s: ast.AST, name: str) -> bool:
    return any(
        (isinstance(n, ast.Name) and n.id == name)
        or (isinstance(n, ast.FunctionDef) and n.name == name)
        or (isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name == name)
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


__all__ = [
    "CLOSE", "DROP", "GIVE", "GO", "SEND", "THROW", "ends", "is_step", "kept_by", "receives",
    "request", "returns", "set_first", "stepped_form", "tells_something", "throws", "unsure",
]  # fmt: skip
