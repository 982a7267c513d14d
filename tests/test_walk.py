"""The walk of a cotangent through the source, as docs/PATH.md has it: rooms in order, and no room
calls one that stands before it."""

import re
import sys
from pathlib import Path

import pytest

import pullback as pb
from tests.test_boundary import Cell, chain

SRC = Path(pb.__file__).parent
PATH = Path(__file__).parents[1] / "docs" / "PATH.md"


def product(x, y):
    return x * y


def applied(matrix, vector):
    return [sum(a * x for a, x in zip(row, vector)) for row in matrix]


def squares(x):
    return 0.0 if x is None else x.value * x.value + squares(x.next)


def scaled(x, by):
    return None if x is None else Cell(x.value * by, scaled(x.next, by))


def rooms():
    """The rooms that the page names, in its order."""
    section = PATH.read_text().split("## The walk of a cotangent")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. `([\w/]+(?:\.py)?)", section, re.M)


def room_of(code):
    """The room of a function: the interface is one, and so are all shapes; the text of a fast call
    belongs to the file that has it written."""
    file = Path(code.co_filename)
    if code.co_filename.startswith("<pullback"):
        return "call/pullbacks.py"
    if not file.is_relative_to(SRC):
        return None
    name = str(file.relative_to(SRC))
    if name.startswith("api/"):
        return "api/vector_products.py"
    return "call/shapes" if name.startswith("call/shape") else name


def walked(call):
    """The result of a call, and which room called which."""
    steps = set()

    def note(frame, event, arg):
        to = room_of(frame.f_code) if event == "call" else None
        back = frame.f_back
        while back is not None and room_of(back.f_code) is None:
            back = back.f_back
        if to is not None:
            steps.add((None if back is None else room_of(back.f_code), to))

    sys.setprofile(note)
    try:
        return call(), steps
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize(
    ("f", "primals", "cotangent"),
    [
        (product, (1.5, 2.5), 1.0),
        (applied, ([[1.0, 2.0], [3.0, 4.0]], [0.5, 0.25]), [1.0, 2.0]),
        (squares, (chain(3),), 1.0),
        (scaled, (chain(3), 2.0), chain(3)),
    ],
)
def test_a_cotangent_never_climbs_back(f, primals, cotangent):
    order = rooms()
    assert 5 <= len(order) <= 8
    pb.vjp(f, *primals)[1](cotangent)  # compiles
    (_, pullback), there = walked(lambda: pb.vjp(f, *primals))
    _, back = walked(lambda: pullback(cotangent))
    for caller, callee in there | back:
        assert callee in order, callee
        assert caller is None or order.index(caller) <= order.index(callee), (caller, callee)
