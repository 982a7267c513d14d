"""The two entries behind ``pb.vjp``: the forward half keeps what the reverse half needs.

Simple values go in and out in registers, as in ``fast_calls``; other arguments go in as converted
data. A result that is data is kept in the residual object: the user's objects are made from it,
and a cotangent of it is checked against it and added into the cells of its nodes and arrays
(``code.seeder``) before the reverse half runs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from pullback.call.fast_calls import arguments_in_registers
from pullback.call.leaving import leaving
from pullback.call.packed import Blocks, Boundary, conversion_of, raw_results
from pullback.call.request import Plan
from pullback.call.shapes import Shape
from pullback.call.space import Space
from pullback.call.tangents import normal, tangent_leaves
from pullback.call.trees import (
    Fast,
    Form,
    Guards,
    Hidden,
    NoForm,
    Writer,
    absent_names,
    boxed,
    defined,
    tuple_form,
)
from pullback.call.wrappers import forward_entry, pullback_entry, renamed
from pullback.core.recursion import deeply
from pullback.core.terms import Program
from pullback.core.types import Real, Type
from pullback.errors import ArgumentTypeError
from pullback.lower.loopcode import Module, Ty
from pullback.lower.lower import lower
from pullback.lower.values import leaves as machine_types
from pullback.native import RECORD_CELLS, EntrySignature, Nothing, Tree, compile_entries, routed

Split = Callable[..., tuple[Program, Program, tuple[bool, ...]]]
Entry = Callable[[Program], Program]
Stages = Callable[[Program, Entry], Program]
"""What optimises a program that has been differentiated, given the stage "entry"."""

Sizes = object
"""The shapes of the arrays and the lengths of the lists in a result: a tuple of them."""


def machine(types: Sequence[Type]) -> tuple[Ty, ...]:
    """The machine values of these types."""
    return tuple(ty for t in types for ty in machine_types(t))


class Halves:
    """The two entries, which share their residual objects. ``split`` differentiates. ``product`` is
    the call of any function with values in registers (None: some kind does not go so), ``general``
    that with converted data."""

    def __init__(
        self, plan: Plan, program: Program, split: Split, stages: Stages, hidden: Hidden,
        guards: Guards,
    ) -> None:  # fmt: skip
        self.plan = plan
        self.tail = raw_results(plan)
        raw = self.tail is not None
        main = program.functions[program.main]
        seeded = [k for k in plan.seeded if not raw or isinstance(main.results[k], Real)]
        there, back, handled = deeply(
            partial(split, program, plan.wrt, tuple(seeded), raw)
        )
        own = len(main.results)
        handles = own + sum(handled) if raw else own
        kept = len(there.functions[there.main].results) - handles
        forward = stages(there, lambda p: forward_entry(
            p, handles, plan.cells, raw, plan.numbers_cells))
        pullback = stages(back, lambda p: pullback_entry(p, kept, plan.cells, raw))
        results = forward.functions[forward.main].results
        split_at = len(results) - handles if raw else handles
        residuals, made = results[:split_at], results[split_at:]
        if not raw:
            residuals, made = made, residuals
        self.first = len(machine(residuals))  # the slot of a result that is kept
        self.handles = self.first + len(machine(made[:own]))  # the slot of the handles in it
        of_value = handled[: plan.value_leaves]
        self.value = conversion_of(plan.value, plan.space, handled=of_value) if raw else None
        back = deeply(partial(renamed, pullback, "back."))
        self._compile(forward, back, residuals, made, hidden, guards)

    def _compile(
        self, forward: Program, pullback: Program, residuals: tuple[Type, ...],
        results: tuple[Type, ...], hidden: Hidden, guards: Guards,
    ) -> None:  # fmt: skip
        plan = self.plan
        back = pullback.functions[pullback.main]
        seeds = tuple(p.type for p in back.params[len(residuals) :])
        kept = machine(residuals)
        form = Registers(plan, hidden, guards) if self.tail is None else None
        boundary = Boundary(plan)
        self.general: Fast = boundary.call(hidden, guards, self._run, copy=True)
        trees = boundary.parameters()
        there, given = (forward.main, pullback.main)
        if form is None:
            entries = {
                there: EntrySignature(trees, (), keep=(*kept, *machine(results))),
                given: EntrySignature(boxed(seeds), boxed(back.results), resume=kept),
            }
        else:
            entries = {
                there: EntrySignature(trees, form.result.tree, keep=kept),
                given: EntrySignature(form.seeds, boxed(back.results), resume=kept),
            }
        fast = {}
        if form is not None and form.arguments is not None and form.gradient is not None:
            fast = {
                there: EntrySignature(form.arguments, form.result.tree, keep=kept),
                given: EntrySignature(form.seeds, form.gradient.tree, resume=kept),
            }
        one, two = (
            deeply(partial(lower, half, early=plan.contexts)) for half in (forward, pullback)
        )
        loop_code = Module({**one.functions, **two.functions}, one.main)
        absent = absent_names(guards)
        module = deeply(partial(compile_entries, loop_code, entries, fast, absent))
        self.timing = module.timing
        self.forward: Fast = module.call[there]
        self.back: Fast = module.call[given]
        self.form = form
        self.product: Fast | None = None
        if form is not None:
            self.pull: Fast = form.pull(self.back)
            if fast:
                self.product = form.product(*(module.call[routed(n)] for n in (there, given)))

    def _run(self, blocks: Blocks) -> object:
        """Run the forward half for converted arguments: returns the result of ``pb.vjp``."""
        found = self.forward(*blocks.arguments(self.plan))
        if found is NotImplemented:
            return found
        assert isinstance(found, tuple)
        value, residual = found
        sizes: Sizes = ()
        if self.tail is not None:
            value = self.tail.result(residual, self.first, self.handles)
        elif self.form is not None:
            sizes = self.form.sizes(value)
            value = value if self.form.result.decode is None else self.form.result.decode(value)
        pullback = Pullback(self, blocks, residual, sizes)
        chosen, count = self.plan.request.argnums, self.plan.arguments
        back = pullback if len(chosen) == count else Padded(pullback, chosen, count)
        return (value[0], back, value[1]) if self.plan.request.has_aux else (value, back)

    def pulled(self, blocks: Blocks, residual: object, sizes: Sizes, cotangent: object) -> object:
        """Run the reverse half for a cotangent: the cotangents of the leaves of the arguments."""
        if self.value is None:
            return self.pull(residual, sizes, cotangent)
        numbers = self.plan.value_shape.root_numbers(cotangent, "cotangent")
        store = np.zeros(_cells(residual))
        by_id = self.plan.space is Space.IDS  # ids count from 1, after those of the arguments
        cells = store[blocks.cells + 1 :] if by_id else store
        place = residual, self.first, self.handles
        done = self.value.seed(*place, cotangent, cells)
        if done is NotImplemented:
            shape, value = self.plan.value_shape, self.value.result(*place)
            store[:] = 0.0
            done = self.value.seed(*place, normal(shape, value, cotangent, "cotangent"), cells)
        if done is NotImplemented:
            refuse()
        return self.back(residual, *numbers, 0, store.size, 1, store)


class Pullback:
    """The function from a cotangent of the result to the cotangents of the arguments.

    It can be called again, and owns all that it needs: the arguments may be overwritten."""

    def __init__(self, halves: Halves, blocks: Blocks, residual: object, sizes: Sizes) -> None:
        self._halves = halves
        self._blocks = blocks
        self._residual = residual
        self._sizes = sizes

    def __call__(self, cotangent: object) -> tuple[object, ...]:
        """The cotangents of the arguments, always as a tuple."""
        halves, plan = self._halves, self._halves.plan
        try:
            found = halves.pulled(self._blocks, self._residual, self._sizes, cotangent)
            assert isinstance(found, tuple)
            given, cells = (found[:-1], found[-1]) if plan.cells else (found, None)
            return self._blocks.gradients(plan, given, cells)
        except Exception as error:
            raise leaving(error)  # noqa: B904  # it has its cause


class Padded:
    """A pullback whose tuple has an entry for every primal, ``None`` for discrete ones."""

    def __init__(
        self, pullback: Callable[[object], tuple[object, ...]], chosen: tuple[int, ...], count: int
    ) -> None:
        self._pullback = pullback
        self._chosen = chosen
        self._count = count

    def __call__(self, cotangent: object) -> tuple[object, ...]:
        found = dict(zip(self._chosen, self._pullback(cotangent), strict=True))
        return tuple(map(found.get, range(self._count)))


def refuse() -> None:
    """Raise the error for a cotangent that no conversion takes."""
    raise ArgumentTypeError("this cotangent does not have the form of the result")


def _cells(residual: object) -> int:
    """How many cells of accumulators the forward half numbered."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    record = get(residual, b"pullback.residual")
    assert isinstance(record, int)
    return ctypes.c_int64.from_address(record + RECORD_CELLS).value


# --- results in registers -------------------------------------------------------------------------


class Registers:
    """The trees of a result in registers and of its cotangent, and where they have any those of the
    arguments and of their cotangents; and the texts of the calls.

    A cotangent that is not exactly of the form of the result (an int, ``None``, another class) does
    not fit the reverse half; it is then brought into this form, or refused."""

    def __init__(self, plan: Plan, hidden: Hidden, guards: Guards) -> None:
        result = plan.result_shape.result_form()
        assert result is not None
        self.plan, self.result, shape = plan, result, plan.value_shape
        at = "v[0]" if plan.request.has_aux else "v"
        sizes = list(shape.sizes(at, None))
        self._sizes = f"({''.join(f'{size}, ' for size in sizes)})"
        self.sizes = defined(f"def make(): return lambda v: {self._sizes}", {})()
        self._writer = w = Writer.around(hidden, guards)
        self._cotangent = c = Writer(objects=w.objects, adjoint=True)
        seed = shape.tangent_argument(c, "cotangent", iter([f"s[{k}]" for k in range(len(sizes))]))
        self.seeds: tuple[Tree, ...] = () if seed is None else (seed[0],)
        self._seed = "" if seed is None else seed[1]
        self.arguments: tuple[Tree, ...] | None = None
        grads: list[Form | None] = [Form(Nothing())] * plan.arguments
        for i in plan.differentiated:
            grads[i] = plan.shapes[i].gradient_form()
        self.gradient = None if plan.cells else tuple_form(grads)
        try:
            trees, self._given = arguments_in_registers(w, plan)
            self.arguments = tuple(trees)
        except NoForm:
            self.gradient = None

    def _pulled(self, decode: str) -> list[str]:
        """The text from ``residual``, ``s`` (sizes) and ``cotangent`` to the cotangents of the
        primals; without a call between it and ``back`` where a cotangent is given as it is."""
        call = f"back(residual, {self._seed})"
        given = (
            ["r = quick(residual, s, cotangent)",
             "if r is NotImplemented: r = quick(residual, s, slow(s, cotangent))"]
            if self._cotangent.lines else
            [f"r = {call}", "if r is NotImplemented:", "    cotangent = slow(s, cotangent)",
             f"    r = {call}"]
        )  # fmt: skip
        return [*given, "if r is NotImplemented: refuse()", f"return {decode}"]

    def _quick(self) -> list[str]:
        """The text of ``quick``, which takes a cotangent apart and gives its parts to ``back``."""
        c = self._cotangent
        return [
            "def quick(residual, s, cotangent):", *(f"    {x}" for x in c.tried(c.lines)),
            f"    return back(residual, {self._seed})",
        ]  # fmt: skip

    def _objects(self, back: Fast) -> dict[str, object]:
        shape = self.plan.value_shape

        def slow(sizes: Iterable[tuple[int, ...] | int], given: object) -> object:
            return exact(shape, list(shape.blank(iter(sizes))), given)

        return {**self._writer.objects, "back": back, "slow": slow, "refuse": refuse,
                "leaving": leaving}

    def pull(self, back: Fast) -> Fast:
        """The call of a builtin of the reverse half for any cotangent."""
        pull = ["def pull(residual, s, cotangent):", *(f"    {x}" for x in self._pulled("r"))]
        lines = (f"    {x}" for x in [*self._quick(), *pull])
        return defined("\n".join(["def make():", *lines, "    return pull"]), self._objects(back))()

    def product(self, forward: Fast, back: Fast) -> Fast:
        """The call fast(f, *primals) -> (result, pullback)."""
        w, plan, result = self._writer, self.plan, self.result
        assert self.gradient is not None
        decodes = {"gradient": self.gradient.decode, "result": result.decode}
        decode = "r" if self.gradient.decode is None else "gradient(r)"
        body = [
            f"r = forward({', '.join(self._given)})",
            "if r is NotImplemented: return r",
            "v, residual = r",
            f"s = {self._sizes}",
            "def pullback(cotangent):",
            '    """From a cotangent of the result to the cotangents of the primals, a tuple."""',
            "    try:",
            *(f"        {x}" for x in self._pulled(decode)),
            "    except Exception as error: raise leaving(error)",
            *(["v = result(v)"] if result.decode is not None else []),
            f"return {'v[0], pullback, v[1]' if plan.request.has_aux else 'v, pullback'}",
        ]
        params = [f"a{k}" for k in range(plan.arguments)]
        text = w.text_for_any(params, plan.arguments, body, self._quick())
        return defined(text, {**self._objects(back), **decodes, "forward": forward})()


def exact(shape: Shape, forms: Sequence[object], given: object) -> object:
    """Bring a cotangent of a value whose leaves are like these into exactly its form."""
    leaves = tangent_leaves(shape, forms, given, "cotangent")
    filled = [form if leaf is None else leaf for leaf, form in zip(leaves, forms, strict=True)]
    return shape.value(iter(filled), {}, gradient=True)  # of complex numbers twice the conjugate


__all__ = ["Halves", "Padded", "Pullback", "Stages", "exact", "machine"]
