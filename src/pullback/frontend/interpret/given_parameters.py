"""What the parameters of a function get of the arguments of a call."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret.spreading import REST
from pullback.frontend.kinds.values import FunctionV, TupleV, Value
from pullback.frontend.memory import dicts, references
from pullback.frontend.python.read_keywords import keywords_are_read
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import parameters
from pullback.frontend.store.shared_memory import in_region

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def bind(
    run: Run, f: FunctionV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> dict[str, Value]:
    """Return the values of the parameters, in their order; TypeError-like refusal if they do not
    fit."""
    spec = f.definition.node.args
    positional = [p.arg for p in (*spec.posonlyargs, *spec.args)]
    given, more = [*f.bound, *args], kwargs.get(REST)
    bound = dict(zip(positional, given, strict=False))
    rest = given[len(positional) :]
    only = {p.arg for p in spec.posonlyargs}
    names = set(parameters(f.definition.node)) - only
    others: dict[str, Value] = {}
    for name, value in ((n, v) for n, v in kwargs.items() if n != REST):
        if name not in names and spec.kwarg is not None:
            others[name] = value
            continue
        if name not in names:
            what = "an unexpected keyword argument "
            if name in only:
                what = "some positional-only arguments passed as keyword arguments: "
            _misfit(run, f.definition, f"got {what}{name!r}", node)
        if name in bound:
            _misfit(run, f.definition, f"got multiple values for argument {name!r}", node)
        bound[name] = value
    if rest and spec.vararg is None:
        _refuse_count(run, f, len(positional), len(given), kwargs, node)
    with_default = positional[len(positional) - len(f.defaults) :]
    for name, value in (*zip(with_default, f.defaults, strict=True), *f.kw_defaults):
        if name not in bound:
            bound[name] = run.call(value, (), node) if references.is_object(value) else value
    missing = [n for n in parameters(f.definition.node) if n not in bound]
    if missing:
        _misfit(run, f.definition, _missing_said(spec, missing), node)
    ordered = {n: bound[n] for n in parameters(f.definition.node)}
    if spec.vararg is not None:
        ordered[spec.vararg.arg] = TupleV(tuple(rest)) if more is None else more
    if spec.kwarg is not None:
        ordered[spec.kwarg.arg] = (
            dicts.only_read(others) if keywords_are_read(f.definition.node)
            else in_region(run, dicts.made(others), node, node, True)
        )  # fmt: skip
    return ordered


def _misfit(run: Run, definition: Definition, said: str, node: ast.AST) -> NoReturn:
    """Raise what Python raises for arguments that do not fit."""
    run.never("TypeError", f"{definition.qualname}() {said}", node, ArgumentTypeError)


def _missing_said(spec: ast.arguments, missing: Sequence[str]) -> str:
    """Return what Python says of arguments that are missing: first of those by position."""
    only = {p.arg for p in spec.kwonlyargs}
    first = [n for n in missing if n not in only]
    names = [repr(n) for n in first or missing]
    last = " and ".join(names[-2:]) if len(names) < 3 else f"{names[-2]}, and {names[-1]}"
    kind, plural = "positional" if first else "keyword-only", "" if len(names) == 1 else "s"
    shown = ", ".join([*names[:-2], last])
    return f"missing {len(names)} required {kind} argument{plural}: {shown}"


def _refuse_count(
    run: Run, f: FunctionV, most: int, given: int, kwargs: dict[str, Value], node: ast.AST
) -> NoReturn:
    """Raise what Python raises for too many arguments by position."""
    spec = f.definition.node.args
    by_name = sum(p.arg in kwargs for p in spec.kwonlyargs)
    takes = f"from {most - len(f.defaults)} to {most}" if f.defaults else f"{most}"
    said, were = f"{given}", "was" if given == 1 and not by_name else "were"
    if by_name:
        ends = ["" if n == 1 else "s" for n in (given, by_name)]
        said += f" positional argument{ends[0]} (and {by_name} keyword-only argument{ends[1]})"
    plural = "" if most == 1 and not f.defaults else "s"
    text = f"takes {takes} positional argument{plural} but {said} {were} given"
    _misfit(run, f.definition, text, node)


__all__ = ["bind"]
