"""The two entries behind ``pb.linearize``: the first runs the function and keeps what its
derivative reads, the second gives the tangent of the result along one direction.

They are the two parts of forward mode, by what depends on the direction
(``opt/control/division.py``). Values go in and out in registers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pullback.ad.differentiate import tangent
from pullback.call.fast_calls import arguments_in_registers
from pullback.call.pullbacks import exact, machine
from pullback.call.request import Plan
from pullback.call.trees import Fast, Form, Guards, Hidden, NoForm, Writer, absent_names, defined
from pullback.core.recursion import deeply
from pullback.core.terms import Program
from pullback.errors import PullbackError
from pullback.lower.loopcode import Module
from pullback.lower.lower import lower
from pullback.native import EntrySignature, Tree, compile_entries
from pullback.pipeline import divided_by_parameters

Sizes = tuple[tuple[tuple[int, ...] | int, ...], ...]
"""Of every argument the shapes of its arrays and the lengths of its lists."""


class LinearMaps:
    """The entries of a plan; ``product`` is the call of any function: it gives the result, and the
    function of the tangents. ``NoForm`` where some value does not go in registers."""

    def __init__(
        self, plan: Plan, halves: tuple[Program, Program], hidden: Hidden, guards: Guards
    ) -> None:
        result, along = plan.result_shape.result_form(), plan.result_shape.tangent_form()
        if plan.data or result is None or along is None:
            raise NoForm
        self.plan, self.along = plan, along
        self.still: list[bool] = []  # arguments that are discrete: their tangents are None
        w = Writer.around(hidden, guards)
        trees, given = arguments_in_registers(w, plan)
        sizes, seeds, moves = list[str](), list[Tree](), list[str]()
        tangents = Writer(objects=w.objects)
        for k, shape in enumerate(plan.shapes[: plan.arguments]):
            texts = list(shape.sizes(f"a{k}", w))
            sizes.append(f"({''.join(f'{text}, ' for text in texts)}), ")
            here = iter([f"s[{k}][{i}]" for i in range(len(texts))])
            found = shape.tangent_argument(tangents, f"t{k}", here)
            self.still.append(found is None)
            if found is not None:
                seeds.append(found[0])
                moves.append(found[1])
        one, two = (half.functions[half.main] for half in halves)
        kept = machine(one.results[len(plan.results) :])
        codes = [deeply(partial(lower, half, early=plan.contexts)) for half in halves]
        entries = {
            one.name: EntrySignature(tuple(trees), result.tree, keep=kept),
            two.name: EntrySignature(tuple(seeds), along.tree, resume=kept),
        }
        functions = {**codes[0].functions, **codes[1].functions}
        code, absent = Module(functions, one.name), absent_names(guards)
        module = deeply(partial(compile_entries, code, entries, {}, absent))
        objects = {**w.objects, "forward": module.call[one.name], "back": module.call[two.name]}
        names = "".join(f"t{k}, " for k in range(plan.arguments))
        quick = [
            f"def quick(residual, s, {names}):",
            *(f"    {x}" for x in tangents.tried(tangents.lines)),
            f"    return back(residual, {', '.join(moves)})",
        ]  # fmt: skip
        text = "\n".join(["def make():", *(f"    {x}" for x in quick), "    return quick"])
        self.quick: Fast = defined(text, {**tangents.objects, **objects})()
        body = [
            f"r = forward({', '.join(given)})",
            "if r is NotImplemented: return r",
            f"return finish(r[0], r[1], ({''.join(sizes)}))",
        ]
        text = w.text_for_any([f"a{k}" for k in range(plan.arguments)], plan.arguments, body)
        finish = self._finish(result)
        self.product: Fast = defined(text, {**w.objects, **objects, "finish": finish})()

    def _finish(self, result: Form) -> Callable[..., tuple[object, Fast]]:
        def finish(value: object, residual: object, sizes: Sizes) -> (
            tuple[object, Fast]
        ):  # fmt: skip
            value = value if result.decode is None else result.decode(value)
            return value, lambda *tangents: self.pushed(residual, sizes, tangents)

        return finish

    def pushed(
        self, residual: object, sizes: Sizes, tangents: tuple[object, ...]
    ) -> object:
        """The tangent of the result; ``NotImplemented`` for tangents of other forms."""
        plan, decode = self.plan, self.along.decode
        if len(tangents) != plan.arguments:
            return NotImplemented
        if any(t is not None for t, still in zip(tangents, self.still, strict=True) if still):
            return NotImplemented
        found = self.quick(residual, sizes, *tangents)
        if found is NotImplemented:
            try:
                usual = [
                    exact(shape, list(shape.blank(iter(s))), t)
                    for shape, s, t in zip(plan.shapes, sizes, tangents, strict=False)
                ]
            except PullbackError:
                return NotImplemented
            found = self.quick(residual, sizes, *usual)
        return found if decode is None or found is NotImplemented else decode(found)


def linear_maps(
    plan: Plan, program: Program, hidden: Hidden, guards: Guards
) -> LinearMaps | None:
    """The entries for a program; None: it cannot be divided, or its values do not go in registers.
    """
    whole = deeply(partial(tangent, program, plan.wrt))
    sizes = len(plan.params), len(plan.results)
    halves = deeply(partial(divided_by_parameters, whole, *sizes))
    try:
        return None if halves is None else LinearMaps(plan, halves, hidden, guards)
    except NoForm:
        return None


__all__ = ["LinearMaps", "linear_maps"]
