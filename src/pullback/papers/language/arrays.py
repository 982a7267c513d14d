"""Rows for arrays, lists, maps and mutable arrays (``language.ops`` says what a row is).

    index a i | length a | sum a | replicate n x | gather a ix | scatter_add a ix v
    scatter_set a ix v | transpose a | zip a b | unzip a | append a b | reverse a | nil[t]
    slice a start length | error[t, message] (raises)
    mempty[t] | minsert m k v | mget m k default | mmember m k | mdelete m k | mmax m | msize m
    munion m n f                                     Map Int t, persistent: 1 + ceil(log2(n+1))
    alloc n x | get a i | set a i x | size a | freeze a                MArr t, destructive: 1
    alloc costs 1 + n

``get`` of an MArr returns the element; ``set`` returns the array, which is the same object.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import cast

from pullback.papers.language import maps as tree
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, Row, Run, implementation, pure, sig
from pullback.papers.language.terms import Arr, B, Data, Fun, Prod, R, Static, TVar, Z
from pullback.papers.language.values import array, pair, real, to_bool

__all__ = ["ARRAYS", "MAPS", "MUTABLE", "OPS", "MArr", "marr"]
a, b = TVar("a"), TVar("b")


def _at(xs: list[object], i: object) -> object:
    k = cast(int, i)
    if not 0 <= k < len(xs):
        raise IndexError(f"index {k} of an array of length {len(xs)}")
    return xs[k]


def _sized(f: Callable[..., object], which: int = -1) -> Run:
    """Return a row that also costs the length of its result (or of an argument)."""

    def run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        out = f(*args)
        m.cost += len(array(out if which < 0 else args[which]))
        return out

    return run


def _scatter(add: bool) -> Callable[..., object]:
    def run(target: object, ix: object, values: object) -> object:
        out = list(array(target))
        for i, v in zip(array(ix), array(values), strict=True):
            _at(out, i)
            out[cast(int, i)] = real(out[cast(int, i)]) + real(v) if add else v
        return out

    return run


def _sum(xs: object) -> object:
    total = 0.0
    for x in array(xs):
        total += real(x)
    return total


def _transpose(xs: object) -> object:
    return [list(row) for row in zip(*map(array, array(xs)), strict=True)]


def _unzip(xs: object) -> object:
    return [pair(x)[0] for x in array(xs)], [pair(x)[1] for x in array(xs)]


def _error(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    raise RuntimeError(str(static[1]) if len(static) > 1 else "unreachable")


ARRAYS = Library(
    Row("index", sig((Arr(a), Z), a), pure(lambda xs, i: _at(array(xs), i)), show="{0} ! {1}",
        linear=(0,)),
    Row("length", sig((Arr(a),), Z), pure(lambda xs: len(array(xs)))),
    Row("sum", sig((Arr(R),), R), _sized(_sum, 0), linear=(0,)),
    Row("replicate", sig((Z, a), Arr(a)), _sized(lambda n, x: [x] * cast(int, n)), linear=(1,)),
    Row("gather", sig((Arr(a), Arr(Z)), Arr(a)),
        _sized(lambda xs, ix: [_at(array(xs), i) for i in array(ix)]), linear=(0,)),
    Row("scatter_add", sig((Arr(R), Arr(Z), Arr(R)), Arr(R)), _sized(_scatter(True)),
        linear=(0, 2)),
    Row("scatter_set", sig((Arr(a), Arr(Z), Arr(a)), Arr(a)), _sized(_scatter(False))),
    Row("transpose", sig((Arr(Arr(a)),), Arr(Arr(a))), _sized(_transpose), linear=(0,)),
    Row("zip", sig((Arr(a), Arr(b)), Arr(Prod(a, b))),
        _sized(lambda xs, ys: list(zip(array(xs), array(ys), strict=True))), linear=(0, 1)),
    Row("unzip", sig((Arr(Prod(a, b)),), Prod(Arr(a), Arr(b))), _sized(_unzip, 0), linear=(0,)),
    Row("append", sig((Arr(a), Arr(a)), Arr(a)), _sized(lambda xs, ys: array(xs) + array(ys)),
        linear=(0, 1)),
    Row("reverse", sig((Arr(a),), Arr(a)), _sized(lambda xs: array(xs)[::-1]), linear=(0,)),
    Row("slice", sig((Arr(a), Z, Z), Arr(a)),
        _sized(lambda xs, i, n: array(xs)[cast(int, i) : cast(int, i) + cast(int, n)]),
        linear=(0,)),
    Row("nil", sig((), Arr(a), "a"), pure(list), show="[]", linear=()),
    Row("error", sig((), a, "a"), _error, show="error", linear=()),
)

# --- maps -----------------------------------------------------------------------------------------

IntMap = Data("Map", (Z, a))


def _log(f: Callable[..., object]) -> Run:
    def run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        n = tree.size(cast(tree.Map, args[0]))
        m.cost += math.ceil(math.log2(n + 1))
        m.count("map")
        m.peak("map", n)
        return f(*args)

    return run


def _mget(m: tree.Map, k: int, default: object) -> object:
    found = tree.lookup(m, k)
    return found.value if found else default


def _mmax(m: tree.Map) -> object:
    top = tree.last(m)
    return top.key, top.value


def _munion(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    """union f: where both have a key, f (left, right)."""
    left, right, f = cast(tree.Map, args[0]), cast(tree.Map, args[1]), args[2]
    swapped = tree.size(left) < tree.size(right)
    small, large = (left, right) if swapped else (right, left)
    m.count("map")
    n, k = tree.size(large), tree.size(small)
    m.cost += math.ceil(k * math.log2(n / k + 1)) if k else 0
    return tree.union(
        small, large, lambda v, old: m.call(f, (v, old) if swapped else (old, v)))


MAPS = Library(
    Row("mempty", sig((), IntMap, "a"), pure(lambda: None), show="{{}}"),
    Row("minsert", sig((IntMap, Z, a), IntMap), _log(tree.insert), show="{0}[{1} ↦ {2}]"),
    Row("mget", sig((IntMap, Z, a), a), _log(_mget)),
    Row("mmember", sig((IntMap, Z), B), _log(lambda m, k: to_bool(tree.lookup(m, k)))),
    Row("mdelete", sig((IntMap, Z), IntMap), _log(tree.delete), show="{0} \\ {1}"),
    Row("mmax", sig((IntMap,), Prod(Z, a)), _log(_mmax)),
    Row("msize", sig((IntMap,), Z), pure(tree.size)),
    Row("munion", sig((IntMap, IntMap, Fun(Prod(a, a), a)), IntMap), _munion),
)

# --- mutable arrays -------------------------------------------------------------------------------


class MArr:
    """A mutable array, which ``push`` makes longer."""

    __slots__ = ("cells",)

    def __init__(self, cells: list[object]) -> None:
        self.cells = cells


def marr(x: object) -> MArr:
    """Return ``x``, which is a mutable array by its type."""
    return cast(MArr, x)


def _alloc(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    n = cast(int, args[0])
    m.cost += n
    m.count("alloc")
    m.peak("marr", n)
    return MArr([args[1]] * n)


def _get(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.count("get")
    return _at(marr(args[0]).cells, args[1])


def _set(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.count("set")
    target = marr(args[0])
    _at(target.cells, args[1])
    target.cells[cast(int, args[1])] = args[2]
    return target


def _push(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.count("push")
    marr(args[0]).cells.append(args[1])
    m.peak("marr", len(marr(args[0]).cells))
    return marr(args[0])


def _copy(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.cost += len(marr(args[0]).cells)
    return MArr(list(marr(args[0]).cells))


_M = Data("MArr", (a,))
MUTABLE = Library(
    Row("alloc", sig((Z, a), _M), _alloc),
    Row("get", sig((_M, Z), a), _get),
    Row("set", sig((_M, Z, a), _M), _set),
    Row("push", sig((_M, a), _M), _push),
    Row("size", sig((_M,), Z), pure(lambda x: len(marr(x).cells))),
    Row("freeze", sig((_M,), Arr(a)), pure(lambda x: list(marr(x).cells))),
    Row("copy", sig((_M,), _M), _copy),
)

def _copying(write: Callable[..., object]) -> Run:
    def run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        return write(m, [MArr(list(marr(args[0]).cells)), *args[1:]], static)

    return run


def persistent(library: Library) -> Library:
    """Return the same operations in state-passing style: ``set`` and ``push`` give a new array, and
    the one that they are given stays as it is."""
    return library.replaced(*implementation(library, set=_copying(_set), push=_copying(_push)))


OPS = Library(*ARRAYS.values(), *MAPS.values(), *MUTABLE.values(), Row(
    "homomorphism", sig((Fun(a, b),), Fun(a, b, "-o")), pure(lambda f: f), 0, "{0}"))
"""All rows that the papers share."""
