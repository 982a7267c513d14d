"""Keep the accumulators of a loop's arrays in a ring buffer, if few of them are alive at a time.

    H = acc_new(n, m)                            H = acc_new(2, m)
    loop i < n with h. next h is pick H i        loop i < n with h. next h is pick H (i mod 2)
    loop j < n. k = n - 1 - j             ==>    loop j < n. k = n - 1 - j
      ... pick H k, pick H (k - 1)                 ... pick H (k mod 2), pick H ((k - 1) mod 2)
                                                   the cells of pick H (k mod 2) are taken

A loop that builds its array anew in every iteration (power iterations, conjugate gradients, a
recurrent network) has an accumulator for each of these arrays. But an iteration of the reverse
sweep only uses that of its own array and those of the few iterations before. Afterwards the cells
serve again, and stay in the cache: there are as many as the array has elements, not that times the
number of iterations.

All uses of these accumulators must be in one block: the loop, which only passes them on, the
reverse loop, which returns none of them, and the lets between the two.
"""

from __future__ import annotations

from pullback.core.build import Builder, i64
from pullback.core.frozen import dataclass
from pullback.core.terms import (
    AccNew,
    AccTake,
    Atom,
    Block,
    Function,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Var,
    While,
)
from pullback.core.traverse import (
    all_lets,
    defined,
    free_variables_of,
    map_blocks,
    map_functions,
    uses,
)
from pullback.core.types import F64, I64, Array, Bool, Handle, Int, Real, Type

MOST = 4
"""So many accumulators may take turns."""


def use_ring_buffers(program: Program) -> Program:
    """Return the program with fewer accumulators."""
    return map_functions(program, lambda f: Function(f.name, f.params, _block(f.body), f.results))


def _block(block: Block) -> Block:
    lets = tuple(Let(x.vars, map_blocks(x.op, _block), x.site) for x in block.lets)
    at = 0
    while at < len(lets):
        turned = _turned(lets, at, block.results)
        lets, at = (lets, at + 1) if turned is None else (turned, at)
    return Block(lets, block.results)


@dataclass(frozen=True, slots=True)
class _Family:
    """The accumulators of the iterations of a loop.

    one      the accumulator of an iteration, in the loop
    all      the variable that holds all: a handle, or the array that a ``While`` emits
    rounds   the number of iterations
    number   the number of the iteration, in the loop
    extents  the shape of one of them
    """

    one: Let
    all: Var
    rounds: Atom
    number: Var
    extents: tuple[Atom, ...]

    def read(self, op: Op) -> Atom | None:
        """Return the number of the iteration whose accumulator an op reads."""
        match op:
            case Prim("pick", (a, k), (0,)) if a is self.all:
                return k
            case Index(a, (k,), False) if a is self.all:
                return k
            case _:
                return None


def _turned(lets: tuple[Let, ...], at: int, results: tuple[Atom, ...]) -> tuple[Let, ...] | None:
    """Return the block with fewer accumulators for one array of a loop, if there is such an array.
    """
    loop = lets[at].op
    if not isinstance(loop, (Loop, While)):
        return None
    for let in loop.body.lets:
        family = _family(lets, at, let)
        if family is None:
            continue
        back = _back(lets, at, family)
        depth = _handed_on(lets, at, back, results, family) if back is not None else None
        if back is not None and depth is not None:
            furthest = _furthest(lets, back, family)
            if furthest is not None and max(depth, furthest + 1) <= MOST:
                return _with_turns(lets, at, back, family, max(depth, furthest + 1))
    return None


def _family(lets: tuple[Let, ...], at: int, let: Let) -> _Family | None:
    """Return the family of accumulators from which this let picks that of an iteration."""
    loop, out = lets[at].op, lets[at].vars
    match loop, let.op:
        case Loop(), Prim("pick", (Var() as every, i), (0,)) if i is loop.index:
            for x in lets[:at]:
                if x.vars == (every,) and isinstance(x.op, AccNew):
                    return _Family(let, every, loop.count, i, x.op.extents[1:])
        case While(), AccNew(extents):
            varying = {*defined(loop.body), *loop.carried}
            emitted = [v for v, r in zip(out, loop.body.results, strict=True) if r is let.vars[0]]
            emitted = [v for v in emitted if v in out[len(loop.carried) :]]
            k = _counter(loop)
            if k is not None and len(emitted) == 1 and varying.isdisjoint(extents):
                return _Family(let, emitted[0], out[k], loop.carried[k], extents)
        case _:
            pass
    return None


def _counter(loop: While) -> int | None:
    """Return the carried variable that counts the iterations."""
    made = {let.vars[0]: let.op for let in loop.body.lets if len(let.vars) == 1}
    for k, (v, init) in enumerate(zip(loop.carried, loop.inits, strict=True)):
        r = loop.body.results[k]
        match made.get(r) if isinstance(r, Var) else None:
            case Prim("add", (a, b)) if isinstance(init, Lit) and v.type == I64:
                if init.value == 0 and a is v and isinstance(b, Lit) and b.value == 1:
                    return k
            case _:
                pass
    return None


def _back(lets: tuple[Let, ...], at: int, family: _Family) -> int | None:
    """Return the position of the one loop that reads these accumulators, from the last iteration to
    the first."""
    found = [k for k in range(at + 1, len(lets)) if family.all in free_variables_of(lets[k].op)]
    if len(found) != 1:
        return None
    back = lets[found[0]]
    if isinstance(back.op, Loop) and back.op.count is family.rounds and all(
        map(_plain, (v.type for v in back.vars))
    ):
        return found[0]
    return None


def _plain(t: Type) -> bool:
    """Whether a value contains no accumulators."""
    return _plain(t.elem) if isinstance(t, Array) else isinstance(t, (Real, Int, Bool))


def _handed_on(
    lets: tuple[Let, ...], at: int, back: int, results: tuple[Atom, ...], family: _Family
) -> int | None:
    """Return for how many iterations the loop passes an accumulator on, if it has no other use of
    it, and if no accumulator that it leaves is used from the reverse loop on."""
    loop, out = lets[at].op, lets[at].vars
    assert isinstance(loop, (Loop, While))
    counts, given = uses(loop.body), loop.body.results
    n, todo, left = len(loop.carried), [family.one.vars[0]], dict[Var, None]()
    if isinstance(loop, While):
        counts.update(uses(loop.cond))
    for depth, v in enumerate(todo):
        places = [k for k, r in enumerate(given) if r is v]
        if counts[v] != len(places) or any(k >= n and out[k] is not family.all for k in places):
            return None
        left.update((out[k], None) for k in places if k < n)
        todo += [loop.carried[k] for k in places if k < n and loop.carried[k] not in todo]
        if depth > MOST:
            return None
    return len(todo) if _gone(lets, at, back, results, left) else None


def _gone(
    lets: tuple[Let, ...], at: int, back: int, results: tuple[Atom, ...], left: dict[Var, None]
) -> bool:
    """Whether nothing of ``left`` is used from the reverse loop on."""
    for let in lets[at + 1 : back]:
        if not left.keys().isdisjoint(free_variables_of(let.op)):
            left.update((v, None) for v in let.vars if not _plain(v.type))
    late = {v for let in lets[back:] for v in free_variables_of(let.op)}
    return left.keys().isdisjoint(late) and left.keys().isdisjoint(results)


def _furthest(lets: tuple[Let, ...], back: int, family: _Family) -> int | None:
    """Return how many iterations before its own one the accumulators lie that the reverse loop
    reads."""
    op = lets[back].op
    assert isinstance(op, Loop)
    inside = list(all_lets(op.body))
    made: dict[Var, Op] = {x.vars[0]: x.op for x in (*lets[:back], *inside) if len(x.vars) == 1}

    def before(k: Atom) -> int | None:
        """Return how many iterations before the present one ``k`` is."""
        match made.get(k) if isinstance(k, Var) else None:
            case Prim("sub", (last, j)) if j is op.index:
                return 0 if _is_last(last, op.count, made) else None
            case Prim("sub", (a, Lit() as n)):
                known, more = before(a), int(n.value)
            case Prim("add", (a, Lit() as n)) | Prim("add", (Lit() as n, a)):
                known, more = before(a), -int(n.value)
            case _:
                return None
        return None if known is None else known + more

    reads = [k for let in inside if (k := family.read(let.op)) is not None]
    if len(reads) != uses(op.body)[family.all]:
        return None
    found = [before(k) for k in reads]
    if any(n is None or n < 0 for n in found):
        return None
    return max((n for n in found if n is not None), default=0)


def _is_last(last: Atom, count: Atom, made: dict[Var, Op]) -> bool:
    """Whether it is the count minus 1."""
    match made.get(last) if isinstance(last, Var) else last:
        case Prim("add", (a, Lit() as n)) | Prim("add", (Lit() as n, a)):
            return a is count and n.value == -1
        case Prim("sub", (a, Lit() as n)):
            return a is count and n.value == 1
        case Lit() as n:
            return isinstance(count, Lit) and n.value == count.value - 1
        case _:
            return False


def _with_turns(
    lets: tuple[Let, ...], at: int, back: int, family: _Family, size: int
) -> tuple[Let, ...]:
    """Return the block with ``size`` accumulators in turn."""
    few = Var("ring", Handle(len(family.extents) + 1))

    def turn(b: Builder, k: Atom) -> Prim:
        return Prim("pick", (few, b.prim("mod", k, i64(size)) if size > 1 else i64(0)), (0,))

    def reading(block: Block) -> Block:
        b = Builder()
        for let in block.lets:
            k = family.read(let.op)
            op = map_blocks(let.op, reading) if k is None else turn(b, k)
            b.lets.append(Let(let.vars, op, let.site))
        return b.block(block.results)

    first, last = lets[at], lets[back].op
    assert isinstance(first.op, (Loop, While)) and isinstance(last, Loop)
    forward = Builder()
    for let in first.op.body.lets:
        op = turn(forward, family.number) if let is family.one else let.op
        forward.lets.append(Let(let.vars, op, let.site))
    vars, body = first.vars, forward.block(first.op.body.results)
    if family.all in vars:
        keep = [k for k, v in enumerate(vars) if v is not family.all]
        vars = tuple(vars[k] for k in keep)
        body = Block(body.lets, tuple(body.results[k] for k in keep))
    loop = _with_body(first.op, body)
    reverse = Builder()
    reverse.extend(reading(last.body))
    k = reverse.prim("sub", reverse.prim("sub", last.count, i64(1)), last.index)
    (done,) = reverse.let(turn(reverse, k), (Handle(len(family.extents)),))
    _clear(reverse, done, family.extents)
    swept = Loop(last.count, last.index, last.carried, last.inits, reverse.block(last.body.results))
    return (
        *(let for let in lets[:at] if let.vars != (family.all,)),
        Let((few,), AccNew((i64(size), *family.extents))),
        Let(vars, loop, first.site), *lets[at + 1 : back],
        Let(lets[back].vars, swept, lets[back].site), *lets[back + 1 :],
    )  # fmt: skip


def _with_body(op: Loop | While, body: Block) -> Loop | While:
    if isinstance(op, While):
        return While(op.carried, op.inits, op.cond, body)
    return Loop(op.count, op.index, op.carried, op.inits, body)


def _clear(b: Builder, handle: Var, extents: tuple[Atom, ...]) -> None:
    """Take all cells."""

    def along(b: Builder, rest: tuple[Atom, ...], where: tuple[Atom, ...]) -> None:
        if not rest:
            b.let(AccTake(handle, where), (F64,))
            return
        i, body = Var("i", I64), Builder()
        along(body, rest[1:], (*where, i))
        b.let(Loop(rest[0], i, (), (), body.block()), ())

    along(b, extents, ())
