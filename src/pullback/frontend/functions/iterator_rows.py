"""The functions of iterators that are objects of the store, as syntax.

Where a program has a form with references only (``store``), an iterator that is advanced from
outside is an object like any other: what ``stepped_form`` keeps in variables of a function is in
attributes. So iterators may lie in lists that grow, make others while they run, and recurse.

    def g(a):                                def g(a):
        .at = -1                                 .self.a = a
        def .step(.what):                        .self..at = -1
            nonlocal .at, .value, a, n   ==>     def .step(.self, .what):
            ...                                      ...
            n += a                                   .self.n += .self.a
        .settle(.step)                           return .step
        return .step
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from pullback.errors import UnsupportedError
from pullback.frontend.functions.generator_blocks import AT, NOW, name_
from pullback.frontend.functions.stepped_form import is_step, kept_by, stepped_form, unsure
from pullback.frontend.python.attempted import Attempt, Held, Once
from pullback.frontend.python.memo import Remembered
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import (
    Comprehension,
    gathering,
    local_names,
    parameters,
    pattern_names,
    target_names,
)
from pullback.frontend.python.syntax_pieces import known

_FORMS = Remembered[Definition | None]()
Node = TypeVar("Node", bound=ast.AST)


def row_form(
    definition: Definition, called: Mapping[str, object], objects: frozenset[str]
) -> Definition | None:
    """Return the function that makes the iterator of a generator as an object (``called`` and
    ``objects``: see ``stepped_form``); None: something that it keeps is known by the name of its
    variable only."""

    def make() -> Definition | None:
        form = stepped_form(definition, called, objects)
        assert isinstance(form.node, ast.FunctionDef)
        try:
            return replace(form, node=_maker(copy.deepcopy(form.node)))
        except _NoAttributeError:
            return None

    return _FORMS.of(definition.node, (id(definition.globals), objects), make)


def object_of(generator: ast.AST) -> str:
    """Return the parameter that is the object of the iterator: a generator in another one captures
    that of the one around it."""
    assert isinstance(generator, ast.FunctionDef)
    return f".self.{generator.lineno}.{generator.col_offset}"


def fields_of(form: Definition) -> tuple[frozenset[str], frozenset[str]]:
    """Return the attributes of an iterator, and those of them that it may read before they are
    set."""
    step = next(s for s in ast.iter_child_nodes(form.node) if is_step(s))
    given = {*parameters(form.node), *gathering(form.node)}
    late = unsure(step) - given
    return frozenset(map(attribute_of, kept_by(step))), frozenset(map(attribute_of, late))


class _NoAttributeError(Exception):
    """A variable is known by its name only."""


def _maker(form: ast.FunctionDef) -> ast.FunctionDef:
    at, step = next((k, s) for k, s in enumerate(form.body) if is_step(s))
    assert isinstance(step, ast.FunctionDef)
    declared, *body = step.body
    assert isinstance(declared, ast.Nonlocal)
    fields, given = kept_by(step), {*parameters(form), *gathering(form)}
    outside = sorted({*declared.names} - fields)
    me = object_of(form)
    write = _Attributes(fields, me)
    _note_that_it_runs(body)
    step.body = [*([ast.Nonlocal(outside)] if outside else []), *write.block(body)]
    step.args.args.insert(0, ast.arg(me))
    form.body = [
        *(ast.Assign([_field(me, n, ast.Store())], name_(n)) for n in sorted(given & fields)),
        *write.block(form.body[:at]),
        step,
        form.body[at + 2],  # it returns the step
    ]
    for n in ast.walk(form):
        if not hasattr(n, "lineno") and "lineno" in n._attributes:
            ast.copy_location(n, form)
    return form


def _note_that_it_runs(step: list[ast.stmt]) -> None:
    """Let ``.at`` be 1 while a step runs, and 0 only at its end. An iterator that is an object may
    find itself and advance itself, which is an error in Python; since ``.at`` stays 1 where a step
    raises too, what is advanced after that is refused with it."""
    at = next(k for k, s in enumerate(step) if isinstance(s, ast.Assign) and _is(s, NOW))
    runs = step[at + 1]
    assert isinstance(runs, ast.Assign) and _is(runs, AT)
    runs.value = ast.Constant(1)
    refusal = ast.Call(known(UnsupportedError, runs), [ast.Constant(_AGAIN)], [])
    found = ast.Compare(name_(AT), [ast.Eq()], [ast.Constant(1)])
    step.insert(at, ast.If(found, [ast.Raise(refusal)], []))


_AGAIN = "a generator is advanced while it runs, or after it has raised"


def _is(s: ast.Assign, name: str) -> bool:
    return isinstance(s.targets[0], ast.Name) and s.targets[0].id == name


def _field(me: str, name: str, context: ast.expr_context) -> ast.Attribute:
    return ast.Attribute(name_(me), attribute_of(name), context)


def attribute_of(variable: str) -> str:
    """Return the attribute that a variable becomes."""
    return variable.replace(":", "_")


class _Attributes(ast.NodeTransformer):
    """Variables become attributes; what shadows them stays."""

    def __init__(self, names: frozenset[str], me: str) -> None:
        self.names, self.me = names, me

    def block(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for s in stmts:
            new = self.visit(s)
            made += new if isinstance(new, list) else [new]
        return made

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names:
            return node
        if isinstance(node, Held):
            raise _NoAttributeError
        return ast.copy_location(_field(self.me, node.id, node.ctx), node)

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._levels(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._levels(node)

    def _levels(self, node: Node) -> Node:
        """The clauses of ``try`` know variables by their names."""
        for level in node.levels if isinstance(node, (Attempt, Once)) else ():
            classes = [n for c in level.clauses if c.classes for n in ast.walk(c.classes)]
            known = {n.id for n in classes if isinstance(n, ast.Name)}
            if not self.names.isdisjoint({level.raised, level.held, level.depth, *known}):
                raise _NoAttributeError
        made: Node = self.generic_visit(node)  # type: ignore[assignment]  # it is changed itself
        return made

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        raise _NoAttributeError

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args = self.visit(node.args)
        node.body = _Attributes(self.names - local_names(node), self.me).visit(node.body)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | list[ast.stmt]:
        inside = _Attributes(self.names - local_names(node), self.me)
        node.args = self.visit(node.args)
        node.body = inside.block(node.body) or [ast.Pass()]
        if node.name not in self.names:
            return node
        kept = ast.Assign([_field(self.me, node.name, ast.Store())], name_(node.name))
        return [node, ast.fix_missing_locations(ast.copy_location(kept, node))]

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        node.names = [n for n in node.names if n not in self.names]
        return node if node.names else ast.copy_location(ast.Pass(), node)

    def _comprehension(self, node: Comprehension) -> ast.AST:
        first = node.generators[0].iter
        bound = {n for g in node.generators for n in target_names(g.target)}
        inside = _Attributes(self.names - bound, self.me)
        given = self.visit(first)
        node = inside.generic_visit(node)  # type: ignore[assignment]  # it is changed itself
        node.generators[0].iter = given
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_match_case(self, case: ast.match_case) -> ast.AST:
        """``case C(x) if test: ...`` binds a variable, from which the attribute gets its value."""
        bound = [n for n in pattern_names(case.pattern) if n in self.names]
        if bound and case.guard is not None:
            raise _NoAttributeError  # where it fails the variable has its value, too
        if any(isinstance(n, ast.Name) and n.id in self.names for n in ast.walk(case.pattern)):
            raise _NoAttributeError
        case.body = self.block(case.body)
        stored = (ast.Assign([_field(self.me, n, ast.Store())], name_(n)) for n in bound)
        case.body = [
            *(ast.fix_missing_locations(ast.copy_location(s, case.body[0])) for s in stored),
            *case.body,
        ]
        if case.guard is not None:
            case.guard = self.visit(case.guard)
        return case


__all__ = ["attribute_of", "fields_of", "object_of", "row_form"]
