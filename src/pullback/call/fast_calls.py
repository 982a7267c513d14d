"""Fast calls: how values of simple kinds go straight into an entry point and out of it.

``fast_form`` writes the Python function of one compiled entry: look at the guards, read the hidden
arguments, take records apart, call. It gives ``NotImplemented`` when the compiled code is not for
these arguments, as the entry point itself does.
"""

from __future__ import annotations

from dataclasses import dataclass

from pullback.call.request import Plan, What
from pullback.call.trees import (
    Decode,
    Fast,
    Form,
    Guards,
    Hidden,
    Maker,
    NoForm,
    Writer,
    defined,
    tuple_form,
)
from pullback.native import EntrySignature, Tree, bound


@dataclass(frozen=True, slots=True)
class FastForm:
    """The trees of the arguments of an entry point, and the text of the call.

    ``bind(builtin)`` makes the fast call of a function: what does not fit it is refused."""

    signature: EntrySignature
    text: str
    objects: dict[str, object]
    decode: Decode | None
    direct: bool

    def bind(self, builtin: Fast) -> Maker:
        """What makes the fast call of a function, given its compiled entry point."""
        if self.direct and self.decode is None:
            return lambda f, general: bound(builtin, f)
        names: dict[str, object] = {**self.objects, "builtin": builtin, "bound": bound,
                                    "decode": self.decode}  # fmt: skip
        made = defined(self.text, names)
        return lambda f, general: made(f)


def fast_form(plan: Plan, hidden: Hidden, guards: Guards) -> FastForm | None:
    """The form of all arguments, hidden arguments and results; None: they go another way."""
    form = None if plan.cells else _returned(plan)
    if form is None:
        return None
    w = Writer()
    trees: list[Tree] = []
    values: list[str] = []
    try:
        for g in guards:
            w.guard(g)
        for k, (path, _) in enumerate(hidden):
            w.dynamic = True
            w.lines.append(f"h{k} = {w.path(path)}")
        places = [f"a{k}" for k in range(plan.arguments)] + [f"h{k}" for k in range(len(hidden))]
        for shape, at in zip(plan.shapes, places, strict=True):
            found = shape.argument(w, at)
            if found is not None:
                trees.append(found[0])
                values.append(found[1])
            w.dynamic |= found is None
    except NoForm:
        return None
    w.setup.append("entry = bound(builtin, f)")
    decoded = "r" if form.decode is None else "r if r is NotImplemented else decode(r)"
    body = [f"r = entry({', '.join(values)})", f"return {decoded}"]
    text = w.text(plan.arguments, body)
    signature = EntrySignature(tuple(trees), form.tree)
    return FastForm(signature, text, w.objects, form.decode, not w.dynamic)


def _returned(plan: Plan) -> Form | None:
    """The form of all that an entry returns; None: it goes another way."""
    what = plan.request.what
    if what is What.VALUE:
        return plan.result_shape.result_form()
    if what is What.TANGENT:
        return None
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


__all__ = ["FastForm", "fast_form"]
