"""Mutable arrays are used once: the linear typing of Appendix A (Smeding & Vákár), checked.

Two judgements, for a term whose subterms have types:

    Array t   (``dual.arrays``, Fig. 11)   every operation consumes its array and gives it back: a
              variable whose type holds one is consumed exactly once, in every branch alike
    MArr t    (``language.arrays``)        ``get``, ``size`` and ``copy`` only read; ``set``,
              ``push``, ``freeze``, a call or a tuple consume: at most once, and nothing reads or
              consumes an array after that, in the order of evaluation

What is consumed is a *place*, a variable or its path of ``fst`` and ``snd``; ``let x = place`` is
another name for it. An operation consumes after all of its arguments are evaluated. A function may
be called more than once, so it consumes nothing that it captures; what it reads may not be consumed
once the function is there. ``check`` asks for this wherever a term has such arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pullback.core.frozen import dataclass, field
from pullback.papers.language.terms import (
    App,
    Arr,
    Case,
    Data,
    Exists,
    Foldl,
    Forall,
    Fst,
    Fun,
    Lam,
    Let,
    LetRec,
    Match,
    Op,
    Plus,
    Prod,
    Snd,
    Term,
    Type,
    Var,
)
from pullback.papers.language.traverse import deeply, free_vars, parts

READING = frozenset({"get", "size", "copy"})
"""The operations that read an MArr and leave it as it is."""
Place = tuple[str, str]
"""A variable and a path: "f" and "s" for fst and snd, the outermost projection last."""


class NotLinear(TypeError):
    """An array that is used after it was consumed, twice, or not at all."""


class Holding:
    """Whether a value of a type holds an array of one of these types outside functions. The state
    of N4 (``Staged`` without an argument) is a pair of MArrs. Types have many parts in common: each
    part is looked through once, and known by its identity while the types live."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names
        self.known: dict[int, bool] = {}

    def __call__(self, t: Type) -> bool:
        found = self.known.get(id(t))
        if found is None:
            found = self.known[id(t)] = self._look(t)
        return found

    def _look(self, t: Type) -> bool:
        match t:
            case Data(name, args):
                if name in self.names or ("MArr" in self.names and name == "Staged" and not args):
                    return True
                return any(map(self, args))
            case Prod(a, b) | Plus(a, b):
                return self(a) or self(b)
            case Arr(a) | Forall(_, a) | Exists(_, a):
                return self(a)
            case _:
                return False


ONCE, MUTABLE = frozenset({"Array"}), frozenset({"Array", "MArr"})


@dataclass(eq=False)
class Use:
    """What has happened to places so far, by variable: which parts are consumed, and which a
    function reads; on top of what had happened before (``before``)."""

    before: Use | None = None
    consumed: dict[str, set[str]] = field(default_factory=dict)
    kept: dict[str, set[str]] = field(default_factory=dict)

    def is_consumed(self, p: Place) -> bool:
        """Whether a part of the place, or a whole that it is a part of, is consumed."""
        return any(overlap(p[1], q) for use in self.chain() for q in use.consumed.get(p[0], ()))

    def is_kept(self, p: Place) -> bool:
        """Whether a function reads it, so that it must stay."""
        return any(overlap(p[1], q) for use in self.chain() for q in use.kept.get(p[0], ()))

    def chain(self) -> Iterator[Use]:
        """Iterate over this and what was before."""
        use: Use | None = self
        while use is not None:
            yield use
            use = use.before

    def parts(self, x: str) -> set[str]:
        """Return the paths of a variable that are consumed."""
        return set().union(*(use.consumed.get(x, ()) for use in self.chain()))

    def join(self, consumed: Mapping[str, set[str]], kept: Mapping[str, set[str]]) -> None:
        """Take over what happened in a branch."""
        for mine, new in ((self.consumed, consumed), (self.kept, kept)):
            for x, paths in new.items():
                mine.setdefault(x, set()).update(paths)


def overlap(p: str, q: str) -> bool:
    """Whether one path leads to a part of the other."""
    return p.startswith(q) or q.startswith(p)


def root(t: Term) -> tuple[Term, str]:
    """Return what a term is a part of, and the path to it; ``unstaged`` is another view of it."""
    path = ""
    while True:
        match t:
            case Fst(of):
                t, path = of, "f" + path
            case Snd(of):
                t, path = of, "s" + path
            case Op("unstaged", (of,)):
                t = of
            case _:
                return t, path


class Resources:
    """The check of one term."""

    def __init__(self, types: Mapping[Term, Type], has_array: Holding) -> None:
        self.types = types
        self.alias: dict[str, Place] = {}
        self.outer: frozenset[str] = frozenset()
        self.once: set[Place] = set()  # the places of Arrays
        self.has_array = has_array
        self.has_once = Holding(ONCE)

    def place(self, t: Term) -> Place | None:
        """Return the place that a term names; None if it is no array, or something new."""
        if not self.has_array(self.types[t]):
            return None
        at, path = root(t)
        if not isinstance(at, Var):
            return None
        x, before = self.alias.get(at.name, (at.name, ""))
        return x, before + path

    def read(self, p: Place, use: Use) -> None:
        """Note that the program reads a place, which must not be consumed by then."""
        if use.is_consumed(p):
            raise NotLinear(f"{show(p)} is used after it was consumed")
        if p[0] in self.outer:
            use.kept.setdefault(p[0], set()).add(p[1])

    def consume(self, p: Place, t: Term, use: Use) -> None:
        """Note that the program consumes the place that t names."""
        if self.has_once(self.types[t]):
            self.once.add(p)
        self.read(p, use)
        if p[0] in self.outer:
            raise NotLinear(f"a function consumes {show(p)}, which it captures")
        if use.is_kept(p):
            raise NotLinear(f"{show(p)} is consumed, and a function reads it")
        use.consumed.setdefault(p[0], set()).add(p[1])

    def term(self, t: Term, use: Use) -> None:
        """Go through a term in the order of evaluation; an array that it names is consumed."""
        new: list[tuple[str, Type]] = []
        while isinstance(t, Let):  # a second name for a place, or a new one
            p = self.place(t.bound)
            if p is not None:
                self.alias[t.x] = p
            else:
                self.term(t.bound, use)
                new.append((t.x, self.types[t.bound]))
            t = t.body
        self.last(t, use)
        for x, s in new:
            self.ended(x, s, use)

    def last(self, t: Term, use: Use) -> None:
        """Go through a term that is no let."""
        p = self.place(t)
        if p is not None:
            self.consume(p, t, use)
            return
        if isinstance(t, Fst | Snd):
            t, _ = root(t)  # what is no array is read off a tuple, which stays
        match t:
            case Var():
                pass
            case Let():
                self.term(t, use)
            # an operation consumes when its arguments are there; what it reads it leaves
            case Op(name, args):
                self.after(args, use, reading=name in READING and not any(
                    self.has_once(self.types[a]) for a in args))
            case App(f, a):
                self.after((f, a), use)
            case Lam() | LetRec():
                self.functions(t, use)
            case Foldl(acc, x, body, z, a):
                self.after((z, a), use)
                self.repeated((acc, x), body, use)
            case _:
                self.others(t, use)

    def ended(self, x: str, t: Type, use: Use) -> None:
        """Forget a variable, of which no Array may be left."""
        if self.has_once(t) and not all(
                any(path.startswith(q) for q in use.parts(x))
                for path in arrays(t, self.has_once)):
            raise NotLinear(f"{x} holds an Array that is never consumed")

    def after(self, args: tuple[Term, ...], use: Use, reading: bool = False) -> None:
        """Go through arguments, and then consume (or read) the arrays that they name."""
        places = []
        for a in args:
            p = self.place(a)
            if p is None:
                self.term(a, use)
            else:
                self.read(p, use)
                places.append((p, a))
        for p, a in places:
            if reading:
                self.read(p, use)
            else:
                self.consume(p, a, use)

    def functions(self, t: Lam | LetRec, use: Use) -> None:
        """Check what may be called more than once, or never."""
        if isinstance(t, Lam):
            self.repeated((t.x,), t.body, use, (t.type,))
            return
        for r in t.recs:
            self.functions(r.fn, use)
        self.term(t.body, use)

    def repeated(
        self, names: tuple[str, ...], body: Term, use: Use, types: tuple[Type, ...] = ()
    ) -> None:  # fmt: skip
        """Check a body that may run any number of times: what is outside stays."""
        inner = Resources(self.types, self.has_array)
        inner.alias, inner.once, inner.has_once = self.alias, self.once, self.has_once
        outside = set(free_vars(body)) - set(names)
        inner.outer = self.outer | {self.alias.get(x, (x, ""))[0] for x in outside}
        own = Use(use)
        inner.term(body, own)
        for x, s in zip(names, types, strict=False):
            inner.ended(x, s, own)
        use.join({}, {x: paths for x, paths in own.kept.items() if x not in names})

    def others(self, t: Term, use: Use) -> None:
        """Go through the parts in order. All arms of a branch begin with the same places, and must
        leave the same Arrays; bodies of loops run any number of times."""
        some = parts(t)
        arms = len(some) - 1 if isinstance(t, Case | Match) else 0
        for names, part in some[: len(some) - arms]:
            if names:
                self.repeated(names, part, use)
            else:
                self.term(part, use)
        ends: list[set[Place]] = []
        made: list[Use] = []
        for names, part in some[len(some) - arms :]:
            own = Use(use)
            self.term(part, own)
            ends.append({(x, q) for x, paths in own.consumed.items() if x not in names
                         for q in paths})
            made.append(own)
        for own in made:
            use.join(own.consumed, own.kept)
        for p in set().union(*ends):
            if not all(p in end for end in ends) and p in self.once:
                raise NotLinear(f"{show(p)} is consumed in one branch and not in another")


def arrays(t: Type, has_once: Holding, path: str = "") -> list[str]:
    """Return the paths of the Arrays in a tuple type."""
    match t:
        case Prod(a, b):
            return [*arrays(a, has_once, path + "f"), *arrays(b, has_once, path + "s")]
        case _:
            return [path] if has_once(t) else []


def show(p: Place) -> str:
    """Return a place as it is written."""
    out = p[0].split("$")[0]
    for step in p[1]:
        out = f"{'fst' if step == 'f' else 'snd'} {out}"
    return out


def require_linear(t: Term, types: Mapping[Term, Type]) -> None:
    """Raise NotLinear unless every mutable array of the term is used as the paper says."""

    has_array = Holding(MUTABLE)  # types can be deep: none is hashed

    def any_array() -> bool:
        return any(has_array(s.arg if isinstance(s, Fun) else s) for s in types.values())

    if deeply(any_array):
        deeply(lambda: Resources(types, has_array).term(t, Use()))
