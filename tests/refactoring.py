"""Rewrite programs as someone does who moves code about: their meaning stays what it is.

A *transformation* takes the definition of a function and gives statements for its place, or None
where it does not apply or where its rule, which its docstring states, says that Python's meaning
would change. ``rewritten`` applies one to a function and to the undecorated functions of its file
that it reaches by name, and writes the result to a file, as source that can be read.
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FunctionType, ModuleType

from tests.definitions import (
    apart,
    bound_otherwise,
    by_statement,
    ends,
    fresh,
    inside,
    is_generator,
    parameters,
    parsed,
    passed,
    renamed,
    returns_within,
    split,
    stored,
    with_body,
    without_returns,
)

Transformation = Callable[[ast.FunctionDef, bool], list[ast.stmt] | None]
"""Of a definition, and whether it is the program's main function."""


# --- the transformations ------------------------------------------------------------------------


def as_it_is(fd: ast.FunctionDef, main: bool) -> list[ast.stmt]:
    """Nothing changes, beside the spelling; the others are measured against it."""
    return [fd]


def nested(fd: ast.FunctionDef, main: bool) -> list[ast.stmt]:
    """The body is in a nested function, without the assignments at its beginning; what it sets of
    their variables and of the parameters is ``nonlocal``. All of a generator's body is nested."""
    _, body = split(fd)
    first = itertools.takewhile(
        lambda s: isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name), body[:-1]
    )
    before = [] if is_generator(fd) else list(first)
    names = {*parameters(fd), *stored(with_body(fd, before))}
    rest = body[len(before) :]
    inner = with_body(fd, rest)
    of_walrus = {x.target.id for x in ast.walk(ast.Module(rest, []))
                 if isinstance(x, ast.NamedExpr)}  # fmt: skip
    sets = sorted(names & (stored(inner) | of_walrus | bound_otherwise(inner)))
    name = fresh(fd, "body")
    made = parsed(f"def {name}(): pass")[0]
    assert isinstance(made, ast.FunctionDef)
    made.body = [*([ast.Nonlocal(sets)] if sets else []), *rest]
    return [with_body(fd, [*before, made, *parsed(f"return {name}()")])]


def method(fd: ast.FunctionDef, main: bool) -> list[ast.stmt]:
    """The body is a method of a class."""
    this = fresh(fd, "self")
    run = apart(fd, "run", split(fd)[1])
    (run.args.posonlyargs or run.args.args).insert(0, ast.arg(this))
    made = parsed(f"class {fd.name}_body: pass")[0]
    assert isinstance(made, ast.ClassDef)
    made.body = [run]
    return [made, with_body(fd, parsed(f"return {fd.name}_body().run({passed(fd)})"))]


def generator(fd: ast.FunctionDef, main: bool) -> list[ast.stmt] | None:
    """The body is a generator of which ``next`` takes the result; not where a ``return`` is under
    ``try`` or ``with``, whose ends would come too late."""
    if is_generator(fd) or returns_within(fd, ast.Try, ast.With):
        return None
    body = apart(fd, f"{fd.name}_body", without_returns(split(fd)[1], "yield {}\nreturn"))
    return [body, with_body(fd, parsed(f"return next({fd.name}_body({passed(fd)}))"))]


def _places(fd: ast.FunctionDef, made: str) -> list[ast.stmt] | None:
    params = parameters(fd)
    names = sorted({*params, *stored(fd)} - bound_otherwise(fd))
    if not names:
        return None
    at = {name: made.format(name) for name in names}
    given = [s for name in params if name in at for s in parsed(f"{at[name]} = {name}")]
    return [*given, *renamed(split(fd)[1], at)]


def attributes(fd: ast.FunctionDef, main: bool) -> list[ast.stmt] | None:
    """Variables are attributes of an object; not those that are bound by a name alone (``import``,
    ``def``, ``except``, ``:=``, patterns) or in a scope inside the function."""
    v = fresh(fd, "v")
    body = _places(fd, f"{v}.{{}}")
    if body is None:
        return None
    start = parsed(f"{v} = {fd.name}_locals()")
    return [*parsed(f"class {fd.name}_locals: pass"), with_body(fd, [*start, *body])]


def dictionary(fd: ast.FunctionDef, main: bool) -> list[ast.stmt] | None:
    """Variables are items of a dict, by the rule of ``attributes``."""
    v = fresh(fd, "v")
    body = _places(fd, f"{v}['{{}}']")
    return None if body is None else [with_body(fd, [*parsed(f"{v} = {{}}"), *body])]


def by_next(fd: ast.FunctionDef, main: bool) -> list[ast.stmt] | None:
    """A loop asks its iterator by ``next`` until that raises StopIteration; not with ``else``."""
    numbers = itertools.count(1)
    taken = fresh(fd, "it")

    def made(s: ast.stmt) -> list[ast.stmt]:
        if not isinstance(s, ast.For) or s.orelse:
            return [s]
        it = f"{taken}{next(numbers)}"
        start = parsed(f"{it} = iter({ast.unparse(s.iter)})")
        step = f"{ast.unparse(s.target)} = next({it})"
        loop = parsed(f"while True:\n try:\n  {step}\n except StopIteration:\n  break")[0]
        assert isinstance(loop, ast.While)
        loop.body += s.body
        return [*start, loop]

    body = by_statement(split(fd)[1], made)
    return [with_body(fd, body)] if next(numbers) > 1 else None


def by_list(fd: ast.FunctionDef, main: bool) -> list[ast.stmt] | None:
    """The result is appended to a list that the caller passes."""
    if is_generator(fd) or fd.args.vararg or fd.args.kwarg:
        return None
    out = fresh(fd, "out")
    body = without_returns(split(fd)[1], f"{out}.append({{}})\nreturn")
    inner = apart(fd, f"{fd.name}_body", body)
    inner.args.kwonlyargs.append(ast.arg(out))
    inner.args.kw_defaults.append(None)
    given = ", ".join(filter(None, [passed(fd), f"{out}={out}"]))
    call = parsed(f"{out} = []\n{fd.name}_body({given})\nreturn {out}[0]")
    return [inner, with_body(fd, call)]


def by_exception(fd: ast.FunctionDef, main: bool) -> list[ast.stmt] | None:
    """The result is in an exception; not where a ``return`` is under ``with``, or under a ``try``
    that ends by a jump or catches every exception."""
    if is_generator(fd) or returns_within(fd, ast.With):
        return None
    every = {"Exception", "BaseException"}
    for t in returns_within(fd, ast.Try):
        assert isinstance(t, ast.Try)
        caught = [x for h in t.handlers for x in ast.walk(h.type or ast.Name("Exception"))]
        if any(isinstance(x, ast.Name) and x.id in every for x in caught):
            return None
        if any(isinstance(x, ast.Return | ast.Break | ast.Continue) for x in inside(t.finalbody)):
            return None
    done, e = f"{fd.name}_done", fresh(fd, "e")
    body = apart(fd, f"{fd.name}_body", without_returns(split(fd)[1], f"raise {done}({{}})"))
    call = parsed(f"try:\n {fd.name}_body({passed(fd)})\nexcept {done} as {e}:\n"
                  f" return {e}.args[0]")  # fmt: skip
    return [*parsed(f"class {done}(Exception): pass"), body, with_body(fd, call)]


def _read_at_once(e: ast.AST) -> Iterator[str]:
    """The names that an expression reads before anything else decides whether it does."""
    match e:
        case ast.Name(id=name, ctx=ast.Load()):
            yield name
        case ast.IfExp(test=first) | ast.BoolOp(values=[first, *_]):
            yield from _read_at_once(first)
        case ast.Compare(left=left, comparators=[right, *_]):
            yield from itertools.chain(_read_at_once(left), _read_at_once(right))
        case ast.Lambda() | ast.FunctionDef() | ast.ClassDef():
            pass
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield from _read_at_once(e.generators[0].iter)
        case ast.expr() | ast.keyword():
            for x in ast.iter_child_nodes(e):
                yield from _read_at_once(x)


def copied(fd: ast.FunctionDef, main: bool) -> list[ast.stmt] | None:
    """Before a statement each variable that it reads in any case is copied, and copied back; not
    one that is set in an expression, declared ``nonlocal``, or bound by a name alone."""
    names = {*parameters(fd), *stored(fd)} - bound_otherwise(fd)

    def made(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Assign(value=e) | ast.Expr(value=e) | ast.If(test=e) | ast.For(iter=e):
                reads = list(_read_at_once(e))
            case ast.Return(value=ast.expr() as e) | ast.Match(subject=e):
                reads = list(_read_at_once(e))
            case ast.AugAssign(target=target, value=e):
                reads = [*([target.id] if isinstance(target, ast.Name) else []), *_read_at_once(e)]
            case _:
                reads = []
        some = [n for n in dict.fromkeys(reads) if n in names]
        return [*(x for n in some for x in parsed(f"{n}_ = {n}\n{n} = {n}_")), s]

    if not names or any(fresh(fd, n + "_") != n + "_" for n in names):
        return None
    return [with_body(fd, by_statement(split(fd)[1], made))]


def _under(fd: ast.FunctionDef, text: str, last: Sequence[ast.stmt] = ()) -> list[ast.stmt]:
    whole = parsed(text)[0]
    assert isinstance(whole, ast.With | ast.Try | ast.While)
    whole.body = [*split(fd)[1], *last]
    return [with_body(fd, [whole])]


def managed(fd: ast.FunctionDef, main: bool) -> list[ast.stmt]:
    """Everything is under ``with contextlib.nullcontext()``."""
    return [*parsed("import contextlib"), *_under(fd, "with contextlib.nullcontext(): pass")]


def tried(fd: ast.FunctionDef, main: bool) -> list[ast.stmt]:
    """Everything is under ``try`` with ``finally``."""
    return _under(fd, f"try: pass\nfinally: {fresh(fd, 'ended')} = True")


def looped(fd: ast.FunctionDef, main: bool) -> list[ast.stmt]:
    """Everything is in a loop that ends after its first turn."""
    return _under(fd, "while True: pass", [] if ends(split(fd)[1]) else [ast.Break()])


def in_one_object(fd: ast.FunctionDef, main: bool) -> list[ast.stmt] | None:
    """Two arguments of the main function are in one object; not those bound in a scope inside or by
    a name alone."""
    names = [a.arg for a in (*fd.args.posonlyargs, *fd.args.args)]
    some = [n for n in names if n not in bound_otherwise(fd)][:2]
    if not main or len(some) < 2:
        return None
    p = fresh(fd, "pair")
    body = apart(fd, f"{fd.name}_body", renamed(split(fd)[1], {n: f"{p}.{n}" for n in some}))
    body.args.posonlyargs = [a for a in body.args.posonlyargs if a.arg not in some]
    body.args.args = [a for a in body.args.args if a.arg not in some]
    (body.args.posonlyargs or body.args.args).insert(0, ast.arg(p))
    rest = apart(fd, "_", [])
    rest.args.posonlyargs = [a for a in rest.args.posonlyargs if a.arg not in some]
    rest.args.args = [a for a in rest.args.args if a.arg not in some]
    made = f"{fd.name}_pair({', '.join(some)})"
    call = f"return {fd.name}_body({', '.join(filter(None, [made, passed(rest)]))})"
    sets = "\n".join(f"  self.{n} = {n}" for n in some)
    of = parsed(f"class {fd.name}_pair:\n def __init__(self, {', '.join(some)}):\n{sets}")
    return [*of, body, with_body(fd, parsed(call))]


def held(fd: ast.FunctionDef, main: bool) -> list[ast.stmt] | None:
    """A variable that is set to a new list is set to an object that holds it; not one that is set
    in another way than by ``=`` or ``+=``, is deleted, or is bound in a scope inside."""
    own = list(inside(fd.body))
    simple = [s for s in own if isinstance(s, ast.Assign) and len(s.targets) == 1
              and isinstance(s.targets[0], ast.Name)]  # fmt: skip
    lists = {_target(s) for s in simple if _is_list(s.value)}
    counted = [x.id for x in own if isinstance(x, ast.Name) and not isinstance(x.ctx, ast.Load)]
    ways = [_target(s) for s in simple]
    ways += [s.target.id for s in own
             if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name)]  # fmt: skip
    lists -= bound_otherwise(fd) | {*parameters(fd)}
    names = {n for n in lists if counted.count(n) == ways.count(n)}
    if not names:
        return None

    def made(s: ast.stmt) -> list[ast.stmt]:
        if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) in {f"{n}.items" for n in names}:
            name = ast.unparse(s.targets[0]).partition(".")[0]
            s.targets = [ast.Name(name, ast.Store())]
            s.value = ast.Call(ast.Name(f"{fd.name}_holder", ast.Load()), [s.value], [])
        return [s]

    body = by_statement(renamed(split(fd)[1], {n: f"{n}.items" for n in names}), made)
    of = f"class {fd.name}_holder:\n def __init__(self, items):\n  self.items = items"
    return [*parsed(of), with_body(fd, body)]


def _target(s: ast.Assign) -> str:
    assert isinstance(s.targets[0], ast.Name)
    return s.targets[0].id


def _is_list(e: ast.expr) -> bool:
    match e:
        case ast.List() | ast.ListComp() | ast.Call(func=ast.Name(id="list")):
            return True
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return isinstance(left, ast.List) or isinstance(right, ast.List)
    return False


TRANSFORMATIONS: tuple[Transformation, ...] = (
    nested, method, generator, attributes, dictionary, by_next, by_list, by_exception, copied,
    managed, tried, looped, in_one_object, held,
)  # fmt: skip


# --- whole programs -----------------------------------------------------------------------------


@functools.cache
def _module(path: str) -> ast.Module:
    return ast.parse(Path(path).read_text())


def definition(f: object) -> ast.FunctionDef | None:
    """The definition of an undecorated function of a module; None for anything else, and for one
    that says ``global``, ``super``, ``locals``, a private name or the name of an unset variable's
    error."""
    if not isinstance(f, FunctionType) or f.__closure__ or f.__name__ != f.__qualname__:
        return None
    for s in _module(f.__code__.co_filename).body:
        if isinstance(s, ast.FunctionDef) and s.name == f.__name__ and not s.decorator_list:
            break
    else:
        return None
    words = {x.id for x in ast.walk(s) if isinstance(x, ast.Name)}
    words |= {x.attr for x in ast.walk(s) if isinstance(x, ast.Attribute)}
    private = any(w.startswith("__") and not w.endswith("__") for w in words)
    declared = any(isinstance(x, ast.Global) for x in ast.walk(s))
    same = s.lineno == f.__code__.co_firstlineno
    forbidden = {"super", "locals", "vars", "eval", "exec", "NameError", "UnboundLocalError"}
    return s if same and not private and not declared and not words & forbidden else None


def reached(f: FunctionType) -> dict[str, ast.FunctionDef]:
    """The definitions of a function and of those of its file that it reaches by name."""
    found: dict[str, ast.FunctionDef] = {}
    waiting = [f.__name__]
    while waiting:
        name = waiting.pop()
        g = f.__globals__.get(name)
        fd = definition(g) if isinstance(g, FunctionType) and name == g.__name__ else None
        if fd is None or name in found:
            continue
        assert isinstance(g, FunctionType)
        if g.__code__.co_filename != f.__code__.co_filename:
            continue
        found[name] = fd
        waiting += [x.id for x in ast.walk(fd) if isinstance(x, ast.Name)]
    return found


def text_of(f: FunctionType, how: Transformation) -> str | None:
    """The source of a rewritten program; None if nothing in it is."""
    functions = reached(f)
    if f.__name__ not in functions:
        return None
    parts: list[ast.stmt] = []
    some = False
    for name, fd in functions.items():
        made = how(copy.deepcopy(fd), name == f.__name__)
        some = some or made is not None
        parts += [fd] if made is None else made
    future = any(isinstance(s, ast.ImportFrom) and s.module == "__future__"
                 for s in _module(f.__code__.co_filename).body)  # fmt: skip
    head = "from __future__ import annotations\n\n" if future else ""
    return head + "\n\n".join(map(ast.unparse, parts)) + "\n" if some else None


def rewritten(f: Callable[..., object], how: Transformation, folder: Path) -> FunctionType | None:
    """The program, rewritten; its file is in the folder, its other names are those of the
    original's module. None where the transformation does not apply."""
    text = text_of(f, how) if isinstance(f, FunctionType) else None
    if text is None:
        return None
    assert isinstance(f, FunctionType)
    name = f"{f.__module__.rpartition('.')[2]}_{f.__name__}_{getattr(how, '__name__', 'rewritten')}"
    path = folder / f"{name}.py"
    path.write_text(text)
    module = ModuleType(name)
    module.__dict__.update({k: v for k, v in f.__globals__.items() if not k.startswith("__")})
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(compile(text, str(path), "exec", dont_inherit=True), vars(module))
    made = vars(module)[f.__name__]
    assert isinstance(made, FunctionType)
    return made
