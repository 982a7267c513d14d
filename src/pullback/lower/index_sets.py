"""Index-set splitting: where a comparison of a loop's index with an invariant number changes its
truth, the loop is divided, and in each piece of it the comparison is known.

    build i < n.                           build i < k.       a[i]
      if i < k then a[i]             ==>
      else b[i - k]                        build k <= i < n.  b[i - k]

Arrays that are joined, rolled or padded are read in this way, and so are the borders of a stencil.
Undivided, such a loop has a branch in each element, or loads under two masks in lanes. The pieces
have neither. (Index-set splitting: Banerjee 1979; Griebl, Feautrier and Lengauer 2000.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pullback.core.effects import in_any_order
from pullback.core.frozen import dataclass
from pullback.core.terms import (
    AccRead,
    Atom,
    Block,
    Build,
    Case,
    If,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Sum_,
    Var,
)
from pullback.core.traverse import Substitution, all_lets, substitute
from pullback.core.types import I64
from pullback.lower.loopcode import Imm, Ty, Value
from pullback.lower.state import Lowering

MOST_PIECES = 4
"""A loop is divided into at most so many pieces."""

MOST_LETS = 60
"""The body of a loop that is divided has at most so many lets: each piece has a copy of it."""

COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


@dataclass(frozen=True, slots=True)
class Affine:
    """The index of a loop, or its negative, and numbers that are the same in all rounds, each added
    or subtracted."""

    sign: int
    terms: tuple[tuple[int, Atom], ...] = ()


@dataclass(frozen=True, slots=True)
class Seam:
    """A truth value that compares an affine value with an invariant number, which is on the
    right."""

    test: Var
    name: str
    value: Affine
    bound: Atom


@dataclass(frozen=True, slots=True)
class Piece:
    """The rounds ``low <= i < high`` of a loop, in which a truth value is known; ``single``: there
    is at most one."""

    low: Value
    high: Value
    holds: bool
    single: bool = False


def can_divide(op: Build | Sum_) -> bool:
    """Whether a loop is small, and its pieces may run one after the other: along several axes the
    rounds then come in another order."""
    lets = list(all_lets(op.body))
    in_order = len(op.extents) == 1
    return len(lets) <= MOST_LETS and (in_order or all(_has_no_order(let.op) for let in lets))


def _has_no_order(op: Op) -> bool:
    """Whether rounds with the op may change places, if those with what it contains may."""
    return in_any_order(op) or isinstance(op, (AccRead, If, Case, Build, Sum_, Loop))


def seam_of(
    body: Block, indices: Sequence[Var], axis: int, known: Mapping[Var, bool]
) -> Seam | None:
    """Return the first comparison of an index on which a branch or the choice of an index depends,
    of those that are not known."""
    return _Search(body, indices, axis, known).first(body)


def reduced(body: Block, known: Mapping[Var, bool]) -> Block:
    """Return the body of a piece, with what is known put into its branches' place."""
    return _Search(body, (), 0, known).reduced(body)


class _Search:
    """The walk over the body of a loop; ``here`` has what it defines, as far as it is certainly
    reached."""

    def __init__(
        self, body: Block, indices: Sequence[Var], axis: int, known: Mapping[Var, bool]
    ) -> None:
        self.known = known
        self.inside = {*indices, *(v for let in all_lets(body) for v in let.vars)}
        self.here: dict[Var, Prim] = {}
        self.affine: dict[Var, Affine] = {indices[axis]: Affine(1)} if indices else {}

    def reduced(self, block: Block) -> Block:
        names: Substitution = {}
        lets = tuple(self._reduced(block, names))
        return substitute(Block(lets, block.results), names)

    def _reduced(self, block: Block, names: Substitution) -> Iterator[Let]:
        for let in block.lets:
            match let.op:
                case If(cond, then, orelse) if (truth := self._truth(cond)) is not None:
                    arm = then if truth else orelse
                    yield from self._reduced(arm, names)
                    for x, a in zip(let.vars, arm.results, strict=True):
                        names[x] = names.get(a, a) if isinstance(a, Var) else a
                    continue
                case Prim("select", (cond, a, b)) if (truth := self._truth(cond)) is not None:
                    chosen = a if truth else b
                    (x,) = let.vars
                    names[x] = names.get(chosen, chosen) if isinstance(chosen, Var) else chosen
                    continue
                case Prim() as op if len(let.vars) == 1:
                    self._define(let.vars[0], op)
                case _:
                    pass
            if self.known.keys().isdisjoint(let.vars):
                yield let

    def first(self, block: Block) -> Seam | None:
        for let in block.lets:
            found = self._let(let)
            if found is not None:
                return found
        return None

    def _let(self, let: Let) -> Seam | None:
        match let.op:
            case Prim("select", (cond, a, b)) if let.vars[0].type == I64:
                truth = self._truth(cond)
                if truth is None:
                    return self._asked(cond)
                if (chosen := self._affine(a if truth else b)) is not None:
                    self.affine[let.vars[0]] = chosen
            case Prim() as op if len(let.vars) == 1:
                self._define(let.vars[0], op)
            case If(cond, then, orelse):
                truth = self._truth(cond)
                if truth is None:
                    return self._asked(cond) or self.first(then) or self.first(orelse)
                return self.first(then if truth else orelse)
            case _:
                pass
        return None

    def _define(self, x: Var, op: Prim) -> None:
        self.here[x] = op
        match op:
            case Prim(("add" | "sub" | "mul") as name, (a, b)) if x.type == I64:
                made = self._sum(name, a, b)
                if made is not None:
                    self.affine[x] = made
            case _:
                pass

    def _sum(self, name: str, a: Atom, b: Atom) -> Affine | None:
        x, y = self._affine(a), self._affine(b)
        match name, x, y:
            case "mul", Affine(sign, terms), None if b == Lit(-1, I64):
                return Affine(-sign, tuple((-s, t) for s, t in terms))
            case "add" | "sub", Affine(sign, terms), None if self._is_invariant(b):
                return Affine(sign, (*terms, (1 if name == "add" else -1, b)))
            case "add", None, Affine(sign, terms) if self._is_invariant(a):
                return Affine(sign, (*terms, (1, a)))
            case "sub", None, Affine(sign, terms) if self._is_invariant(a):
                return Affine(-sign, (*((-s, t) for s, t in terms), (1, a)))
            case _:
                return None

    def _affine(self, a: Atom) -> Affine | None:
        return self.affine.get(a) if isinstance(a, Var) else None

    def _is_invariant(self, a: Atom) -> bool:
        return isinstance(a, Lit) or a not in self.inside

    def _truth(self, a: Atom) -> bool | None:
        """Return whether a truth value holds in this piece, if that is known."""
        if isinstance(a, Lit):
            return bool(a.value)
        if a in self.known:
            return self.known[a]
        match self.here.get(a):
            case Prim("not", (b,)):
                truth = self._truth(b)
                return None if truth is None else not truth
            case Prim(("and" | "or") as name, args):
                truths = [self._truth(b) for b in args]
                decides = name == "or"
                if decides in truths:
                    return decides
                return None if None in truths else not decides
            case _:
                return None

    def _asked(self, cond: Atom) -> Seam | None:
        """Return a comparison on which a condition depends."""
        return next((s for c in self._parts(cond) if (s := self._comparison(c))), None)

    def _parts(self, cond: Atom) -> Iterator[Var]:
        if not isinstance(cond, Var) or self._truth(cond) is not None:
            return
        match self.here.get(cond):
            case Prim("not" | "and" | "or", args):
                for a in args:
                    yield from self._parts(a)
            case Prim():
                yield cond
            case None:
                pass

    def _comparison(self, x: Var) -> Seam | None:
        op = self.here[x]
        if op.name not in COMPARISONS:
            return None
        for name, (a, b) in ((op.name, op.args), (_SWAPPED[op.name], op.args[::-1])):
            value = self._affine(a)
            if value is not None and self._is_invariant(b):
                return Seam(x, name, value, b)
        return None


def pieces_of(lo: Lowering, seam: Seam, low: Value, high: Value) -> list[Piece]:
    """Emit where the comparison changes its truth in the rounds ``low <= i < high``; return the
    pieces, in order. No number that is computed for it is beyond those that the loop computes."""
    last = lo.sub(high, Imm(1, Ty.I64))
    first_value, last_value = _at(lo, seam.value, low), _at(lo, seam.value, last)
    least, most = (first_value, last_value)[:: seam.value.sign]
    bound, n = lo.value(lo.scalar(seam.bound)), lo.sub(high, low)
    if seam.name in ("eq", "ne"):
        away = lo.sub(bound, least) if seam.value.sign > 0 else lo.sub(most, bound)
        inside = lo.test("and", lo.test("ge", bound, least), lo.test("le", bound, most))
        at = low if bound == first_value else lo.select(inside, lo.add(low, away), high)
        after = lo.arith("min", Ty.I64, lo.add(at, Imm(1, Ty.I64)), high)
        holds = seam.name == "eq"
        there = Piece(at, after, holds, single=True)
        found = [Piece(low, at, not holds), there, Piece(after, high, not holds)]
        return found[at == low :]
    # how many of the values, from the least on, are less than the bound, or not more
    strict = seam.name in ("lt", "ge")
    few = lo.sub(bound, least)
    some = few if strict else lo.add(few, Imm(1, Ty.I64))
    none = lo.test("le" if strict else "lt", bound, least)
    every = lo.test("gt" if strict else "ge", bound, most)
    count = lo.select(every, n, lo.select(none, Imm(0, Ty.I64), some))
    count = lo.arith("max", Ty.I64, lo.arith("min", Ty.I64, count, n), Imm(0, Ty.I64))
    below = seam.name in ("lt", "le")
    if seam.value.sign > 0:
        cut = lo.add(low, count)
        return [Piece(low, cut, below), Piece(cut, high, not below)]
    cut = lo.sub(high, count)
    return [Piece(low, cut, not below), Piece(cut, high, below)]


def _at(lo: Lowering, value: Affine, i: Value) -> Value:
    """Emit an affine value of the round ``i``."""
    out = i if value.sign > 0 else lo.sub(Imm(0, Ty.I64), i)
    for sign, a in value.terms:
        term = lo.value(lo.scalar(a))
        out = lo.add(out, term) if sign > 0 else lo.sub(out, term)
    return out


__all__ = ["Piece", "Seam", "can_divide", "pieces_of", "reduced", "seam_of"]
