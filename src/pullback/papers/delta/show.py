"""The Delta of a run, and how it is written down (Krawiec et al., Fig. 11).

>>> from pullback.papers.language.terms import Prim, R, Var
>>> from pullback.papers.language.build import reals
>>> square = Source(reals("x"), Prim("mul", (Var("x"), Var("x"))), R)
>>> print(show_delta(delta_of(square, (3.0,))))
Let 2 = Add (Scale 3 (Var 1)) (Scale 3 (Var 1)) in
Var 2
"""

from __future__ import annotations

from typing import cast

from pullback.papers.delta.eval import MAP
from pullback.papers.delta.wrapper import PLAIN, Variant, wrap
from pullback.papers.language.build import lets
from pullback.papers.language.eval import evaluate
from pullback.papers.language.terms import (
    App,
    Lam,
    Let,
    LetRec,
    Source,
    Term,
    Var,
)
from pullback.papers.language.values import ConV, tuple_value


def delta_of(
    source: Source, args: tuple[object, ...], dot: object = None, order: str = "lr",
    literals: bool = False, variant: Variant = PLAIN,
) -> ConV:  # fmt: skip
    """Return the Delta that runDelta gives at these arguments (``dot``: the δt of Fig. 16)."""
    w = wrap(source, MAP, dot is not None, order, literals, variant)
    body = cast(Let, w.term.body)
    ran = expose(body)
    found, _ = evaluate(App(Lam(w.term.x, w.term.type, ran), Var("in")), {
        "in": (tuple_value(*args), 1.0 if dot is None else dot)}, variant.library)
    assert isinstance(found, ConV)
    return found


def expose(t: Term) -> Term:
    """Return the lets of a wrapper, giving what runDelta gives (its last name) and not the
    gradient."""
    bound: list[tuple[str, Term]] = []
    recs: list[tuple[int, LetRec]] = []
    while isinstance(t, Let | LetRec):
        if isinstance(t, LetRec):
            recs.append((len(bound), t))
        else:
            bound.append((t.x, t.bound))
        t = t.body
    out: Term = Var(bound[-1][0])
    cuts = [n for n, _ in recs] + [len(bound)]
    for (n, r), end in zip(reversed(recs), reversed(cuts[1:]), strict=False):
        out = LetRec(r.recs, lets(bound[n:end], out))
        del bound[n:]
    return lets(bound, out)


def show_delta(d: ConV) -> str:
    """Return a Delta as text, one Let in a line."""
    lines = []
    while d.name == "Let":
        i, rhs, d = cast("tuple[int, ConV, ConV]", d.fields)
        lines.append(f"Let {i} = {_delta(rhs)} in")
    return "\n".join([*lines, _delta(d)])


def _delta(d: object) -> str:
    match d:
        case ConV(name, fields):
            parts = [_delta(f) for f in fields]
            return " ".join([name, *(f"({p})" if " " in p else p for p in parts)])
        case float():
            text = f"{d:.10g}"
            return f"({text})" if text.startswith("-") else text
        case _:
            return str(d)
