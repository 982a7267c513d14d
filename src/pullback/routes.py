"""Fast calls of entries whose arguments go in as blocks (lists of lists, dicts, records, trees).

The Python function that is written here has nothing to decide: it looks at the guards, has every
argument converted by compiled code (``boundary``), calls the entry and has the gradients made. What
is unusual in a call, it leaves to the general way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pullback.boundary import Boundary
from pullback.core.types import Type
from pullback.entries import Fast, Guards, Hidden, NoForm, Writer, defined
from pullback.frontend.kinds import ArrayK, Kind, ListK, ScalarK, StaticK, TupleK, leaf_types
from pullback.marshal import result_value
from pullback.native.boundary import Conversion
from pullback.plans import Plan, What
from pullback.rawmemory import is_simple

Route = Callable[[object, Fast], Fast]
"""The fast call of a function, given the general way, which is called where it does not fit."""


def route(
    plan: Plan, boundary: Boundary, hidden: Hidden, guards: Guards, results: Sequence[Type],
    tail: Conversion | None, builtin: Fast,
) -> Route | None:  # fmt: skip
    """The fast call of an entry; None: it has none. ``results``: what the entry gives as leaves,
    ``tail``: what makes the rest."""
    if plan.request.what not in (What.VALUE, What.GRADIENT, What.VALUE_AND_GRADIENT):
        return None
    if not all(map(is_simple, results)):
        return None
    w = Writer()
    for guard in guards:
        w.guard(guard)
    for k, (path, _) in enumerate(hidden):
        w.lines.append(f"h{k} = {w.path(path)}")
    places = [f"a{k}" for k in range(plan.arguments)] + [f"h{k}" for k in range(len(hidden))]
    general = f"return general({', '.join(places[: plan.arguments])})"
    body: list[str] = []
    cells = "0"
    for k, (at, conversion) in enumerate(zip(places, boundary.conversions, strict=True)):
        body += [f"b{k} = {w.name('encode', conversion.encode)}({at}, {cells}, False, None)",
                 f"if b{k} is NotImplemented: {general}"]  # fmt: skip
        cells = f"b{k}[2]"
    given = "".join(f"b{k}[1], " for k in range(len(places))) + (cells if plan.cells else "")
    body += [f"r = {w.name('entry', builtin)}({given})", f"if r is NotImplemented: {general}"]
    if tail is not None:
        body.append("r, kept = r")
    body.append(f"return {_Results(plan, boundary, tail, w).text()}")
    return defined(w.text(plan.arguments, body, ", general"), w.objects)


class _Results:
    """Writes the expression of the result, from the leaves ``r`` and what was ``kept``."""

    def __init__(
        self, plan: Plan, boundary: Boundary, tail: Conversion | None, w: Writer
    ) -> None:
        self.plan = plan
        self.boundary = boundary
        self.tail = tail
        self.w = w

    def text(self) -> str:
        plan = self.plan
        what = plan.request.what
        if what is What.VALUE:
            return self._made(plan.result, 0)
        v = 0 if what is What.GRADIENT else len(tuple(leaf_types(plan.value)))
        end = v + len(plan.wrt)
        by_leaf = {k: f"r[{v + j}]" for j, k in enumerate(plan.wrt)}
        cells = f"r[{end}]" if plan.cells else "None"
        grads = "".join(self._gradient(i, cells, by_leaf) + ", " for i in plan.differentiated)
        found = grads[:-2] if plan.request.alone else f"({grads})"
        first = [] if what is What.GRADIENT else [self._made(plan.value, 0, leaves=True)]
        beside = []
        if plan.request.has_aux:
            beside = [self._made(plan.aux, end + plan.cells)]
        if what is What.GRADIENT:
            return f"({found}, {beside[0]})" if beside else found
        return f"(({first[0]}, {beside[0]}), {found})" if beside else f"({first[0]}, {found})"

    def _gradient(self, i: int, cells: str, by_leaf: dict[int, str]) -> str:
        made = self.w.name("gradient", self.boundary.conversions[i].gradient)
        given = "".join(f"{by_leaf[k]}, " for k in self.plan.leaves_of(i) if k in by_leaf)
        return f"{made}(b{i}[0], {cells}, ({given}))"

    def _made(self, kind: Kind, start: int, leaves: bool = False) -> str:
        """A part of the result, whose leaves begin there."""
        if self.tail is not None and not leaves:
            return f"{self.w.name('made', self.tail.result)}(kept, 0, 0)"
        count = len(tuple(leaf_types(kind)))
        given = iter([f"r[{k}]" for k in range(start, start + count)])
        try:
            return _direct(kind, given)
        except NoForm:
            value = self.w.name("value", lambda x: result_value(kind, x))
            return f"{value}(r[{start}:{start + count}])"


def _direct(kind: Kind, given: Iterator[str]) -> str:
    """The expression of a value whose leaves are its parts; else ``NoForm``."""
    match kind:
        case ScalarK(_, True) | ArrayK():
            return next(given)
        case TupleK(items, False):
            return "(" + "".join(f"{_direct(k, given)}, " for k in items) + ")"
        case StaticK(_, None):
            return "None"
        case ListK(ScalarK(_, True)):
            next(given)
            return f"{next(given)}.tolist()"
        case _:
            raise NoForm
