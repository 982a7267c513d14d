"""Core as rows (``pretty.py``), each with the let to which it belongs."""

from __future__ import annotations

from pullback.core.frozen import dataclass
from pullback.core.pretty import Printer, show_decl, show_type
from pullback.core.terms import Let, Program
from pullback.core.types import Decl


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a program: how deep it stands, its text, and its let, if it is of one. A let with
    blocks has several rows; ``head`` is the one that begins with ``let`` or ``do``."""

    depth: int
    text: str
    let: Let | None = None
    head: bool = False


def rows_of(program: Program) -> list[Row]:
    """Return the rows of a program, in the order of ``pretty.show``.

    >>> from pullback.core.build import Builder
    >>> from pullback.core.terms import Function, Var
    >>> from pullback.core.types import F64
    >>> x, b = Var("x", F64), Builder()
    >>> f = Function("f", (x,), b.block((b.prim("sin", x),)), (F64,))
    >>> [(row.depth, row.text, row.head) for row in rows_of(Program({"f": f}, {}, "f"))]
    [(0, 'main f(x:f64) -> f64', False), (1, 'let t:f64 = sin x', True), (1, 'return t', False)]
    """
    rows = [Row(0, show_decl(d)) for d in program.decls.values()]
    order = sorted(program.functions.values(), key=lambda f: f.name != program.main)
    for fn in order:
        keyword = "main" if fn.name == program.main else "fun"
        p = _RowPrinter(program.decls)
        params = ", ".join(p.bind(v) for v in fn.params)
        results = ", ".join(show_type(t) for t in fn.results) or "()"
        p.line(0, f"{keyword} {fn.name}({params}) -> {results}")
        p.block(fn.body, 1)
        rows += [Row(0, "")] if rows else []
        rows += p.rows()
    return rows


class _RowPrinter(Printer):
    """The printer, with the let of every line beside it."""

    def __init__(self, decls: dict[str, Decl] | None = None) -> None:
        super().__init__(decls)
        self.heads: list[Let | None] = []
        self.owners: list[Let | None] = []
        self.around: list[Let] = []

    def line(self, depth: int, text: str) -> None:
        super().line(depth, text)
        self.heads.append(None)
        self.owners.append(self.around[-1] if self.around else None)

    def let(self, x: Let, depth: int) -> None:
        at = len(self.lines)
        self.around.append(x)
        super().let(x, depth)
        self.around.pop()
        self.heads.insert(at, x)
        self.owners.insert(at, x)

    def rows(self) -> list[Row]:
        """Return the lines with their lets."""
        out = []
        for line, head, owner in zip(self.lines, self.heads, self.owners, strict=True):
            text = line.lstrip(" ")
            depth = (len(line) - len(text)) // 2
            out.append(Row(depth, text, owner, head is not None))
        return out


__all__ = ["Row", "rows_of"]
