"""From a Python function object to its syntax tree, with the places where it stands in its file."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType, FunctionType

from pullback.core.terms import Site
from pullback.errors import SourceError

FunctionNode = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A parsed file; ``functions`` are the functions in it, outermost first."""

    file: str
    tree: ast.Module
    functions: tuple[FunctionNode | ast.AsyncFunctionDef, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A function in the source: one per syntax node, compared by identity.

    ``globals`` is the namespace of its module; ``name`` and ``qualname`` are for messages."""

    node: FunctionNode
    file: str
    name: str
    qualname: str
    globals: dict[str, object] = field(repr=False)
    lines: tuple[str, ...] = field(repr=False, default=())

    @property
    def body(self) -> list[ast.stmt]:
        if isinstance(self.node, ast.Lambda):
            done = ast.Return(self.node.body)
            return [ast.copy_location(done, self.node.body)]
        return self.node.body


@lru_cache(maxsize=256)
def _parse(file: str, text: str) -> Source:
    tree = ast.parse(text, file)
    found = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    ]
    return Source(file, tree, tuple(found), tuple(text.splitlines()))


def _source_of(function: FunctionType) -> Source:
    file = function.__code__.co_filename
    lines = linecache.getlines(file, function.__globals__)
    if not lines:
        raise SourceError(
            f"the source of {function.__qualname__!r} cannot be read (from {file!r})",
            "define the function in a file or a notebook cell",
        )
    return _parse(file, "".join(lines))


def _first_line(node: FunctionNode | ast.AsyncFunctionDef) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(d.lineno for d in decorators)])


def _parameter_names(node: FunctionNode | ast.AsyncFunctionDef) -> tuple[str, ...]:
    a = node.args
    return tuple(p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs))


def _code_start(code: CodeType) -> tuple[int, int]:
    """The position of the first real instruction: inside the lambda that the code belongs to."""
    for line, _, col, _ in code.co_positions():
        if line is not None and col is not None and (line, col) != (code.co_firstlineno, 0):
            return line, col
    return code.co_firstlineno, 0


def _inside(node: ast.AST, line: int, byte_col: int) -> bool:
    assert isinstance(node, ast.Lambda)
    start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return start <= (line, byte_col) < end


def _find(source: Source, function: FunctionType) -> FunctionNode:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    is_lambda = code.co_name == "<lambda>"
    candidates = [
        n
        for n in source.functions
        if isinstance(n, ast.Lambda) == is_lambda
        and (is_lambda or getattr(n, "name", "") == code.co_name)
        and _first_line(n) == code.co_firstlineno
        and _parameter_names(n) == names
    ]
    if is_lambda and len(candidates) > 1:
        line, col = _code_start(code)
        inside = [n for n in candidates if _inside(n, line, col)]
        # Nested lambdas: the innermost one that holds the first instruction.
        candidates = inside[-1:] or candidates
    if not candidates:
        raise SourceError(
            f"the source of {function.__qualname__!r} is not at line {code.co_firstlineno} of "
            f"{source.file!r}",
            "the file has changed since it was imported: start again",
        )
    if isinstance(candidates[-1], ast.AsyncFunctionDef):
        raise SourceError(f"{function.__qualname__!r} is an async function")
    return candidates[-1]


_DEFINITIONS: dict[tuple[CodeType, int], Definition] = {}


def definition_of(function: FunctionType) -> Definition:
    """The definition of a Python function: the same object for all functions of one code."""
    code = function.__code__
    key = (code, id(function.__globals__))
    if key not in _DEFINITIONS:
        from pullback.frontend.lifting import lifted

        source = _source_of(function)
        _DEFINITIONS[key] = Definition(
            lifted(_find(source, function)),
            source.file,
            code.co_name,
            function.__qualname__,
            function.__globals__,
            source.lines,
        )
    return _DEFINITIONS[key]


def nested_definition(node: FunctionNode, outer: Definition) -> Definition:
    """The definition of a function inside another one (make it once per node)."""
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    return Definition(
        node, outer.file, name, f"{outer.qualname}.<locals>.{name}", outer.globals, outer.lines
    )


def char_col(lines: tuple[str, ...], line: int, byte_col: int) -> int:
    """ast counts columns in UTF-8 bytes, people in characters."""
    if not 0 < line <= len(lines):
        return byte_col
    return len(lines[line - 1].encode()[:byte_col].decode(errors="replace"))


def site_of(definition: Definition, node: ast.AST) -> Site:
    """The place of a syntax node; a node without a place stands for the whole function."""
    where = node if hasattr(node, "lineno") else definition.node
    line: int = getattr(where, "lineno", 1)
    end_line: int = getattr(where, "end_lineno", None) or line
    col = char_col(definition.lines, line, getattr(where, "col_offset", 0))
    end_col = char_col(definition.lines, end_line, getattr(where, "end_col_offset", None) or 0)
    if isinstance(where, ast.FunctionDef) and not isinstance(node, ast.expr):
        end_line, end_col = line, len(definition.lines[line - 1]) if definition.lines else col
    return Site(definition.file, line, col, end_line, end_col, definition.name)


