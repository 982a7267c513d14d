"""Import modules for ``import`` statements inside functions, when the function is compiled."""

from __future__ import annotations

import ast
import importlib
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
        case ast.ImportFrom(str(name), names, 0) if names[0].name != "*":
            module = _module(run, name, s)
            for alias in names:
                if not hasattr(module.value, alias.name):
                    run.refuse(s, f"{name} has no {alias.name!r}", error=UnknownNameError)
                value = run.attribute(module, alias.name, s)
                run.scope.names[alias.asname or alias.name] = value
        case _:
            run.refuse(s, "a relative import inside a function", "import at the top of the file")


def _module(run: Specialisation, name: str, s: ast.stmt) -> Static:
    try:
        return run.imported(name, importlib.import_module(name), s)
    except ImportError as e:
        run.refuse(s, str(e), error=UnknownNameError)


__all__ = ["run"]
