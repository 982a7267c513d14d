"""What Python does with every sort of value in every operation and statement of a few words: the
*cells* of a table, each a program of its own. Pullback gives the same, or refuses."""

from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import itertools
import linecache
import math
import re
import textwrap
import types
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# mypy: disable-error-code="no-untyped-def"


@dataclass
class Changing:
    x: float
    y: float


@dataclass(frozen=True, order=True)
class Frozen:
    x: float
    y: float


class Named(NamedTuple):
    x: float
    y: float


class Plain:
    def __init__(self, x, y):
        self.x = x
        self.y = y


class Linked:
    def __init__(self, x, y):
        self.x = x
        self.y = y
        self.next = None


class Special:
    """An object with a special method for nearly everything."""

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Special(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return isinstance(other, Special) and self.x == other.x

    def __hash__(self):
        return 1

    def __lt__(self, other):
        return self.x < other.x

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __iter__(self):
        yield self.x
        yield self.y

    def __bool__(self):
        return self.x > 0

    def __contains__(self, v):
        return v == self.y

    def __repr__(self):
        return "special"

    def __call__(self, v):
        return self.x * v


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def ring(x, y):
    a = Linked(x, y)
    a.next = a
    return a


def yielding(x, y):
    yield x
    yield y


def maybe(x, there):
    return x if there else None


def outside() -> dict[str, Any]:
    """Return new objects that the programs find under global names."""
    return {
        "CHANGING": Changing(0.5, 2.0), "FROZEN": Frozen(0.5, 2.0), "NAMED": Named(0.5, 2.0),
        "PLAIN": Plain(0.5, 2.0), "SPECIAL": Special(0.5, 2.0), "LIST": [0.5, 2.0],
        "DICT": {"x": 0.5, "y": 2.0}, "ARRAY": np.array([0.5, 2.0]), "INTS": [1, 2],
        "SET": {1, 2}, "FIXED": frozenset({1, 2}), "TUPLE": (0.5, 2.0), "DEQUE": deque([0.5, 2.0]),
        "OBJECTS": [Changing(0.5, 2.0), Changing(1.0, 3.0)], "NUMBERED": {1: 0.5, 2: 2.0},
        "RANGE": range(2), "SINGLE": np.float32(0.5),
    }  # fmt: skip


NAMES = {
    "Changing": Changing, "Frozen": Frozen, "Named": Named, "Plain": Plain, "Linked": Linked,
    "Special": Special, "Colour": Colour, "Level": Level, "ring": ring, "yielding": yielding,
    "maybe": maybe, "Counter": Counter, "defaultdict": defaultdict, "deque": deque, "math": math,
    "copy": copy, "functools": functools, "itertools": itertools, "np": np,
    "replace": dataclasses.replace,
}  # fmt: skip
"""What programs know beside the objects outside."""

VALUES = [
    "a", "np.float64(a)", "n", "(a<1)", "True", "None", '"ab"', '("ab" if a<1 else "c")',
    "10**6*n", "(a,b)", "(1,n)", "(n,a)", "((a,b),n)", "()", "[a,b]", "[n,1]", "[]",
    "[[a],[b,a]]", "[v*2 for v in xs]", "xs", "[(a,1),(b,n)]", '{"x":a,"y":b}', "{n:a,1:b}", "{}",
    "{k:v for k,v in enumerate(xs)}", "defaultdict(float)", "Counter([n,1,n])", "{n,1}",
    "frozenset([1,n])", "set()", "np.array([a,b])", "np.array([1,n])", "np.array([[a,b],[b,a]])",
    "np.array(xs)>1", "np.zeros(0)", "np.array(xs)[1:]", "np.asarray(xs)", "Changing(a,b)",
    "Frozen(a,b)", "Named(a,b)", "Plain(a,b)", "ring(a,b)", "Special(a,b)", "Colour.RED",
    "(Colour.RED if a<1 else Colour.BLUE)", "Level.HIGH", "CHANGING", "FROZEN", "NAMED", "PLAIN",
    "SPECIAL", "LIST", "DICT", "ARRAY", "INTS", "SET", "TUPLE", "DEQUE", "OBJECTS", "OBJECTS[0]",
    "NUMBERED", "deque([a,b])", "range(n)", "range(len(xs))", "zip(xs,[1,n])", "enumerate(xs)",
    "reversed(xs)", "map(math.sin,xs)", "yielding(a,b)", "(v for v in xs)", "iter(xs)",
    "(lambda v: v*a)", "Special(a,b).__add__", "functools.partial(math.pow,a)", "Changing",
    "maybe(a,a<1)", "maybe(a,a>1)", "((a,b) if a<1 else None)",
    "(Frozen(a,b) if a<1 else Named(a,b))", "slice(0,n)", '{"x":a}.items()',
    "{k:v for k,v in enumerate(xs)}.keys()", "math", "math.nan", "math.inf", "...",
    "[Changing(a,b),Changing(b,a)]", "FIXED", "RANGE", "SINGLE",
]  # fmt: skip
"""Values, of the floats a and b, the list xs of both, and the int n."""

OPERATIONS = [
    "v == v", "v == w", "v != w", "v == a", "n == v", "v == None", "v is None", "v is v",
    "v in [w]", "v in [1, w, None]", "v in (n, w)", "bool(v)", "not v", "(v and a)", "(v or a)",
    "(1.0 if v else 2.0)", "len(v)", "sum(v)", "list(v)", "tuple(v)", "sorted(set(v))",
    "sorted(v)", "min(v)", "max(v, default=3)", "any(v)", "all(v)", "str(v)", "repr(v)", 'f"{v}"',
    "format(v)", '"%s" % (v,)', "float(v)", "int(v)", "abs(v)", "round(v)", "-v", "v + v",
    "v + n", "n + v", "v * 2", "2.5 * v", "n * v", "v - a", "v ** 2", "v / 2", "v // 2", "v % 2",
    "v < w", "v <= a", "v > n", "v & v", "v | v", "v[0]", "v[-1]", "v[n]", "v[1:]", "v[::-1]",
    "v[1]", "v.x", 'getattr(v, "y", 7.0)', 'hasattr(v, "x")', "next(v)", "next(iter(v))",
    "list(zip(v, v))", "list(enumerate(v))", "list(reversed(v))", "list(map(bool, v))",
    "list(filter(None, v))", "[*v, 1.0]", "(0, *v)", "(lambda p, q: q)(*v)", "dict(**v)",
    "list(v.keys())", "list(v.values())", 'v.get("x")', "copy.copy(v)", "copy.deepcopy(v)",
    "np.array(v)", "np.sum(v)", "np.max(v)", "isinstance(v, float)", "isinstance(v, int)",
    "isinstance(v, (list, tuple))", "isinstance(v, dict)", "isinstance(v, object)",
    "isinstance(v, (Changing, Frozen, Named))", "type(v) is float", "type(v).__name__",
    "callable(v)", "v(2.0)", "{v: 1}[w]", "{v: a}", "len({v, w})", "v in {w}", "[u for u in v]",
    "[u == u for u in v]", "{k: 1 for k in v}", "(v if a < 1 else w)", "(v if a > 1 else w)",
    "(v if a < 1 else None)", "[v if q else w for q in [a < 1, a > 1]]", "[v][0]", "[v, w]",
    "(v, w)", '{"k": v}["k"]', "(lambda u=v: u)()", "(lambda: v)()", "(lambda u: u)(v)",
    "(lambda *u: u)(v, w)", '(lambda **u: u["k"])(k=v)',
    "functools.reduce(lambda p, q: p, [v, w])", "sorted([v, w])", "max(v, w)",
    "min([v, w], key=lambda u: 1)", "[u for u in [v, w] for _ in range(2)]", "[v] * 2",
    '"-".join(v)', "hash(v) == hash(w)", "~v", "v @ v", "print(v)",
    "list(itertools.accumulate(v))", "list(itertools.chain(v, v))",
    "list(itertools.islice(v, 1))", "math.prod(v)", "math.fsum(v)", "np.dot(v, v)", "v.count(w)",
    "v.index(v[1])", "a in v", "1 in v", "divmod(v, 2)", "math.isnan(v)", "math.sin(v)",
    "np.sin(v)", "[v] == [w]", "(v, 1) == (w, 1)", "[v] < [w]", '{"k": v} == {"k": w}',
    "v if v else w", "0 < v < 3", "bool(v) ^ True", "(u := v, u)", "np.array(v) @ np.array(v)",
    "replace(v, x=1.0)", "np.all(v == w)", "list(zip(*v))", "v.strip()", "v.astype(float)",
    "v.shape", "v.copy()", "v + [1.0]",
]  # fmt: skip
"""Expressions of v and w, which are made in the same way."""

STATEMENTS = [
    """
        match v:
            case 1: return 1
            case 2: return 2
            case 0.5: return 3
            case None: return 4
            case True: return 5
            case "ab": return 6
            case _: return 7
    """,
    """
        match v:
            case []: return 1
            case [p]: return 2
            case [p, q]: return (3, q)
            case [p, *r]: return 4
            case _: return 7
    """,
    """
        match v:
            case (0.5, q) | (q, 0.5): return (3, q)
            case [_, [p, *_]]: return (p, 5)
            case _: return 7
    """,
    """
        match v:
            case Changing(x=p): return (1, p)
            case Frozen(p, q): return (2, q)
            case Named(p, q): return (3, q)
            case Plain(x=p): return (4,p)
            case Linked(y=p): return (5,p)
            case Special(x=p): return (6,p)
            case _: return 7
    """,
    """
        match v:
            case bool(): return 1
            case int(p): return (2, p)
            case float(p): return (3, p)
            case str(): return 4
            case list(): return 5
            case tuple(): return 6
            case dict(): return 7
            case set(): return 8
            case _: return 9
    """,
    """
        match v:
            case {"x": p, "y": 2.0}: return (1, p)
            case {"x": p, **r}: return (2, p)
            case {1: p}: return (3, p)
            case {}: return 4
            case _: return 5
    """,
    """
        match v:
            case Colour.RED: return 1
            case Level.HIGH: return 2
            case math.inf: return 3
            case math.nan: return 4
            case _: return 5
    """,
    """
        match (v, w):
            case (p, q) if p == q: return 1
            case (p, _): return 2
    """,
    """
        s = 0.0
        for u in v:
            s = s * 2 + (1.0 if u else 0.5)
        return s
    """,
    """
        out = []
        for u in v:
            out.append(u)
        return out
    """,
    """
        for u in v:
            if u == 2: break
        else:
            return 1
        return 2
    """,
    """
        p, q = v
        return (q, p)
    """,
    """
        p, *q = v
        return (p, q)
    """,
    """
        k = 0
        while v and k < 2:
            k += 1
        return k
    """,
    """
        u = v
        u += v
        return u
    """,
    """
        u = v
        u += v
        return v
    """,
    """
        u = v
        u *= 2
        return (u, v)
    """,
    """
        try:
            u = v[5]
        except IndexError: return 1
        except KeyError: return 2
        except TypeError: return 3
        return u
    """,
    """
        try:
            u = v.zzz
        except AttributeError: return 1
        return u
    """,
    """
        try:
            return len(v)
        except TypeError: return 1
    """,
    """
        assert v
        return 1
    """,
    """
        raise ValueError(v)
    """,
    """
        u = v
        del u
        return 1
    """,
    """
        u = v
        u.x = 9.0
        r = v.x
        u.x = 0.5
        return r
    """,
    """
        u = v
        u[0] = 9.0
        r = v[0]
        u[0] = 0.5
        return r
    """,
    """
        u = v
        u.append(9.0)
        r = len(v)
        u.pop()
        return r
    """,
    """
        p, q = v, w
        p, q = q, p
        return (p, q)
    """,
    """
        u = v
        for k in range(n):
            u = w if k else v
        return u
    """,
    """
        us = []
        for k in range(n):
            us.append(v)
        return us
    """,
    """
        u = None
        for k in range(n):
            u = v
        return u
    """,
    """
        def g(u, d={}):
            return u
        return g(v)
    """,
    """
        def g(u, k):
            return u if k == 0 else g(u, k - 1)
        return g(v, n)
    """,
    """
        if a > 1: return w
        return v
    """,
    """
        def g():
            yield v
            yield w
        return list(g())
    """,
    """
        o = Plain(v, w)
        return (o.x, o.y)
    """,
    """
        o = Plain(1, w)
        o.x = v
        return o.x
    """,
    """
        d = {}
        d["k"] = v
        return d["k"]
    """,
    """
        d = {}
        for k in range(n):
            d[k] = v
        return d[1]
    """,
    """
        us = [v]
        us.append(w)
        us.insert(0, v)
        return us[1]
    """,
    """
        u = v
        def g():
            nonlocal u
            u = w
        g()
        return u
    """,
]
"""Statements at the end of a function, with v and w."""

HELD = {
    "d[0]": "[v, v]", 'd["k"]': '{"k": v}', "d[n]": "{n: v}", "d.x": "Plain(v, 1)",
    "d.next.x": "ring(v, 1)", "d": "v",
}  # fmt: skip
STATEMENTS += [
    f"d = {made}\n{place} {change}\nreturn (v, {place})\n"
    for place, made in HELD.items()
    for change in ("+= w", "|= w", "&= w", "-= w", "*= 2", "+= [5.0]")
]


def program(value: str, last: str) -> Callable[..., Any]:
    """Return the program of a cell, with objects outside of its own."""
    body = textwrap.dedent(last) if "\n" in last else f"return {last}\n"
    head = f"a, b = xs\nv = {value}\nw = {value}\n"
    text = "def cell(xs, n):\n" + textwrap.indent(head + body, "    ")
    name = f"<{value}: {' '.join(last.split())}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"__name__": __name__, **NAMES, **outside()}
    exec(compile(text, name, "exec"), names)
    made = names["cell"]
    assert isinstance(made, types.FunctionType)
    return made


def plain(x: Any, depth: int = 0) -> Any:
    """Return a value as numbers, texts and tuples, without what is documented as different: an int
    or a bool that has met a float is one."""
    inner = functools.partial(plain, depth=depth + 1)
    match x:
        case _ if depth > 5:
            return "..."
        case str():
            return re.sub(r"0x[0-9a-f]+", "0x", x)
        case None:
            return None
        case np.bool_():
            return ("np.bool", bool(x))
        case bool() | int() | float() | np.number() if not isinstance(x, enum.Enum):
            return "nan" if x != x else round(float(x), 9)
        case np.ndarray():
            return ("array", x.shape, [inner(e) for e in x.ravel().tolist()])
        case dict():
            return ("dict", [(inner(k), inner(v)) for k, v in x.items()])
        case set() | frozenset():
            return ("set", sorted(map(repr, map(inner, x))))
        case list() | tuple():
            return (type(x).__name__, [inner(e) for e in x], getattr(x, "_fields", ()))
        case _ if hasattr(x, "__dict__") and not isinstance(x, type | types.FunctionType):
            return (type(x).__name__, [(k, inner(v)) for k, v in vars(x).items()])
        case _:
            return type(x).__name__
