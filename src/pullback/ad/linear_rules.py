"""Whether a function is linear in some of its parameters: what a rule must be to be transposed.

Every variable has a degree: ZERO (0 whatever the parameters are), FREE (does not depend on them),
LINEAR, or it is neither, and the rule is refused. A function is linear if each of its results is
ZERO or LINEAR; the degrees of loops and recursive functions are least fixpoints. Data has the
degree of its reals; what variant it is, and which nodes it shares, does not depend on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import reduce
from typing import Protocol

from pullback.ad.activity import Facts
from pullback.ad.spaces import Spaces
from pullback.ad.sweep import DerivativeError
from pullback.core.prims import TABLE
from pullback.core.rows import Mark
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    Function,
    If,
    Index,
    Inject,
    Jvp,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Ruled,
    Sum_,
    Update,
    Var,
    Vjp,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.types import Decl, Real, Type


class Translated(Protocol):
    """What rules ask of the functions of a program (``functions.Functions``)."""

    functions: dict[str, Function]
    decls: dict[str, Decl]
    spaces: Spaces

    def result_types(self, name: str) -> tuple[Type, ...]: ...

    def run_again(self, op: Ruled) -> str | None: ...

    def expand_jvps(self, name: str) -> None: ...

    def analysed(self, name: str, mask: tuple[bool, ...], volatile: bool) -> Facts: ...

    def needed(self, name: str) -> Iterator[str]: ...


class Degree(IntEnum):
    """How a value depends on the parameters."""

    ZERO = 0
    FREE = 1
    LINEAR = 2
    NEITHER = 3


_SAME = frozenset({"to_real", "copy", "flush"})


def require_linear(
    functions: Translated, name: str, params: Iterable[int], first: int, rule: str, let: Let
) -> None:
    """Raise DerivativeError unless the results of a function of a rule, from ``first`` on, are
    linear in these parameters."""
    f, where = functions.functions[name], frozenset(params)
    given = tuple(Degree.LINEAR if i in where else Degree.FREE for i in range(len(f.params)))
    found = _Degrees(functions).function(name, given)[first:]
    if any(d in (Degree.FREE, Degree.NEITHER) for d in found):
        raise DerivativeError(
            f"the rule of {rule!r} is not linear in the tangents or cotangents that it is given, "
            "as far as can be seen, so it has no transpose: write a rule that only adds them and "
            "multiplies them by what does not depend on them",
            let,
        )


class _Degrees:
    """The degrees of variables, function by function."""

    def __init__(self, functions: Translated) -> None:
        self.functions = functions
        self.known: dict[tuple[str, tuple[Degree, ...]], tuple[Degree, ...]] = {}
        self.settled: set[tuple[str, tuple[Degree, ...]]] = set()
        self.active: list[tuple[str, tuple[Degree, ...]]] = []
        self.changed = False

    def function(self, name: str, given: tuple[Degree, ...]) -> tuple[Degree, ...]:
        """Return the degrees of the results, for those of the parameters."""
        key = (name, given)
        f = self.functions.functions[name]
        if key in self.settled or key in self.active:
            return self.known.setdefault(key, (Degree.ZERO,) * len(f.results))
        self.active.append(key)
        while True:
            before = self.known.setdefault(key, (Degree.ZERO,) * len(f.results))
            env: dict[Var, Degree] = dict(zip(f.params, given, strict=True))
            found = self.block(f.body, env)
            self.known[key] = tuple(map(max, before, found))
            if self.known[key] == before:
                break
        self.active.pop()
        if not self.active:
            self.settled.add(key)
        return self.known[key]

    def block(self, block: Block, env: dict[Var, Degree]) -> tuple[Degree, ...]:
        for let in block.lets:
            for v, d in zip(let.vars, self.let(let.op, let.vars, env), strict=True):
                env[v] = d
        return tuple(degree(a, env) for a in block.results)

    def let(self, op: Op, variables: Sequence[Var], env: dict[Var, Degree]) -> Sequence[Degree]:
        n = len(variables)
        match op:
            case Prim(name, args, _):
                return [_prim(name, [degree(a, env) for a in args])] * n
            case Index(array, idx, _):
                return [_unless(idx, env, degree(array, env))]
            case Update(array, idx, value, _):
                return [_unless(idx, env, join(degree(array, env), degree(value, env)))]
            case Call(name, args) | Ruled(name, args):
                return self.function(name, tuple(degree(a, env) for a in args))
            case If(cond, then, orelse):
                both = map(join, self.block(then, env), self.block(orelse, env))
                return [_unless((cond,), env, d) for d in both]
            case Case(scrutinee, arms):
                whole = degree(scrutinee, env)
                found: list[Degree] = [Degree.ZERO] * n
                for arm in arms:
                    env.update((x, whole if self.bears(x) else Degree.FREE) for x in arm.fields)
                    found = list(map(join, found, self.block(arm.body, env)))
                return [Degree.NEITHER] * n if whole is Degree.NEITHER else found
            case Inject(_, _, fields):
                reals = [degree(a, env) for a in fields if self.bears(a)]
                return [_unless(
                    (a for a in fields if not self.bears(a)), env, reduce(join, reals, Degree.ZERO)
                )]  # fmt: skip
            case Build(extents, indices, body) | Sum_(extents, indices, body):
                env.update(dict.fromkeys(indices, Degree.FREE))
                return [_unless(extents, env, d) for d in self.block(body, env)]
            case Loop(count, index, carried, inits, body):
                env[index] = Degree.FREE
                found = self.carry(carried, inits, body, env, n)
                return [_unless((count,), env, d) for d in found]
            case While(carried, inits, cond, body):
                found = self.carry(carried, inits, body, env, n)
                (test,) = self.block(cond, env)
                return found if test <= Degree.FREE else [Degree.NEITHER] * n
            case Vjp():
                return self.vjp(op, env)
            case Jvp():
                return self.jvp(op, env)
            case _:
                inside = any(True for _ in sub_blocks(op))
                free = all(degree(a, env) <= Degree.FREE for a in atoms(op)) and not inside
                return [Degree.FREE if free else Degree.NEITHER] * n

    def bears(self, a: Atom) -> bool:
        return self.functions.spaces.bears(a.type)

    def carry(
        self, carried: Sequence[Var], inits: Sequence[Atom], body: Block, env: dict[Var, Degree],
        n: int,
    ) -> list[Degree]:  # fmt: skip
        state = [degree(a, env) for a in inits]
        while True:
            env.update(zip(carried, state, strict=True))
            results = self.block(body, env)
            following = list(map(join, state, results))
            if following == state:
                return [*state, *results[len(carried) :]][:n]
            state = following

    def vjp(self, op: Vjp, env: dict[Var, Degree]) -> list[Degree]:
        """The degrees of a Vjp: of the inner product of the seeds and the results, of which the
        derivative by what is linear is free of that."""
        given = [degree(a, env) for a in op.args]
        values = self.function(op.function, tuple(given))
        types, rest = self.functions.result_types(op.function), iter(op.seeds)
        total = Degree.ZERO
        for d, t in zip(values, types, strict=True):
            if self.functions.spaces.bears(t):
                total = join(total, _product([degree(next(rest), env), d]))
        return [*values, *(_lowered(total, given[i]) for i in op.wrt)]

    def jvp(self, op: Jvp, env: dict[Var, Degree]) -> list[Degree]:
        """The degrees of a Jvp: of each result, and of the sum of its partials times tangents."""
        given = [degree(a, env) for a in op.args]
        values = self.function(op.function, tuple(given))
        out = list(values)
        for d, t in zip(values, self.functions.result_types(op.function), strict=True):
            if self.functions.spaces.bears(t):
                total = Degree.ZERO
                for i, x in zip(op.wrt, op.tangents, strict=True):
                    total = join(total, _product([_lowered(d, given[i]), degree(x, env)]))
                out.append(total)
        return out


def _lowered(d: Degree, by: Degree) -> Degree:
    """Return the degree of the derivative of a value of degree ``d`` by an argument."""
    return Degree.FREE if d == by == Degree.LINEAR else d


def degree(a: Atom, env: dict[Var, Degree]) -> Degree:
    """Return the degree of an atom."""
    if isinstance(a, Lit):
        return Degree.ZERO if isinstance(a.type, Real) and a.value == 0.0 else Degree.FREE
    return env[a]


def join(a: Degree, b: Degree) -> Degree:
    """Return the degree of a value that is one or the other, or the sum of both."""
    if Degree.ZERO in (a, b) or a == b:
        return max(a, b)
    return Degree.NEITHER


def _unless(steering: Iterable[Atom], env: dict[Var, Degree], d: Degree) -> Degree:
    """Return the degree, unless what steers the operation depends on the parameters."""
    free = all(degree(a, env) <= Degree.FREE for a in steering)
    return d if free else Degree.NEITHER


def _prim(name: str, degrees: list[Degree]) -> Degree:
    """Return the degree of a row, for those of its arguments."""
    match name:
        case "undefined":
            return Degree.ZERO
        case "dim":
            return Degree.FREE
        case "address":
            return Degree.NEITHER if Degree.NEITHER in degrees else Degree.FREE
        case "add" | "sub" | "neg":
            found = Degree.ZERO
            for d in degrees:
                found = join(found, d)
            return found
        case "mul" | "mulz" | "product":
            return _product(degrees)
        case "fma" | "fmaz":
            return join(_product(degrees[:2]), degrees[2])
        case "solve" | "solve.ck" | "solve_triangular":
            return degrees[1] if degrees[0] <= Degree.FREE else Degree.NEITHER
        case "fft" | "irfft":
            both = join(degrees[0], degrees[1])
            return both if all(d <= Degree.FREE for d in degrees[2:]) else Degree.NEITHER
        case "rfft":
            return degrees[0] if degrees[1] <= Degree.FREE else Degree.NEITHER
        case "div":
            return degrees[0] if degrees[1] <= Degree.FREE else Degree.NEITHER
        case "select":
            both = join(degrees[1], degrees[2])
            return both if degrees[0] <= Degree.FREE else Degree.NEITHER
        case _:
            moved = name in _SAME or TABLE[name].partial(0) in (Mark.VIEW, Mark.REARRANGE)
            if moved and all(d <= Degree.FREE for d in degrees[1:]):
                return degrees[0]
            free = all(d <= Degree.FREE for d in degrees)
            return Degree.FREE if free else Degree.NEITHER


def _product(degrees: Sequence[Degree]) -> Degree:
    if Degree.ZERO in degrees:
        return Degree.ZERO
    if all(d == Degree.FREE for d in degrees):
        return Degree.FREE
    linear = sum(d == Degree.LINEAR for d in degrees)
    return Degree.LINEAR if linear == 1 and Degree.NEITHER not in degrees else Degree.NEITHER


__all__ = ["Translated", "require_linear"]
