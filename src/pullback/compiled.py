"""Native code of a unit: compiled entries, and the ways into them.

``Native`` is one entry. Where all kinds are simple its entry point takes and gives the Python
values themselves (``entries``); else it takes and gives leaves (``calls``). ``Halves`` is the pair
of entries behind ``pb.vjp``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from pullback.boundary import Boundary, boundary_of, plain
from pullback.calls import (
    Given,
    call_native,
    finish,
    flatten_arguments,
    flatten_duals,
    forward_signature,
    not_taken,
    pullback_signature,
    read_results,
    signature,
    taken,
    words_signature,
)
from pullback.core.terms import Program
from pullback.entries import (
    Fast,
    FastForm,
    Form,
    fast_form,
    gradient_form,
    result_form,
    tuple_form,
)
from pullback.frontend.kinds import Kind, leaf_types
from pullback.frontend.python_values import Guard
from pullback.frontend.scopes import Path
from pullback.lower.loopcode import Module
from pullback.lower.lower import lower
from pullback.marshal import Flattener, has_union, rebuild, result_value
from pullback.native import CompiledModule, EntrySignature, compile_entries
from pullback.plans import Plan, What
from pullback.tangents import tangent_leaves

Hidden = Sequence[tuple[Path, Kind]]
Make = Callable[[object], Fast]


class Native:
    """The compiled entry of a plan. ``general`` makes the fast call of a function where there is
    no form: it is given ``call``."""

    def __init__(
        self, plan: Plan, program: Program, hidden: Hidden, guards: Sequence[Guard],
        general: bool = False,
    ) -> None:  # fmt: skip
        self.plan = plan
        self.program = program
        main = program.functions[program.main]
        self.params = tuple(p.type for p in main.params)
        self.results = main.results
        chosen = signature(self.params, self.results)
        self.make: Make | None = None
        form = None if plan.cells or general else _entry_form(plan)
        fast: FastForm | None = None
        if form is not None:
            fast = fast_form(plan.kinds[: plan.arguments], hidden, guards)
            if fast is not None:
                chosen = EntrySignature(fast.params, form.tree)
        self.boundary: Boundary | None = None
        if fast is None and plan.request.what is not What.TANGENT:
            self.boundary = boundary_of(plan, plan.request.what is not What.VALUE)
        if self.boundary is not None:
            words = [c.words for c in self.boundary.conversions]
            chosen = words_signature(words, plan.cells, self.results)
        self.loop_code = lower(program)
        self.module = compile_entries(self.loop_code, {program.main: chosen})
        self.builtin: Fast = self.module.call[program.main]
        if fast is not None and form is not None:
            self.make = fast.bind(self.builtin, form.decode)

    def call(self, values: Sequence[object], tangents: Sequence[object] = ()) -> object:
        """The result for arguments and hidden arguments, by leaves."""
        plan = self.plan
        if plan.request.what is What.TANGENT:
            flat = flatten_duals(plan, values, tangents)
        else:
            flat = flatten_arguments(plan, values)
        found, _ = call_native(
            self.builtin, self.program.decls, plan, self.params, flat,
            words=self.boundary is not None,
        )  # fmt: skip
        return finish(plan, flat, read_results(found, self.results, self.program.decls))

    def quick(self, args: Sequence[object], special: Fits, f: object) -> object:
        """The result, by compiled conversions; NotImplemented if a value does not fit them."""
        boundary, plan = self.boundary, self.plan
        blocks = None if boundary is None else boundary.blocks(args)
        if boundary is None or blocks is None:
            return NotImplemented
        objects = plain(args)
        if not special.fits(f, objects):
            return NotImplemented
        if len(plan.kinds) > plan.arguments:
            hidden = special.values(f, objects)[plan.arguments :]
            if boundary.blocks(hidden, blocks) is None:
                return NotImplemented
        found = taken(self.builtin, blocks.arguments(plan))
        return finish(plan, blocks, read_results(found, self.results, self.program.decls))


class Fits(Protocol):
    """What knows whether compiled code is for a function and its arguments."""

    def fits(self, f: object, args: Sequence[object]) -> bool:
        """Whether all that was compiled in is still so."""

    def values(self, f: object, args: Sequence[object]) -> tuple[object, ...]:
        """The arguments and the hidden arguments."""


def _entry_form(plan: Plan) -> Form | None:
    """The form of all that an entry returns; None: it goes the general way."""
    what = plan.request.what
    if what is What.VALUE:
        return result_form(plan.result)
    if what is What.TANGENT:
        return None
    grads = [gradient_form(plan.kinds[i]) for i in plan.differentiated]
    found = grads[0] if plan.request.alone else tuple_form(grads)
    aux = [result_form(plan.aux)] if plan.request.has_aux else []
    if what is What.GRADIENT:
        return tuple_form([found, *aux]) if aux else found
    value = result_form(plan.value)
    return tuple_form([tuple_form([value, *aux]) if aux else value, found])


def canonical(kind: Kind, value: object) -> object:
    """A value that an entry point did not take as it is (an array that is not aligned, a subclass
    of float), in the form that it takes."""
    if has_union(kind):
        return value
    leaves = Flattener().leaves(kind, value)
    for leaf in leaves:
        if isinstance(leaf, int) and not -(2**63) <= leaf < 2**63:
            raise not_taken(leaves)
    plain = [
        np.array(x, order="C", subok=False) if isinstance(x, np.ndarray) else x for x in leaves
    ]
    return rebuild(kind, iter(plain), {})


class Halves:
    """The two entries of ``pb.vjp``, which share their residual objects."""

    def __init__(self, plan: Plan, forward: Program, pullback: Program, results: int) -> None:
        self.plan = plan
        self.decls = forward.decls
        there = forward.functions[forward.main]
        back = pullback.functions[pullback.main]
        self.params = tuple(p.type for p in there.params)
        self.results, residuals = there.results[:results], there.results[results:]
        self.cotangents = back.results
        self.seeds = tuple(p.type for p in back.params[len(residuals) :])
        self.boundary = boundary = boundary_of(plan, True)
        one, two = lower(forward), lower(pullback)
        self.loop_code = Module({**one.functions, **two.functions}, one.main)
        signatures = {
            forward.main: forward_signature(
                self.params, self.results, residuals,
                None if boundary is None else [c.words for c in boundary.conversions], plan.cells,
            ),
            pullback.main: pullback_signature(residuals, self.seeds, self.cotangents),
        }
        self.module: CompiledModule = compile_entries(self.loop_code, signatures)
        self.forward: Fast = self.module.call[forward.main]
        self.pullback: Fast = self.module.call[pullback.main]

    def call(self, values: Sequence[object]) -> tuple[object, Pullback]:
        """The result (with what is beside it) and the pullback at these arguments."""
        plan, boundary = self.plan, self.boundary
        blocks = None if boundary is None else boundary.everything(values)
        given: Given
        if blocks is not None:
            found, given, keep = taken(self.forward, blocks.arguments(plan)), blocks, []
        else:
            given = flat = flatten_arguments(plan, values)
            found, memory = call_native(
                self.forward, self.decls, plan, self.params, flat, copy=True,
                words=boundary is not None,
            )  # fmt: skip
            keep = memory.keep
        leaves = read_results(found, self.results, self.decls, kept=True)
        assert isinstance(found, tuple)
        out = result_value(self.plan.result, leaves)
        return out, Pullback(self, given, leaves, found[1], keep)


class Pullback:
    """From a cotangent of the result to the cotangents of the arguments, as often as is wanted.

    It owns all that it needs: the arguments may be overwritten meanwhile."""

    def __init__(
        self, halves: Halves, given: Given, results: Sequence[object], residual: object,
        keep: Sequence[np.ndarray],
    ) -> None:  # fmt: skip
        self._halves = halves
        self._given = given
        self._residual = residual
        self._keep = keep
        count = len(tuple(leaf_types(halves.plan.value)))
        self._forms = [_form_of(leaf) for leaf in results[:count]]

    def __call__(self, cotangent: object) -> tuple[object, ...]:
        """The cotangents of the arguments, always as a tuple."""
        halves, plan = self._halves, self._halves.plan
        given = tangent_leaves(plan.value, self._forms, cotangent, "cotangent")
        seeds = [given[k] for k in plan.seeded]
        found = taken(halves.pullback, [self._residual, *seeds])
        leaves = read_results(found, halves.cotangents, halves.decls)
        cells = leaves.pop() if plan.cells else None
        return self._given.gradients(plan, leaves, cells)


def _form_of(leaf: object) -> object:
    """What stands for a leaf of the result of which only the shape is needed."""
    if isinstance(leaf, np.ndarray) and leaf.dtype != np.object_:
        return np.broadcast_to(np.zeros((), leaf.dtype), leaf.shape)
    return leaf
