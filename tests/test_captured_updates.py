"""All operators of functions that update what is around them: globals, captured variables, objects.
The derivatives are by the values before, and the function has run once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb


class Settings:
    def __init__(self) -> None:
        self.count, self.kept = 1, np.zeros(3)


log: list[Any] = [0.5]
state = {"n": 2}
buffer = np.array([1.0, 2.0, 3.0])
total = 1.5
settings = Settings()


def appended(a: Any) -> Any:
    log.append(float(a[0]))
    return (a**3).sum() * len(log)


def counted(a: Any) -> Any:
    state["n"] += 1
    return (a**3).sum() * state["n"]


def filled(a: Any) -> Any:
    buffer[:] = a * 2
    return (buffer**3).sum()


def summed(a: Any) -> Any:
    global total
    total += a[0]
    return (a**3).sum() * total


def of_an_object(a: Any) -> Any:
    settings.count += 1
    settings.kept = a * 2
    return (settings.kept**3).sum() * settings.count


def note(x: Any) -> None:
    log.append(x)


def by_a_helper(a: Any) -> Any:
    note(float(a[0]))
    return (a**3).sum()


def both(a: Any) -> Any:
    log.append(1.0)
    a *= 2.0
    return (a**3).sum() * len(log)


def closure() -> Callable[[Any], Any]:
    seen: list[float] = []
    n = 0

    def f(a: Any) -> Any:
        nonlocal n
        n += 1
        seen.append(float(a[0]))
        state["n"] += n  # what can be seen of them
        return (a**3).sum() * n * len(seen)

    return f


FUNCTIONS: list[Callable[[], Callable[[Any], Any]]] = [
    *(lambda f=f: f for f in (appended, counted, filled, summed, of_an_object, by_a_helper, both)),
    closure,
]
A, ONES = np.array([1.0, 2.0, 3.0]), np.ones(3)
Operate = Callable[[Callable[[Any], Any], Any], Any]


def pulled(f: Callable[[Any], Any], a: Any) -> Any:
    out, pullback = pb.vjp(f, a)
    return out, pullback(1.0)[0]


def along(f: Callable[[Any], Any], a: Any) -> Any:
    out, linear_map = pb.linearize(f, a)
    return out, linear_map(ONES)


OPERATORS: list[tuple[Operate, Callable[[Any, Any, Any], Any]]] = [
    (lambda f, a: pb.jacfwd(f)(a), lambda v, g, h: g),
    (lambda f, a: pb.jacrev(f)(a), lambda v, g, h: g),
    (lambda f, a: pb.hessian(f)(a), lambda v, g, h: h),
    (lambda f, a: pb.jvp(f, (a,), (ONES,)), lambda v, g, h: (v, g.sum())),
    (pulled, lambda v, g, h: (v, g)),
    (lambda f, a: pb.hvp(f, (a,), (ONES,))[0], lambda v, g, h: h.sum(1)),
    (along, lambda v, g, h: (v, g.sum())),
    (lambda f, a: pb.jet(f, (a,), ((ONES, 0.0 * ONES),)),
     lambda v, g, h: (v, (g.sum(), h.sum()))),
    (lambda f, a: pb.sparse_hessian(f)(a).toarray(), lambda v, g, h: h),
    (lambda f, a: pb.jit(pb.grad(f))(a), lambda v, g, h: g),
    (lambda f, a: pb.jacobian(pb.grad(f))(a), lambda v, g, h: h),
]  # fmt: skip


def begin() -> None:
    global total
    log[:], state["n"], total = [0.5], 2, 1.5
    buffer[:] = A
    settings.count, settings.kept = 1, np.zeros(3)


def seen() -> str:
    return repr((log, state, buffer, total, settings.count, settings.kept))


def value(make: Callable[[], Callable[[Any], Any]], a: Any) -> Any:
    begin()
    return make()(a)


def close(found: Any, want: Any) -> bool:
    if isinstance(want, tuple):
        return len(found) == len(want) and all(map(close, found, want))
    return bool(np.allclose(found, want, rtol=1e-4, atol=1e-4))


@pytest.mark.parametrize("k", range(len(FUNCTIONS)), ids=lambda k: FUNCTIONS[k]().__name__)
def test_operators(k: int) -> None:
    """Each function by three operators, each of these by two functions or more."""
    make, h = FUNCTIONS[k], 1e-4
    v, after = value(make, A.copy()), seen()
    steps = h * np.eye(3)
    g = [(value(make, A + e) - value(make, A - e)) / (2 * h) for e in steps]
    hessian = [
        [sum(s * t * value(make, A + s * d + t * e) for s in (1, -1) for t in (1, -1)) / (4 * h * h)
         for e in steps] for d in steps
    ]  # fmt: skip
    for operate, want in [OPERATORS[(3 * k + j) % len(OPERATORS)] for j in range(3)]:
        for _ in range(2):
            f, a = make(), A.copy()
            begin()
            assert close(operate(f, a), want(v, np.array(g), np.array(hessian)))
            assert seen() == after
            assert a.tolist() == (2.0 * A if make() is both else A).tolist()


def test_what_is_around_may_not_be_an_argument() -> None:
    for operate in (pb.jacfwd(filled), pb.hessian(filled), lambda a: pb.jvp(filled, (a,), (ONES,))):
        begin()
        for a in (buffer, buffer[::-1]):
            with pytest.raises(pb.PullbackError, match="shares memory"):
                operate(a)
            assert buffer.tolist() == A.tolist()
