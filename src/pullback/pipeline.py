"""The pipeline: every pass from Core as the front end made it to what is lowered, in one list."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pullback.ad.by_data import derivatives_by_vectors
from pullback.convert.flatten import flatten_tuples
from pullback.convert.ownership import own_updates
from pullback.convert.unboxed_sums import unbox_sums
from pullback.convert.unboxing import unbox_nodes
from pullback.core.check import check
from pullback.core.pretty import show as show_program
from pullback.core.terms import Dialect, Program, Vjp
from pullback.core.traverse import all_lets
from pullback.opt.arrays.build_flattening import nest, nest_rows
from pullback.opt.arrays.fuse import fuse
from pullback.opt.arrays.invariant_loads import load_invariants
from pullback.opt.arrays.tables import number_rows
from pullback.opt.cleanup import clean_up
from pullback.opt.control.checks import hoist_checks
from pullback.opt.control.constructor_specialisation import specialise_constructors
from pullback.opt.control.inline import inline_calls
from pullback.opt.control.invariant_loops import hoist_loops
from pullback.opt.control.known_constructor import know_constructors
from pullback.opt.control.licm import hoist_invariants
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
from pullback.opt.scalar.simplify import simplify

Pass = Callable[[Program], Program]


@dataclass(frozen=True, slots=True)
class Stage:
    """One pass, the dialect that it leaves behind, and why it stands where it does."""

    name: str
    run: Pass | None  # None: what the operator asks for
    dialect: Dialect
    why: str


FLAT, ACC = Dialect.FLAT, Dialect.ACCUMULATING

PIPELINE: tuple[Stage, ...] = (
    Stage("unbox", unbox_nodes, Dialect.SOURCE, "what is not recursive need not be a node"),
    Stage("flatten", flatten_tuples, FLAT, "every later pass sees only leaves"),
    Stage("own", own_updates, FLAT, "from here on an update in place is what Core means"),
    Stage("vectors", derivatives_by_vectors, FLAT, "ad knows derivatives by numbers and arrays"),
    Stage("inline", inline_calls, FLAT, "small functions are known where they are called"),
    Stage("specialise", specialise_constructors, FLAT, "cases of what never changes go"),
    Stage("simplify", simplify, FLAT, "literals and shapes have come in with the calls"),
    Stage("constructors", know_constructors, FLAT, "branches keep a truth value"),
    Stage("share", merge_common, FLAT, "checks need extents, those too that nothing else reads"),
    Stage("hoist checks", hoist_checks, FLAT, "loops without exits can be nested and fused"),
    Stage("trim", drop_dead, FLAT, "what is not there is not fused, kept or differentiated"),
    Stage("tables", number_rows, FLAT, "before nesting, which makes one build of their rows"),
    Stage("sums", find_sums, FLAT, "sums run in lanes, and keep nothing for the reverse sweep"),
    Stage("flatten builds", nest, FLAT, "before fusion, which would open the inner builds"),
    Stage("fuse", fuse, FLAT, "arrays read once are never made, so they need no accumulator"),
    Stage("clean up", clean_up, FLAT, "fusion brings definitions and uses together"),
    Stage("bounds", remove_checks, FLAT, "a check that is gone needs no residual"),
    Stage("if conversion", convert_ifs, FLAT, "(after that) a selected integer needs no residual"),
    Stage("fuse again", fuse, FLAT, "what was read twice in one place is read once now"),
    Stage("trim again", drop_dead, FLAT, "arrays that nobody reads any more"),
    Stage("invariant loads", None, FLAT, "what is read in place need not be kept"),
    Stage("ad", None, ACC, "derivative terms become code; all that follows makes it faster"),
    Stage("entry", None, ACC, "constant seeds and unwanted results are known to what follows"),
    Stage("inline halves", inline_calls, ACC, "forward and reverse halves meet their caller"),
    Stage("clean up halves", clean_up, ACC, "zero cotangents vanish, equal values are one"),
    Stage("fuse halves", fuse, ACC, "reverse sweeps are loops over index functions too"),
    Stage("bounds of halves", remove_checks, ACC, "sums that may raise cannot be merged"),
    Stage("clean up their checks", clean_up, ACC, "nor can those with accumulators nobody uses"),
    Stage("merge", merge_sums, ACC, "a sum and its own reverse sweep become one loop"),
    Stage("flatten residuals", flatten_residuals, ACC, "what nested loops keep is known now"),
    Stage("clean up merged", clean_up, ACC, "what both halves compute; rows are read in place"),
    Stage("invariant loops", hoist_loops, ACC, "directions of a derivative share the primal work"),
    Stage("flatten rows", nest_rows, ACC, "rows of derivatives are as long as each other"),
    Stage("hoist", hoist_invariants, ACC, "after sharing: fewer candidates"),
    Stage("constructors of halves", know_constructors, ACC, "one arm's reads of a node are known"),
    Stage("unbox sums", unbox_sums, ACC, "from here on what is not read of a sum is not there"),
    Stage("eliminate", eliminate_residuals, ACC, "after hoisting: more is invariant"),
    Stage("nodes", shrink_nodes, ACC, "the accumulators of a loop are parts of one now"),
    Stage("share last", merge_common, ACC, "hoisted out of two loops; no new steps in loops now"),
    Stage("sink", add_in_branches, ACC, "hoisted lets no longer stand in between"),
    Stage("trim last", drop_dead, ACC, "it removes what the others made useless"),
    Stage("ring buffers", use_ring_buffers, ACC, "all uses of accumulators can be seen now"),
)  # fmt: skip

SHARED = next(k for k, stage in enumerate(PIPELINE) if stage.name == "invariant loads")
"""So many stages do not depend on what is asked for."""

AD = next(k for k, stage in enumerate(PIPELINE) if stage.name == "ad")
BEFORE_OWNERSHIP = ("unbox", "flatten")
"""Stages after which an update is of a value, whoever else has the array."""


@dataclass(slots=True)
class Config:
    """What can be set, on ``pb.config``: ``check``, which programs the type checker of Core sees,
    "always" (after every pass), "last" (the final program) or "never"; ``cache_size``, how many
    specialisations are kept.

    >>> config.cache_size
    512
    """

    check: str = field(default_factory=lambda: os.environ.get("PULLBACK_CHECK", "last"))
    cache_size: int = 512

    def __setattr__(self, name: str, value: object) -> None:
        if name not in ("check", "cache_size"):
            raise AttributeError(f"pb.config has 'check' and 'cache_size', not {name!r}")
        if name == "check" and value not in ("always", "last", "never"):
            raise ValueError(f"pb.config.check is 'always', 'last' or 'never', not {value!r}")
        if name == "cache_size" and (type(value) is not int or value < 1):
            raise ValueError(f"pb.config.cache_size is a positive int, not {value!r}")
        object.__setattr__(self, name, value)


config = Config()

Trace = list[tuple[str, str]]
"""The name and the text of every stage."""


def run_stages(
    program: Program, stages: Sequence[Stage], given: dict[str, Pass], trace: Trace | None = None
) -> Program:
    """The program after these stages; ``given`` are the passes that the operator asks for."""
    for k, stage in enumerate(stages):
        chosen = stage.run if stage.run is not None else given[stage.name]
        program = chosen(program)
        if config.check == "always" or (config.check == "last" and k == len(stages) - 1):
            check(program, stage.dialect, owned=stage.name not in BEFORE_OWNERSHIP)
        if trace is not None:
            trace.append((stage.name, show_program(program)))
    return program


def prepared(program: Program, reverse: bool) -> Program:
    """The stage "invariant loads": where no reverse sweep follows, nothing is kept."""
    lets = (let for f in program.functions.values() for let in all_lets(f.body))
    if reverse or any(isinstance(let.op, Vjp) for let in lets):
        return load_invariants(program)
    return program
