"""Walking over Core: free variables, renaming, mapping, uses, calls.

Nothing here recurses on the length of a program, only on the nesting of its blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from pullback.core.called_python import DRAWS
from pullback.core.prims import SHOW
from pullback.core.terms import (
    TRAVERSALS,
    Atom,
    Block,
    Call,
    Function,
    Jvp,
    Let,
    Op,
    Prim,
    Program,
    Ruled,
    Var,
    Vjp,
    atoms,
    sub_blocks,
)
from pullback.core.types import Array, Named, Sum, Tuple, Type

# --- mapping --------------------------------------------------------------------------------------


def map_children(
    op: Op,
    atom: Callable[[Atom], Atom],
    block: Callable[[Block], Block],
    bind: Callable[[Var], Var] = lambda v: v,
) -> Op:
    """Return ``op`` with ``atom`` applied to the atoms that it reads itself, then ``bind`` to the
    variables that its blocks bind, and ``block`` to those blocks (in the order of execution)."""
    mapped: Op = TRAVERSALS[type(op)].mapped(op, atom, block, bind)
    return mapped


def map_blocks(op: Op, block: Callable[[Block], Block]) -> Op:
    """Return ``op`` with its blocks mapped; most ops have none, and stay as they are."""
    return map_children(op, lambda a: a, block) if sub_blocks(op) else op


def map_functions(program: Program, f: Callable[[Function], Function]) -> Program:
    """The program with every function mapped (by the name that the result has)."""
    functions = [f(fn) for fn in program.functions.values()]
    return Program({fn.name: fn for fn in functions}, program.decls, program.main)


def calls_python(program: Program) -> bool:
    """Whether a program calls Python functions, or prints. A text that Python makes for it does not
    count, nor does a draw of random numbers: nobody sees how often it is made."""
    lets = (let for f in program.functions.values() for let in all_lets(f.body))
    return any(isinstance(let.op, Prim) and _is_seen(let.op, let.vars) for let in lets)


def _is_seen(op: Prim, variables: tuple[Var, ...]) -> bool:
    if op.name == "callback":
        return op.static[0] != DRAWS
    return op.name == SHOW and not variables


def differentiates(program: Program) -> bool:
    """Whether there are derivatives inside of a program."""
    lets = (let for f in program.functions.values() for let in all_lets(f.body))
    return any(isinstance(let.op, (Vjp, Jvp)) for let in lets)


def has_products(program: Program) -> bool:
    """Whether a program multiplies whole matrices."""
    lets = (let for f in program.functions.values() for let in all_lets(f.body))
    return any(isinstance(let.op, Prim) and let.op.name == "product" for let in lets)


# --- renaming -------------------------------------------------------------------------------------

Substitution = dict[Var, Atom]


def substitute(block: Block, substitution: Substitution) -> Block:
    """Replace free variables by atoms; bound variables keep their identity."""
    if not substitution:
        return block

    def atom(a: Atom) -> Atom:
        return substitution.get(a, a) if isinstance(a, Var) else a

    def walk(b: Block) -> Block:
        lets = tuple(Let(x.vars, map_children(x.op, atom, walk), x.site) for x in b.lets)
        return Block(lets, tuple(atom(a) for a in b.results))

    return walk(block)


def refresh(block: Block, substitution: Substitution | None = None) -> Block:
    """A copy of the block: every variable bound in it is new, free ones are substituted.

    ``substitution`` is not changed."""
    s: Substitution = dict(substitution or {})

    def atom(a: Atom) -> Atom:
        return s.get(a, a) if isinstance(a, Var) else a

    def bind(v: Var) -> Var:
        new = Var(v.name, v.type)
        s[v] = new
        return new

    def walk(b: Block) -> Block:
        lets = []
        for x in b.lets:
            op = map_children(x.op, atom, walk, bind)
            lets.append(Let(tuple(bind(v) for v in x.vars), op, x.site))
        return Block(tuple(lets), tuple(atom(a) for a in b.results))

    return walk(block)


# --- variables and lets ---------------------------------------------------------------------------


def all_lets(block: Block) -> Iterator[Let]:
    """Every let of the block, those of nested blocks before the let that they belong to."""
    return iter(_lets(block))


@lru_cache(maxsize=256)
def _lets(block: Block) -> tuple[Let, ...]:
    out: list[Let] = []
    _collect(block, out)
    return tuple(out)


def _collect(block: Block, out: list[Let]) -> None:
    for x in block.lets:
        for _, b in sub_blocks(x.op):
            _collect(b, out)
        out.append(x)


def defined(block: Block) -> set[Var]:
    """The variables bound anywhere in the block."""
    out: set[Var] = set()
    for x in all_lets(block):
        out.update(x.vars)
        for bound, _ in sub_blocks(x.op):
            out.update(bound)
    return out


def uses(block: Block) -> Counter[Var]:
    """How often each variable is read in the block (results count, nested blocks too)."""
    out: list[Atom] = []
    _read(block, out)
    return Counter([a for a in out if isinstance(a, Var)])


def _read(block: Block, out: list[Atom]) -> None:
    for x in block.lets:
        out += atoms(x.op)
        for _, b in sub_blocks(x.op):
            _read(b, out)
    out += block.results


def free_variables(block: Block, bound: Iterable[Var] = ()) -> tuple[Var, ...]:
    """The variables that the block reads but does not bind (nor ``bound``), in order of use."""
    inside = defined(block) | set(bound)
    return tuple(v for v in uses(block) if v not in inside)


def free_variables_of(op: Op) -> tuple[Var, ...]:
    """The variables that an op reads, itself or inside its blocks, in order of use."""
    out = dict.fromkeys(a for a in atoms(op) if isinstance(a, Var))
    for bound, b in sub_blocks(op):
        out.update(dict.fromkeys(free_variables(b, bound)))
    return tuple(out)


def called(op: Op) -> tuple[str, ...]:
    """The functions that the op names."""
    match op:
        case Call(f, _) | Vjp(f, _, _, _) | Jvp(f, _, _, _):
            return (f,)
        case Ruled(f, _, _, rule):
            return (f, *rule.functions)
        case _:
            return ()


@lru_cache(maxsize=256)
def callees(fn: Function) -> tuple[str, ...]:
    """The functions that a function names, in order."""
    out: dict[str, None] = {}
    for x in all_lets(fn.body):
        out.update(dict.fromkeys(called(x.op)))
    return tuple(out)


def run_by(fn: Function) -> tuple[str, ...]:
    """The functions that a function names, but for those of rules, which only derivatives call."""
    names = (
        (x.op.function,) if isinstance(x.op, Ruled) else called(x.op) for x in all_lets(fn.body)
    )
    return tuple(dict.fromkeys(name for some in names for name in some))


def reachable(program: Program) -> tuple[str, ...]:
    """The functions that main needs, main first."""
    seen = {program.main: None}
    todo = [program.main]
    while todo:
        for f in callees(program.functions[todo.pop()]):
            if f not in seen:
                seen[f] = None
                todo.append(f)
    return tuple(seen)



def own_declarations(program: Program) -> frozenset[str]:
    """The declarations of which the program makes and takes apart all nodes itself: none comes in
    or goes out."""
    main = program.functions[program.main]
    todo: list[Type] = [*(p.type for p in main.params), *main.results]
    outside: set[str] = set()
    while todo:
        match todo.pop():
            case Array(elem, _):
                todo.append(elem)
            case Sum(variants):
                todo.extend(t for v in variants for t in v.fields)
            case Tuple(items):
                todo.extend(items)
            case Named(name) if name not in outside:
                outside.add(name)
                todo.extend(t for v in program.decls[name].variants for t in v.fields)
            case _:
                pass
    return frozenset(program.decls.keys() - outside)
