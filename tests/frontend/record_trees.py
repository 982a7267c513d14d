"""Trees of records whose classes do not say what is in them: frozen dataclasses and named tuples
of ``Any``, of ``object``, of a base class; and objects of several classes in ``match``."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar


class Expr:
    pass


@dataclass(frozen=True)
class Num(Expr):
    value: float


@dataclass(frozen=True)
class Add(Expr):
    a: Expr
    b: Expr


@dataclass(frozen=True)
class Mul(Expr):
    a: Expr
    b: Expr


def value_of(e: Expr) -> float:
    match e:
        case Num(v):
            return v
        case Add(a, b):
            return value_of(a) + value_of(b)
        case Mul(a, b):
            return value_of(a) * value_of(b)
    raise TypeError(e)


def horner(xs):
    e: Expr = Num(xs[0])
    for x in xs[1:]:
        e = Add(Mul(e, Num(xs[1])), Num(x))
    return value_of(e)


def compared(xs):
    a, b = Add(Num(xs[0]), Num(xs[1])), Add(Num(xs[0]), Num(xs[1]))
    t = a
    for x in xs:
        t = Add(t, Mul(a, Num(x)))
    return value_of(t) + (1.0 if a == b else 2.0) + (0.0 if a == t else 5.0)


def by_a_stack(xs):
    held, t, k = [], 0.0, 1
    e = Num(xs[0])
    for x in xs[1:]:
        e = Add(e, Mul(Num(x), e))
        held.append(e)
    while held:
        e = held.pop()
        if isinstance(e, Num):
            t, k = t + e.value * k, k + 1
        else:
            held += [e.b, e.a]
    return t


def by_a_list(xs):
    def built(xs):
        if len(xs) == 1:
            return Num(xs[0])
        m = len(xs) // 2
        return Mul(Num(0.5), Add(built(xs[:m]), built(xs[m:])))

    held, t = [built(xs)], 0.0
    while held:
        e = held.pop()
        if isinstance(e, Num):
            t = 0.5 * t + e.value
        else:
            held += [e.b, e.a]
    return t


def depth(e):
    return 1 if isinstance(e, Num) else 1 + max(depth(e.a), depth(e.b))


def mapped(e, f):
    if isinstance(e, Num):
        return Num(f(e.value))
    return type(e)(mapped(e.a, f), mapped(e.b, f))


def rebuilt(xs):
    e = Num(xs[0])
    for x in xs[1:]:
        e = Mul(Add(e, Num(x)), Num(2.0))
    return value_of(mapped(e, lambda v: v * v)) * depth(e)


def level_by_level(xs):
    level = [Num(x) for x in xs]
    while len(level) > 1:
        last = level[len(level) // 2 * 2 :]
        level = [Add(a, Mul(b, a)) for a, b in zip(level[::2], level[1::2], strict=False)] + last
    return value_of(level[0])


def nested_patterns(xs):
    def of(e):
        match e:
            case Add(Num(a), Num(b)):
                return a * b
            case Add(Add() as l, r):
                return of(l) + value_of(r)
            case Mul(a, Num(b)) if b > 0.1:
                return of(a) * b
            case Num(v):
                return v
            case _:
                return -1.0

    e = Num(xs[0])
    for x in xs[1:]:
        e = Add(e, Num(x))
    return of(e) + of(Mul(e, Num(xs[1]))) + of(Mul(e, Num(0.05 * xs[0])))


@dataclass(frozen=True)
class Node:
    key: float
    left: Any = None
    right: Any = None

    def insert(self, key):
        if key < self.key:
            left = Node(key) if self.left is None else self.left.insert(key)
            return replace(self, left=left)
        return replace(self, right=Node(key) if self.right is None else self.right.insert(key))

    @property
    def size(self):
        return 1 + sum(kid.size for kid in (self.left, self.right) if kid is not None)

    def walk(self):
        if self.left is not None:
            yield from self.left.walk()
        yield self.key
        if self.right is not None:
            yield from self.right.walk()


def search_tree(xs):
    t = Node(xs[0])
    for x in xs[1:]:
        t = t.insert(x)
    return sum(v * k for k, v in enumerate(t.walk(), 1)) * t.size


@dataclass(frozen=True)
class Turn:
    angle: float


@dataclass(frozen=True)
class Move:
    by: float


@dataclass(frozen=True)
class Both:
    f: object
    g: object

    def __call__(self, p):
        return applied(self.f, applied(self.g, p))


def applied(m, p):
    match m:
        case Turn(t):
            return p[0] * math.cos(t) - p[1] * math.sin(t), p[0] * math.sin(t) + p[1] * math.cos(t)
        case Move(by):
            return p[0] + by, p[1]
        case Both():
            return m(p)


def composed(xs):
    m = Move(0.0)
    for x in xs:
        m = Both(m, Both(Turn(x), Move(2 * x)))
    a, b = applied(m, (1.0, 0.0))
    return a + 3 * b


@dataclass(frozen=True)
class Branch:
    value: float
    kids: tuple = ()


def with_kids(xs):
    def total(b):
        return b.value + sum(0.5 * total(k) for k in b.kids)

    b = Branch(xs[0])
    for x in xs[1:]:
        b = Branch(x, (b, Branch(2 * x)))
    return total(b)


@dataclass(frozen=True)
class Leaf:
    v: float


@dataclass(frozen=True)
class Counted:
    a: Any
    b: Any
    tag: float = field(default=1.0, compare=False)
    n: int = field(init=False, default=0)

    def __post_init__(self):
        object.__setattr__(self, "n", 1 + getattr(self.a, "n", 0) + getattr(self.b, "n", 0))


def total(e):
    return e.v if hasattr(e, "v") else total(e.a) + 2 * e.tag * total(e.b)


def counted(xs):
    e, other = Leaf(xs[0]), Leaf(xs[0])
    for x in xs[1:]:
        e, other = Counted(e, Leaf(x)), Counted(other, Leaf(x), 5.0)
    e = replace(e, b=Leaf(2 * xs[0]))
    return total(e) * e.n + (1.0 if e == other else 3.0) * total(other)


T = TypeVar("T")


@dataclass(frozen=True)
class Cons(Generic[T]):
    head: T
    tail: Any = None


def linked(xs):
    chain = None
    for x in xs:
        chain = Cons(x, chain)
    t = 0.0
    while chain is not None:
        t, chain = 0.5 * t + chain.head, chain.tail
    return t


class Const(NamedTuple):
    v: float


class Plus(NamedTuple):
    a: Any
    b: Any


def of_named_tuples(xs):
    def of(e):
        return e.v if isinstance(e, Const) else of(e.a) + 2 * of(e.b)

    e = Const(xs[0])
    for x in xs[1:]:
        e = Plus(e, Plus(Const(x), e))
    return of(e)


# --- objects -------------------------------------------------------------------------------------


@dataclass
class Value:
    v: float


@dataclass
class Sum:
    a: object
    b: object


@dataclass
class Product:
    a: object
    b: object


def simplified(e):
    match e:
        case Sum(Value(a), Value(b)):
            return Value(a + b)
        case Sum(a, b):
            return Sum(simplified(a), simplified(b))
        case Product(Value(a), Value(b)):
            return Value(a * b)
        case Product(a=a, b=b):
            return Product(simplified(a), simplified(b))
        case _:
            return e


def of_object(e):
    match e:
        case Value(v):
            return v
        case Sum(a, b):
            return of_object(a) + of_object(b)
        case Product(a, b):
            return of_object(a) * of_object(b)


def of_objects(xs):
    e = Value(xs[0])
    for x in xs[1:]:
        e = Sum(Product(e, Value(x)), Value(2 * x))
    e.b.v += xs[0]
    return of_object(simplified(simplified(e)))


RIGHT = [
    horner, compared, by_a_stack, by_a_list, rebuilt, level_by_level, nested_patterns, search_tree,
    composed, with_kids, counted, linked, of_named_tuples, of_objects,
]  # fmt: skip


# --- what only Python has -------------------------------------------------------------------------


def identity(xs):
    e = Num(xs[0])
    for x in xs[1:]:
        e = Add(e, Num(x))
    a = e.a
    return value_of(e) + (100.0 if a is e.a else 200.0)


def returned(xs):
    e = Num(xs[0])
    for x in xs[1:]:
        e = Add(e, Num(x))
    return e


@dataclass(frozen=True, eq=False)
class Bare:
    a: Any
    b: Any


def equal_by_identity(xs):
    one, other = Leaf(xs[0]), Leaf(xs[0])
    for x in xs[1:]:
        one, other = Bare(one, Leaf(x)), Bare(other, Leaf(x))
    return xs[0] + (10.0 if one == other else 20.0)


REFUSED = [identity, returned, equal_by_identity]
