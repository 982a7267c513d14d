"""Taylor mode: forward mode with the coefficients of a path up to order k in place of a tangent.

f : A -> B becomes f.series : T(A) -> T(B), where T puts k coefficients beside every active real and
k arrays of them beside every active array. The rules for structure are those of ``forward``; what a
primitive does to the coefficients says ``taylor_rows``. ``jet_function`` wraps it as (arguments,
derivatives of the path) -> (results, their derivatives along it), the meaning of a Jvp term with k
tangents for each argument: first the first derivatives of all, then the second ones, and so on.

A derivative term inside is a derivative term again. If g is the gradient of f, its coefficients are

    g(x)_(k-i) = the cotangent of x_i, for the cotangent 1 of f(x)_k

because a coefficient of f depends on those of x only by the differences of their orders.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pullback.ad.activity import Facts
from pullback.ad.cells import extents_of, indices, zeros_like
from pullback.ad.forward import Forward, translated
from pullback.ad.nested_jets import write_nested
from pullback.ad.spaces import SeriesSpaces
from pullback.ad.sweep import DerivativeError, refuse_data
from pullback.ad.taylor_rows import Coefficients, NoSeriesError, Series, coefficient
from pullback.core.build import Builder, f64, lit
from pullback.core.prims import TABLE
from pullback.core.terms import Atom, Build, Call, Function, Let, Prim, Ruled, Static, Var, Vjp
from pullback.core.types import Array, Handle, Real, Type

if TYPE_CHECKING:
    from pullback.ad.function_halves import Functions


MOST_NESTED = 6
"""The highest order without coefficients: each makes the program 1.7 times as large."""


class NoCoefficientsError(DerivativeError):
    """Something has derivatives of order 1 only, from which nested tangents make others."""


def jet_function(functions: Functions, name: str, wrt: tuple[int, ...], order: int) -> str:
    """Return the name of a function (args, derivatives of wrt up to the order) -> (results,
    derivatives of the real results)."""
    out = f"{name}.jet{order}" + "".join(f"_{i}" for i in wrt)
    if out not in functions.functions:
        try:
            _write(functions, name, wrt, order, out)
        except NoCoefficientsError:
            if order > MOST_NESTED:
                raise
            write_nested(functions, name, wrt, order, out)
    return out


def _write(
    functions: Functions, name: str, wrt: tuple[int, ...], order: int, out: str
) -> None:
    inner = functions.functions[series_function(functions, name, wrt, order)]
    n, results = len(functions.functions[name].params), len(functions.functions[name].results)
    b = Builder()
    params = tuple(Var(p.name, p.type) for p in inner.params)
    args: list[Atom] = list(params[:n])
    for k, p in enumerate(params[n:]):
        args.append(_scaled(b, p, 1.0 / math.factorial(1 + k // len(wrt))))
    outs = b.let(Call(inner.name, tuple(args)), inner.results)
    bearing = (len(outs) - results) // order
    found: list[Atom] = list(outs[:results])
    for k, r in enumerate(outs[results:]):
        found.append(_scaled(b, r, 1.0 * math.factorial(1 + k // max(bearing, 1))))
    body = b.block(tuple(found))
    functions.functions[out] = Function(out, params, body, inner.results)


def series_function(functions: Functions, name: str, wrt: tuple[int, ...], order: int) -> str:
    """Return the name of a function (args, coefficients of wrt) -> (results, coefficients of the
    real results), all of order 1 first."""
    out = f"{name}.coefficients{order}" + "".join(f"_{i}" for i in wrt)
    if out in functions.functions:
        return out
    f = functions.functions[name]
    mask = tuple(i in wrt for i in range(len(f.params)))
    inner = functions.functions[series_of(functions, name, mask, order)]
    b = Builder()
    given = [Var(p.name, p.type) for p in f.params]
    rest = [[Var(f.params[i].name, f.params[i].type) for i in wrt] for _ in range(order)]
    args: list[Atom] = []
    for i, v in enumerate(given):
        args.append(v)
        args.extend(row[wrt.index(i)] for row in rest if i in wrt)
    outs = iter(b.let(Call(inner.name, tuple(args)), inner.results))
    values: list[Atom] = []
    along: list[list[Atom]] = [[] for _ in range(order)]
    for t, on in zip(f.results, functions.result_on(name, mask), strict=True):
        values.append(next(outs))
        for row in along if functions.spaces.bears(t) else ():
            zero = lit(0.0, t) if isinstance(t, Real) else None
            row.append(next(outs) if on else zero or zeros_like(b, values[-1]))
    body = b.block((*values, *(x for row in along for x in row)))
    params = (*given, *(v for row in rest for v in row))
    types = tuple(a.type for a in body.results)
    functions.functions[out] = Function(out, params, body, types)
    return out


def series_of(functions: Functions, name: str, mask: tuple[bool, ...], order: int) -> str:
    """Return the name of f.series for these active parameters."""
    return translated(
        functions, name, mask, f"series{order}", lambda facts: Taylor(functions, facts, order)
    )


def _scaled(b: Builder, a: Atom, factor: float) -> Atom:
    """Emit a number, or an array of them, times a constant."""
    if factor == 1.0:
        return a
    if not isinstance(a.type, Array):
        return b.prim("mul", a, lit(factor, a.type))
    idx, body = indices(a.type.rank), Builder()
    item = _scaled(body, body.index(a, idx, checked=False), factor)
    return b.let(Build(extents_of(b, a), idx, body.block((item,))), (a.type,))[0]


class Taylor(Forward):
    """The translation of one function."""

    def __init__(self, functions: Functions, facts: Facts, order: int) -> None:
        super().__init__(functions, facts)
        known = functions.spaces
        self.order = order
        self.spaces: SeriesSpaces = SeriesSpaces(known.decls, known.bearing_names, order)

    def target(self, name: str, mask: tuple[bool, ...]) -> str:
        return series_of(self.functions, name, mask, self.order)

    def series(self, a: Atom) -> Series:
        parts = self.look(a)
        if not self.on(a):
            return Series([parts[0]], False)
        return Series([parts[0], *map(coefficient, parts[1:])], True)

    def prim(
        self, let: Let, name: str, args: tuple[Atom, ...], static: Static, b: Builder
    ) -> None:
        (out, *_) = let.vars or (None,)
        if (
            out is None or not self.on(out) or isinstance(out.type, (Array, Handle))
            or name in ("undefined", "stop_gradient")
        ):  # fmt: skip
            if out is not None and self.on(out) and TABLE[name].whole is not None:
                raise self.refused(let, f"{name!r}")
            super().prim(let, name, args, static, b)
            return
        value = Var(out.name, out.type)
        b.lets.append(Let((value,), Prim(name, self.values(args), static), let.site))
        rules = Coefficients(b)
        try:
            found = rules.prim(name, tuple(map(self.series, args)), static, value)
            rest = [found[k] for k in range(1, self.order + 1)]
        except NoSeriesError as error:
            raise NoCoefficientsError(str(error), let) from None
        self.env[out] = (value, *(lit(0.0, out.type) if c is None else c for c in rest))

    def refused(self, let: Let, what: str) -> DerivativeError:
        orders = f"an order above {MOST_NESTED} of pb.jet"
        return NoCoefficientsError(f"{orders} of {what}, which has no Taylor coefficients", let)

    def ruled(self, let: Let, op: Ruled, b: Builder) -> None:
        if any(self.on(v) for v in let.vars):
            raise self.refused(let, f"{op.rule.name}, which has a rule of its own")
        super().ruled(let, op, b)

    def vjp(self, let: Let, op: Vjp, b: Builder) -> None:
        refuse_data(self.spaces, (a.type for a in op.args), let)
        if not any(self.on(v) for v in let.vars):
            super().vjp(let, op, b)
            return
        k = self.order
        moving = {i for i, a in enumerate(op.args) if self.on(a)}.union(op.wrt)
        on = tuple(sorted(moving))
        parts = [self.dual(op.args[i], True, b)[1:] for i in on]
        args = (*self.values(op.args), *(p[j] for j in range(k) for p in parts))
        seeds = [self.dual(s, True, b) if self.on(s) else (self.value(s),) for s in op.seeds]
        given = tuple(
            (s[k - j] if k - j < len(s) else f64(0.0)) for j in range(k + 1) for s in seeds
        )
        name = series_function(self.functions, op.function, on, k)
        n = len(let.vars) - len(op.wrt)
        bearing = [v.type for v in let.vars[:n] if self.spaces.bears(v.type)]
        gs = [v.type for v in let.vars[n:]]
        places = [
            i if j == 0 else len(op.args) + (j - 1) * len(on) + on.index(i)
            for j in range(k + 1) for i in op.wrt
        ]  # fmt: skip
        outs: list[Type] = [*(v.type for v in let.vars[:n]), *bearing * k, *gs * (k + 1)]
        made = b.let(Vjp(name, args, tuple(places), given), tuple(outs), let.site)
        start = n + len(bearing) * k
        at = 0
        for i, v in enumerate(let.vars):
            if i >= n:  # the cotangent of coefficient k - j is the coefficient j of the gradient
                found = [made[start + (k - j) * len(gs) + i - n] for j in range(k + 1)]
            elif self.spaces.bears(v.type):
                found = [made[i], *(made[n + j * len(bearing) + at] for j in range(k))]
                at += 1
            else:
                found = [made[i]]
            self.env[v] = tuple(found) if self.on(v) else (found[0],)


__all__ = ["Taylor", "jet_function", "series_function"]
