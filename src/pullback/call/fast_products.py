"""Fast calls of ``pb.jvp`` and ``pb.vjp`` with values of simple kinds, as ``fast_calls`` writes
those of the other operators: numbers, arrays, lists of numbers, tuples, records, dicts of them.

A tangent or cotangent that is not exactly of the form of its value (an int, ``None``, another
class) makes the fast call give ``NotImplemented``; the general way then converts it, or says what
is wrong. The functions that are written here are given the function f first: they are kept for as
long as it lives, and so must not refer to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pullback.call.request import Plan
from pullback.call.shapes import Shape
from pullback.call.tangents import tangent_leaves
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
from pullback.errors import ArgumentTypeError
from pullback.lower.loopcode import Ty
from pullback.native import EntrySignature, Nothing, Tree


def normal_leaves(shape: Shape, forms: Sequence[object], given: object, what: str) -> object:
    """A tangent of a value with these leaves (or such of their shapes) in exactly the form of the
    value; errors as ``tangent_leaves``."""
    leaves = tangent_leaves(shape, forms, given, what)
    filled = [form if leaf is None else leaf for leaf, form in zip(leaves, forms, strict=True)]
    return shape.value(iter(filled), {}, gradient=True)


# --- arguments -----------------------------------------------------------------------------------


def _arguments(
    w: Writer, plan: Plan, hidden: Hidden, guards: Guards
) -> tuple[list[Tree], list[str]]:
    """The trees of all arguments and hidden arguments, and the expressions that give them."""
    for guard in guards:
        w.guard(guard)
    for k, (path, _) in enumerate(hidden):
        w.lines.append(f"h{k} = {w.path(path)}")
    places = [*(f"a{k}" for k in range(plan.arguments)), *(f"h{k}" for k in range(len(hidden)))]
    found = [s.argument(w, at) for s, at in zip(plan.shapes, places, strict=True)]
    trees = [x[0] for x in found if x is not None]
    return trees, [x[1] for x in found if x is not None]


# --- jvp -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TangentForm:
    """The signature of the fast entry of forward mode, and its call."""

    signature: EntrySignature
    text: str
    objects: dict[str, object]
    decode: Decode | None

    def bind(self, builtin: Fast) -> Fast:
        """fast(f, *primals, *tangents)"""
        names = {**self.objects, "entry": builtin, "decode": self.decode}
        return defined(self.text, names)()


def tangent_form(plan: Plan, hidden: Hidden, guards: Guards) -> TangentForm | None:
    """The fast entry of forward mode; None: there is none for these kinds."""
    form = tuple_form([plan.result_shape.result_form(), plan.result_shape.gradient_form()])
    if form is None:
        return None
    w = Writer()
    try:
        trees, given = _arguments(w, plan, hidden, guards)
        for k in range(plan.arguments):
            sizes = plan.shapes[k].sizes(f"a{k}", w)
            found = plan.shapes[k].tangent_argument(w, f"t{k}", sizes)
            if found is not None:
                trees.append(found[0])
                given.append(found[1])
    except NoForm:
        return None
    body = [f"r = entry({', '.join(given)})"]
    if form.decode is not None:
        body.append("if r is not NotImplemented: r = decode(r)")
    params = [f"{x}{k}" for x in "at" for k in range(plan.arguments)]
    text = w.text_for_any(params, plan.arguments, [*body, "return r"])
    return TangentForm(EntrySignature(tuple(trees), form.tree), text, w.objects, form.decode)


# --- vjp -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PullbackForm:
    """The signatures of the fast entries of both halves, and their calls."""

    forward: EntrySignature
    back: EntrySignature
    text: str
    objects: dict[str, object]

    def bind(self, forward: Fast, back: Fast) -> Fast:
        """fast(f, *primals) -> (result, pullback)"""
        return defined(self.text, {**self.objects, "forward": forward, "back": back})()


def pullback_form(
    plan: Plan, hidden: Hidden, guards: Guards, residuals: tuple[Ty, ...]
) -> PullbackForm | None:
    """The fast entries of a pullback; None: there are none for these kinds."""
    if plan.cells:
        return None
    result, shape = plan.result_shape.result_form(), plan.value_shape
    grads: list[Form | None] = [Form(Nothing())] * plan.arguments
    for i in plan.differentiated:
        grads[i] = plan.shapes[i].gradient_form()
    gradient = tuple_form(grads)
    if result is None or gradient is None:
        return None
    w = Writer()
    c = Writer(objects=w.objects)
    try:
        trees, given = _arguments(w, plan, hidden, guards)
        at = "v[0]" if plan.request.has_aux else "v"
        sizes = list(shape.sizes(at, None))
        seed = shape.tangent_argument(c, "c", iter([f"s[{k}]" for k in range(len(sizes))]))
    except NoForm:
        return None
    seeds, expression = ((), "") if seed is None else ((seed[0],), seed[1])

    def slow(sizes: tuple[tuple[int, ...] | int, ...], given: object) -> object:
        return normal_leaves(shape, list(shape.blank(iter(sizes))), given, "cotangent")

    w.objects |= {"slow": slow, "refused": _refused, "gradient": gradient.decode,
                  "result": result.decode}  # fmt: skip
    before = [
        "def quick(residual, s, c):", *(f"    {x}" for x in c.tried(c.lines)),
        f"    return back(residual, {expression})",
        "def pull(residual, s, c):",
        "    r = quick(residual, s, c)",
        "    if r is NotImplemented: r = quick(residual, s, slow(s, c))",
        "    if r is NotImplemented: refused()",
        f"    return {'r' if gradient.decode is None else 'gradient(r)'}",
    ]  # fmt: skip
    body = [
        f"r = forward({', '.join(given)})",
        "if r is NotImplemented: return r",
        "v, residual = r",
        f"s = ({''.join(f'{size}, ' for size in sizes)})",
        "def pullback(cotangent):",
        '    """From a cotangent of the result to the cotangents of the primals, a tuple."""',
        "    return pull(residual, s, cotangent)",
        *(["v = result(v)"] if result.decode is not None else []),
        f"return {'v[0], pullback, v[1]' if plan.request.has_aux else 'v, pullback'}",
    ]
    params = [f"a{k}" for k in range(plan.arguments)]
    return PullbackForm(
        EntrySignature(tuple(trees), result.tree, keep=residuals),
        EntrySignature(seeds, gradient.tree, resume=residuals),
        w.text_for_any(params, plan.arguments, body, before),
        w.objects,
    )


def _refused() -> None:
    raise ArgumentTypeError("this cotangent does not have the form of the result")
