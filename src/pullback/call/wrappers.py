"""The main functions that entry points call: they choose results, and make seeds and cells.

``ad`` makes a main of (parameters, seeds, the accumulator of the arguments' nodes). What an entry
point is called with is less: the seed of a loss is 1, and the accumulator is made first of all, so
that its cells are those from 0 on in the store, which are those of the nodes in the arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.ad.cells import scatter
from pullback.core.build import Builder, lit
from pullback.core.terms import (
    AccNew,
    Atom,
    Block,
    Call,
    Function,
    Let,
    Program,
    Var,
)
from pullback.core.traverse import map_blocks
from pullback.core.types import F64, I64, Array, Handle, Real, Type

ENTRY = "entry"


def has_cells(program: Program) -> bool:
    """Whether main takes, as its last parameter, the accumulator of the arguments' nodes."""
    params = program.functions[program.main].params
    return bool(params) and params[-1].type == Handle(1)


def loss_entry(program: Program, keep: Sequence[int], count_cells: bool) -> Program:
    """A main of the parameters alone, with 1 for the seed (the last one, but for the accumulator),
    that gives the results ``keep``, in this order. ``count_cells``: the last parameter is how many
    cells there are, instead of their accumulator."""
    main = program.functions[program.main]
    seed = len(main.params) - (2 if has_cells(program) else 1)
    one = main.params[seed].type
    assert isinstance(one, Real)
    b = Builder()
    params: list[Var] = []
    args: list[Atom] = []
    for i, p in enumerate(main.params):
        if i == seed:
            args.append(lit(1.0, one))
            continue
        counted = count_cells and has_cells(program) and i == len(main.params) - 1
        params.append(Var("count", I64) if counted else Var(p.name, p.type))
        args.append(params[-1])
    if count_cells and has_cells(program):
        args[-1] = b.let(AccNew((params[-1],)), (Handle(1),))[0]  # the first of all: cell 0
    outs = b.let(Call(main.name, tuple(args)), main.results)
    return _with_main(program, ENTRY, params, b, [outs[k] for k in keep])


def forward_entry(
    program: Program, results: int, cells: bool, raw: bool, takes_cells: bool
) -> Program:
    """The forward half of ``ad.split`` as an entry: its residuals come after its ``results``
    results, or before them if these are kept ``raw``; with ``cells`` it is given their count, and
    keeps their accumulator too, after the residuals (main itself may take it, too)."""
    main = program.functions[program.main]
    b = Builder()
    params = [Var(p.name, p.type) for p in main.params]
    extra: list[Var] = []
    kept: list[Atom] = []
    given: list[Atom] = []
    if cells:
        extra = [Var("count", I64)]
        kept = list(b.let(AccNew((extra[0],)), (Handle(1),)))
        if takes_cells:
            params.pop()
            given = kept
    outs = b.let(Call(main.name, (*params, *given)), main.results)
    assert len(outs) >= results
    own = list(outs[:results])
    order = [*outs[results:], *kept, *own] if raw else [*own, *outs[results:], *kept]
    return _with_main(program, "forward", [*params, *extra], b, order)


def pullback_entry(program: Program, residuals: int, cells: bool, nodes: bool) -> Program:
    """The reverse half as an entry: (residuals, their accumulator if ``cells``, seeds). ``nodes``:
    after the seeds comes a handle of all cells of the run, and an array of what is added to them
    first, the cotangents of the nodes in the result."""
    main = program.functions[program.main]
    b = Builder()
    params = [Var(p.name, p.type) for p in main.params]
    order = params
    if cells:
        order = [*params[:residuals], params[-1], *params[residuals:-1]]
    if nodes:
        everything, given = Var("everything", Handle(1)), Var("given", Array(F64, 1))
        order = [*order, everything, given]
        scatter(b, given, everything)
    outs = b.let(Call(main.name, tuple(params)), main.results)
    return _with_main(program, "pullback", order, b, list(outs))


def _with_main(
    program: Program, name: str, params: list[Var], b: Builder, results: list[Atom]
) -> Program:
    while name in program.functions:
        name += "_"
    types: tuple[Type, ...] = tuple(a.type for a in results)
    main = Function(name, tuple(params), b.block(tuple(results)), types)
    return Program({**program.functions, name: main}, program.decls, name)


def renamed(program: Program, prefix: str) -> Program:
    """The program with a prefix before the names of all functions (it has no closures)."""

    def block(old: Block) -> Block:
        return Block(tuple(_renamed_let(x) for x in old.lets), old.results)

    def _renamed_let(x: Let) -> Let:
        op = map_blocks(x.op, block)
        if isinstance(op, Call):
            op = Call(prefix + op.function, op.args)
        return Let(x.vars, op, x.site)

    functions = {
        prefix + f.name: Function(prefix + f.name, f.params, block(f.body), f.results)
        for f in program.functions.values()
    }
    return Program(functions, program.decls, prefix + program.main)
