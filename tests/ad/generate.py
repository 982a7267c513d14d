"""Write random well-typed flat Core programs: scalars, arrays of rank 1 and 2, views, updates, all
loops, branches, sums by value, calls and recursion. Values stay small and indices in range."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pullback.core.terms import Program
from pullback.core.types import Sum, Variant
from tests.ad.flatcore import A1, A2, F64, I64, Code, E, Fn, program

CHOICE = Sum((Variant("One", (F64,)), Variant("Two", (F64, A1)), Variant("None", ())))


@dataclass
class Scope:
    """The variables that a piece of code can use. ``arrays`` has (array, identity of its memory,
    owned): an owned array may be updated, which removes all variables with the same memory."""

    reals: list[E]
    ints: list[E]
    arrays: list[tuple[E, object, bool]] = field(default_factory=list)
    matrices: list[E] = field(default_factory=list)
    choices: list[E] = field(default_factory=list)

    def inner(self, reals: list[E], ints: list[E]) -> Scope:
        """Return the scope of a block, which owns nothing of the scope around it."""
        return Scope(
            self.reals + reals, self.ints + ints, [(a, m, False) for a, m, _ in self.arrays],
            list(self.matrices), list(self.choices),
        )

    def kill(self, memory: object) -> None:
        self.arrays = [x for x in self.arrays if x[1] is not memory]

    def freeze(self) -> None:
        self.arrays = [(a, m, False) for a, m, _ in self.arrays]

    def own(self, a: E) -> None:
        self.arrays.append((a, object(), True))


class Generator:
    """Makes one program; ``budget`` bounds how many statements a function has."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.budget = 0
        self.callable: list[Fn] = []
        self.functions: list[Fn] = []
        self.statements = [
            self.scalar, self.scalar, self.read, self.read, self.build, self.sum, self.loop,
            self.loop, self.while_, self.branch, self.branch, self.view, self.view, self.update,
            self.update, self.update, self.update, self.still, self.matrix, self.choice, self.case,
            self.rows, self.call, self.call,
        ]

    def program(self) -> tuple[Program, list[Any]]:
        """Return a program of two reals, a vector, a matrix and an int, and arguments for it."""
        for k in range(self.r.randint(0, 2)):
            self.functions.append(self.function(k, self.r.random() < 0.4))

        def main(c: Code, x: E, y: E, a: E, m: E, n: E) -> tuple[Any, ...]:
            self.callable, self.budget = self.functions, 16
            s = Scope([x, y], [n], [(a, object(), False)], [m])
            s.own(c.prim("copy", a))
            self.code(c, s, self.budget)
            whole = self.r.choice(s.arrays)[0]
            return self.mix(c, s), whole, c.total(self.r.choice(s.arrays)[0]), n

        return program([F64, F64, A1, A2, I64], main, self.functions), self.arguments()

    def nested(self) -> tuple[Program, list[Any]]:
        """Return a program that takes a derivative of a random function, in either mode."""
        for k in range(2):
            self.functions.append(self.function(k, self.r.random() < 0.4))
        top = Fn("top", (F64, A1, I64), (F64, A1), lambda c, x, a, n: c.call(
            "f1", x, c.prim("copy", a), n))
        wrt = self.r.choice([(0,), (1,), (0, 1)])
        reverse = self.r.random() < 0.6

        def main(c: Code, x: E, y: E, a: E, m: E, n: E) -> tuple[Any, ...]:
            b = c.build(a.dim(), lambda i: c.sin(a.at(i) * y))
            if not reverse:
                return c.jvp("top", (x, b, n), wrt, tuple((y, b)[i] for i in wrt))
            out = c.call("top", x, b, n)[1]
            w = c.build(out.dim(), lambda i: c.cos(y * c.real(i)))
            return c.vjp("top", (x, b, n), wrt, (y, w))

        p = program([F64, F64, A1, A2, I64], main, [*self.functions, top])
        return p, self.arguments()

    def arguments(self) -> list[Any]:
        rng = np.random.default_rng(self.r.randrange(10**6))
        return [*rng.normal(size=2), rng.normal(size=3), rng.normal(size=(2, 3)),
                self.r.randint(0, 3)]

    def function(self, k: int, recursive: bool) -> Fn:
        """Return a function that may call those before it; a recursive one calls itself once."""
        name = f"f{k}"

        def body(c: Code, x: E, a: E, n: E) -> Any:
            self.callable, self.budget = self.functions[:k], 6
            return self.body(c, Scope([x], [n], [(a, object(), True)]), 5)

        def guarded(c: Code, x: E, a: E, n: E) -> Any:
            self.callable, self.budget = self.functions[:k], 6

            def again() -> Any:
                s = Scope([x], [n], [(a, object(), True)])
                self.code(c, s, 3)
                y, b = c.call(name, self.mix(c, s), self.r.choice(s.arrays)[0], n - 1)
                s = Scope([x, y], [n], [(b, object(), True)])
                return self.body(c, s, 3)

            return c.if_(n <= 0, lambda: (c.tanh(x), a), again)

        return Fn(name, (F64, A1, I64), (F64, A1), guarded if recursive else body)

    def body(self, c: Code, s: Scope, size: int) -> tuple[E, E]:
        self.code(c, s, size)
        return self.mix(c, s), self.r.choice(s.arrays)[0]

    def code(self, c: Code, s: Scope, size: int) -> None:
        for _ in range(self.r.randint(1, max(1, size))):
            if self.budget <= 0:
                return
            self.budget -= 1
            self.r.choice(self.statements)(c, s)

    # -- values ---------------------------------------------------------------------------------

    def real(self, s: Scope) -> Any:
        return self.r.choice(s.reals[-3:] * 2 + s.reals) if self.r.random() < 0.95 else 0.7

    def mix(self, c: Code, s: Scope) -> E:
        return c.tanh(c.expr(self.real(s)) * self.real(s) + self.real(s))

    def place(self, s: Scope, n: E) -> E:
        return self.r.choice(s.ints) % n

    def extent(self, c: Code, s: Scope) -> Any:
        return self.r.choice([1, 2, 3, self.r.choice(s.arrays)[0].dim()])

    # -- statements -----------------------------------------------------------------------------

    def scalar(self, c: Code, s: Scope) -> None:
        x, y = c.expr(self.real(s)), c.expr(self.real(s))
        s.reals.append(self.r.choice([
            lambda: x + y, lambda: x * y, lambda: x - y, lambda: c.sin(x), lambda: c.cos(x) * y,
            lambda: x / (y * y + 1.5), lambda: c.sqrt(x * x + 1.0), lambda: c.max_(x, y),
            lambda: c.abs(x), lambda: c.exp(c.tanh(x)), lambda: c.select(x > y, x * y, y),
            lambda: c.stop_gradient(c.real(self.r.choice(s.ints))) * x,
        ])())

    def read(self, c: Code, s: Scope) -> None:
        a = self.r.choice(s.arrays[-3:])[0]
        i = self.place(s, a.dim())
        s.reals.append(a.at(i) if self.r.random() < 0.5 else a[i - a.dim()])

    def build(self, c: Code, s: Scope) -> None:
        def body(i: E) -> Any:
            inner = s.inner([], [i])
            self.code(c, inner, 3)
            return self.mix(c, inner), self.mix(c, inner)

        a, b = c.build(self.extent(c, s), body)
        s.own(a)
        s.own(b)

    def still(self, c: Code, s: Scope) -> None:
        """Make an array that no argument reaches until it is updated."""
        s.own(c.build(self.extent(c, s), lambda i: c.real(i) * 0.25))

    def sum(self, c: Code, s: Scope) -> None:
        def body(i: E) -> Any:
            inner = s.inner([], [i])
            self.code(c, inner, 3)
            return self.mix(c, inner)

        s.reals.append(c.tanh(c.sum(self.extent(c, s), body)))

    def state(self, s: Scope) -> tuple[E, object] | None:
        """Return an array that may be updated, if there is one."""
        owned = [x for x in s.arrays if x[2]]
        if owned and len({id(m) for _, m, _ in s.arrays}) < 2:
            a = owned[0][0]
            s.own(a.view("copy"))  # so that one array remains
        if not owned:
            return None
        a, memory, _ = self.r.choice(owned[-2:])
        return a, memory

    def loop(self, c: Code, s: Scope) -> None:
        taken = self.state(s)
        start = [c.expr(self.real(s)), *([taken[0]] if taken else [])]
        if taken:
            s.kill(taken[1])

        def body(i: E, x: E, *arrays: E) -> Any:
            inner = s.inner([x], [i])
            for a in arrays:
                inner.own(a)
            self.code(c, inner, 4)
            return self.mix(c, inner), *(self.owned(c, inner) for _ in arrays), self.mix(c, inner)

        n = self.r.choice([0, 1, 2, 3, self.r.choice(s.ints)])
        x, *arrays, emitted = c.loop(n, start, body)
        s.reals.append(x)
        for a in arrays:
            s.own(a)
        if self.r.random() < 0.5 and isinstance(n, int) and n > 0:
            s.own(emitted)

    def owned(self, c: Code, s: Scope) -> E:
        """Return an array that the end of a block may return as its own."""
        mine = [a for a, _, own in s.arrays if own]
        return mine[-1] if mine else c.prim("copy", self.array(s))

    def while_(self, c: Code, s: Scope) -> None:
        def body(x: E, k: E) -> Any:
            inner = s.inner([x], [k])
            self.code(c, inner, 3)
            return self.mix(c, inner), k + 1

        x, k = c.while_(
            (c.expr(self.real(s)), c.expr(0)),
            lambda x, k: c.prim("and", k < 3, x < 0.6), body)
        s.reals.append(x)
        s.ints.append(k)

    def branch(self, c: Code, s: Scope) -> None:
        taken = self.state(s)
        if taken:
            s.kill(taken[1])

        def arm() -> Any:
            inner = s.inner([], [])
            if taken:
                inner.own(taken[0])
            self.code(c, inner, 3)
            some = self.array(inner) if shared else self.owned(c, inner)
            return self.mix(c, inner), *([some] if taken else [])

        shared = self.r.random() < 0.3
        x, y = c.expr(self.real(s)), self.real(s)
        out = c.if_(x > y, arm, arm)
        s.reals.append(out[0] if taken else out)
        if taken and shared:  # it may be an array from outside: then no code owns it
            s.freeze()
        if taken:
            s.arrays.append((out[1], object(), not shared))

    def array(self, s: Scope) -> E:
        return self.r.choice(s.arrays)[0]

    def view(self, c: Code, s: Scope) -> None:
        if s.matrices and self.r.random() < 0.4:
            m = self.r.choice(s.matrices)
            kind = self.r.randrange(4)
            if kind == 0:
                s.matrices.append(m.view("transpose", static=(1, 0)))
            elif kind == 1:
                i = self.place(s, m.dim())
                s.arrays.append((m.view("pick", i, static=(0,)), object(), False))
            elif kind == 2:
                i = self.place(s, m.dim(1))
                s.arrays.append((m.view("pick", i, static=(1,)), object(), False))
            else:
                s.arrays.append((m.view("reshape", m.dim() * m.dim(1)), object(), False))
            return
        a, memory, _ = self.r.choice(s.arrays)
        kind = self.r.randrange(4)
        if kind == 0:
            s.arrays.append((a.view("slice", a.dim() - 1, a.dim(), -1, static=(0,)), memory, False))
        elif kind == 1:
            s.matrices.append(
                c.prim("copy", a.view("expand", static=(0,)).view("broadcast", 2, a.dim())))
        else:
            s.own(c.prim("copy", a))

    def update(self, c: Code, s: Scope) -> None:
        taken = self.state(s)
        if taken is None:
            return
        a, memory = taken
        value = c.tanh(self.mix(c, s) + a.at(self.place(s, a.dim())) * self.real(s))
        i = self.place(s, a.dim())
        checked = self.r.random() < 0.4
        s.kill(memory)
        a = a.set(i - a.dim() if checked else i, value, checked)
        s.own(a)
        s.reals.append(a.at(self.place(s, a.dim())))

    def matrix(self, c: Code, s: Scope) -> None:
        def body(i: E, j: E) -> Any:
            inner = s.inner([], [i, j])
            self.code(c, inner, 2)
            return self.mix(c, inner)

        s.matrices.append(c.build(2, self.extent(c, s), body))

    def rows(self, c: Code, s: Scope) -> None:
        """Make an array of arrays."""
        def body(i: E) -> Any:
            inner = s.inner([], [i])
            self.code(c, inner, 2)
            return c.build(2, lambda j: self.mix(c, s.inner([], [i, j]))), self.array(inner)

        made, found = c.build(2, body)
        s.freeze()  # the rows may be arrays of this scope
        if self.r.random() < 0.5:
            s.matrices.append(made.view("stack"))
        row = self.r.choice([made, found]).at(self.place(s, made.dim()))
        s.arrays.append((row, object(), False))

    def choice(self, c: Code, s: Scope) -> None:
        x, y, a = self.real(s), self.real(s), self.frozen(s)
        one = lambda: c.inject(CHOICE, 0, x)
        two = lambda: c.inject(CHOICE, 1, y, a)
        arms = [one, two, lambda: c.inject(CHOICE, 2)]
        self.r.shuffle(arms)
        s.choices.append(c.if_(c.expr(x) < y, arms[0], arms[1]))

    def frozen(self, s: Scope) -> E:
        """Return an array that will not be updated any more (data refers to it)."""
        a, memory, _ = self.r.choice(s.arrays)
        s.arrays = [(b, m, own and m is not memory) for b, m, own in s.arrays]
        return a

    def case(self, c: Code, s: Scope) -> None:
        if not s.choices:
            return

        def arm(*fields: E) -> Any:
            inner = s.inner([f for f in fields if f.type == F64], [])
            for f in fields:
                if f.type == A1:
                    inner.arrays.append((f, object(), False))
            self.code(c, inner, 3)
            return self.mix(c, inner)

        s.reals.append(c.case(self.r.choice(s.choices), arm, arm, arm))

    def call(self, c: Code, s: Scope) -> None:
        if not self.callable:
            return
        f = self.r.choice(self.callable)
        a = c.prim("copy", self.r.choice(s.arrays)[0])
        n = c.min_(c.max_(self.r.choice(s.ints), c.expr(0)), c.expr(2))
        y, b = c.call(f.name, self.mix(c, s), a, n)
        s.reals.append(y)
        s.own(b)
