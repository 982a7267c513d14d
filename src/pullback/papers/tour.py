"""A walk through the figures of the four papers, live: ``python -m pullback papers``.

Each stop says what the paper prints there (described, not copied), and what this package makes of
the same program when the page is printed.

>>> print(next(walk()).splitlines()[-1])
    \\((x, dx), (y, dy)). let (z, dz) = (x + y, 1 * dx + 1 * dy) in (x * z, z * dx + x * dz)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from pullback.core.frozen import dataclass
from pullback.papers import load
from pullback.papers.chad.higher import variable_calls
from pullback.papers.chad.sparse import tmagic
from pullback.papers.delta.show import delta_of, show_delta
from pullback.papers.language.build import E, lets, prim, reals
from pullback.papers.language.terms import App, Lam, Let, Pair, Prod, R, Source, Term, Var
from pullback.papers.methods import run
from pullback.papers.stages import translated

X, Y, Z = (E(Var(v)) for v in "xyz")
FIG1 = Source(reals("x", "y"), Let("z", (X + Y).t, (X * Z).t), R)
SHARE = Source(reals("x"), Let("y", (X * X).t, Pair(Var("y"), (Y + Y).t)), Prod(R, R))


def doubling(n: int) -> Source:
    """x1 = x0 + x0, .., xn."""
    names = [f"x{k}" for k in range(n + 1)]
    bound: list[tuple[str, Term]] = [
        (b, prim("add", Var(a), Var(a))) for a, b in pairwise(names)]
    return Source(reals("x0"), lets(bound, Var(names[n])), R)


def nested(n: int) -> Source:
    """t_1 = x_1, t_k = (\\x_{k-1}. t_{k-1}) x_k."""
    t: Term = Var("x1")
    for k in range(2, n + 1):
        t = App(Lam(f"x{k - 1}", R, t), Var(f"x{k}"))
    return Source(reals(f"x{n}"), t, R)


@dataclass(frozen=True, slots=True)
class Stop:
    """A figure: where it stands, what the paper prints, and what is made here."""

    figure: str
    file: str
    paper: str
    here: Callable[[], str]


def stage(name: str) -> Callable[[], str]:
    """Return FIG1 by a stage."""
    return lambda: translated(name, FIG1)


def calls(method: str, source: Source, args: tuple[object, ...], seed: object) -> str:
    """Return how often each backpropagator is called, and the cotangents."""
    done = run(method, source, args, seed)
    return f"calls {done.machine.calls}, cotangents {done.cotangents}"


def naive_calls() -> str:
    found = [sum(run("dual.naive", doubling(n), (1.0,), 1.0).machine.calls) for n in range(1, 9)]
    return f"calls of backpropagators on chains of 1 to 8 doublings: {found}"


def closures() -> str:
    lines = []
    for method in ("chad.higher", "chad.closures"):
        found = [variable_calls(run(method, nested(n), (3.0,), 1.0)) for n in range(1, 8)]
        lines.append(f"{method:14} {found}")
    return "calls of backpropagators of variables, n = 1 to 7:\n" + "\n".join(lines)


DN = "Efficient Dual-Numbers Reverse AD"
KR = "Krawiec et al."
CHAD = "Efficient CHAD"
DC = "The Differentiable Curry"
STOPS = (
    Stop(f"{DN}, Figure 1b", "papers/dual/forward.py:f",
         "the example, x times (x + y), with every real in a pair with its tangent", stage("F")),
    Stop(f"{DN}, Figure 1c; Figure 6", "papers/dual/naive.py:n1",
         "the same with backpropagators for tangents: linear functions that call those of the "
         "operands", stage("N1")),
    Stop(f"{DN}, section 3.4", "papers/dual/naive.py:naive",
         "why that is exponential: what is used twice is called twice, at every level",
         naive_calls),
    Stop(f"{DN}, Figure 8", "papers/dual/staged.py:staged",
         "backpropagators get IDs in a state monad; calls are staged in a map by ID and added up "
         "there", stage("N2")),
    Stop(f"{DN}, section 4", "papers/dual/calls.py:resolve",
         "SResolve takes the highest ID first, so that each is called once: here a value that is "
         "used by itself and by a sum", lambda: calls("dual.staged", SHARE, (3.0,), (1.0, 1.0))),
    Stop(f"{DN}, Figure 9", "papers/dual/cayley.py:cayley",
         "the Cayley transform: a backpropagator gives a change of the staged calls, sums are "
         "compositions", stage("N3")),
    Stop(f"{DN}, section 8.2", "papers/dual/contrib.py:contrib",
         "defunctionalised: a backpropagator is the list of its partials and operands",
         stage("N4b")),
    Stop(f"{DN}, section 8.3", "papers/dual/tape.py:tape",
         "the lists written one after the other are the tape of classical taping", stage("N5")),
    Stop(f"{KR}, Figure 5", "papers/delta/dense.py:K1",
         "a tangent as large as the input, added and scaled as a whole", stage("K1")),
    Stop(f"{KR}, Figure 7", "papers/delta/symbolic.py:K2",
         "tangents become expressions, Add, Scale and OneHot, evaluated at the end", stage("K2")),
    Stop(f"{KR}, Figure 9", "papers/delta/monadic.py:K",
         "a monad binds every tangent to a name, which keeps the sharing", stage("K")),
    Stop(f"{KR}, Figure 11", "papers/delta/eval.py:nest",
         "the bindings of a run as nested Lets, with the partials as numbers: at (3, 4)",
         lambda: show_delta(delta_of(FIG1, (3.0, 4.0)))),
    Stop(f"{CHAD}, Figure 2", "papers/chad/naive.py:c0",
         "the value, and a function from a cotangent to one for the whole environment",
         stage("C0")),
    Stop(f"{CHAD}, Figure 6", "papers/chad/monadic.py:chad",
         "the same rules in a monad that only adds: 0 and + are gone, a let is a scope",
         stage("C")),
    Stop(f"{CHAD}, Appendix A", "papers/chad/sparse.py:tmagic",
         "what union would cost on complete trees over 2 to 128 variables",
         lambda: f"{[tmagic(r) for r in range(1, 8)]}, for {[2**r for r in range(1, 8)]} leaves"),
    Stop(f"{CHAD}, section 9 and Appendix B", "papers/chad/closures.py:run_closures",
         "functions inside functions: exponential by the naive rule, linear after closure "
         "conversion", closures),
    Stop(f"{DC}, Figure 1", "papers/curry/translation.py:J",
         "the program as combinators, in the order of the data", stage("S")),
    Stop(f"{DC}, section 5", "papers/curry/dependent.py:D",
         "the tangent of a function is that of its environment: nothing runs twice",
         lambda: "\n".join(
             f"{m:16} {[run(m, nested(n), (3.0,), 1.0).reverse for n in (2, 4, 6, 8)]} steps in "
             "reverse" for m in ("curry.simple", "curry.dependent"))),
)


def walk() -> Iterator[str]:
    """Iterate over the stops, as text."""
    load()
    for stop in STOPS:
        text = "\n".join(f"    {line}" for line in stop.here().splitlines())
        yield f"{stop.figure}  ({stop.file})\n  {stop.paper}\n\n{text}\n"
