"""The nested lambda-terms in which the papers' algorithms are written: source and targets.

    type  ::= R | Z | 1 | s * t | s + t | Arr t | T t*        B = 1 + 1: inl () False, inr () True
            | s -> t | s -o t | s ->□ t | s ~> t              one class Fun, told apart by ``kind``
            | a | Forall a*. t | Exists a. t
            | EV ctx | EVM ctx t                              environment cotangents; actions on one
    term  ::= x | r | n | () | let x = t in t | letrec (f : s -> t = \\x. t)* in t
            | \\x:s. t | t t | (t, t) | fst t | snd t
            | inl t | inr t | case t of {inl x -> t; inr y -> t}
            | C(t*) | match t of {C(x*) -> t; ...}            constructors of declared types
            | op(t*)                                          Prim: a row of ``prims.TABLE``
            | name[static](t*)                                Op: a row of a library (nested_ops)
            | build t (i. t) | map (x. t) t | zipWith (x y. t) t t | fold (p. t) t | scan (p. t) t
            | foldl (a x. t) t t
            | /\\a*. t | t [t*] | pack[s] t | case t of pack[a] x -> t
    decl  ::= data T a* = C t* | ... | C t*                   may be recursive, and mutually so

Where the papers print something else:

    here             dual numbers     Krawiec et al.    Efficient CHAD    Differentiable Curry
    R, Z             R, Int           R, Z              R, Z              Float, Int
    s + t            s + t            A + B             s ⊔ t             Either
    T t*             T t*, Staged c   Delta             EMap, ×!, +!, Bag Tensor, List
    Fun(kind "-o")   s -o t           ⊸                 (a plain arrow)   (a pullback)
    Prim             op, dop_i        op                op, Dop^t         primitives
    Op               SCall, 0_c, +_c  addDelta, ⊕, ⊗    one, scope, lfst  curry, eval, prod

Names are strings. A transformation leaves the names of a source program alone (so that ``D{x}`` is
``x``) and takes every new one from ``fresh``; ``language.traverse.rename_apart`` makes the bound
names of a program distinct first. Tuples of more than two components associate to the left:
(a,b,c) = ((a,b),c), and op(t) with one argument for an n-ary op takes such a tuple. What binds
variables is a constructor here; whatever does not is an ``Op``, so a new target language is rows
of a table and not new syntax. ``language.check`` types terms, ``language.eval`` runs and counts
them, ``language.pretty`` prints them.

>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> print(show(Let("z", Prim("add", (x, y)), Prim("mul", (x, z)))))
let z = x + y in x * z
"""

from __future__ import annotations

from itertools import count
from typing import Literal

from pullback.core import types as core
from pullback.core.frozen import dataclass, field

# --- types ----------------------------------------------------------------------------------------

Kind = Literal["->", "-o", "->□", "~>"]


@dataclass(frozen=True, slots=True)
class Real:
    """R."""


@dataclass(frozen=True, slots=True)
class Int:
    """Z."""


@dataclass(frozen=True, slots=True)
class Unit:
    """1."""


@dataclass(frozen=True, slots=True)
class Prod:
    """left * right."""

    left: Type
    right: Type


@dataclass(frozen=True, slots=True)
class Plus:
    """left + right."""

    left: Type
    right: Type


@dataclass(frozen=True, slots=True)
class Fun:
    """A function: any (->), linear (-o), closed (->□) or differentiable (~>)."""

    arg: Type
    result: Type
    kind: Kind = "->"


@dataclass(frozen=True, slots=True)
class Arr:
    """An immutable array."""

    elem: Type


@dataclass(frozen=True, slots=True)
class Data:
    """A declared data type, or an abstract type of a library (Map, MArr, Bag, ...), applied."""

    name: str
    args: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class TVar:
    """A type variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Forall:
    """A polymorphic type."""

    names: tuple[str, ...]
    body: Type


@dataclass(frozen=True, slots=True)
class Exists:
    """An existential type, as closure conversion makes them."""

    name: str
    body: Type


Context = tuple[tuple[str, "Type"], ...]
"""A typing context: names and types, the latest last."""


@dataclass(frozen=True, slots=True)
class EV:
    """A cotangent of an environment: one cell for every entry of the context."""

    context: Context


@dataclass(frozen=True, slots=True)
class EVM:
    """An action on a cotangent of an environment, with a result."""

    context: Context
    result: Type


Type = (
    Real | Int | Unit | Prod | Plus | Fun | Arr | Data | TVar | Forall | Exists | EV | EVM
)

R, Z, ONE = Real(), Int(), Unit()
B = Plus(ONE, ONE)


@dataclass(frozen=True, slots=True)
class DataDecl:
    """``data name params = constructor fields | ...``"""

    name: str
    params: tuple[str, ...]
    constructors: tuple[tuple[str, tuple[Type, ...]], ...]


# --- terms ----------------------------------------------------------------------------------------


class Term:
    """A term."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Var(Term):
    """x."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Lit(Term):
    """A real (float) or an integer (int)."""

    value: float | int


@dataclass(frozen=True, slots=True, eq=False)
class Nil(Term):
    """()."""


@dataclass(frozen=True, slots=True, eq=False)
class Let(Term):
    """let x = bound in body."""

    x: str
    bound: Term
    body: Term


@dataclass(frozen=True, slots=True, eq=False)
class Rec:
    """One function of a letrec group: f : type = fn."""

    f: str
    type: Fun
    fn: Lam


@dataclass(frozen=True, slots=True, eq=False)
class LetRec(Term):
    """Mutually recursive functions."""

    recs: tuple[Rec, ...]
    body: Term


@dataclass(frozen=True, slots=True, eq=False)
class Lam(Term):
    """\\x:type. body. ``role`` is for the instruments: the evaluator numbers the closures that have
    one and counts their calls ("input", "const", "op" backpropagators; see ``language.eval``)."""

    x: str
    type: Type
    body: Term
    kind: Kind = "->"
    role: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class App(Term):
    """Application, whatever the kind of the function."""

    fn: Term
    arg: Term


@dataclass(frozen=True, slots=True, eq=False)
class Pair(Term):
    """(left, right)."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True, eq=False)
class Fst(Term):
    """First component."""

    t: Term


@dataclass(frozen=True, slots=True, eq=False)
class Snd(Term):
    """Second component."""

    t: Term


@dataclass(frozen=True, slots=True, eq=False)
class Inl(Term):
    """inl t : type of t + other."""

    t: Term
    other: Type


@dataclass(frozen=True, slots=True, eq=False)
class Inr(Term):
    """inr t : other + type of t."""

    t: Term
    other: Type


@dataclass(frozen=True, slots=True, eq=False)
class Case(Term):
    """case t of {inl x -> left; inr y -> right}."""

    t: Term
    x: str
    left: Term
    y: str
    right: Term


@dataclass(frozen=True, slots=True, eq=False)
class Con(Term):
    """A constructor of the declared type ``type``."""

    name: str
    args: tuple[Term, ...]
    type: Data


@dataclass(frozen=True, slots=True, eq=False)
class MatchArm:
    """C(names) -> body."""

    con: str
    names: tuple[str, ...]
    body: Term


@dataclass(frozen=True, slots=True, eq=False)
class Match(Term):
    """Branch on the constructor of a declared type: one arm for each, in the declared order."""

    t: Term
    arms: tuple[MatchArm, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Prim(Term):
    """A primitive of ``prims.TABLE`` (or ``sign2``, ``sign3``; see ``language.prims``)."""

    op: str
    args: tuple[Term, ...]
    static: tuple[int | str | core.Type, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Op(Term):
    """An operation of a library: the row ``name`` of a table of ``language.ops``. ``static`` are
    the types, names and numbers that it takes at compile time."""

    name: str
    args: tuple[Term, ...] = ()
    static: tuple[Static, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Build(Term):
    """build n (i. t)."""

    n: Term
    i: str
    t: Term


@dataclass(frozen=True, slots=True, eq=False)
class Map(Term):
    """map (x. t) a."""

    x: str
    t: Term
    a: Term


@dataclass(frozen=True, slots=True, eq=False)
class ZipWith(Term):
    """zipWith (x y. t) a b."""

    x: str
    y: str
    t: Term
    a: Term
    b: Term


@dataclass(frozen=True, slots=True, eq=False)
class Fold(Term):
    """fold (p. t) a: a not empty, t associative; the evaluator brackets as a balanced tree."""

    p: str
    t: Term
    a: Term


@dataclass(frozen=True, slots=True, eq=False)
class Scan(Term):
    """scan (p. t) a: inclusive."""

    p: str
    t: Term
    a: Term


@dataclass(frozen=True, slots=True, eq=False)
class Foldl(Term):
    """foldl (acc x. t) z a: sequential."""

    acc: str
    x: str
    t: Term
    z: Term
    a: Term


@dataclass(frozen=True, slots=True, eq=False)
class TyLam(Term):
    """/\\names. t."""

    names: tuple[str, ...]
    t: Term


@dataclass(frozen=True, slots=True, eq=False)
class TyApp(Term):
    """t [types]."""

    t: Term
    types: tuple[Type, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Pack(Term):
    """pack[witness] t : type, an Exists whose body at the witness is the type of t."""

    witness: Type
    t: Term
    type: Exists


@dataclass(frozen=True, slots=True, eq=False)
class Unpack(Term):
    """case t of pack[a] x -> body."""

    t: Term
    a: str
    x: str
    body: Term


Static = Type | str | int


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A program as the papers have it, context |- body : result, with its declarations."""

    context: Context
    body: Term
    result: Type
    decls: tuple[DataDecl, ...] = field(default=())


_names = count(1)


def fresh(hint: str) -> str:
    """Return a name that occurs nowhere else; the printer shows it as ``hint`` where that is
    free."""
    return f"{hint.split('$')[0]}${next(_names)}"
