"""Fast calls of ``pb.jvp`` and ``pb.vjp`` with values of simple kinds, as ``fast_calls`` writes
those of the other operators: numbers, arrays, lists of numbers, tuples, records, dicts of them.

A tangent or cotangent that is not exactly of the form of its value (an int, ``None``, another
class) makes the fast call give ``NotImplemented``; the general way then converts it, or says what
is wrong. The functions that are written here are given the function f first: they are kept for as
long as it lives, and so must not refer to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pullback.call.fast_calls import (
    Decode,
    Fast,
    Form,
    Guards,
    Hidden,
    NoForm,
    Writer,
    array_leaf,
    defined,
    gradient_form,
    result_form,
    scalar_leaf,
    tuple_form,
)
from pullback.call.machine_words import TY_OF_DTYPE
from pullback.call.marshal import rebuild
from pullback.call.request import Plan
from pullback.call.tangents import tangent_leaves
from pullback.core.types import Real
from pullback.core.values import dtype_of
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    ListK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
    leaf_types,
)
from pullback.lower.loopcode import Ty
from pullback.native import EntrySignature, ListOf, Nothing, Tree

Place = Callable[[Kind, str, int], str]
"""The expression of a part of a value, whose own expression is given."""


# --- forms of tangents ---------------------------------------------------------------------------


def sizes_of(kind: Kind, at: str, place: Place) -> Iterator[str]:
    """Expressions of the shapes and lengths of what has tangents in a value."""
    match kind:
        case ArrayK(Real()):
            yield f"{at}.shape"
        case ListK():
            yield f"len({at})"
        case TupleK(items):
            for j, item in enumerate(items):
                yield from sizes_of(item, place(kind, at, j), place)
        case RecordK(_, fields):
            for j, (_, item) in enumerate(fields):
                yield from sizes_of(item, place(kind, at, j), place)
        case _:
            return


def in_tree(kind: Kind, at: str, j: int) -> str:
    """Where a part is in the tree of a result: records are tuples there."""
    return f"{at}[{j}]"


def in_object(w: Writer) -> Place:
    """Where a part is in the user's object."""

    def place(kind: Kind, at: str, j: int) -> str:
        if not isinstance(kind, RecordK):
            return f"{at}[{j}]"
        name = kind.fields[j][0]
        return f"{at}[{w.name('key', name)}]" if kind.cls is dict else f"{at}.{name}"

    return place


def tangent(w: Writer, kind: Kind, at: str, sizes: Iterator[str]) -> tuple[Tree, str] | None:
    """The tree of a tangent of a value of this kind and the expression that gives it; None: no
    value goes in. ``sizes``: those of the value, as ``sizes_of`` has them."""
    match kind:
        case ScalarK(Real() as t, py):
            return scalar_leaf(t, py), at
        case ArrayK(Real() as t, rank):
            w.check(f"{at}.shape == {next(sizes)}")
            return array_leaf(t, rank), at
        case ListK(ScalarK(Real() as t, True)):
            w.check(f"type({at}) is list and len({at}) == {next(sizes)}")
            return ListOf(TY_OF_DTYPE[dtype_of(t).name], counted=False), at
        case ScalarK() | ArrayK():
            w.check(f"{at} is None")
            return None
        case StaticK():
            return None
        case TupleK(items, is_list):
            word = "list" if is_list else "tuple"
            w.check(f"type({at}) is {word} and len({at}) == {len(items)}")
            parts = [(k, f"{at}[{j}]") for j, k in enumerate(items)]
        case RecordK(cls, fields) if cls is dict:
            known = w.name("keys", tuple(n for n, _ in fields))
            w.check(f"type({at}) is dict and tuple({at}) == {known}")
            parts = [(k, f"{at}[{known}[{j}]]") for j, (_, k) in enumerate(fields)]
        case RecordK(cls, fields):
            w.check(f"type({at}) is {w.name('class', cls)}")
            parts = [(k, f"{at}.{n}") for n, k in fields]
        case _:
            raise NoForm
    found = [x for x in (tangent(w, k, x, sizes) for k, x in parts) if x is not None]
    text = "".join(f"{expression}, " for _, expression in found)
    return tuple(tree for tree, _ in found), f"({text})"


def usual(kind: Kind, forms: Sequence[object], given: object, what: str) -> object:
    """A tangent of a value with these leaves (or such of their shapes) in exactly the form of the
    value; errors as ``tangent_leaves``."""
    leaves = tangent_leaves(kind, forms, given, what)
    filled = [form if leaf is None else leaf for leaf, form in zip(leaves, forms, strict=True)]
    return rebuild(kind, iter(filled), {}, gradient=True)


def _forms(kind: Kind, sizes: Iterator[tuple[int, ...] | int]) -> Iterator[object]:
    """Leaves of a value of this kind, of which only the shapes are right."""
    match kind:
        case ArrayK(Real() as t):
            shape = next(sizes)
            assert isinstance(shape, tuple)
            yield np.broadcast_to(np.zeros((), dtype_of(t)), shape)
        case ArrayK(t, rank):
            yield np.zeros((0,) * rank, dtype_of(t))
        case ListK(ScalarK(t)):
            n = next(sizes)
            assert isinstance(n, int)
            yield n
            yield np.zeros(n, dtype_of(t))
        case TupleK(items):
            for item in items:
                yield from _forms(item, sizes)
        case RecordK(_, fields):
            for _, item in fields:
                yield from _forms(item, sizes)
        case _:
            yield from (0 for _ in leaf_types(kind))


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
    found = [w.argument(kind, at) for kind, at in zip(plan.kinds, places, strict=True)]
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
    form = tuple_form([result_form(plan.result), gradient_form(plan.result)])
    if form is None:
        return None
    w = Writer()
    try:
        trees, given = _arguments(w, plan, hidden, guards)
        for k in range(plan.arguments):
            sizes = sizes_of(plan.kinds[k], f"a{k}", in_object(w))
            found = tangent(w, plan.kinds[k], f"t{k}", sizes)
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
    result = result_form(plan.result)
    grads: list[Form | None] = [Form(Nothing())] * plan.arguments
    for i in plan.differentiated:
        grads[i] = gradient_form(plan.kinds[i])
    gradient = tuple_form(grads)
    if result is None or gradient is None:
        return None
    w = Writer()
    c = Writer(objects=w.objects)
    try:
        trees, given = _arguments(w, plan, hidden, guards)
        at = "v[0]" if plan.request.has_aux else "v"
        sizes = list(sizes_of(plan.value, at, in_tree))
        seed = tangent(c, plan.value, "c", iter([f"s[{k}]" for k in range(len(sizes))]))
    except NoForm:
        return None
    seeds, expression = ((), "") if seed is None else ((seed[0],), seed[1])

    def slow(sizes: tuple[tuple[int, ...] | int, ...], given: object) -> object:
        return usual(plan.value, list(_forms(plan.value, iter(sizes))), given, "cotangent")

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
