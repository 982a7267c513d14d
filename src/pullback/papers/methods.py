"""The registry of the papers' methods: what the driver asks for by name.

Every stage registers itself where it is defined; ``run`` checks that the program is in the source
language of the stage and runs it by the reference evaluator.

>>> from pullback.papers.language.terms import R, Var
>>> from pullback.papers.language.build import prim, reals
>>> square = Source(reals("x"), prim("mul", Var("x"), Var("x")), R)
>>> done = run("dual.tape", square, (3.0,), 1.0)
>>> done.value, done.cotangents
(9.0, (6.0,))
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.frozen import dataclass, field
from pullback.core.terms import Site
from pullback.papers import load
from pullback.papers.language.arrays import OPS
from pullback.papers.language.check import Dialect, NestedTypeError, outside, require_dialect
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.pretty import show_type
from pullback.papers.language.prims import missing_order
from pullback.papers.language.terms import (
    EV,
    EVM,
    Arr,
    Data,
    Exists,
    Forall,
    Fun,
    Int,
    Plus,
    Prod,
    Real,
    Source,
    Term,
    TVar,
    Type,
    Unit,
)
from pullback.papers.sections import lacking, missing


class Unsupported(NotImplementedError):
    """A program outside the source language of a paper: the reason, and the place if known."""

    def __init__(self, reason: str, site: Site | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.site = site


class NeedsRecursion(Unsupported):
    """A program for a method without recursion."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a method gives.

    value         of the program
    cotangents    one per entry of the context, shaped like its value: a real where a real is, ()
                  where an integer is
    forward, reverse   steps of the primal pass, and of the pullback
    machine       the instruments
    term          the transformed program, for the printer
    """

    value: object
    cotangents: tuple[object, ...]
    forward: int
    reverse: int
    machine: Machine = field(default_factory=Machine)
    term: Term | None = None

    @property
    def cost(self) -> int:
        """Return the number of all steps."""
        return self.forward + self.reverse


Runner = Callable[[Source, tuple[object, ...], object], Outcome]
"""(program, arguments, cotangent of the result) -> outcome."""
Back = Callable[[object], tuple[tuple[object, ...], int]]
"""A cotangent of the result -> the cotangents of the arguments, and the steps taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Linearised:
    """A program after its forward pass: its value, and the closure that the stage has built. A call
    of ``back`` costs what the paper says of the reverse pass; the forward pass is not repeated."""

    value: object
    forward: int
    back: Back
    machine: Machine = field(default_factory=Machine)
    term: Term | None = None

    def at(self, seed: object) -> Outcome:
        """Return the value and the cotangents for one cotangent of the result."""
        cotangents, reverse = self.back(seed)
        return Outcome(self.value, cotangents, self.forward, reverse, self.machine, self.term)


@dataclass(frozen=True, slots=True, eq=False)
class Curried:
    """A runner in two phases: arguments -> value and closure; cotangent -> cotangents."""

    linearise: Callable[[Source, tuple[object, ...]], Linearised]

    def __call__(self, source: Source, args: tuple[object, ...], seed: object) -> Outcome:
        return self.linearise(source, args).at(seed)


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """One stage: its public name, one line about it, its source language, how to run it, and
    derivatives of how many orders the primitives of its programs must have (1: not asked)."""

    name: str
    description: str
    source: Dialect
    runner: Runner
    orders: float = 1

    def supports(self, source: Source) -> str:
        """Return the reason why a program is outside the source language; "" if it is in it."""
        for x, t in source.context:
            if not first_order(t):
                return f"the argument {x} has type {show_type(t)}: it may not hold functions"
        if not first_order(source.result):
            return f"the result has type {show_type(source.result)}: it may not hold functions"
        try:
            require_dialect(source.body, self.source)
        except NestedTypeError as e:
            beyond = outside(source.body, self.source)
            section = missing(self.name, lacking(beyond)) if beyond else ""
            return f"{e}: {section}" if section else str(e)
        return missing_order(source.body, self.orders) if self.orders > 1 else ""


METHODS: dict[str, Method] = {}


def register(method: Method) -> Method:
    """Add a method; a name twice is an error."""
    if method.name in METHODS:
        raise ValueError(f"method {method.name!r} is registered twice")
    METHODS[method.name] = method
    return method


def method_named(name: str) -> Method:
    """Return the method with this name."""
    if name not in METHODS:  # a stage registers itself when its file is imported
        load()
    return METHODS[name]


def run(name: str, source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """Return the value and the cotangents of a program by a method. Unsupported names the
    constructs that the method has not."""
    return supporting(name, source).runner(source, args, seed)


def linearise(name: str, source: Source, args: tuple[object, ...]) -> Linearised:
    """Return a program after its forward pass by a method. Where the paper's wrapper takes
    arguments and cotangent together, (s, dt) -> ds, there is no closure, and every cotangent is a
    run."""
    runner = supporting(name, source).runner
    if isinstance(runner, Curried):
        return runner.linearise(source, args)
    value, forward = evaluate(
        source.body, dict(zip([x for x, _ in source.context], args, strict=True)), OPS)

    def back(seed: object) -> tuple[tuple[object, ...], int]:
        done = runner(source, args, seed)
        return done.cotangents, done.cost

    return Linearised(value, forward, back)


def supporting(name: str, source: Source) -> Method:
    """Return the method, which can take the program; else Unsupported with the reason."""
    method = method_named(name)
    if reason := method.supports(source):
        raise Unsupported(f"method {name!r}: {reason}")
    return method


def first_order(t: Type) -> bool:
    """Whether no function is in values of the type (declared types are taken to hold none)."""
    todo = [t]
    while todo:
        match todo.pop():
            case Fun() | Forall() | Exists() | EV() | EVM():
                return False
            case Prod(a, b) | Plus(a, b):
                todo += [a, b]
            case Arr(a):
                todo.append(a)
            case Data(_, args):
                todo += args
            case Real() | Int() | Unit() | TVar():
                pass
    return True
