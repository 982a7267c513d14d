"""Replace tuples by variables: SOURCE -> FLAT (and, after ad, ACCUMULATING -> ACCUMULATING).

    x : Tuple(t1, t2)          ->  x.0 : t1, x.1 : t2     variables, parameters, results, fields
    a : Array(Tuple(t1, t2))   ->  a.0 : Array(t1), a.1 : Array(t2)          structure of arrays
    MakeTuple, Project         ->  nothing: they rename
    Index, Update, views, Build, emitted results: once per leaf

``leaves_of`` says how a type maps to its leaves; the driver flattens the caller's values in the
same way. An array whose elements have no leaf (an array of empty tuples) keeps its shape as an
array of Bool. ``Vjp`` and ``Jvp`` name arguments by position: a position becomes the positions of
its real leaves.
"""

from __future__ import annotations

from typing import assert_never

from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Call,
    Case,
    CaseArm,
    Function,
    If,
    Index,
    Inject,
    Jvp,
    Let,
    Lit,
    Loop,
    MakeTuple,
    Op,
    Prim,
    Program,
    Project,
    Ruled,
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
from pullback.core.traverse import map_children
from pullback.core.types import (
    BOOL,
    Array,
    Bool,
    Decl,
    Handle,
    Int,
    Named,
    Real,
    Sum,
    Tuple,
    Type,
    Variant,
)


def flatten_tuples(program: Program) -> Program:
    """Return the program without tuples."""
    p = _Pass(program, _real_decls(program.decls))
    functions = {name: _function(p, f) for name, f in program.functions.items()}
    decls = {name: Decl(name, _variants(d.variants)) for name, d in program.decls.items()}
    return Program(functions, decls, program.main)


def leaves_of(t: Type) -> tuple[Type, ...]:
    """The types of the variables that stand for one variable of the first-order type ``t``.

    >>> from pullback.core.types import F64, I64
    >>> leaves_of(Tuple((F64, Array(Tuple((F64, I64)), 1))))
    (Real(bits=64), Array(elem=Real(bits=64), rank=1), Array(elem=Int(bits=64), rank=1))
    """
    match t:
        case Real() | Int() | Bool() | Named() | Handle():
            return (t,)
        case Tuple(items):
            return tuple(leaf for i in items for leaf in leaves_of(i))
        case Array(elem, rank):
            return tuple(Array(leaf, rank) for leaf in _elem_leaves(elem))
        case Sum(variants):
            return (Sum(_variants(variants)),)
        case _:
            assert_never(t)


def _elem_leaves(elem: Type) -> tuple[Type, ...]:
    return leaves_of(elem) or (BOOL,)


def _variants(variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
    return tuple(
        Variant(v.name, tuple(leaf for f in v.fields for leaf in leaves_of(f))) for v in variants
    )


def _names(t: Type, name: str) -> tuple[str, ...]:
    """Return hints for the printer, one per leaf of ``t``."""
    match t:
        case Tuple(items, names):
            labels = names or tuple(str(k) for k in range(len(items)))
            return tuple(
                n for i, s in zip(items, labels, strict=True) for n in _names(i, f"{name}.{s}")
            )
        case Array(elem, _):
            return _names(elem, name) or (name,)
        case _:
            return (name,)


def _real_decls(decls: dict[str, Decl]) -> frozenset[str]:
    """The declarations whose values hold a real number somewhere."""
    found: frozenset[str] = frozenset()
    while True:
        grown = frozenset(
            name
            for name, d in decls.items()
            if any(_has_real(f, found) for v in d.variants for f in v.fields)
        )
        if grown == found:
            return found
        found = grown


def _has_real(t: Type, decls: frozenset[str]) -> bool:
    match t:
        case Real():
            return True
        case Int() | Bool() | Handle():
            return False
        case Array(elem, _):
            return _has_real(elem, decls)
        case Tuple(items):
            return any(_has_real(i, decls) for i in items)
        case Sum(variants):
            return any(_has_real(f, decls) for v in variants for f in v.fields)
        case Named(name):
            return name in decls
        case _:
            assert_never(t)


@dataclass
class _Pass:
    """The program that is flattened, and the leaves of its variables."""

    program: Program
    real_decls: frozenset[str]
    env: dict[Var, tuple[Atom, ...]] = field(default_factory=dict)

    def bind(self, var: Var) -> tuple[Var, ...]:
        leaves = leaves_of(var.type)
        if leaves == (var.type,):
            self.env[var] = (var,)
            return (var,)
        new = tuple(Var(n, t) for n, t in zip(_names(var.type, var.name), leaves, strict=True))
        self.env[var] = new
        return new

    def binds(self, variables: tuple[Var, ...]) -> tuple[Var, ...]:
        return tuple(leaf for v in variables for leaf in self.bind(v))

    def atom(self, atom: Atom) -> tuple[Atom, ...]:
        return self.env[atom] if isinstance(atom, Var) else (atom,)

    def atoms(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(leaf for a in atoms for leaf in self.atom(a))

    def one(self, atom: Atom) -> Atom:
        (leaf,) = self.atom(atom)
        return leaf

    def ones(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(self.one(a) for a in atoms)


def _function(p: _Pass, f: Function) -> Function:
    params = p.binds(f.params)
    results = tuple(leaf for t in f.results for leaf in leaves_of(t))
    return Function(f.name, params, _block(p, f.body), results)


def _block(p: _Pass, block: Block, elements: int = -1) -> Block:
    """The flat block; its results from position ``elements`` on become elements of arrays."""
    out: list[Let] = []
    for let in block.lets:
        _let(p, let, out)
    k = len(block.results) if elements < 0 else elements
    results = p.atoms(block.results[:k])
    for a in block.results[k:]:
        results += p.atom(a) or (Lit(False, BOOL),)
    return Block(tuple(out), results)


def _let(p: _Pass, let: Let, out: list[Let]) -> None:
    """Append the flat form of ``let`` to ``out``."""
    match let.op:
        case MakeTuple(_, items):
            p.env[let.vars[0]] = p.atoms(items)
        case Project(a, i):
            assert isinstance(a.type, Tuple)
            sizes = [len(leaves_of(t)) for t in a.type.items]
            start = sum(sizes[:i])
            p.env[let.vars[0]] = p.atom(a)[start : start + sizes[i]]
        case Prim():
            _prim(p, let, let.op, out)
        case Index(a, idx, checked):
            new = p.bind(let.vars[0])
            for var, leaf in zip(new or (Var("no", BOOL),), p.atom(a), strict=True):
                out.append(Let((var,), Index(leaf, p.ones(idx), checked), let.site))
        case Update(a, idx, value, checked):
            values = p.atom(value) or (Lit(False, BOOL),)
            for var, leaf, v in zip(p.bind(let.vars[0]), p.atom(a), values, strict=True):
                out.append(Let((var,), Update(leaf, p.ones(idx), v, checked), let.site))
        case Vjp(_, args, wrt, _):
            _vjp(p, let, args, wrt, out)
        case _:
            op = _op(p, let.op)
            out.append(Let(p.binds(let.vars), op, let.site))


def _vjp(
    p: _Pass, let: Let, args: tuple[Atom, ...], wrt: tuple[int, ...], out: list[Let]
) -> None:
    """Flatten a Vjp. A cotangent has the type of its argument; for leaves that are not real any
    value will do, so the argument itself is taken."""
    op = _op(p, let.op)
    primal = len(let.vars) - len(wrt)
    new = list(p.binds(let.vars[:primal]))
    for i, cotangent in zip(wrt, let.vars[primal:], strict=False):
        leaves = p.bind(cotangent)
        real = [_has_real(v.type, p.real_decls) for v in leaves]
        new.extend(v for v, is_real in zip(leaves, real, strict=False) if is_real)
        p.env[cotangent] = tuple(
            v if is_real else own
            for v, is_real, own in zip(leaves, real, p.atom(args[i]), strict=False)
        )
    out.append(Let(tuple(new), op, let.site))


def _prim(p: _Pass, let: Let, op: Prim, out: list[Let]) -> None:
    """Flatten a primitive of tuples, which works leaf by leaf; ``dim`` takes any one of the leaves.
    """
    parts = [p.atom(a) for a in op.args]
    if op.name == "dim":
        parts[0] = parts[0][:1]
    new = p.binds(let.vars)
    if not let.vars:
        out.append(Let((), Prim(op.name, p.ones(op.args), op.static), let.site))
    for k, var in enumerate(new):
        args = tuple(leaves[k] if len(leaves) == len(new) else leaves[0] for leaves in parts)
        static = (var.type,) if op.name == "undefined" else op.static
        out.append(Let((var,), Prim(op.name, args, static), let.site))


def _op(p: _Pass, op: Op) -> Op:
    match op:
        case Inject(t, tag, fields):
            return Inject(leaves_of(t)[0], tag, p.atoms(fields))
        case Case(a, arms):
            new = tuple(CaseArm(p.binds(m.fields), _block(p, m.body)) for m in arms)
            return Case(p.one(a), new)
        case If(cond, then, orelse):
            return If(p.one(cond), _block(p, then), _block(p, orelse))
        case Call(f, args):
            return Call(f, p.atoms(args))
        case Build(extents, indices, body):
            return Build(p.ones(extents), p.binds(indices), _block(p, body, 0))
        case Sum_(extents, indices, body):
            return Sum_(p.ones(extents), p.binds(indices), _block(p, body))
        case Loop(n, index, carried, inits, body):
            flat = p.binds(carried)
            p.bind(index)
            return Loop(p.one(n), index, flat, p.atoms(inits), _block(p, body, len(carried)))
        case While(carried, inits, cond, body):
            flat = p.binds(carried)
            test = _block(p, cond)
            return While(flat, p.atoms(inits), test, _block(p, body, len(carried)))
        case Vjp(f, args, wrt, seeds):
            return Vjp(f, p.atoms(args), _wrt(p, f, wrt), p.atoms(seeds))
        case Jvp(f, args, wrt, tangents):
            return Jvp(f, p.atoms(args), _wrt(p, f, wrt), p.atoms(tangents))
        case Ruled(f, args, wrt, rule, names):
            each = tuple(n for n, a in zip(names, args, strict=True) for _ in p.atom(a))
            return Ruled(f, p.atoms(args), _wrt(p, f, wrt), rule, each)
        case MakeTuple() | Project() | Index() | Update() | Prim():
            raise AssertionError("handled by _let")
        case (
            AccNew() | AccAdd() | AccRead() | AccTake()
            | TapeRoom() | TapePush() | TapeWrite() | TapeRead()
        ):
            return map_children(op, p.one, lambda block: block)
        case _:
            assert_never(op)


def _wrt(p: _Pass, function: str, wrt: tuple[int, ...]) -> tuple[int, ...]:
    """The positions of the real leaves of the parameters at positions ``wrt``."""
    leaves = [leaves_of(v.type) for v in p.program.functions[function].params]
    starts = [0]
    for part in leaves:
        starts.append(starts[-1] + len(part))
    return tuple(
        starts[i] + k
        for i in wrt
        for k, leaf in enumerate(leaves[i])
        if _has_real(leaf, p.real_decls)
    )
