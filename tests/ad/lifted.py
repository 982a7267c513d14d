"""Put arguments into the form that ``gradient`` takes (``spaces.py``): data with its handles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pullback.ad.spaces import Spaces
from pullback.core.eval import Node
from pullback.core.terms import Program
from pullback.core.types import Array, Named, Real, Sum, Type, variants_of

Place = tuple[int, int]
"""Where the gradient of a real is: cell (-1, j), or entry j of the k-th cotangent (k, j)."""


@dataclass
class Lift:
    """Builds the forward form of values; ``places`` has the place of every real, in order."""

    spaces: Spaces
    store: np.ndarray = field(default_factory=lambda: np.zeros(1 << 12))
    used: int = 0
    places: list[Place] = field(default_factory=list)
    seen: dict[int, Node] = field(default_factory=dict)

    def cells(self, shape: tuple[int, ...]) -> tuple[np.ndarray, int]:
        """Return a handle of fresh cells, and the number of the first one."""
        start, n = self.used, int(np.prod(shape))
        self.used += n
        return self.store[start : self.used].reshape(shape), start

    def parts(self, t: Type, v: Any, place: Callable[[int], Place]) -> list[Any]:
        """Return the forward form P(t) of a value; ``place`` says where the cotangents of its
        leaves are."""
        if not self.spaces.bears(t):
            return [v]
        match t:
            case Real():
                self.places.append(place(0))
                return [v]
            case Array(Real(), _):
                handle, start = self.cells(np.shape(v))
                self.places += [(-1, start + j) for j in range(np.size(v))]
                return [v, handle]
            case Array(elem, _):
                return self.elements(elem, v)
            case Sum(variants):
                first = sum(self.spaces.cells(w) for w in variants[: v.tag])
                return [Node(v.tag, self.fields(variants[v.tag].fields, v, place, first))]
            case Named():
                return [self.node(t, v)]
            case _:
                raise AssertionError(t)

    def fields(
        self, types: Sequence[Type], v: Node, place: Callable[[int], Place], k: int
    ) -> list[Any]:
        out: list[Any] = []
        for t, x in zip(types, v.fields, strict=True):
            out += self.parts(t, x, lambda leaf, k=k: place(k + leaf))
            k += len(self.spaces.cotangent(t))
        return out

    def node(self, t: Named, v: Node) -> Node:
        if id(v) not in self.seen:
            variant = variants_of(t, self.spaces.decls)[v.tag]
            n = self.spaces.cells(variant)
            handle, start = self.cells((n,))
            parts = self.fields(variant.fields, v, lambda leaf: (-1, start + leaf), 0)
            self.seen[id(v)] = Node(v.tag, (*parts, *([handle] if n else [])))
        return self.seen[id(v)]

    def elements(self, elem: Type, v: np.ndarray) -> list[Any]:
        given = [self.cells(v.shape) for _ in self.spaces.cotangent(elem)]
        rows = [
            self.parts(elem, x, lambda leaf, j=j: (-1, given[leaf][1] + j))
            for j, x in enumerate(v.ravel())
        ]
        out: list[Any] = []
        for column in range(len(self.spaces.primal(elem))):
            a = np.empty(v.size, object)
            for j, row in enumerate(rows):
                a[j] = row[column]
            out.append(a.reshape(v.shape))
        return out + [handle for handle, _ in given]


def lifted(
    p: Program, args: Sequence[Any], wrt: Sequence[int]
) -> tuple[list[Any], list[Any], list[Place]]:
    """Return the arguments for ``gradient``, the extra last one, and the place of every real."""
    lift = Lift(Spaces.of(p.decls))
    out: list[Any] = []
    k = 0
    params = p.functions[p.main].params
    for i, (x, a) in enumerate(zip(params, args, strict=True)):
        if lift.spaces.composite(x.type):
            out += lift.parts(x.type, a, lambda leaf, k=k: (k + leaf, 0))
            k += len(lift.spaces.cotangent(x.type))
        else:
            out.append(a)
            if i in wrt:
                lift.places += [(k, j) for j in range(np.size(a))]
                k += 1
    extra = any(lift.spaces.composite(x.type) for x in params)
    return out, [lift.store[: lift.used]] if extra else [], lift.places


def read_gradient(
    cotangents: Sequence[Any], places: Sequence[Place], extra: Sequence[Any]
) -> np.ndarray:
    """Return the gradient, one entry per real."""
    cells = cotangents[-1] if extra else None
    return np.array(
        [float((cells if k < 0 else np.ravel(cotangents[k]))[j]) for k, j in places], float
    )
