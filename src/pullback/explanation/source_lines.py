"""The lines of the user's source from which lets come, by short names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from types import CodeType

from pullback.call.entries import is_own
from pullback.core.terms import Site
from pullback.core.trails import Trail
from pullback.explanation.model import Cost, Source, SourceLine
from pullback.frontend.python.source import Definition


class Places:
    """The names of lines: ``s1``, ``s2``, in the order in which they are asked for."""

    def __init__(self) -> None:
        self.names: dict[tuple[str, int], str] = {}

    def begin(self, main: Definition, used: Mapping[CodeType, tuple[str, Definition]]) -> str:
        """Return the name of the line at which the function begins; if it is a wrapper of this
        package, that of the first function of the user's."""
        users = [d for _, d in used.values() if not is_own(d.file)]
        first = main if main in users or not users else users[0]
        return self.names.setdefault((first.file, first.node.lineno), "s1")

    def name(self, site: Site | None) -> str:
        """Return the name of a line, empty if there is none of the user's."""
        if site is None or is_own(site.file):
            return ""
        return self.names.setdefault((site.file, site.line), f"s{len(self.names) + 1}")

    def of(self, site: Site | None) -> str:
        """Return the name of the line from which a let comes."""
        return self.name(site) if isinstance(site, Trail) else ""


def sources_of(
    used: Mapping[CodeType, tuple[str, Definition]], places: Places, costs: Mapping[str, Cost]
) -> tuple[Source, ...]:
    """Return the functions of the user's that were compiled, each with its lines and their costs,
    by file and line. A function inside of another one is shown with that one."""
    found: dict[str, list[Definition]] = {}
    for _, definition in used.values():
        if not is_own(definition.file):
            found.setdefault(definition.file, []).append(definition)
    out = []
    for file, definitions in found.items():
        for first, last, definition in _outermost(definitions):
            lines = tuple(
                _line(file, k, definition.lines, places, costs) for k in range(first, last + 1))
            out.append(Source(file, definition.qualname, lines))
    return tuple(out)


def _outermost(definitions: Iterable[Definition]) -> list[tuple[int, int, Definition]]:
    """Return the ranges of lines of definitions, those that overlap as one."""
    ranges: list[tuple[int, int, Definition]] = []
    for d in sorted(definitions, key=lambda d: (_range(d.node)[0], -_range(d.node)[1])):
        first, last = _range(d.node)
        if ranges and first <= ranges[-1][1]:
            start, end, outer = ranges.pop()
            ranges.append((start, max(end, last), outer))
        else:
            ranges.append((first, last, d))
    return ranges


def _range(node: ast.FunctionDef | ast.Lambda) -> tuple[int, int]:
    """Return the first and the last line of a function, with its decorators."""
    marks = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    first = min([node.lineno, *(x.lineno for x in marks)])
    return first, max(node.end_lineno or node.lineno, node.lineno)


def _line(
    file: str, number: int, lines: tuple[str, ...], places: Places, costs: Mapping[str, Cost]
) -> SourceLine:
    text = lines[number - 1].rstrip("\n") if number <= len(lines) else ""
    place = places.names.get((file, number), "")
    return SourceLine(number, text, place, costs.get(place, Cost()) if place else Cost())


__all__ = ["Places", "sources_of"]
