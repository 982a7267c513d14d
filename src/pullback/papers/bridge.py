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

from collections.abc import Sequence
from dataclasses import dataclass

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
)
from pullback.papers.language.values import items, map_reals, tuple_value
from pullback.papers.methods import NeedsRecursion, Outcome, Unsupported, method_named, run
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
    """A method on a program: ``seeds`` has the cotangent of every result (anything for a discrete
    one). Unsupported says what the method's source language does not have."""
    try:
        source = to_source(program, functions=Lam in method_named(method).source.terms)
    except NeedsRecursion as e:
        section = missing(method, "recursion")
        raise Unsupported(f"method {method!r}: {e.reason}: {section}", e.site) from None
    main, decls = program.functions[program.main], program.decls
    values = tuple(to_nested(p.type, a, decls) for p, a in zip(main.params, args, strict=True))
    seed = tuple_value(*(
        seed_of(t, s, program) for t, s in zip(main.results, seeds, strict=True)))
    outcome = run(method, source, values, seed)
    results = items(outcome.value, len(main.results))
    return Derivative(
        tuple(from_nested(t, v, decls) for t, v in zip(main.results, results, strict=True)),
        tuple(from_nested(p.type, c, decls, a)
              for p, c, a in zip(main.params, outcome.cotangents, args, strict=True)),
        outcome,
    )


def seed_of(t: Type, seed: object, program: Program) -> object:
    """The cotangent of a result: () for what is discrete."""
    if seed is None:
        return ()
    return map_reals(lambda r: r, to_nested(t, seed, program.decls), discrete=True)
