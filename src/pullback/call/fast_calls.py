"""Fast calls: how the Python values of a call go into an entry point and come out of it.

A fast call is a Python function that is written for one compiled entry: it looks at the guards,
reads the hidden arguments, and calls. Values of simple kinds (numbers, arrays, lists of numbers,
and tuples, records and dicts of these) go into the entry point one by one, *in registers*: the
function takes records and dicts apart. Other data (lists of lists, trees) is converted by the
entry point itself (``code.converting_entry``). A fast call returns ``NotImplemented`` for
arguments that the compiled code is not for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.call.code.conversion import Conversion
from pullback.call.code.converting_entry import Made, Out, RouteSignature
from pullback.call.packed import Boundary
from pullback.call.request import Plan, What
from pullback.call.trees import (
    Decode,
    Fast,
    Form,
    Guards,
    Hidden,
    NoForm,
    Writer,
    defined,
    tuple_form,
)
from pullback.core.frozen import dataclass
from pullback.core.types import Type
from pullback.frontend.kinds.kinds import leaf_types
from pullback.lower.values import leaves as machine_types
from pullback.native import EntrySignature, Tree, binder


@dataclass(frozen=True, slots=True)
class FastCall:
    """The signature of an entry point, and ``bind``, which makes of its builtin the function that
    makes fast calls: of a function and the general call for it (``Maker``), or in forward mode of
    nothing, since such a call is given the function."""

    signature: EntrySignature | RouteSignature
    bind: Callable[[Fast], Callable[..., Fast]]


def arguments_in_registers(w: Writer, plan: Plan) -> tuple[list[Tree], list[str]]:
    """The trees of all arguments and hidden arguments, and the expressions that give them.
    ``NoForm`` where one of them does not go in registers."""
    places = [*(f"a{k}" for k in range(plan.arguments))]
    places += [f"h{k}" for k in range(len(plan.kinds) - plan.arguments)]
    found = [s.argument(w, at) for s, at in zip(plan.shapes, places, strict=True)]
    w.dynamic |= None in found
    trees = [x[0] for x in found if x is not None]
    return trees, [x[1] for x in found if x is not None]


def in_registers(plan: Plan, hidden: Hidden, guards: Guards) -> FastCall | None:
    """The fast call of an entry that takes and gives all values in registers; None: some kind does
    not go so."""
    w = Writer.around(hidden, guards)
    try:
        trees, given = arguments_in_registers(w, plan)
        if plan.request.what is What.TANGENT:
            return _along_in_registers(w, plan, trees, given)
    except NoForm:
        return None
    form = _returned(plan)
    if form is None:
        return None
    decode, dynamic = form.decode, w.dynamic

    def bind(builtin: Fast) -> Callable[..., Fast]:
        of = binder(builtin)
        if not dynamic and decode is None:
            return lambda f, general: of(f)
        w.setup.append(f"entry = {w.name('bound', of)}(f)")
        body = [f"r = entry({', '.join(given)})", *_decoded(w, decode), "return r"]
        return defined(w.text(plan.arguments, body, ", general"), w.objects)

    return FastCall(EntrySignature(tuple(trees), form.tree), bind)


def _decoded(w: Writer, decode: Decode | None) -> list[str]:
    """The line that makes a result ``r`` of what the entry point gave."""
    if decode is None:
        return []
    return [f"if r is not NotImplemented: r = {w.name('decode', decode)}(r)"]


def _along_in_registers(
    w: Writer, plan: Plan, trees: list[Tree], given: list[str]
) -> FastCall | None:
    """That of forward mode: fast(f, *primals, *tangents)."""
    shape = plan.result_shape
    form = tuple_form([shape.result_form(), shape.tangent_form()])
    if form is None:
        return None
    for k in range(plan.arguments):
        sizes = plan.shapes[k].sizes(f"a{k}", w)
        found = plan.shapes[k].tangent_argument(w, f"t{k}", sizes)
        if found is not None:
            trees.append(found[0])
            given.append(found[1])
    decode = form.decode
    params = [f"{x}{k}" for x in "at" for k in range(plan.arguments)]

    def bind(builtin: Fast) -> Callable[..., Fast]:
        entry = w.name("entry", builtin)
        body = [f"r = {entry}({', '.join(given)})", *_decoded(w, decode), "return r"]
        return defined(w.text_for_any(params, plan.arguments, body), w.objects)

    return FastCall(EntrySignature(tuple(trees), form.tree), bind)


def _returned(plan: Plan) -> Form | None:
    """The form of all that an entry returns; None: a part of it has none."""
    what = plan.request.what
    if what is What.VALUE:
        return plan.result_shape.result_form()
    grads = [plan.shapes[i].gradient_form() for i in plan.differentiated]
    found = grads[0] if plan.request.alone else tuple_form(grads)
    aux = [plan.aux_shape.result_form()] if plan.request.has_aux else []
    if what is What.GRADIENT:
        return tuple_form([found, *aux]) if aux else found
    whole = tuple_form([plan.value_shape.result_form(), found, *aux])
    if whole is None or not aux:
        return whole
    decode = whole.decode

    def in_order(parts: object) -> object:
        made = parts if decode is None else decode(parts)
        assert isinstance(made, tuple)
        return (made[0], made[2]), made[1]

    return Form(whole.tree, in_order)


# --- data that the entry point converts -----------------------------------------------------------

_OUT: dict[tuple[What, bool], Out] = {
    (What.VALUE, False): "last",
    (What.GRADIENT, False): "gradients",
    (What.GRADIENT, True): ("gradients", "last"),
    (What.VALUE_AND_GRADIENT, False): ("value", "gradients"),
    (What.VALUE_AND_GRADIENT, True): (("value", "last"), "gradients"),
}


def converting(
    plan: Plan, hidden: Hidden, guards: Guards, boundary: Boundary, results: Sequence[Type],
    tail: Conversion | None,
) -> FastCall | None:  # fmt: skip
    """The fast call of an entry that converts data; None: there is none. ``results``: those of
    main; ``tail``: what makes the last of them."""
    if not all(c.by_itself for c in (*boundary.conversions, *([] if tail is None else [tail]))):
        return None
    along = plan.request.what is What.TANGENT
    decodes: dict[str, Decode] = {}
    signature = (_along if along else _signature)(plan, boundary, results, tail, decodes)
    if signature is None:
        return None
    w = Writer.around(hidden, guards)
    primals, tangents = ([f"{x}{k}" for k in range(plan.arguments)] for x in "at")
    values = [*primals, *(f"h{k}" for k in range(len(hidden))), *(tangents if along else [])]
    finished = _finished(w, decodes, signature.out, "r")

    def bind(builtin: Fast) -> Callable[..., Fast]:
        if along:
            entry = w.name("builtin", builtin)
            body = [f"r = {entry}({', '.join(values)})", "if r is NotImplemented: return r"]
            text = w.text_for_any(
                [*primals, *tangents], plan.arguments, [*body, f"return {finished}"]
            )
            return defined(text, w.objects)
        of = binder(builtin)
        if not (w.lines or decodes):
            return of
        w.setup.append(f"entry = {w.name('bound', of)}(f)")
        body = [
            f"r = entry({', '.join(values)})",
            f"if r is NotImplemented: return general({', '.join(primals)})",
            f"return {finished}",
        ]
        return defined(w.text(plan.arguments, body, ", general"), w.objects)

    return FastCall(signature, bind)


def _finished(w: Writer, decodes: dict[str, Decode], out: Out, at: str) -> str:
    """The expression of a part of the result, where some parts are still to be decoded."""
    if isinstance(out, str):
        decode = decodes.get(out)
        return at if decode is None else f"{w.name('decode', decode)}({at})"
    parts = [_finished(w, decodes, x, f"{at}[{k}]") for k, x in enumerate(out)]
    if all(part == f"{at}[{k}]" for k, part in enumerate(parts)):
        return at
    return f"({', '.join(parts)},)"


def _signature(
    plan: Plan, boundary: Boundary, results: Sequence[Type], tail: Conversion | None,
    decodes: dict[str, Decode],
) -> RouteSignature | None:  # fmt: skip
    """The signature of an entry that converts data, but for forward mode; ``decodes`` gets what is
    still to be done to parts of its result."""
    what, request = plan.request.what, plan.request
    out = _OUT.get((what, request.has_aux and what is not What.VALUE))
    if out is None:
        return None
    start = 0
    value: Tree | None = None
    if what is What.VALUE_AND_GRADIENT:
        value = _tree("value", plan.value_shape.result_form(), decodes)
        if value is None:
            return None
        start = len(tuple(leaf_types(plan.value)))
    by_leaf = {k: machine_types(results[start + j]) for j, k in enumerate(plan.wrt)}
    gradients = tuple(
        (i, tuple(ty for k in plan.leaves[i] for ty in by_leaf.get(k, ())))
        for i in plan.differentiated
    )
    start += len(plan.wrt) + plan.cells
    last: Tree | Made | None = None
    if what is What.VALUE or request.has_aux:
        shape = plan.result_shape if what is What.VALUE else plan.aux_shape
        if tail is not None:
            last = Made(tail, tuple(ty for t in results[start:] for ty in machine_types(t)))
        else:
            last = _tree("last", shape.result_form(), decodes)
        if last is None:
            return None
    return RouteSignature(
        tuple(boundary.conversions), plan.cells, out, value, gradients, request.alone, last
    )


def _along(
    plan: Plan, boundary: Boundary, results: Sequence[Type], tail: Conversion | None,
    decodes: dict[str, Decode],
) -> RouteSignature | None:  # fmt: skip
    """The signature for forward mode."""
    out: Out = ("last", "tangent")
    value: Tree | None = None
    last: Tree | Made | None
    if tail is not None:
        last = Made(tail, tuple(ty for t in results for ty in machine_types(t)))
    else:
        out = ("value", "last")
        value = _tree("value", plan.result_shape.result_form(), decodes)
        last = _tree("last", plan.result_shape.tangent_form(), decodes)
        if value is None or last is None:
            return None
    return RouteSignature(
        tuple(boundary.conversions), False, out, value, last=last, tangents=plan.arguments
    )


def _tree(name: str, form: Form | None, decodes: dict[str, Decode]) -> Tree | None:
    """The tree of a part of the result, which may have to be decoded; None: it has none."""
    if form is not None and form.decode is not None:
        decodes[name] = form.decode
    return None if form is None else form.tree


__all__ = ["FastCall", "arguments_in_registers", "converting", "in_registers"]
