"""The positional arguments of a call, with those of ``f(t, *params)``.

How many items ``*params`` has is often known only when the program runs. The function says then how
many there must be; that is checked before the call, as Python does it, and they are read one by
one.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from pullback.core.frozen import dataclass
from pullback.core.messages import Applied, Leaf, Message
from pullback.core.terms import Lit
from pullback.frontend.interpret.iteration import collect, indexed, known
from pullback.frontend.kinds.values import FunctionV, Indexed, Items, Static, Unrolled, Value
from pullback.frontend.python import records
from pullback.frontend.run import Run


@dataclass(frozen=True, slots=True)
class Parameters:
    """The positional parameters of a function that are not optional. ``bound``: how many more come
    before them, which have their arguments (``self``)."""

    function: str
    bound: int
    names: tuple[str, ...]


def parameters_of(function: Value) -> Parameters | None:
    """Return the parameters of a function; None if their number is not fixed."""
    match function:
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


def arguments(run: Run, function: Value, values: Sequence[Value], node: ast.Call) -> list[Value]:
    """Return the arguments; ``values`` are what they, and what is spread, are in the source."""
    pieces: list[Items] = [
        run.iterate(value, a) if isinstance(a, ast.Starred) else Unrolled((value,))
        for value, a in zip(values, node.args, strict=True)
    ]
    waiting = [k for k, items in enumerate(pieces) if not isinstance(items, Unrolled)]
    takes = parameters_of(function)
    simple = ast.Name, ast.Constant  # what else is in keywords could raise before
    others = [k for k in node.keywords if k.arg is None or not isinstance(k.value, simple)]
    if waiting and (takes is None or len(waiting) > 1 or others):
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


__all__ = ["arguments", "spread"]
