"""Make a check once, before the loop in which it stands.

    build i < n. require (i < m); e           ==>  require (n <= m);            build i < n. e
    sum i < n. a?[i + 1]                      ==>  require (n <= dim a - 1);    sum i < n. a[i + 1]
    sum i < n. require c; e    (c invariant)  ==>  require (c or n <= 0);       sum i < n. e

A condition on integers that is linear in the index of the loop holds in every iteration if it holds
in the extreme one. So the same programs raise errors, only earlier: before the errors of other
places in the loop. (Such errors are marked, see ``call.first_errors``.) Checks in a branch of the
loop's body stay there. Inner loops come first, so checks move out of whole nests. The loops that
remain have no exits, so they can be fused, nested and run in lanes.
"""

from __future__ import annotations

from pullback.core.build import Builder
from pullback.core.effects import EffectsOf, Work, may_duplicate
from pullback.core.frozen import dataclass
from pullback.core.messages import Message, Raised
from pullback.core.prims import REQUIRE
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Site,
    Sum_,
    Update,
    Var,
    out_of_range,
)
from pullback.core.traverse import defined, map_blocks
from pullback.core.types import I64, Bool, Int
from pullback.opt.arrays.shapes import stable_arrays
from pullback.opt.scalar.bounds import Checks, loop_indices
from pullback.opt.scalar.ranges import COMPARED, Form

_ZERO = Lit(0, I64)

DEEPEST = 6
"""Conditions of at most this depth are computed anew before the loop."""


def hoist_checks(program: Program) -> Program:
    """Return the program with checks before loops instead of inside."""
    stable = stable_arrays(program)
    effects = EffectsOf(program)
    functions = {
        name: _Lifter(stable, effects).function(f) for name, f in program.functions.items()
    }
    return Program(functions, program.decls, program.main)


@dataclass(frozen=True, slots=True)
class Goal:
    """A condition to check: the form is >= 0, or one of the invariant truth values ``instead`` is
    true."""

    form: Form | None
    instead: tuple[Var, ...] = ()


class _Lifter(Checks):
    """The walk over one function, which also removes the checks that cannot fail."""

    def __init__(self, stable: frozenset[Var], effects: EffectsOf) -> None:
        super().__init__(stable)
        self.effects = effects

    def loop(self, op: Build | Sum_ | Loop) -> Op:
        done = super().loop(op)
        return map_blocks(done, lambda block: self.lift(op, block))

    def lift(self, loop: Build | Sum_ | Loop, block: Block) -> Block:
        """Return the block of the loop without the checks that now stand before the loop."""
        if not any(_is_check(let.op) for let in block.lets) or self.effects.calls_python(block):
            return block
        inside = defined(block).union(i for i, _ in loop_indices(loop))
        if isinstance(loop, Loop):
            inside.update(loop.carried)
        stay = []
        for let in block.lets:
            match let.op:
                case Prim(
                    name, (cond, *shown), (str() | type() as raised, str() | Message() as message)
                ) if name in REQUIRE and all(
                    self.is_invariant(a, inside, DEEPEST) for a in shown
                ):
                    goals = self.goals(cond, inside)
                    if self.lifted(loop, inside, goals, let.site, raised, message, tuple(shown)):
                        continue
                    stay.append(let)
                case Index(a, idx, True) if self.lifted(
                    loop, inside, self.in_bounds(a, idx), let.site
                ):
                    stay.append(Let(let.vars, Index(a, idx, False), let.site))
                case Update(a, idx, value, True) if self.lifted(
                    loop, inside, self.in_bounds(a, idx), let.site
                ):
                    stay.append(Let(let.vars, Update(a, idx, value, False), let.site))
                case _:
                    stay.append(let)
        return Block(tuple(stay), block.results)

    # --- what a check asks --------------------------------------------------------------------

    def goals(self, cond: Atom, inside: set[Var]) -> list[Goal] | None:
        """Return the conditions of which the truth value is the conjunction; None if they cannot be
        listed."""
        if not isinstance(cond, Var):
            return None
        if self.is_invariant(cond, inside, DEEPEST):
            return [Goal(None, (cond,))]
        op = self.defs.get(cond)
        match op:
            case Prim("and", (a, b)):
                first, second = self.goals(a, inside), self.goals(b, inside)
                return None if first is None or second is None else first + second
            case Prim("or", args):
                for a, other in (args, args[::-1]):
                    if isinstance(a, Var) and self.is_invariant(a, inside, DEEPEST):
                        rest = self.goals(other, inside)
                        return rest and [Goal(g.form, (*g.instead, a)) for g in rest]
                return None
            case Prim("not", (Var() as a,)):
                test = self.defs.get(a)
                if isinstance(test, Prim) and test.name in COMPARED:
                    return self.goal(COMPARED[test.name], test.args)
                return None
            case Prim(name, args):
                return self.goal(name, args)
            case _:
                return None

    def is_invariant(self, a: Atom, inside: set[Var], depth: int) -> bool:
        """Whether ``a`` can be computed before the loop, by scalar steps from values that exist
        there."""
        if not isinstance(a, Var) or a not in inside:
            return True
        op = self.defs.get(a)
        return (
            depth > 0
            and isinstance(op, Prim)
            and isinstance(a.type, (Bool, Int))
            and may_duplicate(op, Work.FUNCTION)
            and all(self.is_invariant(x, inside, depth - 1) for x in op.args)
        )

    def before(self, a: Atom, inside: set[Var], b: Builder) -> Atom:
        """Emit ``a`` before the loop."""
        if not isinstance(a, Var) or a not in inside:
            return a
        op = self.defs[a]
        assert isinstance(op, Prim)
        return b.prim(op.name, *(self.before(x, inside, b) for x in op.args), static=op.static)

    def goal(self, name: str, args: tuple[Atom, ...]) -> list[Goal] | None:
        if name not in ("lt", "le", "gt", "ge") or args[0].type != I64:
            return None
        x, y = self.ranges.form(args[0]), self.ranges.form(args[1])
        if name in ("gt", "ge"):
            x, y = y, x
        return [Goal(y.plus(x, -1).plus(Form(1 if name in ("lt", "gt") else 0, {}), -1))]

    def in_bounds(self, a: Atom, idx: tuple[Atom, ...]) -> list[Goal] | None:
        """Return the conditions under which the element exists; None if an index may be negative,
        and so counts from the end."""
        out: list[Goal] = []
        for i, n in zip(idx, self.shapes.of(a), strict=False):
            form = self.ranges.form(i)
            if n is None or not self.ranges.not_negative(form):
                return None
            below = self.ranges.form(n).plus(form, -1).plus(Form(1, {}), -1)
            if not self.ranges.not_negative(below):
                out.append(Goal(below))
        return out

    # --- before the loop ----------------------------------------------------------------------

    def lifted(
        self,
        loop: Build | Sum_ | Loop,
        inside: set[Var],
        goals: list[Goal] | None,
        site: Site | None,
        exception: Raised = "IndexError",
        message: str | Message = "index is out of bounds",
        shown: tuple[Atom, ...] = (),
    ) -> bool:
        """Emit the check before the loop if that is possible; return whether it was. ``shown``: the
        values in the message."""
        if goals is None:
            return False
        b = Builder()
        for goal in goals:
            conditions = [self.before(a, inside, b) for a in goal.instead]
            form = None if goal.form is None else self.worst(goal.form, loop, inside)
            if form is not None:
                conditions.insert(0, _at_least_zero(b, form))
            elif goal.form is not None:
                return False
            for _, n in loop_indices(loop):
                if not self.holds_when_empty(form, n):
                    conditions.append(b.prim("le", n, _ZERO))
            cond = conditions[0]
            for other in conditions[1:]:
                cond = b.prim("or", cond, other)
            text = message
            if exception == "IndexError" and isinstance(message, str):
                text = out_of_range(site, message)
            values = tuple(self.before(a, inside, b) for a in shown)
            b.require(cond, exception, text, site, "require.early", values)
        for let in b.lets:
            op = self.op(let, self.renamed(let.op))
            if op is not None:
                self.add(Let(let.vars, op, let.site))
        return True

    def worst(
        self, form: Form, loop: Build | Sum_ | Loop, inside: set[Var]
    ) -> Form | None:
        """Return the smallest value of the form in the loop, if it does not depend on the
        iteration."""
        for i, _ in loop_indices(loop):
            c = form.terms.get(i, 0)
            if c:
                form = form.plus(Form(0, {i: 1}), -c)
            if c < 0:
                form = form.plus(self.ranges.limit[i].plus(Form(1, {}), -1), c)
        invented = self.invented
        if any(v in inside or v in invented for v in form.terms):
            return None
        return form

    def holds_when_empty(self, form: Form | None, extent: Atom) -> bool:
        """Whether the form is >= 0 where the loop is empty, or the loop is never empty."""
        own = self.ranges.form(extent)
        if self.ranges.not_negative(own.plus(Form(1, {}), -1)):
            return True
        if form is None or own.constant != 0 or list(own.terms.values()) != [1]:
            return False
        (n,) = own.terms
        if n not in self.ranges.extents:
            return False
        return self.ranges.not_negative(form.plus(Form(0, {n: 1}), -form.terms.get(n, 0)))


def _is_check(op: Op) -> bool:
    match op:
        case Prim("require" | "require.early"):
            return True
        case Index(_, _, checked) | Update(_, _, _, checked):
            return checked
        case _:
            return False


def _at_least_zero(b: Builder, form: Form) -> Var:
    """Emit the condition that the form is >= 0. Its sums are checked: a sum that wrapped around
    would let all pass."""
    sides: list[list[Atom]] = [[], []]
    for v, c in sorted(form.terms.items(), key=lambda item: item[0].id):
        term: Atom = v
        if abs(c) != 1:
            term = b.prim("mul.ck", v, Lit(abs(c), I64))
        sides[c < 0].append(term)
    if form.constant:
        sides[form.constant < 0].append(Lit(abs(form.constant), I64))
    totals: list[Atom] = []
    for terms in sides:
        total: Atom = terms[0] if terms else _ZERO
        for term in terms[1:]:
            total = b.prim("add.ck", total, term)
        totals.append(total)
    return b.prim("ge", *totals)
