"""Arrays that are used once (Smeding & Vákár, section 7, Fig. 11).

    alloc n x k = k a           a : Array t of length n, x everywhere; k must not give a away
    allocBeside n x w = (w, a)  as alloc; the array w is there to witness that we are inside one
    get i a = (a[i], a)         set i x a = a[i := x]          size a = (length of a, a)
    dealloc a b = b             freeze a : IArray t            v @ i = v[i]
    modify i f a = let (x,a) = get i a in set i (f x) a

Every operation consumes the array that it takes and gives it back as a new handle; a handle that
was consumed is stale, and using it is an error. So what is written in place can be seen by nobody,
and ``alloc`` is an ordinary function. The stages from section 7 on are written with the same
operations as effects (``papers.language.arrays``), which costs them no bookkeeping. The method
``dual.linear`` is N4 with each handle consumed by the write that it goes to (``used_once``).

>>> from pullback.papers.language.terms import Lit, Pair, R
>>> from pullback.papers.language.eval import evaluate
>>> from pullback.papers.language.build import lam, op
>>> body = lam("a", array_of(R), lambda a: op("freeze", modify(
...     Lit(1), lam("x", R, lambda x: x + 10.0), a.t)))
>>> evaluate(op("alloc", 3, 0.5, body), {}, LINEAR_ARRAYS)[0]
[0.5, 10.5, 0.5]
>>> twice = op("alloc", 1, 0.5, lam("a", array_of(R), lambda a: Pair(
...     op("freeze", op("set", 0, 1.0, a)), op("freeze", op("set", 0, 2.0, a)))))
>>> evaluate(twice, {}, LINEAR_ARRAYS)
Traceback (most recent call last):
RuntimeError: set: a handle that was consumed before
>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.terms import Var
>>> square = Source(reals("x"), prim("mul", Var("x"), Var("x")), R)
>>> runner(linear)(square, (3.0,), 1.0).cotangents
(6.0,)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from pullback.papers.dual.ground import DUAL_SOURCE, Wrapped, runner
from pullback.papers.dual.mutable import mutable
from pullback.papers.language.arrays import MUTABLE, MArr
from pullback.papers.language.build import let_pair, op
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library, Row, Run, sig
from pullback.papers.language.terms import (
    App,
    Arr,
    Data,
    Fun,
    Prod,
    Source,
    Static,
    Term,
    TVar,
    Type,
    Z,
)
from pullback.papers.methods import Method, register


def array_of(t: Type) -> Data:
    """Array t."""
    return Data("Array", (t,))


class Handle(MArr):
    """The right to use a mutable array once."""

    __slots__ = ("stale",)

    def __init__(self, cells: list[object]) -> None:
        super().__init__(cells)
        self.stale = False

    def consume(self, by: str) -> list[object]:
        """Return the cells; the handle is stale from now on."""
        if self.stale:
            raise RuntimeError(f"{by}: a handle that was consumed before")
        self.stale = True
        return self.cells


def _consuming(name: str, which: int) -> Run:
    """Return an operation on the array at a place of the arguments."""

    def run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
        handle = args[which]
        assert isinstance(handle, Handle)
        cells = handle.consume(name)
        if name == "size":
            return len(cells), Handle(cells)
        if name == "freeze":
            return list(cells)
        i = cast(int, args[0])
        if not 0 <= i < len(cells):
            raise IndexError(f"index {i} of an array of length {len(cells)}")
        if name == "get":
            return cells[i], Handle(cells)
        cells[i] = args[1]
        return Handle(cells)

    return run


def _alloc(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.cost += cast(int, args[0])
    return m.call(args[2], Handle([args[1]] * cast(int, args[0])))


def _beside(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    m.cost += cast(int, args[0])
    witness = args[2]
    assert isinstance(witness, Handle)
    return Handle(witness.consume("allocBeside")), Handle([args[1]] * cast(int, args[0]))


def _dealloc(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    dead, kept = args
    assert isinstance(dead, Handle)
    dead.consume("dealloc").clear()
    return kept


def _at(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
    xs, i = cast("tuple[list[object], int]", tuple(args))
    if not 0 <= i < len(xs):
        raise IndexError(f"index {i} of an array of length {len(xs)}")
    return xs[i]


a, b = TVar("a"), TVar("b")
_A, _B = array_of(a), array_of(b)
LINEAR_ARRAYS = Library(
    Row("alloc", sig((Z, a, Fun(_A, b)), b), _alloc),
    Row("allocBeside", sig((Z, a, _B), Prod(_B, _A)), _beside),
    Row("get", sig((Z, _A), Prod(a, _A)), _consuming("get", 1)),
    Row("set", sig((Z, a, _A), _A), _consuming("set", 2)),
    Row("size", sig((_A,), Prod(Z, _A)), _consuming("size", 0)),
    Row("dealloc", sig((_A, b), b), _dealloc),
    Row("freeze", sig((_A,), Arr(a)), _consuming("freeze", 0)),
    Row("@", sig((Arr(a), Z), a), _at, show="{0} @ {1}"),
)
"""The interface of Fig. 11; all is O(1) but alloc and allocBeside, which cost the length."""


def modify(i: Term, f: Term, array: Term) -> Term:
    """modify i f a = let (x,a) = get i a in set i (f x) a."""
    return let_pair(("x", "a"), op("get", i, array), lambda x, rest: op(
        "set", i, App(f, x.t), rest))


# --- N4 on handles --------------------------------------------------------------------------------

WRITES = frozenset({"set", "push", "freeze"})


def used_once(library: Library) -> Library:
    """Return a library whose mutable arrays are handles: a write consumes the one that it takes,
    and nothing reads or writes by one that was consumed."""

    def checked(name: str) -> Run:
        original = library[name].run

        def run(m: Machine, args: Sequence[object], static: Sequence[Static]) -> object:
            if name != "alloc":
                handle = args[0]
                assert isinstance(handle, Handle)
                cells = handle.consume(name)
                handle.stale = name in WRITES
                args = [MArr(cells), *args[1:]]
            out = original(m, args, static)
            return Handle(out.cells) if isinstance(out, MArr) else out

        return run

    return library.replaced(*(replace(library[name], run=checked(name)) for name in MUTABLE))


def linear(source: Source) -> Wrapped:
    """Return the wrapper Wrap4, to be run on handles."""
    w = mutable(source)
    return replace(w, library=used_once(w.library))


register(Method(
    "dual.linear", "N4 on arrays that are used once (Fig. 11, App. A)",
    DUAL_SOURCE, runner(linear)))
