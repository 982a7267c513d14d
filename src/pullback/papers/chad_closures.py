"""CHAD of higher-order programs: closure conversion, then C (Efficient CHAD, App. B).

Closed functions and existentials have rules of their own (``chad_closed``); each call runs one
backpropagator of a body, so the exponential family of ``chad_higher`` is linear here.
"""

from __future__ import annotations

from pullback.core.nested import App, Lam, LetRec, Source
from pullback.papers.chad_monadic import CHAD_SOURCE, run_monadic
from pullback.papers.closure_conversion import convert
from pullback.papers.methods import Method, Outcome, register

CLOSURES = CHAD_SOURCE.extended(
    "higher-order source with recursion, arrays and declared types", (Lam, App, LetRec))
"""Recursion and declared types come with the rules of ``chad_data``."""


def run_closures(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """Value and cotangents of C after closure conversion."""
    return run_monadic(source, args, seed, prepare=convert)


register(Method(
    "chad.closures", "chad_closures", "closure conversion, then C (App. B)", CLOSURES,
    run_closures))
