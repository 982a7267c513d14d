"""A Python function as a term of the papers' language, with its lambdas and its own names.

The front end of Pullback makes first-order programs: it specialises functions on the functions that
they take, which is a closure conversion. The stages for higher-order programs get the lambdas here.
This is the part of Python that *is* the language of the papers:

    def f(x, y): z = x + y; return x * z         let z = x + y in x * z       (x, y the context)
    lambda u, v: e, def g(u, v): ..              \\p. let u = fst p in let v = snd p in ..
    g(a, b)                                      g (a, b)
    a, b = e      p[0]      (a, b)               let .. fst .. snd      fst p      (a, b)
    a if a < b else c, if .. return .. else ..   case a < b of {..}
    a function that calls itself                 letrec
    np.sin(x), math.sin(x), x ** 2.0             sin x, pow x 2.0

over reals, tuples and functions. Everything else is ``Unreadable``, and goes the other way.

>>> import ast
>>> from pullback.papers.language.pretty import show
>>> def read_text(text, *args):
...     node = ast.parse(text).body[0]
...     print(show(Reader({}.__getitem__, None).source(node, args).body))
>>> read_text("def f(x, y):\\n    z = x + y\\n    return x * z", 3.0, 4.0)
let z = x + y in x * z
>>> read_text("def f(x):\\n    twice = lambda g: lambda u: g(g(u))\\n"
...           "    return twice(lambda v: x * v)(2.0)", 3.0)
let twice = \\g:R -> R. \\u:R. g (g u) in twice (\\v:R. x * v) 2
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType

import numpy as np

from pullback.papers.language.build import FALSE, TRUE, if_, lets, prim, tuple_, unpacked
from pullback.papers.language.terms import (
    App,
    B,
    Fun,
    Lam,
    Let,
    LetRec,
    Lit,
    Rec,
    Source,
    Term,
    Var,
    fresh,
)
from pullback.papers.language.traverse import free_vars, substitute
from pullback.papers.language.unify import (
    REAL,
    Arrow,
    Base,
    Hole,
    Kind,
    Tuple,
    Unreadable,
    closed,
    known,
    unify,
)

Made = Callable[[], Term]
"""A term, made when all types are known."""
Function = ast.FunctionDef | ast.Lambda
Env = dict[str, Kind]
TRUTH = Base(B)
OPERATORS: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div",
                              ast.Pow: "pow"}
COMPARISONS: dict[type, str] = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
                                ast.Eq: "eq", ast.NotEq: "ne"}
UNARY = ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "sinh", "cosh")
PRIMITIVES: dict[object, str] = {
    **{getattr(np, name): name for name in UNARY},
    **{getattr(math, name): name for name in UNARY}, math.atan: "atan", np.arctan: "atan"}
"""The primitives that are functions of Python's modules. Where ``math`` would raise, so does the
plain run of the program, which comes first (``call.by_method``)."""


class Reader:
    """One function, and the Python functions that it names."""

    def __init__(
        self, lookup: Callable[[str], object],
        definition: Callable[[FunctionType], tuple[Function, Callable[[str], object]]] | None,
    ) -> None:  # fmt: skip
        self.lookup, self.definition = lookup, definition
        self.outside: dict[str, tuple[object, Kind, Made]] = {}

    def source(self, node: Function, args: Sequence[object]) -> Source:
        """Return the program of a function at arguments of these shapes."""
        names = parameters(node)
        if len(names) != len(args) or not names:
            raise Unreadable("other arguments than parameters")
        kinds = [kind_of(a) for a in args]
        env: Env = dict(zip(names, kinds, strict=True))
        result, body = self.body(node, env)
        term = body()
        for name, (_, _, made) in reversed(self.outside.items()):
            term = bound_function(name, made(), term)
        context = tuple((x, closed(k)) for x, k in zip(names, kinds, strict=True))
        return Source(context, term, closed(result))

    # --- functions and statements -----------------------------------------------------------------

    def body(self, node: Function, env: Env) -> tuple[Kind, Made]:
        """Return the result of a function's body."""
        if isinstance(node, ast.Lambda):
            return self.expression(node.body, env)
        once(node)
        return self.block(node.body, env)

    def function(self, node: Function, env: Env, name: str = "") -> tuple[Kind, Made]:
        """\\p. let x1 = .. in body, where the function may name itself."""
        names, args = parameters(node), [Hole() for _ in parameters(node)]
        arrow = Arrow(tuple(args), Hole())
        inner = {**env, **({name: arrow} if name else {}), **dict(zip(names, args, strict=True))}
        result, body = self.body(node, inner)
        unify(arrow.result, result)

        def made() -> Term:
            t = closed(arrow)
            assert isinstance(t, Fun)
            if len(names) == 1:
                return Lam(names[0], t.arg, body())
            p = fresh("p")
            return Lam(p, t.arg, lets(unpacked(Var(p), names), body()))

        def named() -> Term:
            fn, t = made(), closed(arrow)
            assert isinstance(fn, Lam) and isinstance(t, Fun)
            return LetRec((Rec(name, t, fn),), Var(name)) if name in free_vars(fn) else fn

        return arrow, named if name else made

    def block(self, stmts: Sequence[ast.stmt], env: Env) -> tuple[Kind, Made]:
        """Return the value that statements return."""
        if not stmts:
            raise Unreadable("a way to the end without a return")
        first, rest = stmts[0], stmts[1:]
        match first:
            case ast.Return(ast.expr() as value):
                return self.expression(value, env)
            case ast.Expr(ast.Constant(str())) | ast.Pass():
                return self.block(rest, env)
            case ast.Assign([target], value) | ast.AnnAssign(target, _, ast.expr() as value):
                return self.assign(target, value, rest, env)
            case ast.AugAssign(ast.Name(x), operator, value):
                whole = ast.BinOp(ast.Name(x, ast.Load()), operator, value)
                return self.assign(ast.Name(x, ast.Store()), whole, rest, env)
            case ast.FunctionDef(name) if not first.decorator_list:
                kind, made = self.function(first, env, name)
                result, body = self.block(rest, {**env, name: kind})
                return result, lambda: bound_function(name, made(), body())
            case ast.If(test, then, orelse):
                if not returns(then):
                    raise Unreadable("an if that goes on")
                return self.choice(test, lambda: self.block(then, env), lambda: self.block(
                    [*orelse, *rest], env), env)
            case _:
                raise Unreadable(f"{type(first).__name__}")

    def assign(
        self, target: ast.expr, value: ast.expr, rest: Sequence[ast.stmt], env: Env
    ) -> tuple[Kind, Made]:
        """let x = value in rest; let p = value in let x = fst p in let y = snd p in rest."""
        kind, made = self.expression(value, env)
        match target:
            case ast.Name(x):
                result, body = self.block(rest, {**env, x: kind})
                return result, lambda: bound_function(x, made(), body())
            case ast.Tuple(elts):
                names = [e.id for e in elts if isinstance(e, ast.Name)]
                if len(names) != len(elts):
                    raise Unreadable("a nested target")
                kinds = [Hole() for _ in names]
                unify(kind, Tuple(tuple(kinds)))
                result, body = self.block(rest, {**env, **dict(zip(names, kinds, strict=True))})
                p = fresh("p")
                return result, lambda: Let(p, made(), lets(unpacked(Var(p), names), body()))
            case _:
                raise Unreadable("a target that is no name")

    def choice(
        self, test: ast.expr, then: Callable[[], tuple[Kind, Made]],
        orelse: Callable[[], tuple[Kind, Made]], env: Env,
    ) -> tuple[Kind, Made]:  # fmt: skip
        """case test of {inl _ -> orelse; inr _ -> then}."""
        made = self.wanted(test, TRUTH, env)
        kind, left = then()
        other, right = orelse()
        unify(kind, other)
        return kind, lambda: if_(made(), left(), right())

    # --- expressions ------------------------------------------------------------------------------

    def wanted(self, e: ast.expr, kind: Kind, env: Env) -> Made:
        """Return an expression of a type."""
        found, made = self.expression(e, env)
        unify(found, kind)
        return made

    def expression(self, e: ast.expr, env: Env) -> tuple[Kind, Made]:
        match e:
            case ast.Constant(value) if isinstance(value, int | float) and not isinstance(
                    value, bool):
                return REAL, lambda: Lit(float(value))
            case ast.Name(x):
                return self.name(x, env)
            case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
                return REAL, self.prim(OPERATORS[type(operator)], (left, right), REAL, env)
            case ast.UnaryOp(ast.USub(), of):
                return REAL, self.prim("neg", (of,), REAL, env)
            case ast.UnaryOp(ast.Not(), of):
                return self.choice(of, lambda: (TRUTH, lambda: FALSE),
                                   lambda: (TRUTH, lambda: TRUE), env)
            case ast.Compare(left, [operator], [right]) if type(operator) in COMPARISONS:
                return TRUTH, self.prim(COMPARISONS[type(operator)], (left, right), REAL, env)
            case ast.BoolOp(operator, [first, *others]):
                return self.chain(isinstance(operator, ast.And), first, others, env)
            case ast.IfExp(test, then, orelse):
                return self.choice(test, lambda: self.expression(then, env),
                                   lambda: self.expression(orelse, env), env)
            case ast.Tuple(elts) if len(elts) > 1:
                parts = [self.expression(x, env) for x in elts]
                return Tuple(tuple(k for k, _ in parts)), lambda: tuple_(*(m() for _, m in parts))
            case ast.Subscript(of, ast.Constant(int() as k)):
                return self.item(of, k, env)
            case ast.Lambda():
                return self.function(e, env)
            case ast.Call(fn, args, []):
                return self.call(fn, args, env)
            case _:
                raise Unreadable(type(e).__name__)

    def prim(self, name: str, args: Sequence[ast.expr], kind: Kind, env: Env) -> Made:
        """op(t1..tn), of arguments of one type."""
        made = [self.wanted(a, kind, env) for a in args]
        return lambda: prim(name, *(m() for m in made))

    def chain(
        self, both: bool, first: ast.expr, others: Sequence[ast.expr], env: Env
    ) -> tuple[Kind, Made]:
        """a and b = if a then b else False; a or b = if a then True else b."""
        made = self.wanted(first, TRUTH, env)
        if not others:
            return TRUTH, made
        _, rest = self.chain(both, others[0], others[1:], env)
        if both:
            return TRUTH, lambda: if_(made(), rest(), FALSE)
        return TRUTH, lambda: if_(made(), TRUE, rest())

    def item(self, of: ast.expr, k: int, env: Env) -> tuple[Kind, Made]:
        """Return a component of a tuple whose length is known here."""
        kind, made = self.expression(of, env)
        whole = known(kind)
        if not isinstance(whole, Tuple) or not -len(whole.items) <= k < len(whole.items):
            raise Unreadable("an index of something else than a tuple")
        names = [fresh("p") for _ in whole.items]
        p = fresh("p")
        return whole.items[k], lambda: Let(p, made(), lets(
            [(x, t) for x, t in unpacked(Var(p), names)], Var(names[k])))

    def call(self, fn: ast.expr, args: Sequence[ast.expr], env: Env) -> tuple[Kind, Made]:
        """f (t1,..,tn), or a primitive."""
        op = self.primitive(fn, env)
        if op:
            if len(args) != 1:
                raise Unreadable("a primitive of more arguments")
            return REAL, self.prim(op, args, REAL, env)
        kind, made = self.expression(fn, env)
        parts = [self.expression(a, env) for a in args]
        result = Hole()
        unify(kind, Arrow(tuple(k for k, _ in parts), result))
        return result, lambda: App(made(), tuple_(*(m() for _, m in parts)))

    def primitive(self, fn: ast.expr, env: Env) -> str:
        """Return the primitive that a name or an attribute of a module stands for; "" if none."""
        try:
            match fn:
                case ast.Name(x) if x not in env:
                    found = self.lookup(x)
                case ast.Attribute(ast.Name(module), name) if module not in env:
                    found = getattr(self.lookup(module), name)
                case _:
                    return ""
            return PRIMITIVES.get(found, "")
        except (KeyError, AttributeError, TypeError):
            return ""

    def name(self, x: str, env: Env) -> tuple[Kind, Made]:
        """Return a variable; a number or a function from outside."""
        if x in env:
            return env[x], lambda: Var(x)
        try:
            value = self.lookup(x)
        except KeyError:
            raise Unreadable(f"the name {x}") from None
        if isinstance(value, float):
            return REAL, lambda: Lit(value)
        if not isinstance(value, FunctionType) or self.definition is None:
            raise Unreadable(f"{x} from outside")
        return self.outer_function(x, value)

    def outer_function(self, x: str, f: FunctionType) -> tuple[Kind, Made]:
        """Return the name of a function of the module, which is defined around the program."""
        for name, (other, kind, _) in self.outside.items():
            if other is f:
                return kind, partial(Var, name)
        assert self.definition is not None
        node, lookup = self.definition(f)
        kind = Hole()
        name = fresh(x)
        self.outside[name] = f, kind, lambda: Var(name)
        inner = Reader(lookup, self.definition)
        inner.outside = self.outside
        found, made = inner.function(node, {x: kind})
        unify(kind, found)

        def whole() -> Term:
            fn, t = renamed(made(), x, name), closed(kind)
            assert isinstance(fn, Lam) and isinstance(t, Fun)
            return LetRec((Rec(name, t, fn),), Var(name)) if name in free_vars(fn) else fn

        del self.outside[name]  # after what it needs
        self.outside[name] = f, kind, whole
        return kind, lambda: Var(name)


def bound_function(name: str, value: Term, body: Term) -> Term:
    """let name = value in body, with letrec f = .. in f opened."""
    match value:
        case LetRec((Rec(f, t, fn),), Var(g)) if f == g == name:
            return LetRec((Rec(f, t, fn),), body)
        case _:
            return Let(name, value, body)


def renamed(t: Term, x: str, y: str) -> Term:
    """Return a closed function with its own name changed."""
    return substitute(t, {x: Var(y)}) if x != y else t


def kind_of(value: object) -> Kind:
    """Return the type of an argument: reals, and tuples of them."""
    if type(value) is float:
        return REAL
    if type(value) is tuple and len(value) > 1:
        return Tuple(tuple(map(kind_of, value)))
    raise Unreadable(f"an argument that is no real: {type(value).__name__}")


def parameters(node: Function) -> list[str]:
    """Return the parameters, which have no defaults."""
    a = node.args
    if a.posonlyargs or a.kwonlyargs or a.vararg or a.kwarg or a.defaults or not a.args:
        raise Unreadable("parameters that are not plain")
    return [x.arg for x in a.args]


def once(node: ast.FunctionDef) -> None:
    """Refuse a name that is bound again where an inner function may see it change."""
    nested = any(isinstance(n, ast.Lambda | ast.FunctionDef) and n is not node
                 for n in ast.walk(node))
    bound = parameters(node)
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            bound.append(n.id)
    if nested and len(set(bound)) < len(bound):
        raise Unreadable("a name that changes, and inner functions")


def returns(stmts: Sequence[ast.stmt]) -> bool:
    """Whether statements always return."""
    match stmts[-1]:
        case ast.Return():
            return True
        case ast.If(_, then, orelse):
            return bool(orelse) and returns(then) and returns(orelse)
        case _:
            return False


def value_of(value: object) -> object:
    """Return an argument as a value of the papers' language: a tuple as pairs."""
    if not isinstance(value, tuple):
        return value
    out = value_of(value[0])
    for x in value[1:]:
        out = (out, value_of(x))
    return out


def shaped_like(v: object, like: object) -> object:
    """Return a value of the papers' language in the form of Python's."""
    if not isinstance(like, tuple):
        return v
    parts: list[object] = []
    for x in reversed(like[1:]):
        assert isinstance(v, tuple)
        v, last = v
        parts.append(shaped_like(last, x))
    return (shaped_like(v, like[0]), *reversed(parts))


__all__ = ["Reader", "Unreadable", "shaped_like", "value_of"]
