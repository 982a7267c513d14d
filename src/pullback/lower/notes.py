"""What the lowering decides about each loop, as ``pb.show(f, ..., stage="plan")`` tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pullback.core.frozen import dataclass, field
from pullback.core.prims_fourier import FOURIER
from pullback.core.prims_linear import LINEAR
from pullback.core.prims_order import ORDER
from pullback.core.terms import (
    Block,
    Build,
    Function,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Site,
    Sum_,
    While,
    sub_blocks,
)
from pullback.core.traverse import all_lets
from pullback.core.types import Array
from pullback.lower.folds import Fold
from pullback.lower.separate import Separate


@dataclass(slots=True)
class Note:
    """How a loop runs: in ``lanes`` or why not, in ``chunks`` on threads or why not."""

    lanes: str = ""
    chunks: str = ""
    reasons: list[str] = field(default_factory=list)


Notes = dict[Op, Note]


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A loop or a call of linear algebra, and how it runs; or the title of a function. ``site`` is
    the place in the source, of the first let that knows it."""

    depth: int
    text: str
    site: Site | None = None

    def __str__(self) -> str:
        place = f"line {self.site.line}: " if self.site else ""
        return f"{'  ' * self.depth}{place}{self.text}"


def plan_of(
    program: Program, notes: Notes, separate: dict[Op, Separate], folds: dict[Op, Fold]
) -> list[PlanRow]:
    """Return a row for each loop and each call of linear algebra, loops inside indented."""
    rows: list[PlanRow] = []
    for fn in program.functions.values():
        found = list(_Plan(notes, separate, folds).block(fn.body, 1))
        if found:
            rows += [PlanRow(0, _title(fn, program)), *found]
    return rows


def plan_text(rows: Sequence[PlanRow]) -> str:
    """Return the rows as text."""
    return "\n".join(map(str, rows)) or "no loops"


def _title(fn: Function, program: Program) -> str:
    return f"{'main ' if fn.name == program.main else ''}{fn.name}"


@dataclass
class _Plan:
    notes: Notes
    separate: dict[Op, Separate]
    folds: dict[Op, Fold]

    def block(self, block: Block, depth: int) -> Iterator[PlanRow]:
        """Yield the rows of a block."""
        for let in block.lets:
            text = self._line(let)
            if text:
                yield PlanRow(depth, text, _place(let))
            for _, inner in sub_blocks(let.op) if let.op not in self.folds else ():
                yield from self.block(inner, depth + bool(text))

    def _line(self, let: Let) -> str:
        op = let.op
        if op in self.separate:
            op = self.separate[op].sum
        match op:
            case Loop() if op in self.folds and self.folds[op].sum in self.notes:
                whole = self.folds[op].sum
                return self._parallel(whole, "choice", len(whole.extents))
            case Build(extents) if extents:
                return self._parallel(op, "array", len(extents))
            case Sum_(extents):
                kind = "sum" if let.vars else "additions to cotangents"
                return self._parallel(op, kind, len(extents))
            case Loop(count) if not (isinstance(count, Lit) and count.value < 2):
                return f"loop, one round after the other{_kept(let, len(op.carried))}"
            case While():
                return f"while, one round after the other{_kept(let, len(op.carried))}"
            case Prim(name) if name in LINEAR.rows:
                blas = name == "product"
                how = "BLAS, in blocks of rows on threads where it is large" if blas else "LAPACK"
                return f"{name.removesuffix('.ck')}: {how}"
            case Prim(name) if name in FOURIER.rows:
                return f"{name}: NumPy's transform, row by row"
            case Prim(name) if name in ORDER.rows:
                return f"{name}: NumPy's sort"
            case _:
                return ""

    def _parallel(self, op: Op, kind: str, axes: int) -> str:
        note = self.notes.get(op, Note())
        over = f" over {axes} indices" if axes > 1 else ""
        lanes = note.lanes or "; ".join(["one round after the other", *dict.fromkeys(note.reasons)])
        chunks = f"; {note.chunks}" if note.chunks else ""
        return f"{kind}{over}: {lanes}{chunks}"


def _place(let: Let) -> Site | None:
    """Return the place in the source, of the first let that knows it."""
    inside = (x for _, block in sub_blocks(let.op) for x in all_lets(block))
    return next((x.site for x in (let, *inside) if x.site), None)


def _kept(let: Let, carried: int) -> str:
    """Return what the rounds keep for later."""
    many = sum(isinstance(v.type, Array) for v in let.vars[carried:])
    return f"; keeps {many} value{'s' * (many > 1)} of each round" if many else ""
