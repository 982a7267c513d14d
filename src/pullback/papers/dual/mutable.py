"""N4: mutable arrays (Smeding & Vákár, section 7, Figs. 11 and 12).

    Staged = MArr R * MArr ((R -o Staged -> Staged) * R)        operations as in N3
    SCall (i,f) a (c,m) = (c, m[i] := (f, a + snd m[i]))
    SOneHot i a (c,m) = (c[i] := a + c[i], m)
    SAlloc n_in n_out k = k on (c[0..n_in) = 0, m[0..n_out) = (\\_z. id, 0))
    SResolve n (c,m) = for i = n-1 downto 0: (f,a) = m[i], (c,m) := f a (c,m); then c
    Wrap4{\\x. t} = \\x. let ((x,rebuild),i) = Inter x 0 in let (y',i') = N4{t} i in
       let (y,d) = Deinter y' in (y, \\_z. rebuild (SAlloc i i' (freeze ∘ SResolve i' ∘ d z)))
    Inter_R x = \\i. (((x, (i, SOneHot i)), \\a. a @ i), i+1)

The figure's loop stops above ID 0, which loses the first input: this one does not. Everything is
O(1) for each backpropagator. Arrays are consumed by ``set``, which gives them back.

>>> from pullback.papers.language.build import reals, prim
>>> from pullback.papers.language.terms import Let
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(mutable(FIG1).body, 88, LIBRARY))
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
   let s1 = unstaged s in
   staged (fst s1, set (snd s1) (fst d) (snd d, a + snd (get (snd s1) (fst d))))
>>> runner(mutable)(FIG1, (3.0, 4.0), 1.0).cotangents
(10.0, 3.0)
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.papers.dual.block import Block
from pullback.papers.dual.cayley import rules
from pullback.papers.dual.ground import DUAL_SOURCE, Wrapped, runner
from pullback.papers.dual.late import Late, wrap
from pullback.papers.dual.rows import DUAL_OPS
from pullback.papers.dual.staged import next_id
from pullback.papers.language.build import E, lam, let, op, prim
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import (
    App,
    Arr,
    Build,
    Data,
    Foldl,
    Fst,
    Fun,
    Lit,
    Op,
    Pair,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Type,
    Var,
    Z,
    fresh,
)
from pullback.papers.methods import Method, register

STAGED = Data("Staged")
BP = Fun(R, Fun(STAGED, STAGED), "-o")
CALL = Prod(Z, BP)
ARRAYS = Prod(Data("MArr", (R,)), Data("MArr", (Prod(BP, R),)))
LIBRARY = DUAL_OPS.extended(
    Row("unstaged", sig((STAGED,), ARRAYS), pure(lambda s: s)),
    Row("staged", sig((ARRAYS,), STAGED), pure(lambda s: s)),
)


def on_arrays(change: Callable[[E], Term]) -> Term:
    """\\(c,m). change (c,m)."""
    return lam("s", STAGED, lambda s: let("s", op("unstaged", s), lambda s: op(
        "staged", change(s))))


def scall() -> Term:
    """SCall (i,f) a (c,m) = (c, m[i] := (f, a + snd m[i]))."""
    return lam("d", CALL, lambda d: lam("a", R, lambda a: on_arrays(lambda s: Pair(
        Fst(s.t), op("set", Snd(s.t), Fst(d.t), Pair(Snd(d.t), prim(
            "add", a, Snd(op("get", Snd(s.t), Fst(d.t)))))))), "-o"))


def sonehot() -> Term:
    """SOneHot i a (c,m) = (c[i] := a + c[i], m)."""
    return lam("i", Z, lambda i: lam("a", R, lambda a: on_arrays(lambda s: Pair(
        op("set", Fst(s.t), i, prim("add", a, op("get", Fst(s.t), i))), Snd(s.t))), "-o"))


def nothing(state: Type) -> Term:
    """Return \\_z. id, the first content of an array of staged calls."""
    return lam("z", R, lambda z: Op("id", (), (state,)), "-o")


def downto(n: Term, start: Term, body: Callable[[Term, Term], Term]) -> Term:
    """for i = n-1 downto 0: state := body i state."""
    j, k, s = fresh("j"), fresh("k"), fresh("s")
    return Foldl(s, k, let("i", prim("sub", prim("sub", n, 1), Var(k)), lambda i: body(
        i.t, Var(s))), start, Build(n, j, Var(j)))


def sresolve() -> Term:
    """SResolve n s = for i = n-1 downto 0: (f,a) = m[i], s := f a s."""
    return lam("n", Z, lambda n: lam("s", STAGED, lambda s: downto(n.t, s.t, lambda i, s: let(
        "e", op("get", Snd(op("unstaged", s)), i),
        lambda e: App(App(Fst(e.t), Snd(e.t)), s)))))


def salloc() -> Term:
    """SAlloc n_in n_out."""
    return lam("n_in", Z, lambda n: lam("n_out", Z, lambda m: op("staged", Pair(
        op("alloc", n, 0.0), op("alloc", m, Pair(nothing(STAGED), Lit(0.0)))))))


def mutable(source: Source) -> Wrapped:
    """Return the wrapper Wrap4."""
    call, onehot, alloc, loop = (
        Var(fresh(x)) for x in ("SCall", "SOneHot", "SAlloc", "SResolve"))

    # Inter4_R x = \i. (((x, (i, SOneHot i)), \a. a @ i), i+1)
    def leaf(b: Block, x: Term) -> tuple[Term, Term]:
        i = next_id(b)
        back = lam("z", R, lambda z: App(App(onehot, i), z.t), "-o", "input")
        return Pair(x, Pair(i, back)), lam("a", Arr(R), lambda a: op("index", a, i))

    # SAlloc i i' (freeze ∘ SResolve i' ∘ d z)
    def resolved(inputs: Term, end: Term, seeding: Term) -> Term:
        fresh_arrays = App(App(alloc, inputs), end)
        done = App(App(loop, end), App(seeding, fresh_arrays))
        return op("freeze", Fst(op("unstaged", done)))

    return wrap(source, Late(
        real=Prod(R, CALL), state=Z, start=Lit(0), staged=STAGED, collected=Arr(R),
        rules=lambda n: rules(n, call, STAGED), leaf=leaf,
        seed=lambda x: App(call, Snd(x)), resolve=resolved,
        prelude=[(call.name, scall()), (onehot.name, sonehot()), (alloc.name, salloc()),
                 (loop.name, sresolve())],
        decls=(), library=LIBRARY))


register(Method(
    "dual.mutable", "N4: mutable arrays, linear time (section 7)",
    DUAL_SOURCE, runner(mutable)))
