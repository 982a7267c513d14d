"""Look into definitions of functions, and put them together from pieces (``refactoring.py``)."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Iterator, Sequence

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef,
          ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


# --- what a function has ------------------------------------------------------------------------


def inside(nodes: Sequence[ast.AST], scopes: tuple[type[ast.AST], ...] = SCOPES,
           ) -> Iterator[ast.AST]:  # fmt: skip
    """All nodes in the order of the source, without what is in scopes of its own."""
    for node in nodes:
        yield node
        if not isinstance(node, scopes):
            yield from inside(list(ast.iter_child_nodes(node)), scopes)


def parameters(fd: ast.FunctionDef) -> list[str]:
    """The names of the parameters, without those of ``*args`` and ``**kwargs``."""
    return [a.arg for a in (*fd.args.posonlyargs, *fd.args.args, *fd.args.kwonlyargs)]


def stored(fd: ast.FunctionDef) -> set[str]:
    """The names that assignments of the function itself set."""
    return {x.id for x in inside(fd.body)
            if isinstance(x, ast.Name) and not isinstance(x.ctx, ast.Load)}  # fmt: skip


def bound_otherwise(fd: ast.FunctionDef) -> set[str]:
    """Names that are bound where only a name may stand, or in a scope inside the function."""
    found: set[str] = set()
    for x in itertools.chain.from_iterable(map(ast.walk, fd.body)):
        match x:
            case ast.NamedExpr(target=ast.Name(id=name)):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {(a.asname or a.name).partition(".")[0] for a in names}
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found |= {*names}
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                found.add(name)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.arg(arg=name):
                found.add(name)
            case _ if isinstance(x, SCOPES):
                pass
            case _:
                continue
        if isinstance(x, SCOPES):
            found |= {n.id for n in ast.walk(x)
                      if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}  # fmt: skip
    return found


def is_generator(fd: ast.FunctionDef) -> bool:
    return any(isinstance(x, ast.Yield | ast.YieldFrom) for x in inside(fd.body, FUNCTIONS))


def ends(body: Sequence[ast.stmt]) -> bool:
    """Whether what follows the statements is never reached."""
    match body[-1]:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=first, orelse=[_, *_] as other):
            return ends(first) and ends(other)
        case ast.While(test=ast.Constant(value=True), body=loop):
            return not any(isinstance(x, ast.Break) for x in inside(loop))
        case ast.With(body=managed):
            return ends(managed)
        case ast.Try(body=tried, handlers=handlers, orelse=other):
            return ends(other or tried) and all(ends(h.body) for h in handlers)
        case ast.Match(cases=cases):
            last = cases[-1]
            always = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
            return always and last.guard is None and all(ends(c.body) for c in cases)
    return False


def returns_within(fd: ast.FunctionDef, *kinds: type[ast.stmt]) -> list[ast.stmt]:
    """The statements of these kinds that hold a ``return`` of the function."""
    return [
        x for x in inside(fd.body)
        if isinstance(x, kinds)
        and any(isinstance(r, ast.Return) for r in inside(list(ast.iter_child_nodes(x))))
    ]  # fmt: skip


def fresh(fd: ast.FunctionDef, name: str) -> str:
    """The name, with as many underscores as make it a name that the function does not have."""
    taken = {x.id for x in ast.walk(fd) if isinstance(x, ast.Name)}
    taken |= {x.arg for x in ast.walk(fd) if isinstance(x, ast.arg)} | bound_otherwise(fd)
    while name in taken:
        name += "_"
    return name


# --- pieces of programs -------------------------------------------------------------------------


def parsed(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def split(fd: ast.FunctionDef) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The docstring, and the statements."""
    has = ast.get_docstring(fd) is not None and len(fd.body) > 1
    return (fd.body[:1], fd.body[1:]) if has else ([], fd.body)


def with_body(fd: ast.FunctionDef, body: Sequence[ast.stmt]) -> ast.FunctionDef:
    """The definition with other statements after its docstring."""
    new = copy.copy(fd)
    new.body = [*split(fd)[0], *body]
    return new


def apart(fd: ast.FunctionDef, name: str, body: Sequence[ast.stmt]) -> ast.FunctionDef:
    """A function of the same parameters, without defaults and annotations."""
    args = copy.deepcopy(fd.args)
    args.defaults, args.kw_defaults = [], [None for _ in args.kwonlyargs]
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    for a in filter(None, every):
        a.annotation = None
    made = parsed(f"def {name}(): pass")[0]
    assert isinstance(made, ast.FunctionDef)
    made.args, made.body = args, list(body)
    return made


def passed(fd: ast.FunctionDef) -> str:
    """The arguments of a call that passes all parameters on."""
    args = fd.args
    words = [a.arg for a in (*args.posonlyargs, *args.args)]
    words += [f"*{args.vararg.arg}"] if args.vararg else []
    words += [f"{a.arg}={a.arg}" for a in args.kwonlyargs]
    words += [f"**{args.kwarg.arg}"] if args.kwarg else []
    return ", ".join(words)


class _Returns(ast.NodeTransformer):
    """Puts other statements for each ``return`` of a function itself."""

    def __init__(self, made: str) -> None:
        self.made = made

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        value = node.value or ast.Constant(None)
        return parsed(self.made.format(f"({ast.unparse(value)})"))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]  # both are left as they are


def without_returns(body: Sequence[ast.stmt], made: str) -> list[ast.stmt]:
    """The statements with ``made`` for each ``return``, its value for the braces."""
    last = [] if ends(body) else parsed("return None")
    whole = ast.Module([*copy.deepcopy(list(body)), *last], [])
    _Returns(made).visit(whole)
    return ast.fix_missing_locations(whole).body


class _Renamed(ast.NodeTransformer):
    """Puts an expression for each use of some names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names:
            return node
        made = ast.parse(self.names[node.id], mode="eval").body
        assert isinstance(made, ast.Attribute | ast.Subscript)
        made.ctx = node.ctx
        return made

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.target = self.visit(node.target)
        node.value = self.visit(node.value) if node.value is not None else None
        node.simple = int(isinstance(node.target, ast.Name))
        return node


def renamed(body: Sequence[ast.stmt], names: dict[str, str]) -> list[ast.stmt]:
    whole = ast.Module(copy.deepcopy(list(body)), [])
    _Renamed(names).visit(whole)
    return ast.fix_missing_locations(whole).body


class _Blocks(ast.NodeTransformer):
    """Puts statements for each statement of the function itself."""

    def __init__(self, made: Callable[[ast.stmt], list[ast.stmt]]) -> None:
        self.made = made

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, SCOPES):
            return node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, None)
            if isinstance(inner, list):
                for x in inner:
                    self.visit(x)
                if inner and isinstance(inner[0], ast.stmt):
                    setattr(node, field, [s for x in inner for s in self.made(x)])
        return node


def by_statement(body: Sequence[ast.stmt], made: Callable[[ast.stmt], list[ast.stmt]],
                 ) -> list[ast.stmt]:  # fmt: skip
    whole = ast.Module(copy.deepcopy(list(body)), [])
    _Blocks(made).visit(whole)
    return ast.fix_missing_locations(whole).body
