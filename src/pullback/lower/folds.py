"""Find loops that fold numbers by a choice or an operation whose order does not matter: they run in
lanes.

    loop i < n with s = a, j = b.                      each of 8 lanes folds every eighth number,
      let v = x[i]; c = v > s                    ==>   from a and b; then the lanes are folded
      in (v if c else s), (i if c else j)

The maximum of numbers, its place, ``any``, ``all`` are such loops, however they are written. A
comparison that numbers win, or lose, against equal ones chooses the first, or the last, of the best
ones. So of the winners of two lanes the better one wins, and of equally good ones (0.0 and -0.0,
say) that of the earlier, or the later, round: the same bits as one round after the other. NaN wins
against nothing, or (NumPy's rule, ``not v <= s and s == s``) against everything but NaN.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.effects import EffectsOf, may_duplicate
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Block, If, Index, Let, Lit, Loop, Op, Prim, Program, Sum_, Var
from pullback.core.traverse import all_lets, free_variables_of
from pullback.core.types import BOOL, Bool, Int, Real

_TURNED = {"gt": "lt", "lt": "gt", "ge": "le", "le": "ge"}
_NOT = {"le": "gt", "ge": "lt"}
_EXTREMA = {"max": "gt", "min": "lt"}

MOST_LETS = 40
"""A round of more lets is not written several times."""

STRICT = frozenset({"gt", "lt"})
"""Comparisons by which the first one of equal numbers stays."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Carried variables (their numbers) that are replaced together.

    key      the one that is compared
    wins     the comparison by which a number takes its place
    nan      whether NaN takes its place too, and keeps it
    members  all of them, but for ``place`` where it is no variable of the loop
    place    which one is the number of the round (of a nest: of all rounds of its loops)
    """

    key: int
    wins: str
    nan: bool
    members: tuple[int, ...]
    place: int


@dataclass(frozen=True, slots=True)
class Fold:
    """A loop as the parallel loop of what it folds. ``merged``: carried variables with an operation
    in which order and repetition do not matter; ``hidden``: how many numbers of rounds are carried
    beside the variables of the loop."""

    sum: Sum_
    merged: dict[int, str]
    choices: tuple[Choice, ...]
    hidden: int


def folding_loops(program: Program) -> dict[Op, Fold]:
    """Return the loops that are folds."""
    effects = EffectsOf(program)
    found: dict[Op, Fold] = {}
    for f in program.functions.values():
        for let in all_lets(f.body):
            if isinstance(let.op, Loop) and (fold := _Reader(let.op).fold(effects)) is not None:
                found[let.op] = fold
    return found


def _nest(op: Loop) -> list[Loop]:
    """Return a loop, and those inside that are all that the one around them does."""
    loops = [op]
    while True:
        match loops[-1]:
            case Loop(_, _, carried, _, Block((Let(found, Loop() as inner),), results)) if (
                inner.inits == carried and results == found and inner.count is not loops[-1].index
            ):
                loops.append(inner)
            case _:
                return loops


class _Reader:
    """Reads one loop. ``told``: the ops of the body that depend on what it carries."""

    def __init__(self, op: Loop) -> None:
        *outer, self.op = _nest(op)
        self.extents = (*(x.count for x in outer), self.op.count)
        self.indices = (*(x.index for x in outer), self.op.index)
        self.told: dict[Var, Prim] = {}
        self.free: list[Let] = []
        self.understood: set[Var] = set()

    def fold(self, effects: EffectsOf) -> Fold | None:
        """Return the loop as a fold, if it is nothing else."""
        op = self.op
        scalar = all(isinstance(v.type, (Real, Int, Bool)) for v in op.carried)
        if not op.carried or len(op.body.results) != len(op.carried) or not scalar:
            return None
        if not self.divide() or effects.block(op.body) or len(op.body.lets) > MOST_LETS:
            return None
        candidates: list[Atom] = []
        merged: dict[int, str] = {}
        chosen: dict[Var, list[int]] = {}
        choices: list[Choice] = []
        for k, (s, r) in enumerate(zip(op.carried, op.body.results, strict=True)):
            made = self.told.get(r) if isinstance(r, Var) else None
            x = None if made is None else self.other(made, s)
            if made is None or x is None:
                return None
            candidates.append(x)
            if made.name == "select":
                chosen.setdefault(_var(made.args[0]), []).append(k)
            elif made.name in _EXTREMA and isinstance(s.type, Real):
                choices.append(Choice(k, _EXTREMA[made.name], False, (k,), -1))
            else:
                merged[k] = made.name
            self.understood.add(_var(r))
        for c, members in chosen.items():
            choice = self.choice(c, members, candidates)
            if choice is None:
                return None
            choices.append(choice)
        if self.understood != self.told.keys():
            return None
        return self.with_places(candidates, merged, choices)

    def divide(self) -> bool:
        """Divide the body into what depends on carried variables, which must be primitives, and
        the rest, which must have no loops: these have lanes of their own."""
        carried = set(self.op.carried)
        for let in _straight(self.op.body):
            if any(v in carried or v in self.told for v in free_variables_of(let.op)):
                if not isinstance(let.op, Prim) or len(let.vars) != 1:
                    return False
                self.told[let.vars[0]] = let.op
            elif isinstance(let.op, (Prim, Index)):
                self.free.append(let)
            else:
                return False
        return True

    def independent(self, a: Atom) -> bool:
        return a not in self.told and a not in self.op.carried

    def other(self, made: Prim, s: Var) -> Atom | None:
        """Return what the next value of a variable is made of beside the variable, by an op of
        which this module knows the meaning."""
        match made:
            case Prim("select", (c, x, old)) if old is s and c in self.told:
                pass
            case Prim("or" | "and", (a, b)) if s.type == BOOL and s in (a, b):
                x = b if a is s else a
            case Prim("max" | "min", (a, b)) if a is s or (b is s and not isinstance(s.type, Real)):
                x = b if a is s else a
            case _:
                return None
        return x if self.independent(x) else None

    def choice(
        self, c: Var, members: list[int], candidates: Sequence[Atom]
    ) -> Choice | None:
        """Return when the variables are replaced, if that is what the condition says."""
        found = self.comparison(self.told[c])
        nan = False
        if found is None:
            found, nan = self.numpy_rule(self.told[c]), True
        if found is None:
            return None
        self.understood.add(c)
        wins, v, s = found
        keys = [k for k in members if self.op.carried[k] is s and candidates[k] is v]
        return Choice(keys[0], wins, nan, tuple(members), -1) if keys else None

    def comparison(self, made: Prim) -> tuple[str, Atom, Atom] | None:
        """Return a comparison of a number with a carried variable: its name, both."""
        if made.name not in _TURNED:
            return None
        a, b = made.args
        if b in self.op.carried and self.independent(a):
            return made.name, a, b
        if a in self.op.carried and self.independent(b):
            return _TURNED[made.name], b, a
        return None

    def numpy_rule(self, made: Prim) -> tuple[str, Atom, Atom] | None:
        """Return the comparison of a condition under which NaN wins too, and stays."""
        if made.name != "and":
            return None
        for a, b in (made.args, made.args[::-1]):
            negated, same = self.told.get(_var(a)), self.told.get(_var(b))
            match negated, same:
                case Prim("not", (Var() as inner,)), Prim("eq", (s, t)) if s is t:
                    found = self.comparison(self.told[inner]) if inner in self.told else None
                    if found is not None and found[0] in _NOT and found[2] is s:
                        self.understood |= {_var(a), _var(b), inner}
                        return _NOT[found[0]], found[1], s
                case _:
                    pass
        return None

    def with_places(
        self, candidates: list[Atom], merged: dict[int, str], choices: list[Choice]
    ) -> Fold:
        """Return the fold, with the number of the round in each choice."""
        op, n = self.op, len(candidates)
        settled = []
        for c in choices:
            own = [k for k in c.members if candidates[k] is op.index and c.wins in STRICT]
            if not own or len(self.indices) > 1:
                own = [len(candidates)]
                candidates = [*candidates, op.index]
            place = own[0]
            settled.append(Choice(c.key, c.wins, c.nan, c.members, place))
        body = Block(tuple(self.free), tuple(candidates))
        whole = Sum_(self.extents, self.indices, body)
        return Fold(whole, merged, tuple(settled), len(candidates) - n)


def _straight(body: Block) -> list[Let]:
    """Return the lets of a body, with branches as choices where their arms may as well run."""
    out: list[Let] = []
    for let in body.lets:
        match let.op:
            case If(c, then, orelse) if all(
                isinstance(x.op, Prim) and may_duplicate(x.op) for x in then.lets + orelse.lets
            ):
                out += [*then.lets, *orelse.lets]
                pairs = zip(let.vars, then.results, orelse.results, strict=True)
                out += [Let((v,), _chosen(c, a, b, out), let.site) for v, a, b in pairs]
            case _:
                out.append(let)
    return out


def _chosen(c: Atom, a: Atom, b: Atom, lets: list[Let]) -> Prim:
    """Return what is ``a`` where ``c`` is true, else ``b``: as "or" or "and", if it is that."""
    opposite = [x.vars[0] for x in lets if isinstance(x.op, Prim) and x.op.name == "not"
                and x.op.args == (c,)]  # fmt: skip
    if a in opposite:
        return Prim("and", (a, b))
    if a is c or a == Lit(True, BOOL):
        return Prim("or", (c, b))
    if b is c or b == Lit(False, BOOL):
        return Prim("and", (c, a))
    return Prim("select", (c, a, b))


def _var(a: Atom) -> Var:
    assert isinstance(a, Var)
    return a


__all__ = ["STRICT", "Choice", "Fold", "folding_loops"]
