"""Tuples of a length that only the run knows are tuples: their class, what they are equal to, what
is done with them and what comes back are as in Python; so are derivatives by and through them."""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import pullback as pb
from pullback.errors import ArgumentTypeError, MutationError, PullbackError, UnsupportedError
from tests.campaign import part, rotated
from tests.harness import forward, run


@dataclass(frozen=True)
class Rose:
    value: float
    children: "tuple[Rose, ...]" = ()


@dataclass(frozen=True)
class Thistle:
    value: float
    leaves: "list[Thistle]"


@dataclass(frozen=True)
class Fern:
    value: float
    leaves: "Sequence[Fern]"


class Named(NamedTuple):
    first: float
    rest: "tuple[float, ...]"


class Path:
    def __init__(self, steps):
        self.steps = steps

    def walk(self, step):
        self.steps = self.steps + (step,)


XS = [0.5, -1.0, 2.0]
ROSE = Rose(1.0, (Rose(2.0), Rose(3.0, (Rose(4.0),))))


def made(x, xs):
    """Every way to make one, one inside of another."""
    t = tuple(x * y for y in xs)
    return (
        tuple(xs), t, tuple(map(math.sin, xs)), (*xs, x), t + (x,), (x,) + t, 2 * t, t[1:], t[::-1],
        tuple(zip(xs, t)), [tuple(y * z for y in xs) for z in t], tuple([y] for y in t),
        list(zip(*[xs, t])), tuple(sorted(t)), tuple(range(len(xs))), tuple({"k": y} for y in xs),
        {"k": t, "n": tuple(t)}, Named(x, t), Path(t), copy.deepcopy(t),
        tuple(y for y in xs if y > x),
    )  # fmt: skip


def asked(x, xs):
    """What tells lists from tuples."""
    t = tuple(x * y for y in xs)
    match t:
        case list():
            which = 1.0
        case tuple():
            which = 2.0
    return (
        isinstance(t, tuple), isinstance(t, list), isinstance(xs, list), isinstance(t, Sequence),
        type(t) is tuple, type(t).__name__, which, t == [*t], t == tuple(list(t)), t != xs,
        tuple(xs[:2]) == (xs[0], xs[1]), [t] == [[*t]], {"k": t} == {"k": [*t]},
    )  # fmt: skip


def shown(x, xs):
    t = tuple(x * y for y in xs)
    text = "%s %s %s" % t  # noqa: UP031  # how many there are, only the run knows
    return f"{t} {t[:1]} {t[:0]} {[t]} {xs}", repr(t), text


def updated_inside(x, xs):
    """What a tuple holds is updated, the tuple is the same."""
    t = tuple([y] for y in xs)
    t[0].append(x)
    for row in t:
        row[0] *= x
    t[1][0] += t[0][1]
    return sum(row[-1] for row in t), t


def held_twice(x, xs):
    t = tuple([y] for y in xs)
    u, n = t, (len(t),) * len(t)
    m = n
    n += (7,)
    t += ([x],)
    t[0].append(x)
    return t, u, m, n


def grown(x, xs):
    t, seen, path = (), [], Path(())
    for y in xs:
        t = (x * y,) + t
        path.walk(sum(t))
        seen.append(t)
        if len(t) > 2:
            t = t[:2]
    return sum(a * b for a, b in zip(t, path.steps)), t, seen, path


def counted(x, n):
    def down(k):
        return (x * k,) + down(k - 1) if k > 0 else ()

    return sum(v * v for v in down(n)), down(n), sum([(x,), (x * x,)] * n, ())


def chosen(x, xs):
    """A list on one path, a tuple on the other: nothing tells them apart."""
    t = tuple(xs) if x > xs[0] else xs[1:]
    return sum(t[1:]) * t[0] * (1.0 if isinstance(t, list | tuple) else 0.0), len(t)


def nothing_on_one_path(x, xs):
    """A list of known length, or the empty tuple."""
    graph = {0: [1, 2], 1: [], 2: [0]}
    t = 0.0
    for k in range(4):
        for j in graph.get(k, ()):
            t += x * j * (k + 1)
    some = [x, x * x] if x > xs[1] else ()
    last = None
    for v in xs:
        last = [v * x] if v > 0.5 else last
    for v in (*some, *(last or ())):
        t = t * 0.5 + v
    return t, len(some)


def grown_rose(x, r):
    def of(r):
        return x * r.value * len(r.children) + sum(of(c) for c in r.children)

    more = (*r.children[1:], Rose(x), *r.children)
    whole = Rose(x, more)
    return of(whole), isinstance(r.children, tuple), r.children, whole


def thistle(x, r):
    def of(r):
        return Thistle(x * r.value, [of(c) for c in r.children])

    return of(r), isinstance(of(r).leaves, list)


def in_derivatives(x, xs):
    by = pb.grad(lambda t: sum(v * v for v in t))(tuple(x * y for y in xs))
    value, change = pb.jvp(lambda t: tuple(v * v for v in t), (tuple(xs),), (by,))
    return sum(change), by, value, isinstance(by, tuple)


def error_in_index(x, xs):
    return tuple(xs)[7] * x


def error_in_search(x, xs):
    return tuple(xs).index(7.0) * x


PROGRAMS = [
    *((f, XS) for f in (made, asked, shown, updated_inside, held_twice, grown, chosen,
                        nothing_on_one_path)),
    (in_derivatives, XS),
    (counted, 3), (grown_rose, ROSE), (thistle, ROSE), (error_in_index, XS), (error_in_search, XS),
]  # fmt: skip


def plain(v: Any) -> Any:
    """A result in which classes and numbers are compared."""
    match v:
        case float():
            return round(v, 9)
        case list() | tuple():
            return type(v), [plain(x) for x in v]
        case dict():
            return type(v), {k: plain(x) for k, x in v.items()}
        case _ if hasattr(v, "__dict__"):
            return type(v), plain(vars(v))
        case _:
            return v


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    try:
        return plain(f(*args))
    except (IndexError, ValueError) as e:
        return type(e), str(e)


def name_of(case: tuple[Any, ...]) -> str:
    return str(case[0].__name__)


@pytest.mark.parametrize("case", PROGRAMS, ids=name_of)
def test_as_in_python(case: tuple[Any, Any]) -> None:
    f, more = case
    wanted = outcome(f, 0.7, more)
    assert outcome(pb.jit(f), 0.7, more) == wanted
    if f in (made, grown):
        assert outcome(lambda *args: run(f, args, "eval"), 0.7, more) == wanted


DIFFERENTIATED = [
    (updated_inside, XS), (grown, XS), (counted, 3), (chosen, XS), (grown_rose, ROSE),
    (nothing_on_one_path, XS),
    (in_derivatives, XS),
]  # fmt: skip


@pytest.mark.parametrize("case", part("values", DIFFERENTIATED, 3), ids=name_of)
def test_gradients(case: tuple[Any, Any]) -> None:
    f, more = case

    def number(x: float, more: Any) -> Any:
        return f(x, more)[0]

    wanted = (number(0.7 + 1e-6, more) - number(0.7 - 1e-6, more)) / 2e-6
    for method in rotated("values", name_of(case), ("chad", "dual")):
        assert pb.grad(number, method=method)(0.7, more) == pytest.approx(wanted, rel=1e-6)


def test_derivatives_by_nodes_and_of_tuples() -> None:
    """A gradient has the classes of what it is by, a tangent those of the result."""
    by = pb.grad(lambda r, x: grown_rose(x, r)[0])(ROSE, 0.7)
    assert type(by.children) is tuple and by.children[1].children[0].children == ()

    def squares(xs):
        return tuple(v * v for v in xs)

    value, back = pb.vjp(squares, XS)
    assert value == (0.25, 1.0, 4.0) and back((1.0, 0.0, 1.0))[0] == [1.0, 0.0, 4.0]
    assert forward(squares, (XS,), ([1.0, 1.0, 1.0],)) == (1.0, -2.0, 4.0)
    with pytest.raises(ArgumentTypeError, match="a list where a tuple of Rose items is expected"):
        pb.jit(lambda r: r.value)(Rose(1.0, [Rose(2.0)]))  # type: ignore[arg-type]  # so it is


def item_assigned(xs):
    t = tuple(xs)
    t[0] = 1.0
    return t


def item_extended(xs):
    t = tuple([x] for x in xs)
    t[0] += [1.0]
    return t


def known_extended(xs):
    t = ([1.0], xs)
    t[0] += [1.0]
    return t


def appended(xs):
    t = tuple(xs)
    t.append(1.0)
    return t


def met(xs):
    return tuple(xs) if xs[0] > 0.0 else xs[1:]


def told_apart(xs):
    t = tuple(xs) if xs[0] > 0.0 else xs[1:]
    return isinstance(t, tuple)


def by_class(r):
    return isinstance(r.leaves, list)


def of_the_other_class(xs):
    return Rose(xs[0], [Rose(x) for x in xs]).value


REFUSED = [
    (item_assigned, XS, MutationError, "does not support item assignment"),
    (item_extended, XS, MutationError, "does not support item assignment"),
    (known_extended, XS, MutationError, "does not support item assignment"),
    (appended, XS, PullbackError, "append"),
    (met, XS, UnsupportedError, "a list and a tuple have met here"),
    (told_apart, XS, UnsupportedError, "a list and a tuple have met here"),
    (by_class, Fern(1.0, (Fern(2.0, ()),)), UnsupportedError, "a list and a tuple have met here"),
    (of_the_other_class, XS, PullbackError, "a list of .* where a tuple of Rose items is needed"),
]


@pytest.mark.parametrize("case", REFUSED, ids=name_of)
def test_refused(case: tuple[Any, Any, type[PullbackError], str]) -> None:
    f, x, error, words = case
    with pytest.raises(error, match=words):
        pb.jit(f)(x)
