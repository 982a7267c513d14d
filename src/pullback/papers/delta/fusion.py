"""K': one binding for a whole function (Krawiec et al., Fig. 15, section 8.7), for e : R^a -> R.

    K'{e} = \\((x1,u1)..(xa,ua)). let x = ((x1,Var 1)..(xa,Var a)) in
            let (y,u) = runDelta (a+1) (K{e} x) in let fm = eval 1 u {} in
            do {i <- deltaLet (Add_k (Scale (lookupOrZero k fm) u_k)); pure (y, Var i)}

The ids inside are local. K'{e} has the type of K{e}, so the one can stand for the other.

>>> from pullback.papers.language.build import lam, prim
>>> from pullback.papers.language.check import check
>>> from pullback.papers.delta.eval import BINDS_DECL
>>> from pullback.papers.delta.rows import LIBRARY
>>> from pullback.papers.delta.types import DELTA_DECL
>>> decls = (DELTA_DECL, BINDS_DECL)
>>> f = lam("x", R, lambda x: x * prim("sin", x))
>>> check(fuse(f), {"deltaLet": check(MAP.delta_let, (), decls)}, decls, LIBRARY) == (
...     dual_type(Fun(R, R), duals(MAP.state)))
True
"""

from __future__ import annotations

from pullback.papers.delta.eval import MAP, Store
from pullback.papers.delta.monadic import K
from pullback.papers.delta.types import DELTA, DELTA_LET, duals, scaled
from pullback.papers.dual.block import Block
from pullback.papers.dual.types import dual_type
from pullback.papers.language.build import app
from pullback.papers.language.check import types_of
from pullback.papers.language.terms import (
    Con,
    Fst,
    Fun,
    Lam,
    Lit,
    Pair,
    Prod,
    R,
    Snd,
    Term,
    Type,
    Var,
    fresh,
)
from pullback.papers.methods import Unsupported


def fuse(f: Lam, store: Store = MAP) -> Lam:
    """K'{f} for a closed f : R^a -> R."""
    n = duals(store.state)
    types = types_of(f)
    if types[f] != Fun(f.type, R):
        raise Unsupported("fusion: the function must have a real result")
    x, s = fresh("x"), fresh("s")
    us: list[Term] = []
    b = Block()
    b.lets.append((f.x, local(f.type, Var(x), us)))
    first = Lit(len(us) + 1)
    b.state = store.start(first)
    y = b.name("y", K(types, n).term(f.body, b))
    assert b.state is not None
    fm = b.name("fm", store.fold(Lit(1.0), store.run(Snd(y), b.state, first)))
    parts = [(b.name("c", store.lookup(fm, Lit(k + 1))), u) for k, u in enumerate(us)]
    i = b.name("i", app(DELTA_LET, scaled([(c, u) for c, u in parts]), Var(s)))
    b.state = Snd(i)
    out = b.close(Pair(Fst(y), Con("Var", (Fst(i),), DELTA)))
    return Lam(x, dual_type(f.type, n), Lam(s, store.state, out))


def local(t: Type, x: Term, us: list[Term]) -> Term:
    """Return x with the ids 1, 2, .. for its deltas, which are added to ``us``."""
    match t:
        case Prod(p, q):
            left = local(p, Fst(x), us)
            return Pair(left, local(q, Snd(x), us))
        case _ if t == R:
            us.append(Snd(x))
            return Pair(Fst(x), Con("Var", (Lit(len(us)),), DELTA))
        case _:
            raise Unsupported("fusion: the argument must be a tuple of reals")
