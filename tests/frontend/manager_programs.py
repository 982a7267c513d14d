"""Programs with methods under ``contextmanager``, managers of other modules, and methods that give
the object itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.frontend import managers_elsewhere
from tests.frontend.managers_elsewhere import tempo

CONST, SCALE = 2.0, 3.0


class Model:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.log: list[float] = []
        self.depth = 0

    @contextmanager
    def scope(self, f: Any, name: str = "s") -> Iterator[Any]:
        self.depth += 1
        self.log.append(f)
        old = self.v
        self.v = self.v * f
        try:
            yield self.v
        except ValueError as error:
            print(name, error)
            self.v = old + 1
        else:
            self.v = old
        finally:
            self.depth -= 1

    def work(self, x: Any) -> Any:
        with self.scope(x) as v, self.scope(2.0) as w:
            return v * w + self.depth

    def me(self) -> Model:
        return self

    def add(self, v: Any) -> Model:
        self.log.append(v)
        self.v += v
        return self


class Derived(Model):
    @contextmanager
    def scope(self, f: Any, name: str = "d") -> Iterator[Any]:
        self.log.append(3.0)
        yield f * self.v
        self.v += f


class Other:
    def __init__(self, v: Any) -> None:
        self.v = v

    def scope(self, f: Any) -> Plain:
        return Plain(self.v * f)


class Plain:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __enter__(self) -> Any:
        return self.v

    def __exit__(self, *given: object) -> None:
        print("plain")


@contextmanager
def extended(xs: list[Any]) -> Iterator[list[Any]]:
    xs.append(1.0)
    ys = xs
    yield ys
    ys.pop()
    xs.append(5.0)


@contextmanager
def entry(table: dict[str, Any], k: str, v: Any) -> Iterator[None]:
    old = table.get(k)
    table[k] = v
    try:
        yield
    finally:
        if old is None:
            del table[k]
        else:
            table[k] = old


@contextmanager
def raises_after(x: Any) -> Iterator[Any]:
    yield x
    if x > 1:
        raise ValueError("after")


@contextmanager
def asserts(x: Any) -> Iterator[Any]:
    assert x > 0, "not positive"
    yield x


@contextmanager
def chain(x: Any) -> Iterator[Any]:
    with raises_after(x) as a, asserts(a * a + 1) as b:
        try:
            yield a * b
        finally:
            print("chain")


@contextmanager
def gives_a_function(x: Any) -> Iterator[Callable[[Any], Any]]:
    def g(v: Any) -> Any:
        return v * x

    yield g
    print(g(1.0) > 0)


def a_method(x: Any) -> Any:
    model = Model(x)
    result = model.work(x)
    return result + model.v + sum(model.log) + len(model.log)


def the_method_of_its_class(x: Any) -> Any:
    model = Derived(x)
    result = model.work(x)
    with Other(x).scope(2.0) as y:
        result += y
    return result + model.v + len(model.log)


def of_a_new_object(x: Any) -> Any:
    with Model(x).scope(3.0) as y:
        z = y * x
    return z


def swallowed_by_a_method(x: Any) -> Any:
    model, y = Model(x), 1.0
    with model.scope(2.0) as v:
        y = math.sqrt(x) * v
    return y * model.v + model.depth


def of_items(x: Any) -> Any:
    models = [Model(x), Model(2 * x)]
    for k in range(2):
        with models[k].scope(2.0) as v:
            models[k].log.append(v * models[1 - k].v)
    return sum(sum(m.log) for m in models)


def elsewhere(x: Any) -> Any:
    helper, inner = CONST, SCALE
    with tempo(x) as y:
        z = y * x * helper
    with managers_elsewhere.tempo(z) as y:
        z = y + inner
    return z


def lists_and_dicts(x: Any) -> Any:
    xs, table = [x], {"a": x}
    with extended(xs) as ys, entry(table, "b", 2 * x), entry(table, "a", x * x):
        ys.append(x * x)
        xs.append(2.0)
        s = sum(ys) * len(xs) + sum(table.values()) * len(table)
    return s + sum(xs) + len(ys) + table["a"] * len(table)


def raised_behind_the_body(x: Any) -> Any:
    z = 0 * x
    for k in range(3):
        try:
            with raises_after(x) as y:
                if k == 2:
                    return x * 7 + z
                if k == 1:
                    continue
                z = y * y
        except ValueError as error:
            print(error, k)
            z += x
    return z


def one_in_another(x: Any) -> Any:
    y = x
    try:
        with chain(x) as y:
            y = y * 2
    except ValueError as error:
        print(error)
    with gives_a_function(x) as g:
        y += g(x) + g(2.0)
    return y * g(1.0)


def in_two_loops(x: Any) -> Any:
    model = Model(x)
    for k in range(2):
        for j in range(3):
            with model.scope(1.5) as v, asserts(v * v + 1) as w:
                if j == 1:
                    break
                if k == 1:
                    return w * model.v
                x = x + w
    return x


def the_object_itself(x: Any) -> Any:
    a = Model(x)
    b = a.me()
    b.add(x).add(2 * x)
    a.me().me().add(1.0).me()
    for _ in range(2):
        a.add(x)
        c = b.me()
        c.add(x)
    return a.v * sum(b.log) + b.v


def a_list_and_itself(x: Any) -> Any:
    class Stack:
        def __init__(self) -> None:
            self.items: list[Any] = []

        def __enter__(self) -> Stack:
            return self

        def push(self, v: Any) -> Stack:
            self.items.append(v)
            return self

        def __exit__(self, *given: object) -> None:
            self.items.append(1.0)

    with Stack() as stack:
        stack.push(x).push(x * x)
    with stack as again:
        again.push(3 * x)
    return sum(stack.items) * len(again.items)


def a_name_in_one_branch(x: Any) -> Any:
    a = Model(x)
    b = a
    if x > 1:
        b.v = x * x
    b.depth -= 1
    y = b.v * x
    c = a
    try:
        y = math.sqrt(x) * y
    except ValueError:
        c.v = 2.0
    c.depth -= 1
    return y


PROGRAMS: list[Callable[[Any], Any]] = [
    a_method, the_method_of_its_class, of_a_new_object, swallowed_by_a_method, of_items, elsewhere,
    lists_and_dicts, raised_behind_the_body, one_in_another, in_two_loops, the_object_itself,
    a_list_and_itself, a_name_in_one_branch,
]  # fmt: skip


# --- what is refused ------------------------------------------------------------------------------


@contextmanager
def taking_keywords(**given: Any) -> Iterator[Any]:
    yield given["a"]


@contextmanager
def inside_of_itself(n: int, x: Any) -> Iterator[Any]:
    if n == 0:
        yield x
    else:
        with inside_of_itself(n - 1, x) as y:
            yield y * 2


def keywords(x: Any) -> Any:
    with taking_keywords(a=x) as y:
        return y


def recursive(x: Any) -> Any:
    with inside_of_itself(3, x) as y:
        return y


def with_a_name(x: Any) -> Any:
    manager = asserts(x)
    with manager as y:
        return y


def starred(x: Any) -> Any:
    with asserts(*[x]) as y:
        return y


REFUSED: list[Callable[[Any], Any]] = [keywords, recursive, with_a_name, starred]
