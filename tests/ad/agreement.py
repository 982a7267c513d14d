"""The check of a derivative that all tests share: reverse mode, its two halves, forward mode and
finite differences agree, the generated programs are well-formed, and the gradient costs a bounded
multiple of the function.

``reals`` lists the real numbers in the arguments, in one order that all functions here share: a
node that is reachable twice counts once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from pullback.ad.cells import seeded
from pullback.ad.differentiate import differentiate, gradient, split, tangent
from pullback.ad.spaces import Spaces
from pullback.ad.tape import dual_gradient, dual_split
from pullback.core.check import check
from pullback.core.eval import Node, evaluate
from pullback.core.terms import Dialect, Program
from pullback.core.traverse import defined
from pullback.core.types import F32, Array, Named, Real, Sum, Type, variants_of
from tests.ad.lifted import lifted, read_gradient

COST = 8.0
"""cost(gradient) <= COST * (cost(f) + size of the input + 10), for every program of the tests."""

DUAL_COST = 12.0
"""The same of the gradient by dual numbers."""

worst_ratio = [0.0]
worst_dual_ratio = [0.0]


class AtAKink(AssertionError):
    """Finite differences disagree: an error, unless the arguments are near a kink or a jump."""


@dataclass
class Walk:
    """Rebuilds arguments with every real replaced; nodes that are shared stay shared."""

    spaces: Spaces
    real: Callable[[Real, Any], list[Any]]
    array: Callable[[Array, Any], list[Any]]
    node: Callable[[Node, Sequence[Any]], tuple[Any, ...]] = lambda node, parts: tuple(parts)
    seen: dict[int, Node] = field(default_factory=dict)

    def parts(self, t: Type, v: Any) -> list[Any]:
        if not self.spaces.bears(t):
            return [v]
        match t:
            case Real():
                return self.real(t, v)
            case Array(Real(), _):
                return self.array(t, v)
            case Array(elem, _):
                return self.elements(elem, v)
            case Sum(variants):
                return [Node(v.tag, self.fields(variants[v.tag].fields, v))]
            case Named():
                if id(v) not in self.seen:
                    types = variants_of(t, self.spaces.decls)[v.tag].fields
                    parts = self.fields(types, v)
                    self.seen[id(v)] = Node(v.tag, self.node(v, parts))
                return [self.seen[id(v)]]
            case _:
                raise AssertionError(t)

    def fields(self, types: Sequence[Type], v: Node) -> list[Any]:
        return [p for t, x in zip(types, v.fields, strict=True) for p in self.parts(t, x)]

    def elements(self, elem: Type, v: Any) -> list[Any]:
        rows = [self.parts(elem, x) for x in v.ravel()]
        out = []
        for column in zip(*rows, strict=True):
            a = np.empty(len(column), object)
            for i, x in enumerate(column):
                a[i] = x
            out.append(a.reshape(v.shape))
        return out


def walked(p: Program, args: Sequence[Any], wrt: Sequence[int], walk: Walk) -> list[list[Any]]:
    """Return the parts of every argument; the reals of arguments that are not differentiated
    stay."""
    params = p.functions[p.main].params
    return [
        walk.parts(x.type, a) if i in wrt or walk.spaces.composite(x.type) else [a]
        for i, (x, a) in enumerate(zip(params, args, strict=True))
    ]


def reals(p: Program, args: Sequence[Any], wrt: Sequence[int]) -> np.ndarray:
    """Return all reals that have an entry in a gradient or direction."""
    out: list[float] = []

    def array(t: Array, v: Any) -> list[Any]:
        out.extend(np.ravel(v))
        return [v]

    walked(p, args, wrt, Walk(Spaces.of(p.decls), lambda t, v: [out.append(v)], array))
    return np.array(out, float)


def replaced(p: Program, args: Sequence[Any], wrt: Sequence[int], xs: np.ndarray) -> list[Any]:
    """Return the arguments with their reals replaced."""
    given = iter(xs)

    def array(t: Array, v: Any) -> list[Any]:
        return [np.array([next(given) for _ in range(np.size(v))], np.asarray(v).dtype).reshape(
            np.shape(v))]

    walk = Walk(Spaces.of(p.decls), lambda t, v: [next(given)], array)
    return [parts[0] for parts in walked(p, args, wrt, walk)]


def dual(p: Program, args: Sequence[Any], wrt: Sequence[int], dx: np.ndarray) -> list[Any]:
    """Return the arguments of ``tangent``: primals (data with its tangents inside), then
    tangents."""
    given = iter(dx)

    def array(t: Array, v: Any) -> list[Any]:
        d = np.array([next(given) for _ in range(np.size(v))], np.asarray(v).dtype)
        return [v, d.reshape(np.shape(v))]

    walk = Walk(Spaces.of(p.decls), lambda t, v: [v, next(given)], array)
    parts = walked(p, args, wrt, walk)
    return [x[0] for x in parts] + [y for x in parts for y in x[1:]]


def agree(
    p: Program, args: Sequence[Any], wrt: Sequence[int] | None = None, *, differences: bool = True,
    bounded: bool = True, tolerance: float = 1e-9, seed: int = 0,
) -> list[Any]:
    """Return the results of ``p``, after everything has been compared."""
    check(p, Dialect.FLAT)
    main = p.functions[p.main]
    if wrt is None:
        spaces = Spaces.of(p.decls)
        wrt = [i for i, x in enumerate(main.params) if spaces.bears(x.type)]
    wrt = tuple(wrt)
    rng = np.random.default_rng(seed)
    before = reals(p, args, wrt)
    plain = differentiate(p)
    check(plain, Dialect.ACCUMULATING)
    values, cost = evaluate(plain, args)
    seeded = [i for i, t in enumerate(main.results) if _real(t)]
    seeds = [_random_like(values[i], rng) for i in seeded]

    g = gradient(p, wrt)
    check(g, Dialect.ACCUMULATING)
    given, extra, locations = lifted(p, args, wrt)
    outs, gcost = evaluate(g, (*given, *seeds, *extra))
    grad = read_gradient(outs[len(main.results):], locations, extra)
    assert _close(_values(p, outs), _values(p, values), 0.0), "the value beside the gradient"
    ratio = gcost / (cost + size(args) + 10)
    worst_ratio[0] = max(worst_ratio[0], ratio)
    if bounded:
        assert ratio <= COST, f"the gradient costs {gcost} steps, the function {cost}"

    first, second = split(p, wrt)
    check(first, Dialect.ACCUMULATING)
    check(second, Dialect.ACCUMULATING)
    given, extra, locations = lifted(p, args, wrt)
    kept, _ = evaluate(first, given)
    back, _ = evaluate(second, (*kept[len(main.results):], *seeds, *extra))
    assert np.array_equal(read_gradient(back, locations, extra), grad, equal_nan=True), "split"

    dual_numbers(p, args, wrt, seeds, grad, cost if bounded else None, tolerance)
    t = tangent(p, wrt)
    check(t, Dialect.ACCUMULATING)
    xs = reals(p, args, wrt)
    assert np.array_equal(xs, before), "an argument was changed"
    assert xs.shape == grad.shape
    for k in range(2):
        dx = rng.normal(size=xs.shape)
        touts, _ = evaluate(t, dual(p, args, wrt, dx))
        forward = _inner(seeds, touts[len(main.results):])
        reverse = float(grad @ dx)
        assert _near(reverse, forward, tolerance), f"reverse {reverse}, forward {forward}"
        if differences and k == 0:
            step = max(tolerance, 1e-12) ** 0.25 * 0.05

            def along(h: float, dx: np.ndarray = dx) -> float:
                moved, _ = evaluate(plain, replaced(p, args, wrt, xs + h * dx))
                return _inner(seeds, [moved[i] for i in seeded])

            def central(h: float) -> float:
                return (along(h) - along(-h)) / (2 * h)

            slope = (4 * central(step) - central(2 * step)) / 3
            if not _near(reverse, slope, 1e-5):
                raise AtAKink(f"reverse {reverse}, differences {slope}")
    return list(values)


def dual_numbers(
    p: Program, args: Sequence[Any], wrt: tuple[int, ...], seeds: Sequence[Any], grad: np.ndarray,
    cost: int | None, tolerance: float,
) -> None:
    """Assert that the gradient by dual numbers, at once and in two halves, is ``grad``."""
    n = len(p.functions[p.main].results)
    whole, (first, second, _) = dual_gradient(p, wrt), dual_split(p, wrt)
    for program in (whole, first, second):
        check(program, Dialect.ACCUMULATING)
    given, extra = with_ids(p, args)
    outs, steps = evaluate(whole, (*given, *seeds, *extra))
    found = gradient_by_ids(p, args, wrt, outs[n:])
    single = any(v.type == F32 for f in p.functions.values() for v in defined(f.body))
    tolerance = max(tolerance, 1e-6) if single else tolerance  # dual numbers have f64 cotangents
    assert _close(found, grad, tolerance), f"dual numbers {found}, CHAD {grad}"
    if cost is not None:
        ratio = steps / (cost + size(args) + 10)
        worst_dual_ratio[0] = max(worst_dual_ratio[0], ratio)
        assert ratio <= DUAL_COST, f"dual numbers cost {steps} steps, the function {cost}"
    given, extra = with_ids(p, args)
    kept, _ = evaluate(first, (*given, *extra))
    back, _ = evaluate(second, (*kept[n:], *seeds, *extra))
    again = gradient_by_ids(p, args, wrt, back)
    assert np.array_equal(again, found, equal_nan=True), "halves"


def with_ids(p: Program, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the arguments of dual numbers, data with ids inside (for arrays of arrays of reals:
    the first id of each), and the accumulator of the ids."""
    ids = count(1)

    def array(t: Array, v: Any) -> list[Any]:
        return [v, np.array([next(ids) for _ in range(np.size(v))], int).reshape(np.shape(v))]

    def first(t: Array, at: Any) -> Any:
        if not isinstance(t.elem, Array):
            return int(np.ravel(at)[0]) if np.size(at) else 1
        parts = [first(t.elem, x) for x in at.ravel()]
        out = np.empty(np.shape(at), object if isinstance(t.elem.elem, Array) else int)
        out.ravel()[:] = parts
        return out

    walk = Walk(Spaces.of(p.decls), lambda t, v: [v, next(ids)], array)
    parts: list[Any] = []
    for x, mine in zip(p.functions[p.main].params, walked(p, args, (), walk), strict=True):
        inside = isinstance(x.type, Array) and isinstance(x.type.elem, Array) and seeded(x.type)
        parts += [mine[0], first(x.type, mine[1])] if inside else mine
    data = any(walk.spaces.composite(x.type) for x in p.functions[p.main].params)
    return parts, [np.zeros(next(ids) - 1)] if data else []


def gradient_by_ids(
    p: Program, args: Sequence[Any], wrt: Sequence[int], outs: Sequence[Any]
) -> np.ndarray:
    """Return the cotangents in the order of ``reals``."""
    rest = list(outs)
    spaces = Spaces.of(p.decls)
    params = p.functions[p.main].params
    cells = iter(rest.pop() if any(spaces.composite(x.type) for x in params) else [])
    given = iter(rest)
    found: list[float] = []

    def array(t: Array, v: Any) -> list[Any]:
        found.extend(next(cells) for _ in range(np.size(v)))
        return [v]

    walk = Walk(spaces, lambda t, v: [found.append(next(cells))], array)
    for i, (x, a) in enumerate(zip(params, args, strict=True)):
        if spaces.composite(x.type):
            walk.parts(x.type, a)
        elif i in wrt:
            found.extend(np.ravel(next(given)))
    return np.array(found, float)


def size(x: Any) -> int:
    """Return the number of numbers in an argument."""
    if isinstance(x, Node):
        return 1 + size(x.fields)
    if isinstance(x, np.ndarray) and x.dtype != object:
        return x.size
    if isinstance(x, np.ndarray | list | tuple):
        return sum(size(y) for y in x)
    return 1


def _real(t: Type) -> bool:
    return isinstance(t, Real) or (isinstance(t, Array) and _real(t.elem))


def _random_like(v: Any, rng: np.random.Generator) -> Any:
    if isinstance(v, np.ndarray) and v.dtype == object:
        out = np.empty(v.shape, object)
        for i in np.ndindex(v.shape):
            out[i] = _random_like(v[i], rng)
        return out
    if isinstance(v, np.ndarray):
        return rng.normal(size=v.shape).astype(v.dtype)
    return rng.normal()


def _inner(seeds: Sequence[Any], values: Sequence[Any]) -> float:
    total = 0.0
    for s, v in zip(seeds, values, strict=True):
        if isinstance(s, np.ndarray) and s.dtype == object:
            total += _inner(list(s.ravel()), list(v.ravel()))
        else:
            total += float(np.sum(np.asarray(s, float) * np.asarray(v, float)))
    return total


def _values(p: Program, outs: Sequence[Any]) -> list[Any]:
    """Return the results that are numbers or arrays of numbers."""
    types = p.functions[p.main].results
    return [v for v, t in zip(outs, types, strict=False) if not isinstance(t, Sum | Named)]


def _near(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance * (1.0 + abs(a) + abs(b)) * 10 or (a != a and b != b)


def _close(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, list | tuple) or (isinstance(a, np.ndarray) and a.dtype == object):
        return len(a) == len(b) and all(_close(x, y, tolerance) for x, y in zip(a, b))
    return np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
