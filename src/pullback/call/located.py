"""Errors about a wrong value inside of an argument get its path, as in the user's code.

Conversions stop at the first thing that does not fit and say only what it is; ``place`` walks the
value again, to find it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pullback.call.shapes import Shape
from pullback.call.shapes.node import Node
from pullback.errors import ArgumentTypeError, PullbackError
from pullback.frontend.derivatives.homes import Homes, TwoHomesError
from pullback.frontend.python.unions import Union


@contextmanager
def located(shapes: Sequence[Shape], values: Sequence[object]) -> Iterator[None]:
    """An error about a value of these shapes says where it is: ``arg0.left.right.value``."""
    try:
        yield
    except ArgumentTypeError as error:
        for i, (shape, value) in enumerate(zip(shapes, values, strict=False)):
            homes = Homes(shape.kind) if isinstance(error, TwoHomesError) else None
            where = place(shape, value, f"arg{i}", homes)
            if where is not None:
                raise type(error)(f"{error.reason}, at {where}", error.rewrite) from None
        raise


def place(shape: Shape, value: object, start: str, homes: Homes | None = None) -> str | None:
    """The path to the first part that is not of its shape; None: all are. ``homes``: or the paths
    to the first object that is in two unions."""
    todo: list[tuple[Shape, object, str]] = [(shape, value, start)]
    seen: set[tuple[int, Union]] = set()
    while todo:
        s, v, where = todo.pop()
        try:
            if isinstance(s, Node):
                if homes is not None:
                    homes.enter(s.union, v, where)
                if (id(v), s.union) in seen:
                    continue
                seen.add((id(v), s.union))
            inside = s.inside(v)
        except TwoHomesError as error:
            return f"{error.first} and {where}"
        except (PullbackError, AttributeError, TypeError, ValueError, OverflowError):
            return where
        todo += [(p.shape, p.value, where + s.place(p.step)) for p in reversed(inside)]
    return None


__all__ = ["located", "place"]
