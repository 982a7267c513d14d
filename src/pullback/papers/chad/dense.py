"""The operations of C0 on environments, with dense tuples (Efficient CHAD, Figs. 3 and 4).

    EV (x1:t1,..,xn:tn) = ((((), t1), ..), tn)     0 = (.. ((), 0), .. 0)
    one_x d = 0 with d at x      e + e' = entry by entry      split (e, d) = (e, d)

The rules (``chad.naive``) use them by name only; ``chad.sparse`` has others of the same types.

>>> from pullback.papers.language.terms import Op, R, Var
>>> from pullback.papers.language.eval import evaluate
>>> from pullback.papers.chad.types import t2_context
>>> xy = EV(t2_context((("x", R), ("y", R))))
>>> d = Op("ev_one", (Var("d"),), ("y", xy))
>>> evaluate(Op("ev_plus", (d, d)), {"d": 2.0}, DENSE_EV)[0]
(((), 0.0), 4.0)
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.chad.types import DENSE
from pullback.papers.language.linear import dense_zero_of, plus
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, Row, pure
from pullback.papers.language.terms import (
    EV,
    Prod,
    Static,
    Type,
)
from pullback.papers.language.values import pair


def _ev(static: Sequence[Static]) -> EV:
    ev = static[-1]
    assert isinstance(ev, EV)
    return ev


def _two_evs(types: Sequence[Type], static: Sequence[Static]) -> Type:
    if types[0] != types[1] or not isinstance(types[0], EV):
        raise TypeError(f"takes two cotangents of one environment, not {types}")
    return types[0]


def _one_type(types: Sequence[Type], static: Sequence[Static]) -> Type:
    ev = _ev(static)
    if dict(ev.context).get(str(static[0])) != types[0]:
        raise TypeError(f"{types[0]} for the entry {static[0]} of {ev}")
    return ev


def _split_type(types: Sequence[Type], static: Sequence[Static]) -> Type:
    ev = _ev(static)
    if types[0] != ev:
        raise TypeError(f"{ev} is wanted, not {types[0]}")
    return Prod(EV(ev.context[:-1]), ev.context[-1][1])


def _dense(m: Machine, ev: EV, x: str = "", d: object = None) -> object:
    out: object = ()
    for name, t in ev.context:
        m.count("ev")
        if name == x:
            m.cost += 1
            out = (out, d)
        else:
            out = (out, dense_zero_of(m, t))
    return out


def _dense_plus(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    a, b = args
    added: list[object] = []
    while a != ():
        m.count("ev")
        m.cost += 1
        (a, x), (b, y) = pair(a), pair(b)
        added.append(plus(m, x, y))
    out: object = ()
    for v in reversed(added):
        out = (out, v)
    return out


ENVIRONMENT = (
    Row("ev_zero", lambda types, s: _ev(s), lambda m, args, s: _dense(m, _ev(s)), show="0"),
    Row("ev_one", _one_type, lambda m, args, s: _dense(m, _ev(s), str(s[0]), args[0])),
    Row("ev_plus", _two_evs, _dense_plus, show="{0} + {1}"),
    Row("split", _split_type, pure(lambda e: e)),
)
DENSE_EV: Library = DENSE.extended(*ENVIRONMENT)
"""The target language of C0, with dense tuples everywhere."""
