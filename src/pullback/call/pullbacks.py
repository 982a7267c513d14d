"""The two entries behind ``pb.vjp``: the forward half keeps what the reverse half needs.

A result that is data is kept raw too: the user's objects are made from it, and the cotangent that
comes back is checked against it and added into the cells of its nodes and arrays
(``code.seeder``) before the reverse half runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pullback.call.by_leaves import (
    call_native,
    forward_signature,
    machine,
    pullback_signature,
    read_results,
    taken,
)
from pullback.call.code.conversion import Conversion
from pullback.call.compiled import Fits
from pullback.call.evaluate import Given, flatten_arguments
from pullback.call.fast_products import pullback_form
from pullback.call.machine_words import Memory, kept_cells
from pullback.call.marshal import result_value
from pullback.call.normalise import normalised
from pullback.call.packed import boundary_of, conversion_of, plain, raw_results
from pullback.call.request import Plan
from pullback.call.space import Space
from pullback.call.tangents import normal, tangent_leaves
from pullback.call.trees import Fast, Guards, Hidden, absent_names
from pullback.call.wrappers import forward_entry, pullback_entry, renamed
from pullback.core.terms import Program
from pullback.core.types import Real
from pullback.errors import ArgumentTypeError, UnsupportedError
from pullback.frontend.kinds.kinds import describe
from pullback.lower.loopcode import Module
from pullback.lower.lower import lower
from pullback.native import compile_entries, routed

Split = Callable[..., tuple[Program, Program, tuple[bool, ...]]]
Entry = Callable[[Program], Program]
Stages = Callable[[Program, Entry], Program]
"""What optimises a program that has been differentiated, given the stage "entry"."""


class Halves:
    """The two entries, which share their residual objects. ``split`` differentiates."""

    def __init__(
        self, plan: Plan, program: Program, split: Split, stages: Stages, hidden: Hidden,
        guards: Guards,
    ) -> None:  # fmt: skip
        self.plan = plan
        self.hidden, self.guards = hidden, guards
        self.tail = raw_results(plan)
        if plan.seeds_nodes and self.tail is None:
            raise UnsupportedError(
                f"the cotangent of {describe(plan.value)}, whose classes are not plain",
                "take the gradient of a number that is computed from it",
            )
        raw = self.tail is not None
        main = program.functions[program.main]
        self.seeded = [
            k for k in plan.seeded if not raw or isinstance(main.results[k], Real)
        ]
        there, back, handled = split(program, plan.wrt, tuple(self.seeded), raw)
        own = len(main.results)
        handles = own + sum(handled) if raw else own
        kept = len(there.functions[there.main].results) - handles
        forward = stages(there, lambda p: forward_entry(
            p, handles, plan.cells, raw, plan.numbers_cells))
        pullback = stages(back, lambda p: pullback_entry(p, kept, plan.cells, raw))
        self._compile(forward, renamed(pullback, "back."), handles, raw)
        self._places(own, handled)

    def _compile(self, forward: Program, pullback: Program, given: int, raw: bool) -> None:
        """``given``: how many results the forward half has, besides what it keeps."""
        plan = self.plan
        self.decls = forward.decls
        there = forward.functions[forward.main]
        back = pullback.functions[pullback.main]
        self.params = tuple(p.type for p in there.params)
        n = len(there.results) - given if raw else given
        first, second = there.results[:n], there.results[n:]
        residuals, self.results = (first, second) if raw else (second, first)
        self.first = len(machine(residuals))  # the slot of a result that is kept
        self.cotangents = back.results
        seeds = tuple(p.type for p in back.params[len(residuals) :])
        self.seeds = seeds[: len(self.seeded)]
        self.boundary = boundary = boundary_of(plan)
        one, two = lower(forward), lower(pullback)
        loop_code = Module({**one.functions, **two.functions}, one.main)
        words = None if boundary is None else [c.words for c in boundary.conversions]
        signatures = {
            forward.main: forward_signature(
                self.params, self.results, residuals, words, plan.cells, raw
            ),
            pullback.main: pullback_signature(residuals, seeds, self.cotangents),
        }
        form = pullback_form(plan, self.hidden, self.guards, machine(residuals))
        fast = {} if form is None else {forward.main: form.forward, pullback.main: form.back}
        module = compile_entries(loop_code, signatures, fast, absent_names(self.guards))
        self.product: Fast | None = None
        if form is not None:
            fast_forward, fast_back = (module.call[routed(name)] for name in fast)
            self.product = form.bind(fast_forward, fast_back)
        self.forward: Fast = module.call[forward.main]
        self.pullback: Fast = module.call[pullback.main]

    def _places(self, own: int, handled: tuple[bool, ...]) -> None:
        """Where the result and its handles are kept, and what adds its cotangent into these."""
        self.handles = self.first + len(machine(self.results[:own]))
        self.seeder: Conversion | None = None
        if self.tail is not None:
            of_value = handled[: self.plan.value_leaves]
            space = self.plan.space
            self.seeder = conversion_of(self.plan.value, space, handled=of_value)

    def call(self, values: Sequence[object]) -> tuple[object, ...]:
        """The result, the pullback at these arguments and hidden arguments, and what is beside the
        result."""
        plan, boundary = self.plan, self.boundary
        if boundary is not None:
            blocks = boundary.everything(*normalised(plan, values))
            return self._made(taken(self.forward, blocks.arguments(plan)), blocks, [])
        flat = flatten_arguments(plan, values)
        found, memory = call_native(self.forward, self.decls, plan, self.params, flat, copy=True)
        return self._made(found, flat, memory.keep)

    def quick(self, args: Sequence[object], special: Fits, f: object) -> object:
        """The same for arguments whose types are not known; NotImplemented if one does not fit."""
        boundary, plan = self.boundary, self.plan
        if boundary is None:
            return NotImplemented
        blocks = boundary.blocks(args, copy=True)
        objects = plain(args)
        if blocks is None or not special.fits(f, objects):
            return NotImplemented
        if len(plan.kinds) > plan.arguments:
            hidden = special.values(f, objects)[plan.arguments :]
            if boundary.blocks(hidden, blocks, copy=True) is None:
                return NotImplemented
        return self._made(taken(self.forward, blocks.arguments(plan)), blocks, [])

    def _made(
        self, found: object, given: Given, keep: Sequence[np.ndarray]
    ) -> tuple[object, ...]:
        assert isinstance(found, tuple)
        residual = found[1]
        if self.tail is not None:
            out = self.tail.result(residual, self.first, self.handles)
            return self._together(out, Pullback(self, given, residual, keep))
        leaves = read_results(found, self.results, self.decls, kept=True)
        out = result_value(self.plan.result_shape, leaves)
        forms = list(map(_form_of, leaves))
        return self._together(out, Pullback(self, given, residual, keep, forms))

    def _together(self, out: object, pullback: Pullback) -> tuple[object, ...]:
        """What ``pb.vjp`` gives."""
        chosen, count = self.plan.request.argnums, self.plan.arguments
        back = pullback if len(chosen) == count else Padded(pullback, chosen, count)
        if not self.plan.request.has_aux:
            return out, back
        assert isinstance(out, tuple)
        return out[0], back, out[1]


class Pullback:
    """From a cotangent of the result to the cotangents of the arguments, as often as is wanted.

    It owns all that it needs: the arguments may be overwritten meanwhile. ``forms``: what stands
    for the leaves of a result that is not kept raw."""

    def __init__(
        self, halves: Halves, given: Given, residual: object, keep: Sequence[np.ndarray],
        forms: Sequence[object] = (),
    ) -> None:  # fmt: skip
        self._halves = halves
        self._given = given
        self._residual = residual
        self._keep = keep
        self._forms = forms

    def __call__(self, cotangent: object) -> tuple[object, ...]:
        """The cotangents of the arguments, always as a tuple."""
        halves, plan = self._halves, self._halves.plan
        args: list[object] = [self._residual]
        if halves.seeder is None:
            forms = self._forms[: plan.value_leaves]
            leaves = tangent_leaves(plan.value_shape, forms, cotangent, "cotangent")
            memory = Memory(halves.decls)
            for t, k in zip(halves.seeds, halves.seeded, strict=True):
                args += memory.arguments(t, leaves[k])
        else:
            args += [*plan.value_shape.root_numbers(cotangent, "cotangent")]
            args += self._added(halves.seeder, cotangent)
        found = taken(halves.pullback, args)
        given = read_results(found, halves.cotangents, halves.decls)
        cells = given.pop() if plan.cells else None
        return self._given.gradients(plan, given, cells)

    def _added(self, seeder: Conversion, cotangent: object) -> list[object]:
        """A handle of all cells of the run, and what is added to them first."""
        first, handles = self._halves.first, self._halves.handles
        store = np.zeros(kept_cells(self._residual))
        by_id = seeder.layout.space is Space.IDS  # from 1 on, after the cells of the arguments
        cells = store[self._given.cells + 1 :] if by_id else store
        done = seeder.seed(self._residual, first, handles, cotangent, cells)
        if done is NotImplemented:
            value = seeder.result(self._residual, first, handles)
            given = normal(self._halves.plan.value_shape, value, cotangent, "cotangent")
            store[:] = 0.0
            done = seeder.seed(self._residual, first, handles, given, cells)
        if done is NotImplemented:
            raise ArgumentTypeError("this cotangent does not have the form of the result")
        return [0, store.size, 1, store]


class Padded:
    """A pullback whose tuple has an entry for every primal, ``None`` for discrete ones."""

    def __init__(
        self, pullback: Callable[[object], tuple[object, ...]], chosen: tuple[int, ...], count: int
    ) -> None:
        self._pullback = pullback
        self._chosen = chosen
        self._count = count

    def __call__(self, cotangent: object) -> tuple[object, ...]:
        found = dict(zip(self._chosen, self._pullback(cotangent), strict=True))
        return tuple(map(found.get, range(self._count)))


def _form_of(leaf: object) -> object:
    """What stands for a leaf of the result of which only the shape is needed."""
    if isinstance(leaf, np.ndarray) and leaf.dtype != np.object_:
        return np.broadcast_to(np.zeros((), leaf.dtype), leaf.shape)
    return leaf


__all__ = ["Halves", "Padded", "Pullback"]
