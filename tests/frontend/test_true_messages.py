"""What a refusal says is so: names, lines, types, and advice that is for this call."""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import dataclass, make_dataclass
from typing import Any

import numpy as np
import pytest
import scipy.stats as st
from scipy.spatial.distance import cdist
from scipy.spatial.transform import RigidTransform

import pullback as pb
from pullback.frontend.python.rewrites import ANYTHING, FORMULA


def said(f, *args, operator=pb.jit) -> str:
    with pytest.raises(pb.PullbackError) as caught:
        operator(f)(*args)
    assert not isinstance(caught.value, pb.InternalError)
    return str(caught.value)


# --- one object by two names ----------------------------------------------------------------------


class Solver:
    def __init__(self, f):
        self.f, self.n = f, 0

    def step(self):
        self.n += 1
        return self.f(1.0)


def line_of(f, k) -> str:
    return f"(line {f.__code__.co_firstlineno + k})"


def captured(p):
    s = Solver(lambda y: -p[0] * y)
    return s.step()


def logged(x):
    def helper(p, x, out):
        p = p * x
        out.append(p)
        return p

    out, p = [], np.ones(2)
    for _ in range(3):
        p = helper(p, x, out)
    p[0] = 3.0
    return np.sum(p) + np.sum(out[0])


def both(p):
    s = Solver(p)
    return stepped(s, p)


def stepped(s, p):
    s.f[0] = 2.0
    return p[0] * s.f[1]


def test_both_names() -> None:
    assert pb.jit(captured)(np.ones(2)) == -1.0  # they meet in memory that nobody updates
    assert pb.jit(logged)(2.0) == logged(2.0)  # an array with several owners
    assert pb.jit(managed)(np.ones(2)) == managed(np.ones(2))
    assert pb.jit(both)(np.ones(2)) == both(np.ones(2))


def test_both_names_and_both_lines() -> None:
    assert pb.jacfwd(both)(np.array([2.0, 3.0])).tolist() == [0.0, 2.0]
    text = said(both, np.ones((1, 2)), operator=pb.vmap)
    said_of = f"'stepped' updates 'Solver.f' {line_of(stepped, 1)}, but sees the same memory"
    assert said_of in text
    assert f"another name too: 'p' {line_of(stepped, 0)}" in text


# --- tables, and classes of one name --------------------------------------------------------------


class Frame:
    """As large, when it is shown, as a table of pandas."""

    def __init__(self):
        self.rows = 300

    def __repr__(self):
        return "\n".join(f"{k} {0.5 * k}" for k in range(300))

    def __array__(self, dtype=None, copy=None):
        return np.ones(3)


TABLE = Frame()


@pytest.mark.parametrize(
    "f", [lambda x: np.sum(x * TABLE), lambda x: x * TABLE, lambda x: TABLE["a"] * x,
          lambda x: np.sum(np.asarray(TABLE)) * x, lambda x: float(TABLE) * x],
)  # fmt: skip
def test_tables_are_not_printed(f) -> None:
    for text in (said(f, 1.0), said(lambda t, x: x * t["a"], TABLE, 1.0)):
        assert "Frame" in text and len(text.splitlines()) < 8 and "149.5" not in text
    with pytest.raises(TypeError, match="not to a Frame") as caught:
        pb.grad(TABLE)
    assert len(str(caught.value)) < 200


@dataclass(frozen=True)
class Node:
    v: float
    next: Node | None


def product(n):
    return n.v * (product(n.next) if n.next is not None else 1.0)


def test_classes_of_one_name_are_told_apart() -> None:
    other = make_dataclass("Node", [("v", float), ("next", object)], frozen=True)
    with pytest.raises(TypeError, match="of another class of this name"):
        pb.grad(product)(Node(2.0, other(1.0, None)))
    with pytest.raises(TypeError, match="of another class of this name"):
        pb.jvp(product, (Node(2.0, None),), (other(1.0, None),))


# --- numbers of several types ---------------------------------------------------------------------


def test_ints_among_floats_only_where_they_are() -> None:
    total = lambda xs: sum(x for x in xs)
    assert "has ints among floats" in said(total, [1.0, 2], operator=pb.grad)
    text = said(total, [np.float32(1.0), np.float64(2.0)], operator=pb.grad)
    assert "float32 among floats of 64 bits" in text and "ints" not in text
    text = said(lambda xs: xs[0] * 2.0, [1.0, True], operator=pb.grad)
    assert "bools among floats" in text and "ints" not in text


# --- attributes, offsets, brackets ----------------------------------------------------------------


class Chain:
    def __init__(self):
        self.emit = {("a", 0): 1.0}

    def go(self, x):
        return self.emit["a", 0] * x


def test_an_attribute_that_is_no_argument() -> None:
    chain: Any = Chain()
    chain.unknown = {("a", 1.5): 1.0}
    text = said(lambda c, x: sum(c.unknown.values()) * x, chain, 1.0)
    assert "the attribute 'unknown' of a Chain cannot be an argument" in text
    assert "('a', 1.5)" in text and "has no field or method" not in text
    assert pb.jit(lambda c, x: c.go(x))(Chain(), 2.0) == 2.0
    assert pb.grad(lambda x: Chain().go(x))(2.0) == 1.0


@pytest.mark.parametrize("offset", [-3, -1, 0, 1, 2, 5])
def test_the_trace_beside_the_diagonal(offset) -> None:
    a = np.arange(12.0).reshape(3, 4)
    f = lambda a: np.trace(a, offset) + a.trace(offset=offset)
    assert pb.jit(f)(a) == f(a)
    assert np.array_equal(pb.grad(f)(a), 2.0 * np.eye(3, 4, offset))


def test_objects_in_brackets_have_their_names() -> None:
    x = np.ones(2)
    assert "np.r_ or np.c_" in said(lambda a: np.sum(np.c_["0,2", a, a]), x)
    assert "numpy.ogrid is not supported" in said(lambda a: np.sum(np.ogrid[2] * a), x)
    assert "numpy.mgrid is not supported" in said(lambda a: np.sum(np.mgrid[2] * a), x)


# --- advice is for the function that is called ----------------------------------------------------


def test_advice_of_distributions_and_distances() -> None:
    normal, a = "0.5 * z**2", np.ones((2, 2))
    for f in (lambda x: st.levy_stable.pdf(x, 1.5, 0.5), lambda x: st.levy_stable(1.5, 0.5).pdf(x),
              lambda x: st.vonmises_fisher.pdf(x, 0.0, 1.0)):  # fmt: skip
        text = said(f, 0.5)
        assert FORMULA in text and normal not in text and " object at " not in text
    assert "scipy.stats.levy_stable " in said(lambda x: st.levy_stable(1.5, 0.5).pdf(x), 0.5)
    assert "write its formula" in said(lambda a: np.sum(cdist(a, a, "jaccard")), a)
    turned = said(lambda v: np.sum(RigidTransform.from_translation(v).as_matrix()), np.ones(3))
    assert ANYTHING in turned and "axis=2" not in turned


# --- what is printed is shown once ----------------------------------------------------------------


def test_show_as_the_last_value_of_a_cell_prints_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = pb.show(lambda x: x * x, 3.0)
    sys.displayhook(text)
    out = capsys.readouterr().out
    assert out.count("let") == text.count("let") == 1
    assert "mul x x" in text and isinstance(text, str)
    assert "let" not in repr(pb.stages(product_of_two, 3.0, only=["N1"]))
    assert text._ipython_display_() is None and capsys.readouterr().out.count("mul") == 0


def product_of_two(x):
    return x * x


# --- names that nobody wrote ----------------------------------------------------------------------


class Growing:
    def __init__(self, xs):
        self.xs = xs

    def __enter__(self):
        self.xs *= 2.0
        return self

    def __exit__(self, *error):
        self.xs += 2.0


def two(x):
    yield x
    yield 2.0 * x


def managed(a):
    with Growing(a) as m:
        m.xs += 3.0
    return a.sum()


ZEROS = np.zeros(2)


def with_default(x, w=ZEROS):
    w[0] = x
    return w[0]


def spread(xs):
    return np.hypot(*xs)


@pytest.mark.parametrize(
    ("f", "args", "text"),
    [
        (
            lambda x: with_default(x) * x, (1.5,),
            "'w' is (or shares memory with) an argument, or its default, which all calls share: ",
        ),
        (
            spread, ([1.5, 2.0],),
            "the arguments *xs are the items of a list of float items: the number of items must be "
            "known at compile time",
        ),
        (lambda x: list(itertools.chain(two(x), two)), (1.5,), "itertools.chain, which is called"),
        (lambda x: list(itertools.starmap(max, two(x))), (1.5,), "itertools.starmap, which is"),
        (lambda x: list(enumerate(two(x), [x])), (1.5,), ": enumerate, which is called here"),
    ],
)  # fmt: skip
def test_names_of_the_user(f, args, text) -> None:
    found = said(f, *args)
    assert text in found and "pullback." not in found and ".manager" not in found


def test_what_python_adds_up_in_vain_is_its_error() -> None:
    with pytest.raises(TypeError, match=r'can only concatenate list \(not "float"\) to list'):
        pb.jit(lambda x: list(itertools.accumulate(two(x), initial=[1.0])))(1.5)


class Bus:
    def __init__(self):
        self.handlers = []

    def on(self, handler):
        self.handlers.append(handler)

    def emit(self, v):
        for h in self.handlers:
            h(v)


def changed_while_gone_through(x):
    bus, seen = Bus(), []

    def once(v):
        seen.append(v)
        bus.handlers.remove(once)

    bus.on(once)
    bus.emit(x)
    return sum(seen)


class Cell:
    def __init__(self, v):
        self.v, self.next = v, None


def not_in_the_language(x):
    """Two names for an object, and a function that is not supported in either form."""
    a = Cell(x)
    b = Cell(x)
    a.next, b.next = b, a
    a.next.v += 1.0
    return b.v + math.sumprod_of_cells(a.v)


def test_the_nearer_of_two_refusals():
    """Where two names of an object are all that the first form lacks, what the form with references
    lacks is shown: the loop over a list that its body changes. What both lack comes first."""
    with pytest.raises(pb.PullbackError, match=r"'once' updates 'Bus\.handlers'") as refused:
        pb.jit(changed_while_gone_through)(1.3)
    assert refused.value.site.function == "emit"
    assert any("without references to objects" in note for note in refused.value.__notes__)
    with pytest.raises(pb.PullbackError, match="has no attribute 'sumprod_of_cells'"):
        pb.jit(not_in_the_language)(1.3)
