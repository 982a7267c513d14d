"""CHAD of higher-order programs: closure conversion, then C (Efficient CHAD, App. B).

Closed functions and existentials have rules of their own (``chad.closed``); each call runs one
backpropagator of a body, so the exponential family of ``chad.higher`` is linear here.

>>> from pullback.papers.language.terms import R, Var
>>> from pullback.papers.language.build import reals
>>> from pullback.papers.chad.higher import variable_calls
>>> t, calls = Var("x1"), []
>>> for k in range(2, 6):
...     t = App(Lam(f"x{k - 1}", R, t), Var(f"x{k}"))
...     calls.append(variable_calls(run_closures(Source(reals(f"x{k}"), t, R), (3.0,), 1.0)))
>>> calls
[6, 11, 16, 21]
"""

from __future__ import annotations

from pullback.papers.chad.program import CHAD_SOURCE, linearise_monadic, run_monadic
from pullback.papers.closure_conversion import convert
from pullback.papers.defunctionalisation import defunctionalised
from pullback.papers.language.terms import App, Lam, LetRec, Source
from pullback.papers.methods import Curried, Method, Outcome, register

CLOSURES = CHAD_SOURCE.extended(
    "higher-order source with recursion, arrays and declared types", (Lam, App, LetRec))
"""Recursion and declared types come with the rules of ``chad.data``."""


def run_closures(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """Return the value and the cotangents of C after closure conversion."""
    return run_monadic(source, args, seed, prepare=convert)


register(Method(
    "chad.closures", "closure conversion, then C (App. B)", CLOSURES,
    Curried(lambda source, args: linearise_monadic(source, args, prepare=convert))))
register(Method(
    "chad.defunctionalised", "defunctionalisation, then C (section 9)", CLOSURES,
    Curried(lambda source, args: linearise_monadic(source, args, prepare=defunctionalised))))
