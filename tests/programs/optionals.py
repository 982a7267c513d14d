"""Optional values, enumerations and strings chosen at run time, patterns that nest."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import Optional

import numpy as np

from tests.programs import Program


class Op(enum.IntEnum):
    ADD = 2
    MUL = 5


class Colour(enum.Enum):
    RED = 0.5
    GREEN = 1.5
    BLUE = 2.5


@dataclass(frozen=True)
class Num:
    value: float


@dataclass(frozen=True)
class Binary:
    op: Op
    left: Formula
    right: Formula


@dataclass(frozen=True)
class Call:
    name: str
    arg: Formula
    default: Optional[Formula]


Formula = Num | Binary | Call


@dataclass(frozen=True)
class Entry:
    """A linked list whose fields may be missing."""

    weight: Optional[float]
    place: Optional[tuple[float, int]]
    row: np.ndarray | None
    colour: Colour
    rest: Optional[Entry]


def formula(e: Formula, x: float) -> float:
    match e:
        case Num(v):
            return v * x
        case Binary(Op.ADD, Num(0.0), r) | Binary(Op.ADD, r, Num(0.0)):
            return formula(r, x)
        case Binary(Op.ADD, left, right):
            return formula(left, x) + formula(right, x)
        case Binary(Op.MUL, left, right):
            return formula(left, x) * formula(right, x)
        case Call("sin", arg):
            return math.sin(formula(arg, x))
        case Call(name="or", arg=Num(v), default=d) if v < 0.0 and d is not None:
            return formula(d, x) * v
        case Call(_, arg, None):
            return formula(arg, x)
        case Call(_, arg, Num(k) as other):
            return formula(arg, x) + k * formula(other, x)
        case Call(arg=arg):
            return formula(arg, x) * 0.5


def formula_of(rng, n):
    if n <= 1:
        return Num(rng.choice([0.0, rng.normal()]).item())
    a, b = formula_of(rng, n // 2), formula_of(rng, n - n // 2)
    match rng.integers(5):
        case 0:
            return Binary(Op.ADD, a, b)
        case 1:
            return Binary(Op.MUL, a, b)
        case 2:
            return Call("sin", b, None)
        case 3:
            return Call("or", Num(-0.5), b)
        case _:
            return Call("other", a, Num(0.25))


def entries(e: Optional[Entry]) -> float:
    total = 0.0
    while e is not None:
        if e.weight is not None:
            total += e.weight**2 * e.colour.value
        if e.place is not None and e.place[1] > 0:
            total += e.place[0] * e.place[1]
        if e.row is not None:
            total += np.sum(e.row**2)
        if e.colour is Colour.RED or e.colour == Colour.BLUE:
            total *= 0.5
        e = e.rest
    return total


def entries_of(rng, n):
    made = None
    for k in range(n):
        made = Entry(
            rng.normal() if k % 2 else None,
            (rng.normal(), k - 2) if k % 3 else None,
            rng.normal(size=k) if k % 2 == 0 else None,
            list(Colour)[k % 3],
            made,
        )
    return made


def first_above(xs, limit):
    for x in xs:
        if x > limit:
            return x * x
    return None


def optional_result(xs, limit):
    """A function that falls off its end gives None."""
    found = first_above(xs, limit)
    return xs[0] if found is None else found * xs[1]


def matched_result(xs, limit):
    match first_above(xs, limit):
        case None:
            return 3.0 * xs[0]
        case v if v > 1.0:
            return v * xs[1]
        case v:
            return v


def best_so_far(xs):
    """None until the first candidate is met."""
    best = None
    for x in xs:
        if x < 0.0:
            continue
        if best is None or x * x > best:
            best = x * x + 0.1 * x
    if best is None:
        return 0.0
    return best


def optional_pair(xs):
    pair = None
    total = 0.0
    for x in xs:
        if pair is not None:
            total += pair[0] * x + pair[1]
        pair = (x, 2.0 * x) if x > 0.0 else None
    return total


def missing(xs, y):
    """A list with holes."""
    return sum(x * y for x in xs if x is not None)


def symbols(x, flag):
    kind = "square" if flag else "cube"
    op = Op.ADD if flag else Op.MUL
    power = 2 if kind == "square" else 3
    return x**power + op * x + (1.0 if op is Op.ADD else 2.0)


def no_case(e: Formula, x: float):
    match e:
        case Num(v):
            return v * x


def no_case_taken(e, x):
    return no_case(e, x) * 2.0


def holes(rng, n):
    return [rng.normal() if k % 3 else None for k in range(n)], rng.normal()


PROGRAMS = [
    Program("formulas", formula, lambda r, n: (formula_of(r, n), r.uniform(0.5, 1.0)), (0, 1)),
    Program("optional_entries", entries, lambda r, n: (entries_of(r, n),), (0,), (2, 7)),
    Program("optional_result", optional_result, lambda r, n: (r.normal(size=n), 0.5)),
    Program("optional_result_none", optional_result, lambda r, n: (r.normal(size=n), 50.0)),
    Program("matched_result", matched_result, lambda r, n: (r.normal(size=n), 0.5)),
    Program("best_or_none", best_so_far, lambda r, n: (r.normal(size=n),)),
    Program("optional_pair", optional_pair, lambda r, n: (r.normal(size=n),)),
    Program("missing_items", missing, holes, (0, 1)),
    Program("symbols_chosen", symbols, lambda r, n: (r.uniform(0.5, 1.5), n // 6), (0,), (3, 8)),
    Program("no_case_taken", no_case_taken, lambda r, n: (Num(r.normal()), 0.7), (0, 1), (3,)),
]
