"""The pipeline: all passes in one list, from the front end's Core to the Core that is lowered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pullback.ad.by_data import derivatives_by_vectors
from pullback.ad.known_values import take_known
from pullback.convert.flatten import flatten_tuples
from pullback.convert.ownership import own_updates
from pullback.convert.unboxed_sums import unbox_sums
from pullback.convert.unboxing import unbox_nodes
from pullback.core.alike import alike
from pullback.core.check import check
from pullback.core.frozen import dataclass
from pullback.core.recursion import deeply
from pullback.core.terms import Dialect, Program, Vjp
from pullback.core.trails import complete, is_followed
from pullback.core.traverse import all_lets
from pullback.opt.arrays.build_flattening import flatten_builds, flatten_rows
from pullback.opt.arrays.cells import carry_cells
from pullback.opt.arrays.contractions import contract
from pullback.opt.arrays.fuse import fuse
from pullback.opt.arrays.index_tables import make_tables
from pullback.opt.arrays.invariant_loads import load_invariants
from pullback.opt.arrays.lane_axis import choose_axes
from pullback.opt.arrays.lists_of_rows import make_matrices
from pullback.opt.arrays.packed_rows import pack_rows
from pullback.opt.arrays.products_of_rows import multiply_rows
from pullback.opt.arrays.stores import store_in_builds
from pullback.opt.arrays.tables import number_rows
from pullback.opt.cleanup import clean_up
from pullback.opt.control.checks import hoist_checks
from pullback.opt.control.constructor_specialisation import specialise_constructors
from pullback.opt.control.distribution import distribute_loops
from pullback.opt.control.division import Divider
from pullback.opt.control.inline import inline_calls
from pullback.opt.control.invariant_loops import hoist_loops
from pullback.opt.control.known_constructor import know_constructors
from pullback.opt.control.licm import hoist_arithmetic, hoist_invariants
from pullback.opt.control.null_cells import skip_null_cells
from pullback.opt.control.peeling import peel_rounds
from pullback.opt.control.sink import add_in_branches
from pullback.opt.cse import merge_common
from pullback.opt.dce import drop_dead
from pullback.opt.reductions.merge import merge_sums
from pullback.opt.reductions.sums import find_sums
from pullback.opt.residuals.nodes import shrink_nodes
from pullback.opt.residuals.residual_elimination import eliminate_residuals
from pullback.opt.residuals.residual_flattening import flatten_residuals
from pullback.opt.residuals.ring_buffers import use_ring_buffers
from pullback.opt.scalar.bounds import remove_checks
from pullback.opt.scalar.if_conversion import convert_ifs
from pullback.opt.scalar.masks import mask_products
from pullback.opt.scalar.signs import take_signs
from pullback.opt.scalar.simplify import simplify
from pullback.settings import config

Pass = Callable[[Program], Program]


@dataclass(frozen=True, slots=True)
class Stage:
    """One pass, the dialect of the program that it returns, and the reason for its place in the
    list."""

    name: str
    run: Pass | None  # None: the operator chooses the pass
    dialect: Dialect
    why: str


FLAT, ACC = Dialect.FLAT, Dialect.ACCUMULATING

PIPELINE: tuple[Stage, ...] = (
    Stage("unbox", unbox_nodes, Dialect.SOURCE, "data that is not recursive needs no nodes"),
    Stage("flatten", flatten_tuples, FLAT, "every later pass sees only leaves"),
    Stage("own", own_updates, FLAT, "from here on an update of Core is done in place"),
    Stage("vectors", derivatives_by_vectors, FLAT, '"ad" has rules for numbers and arrays only'),
    Stage("inline", inline_calls, FLAT, "a call shows what a small function does"),
    Stage("specialise", specialise_constructors, FLAT, "a sum of one variant needs no cases"),
    Stage("simplify", simplify, FLAT, "inlined calls bring in literals and shapes"),
    Stage("constructors", know_constructors, FLAT, "a branch then keeps a bool instead of a sum"),
    Stage("peel", peel_rounds, FLAT, "checks leave rounds that are all alike, sums are seen"),
    Stage("share", merge_common, FLAT, "hoisting compares extents, dead ones too: no trim yet"),
    Stage("windows", remove_checks, FLAT, "extents that are the same in each round leave it"),
    Stage("hoist checks", hoist_checks, FLAT, "loops without exits can be flattened and fused"),
    Stage("trim", drop_dead, FLAT, "dead code would be fused, kept, differentiated"),
    Stage("tables", number_rows, FLAT, "one build of all rows would hide a table"),
    Stage("stores", store_in_builds, FLAT, "an array that a round stores anew is not carried"),
    Stage("cells", carry_cells, FLAT, "a loop that adds to a cell is a sum"),
    Stage("sums", find_sums, FLAT, "a sum runs in lanes and keeps no residuals"),
    Stage("distribute", distribute_loops, FLAT, "what no round carries runs in lanes"),
    Stage("lists of rows", make_matrices, FLAT, "flattened builds are matrices of products"),
    Stage("flatten builds", flatten_builds, FLAT, "fusion would open the inner builds"),
    Stage("contractions", contract, FLAT, "fusion would open the matrices of a product"),
    Stage("fuse", fuse, FLAT, "an array that is never made needs no accumulator"),
    Stage("clean up", clean_up, FLAT, "fusion brings definitions and uses together"),
    Stage("if conversion", convert_ifs, FLAT, "a selected int needs no residual, a branch does"),
    Stage("fuse again", fuse, FLAT, "equal reads are one now: an array read once is fused"),
    Stage("products of rows", multiply_rows, FLAT, "a row is one expression, wherever it was made"),
    Stage("index tables", make_tables, FLAT, "what a table adds up is added to its origin once"),
    Stage("hoist arithmetic", hoist_arithmetic, FLAT, "what is the same is differentiated once"),
    Stage("invariant loads", None, FLAT, "an array read in place needs no residuals"),
    Stage("ad", None, ACC, "derivative terms become code; later passes improve it"),
    Stage("entry", None, ACC, "later passes then know seeds and unwanted results"),
    Stage("inline halves", inline_calls, ACC, "forward and reverse halves meet in their caller"),
    Stage("clean up halves", clean_up, ACC, "removes zero cotangents and equal values"),
    Stage("fuse halves", fuse, ACC, "loops of the reverse sweep read index functions, too"),
    Stage("bounds", remove_checks, ACC, "a sum that may raise cannot be merged"),
    Stage("merge", merge_sums, ACC, "a sum and its reverse sweep become one loop"),
    Stage("flatten residuals", flatten_residuals, ACC, "all residuals of nested loops exist now"),
    Stage("clean up merged", clean_up, ACC, "both halves compute the same; rows are views"),
    Stage("invariant loops", hoist_loops, ACC, "directions of a derivative share the primal work"),
    Stage("flatten rows", flatten_rows, ACC, "rows of derivatives are as long as each other"),
    Stage("hoist", hoist_invariants, ACC, "after sharing there are fewer candidates"),
    Stage("axes", choose_axes, ACC, "no stage behind joins nested loops"),
    Stage("rows", pack_rows, ACC, "no stage behind opens builds; invariant reads have left"),
    Stage("constructors of halves", know_constructors, ACC, "an arm shows what it reads of a node"),
    Stage("unbox sums", unbox_sums, ACC, "from here on unread fields of sums are dead variables"),
    Stage("eliminate", eliminate_residuals, ACC, "after hoisting, more residuals are invariant"),
    Stage("nodes", shrink_nodes, ACC, "accumulators of a loop are parts of one now"),
    Stage("masks", mask_products, ACC, "what else simplifies products and choices has been done"),
    Stage("share last", merge_common, ACC, "two loops may have hoisted equal code"),
    Stage("sink", add_in_branches, ACC, "hoisted lets no longer stand in between"),
    Stage("null cells", skip_null_cells, ACC, "which handles somebody reads is settled now"),
    Stage("trim last", drop_dead, ACC, "the passes before leave dead code"),
    Stage("ring buffers", use_ring_buffers, ACC, "all uses of accumulators are visible now"),
)  # fmt: skip

SHARED = next(k for k, stage in enumerate(PIPELINE) if stage.name == "invariant loads")
"""The number of stages before the first that depends on the operator."""



def shared_stages(checks: bool, products: bool) -> list[Stage]:
    """The stages before the first that depends on the operator: with those that do ``checks`` early
    and that make ``products`` of matrices, or without them."""
    left_out = set() if checks else {"hoist checks"}
    left_out |= set() if products else {"contractions", "products of rows"}
    return [stage for stage in PIPELINE[:SHARED] if stage.name not in left_out]


AD = next(k for k, stage in enumerate(PIPELINE) if stage.name == "ad")
DIVISION = next(k for k, stage in enumerate(PIPELINE) if stage.name == "invariant loops")
BEFORE_OWNERSHIP = ("unbox", "flatten")
"""Stages after which an update still makes a new value: who else refers to the array does not
matter."""


Trace = list[tuple[str, Program]]
"""The name of every stage, and its program."""


_CLEANING: tuple[Pass, ...] = (clean_up, simplify, merge_common, drop_dead)


def run_stages(
    program: Program, stages: Sequence[Stage], given: dict[str, Pass], trace: Trace | None = None
) -> Program:
    """Return the program after these stages; ``given`` has the passes that the operator chooses.
    A program that has not changed since it was cleaned up is not cleaned up again."""
    clean: Program | None = None
    for k, stage in enumerate(stages):
        chosen = stage.run if stage.run is not None else given[stage.name]
        if clean is None or chosen not in _CLEANING or not deeply(partial(alike, program, clean)):
            program = deeply(partial(chosen, program))
            clean = program if chosen is clean_up else clean
        if config.check == "always" or (config.check == "last" and k == len(stages) - 1):
            owned = stage.name not in BEFORE_OWNERSHIP
            deeply(partial(check, program, stage.dialect, owned=owned))
        if is_followed():
            complete(program)
        if trace is not None:
            trace.append((stage.name, program))
    return program


def divided_by_parameters(
    program: Program, count: int, results: int
) -> tuple[Program, Program] | None:
    """The two parts of a program that has been differentiated, optimised: the first ``results``
    results of its first ``count`` parameters, and the others, which get what they read of it."""
    given: dict[str, Pass] = {"ad": lambda p: p, "entry": lambda p: p}
    program = run_stages(program, PIPELINE[AD:DIVISION], given)
    halves = Divider(program, ordered=False, all=True).main(count, results)
    if halves is None:
        return None
    one, two = (run_stages(half, PIPELINE[AD:], given) for half in halves)
    return one, two


def finished(program: Program, entry: Pass) -> Program:
    """One half, differentiated already, after the stages that follow."""
    return run_stages(program, PIPELINE[AD:], {"ad": written, "entry": entry})


def prepared(program: Program, reverse: bool) -> Program:
    """Run the stage "invariant loads", unless no reverse sweep follows: then nothing is kept
    anyway."""
    lets = (let for f in program.functions.values() for let in all_lets(f.body))
    if reverse or any(isinstance(let.op, Vjp) for let in lets):
        return load_invariants(program)
    return program


def written(program: Program) -> Program:
    """What the operators make of a program, the end of the stage "ad": with values that are known,
    and with signs where they cost nothing. (Zeros of derivatives get their signs here, as no later
    pass changes a bit.)"""
    return take_signs(take_known(program))
