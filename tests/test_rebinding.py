"""If a name or attribute is bound anew between two calls, the second call sees it as Python
does."""

import functools
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb

ABSENT = object()
"""Stands for a global that is not there."""


def space(text: str, **names: object) -> types.FunctionType:
    """The function ``f`` of a module of its own, whose source is known."""
    import linecache

    name = f"<rebinding {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = dict(names)
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


def operators(f: Callable[..., Any], *args: Any) -> list[Callable[[], Any]]:
    """Calls of a function by every operator, which give its value."""
    jitted, both = pb.jit(f), pb.value_and_grad(f)
    return [
        lambda: jitted(*args),
        lambda: both(*args)[0],
        lambda: pb.vjp(f, *args)[0],
        lambda: pb.jvp(f, args, tuple(1.0 for _ in args))[0],
    ]


def follows(f: Callable[..., Any], change: Callable[[], object], *args: Any) -> None:
    """All operators of f give what Python gives, before a change and after it."""
    calls = operators(f, *args)
    before = f(*args)
    assert [call() for call in calls] == [before] * len(calls)
    change()
    after = f(*args)
    assert after != before, "the change is none"
    assert [call() for call in calls] == [after] * len(calls)
    slope = pb.grad(f)(*args)
    step = (f(args[0] + 1e-6, *args[1:]) - f(args[0] - 1e-6, *args[1:])) / 2e-6
    assert slope == pytest.approx(step, rel=1e-6)


# --- the function itself --------------------------------------------------------------------------


def double(x):
    return x * 2.0


def triple(x):
    return x * 3.0


def fresh(f: types.FunctionType) -> types.FunctionType:
    return types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__)


def test_new_code():
    f = fresh(double)
    follows(f, lambda: setattr(f, "__code__", triple.__code__), 1.5)
    follows(f, lambda: setattr(f, "__code__", double.__code__), 1.5)


def on_array(x):
    return np.sum(x) * 2.0


def on_array_too(x):
    return np.sum(x) * 3.0


@pytest.mark.parametrize("x", [np.ones(3), [1.0, 2.0], [[1.0], [2.0]], {"a": 1.0}, (1.0, [2.0])])
def test_new_code_of_functions_of_data(x):
    """Calls that convert data notice it too."""
    text = "def f(x):\n    return total(x) * 2.0\n\ndef g(x):\n    return total(x) * 3.0\n"
    f = space(text, total=TOTALS[type(x), type(x[0]) if type(x) is list else None])
    g = f.__globals__["g"]
    calls = [pb.jit(f), lambda x: pb.value_and_grad(f)(x)[0], lambda x: pb.vjp(f, x)[0]]
    assert [c(x) for c in calls] == [f(x)] * 3
    gradient = pb.grad(f)
    first = gradient(x)
    f.__code__ = g.__code__
    assert [c(x) for c in calls] == [f(x)] * 3
    assert str(gradient(x)) == str(pb.grad(g)(x)) != str(first)


TOTALS: dict[Any, Callable[[Any], float]] = {
    (np.ndarray, None): lambda x: np.sum(x),
    (list, float): lambda x: sum(x),
    (list, list): lambda x: sum(sum(row) for row in x),
    (dict, None): lambda x: x["a"],
    (tuple, None): lambda x: x[0] * sum(x[1]),
}


def with_default(x, a=2.0):
    return x * a


def with_defaults(x=1.0, a=3.0):
    return x * a


def with_keyword(x, *, a=2.0):
    return x * a


def test_new_defaults():
    f = fresh(with_default)
    follows(f, lambda: setattr(f, "__defaults__", (5.0,)), 1.5)
    follows(f, lambda: setattr(f, "__defaults__", (7.0, 4.0)), 1.5)
    follows(f, lambda: setattr(f, "__defaults__", (3,)), 1.5)
    f.__defaults__ = None
    with pytest.raises(TypeError):
        pb.jit(f)(1.5)
    g = fresh(with_defaults)
    follows(g, lambda: setattr(g, "__defaults__", (8.0,)), 1.5)


def test_new_keyword_defaults():
    f = fresh(with_keyword)
    f.__kwdefaults__ = {"a": 2.0}
    follows(f, lambda: f.__kwdefaults__.update(a=5.0), 1.5)
    follows(f, lambda: setattr(f, "__kwdefaults__", {"a": 6.0}), 1.5)


def counted(k, g):
    def f(x):
        return g(x) * k

    return f


def test_new_contents_of_cells():
    f = counted(2.0, double)
    cells = dict(zip(f.__code__.co_freevars, f.__closure__))
    follows(f, lambda: setattr(cells["k"], "cell_contents", 5.0), 1.5)
    follows(f, lambda: setattr(cells["k"], "cell_contents", 4), 1.5)
    follows(f, lambda: setattr(cells["g"], "cell_contents", triple), 1.5)
    follows(f, lambda: setattr(cells["g"], "cell_contents", abs), 1.5)


def test_functions_in_defaults():
    f = space("def f(x, g=g, *, h=g):\n    return g(x) + h(x)\n", g=fresh(double))
    g = f.__defaults__[0]
    follows(f, lambda: setattr(g, "__code__", triple.__code__), 1.5)
    follows(f, lambda: setattr(f, "__defaults__", (double,)), 1.5)
    follows(f, lambda: f.__kwdefaults__.update(h=abs), 1.5)
    f = space("def f(x, kind='a', k=None):\n    return x if kind == 'a' and k is None else -x\n")
    follows(f, lambda: setattr(f, "__defaults__", ("b", None)), 1.5)
    follows(f, lambda: setattr(f, "__defaults__", ("a", None)), 1.5)
    follows(f, lambda: setattr(f, "__defaults__", ("a", 2.0)), 1.5)


def test_the_cell_of_a_recursive_function():
    f = recursive()
    follows(f, lambda: setattr(f.__closure__[0], "cell_contents", triple), 1.5)


def recursive():
    def f(x):
        return x if x < 1.0 else f(x - 1.0) * 2.0

    return f


def test_new_code_of_a_function_that_is_used():
    g = fresh(double)
    f = counted(2.0, g)
    follows(f, lambda: setattr(g, "__code__", triple.__code__), 1.5)
    follows(lambda x: pb.grad(g)(x) * x, lambda: setattr(g, "__code__", double.__code__), 1.5)
    p = functools.partial(g)
    follows(lambda x: p(x), lambda: setattr(g, "__code__", triple.__code__), 1.5)


# --- globals and builtins -------------------------------------------------------------------------

WITH_BUILTIN = [
    ("def f(x):\n    return abs(x) * 2.0\n", "abs", lambda x: x * 7.0),
    ("def f(x):\n    return sum([x, x]) * 2.0\n", "sum", lambda xs: xs[0] * 7.0),
    ("def f(x):\n    return sum(x * i for i in range(3))\n", "range", lambda n: [5.0, 6.0]),
    ("def f(x):\n    return (lambda y: abs(y))(x) * 2.0\n", "abs", lambda x: x * 7.0),
    ("def f(x):\n    return x * float(3)\n", "float", lambda n: n * 2.5),
    ("def f(x):\n    return x * len([x, x])\n", "len", lambda xs: 5.0),
    ("def f(x):\n    for a, b in zip([x], [x]):\n        x = a * b\n    return x\n", "zip",
     lambda xs, ys: [(2.0 * xs[0], ys[0])]),
    ("def g(x):\n    return abs(x)\ndef f(x):\n    return x * g(x)\n", "abs", lambda x: x * 7.0),
]  # fmt: skip


@pytest.mark.parametrize("text, name, shadow", WITH_BUILTIN, ids=[w[1] for w in WITH_BUILTIN])
def test_a_global_that_shadows_a_builtin_later(text, name, shadow):
    f = space(text, shadow=shadow)
    names = f.__globals__
    follows(f, lambda: names.__setitem__(name, shadow), 1.5)
    follows(f, lambda: names.__delitem__(name), 1.5)
    names["unrelated"] = 1  # the namespace changes, what was compiled does not
    calls = operators(f, 1.5)
    assert [call() for call in calls] == [f(1.5)] * len(calls)
    for k in range(3):
        names[f"more{k}"] = k
        assert [call() for call in calls] == [f(1.5)] * len(calls)
    follows(f, lambda: names.__setitem__(name, shadow), 1.5)


def test_a_shadow_in_the_module_of_a_helper():
    inner = space("def f(x):\n    return abs(x)\n")
    outer = space("def f(x):\n    return g(x) * abs(x)\n", g=inner)
    follows(outer, lambda: inner.__globals__.update(abs=lambda x: x * 9.0), 1.5)
    follows(outer, lambda: outer.__globals__.update(abs=lambda x: x * 8.0), 1.5)


def test_globals_of_every_kind():
    f = space("def f(x):\n    return x * scale\n", scale=2.0)
    names = f.__globals__
    for value in (3.0, 4, np.float64(5.0), True, 7.0):
        follows(f, lambda value=value: names.update(scale=value), 1.5)
    g = space("def f(x):\n    return h(x)\n", h=double)
    for h in (triple, abs, np.sin, functools.partial(with_default, a=9.0), lambda x: x - 1.0):
        follows(g, lambda h=h: g.__globals__.update(h=h), 1.5)


def test_the_same_code_with_other_globals():
    f = space("def f(x):\n    return x * scale\n", scale=2.0)
    g = types.FunctionType(f.__code__, {**f.__globals__, "scale": 3.0})
    assert [pb.jit(f)(1.0), pb.jit(g)(1.0), pb.jit(f)(1.0)] == [2.0, 3.0, 2.0]
    user = space("def f(x):\n    return h(x)\n", h=f)
    follows(user, lambda: user.__globals__.update(h=g), 1.5)


def test_modules_of_the_users_own():
    module = types.ModuleType("own")
    module.g, module.k = double, 2.0
    f = space("def f(x):\n    return own.g(x) * own.k\n", own=module)
    follows(f, lambda: setattr(module, "g", triple), 1.5)
    follows(f, lambda: setattr(module, "k", 5.0), 1.5)
    inner = types.ModuleType("inner")
    inner.g, inner.k = triple, 9.0
    follows(f, lambda: f.__globals__.update(own=inner), 1.5)
    module.sub = inner
    g = space("def f(x):\n    return own.sub.g(x)\n", own=module)
    follows(g, lambda: setattr(inner, "g", double), 1.5)
    other = types.ModuleType("other")
    other.g = triple
    follows(g, lambda: setattr(module, "sub", other), 1.5)


def test_modules_that_make_their_attributes():
    module = types.ModuleType("own")
    exec("def __getattr__(n):\n    if n == 'g': return abs\n    raise AttributeError", vars(module))
    f = space("def f(x):\n    return own.g(x)\n", own=module)
    with pytest.raises(pb.PullbackError, match="from own import g"):
        pb.jit(f)(1.5)


def test_imports_inside_of_functions(monkeypatch):
    one, two = types.ModuleType("own"), types.ModuleType("own")
    one.g, two.g = double, triple
    monkeypatch.setitem(sys.modules, "own", one)
    for text in ("from own import g\n    return g(x)", "import own\n    return own.g(x)"):
        f = space(f"def f(x):\n    {text}\n")
        follows(f, lambda: setattr(one, "g", abs), 1.5)
        follows(f, lambda: monkeypatch.setitem(sys.modules, "own", two), 1.5)
        one.g = double
        monkeypatch.setitem(sys.modules, "own", one)


LOOPS = """
def f(x):
    t = [[x, x], [x, x]]
    for row in t:
        row[0] = row[0] * 2.0
    return t[0][0] + t[1][0]
"""


def test_loops_over_rows_need_no_names():
    """They are compiled as loops over ``range(len(t))``, whatever these names mean here."""
    f = space(LOOPS, len=lambda v: 1, range=lambda n: [0])
    assert pb.jit(f)(1.5) == f(1.5) == 6.0


# --- partial objects, classes, enumerations -------------------------------------------------------


def three(x, a=1.0, b=1.0):
    return x * a + b


def test_partial_objects_that_change():
    p = functools.partial(three, a=2.0)
    f = space("def f(x):\n    return p(x)\n", p=p)
    follows(f, lambda: p.keywords.update(a=5.0), 1.5)
    follows(f, lambda: p.keywords.update(b=5.0), 1.5)
    follows(f, lambda: p.keywords.pop("a"), 1.5)
    follows(f, lambda: p.__setstate__((with_default, (), {"a": 4.0}, {})), 1.5)
    q = functools.partial(three, a=2.0)
    follows(q, lambda: q.keywords.update(b=5.0), 1.5)


def class_of(name: str = "Point") -> type:
    @dataclass(frozen=True)
    class Base:
        x: float
        scale = 2.0

        def value(self):
            return self.x * self.scale

        @property
        def square(self):
            return self.x * self.x

        @staticmethod
        def fixed(v):
            return v * 5.0

        @classmethod
        def made(cls, v):
            return cls(v * 2.0)

    @dataclass(frozen=True)
    class Point(Base):
        y: float = 1.0

    Point.__name__ = name
    return Point


METHODS = """
def f(x):
    p = Point(x)
    return p.value() + p.square * p.scale + Point.fixed(x) + p.made(x).x
"""


def test_methods_and_class_attributes():
    cls = class_of()
    base = cls.__mro__[1]
    f = space(METHODS, Point=cls)
    follows(f, lambda: setattr(base, "scale", 3.0), 1.5)
    follows(f, lambda: setattr(cls, "scale", 4.0), 1.5)
    follows(f, lambda: delattr(cls, "scale"), 1.5)
    follows(f, lambda: setattr(base, "value", lambda self: self.x * 9.0), 1.5)
    follows(f, lambda: setattr(cls, "value", lambda self: self.x * 8.0), 1.5)
    follows(f, lambda: setattr(cls, "square", property(lambda self: self.x * 7.0)), 1.5)
    follows(f, lambda: setattr(cls, "fixed", staticmethod(lambda v: v * 6.0)), 1.5)
    follows(f, lambda: setattr(cls, "made", classmethod(lambda c, v: c(v * 5.0))), 1.5)
    follows(f, lambda: f.__globals__.update(Point=class_of()), 1.5)


def test_new_code_of_methods():
    cls = class_of()
    base = cls.__mro__[1]
    f = space(METHODS, Point=cls)
    names = vars(base)
    new = space("def f(self):\n    return self.x * 11.0\n").__code__
    follows(f, lambda: setattr(names["value"], "__code__", new), 1.5)
    new = space("def f(self):\n    return self.x * 12.0\n").__code__
    follows(f, lambda: setattr(names["square"].fget, "__code__", new), 1.5)
    new = space("def f(v):\n    return v * 13.0\n").__code__
    follows(f, lambda: setattr(names["fixed"].__func__, "__code__", new), 1.5)
    new = space("def f(cls, v):\n    return cls(v * 14.0)\n").__code__
    follows(f, lambda: setattr(names["made"].__func__, "__code__", new), 1.5)


def test_methods_of_captured_objects():
    cls = class_of()
    p = cls(2.0)
    f = space("def f(x):\n    return x * p.value()\n", p=p)
    follows(f, lambda: f.__globals__.update(p=cls(3.0)), 1.5)
    follows(f, lambda: setattr(cls, "value", lambda self: 8.0), 1.5)
    bound = p.value
    follows(lambda x: x * bound(), lambda: setattr(cls.value, "__code__", TEN.__code__), 1.5)


TEN = lambda self: 10.0


# --- functions made anew --------------------------------------------------------------------------


def test_functions_made_in_loops():
    fs = [lambda x, k=k: x * k for k in range(3)]
    fs += [lambda x: x * k for k in range(3)]
    assert [pb.jit(f)(2.0) for f in fs] == [f(2.0) for f in fs] == [0.0, 2.0, 4.0, 4.0, 4.0, 4.0]
    grown = []
    for k in range(3):
        grown.append(lambda x: x * k)
        assert [pb.jit(f)(2.0) for f in grown] == [2.0 * k] * len(grown)


def test_functions_that_are_executed_again():
    names: dict[str, Any] = {}
    compiled = None
    for k in (2.0, 3.0, 4.0):
        f = space(f"def f(x):\n    return x * {k}\n")
        names["f"] = f
        assert pb.jit(f)(1.0) == k
        user = space("def f(x):\n    return g(x)\n", g=f)
        assert pb.grad(user)(1.0) == k
        if compiled is None:
            holder = space("def f(x):\n    return g(x)\n", g=f)
            compiled = pb.jit(holder)
        holder.__globals__["g"] = f
        assert compiled(1.0) == k
