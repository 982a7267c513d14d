"""The libraries of the target languages: operations as rows, found by name in an ``Op`` term.

A row says how an operation is typed, what it does, what it costs and how it is printed. The rows
that several papers share (arrays, maps, mutable arrays) are in ``language.arrays``, cotangents and
environments in ``language.linear``; what belongs to one algorithm is added by the file of that
algorithm:

    LIBRARY = OPS.extended(Row("SCall", sig(...), run, show="SCall {0} {1}"), ...)

``sig(arguments, result, *names)`` is a typing rule in which ``TVar``s stand for types; the TVars
called ``names`` are given by ``static``, in that order, the others follow from the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from pullback.core.frozen import dataclass
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    EVM,
    Arr,
    Data,
    Exists,
    Forall,
    Fun,
    Plus,
    Prod,
    Static,
    TVar,
    Type,
)
from pullback.papers.language.traverse import subst_type

Rule = Callable[[Sequence[Type], Sequence[Static]], Type]
Run = Callable[[Machine, Sequence[object], Sequence[Static]], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One operation. ``run(machine, arguments, static)`` may add to ``machine.cost``; ``cost`` is
    what the node costs in any case, besides its arguments. ``show`` has {0}, {1} for arguments and
    {s} for the static part; without it the printer writes ``name t1 t2``. ``linear`` are the
    arguments in which it is a homomorphism, jointly: () for a zero, None if it is none. ``once``
    works on the static part when a term is translated: ``run`` gets what it returns."""

    name: str
    rule: Rule
    run: Run
    cost: int = 1
    show: str = ""
    linear: tuple[int, ...] | None = None
    once: Callable[[tuple[Static, ...]], tuple[Static, ...]] = lambda static: static


class Library(Mapping[str, Row]):
    """Rows by name."""

    def __init__(self, *rows: Row) -> None:
        self.rows: dict[str, Row] = {}
        for row in rows:
            if row.name in self.rows:
                raise ValueError(f"operation {row.name!r}: two rows")
            self.rows[row.name] = row

    def __getitem__(self, name: str) -> Row:
        return self.rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def extended(self, *rows: Row) -> Library:
        """Return the library with more rows. Refuse a row whose name is taken."""
        return Library(*self.rows.values(), *rows)

    def replaced(self, *rows: Row) -> Library:
        """Return another implementation of some rows, for the same terms."""
        for row in rows:
            if row.name not in self.rows:
                raise ValueError(f"operation {row.name!r} is not in the library")
        new = {row.name: replace(row, linear=self.rows[row.name].linear) for row in rows}
        return Library(*(self.rows | new).values())


def match_type(pattern: Type, t: Type, found: dict[str, Type]) -> bool:
    """Whether ``t`` is the pattern with its TVars replaced; what they stand for goes to ``found``.
    A function of any kind fits the pattern s -> t."""
    match pattern, t:
        case TVar(name), _:
            return fits(t, found.setdefault(name, t))
        case (Prod(a, b), Prod(c, d)) | (Plus(a, b), Plus(c, d)):
            return match_type(a, c, found) and match_type(b, d, found)
        case Fun(a, b, k), Fun(c, d, kind):
            return (k in ("->", kind)) and match_type(a, c, found) and match_type(b, d, found)
        case Arr(a), Arr(b):
            return match_type(a, b, found)
        case Data(name, args), Data(other, given):
            return name == other and len(args) == len(given) and all(
                match_type(a, b, found) for a, b in zip(args, given, strict=True))
        case EVM(c, a), EVM(d, b):
            return (c == () or c == d) and match_type(a, b, found)
        case _:
            return pattern == t


def fits(t: Type, wanted: Type) -> bool:
    """Whether a value of type ``t`` can stand where ``wanted`` is: the same type, but that a
    function of a special kind is a function."""
    if t is wanted or t == wanted:
        return True
    match t, wanted:
        case Fun(a, b, kind), Fun(c, d, k):
            return k in ("->", kind) and fits(c, a) and fits(b, d)
        case (Prod(a, b), Prod(c, d)) | (Plus(a, b), Plus(c, d)):
            return fits(a, c) and fits(b, d)
        case Arr(a), Arr(b):
            return fits(a, b)
        case Data(name, args), Data(other, given):
            return name == other and len(args) == len(given) and all(map(fits, args, given))
        case EVM(context, a), EVM(other_context, b):
            return context == other_context and fits(a, b)
        case (Forall(names, a), Forall(others, b)) if len(names) == len(others):
            return fits(a, subst_type(b, dict(zip(others, map(TVar, names), strict=False))))
        case Exists(name, a), Exists(other, b):
            return fits(a, subst_type(b, {other: TVar(name)}))
        case _:
            return False


def sig(arguments: Sequence[Type], result: Type, *names: str) -> Rule:
    """Return a typing rule; see the head of this file."""

    def rule(types: Sequence[Type], static: Sequence[Static]) -> Type:
        given = [s for s in static if not isinstance(s, str | int)]
        if len(given) < len(names):
            raise TypeError(f"needs the types {', '.join(names)}")
        found = dict(zip(names, given, strict=True))
        if len(types) != len(arguments):
            raise TypeError(f"takes {len(arguments)} arguments, not {len(types)}")
        for pattern, t in zip(arguments, types, strict=True):
            if not match_type(pattern, t, found):
                raise TypeError(f"takes {subst_type(pattern, found)}, not {t}")
        return subst_type(result, found)

    return rule


def pure(f: Callable[..., object]) -> Run:
    """Return the ``run`` of a row that is a plain function of its arguments."""
    return lambda m, args, static: f(*args)


def implementation(library: Library, **runs: Run) -> tuple[Row, ...]:
    """Return rows of a library with other code behind them."""
    return tuple(replace(library[name], run=run) for name, run in runs.items())
