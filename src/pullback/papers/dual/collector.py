"""N4a: mutable arrays without a collector (Smeding & Vákár, section 8.1).

    at the end, c[i] = snd m[i] for every input i: so Staged = MArr ((R -o Staged -> Staged) * R)
    SCall (i,f) a m = m[i] := (f, a + snd m[i])
    Inter_R x = \\i. (((x, (i, \\_z. id)), \\m. snd (m @ i)), i+1)

>>> from pullback.papers.language.build import reals, prim
>>> from pullback.papers.language.terms import Let
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(collector(FIG1).body, 88, LIBRARY))
let x1 = fst x in
let y = snd x in
let i1 = i + 1 in
let z = (fst x1 + fst y, (i, \\_z:R. (SCall (snd x1) (1 * z)) ∘ (SCall (snd y) (1 * z)))) in
let i2 = i1 + 1 in
(fst x1 * fst z, (i1, \\_z1:R. (SCall (snd x1) (fst z * z1)) ∘ (SCall (snd z) (fst x1 * z1))), i2)
>>> print(show(scall(), 88, LIBRARY))
\\d:Z * (R -o Staged -> Staged).
 \\_a:R.
  \\s:Staged.
   let m = unstaged s in staged (set m (fst d) (snd d, a + snd (get m (fst d))))
>>> runner(collector)(FIG1, (3.0, 4.0), 1.0).cotangents
(10.0, 3.0)
"""

from __future__ import annotations

from pullback.papers.dual.block import Block
from pullback.papers.dual.cayley import rules
from pullback.papers.dual.ground import DUAL_SOURCE, Wrapped, runner
from pullback.papers.dual.late import Late, wrap
from pullback.papers.dual.mutable import BP, CALL, STAGED, downto, nothing
from pullback.papers.dual.rows import DUAL_OPS
from pullback.papers.dual.staged import next_id
from pullback.papers.language.build import E, lam, let, op, prim
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import (
    App,
    Arr,
    Data,
    Fst,
    Lit,
    Op,
    Pair,
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

CALLS = Data("MArr", (Prod(BP, R),))
LIBRARY = DUAL_OPS.extended(
    Row("unstaged", sig((STAGED,), CALLS), pure(lambda s: s)),
    Row("staged", sig((CALLS,), STAGED), pure(lambda s: s)),
)


def scall() -> Term:
    """SCall (i,f) a m = m[i] := (f, a + snd m[i])."""
    def call(d: E, a: E, m: E) -> Term:
        new = Pair(Snd(d.t), prim("add", a, Snd(op("get", m, Fst(d.t)))))
        return op("staged", op("set", m, Fst(d.t), new))

    return lam("d", CALL, lambda d: lam("a", R, lambda a: lam("s", STAGED, lambda s: let(
        "m", op("unstaged", s), lambda m: call(d, a, m))), "-o"))


def sresolve() -> Term:
    """SResolve n s = for i = n-1 downto 0: (f,a) = m[i], s := f a s."""
    return lam("n", Z, lambda n: lam("s", STAGED, lambda s: downto(n.t, s.t, lambda i, s: let(
        "e", op("get", op("unstaged", s), i), lambda e: App(App(Fst(e.t), Snd(e.t)), s)))))


def collector(source: Source) -> Wrapped:
    """Return the wrapper of section 8.1."""
    call, loop = Var(fresh("SCall")), Var(fresh("SResolve"))
    frozen = Arr(Prod(BP, R))

    # Inter_R x = \i. (((x, (i, \_z. id)), \m. snd (m @ i)), i+1)
    def leaf(b: Block, x: Term) -> tuple[Term, Term]:
        i = next_id(b)
        back = lam("z", R, lambda z: Op("id", (), (STAGED,)), "-o", "input")
        return Pair(x, Pair(i, back)), lam("m", frozen, lambda m: Snd(op("index", m, i)))

    def resolved(inputs: Term, end: Term, seeding: Term) -> Term:
        start = op("staged", op("alloc", end, Pair(nothing(STAGED), Lit(0.0))))
        return op("freeze", op("unstaged", App(App(loop, end), App(seeding, start))))

    return wrap(source, Late(
        real=Prod(R, CALL), state=Z, start=Lit(0), staged=STAGED, collected=frozen,
        rules=lambda n: rules(n, call, STAGED), leaf=leaf,
        seed=lambda x: App(call, Snd(x)), resolve=resolved,
        prelude=[(call.name, scall()), (loop.name, sresolve())], decls=(), library=LIBRARY))


register(Method(
    "dual.collector", "N4a: without a collector (section 8.1)",
    DUAL_SOURCE, runner(collector)))
