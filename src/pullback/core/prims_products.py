"""Rows that only derivatives have: how a partial meets a cotangent, and how the product is added.

``mulz`` multiplies with a singular partial, one that may be infinite: where the cotangent is 0, the
product is that 0. ``fma`` and ``fmaz`` add such a product to what is there, ``fnma`` and ``fnmaz``
take it away; each rounds once. ``present`` and ``flush`` are for what other iterations pass on."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.libm import fused
from pullback.core.prims_real import REAL, intrinsic
from pullback.core.rows import (
    NOT_DIFFERENTIABLE,
    ZERO,
    PartialFn,
    Row,
    Static,
    Table,
    is_real,
    real1,
    real2,
    real3,
    same,
)
from pullback.core.terms import Atom
from pullback.core.types import BOOL, Real, Type

if TYPE_CHECKING:
    from pullback.core.build import Builder

PRODUCTS = Table()

_ANY = (-2.0, 2.0)


def _other(k: int, sign: int) -> PartialFn:
    """The partial of a product, which is (the negative of) the other factor."""

    def partial(b: Builder, args: tuple[Atom, ...], result: Atom) -> Atom:
        return args[k] if sign > 0 else b.prim("neg", args[k])

    return partial


def _flush(x: float) -> float:
    """A cotangent or tangent, but 0 in the place of a subnormal number."""
    tiny = np.finfo(np.float32 if isinstance(x, np.float32) else np.float64).tiny
    return abs(x) * 0.0 if abs(x) < tiny else x


PRODUCTS.add(Row("mulz", 2, real2, lambda p, ct: ct if ct == 0 else p * ct,
                 (_other(1, 1), _other(0, 1)),
                 {"real": "{r}.p = fmul {t} {0}, {1}\n"
                          "{r}.c = fcmp oeq {t} {1}, {zero}\n"
                          "{r} = select {b} {r}.c, {t} {1}, {t} {r}.p"}, (_ANY, (0.5, 2.0)),
                 product="mulz", kinks="mulz(p, 0) = 0 whatever p is"))
PRODUCTS.add(Row("flush", 1, real1, _flush, (1.0,),
                 {"real": "{r}.a = call {t} @llvm.fabs.{s}({t} {0})\n"
                          "{r}.c = fcmp olt {t} {r}.a, {tiny}\n"
                          "{r} = select {b} {r}.c, {t} {zero}, {t} {0}"}, (_ANY,),
                 kinks="0 for a subnormal cotangent or tangent; linear all the same"))
PRODUCTS.add(Row("present", 1, is_real, lambda x: x != 0, (ZERO,),
                 {"real": "{r} = fcmp une {t} {0}, {zero}"}))  # of a cotangent; compiled as likely
PRODUCTS.add(Row("small", 1, is_real, lambda x: bool(_flush(x) == 0), (ZERO,),
                 {"real": "{r}.a = call {t} @llvm.fabs.{s}({t} {0})\n"
                          "{r} = fcmp olt {t} {r}.a, {tiny}"}))


def _fused(name: str, sign: int, singular: bool) -> None:
    """A row that adds a product, or takes it away; ``singular``: nothing where the second factor,
    the cotangent, is 0."""

    def value(p: float, ct: float, old: float) -> object:
        return fused(sign * (abs(ct) if singular and ct == 0 else p), ct, old)

    lines, factor = [], "{0}"
    if singular:
        lines += ["{r}.c = fcmp oeq {t} {1}, {zero}",
                  "{r}.p = select {b} {r}.c, {t} {zero}, {t} {0}"]  # fmt: skip
        factor = "{r}.p"
    if sign < 0:
        lines.append("{r}.n = fneg {t} " + factor)
        factor = "{r}.n"
    lines.append(intrinsic("fma", 3).replace("{0}", factor))
    PRODUCTS.add(Row(
        name, 3, real3, value, (_other(1, sign), _other(0, sign), 1.0),
        {"real": "\n".join(lines)}, (_ANY, (0.5, 2.0) if singular else _ANY, _ANY),
        product="mulz" if singular else "mul",
        kinks=f"{name}(p, 0, x) = x whatever p is" if singular else "",
    ))  # fmt: skip


_fused("fma", 1, False)
_fused("fnma", -1, False)
_fused("fmaz", 1, True)
_fused("fnmaz", -1, True)

# --- masked products: select c (mul a b) y and the like in one step, written after "ad" -----------


def _if(row: Row, value: Callable[..., object]) -> None:
    """A product, with what is added to it, behind a truth value, and what it is elsewhere."""
    n = row.arity
    assert n is not None

    def rule(t: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
        if len(t) != n + 2 or t[0] != BOOL:
            raise TypeError(f"takes a Bool and {n + 1} reals, not {t}")
        return same(n + 1, Real)(t[1:], static)

    product = row.llvm["real"]
    for k in reversed(range(n)):
        product = product.replace("{" + str(k) + "}", "{" + str(k + 1) + "}")
    choice = "\n{r} = select {b} {0}, {t} {r}.m, {t} {" + str(n + 1) + "}"
    PRODUCTS.add(Row(
        f"{row.name}.if", n + 2, rule, lambda c, *xs: value(*xs[:-1]) if c else xs[-1],
        (ZERO, *(NOT_DIFFERENTIABLE,) * (n + 1)),
        {"real": product.replace("{r} =", "{r}.m =") + choice},
    ))  # fmt: skip


_if(REAL.rows["mul"], operator.mul)
_if(PRODUCTS.rows["fma"], fused)
_if(PRODUCTS.rows["fnma"], lambda a, b, c: fused(-a, b, c))

__all__ = ["PRODUCTS"]
