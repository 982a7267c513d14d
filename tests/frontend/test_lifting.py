"""Which nested functions are given what they update, and what stays refused."""

import ast
import time

import pytest

import pullback as pb
from pullback.frontend.functions.lifting import lifted


def shape(text: str) -> str:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    return ast.unparse(lifted(node))


PUSH = """
def f(xs):
    out = []
    def push(v):
        out.append(v)
    {use}
    return out
"""


@pytest.mark.parametrize(
    ("use", "given"),
    [
        ("push(xs[0])", "push(xs[0], out=out)"),
        ("push(push(1.0))", "push(push(1.0, out=out), out=out)"),
        ("g = push", None),
        ("g = map(push, xs)", None),
        ("g = lambda v: push(v)", None),
        ("push = xs", None),
        ("ys = [push(out) for out in xs]", None),
    ],
)
def test_uses(use: str, given: str | None) -> None:
    text = PUSH.format(use=use)
    made = shape(text)
    if given is None:
        assert made == ast.unparse(ast.parse(text))
    else:
        assert "def push(v, *, out):" in made and given in made


def test_who_calls_it_is_given_it_too() -> None:
    made = shape("""
def f(xs):
    out = []
    def push(v):
        out.append(v)
    def both(v, w=1.0):
        def inner():
            push(w)
        push(v)
        inner()
    both(2.0)
""")
    assert "def both(v, w=1.0, *, out)" in made and "push(w, out=out)" in made
    assert "def inner(*, out, w):" in made and "inner(out=out, w=w)" in made
    made = shape("""
def f(xs):
    out = []
    def both(v):
        push(v)
        even(v)
    def even(k):
        if k:
            odd(k - 1)
    def odd(k):
        push(k)
        even(k - 1)
    def push(v):
        out.append(v)
    def reads():
        return len(out)
    both(reads())
""")
    for name, params in (("both", "v"), ("even", "k"), ("odd", "k"), ("push", "v")):
        assert f"def {name}({params}, *, out):" in made
    assert "def reads():" in made and "both(reads(), out=out)" in made


def test_a_value_that_updates_what_it_captures() -> None:
    def f(xs):
        out = []

        def push(v):
            out.append(v)

        each = push
        for x in xs:
            each(x)
        return sum(out)

    with pytest.raises(pb.PullbackError, match="only call the nested function"):
        pb.jit(f)([1.0])


def test_bound_anew_between_calls() -> None:
    def f(xs):
        out = [xs[0]]

        def push(v):
            out.append(v * len(out))

        push(xs[1])
        total = sum(out)
        out = []
        push(total)
        push(total)
        return total * sum(out)

    assert f([2.0, 3.0]) == 25.0
    assert pb.grad(f)([2.0, 3.0]) == [10.0, 10.0]


def test_a_deep_recursion_does_not_copy_what_it_updates() -> None:
    """Each level has a loop that carries the list: none of them moves it in memory."""

    def f(edges):
        order = []

        def visit(v):
            order.append(v * 0.5)
            for u in edges[v]:
                visit(u)

        visit(0)
        return sum(order)

    def seconds(n: int) -> float:
        edges, taken = [[k + 1] if k + 1 < n else [] for k in range(n)], []
        for _ in range(4):
            before = time.process_time()
            assert compiled(edges) == 0.25 * n * (n - 1)
            taken.append(time.process_time() - before)
        return min(taken)

    compiled = pb.jit(f)
    assert seconds(32000) < 80 * seconds(4000)  # was above 1000
