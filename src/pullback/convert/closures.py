"""Closures become data (defunctionalisation of lambda sets): SOURCE -> FIRST_ORDER.

    Fun((Arm(f, ts),))         ->  Tuple(ts)                       one lambda: its captures
    Fun((Arm(f1, ts1), ...))   ->  Sum((Variant(f1, ts1), ...))    several: which, and its captures
    Closure(F, f, cs)          ->  MakeTuple(cs)  or  Inject(f's tag, cs)
    Apply(g, xs)               ->  Call(f, captures of g, xs)  or a Case of such Calls

This is the closure conversion that makes CHAD efficient (Efficient CHAD, section 9): afterwards the
cotangent of a closure is the cotangent of what it captures. A lambda that captures itself does so
through a declaration (``Named``), which the front end introduces: types are finite.

Where a closure of a smaller lambda set flows to a place of a larger one (the arms of an ``If``, an
argument, a captured value, ...), it is coerced there: the types of the places decide.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from pullback.core.terms import (
    AccAdd,
    AccCell,
    AccNew,
    AccRead,
    AccTake,
    Apply,
    Atom,
    Block,
    Build,
    Call,
    Case,
    CaseArm,
    Closure,
    Function,
    If,
    Index,
    Inject,
    Jvp,
    Let,
    Loop,
    MakeTuple,
    Op,
    Prim,
    Program,
    Project,
    Sum_,
    TapePush,
    TapeRead,
    TapeRoom,
    TapeWrite,
    Update,
    Var,
    Vjp,
    While,
)
from pullback.core.types import (
    I64,
    Arm,
    Array,
    Bool,
    Decl,
    Fun,
    Handle,
    Int,
    Named,
    Real,
    Sum,
    Tuple,
    Type,
    Variant,
    replaced_by_update,
)


def convert_closures(program: Program) -> Program:
    """The program without function values."""
    pass_ = _Pass(program)
    functions = {name: _function(pass_, f) for name, f in program.functions.items()}
    decls = {
        name: Decl(name, _variants(d.variants)) for name, d in program.decls.items()
    }
    return Program(functions, decls, program.main)


def first_order_type(t: Type) -> Type:
    """The type of the data that represents a value of type ``t``."""
    match t:
        case Real() | Int() | Bool() | Named() | Handle():
            return t
        case Array(elem, rank):
            return Array(first_order_type(elem), rank)
        case Tuple(items, names, cls):
            return Tuple(tuple(first_order_type(i) for i in items), names, cls)
        case Sum(variants):
            return Sum(_variants(variants))
        case Fun((arm,)):
            return Tuple(tuple(first_order_type(c) for c in arm.captures))
        case Fun(()):
            return Tuple(())  # no lambda at all: the element of an empty list
        case Fun(arms):
            return Sum(_variants(tuple(Variant(a.function, a.captures) for a in arms)))
        case _:
            assert_never(t)


def _variants(variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
    return tuple(Variant(v.name, tuple(first_order_type(f) for f in v.fields)) for v in variants)


@dataclass
class _Pass:
    """The program that is converted, and what its variables have become."""

    program: Program
    env: dict[Var, Atom] = field(default_factory=dict)
    types: dict[Type, Type] = field(default_factory=dict)

    def type(self, t: Type) -> Type:
        found = self.types.get(t)
        if found is None:
            found = self.types[t] = first_order_type(t)
        return found

    def bind(self, var: Var) -> Var:
        t = self.type(var.type)
        new = var if t == var.type else Var(var.name, t)
        self.env[var] = new
        return new

    def binds(self, variables: tuple[Var, ...]) -> tuple[Var, ...]:
        return tuple(self.bind(v) for v in variables)

    def atom(self, atom: Atom) -> Atom:
        return self.env[atom] if isinstance(atom, Var) else atom

    def atoms(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(self.atom(a) for a in atoms)


def _function(p: _Pass, f: Function) -> Function:
    params = p.binds(f.params)
    body = _block(p, f.body, f.results)
    return Function(f.name, params, body, tuple(p.type(t) for t in f.results))


def _block(p: _Pass, block: Block, targets: tuple[Type, ...]) -> Block:
    """The block with its results coerced to the types of the places that they flow to."""
    out: list[Let] = []
    for let in block.lets:
        _let(p, let, out)
    results = _flows(p, block.results, targets, out)
    return Block(tuple(out), results)


def _let(p: _Pass, let: Let, out: list[Let]) -> None:
    """Append the conversion of ``let`` to ``out``."""
    match let.op:
        case Call(name, args):
            f = p.program.functions[name]
            given = _flows(p, args, tuple(v.type for v in f.params), out)
            _emit(p, let, f.results, Call(name, given), out)
        case Apply(function, args):
            _apply(p, let, function, args, out)
        case _:
            op = _op(p, let, out)
            out.append(Let(p.binds(let.vars), op, let.site))


def _emit(p: _Pass, let: Let, actual: tuple[Type, ...], op: Op, out: list[Let]) -> None:
    """Bind ``let.vars`` to ``op``, whose results have the types ``actual``."""
    if all(v.type == t for v, t in zip(let.vars, actual)):
        out.append(Let(p.binds(let.vars), op, let.site))
        return
    raw = tuple(Var(v.name, p.type(t)) for v, t in zip(let.vars, actual))
    out.append(Let(raw, op, let.site))
    for var, value, t in zip(let.vars, raw, actual):
        p.env[var] = _coerce(p, value, t, var.type, out)


def _op(p: _Pass, let: Let, out: list[Let]) -> Op:
    """The converted op; what it needs before it is appended to ``out``."""
    op = let.op
    types = tuple(v.type for v in let.vars)
    match op:
        case Prim(name, args, static):
            converted = tuple(p.type(s) if isinstance(s, Type) else s for s in static)
            return Prim(name, p.atoms(args), converted)
        case MakeTuple(t, items):
            targets = t.items if isinstance(t, Tuple) else ()
            return MakeTuple(p.type(t), _flows(p, items, targets, out))
        case Project(a, i):
            return Project(p.atom(a), i)
        case Inject(t, tag, fields):
            targets = _fields(p, t, tag)
            return Inject(p.type(t), tag, _flows(p, fields, targets, out))
        case Case(a, arms):
            new = tuple(CaseArm(p.binds(m.fields), _block(p, m.body, types)) for m in arms)
            return Case(p.atom(a), new)
        case If(cond, then, orelse):
            return If(p.atom(cond), _block(p, then, types), _block(p, orelse, types))
        case Closure(t, function, captures):
            return _closure(p, t, function, captures, out)
        case Build(extents, indices, body):
            elems = tuple(_elem(t) for t in types)
            return Build(p.atoms(extents), p.binds(indices), _block(p, body, elems))
        case Sum_(extents, indices, body):
            return Sum_(p.atoms(extents), p.binds(indices), _block(p, body, types))
        case Loop(n, index, carried, inits, body):
            states = tuple(c.type for c in carried)
            elems = tuple(_elem(t) for t in types[len(carried) :])
            given = _flows(p, inits, states, out)
            new_index, new_carried = p.bind(index), p.binds(carried)
            new_body = _block(p, body, states + elems)
            return Loop(p.atom(n), new_index, new_carried, given, new_body)
        case While(carried, inits, cond, body):
            states = tuple(c.type for c in carried)
            elems = tuple(_elem(t) for t in types[len(carried) :])
            given = _flows(p, inits, states, out)
            new_carried = p.binds(carried)
            new_cond = _block(p, cond, (cond.results[0].type,))
            return While(new_carried, given, new_cond, _block(p, body, states + elems))
        case Index(a, idx, checked):
            return Index(p.atom(a), p.atoms(idx), checked)
        case Update(a, idx, v, checked):
            value = _flow(p, v, replaced_by_update(a.type, len(idx)), out)
            return Update(p.atom(a), p.atoms(idx), value, checked)
        case Vjp(f, args, wrt, seeds):
            given = _flows(p, args, tuple(v.type for v in p.program.functions[f].params), out)
            return Vjp(f, given, wrt, p.atoms(seeds))
        case Jvp(f, args, wrt, tangents):
            given = _flows(p, args, tuple(v.type for v in p.program.functions[f].params), out)
            return Jvp(f, given, wrt, p.atoms(tangents))
        case Call() | Apply():
            raise AssertionError("handled by _let")
        case (
            AccNew() | AccAdd() | AccRead() | AccTake() | AccCell()
            | TapeRoom() | TapePush() | TapeWrite() | TapeRead()
        ):
            raise AssertionError("accumulators come after ad")
        case _:
            assert_never(op)


def _elem(t: Type) -> Type:
    assert isinstance(t, Array), t
    return t.elem


def _fields(p: _Pass, t: Type, tag: int) -> tuple[Type, ...]:
    match t:
        case Sum(variants):
            return variants[tag].fields
        case Named(name):
            return p.program.decls[name].variants[tag].fields
        case _:
            raise AssertionError(f"not a sum type: {t}")


def _arms(t: Type) -> tuple[Arm, ...]:
    assert isinstance(t, Fun), t
    return t.arms


def _tag(t: Type, function: str) -> int:
    return next(k for k, arm in enumerate(_arms(t)) if arm.function == function)


def _closure(
    p: _Pass, t: Type, function: str, captures: tuple[Atom, ...], out: list[Let]
) -> Op:
    # Closure(F, f, cs)  ->  MakeTuple(cs)  or  Inject(f's tag, cs)
    arms, tag = _arms(t), _tag(t, function)
    fields = _flows(p, captures, arms[tag].captures, out)
    if len(arms) == 1:
        return MakeTuple(p.type(t), fields)
    return Inject(p.type(t), tag, fields)


def _apply(
    p: _Pass, let: Let, function: Atom, args: tuple[Atom, ...], out: list[Let]
) -> None:
    # Apply(g, xs)  ->  Call(f, captures of g, xs)  or a Case of such Calls
    arms, value = _arms(function.type), p.atom(function)
    if len(arms) == 1:
        captures = _projections(p, value, arms[0].captures, out)
        f = p.program.functions[arms[0].function]
        _emit(p, let, f.results, _call(p, arms[0], captures, args, out), out)
        return
    types = tuple(v.type for v in let.vars)
    cases = []
    for arm in arms:
        fields = tuple(Var("capture", p.type(t)) for t in arm.captures)
        lets: list[Let] = []
        f = p.program.functions[arm.function]
        call = _call(p, arm, fields, args, lets)
        raw = tuple(Var(v.name, p.type(t)) for v, t in zip(let.vars, f.results))
        lets.append(Let(raw, call, let.site))
        results = tuple(
            _coerce(p, a, have, want, lets) for a, have, want in zip(raw, f.results, types)
        )
        cases.append(CaseArm(fields, Block(tuple(lets), results)))
    out.append(Let(p.binds(let.vars), Case(value, tuple(cases)), let.site))


def _call(
    p: _Pass, arm: Arm, captures: tuple[Atom, ...], args: tuple[Atom, ...], out: list[Let]
) -> Call:
    """The call of one lambda: ``captures`` are converted atoms, ``args`` are not."""
    params = tuple(v.type for v in p.program.functions[arm.function].params)
    k = len(captures)
    first = tuple(
        _coerce(p, a, have, want, out)
        for a, have, want in zip(captures, arm.captures, params[:k])
    )
    return Call(arm.function, first + _flows(p, args, params[k:], out))


def _projections(
    p: _Pass, value: Atom, types: tuple[Type, ...], out: list[Let]
) -> tuple[Var, ...]:
    """The components of a converted tuple; ``types`` are their types before conversion."""
    parts = tuple(Var("capture", p.type(t)) for t in types)
    out.extend(Let((v,), Project(value, i)) for i, v in enumerate(parts))
    return parts


def _flows(
    p: _Pass, atoms: tuple[Atom, ...], targets: tuple[Type, ...], out: list[Let]
) -> tuple[Atom, ...]:
    assert len(atoms) == len(targets), (atoms, targets)
    return tuple(_flow(p, a, t, out) for a, t in zip(atoms, targets))


def _flow(p: _Pass, atom: Atom, target: Type, out: list[Let]) -> Atom:
    """``atom`` converted, where a value of the (unconverted) type ``target`` is expected."""
    return _coerce(p, p.atom(atom), atom.type, target, out)


def _coerce(p: _Pass, value: Atom, have: Type, want: Type, out: list[Let]) -> Atom:
    """The converted ``value`` of type ``have`` as one of type ``want``: the same but for lambda
    sets that grow."""
    if have == want:
        return value
    match have, want:
        case Fun(()), Fun():
            raise TypeError("a function value that can be no function")
        case Fun((arm,)), Fun():
            captures = _projections(p, value, arm.captures, out)
            return _let1(p, want, _regrown(p, arm, captures, want, out), out)
        case Fun(arms), Fun():
            cases = []
            for arm in arms:
                fields = tuple(Var("capture", p.type(t)) for t in arm.captures)
                lets: list[Let] = []
                grown = _let1(p, want, _regrown(p, arm, fields, want, lets), lets)
                cases.append(CaseArm(fields, Block(tuple(lets), (grown,))))
            return _let1(p, want, Case(value, tuple(cases)), out)
        case Tuple(items), Tuple(wanted):
            parts = _projections(p, value, items, out)
            new = tuple(_coerce(p, a, h, w, out) for a, h, w in zip(parts, items, wanted))
            return _let1(p, want, MakeTuple(p.type(want), new), out)
        case Sum(variants), Sum(wider):
            cases = []
            for tag, (variant, wide) in enumerate(zip(variants, wider)):
                fields = tuple(Var("field", p.type(t)) for t in variant.fields)
                lets = []
                grown_fields = tuple(
                    _coerce(p, a, h, w, lets)
                    for a, h, w in zip(fields, variant.fields, wide.fields)
                )
                result = _let1(p, want, Inject(p.type(want), tag, grown_fields), lets)
                cases.append(CaseArm(fields, Block(tuple(lets), (result,))))
            return _let1(p, want, Case(value, tuple(cases)), out)
        case Array(elem, rank), Array(wide_elem, _):
            extents = tuple(
                _let1(p, I64, Prim("dim", (value,), (axis,)), out) for axis in range(rank)
            )
            indices = tuple(Var("i", I64) for _ in range(rank))
            lets = []
            item = _let1(p, elem, Index(value, indices, False), lets)
            element = _coerce(p, item, elem, wide_elem, lets)
            body = Block(tuple(lets), (element,))
            return _let1(p, want, Build(extents, indices, body), out)
        case _:
            raise TypeError(f"a value of type {have} where {want} is expected")


def _regrown(
    p: _Pass, arm: Arm, captures: tuple[Var, ...], want: Type, out: list[Let]
) -> Op:
    """The closure of ``arm`` in the lambda set ``want``."""
    tag = _tag(want, arm.function)
    target = _arms(want)[tag]
    fields = tuple(
        _coerce(p, a, h, w, out) for a, h, w in zip(captures, arm.captures, target.captures)
    )
    if len(_arms(want)) == 1:
        return MakeTuple(p.type(want), fields)
    return Inject(p.type(want), tag, fields)


def _let1(p: _Pass, t: Type, op: Op, out: list[Let]) -> Var:
    var = Var("coerced", p.type(t))
    out.append(Let((var,), op))
    return var
