"""Write flat Core as Python, for the tests: operators on atoms, lambdas for blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pullback.core.build import Builder, lit
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    CaseArm,
    Function,
    If,
    Inject,
    Jvp,
    Let,
    Lit,
    Loop,
    Prim,
    Program,
    Sum_,
    Update,
    Var,
    Vjp,
    While,
)
from pullback.core.types import BOOL, F32, F64, I64, Array, Decl, Real, Type, variants_of

A1, A2, A3, AI = Array(F64, 1), Array(F64, 2), Array(F64, 3), Array(I64, 1)

Body = Callable[..., Any]


@dataclass(frozen=True)
class Fn:
    """A function of a program: its body is called with the code and the parameters."""

    name: str
    params: tuple[Type, ...]
    results: tuple[Type, ...]
    body: Body


@dataclass(frozen=True, eq=False)
class E:
    """An atom in a piece of code: operators append lets at the end of the code."""

    code: Code
    atom: Atom

    @property
    def type(self) -> Type:
        return self.atom.type

    def _bin(self, name: str, other: Any, swap: bool = False) -> E:
        o = self.code.atom(other, self.type)
        return self.code.prim(name, *((o, self) if swap else (self, o)))

    def __add__(self, o: Any) -> E:
        return self._bin("add", o)

    def __radd__(self, o: Any) -> E:
        return self._bin("add", o, True)

    def __sub__(self, o: Any) -> E:
        return self._bin("sub", o)

    def __rsub__(self, o: Any) -> E:
        return self._bin("sub", o, True)

    def __mul__(self, o: Any) -> E:
        return self._bin("mul", o)

    def __rmul__(self, o: Any) -> E:
        return self._bin("mul", o, True)

    def __truediv__(self, o: Any) -> E:
        return self._bin("div", o)

    def __rtruediv__(self, o: Any) -> E:
        return self._bin("div", o, True)

    def __mod__(self, o: Any) -> E:
        return self._bin("mod", o)

    def __neg__(self) -> E:
        return self.code.prim("neg", self)

    def __lt__(self, o: Any) -> E:
        return self._bin("lt", o)

    def __le__(self, o: Any) -> E:
        return self._bin("le", o)

    def __gt__(self, o: Any) -> E:
        return self._bin("gt", o)

    def eq(self, o: Any) -> E:
        return self._bin("eq", o)

    def __getitem__(self, idx: Any) -> E:
        """Return a checked element: negative indices count from the end."""
        return self._index(idx if isinstance(idx, tuple) else (idx,), True)

    def at(self, *idx: Any) -> E:
        """Return an unchecked element."""
        return self._index(idx, False)

    def _index(self, idx: tuple[Any, ...], checked: bool) -> E:
        where = tuple(self.code.atom(i, I64) for i in idx)
        return E(self.code, self.code.b.index(self.atom, where, checked))

    def set(self, idx: Any, value: Any, checked: bool = False) -> E:
        """Return the array with one element replaced; the old array is consumed."""
        where = tuple(self.code.atom(i, I64) for i in (idx if isinstance(idx, tuple) else (idx,)))
        assert isinstance(self.type, Array)
        op = Update(self.atom, where, self.code.atom(value, self.type.elem), checked)
        return self.code.let(op, (self.type,))[0]

    def dim(self, axis: int = 0) -> E:
        return self.code.prim("dim", self, static=(axis,))

    def view(self, name: str, *args: Any, static: tuple[int, ...] = ()) -> E:
        """Return a view: slice, pick, transpose, expand, broadcast, reshape, copy, stack."""
        return self.code.prim(name, self, *(self.code.expr(a, I64) for a in args), static=static)


class Code:
    """Code that is being written: lets go into the innermost open block."""

    def __init__(self, signatures: dict[str, tuple[Type, ...]], decls: dict[str, Decl]) -> None:
        self.signatures = signatures
        self.decls = decls
        self.open: list[Builder] = [Builder()]

    @property
    def b(self) -> Builder:
        return self.open[-1]

    def atom(self, x: Any, t: Type) -> Atom:
        if isinstance(x, E):
            return x.atom
        return x if isinstance(x, Var | Lit) else lit(x, t)

    def expr(self, x: Any, t: Type | None = None) -> E:
        """Return a Python number as a literal of its own type."""
        own = BOOL if isinstance(x, bool) else I64 if isinstance(x, int) else F64
        return E(self, self.atom(x, t if t is not None else own))

    def let(self, op: Any, types: Sequence[Type]) -> tuple[E, ...]:
        return tuple(E(self, v) for v in self.b.let(op, tuple(types)))

    def prim(self, name: str, *args: Any, static: tuple[Any, ...] = ()) -> E:
        like = next((a.type for a in args if isinstance(a, E) and a.type != BOOL), F64)
        return E(self, self.b.prim(name, *(self.atom(a, like) for a in args), static=static))

    def __getattr__(self, name: str) -> Callable[..., E]:
        """Return a primitive by its name, so that ``c.sin(x)`` emits it (``max_`` for ``max`` and
        so on)."""
        return lambda *args, static=(): self.prim(name.rstrip("_"), *args, static=static)

    def real(self, x: E, t: Real = F64) -> E:
        return self.prim("to_real", x, static=(t,))

    # -- blocks --

    def block(self, body: Body, bound: Sequence[Var], like: Sequence[Type] = ()) -> Block:
        self.open.append(Builder())
        out = body(*(E(self, v) for v in bound))
        outs = out if isinstance(out, tuple) else () if out is None else (out,)
        types = [*like, *([None] * len(outs))]
        results = tuple(self.expr(x, t).atom for x, t in zip(outs, types, strict=False))
        return self.open.pop().block(results)

    def one(self, xs: tuple[E, ...]) -> Any:
        return xs[0] if len(xs) == 1 else xs

    def build(self, *extents_and_body: Any) -> Any:
        *extents, body = extents_and_body
        idx = tuple(Var("i", I64) for _ in extents)
        block = self.block(body, idx)
        ns = tuple(self.atom(n, I64) for n in extents)
        types = [Array(r.type, len(extents)) for r in block.results]
        return self.one(self.let(Build(ns, idx, block), types))

    def sum(self, *extents_and_body: Any) -> Any:
        *extents, body = extents_and_body
        idx = tuple(Var("i", I64) for _ in extents)
        block = self.block(body, idx)
        ns = tuple(self.atom(n, I64) for n in extents)
        return self.one(self.let(Sum_(ns, idx, block), [r.type for r in block.results]))

    def total(self, a: E) -> E:
        """Return the sum of an array's elements, each weighted by its place."""
        assert isinstance(a.type, Array)
        dims = [a.dim(k) for k in range(a.type.rank)]

        def term(*i: E) -> E:
            weight: Any = 1.0
            for k, j in enumerate(i):
                weight = self.sin(self.real(j) + 0.3 * (k + 1)) * weight
            return a.at(*i) * weight

        out: E = self.sum(*dims, term)
        return out

    def loop(self, n: Any, inits: Sequence[Any], body: Body) -> Any:
        start = [self.expr(x) for x in inits]
        i, carried = Var("k", I64), tuple(Var("s", x.type) for x in start)
        block = self.block(body, (i, *carried), [v.type for v in carried])
        types = self._carried_types(carried, block)
        op = Loop(self.atom(n, I64), i, carried, tuple(x.atom for x in start), block)
        return self.one(self.let(op, types))

    def while_(self, inits: Sequence[Any], cond: Body, body: Body) -> Any:
        start = [self.expr(x) for x in inits]
        carried = tuple(Var("s", x.type) for x in start)
        test = self.block(cond, carried)
        block = self.block(body, carried, [v.type for v in carried])
        types = self._carried_types(carried, block)
        return self.one(
            self.let(While(carried, tuple(x.atom for x in start), test, block), types)
        )

    def _carried_types(self, carried: tuple[Var, ...], block: Block) -> list[Type]:
        n = len(carried)
        return [v.type for v in carried] + [Array(r.type, 1) for r in block.results[n:]]

    def if_(self, cond: E, then: Body, orelse: Body) -> Any:
        yes = self.block(then, ())
        no = self.block(orelse, (), [r.type for r in yes.results])
        return self.one(self.let(If(cond.atom, yes, no), [r.type for r in yes.results]))

    def case(self, x: E, *arms: Body) -> Any:
        variants = variants_of(x.type, self.decls)
        made: list[CaseArm] = []
        for v, arm in zip(variants, arms, strict=True):
            fields = tuple(Var("f", t) for t in v.fields)
            like = [r.type for r in made[0].body.results] if made else []
            made.append(CaseArm(fields, self.block(arm, fields, like)))
        types = [r.type for r in made[0].body.results]
        return self.one(self.let(Case(x.atom, tuple(made)), types))

    # -- data, functions, derivatives --

    def inject(self, t: Type, tag: int, *fields: Any) -> E:
        types = variants_of(t, self.decls)[tag].fields
        op = Inject(t, tag, tuple(self.atom(x, u) for x, u in zip(fields, types, strict=True)))
        return self.let(op, (t,))[0]

    def call(self, name: str, *args: Any) -> Any:
        op = Call(name, tuple(self.expr(a).atom for a in args))
        return self.one(self.let(op, self.signatures[name]))

    def vjp(self, name: str, args: Sequence[Any], wrt: Sequence[int], seeds: Sequence[Any]) -> Any:
        """Return the results of the function, then cotangents."""
        given = tuple(self.expr(a).atom for a in args)
        op = Vjp(name, given, tuple(wrt), tuple(self.expr(s).atom for s in seeds))
        return self.let(op, (*self.signatures[name], *(given[i].type for i in wrt)))

    def jvp(self, name: str, args: Sequence[Any], wrt: Sequence[int], dx: Sequence[Any]) -> Any:
        """Return the results of the function, then tangents of the real ones."""
        given = tuple(self.expr(a).atom for a in args)
        op = Jvp(name, given, tuple(wrt), tuple(self.expr(d).atom for d in dx))
        out = self.signatures[name]
        return self.let(op, (*out, *(t for t in out if _real(t))))

    def require(self, cond: E, exception: str, message: str) -> None:
        self.b.lets.append(Let((), Prim("require", (cond.atom,), (exception, message))))


def _real(t: Type) -> bool:
    return isinstance(t, Real) or (isinstance(t, Array) and _real(t.elem))


def program(
    params: Sequence[Type], body: Body, functions: Sequence[Fn] = (), decls: Sequence[Decl] = ()
) -> Program:
    """Return the program whose main has this body."""
    named = {d.name: d for d in decls}
    signatures = {f.name: f.results for f in functions}

    def define(name: str, types: Sequence[Type], make: Body) -> Function:
        code = Code(signatures, named)
        vs = tuple(Var("x", t) for t in types)
        block = code.block(lambda *xs: make(code, *xs), vs, signatures.get(name, ()))
        return Function(name, vs, block, tuple(r.type for r in block.results))

    made = {f.name: define(f.name, f.params, f.body) for f in functions}
    return Program({"main": define("main", params, body), **made}, named, "main")


__all__ = ["A1", "A2", "A3", "AI", "BOOL", "F32", "F64", "I64", "Code", "E", "Fn", "program"]
