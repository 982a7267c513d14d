"""Replace a sum by its tag and by variables for its fields, which the variants share.

    Sum((A(f64, i64), B(f64)))  ->  bool, f64, i64         whether it is B, and the fields of both
    inject B(x)                 ->  True, x, 0
    case s { A(y, m). e; B(z). e' }
                                ->  if s.tag then e'[s.0/z] else e[s.0/y, s.1/m]

With more than two variants the tag is an int, and the case is by its value. Later passes remove
each part that nobody reads: if the reverse sweep only asks for the variant of a sum that a loop
keeps, the loop keeps tags. The pass runs after differentiation, which makes sums too (for the
residuals of an arm). Sums that come in or go out, or that arrays of arrays hold, stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pullback.convert.flatten import flatten_tuples
from pullback.convert.retype import Retype, projected
from pullback.core.build import Builder, lit
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    Atom,
    Block,
    Case,
    CaseArm,
    If,
    Inject,
    Let,
    MakeTuple,
    Op,
    Program,
    Var,
)
from pullback.core.traverse import all_lets, own_declarations
from pullback.core.types import (
    BOOL,
    I32,
    Array,
    Named,
    Sum,
    Tuple,
    Type,
)


def unbox_sums(program: Program) -> Program:
    """Return the program with the fields of sums in variables."""
    lets = [let for f in program.functions.values() for let in all_lets(f.body)]
    made = {x.op.type for x in lets if isinstance(x.op, Inject) and isinstance(x.op.type, Sum)}
    parts = _PartsOf()
    large = (t for t in made if parts.of(t).total() > MOST_PARTS)
    kept = _sums([*_outside(program), *_nested(lets), *large])
    return flatten_tuples(_Slots(program, kept=kept).run()) if made - kept else program


MOST_PARTS = 64
"""A sum of more parts than this stays: where a variant holds two sums, each of which holds two, and
so on, their number doubles with each."""


class _PartsOf:
    """The variables that would replace sums, by their types, each type looked at once."""

    def __init__(self) -> None:
        self.known: dict[Type, Counter[Type]] = {}

    def of(self, t: Type) -> Counter[Type]:
        if t not in self.known:
            found = Counter[Type]()
            match t:
                case Array(elem, rank):
                    found.update({Array(p, rank): n for p, n in self.of(elem).items()})
                case Sum(variants):
                    for v in variants:
                        found |= sum((self.of(f) for f in v.fields), Counter[Type]((BOOL,)))
                case _:
                    found[t] = 1
            self.known[t] = found
        return self.known[t]


def _outside(program: Program) -> list[Type]:
    """Return the types of the arguments and results of the program."""
    own = own_declarations(program)
    main = program.functions[program.main]
    decls = (d for name, d in program.decls.items() if name not in own)
    inside = (t for d in decls for v in d.variants for t in v.fields)
    return [*(p.type for p in main.params), *main.results, *inside]


def _nested(lets: list[Let]) -> list[Type]:
    """Return the types of arrays of arrays: unboxed, each would be one array of arrays for every
    slot."""
    types = dict.fromkeys(v.type for let in lets for v in let.vars)
    return [t for t in types if isinstance(t, Array) and isinstance(t.elem, Array)]


def _sums(types: Iterable[Type]) -> frozenset[Type]:
    """Return the sums that these types hold."""
    todo = list(types)
    out: set[Type] = set()
    while todo:
        match todo.pop():
            case Array(elem, _):
                todo.append(elem)
            case Sum(variants) as t if t not in out:
                out.add(t)
                todo += [f for v in variants for f in v.fields]
            case _:
                pass
    return frozenset(out)


@dataclass
class _Slots(Retype):
    """The variables that replace sums. ``kept``: sums that stay; ``places``: for each value of a
    variant, its slot."""

    kept: frozenset[Type] = frozenset()
    places: dict[Type, tuple[tuple[int, ...], ...]] = field(default_factory=dict)

    def sum(self, t: Sum | Named) -> Type:
        if isinstance(t, Named) or t in self.kept:
            return t
        slots: list[Type] = []
        places = []
        for v in t.variants:
            used: Counter[Type] = Counter()
            parts = [part for f in v.fields for part in _parts(self.type(f))]
            places.append(tuple(_place(part, slots, used) for part in parts))
        self.places[t] = tuple(places)
        return Tuple((BOOL if len(t.variants) == 2 else I32, *slots))

    def inject(self, let: Let, op: Inject, out: list[Let]) -> None:
        new = self.type(op.type)
        assert isinstance(new, Tuple)
        tag = lit(op.tag, new.items[0])
        given = [part for a in op.fields for part in _taken(self.atom(a), out)]
        filled = dict(zip(self.places[op.type][op.tag], given, strict=True))
        b = Builder()
        items = [
            filled[k] if k in filled else b.unread(t) for k, t in enumerate(new.items[1:])
        ]
        out += b.lets
        out.append(Let((self.bind(let.vars[0]),), MakeTuple(new, (tag, *items)), let.site))

    def case(self, let: Let, op: Case, out: list[Let]) -> None:
        value, old = self.atom(op.scrutinee), op.scrutinee.type
        assert isinstance(value.type, Tuple)
        tag, *slots = (projected(value, k, out) for k in range(len(value.type.items)))
        arms = []
        for arm, places in zip(op.arms, self.places[old], strict=True):
            first: list[Let] = []
            parts = [slots[k] for k in places]
            for v in arm.fields:
                self.env[v] = _made(self.type(v.type), parts, first)
            body = self.block(arm.body)
            arms.append(Block((*first, *body.lets), body.results))
        new: Op = Case(tag, tuple(CaseArm((), body) for body in arms))
        if tag.type == BOOL:
            no, yes = arms
            new = If(tag, yes, no)
        out.append(Let(self.binds(let.vars), new, let.site))


def _parts(t: Type) -> list[Type]:
    """Return the components of a value that is itself a sum."""
    return [part for item in t.items for part in _parts(item)] if isinstance(t, Tuple) else [t]


def _place(part: Type, slots: list[Type], used: Counter[Type]) -> int:
    """Return the slot for one more value of a variant."""
    mine = [k for k, t in enumerate(slots) if t == part]
    used[part] += 1
    if len(mine) < used[part]:
        slots.append(part)
        return len(slots) - 1
    return mine[used[part] - 1]


def _taken(value: Atom, out: list[Let]) -> list[Atom]:
    """Emit the components of a value that is itself a sum."""
    if not isinstance(value.type, Tuple):
        return [value]
    items = [projected(value, k, out) for k in range(len(value.type.items))]
    return [part for item in items for part in _taken(item, out)]


def _made(t: Type, parts: list[Var], out: list[Let]) -> Var:
    """Emit the value from the first of these components."""
    if not isinstance(t, Tuple):
        return parts.pop(0)
    v = Var("field", t)
    items = tuple(_made(item, parts, out) for item in t.items)
    out.append(Let((v,), MakeTuple(t, items)))
    return v


__all__ = ["unbox_sums"]
