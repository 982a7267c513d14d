"""A method of the papers on a program of Core: what ``pb.grad(f, method=..)`` runs.

``to_source`` (``bridge_terms``) makes a program of the papers' language of it, without lambdas
where the method's source language has none; ``differentiate`` runs the method on that and brings
value and cotangents back (``bridge_values``).

>>> from pullback.core.build import Builder
>>> from pullback.core.terms import Function, Program, Var
>>> from pullback.core.types import F64
>>> b, x = Builder(), Var("x", F64)
>>> square = Function("square", (x,), b.block((b.prim("mul", x, x),)), (F64,))
>>> done = differentiate("dual.tape", Program({"square": square}, {}, "square"), [3.0], [1.0])
>>> done.results, done.cotangents
((9.0,), (6.0,))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.core.frozen import dataclass
from pullback.core.terms import (
    Program,
)
from pullback.core.types import Type
from pullback.papers.bridge_terms import to_source
from pullback.papers.bridge_values import (
    from_nested,
    to_nested,
)
from pullback.papers.language.terms import (
    Lam,
    Source,
)
from pullback.papers.language.values import items, map_reals, tuple_value
from pullback.papers.methods import (
    Linearised,
    NeedsRecursion,
    Outcome,
    Unsupported,
    linearise,
    method_named,
    run,
)
from pullback.papers.sections import missing


@dataclass(frozen=True, slots=True, eq=False)
class Derivative:
    """Values of Core's evaluator: the results, a cotangent per parameter (``None`` where it is
    discrete), and what the method itself gave."""

    results: tuple[object, ...]
    cotangents: tuple[object, ...]
    outcome: Outcome


def differentiate(
    method: str, program: Program, args: Sequence[object], seeds: Sequence[object]
) -> Derivative:
    """Return a method on a program: ``seeds`` has the cotangent of every result (anything for a
    discrete one). Unsupported says what the method's source language does not have."""
    source, values = bridged(method, program, args)
    outcome = run(method, source, values, joint(program, seeds))
    return Derivative(
        results_of(program, outcome.value),
        gradients_of(program, args, outcome.cotangents), outcome)


@dataclass(frozen=True, slots=True, eq=False)
class Pullback:
    """Values of Core's evaluator: the results, and the closure that the stage has built."""

    results: tuple[object, ...]
    back: Callable[[Sequence[object]], tuple[object, ...]]
    run: Linearised


def pullback(method: str, program: Program, args: Sequence[object]) -> Pullback:
    """Return the forward pass of a method on a program. ``back`` takes the cotangents of the
    results any number of times; the forward pass is not run again."""
    source, values = bridged(method, program, args)
    done = linearise(method, source, values)

    def back(seeds: Sequence[object]) -> tuple[object, ...]:
        return gradients_of(program, args, done.back(joint(program, seeds))[0])

    return Pullback(results_of(program, done.value), back, done)


def bridged(
    method: str, program: Program, args: Sequence[object]
) -> tuple[Source, tuple[object, ...]]:
    """Return the program and its arguments in the papers' language."""
    try:
        source = to_source(program, functions=Lam in method_named(method).source.terms)
    except NeedsRecursion as e:
        section = missing(method, "recursion")
        raise Unsupported(f"method {method!r}: {e.reason}: {section}", e.site) from None
    params = program.functions[program.main].params
    values = (
        to_nested(p.type, a, program.decls) for p, a in zip(params, args, strict=True)
    )
    return source, tuple(values)


def joint(program: Program, seeds: Sequence[object]) -> object:
    """Return the cotangent of all results together."""
    results = program.functions[program.main].results
    return tuple_value(*(seed_of(t, s, program) for t, s in zip(results, seeds, strict=True)))


def results_of(program: Program, value: object) -> tuple[object, ...]:
    """Return the results, from the value of the nested program."""
    types = program.functions[program.main].results
    return tuple(from_nested(t, v, program.decls)
                 for t, v in zip(types, items(value, len(types)), strict=False))


def gradients_of(
    program: Program, args: Sequence[object], cotangents: Sequence[object]
) -> tuple[object, ...]:
    """Return a cotangent per parameter."""
    params = program.functions[program.main].params
    return tuple(from_nested(p.type, c, program.decls, a)
                 for p, c, a in zip(params, cotangents, args, strict=False))


def seed_of(t: Type, seed: object, program: Program) -> object:
    """Return the cotangent of a result: () for what is discrete."""
    if seed is None:
        return ()
    return map_reals(lambda r: r, to_nested(t, seed, program.decls), discrete=True)
