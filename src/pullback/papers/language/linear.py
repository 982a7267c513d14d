"""Rows for cotangents and for actions on environment cotangents (Efficient CHAD, Fig. 3 and 6).

Types: L(R), L(1), s ×! t, s +! t are ``Data("L", ...)``, ``Data("×!", ...)``, ``Data("+!", ...)``.
Values: L(R) float, L(1) (), s ×! t ``Zero`` or a pair, s +! t ``Zero`` or ``Inj``. ``Zero`` is the
``None`` of the sparse representation (4.1) and costs 1 to make, whatever its type. ``DENSE_OPS``
has the naive representation (Fig. 4) for the same terms.

The costs are those of Appendix C (and D: ``zero`` of L(R) is ``prim LZERO lunit``, hence 2):

    lpair 1+c+c   linl, linr 1+c   lfst, lsnd, lcastl, lcastr 1+c, on a zero 2+c
    plus: L(1), L(R) 1; zero + y 1; x + zero 1; pairs, equal injections 1 + parts; else an error
    pure 1+c   bind 1+c+c   one 1+c   scope 1+c+c   run 1 + c + c + (1 + |ctx| + r(m)), where
    r(pure) = 1   r(bind m k) = 1 + r(m) + c(body of k) + r(result)   r(one v) = 1 + cost(cell + v)
    r(scope z m) = 1 + r(m)   r(sequence ms) = 1 + sum

``scope`` takes the initial value of its cell and gives (cell, result), as the Agda code does. The
environment of ``run`` is a tuple that begins with (): (((), c1), c2) for the context x1, x2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pullback.core.frozen import dataclass
from pullback.papers.language.arrays import OPS
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, Row, Run, fits, pure, sig
from pullback.papers.language.terms import (
    EV,
    EVM,
    ONE,
    Arr,
    Context,
    Data,
    Fun,
    Op,
    Prod,
    R,
    Real,
    Static,
    Term,
    TVar,
    Type,
    Unit,
)
from pullback.papers.language.values import ConV, Inj, Packed, Zero, array, pair, real

L_R, L_1 = Data("L", (R,)), Data("L", (ONE,))
a, b = TVar("a"), TVar("b")


def lprod(s: Type, t: Type) -> Data:
    """s ×! t."""
    return Data("×!", (s, t))


def lsum(s: Type, t: Type) -> Data:
    """s +! t."""
    return Data("+!", (s, t))


def env_type(context: Context) -> Type:
    """Return the type of the environment of ``run``: a tuple that begins with ()."""
    out: Type = ONE
    for _, t in context:
        out = Prod(out, t)
    return out


# --- cotangents -----------------------------------------------------------------------------------


def zero_of(t: Type) -> object:
    """Return the zero of a cotangent type; () for a discrete one."""
    match t:
        case Real() | Data("L", (Real(),)):
            return 0.0
        case Unit() | Data("L", (Unit(),)):
            return ()
        case Data("Bag", _):
            return ConV("BEmpty", ())
        case Data("List", _):
            return []
        case Data():
            return Zero(t)
        case _:
            raise TypeError(f"not a cotangent type: {t}")


def dense_zero_of(m: Machine, t: Type) -> object:
    """Return the zero of Fig. 4, which costs its size."""
    m.cost += 1
    match t:
        case Data("×!", (s, u)):
            return dense_zero_of(m, s), dense_zero_of(m, u)
        case _:
            return zero_of(t)


def plus(m: Machine, x: object, y: object) -> object:
    """Return x + y, counted. It recurses, since a loop would lose the sharing of deep values."""
    m.cost += 1
    m.count("plus")
    match x, y:
        case (Zero(), _):
            return y
        case (_, Zero()):
            return x
        case (float(), float()):
            return x + y
        case (list(), list()):  # before pairs: a list of two is a sequence of two to a pattern
            m.cost += len(x)
            m.count("appended", len(x))
            return x + y
        case (list(), ConV()) if not x:  # lists that are kept as bags: [] is the empty one
            return y
        case (ConV(), list()) if not y:
            return x
        case ((), ()):
            return ()
        case ((x1, x2), (y1, y2)):
            first = plus(m, x1, y1)
            return first, plus(m, x2, y2)
        case (Inj(i, v), Inj(j, w)) if i == j:
            return Inj(i, plus(m, v, w))
        case (ConV("BEmpty" | "BOne" | "BPlus" | "BArray" | "BPairs"), ConV()):
            return ConV("BPlus", (x, y))
        case (Packed(s, v), Packed(t, w)) if s == t:
            return Packed(s, plus(m, v, w))
        case _:
            raise ValueError(f"cotangents of different shapes are added: {x!r} + {y!r}")


def _zero(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    (t,) = static
    m.cost += 2 if t == L_R else 1
    return zero_of(cast(Type, t))


def _part(index: int) -> Run:
    """Return the code of lfst, lsnd (of a ×!) and lcastl, lcastr (of a +!): the part, or its
    zero."""

    def run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        (v,) = args
        match v:
            case Zero(Data(_, types)):
                m.cost += 1
                return zero_of(types[index])
            case Inj(tag, x):
                if tag != index:
                    raise ValueError("a cotangent of the other branch")
                return x
            case _:
                return pair(v)[index]

    return run


def _plus(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    return plus(m, args[0], args[1])


COTANGENTS = Library(
    Row("zero", sig((), a, "a"), _zero, cost=0, show="0"),
    Row("plus", sig((a, a), a), _plus, cost=0, show="{0} + {1}"),
    Row("lunit", sig((), L_1), pure(tuple), show="()"),
    Row("lpair", sig((a, b), lprod(a, b)), pure(lambda x, y: (x, y)), show="<{0}, {1}>"),
    Row("lfst", sig((lprod(a, b),), a), _part(0)),
    Row("lsnd", sig((lprod(a, b),), b), _part(1)),
    Row("linl", sig((a,), lsum(a, b), "b"), pure(lambda x: Inj(0, x))),
    Row("linr", sig((b,), lsum(a, b), "a"), pure(lambda x: Inj(1, x))),
    Row("lcastl", sig((lsum(a, b),), a), _part(0)),
    Row("lcastr", sig((lsum(a, b),), b), _part(1)),
    # prim LSCALE and prim LNEG of the Agda code: the first takes a pair, so 1 + (1 + c + c).
    Row("lscale", sig((L_R, R), L_R), pure(lambda d, r: real(d) * real(r)), cost=2,
        show="{0} * {1}"),
    Row("lneg", sig((L_R,), L_R), pure(lambda d: -real(d))),
    Row("lreal", sig((R,), L_R), pure(lambda r: r)),
)

# --- actions --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Pure:
    """return value."""

    value: object


@dataclass(frozen=True, slots=True, eq=False)
class Bind:
    """first >>= then."""

    first: Action
    then: object


@dataclass(frozen=True, slots=True, eq=False)
class One:
    """The action that adds into the cell of x."""

    x: str
    value: object


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The action that runs another one with a new cell x."""

    x: str
    zero: object
    inner: Action


@dataclass(frozen=True, slots=True, eq=False)
class Sequence_:
    """The action that runs several, one after the other."""

    actions: tuple[Action, ...]


Action = Pure | Bind | One | Scope | Sequence_


def perform(m: Machine, action: Action, cells: dict[str, object]) -> object:
    """Return the result of an action; ``cells`` is changed. Costs r(action)."""
    pending: list[object] = []
    while True:
        m.cost += 1
        match action:
            case Bind(first, then):
                pending.append(then)
                action = first
                continue
            case Pure(value):
                pass
            case One(x, v):
                m.count("one")
                cells[x] = plus(m, v, cells[x])
                value = ()
            case Scope(x, zero, inner):
                outer = cells.get(x)
                cells[x] = zero
                result = perform(m, inner, cells)
                value = (cells.pop(x), result)
                if outer is not None:
                    cells[x] = outer
            case Sequence_(actions):
                value = [perform(m, each, cells) for each in actions]
        if not pending:
            return value
        action = cast(Action, m.call(pending.pop(), value))


def _run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    ev = static[0]
    assert isinstance(ev, EV)
    names = [x for x, _ in ev.context]
    m.cost += 1 + len(names)
    values, env = [], args[1]
    for _ in names:
        env, last = pair(env)
        values.append(last)
    cells = dict(zip(names, reversed(values), strict=True))
    result = perform(m, cast(Action, args[0]), cells)
    out: object = ()
    for x in names:
        out = (out, cells[x])
    return result, out


def _ev(static: Sequence[Static], k: int = 0) -> EV:
    ev = static[k] if k < len(static) else None
    if not isinstance(ev, EV):
        raise TypeError("needs the environment's type")
    return ev


def _type_pure(types: Sequence[Type], static: Sequence[Static]) -> Type:
    (t,) = types
    return EVM(_ev(static).context, t)


def _evm(t: Type) -> EVM:
    if not isinstance(t, EVM):
        raise TypeError(f"takes an action, not {t}")
    return t


def _type_bind(types: Sequence[Type], static: Sequence[Static]) -> Type:
    m, k = _evm(types[0]), types[1]
    if not isinstance(k, Fun) or not fits(m.result, k.arg):
        raise TypeError(f"takes a continuation of {m.result}, not {k}")
    out = _evm(k.result)
    if out.context != m.context:
        raise TypeError(f"of actions on different environments: {m.context}, {out.context}")
    return out


def _type_one(types: Sequence[Type], static: Sequence[Static]) -> Type:
    x, ev = static[0], _ev(static, 1)
    cell = dict(ev.context).get(str(x))
    if cell is None or not fits(types[0], cell):
        raise TypeError(f"adds {types[0]} into the cell {x} : {cell}")
    return EVM(ev.context, ONE)


def _type_scope(types: Sequence[Type], static: Sequence[Static]) -> Type:
    inner = _evm(types[1])
    if not inner.context or inner.context[-1][0] != static[0]:
        raise TypeError(f"of {static[0]} around an action on {inner.context}")
    cell = inner.context[-1][1]
    if not fits(types[0], cell):
        raise TypeError(f"starts the cell {static[0]} : {cell} with {types[0]}")
    return EVM(inner.context[:-1], Prod(cell, inner.result))


def _type_run(types: Sequence[Type], static: Sequence[Static]) -> Type:
    m, ev = _evm(types[0]), _ev(static)
    if m.context != ev.context or not fits(types[1], env_type(ev.context)):
        raise TypeError(f"an action on {m.context} in an environment {types[1]}")
    return Prod(m.result, env_type(ev.context))


def _type_sequence(types: Sequence[Type], static: Sequence[Static]) -> Type:
    (t,) = types
    if not isinstance(t, Arr):
        raise TypeError(f"takes an array of actions, not {t}")
    inner = _evm(t.elem)
    return EVM(inner.context, Arr(inner.result))


def located(static: tuple[Static, ...]) -> tuple[Static, ...]:
    """Return a variable and a context with its position in it, which no run has to search for."""
    x, ev = static[0], _ev(static, 1)
    return x, ev, max(k for k, (y, _) in enumerate(ev.context) if y == x)


ACTIONS = Library(
    Row("pure", _type_pure, pure(Pure), show="return {0}"),
    Row("bind", _type_bind, pure(Bind), show="{0} >>= {1}"),
    Row("one", _type_one, lambda m, args, s: One(str(s[0]), args[0]),
        once=located),
    Row("scope", _type_scope,
        lambda m, args, s: Scope(str(s[0]), args[0], cast(Action, args[1]))),
    Row("run", _type_run, _run),
    Row("sequence", _type_sequence,
        lambda m, args, s: Sequence_(tuple(cast("list[Action]", array(args[0]))))),
)
CHAD_OPS = Library(*OPS.values(), *COTANGENTS.values(), *ACTIONS.values())
"""The library of CHAD's target language, with sparse cotangents."""

# --- Fig. 4: the naive representation -------------------------------------------------------------


def _dense_zero(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    return dense_zero_of(m, cast(Type, static[0]))


DENSE_OPS = CHAD_OPS.replaced(Row("zero", sig((), a, "a"), _dense_zero, cost=0, show="0"))
"""The same operations on dense products: a zero is a tuple of zeros."""


# --- terms ----------------------------------------------------------------------------------------


def zero(t: Type) -> Term:
    """0 : t."""
    return Op("zero", (), (t,))


def return_(t: Term, context: Context) -> Term:
    """return t : EVM context s."""
    return Op("pure", (t,), (EV(context),))


def one(x: str, t: Term, context: Context) -> Term:
    """one_x t : EVM context 1."""
    return Op("one", (t,), (x, EV(context)))


def scope(x: str, t: Type, m: Term) -> Term:
    """scope m : EVM context (t * s), for m : EVM (context, x:t) s."""
    return Op("scope", (zero(t), m), (x,))


def run(m: Term, env: Term, context: Context) -> Term:
    """run m env."""
    return Op("run", (m, env), (EV(context),))
