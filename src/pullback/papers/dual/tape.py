"""N5: taping (Smeding & Vákár, section 8.3).

    N5(R) = R * Z; the state of the monad is the tape : MArr [(Z, R)], and the next ID its length
    push e: tape[i] := e at the next ID i
    N5{r} = i <- push []; (r, i)
    N5{op(t1..tn)} = .. i <- push [(i1, dop_1(x..)(1)), .., (in, dop_n(x..)(1))]; (op(x..), i)
    the pullback keeps the tape, frozen
    reverse: adj = zeros; seed the outputs; for i = n-1 downto 0: for (j,w) in tape[i]:
             adj[j] := adj[j] + w * adj[i]; rebuild from adj

The tape grows; nothing of the program runs in the reverse phase. As in N4b, lists are gone through
from the last to the first.

>>> from pullback.papers.language.build import reals, prim
>>> from pullback.papers.language.terms import Let
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(tape(FIG1).body, 88, LIBRARY))
let x1 = fst x in
let y = snd x in
let i = size tape in
let tape1 = push tape ([(snd x1, 1), (snd y, 1)]) in
let z = (fst x1 + fst y, i) in
let i1 = size tape1 in
let tape2 = push tape1 ([(snd x1, fst z), (snd z, fst x1)]) in
(fst x1 * fst z, i1, tape2)
>>> runner(tape)(FIG1, (3.0, 4.0), 1.0).cotangents
(10.0, 3.0)
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.dual.block import Block
from pullback.papers.dual.ground import DUAL_SOURCE, Wrapped, runner
from pullback.papers.dual.late import Late, wrap
from pullback.papers.dual.loops import Active, Rules
from pullback.papers.dual.mutable import downto
from pullback.papers.dual.rows import DUAL_OPS, listed
from pullback.papers.dual.types import Duals
from pullback.papers.language.build import app, lam, let, op, prim
from pullback.papers.language.prims import partial
from pullback.papers.language.terms import (
    Arr,
    Data,
    Foldl,
    Fst,
    Lit,
    Op,
    Pair,
    Prim,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Var,
    Z,
    fresh,
)
from pullback.papers.methods import Method, register

EDGE = Prod(Z, R)
TAPE = Data("MArr", (Arr(EDGE),))
ADJ = Data("MArr", (R,))
LIBRARY = DUAL_OPS
NONE = Op("nil", (), (EDGE,))


def push(b: Block, e: Term) -> Term:
    """i <- push e."""
    assert b.state is not None
    i = b.name("i", op("size", b.state))
    b.state = b.name("tape", op("push", b.state, e))
    return i


def rules(n: Duals) -> Rules:
    """Return N5's clauses."""

    # N5{r} = i <- push []; (r, i)
    def number(b: Block, r: Term) -> Term:
        return Pair(r, push(b, NONE))

    # N5{op(t1..tn)} = .. i <- push [(i1, dop_1(x..)(1)), ..]; (op(x..), i)
    def operation(b: Block, t: Prim, xs: Sequence[Term], ds: Active) -> Term:
        edges = [Pair(d, partial(t.op, k, xs, t.static)) for k, d in ds]
        return Pair(Prim(t.op, tuple(xs), t.static), push(b, listed(edges)))

    return Rules(n, number, operation)


def reverse() -> Term:
    """for i = n-1 downto 0: for (j,w) in tape[i]: adj[j] := adj[j] + w * adj[i]."""

    def node(tape: Term, i: Term, adj: Term) -> Term:
        s, e = fresh("adj"), fresh("e")
        j, w = Fst(Var(e)), Snd(Var(e))
        return let("z", op("get", adj, i), lambda z: Foldl(
            s, e, op("set", Var(s), j, prim("add", op("get", Var(s), j), prim("mulz", w, z))),
            adj, op("reverse", op("index", tape, i))))

    return lam("tape", Arr(Arr(EDGE)), lambda tape: lam("adj", ADJ, lambda adj: downto(
        op("length", tape), adj.t, lambda i, s: node(tape.t, i, s))))


def tape(source: Source) -> Wrapped:
    """Return the wrapper of section 8.3."""
    loop = Var(fresh("reverse"))

    # Inter_R x = i <- push []; ((x, i), \a. a @ i)
    def leaf(b: Block, x: Term) -> tuple[Term, Term]:
        i = push(b, NONE)
        return Pair(x, i), lam("a", Arr(R), lambda a: op("index", a, i))

    # Deinter_R (x,i) = (x, \_z. adj[i] := adj[i] + z)
    def seed(x: Term) -> Term:
        return lam("z", R, lambda z: lam("adj", ADJ, lambda adj: op(
            "set", adj, Snd(x), prim("add", op("get", adj, Snd(x)), z))), "-o")

    def resolved(inputs: Term, end: Term, seeding: Term) -> Term:
        zeros = op("alloc", op("length", end), 0.0)
        return op("freeze", app(loop, end, app(seeding, zeros)))

    return wrap(source, Late(
        real=Prod(R, Z), state=TAPE, start=op("alloc", Lit(0), NONE), staged=ADJ,
        collected=Arr(R), rules=rules, leaf=leaf, seed=seed, resolve=resolved,
        prelude=[(loop.name, reverse())], decls=(), library=LIBRARY,
        kept=lambda tape: op("freeze", tape)))


register(Method(
    "dual.tape", "N5: taping (section 8.3)", DUAL_SOURCE, runner(tape)))
