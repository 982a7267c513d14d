"""The row of the primitive table, and the type rules that rows share.

A row says everything about one primitive: its type rule, its value (on NumPy values), its partial
derivatives, its cost, its LLVM text, the interval in which it is tested and the rule at its kinks.
The table itself is ``prims.TABLE``.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Literal

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom
from pullback.core.terms import Static as Static
from pullback.core.types import BOOL, Bool, Int, Real, Type

if TYPE_CHECKING:
    from pullback.core.build import Builder

Rule = Callable[[tuple[Type, ...], Static], tuple[Type, ...]]
"""From the argument types and the static parameters to the result types; raises TypeError."""

PartialFn = Callable[["Builder", tuple[Atom, ...], Atom], Atom]
"""Emits the partial derivative with respect to one argument, given the arguments and the result."""


class Mark(Enum):
    """A written value in the place of a partial derivative."""

    ZERO = "zero"
    """Discrete or piecewise constant: the partial is 0 wherever it exists, and 0 by rule else."""
    NOT_DIFFERENTIABLE = "not differentiable"
    """No rule in the table: differentiating through this argument is refused."""
    VIEW = "view"
    """A view of the array: the same primitive, on the accumulator's handle or on the tangent."""
    REARRANGE = "rearrange"
    """Array elements copied to new places: linear; tangents by the same primitive, cotangents
    element by element (``ad`` has the rule)."""
    WHOLE = "whole"
    """The row has a rule for all its arguments at once (``Row.whole``)."""


ZERO = Mark.ZERO
NOT_DIFFERENTIABLE = Mark.NOT_DIFFERENTIABLE

Partial = PartialFn | float | Mark
"""A float is a constant partial (the argument enters linearly)."""

Maybe = tuple[Atom | None, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """The derivative of a primitive on whole arrays, as Core; both are emitted into a builder.

    tangent      (builder, args, tangents or None where there is none, result, static) -> the
                 tangent of the result
    cotangents   (builder, args, cotangent of the result, result, static) -> one per argument (None:
                 it has none)
    """

    tangent: Callable[[Builder, tuple[Atom, ...], Maybe, Atom, Static], Atom]
    cotangents: Callable[[Builder, tuple[Atom, ...], Atom, Atom, Static], Maybe]



@dataclass(frozen=True, slots=True)
class Row:
    """One primitive.

    numpy      its meaning: ``numpy(*args, *static)`` on evaluator values; the evaluator converts
               the result to the result type (which wraps ints to their bits)
    partials   one per argument (of a variadic primitive: the first, then one for all others)
    product    how a partial meets a cotangent or tangent ct: "mul"; "mulz" (singular: the partial
               can be inf or NaN, a zero ct gives 0); "gate" (the partial is a truth value:
               whether ct passes, whatever it is; exactly one real argument is chosen)
    effect     it can raise: never removed or reordered against other effects
    cost       steps of the cost model: 1, the number of elements of the result ("size"), the
               multiplications of an operation on whole matrices ("cubic"), or n log n for each row
               of n elements ("transform")
    llvm       kind of the last operand ("real", "int", "bool") -> text; see ``template.expand``
    domain     per real argument, an interval to test in
    kinks      the rule where the derivative does not exist
    whole      the rule of a row on whole arrays whose partials are marked WHOLE
    shared     a factor of all partials, and what is left of each without it: where all arguments
               have derivatives, it is multiplied once, with the cotangent or the sum of tangents
    """

    name: str
    arity: int | None
    rule: Rule
    numpy: Callable[..., object]
    partials: tuple[Partial, ...]
    llvm: dict[str, str]
    domain: tuple[tuple[float, float], ...] = ()
    product: Literal["mul", "mulz", "gate"] = "mul"
    effect: bool = False
    cost: Literal["one", "size", "cubic", "transform"] = "one"
    kinks: str = ""
    whole: Whole | None = None
    shared: tuple[PartialFn, tuple[PartialFn | float, ...]] | None = None

    @property
    def function(self) -> str | None:
        """The mathematical function that compiled code calls for it, if that is what it does."""
        cell = self.llvm.get("real", "")
        return cell.removeprefix("call:") if cell.startswith("call:") else None

    def partial(self, i: int) -> Partial:
        """The cell for argument ``i`` (variadic rows repeat the last one)."""
        return self.partials[min(i, len(self.partials) - 1)]


@dataclass(slots=True)
class Table:
    """Collects rows; a name twice or a cell that does not fit the row is an error at import."""

    rows: dict[str, Row] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Add a row, checked for missing cells."""
        where = f"primitive {row.name!r}"
        if row.name in self.rows:
            raise ValueError(f"{where}: two rows")
        if row.arity is not None and len(row.partials) != row.arity:
            raise ValueError(
                f"{where}, column 'partials': {len(row.partials)} cells for {row.arity} arguments"
            )
        if row.arity is None and not row.partials:
            raise ValueError(f"{where}, column 'partials': missing")
        if not row.llvm:
            raise ValueError(f"{where}, column 'llvm': missing")
        smooth = any(not isinstance(p, Mark) for p in row.partials)
        if smooth and "real" in row.llvm and row.arity != len(row.domain):
            raise ValueError(f"{where}, column 'domain': one interval per argument is missing")
        self.rows[row.name] = row


def kind_of(t: Type) -> str:
    """The column of ``Row.llvm`` for a scalar operand type."""
    match t:
        case Real():
            return "real"
        case Int():
            return "int"
        case Bool():
            return "bool"
        case _:
            raise TypeError(f"not a scalar: {t}")


def _same(types: tuple[Type, ...], n: int, allowed: tuple[type, ...], what: str) -> Type:
    if len(types) != n:
        raise TypeError(f"takes {n} arguments, not {len(types)}")
    for t in types:
        if not isinstance(t, allowed):
            raise TypeError(f"takes {what}, not {t}")
        if t != types[0]:
            raise TypeError(f"takes arguments of one type, not {types[0]} and {t}")
    return types[0]


def same(n: int, *allowed: type, result: Type | None = None) -> Rule:
    """``n`` arguments of one and the same type of a kind in ``allowed``; the result has that
    type, or the type ``result``."""
    what = " or ".join(a.__name__ for a in allowed)

    def rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
        t = _same(types, n, allowed, what)
        if static:
            raise TypeError("takes no static parameter")
        return (t if result is None else result,)

    return rule


def cast(*result: type) -> Rule:
    """One scalar argument; the static parameter is the result type."""

    def rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
        _same(types, 1, (Real, Int, Bool), "a scalar")
        match static:
            case (Real() | Int() | Bool() as t,) if isinstance(t, result):
                return (t,)
            case _:
                raise TypeError(f"static parameter must be a type {result}, not {static}")

    return rule


real1 = same(1, Real)
real2 = same(2, Real)
real3 = same(3, Real)
number1 = same(1, Real, Int)
number2 = same(2, Real, Int)
int1 = same(1, Int)
int2 = same(2, Int)
is_real = same(1, Real, result=BOOL)
comparison = same(2, Real, Int, Bool, result=BOOL)
