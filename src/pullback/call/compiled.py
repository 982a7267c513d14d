"""Native code of a unit: compiled entries, and the ways into them.

``Native`` is one entry. It takes and gives the Python values themselves, in registers, where all
kinds are simple (``fast_calls``); else it takes data in blocks (``packed``, ``convention``), or
takes and gives leaves (``by_leaves``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pullback.call.by_leaves import call_native, read_results, signature, taken, words_signature
from pullback.call.convention import Way, way
from pullback.call.evaluate import Given, finish, flatten_arguments, flatten_duals
from pullback.call.fast_calls import fast_form
from pullback.call.fast_products import TangentForm, tangent_form
from pullback.call.normalise import normalised
from pullback.call.packed import boundary_of, plain, raw_results
from pullback.call.request import Plan, What
from pullback.call.trees import Fast, Guards, Hidden, Maker, absent_names
from pullback.core.terms import Program
from pullback.frontend.kinds.kinds import leaf_types
from pullback.lower.lower import lower
from pullback.lower.show import show_module
from pullback.native import EntrySignature, compile_entries, routed


class Native:
    """The compiled entry of a plan, and the fast call of it: for a function (``fast``), or in
    forward mode for any (``product``). ``by_leaves``: such as takes packed arguments, whatever
    their kinds. ``stages`` gets the texts of what is compiled."""

    def __init__(
        self, plan: Plan, program: Program, hidden: Hidden, guards: Guards,
        by_leaves: bool = False, stages: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.plan = plan
        self.decls = program.decls
        main = program.functions[program.main]
        self.params = tuple(p.type for p in main.params)
        self.results = main.results
        self.tail = raw_results(plan)
        form = None if by_leaves else fast_form(plan, hidden, guards)
        self.in_registers = form is not None
        self.boundary = None if self.in_registers else boundary_of(plan)
        second: Way | TangentForm | None = None
        if not by_leaves and plan.request.what is What.TANGENT:
            second = tangent_form(plan, hidden, guards)
        if not by_leaves and second is None and self.boundary is not None:
            second = way(plan, self.boundary, self.results, self.tail)
        routes = {} if second is None else {program.main: second.signature}
        chosen = self._signature() if form is None else form.signature
        loop_code = lower(program, plan.request.in_order)
        module = compile_entries(loop_code, {program.main: chosen}, routes, absent_names(guards))
        if stages is not None:
            stages |= {"loop": show_module(loop_code), "llvm": module.text,
                       "llvm optimised": module.optimised()}  # fmt: skip
        self.builtin: Fast = module.call[program.main]
        quick = module.call.get(routed(program.main), self.builtin)
        self.fast: Maker | None = None if form is None else form.bind(quick)
        self.product: Fast | None = None
        if isinstance(second, TangentForm):
            self.product = second.bind(quick)
        elif second is not None and plan.request.what is What.TANGENT:
            self.product = second.bind_product(plan, hidden, guards, quick)
        elif second is not None:
            self.fast = second.bind(plan, hidden, guards, quick)

    def _signature(self) -> EntrySignature:
        """The signature of an entry by words, or by leaves."""
        raw = self._tail_length()
        if self.boundary is None:
            return signature(self.params, self.results, raw)
        words = [c.words for c in self.boundary.conversions]
        if self.plan.request.what is What.TANGENT:
            words += [c.tangent_words for c in self.boundary.conversions]
        return words_signature(words, self.plan.cells, self.results, raw)

    def bind(self, special: Fits, f: object) -> Fast:
        """The fast call of a function: ``NotImplemented`` where it does not fit."""
        general = self.general(special, f)
        return general if self.fast is None else self.fast(f, general)

    def general(self, special: Fits, f: object) -> Fast:
        """The call of a function with whatever it can take, packed or unusual."""

        def call(*args: object) -> object:
            found = self.quick(args, special, f)
            if found is not NotImplemented:
                return found
            args = plain(args)
            if not special.takes(args) or not special.fits(f, args):
                return NotImplemented
            return self.call(special.values(f, args))

        return call

    def call(self, values: Sequence[object], tangents: Sequence[object] = ()) -> object:
        """The result for arguments and hidden arguments that are unusual, or go by leaves."""
        plan = self.plan
        if self.boundary is not None:
            blocks = self.boundary.everything(*normalised(plan, values, tangents), copy=False)
            return self._finish(blocks, taken(self.builtin, blocks.arguments(plan)))
        if plan.request.what is What.TANGENT:
            flat = flatten_duals(plan, values, tangents)
        else:
            flat = flatten_arguments(plan, values)
        found, _ = call_native(self.builtin, self.decls, plan, self.params, flat)
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

    def takes(self, args: Sequence[object]) -> bool:
        """Whether the arguments are of the types that it was compiled for."""

    def fits(self, f: object, args: Sequence[object]) -> bool:
        """Whether all that was compiled in is still so."""

    def values(self, f: object, args: Sequence[object]) -> tuple[object, ...]:
        """The arguments and the hidden arguments."""
