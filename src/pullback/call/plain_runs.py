"""Plain Python runs of a function whose compiled run has raised: for what Python changes before."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Sequence
from typing import Any


def run_again(f: Callable[..., Any], args: Sequence[Any]) -> Exception | None:
    """Run something that has been run before: what it prints has been printed. Return what it
    raises."""
    nowhere = io.StringIO()
    with (
        contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
    ):  # fmt: skip
        warnings.simplefilter("ignore")
        try:
            f(*args)
        except Exception as error:
            return error
    return None


__all__ = ["run_again"]
