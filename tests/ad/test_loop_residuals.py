"""Loops and branches keep no counts, no handles, and no values that they pass on anyway."""

import math

import numpy as np
import pytest

import pullback as pb
from pullback.call.driver import Request, What, specialisation
from pullback.core.terms import Loop, While
from pullback.core.traverse import all_lets
from pullback.core.types import Handle, Sum
from tests.programs.lists import textbook_merge_sort

V = np.random.default_rng(3).normal(size=40)


def merged(xs):
    """The buffer grows under a branch: its handle is handed on by both arms."""
    low, high, i, j = [], [], 0, 0
    while i + j < len(xs):
        if xs[i + j] < 0.0:
            low.append(math.sin(xs[i + j]))
            i += 1
        else:
            high.append(xs[i + j] * xs[i])
            j = j + 1
    return sum(low) * sum(high)


def counted(xs):
    """Counts that all branches raise alike, by 3 and down by 2, and one that only some raise."""
    up, down, some, s = -4, 100, 0, 1.0
    for x in xs:
        if x > 0.0:
            s = s * math.cos(x * up)
            up += 3
            down -= 2
            some += 1
        elif x > -0.5:
            s = s * math.sin(x + down)
            up = up + 3
            down = down - 2
        else:
            s = s + x * some
            up = 1 + up + 2
            down -= 1
            down -= 1
    return s * up * down


def one_arm_keeps(xs):
    """Each arm keeps another thing: what is handed on is kept where that is less."""
    s, t = 1.0, 0.5
    for x in xs:
        if x > 0.3:
            s, t = math.exp(-s * s), t * x
        else:
            s, t = s * x, math.tanh(t) * s
    return s * t


def swapped(xs):
    """Two carried variables are swapped, so each is the other one of the next iteration."""
    a, b = 1.0, 2.0
    for x in xs:
        a, b = b * math.cos(x), a
    return a * b


def grows_again(xs):
    """A list that a loop has made grows again in the next, and an inner loop."""
    out = [1.0]
    for x in xs[:5]:
        for y in xs[:4]:
            if x > y:
                out.append(x * out[-1])
        out.append(out[len(out) // 2] * math.sin(x))
    for x in xs:
        if x > 0:
            out.append(out[-1] * x + out[0])
    return sum(out)


def popped(xs):
    out = []
    for x in xs:
        if len(out) > 2 and x < 0:
            out.append(out.pop() * out.pop() + x)
        elif x < 1:
            out.append(x * x)
    return sum(k * v for k, v in enumerate(out))


@pytest.mark.parametrize("n", [0, 1, 9, 40])
@pytest.mark.parametrize(
    "f", [merged, counted, one_arm_keeps, swapped, grows_again, popped], ids=lambda f: f.__name__
)
def test_gradients(f, n) -> None:
    xs = V[:n] * 0.9
    value, ct = pb.value_and_grad(f)(xs)
    assert value == pytest.approx(f(xs), rel=1e-12)
    assert ct == pytest.approx(pb.grad(f, method="dual")(xs), rel=1e-9, abs=1e-12)
    if n:
        towards = np.cos(np.arange(n))
        assert np.dot(ct, towards) == pytest.approx(
            pb.jvp(f, (xs,), (towards,))[1], rel=1e-9, abs=1e-12
        )


@pytest.mark.parametrize("start", [3, np.int64(3), np.int32(3)])
def test_counts_of_other_widths(start) -> None:
    def f(xs, k):
        s = 1.0
        for x in xs:
            s = s * math.sin(x * k) + x
            k = k + 1
        while k < 60:
            s = s + 0.1 * math.cos(s + k)
            k = k + 2
        return s

    value, ct = pb.value_and_grad(f)(V, start)
    assert value == pytest.approx(f(V, start), rel=1e-12)
    towards = np.cos(np.arange(len(V)))
    tangent = pb.jvp(lambda xs: f(xs, start), (V,), (towards,))[1]
    assert np.dot(ct, towards) == pytest.approx(tangent, rel=1e-9)


def emitted(f, *args):
    """The types of what the loops of the gradient keep for each iteration."""
    request = Request(What.GRADIENT, (0,), False)
    unit = specialisation(f, args, request).unit(request)
    program = unit.program(True)
    return [
        v.type.elem
        for function in program.functions.values()
        for let in all_lets(function.body)
        if isinstance(let.op, Loop | While)
        for v in let.vars[len(let.op.carried):]
    ]


def kinds(types):
    return sorted(type(t).__name__ for t in types)


def test_a_merge_keeps_one_handle_two_places_and_the_branch() -> None:
    kept = emitted(textbook_merge_sort, [0.5, -1.0, 2.0])
    assert kinds(kept) == ["Bool", "Handle", "Int", "Int"]


def test_counts_are_not_kept() -> None:
    """Only one integer is kept: the one that not all branches increase."""
    kept = emitted(counted, V)
    assert kinds(kept).count("Int") == 1


def test_arms_hand_on_handles_instead_of_keeping_them() -> None:
    kept = emitted(merged, V)
    assert not any(isinstance(t, Sum) and has_handle(t) for t in kept)
    assert sum(isinstance(t, Handle) for t in kept) == 2


def has_handle(t):
    return isinstance(t, Handle) or (
        isinstance(t, Sum) and any(has_handle(x) for v in t.variants for x in v.fields)
    )
