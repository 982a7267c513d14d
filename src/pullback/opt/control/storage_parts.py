"""Which arrays the first part of a division may make, and what it may do with them: the rest, which
runs after it, updates nothing that it has made, and reads nothing that it has updated."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pullback.core.consumption import Roots, roots_of, summaries, visit, visit_block
from pullback.core.effects import Effect, EffectsOf
from pullback.core.sharing import Sharing
from pullback.core.terms import Atom, Call, Let, Loop, Op, Program, Update, Var, While
from pullback.core.traverse import all_lets, free_variables_of
from pullback.core.types import Array
from pullback.opt.arrays.storage import updated_arrays
from pullback.opt.control.rows import Parts


class Storage:
    """What the functions of a program update in place."""

    def __init__(self, program: Program, effects: EffectsOf) -> None:
        self.effects = effects
        self.updated = updated_arrays(program)
        self.overwritten, self.inside_data = _overwritten(program)
        self.known = dict(summaries(program))

    def consumed(self, let: Let) -> set[Var]:
        """The arrays from outside that a let consumes."""
        return visit(let, self.known, {})

    def may_move(self, made: Iterable[Var]) -> bool:
        """Whether there may be one of these arrays for all iterations: none is an element of data
        that is updated."""
        return self.inside_data.isdisjoint(made)

    def wrong(self, parts: Parts, taken_after: Collection[Atom]) -> dict[int, set[Var]]:
        """Which lets may not be in the first part after all, as the rest updates what they make
        (these variables), or reads what they update."""
        marked = list(enumerate(zip(parts.lets, parts.same, strict=True)))
        if not any(Effect.CONSUME in self.effects(let.op) for let in parts.lets):
            return {}
        roots: Roots = {}
        made: dict[Var, int] = {}
        taken: dict[Var, int] = {}
        for k, (let, same) in marked:
            if same:
                taken.update(dict.fromkeys(visit(let, self.known, roots), k))
                made.update(dict.fromkeys(let.vars, k))
        found: dict[int, set[Var]] = {}
        later: set[Var] = set()
        for _, (let, same) in marked:
            if not same:
                for r in (r for v in free_variables_of(let.op) for r in roots_of(v, roots)):
                    if r in taken:
                        found.setdefault(taken[r], set())
                later |= visit(let, self.known, roots)
        for r in later.union(*(roots_of(a, roots) for a in taken_after)):
            if r in made:
                found.setdefault(made[r], set()).add(r)
        return found

    def taken(self, op: Op, carried: Collection[Var] | None = None) -> list[Atom]:
        """What the next iteration of a loop consumes, of these carried variables."""
        if not isinstance(op, (Loop, While)):
            return []
        consumed = visit_block(op.body, self.known, {})
        pairs = zip(op.carried, op.body.results, strict=False)
        return [r for c, r in pairs if c in consumed and (carried is None or c in carried)]

    def lasts(self, v: Var) -> bool:
        """Whether what the variable holds now will be there after the loop."""
        if not isinstance(v.type, Array):
            return True
        return v not in self.overwritten and not (
            isinstance(v.type.elem, Array) and v in self.updated
        )


def _overwritten(program: Program) -> tuple[set[Var], set[Var]]:
    """The variables that may share storage with an array of numbers that is updated, and those of
    them where that may be an element of an array of arrays."""
    sharing, known = Sharing(), summaries(program)
    numbers = list[Var]()
    for f in program.functions.values():
        sharing.block(f.body)
        for let in all_lets(f.body):
            match let.op:
                case Update(Var() as a, _, value, _) if not isinstance(value.type, Array):
                    numbers.append(a)
                case Call(g, args):
                    consumed = [args[i] for i in known[g].consumes]
                    numbers += [v for v in consumed if isinstance(v, Var)]
                case _:
                    pass
    found = sharing.of(numbers)
    outer = [v for v in found if isinstance(v.type, Array) and isinstance(v.type.elem, Array)]
    return found, sharing.of(outer)


__all__ = ["Storage"]
