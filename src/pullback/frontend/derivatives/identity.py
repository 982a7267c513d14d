"""Which nodes are one: a gradient by nodes gives a node that is shared one cotangent.

An object of the user is one node if it becomes one where it is made. A record that is handed on as
its fields may become a node here and there, and a node of one union becomes a node of another for
each place that wants it. Then a derivative by nodes is refused, unless that only happens in the
function that is differentiated: what is made there is not what it is differentiated by.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from pullback.core.quiet import loud_name
from pullback.core.terms import Block, Call, Function, Jvp, Ruled, Vjp, sub_blocks
from pullback.core.traverse import called
from pullback.errors import UnsupportedError
from pullback.frontend.functions.catching import raised_again_version, version
from pullback.frontend.kinds.undefined import any_of
from pullback.frontend.kinds.values import RecordV

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def is_one(run: Run, record: RecordV) -> bool:
    """Whether a record that is put into a node now was made here, with nothing but branches
    between: not outside of a loop, nor of a function that takes it or gives it back."""
    made = run.made.get(record)
    for builder in reversed(run.builders):
        if builder is made:
            return True
        if builder not in run.arms:
            return False
    return False


def callees(block: Block, without: str | None = None) -> Iterator[str]:
    """Iterate over the functions that a block names, but for the derivatives of one."""
    for let in block.lets:
        match let.op:
            case Call(f):
                yield f
            case Vjp(f) | Jvp(f) if f != without:
                yield f
            case Ruled():
                yield from called(let.op)
            case _:
                pass
        for _, inner in sub_blocks(let.op):
            yield from callees(inner, without)


def reached(main: Function, run: Run, without: str | None = None) -> dict[str, Function]:
    """Return the functions that main reaches, main among them."""
    functions, last = {"main": main}, []
    todo = [main]
    while todo:
        for name in callees(todo.pop().body, without):
            known = loud_name(name)
            if known in run.caught.again:
                last.append(name)
            elif name not in functions:
                if known in run.caught.wanted:
                    run.functions[known] = version(run.caught, known, any_of(run))
                functions[name] = run.functions[name]
                todo.append(functions[name])
    for name in last:  # they call nothing
        run.functions[loud_name(name)] = raised_again_version(run.caught, loud_name(name))
        functions[name] = run.functions[name]
    return functions


def settle(run: Run, main: Function, used: Collection[str]) -> None:
    """Refuse, at the end of a program, derivatives by nodes for which one object in two places of a
    tree would be two variables. ``used`` are the functions of the program."""
    for derivative in run.by_nodes if run.splits or run.several else ():
        own = None if derivative.gives_nodes else derivative.function
        around = used if own is None else reached(main, run, own)
        splits = run.splits | run.several if derivative.mixed else run.splits
        if derivative.function in used and not splits.isdisjoint(around):
            raise UnsupportedError(
                "a derivative by nodes, in a program that may make several nodes of one record: of "
                "a parameter, a result, an item, in a loop, or on several paths",
                "put the record into a node where it is made, and hand that on",
                derivative.site,
            )


__all__ = ["callees", "is_one", "reached", "settle"]
