"""Arguments that are functions, as constants (Krawiec et al., footnote 9).

The papers refuse functions at the boundary of a program. One that is given as a closed term may be
taken for a constant: it is bound around the program, and has the cotangent ().

>>> from pullback.papers.language.build import lam, reals
>>> from pullback.papers.language.terms import App, Fun, R, Var
>>> whole = Source((("f", Fun(R, R)), *reals("x")), App(Var("f"), Var("x")), R)
>>> square = lam("u", R, lambda u: u * u)
>>> run_with_functions("delta.monadic", whole, (square, 3.0), 1.0).cotangents
((), 6.0)
"""

from __future__ import annotations

from dataclasses import replace

from pullback.papers.language.terms import Lam, Let, Source
from pullback.papers.language.traverse import free_vars
from pullback.papers.methods import Outcome, Unsupported, first_order, run


def run_with_functions(
    name: str, source: Source, args: tuple[object, ...], seed: object
) -> Outcome:
    """Return the value and the cotangents by a method, where functions are constants."""
    source, kept = with_functions(source, args)
    done = run(name, source, tuple(args[i] for i in kept), seed)
    cotangents = dict(zip(kept, done.cotangents, strict=True))
    return replace(done, cotangents=tuple(cotangents.get(i, ()) for i in range(len(args))))


def with_functions(source: Source, args: tuple[object, ...]) -> tuple[Source, list[int]]:
    """let f = the function given in body, for the arguments that are functions; and the places of
    the others."""
    body, kept = source.body, []
    for i, ((x, t), a) in enumerate(zip(source.context, args, strict=True)):
        if first_order(t):
            kept.append(i)
        elif isinstance(a, Lam) and not free_vars(a):
            body = Let(x, a, body)
        else:
            raise Unsupported(f"the argument {x} is a constant only as a closed function")
    return replace(source, context=tuple(source.context[i] for i in kept), body=body), kept
