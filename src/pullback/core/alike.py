"""Whether two programs are the same but for the names of variables."""

from __future__ import annotations

from pullback.core.terms import Block, CaseArm, Function, Let, Lit, Program, Var

Names = dict[Var, Var]


def alike(x: Program, y: Program) -> bool:
    """Whether the functions of two programs are the same, in the same order, up to the names of
    variables and places in the source."""
    if x is y:
        return True
    if x.main != y.main or list(x.functions) != list(y.functions) or x.decls != y.decls:
        return False
    return all(map(_functions, x.functions.values(), y.functions.values()))


def _functions(x: Function, y: Function) -> bool:
    names: Names = {}
    heads = x.results == y.results and _same(x.params, y.params, names)
    return heads and _same(x.body, y.body, names)


def _same(x: object, y: object, names: Names) -> bool:
    """Whether two parts of programs are the same; a variable that is met for the first time is
    bound there."""
    if type(x) is not type(y):
        return False
    match x, y:
        case Var(), Var():
            return names.setdefault(x, y) is y and x.type == y.type
        case Lit(), Lit():
            return x.type == y.type and repr(x.value) == repr(y.value)
        case tuple(), tuple():
            return len(x) == len(y) and all(_same(a, b, names) for a, b in zip(x, y, strict=False))
        case Let(), Let():
            return _ops(x.op, y.op, names) and _same(x.vars, y.vars, names)
        case Block(), Block():
            return _same(x.lets, y.lets, names) and _same(x.results, y.results, names)
        case CaseArm(), CaseArm():
            return _same(x.fields, y.fields, names) and _same(x.body, y.body, names)
        case _:
            return x == y


def _ops(x: object, y: object, names: Names) -> bool:
    if type(x) is not type(y):
        return False
    parts: tuple[str, ...] = getattr(type(x), "__slots__", ())
    return all(_same(getattr(x, part), getattr(y, part), names) for part in parts)


__all__ = ["alike"]
