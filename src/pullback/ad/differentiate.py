"""The derivative terms of a program, and the programs that the operators of the interface run.

``differentiate`` replaces every Vjp and Jvp term by calls of generated functions. ``gradient``,
``split`` and ``tangent`` make the main functions of grad, vjp and jvp.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.ad.cells import gather, scatter
from pullback.ad.forward import tangent_function
from pullback.ad.functions import Functions, replace_lets
from pullback.ad.spaces import Spaces
from pullback.core.build import Builder, lit
from pullback.core.terms import (
    AccNew,
    Atom,
    Block,
    Call,
    Function,
    Jvp,
    Let,
    Program,
    Var,
    Vjp,
)
from pullback.core.traverse import all_lets, callees
from pullback.core.types import Array, Decl, Handle, Real, Type


def node_layout(decls: dict[str, Decl]) -> dict[str, Decl]:
    """The declarations ``n.fwd`` of nodes in the forward sweep (see ``spaces``)."""
    return Spaces.of(decls).forward_decls()


def differentiate(program: Program) -> Program:
    """Dialect FLAT to ACCUMULATING: no derivative term is left."""
    functions = Functions.of(program)
    _expand(functions, program.main)
    return functions.program(program.main)


def gradient(
    program: Program, wrt: tuple[int, ...], seeded: tuple[int, ...] | None = None
) -> Program:
    """A main of (parameters, one seed per real result) -> (results, cotangents of ``wrt``).

    ``seeded``: only these results have a seed, the others a cotangent of zero.

    Sums and nodes among the parameters come in their forward space (``n.fwd``), their cotangents
    go to their cells; when there are any, a last parameter is a ``Handle(1)`` over all of these
    cells and a last result is the array of what was accumulated in them. Sums by value give their
    cotangent leaves."""
    functions = Functions.of(program)
    main = functions.functions[program.main]
    b = Builder()
    params, args = _main_params(functions, main)
    seeds = _seeds(functions, main, seeded)
    results, cts = _reverse_call(functions, main, args, wrt, seeds, b)
    extra: tuple[Var, ...] = ()
    if any(functions.spaces.composite(p.type) for p in main.params):
        extra = (Var("cells", Handle(1)),)
        cts = (*cts, gather(b, extra[0], Array(Real(64), 1)))
    body = b.block((*results, *cts))
    name = functions.fresh_name(f"{main.name}.vjp")
    functions.functions[name] = Function(
        name, (*params, *_vars(seeds), *extra), body, tuple(a.type for a in body.results)
    )
    _expand(functions, name)
    return functions.program(name)


def split(
    program: Program, wrt: tuple[int, ...], seeded: tuple[int, ...] | None = None
) -> tuple[Program, Program]:
    """The forward program, parameters -> (results, residuals), and the pullback program,
    (residuals, one seed per real result) -> cotangents of ``wrt``; cells as in ``gradient``."""
    functions = Functions.of(program)
    main = functions.functions[program.main]
    mask = _mask(functions, main, wrt)
    halves = functions.reverse_of(main.name, mask, False)
    params, args = _main_params(functions, main)
    b = Builder()
    parts, handles = _with_handles(functions, main, args, mask, b)
    called = functions.functions[halves.forward]
    outs = b.let(Call(halves.forward, parts), called.results)
    results, on_results = _regroup(functions, main, halves.result_on, outs)
    kept = outs[len(outs) - len(halves.residuals) :]
    named = dict.fromkeys(
        v for v in (*kept, *handles.values(), *(h for hs in on_results for h in hs))
        if isinstance(v, Var)
    )
    body = b.block((*results, *named))
    forward = functions.fresh_name(f"{main.name}.forward")
    functions.functions[forward] = Function(
        forward, params, body, tuple(a.type for a in body.results)
    )
    p = Builder()
    given: dict[Atom, Atom] = {v: Var(v.name, v.type) for v in named}
    seeds = _seeds(functions, main, seeded)
    cts = _seed_and_reverse(
        functions, main, mask, wrt, tuple(given[v] for v in kept),
        {i: given[h] for i, h in handles.items()},
        tuple(tuple(given[h] for h in hs) for hs in on_results), seeds, p,
    )
    extra: tuple[Var, ...] = ()
    if any(functions.spaces.composite(x.type) for x in main.params):
        extra = (Var("cells", Handle(1)),)
        cts = (*cts, gather(p, extra[0], Array(Real(64), 1)))
    back = functions.fresh_name(f"{main.name}.pullback")
    residuals = tuple(v for v in given.values() if isinstance(v, Var))
    functions.functions[back] = Function(
        back, (*residuals, *_vars(seeds), *extra), p.block(cts), tuple(a.type for a in cts)
    )
    _expand(functions, forward)
    _expand(functions, back)
    return functions.program(forward), functions.program(back)


def tangent(program: Program, wrt: tuple[int, ...]) -> Program:
    """A main of (parameters, tangents of ``wrt``) -> (results, tangents of the real results).
    Sums and nodes carry their tangents inside (``n.jvp``)."""
    functions = Functions.of(program)
    name = tangent_function(functions, program.main, wrt)
    _expand(functions, name)
    return functions.program(name)


# -- pieces -------------------------------------------------------------------------------------


def _expand(functions: Functions, main: str) -> None:
    """Replace the derivative terms of all functions that main needs."""
    done: set[str] = set()
    work = [main]
    while work:
        name = work.pop()
        if name in done:
            continue
        done.add(name)
        while any(isinstance(x.op, Vjp | Jvp) for x in all_lets(functions.functions[name].body)):
            functions.expand_jvps(name)

            def vjp(let: Let, b: Builder) -> None:
                assert isinstance(let.op, Vjp)
                f = functions.functions[let.op.function]
                results, cts = _reverse_call(
                    functions, f, let.op.args, let.op.wrt, let.op.seeds, b
                )
                _bind(let, (*results, *cts), b)

            functions.functions[name] = replace_lets(functions.functions[name], Vjp, vjp)
        work.extend(callees(functions.functions[name]))


def _bind(let: Let, atoms: tuple[Atom, ...], b: Builder) -> None:
    """Bind the variables of a replaced let: an If on a literal is the identity of atoms."""
    from pullback.core.build import boolean
    from pullback.core.terms import If

    block = Block((), atoms)
    b.lets.append(Let(let.vars, If(boolean(True), block, block), let.site))


def _mask(functions: Functions, f: Function, wrt: tuple[int, ...]) -> tuple[bool, ...]:
    return tuple(
        i in wrt or functions.spaces.composite(p.type) for i, p in enumerate(f.params)
    )


def _main_params(
    functions: Functions, f: Function
) -> tuple[tuple[Var, ...], tuple[Atom, ...]]:
    """Parameters of a main: sums and nodes in their forward space, the rest as they are."""
    params: list[Var] = []
    for p in f.params:
        types = functions.spaces.primal(p.type, functions.spaces.composite(p.type))
        assert len(types) == 1, "arrays of arrays as arguments of a derivative"
        params.append(Var(p.name, types[0]))
    return tuple(params), tuple(params)


def _with_handles(
    functions: Functions, f: Function, args: tuple[Atom, ...], mask: tuple[bool, ...], b: Builder
) -> tuple[tuple[Atom, ...], dict[int, Atom]]:
    """Arguments in their forward spaces: each active array with a fresh accumulator."""
    parts: list[Atom] = []
    handles: dict[int, Atom] = {}
    for i, (a, on) in enumerate(zip(args, mask, strict=True)):
        parts.append(a)
        t = f.params[i].type
        if on and isinstance(t, Array) and isinstance(t.elem, Real):
            dims = tuple(b.dim(a, axis) for axis in range(t.rank))
            (handles[i],) = b.let(AccNew(dims), (Handle(t.rank),))
            parts.append(handles[i])
    return tuple(parts), handles


def _regroup(
    functions: Functions, f: Function, on: tuple[bool, ...], outs: tuple[Var, ...]
) -> tuple[tuple[Atom, ...], tuple[tuple[Atom, ...], ...]]:
    """Results of a forward half: the values, and the handles of each."""
    values: list[Atom] = []
    handles: list[tuple[Atom, ...]] = []
    k = 0
    for t, active in zip(f.results, on, strict=True):
        n = len(functions.spaces.primal(t, active))
        values.append(outs[k])
        handles.append(outs[k + 1 : k + n])
        k += n
    return tuple(values), tuple(handles)


def _reverse_call(
    functions: Functions, f: Function, args: tuple[Atom, ...], wrt: tuple[int, ...],
    seeds: Sequence[Atom | None], b: Builder,
) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
    """Results of f and the cotangents of ``wrt``: forward half, seeds, reverse half."""
    mask = _mask(functions, f, wrt)
    halves = functions.reverse_of(f.name, mask, False)
    parts, handles = _with_handles(functions, f, args, mask, b)
    outs = b.let(Call(halves.forward, parts), functions.functions[halves.forward].results)
    results, on_results = _regroup(functions, f, halves.result_on, outs)
    kept = outs[len(outs) - len(halves.residuals) :]
    cts = _seed_and_reverse(functions, f, mask, wrt, kept, handles, on_results, seeds, b)
    return results, cts


def _seed_and_reverse(
    functions: Functions, f: Function, mask: tuple[bool, ...], wrt: tuple[int, ...],
    kept: tuple[Atom, ...], handles: dict[int, Atom],
    on_results: tuple[tuple[Atom, ...], ...], seeds: Sequence[Atom | None], b: Builder,
) -> tuple[Atom, ...]:
    spaces = functions.spaces
    halves = functions.reverse_of(f.name, mask, False)
    scalars: list[Atom] = []
    given = iter(seeds)
    for t, on, hs in zip(f.results, halves.result_on, on_results, strict=True):
        if not spaces.bears(t):
            continue
        seed = next(given)
        if not on:
            continue
        if seed is None:
            scalars.extend(lit(0.0, c) for c in spaces.cotangent(t))
        elif isinstance(t, Real):
            scalars.append(seed)
        else:
            assert isinstance(t, Array) and len(hs) == 1, "the result of a derivative"
            scatter(b, seed, hs[0])
    types = functions.functions[halves.reverse].results
    outs = b.let(Call(halves.reverse, (*kept, *scalars)), types)
    cts: dict[int, tuple[Atom, ...]] = {}
    k = 0
    for i, p in enumerate(f.params):
        n = len(spaces.cotangent(p.type)) if mask[i] else 0
        cts[i] = outs[k : k + n]
        k += n
    return tuple(
        a
        for i in wrt
        for a in (
            (gather(b, handles[i], _plain(f.params[i].type)),) if i in handles else cts[i]
        )
    )


def _seeds(
    functions: Functions, main: Function, seeded: tuple[int, ...] | None
) -> tuple[Var | None, ...]:
    """One parameter per real result, None for those that have no seed."""
    return tuple(
        Var("seed", t) if seeded is None or i in seeded else None
        for i, t in enumerate(main.results)
        if functions.spaces.bears(t)
    )


def _vars(seeds: Sequence[Var | None]) -> tuple[Var, ...]:
    return tuple(v for v in seeds if v is not None)


def _plain(t: Type) -> Array:
    assert isinstance(t, Array)
    return t


__all__ = ["differentiate", "gradient", "node_layout", "split", "tangent"]
