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

from collections.abc import Mapping
from dataclasses import dataclass, field

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
from pullback.papers.language.traverse import deeply, parts

READING = frozenset({"get", "size", "copy"})
"""The operations that read an MArr and leave it as it is."""
Place = tuple[str, str]
"""A variable and a path: "f" and "s" for fst and snd, the outermost projection last."""


class NotLinear(TypeError):
    """An array that is used after it was consumed, twice, or not at all."""


def holds(t: Type, names: frozenset[str]) -> bool:
    """Whether a value of the type holds an array of one of these types outside functions. The state
    of N4 (``Staged`` without an argument) is a pair of MArrs."""
    match t:
        case Data(name, args):
            if name in names or ("MArr" in names and name == "Staged" and not args):
                return True
            return any(holds(a, names) for a in args)
        case Prod(a, b) | Plus(a, b):
            return holds(a, names) or holds(b, names)
        case Arr(a):
            return holds(a, names)
        case Forall(_, a) | Exists(_, a):
            return holds(a, names)
        case _:
            return False


ONCE, MUTABLE = frozenset({"Array"}), frozenset({"Array", "MArr"})


@dataclass(eq=False)
class Use:
    """What has happened to places so far: which are consumed, and which a function reads."""

    consumed: set[Place] = field(default_factory=set)
    kept: set[Place] = field(default_factory=set)

    def copy(self) -> Use:
        return Use(set(self.consumed), set(self.kept))

    def join(self, other: Use) -> None:
        """Take over what happens in another branch."""
        self.consumed |= other.consumed
        self.kept |= other.kept


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


def overlap(a: Place, b: Place) -> bool:
    """Whether one place is a part of the other."""
    return a[0] == b[0] and (a[1].startswith(b[1]) or b[1].startswith(a[1]))


class Resources:
    """The check of one term."""

    def __init__(self, types: Mapping[Term, Type]) -> None:
        self.types = types
        self.alias: dict[str, Place] = {}
        self.outer: frozenset[str] = frozenset()
        self.once: set[Place] = set()  # the places of Arrays

    def place(self, t: Term) -> Place | None:
        """Return the place that a term names; None if it is no array, or something new."""
        if not holds(self.types[t], MUTABLE):
            return None
        at, path = root(t)
        if not isinstance(at, Var):
            return None
        x, before = self.alias.get(at.name, (at.name, ""))
        return x, before + path

    def read(self, p: Place, use: Use) -> None:
        """Read a place."""
        for q in use.consumed:
            if overlap(p, q):
                raise NotLinear(f"{show(p)} is used after it was consumed")
        if p[0] in self.outer:
            use.kept.add(p)

    def consume(self, p: Place, t: Term, use: Use) -> None:
        """Consume a place, which t names."""
        if holds(self.types[t], ONCE):
            self.once.add(p)
        self.read(p, use)
        if p[0] in self.outer:
            raise NotLinear(f"a function consumes {show(p)}, which it captures")
        if any(overlap(p, q) for q in use.kept):
            raise NotLinear(f"{show(p)} is consumed, and a function reads it")
        use.consumed.add(p)

    def term(self, t: Term, use: Use) -> None:
        """Evaluate a term; an array that it names is consumed."""
        p = self.place(t)
        if p is not None:
            self.consume(p, t, use)
            return
        if isinstance(t, Fst | Snd):
            t, _ = root(t)  # what is no array is read off a tuple, which stays
        match t:
            case Var():
                pass
            case Let(x, bound, body):
                self.let(x, bound, body, use)
            # an operation consumes when its arguments are there; what it reads it leaves
            case Op(name, args):
                self.after(args, use, reading=name in READING and not any(
                    holds(self.types[a], ONCE) for a in args))
            case App(f, a):
                self.after((f, a), use)
            case Lam() | LetRec():
                self.functions(t, use)
            case Foldl(acc, x, body, z, a):
                self.after((z, a), use)
                self.repeated((acc, x), body, use)
            case _:
                self.others(t, use)

    def let(self, x: str, bound: Term, body: Term, use: Use) -> None:
        """let x = bound in body: a second name for a place, or a new one."""
        p = self.place(bound)
        if p is not None:
            self.alias[x] = p
        else:
            self.term(bound, use)
        self.term(body, use)
        if p is None:
            self.ended(x, self.types[bound], use)

    def ended(self, x: str, t: Type, use: Use) -> None:
        """Forget a variable, of which no Array may be left."""
        if holds(t, ONCE) and not all(
                any(q[0] == x and path.startswith(q[1]) for q in use.consumed)
                for path in arrays(t)):
            raise NotLinear(f"{x} holds an Array that is never consumed")

    def after(self, args: tuple[Term, ...], use: Use, reading: bool = False) -> None:
        """Evaluate arguments, and then consume (or read) those that name arrays."""
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
        inner = Resources(self.types)
        inner.alias, inner.once = self.alias, self.once
        seen = {p[0] for p in use.consumed | use.kept} | {p[0] for p in self.alias.values()}
        inner.outer = self.outer | frozenset(self.names_outside(body, names)) | seen - set(names)
        own = Use(set(use.consumed), set())
        inner.term(body, own)
        for x, s in zip(names, types, strict=False):
            inner.ended(x, s, own)
        use.kept |= {p for p in own.kept if p[0] not in names}

    def names_outside(self, body: Term, names: tuple[str, ...]) -> set[str]:
        """Return the variables of arrays that a body does not bind itself."""
        bound, used, todo = set(names), set(), [body]
        while todo:
            t = todo.pop()
            if isinstance(t, Var):
                used.add(t.name)
            for xs, part in parts(t):
                bound |= set(xs)
                todo.append(part)
        return used - bound

    def others(self, t: Term, use: Use) -> None:
        """Evaluate the parts in order. Arms begin alike, and of an Array they end alike; bodies of
        loops run any number of times."""
        some = parts(t)
        arms = len(some) - 1 if isinstance(t, Case | Match) else 0
        for names, part in some[: len(some) - arms]:
            if names:
                self.repeated(names, part, use)
            else:
                self.term(part, use)
        before, ends = use.copy(), []
        for names, part in some[len(some) - arms :]:
            own = before.copy()
            self.term(part, own)
            ends.append({p for p in own.consumed if p[0] not in names})
            use.join(Use(ends[-1], own.kept))
        for p in use.consumed - before.consumed:
            if not all(p in end for end in ends) and p in self.once:
                raise NotLinear(f"{show(p)} is consumed in one branch and not in another")


def arrays(t: Type, path: str = "") -> list[str]:
    """Return the paths of the Arrays in a tuple type."""
    match t:
        case Prod(a, b):
            return [*arrays(a, path + "f"), *arrays(b, path + "s")]
        case _:
            return [path] if holds(t, ONCE) else []


def show(p: Place) -> str:
    """Return a place as it is written."""
    out = p[0].split("$")[0]
    for step in p[1]:
        out = f"{'fst' if step == 'f' else 'snd'} {out}"
    return out


def require_linear(t: Term, types: Mapping[Term, Type]) -> None:
    """Raise NotLinear unless every mutable array of the term is used as the paper says."""
    found = set(types.values())
    if any(holds(s.arg if isinstance(s, Fun) else s, MUTABLE) for s in found):
        deeply(lambda: Resources(types).term(t, Use()))
