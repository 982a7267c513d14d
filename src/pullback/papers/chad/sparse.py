"""C1: CHAD on sparse cotangents and EMap (Efficient CHAD, section 4.1 and Fig. 5).

The transformation is C0's, letter for letter; only the operations are others:

    s ×! t = 1 + (s * t)    0 = None    None + y = y    lfst None = 0
    EV = EMap: 0 = empty   + = union   one_x v = modify_x (v +) empty   split e = (pop' e, get_x e)

A zero now costs 1 and ``one`` a logarithm; ``union`` still costs too much (App. A):

>>> [tmagic(r) for r in range(1, 8)]
[1, 4, 12, 32, 80, 192, 448]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import cast

from pullback.papers.chad.dense import ENVIRONMENT
from pullback.papers.chad.naive_program import linearise_ev
from pullback.papers.chad.types import LINEAR
from pullback.papers.language import maps as tree
from pullback.papers.language.check import FIRST_ORDER
from pullback.papers.language.linear import located, plus, zero_of
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row, pure
from pullback.papers.language.terms import EV, Static
from pullback.papers.methods import Curried, Method, register

# An EMap is a map from positions in the context to cotangents that are not there if zero.


def _context(static: Sequence[Static]) -> EV:
    ev = static[-1]
    assert isinstance(ev, EV)
    return ev


def logarithm(m: tree.Map) -> int:
    """Return the cost of one operation on a map of this size."""
    return math.ceil(math.log2(tree.size(m) + 1))


def _one(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    return tree.insert(None, cast(int, static[2]), args[0])


def union(m: Machine, a: tree.Map, b: tree.Map) -> tree.Map:
    """Return all entries of both, added where both have one: O(k log(n/k + 1)) and the
    additions."""
    large, small = (a, b) if tree.size(a) >= tree.size(b) else (b, a)
    n, k = tree.size(large), tree.size(small)
    m.cost += math.ceil(k * math.log2(n / k + 1)) if k else 0
    m.count("union", k)
    return tree.union(small, large, lambda v, old: plus(m, v, old))


# Fig. 5's other operations. The newest variable is the largest key, so that the positions of the
# others stay when it is pushed and popped.


def get(m: tree.Map, key: int, zero: object) -> object:
    """Return the cotangent of a variable."""
    found = tree.lookup(m, key)
    return found.value if found else zero


def push0(m: tree.Map) -> tree.Map:
    """Return a new variable with a zero cotangent, which is no entry."""
    return m


def modify(m: tree.Map, key: int, zero: object, f: Callable[[object], object]) -> tree.Map:
    """Apply f to the cotangent of a variable."""
    return tree.insert(m, key, f(get(m, key, zero)))


def pop(m: tree.Map, last: int, zero: object) -> tuple[tree.Map, object]:
    """Return the map without the newest variable, and its cotangent."""
    return tree.delete(m, last), get(m, last, zero)


def _split(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    cells, ev = cast(tree.Map, args[0]), _context(static)
    m.cost += 2 * logarithm(cells)
    return pop(cells, len(ev.context) - 1, zero_of(ev.context[-1][1]))


def _tuple(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    out: object = ()
    for k, (_, t) in enumerate(_context(static).context):
        out = (out, get(cast(tree.Map, args[0]), k, zero_of(t)))
    return out


_RULES = {row.name: row.rule for row in ENVIRONMENT}
EMAP = LINEAR.extended(
    Row("ev_zero", _RULES["ev_zero"], pure(lambda: None), show="0"),
    Row("ev_one", _RULES["ev_one"], _one, once=located),
    Row("ev_plus", _RULES["ev_plus"], lambda m, args, s: union(
        m, cast(tree.Map, args[0]), cast(tree.Map, args[1])), show="{0} + {1}"),
    Row("split", _RULES["split"], _split),
    Row("emap", lambda types, s: types[0], _tuple),  # at the end: all entries as a tuple
)
"""The target language of C1."""


def tmagic(r: int) -> int:
    """Return the work of ``union`` on a complete tree of + over 2^r variables, were it min(m,
    n)."""
    return sum(2**i * 2 ** (r - 1 - i) for i in range(r))


register(Method(
    "chad.sparse", "C1: the text of C0, on sparse cotangents and EMap (Fig. 5)",
    FIRST_ORDER, Curried(lambda source, args: linearise_ev(source, args, EMAP))))
