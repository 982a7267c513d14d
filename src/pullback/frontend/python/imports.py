"""Import modules for ``import`` statements inside functions, when the function is compiled."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from typing import TYPE_CHECKING

from pullback.errors import UnknownNameError
from pullback.frontend.kinds.values import Static

if TYPE_CHECKING:
    from pullback.frontend.run import Run as Specialisation


def run(run: Specialisation, s: ast.Import | ast.ImportFrom) -> None:
    """Bind the names of modules, or of objects in a module."""
    match s:
        case ast.Import(names):
            for alias in names:
                module = _module(run, alias.name, s)
                if alias.asname is None:
                    module = _module(run, alias.name.split(".")[0], s)
                run.scope.names[alias.asname or alias.name.split(".")[0]] = module
        case ast.ImportFrom(_, names):
            name = _absolute(run, s)
            module = _module(run, name, s)
            for alias in names:
                if hasattr(module.value, alias.name):
                    value = run.attribute(module, alias.name, s)
                else:
                    value = _submodule(run, name, alias.name, s)
                run.scope.names[alias.asname or alias.name] = value


def _absolute(run: Specialisation, s: ast.ImportFrom) -> str:
    """Return the full name of the module of ``from .. import``; the dots are the package of the
    function's module."""
    if not s.level:
        assert s.module is not None
        return s.module
    definition = run.frame.definition
    package = None if definition is None else definition.globals.get("__package__")
    try:
        return importlib.util.resolve_name("." * s.level + (s.module or ""), str(package or ""))
    except ImportError as e:
        run.refuse(s, str(e), error=UnknownNameError)


def _submodule(run: Specialisation, package: str, name: str, s: ast.ImportFrom) -> Static:
    """Return a module of a package that has no such attribute yet."""
    try:
        return run.imported(f"{package}.{name}", importlib.import_module(f"{package}.{name}"), s)
    except ImportError:
        run.refuse(s, f"{package} has no {name!r}", error=UnknownNameError)


def _module(run: Specialisation, name: str, s: ast.stmt) -> Static:
    try:
        return run.imported(name, importlib.import_module(name), s)
    except ImportError as e:
        run.refuse(s, str(e), error=UnknownNameError)


__all__ = ["run"]
