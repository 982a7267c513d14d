"""Fast calls of entries whose arguments are converted (lists of lists, dicts, records, trees).

All of the conversion is done by the entry point itself (``code.converting_entry``). The Python
function that is written here has nothing to decide: it looks at the guards, reads the hidden
arguments, and calls. What is unusual in a call, it leaves to the general way. Where there is
neither guard nor hidden argument the fast call is the entry point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pullback.call.code.conversion import Conversion
from pullback.call.code.converting_entry import Made, Out, RouteSignature
from pullback.call.packed import Boundary
from pullback.call.request import Plan, What
from pullback.call.shapes import Shape
from pullback.call.trees import Decode, Fast, Guards, Hidden, Maker, Writer, defined
from pullback.core.types import Type
from pullback.frontend.kinds.kinds import leaf_types
from pullback.lower.values import leaves as machine_types
from pullback.native import Tree, bound


@dataclass(frozen=True, slots=True)
class Way:
    """The signature of a fast entry, and what is still to be done to parts of its result."""

    signature: RouteSignature
    decodes: dict[str, Decode]

    def bind(self, plan: Plan, hidden: Hidden, guards: Guards, builtin: Fast) -> Maker:
        """What makes the fast call of a function."""
        w = Writer()
        for guard in guards:
            w.guard(guard)
        for k, (path, _) in enumerate(hidden):
            w.lines.append(f"h{k} = {w.path(path)}")
        if not (w.lines or self.decodes):
            return lambda f, general: bound(builtin, f, general)
        given = ", ".join(f"a{k}" for k in range(plan.arguments))
        more = "".join(f", h{k}" for k in range(len(hidden)))
        w.setup.append(f"entry = {w.name('bound', bound)}({w.name('builtin', builtin)}, f)")
        body = [
            f"r = entry({given}{more})",
            f"if r is NotImplemented: return general({given})",
            f"return {self._finished(w, self.signature.out, 'r')}",
        ]
        return defined(w.text(plan.arguments, body, ", general"), w.objects)

    def bind_product(self, plan: Plan, hidden: Hidden, guards: Guards, builtin: Fast) -> Fast:
        """The fast call of forward mode: fast(f, *primals, *tangents)."""
        w = Writer()
        for guard in guards:
            w.guard(guard)
        for k, (path, _) in enumerate(hidden):
            w.lines.append(f"h{k} = {w.path(path)}")
        params = [f"{x}{k}" for x in "at" for k in range(plan.arguments)]
        primals, tangents = params[: plan.arguments], params[plan.arguments :]
        given = ", ".join([*primals, *(f"h{k}" for k in range(len(hidden))), *tangents])
        body = [
            f"r = {w.name('entry', builtin)}({given})",
            "if r is NotImplemented: return r",
            f"return {self._finished(w, self.signature.out, 'r')}",
        ]
        return defined(w.text_for_any(params, plan.arguments, body), w.objects)()

    def _finished(self, w: Writer, out: Out, at: str) -> str:
        """The expression of a part of the result."""
        if isinstance(out, str):
            decode = self.decodes.get(out)
            return at if decode is None else f"{w.name('decode', decode)}({at})"
        parts = [self._finished(w, x, f"{at}[{k}]") for k, x in enumerate(out)]
        if all(part == f"{at}[{k}]" for k, part in enumerate(parts)):
            return at
        return f"({', '.join(parts)},)"


_OUT: dict[tuple[What, bool], Out] = {
    (What.VALUE, False): "last",
    (What.GRADIENT, False): "gradients",
    (What.GRADIENT, True): ("gradients", "last"),
    (What.VALUE_AND_GRADIENT, False): ("value", "gradients"),
    (What.VALUE_AND_GRADIENT, True): (("value", "last"), "gradients"),
}


def way(
    plan: Plan, boundary: Boundary, results: Sequence[Type], tail: Conversion | None
) -> Way | None:
    """The fast entry of a plan; None: it has none. ``results``: those of main; ``tail``: what makes
    the last of them."""
    what, request = plan.request.what, plan.request
    if what is What.TANGENT:
        return _way_along(plan, boundary, results, tail)
    out = _OUT.get((what, request.has_aux and what is not What.VALUE))
    if out is None:
        return None
    decodes: dict[str, Decode] = {}
    start = 0
    value: Tree | None = None
    if what is What.VALUE_AND_GRADIENT:
        value = _tree("value", plan.value_shape, decodes)
        if value is None:
            return None
        start = len(tuple(leaf_types(plan.value)))
    by_leaf = {k: machine_types(results[start + j]) for j, k in enumerate(plan.wrt)}
    gradients = tuple(
        (i, tuple(ty for k in plan.leaves_of(i) for ty in by_leaf.get(k, ())))
        for i in plan.differentiated
    )
    start += len(plan.wrt) + plan.cells
    last: Tree | Made | None = None
    if what is What.VALUE or request.has_aux:
        shape = plan.result_shape if what is What.VALUE else plan.aux_shape
        if tail is not None:
            last = Made(tail, tuple(ty for t in results[start:] for ty in machine_types(t)))
        else:
            last = _tree("last", shape, decodes)
        if last is None:
            return None
    signature = RouteSignature(
        tuple(boundary.conversions), plan.cells, out, value, gradients, request.alone, last
    )
    return Way(signature, decodes)


def _way_along(
    plan: Plan, boundary: Boundary, results: Sequence[Type], tail: Conversion | None
) -> Way | None:
    """The fast entry of forward mode."""
    decodes: dict[str, Decode] = {}
    out: Out = ("last", "tangent")
    value: Tree | None = None
    last: Tree | Made | None
    if tail is not None:
        last = Made(tail, tuple(ty for t in results for ty in machine_types(t)))
    else:
        out = ("value", "last")
        value = _tree("value", plan.result_shape, decodes)
        form = plan.result_shape.gradient_form()
        if value is None or form is None:
            return None
        last = form.tree
        if form.decode is not None:
            decodes["last"] = form.decode
    signature = RouteSignature(
        tuple(boundary.conversions), False, out, value, last=last, tangents=plan.arguments
    )
    return Way(signature, decodes)


def _tree(name: str, shape: Shape, decodes: dict[str, Decode]) -> Tree | None:
    """The tree of a part of the result, which may have to be decoded; None: it has none."""
    form = shape.result_form()
    if form is None:
        return None
    if form.decode is not None:
        decodes[name] = form.decode
    return form.tree
