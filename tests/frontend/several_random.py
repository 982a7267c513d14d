"""Random programs that put lists into several places (other lists, dicts, objects), in
comprehensions, generators, recursions, loops and functions, and update them by any of these."""

from __future__ import annotations

import random
from collections.abc import Callable

HEAD = """
from dataclasses import dataclass, field

class Body:
    def __init__(self, m, v):
        self.m, self.v = m, v

@dataclass
class Task:
    m: float
    v: list = field(default_factory=list)

def f(xs):
"""
_RECURSIVE = (
    "def {g}(n):\n        return [] if n == 0 else [{new}(xs[n - 1], {v})] + {g}(n - 1)\n"
    "    {l} = {g}(3)"
)
_YIELDED = (
    "def {g}():\n        for x in xs:\n            yield {new}(x, {v})\n    {l} = list({g}())"
)
_FILLED = (
    "{l} = []\n    def {g}(n):\n        if n > 0:\n            {l}.append({v})\n"
    "            {g}(n - 1)\n    {g}(3)"
)
_BETWEEN = (
    "{l} = []\n    def {g}():\n        for x in xs:\n            {l}.append({v})\n"
    "            yield x\n    {g}_sum = sum({g}())"
)
_LOOP = "{l} = []\n    for x in xs:\n        {l}.append({new}(x, {v}))"
_MADE = "def {g}(x, v): return {new}(x, v)\n    {l} = [{g}(x, {v}) for x in xs]"


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = ["v0 = [xs[0], 0.5 * xs[1]]"]
        self.count = 0
        self.lists = ["v0"]
        self.objects: list[str] = []
        self.rows: list[str] = []
        self.bodies: list[str] = []
        self.tables: list[str] = []

    def number(self) -> str:
        return self.random.choice(["xs[0]", "xs[1] * 2.0", "xs[2]", "1.5", "xs[0] * xs[1]"])

    def a_list(self) -> str:
        k = self.random.choice([0, 0, 1])
        return self.random.choice(
            [
                *self.lists, *(f"{o}.v" for o in self.objects), *(f"{r}[{k}]" for r in self.rows),
                *(f"{b}[{k}].v" for b in self.bodies), *(f"{d}[{k}]" for d in self.tables),
            ]
        )  # fmt: skip

    def an_object(self) -> str:
        k = self.random.randint(0, 1)
        if not self.objects and not self.bodies:
            self.put("{new}({x}, {v})", self.objects)
        return self.random.choice([*self.objects, *(f"{b}[{k}]" for b in self.bodies)])

    def put(self, text: str, where: list[str]) -> None:
        """Write what a new variable holds, which is one of ``where`` then."""
        self.count += 1
        name = f"v{self.count}"
        text = text if "{l}" in text else "{l} = " + text
        new = self.random.choice(["Body", "Task"])
        given = {"v": self.a_list(), "x": self.number(), "new": new}
        self.lines.append(text.format(l=name, g=f"g{self.count}", **given))
        where.append(name)

    def update(self) -> None:
        self.lines.append(
            self.random.choice(
                [
                    f"{self.a_list()}.append({self.number()})",
                    f"{self.a_list()}[0] = {self.number()}",
                    f"{self.a_list()}[1] += {self.number()}",
                ]
            )
        )

    def of_others(self) -> None:
        """Write a list of what is in another one."""
        if self.bodies:
            b = self.random.choice(self.bodies)
            text, where = self.random.choice(
                [
                    (f"[Body(t.m, t.v) for t in {b}]", self.bodies),
                    (f"[t.v for t in {b}]", self.rows),
                    (f"{b}[::-1]", self.bodies),
                    (f"sorted({b}, key=lambda t: -t.m)", self.bodies),
                ]
            )
            self.put(text, where)
        elif self.rows:
            self.put(f"[Task(t[0], t) for t in {self.random.choice(self.rows)}]", self.bodies)

    def object_changes(self) -> None:
        o = self.an_object()
        self.lines.append(self.random.choice([f"{o}.m *= 2.0", f"{o}.v = {self.a_list()}"]))

    def statement(self) -> None:
        makers: list[Callable[[], None]] = [
            lambda: self.put("[{x}, 0.5 * {x}]", self.lists),
            lambda: self.put("{new}({x}, {v})", self.objects),
            lambda: self.put("[{v} for x in xs]", self.rows),
            lambda: self.put("[{v}, {v}]", self.rows),
            lambda: self.put("[{new}(x, {v}) for x in xs]", self.bodies),
            lambda: self.put("{{i: {v} for i in range(3)}}", self.tables),
            *(
                lambda text=text: self.put(text, self.bodies)
                for text in (_YIELDED, _RECURSIVE, _LOOP, _MADE)
            ),
            *(lambda text=text: self.put(text, self.rows) for text in (_FILLED, _BETWEEN)),
            lambda: self.put(self.an_object(), self.objects),
            self.of_others, self.of_others, self.update, self.update, self.object_changes,
        ]  # fmt: skip
        self.random.choice(makers)()

    def total(self) -> str:
        terms = [f"{k + 2} * sum({v})" for k, v in enumerate(self.lists)]
        terms += [f"{k + 3} * {o}.m * sum({o}.v)" for k, o in enumerate(self.objects)]
        for k, name in enumerate(self.rows):
            terms.append(f"sum(({k + 2} + i) * sum(v) for i, v in enumerate({name}))")
        for k, name in enumerate(self.bodies):
            terms.append(f"sum(({k + 2} + i) * t.m * sum(t.v) for i, t in enumerate({name}))")
        for k, name in enumerate(self.tables):
            terms.append(f"sum(({k + 2} + i) * sum(v) for i, v in {name}.items())")
        return " + ".join(terms)


def program(seed: int) -> str:
    """Return the text of a module with a function ``f`` of a list of three numbers."""
    writer = Writer(seed)
    for _ in range(writer.random.randint(4, 8)):
        writer.statement()
    for _ in range(writer.random.randint(1, 3)):
        writer.update()
    writer.lines.append(f"return {writer.total()}")
    return HEAD + "".join(f"    {line}\n" for line in writer.lines)
