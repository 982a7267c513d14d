"""Native code of a unit: compiled entries, and the ways into them.

``Native`` is one entry. Where all kinds are simple its entry point takes and gives the Python
values themselves (``fast_calls``); else it takes data in blocks (``packed``, ``convention``), or
takes and gives leaves (``by_leaves``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from pullback.call.by_leaves import (
    Given,
    call_native,
    finish,
    flatten_arguments,
    flatten_duals,
    not_taken,
    read_results,
    signature,
    taken,
    words_signature,
)
from pullback.call.convention import Route, Way, way
from pullback.call.fast_calls import FastForm, fast_form
from pullback.call.fast_products import TangentForm, tangent_form
from pullback.call.forms import Fast, Form, Guards, Hidden, absent_names, tuple_form
from pullback.call.marshal import Flattener
from pullback.call.packed import (
    Boundary,
    boundary_of,
    plain,
    raw_results,
)
from pullback.call.request import Plan, What
from pullback.call.shapes import shape_of
from pullback.call.tangents import normal
from pullback.core.terms import Program
from pullback.frontend.kinds import Kind, leaf_types
from pullback.lower.lower import lower
from pullback.lower.show import show_module
from pullback.native import EntrySignature, compile_entries, routed

Make = Callable[[object], Fast]


class Native:
    """The compiled entry of a plan. ``general`` makes the fast call of a function where there is
    no form: it is given ``call``. ``stages`` gets the texts of what is compiled."""

    def __init__(
        self, plan: Plan, program: Program, hidden: Hidden, guards: Guards,
        general: bool = False, stages: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.plan = plan
        self.decls = program.decls
        main = program.functions[program.main]
        self.params = tuple(p.type for p in main.params)
        self.results = main.results
        self.tail = raw_results(plan)
        raw = self._tail_length()
        chosen = signature(self.params, self.results, raw)
        self.make: Make | None = None
        form = None if plan.cells or general else _entry_form(plan)
        fast: FastForm | None = None
        if form is not None:
            fast = fast_form(plan.kinds[: plan.arguments], hidden, guards)
            if fast is not None:
                chosen = EntrySignature(fast.params, form.tree)
        self.boundary: Boundary | None = None
        if fast is None:
            self.boundary = boundary_of(plan)
        if self.boundary is not None:
            words = [c.words for c in self.boundary.conversions]
            if plan.request.what is What.TANGENT:
                words += [c.tangent_words for c in self.boundary.conversions]
            chosen = words_signature(words, plan.cells, self.results, raw)
        found: Way | None = None
        if self.boundary is not None and not general:
            found = way(plan, self.boundary, self.results, self.tail)
        self.product: Fast | None = None  # the fast call of forward mode
        along: TangentForm | None = None
        if plan.request.what is What.TANGENT and not general:
            along = tangent_form(plan, hidden, guards)
        second = along or found
        routes = {} if second is None else {program.main: second.signature}
        loop_code = lower(program, plan.request.in_order)
        module = compile_entries(loop_code, {program.main: chosen}, routes, absent_names(guards))
        if stages is not None:
            stages |= {"loop": show_module(loop_code), "llvm": module.text,
                       "llvm optimised": module.optimised()}  # fmt: skip
        self.builtin: Fast = module.call[program.main]
        if fast is not None and form is not None:
            self.make = fast.bind(self.builtin, form.decode)
        self.route: Route | None = None
        quick = module.call.get(routed(program.main), self.builtin)
        if along is not None:
            self.product = along.bind(quick)
        elif found is not None and plan.request.what is What.TANGENT:
            self.product = found.bind_product(plan, hidden, guards, quick)
        elif found is not None:
            self.route = found.bind(plan, hidden, guards, quick)

    def call(self, values: Sequence[object], tangents: Sequence[object] = ()) -> object:
        """The result for arguments and hidden arguments, by leaves."""
        plan = self.plan
        if plan.request.what is What.TANGENT:
            flat = flatten_duals(plan, values, tangents)
        else:
            flat = flatten_arguments(plan, values)
        found, _ = call_native(
            self.builtin, self.decls, plan, self.params, flat,
            words=self.boundary is not None,
        )  # fmt: skip
        return self._finish(flat, found)

    def _tail_length(self) -> int:
        """How many of the results are kept raw."""
        plan = self.plan
        if self.tail is None:
            return 0
        if plan.request.what in (What.VALUE, What.TANGENT):
            return len(self.results)
        return len(tuple(leaf_types(plan.aux)))

    def _finish(self, given: Given, found: object) -> object:
        """The Python result of what the entry point returned."""
        plan, tail, decls = self.plan, self.tail, self.decls
        if tail is None:
            return finish(plan, given, read_results(found, self.results, decls))
        assert isinstance(found, tuple)
        made = [tail.result(found[1], 0, 0)]
        if plan.request.what is What.TANGENT:
            made.append(tail.result_tangent(found[1], 0, len(tail.words)))
        boxed = self.results[: len(self.results) - self._tail_length()]
        return finish(plan, given, read_results(found, boxed, decls, kept=True), made)

    def tangent(
        self, args: Sequence[object], tangents: Sequence[object], special: Fits, f: object
    ) -> object:
        """The result of forward mode: the value and its tangent."""
        found = self.quick(args, special, f, tangents)
        if found is NotImplemented:
            usual = [
                normal(s, v, t, "tangent")
                for s, v, t in zip(self.plan.shapes, args, tangents, strict=False)
            ]
            found = self.quick(args, special, f, usual)
        return self.call(special.values(f, args), tangents) if found is NotImplemented else found

    def quick(
        self, args: Sequence[object], special: Fits, f: object, tangents: Sequence[object] = ()
    ) -> object:
        """The result, by compiled conversions; NotImplemented if a value does not fit them."""
        boundary, plan = self.boundary, self.plan
        blocks = None if boundary is None else boundary.blocks(args, tangents=tangents)
        if boundary is None or blocks is None:
            return NotImplemented
        objects = plain(args)
        if not special.fits(f, objects):
            return NotImplemented
        if len(plan.kinds) > plan.arguments:
            hidden = special.values(f, objects)[plan.arguments :]
            if boundary.blocks(hidden, blocks) is None:
                return NotImplemented
        return self._finish(blocks, taken(self.builtin, blocks.arguments(plan)))


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
        return plan.result_shape.result_form()
    if what is What.TANGENT:
        return None
    grads = [plan.shapes[i].gradient_form() for i in plan.differentiated]
    found = grads[0] if plan.request.alone else tuple_form(grads)
    aux = [plan.aux_shape.result_form()] if plan.request.has_aux else []
    if what is What.GRADIENT:
        return tuple_form([found, *aux]) if aux else found
    whole = tuple_form([plan.value_shape.result_form(), found, *aux])
    if whole is None or not aux:
        return whole
    decode = whole.decode

    def in_order(parts: object) -> object:
        made = parts if decode is None else decode(parts)
        assert isinstance(made, tuple)
        return (made[0], made[2]), made[1]

    return Form(whole.tree, in_order)


def canonical(kind: Kind, value: object) -> object:
    """A value that an entry point did not take as it is (an array that is not aligned, a subclass
    of float), in the form that it takes."""
    shape = shape_of(kind)
    if shape.holds_nodes:
        return value
    leaves = Flattener().leaves(shape, value)
    for leaf in leaves:
        if isinstance(leaf, int) and not -(2**63) <= leaf < 2**63:
            raise not_taken(leaves)
    plain = [
        np.array(x, order="C", subok=False) if isinstance(x, np.ndarray) else x for x in leaves
    ]
    return shape.value(iter(plain), {}, gradient=False)
