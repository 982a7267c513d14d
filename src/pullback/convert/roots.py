"""Compute forwards whose storage an array may be: the roots by which ``ownership`` decides.

Storage is named by *roots*: the variables that were bound to fresh storage, parameters and carried
variables. The storage inside of parameters and carried variables, and inside of the results of
calls, has a root of its own (``inside``). Every variable has

    outer    the roots that its own storage may be        (arrays)
    inner    the roots that may be reached through its elements or fields

and is *owned* if nobody else has its storage, *whole* if every array in it belongs to its one place
there (so that an update inside of an element changes that element and nothing else).
"""

from __future__ import annotations

from collections import Counter

from pullback.core.build import i64
from pullback.core.consumption import is_inside
from pullback.core.effects import Work, work_of
from pullback.core.frozen import dataclass, field
from pullback.core.prims import TABLE
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Index,
    Inject,
    Let,
    Loop,
    Op,
    Prim,
    Sum_,
    Update,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import defined
from pullback.core.types import Array, Decl, Named, Sum, Type, variants_of

Roots = frozenset[Var]
NONE: Roots = frozenset()
NOBODY: frozenset[int] = frozenset()

# Views whose elements are distinct places of the array's storage; of a broadcast they are not.
EXACT_VIEWS = frozenset({"slice", "pick", "transpose", "expand", "reshape", "stop_gradient"})
FRESH = frozenset(n for n in TABLE if work_of(Prim(n, ())) is Work.MORE) - EXACT_VIEWS


@dataclass(frozen=True)
class Given:
    """The results of a function for its caller: for each, whether the caller owns it, whether it
    is whole (if the parameters are that it takes over), and the parameters with which it, and what
    is in it, may share storage."""

    fresh: tuple[bool, ...]
    whole: tuple[bool, ...]
    outer: tuple[frozenset[int], ...]
    inner: tuple[frozenset[int], ...]

    @classmethod
    def best(cls, count: int) -> Given:
        """Return what so many results are at best."""
        return cls((True,) * count, (True,) * count, (NOBODY,) * count, (NOBODY,) * count)

    def both(self, other: Given) -> Given:
        """Return what holds by this and by the other one."""
        return Given(
            _and(self.fresh, other.fresh), _and(self.whole, other.whole),
            _or(self.outer, other.outer), _or(self.inner, other.inner),
        )  # fmt: skip


def _and(a: tuple[bool, ...], b: tuple[bool, ...]) -> tuple[bool, ...]:
    return tuple(x and y for x, y in zip(a, b, strict=True))


def _or(
    a: tuple[frozenset[int], ...], b: tuple[frozenset[int], ...]
) -> tuple[frozenset[int], ...]:
    return tuple(x | y for x, y in zip(a, b, strict=True))


@dataclass
class Facts:
    """The facts about every variable, loop and function so far.

    consumes   for each function, the parameters whose storage it takes over
    digs       of these, the ones in whose elements it makes updates
    consumed   the same as ``consumes``, for each loop and its carried variables
    dug        the same as ``digs``, for each loop and its carried variables
    touched    the roots that some update takes over
    moved      for an array that is built, the arrays whose elements it has, each at its place
    """

    consumes: dict[str, frozenset[int]]
    digs: dict[str, frozenset[int]]
    given: dict[str, Given]
    outer: dict[Var, Roots] = field(default_factory=dict)
    inner: dict[Var, Roots] = field(default_factory=dict)
    owned: set[Var] = field(default_factory=set)
    whole: set[Var] = field(default_factory=set)
    touched: set[Var] = field(default_factory=set)
    consumed: dict[Op, frozenset[int]] = field(default_factory=dict)
    dug: dict[Op, frozenset[int]] = field(default_factory=dict)
    insides: dict[Var, Var] = field(default_factory=dict)
    inner_roots: set[Var] = field(default_factory=set)
    made_by: dict[Atom, Update | Index] = field(default_factory=dict)
    moved: dict[Atom, frozenset[Atom]] = field(default_factory=dict)
    decls: dict[str, Decl] = field(default_factory=dict)
    elems: dict[Type, frozenset[Type]] = field(default_factory=dict)

    def outer_of(self, atom: Atom) -> Roots:
        return self.outer.get(atom, NONE) if isinstance(atom, Var) else NONE

    def inner_of(self, atom: Atom) -> Roots:
        return self.inner.get(atom, NONE) if isinstance(atom, Var) else NONE

    def all_of(self, *some: Atom) -> Roots:
        sets = [s for a in some for s in (self.outer_of(a), self.inner_of(a)) if s]
        return sets[0].union(*sets[1:]) if sets else NONE

    def inside(self, v: Var) -> Var:
        """Return the root of the storage inside of a variable."""
        if v not in self.insides:
            self.insides[v] = Var(v.name, v.type)
            self.inner_roots.add(self.insides[v])
        return self.insides[v]

    def is_whole(self, atom: Atom) -> bool:
        if not isinstance(atom.type, Array):
            return not holds_array(atom.type)
        return not holds_array(atom.type.elem) or atom in self.whole

    def is_given_away(self, atom: Atom) -> bool:
        """Whether a value that is put somewhere belongs to that place alone (if nobody reads it
        later)."""
        return not holds_array(atom.type) or (atom in self.owned and self.is_whole(atom))

    def bind(self, var: Var, outer: Roots, inner: Roots, owned: bool, whole: bool = False) -> None:
        """Record the roots of ``var``, as far as its type can share storage at all."""
        if not holds_array(var.type):
            return
        if isinstance(var.type, Array):
            self.outer[var] = outer
            if holds_array(var.type.elem):
                self.inner[var] = inner
                if whole:
                    self.whole.add(var)
            if owned:
                self.owned.add(var)
        else:
            self.inner[var] = self._held(var.type, outer | inner)

    def _held(self, t: Type, roots: Roots) -> Roots:
        """Return those of the roots that a value of the type can be or hold, by the types of arrays
        in it."""
        elems = self.elements(t)
        return frozenset(
            r for r in roots
            if (
                not elems.isdisjoint(self.elements(_within(r.type)))
                if r in self.inner_roots
                else not isinstance(r.type, Array) or r.type.elem in elems
            )
        )

    def elements(self, t: Type) -> frozenset[Type]:
        """The types of the elements of all arrays that a value of the type is or holds."""
        if t not in self.elems:
            self.elems[t] = elements_in(t, self.decls)
        return self.elems[t]

    def may_share(self, v: Var, roots: Roots) -> Roots:
        """The roots that a variable of unknown origin may share with: those of its type."""
        return self._held(v.type, roots) if holds_array(v.type) else NONE


def _within(t: Type) -> Type:
    """Return the type of the elements or fields of a value of the type."""
    return t.elem if isinstance(t, Array) else t


def elements_in(t: Type, decls: dict[str, Decl]) -> frozenset[Type]:
    """The types of the elements of all arrays that a value can hold."""
    found: set[Type] = set()
    seen: set[Type] = set()
    todo = [t]
    while todo:
        inner = todo.pop()
        if inner in seen:
            continue
        seen.add(inner)
        match inner:
            case Array(elem, _):
                found.add(elem)
                todo.append(elem)
            case Sum() | Named():
                todo.extend(f for v in variants_of(inner, decls) for f in v.fields)
            case _:
                pass
    return frozenset(found)


def holds_array(t: Type) -> bool:
    match t:
        case Array() | Named():
            return True
        case Sum(variants):
            return any(holds_array(f) for v in variants for f in v.fields)
        case _:
            return False


def has_rows(t: Type) -> bool:
    """Whether an update can be made inside of its elements: nodes are never updated."""
    return isinstance(t, Array) and isinstance(t.elem, Array)


def roots_of_function(p: Facts, f: Function) -> None:
    """Compute the roots of all variables of the function, the parameters in which it digs, and its
    results."""
    digs = p.digs[f.name]
    for k, v in enumerate(f.params):
        inner = frozenset({p.inside(v)})
        taken = k in p.consumes[f.name]
        p.bind(v, frozenset({v}), inner, taken, taken)  # callers look whether it is whole
    _block(p, f.body)
    p.digs[f.name] = digs | {
        k for k in p.consumes[f.name]
        if p.inside(f.params[k]) in p.touched and has_rows(f.params[k].type)
    }
    results = f.body.results
    counts = Counter(r for a in results for r in p.all_of(a))
    fresh = tuple(a in p.owned and all(counts[r] == 1 for r in p.outer_of(a)) for a in results)
    whole = tuple(
        own and p.is_whole(a) and all(counts[r] == 1 for r in p.inner_of(a))
        for a, own in zip(results, fresh, strict=True)
    )
    # What did not hold for a caller once does not hold again, or the rounds might not end: that
    # the caller owns less may show that the function itself owns more.
    mine = [{v, p.inside(v)} for v in f.params]
    shared = (
        tuple(frozenset(k for k, roots in enumerate(mine) if roots & of(a)) for a in results)
        for of in (p.outer_of, p.inner_of)
    )
    p.given[f.name] = p.given[f.name].both(Given(fresh, whole, *shared))


def _block(p: Facts, block: Block) -> None:
    for let in block.lets:
        _let(p, let)


def _let(p: Facts, let: Let) -> None:
    """Bind the roots of the let's variables, and of those of its blocks."""
    op = let.op
    match op:
        case Prim(name, args):
            for v in let.vars:
                if name in EXACT_VIEWS:
                    owned, whole = args[0] in p.owned, p.is_whole(args[0])
                    p.bind(v, p.outer_of(args[0]), p.inner_of(args[0]), owned, whole)
                elif name in FRESH:
                    whole = name == "copy" and p.is_whole(args[0])
                    p.bind(v, frozenset({v}), p.inner_of(args[0]), True, whole)
                else:
                    p.bind(v, p.all_of(*args) | {v}, p.all_of(*args), False)
        case Inject(_, _, fields):
            p.bind(let.vars[0], NONE, p.all_of(*fields), False)
        case Index(a, _, _):
            p.bind(let.vars[0], p.inner_of(a), p.inner_of(a), False, p.is_whole(a))
            if holds_array(let.vars[0].type):
                p.made_by[let.vars[0]] = op
        case Update():
            _update(p, op, let.vars[0])
        case If(_, then, orelse):
            for block in (then, orelse):
                _block(p, block)
            _join(p, let.vars, (then, orelse))
        case Case(a, arms):
            for arm in arms:
                for v in arm.fields:
                    p.bind(v, p.inner_of(a), p.inner_of(a), False)
                _block(p, arm.body)
            _join(p, let.vars, tuple(arm.body for arm in arms))
        case Build(_, _, body) | Sum_(_, _, body):
            _block(p, body)
            for k, v in enumerate(let.vars):
                rows = _separate(p, body, k, op.indices)
                me = NONE if i64(0) in op.extents else frozenset({v})  # nothing to share
                p.bind(v, me, p.all_of(body.results[k]), True, rows is not None)
                if rows:
                    p.moved[v] = rows
        case Loop(_, _, carried, inits, body):
            _loop(p, let, carried, inits, (body,))
        case While(carried, inits, cond, body):
            _loop(p, let, carried, inits, (cond, body))
        case Call(name, args):
            for k in p.consumes[name]:
                p.touched |= p.outer_of(args[k])
            for k in p.digs[name]:
                p.touched |= p.inner_of(args[k])
            known = p.given[name]
            for at, v in enumerate(let.vars):
                outer, inner = (
                    p.may_share(v, p.all_of(*(args[k] for k in of[at])))
                    for of in (known.outer, known.inner)
                )
                fresh, shared = known.fresh[at], known.outer[at] | known.inner[at]
                whole = known.whole[at] and _stays_whole(p, op, shared)
                me, inside = frozenset({v}), frozenset({p.inside(v)})
                inner = inside if whole and shared <= p.digs[name] else inside | inner
                p.bind(v, me if fresh else me | outer, inner, fresh, whole)
        case _:
            given = p.all_of(*atoms(op))
            for v in let.vars:
                p.bind(v, given | {v}, given | {v}, False)


def _stays_whole(p: Facts, call: Call, shared: frozenset[int]) -> bool:
    """Whether a result that shares storage with these arguments is whole, if it is by whole ones
    (an argument in which the function digs is made so)."""
    others = shared - p.digs[call.function]
    if not all(p.is_whole(call.args[k]) for k in others):
        return False
    roots = Counter(r for k in shared for r in p.all_of(call.args[k]))
    return all(roots[r] == 1 for k in others for r in p.all_of(call.args[k]))


def _update(p: Facts, op: Update, v: Var) -> None:
    a, value = op.array, op.value
    p.touched |= p.outer_of(a)
    whole = p.is_whole(a)
    if is_inside(op):
        p.touched |= p.inner_of(a)
        whole = True  # otherwise it is copied first
    apart = not p.all_of(value) & p.inner_of(a) or _grows(p, op)
    whole = whole and p.is_given_away(value) and apart
    before = _exchanged(p, op)
    if before is not None:
        whole = p.is_whole(before)
    p.made_by[v] = op
    p.bind(v, frozenset({v}), p.inner_of(a) | p.all_of(value), True, whole)


def _exchanged(p: Facts, op: Update) -> Atom | None:
    """Return the array in which ``op``, with the update before it, has only exchanged two elements.
    """
    first, there = p.made_by.get(op.array), p.made_by.get(op.value)
    if not isinstance(first, Update) or not isinstance(there, Index):
        return None
    here = p.made_by.get(first.value)
    if (
        isinstance(here, Index)
        and here.array is there.array is first.array
        and (there.indices, here.indices) == (first.indices, op.indices)
    ):
        return first.array
    return None


def _grows(p: Facts, op: Update) -> bool:
    """Whether the new element has the rows of the one whose place it takes, and rows of its own:
    a list of lists gets room for more."""
    rows = p.moved.get(op.value, (None,))
    return all(_place_of(p, row) == (op.array, op.indices) for row in rows)


def _place_of(p: Facts, row: Atom | None) -> tuple[Atom | None, tuple[Atom, ...]]:
    """Return the outermost array from whose elements a variable was read, and the indices."""
    indices: tuple[Atom, ...] = ()
    while row is not None and isinstance(made := p.made_by.get(row), Index):
        row, indices = made.array, made.indices + indices
    return row, indices


def _separate(
    p: Facts, body: Block, k: int, indices: tuple[Var, ...]
) -> frozenset[Atom] | None:
    """Whether result ``k`` of a loop's body is an array that belongs to its iteration alone: then
    return the arrays of which it may be the element at the iteration's place; else None."""
    a = body.results[k]
    if not holds_array(a.type):
        return frozenset()
    inside = defined(body)
    inside |= {p.insides[v] for v in inside if v in p.insides}
    others = p.all_of(*body.results[:k], *body.results[k + 1 :])
    return None if p.all_of(a) & others else _taken_from(p, a, body, inside, indices)


def _taken_from(
    p: Facts, a: Atom, body: Block, inside: set[Var], indices: tuple[Var, ...]
) -> frozenset[Atom] | None:
    """Return the whole array of which ``a`` is the element at the iteration's own place, nothing if
    it was built in the iteration, and None if neither is so."""
    made = p.made_by.get(a)
    if isinstance(made, Index):
        own = made.indices == indices and p.is_whole(made.array)
        return frozenset({made.array}) if own else None
    if p.is_given_away(a) and p.all_of(a) <= inside:
        return frozenset()
    branch = next((let for let in body.lets if a in let.vars), None)
    if branch is None or not isinstance(branch.op, (If, Case)):
        return None
    at = branch.vars.index(a)
    arms = [_taken_from(p, b.results[at], b, inside, indices) for _, b in sub_blocks(branch.op)]
    found = [rows for rows in arms if rows is not None]
    return frozenset[Atom]().union(*found) if len(found) == len(arms) else None


def _join(p: Facts, variables: tuple[Var, ...], blocks: tuple[Block, ...]) -> None:
    """Bind the results of a branch to the results of its blocks."""
    for k, v in enumerate(variables):
        given = [b.results[k] for b in blocks]
        p.bind(
            v,
            NONE.union(*(p.outer_of(a) for a in given)),
            NONE.union(*(p.inner_of(a) for a in given)),
            all(a in p.owned for a in given),
            all(map(p.is_whole, given)),
        )


def _loop(
    p: Facts,
    let: Let,
    carried: tuple[Var, ...],
    inits: tuple[Atom, ...],
    blocks: tuple[Block, ...],
) -> None:
    for c in carried:
        p.bind(c, frozenset({c}), frozenset({p.inside(c)}), True, True)
    for block in blocks:
        _block(p, block)
    results = blocks[-1].results
    consumed, dug = _consumed(p, carried, results)
    p.consumed[let.op], p.dug[let.op] = consumed, dug
    entered = p.all_of(*inits)
    names = frozenset(carried) | {p.inside(c) for c in carried}
    for k, v in enumerate(let.vars):
        me = frozenset({v})
        next_ = results[k]
        if k >= len(carried):  # emitted: a new array of what the body returned
            shared = entered if p.all_of(next_) & names else NONE
            whole = _separate(p, blocks[-1], k, ()) is not None
            p.bind(v, me, p.all_of(next_) | shared, True, whole)
            continue
        p.touched |= p.outer_of(inits[k]) if k in consumed else NONE
        p.touched |= p.inner_of(inits[k]) if k in dug else NONE
        inner = p.inner_of(next_) | p.inner_of(inits[k])
        inner |= entered if inner & (names - {p.inside(carried[k])}) else NONE
        if k in dug:
            p.bind(v, me, frozenset({p.inside(v)}), True, True)
            continue
        alone = p.is_whole(inits[k]) and p.is_whole(next_) and _alone(p, inits, results, k)
        if k in consumed:
            p.bind(v, me, inner, True, alone)
            continue
        outer = me | p.outer_of(inits[k]) | p.outer_of(next_)
        outer |= entered if p.outer_of(next_) & (names - {carried[k]}) else NONE
        owned = inits[k] in p.owned and (next_ is carried[k] or next_ in p.owned)
        owned = owned and not p.outer_of(next_) & (names - {carried[k]})
        p.bind(v, outer, inner, owned, alone)


def _alone(p: Facts, inits: tuple[Atom, ...], results: tuple[Atom, ...], k: int) -> bool:
    """Whether a carried array shares nothing with the other carried values, in any iteration."""
    return all(
        not p.all_of(some[k]) & p.all_of(*some[:k], *some[k + 1 :]) for some in (inits, results)
    )


def _consumed(
    p: Facts, carried: tuple[Var, ...], results: tuple[Atom, ...]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the carried arrays whose storage the body takes over, or passes to code that does; and
    those in whose elements it makes updates."""
    dug = {k for k, c in enumerate(carried) if p.inside(c) in p.touched}
    consumed = {k for k, c in enumerate(carried) if c in p.touched} | dug
    work = list(consumed)
    while work:
        k = work.pop()
        outer = p.outer_of(results[k])
        inner = p.inner_of(results[k]) if k in dug else NONE
        for j, c in enumerate(carried):
            deep = p.inside(c) in inner and j not in dug
            if deep or (j not in consumed and (c in outer or c in inner)):
                consumed.add(j)
                if deep:
                    dug.add(j)
                work.append(j)
    return frozenset(consumed), frozenset(dug)
