"""Functions in the nodes of recursive data: trampolines, lazy streams, commands, parsers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Optional, TypeVar

from tests.programs import Program, real

T = TypeVar("T")


@dataclass(frozen=True)
class Done:
    value: float


@dataclass(frozen=True)
class More:
    next: Callable[[], Step]


Step = Done | More


def run(step: Step) -> float:
    while isinstance(step, More):
        step = step.next()
    return step.value


def even(n, x):
    return Done(x) if n == 0 else More(lambda: odd(n - 1, 0.9 * x))


def odd(n, x):
    return Done(-x) if n == 0 else More(lambda: even(n - 1, math.sin(x)))


def bouncing(x, n):
    """Mutual recursion by a trampoline: the stack does not grow."""
    return run(even(n, x)) * run(odd(4, x))


def fib(n, x, k):
    if n < 2:
        return More(lambda: k(x + n))
    return More(
        lambda: fib(
            n - 1, x, lambda a: More(lambda: fib(n - 2, x, lambda b: More(lambda: k(a + x * b))))
        )
    )


def trampolined_fib(x):
    """Continuations in steps: each lambda captures the one before."""
    return run(fib(7, x, lambda r: Done(r * r)))


@dataclass(frozen=True)
class Stream(Generic[T]):
    head: T
    tail: Callable[[], Stream[T]]


def iterate(f, x):
    return Stream(x, lambda: iterate(f, f(x)))


def map_stream(f, s):
    return Stream(f(s.head), lambda: map_stream(f, s.tail()))


def zip_streams(f, a, b):
    return Stream(f(a.head, b.head), lambda: zip_streams(f, a.tail(), b.tail()))


def summed(s, n):
    total = 0.0
    for _ in range(n):
        total += s.head
        s = s.tail()
    return total


def streams(xs):
    """Lazy streams: square roots by Newton, against the powers of a number."""
    total = 0.0
    for x in xs:
        c = x * x + 1.0
        roots = iterate(lambda y, c=c: 0.5 * (y + c / y), 1.0)
        powers = iterate(lambda y, x=x: y * x * 0.5, 1.0)
        total += summed(zip_streams(lambda a, b: a * b, roots, map_stream(math.cos, powers)), 4)
    return total / len(xs)


def converged(s, eps):
    """The first element of a stream that hardly differs from the one after it."""
    while True:
        rest = s.tail()
        if abs(s.head - rest.head) < eps:
            return rest.head
        s = rest


def lazy_limit(x):
    return converged(iterate(lambda y: math.cos(x * y), 0.5), 1e-12)


def stream_of_pairs(x):
    """Streams of pairs and of numbers: two instances of one class."""
    pairs = iterate(lambda p: (p[0] + x, p[1] * p[0]), (x, 1.0))
    turned = map_stream(lambda p: (p[1], p[0] * p[1]), pairs)
    return summed(map_stream(lambda p: p[0] + 0.1 * p[1], turned), 4)


@dataclass(frozen=True)
class Return:
    value: float


@dataclass(frozen=True)
class Ask:
    then: Callable[[float], Command]


@dataclass(frozen=True)
class Tell:
    what: float
    rest: Command


Command = Return | Ask | Tell


def bind(p: Command, f: Callable[[float], Command]) -> Command:
    match p:
        case Return(v):
            return f(v)
        case Ask(then):
            return Ask(lambda a: bind(then(a), f))
        case Tell(what, rest):
            return Tell(what, bind(rest, f))


def interpret(p: Command, state: float) -> float:
    log = 0.0
    while not isinstance(p, Return):
        match p:
            case Ask(then):
                p = then(state)
                state = state * 1.1
            case Tell(what, rest):
                log += what * what
                p = rest
    return p.value + log


def conversation(xs):
    """A tree of commands whose continuations are functions, made by a loop and interpreted."""
    p = Return(1.0)
    for i in range(len(xs)):
        p = bind(p, lambda v, x=xs[i]: Tell(v * x, Ask(lambda a: Return(a * x + 0.5 * v))))
    return interpret(p, 0.7)


@dataclass(frozen=True)
class Layer:
    apply: Callable[[float], float]
    after: Optional[Layer]


def layers(xs, x):
    """A network as a list of functions, each with its own parameters."""
    net = Layer(math.tanh, None)
    for w in xs:
        net = Layer(lambda v, w=w: w * v + 0.1, Layer(math.sin, net))
    while net is not None:
        x = net.apply(x)
        net = net.after
    return x


@dataclass(frozen=True)
class Account:
    """An object of closures, as in a language without classes."""

    balance: Callable[[], float]
    deposit: Callable[[float], Account]


def account(total, rate):
    return Account(lambda: total, lambda x: account(total * (1.0 + rate) + x, rate))


def savings(xs, rate):
    a = account(0.0, rate)
    for x in xs:
        a = a.deposit(x)
    return a.balance()


PROGRAMS = [
    real("bouncing", bouncing, lambda r, n: (0.8, n), growth=(10, 60, 300)),
    Program("trampolined_fib", trampolined_fib, lambda r, n: (0.3,), sizes=(1,)),
    Program("lazy_limit", lazy_limit, lambda r, n: (0.6,), sizes=(1,)),
    Program("stream_of_pairs", stream_of_pairs, lambda r, n: (0.7,), sizes=(1,)),
    Program("streams", streams, lambda r, n: (r.normal(size=n),), sizes=(2, 5)),
    Program("conversation", conversation, lambda r, n: (r.normal(size=n),), sizes=(2, 6)),
    Program("function_layers", layers, lambda r, n: (r.normal(size=n), 0.4), (0, 1), (2, 6)),
    real(
        "savings", savings, lambda r, n: (r.normal(size=n), 0.001), (0, 1), growth=(10, 60, 300)
    ),
]
