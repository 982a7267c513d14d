"""CH0: naive higher-order CHAD (Efficient CHAD, section 9): ``chad.lists`` has its two rules.

It is exponential: in t_1 = x_1, t_k = (\\x_{k-1}. t_{k-1}) x_k every call runs the body's
backpropagator twice, once for the argument and once for what was captured.

>>> from pullback.papers.language.terms import App, Lam, R, Var
>>> from pullback.papers.language.build import reals
>>> t = Var("x1")
>>> for k in range(2, 6):
...     t = App(Lam(f"x{k - 1}", R, t), Var(f"x{k}"))
>>> done = run_higher(Source(reals("x5"), t, R), (3.0,), 1.0)
>>> done.value, done.cotangents, variable_calls(done)
(3.0, (1.0,), 31)
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.chad.bags import BAG_ROWS
from pullback.papers.chad.naive_program import linearise_ev, run_ev
from pullback.papers.chad.sparse import EMAP
from pullback.papers.chad.values import collected
from pullback.papers.language.check import HIGHER_ORDER
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, implementation
from pullback.papers.language.terms import Source, Static
from pullback.papers.language.values import ConV
from pullback.papers.methods import Curried, Method, Outcome, register

HIGHER = EMAP.extended(*BAG_ROWS)
"""The target language: EMap and lists."""


def _cons(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    one = ConV("BOne", (args[0],))
    return ConV("BPlus", (one, args[1])) if args[1] else one


def _foldr(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    f, acc, bag = args
    for x in reversed(collected(bag) if bag else []):
        m.cost += 1
        acc = m.call(f, (x, acc))
    return acc


BAGGED = HIGHER.replaced(*implementation(HIGHER, lcons=_cons, foldr=_foldr))
"""The same operations on lists that are kept as bags, so that appending is a constructor
(footnote 36)."""


def run_higher(
    source: Source, args: tuple[object, ...], seed: object, library: Library = HIGHER
) -> Outcome:
    """Return the value and the cotangents by CH0."""
    return run_ev(source, args, seed, library)[0]


def variable_calls(done: Outcome) -> int:
    """Return how often backpropagators of variables ran."""
    m = done.machine
    return sum(n for role, n in zip(m.roles, m.calls, strict=True) if role == "var")


register(Method(
    "chad.higher", "CH0: functions with lists of tangents; exponential (section 9)",
    HIGHER_ORDER, Curried(lambda source, args: linearise_ev(source, args, HIGHER))))
register(Method(
    "chad.bagged", "CH0 with bags of tangents for lists (footnote 36)",
    HIGHER_ORDER, Curried(lambda source, args: linearise_ev(source, args, BAGGED))))
