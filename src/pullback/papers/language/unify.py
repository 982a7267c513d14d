"""Types of a Python function that nobody wrote down, by unification (what ``reader`` asks for).

>>> a, b = Hole(), Hole()
>>> unify(Arrow((a,), b), Arrow((REAL,), Tuple((REAL, a))))
>>> closed(Arrow((a,), b))
Fun(arg=Real(), result=Prod(left=Real(), right=Real()), kind='->')
"""

from __future__ import annotations

from pullback.core.frozen import dataclass
from pullback.papers.language.build import tuple_type
from pullback.papers.language.terms import Fun, R, Type


class Unreadable(Exception):
    """A function that is not in the part of Python which is the papers' language as it stands."""


class Hole:
    """A type that is not known yet."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: Kind | None = None


@dataclass(frozen=True, slots=True)
class Base:
    """R, or B."""

    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Tuple:
    """A tuple of Python, of so many components."""

    items: tuple[Kind, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Arrow:
    """A function of so many arguments, which are one tuple."""

    args: tuple[Kind, ...]
    result: Kind


Kind = Hole | Base | Tuple | Arrow
REAL = Base(R)


def known(k: Kind) -> Kind:
    """Return what is known of a type."""
    while isinstance(k, Hole) and k.found is not None:
        k = k.found
    return k


def unify(a: Kind, b: Kind) -> None:
    """Make two types equal. Unreadable if they cannot be."""
    a, b = known(a), known(b)
    match a, b:
        case _ if a is b:
            pass
        case Hole(), _:
            if inside(a, b):
                raise Unreadable("a function that takes itself")
            a.found = b
        case _, Hole():
            unify(b, a)
        case Base(s), Base(t) if s == t:
            pass
        case Tuple(xs), Tuple(ys) if len(xs) == len(ys):
            for x, y in zip(xs, ys, strict=True):
                unify(x, y)
        case Arrow(xs, r), Arrow(ys, q) if len(xs) == len(ys):
            for x, y in zip((*xs, r), (*ys, q), strict=True):
                unify(x, y)
        case _:
            raise Unreadable("values of different types in one place")


def inside(hole: Hole, k: Kind) -> bool:
    """Whether a type that is not known yet is in another."""
    match known(k):
        case Tuple(items):
            return any(inside(hole, x) for x in items)
        case Arrow(args, result):
            return any(inside(hole, x) for x in (*args, result))
        case other:
            return other is hole


def closed(k: Kind) -> Type:
    """Return the type in the papers' language. What nothing says is a real."""
    match known(k):
        case Base(t):
            return t
        case Tuple(items):
            return tuple_type(*map(closed, items))
        case Arrow(args, result):
            return Fun(tuple_type(*map(closed, args)), closed(result))
        case _:
            return R
