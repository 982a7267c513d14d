"""Rules of the user's own in reverse mode: a call with a rule becomes code with this derivative.

Forward mode calls a rule for tangents where it stands (``forward``). A reverse sweep differentiates
a copy of the functions, written for this one sweep, in which

    y = f(x), with a rule for tangents     (v, t) = rule(stop x, delta x);  y = plus_delta(v, t)

``delta x`` is 0 and has the derivative of x, ``plus_delta(v, t)`` is v and has the derivative of t.
The rule is linear in its tangents, so its transpose, which the reverse sweep runs, is the
derivative of f. The copy is never differentiated again: derivatives of higher order are those of
the rule itself (``reverse.Reverse.vjp``), and go through forward mode first.

A rule for cotangents is called by the reverse sweep itself (``reverse.Reverse.ruled``). Its tangent
is its transpose in the cotangent, which exists if the rule is linear in it (``linear_rules``).
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.ad.cells import extents_of, indices, real_type, zeros_like
from pullback.ad.linear_rules import Translated, require_linear
from pullback.ad.sweep import DerivativeError, refuse_composite, refuse_data
from pullback.core.build import Builder, lit
from pullback.core.quiet import loud_name
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Function,
    If,
    Let,
    Lit,
    Program,
    Pulls,
    Pushes,
    Ruled,
    Sum_,
    Var,
    Vjp,
)
from pullback.core.traverse import all_lets, map_blocks, refresh
from pullback.core.types import BOOL, Array, Real, Type


def has_rules(function: Function) -> bool:
    """Whether a function calls one that has a rule."""
    return any(isinstance(let.op, Ruled) for let in all_lets(function.body))


def for_one_sweep(
    functions: Translated, name: str, mask: tuple[bool, ...], calls: bool = True
) -> str:
    """Return the name of a copy of a function for a reverse sweep by the parameters of ``mask``; of
    the function itself, if neither it nor what it calls has rules. Rules for cotangents stay where
    ``calls`` is set: the sweep will call them. Where nothing is active, nothing is changed: a rule
    may call the function that it is the rule of."""
    functions.expand_jvps(name)
    ruled = any(has_rules(functions.functions[g]) for g in _calls_of(functions, name))
    if not ruled or not any(mask):
        return name
    out = f"{name}.ruled_" + "".join("1" if on else "0" for on in mask)
    if out not in functions.functions:
        functions.functions[out] = functions.functions[name]  # reserved
        functions.functions[out] = _copy(functions, name, out, mask, calls)
    return out


def by_rules(functions: Translated, main: str, mask: tuple[bool, ...]) -> Program:
    """Return the program of the copy of main for a sweep that calls no rule: where rules for
    cotangents stand, too, is code that has their derivative."""
    name = for_one_sweep(functions, main, mask, calls=False)
    for g in functions.needed(name):
        for let in all_lets(functions.functions[g].body):
            if isinstance(let.op, Vjp):
                _refuse_inside(functions, let, let.op)
    return Program(functions.functions, functions.decls, name)


def _refuse_inside(functions: Translated, let: Let, op: Vjp) -> None:
    """Refuse a derivative inside of a function with rules: the tape would differentiate the copy
    that was made for it."""
    if any(has_rules(functions.functions[g]) for g in functions.needed(op.function)):
        raise DerivativeError(
            "method='dual' of a gradient of a function that has a rule of its own "
            "(method='chad', the default, can)",
            let,
        )


def _calls_of(functions: Translated, name: str) -> dict[str, set[str]]:
    """Return the functions that a function calls, itself among them, with those that each calls."""
    found: dict[str, set[str]] = {}
    work = [name]
    while work:
        g = work.pop()
        if g not in found:
            lets = all_lets(functions.functions[g].body)
            found[g] = {let.op.function for let in lets if isinstance(let.op, Call)}
            work.extend(sorted(found[g]))
    return found


def _copy(
    functions: Translated, name: str, out: str, mask: tuple[bool, ...], calls: bool
) -> Function:
    """Return the copy of one function."""
    f = functions.functions[name]
    active = functions.analysed(name, mask, False).active

    def block(old: Block) -> Block:
        b = Builder()
        for let in old.lets:
            match let.op:
                case Call(g, args):
                    on = tuple(a in active for a in args)
                    target = for_one_sweep(functions, g, on, calls)
                    b.lets.append(Let(let.vars, Call(target, args), let.site))
                case Ruled(g, args, rule=Pulls()) if not calls and _runs_again(functions, let.op):
                    on = tuple(a in active for a in args)
                    target = for_one_sweep(functions, g, on, calls)
                    b.lets.append(Let(let.vars, Call(target, args), let.site))
                case Ruled() if any(v in active for v in let.vars) and (
                    not calls or isinstance(let.op.rule, Pushes)
                ):
                    _expand(functions, let, let.op, calls, b)
                case _:
                    b.lets.append(Let(let.vars, map_blocks(let.op, block), let.site))
        return b.block(old.results)

    params = tuple(Var(p.name, p.type) for p in f.params)
    body = refresh(block(f.body), dict(zip(f.params, params, strict=True)))
    return Function(out, params, body, f.results)


def _runs_again(functions: Translated, op: Ruled) -> bool:
    """Whether a rule is the derivative of its own function (a checkpoint): a sweep that calls no
    rules calls the function, since a row of the Jacobian has all cells of all arguments."""
    again = functions.run_again(op)
    return again is not None and loud_name(again) == op.function


def _expand(functions: Translated, let: Let, op: Ruled, calls: bool, b: Builder) -> None:
    """Emit a call of the rule at tangents that are 0 and have the derivatives of the arguments."""
    spaces = functions.spaces
    refuse_composite(functions.spaces, let, op)
    others = [i for i, a in enumerate(op.args) if i not in op.wrt and spaces.bears(a.type)]
    if others:
        names = tuple(op.names[i] for i in others)
        check = Ruled(op.function, tuple(op.args[i] for i in others), (), op.rule, names)
        b.lets.append(Let((), check, let.site))
    args = tuple(
        b.prim("stop_gradient", a) if isinstance(a, Var) and i in op.wrt else a
        for i, a in enumerate(op.args)
    )
    tangents = tuple(each(b, lambda c, x: c.prim("delta", x), op.args[i]) for i in op.wrt)
    if isinstance(op.rule, Pulls):
        made = _by_rows(functions, let, op, args, tangents, b)
    else:
        if not calls:
            _refuse_transposed(functions, let, op)
        made = tangent_of_rule(functions, let, op, args, tangents, b, calls)
    n = len(functions.result_types(op.function))
    rest = iter(made[n:])
    results: list[Atom] = []
    for y in made[:n]:
        if spaces.bears(y.type):
            y = each(b, lambda c, v, t: c.prim("plus_delta", v, t), y, next(rest))
        results.append(y)
    bind(let.vars, tuple(results), b)


def _by_rows(
    functions: Translated, let: Let, op: Ruled, args: tuple[Atom, ...], tangents: tuple[Atom, ...],
    b: Builder,
) -> tuple[Atom, ...]:
    """Emit the results of a call with a rule for cotangents, and the tangents of those: a row of
    the Jacobian, which is the rule at a unit cotangent, times the tangents."""
    assert isinstance(op.rule, Pulls)
    rule, n = op.rule, len(functions.result_types(op.function))
    made = b.let(Call(rule.forward, args), functions.result_types(rule.forward), let.site)
    values, kept = made[:n], made[n:]
    real = [v for v in values if functions.spaces.bears(v.type)]
    where = range(len(kept), len(kept) + len(real))
    require_linear(functions, rule.backward, where, 0, rule.name, let)
    types = functions.result_types(rule.backward)

    def row(c: Builder, k: int, at: tuple[Atom, ...]) -> Atom:
        """Return the tangent of (an element of) the real result ``k``."""
        seeds = tuple(_unit(c, v, at if i == k else None) for i, v in enumerate(real))
        back = c.let(Call(rule.backward, (*kept, *seeds)), types, let.site)
        total: Atom | None = None
        for g, t in zip(back, tangents, strict=True):
            term = _inner(c, g, t)
            if term.type != real_of(real[k].type):
                term = c.prim("to_real", term, static=(real_of(real[k].type),))
            total = term if total is None else c.prim("add", total, term)
        return total if total is not None else lit(0.0, real_of(real[k].type))

    out: list[Atom] = []
    for k, v in enumerate(real):
        if isinstance(v.type, Array):
            idx, body = indices(v.type.rank), Builder()
            element = row(body, k, idx)
            build = Build(extents_of(b, v), idx, body.block((element,)))
            out += b.let(build, (v.type,))
        else:
            out.append(row(b, k, ()))
    return (*values, *out)


def _unit(b: Builder, like: Var, at: tuple[Atom, ...] | None) -> Atom:
    """Return a cotangent that is 1 in one place, and else 0."""
    if at is None:
        return zero_of(b, like)
    if not isinstance(like.type, Array):
        return lit(1.0, like.type)
    idx, body = indices(like.type.rank), Builder()
    t = real_of(like.type)
    here: Atom = lit(1.0, t)
    for i, j in zip(idx, at, strict=True):
        here = body.prim("select", body.prim("eq", i, j), here, lit(0.0, t))
    return b.let(Build(extents_of(b, like), idx, body.block((here,))), (like.type,))[0]


def _inner(b: Builder, x: Atom, y: Atom) -> Atom:
    """Return the inner product of two numbers or of two arrays."""
    if not isinstance(x.type, Array):
        return b.prim("mul", x, y)
    idx, body = indices(x.type.rank), Builder()
    term = body.prim("mul", body.index(x, idx, checked=False), body.index(y, idx, checked=False))
    total = Sum_(extents_of(b, x), idx, body.block((term,)))
    return b.let(total, (real_of(x.type),))[0]


def real_of(t: Type) -> Real:
    """Return the type of a real, or of the elements of an array of reals."""
    return real_type(t.elem if isinstance(t, Array) else t)


def _refuse_transposed(functions: Translated, let: Let, op: Ruled) -> None:
    """Refuse a rule for tangents that goes through a reverse sweep itself: at a tangent of 0, which
    is all that the tape sees, such a sweep does nothing."""
    assert isinstance(op.rule, Pushes)
    for g in functions.needed(op.rule.tangent):
        if any(isinstance(x.op, Vjp) for x in all_lets(functions.functions[g].body)):
            raise DerivativeError(
                f"the rule of {op.rule.name!r} takes a gradient: method='dual' cannot transpose it "
                "(method='chad', the default, can)",
                let,
            )


def tangent_of_rule(
    functions: Translated, let: Let, op: Ruled, args: tuple[Atom, ...], tangents: tuple[Atom, ...],
    b: Builder, swept: bool | None = None, updated: bool = False,
) -> tuple[Atom, ...]:
    """Emit the results of a call with a rule, and their tangents along those of ``wrt``; ``swept``:
    for a reverse sweep, which calls rules for cotangents or not; ``updated``: an array that the
    rule is given, and may keep, is updated later."""
    results = functions.result_types(op.function)
    real = tuple(t for t in results if functions.spaces.bears(t))
    match op.rule:
        case Pushes(name, tangent):
            count = len(functions.functions[tangent].params)
            where = tuple(range(count - len(tangents), count))
            require_linear(functions, tangent, where, len(results), name, let)
            if swept is not None:
                on = tuple(k in where for k in range(count))
                tangent = for_one_sweep(functions, tangent, on, swept)
            return b.let(Call(tangent, (*args, *tangents)), (*results, *real), let.site)
        case Pulls(name, forward, backward):
            made = b.let(Call(forward, args), functions.result_types(forward), let.site)
            values, kept = made[: len(results)], made[len(results) :]
            refuse_data(functions.spaces, (v.type for v in kept), let)
            kept = tuple(
                b.prim("copy", v) if updated and isinstance(v.type, Array) else v for v in kept
            )
            seeds = tuple(zero_of(b, v) for v in values if functions.spaces.bears(v.type))
            where = tuple(range(len(kept), len(kept) + len(seeds)))
            require_linear(functions, backward, where, 0, name, let)
            types = (*functions.result_types(backward), *real)
            back = b.let(Vjp(backward, (*kept, *seeds), where, tangents), types, let.site)
            return (*values, *back[len(types) - len(real) :])


def refuse_captured(let: Let, active: Callable[[Atom], bool]) -> None:
    """Refuse a call with a rule that captures what is differentiated."""
    op = let.op
    assert isinstance(op, Ruled)
    for i, a in enumerate(op.args):
        if i not in op.wrt and active(a):
            raise DerivativeError(
                f"the derivative by {op.names[i]}, which the rule of {op.rule.name!r} says nothing "
                "about: make it an argument whose cotangent or tangent the rule gives, or take "
                "pb.stop_gradient of it",
                let,
            )


def without_rules(function: Function) -> Function:
    """Return a function in which calls with a rule are calls: it is not differentiated."""

    def block(old: Block) -> Block:
        b = Builder()
        for let in old.lets:
            match let.op:
                case Ruled() if not let.vars:
                    pass
                case Ruled(f, args):
                    b.lets.append(Let(let.vars, Call(f, args), let.site))
                case _:
                    b.lets.append(Let(let.vars, map_blocks(let.op, block), let.site))
        return b.block(old.results)

    if not has_rules(function):
        return function
    return Function(function.name, function.params, block(function.body), function.results)


# -- pieces -------------------------------------------------------------------------------------


def each(b: Builder, fn: Callable[..., Atom], *atoms: Atom) -> Atom:
    """Emit a function of numbers, element by element where they are arrays."""
    t = atoms[0].type
    if not isinstance(t, Array):
        return fn(b, *atoms)
    idx, body = indices(t.rank), Builder()
    value = fn(body, *(body.index(a, idx, checked=False) for a in atoms))
    return b.let(Build(extents_of(b, atoms[0]), idx, body.block((value,))), (t,))[0]


def zero_of(b: Builder, a: Atom) -> Atom:
    """Emit the zero of the type of a number or array."""
    return lit(0.0, a.type) if isinstance(a.type, Real) else zeros_like(b, a)


def bind(variables: tuple[Var, ...], atoms: tuple[Atom, ...], b: Builder) -> None:
    """Bind variables to atoms: an If on a literal stands for the identity."""
    block = Block((), atoms)
    b.lets.append(Let(variables, If(Lit(True, BOOL), block, block)))


__all__ = ["bind", "by_rules", "for_one_sweep", "has_rules", "refuse_captured", "tangent_of_rule",
           "without_rules"]  # fmt: skip
