"""The positional arguments of a call, with those of ``f(t, *params)``.

How many items ``*params`` has is often known only when the program runs. The function says then how
many there must be; that is checked before the call, as Python does it, and they are read one by
one. A function with ``*rest`` gets what is left as one tuple (``REST``).
"""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Hashable, Sequence
from functools import partial
from typing import NoReturn

from pullback.core.frozen import dataclass
from pullback.core.messages import Applied, Leaf, Message
from pullback.core.terms import Lit
from pullback.frontend.interpret.attributes import written
from pullback.frontend.interpret.iteration import collect, indexed, known
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.kinds import ListK, ScalarK
from pullback.frontend.kinds.values import (
    ArrayV,
    FunctionV,
    Indexed,
    Items,
    ListV,
    Static,
    TupleV,
    Unrolled,
    Value,
)
from pullback.frontend.library.compiled_text import function_of, run_program
from pullback.frontend.library.text import rests, selections
from pullback.frontend.library.transposes import columns
from pullback.frontend.memory.long_tuples import as_class
from pullback.frontend.python import records
from pullback.frontend.python.object_classes import is_object_class
from pullback.frontend.python.source import definition_of
from pullback.frontend.run import Run
from pullback.frontend.store import shared_memory

REST = "*"
"""The name among the keywords of a call that a tuple with the last positional arguments has."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The positional parameters of a function that are not optional. ``bound``: how many more come
    before them, which have their arguments (``self``)."""

    function: str
    bound: int
    names: tuple[str, ...]


def _as_function(function: Value) -> FunctionV | None:
    """Return the function that a call runs, as far as its parameters go: it itself, or the
    ``__init__`` of a class, unless that has a ``__new__`` of its own."""
    match function:
        case FunctionV():
            return function
        case Static(type() as cls) if is_object_class(cls) and (
            (init := written(cls, "__init__")) is not None
            and not isinstance(inspect.getattr_static(cls, "__new__"), staticmethod)
        ):
            definition, known = definition_of(init), Static(None)
            count = len(definition.node.args.defaults)
            return FunctionV(definition, None, (known,) * count, (), (known,))
    return None


def parameters_of(function: Value) -> Parameters | None:
    """Return the parameters of a function; None if their number is not fixed."""
    match _as_function(function) or function:
        case FunctionV(definition, bound=bound, defaults=()) if definition.node.args.vararg is None:
            spec = definition.node.args
            names = tuple(p.arg for p in (*spec.posonlyargs, *spec.args))
            return Parameters(definition.qualname, len(bound), names[len(bound) :])
        case Static(type() as cls) if records.is_record_class(cls):
            found = inspect.signature(cls).parameters.values()
            if all(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in found):
                maker = "__new__" if issubclass(cls, tuple) else "__init__"
                names = tuple(p.name for p in found)
                return Parameters(f"{cls.__qualname__}.{maker}", 1, names)
    return None


def spread(run: Run, value: Value, node: ast.AST) -> tuple[Value, ...]:
    """Return the items of ``*value``; their number must be known."""
    found = known(run.iterate(value, node))
    return _refuse(run, value, node) if found is None else found


def _refuse(run: Run, value: Value, node: ast.AST) -> NoReturn:
    run.refuse(
        node,
        f"the arguments {ast.unparse(node)} are the items of {run.describe(value)}: the number of "
        "items must be known at compile time",
        "pass it as one argument, or use a tuple",
    )


def rest_of(function: Value) -> tuple[Parameters, bool] | None:
    """Return the parameters before ``*rest`` of a function or of what makes the objects of a class,
    and whether some of them are optional; None if there is no ``*rest``."""
    match function:
        case FunctionV(definition, bound=bound):
            count = len(bound)
        case Static(type() as cls) if is_object_class(cls):
            init = written(cls, "__init__")
            if init is None:
                return None
            definition, count = definition_of(init), 1
        case _:
            return None
    spec = definition.node.args
    if spec.vararg is None:
        return None
    names = tuple(p.arg for p in (*spec.posonlyargs, *spec.args))
    return Parameters(definition.qualname, count, names[count:]), bool(spec.defaults)


def called(
    run: Run, function: Value, values: Sequence[Value], node: ast.Call
) -> tuple[Value, list[Value], dict[str, Value]]:
    """Return the function that is called, its positional arguments, and those that ``*rest`` takes
    as one tuple, under the name ``REST``. ``values``: as in ``arguments``."""
    if (rows := _transposed(run, function, values, node)) is not None:
        return Static(columns), [rows], {}
    if (made := _apart(run, function, values, node)) is not None:
        return ITSELF, [made], {}
    pieces = _pieces(run, values, node)
    late = next((k for k, items in enumerate(pieces) if known(items) is None), None)
    takes = None if late is None else rest_of(function)
    known_as = function.value if isinstance(function, Static) else None
    by_one = _OF_ONE.get(known_as) if isinstance(known_as, Hashable) else None
    if late is not None and by_one is not None and not node.keywords:
        whole = _tuple_of(run, (), pieces, node.args)
        kind = run.kind(whole, node)
        numbers = isinstance(kind, ListK) and isinstance(kind.elem, ScalarK)
        if known_as in (itertools.chain, itertools.product) or numbers:
            return by_one, [whole], {}
        _refuse(run, values[late], node.args[late])
    if late is not None and (made := _by_length(run, function, pieces, late, node)) is not None:
        return ITSELF, [made], {}
    if late is None or takes is None:
        return function, _read(run, function, values, pieces, node), {}
    parameters, optional = takes
    before = [v for items in pieces[:late] for v in known(items) or ()]
    count = len(parameters.names)
    missing = count - len(before)
    if {k.arg for k in node.keywords} & {*parameters.names, None} or (
        missing > 0 and (optional or _may_raise(node))
    ):
        _refuse(run, values[late], node.args[late])
    rest = _tuple_of(run, before[count:], pieces[late:], node.args[late:])
    if missing <= 0:
        return function, before[:count], {REST: rest}
    each = indexed(run.iterate(rest, node))
    assert each is not None
    n = each.length
    text = Applied(partial(_wrong_number, parameters, len(before), ()), (Leaf(0),))
    message = Message((text,), 1, f"as many arguments as {parameters.function} takes")
    run.require(run.b.prim("ge", n, Lit(missing, n.type)), "TypeError", message, node, n)
    taken = [each.at(Lit(k, n.type)) for k in range(missing)]
    rest = run_program(run, rests.after, (rest, Static(missing)), node)
    return function, [*before, *taken], {REST: rest}


def _transposed(
    run: Run, function: Value, values: Sequence[Value], node: ast.Call
) -> Value | None:
    """Return the rows of ``zip(*rows)``, whose number only the run knows. None: it is no such call.
    """
    match function, node.args, node.keywords:
        case Static(value), [ast.Starred()], [] if value is zip:
            rows = shared_memory.source(run, values[0], node)
            return rows if isinstance(rows, (ListV, ArrayV)) else None
        case _:
            return None


def _apart(
    run: Run, function: Value, values: Sequence[Value], node: ast.Call
) -> Value | None:
    """Return what ``f(a, *t)`` gives where t may be one of several tuples: the call is compiled for
    each of them. None: it is no such call."""
    spread_at = [k for k, a in enumerate(node.args) if isinstance(a, ast.Starred)]
    if len(spread_at) != 1 or node.keywords or not optionals.may_be_tuple(values[spread_at[0]]):
        return None
    (k,) = spread_at

    def with_part(part: Value) -> Value:
        given = [*values[:k], part, *values[k + 1 :]]
        f, args, kwargs = called(run, function, given, node)
        return run.call(f, args, node, kwargs)

    return optionals.apart(run, values[k], with_part, node)


_MOST_CALLS = 4
"""A call is compiled for at most so many numbers of arguments, of which only the run knows which it
is."""


def _by_length(
    run: Run, function: Value, pieces: Sequence[Items], late: int, node: ast.Call
) -> Value | None:
    """Return what ``f(a, *items)`` gives where some parameters of f are optional: the call is
    compiled for each number of items with which one of them has its default. None: it is no such
    call."""
    named = {k.arg: k.value for k in node.keywords if k.arg is not None}
    takes = _as_function(function)
    if takes is None or late != len(pieces) - 1 or len(named) < len(node.keywords):
        return None
    spec = takes.definition.node.args
    every = tuple(p.arg for p in (*spec.posonlyargs, *spec.args))[len(takes.bound) :]
    needed = every[: len(every) - len(takes.defaults)]
    end = next((k for k, n in enumerate(every) if n in named), len(every))
    optional = max(end - len(needed), 0)  # no item goes to those from ``end`` on
    before = [v for items in pieces[:late] for v in known(items) or ()]
    least, most = end - optional - len(before), end - len(before)
    if (
        not takes.defaults or most < bool(optional) or most - max(least, 0) > _MOST_CALLS
        or not {*needed[end:]} <= named.keys() or not {*spec.posonlyargs}.isdisjoint(named)
    ):  # fmt: skip
        return None
    items = _tuple_of(run, (), pieces[late:], node.args[late:])
    given = {n: run.evaluate(e) for n, e in named.items()}
    each = indexed(run.iterate(items, node))
    assert each is not None
    n = each.length
    taken = Parameters(takes.definition.qualname, len(takes.bound), every)
    by_name = tuple(k for k in named if k in every)
    more = spec.vararg is not None and not by_name
    told = partial(
        _wrong_count, taken, len(takes.defaults), len(before), by_name, len(named) - len(by_name)
    )
    right = run.b.prim("ge", n, Lit(least, n.type))
    if not more:
        right = run.b.prim("and", right, run.b.prim("le", n, Lit(most, n.type)))
    plain = f"as many arguments as {taken.function} takes"
    message = Message((Applied(told, (Leaf(0),)),), 1, plain)
    run.require(right, "TypeError", message, node, n)

    def with_items(count: int) -> Value:
        first = [*before, *(each.at(Lit(k, n.type)) for k in range(count))]
        if count < most:
            is_it = run.b.prim("eq", n, Lit(count, n.type))
            return run.branch(
                is_it, lambda: run.call(function, first, node, given),
                lambda: with_items(count + 1), node,
            )  # fmt: skip
        rest = dict(given)
        if more:
            rest[REST] = run_program(run, rests.after, (items, Static(most)), node)
        return run.call(function, first, node, rest)

    return with_items(max(least, 0))


def _wrong_count(
    takes: Parameters, optional: int, others: int, by_name: tuple[str, ...], only: int, n: int
) -> str:
    """Return Python's message for ``n`` items behind other arguments of a function of whose
    parameters the last ones are optional. ``only``: how many come by names that are nothing else.
    """
    given, most = others + n, takes.bound + len(takes.names)
    if given <= len(takes.names) or any(takes.names.index(k) < given for k in by_name):
        needed = takes.names[: len(takes.names) - optional]
        twice = any(takes.names.index(k) < given for k in by_name)
        names = takes.names if twice else needed
        known_by = tuple(k for k in by_name if k in names)
        return _wrong_number(Parameters(takes.function, takes.bound, names), others, known_by, n)
    were = "was" if takes.bound + given == 1 else "were"
    said = f"{takes.bound + given}"
    if only:
        ends = ["" if count == 1 else "s" for count in (takes.bound + given, only)]
        said += f" positional argument{ends[0]} (and {only} keyword-only argument{ends[1]})"
        were = "were"
    return (
        f"{takes.function}() takes from {most - optional} to {most} positional arguments but "
        f"{said} {were} given"
    )


ITSELF = function_of(rests.itself)
_OF_ONE: dict[object, Value] = {
    max: function_of(rests.largest), min: function_of(rests.least),
    itertools.chain: Static(itertools.chain.from_iterable),
    itertools.product: function_of(selections.product),
}  # fmt: skip
"""Functions of the library that take any number of arguments: those that take a tuple of them."""


def _tuple_of(
    run: Run, first: Sequence[Value], pieces: Sequence[Items], nodes: Sequence[ast.AST]
) -> Value:
    """Return a tuple of these items and of all that is spread."""
    made: Value = TupleV(tuple(first))
    for items, node in zip(pieces, nodes, strict=True):
        found = known(items)
        more = as_class(collect(run, items, node), tuple) if found is None else TupleV(found)
        made = run.binop("+", made, more, node)
    return made


def _pieces(run: Run, values: Sequence[Value], node: ast.Call) -> list[Items]:
    return [
        run.iterate(value, a) if isinstance(a, ast.Starred) else Unrolled((value,))
        for value, a in zip(values, node.args, strict=True)
    ]


def _may_raise(node: ast.Call) -> bool:
    """Whether a keyword of a call may raise, which it does before the number of the arguments is
    looked at."""
    return any(k.arg is None or not _is_simple(k.value) for k in node.keywords)


def _is_simple(node: ast.expr) -> bool:
    """Whether an expression is a name, or a literal, which may have a sign."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, (ast.Name, ast.Constant))


def arguments(run: Run, function: Value, values: Sequence[Value], node: ast.Call) -> list[Value]:
    """Return the arguments; ``values`` are what they, and what is spread, are in the source."""
    return _read(run, function, values, _pieces(run, values, node), node)


def _read(
    run: Run, function: Value, values: Sequence[Value], pieces: list[Items], node: ast.Call
) -> list[Value]:
    """Return the items of what is spread one by one."""
    waiting = [k for k, items in enumerate(pieces) if not isinstance(items, Unrolled)]
    takes = parameters_of(function)
    if waiting and (takes is None or len(waiting) > 1 or _may_raise(node)):
        _refuse(run, values[waiting[-1]], node.args[waiting[-1]])
    for k in waiting:
        assert takes is not None
        count = sum(len(known(items) or ()) for items in pieces)
        items = indexed(pieces[k])
        if items is None:
            items = indexed(run.iterate(collect(run, pieces[k], node.args[k]), node.args[k]))
        assert items is not None
        pieces[k] = Unrolled(_as_many_as_wanted(run, values[k], items, takes, count, node))
    return [value for items in pieces for value in known(items) or ()]


def _as_many_as_wanted(
    run: Run, value: Value, items: Indexed, takes: Parameters, others: int, node: ast.Call
) -> tuple[Value, ...]:
    """Return the items of a value that is spread among ``others`` more arguments, and check that
    there are as many as the function asks for."""
    by_name = tuple(k.arg for k in node.keywords if k.arg and k.arg in takes.names)
    wanted = len(takes.names) - others - len(by_name)
    if wanted < 0:
        _refuse(run, value, node)
    n = items.length
    text = Applied(partial(_wrong_number, takes, others, by_name), (Leaf(0),))
    message = Message((text,), 1, f"as many arguments as {takes.function} takes")
    run.require(run.b.prim("eq", n, Lit(wanted, n.type)), "TypeError", message, node, n)
    return tuple(items.at(Lit(k, n.type)) for k in range(wanted))


def _wrong_number(takes: Parameters, others: int, by_name: Sequence[str], n: int) -> str:
    """Return Python's message for ``n`` items among other arguments."""
    given = others + n
    twice = [name for name in by_name if takes.names.index(name) < given]
    if twice:
        return f"{takes.function}() got multiple values for argument {twice[0]!r}"
    if given > len(takes.names):
        most, all_given = takes.bound + len(takes.names), takes.bound + given
        were = "was" if all_given == 1 else "were"
        plural = "" if most == 1 else "s"
        return (
            f"{takes.function}() takes {most} positional argument{plural} but {all_given} {were} "
            "given"
        )
    missing = [repr(name) for name in takes.names[given:] if name not in by_name]
    last = " and ".join(missing[-2:]) if len(missing) < 3 else f"{missing[-2]}, and {missing[-1]}"
    plural = "" if len(missing) == 1 else "s"
    return (
        f"{takes.function}() missing {len(missing)} required positional argument{plural}: "
        + ", ".join([*missing[:-2], last])
    )


__all__ = ["ITSELF", "REST", "arguments", "called", "spread"]
