"""The source language with its reals left open (Krawiec et al., section 6).

    over(t, env, apply) : the value of t, where ``apply op x1..xn`` is what a primitive does

A program is polymorphic in the class Real: nothing but literals and primitives knows what a real
is, so that the same term runs with floats, with dual numbers, or with towers.

>>> from pullback.papers.language.build import prim
>>> t = Let("z", prim("add", Var("x"), Var("y")), prim("mul", Var("x"), Var("z")))
>>> over(t, {"x": "x", "y": "y"}, lambda op, x, y, static: f"({op} {x} {y})")
'(mul x (add x y))'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, assert_never

from pullback.core.unhandled import unhandled
from pullback.papers.language.arrays import OPS
from pullback.papers.language.machine import Machine
from pullback.papers.language.prims import arity
from pullback.papers.language.terms import (
    App,
    Build,
    Case,
    Con,
    Fold,
    Foldl,
    Fst,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Lit,
    Map,
    Match,
    Nil,
    Op,
    Pack,
    Pair,
    Prim,
    Scan,
    Snd,
    Term,
    TyApp,
    TyLam,
    Unpack,
    Var,
    ZipWith,
)
from pullback.papers.language.values import ConV, Inj, items
from pullback.papers.methods import Unsupported

Env = Mapping[str, Any]


def over(
    t: Term, env: Env, apply: Callable[..., Any], literal: Callable[[float], Any] = float
) -> Any:
    """Return the value of a term; ``literal`` makes a number of a real literal."""
    return _Over(apply, literal).value(t, env)


class _Over:
    def __init__(self, apply: Callable[..., Any], literal: Callable[[float], Any]) -> None:
        self.apply, self.literal, self.machine = apply, literal, Machine()

    def prim(self, t: Prim, env: Env) -> Any:
        args = self.values(t.args, env)
        n = arity(t.op)
        if len(args) == 1 and n > 1:  # op on a tuple
            args = items(args[0], n)
        return self.apply(t.op, *args, static=t.static)

    def values(self, ts: Sequence[Term], env: Env) -> list[Any]:
        return [self.value(t, env) for t in ts]

    def fn(self, t: Lam, env: Env) -> Callable[[Any], Any]:
        return lambda v: self.value(t.body, {**env, t.x: v})

    def value(self, t: Term, env: Env) -> Any:
        while isinstance(t, Let):
            env = {**env, t.x: self.value(t.bound, env)}
            t = t.body
        match t:
            case Var(x):
                return env[x]
            case Nil():
                return ()
            # literals and primitives know what a real is; nothing else does
            case Lit(r):
                return self.literal(r) if isinstance(r, float) else r
            case Prim():
                return self.prim(t, env)
            case Lam():
                return self.fn(t, env)
            case LetRec(recs, body):
                inner = dict(env)
                inner.update({r.f: lambda v, r=r: self.value(r.fn.body, {**inner, r.fn.x: v})
                              for r in recs})
                return self.value(body, inner)
            case App(f, a):
                return self.value(f, env)(self.value(a, env))
            case Pair(a, b):
                return self.value(a, env), self.value(b, env)
            case Fst(a):
                return self.value(a, env)[0]
            case Snd(a):
                return self.value(a, env)[1]
            case Inl(a):
                return Inj(0, self.value(a, env))
            case Inr(a):
                return Inj(1, self.value(a, env))
            case Case(a, x, left, y, right):
                v = self.value(a, env)
                return (self.value(right, {**env, y: v.value}) if v.tag
                        else self.value(left, {**env, x: v.value}))
            case Con(name, args):
                return ConV(name, tuple(self.values(args, env)))
            case Match(a, arms):
                v = self.value(a, env)
                arm = next(arm for arm in arms if arm.con == v.name)
                return self.value(arm.body, {**env, **dict(zip(arm.names, v.fields, strict=True))})
            case Build() | Map() | ZipWith() | Fold() | Scan() | Foldl():
                return self.over_array(t, env)
            case Op("sum", (a,)):
                total = self.literal(0.0)
                for v in self.value(a, env):
                    total = self.apply("add", total, v, static=())
                return total
            case Op(name, args, static):
                return OPS[name].run(self.machine, self.values(args, env), static)
            case TyLam(_, a) | TyApp(a):
                return self.value(a, env)
            case Pack() | Unpack():
                raise Unsupported("existential types are a target's")
            case _:
                unhandled(t)

    def over_array(self, t: Build | Map | ZipWith | Fold | Scan | Foldl, env: Env) -> Any:
        match t:
            case Build(n, i, body):
                return [self.value(body, {**env, i: k}) for k in range(self.value(n, env))]
            case Map(x, body, a):
                return [self.value(body, {**env, x: v}) for v in self.value(a, env)]
            case ZipWith(x, y, body, a, b):
                both = zip(self.value(a, env), self.value(b, env), strict=True)
                return [self.value(body, {**env, x: v, y: w}) for v, w in both]
            case Foldl(acc, x, body, z, a):
                state = self.value(z, env)
                for v in self.value(a, env):
                    state = self.value(body, {**env, acc: state, x: v})
                return state
            case Scan(p, body, a):
                out: list[Any] = []
                for v in self.value(a, env):
                    out.append(self.value(body, {**env, p: (out[-1], v)}) if out else v)
                return out
            case Fold(p, body, a):
                level = list(self.value(a, env))
                if not level:
                    raise ValueError("fold of an empty array")
                while len(level) > 1:
                    above = [self.value(body, {**env, p: (level[k], level[k + 1])})
                             for k in range(0, len(level) - 1, 2)]
                    level = above + level[len(level) // 2 * 2 :]
                return level[0]
            case _:
                assert_never(t)
