"""Functions that a call gives, with variables of their own: counters, accumulators, generators.

    def make():                     a = make()      n@1 = 0;  a reads and rebinds n@1
        n = 0                       b = make()      n@2 = 0;  b reads and rebinds n@2
        def step(): nonlocal n ...
        return step

The variable belonged to a call that has returned, so nobody but the functions that it gave knows
it. It becomes a variable of the function that called (``adopt``), under a name that no program can
have: branches and loops carry it like any other. If the call gave several functions that share a
variable, they share it still (``homes``); and one that the function was given itself (in a function
that it wraps) is that of the caller (``tie``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pullback.frontend.functions.captured_variables import changing, found_at
from pullback.frontend.functions.scopes import Scope, function_scope
from pullback.frontend.kinds.flatten import captures_of, kind_of
from pullback.frontend.kinds.join import join
from pullback.frontend.kinds.values import (
    CellV,
    FunctionV,
    GeneratorV,
    Owner,
    RecordV,
    TupleV,
    Value,
)
from pullback.frontend.state import Home, Variable

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def homes(value: Value, scope: Scope, cells: Mapping[str, Variable]) -> tuple[Home, ...]:
    """Return the places of the variables that the functions in a result may change, in order.
    ``cells`` are the variables of a caller that are known here, in ``scope``."""
    found = list(_changing(value))
    numbers: dict[tuple[Scope, str], int] = {}
    owners = [v.scope.cells.get(v.name, frozenset()) for v in found]
    made: list[Home] = []
    for v, mine in zip(found, owners, strict=False):
        others = (o for w, o in zip(found, owners, strict=False) if w.home != v.home)
        where, name = v.home
        if where is scope and name in cells:
            made.append((cells[name].argument, cells[name].steps))
        elif any(o & mine for o in others):
            made.append(None)
        else:
            made.append(numbers.setdefault(v.home, len(numbers)))
    return tuple(made)


def adopt(
    run: Run, value: Value, known: tuple[Home, ...], functions: dict[str, Value]
) -> None:
    """Give the variables of the functions in a result, which has these ``homes``, a home here.
    ``functions``: the function that gave it, and its arguments."""
    found = list(_changing(value)) if known else []
    if len(found) != len(known):
        return
    mine, names = function_scope(run.scope), dict[int, str]()
    number_here = _number(run, mine, value, found)
    for v, number in zip(found, known, strict=False):
        if number is None or v.scope.live or isinstance(v.scope.names[v.name], CellV):
            continue
        if isinstance(number, tuple):
            target = found_at(functions, *number)
            if target is None or target.home[0] is not mine:
                continue
            name = target.home[1]
        elif number in names:
            name = names[number]
        else:
            name = names[number] = f"{v.name}@{number_here}"
            if name in mine.names:  # of two functions in a result that have such a variable each
                name = names[number] = _new_name(mine, v.name)
            mine.names[name] = v.value
            mine.borrowed.add(name)
            mine.cells[name] = frozenset({Owner("", cell=True)})
        v.scope.names[v.name] = CellV(mine, name)
        if name in mine.cells:
            v.scope.cells[v.name] = mine.cells[name]


def tie(run: Run, value: Value) -> None:
    """Let the variables that the functions in a result captured be looked up when these are called,
    if they are variables of the function here, which may bind them anew. So the name of a function
    that is decorated, in its body, means what the decorator returns."""
    mine = function_scope(run.scope)
    for f in _functions(value):
        for scope, name in captures_of(f) if isinstance(f, FunctionV) else ():
            if scope.live or isinstance(scope.names.get(name), CellV) or name not in mine.locals:
                continue
            if name in mine.cells and scope.cells.get(name) == mine.cells[name]:
                scope.names[name] = CellV(mine, name)


def _new_name(scope: Scope, name: str) -> str:
    k = 1
    while f"{name}@{k}" in scope.names:
        k += 1
    return f"{name}@{k}"


def _number(run: Run, scope: Scope, value: Value, found: Sequence[Variable]) -> int:
    """Return a number for the names of the variables of the functions in a value. In two arms of a
    branch it is the same one if the functions can become one after it, and else another one."""
    functions = tuple(f.definition for f in _functions(value) if isinstance(f, FunctionV))
    kinds, k = {v.name: kind_of(v.value) for v in found}, 0
    while True:
        k += 1
        if any(f"{n}@{k}" in scope.names for n in kinds):
            continue
        met = run.frame.adopted.setdefault(k, [])
        for j, (others, known) in enumerate(met):
            if others != functions or known.keys() != kinds.keys():
                if known.keys() & kinds.keys():
                    break
                continue
            both = {n: join(known[n], kind) for n, kind in kinds.items()}
            if None in both.values():
                break
            met[j] = functions, {n: kind for n, kind in both.items() if kind is not None}
            return k
        else:
            met.append((functions, kinds))
            return k


def _changing(value: Value) -> Iterator[Variable]:
    """Return the variables of functions in a value that these functions rebind, or whose values
    they update."""
    found = {str(k): f for k, f in enumerate(_functions(value))}
    return changing(found)


def _functions(value: Value) -> Iterator[Value]:
    match value:
        case FunctionV() | GeneratorV():
            yield value
        case TupleV(items):
            for v in items:
                yield from _functions(v)
        case RecordV(_, fields):
            for v in fields.values():
                yield from _functions(v)
        case _:
            return


__all__ = ["adopt", "homes", "tie"]
