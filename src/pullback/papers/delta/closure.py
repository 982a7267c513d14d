"""𝓡{e} in two phases (Krawiec et al., Figs. 10 and 16): s -> (value, δt -> δs).

The paper's wrapper takes s and δt together. K{e} and, where the result is real, runDelta do not
need δt; what does is the closure: ⊙ for a general result, eval and the lookups. It can be called
any number of times.

>>> from pullback.papers.language.terms import R, Source
>>> from pullback.papers.language.build import prim, reals
>>> square = Source(reals("x"), prim("mul", Var("x"), Var("x")), R)
>>> done = closure(ARRAY).linearise(square, (3.0,))
>>> done.value, done.back(1.0)[0], done.back(10.0)[0]
(9.0, (6.0,), (60.0,))
"""

from __future__ import annotations

from pullback.papers.delta.arrays import ARRAY
from pullback.papers.delta.eval import MAP, Store
from pullback.papers.delta.ground import structured, unstructured
from pullback.papers.delta.rows import DELTA_SOURCE
from pullback.papers.delta.wrapper import PLAIN, Variant, run, wrap
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import App, Source, Var
from pullback.papers.language.traverse import deeply
from pullback.papers.language.values import items, pair, tuple_value
from pullback.papers.methods import Curried, Linearised, Method, register


def closure(store: Store, variant: Variant = PLAIN) -> Curried:
    """𝓡{e} in two phases: K{e} and, where the result is real, runDelta; then eval for a δt."""

    def linearise(source: Source, args: tuple[object, ...]) -> Linearised:
        w = deeply(lambda: wrap(source, store, variant=variant, curried=True))
        m = Machine()
        both, forward = evaluate(
            App(w.term, Var("in")), {"in": tuple_value(*args)}, variant.library, m)
        value, pullback = pair(both)

        def back(seed: object) -> tuple[tuple[object, ...], int]:
            ct, reverse = apply(pullback, structured(seed, value), machine=m)
            return tuple(unstructured(c) for c in items(ct, len(args))), reverse

        return Linearised(value, forward, back, m, w.term)

    return Curried(linearise)


for name, store, about in (
    ("delta.monadic", ARRAY, "K: monadic, with growable arrays (Figs. 9, 16; section 5.3.3)"),
    ("delta.monadic.map", MAP, "K: monadic, with lists and maps (Figs. 9 to 11, 16)"),
):
    register(Method(name, about, DELTA_SOURCE, closure(store)))
register(Method(
    "delta.general", "K: (s, δt) -> δs for any S and T, real results too (Fig. 16)",
    DELTA_SOURCE, run(ARRAY, dot=True)))
