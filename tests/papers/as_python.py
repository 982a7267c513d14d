"""Programs of the papers' language as Python functions, for the native tier.

Pairs are tuples, arrays are lists, () is 0, and every sum type has two dataclasses of its own.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pullback.papers.language.check import Types, check_source
from pullback.papers.language.terms import (
    Arr,
    Build,
    Case,
    Fold,
    Foldl,
    Fst,
    Inl,
    Inr,
    Int,
    Let,
    Lit,
    Map,
    Nil,
    Op,
    Pair,
    Plus,
    Prim,
    Prod,
    Real,
    Snd,
    Source,
    Term,
    Type,
    Unit,
    Var,
    ZipWith,
)

INFIX = {"add": "+", "sub": "-", "mul": "*", "lt": "<", "eq": "=="}


class Writer:
    """One function: its lines, and the classes of the sum types that it needs."""

    def __init__(self, types: Types) -> None:
        self.types, self.depth, self.count = types, 1, 0
        self.sums: dict[Type, str] = {}
        self.lines: list[str] = []

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def name(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def named(self, text: str) -> str:
        x = self.name()
        self.line(f"{x} = {text}")
        return x

    def sum(self, t: Type) -> str:
        """Return the name of a sum type: its classes are that with L and R."""
        if t not in self.sums:
            assert isinstance(t, Plus)
            for part in (t.left, t.right):
                self.annotation(part)
            self.sums[t] = f"S{len(self.sums)}"
        return self.sums[t]

    def annotation(self, t: Type) -> str:
        match t:
            case Real():
                return "float"
            case Int() | Unit():
                return "int"
            case Prod(a, b):
                return f"tuple[{self.annotation(a)}, {self.annotation(b)}]"
            case Plus():
                return f"{self.sum(t)}L | {self.sum(t)}R"
            case Arr(a):
                return f"list[{self.annotation(a)}]"
            case _:
                raise TypeError(str(t))

    def many(self, ts: Sequence[Term]) -> list[str]:
        return [self.term(t) for t in ts]

    def term(self, t: Term) -> str:
        """Write the lines for a term, and return an expression for its value."""
        match t:
            case Var(x):
                return x
            case Lit(value):
                return f"({value!r})"
            case Nil():
                return "0"
            case Let(x, bound, body):
                self.line(f"{x} = {self.term(bound)}")
                return self.term(body)
            case Pair(a, b):
                return self.named(f"({self.term(a)}, {self.term(b)})")
            case Fst(a):
                return f"{self.term(a)}[0]"
            case Snd(a):
                return f"{self.term(a)}[1]"
            case Inl(a) | Inr(a):
                side = "L" if isinstance(t, Inl) else "R"
                return self.named(f"{self.sum(self.types[t])}{side}({self.term(a)})")
            case Case(a, x, left, y, right):
                return self.case(a, x, left, y, right)
            case Prim("sign2", (a,)):
                s = self.sum(self.types[t])
                return self.named(f"{s}L(0) if {self.term(a)} < 0.0 else {s}R(0)")
            case Prim("neg", (a,)):
                return self.named(f"-{self.term(a)}")
            case Prim(name, (a, b)):
                return self.named(f"{self.term(a)} {INFIX[name]} {self.term(b)}")
            case Prim(name, (a,)):
                return self.named(f"np.{name}({self.term(a)})")
            case Op("index", (a, i)):
                return f"{self.term(a)}[{self.term(i)}]"
            case Op("sum", (a,)):
                return self.loop("0.0", "x", self.term(a), lambda acc: f"{acc} + x")
            case _:
                return self.array(t)

    def case(self, a: Term, x: str, left: Term, y: str, right: Term) -> str:
        of, out = self.named(self.term(a)), self.name()
        for head, v, body in ((f"if isinstance({of}, {self.sum(self.types[a])}L):", x, left),
                              ("else:", y, right)):
            self.line(head)
            self.depth += 1
            self.line(f"{v} = {of}.value")
            self.line(f"{out} = {self.term(body)}")
            self.depth -= 1
        return out

    def loop(self, start: str, x: str, over: str, body: Callable[[str], str]) -> str:
        acc = self.named(start)
        self.line(f"for {x} in {over}:")
        self.depth += 1
        self.line(f"{acc} = {body(acc)}")
        self.depth -= 1
        return acc

    def elements(self, head: str, body: Term) -> str:
        out = self.named("[]")
        self.line(head)
        self.depth += 1
        self.line(f"{out}.append({self.term(body)})")
        self.depth -= 1
        return out

    def array(self, t: Term) -> str:
        match t:
            case Build(n, i, body):
                return self.elements(f"for {i} in range({self.term(n)}):", body)
            case Map(x, body, a):
                return self.elements(f"for {x} in {self.term(a)}:", body)
            case ZipWith(x, y, body, a, b):
                return self.elements(
                    f"for {x}, {y} in zip({', '.join(self.many((a, b)))}):", body)
            case Foldl(acc, x, body, z, a):
                def step(s: str) -> str:
                    self.line(f"{acc} = {s}")
                    return self.term(body)

                return self.loop(self.term(z), x, self.term(a), step)
            case Fold(p, body, a):
                xs = self.named(self.term(a))

                def combined(s: str) -> str:
                    self.line(f"{p} = ({s}, {xs}[k])")
                    return self.term(body)

                return self.loop(f"{xs}[0]", "k", f"range(1, len({xs}))", combined)
            case _:
                raise TypeError(type(t).__name__)


def text_of(source: Source) -> str:
    """Return a module with the program as the function ``f``."""
    w = Writer(check_source(source))
    params = ", ".join(f"{x}: {w.annotation(t)}" for x, t in source.context)
    result = w.term(source.body)
    w.line(f"return {result}")
    classes = [f"@dataclass(frozen=True)\nclass {name}{side}:\n    value: {w.annotation(part)}\n"
               for t, name in w.sums.items() if isinstance(t, Plus)
               for side, part in (("L", t.left), ("R", t.right))]
    head = "from dataclasses import dataclass\n\nimport numpy as np\n"
    return "\n".join([head, *classes, f"def f({params}):", *w.lines, ""])


def function_of(source: Source, folder: Path, name: str) -> Callable[..., Any]:
    """Return the function, of a module in a folder."""
    path = folder / f"{name}.py"
    path.write_text(text_of(source))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Any] = module.f
    return found
