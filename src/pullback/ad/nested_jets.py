"""Derivatives along a path by nested tangents: for programs with something in them that has no
Taylor coefficients (``jets``), such as LAPACK or a rule of the user's.

    path(t) = f(x + t s_1 + t^2 / 2 s_2 + ...)
    g_0 = path,  g_(j+1) = (g_j, the tangent of its last)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pullback.ad.cells import extents_of, indices
from pullback.ad.forward import tangent_function
from pullback.core.build import Builder, f64, lit
from pullback.core.terms import Atom, Build, Call, Function, Var
from pullback.core.types import F64, Array, Real

if TYPE_CHECKING:
    from pullback.ad.function_halves import Functions


def write_nested(
    functions: Functions, name: str, wrt: tuple[int, ...], order: int, out: str
) -> None:
    """Write a function (args, derivatives of wrt up to the order) -> (results, derivatives of the
    real results)."""
    f = functions.functions[name]
    given = [Var(p.name, p.type) for p in f.params]
    terms = [[Var(f.params[i].name, f.params[i].type) for i in wrt] for _ in range(order)]
    params = (*given, *(v for row in terms for v in row))
    bearing = [t for t in f.results if functions.spaces.bears(t)]
    tower = _path(functions, f, wrt, order)
    types = list(f.results)
    for _ in range(order):
        both = functions.functions[tangent_function(functions, tower, (0,))]
        t, b = Var("t", F64), Builder()
        rest = [Var(p.name, p.type) for p in both.params[1:-1]]
        outs = b.let(Call(both.name, (t, *rest, f64(1.0))), both.results)
        last = outs[len(outs) - len(bearing) :]
        body = b.block((*outs[: len(types)], *last))
        types += bearing
        tower = functions.fresh_name(f"{name}.tower")
        functions.functions[tower] = Function(tower, (t, *rest), body, tuple(types))
    b = Builder()
    body = b.block(b.let(Call(tower, (f64(0.0), *params)), tuple(types)))
    functions.functions[out] = Function(out, params, body, tuple(types))


def _path(functions: Functions, f: Function, wrt: tuple[int, ...], order: int) -> str:
    """Return the name of a function (t, args, derivatives) -> the results at the place on the path.
    """
    t, b = Var("t", F64), Builder()
    given = [Var(p.name, p.type) for p in f.params]
    terms = [[Var(f.params[i].name, f.params[i].type) for i in wrt] for _ in range(order)]
    moved: list[Atom] = list(given)
    for k, i in enumerate(wrt):
        moved[i] = _moved(b, given[i], [row[k] for row in terms], t)
    body = b.block(b.let(Call(f.name, tuple(moved)), f.results))
    name = functions.fresh_name(f"{f.name}.path")
    params = (t, *given, *(v for row in terms for v in row))
    functions.functions[name] = Function(name, params, body, f.results)
    return name


def _moved(b: Builder, x: Atom, terms: Sequence[Atom], t: Atom) -> Atom:
    """Emit x + t (s_1 + t / 2 (s_2 + t / 3 (...))) for a number, or for all elements of an array.
    """
    if isinstance(x.type, Array):
        idx, body = indices(x.type.rank), Builder()
        items = [body.index(a, idx, checked=False) for a in (x, *terms)]
        item = _moved(body, items[0], items[1:], t)
        return b.let(Build(extents_of(b, x), idx, body.block((item,))), (x.type,))[0]
    assert isinstance(x.type, Real)
    step = t if x.type == F64 else b.prim("to_real", t, static=(x.type,))
    total: Atom | None = None
    for k, s in reversed(list(enumerate(terms, 1))):
        here = s if total is None else b.prim("add", s, total)
        total = b.prim("mul", here, b.prim("div", step, lit(float(k), x.type)))
    return x if total is None else b.prim("add", x, total)


__all__ = ["write_nested"]
