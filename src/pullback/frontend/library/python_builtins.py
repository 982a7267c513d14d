"""Compile Python's builtins on numbers and sequences (``consumers`` has ``sum``, ``min``, ``max``,
``any`` and ``all``)."""

from __future__ import annotations

import ast
import itertools
import math
from dataclasses import replace
from functools import partial

from pullback.core.build import lit
from pullback.core.terms import Atom
from pullback.core.types import BOOL, F64, I64, Bool, Int, Real
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.functions import generator_ends
from pullback.frontend.functions.choices import is_choice
from pullback.frontend.interpret import made_texts
from pullback.frontend.interpret.advancing import source_of
from pullback.frontend.interpret.classes_apart import has_special
from pullback.frontend.interpret.indices import NO_INTEGER, told_int
from pullback.frontend.interpret.iteration import (
    as_run,
    collect,
    has_no_end,
    indexed,
    is_driven,
    is_iterator,
    iterator,
    known,
    mapped,
    stepped,
    text_over,
)
from pullback.frontend.interpret.pointwise import by_position
from pullback.frontend.interpret.scalars import absolute
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.kinds import static_scalar
from pullback.frontend.kinds.values import (
    ArrayV,
    ClosureV,
    EnumerateV,
    FunctionV,
    GeneratorV,
    HashV,
    LambdaSetV,
    ListV,
    OperatorV,
    OptionalV,
    RangeV,
    RecordV,
    RefV,
    ReversedV,
    Scalar,
    Specialiser,
    Static,
    SymbolV,
    TupleV,
    Value,
    ZipV,
    attribute,
    index_scalar,
    register,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind, is_none
from pullback.frontend.library.arrays_as_numbers import require_no_axes
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.math_functions import to_python_int
from pullback.frontend.library.numpy.arrays import elementwise
from pullback.frontend.library.numpy.choice import rounded
from pullback.frontend.library.text import floats, integers, iterators
from pullback.frontend.memory.long_tuples import as_class
from pullback.frontend.python.special_methods import special
from pullback.frontend.run import Run

ZERO = Static(0)


@register(callable)
def callable_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = bind(sp, "callable", args, kwargs, node, obj=MISSING)
    if is_iterator(x):
        return Static(False)
    match x:
        case Static(known):
            return Static(callable(known))
        case FunctionV() | ClosureV() | LambdaSetV() | OperatorV():
            return Static(True)
        case RecordV(cls):
            return Static(any("__call__" in vars(c) for c in cls.__mro__))
        case TupleV():
            return Static(is_choice(x))
        case Scalar() | ArrayV() | ListV() | OptionalV(value=Scalar()):
            return Static(False)
        case _:
            sp.refuse(node, f"callable() of {sp.describe(x)}")


# --- numbers -------------------------------------------------------------------------------------


@register(abs)
def abs_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = bind(sp, "abs", args, kwargs, node, x=MISSING)
    if isinstance(x, Static) and isinstance(x.value, (int, float)):
        return Static(abs(x.value))
    by_method = special(sp, x, "__abs__", (), node, lambda v: abs_(sp, (v,), {}, node))
    if by_method is not None:
        return by_method
    if isinstance(x, ArrayV):
        return elementwise(sp, (x,), lambda v: abs_(sp, v, {}, node), node)
    value = sp.scalar(x, node)
    if value.type == BOOL:
        return Scalar(sp.convert(value, I64, node), value.py, 1) if value.py else value
    return absolute(sp, value, node)


@register(round)
def round_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, digits = bind(sp, "round", args, kwargs, node, number=MISSING, ndigits=NONE)
    if isinstance(x, Static) and isinstance(x.value, (int, float)):
        if is_none(digits):
            whole = round(x.value) if static_scalar(x.value) and math.isfinite(x.value) else None
            if whole is not None and static_scalar(whole) is not None:
                return Static(whole)
        elif isinstance(digits, Static) and isinstance(digits.value, int):
            return Static(round(x.value, digits.value))
    if isinstance(x, ArrayV) or (isinstance(x, Scalar) and x.rank0):
        text = "type numpy.ndarray doesn't define __round__ method"
        sp.never("TypeError", text, node, ArgumentTypeError, rewrite="use np.round(x, decimals)")
    value = sp.scalar(x, node)
    if value.type == BOOL and not value.py:
        sp.refuse(node, "round(x) is not defined for NumPy bools", error=ArgumentTypeError)
    if not isinstance(value.type, Real):
        if is_none(digits):
            return Scalar(sp.convert(value, I64, node), True, value.bits)
        if sp.static_int(digits, node, "ndigits") >= 0:
            return value if not value.py else Scalar(sp.convert(value, I64, node), True, value.bits)
        places = -sp.static_int(digits, node, "ndigits")
        if not value.py or places > 18:
            sp.refuse(node, "round(n, -k) is supported for Python ints, and k up to 18")
        number = Scalar(sp.convert(value, I64, node), True, value.bits)
        return run_program(sp, floats.round_to, (number, Static(10**places)), node)
    if is_none(digits):
        return to_python_int(sp, sp.b.prim("rint", value.atom), node)
    places = sp.static_int(digits, node, "ndigits")
    if value.py:
        if abs(places) > 22:
            sp.refuse(node, "round(x, n) of a float is supported for n from -22 to 22")
        program = floats.round_float if places >= 0 else floats.round_tens
        plain = replace(value, is_int=None)
        made = run_program(sp, program, (plain, Static(10.0 ** abs(places))), node)
        return replace(sp.scalar(made, node), is_int=value.is_int)
    return Scalar(rounded(sp, value.atom, places), py=False)


@register(float)
def float_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = bind(sp, "float", args, kwargs, node, x=Static(0.0))
    if isinstance(x, Static) and isinstance(x.value, (int, float, str)):
        try:
            return Static(float(x.value))
        except (ValueError, OverflowError) as error:
            sp.never(type(error).__name__, str(error), node, ArgumentValueError)
    if isinstance(x, SymbolV) and x.cls is str:
        assert isinstance(sp, Run)
        return made_texts.number(sp, x, node)
    return Scalar(sp.convert(_single(sp, x, node), F64, node), py=True)


def _single(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    """Return a number, or the only element of an array of size 1."""
    if isinstance(value, ArrayV):
        reason = "only arrays without axes can be converted to a Python number"
        require_no_axes(sp, value, node, reason, "index it, or use .item()")
        return sp.call(sp.attribute(value, "item", node), (), node)
    return value


@register(int)
def int_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = bind(sp, "int", args, kwargs, node, x=ZERO)
    if isinstance(x, Static) and isinstance(x.value, (int, float, str)):
        try:
            return Static(int(x.value))
        except (ValueError, OverflowError) as error:
            sp.never(type(error).__name__, str(error), node, ArgumentValueError)
    if isinstance(x, SymbolV) and x.cls is str:
        assert isinstance(sp, Run)
        return made_texts.integer(sp, x, node)
    value = sp.scalar(_single(sp, x, node), node)
    if isinstance(value.type, Real):
        return to_python_int(sp, value.atom, node)
    return Scalar(sp.convert(value, I64, node), py=True, bits=value.bits)


@register(bool)
def bool_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = bind(sp, "bool", args, kwargs, node, x=Static(False))
    known = sp.truth(x, node)
    return Static(known) if isinstance(known, bool) else Scalar(known, py=True, bits=1)


@register(divmod)
def divmod_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    x, y = bind(sp, "divmod", args, kwargs, node, x=MISSING, y=MISSING)
    if all(isinstance(v, (Static, Scalar)) for v in (x, y)):
        a, b = sp.scalar(x, node), sp.scalar(y, node)
        if a.py and b.py and (isinstance(a.type, Real) or isinstance(b.type, Real)):
            divisor = sp.convert(b, F64, node)
            some = sp.b.prim("ne", divisor, lit(0.0, F64))
            sp.require(some, "ZeroDivisionError", "float divmod()", node)
    return TupleV((sp.binop("//", x, y, node), sp.binop("%", x, y, node)))


@register(pow)
def pow_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    base, exponent, modulus = bind(
        sp, "pow", args, kwargs, node, base=MISSING, exp=MISSING, mod=NONE
    )
    if not is_none(modulus):
        given = base, exponent, modulus
        numbers = [sp.scalar(v, node) for v in given]
        if not all(n.py and isinstance(n.type, (Int, Bool)) for n in numbers):
            reason = "pow() 3rd argument not allowed unless all arguments are integers"
            sp.refuse(node, reason, error=ArgumentTypeError)
        if not all(isinstance(v, Static) for v in given):
            whole = [Scalar(sp.convert(n, I64, node), True) for n in numbers]
            return run_program(sp, integers.power_modulo, whole, node)
        known = [sp.static_int(v, node, "an argument of pow(x, y, z)") for v in given]
        try:
            return Static(pow(*known))
        except ValueError as e:
            sp.refuse(node, str(e), error=ArgumentValueError)
    return sp.binop("**", base, exponent, node)


# --- sequences -----------------------------------------------------------------------------------


@register(len)
def len_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (x,) = bind(sp, "len", args, kwargs, node, obj=MISSING)
    return sp.length(x, node)


def _bound(name: str, sp: Specialiser, value: Value, node: ast.AST) -> Value:
    bound = getattr(value, name)
    assert isinstance(bound, Value)
    return bound


for _name in ("start", "stop", "step"):
    attribute("range", _name)(partial(_bound, _name))
    attribute("slice", _name)(partial(_bound, _name))


@register(range)
def range_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if kwargs or not 1 <= len(args) <= 3:
        sp.refuse(node, "range takes one to three ints", error=ArgumentTypeError)
    args = [
        told_int(sp, v, "TypeError", NO_INTEGER, node)
        if isinstance(v, Scalar) and v.is_int is not None else v
        for v in args
    ]  # fmt: skip
    for arg in args:
        if not isinstance(arg, Static) and not isinstance(sp.scalar(arg, node).type, Int):
            reason = f"range needs ints, not {sp.describe(arg)}"
            sp.refuse(node, reason, "convert with int(...)", error=ArgumentTypeError)
        if isinstance(arg, Static) and not isinstance(arg.value, int):
            reason = f"range needs ints, not {sp.describe(arg)}"
            sp.refuse(node, reason, "convert with int(...)", error=ArgumentTypeError)
    ints = [_python_int(sp, arg, node) for arg in args]
    start, stop = (ZERO, ints[0]) if len(ints) == 1 else (ints[0], ints[1])
    step = ints[2] if len(ints) == 3 else Static(1)
    if isinstance(step, Static) and step.value == 0:
        sp.require(lit(False, BOOL), "ValueError", "range() arg 3 must not be zero", node)
        step = Static(1)
    elif not isinstance(step, Static):
        atom = sp.scalar(step, node).atom
        nonzero = sp.b.prim("ne", atom, lit(0, I64))
        sp.require(nonzero, "ValueError", "range() arg 3 must not be zero", node)
    return RangeV(start, stop, step)


def _python_int(sp: Specialiser, value: Value, node: ast.AST) -> Value:
    if isinstance(value, Static) or (isinstance(value, Scalar) and value.py):
        return value
    return Scalar(sp.convert(value, I64, node), py=True)


@register(zip)
def zip_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (strict,) = bind(sp, "zip", (), kwargs, node, strict=Static(False))
    if sp.static(strict, node, "strict=") and args:
        lengths = [_length(sp, v, node) for v in args]
        if any(n != lengths[0] for n in lengths):
            sizes = TupleV(tuple(index_scalar(n) for n in lengths))
            return run_program(sp, iterators.zip_strict, (sizes, *args), node)
    if sum(map(is_driven, args)) > 1:
        args = [by_position(as_run(sp), v, node) for v in args]
    places = [k for k, v in enumerate(args) if is_driven(v) or _is_sifted(sp, v)]
    if not places:
        return ZipV(tuple(args))
    if len(places) > 1 and places[0] == 0 and isinstance(args[0], GeneratorV):
        side = source_of(as_run(sp), ZipV(tuple(args[1:])), node)
        as_run(sp).generators.begin(args[0], node)  # it may be among the others
        return run_program(sp, iterators.zip_beside, (replace(args[0]), side), node)
    if len(places) > 1 or is_iterator(args[places[0]]) or not is_driven(args[places[0]]):
        side = source_of(as_run(sp), ZipV(tuple(args)), node)
        driven = text_over(as_run(sp), iterators.rows, {"source": side})
        return GeneratorV(node, driven, driven)
    (k,) = places
    before, after = (
        [sp.to_list(ZipV(tuple(values)), node)] if values else []
        for values in (args[:k], args[k + 1 :])
    )
    text = {
        (0, 0): iterators.zip_alone, (0, 1): iterators.zip_before,
        (1, 0): iterators.zip_behind, (1, 1): iterators.zip_between,
    }[len(before), len(after)]  # fmt: skip
    return run_program(sp, text, (*before, args[k], *after), node)


def _is_sifted(sp: Specialiser, value: Value) -> bool:
    """Whether a value is made of some of endless items, which no list can keep."""
    if not isinstance(value, GeneratorV) or value.body is None:
        return False
    with as_run(sp).generators.forgetting():
        items = value.items() if callable(value.items) else value.items
    return has_no_end(items) and indexed(items) is None


def _length(sp: Specialiser, value: Value, node: ast.AST) -> Atom:
    items = sp.iterate(value, node)
    values, found = stepped(items), indexed(items)
    if values is not None:
        return lit(len(values), I64)
    if found is None:
        sp.refuse(node, "zip(strict=True) of a filtered iteration", "make a list of it first")
    return found.length


@register(enumerate)
def enumerate_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    items, start = bind(sp, "enumerate", args, kwargs, node, iterable=MISSING, start=ZERO)
    return EnumerateV(items, start)


@register(reversed)
def reversed_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (items,) = bind(sp, "reversed", args, kwargs, node, sequence=MISSING)
    if isinstance(items, (RecordV, RefV)) and has_special(items, "__reversed__"):
        return sp.call(sp.attribute(items, "__reversed__", node), (), node)
    own = ("__len__", "__getitem__")
    if isinstance(items, (RecordV, RefV)) and has_special(items, *own):
        return run_program(sp, iterators.reversed, args, node)
    optionals.require_items(as_run(sp), items, "'{}' object is not reversible", node)
    if not _has_an_end(items):
        reason = f"{sp.describe(items)} is not reversible"
        sp.refuse(node, reason, "reversed(list(...))", error=ArgumentTypeError)
    return ReversedV(items)


def _has_an_end(items: Value) -> bool:
    """Whether one can go through items from the last one on: not of iterators and sets."""
    if isinstance(items, HashV):
        return issubclass(items.cls, dict)
    made = GeneratorV | ZipV | EnumerateV | ReversedV
    return not isinstance(items, made) and not is_driven(items)


@register(map)
def map_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Return map(f, xs, ...), as the generator (f(x, ...) for x, ... in zip(xs, ...))."""
    if kwargs or len(args) < 2:
        sp.refuse(node, "map needs a function and at least one iterable")
    function, single = args[0], len(args) == 2
    if single and is_driven(args[1]):
        return run_program(sp, iterators.map, args, node)
    if any(map(is_driven, args[1:])):
        return sp.call(Static(itertools.starmap), (function, zip_(sp, args[1:], {}, node)), node)
    items = sp.iterate(args[1] if single else ZipV(tuple(args[1:])), node)

    def apply(item: Value) -> Value:
        if single:
            return generator_ends.item(as_run(sp), function, (item,), node)
        assert isinstance(item, TupleV)
        return generator_ends.item(as_run(sp), function, item.items, node)

    made = iterator(mapped(sp, items, apply, isinstance(function, Static), node), node)
    if isinstance(made, GeneratorV) and made.body is None:
        given = [replace(v) if isinstance(v, GeneratorV) else v for v in args[1:]]  # begun by now
        text, over = (
            (iterators.map, given[0]) if single else (iterators.starmap, ZipV(tuple(given)))
        )
        given_to = {"function": function, "iterable": over}
        return replace(made, body=text_over(as_run(sp), text, given_to))
    return made


@register(tuple)
def tuple_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _sequence(sp, args, kwargs, node, is_list=False)


@register(list)
def list_(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    return _sequence(sp, args, kwargs, node, is_list=True)


def _sequence(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST, is_list: bool) -> Value:
    (x,) = bind(sp, "list" if is_list else "tuple", args, kwargs, node, x=TupleV(()))
    if isinstance(x, TupleV):
        return TupleV(x.items, is_list)
    if isinstance(x, ListV) and x.cls is tuple and not is_list:
        return x
    if isinstance(x, (ListV, ArrayV)):
        made = sp.copied(sp.to_list(x, node))
    elif isinstance(x, RangeV):
        made = sp.to_list(x, node)
    else:
        over = sp.iterate(x, node)
        values = known(over)
        if values is not None:
            return TupleV(values, is_list)
        made = collect(as_run(sp), over, node)
    return made if is_list else as_class(made, tuple)
