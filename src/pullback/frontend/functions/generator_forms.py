"""The functions that generators run, as syntax.

A generator expression is a function that yields, as it is in Python:

    (e for x in xs if c)        def <genexpr>(.0): for x in .0: if c: yield e
    (y := e for x in xs)        def <genexpr>(.0): nonlocal y; for x in .0: yield (y := e)

and what a consumer runs is a form of the function in which every jump is written down:

    yield from e                for .x in e: yield .x

A loop ``for x in e: yield x``, whose ``x`` nobody else reads, is ``yield from e``. Where the
consumer may want no further item (``stopping``), also

    yield v                     yield v; if $stop: return
    yield from e                for .x in e: yield .x; if $stop: break
                                if $stop: return
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from dataclasses import replace
from weakref import WeakKeyDictionary

from pullback.frontend.python.looks import Guarded, guard_of
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import GIVEN, STOP, THROWN, tell, told, walrus_names
from pullback.frontend.python.syntax_pieces import assign
from pullback.frontend.python.texts import FunctionNode

FIRST = ".0"
"""The parameter of the function of a generator expression: what it runs over."""

NO_VALUE = (
    "a yield in an expression whose other parts cannot be evaluated on their own",
    "let the yield be a statement of its own, and give its value a name",
)

EXPRESSION, LISTED = "<genexpr>", "<listcomp>"
"""The names of the functions of generator expressions, and of comprehensions."""

_FORMS: WeakKeyDictionary[Definition, dict[tuple[bool, bool], Definition]] = WeakKeyDictionary()


@by_node
def expression_function(
    first: ast.comprehension, rest: tuple[ast.comprehension, ...], elt: ast.expr, whole: bool,
    name: str,
) -> ast.FunctionDef:  # fmt: skip
    """Return the function of a generator expression, or of a comprehension that is run as one; a
    ``whole`` one evaluates its source itself."""
    body: list[ast.stmt] = [ast.copy_location(ast.Expr(ast.Yield(elt)), elt)]
    for g in reversed((first, *rest)):
        for test in reversed(g.ifs):
            body = [ast.copy_location(ast.If(test, body, []), elt)]
        source = g.iter
        if g is first and not whole:
            source = ast.copy_location(ast.Name(FIRST, ast.Load()), g.iter)
        body = [ast.copy_location(ast.For(g.target, source, body, []), g.target)]
    parts = (elt, *(e for g in (first, *rest) for e in (g.iter, *g.ifs)))
    bound = {name for e in parts for name in walrus_names(e)}
    if bound:
        body.insert(0, ast.Nonlocal(sorted(bound)))
    args = ast.arguments([], [] if whole else [ast.arg(FIRST)], None, [], [], None, [])
    made = ast.FunctionDef(name, args, copy.deepcopy(body), [])
    vars(made)["called"] = isinstance(first.iter, (ast.Call, ast.GeneratorExp))
    return ast.fix_missing_locations(ast.copy_location(made, elt))


def driven_form(definition: Definition, stopping: bool, telling: bool = False) -> Definition:
    """Return the function that a consumer runs; ``telling``: it also gives what the generator
    returns."""
    forms = _FORMS.setdefault(definition, {})
    if (stopping, telling) not in forms:
        node = copy.deepcopy(definition.node)
        assert isinstance(node, ast.FunctionDef)
        _Form(node, stopping).write()
        vars(node)["tells"] = telling
        forms[stopping, telling] = replace(definition, node=node)
    return forms[stopping, telling]


def is_form_of(definition: Definition, generator: Definition) -> bool:
    """Whether a function is what a consumer of a generator runs."""
    return any(definition is form for form in _FORMS.get(generator, {}).values())


def tells(definition: Definition | None) -> bool:
    """Whether the function of a generator also gives what the generator returns."""
    return definition is not None and vars(definition.node).get("tells", False) is True


def handed_on(s: ast.For) -> bool:
    """Whether a loop hands every item on to the consumer of the generator that it stands in."""
    return vars(s).get("handed_on", False) is True


class _Form:
    """The writing of one form; nested functions stay."""

    def __init__(self, node: ast.FunctionDef, stopping: bool) -> None:
        self.node, self.stopping = node, stopping
        names = Counter(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
        passed = Counter(filter(None, map(_passed, ast.walk(node))))
        self.passed = {n for n, times in passed.items() if names[n] == 2 * times}

    def write(self) -> None:
        read = {n.id for n in ast.walk(self.node) if isinstance(n, ast.Name)}
        body = self._block(self.node.body)
        first = [
            assign(name, ast.Constant(None), self.node)
            for name in (GIVEN, THROWN) if name in read
        ]
        self.node.body = [*first, *body]

    def _block(self, stmts: list[ast.stmt]) -> list[ast.stmt]:
        return [made for s in stmts for made in self._statement(s)]

    def _statement(self, s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Expr(ast.YieldFrom(source)):
                return self._from(source, s, self.stopping and guard_of(s) is None)
            case ast.For(iter=source) if _passed(s) in self.passed:
                return self._from(source, s, self.stopping)
            case ast.Expr(ast.Yield()) if guard_of(s) is None:
                return [s, self._stopped(ast.Return(), s)] if self.stopping else [s]
            case ast.For() | ast.While() | ast.If():
                s.body, s.orelse = self._block(s.body), self._block(s.orelse)
            case ast.Match(_, cases):
                for c in cases:
                    c.body = self._block(c.body)
            case _:
                pass
        return [s]

    def _from(self, source: ast.expr, s: ast.stmt, stopping: bool) -> list[ast.stmt]:
        name = f".x:{s.lineno}:{s.col_offset}"
        body: list[ast.stmt] = [ast.Expr(ast.Yield(ast.Name(name, ast.Load())))]
        if stopping:
            body.append(self._stopped(ast.Break(), s))
        loop = ast.For(ast.Name(name, ast.Store()), source, body, [])
        vars(loop).update(handed_on=True, guarded=guard_of(s))
        tell(loop, told(s.value) if isinstance(s, ast.Expr) else None)
        made: list[ast.stmt] = [ast.fix_missing_locations(ast.copy_location(loop, s))]
        if stopping:
            made.append(self._stopped(ast.Return(), s))
        return made

    def _stopped(self, jump: ast.stmt, place: ast.AST) -> ast.stmt:
        made = ast.If(ast.Name(STOP, ast.Load()), [jump], [])
        return ast.fix_missing_locations(ast.copy_location(made, place))


def _passed(n: ast.AST) -> str | None:
    """Return the name in ``for x in e: yield x``."""
    match n:
        case ast.For(ast.Name(x), _, [ast.Expr(ast.Yield(ast.Name(y)))], []) if x == y:
            return x
        case _:
            return None


def is_called(key: object) -> bool:
    """Whether a parameter is that of a generator expression that runs over what is called there:
    the generator has no name."""
    return isinstance(key, tuple) and key[1:] == (FIRST,) and bool(vars(key[0]).get("called"))


def is_parameter(key: object) -> bool:
    """Whether what is given a generator is a parameter."""
    return isinstance(key, tuple) and len(key) == 2


def guards(node: ast.AST) -> list[Guarded]:
    """Return what the ``yield`` statements of a function stand in."""
    return [g for n in ast.walk(node) if (g := guard_of(n)) is not None]


def yields(node: FunctionNode) -> ast.AST:
    """Return the first ``yield`` of a function."""
    return next(n for n in ast.walk(node) if isinstance(n, (ast.Yield, ast.YieldFrom)))


__all__ = [
    "EXPRESSION", "FIRST", "LISTED", "NO_VALUE", "driven_form", "expression_function", "guards",
    "handed_on", "is_called", "is_form_of", "is_parameter", "tells", "yields",
]  # fmt: skip
