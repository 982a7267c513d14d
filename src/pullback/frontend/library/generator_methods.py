"""The methods of generators: ``g.close()``."""

from __future__ import annotations

import ast

from pullback.errors import ArgumentTypeError
from pullback.frontend.functions import iterator_lifetimes
from pullback.frontend.functions.choices import members
from pullback.frontend.functions.exits import is_of_library
from pullback.frontend.functions.stepped_form import CLOSE
from pullback.frontend.interpret.advancing import advanced
from pullback.frontend.interpret.iteration import as_run
from pullback.frontend.kinds.values import (
    FunctionV,
    GeneratorV,
    Specialiser,
    Static,
    Value,
    method,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.run import Run


@method("generator", "close")
def close(sp: Specialiser, receiver: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    run = as_run(sp)
    if args or kwargs:
        sp.refuse(node, "close() takes no arguments", error=ArgumentTypeError)
    iterator_lifetimes.left(run, _advanced(run, receiver, node), CLOSE, node)
    return Static(None)


def _advanced(run: Run, receiver: Value, node: ast.AST) -> Value:
    """Return a generator as an iterator that is advanced from outside."""
    if isinstance(receiver, GeneratorV):
        run.generators.advance(receiver)
        receiver = advanced(run, receiver, node, known=True)
    for f in members(receiver):
        if isinstance(f, FunctionV) and is_of_library(f.definition):
            run.refuse(
                node,
                "an iterator that is no generator has no close()",
                "leave it out",
                error=ArgumentTypeError,
            )
    return receiver


__all__ = ["close"]
