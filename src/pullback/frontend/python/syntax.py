"""Analyse the syntax alone: names bound and free, jumps, liveness, refused syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from pullback.frontend.python.attempted import Attempt, Once
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.texts import FunctionNode

Scopes = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

CONSUMER, STATE, STOP = "$consumer", "$state", "$stop"
"""Names in the function of a generator: the consumer of the items, the consumer's state, and the
condition that it wants no further item."""

GIVEN, THROWN = ".given", ".thrown"
"""Names in the function of a generator: what it is sent where it goes on, and the exception that
is thrown there."""


def told(e: ast.AST) -> str | None:
    """Return the variable that gets what the generator of a ``yield from`` has returned."""
    found = vars(e).get("told")
    return found if isinstance(found, str) else None


def tell(e: ast.AST, name: str | None) -> None:
    """Let a ``yield from``, or the loop that it becomes, set a variable to what was returned."""
    if name is not None:
        vars(e)["told"] = name


# --- names ----------------------------------------------------------------------------------------


def own_nodes(root: ast.AST) -> Iterator[ast.AST]:
    """Iterate over the nodes of a statement or expression, without those inside nested functions
    (but with the function's own node, and its defaults and decorators, evaluated at once)."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        inside = _evaluated_at_once(node) if isinstance(node, Scopes) else _children(node)
        todo += [*inside][::-1]


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes right below a node, but for those that say how a name is used."""
    for name in node._fields:
        part = getattr(node, name, None)
        if isinstance(part, list):
            yield from (x for x in part if isinstance(x, ast.AST))
        elif isinstance(part, ast.AST) and name != "ctx":
            yield part


def _evaluated_at_once(node: Scopes) -> Iterator[ast.AST]:
    if isinstance(node, ast.ClassDef):
        return
    yield from node.args.defaults
    yield from (d for d in node.args.kw_defaults if d is not None)
    if not isinstance(node, ast.Lambda):
        yield from node.decorator_list


def pattern_names(pattern: ast.pattern) -> Iterator[str]:
    """Iterate over the names that a pattern binds."""
    for n in ast.walk(pattern):
        if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name is not None:
            yield n.name
        elif isinstance(n, ast.MatchMapping) and n.rest is not None:
            yield n.rest


LIST_UPDATES = frozenset({
    "append", "extend", "pop", "insert", "remove", "clear", "reverse", "sort", "update",
    "setdefault", "add", "discard", "popitem", "move_to_end", "difference_update",
    "intersection_update", "symmetric_difference_update",
})  # fmt: skip
"""The methods that change a list or a dict in place."""


def _updated_by_method(n: ast.AST) -> str | None:
    """Return the name in ``name.append(v)``, ``name[i].append(v)``."""
    match n:
        case ast.Call(ast.Attribute(value, method)) if method in LIST_UPDATES:
            root = root_of(value)
            return root.id if isinstance(root, ast.Name) else None
        case _:
            return None


def target_names(target: ast.expr, updates: bool = True) -> Iterator[str]:
    """Iterate over the names that an assignment target binds or (if asked) updates."""
    match target:
        case ast.Name(name):
            yield name
        case ast.Tuple(elts) | ast.List(elts):
            for e in elts:
                yield from target_names(e, updates)
        case ast.Starred(value):
            yield from target_names(value, updates)
        case ast.Subscript(value=value) | ast.Attribute(value=value) if updates:
            yield from target_names(value)
        case _:
            return


def targets_of(stmt: ast.AST) -> list[ast.expr]:
    match stmt:
        case ast.Assign(targets) | ast.Delete(targets):
            return targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target, value=ast.expr()):
            return [target]
        case ast.For(target=target) | ast.NamedExpr(target=target):
            return [target]
        case _:
            return []


def assigned(stmts: Sequence[ast.AST], updates: bool = True) -> list[str]:
    """Return the names that statements bind or (if asked) update, in order of appearance, each
    once."""
    return list(dict.fromkeys(name for s in stmts for name in _assigned(s, updates)))


@by_node
def _assigned(stmt: ast.AST, updates: bool) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for n in own_nodes(stmt):
        names.update(dict.fromkeys(bound_by(n, updates)))
        changed = _updated_by_method(n) if updates else None
        if changed is not None:
            names[changed] = None
    return tuple(names)


def bound_by(n: ast.AST, updates: bool = False) -> Iterator[str]:
    """Iterate over the names that one node binds or (if asked) whose elements it assigns."""
    for target in targets_of(n):
        yield from target_names(target, updates)
    if isinstance(n, (ast.FunctionDef, ast.ClassDef)):
        yield n.name
    elif isinstance(n, ast.match_case):
        yield from pattern_names(n.pattern)
    elif isinstance(n, (ast.Import, ast.ImportFrom)):
        yield from (a.asname or a.name.split(".")[0] for a in n.names)
    elif isinstance(n, (ast.Yield, ast.YieldFrom)):
        yield from (STATE, STOP)
    name = told(n)
    if name is not None:
        yield name


def bound_anew(stmts: Sequence[ast.AST]) -> set[str]:
    """Return the names that statements bind other than by ``+=`` and its like."""
    return set().union(*map(_bound_anew, stmts))


@by_node
def _bound_anew(stmt: ast.AST) -> frozenset[str]:
    nodes = (n for n in own_nodes(stmt) if not isinstance(n, ast.AugAssign))
    return frozenset(name for n in nodes for name in bound_by(n))


def binds_names(expressions: Sequence[ast.expr]) -> bool:
    """Whether one of the expressions has a ``:=``."""
    return any(map(_binds_names, expressions))


@by_node
def _binds_names(e: ast.expr) -> bool:
    return any(isinstance(n, ast.NamedExpr) for n in ast.walk(e))


def walrus_names(root: ast.AST) -> set[str]:
    """The names that an expression binds by ``:=``, in the function that it stands in."""
    own = (n for n in own_nodes(root) if isinstance(n, ast.NamedExpr))
    return {n.target.id for n in own}


def updated(stmts: Sequence[ast.AST]) -> set[str]:
    """Return the names whose elements are assigned (``a[i] = v``, ``a.append(v)``)."""
    return set().union(*map(_updated, stmts))


@by_node
def _updated(stmt: ast.AST) -> frozenset[str]:
    return frozenset(updated_by(stmt))


def updated_by(stmt: ast.AST) -> Iterator[str]:
    """Iterate over the names whose elements one statement assigns, which may still be changed."""
    for n in own_nodes(stmt):
        by_method = _updated_by_method(n)
        if by_method is not None:
            yield by_method
        subscripts = (sub for target in targets_of(n) for sub in subscripts_of(target))
        yield from (name for sub in subscripts for name in target_names(sub))


def root_of(target: ast.expr) -> ast.expr:
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    return target


@by_node
def updated_inside(node: FunctionNode) -> frozenset[str]:
    """The names whose elements a function assigns, or one that is nested in it."""
    body = _body(node)
    nested = [n for s in body for n in ast.walk(s) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    return frozenset(updated(body)).union(*(updated(_body(n)) for n in nested))


def subscripts_of(target: ast.expr) -> Iterator[ast.Subscript]:
    match target:
        case ast.Subscript():
            yield target
        case ast.Tuple(elts) | ast.List(elts):
            for e in elts:
                yield from subscripts_of(e)
        case _:
            return


def parameters(node: FunctionNode) -> list[str]:
    a = node.args
    return [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)]


def gathering(node: FunctionNode) -> list[str]:
    """Return the names of the parameters that take all other arguments: ``*args``, ``**kwargs``."""
    return [p.arg for p in (node.args.vararg, node.args.kwarg) if p is not None]


def _body(node: FunctionNode) -> list[ast.AST]:
    return [node.body] if isinstance(node, ast.Lambda) else list(node.body)


@by_node
def local_names(node: FunctionNode) -> frozenset[str]:
    """Return the names that are local to a function (as in Python, wherever they are assigned)."""
    bound = frozenset(assigned(_body(node), False)) - rebinds(node)
    return frozenset([*parameters(node), *gathering(node)]) | bound


@by_node
def rebinds(node: FunctionNode) -> frozenset[str]:
    """Return the variables of functions around it that a function declares ``nonlocal``."""
    own = (n for root in _body(node) for n in own_nodes(root))
    return frozenset(name for n in own if isinstance(n, ast.Nonlocal) for name in n.names)


@by_node
def rebound_inside(node: FunctionNode) -> frozenset[str]:
    """The local names that functions and comprehensions nested in a function assign to."""
    inside = (n for root in _body(node) for n in ast.walk(root) if isinstance(n, ast.Nonlocal))
    declared = {name for n in inside for name in n.names}
    own = (n for root in _body(node) for n in own_nodes(root) if isinstance(n, Comprehension))
    declared |= {name for n in own for name in walrus_names(n)}
    return frozenset(declared) & local_names(node)


@by_node
def given_names(node: FunctionNode) -> frozenset[str]:
    """Return the parameters that are never bound anew: their updates can be passed back to the
    caller (``a += d`` updates an array or a list, and a number has no updates to pass back); or
    only where the caller gives none (``if memo is None: memo = {}``)."""
    rest = [s for s in _body(node) if _default_of(s) is None]
    own = (p.arg for p in (node.args.vararg, node.args.kwarg) if p is not None)
    return frozenset([*parameters(node), *own]) - bound_anew(rest)


def _default_of(s: ast.AST) -> str | None:
    """Return the name in ``if name is None: name = ...``."""
    match s:
        case ast.If(
            ast.Compare(ast.Name(name), [ast.Is()], [ast.Constant(None)]),
            [ast.Assign([ast.Name(bound)])],
            [],
        ) if name == bound:
            return name
        case _:
            return None


@by_node
def free_names(node: FunctionNode) -> tuple[str, ...]:
    """Return the names that a function reads from outside, of enclosing functions or globals,
    sorted."""
    return tuple(sorted((reads(_body(node)) | rebinds(node)) - local_names(node)))


def reads(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that these nodes read, those that nested functions read included (but not
    those that these bind themselves)."""
    names: set[str] = set()
    for n in nodes:
        if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Load, ast.Del)):
            names.add(n.id)
        elif isinstance(n, Comprehension):
            bound = {name for g in n.generators for name in target_names(g.target)}
            names |= reads(ast.iter_child_nodes(n)) - bound
            names |= reads([n.generators[0].iter])
            continue
        elif isinstance(n, Scopes):
            if isinstance(n, (ast.FunctionDef, ast.Lambda)):
                names.update(free_names(n))
            elif isinstance(n, ast.ClassDef):
                names |= {inner.id for inner in ast.walk(n) if isinstance(inner, ast.Name)}
            names |= reads(_evaluated_at_once(n))
            continue
        elif isinstance(n, (Once, Attempt)):
            clauses = (clause for level in n.levels for clause in level.clauses)
            names |= reads(c.classes for c in clauses if c.classes is not None)
        elif isinstance(n, ast.AugAssign) or _is_store(n):
            targets = [n.target] if isinstance(n, ast.AugAssign) else targets_of(n)
            names.update(name for t in targets for name in _read_by_target(t, n))
        names |= reads(ast.iter_child_nodes(n))
    return names


def _is_store(n: ast.AST) -> bool:
    return isinstance(n, (ast.Assign, ast.AnnAssign, ast.For, ast.Delete))


def _read_by_target(target: ast.expr, stmt: ast.AST) -> Iterator[str]:
    """Iterate over the names that an assignment reads: ``a[i] = v`` reads a, ``x += v`` reads x."""
    if isinstance(target, ast.Name) and isinstance(stmt, ast.AugAssign):
        yield target.id
    for sub in subscripts_of(target):
        yield from target_names(sub)


def captured_names(stmts: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names that functions nested in these statements read from outside themselves."""
    return frozenset(
        name
        for s in stmts
        for n in own_nodes(s)
        if isinstance(n, (ast.FunctionDef, ast.Lambda))
        for name in free_names(n)
    )


# --- jumps ----------------------------------------------------------------------------------------


def jumps(stmts: Sequence[ast.stmt]) -> frozenset[str]:
    """Return which of return, break and continue can leave these statements."""
    found: set[str] = set()
    for s in stmts:
        match s:
            case ast.Return():
                return frozenset(found | {"return"})
            case ast.Break():
                return frozenset(found | {"break"})
            case ast.Continue():
                return frozenset(found | {"continue"})
            case ast.Raise():
                break
            case ast.If(_, body, orelse):
                found |= jumps(body) | jumps(orelse)
            case ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
                found |= (jumps(body) & {"return"}) | jumps(orelse)
            case ast.Match(_, cases):
                for c in cases:
                    found |= jumps(c.body)
            case ast.With(body=body):
                found |= jumps(body)
            case ast.Try(body, handlers, orelse, final):
                for block in (body, orelse, final, *(h.body for h in handlers)):
                    found |= jumps(block)
            case _:
                pass
    return frozenset(found)


def is_endless(s: ast.stmt) -> bool:
    """Whether a statement is ``while True``."""
    match s:
        case ast.While(ast.Constant(value)) if value:
            return True
        case _:
            return False


def ways_through(stmts: Sequence[ast.stmt]) -> int:
    """Return how many paths lead through statements without jumping (branches that meet count
    once)."""
    ways = 1
    for s in stmts:
        match s:
            case ast.Return() | ast.Break() | ast.Continue() | ast.Raise():
                return 0
            case ast.If(_, body, orelse) if jumps([s]):
                ways *= ways_through(body) + ways_through(orelse)
            case ast.Match(_, cases) if jumps([s]):
                ways *= sum(ways_through(c.body) for c in cases)
            case _:
                pass
    return ways


def size(stmts: Sequence[ast.stmt]) -> int:
    """Return the number of syntax nodes."""
    return sum(map(_size, stmts))


@by_node
def _size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


@by_node
def declared_outside(node: FunctionNode) -> frozenset[str]:
    """Return the names that a function declares ``global`` or ``nonlocal``."""
    inside = [n for root in _body(node) for n in ast.walk(root)]
    return frozenset(
        name for n in inside if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names
    )


@by_node
def is_generator(node: FunctionNode) -> bool:
    """Whether calling the function gives an iterator."""
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for s in _body(node) for n in own_nodes(s))


BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip


UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not",
}  # fmt: skip


COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip

