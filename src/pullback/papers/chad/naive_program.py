"""A whole program by C0's term: what runs C0, C1 and CH0 (Efficient CHAD, sections 2, 4.1 and 9).

The three have one text and differ in the library that it is run on.

>>> from pullback.papers.language.terms import Let, R, Var
>>> from pullback.papers.language.build import E, reals
>>> x, y, z = (E(Var(v)) for v in "xyz")
>>> fig1 = Source(reals("x", "y"), Let("z", (x + y).t, (x * z).t), R)
>>> run_ev(fig1, (3.0, 4.0), 1.0, DENSE_EV)[0].cotangents
(10.0, 3.0)
"""

from __future__ import annotations

from pullback.papers.chad.dense import DENSE_EV
from pullback.papers.chad.naive import c0_of
from pullback.papers.chad.types import t2_context
from pullback.papers.chad.values import environment, to_cotangent
from pullback.papers.language.check import FIRST_ORDER
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library
from pullback.papers.language.terms import EV, Source
from pullback.papers.language.traverse import rename_apart
from pullback.papers.language.values import pair
from pullback.papers.methods import Curried, Linearised, Method, Outcome, register


def linearise_ev(
    source: Source, args: tuple[object, ...], library: Library, raw: list[object] | None = None
) -> Linearised:
    """Return a program after its forward pass by C0's term, on one implementation of its
    operations; ``raw`` gets the cotangents of the environment as they come."""
    source = Source(source.context, rename_apart(source.body), source.result, source.decls)
    t = c0_of(source)
    env = {x: v for (x, _), v in zip(source.context, args, strict=True)}
    m = Machine()
    both, forward = evaluate(t, env, library, m)
    value, bp = pair(both)

    def back(seed: object) -> tuple[tuple[object, ...], int]:
        cells, reverse = apply(bp, to_cotangent(source.result, seed), machine=m)
        if raw is not None:
            raw.append(cells)
        if "emap" in library:
            cells = m.call(library["emap"].run(m, (cells,), (EV(t2_context(source.context)),)))
        return environment(cells, source.context, env), reverse

    return Linearised(value, forward, back, m, t)


def run_ev(
    source: Source, args: tuple[object, ...], seed: object, library: Library
) -> tuple[Outcome, object]:
    """Return the value and the cotangents by C0's term, and the raw cotangent of the
    environment."""
    raw: list[object] = []
    return linearise_ev(source, args, library, raw).at(seed), raw[0]


register(Method(
    "chad.naive", "C0: dense cotangents of the whole environment (Figs. 2 to 4)",
    FIRST_ORDER, Curried(lambda source, args: linearise_ev(source, args, DENSE_EV))))
