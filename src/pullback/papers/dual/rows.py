"""The operations of the targets of dual-numbers reverse AD, as rows.

    0_c x, a +_c b          at the cotangents of the input: dense, they cost their size
    id, f ∘ g               1; a call of f ∘ g is 1 and the two calls
    list1 .. list4, listn   [t1, .., tn]
    traverse f a s          the array of f's results, the state going through from left to right
    foldM f a s, scanM f a s   as fold (balanced) and scan, the state going through

>>> from pullback.papers.language.terms import Var
>>> from pullback.papers.language.build import op
>>> from pullback.papers.language.eval import evaluate
>>> evaluate(op("+_c", Var("c"), op("0_c", Var("x"))), {"c": (1.0, ()), "x": (5.0, 3)}, DUAL_OPS)
((1.0, ()), 10)
>>> evaluate(op("foldM", Var("f"), Var("a"), 0), {
...     "f": lambda p: lambda s: (p[0] + p[1], s + 1), "a": [1.0, 2.0, 3.0]}, DUAL_OPS)[0]
(6.0, 2)
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.dual.types import cotangent
from pullback.papers.language.arrays import OPS
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, Row, sig
from pullback.papers.language.terms import Arr, Fun, Op, Prod, Static, Term, TVar, Type
from pullback.papers.language.values import ConV, Inj, array, map_reals, pair

a, b, s = TVar("a"), TVar("b"), TVar("s")


def size_of(v: object) -> int:
    """Return the number of nodes of a value."""
    n, todo = 0, [v]
    while todo:
        n += 1
        match todo.pop():
            case list() as xs:
                todo += xs
            case (x, y):
                todo += [x, y]
            case Inj(_, x):
                todo.append(x)
            case ConV(_, fields):
                todo += fields
            case _:
                pass
    return n


def plus_of(x: object, y: object) -> object:
    """Return the sum of two cotangents of one value."""
    match x, y:
        case float(), float():
            return x + y
        case list(), list():
            return [plus_of(p, q) for p, q in zip(x, y, strict=True)]
        case (), ():
            return ()
        case (p, q), (u, v):
            return plus_of(p, u), plus_of(q, v)
        case Inj(i, p), Inj(j, q) if i == j:
            return Inj(i, plus_of(p, q))
        case ConV(c, ps), ConV(d, qs) if c == d:
            return ConV(c, tuple(map(plus_of, ps, qs)))
        case _:
            raise ValueError("the sum of cotangents of different shapes")


def zero_of(x: object) -> object:
    """Return the cotangent 0 of a value."""
    return map_reals(lambda _: 0.0, x, discrete=True)


def _zero(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.cost += size_of(args[0])
    m.count("0_c")
    return zero_of(args[0])


def _plus(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.cost += size_of(args[0])
    m.count("+_c")
    return plus_of(args[0], args[1])


def _zero_type(types: Sequence[Type], static: Sequence[Static]) -> Type:
    return cotangent(types[0])


def _compose(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    f, g = args

    def composed(x: object) -> object:
        m.cost += 1
        return m.call(f, m.call(g, x))

    return composed


def _traverse(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    f, xs, state = args
    out = []
    for x in array(xs):
        y, state = pair(m.call(f, x, state))
        m.cost += 1
        out.append(y)
    return out, state


def _fold(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    f, xs, state = args
    level = list(array(xs))
    if not level:
        raise ValueError("fold of an empty array")
    while len(level) > 1:
        above: list[object] = []
        for k in range(0, len(level) - 1, 2):
            y, state = pair(m.call(f, (level[k], level[k + 1]), state))
            m.cost += 1
            above.append(y)
        level = above + level[len(level) // 2 * 2 :]
    return level[0], state


def _scan(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    f, xs, state = args
    out: list[object] = []
    for x in array(xs):
        if out:
            x, state = pair(m.call(f, (out[-1], x), state))
        m.cost += 1
        out.append(x)
    return out, state


def _list(n: int) -> Row:
    shape = ", ".join(f"{{{k}}}" for k in range(n))
    return Row(f"list{n}", sig((a,) * n, Arr(a)), lambda m, xs, _: list(xs), 1, f"[{shape}]")


def _many(types: Sequence[Type], static: Sequence[Static]) -> Type:
    if not types or any(t != types[0] for t in types):
        raise TypeError(f"takes arguments of one type, not {types}")
    return Arr(types[0])


def listed(ts: Sequence[Term]) -> Op:
    """[t1, .., tn] for n > 0."""
    return Op(f"list{len(ts)}" if len(ts) <= 4 else "listn", tuple(ts))


_Step = Fun(Prod(a, a), Fun(s, Prod(a, s)))
DUAL_OPS: Library = OPS.extended(
    Row("0_c", _zero_type, _zero, show="0_c", linear=()),
    Row("+_c", sig((a, a), a), _plus, show="{0} +_c {1}",
        linear=(0, 1)),
    Row("id", sig((), Fun(a, a), "a"), lambda m, xs, _: lambda x: x, show="id", linear=()),
    Row("∘", sig((Fun(b, s), Fun(a, b)), Fun(a, s)), _compose, show="{0} ∘ {1}",
        linear=(0, 1)),
    Row("traverse", sig((Fun(a, Fun(s, Prod(b, s))), Arr(a), s), Prod(Arr(b), s)), _traverse),
    Row("foldM", sig((_Step, Arr(a), s), Prod(a, s)), _fold),
    Row("scanM", sig((_Step, Arr(a), s), Prod(Arr(a), s)), _scan),
    *map(_list, range(1, 5)),
    Row("listn", _many, lambda m, xs, _: list(xs)),
)
"""The rows that all stages share."""
