"""The native code of one entry, and the calls of it.

Where all kinds are simple, the entry takes and gives the Python values in registers, and this is
its only form. Else there are two entry points of the same code: one converts data itself
(``fast_calls``), the other is given the addresses of converted data (``packed``), for arguments
that are packed or of classes that are not plain.
"""

from __future__ import annotations

from functools import partial
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from pullback.call.code.conversion import Conversion
from pullback.call.code.converting_entry import RouteSignature
from pullback.call.evaluate import finish
from pullback.call.fast_calls import FastCall, converting, in_registers
from pullback.call.packed import Blocks, Boundary, raw_results
from pullback.call.request import Plan, What
from pullback.call.trees import Fast, Guards, Hidden, Maker, absent_names, boxed
from pullback.core.frozen import dataclass
from pullback.core.later import Later
from pullback.core.recursion import deeply
from pullback.core.terms import Program
from pullback.core.types import Type
from pullback.frontend.kinds.kinds import leaf_types
from pullback.lower.values import leaves as machine_types
from pullback.native import CompiledModule, EntrySignature, Written, compile_entries, routed
from pullback.native.builtin_names import Absent, absent_text
from pullback.native.object_cache import digest

if TYPE_CHECKING:
    from pullback.lower import lower as lowering
    from pullback.lower import show as showing
else:
    lowering, showing = Later("pullback.lower.lower"), Later("pullback.lower.show")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """What an entry is compiled from: the name and the results of main, what was written for it,
    whether LLVM took its time, and the form of what the text takes and gives (``_form``)."""

    main: str
    results: tuple[Type, ...]
    written: Written
    thorough: bool
    form: str


class Misfit(Exception):
    """Raised for a source whose text takes or gives something else than its plan has."""


def _source(
    main: str, results: tuple[Type, ...], module: CompiledModule, thorough: bool, form: str
) -> Source:
    return Source(main, results, module.kept(), thorough, form)


def _form(
    results: tuple[Type, ...], fast: FastCall | None, boundary: Boundary | None,
    tail: Conversion | None, absent: Absent,
) -> str:  # fmt: skip
    """Return the digest of all that is made anew, from the plan, in each process that loads an
    entry, and on which its text relies: how arguments are read and results are made."""
    signature = None if fast is None else fast.signature
    told = signature.told() if isinstance(signature, RouteSignature) else repr(signature)
    layouts = [] if boundary is None else [c.layout.told() for c in boundary.conversions]
    last = "" if tail is None else tail.layout.told()
    return digest(repr(results), told, *layouts, last, absent_text(absent))


def _results(program: Program | Source) -> tuple[Type, ...]:
    if isinstance(program, Source):
        return program.results
    return program.functions[program.main].results


class Native:
    """The compiled entry of a plan. ``fast`` makes the fast call of a function, ``product`` is in
    forward mode that of any function. ``general`` is a call of any function that takes packed
    arguments too; None: the values go in registers. ``packed``: only the general call is wanted.
    ``stages`` gets the texts of what is compiled. ``program``: what is compiled, or what was
    written for it before (``source``). ``thorough``: LLVM takes the time that it needs."""

    def __init__(
        self, plan: Plan, program: Program | Source, hidden: Hidden, guards: Guards,
        packed: bool = False, stages: dict[str, str] | None = None, thorough: bool = False,
    ) -> None:  # fmt: skip
        self.plan = plan
        self.results = _results(program)
        self.tail = raw_results(plan)
        self.general: Fast | None = None
        main, along = program.main, plan.request.what is What.TANGENT
        fast = None if packed else in_registers(plan, hidden, guards)
        entries = {}
        boundary = None
        if fast is None or along:
            boundary = Boundary(plan)
            self.general = boundary.call(hidden, guards, self._run)
            entries[main] = self._signature(boundary)
            if fast is None and not packed:
                fast = converting(plan, hidden, guards, boundary, self.results, self.tail)
        second = {} if fast is None or not entries else {main: fast.signature}
        if fast is not None and not entries:
            assert isinstance(fast.signature, EntrySignature)
            entries[main] = fast.signature
        absent = absent_names(guards)
        form = _form(self.results, fast, boundary, self.tail, absent)
        known = None
        if isinstance(program, Source):
            if program.form != form:
                raise Misfit(form)
            known, thorough = program.written, program.thorough
        loop_code = None
        if not isinstance(program, Source):
            kept = plan.request.what in (What.PULLBACK, What.LINEAR_MAP)
            own = 0 if kept or self.tail is not None else len(self.results)
            given = program, plan.request.in_order, stages, plan.contexts, None, own
            loop_code = deeply(partial(lowering.lower, *given))
        code = known or loop_code
        assert code is not None
        module = deeply(partial(compile_entries, code, entries, second, absent, thorough))
        self.source = partial(_source, main, self.results, module, thorough, form)
        self.timing = module.timing
        if stages is not None and loop_code is not None:
            stages |= {"loop": showing.show_module(loop_code), "llvm": module.text,
                       "llvm optimised": module.optimised()}  # fmt: skip
        self.builtin: Fast = module.call[main]
        made = None if fast is None else fast.bind(module.call.get(routed(main), self.builtin))
        self.fast: Maker | None = None if along else made
        self.product: Fast | None = made() if along and made is not None else None

    def bound(self, f: FunctionType, code: CodeType, packed: bool) -> Fast:
        """The fast call for the function f, which had this code when it was compiled:
        ``NotImplemented`` where it does not fit."""
        of_any = self.general

        def general(*args: object) -> object:
            if of_any is None or f.__code__ is not code:
                return NotImplemented
            return of_any(f, *args)

        return general if packed or self.fast is None else self.fast(f, general)

    @property
    def _kept(self) -> int:
        """How many of the results are kept in a residual object, for ``tail``."""
        plan = self.plan
        if self.tail is None:
            return 0
        if plan.request.what in (What.VALUE, What.TANGENT):
            return len(self.results)
        return len(tuple(leaf_types(plan.aux)))

    def _signature(self, boundary: Boundary) -> EntrySignature:
        """The signature of the entry point that is given the addresses of converted data."""
        n = len(self.results) - self._kept
        kept = tuple(ty for t in self.results[n:] for ty in machine_types(t))
        keep = None if self.tail is None else kept
        return EntrySignature(boundary.parameters(), boxed(self.results[:n]), keep=keep)

    def _run(self, blocks: Blocks) -> object:
        """The Python result for converted arguments."""
        plan, tail = self.plan, self.tail
        found = self.builtin(*blocks.arguments(plan))
        if found is NotImplemented:
            return found
        assert isinstance(found, tuple)
        if tail is None:
            return finish(plan, blocks, found)
        results, residual = found
        made = [tail.result(residual, 0, 0)]
        if plan.request.what is What.TANGENT:
            made.append(tail.result_tangent(residual, 0, len(tail.words)))
        return finish(plan, blocks, results, made)


__all__ = ["Misfit", "Native", "Source"]
