"""Replace derivative terms by code, and write the main functions of the operators.

``differentiate`` replaces every Vjp and Jvp term by calls of generated functions. ``gradient``,
``split`` and ``tangent`` write the main functions of grad, vjp and jvp.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.ad.cells import array_type, extents_of, gather, scatter, seeded
from pullback.ad.forward import tangent_function
from pullback.ad.function_halves import Functions, replace_lets
from pullback.ad.nesting import refuse_deep_nests
from pullback.ad.rules import for_one_sweep
from pullback.ad.silent_results import is_silent, silenced
from pullback.ad.sweep import DerivativeError, or_zero, refuse_data
from pullback.core.build import Builder, boolean, lit
from pullback.core.frozen import dataclass
from pullback.core.terms import (
    AccNew,
    Atom,
    Block,
    Call,
    Function,
    If,
    Let,
    Program,
    Var,
    Vjp,
)
from pullback.core.traverse import all_lets, run_by
from pullback.core.types import F64, Array, Handle, Real


def differentiate(program: Program) -> Program:
    """Dialect FLAT to ACCUMULATING: no derivative term is left."""
    refuse_deep_nests(program)
    functions = Functions.of(program)
    _expand(functions, program.main)
    return functions.program(program.main)


def gradient(
    program: Program, wrt: tuple[int, ...], only: tuple[int, ...] | None = None
) -> Program:
    """Return a program whose main maps (parameters, seeds) to (results, cotangents of ``wrt``).

    There is a seed for each result that is a real or an array of (arrays of) reals; with ``only``,
    for those among these results alone: the cotangents of the others are zero.

    Data among the parameters (sums, nodes and arrays of them or of arrays) comes in its forward
    space, ``spaces.Spaces.primal``: one parameter per part, handles included. The handles are views
    of cells that the last parameter, a ``Handle(1)``, names all together, and the last result is
    the array of the values in these cells. So data has no cotangents among the results, except that
    a sum by value has its leaves there.
    """
    refuse_deep_nests(program)
    functions = Functions.of(program)
    main = _for_sweep(functions, program.main, wrt)
    b = Builder()
    params = _main_params(functions, main)
    seeds = _seeds(main, only)
    results, cts = _reverse_call(functions, main, params, wrt, seeds, b, {})
    extra = _cells(functions, main)
    body = b.block((*results, *cts, *(gather(b, h, Array(F64, 1)) for h in extra)))
    name = functions.fresh_name(f"{main.name}.vjp")
    flat = tuple(v for vs in params for v in vs)
    functions.functions[name] = Function(
        name, (*flat, *_given(seeds), *extra), body, tuple(a.type for a in body.results)
    )
    _expand(functions, name)
    return functions.program(name)


def split(
    program: Program, wrt: tuple[int, ...], only: tuple[int, ...] | None = None
) -> tuple[Program, Program]:
    """Return the forward program, parameters -> (results, residuals), and the pullback program,
    (residuals, seeds) -> cotangents of ``wrt``; parameters and seeds are those of ``gradient``."""
    return _split(program, wrt, only, False)[:2]


def split_with_handles(
    program: Program, wrt: tuple[int, ...], only: tuple[int, ...] | None = None
) -> tuple[Program, Program, tuple[bool, ...]]:
    """Return the programs of ``split``, where the forward program also returns the handles of
    results that are arrays and have one; the last tuple says which these are. A caller may add
    cotangents into their cells, and into those of nodes, instead of passing seeds."""
    return _split(program, wrt, only, True)


def _split(
    program: Program, wrt: tuple[int, ...], only: tuple[int, ...] | None, handles: bool
) -> tuple[Program, Program, tuple[bool, ...]]:
    refuse_deep_nests(program)
    functions = Functions.of(program)
    main = _for_sweep(functions, program.main, wrt)
    params = _main_params(functions, main)
    b = Builder()
    run = _forward_call(functions, main, params, wrt, b, {})
    named = dict.fromkeys(v for v in run.atoms() if isinstance(v, Var))
    given_out = [h for hs in run.of_results for h in hs] if handles else []
    body = b.block((*run.results, *given_out, *named))
    forward = functions.fresh_name(f"{main.name}.forward")
    functions.functions[forward] = Function(
        forward, tuple(v for vs in params for v in vs), body,
        tuple(a.type for a in body.results),
    )
    p = Builder()
    given = {v: Var(v.name, v.type) for v in named}
    seeds = _seeds(main, only)
    cts = _reverse_half(functions, main, wrt, run.renamed(given), seeds, p, wrt)
    extra = _cells(functions, main)
    back = p.block((*cts, *(gather(p, h, Array(F64, 1)) for h in extra)))
    name = functions.fresh_name(f"{main.name}.pullback")
    functions.functions[name] = Function(
        name, (*given.values(), *_given(seeds), *extra), back, tuple(a.type for a in back.results)
    )
    _expand(functions, forward)
    _expand(functions, name)
    halves = functions.program(forward), functions.program(name)
    return (*halves, tuple(bool(hs) for hs in run.of_results))


def tangent(program: Program, wrt: tuple[int, ...]) -> Program:
    """Return a program whose main maps (parameters, tangents of ``wrt``) to (results, tangents of
    the real results). Sums and nodes carry their tangents inside (``n.jvp``)."""
    refuse_deep_nests(program)
    functions = Functions.of(program)
    name = tangent_function(functions, program.main, wrt)
    _expand(functions, name)
    return functions.program(name)


# -- pieces -------------------------------------------------------------------------------------


def _expand(functions: Functions, main: str) -> None:
    """Replace the derivative terms in all functions that main calls. As they were they stay known:
    other derivatives may be of them."""

    def vjp(let: Let, b: Builder) -> None:
        assert isinstance(let.op, Vjp)
        f = _for_sweep(functions, let.op.function, let.op.wrt)
        f = silenced(functions, f, let.op.seeds)
        seeds = tuple(None if is_silent(s) else s for s in let.op.seeds)
        refuse_data(functions.spaces, (p.type for p in f.params), let)
        args = tuple((a,) for a in let.op.args[: len(f.params)])
        into = _into(f, let.op)
        results, cts = _reverse_call(functions, f, args, let.op.wrt, seeds, b, into)
        _bind(let, (*results, *cts), b)

    work = [main]
    while work:
        name = work.pop()
        if name in functions.expanded:
            continue
        functions.expand_jvps(name)
        f = functions.functions[name]
        while any(isinstance(x.op, Vjp) for x in all_lets(f.body)):
            f = replace_lets(f, Vjp, vjp)
        functions.expanded[name] = f
        work.extend(run_by(f))


def _into(f: Function, op: Vjp) -> dict[int, Atom]:
    """Return the accumulators that ``ad/reverse.py`` passed to a term for the arrays it
    differentiates by; such an array has no cotangent among the results of the term."""
    arrays = [i for i in op.wrt if isinstance(f.params[i].type, Array)]
    return dict(zip(arrays, op.args[len(f.params) :], strict=False))


def _bind(let: Let, atoms: tuple[Atom, ...], b: Builder) -> None:
    """Bind the variables of a let that was replaced: an If on a literal stands for the identity on
    atoms."""
    block = Block((), atoms)
    b.lets.append(Let(let.vars, If(boolean(True), block, block), let.site))


def _for_sweep(functions: Functions, name: str, wrt: tuple[int, ...]) -> Function:
    """Return a function as a reverse sweep differentiates it (``rules``)."""
    mask = _mask(functions, functions.functions[name], wrt)
    return functions.functions[for_one_sweep(functions, name, mask)]


def _mask(functions: Functions, f: Function, wrt: tuple[int, ...]) -> tuple[bool, ...]:
    return tuple(
        i in wrt or functions.spaces.composite(p.type) for i, p in enumerate(f.params)
    )


def _main_params(functions: Functions, f: Function) -> tuple[tuple[Var, ...], ...]:
    """Return the parameters of a main: data in its forward space, everything else unchanged."""
    spaces = functions.spaces
    return tuple(
        tuple(Var(p.name, t) for t in spaces.primal(p.type, spaces.composite(p.type)))
        for p in f.params
    )


def _cells(functions: Functions, f: Function) -> tuple[Var, ...]:
    """Return the parameter that names the cells of all data among the parameters, if there is data.
    """
    if any(functions.spaces.composite(p.type) for p in f.params):
        return (Var("cells", Handle(1)),)
    return ()


def _seeds(f: Function, only: tuple[int, ...] | None) -> tuple[Var | None, ...]:
    """Return a parameter for each result that can have a seed; None for a seed that is zero."""
    return tuple(
        Var("seed", t) if only is None or i in only else None
        for i, t in enumerate(f.results)
        if seeded(t)
    )


def _given(seeds: Sequence[Var | None]) -> tuple[Var, ...]:
    return tuple(v for v in seeds if v is not None)


@dataclass(frozen=True)
class _Run:
    """The values that the forward half returned: results, their handles, the handles of the
    parameters that are arrays, residuals, and the handles that the reverse half gets beside the
    residuals."""

    results: tuple[Atom, ...]
    of_results: tuple[tuple[Atom, ...], ...]
    of_params: dict[int, Atom]
    kept: tuple[Atom, ...]
    given: tuple[Atom, ...]

    def atoms(self) -> tuple[Atom, ...]:
        """Return everything that the reverse half needs."""
        handles = (*self.of_params.values(), *(h for hs in self.of_results for h in hs))
        return (*self.kept, *handles, *self.given)

    def renamed(self, names: dict[Var, Var]) -> _Run:
        def rename(xs: tuple[Atom, ...]) -> tuple[Atom, ...]:
            return tuple(names.get(x, x) if isinstance(x, Var) else x for x in xs)

        params = dict(zip(self.of_params, rename(tuple(self.of_params.values())), strict=True))
        return _Run(
            self.results, tuple(rename(hs) for hs in self.of_results), params, rename(self.kept),
            rename(self.given),
        )


def _reverse_call(
    functions: Functions, f: Function, args: tuple[tuple[Atom, ...], ...], wrt: tuple[int, ...],
    seeds: Sequence[Atom | None], b: Builder, into: dict[int, Atom],
) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
    """Emit forward half, seeds and reverse half; return the results of f and the cotangents of
    ``wrt``. The cotangents of the parameters ``into`` are added into these accumulators."""
    run = _forward_call(functions, f, args, wrt, b, into)
    rest = tuple(i for i in wrt if i not in into)
    return run.results, _reverse_half(functions, f, wrt, run, seeds, b, rest)


def _forward_call(
    functions: Functions, f: Function, args: tuple[tuple[Atom, ...], ...], wrt: tuple[int, ...],
    b: Builder, into: dict[int, Atom],
) -> _Run:
    """Emit a call of the forward half, in which each active array has a fresh accumulator (or that
    of ``into``)."""
    mask = _mask(functions, f, wrt)
    halves = functions.reverse_of(f.name, mask, False)
    parts: list[Atom] = []
    given: list[Atom] = []
    handles: dict[int, Atom] = {}
    for i, (p, values, on) in enumerate(zip(f.params, args, mask, strict=True)):
        parts.extend(values)
        if on and isinstance(p.type, Array) and not functions.spaces.composite(p.type):
            if i not in into:
                shape = extents_of(b, values[0])
                (handles[i],) = b.let(AccNew(shape), (Handle(p.type.rank),))
            (given if halves.given[i] else parts).append(handles[i] if i not in into else into[i])
    outs = b.let(Call(halves.forward, tuple(parts)), functions.functions[halves.forward].results)
    results: list[Atom] = []
    of_results: list[tuple[Atom, ...]] = []
    k = 0
    for t, active in zip(f.results, halves.result_on, strict=True):
        n = len(functions.spaces.primal(t, active))
        results.append(outs[k])
        of_results.append(outs[k + 1 : k + n])
        k += n
    return _Run(tuple(results), tuple(of_results), handles, outs[k:], tuple(given))


def _reverse_half(
    functions: Functions, f: Function, wrt: tuple[int, ...], run: _Run,
    seeds: Sequence[Atom | None], b: Builder, asked: tuple[int, ...],
) -> tuple[Atom, ...]:
    """Seed the results and run the reverse half; return the cotangents of ``asked`` (among
    ``wrt``)."""
    spaces, mask = functions.spaces, _mask(functions, f, wrt)
    halves = functions.reverse_of(f.name, mask, False)
    leaves: list[Atom] = []
    given = iter(seeds)
    for t, on, handles in zip(f.results, halves.result_on, run.of_results, strict=True):
        seed = next(given) if seeded(t) else None
        if on and isinstance(t, Real):
            leaves.append(or_zero(seed, t))
        elif on and seed is not None:
            scatter(b, seed, handles[0])
        elif on:
            leaves.extend(lit(0.0, c) for c in spaces.cotangent(t))
    types = functions.functions[halves.reverse].results
    outs = b.let(Call(halves.reverse, (*run.kept, *run.given, *leaves)), types)
    cts: dict[int, tuple[Atom, ...]] = {}
    k = 0
    for i, (p, on) in enumerate(zip(f.params, mask, strict=True)):
        n = len(spaces.cotangent(p.type)) if on else 0
        cts[i] = outs[k : k + n]
        k += n
    for i, h in run.of_params.items():
        if i in asked:
            cts[i] = (gather(b, h, array_type(f.params[i].type)),)
    return tuple(a for i in asked for a in cts[i])


__all__ = ["DerivativeError", "differentiate", "gradient", "split", "split_with_handles",
           "tangent"]  # fmt: skip
