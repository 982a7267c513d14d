"""Quiet copies of functions: they do what the function does, but call nothing of Python.

A derivative may run a function again whose value the program has already: a checkpoint, each
direction of a Jacobian. What the function prints, it has printed then. So the call is one of the
quiet copy, by its name, and the copies are made when the program is complete.

    f(x) = show x; y = g(x); ...        f.quiet(x) = y = g.quiet(x); ...
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pullback.core.messages import Message
from pullback.core.prims import SHOW
from pullback.core.terms import (
    Block,
    Call,
    Function,
    Jvp,
    Let,
    Op,
    Prim,
    Program,
    Pulls,
    Ruled,
    Vjp,
)
from pullback.core.traverse import all_lets, called, map_blocks, reachable

_QUIET = ".quiet"


class Functions(dict[str, Function]):
    """Functions by name, and the quiet copies of all of them."""

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        return isinstance(name, str) and name.endswith(_QUIET) and name.removesuffix(_QUIET) in self

    def __missing__(self, name: str) -> Function:
        if not name.endswith(_QUIET):
            raise KeyError(name)
        f = self[name.removesuffix(_QUIET)]
        return Function(name, f.params, Block(quiet_lets(f.body.lets), f.body.results), f.results)


def quiet_name(name: str) -> str:
    """Return the name of the quiet copy of a function."""
    return name if name.endswith(_QUIET) else name + _QUIET


def loud_name(name: str) -> str:
    """Return the name of the function of which this is the quiet copy, or itself."""
    return name.removesuffix(_QUIET)


def quiet_lets(lets: Iterable[Let]) -> tuple[Let, ...]:
    """Return the lets without calls of Python; functions are their quiet copies."""
    return tuple(
        Let(x.vars, _quiet(x.op), x.site)
        for x in lets
        if not _is_call(x.op)
    )


def _quiet(op: Op) -> Op:
    named = _renamed(op, {name: quiet_name(name) for name in called(op)})
    return map_blocks(named, lambda b: Block(quiet_lets(b.lets), b.results))


def _renamed(op: Op, names: Mapping[str, str]) -> Op:
    match op:
        case Call(f, args):
            return Call(names.get(f, f), args)
        case Vjp(f) | Jvp(f):
            return replace(op, function=names.get(f, f))
        case Ruled(f, _, _, rule):
            if isinstance(rule, Pulls):
                forward, backward = (names.get(g, g) for g in (rule.forward, rule.backward))
                rule = Pulls(rule.name, forward, backward)
            else:
                rule = replace(rule, tangent=names.get(rule.tangent, rule.tangent))
            return replace(op, function=names.get(f, f), rule=rule)
        case _:
            return op


def quiet_function(functions: dict[str, Function], name: str) -> str:
    """Return the name of a function that does what this one does but calls nothing of Python: its
    quiet copy, which is added with those of all that it runs, or itself if it calls nothing."""
    run = reachable(Program(functions, {}, name))
    if not any(_is_call(let.op) for g in run for let in all_lets(functions[g].body)):
        return name
    known = Functions(functions)
    functions.update({quiet_name(g): known[quiet_name(g)] for g in run})
    return quiet_name(name)


def without_needless(functions: dict[str, Function]) -> dict[str, Function]:
    """Return the functions without quiet copies, if nothing calls Python."""
    copies = [name for name in functions if name.endswith(_QUIET)]
    if not copies:
        return functions
    if any(_is_call(let.op) for f in functions.values() for let in all_lets(f.body)):
        return functions
    names = {name: name.removesuffix(_QUIET) for name in copies}

    def walk(block: Block) -> Block:
        lets = (Let(x.vars, map_blocks(_renamed(x.op, names), walk), x.site) for x in block.lets)
        return Block(tuple(lets), block.results)

    return {
        names.get(name, name): Function(names.get(name, name), f.params, walk(f.body), f.results)
        for name, f in functions.items() if names.get(name) not in functions
    }  # fmt: skip


def _is_call(op: Op) -> bool:
    return isinstance(op, Prim) and op.name == SHOW and not _gives(op)


def _gives(op: Prim) -> bool:
    return any(isinstance(message, Message) and message.gives for message in op.static)


__all__ = [
    "Functions", "loud_name", "quiet_function", "quiet_lets", "quiet_name", "without_needless",
]  # fmt: skip
