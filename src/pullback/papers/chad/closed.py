"""CHAD of closed functions and existentials (Efficient CHAD, App. B).

A closed function has no cotangent but (): what it captured is an argument. Its backpropagator runs
the body's action in an environment of one cell:

    C{\\□x.t}  = (\\□x. let (y,y')=C{t} in (y, \\d. let ((),dx) = run (y' d) <0> in dx),
                 \\d. return ())
    C{t s}    = let (f,f')=C{t} in let (y,y')=C{s} in let (z,z')=f y in (z, \\d. y' (z' d))
    C{pack_s t} = let (x,x')=C{t} in (pack_s x, \\d. x' (lcast_s d))
    C{case t of pack_a x -> s} = let (z,z')=C{t} in case z of pack_a x -> let (y,y')=C{s} in
                                 (y, \\d. scope (y' d) >>= \\((),dx). z' (lpack_a dx))

A cotangent of an existential is None or a value tagged with the source type that was packed.

>>> from pullback.papers.language.terms import R, Source, Var
>>> from pullback.papers.language.build import E
>>> from pullback.papers.chad.program import run_monadic
>>> square = Lam("x", R, (E(Var("x")) * E(Var("x"))).t, "->□")
>>> applied = Source((("u", R),), App(square, Var("u")), R)
>>> done = run_monadic(applied, (3.0,), 1.0)
>>> done.value, done.cotangents
(9.0, (6.0,))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pullback.papers.chad.actions import Rule
from pullback.papers.chad.types import t1, t2
from pullback.papers.language.build import lam, let_pair, op
from pullback.papers.language.check import Types
from pullback.papers.language.linear import return_, run, scope, zero, zero_of
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row
from pullback.papers.language.terms import (
    ONE,
    App,
    Context,
    Exists,
    Fst,
    Lam,
    Nil,
    Pack,
    Pair,
    Prod,
    Snd,
    Static,
    Term,
    TVar,
    Type,
    Unpack,
)
from pullback.papers.language.traverse import subst_type
from pullback.papers.language.values import Packed, Zero, pair
from pullback.papers.methods import Unsupported


def closed_rule(
    t: Lam | App | Pack | Unpack, gamma: Context, types: Types, chad: Rule
) -> Term:
    """C{t} for what closure conversion makes."""
    match t:
        # C{\□x.t} = (\□x. let (y,y')=C{t} in (y, \d. snd (snd (run (y' d) <0>))), \d. return ())
        case Lam(x, a, body, "->□"):
            cell = ((x, t2(a)),)
            whole = Lam(x, t1(a), let_pair(("y", "y'"), chad(body, cell, types), lambda y, y_: Pair(
                y.t, lam("d", t2(types[body]), lambda d: Snd(Snd(run(
                    y_(d).t, Pair(Nil(), zero(t2(a))), cell))), role="call"))), "->□")
            return Pair(whole, lam("d", t2(types[t]), lambda d: return_(Nil(), gamma), role="bp"))
        case Lam():
            raise Unsupported("chad.monadic: functions must be closed (chad.closures)")
        # C{t s} = let (f,f')=C{t} in let (y,y')=C{s} in let (z,z')=f y in (z, \d. y' (z' d))
        case App(fn, arg):
            return let_pair(("f", "f'"), chad(fn, gamma, types), lambda f, _: let_pair(
                ("y", "y'"), chad(arg, gamma, types), lambda y, y_: let_pair(
                    ("z", "z'"), f(y), lambda z, z_: Pair(z.t, lam(
                        "d", t2(types[t]), lambda d: y_(z_(d)), role="bp")))))
        # C{pack_s t} = let (x,x')=C{t} in (pack_s x, \d. x' (lcast_s d))
        case Pack(witness, of, exists):
            return let_pair(("x", "x'"), chad(of, gamma, types), lambda x, x_: Pair(
                op("lpack1", x, static=(witness, exists)), lam("d", t2(exists), lambda d: x_(op(
                    "lcast", d, static=(witness, exists))), role="bp")))
        # C{case t of pack_a x -> s} = let (z,z')=C{t} in case z of pack_a x -> let (y,y')=C{s} in
        #                              (y, \d. scope (y' d) >>= \r. z' (lpack_a (fst r)))
        case Unpack(of, alpha, x, body):
            exists = cast(Exists, types[of])
            inside = t2(subst_type(exists.body, {exists.name: TVar(alpha)}))
            inner = (*gamma, (x, inside))
            return let_pair(("z", "z'"), chad(of, gamma, types), lambda z, z_: Unpack(
                z.t, alpha, x, let_pair(("y", "y'"), chad(body, inner, types), lambda y, y_: Pair(
                    y.t, lam("d", t2(types[body]), lambda d: op(
                        "bind", scope(x, inside, y_(d).t), lam("r", Prod(inside, ONE), lambda r: z_(
                            op("lpack", z, Fst(r.t), static=(exists, alpha))))), role="bp")))))


def _packed(exists: Exists, witness: Type) -> Type:
    return subst_type(exists.body, {exists.name: witness})


def _pack_type(types: Sequence[Type], static: Sequence[Static]) -> Type:
    witness, exists = cast("tuple[Type, Exists]", tuple(static))
    if types[0] != t1(_packed(exists, witness)):
        raise TypeError(f"packs {types[0]} as {exists}")
    return t1(exists)


def _lcast_type(types: Sequence[Type], static: Sequence[Static]) -> Type:
    witness, exists = cast("tuple[Type, Exists]", tuple(static))
    if types[0] != t2(exists):
        raise TypeError(f"takes a cotangent of {exists}, not {types[0]}")
    return t2(_packed(exists, witness))


def _lpack_type(types: Sequence[Type], static: Sequence[Static]) -> Type:
    exists, alpha = cast("tuple[Exists, str]", tuple(static))
    if types[0] != t1(exists) or types[1] != t2(_packed(exists, TVar(alpha))):
        raise TypeError(f"of {exists}, not of {types}")
    return t2(exists)


def _lcast(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    witness, exists = cast("tuple[Type, Exists]", tuple(static))
    match args[0]:
        case Packed(tag, d):
            if tag != witness:
                raise ValueError(f"a cotangent of another closure: of {tag}, not of {witness}")
            return _concrete(exists.body, exists.name, witness, d)
        case _:
            m.cost += 1
            return zero_of(t2(_packed(exists, witness)))


def _concrete(body: Type, alpha: str, witness: Type, d: object) -> object:
    # The zeros that were made where the witness was not known get their type.
    match body:
        case TVar(name) if name == alpha and isinstance(d, Zero):
            return zero_of(t2(witness))
        case Prod(a, b) if not isinstance(d, Zero):
            first, second = pair(d)
            return _concrete(a, alpha, witness, first), _concrete(b, alpha, witness, second)
        case _ if isinstance(d, Zero):
            return zero_of(t2(subst_type(body, {alpha: witness})))
        case _:
            return d


def _lpack(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    primal = args[0]
    assert isinstance(primal, Packed)
    return Packed(primal.witness, args[1])


CLOSED = (
    Row("lpack1", _pack_type, lambda m, args, s: Packed(cast(Type, s[0]), args[0]),
        show="pack {0}"),
    Row("lcast", _lcast_type, _lcast),
    Row("lpack", _lpack_type, _lpack),
)
"""pack, and the casts of cotangents of existentials."""
