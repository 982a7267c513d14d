"""The driver takes functions through the pipeline, and keeps what was compiled in a cache.

A function is specialised for the types of its arguments, made first-order and optimised
(``pipeline.PIPELINE`` up to "ad"); every operator asked of it goes on from there: what is to be
computed is derived ("ad"), gets its entry, is optimised again and compiled. ``Specialisation`` is
the first part, ``Unit`` the second. The key of both is the types of the function and of its
arguments (``frontend.python.pytypes.type_of``), so new numbers, new sizes and lambdas that are made
again do not compile.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from time import perf_counter
from types import FunctionType
from typing import TypeVar, cast
from weakref import ref

from pullback.ad.dependence import dependence, fixed_dependence
from pullback.ad.differentiate import differentiate, tangent
from pullback.ad.methods import REVERSE
from pullback.ad.spaces import Spaces
from pullback.call import journal, kept_programs
from pullback.call.assumed_extents import must_broadcast
from pullback.call.callee import as_function
from pullback.call.compiled import Native
from pullback.call.evaluate import finish, flatten_arguments, flatten_duals, run_evaluator
from pullback.call.float_results import with_floats
from pullback.call.linearised import LinearMaps, linear_maps
from pullback.call.methods import CHAD
from pullback.call.misuse import may_broadcast
from pullback.call.normalise import normalised, not_taken
from pullback.call.packed import plain
from pullback.call.pullbacks import Halves
from pullback.call.refusals import refusals
from pullback.call.request import Plan, Request, What, make_plan, with_literals, without_none
from pullback.call.specialised import bound, broadcasting, compiling, kinds_of, take_general
from pullback.call.trees import Fast
from pullback.call.watching import watched
from pullback.call.wrappers import loss_entry
from pullback.core.check import check
from pullback.core.recursion import deeply
from pullback.core.terms import Dialect, Program
from pullback.core.trails import is_followed
from pullback.core.traverse import differentiates, has_products
from pullback.errors import ArgumentTypeError, PullbackError
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.python.guards import Guard
from pullback.frontend.python.pytypes import type_of
from pullback.frontend.specialisation import Specialised
from pullback.frontend.specialise import specialise
from pullback.native import compile_runtime
from pullback.pipeline import (
    PIPELINE,
    SHARED,
    Trace,
    finished,
    prepared,
    run_stages,
    shared_stages,
    written,
)
from pullback.settings import config

Found = TypeVar("Found")


# --- one function for one tuple of argument types -----------------------------------------------


class Specialisation:
    """A function specialised for the types of its arguments, and what was asked of it so far.
    ``equal``: extents that meet in an elementwise operation are taken to be equal."""

    def __init__(
        self, f: FunctionType, whole: Specialised, program: Program, equal: bool, request: Request
    ) -> None:
        self.code = f.__code__
        special = with_floats(request, whole)
        self.whole, self.special = whole, special
        self.equal = equal
        self.kinds = special.args
        self.program = program
        self.hidden = [(h.path, h.kind) for h in special.hidden]
        self.guards = [*special.guards, *(Guard(s.path, s.kind) for s in special.statics)]
        self.spaces = Spaces.of(program.decls)
        self.units: dict[Request, Unit] = {}
        self.asked = False  # whether this is so in the call that it was made for
        self.seconds = 0.0  # that it took, until some compiled program is said to have taken them
        self.ways = request.lapack, request.contracts
        self.has_products = has_products(program)

    def suits(self, request: Request) -> bool:
        """Whether it computes linear algebra, and gives numbers, as a request wants it."""
        none = self.ways[1] and not self.has_products  # there is no product to be made
        contracts = self.ways[1] == request.contracts or none
        told = with_floats(request, self.whole).result == self.special.result
        return contracts and told and self.reads(request)

    def reads(self, request: Request) -> bool:
        """Whether the front end would make the same of it for a request."""
        return self.ways[0] == request.lapack or not self.special.asks_lapack

    def fits(self, f: object, args: Sequence[object]) -> bool:
        """Whether the guards still hold, for arguments of the types that it was compiled for."""
        if getattr(f, "__code__", None) != self.code:
            return False
        try:
            return self.special.valid(f, tuple(args))
        except ArgumentTypeError:
            return False

    def begun(self) -> float:
        """When the compilation of a unit that begins now has begun: the first one has the time of
        the specialisation too."""
        seconds, self.seconds = self.seconds, 0.0
        return perf_counter() - seconds

    def values(self, f: object, args: Sequence[object]) -> tuple[object, ...]:
        """The arguments and the hidden arguments, as they are now."""
        given = tuple(args)
        return (*given, *self.special.hidden_values(f, given))

    def unit(self, request: Request) -> Unit:
        """An operator applied to this specialisation."""
        found = self.units.get(request)
        if found is None:
            with compiling:
                result, program = without_none(request, self.special, self.program)
                kinds = self.kinds, [kind for _, kind in self.hidden]
                plan = make_plan(request, *kinds, result, self.spaces, self.special)
                found = self.units.setdefault(request, Unit(plan, self, program))
        return found


MOST_LIKE = 16
"""How many specialisations for the same types are remembered; the next takes bools as they come."""

_found: OrderedDict[object, list[Specialisation]] = OrderedDict()


def specialisation(f: FunctionType, args: Sequence[object], request: Request) -> Specialisation:
    """The specialisation of f for these arguments, from the cache or a new one."""
    kinds = kinds_of(args)
    equal = (type_of(f), kinds) not in broadcasting
    key = type_of(f), kinds, equal, *request.how
    known = _lookup(f, args, key, request)
    if known is None:
        with compiling, watched():
            known = _lookup(f, args, key, request)
            if known is None:
                known = specialise_anew(f, args, kinds, equal, request)
                if equal and not known.special.may_assume:
                    broadcasting.add((type_of(f), kinds))  # nothing is run twice then
                    return specialisation(f, args, request)
                _found[key] = [known, *_found.get(key, ())][:MOST_LIKE]
                while len(_found) > config.cache_size:
                    _found.popitem(last=False)
    return known


def _lookup(
    f: object, args: Sequence[object], key: object, request: Request
) -> Specialisation | None:
    """What is remembered."""
    for known in _found.get(key, ()):
        if known.suits(request) and known.fits(f, args):
            with contextlib.suppress(KeyError):  # another thread may have dropped it
                _found.move_to_end(key)
            return known
    return None


def _front(
    f: FunctionType, args: Sequence[object], kinds: tuple[Kind, ...], equal: bool, request: Request
) -> Specialised:
    """The program in Core. It is for the bools that the function reads now; after many other bools
    it is for all of them, unless a branch can be compiled for a known bool only."""
    given, how = (f, kinds, tuple(args), equal, request.lapack), request.how
    if len(_found.get((type_of(f), kinds, equal, *how), ())) >= MOST_LIKE:
        with contextlib.suppress(PullbackError):
            return specialise(*given, False, *how)
    return specialise(*given, True, *how)


def specialise_anew(
    f: FunctionType, args: Sequence[object], kinds: tuple[Kind, ...], equal: bool,
    request: Request, trace: Trace | None = None,
) -> Specialisation:  # fmt: skip
    """Specialise f for arguments of these types, whatever is in the cache."""
    compile_runtime()
    since = perf_counter()
    others = _found.get((type_of(f), kinds, equal, *request.how), ())
    alike = [known for known in others if known.reads(request) and known.fits(f, args)]
    alike = [] if is_followed() else alike  # those have no trails
    whole = alike[0].whole if alike else with_literals(_front(f, args, kinds, equal, request))
    special = with_floats(request, whole)
    if trace is not None:
        trace.append(("core", special.program))
    if config.check == "always":
        check(special.program, Dialect.SOURCE, owned=False)
    stages = shared_stages(not request.in_order, request.contracts)
    program = run_stages(special.program, stages, {}, trace)
    made = Specialisation(f, whole, program, equal, request)
    made.seconds = perf_counter() - since
    return made


# --- one operator of one specialisation -----------------------------------------------------------


class Unit:
    """An operator applied to a specialisation: its programs, and its native code once needed."""

    def __init__(self, plan: Plan, special: Specialisation, source: Program) -> None:
        self.plan, self.special, self.source = plan, special, source
        self.programs: dict[bool, Program] = {}
        self.natives: dict[bool, Native] = {}
        self.halves: Halves | None = None

    def prepared(self, program: Program) -> Program:
        """The stage "invariant loads": without a reverse sweep nothing is kept."""
        return deeply(partial(prepared, program, not self.plan.request.what.forward))

    def derived(self, program: Program) -> Program:
        """The stage "ad" for this operator."""
        return written(self._derived(self.plan, program))

    @staticmethod
    def _derived(plan: Plan, program: Program) -> Program:
        match plan.request.what:
            case What.VALUE:
                return differentiate(program)
            case What.TANGENT:
                return (dependence if plan.request.words else tangent)(program, plan.wrt)
            case What.GRADIENT | What.VALUE_AND_GRADIENT:
                reverse = REVERSE[plan.request.method]
                return reverse.gradient(program, plan.wrt, plan.seeded)
            case What.PULLBACK | What.LINEAR_MAP:
                raise AssertionError("there are two programs")

    def entry(self, program: Program, count_cells: bool) -> Program:
        """The stage "entry" for this operator."""
        plan = self.plan
        if plan.request.what in (What.VALUE, What.TANGENT):
            return program
        return loss_entry(program, plan.keep(), count_cells)

    def program(self, native: bool, trace: Trace | None = None) -> Program:
        """The final program, for the native tier or for the evaluator."""
        counted = native and self.plan.cells
        program = self.programs.get(counted)
        if program is None or trace is not None:
            with compiling, watched(), refusals(self.special.special.program):
                given = {
                    "invariant loads": self.prepared, "ad": self.derived,
                    "entry": lambda p: self.entry(p, counted),
                }  # fmt: skip
                program = run_stages(self.source, PIPELINE[SHARED:], given, trace)
                self.programs[counted] = program
                _forget_programs(self)
        return program

    def evaluate(
        self, values: Sequence[object], tangents: Sequence[object] = ()
    ) -> tuple[object, int]:
        """The result by the evaluator, and how many steps it took."""
        plan = self.plan
        if plan.request.what is What.TANGENT:
            flat = flatten_duals(plan, values, tangents)
        else:
            flat = flatten_arguments(plan, values)
        leaves, steps = run_evaluator(self.program(False), flat, plan.cells)
        return finish(plan, flat, leaves), steps

    @property
    def tight(self) -> bool:
        """Whether no derivative is in it: those wait for memory, and are long texts."""
        return self.plan.request.what is What.VALUE and not differentiates(self.source)

    def compiled(self, packed: bool = False) -> Native:
        """The native code; ``packed``: such as takes packed arguments, whatever their kinds."""
        if packed not in self.natives:
            with compiling, watched():
                if packed not in self.natives:
                    special, since = self.special, self.special.begun()
                    program = self.program(True)
                    around = special.hidden, special.guards
                    made = Native(self.plan, program, *around, packed, thorough=self.tight)
                    journal.note(special.code, self.plan, since, made.timing)
                    self.natives[packed] = made
        return self.natives[packed]

    def compiled_halves(self) -> Halves:
        """The native code of a pullback."""
        if self.halves is None:
            split = REVERSE[self.plan.request.method].split
            with compiling, watched(), refusals(self.special.special.program):
                if self.halves is None:
                    around = self.special.hidden, self.special.guards
                    since, source = self.special.begun(), self.prepared(self.source)
                    made = Halves(self.plan, source, split, finished, *around)
                    journal.note(self.special.code, self.plan, since, made.timing)
                    self.halves = made
        return self.halves

    @cached_property
    def linear_maps(self) -> LinearMaps | None:
        """The native code of a linear map; None: there is none."""
        with compiling, watched(), refusals(self.special.special.program):
            around = self.special.hidden, self.special.guards
            return linear_maps(self.plan, self.prepared(self.source), *around)

    @cached_property
    def fixed(self) -> bool:
        """Whether the words of the results are the same for all values of the reals."""
        with compiling, refusals(self.special.special.program):
            return deeply(partial(fixed_dependence, self.source, self.plan.wrt))

    @cached_property
    def calls(self) -> tuple[Fast, ...]:
        """The calls of ``pb.vjp`` and ``pb.jvp``, of any function with these types: they are given
        it, its primals and (in forward mode) its tangents, and give ``NotImplemented`` where they
        do not fit."""
        along = self.plan.request.what is What.TANGENT
        native = self.compiled() if along else self.compiled_halves()
        calls = (native.product, native.general)
        return tuple(call for call in calls if call is not None)

    def fitting(
        self, f: object, args: Sequence[object], tangents: Sequence[object] = ()
    ) -> tuple[Fast, object]:
        """The first of these calls that fits, and what it gives for a function and arguments.
        Unusual values go in once more in the usual form."""
        for _ in range(2):
            for call in self.calls:
                found = call(f, *args, *tangents)
                if found is not NotImplemented:
                    return call, found
            usual = normalised(self.plan, plain(args), plain(tangents))
            args, tangents = usual[0], usual[1]
        raise not_taken(args)

    def bind(self, f: FunctionType, packed: bool = False) -> Fast:
        """The fast call for the function f: ``NotImplemented`` where it does not fit."""
        native = self.compiled()
        if packed and native.general is None:
            native = self.compiled(packed=True)
        return native.bound(f, self.special.code, packed)


_optimised: deque[ref[Unit]] = deque()


def _forget_programs(last: Unit) -> None:
    """Only the last few units keep their programs, which the native tier and the evaluator often
    ask for one after the other."""
    _optimised.append(ref(last))
    while len(_optimised) > 8:
        unit = _optimised.popleft()()
        if unit is not None and unit is not last:
            unit.programs.clear()


# --- what api and the tests ask for ---------------------------------------------------------------


def found(f: object, args: Sequence[object], request: Request) -> tuple[FunctionType, Unit]:
    """The function that is compiled for f, and the unit for an operator and arguments."""
    function = as_function(f, len(args))
    special = specialisation(function, args, request)
    if special.special.always_raises and request.what is not What.VALUE:
        value = special.unit(request.of_value())
        bound(function, value, args)  # the error of the function itself comes out of it
    unit = special.unit(request)
    if special.equal and special.special.assumes and not special.asked:
        special.asked = True
        if must_broadcast(special.program, unit.plan, special.values(function, args)):
            take_general(function, args)
            return found(f, args, request)
    return function, unit


def using(
    f: object, args: Sequence[object], request: Request, use: Callable[[FunctionType, Unit], Found]
) -> Found:
    """Call ``use`` with the function that is compiled for f and with the unit for an operator.

    Extents that meet are first assumed to be equal, which makes code twice as fast. Where one of
    them was 1, the check raises; then the function is compiled without that and used once more,
    which is safe since it is pure."""
    function, unit = found(f, args, request)
    try:
        return use(function, unit)
    except ValueError as error:
        if not (unit.special.equal and may_broadcast(error)):
            raise
    take_general(function, args)
    return use(*found(f, args, request))


def bind(f: object, args: Sequence[object], request: Request) -> tuple[Fast, object]:
    """The fast call of an operator applied to f, and its result for these arguments."""
    return using(f, plain(args), request, partial(_bound_and_kept, args, request))


def _bound_and_kept(
    args: Sequence[object], request: Request, function: FunctionType, unit: Unit
) -> tuple[Fast, object]:
    with kept_programs.saving(kept_programs.wanted(request, args), function, args, unit):
        return bound(function, unit, args)


def is_known(
    function: FunctionType, args: Sequence[object], kinds: tuple[Kind, ...], equal: bool,
    request: Request,
) -> bool:  # fmt: skip
    """Whether this process has compiled this."""
    key = type_of(function), kinds, equal, *request.how
    known = _lookup(function, args, key, request)
    return known is not None and request in known.units


def call(f: object, args: Sequence[object], request: Request, tier: str = "native") -> object:
    """The result of an operator applied to f, in a tier: "native" or "eval"."""
    if tier == "native":
        return bind(f, args, request)[1]
    assert tier == "eval", f"no tier {tier!r}"
    return using(f, args, request, lambda g, unit: unit.evaluate(unit.special.values(g, args)))[0]


def run(f: object, args: Sequence[object], tier: str = "native") -> object:
    """f(*args)"""
    return call(f, args, Request(What.VALUE), tier)


def gradient(
    f: object, args: Sequence[object], argnums: Sequence[int], tier: str, method: str = CHAD
) -> tuple[object, tuple[object, ...]]:
    """The value of f and its gradients by the arguments ``argnums``."""
    both = call(f, args, Request(What.VALUE_AND_GRADIENT, tuple(argnums), method=method), tier)
    value, grads = cast("tuple[object, tuple[object, ...]]", both)
    return value, grads


def tangent_of(
    f: object, primals: Sequence[object], tangents: Sequence[object], tier: str = "native",
    words: bool = False,
) -> tuple[object, object]:  # fmt: skip
    """The value of f and its tangent along ``tangents`` (one per argument, None: zero); ``words``:
    those are sets of inputs (``ad/dependence.py``)."""

    def both(function: FunctionType, unit: Unit) -> object:
        if tier == "eval":
            return unit.evaluate(unit.special.values(function, primals), tangents)[0]
        return unit.fitting(function, primals, tangents)[1]

    request = Request(What.TANGENT, words=words)
    return cast("tuple[object, object]", using(f, primals, request, both))


def decided_by(f: object, args: Sequence[object]) -> tuple[object, tuple[object, ...]] | None:
    """The program, and the arguments and hidden arguments, on whose shapes and discrete values
    alone a dependence pattern depends; None if it may depend on reals."""

    def both(function: FunctionType, unit: Unit) -> tuple[object, tuple[object, ...]] | None:
        return (unit, unit.special.values(function, args)) if unit.fixed else None

    return using(f, args, Request(What.TANGENT, words=True), both)


def steps(f: object, args: Sequence[object], request: Request) -> int:
    """How many steps the evaluator takes for an operator applied to f."""
    return using(f, args, request, lambda g, unit: unit.evaluate(unit.special.values(g, args)))[1]


def by_method(
    f: object, args: Sequence[object], request: Request, method: str, make: Callable[..., Found]
) -> Found:
    """Call ``make`` (``by_method.derive``, ``MethodPullback``) for f and a method of the papers."""

    def use(g: FunctionType, unit: Unit) -> Found:
        special = unit.special.special
        _, program = without_none(request, special, special.program)
        return make(method, program, unit.plan, unit.special.values(g, args), function=g)

    return using(f, args, replace(request, plain=True), use)


__all__ = ["PIPELINE", "REVERSE", "bind", "by_method", "call", "config", "decided_by", "gradient",
           "is_known", "run", "specialise_anew", "steps", "tangent_of", "using"]  # fmt: skip
