"""Selective fusion (Krawiec et al., section 8.7): straight-line code leaves one row on the tape.

The active operations of a block wait until other code needs the id of one of them. Then all
operations that this one comes from become a row (``below``). Its *outputs* are the operation that
was needed and those from which other rows will come. Backward, a row is reverse mode through its
operations (``sweep``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pullback.ad.contributions import Contributions
from pullback.ad.sweep import DerivativeError
from pullback.core.build import Builder, partial
from pullback.core.prims import TABLE
from pullback.core.rows import Mark
from pullback.core.terms import Atom, Block, Let, Prim, Var, sub_blocks
from pullback.core.terms import atoms as atoms_of
from pullback.core.traverse import free_variables
from pullback.core.types import Real

On = Callable[[Atom], bool]
Users = dict[Var, list[Var | None]]
"""By variable: the operations that come from it differentiably, and None for anything else that
wants its id."""


def is_operation(let: Let, on: On, gates: bool = False) -> bool:
    """Whether the let computes an active real from reals by a row of the table with partials. (A
    *gate* chooses one of its arguments instead, and has the id of that one.)"""
    match let.op:
        case Prim(name, _, _) if name != "stop_gradient" and len(let.vars) == 1:
            v = let.vars[0]
            gate = TABLE[name].product == "gate"
            return isinstance(v.type, Real) and on(v) and (gates or not gate)
        case _:
            return False


def differentiable(let: Let, on: On) -> list[Var]:
    """The active arguments of an operation on which its result depends differentiably."""
    assert isinstance(let.op, Prim)
    row = TABLE[let.op.name]
    return [
        a
        for i, a in enumerate(let.op.args)
        if isinstance(a, Var) and on(a) and row.partial(i) is not Mark.ZERO
    ]


def same_id(let: Let, on: On) -> Var | None:
    """Return the argument whose id the let has because it only adds a constant."""
    assert isinstance(let.op, Prim)
    row, from_ = TABLE[let.op.name], differentiable(let, on)
    match from_:
        case [a] if row.product != "gate" and a.type == let.vars[0].type:
            return a if row.partial(let.op.args.index(a)) == 1.0 else None
        case _:
            return None


def wants(let: Let, on: On) -> list[Var]:
    """Return the active variables whose ids a let uses, if the let is no operation."""
    found: dict[Atom, None] = {}
    if any(on(v) for v in let.vars) or not isinstance(let.op, Prim):
        found.update(dict.fromkeys(atoms_of(let.op)))
    for bound, inner in sub_blocks(let.op):
        found.update(dict.fromkeys(free_variables(inner, bound)))
    return [a for a in found if isinstance(a, Var) and on(a)]


def users_of(block: Block, wanted: Iterable[Var], on: On) -> Users:
    """Return the users of each variable of a block; ``wanted`` are those among its results."""
    out: Users = {}
    for v in wanted:
        out.setdefault(v, []).append(None)
    for let in block.lets:
        if is_operation(let, on):
            for a in differentiable(let, on):
                out.setdefault(a, []).append(let.vars[0])
        else:
            for a in wants(let, on):
                out.setdefault(a, []).append(None)
    return out


def below(roots: Iterable[Var], waiting: dict[Var, Let], on: On) -> dict[Var, None]:
    """Return the waiting operations from which the roots come, roots included, in an order that is
    the same in all runs."""
    found: dict[Var, None] = {}
    todo = list(roots)
    while todo:
        v = todo.pop()
        if v not in found:
            found[v] = None
            todo += [a for a in differentiable(waiting[v], on) if a in waiting]
    return found


def sweep(
    b: Builder, lets: Sequence[Let], ct: dict[Var, Atom], value: Callable[[Atom], Atom], on: On,
    sums: Contributions,
) -> None:
    """Emit the cotangents of all variables that the operations come from, given those of their
    results."""
    for let in reversed(lets):
        assert isinstance(let.op, Prim)
        (v,) = let.vars
        if v not in ct:
            continue
        row, values = TABLE[let.op.name], tuple(value(a) for a in let.op.args)
        for i, a in enumerate(let.op.args):
            if not isinstance(a, Var) or not on(a):
                continue
            p = partial(b, row, i, values, value(v))
            if p is Mark.NOT_DIFFERENTIABLE:
                raise DerivativeError(f"{let.op.name!r} has no derivative here", let)
            if isinstance(p, Mark):
                continue
            term = sums.product(b, row, p, ct[v], a.type)
            ct[a] = sums.sum(b, ct[a], term) if a in ct else term


def product_of(lets: Sequence[Let]) -> str | None:
    """Return the primitive that multiplies a partial of any of these operations with a cotangent;
    None if there is none, because a gate stops even infinite values."""
    rules = {TABLE[x.op.name].product for x in lets if isinstance(x.op, Prim)}
    if "gate" in rules:
        return None
    return "mulz" if "mulz" in rules else "mul"


__all__ = ["Users", "below", "differentiable", "is_operation", "product_of", "same_id", "sweep",
           "users_of", "wants"]  # fmt: skip
