"""Facts about integers at the place of their use: linear forms, and proofs that a form is >= 0.

    form   c0 + c1*v1 + ... + ck*vk       over variables that are not themselves sums

The facts are: an index of a loop is at least 0 and below its extent; extents are at least 0; the
condition of the branch that is taken holds, and so does that of every ``require`` before; what is
at least as large as a number and not equal to it is larger. A proof
replaces the variables of a form by their bounds, from the innermost outwards, until a constant is
left.
"""

from __future__ import annotations

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Atom, Block, If, Lit, Op, Prim, Var
from pullback.core.types import BOOL, I64

FACTS = 24
"""At most this many facts of conditions are tried, the latest first."""

DEEPEST = 16
"""Sums of sums are looked into so far ..."""

WIDEST = 8
"""... and as long as their forms have no more terms than this."""

MOST = 2**48
"""Larger than any extent of an array, by the machine's addresses."""

LONGEST = 2**62
"""Larger than any index that a loop can have counted up to."""

COMPARED = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}
"""The comparisons, and which one is true when they are false."""

_WRAPPING = frozenset({"add", "sub", "neg", "mul"})


@dataclass(frozen=True, slots=True)
class Form:
    """A linear form over variables."""

    constant: int
    terms: dict[Var, int]

    def plus(self, other: Form, factor: int = 1) -> Form:
        """``self + factor * other``."""
        terms = dict(self.terms)
        for v, c in other.terms.items():
            total = terms.get(v, 0) + factor * c
            if total:
                terms[v] = total
            else:
                terms.pop(v, None)
        return Form(self.constant + factor * other.constant, terms)


Mark = tuple[int, int, int, dict[Var, Form]]


@dataclass
class Ranges:
    """The facts in scope. ``defs``: the op of every variable."""

    defs: dict[Var, Op]
    limit: dict[Var, Form] = field(default_factory=dict)  # v < limit, for loop indices
    entered: dict[Var, int] = field(default_factory=dict)  # ... and how many were there before
    extents: set[Var] = field(default_factory=set)  # known to be >= 0 and < MOST
    trail: list[Var] = field(default_factory=list)  # ... in the order of these facts
    facts: list[Form] = field(default_factory=list)  # each >= 0
    unless_empty: list[tuple[Atom, Atom]] = field(default_factory=list)  # n <= 0 or this holds
    equal: dict[Var, Form] = field(default_factory=dict)
    given: dict[Var, Form] = field(default_factory=dict)  # the forms of extents
    forms: dict[Var, Form] = field(default_factory=dict)  # the forms that were computed

    # --- forms --------------------------------------------------------------------------------

    def form(self, a: Atom) -> Form:
        """Return the atom as a linear form. Sums that might wrap around are not opened."""
        found = self._form(a, DEEPEST)
        return self._replaced(found) if self.equal else found

    def _form(self, a: Atom, depth: int) -> Form:
        if isinstance(a, Lit):
            return Form(int(a.value), {})
        found = self.given.get(a) or self.forms.get(a)
        if found is None:
            found = self._expand(a, depth - 1) if depth else Form(0, {a: 1})
            if len(found.terms) > WIDEST:
                found = Form(0, {a: 1})
            self.forms[a] = found
        return found

    def _expand(self, v: Var, depth: int) -> Form:
        op = self.defs.get(v)
        if isinstance(op, Prim) and op.name in _WRAPPING and not self.fits(v):
            return Form(0, {v: 1})
        match op:
            case Prim("add" | "add.ck", (x, y)):
                return self._form(x, depth).plus(self._form(y, depth))
            case Prim("sub" | "sub.ck", (x, y)):
                return self._form(x, depth).plus(self._form(y, depth), -1)
            case Prim("neg" | "neg.ck", (x,)):
                return Form(0, {}).plus(self._form(x, depth), -1)
            case Prim("mul" | "mul.ck", (x, Lit(int(k), _))) | Prim(
                "mul" | "mul.ck", (Lit(int(k), _), x)
            ):
                return Form(0, {}).plus(self._form(x, depth), k)
            case _:
                return Form(0, {v: 1})

    def _replaced(self, form: Form) -> Form:
        for v in [v for v in form.terms if v in self.equal]:
            c = form.terms.get(v, 0)
            form = form.plus(Form(0, {v: 1}), -c).plus(self.equal[v], c)
        return form

    # --- facts --------------------------------------------------------------------------------

    def index(self, v: Var, extent: Atom) -> None:
        """Note that ``v`` runs from 0 to ``extent`` - 1. To be called before the block of the loop:
        facts that hold unless the loop is empty are assumed there, until ``forget``."""
        whole = extent
        op = self.defs.get(extent) if isinstance(extent, Var) else None
        if isinstance(op, Prim) and op.name == "max":
            for x, y in (op.args, op.args[::-1]):
                if isinstance(y, Lit) and y.value <= 0:
                    extent = x  # the loop runs, so the extent is not y
        self.limit[v] = limit = self.form(extent)
        self.entered[v] = len(self.entered)
        if limit.terms:
            self.facts.append(limit.plus(Form(1, {}), -1))  # in a round there is one
        for other, condition in self.unless_empty:
            if other is whole:
                self.assume(condition, True)

    def extent(self, n: Atom) -> None:
        """Note that ``n`` is an extent of an array (until ``forget``)."""
        if isinstance(n, Var) and n not in self.extents:
            self.extents.add(n)
            self.trail.append(n)

    def assume(self, condition: Atom, holds: bool) -> None:
        """Assume that the condition holds, or that it does not, from here on (until ``forget``)."""
        op = self.defs.get(condition) if isinstance(condition, Var) else None
        for a, truth in _short_circuit(op, holds):
            self.assume(a, truth)
        if not isinstance(op, Prim) or not op.args or op.args[0].type not in (I64, condition.type):
            return
        match op.name, holds:
            case ("not", _):
                self.assume(op.args[0], not holds)
            case ("and", True) | ("or", False):
                for a in op.args:
                    self.assume(a, holds)
            case ("or", True):
                for a, other in (op.args, op.args[::-1]):
                    match self.defs.get(a) if isinstance(a, Var) else None:
                        case Prim("le", (n, Lit(0, _))):
                            self.unless_empty.append((n, other))
            case ("eq" | "ne" | "lt" | "le" | "gt" | "ge", _) if op.args[0].type == I64:
                self._compare(op.name, holds, self.form(op.args[0]), self.form(op.args[1]))
            case _:
                return

    def _compare(self, name: str, holds: bool, x: Form, y: Form) -> None:
        if not holds:
            name = COMPARED[name]
        less, more = x.plus(y, -1), y.plus(x, -1)  # x - y, y - x
        one = Form(1, {})
        match name:
            case "lt":
                self.facts.append(more.plus(one, -1))
            case "le":
                self.facts.append(more)
            case "gt":
                self.facts.append(less.plus(one, -1))
            case "ge":
                self.facts.append(less)
            case "eq":
                self._equate(less)
            case _:  # not equal, and so beyond a bound
                beyond = next((d for d in (less, more) if self.not_negative(d)), None)
                if beyond is not None:
                    self.facts.append(beyond.plus(one, -1))

    def _equate(self, difference: Form) -> None:
        """Note that ``difference`` is 0: one of its variables is a form of the others."""
        self.facts.extend((difference, Form(0, {}).plus(difference, -1)))
        units = [v for v, c in difference.terms.items() if abs(c) == 1 and v not in self.equal]
        units = [v for v in units if v not in self.limit]
        if units:
            v = max(units, key=lambda u: u.id)
            rest = difference.plus(Form(0, {v: 1}), -difference.terms[v])
            self.equal[v] = Form(0, {}).plus(rest, -difference.terms[v])

    def mark(self) -> Mark:
        """Return the present state, for ``forget``."""
        return len(self.facts), len(self.trail), len(self.unless_empty), dict(self.equal)

    def forget(self, mark: Mark) -> None:
        """Leave a block: drop the facts that were added in it."""
        facts, trail, unless, equal = mark
        self.equal = dict(equal)
        del self.facts[facts:], self.unless_empty[unless:]
        if len(self.trail) > trail:  # sums that could not overflow in the block may do so outside
            self.extents.difference_update(self.trail[trail:])
            del self.trail[trail:]
            self.forms.clear()

    # --- proofs -------------------------------------------------------------------------------

    def holds(self, condition: Atom) -> bool:
        """Whether a truth value is certainly true."""
        if isinstance(condition, Lit):
            return bool(condition.value)
        op = self.defs.get(condition)
        if not isinstance(op, Prim):
            return False
        if op.name == "and":
            return all(self.holds(a) for a in op.args)
        if op.name == "or":
            return any(self.holds(a) for a in op.args)
        if op.name not in COMPARED or op.args[0].type != I64:
            return False
        return self.compares(op.name, *op.args)

    def compares(self, name: str, a: Atom, b: Atom) -> bool:
        """Whether a comparison of two integers is certainly true."""
        x, y = self.form(a), self.form(b)
        less, more, one = x.plus(y, -1), y.plus(x, -1), Form(1, {})
        match name:
            case "lt":
                return self.not_negative(more.plus(one, -1))
            case "le":
                return self.not_negative(more)
            case "gt":
                return self.not_negative(less.plus(one, -1))
            case "ge":
                return self.not_negative(less)
            case "eq":
                return less.constant == 0 and not less.terms
            case _:
                below, above = more.plus(one, -1), less.plus(one, -1)
                return self.not_negative(below) or self.not_negative(above)

    def inside(self, i: Atom, extent: Atom) -> bool:
        """Whether certainly 0 <= i < extent."""
        form = self.form(i)
        below = self.form(extent).plus(form, -1).plus(Form(1, {}), -1)
        return self.not_negative(form) and self.not_negative(below)

    def fits(self, v: Var) -> bool:
        """Whether the sum or product that ``v`` is bound to certainly has not overflowed."""
        low, high = self.interval(v)
        return low >= -(2**63) and high < 2**63

    def not_negative(self, form: Form) -> bool:
        """Whether the form is certainly >= 0."""
        if self._bounded(form):
            return True
        return any(
            not fact.terms.keys().isdisjoint(form.terms)
            and self._bounded(form.plus(self._replaced(fact), -1))
            for fact in reversed(self.facts[-FACTS:])
        )

    def _bounded(self, form: Form) -> bool:
        """Replace indices of loops by their bounds, those of inner loops first."""
        for _ in range(12):
            negative = [v for v, c in form.terms.items() if c < 0 and v in self.limit]
            if not negative:
                break
            v = max(negative, key=lambda u: self.entered[u])
            c, limit = form.terms[v], self.limit[v]
            # c * v >= c * (limit - 1), as c < 0
            top = self._replaced(limit).plus(Form(1, {}), -1)
            form = form.plus(Form(0, {v: 1}), -c).plus(top, c)
        return form.constant >= 0 and all(
            c > 0 and (v in self.limit or v in self.extents or self.low(v) >= 0)
            for v, c in form.terms.items()
        )

    # --- intervals ----------------------------------------------------------------------------

    def low(self, a: Atom) -> float:
        """Return a lower bound of an integer, or -inf."""
        return self.interval(a)[0]

    def interval(self, a: Atom, depth: int = 6) -> tuple[float, float]:
        """Return bounds of an integer, by the kind of its variable and by arithmetic, one level
        after the other."""
        if isinstance(a, Lit):
            return a.value, a.value
        if a in self.extents:
            return 0, MOST
        if a in self.limit:
            return 0, self._highest(self.limit[a], depth - 1) - 1 if depth else LONGEST
        op = self.defs.get(a)
        if not isinstance(op, Prim) or depth == 0 or not op.args or op.args[0].type != I64:
            return -float("inf"), float("inf")
        lo, hi = self.interval(op.args[0], depth - 1)
        if op.name in ("neg", "neg.ck"):
            return -hi, -lo
        if len(op.args) != 2:
            return -float("inf"), float("inf")
        lo2, hi2 = self.interval(op.args[1], depth - 1)
        match op.name:
            case "add" | "add.ck":
                return lo + lo2, hi + hi2
            case "sub" | "sub.ck":
                return lo - hi2, hi - lo2
            case "mul" | "mul.ck":
                ends = [_times(x, y) for x in (lo, hi) for y in (lo2, hi2)]
                return min(ends), max(ends)
            case "max":
                return max(lo, lo2), max(hi, hi2)
            case "min":
                return min(lo, lo2), min(hi, hi2)
            case "mod" if lo2 > 0:
                return 0, hi2 - 1
            case "floordiv" if lo2 > 0 and lo >= 0:
                return 0, hi
            case _:
                return -float("inf"), float("inf")

    def _highest(self, limit: Form, depth: int) -> float:
        total: float = limit.constant
        for v, c in limit.terms.items():
            lo, hi = self.interval(v, depth)
            total += _times(c, hi if c > 0 else lo)
        return min(total, LONGEST)


def _short_circuit(op: Op | None, holds: bool) -> tuple[tuple[Atom, bool], ...]:
    """What holds if ``c and d``, written as a branch or a choice, is true; or ``c or d`` is not."""
    match op:
        case If(c, Block(_, (x,)), Block(_, (y,))) | Prim("select", (c, x, y)):
            if isinstance(y, Lit) and y.type == BOOL and y.value != holds:
                return (c, True), (x, holds)
            if isinstance(x, Lit) and x.type == BOOL and x.value != holds:
                return (c, False), (y, holds)
            return ()
        case _:
            return ()


def _times(x: float, y: float) -> float:
    return 0 if x == 0 or y == 0 else x * y
