"""Functions as code that runs without Python: what ``pb.cfunc`` and ``pb.export`` compile.

The program is that of the operator, through the same pipeline, and so is the loop code; only the
function around it takes C's numbers and arrays instead of Python's objects (``native/c_entry``).
What the program reads from around it (globals, captured variables) is read now, once: numbers
become constants, arrays are copied.
"""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import FunctionType

import numpy as np

from pullback.call.callee import as_function
from pullback.call.driver import Specialisation, Unit, bind
from pullback.call.marshal import Flattener
from pullback.call.refusals import refusals
from pullback.call.request import Plan, Request, What, with_literals
from pullback.call.specialised import broadcasting, compiling, kinds_of
from pullback.call.trees import TY_OF_DTYPE
from pullback.call.watching import watched
from pullback.core import pocketfft
from pullback.core.frozen import dataclass, field
from pullback.core.messages import exception_text
from pullback.core.prims_order import ORDER
from pullback.core.recursion import deeply
from pullback.core.terms import Prim, Program
from pullback.core.traverse import all_lets
from pullback.core.types import Array, Bool, Int, Real, Type
from pullback.core.values import dtype_of
from pullback.errors import PullbackError, UnsupportedError
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    leaf_types,
    parts,
)
from pullback.frontend.python.guards import ABSENT, Guard
from pullback.frontend.python.pytypes import type_of
from pullback.frontend.specialisation import Specialised
from pullback.frontend.specialise import specialise
from pullback.lower.loopcode import Foreign, Module, Show
from pullback.lower.lower import lower
from pullback.native.analysis import instructions
from pullback.native.c_entry import (
    TOO_SMALL,
    AloneText,
    CValue,
    Data,
    Known,
    Number,
    alone_module,
    error_texts,
)
from pullback.native.foreign import PREFIX, is_callback
from pullback.native.layout import OUT_OF_MEMORY, TOO_DEEP
from pullback.native.runtime import ErrorSite
from pullback.pipeline import run_stages, shared_stages


@dataclass(frozen=True, slots=True, eq=False)
class Alone:
    """A program that needs no Python, still without the function around it.

    params, results    of the C function
    known              the numbers and arrays from around the function, behind its parameters
    held               the arrays among these, by their symbols
    thorough           LLVM takes the time that it needs
    """

    module: Module
    params: tuple[CValue, ...]
    results: tuple[CValue, ...]
    known: tuple[Known, ...]
    held: dict[str, np.ndarray] = field(default_factory=dict)
    thorough: bool = False

    def text(self, symbol: str, more: str = "", visible: bool = True) -> AloneText:
        """Return the whole module, with a function of this name for it."""
        given = self.module, symbol, self.params, self.known, self.results, more, visible
        return deeply(partial(alone_module, *given))


def alone(f: Callable[..., object], args: Sequence[object], request: Request, run: bool) -> Alone:
    """Return the program of an operator applied to f, for arguments of the types of ``args``. If
    they are to be ``run``, a first call shows whether extents of 1 meet others."""
    function = as_function(f, len(args))
    if run:
        with suppress(Exception):  # an error of the program is one of this point only
            bind(f, args, request)
    kinds = kinds_of(args)
    equal = run and (type_of(function), kinds) not in broadcasting
    with compiling, watched():
        special = _specialised(function, kinds, args, equal, request)
    with compiling, watched(), refusals(special.special.program):
        unit = special.unit(request)
        program = unit.program(True)
        if unit.plan.cells:
            raise _no_c_type("an argument", unit.plan.kinds[0])
        module = deeply(partial(lower, program, request.in_order, None, unit.plan.contexts))
        _refuse_python(module)
    names = [*inspect.signature(f).parameters][: len(args)]
    params, results = _values(unit.plan, names)
    known, held = _known(unit, special, function, args)
    return Alone(module, params, results, known, held, unit.tight)


def _specialised(
    function: FunctionType, kinds: tuple[Kind, ...], args: Sequence[object], equal: bool,
    request: Request,
) -> Specialisation:  # fmt: skip
    found: Specialised | None = None
    given = function, kinds, tuple(args), equal, request.lapack
    with suppress(PullbackError):  # bools are taken as they come, where that is possible
        found = specialise(*given, False, *request.how)
    whole = with_literals(specialise(*given, True, *request.how) if found is None else found)
    guards = [g for g in whole.guards if not _is_of_class(g)]
    for path in (*(s.path for s in whole.statics), *(g.path for g in guards)):
        _refuse_known(path)
    program = run_stages(whole.program, shared_stages(True, False), {}, None)
    if request.lapack and _sorts(program):  # by loops, which need nothing of NumPy's
        plain = replace(request, plain=True)
        return _specialised(function, kinds, args, equal, plain)
    return Specialisation(function, whole, program, equal, request)


def _sorts(program: Program) -> bool:
    bodies = (f.body for f in program.functions.values())
    ops = (let.op for body in bodies for let in all_lets(body))
    return any(isinstance(op, Prim) and op.name in ORDER.rows for op in ops)


def _is_of_class(guard: Guard) -> bool:
    match guard.kind.key:
        case ("class of", _):
            return True
        case key:
            return key == ABSENT


def _refuse_known(path: tuple[object, ...]) -> None:
    match path:
        case (("arg", int(k)), *_):
            raise UnsupportedError(
                f"argument {k} decides what is compiled (an axis, a choice, a text), so it is no "
                "argument of the C function",
                "fix it with a lambda: lambda x: f(x, 2)",
            )


def _refuse_python(module: Module) -> None:
    """Refuse a program that calls what is not there without Python."""
    for function in module.functions.values():
        for instr in instructions(function.body):
            if isinstance(instr, Show):
                raise UnsupportedError(
                    "this program prints, or calls a function of Python's, and code that runs "
                    "without Python cannot",
                    "leave that out: compute there, and print what is returned",
                )
            if isinstance(instr, Foreign):
                if is_callback(PREFIX + instr.routine):
                    raise UnsupportedError(
                        "this program calls a function of Python's, which code that runs without "
                        "Python cannot",
                        "write that function so that it is compiled, without pb.pure_callback",
                    )
                if instr.routine.startswith(pocketfft.PREFIX):
                    raise UnsupportedError(
                        "this program calls NumPy's Fourier transforms, which code that runs "
                        "without Python does not bring along",
                        "write the sums of the transform as loops, or call pb.jit(f) from Python",
                    )
                raise UnsupportedError(
                    f"this program calls {instr.routine} of LAPACK, which code that runs without "
                    "Python does not bring along",
                    "write the elimination as loops, or call pb.jit(f) from Python",
                )


# --- names and types ------------------------------------------------------------------------------


def _no_c_type(name: str, kind: Kind) -> UnsupportedError:
    return UnsupportedError(
        f"{name} is {describe(kind)}, which has no type in C",
        "pass and return numbers, arrays of numbers, and tuples, dicts and records of these",
    )


def _named(kind: Kind, name: str) -> Iterator[tuple[str, Type]]:
    """The names and types of the leaves of a kind."""
    match kind:
        case ScalarK() | ArrayK():
            (t,) = leaf_types(kind)
            yield name, t
        case TupleK(items, _):
            for k, item in enumerate(items):
                yield from _named(item, f"{name}_{k}")
        case RecordK(_, fields):
            for part, item in fields:
                yield from _named(item, f"{name}_{part}")
        case _ if tuple(leaf_types(kind)):
            raise _no_c_type(name, kind)


def _all_parts(kind: Kind) -> Iterator[Kind]:
    yield kind
    for part in parts(kind):
        yield from _all_parts(part)


_C_WORDS = re.compile(
    "auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|"
    "inline|int|long|register|restrict|return|short|signed|sizeof|static|struct|switch|typedef|"
    "union|unsigned|void|volatile|while"
)


def _c_value(name: str, t: Type, taken: set[str], sized: bool = False) -> CValue:
    """Return a value of this type with a name of its own."""
    elem, rank = (t.elem, t.rank) if isinstance(t, Array) else (t, 0)
    if not (isinstance(elem, Bool) or (isinstance(elem, (Real, Int)) and elem.bits >= 32)):
        raise UnsupportedError(
            f"{name} has numbers of a type that C functions of Pullback do not take",
            "use float64, float32, int64, int32 or bool: a.astype(np.int64)",
        )
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    plain = f"{plain}_" if _C_WORDS.fullmatch(plain) or keyword.iskeyword(plain) else plain
    while plain in taken:
        plain += "_"
    taken.add(plain)
    return CValue(plain, TY_OF_DTYPE[dtype_of(elem).name], rank, sized)


def _values(
    plan: Plan, names: Sequence[str]
) -> tuple[tuple[CValue, ...], tuple[CValue, ...]]:
    """Return the parameters and the results of the C function."""
    what, taken = plan.request.what, set[str]()
    given = list(zip(names, plan.kinds[: plan.arguments], strict=True))
    for k, (_, kind) in enumerate(given):
        if any(isinstance(p, StaticK) and p.value is not None for p in _all_parts(kind)):
            _refuse_known((("arg", k),))
    leaves = [leaf for name, kind in given for leaf in _named(kind, name)]
    params = tuple(_c_value(name, t, taken) for name, t in leaves)
    if what is What.VALUE:
        found = [(n, t, False) for n, t in _named(plan.result, "result")]
    else:
        found = [(f"grad_{params[k].name}", leaves[k][1], True) for k in plan.wrt]
        if what is What.VALUE_AND_GRADIENT:
            found = [*((n, t, False) for n, t in _named(plan.value, "value")), *found]
        if plan.request.has_aux:
            found += [(n, t, False) for n, t in _named(plan.aux, "aux")]
    return params, tuple(_c_value(n, t, taken, sized) for n, t, sized in found)


def _known(
    unit: Unit, special: Specialisation, function: FunctionType, args: Sequence[object]
) -> tuple[tuple[Known, ...], dict[str, np.ndarray]]:
    """Return what the program reads from around the function, as it is now."""
    plan, held = unit.plan, dict[str, np.ndarray]()
    values = special.values(function, args)[plan.arguments :]
    flattener = Flattener(plan.space.value)
    out: list[Known] = []
    for shape, value in zip(plan.shapes[plan.arguments :], values, strict=True):
        leaves = flattener.leaves(shape, value, False)
        for t, leaf in zip(shape.types, leaves, strict=True):
            out.append(_known_leaf(t, leaf, shape.kind, held))
    return tuple(out), held


def _known_leaf(t: Type, leaf: object, kind: Kind, held: dict[str, np.ndarray]) -> Known:
    elem = t.elem if isinstance(t, Array) else t
    if not isinstance(elem, (Real, Int, Bool)):
        raise _no_c_type("what the function reads from around it", kind)
    if not isinstance(t, Array):
        assert isinstance(leaf, (int, float, np.generic))
        return Number(TY_OF_DTYPE[dtype_of(t).name], leaf.item() if isinstance(leaf, np.generic)
                      else leaf)  # fmt: skip
    array = np.array(leaf, dtype_of(elem), order="C")
    symbol = f"held{len(held)}"
    held[symbol] = array
    return Data(symbol, array.shape)


# --- errors ---------------------------------------------------------------------------------------

_OWN = {
    0: "no error",
    OUT_OF_MEMORY: "MemoryError: this needs more memory than the machine has",
    TOO_DEEP: "RecursionError: maximum recursion depth exceeded",
    TOO_SMALL: "a result does not fit into the room that there is for it",
}


def status_texts(errors: Sequence[ErrorSite]) -> dict[int, str]:
    """Return what each status of a function means."""
    return _OWN | {k: _said(error) for k, error in enumerate(errors, 1)}


def _said(error: ErrorSite) -> str:
    said = exception_text(error.kind)
    if isinstance(error.message, str) and error.message:
        said += f": {error.message}"
    if error.site is not None:
        file = re.split(r"[/\\]", error.site.file)[-1]
        said += f" ({file}, line {error.site.line}, in {error.site.function})"
    return said


__all__ = ["Alone", "alone", "error_texts", "status_texts"]
