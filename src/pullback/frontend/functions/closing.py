"""Join points become closed functions: lambda lifting, in Core.

The consumer of a generator is a function of Core that is made where the generator is consumed, and
reads variables from there; the generator's body calls it, and so do those that it hands its items
on from. What such a function reads from outside becomes a parameter of it, and of all functions
between it and the place where it was made:

    f(x) = ... g(s) ...    g(s) = ... c(s, i) ...    c(s, i) = s + x * i
    f(x) = ... g(s, x) ... g(s, y) = ... c(s, i, y) ...    c(s, i, z) = s + z * i

A copy of a function (one that prints nothing, one that gives the number of a clause) binds the
variables of the function until then: the copy of a join point reads those of the copy.
"""

from __future__ import annotations

from pullback.core.terms import (
    Atom,
    Block,
    Call,
    Function,
    Jvp,
    Let,
    Op,
    Pulls,
    Pushes,
    Ruled,
    Var,
    Vjp,
)
from pullback.core.traverse import (
    all_lets,
    called,
    defined,
    map_blocks,
    refresh,
    substitute,
    uses,
)


def closed(functions: dict[str, Function]) -> dict[str, Function]:
    """Return the functions without free variables."""
    bound = {name: defined(f.body) | set(f.params) for name, f in functions.items()}
    needed = {
        name: {v: None for v in uses(f.body) if v not in bound[name]}
        for name, f in functions.items()
    }
    if not any(needed.values()):
        return _with_own_variables(functions, bound)
    calls = {name: _called(f.body) for name, f in functions.items()}
    ruled = {
        let.op.function: let.op
        for f in functions.values() for let in all_lets(f.body) if isinstance(let.op, Ruled)
    }  # fmt: skip
    changed = True
    while changed:
        changed = False
        for name in functions:
            for callee in calls[name]:
                more = {v: None for v in needed[callee] if v not in bound[name]}
                if not more.keys() <= needed[name].keys():
                    needed[name] |= more
                    changed = True
        for op in ruled.values():  # what one of them needs, all of them get
            whole = {v: None for name in called(op) for v in needed[name]}
            changed = changed or any(len(needed[name]) < len(whole) for name in called(op))
            needed.update({name: dict(whole) for name in called(op)})
    places = _places(functions, ruled)
    made = {name: _with_parameters(f, needed, places.get(name)) for name, f in functions.items()}
    return _with_own_variables(made, bound)


def _with_own_variables(
    functions: dict[str, Function], bound: dict[str, set[Var]]
) -> dict[str, Function]:
    taken: set[Var] = set()
    made = {}
    for name, f in functions.items():
        made[name] = f if taken.isdisjoint(bound[name]) else _renewed(f)
        taken |= bound[name]
    return made


def _renewed(f: Function) -> Function:
    params = tuple(Var(v.name, v.type) for v in f.params)
    given: dict[Var, Atom] = dict(zip(f.params, params, strict=True))
    return Function(f.name, params, refresh(f.body, given), f.results)


def _called(block: Block) -> list[str]:
    return list(dict.fromkeys(name for let in all_lets(block) for name in called(let.op)))


Places = tuple[int, bool]
"""How many parameters stay in front of the new ones, and whether these become results, too."""


def _places(functions: dict[str, Function], ruled: dict[str, Ruled]) -> dict[str, Places]:
    """Return the places of the new parameters of the functions of rules: beside the arguments
    (before the tangents), beside the residuals (before the seeds)."""
    places: dict[str, Places] = {}
    for name, op in ruled.items():
        count = len(functions[name].params)
        match op.rule:
            case Pushes(_, tangent):
                places[tangent] = count, False
            case Pulls(_, forward, backward):
                kept = len(functions[forward].results) - len(functions[name].results)
                places[forward], places[backward] = (count, True), (kept, False)
    return places


def _with_parameters(
    f: Function, needed: dict[str, dict[Var, None]], place: Places | None
) -> Function:
    def walk(block: Block) -> Block:
        return Block(tuple(Let(x.vars, call(x.op), x.site) for x in block.lets), block.results)

    def call(op: Op) -> Op:
        match op:
            case Call(g, args) if needed[g]:
                return Call(g, (*args, *needed[g]))
            case Vjp(g, args, wrt, seeds) if needed[g]:
                return Vjp(g, (*args, *needed[g]), wrt, seeds)
            case Jvp(g, args, wrt, tangents) if needed[g]:
                return Jvp(g, (*args, *needed[g]), wrt, tangents)
            case Ruled(g, args, wrt, rule, names) if needed[g]:
                more = tuple(repr(v.name) for v in needed[g])
                return Ruled(g, (*args, *needed[g]), wrt, rule, (*names, *more))
            case _:
                return map_blocks(op, walk)

    own: dict[Var, Atom] = {v: Var(v.name, v.type) for v in needed[f.name]}
    count, given = place if place is not None else (len(f.params), False)
    new = tuple(v for v in own.values() if isinstance(v, Var))
    body = substitute(walk(f.body), own)
    if given:
        body = Block(body.lets, (*body.results, *new))
    types = tuple(a.type for a in body.results) if given else f.results
    return Function(f.name, (*f.params[:count], *new, *f.params[count:]), body, types)


__all__ = ["closed"]
