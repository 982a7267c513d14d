"""The reference evaluator of nested terms: value and cost.

The cost model is that of Efficient CHAD (Appendix C), extended to the other constructs:

    x, ()  1                     literal  2 (``prim LIT ()``)        let  1 + c + c
    \\x. t  1 + #captured         t s  1 + c + c + c(body)            (t,s)  1 + c + c
    fst, snd, inl, inr  1 + c    case, match  1 + c + c(branch)      C(t1..tn)  1 + sum
    op(t1..tn)  1 + (n-1) + sum  (prim op on a tuple)                name(t*)  its row + sum
    letrec  1 + its closures + c(body)                               pack, unpack  1 + ...
    build, map, zipWith, fold, scan, foldl    1 + arguments + sum of the bodies

Types cost nothing. Evaluation is by value, from left to right.

>>> from pullback.papers.language.terms import Let, Prim, Var
>>> t = Let("z", Prim("add", (Var("x"), Var("y"))), Prim("mul", (Var("x"), Var("z"))))
>>> evaluate(t, {"x": 3.0, "y": 4.0})
(21.0, 9)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pullback.core.unhandled import unhandled
from pullback.papers.language.arrays import OPS
from pullback.papers.language.machine import Closure, Code, Machine
from pullback.papers.language.ops import Library
from pullback.papers.language.prims import arity, prim_value
from pullback.papers.language.terms import (
    App,
    Build,
    Case,
    Con,
    Fold,
    Foldl,
    Fst,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Lit,
    Map,
    Match,
    Nil,
    Op,
    Pack,
    Pair,
    Prim,
    Scan,
    Snd,
    Term,
    TyApp,
    TyLam,
    Unpack,
    Var,
    ZipWith,
)
from pullback.papers.language.traverse import deeply
from pullback.papers.language.values import ConV, Inj, Packed, array, items, pair

Frame = list[object]
Run = Callable[[Frame], object]


def evaluate(
    t: Term,
    env: Mapping[str, object] | None = None,
    library: Library = OPS,
    machine: Machine | None = None,
) -> tuple[object, int]:
    """Return the value of ``t`` with its free variables as in ``env``, and what it cost."""
    m = machine or Machine()
    before = m.cost

    def run() -> object:
        scope = _Scope(m, library, None)
        frame: Frame = [None]
        for x, v in (env or {}).items():
            scope.bind(x)
            frame.append(v)
        body = scope.block(t)
        frame += [None] * (scope.code.size - len(frame))
        with np.errstate(all="ignore"):
            return body(frame)

    value = deeply(run)
    return value, m.cost - before


def apply(f: object, *args: object, machine: Machine) -> tuple[object, int]:
    """Return a function value on arguments (each application costs 1), with the large stack."""
    before = machine.cost

    def run() -> object:
        with np.errstate(all="ignore"):
            return machine.call(f, *args)

    value = deeply(run)
    return value, machine.cost - before + len(args)


class _Scope:
    """The translation of one lambda: where its variables are in its frames. What it finds in no
    scope of its own it captures, which adds a slot."""

    def __init__(self, m: Machine, library: Library, parent: _Scope | None) -> None:
        self.m = m
        self.library = library
        self.parent = parent
        self.code = Code()
        self.slots: dict[str, int] = {}
        self.captures: list[str] = []
        self.static = 0  # what the straight-line code being translated costs

    def bind(self, x: str) -> int:
        self.slots[x] = self.code.size
        self.code.size += 1
        return self.slots[x]

    def slot(self, x: str) -> int:
        if x not in self.slots:
            if self.parent is None:
                raise NameError(f"the variable {x} is not bound")
            self.parent.slot(x)
            self.code.captured.append(self.bind(x))
            self.captures.append(x)
        return self.slots[x]

    def bound(self, names: Sequence[str], t: Term) -> tuple[list[int], Run]:
        """Return a block under binders; the names are forgotten afterwards."""
        old = {x: self.slots.get(x) for x in names}
        slots = [self.bind(x) for x in names]
        run = self.block(t)
        self.restore(old)
        return slots, run

    def restore(self, old: Mapping[str, int | None]) -> None:
        for x, slot in old.items():
            if slot is None:
                self.slots.pop(x, None)
            else:
                self.slots[x] = slot

    def block(self, t: Term) -> Run:
        """Return code that may run any number of times: it counts its straight-line cost when it
        runs."""
        outer, self.static = self.static, 0
        body, m = self.term(t), self.m
        cost, self.static = self.static, outer

        def run(f: Frame) -> object:
            m.cost += cost
            return body(f)

        return run

    def term(self, t: Term) -> Run:
        self.static += 1
        match t:
            case Var(x):
                slot = self.slot(x)
                return lambda f: f[slot]
            case Lit(value):
                self.static += 1
                return lambda f: value
            case Nil():
                return lambda f: ()
            case Let():
                return self.lets(t)
            case LetRec():
                return self.letrec(t)
            case Lam():
                return self.lam(t)[0]
            case App(fn, arg):
                return self.app(self.term(fn), self.term(arg))
            case Pair(a, b):
                left, right = self.term(a), self.term(b)
                return lambda f: (left(f), right(f))
            case Fst(a):
                of = self.term(a)
                return lambda f: pair(of(f))[0]
            case Snd(a):
                of = self.term(a)
                return lambda f: pair(of(f))[1]
            case Inl(a):
                of = self.term(a)
                return lambda f: Inj(0, of(f))
            case Inr(a):
                of = self.term(a)
                return lambda f: Inj(1, of(f))
            case Case():
                return self.case(t)
            case Con():
                return self.con(t)
            case Match():
                return self.match(t)
            case Prim():
                return self.prim(t)
            case Op():
                return self.op(t)
            case Build() | Map() | ZipWith() | Fold() | Scan() | Foldl():
                return self.over_array(t)
            case TyLam(_, a) | TyApp(a):
                self.static -= 1
                return self.term(a)
            case Pack(witness, a):
                of = self.term(a)
                return lambda f: Packed(witness, of(f))
            case Unpack(a, _, x, body):
                return self.unpack(self.term(a), x, body)
            case _:
                unhandled(t)

    # --- binding ----------------------------------------------------------------------------------

    def lets(self, t: Term) -> Run:
        # A spine of lets is a list of steps: programs are long.
        steps: list[tuple[int, Run]] = []
        old: dict[str, int | None] = {}
        while isinstance(t, Let):
            bound = self.term(t.bound)
            old.setdefault(t.x, self.slots.get(t.x))
            steps.append((self.bind(t.x), bound))
            t = t.body
            self.static += isinstance(t, Let)
        last = self.term(t)
        self.restore(old)

        def run(f: Frame) -> object:
            for slot, step in steps:
                f[slot] = step(f)
            return last(f)

        return run

    def lam(self, t: Lam) -> tuple[Callable[[Frame], Closure], Code, list[str]]:
        inner = _Scope(self.m, self.library, self)
        inner.slots[t.x] = 0
        code, m, role = inner.code, self.m, t.role
        code.run = inner.block(t.body)
        # Numbers of slots, not names: a name may be bound anew before the closure is made.
        slots = [self.slot(x) for x in inner.captures]
        self.static += len(slots)

        def make(f: Frame) -> Closure:
            serial = -1
            if role:
                serial = len(m.roles)
                m.roles.append(role)
                m.calls.append(0)
                m.count(f"role:{role}")
            return Closure(m, code, [f[s] for s in slots], serial)

        return make, code, inner.captures

    def letrec(self, t: LetRec) -> Run:
        names = [r.f for r in t.recs]
        old = {x: self.slots.get(x) for x in names}
        slots = [self.bind(x) for x in names]
        self.static += len(t.recs)
        made = [self.lam(r.fn) for r in t.recs]
        body = self.term(t.body)
        self.restore(old)

        def run(f: Frame) -> object:
            closures = [make(f) for make, _, _ in made]
            for slot, closure in zip(slots, closures, strict=True):
                f[slot] = closure
            for closure, (_, _, captures) in zip(closures, made, strict=True):
                for k, x in enumerate(captures):
                    if x in names:
                        closure.values[k] = closures[names.index(x)]
            return body(f)

        return run

    def app(self, fn: Run, arg: Run) -> Run:
        call = self.m.call

        def run(f: Frame) -> object:
            function = fn(f)
            if isinstance(function, Closure):
                return function(arg(f))
            return call(function, arg(f))

        return run

    def unpack(self, of: Run, x: str, body: Term) -> Run:
        (slot,), then = self.bound((x,), body)

        def run(f: Frame) -> object:
            v = of(f)
            assert isinstance(v, Packed)
            f[slot] = v.value
            return then(f)

        return run

    # --- data -------------------------------------------------------------------------------------

    def case(self, t: Case) -> Run:
        of = self.term(t.t)
        (x,), left = self.bound((t.x,), t.left)
        (y,), right = self.bound((t.y,), t.right)

        def run(f: Frame) -> object:
            v = of(f)
            assert isinstance(v, Inj), v
            if v.tag == 0:
                f[x] = v.value
                return left(f)
            f[y] = v.value
            return right(f)

        return run

    def con(self, t: Con) -> Run:
        name, args, count = t.name, [self.term(a) for a in t.args], self.m.count
        what = f"con:{name}"

        def run(f: Frame) -> object:
            count(what)
            return ConV(name, tuple([a(f) for a in args]))

        return run

    def match(self, t: Match) -> Run:
        of = self.term(t.t)
        arms = {arm.con: self.bound(arm.names, arm.body) for arm in t.arms}

        def run(f: Frame) -> object:
            v = of(f)
            assert isinstance(v, ConV), v
            slots, body = arms[v.name]
            for slot, x in zip(slots, v.fields, strict=True):
                f[slot] = x
            return body(f)

        return run

    def prim(self, t: Prim) -> Run:
        call, n, m = prim_value(t.op, t.static), arity(t.op), self.m
        args = [self.term(a) for a in t.args]
        self.static += max(len(args) - 1, 0)
        what = f"prim:{t.op}"
        if len(args) == n == 2:
            left, right = args

            def binary(f: Frame) -> object:
                m.counts[what] = m.counts.get(what, 0) + 1
                return call(left(f), right(f))

            return binary

        def run(f: Frame) -> object:
            m.count(what)
            if len(args) == n:
                return call(*[a(f) for a in args])
            return call(*items(args[0](f), n))

        return run

    def op(self, t: Op) -> Run:
        if t.name not in self.library:
            raise TypeError(f"no operation {t.name!r} in the library")
        row, m = self.library[t.name], self.m
        args = [self.term(a) for a in t.args]
        self.static += row.cost - 1
        what, run_row, static = f"op:{t.name}", row.run, row.once(t.static)

        def run(f: Frame) -> object:
            m.counts[what] = m.counts.get(what, 0) + 1
            return run_row(m, [a(f) for a in args], static)

        return run

    # --- arrays -----------------------------------------------------------------------------------

    def over_array(self, t: Build | Map | ZipWith | Fold | Scan | Foldl) -> Run:
        match t:
            case Build(n, i, body):
                return self.elements([self.term(n)], (i,), body, build=True)
            case Map(x, body, a):
                return self.elements([self.term(a)], (x,), body)
            case ZipWith(x, y, body, a, b):
                return self.elements([self.term(a), self.term(b)], (x, y), body)
            case Fold(p, body, a):
                return self.fold(self.term(a), p, body)
            case Scan(p, body, a):
                return self.scan(self.term(a), p, body)
            case Foldl(acc, x, body, z, a):
                return self.foldl(self.term(z), self.term(a), (acc, x), body)

    def elements(
        self, args: Sequence[Run], names: tuple[str, ...], body: Term, build: bool = False
    ) -> Run:
        slots, each = self.bound(names, body)
        m = self.m

        def run(f: Frame) -> object:
            values = [a(f) for a in args]
            if build:
                assert isinstance(values[0], int)
            columns = [range(v) if isinstance(v, int) else array(v) for v in values]
            out: list[object] = []
            start, most = m.cost, 0
            for row in zip(*columns, strict=True):
                for slot, v in zip(slots, row, strict=True):
                    f[slot] = v
                out.append(each(f))
                if m.wide:
                    most, m.cost = max(most, m.cost - start), start
            if m.wide:
                m.cost = start + most
            return out

        return run

    def fold(self, a: Run, p: str, body: Term) -> Run:
        (slot,), combine = self.bound((p,), body)

        def run(f: Frame) -> object:
            level = list(array(a(f)))
            if not level:
                raise ValueError("fold of an empty array")
            while len(level) > 1:  # a balanced tree: neighbours pair up
                above: list[object] = []
                for k in range(0, len(level) - 1, 2):
                    f[slot] = (level[k], level[k + 1])
                    above.append(combine(f))
                level = above + level[len(level) // 2 * 2 :]
            return level[0]

        return run

    def scan(self, a: Run, p: str, body: Term) -> Run:
        (slot,), combine = self.bound((p,), body)

        def run(f: Frame) -> object:
            out: list[object] = []
            for v in array(a(f)):
                if out:
                    f[slot] = (out[-1], v)
                    v = combine(f)
                out.append(v)
            return out

        return run

    def foldl(self, z: Run, a: Run, names: tuple[str, str], body: Term) -> Run:
        (acc, x), step = self.bound(names, body)

        def run(f: Frame) -> object:
            state = z(f)
            for v in array(a(f)):
                f[acc], f[x] = state, v
                state = step(f)
            return state

        return run
