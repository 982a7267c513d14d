"""Complex numbers and arrays: their parts cross, as real numbers and arrays.

Gradients are those of JAX: of a real function u of z = x + iy it is du/dx - i du/dy, so that a
gradient of a holomorphic function's real part is its derivative. In terms of the parts a cotangent
is the conjugate of what the caller sees; a tangent is what it looks like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from pullback.call.given import Normal, What, placed, require_exact
from pullback.call.shape import Leaves, Made, Part, Step
from pullback.call.shapes.record import Record
from pullback.call.trees import TY_OF_DTYPE, Form, Writer, tuple_form
from pullback.core.types import F32
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.complex_pairs import Complex, ComplexArray, Pair, together
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import ArrayK, RecordK
from pullback.frontend.python.instances import bare
from pullback.frontend.python.pytypes import register, type_of
from pullback.native import ComplexOf, Tree


class ComplexPair(Record, of=RecordK, container=Pair):
    """A complex number of Python or NumPy, or an array of them."""

    plain = False

    def __init__(self, kind: RecordK, declared: object) -> None:
        super().__init__(kind, declared)
        part = dict(kind.fields)["real"]
        self.rank = part.rank if isinstance(part, ArrayK) else 0
        single = F32 in (getattr(part, "elem", None), getattr(part, "type", None))
        self.dtype = np.dtype(np.complex64 if single else np.complex128)
        self.of_python = issubclass(self.cls, Complex)

    # --- values and leaves ---

    def inside(self, value: object) -> Sequence[Part]:
        if type(value) is not self.native and not self._is_one(value):
            raise self.mismatch(value)
        return self.inside_native(value)

    def _is_one(self, value: object) -> bool:
        if self.of_python:
            return type(value) is complex
        if not isinstance(value, (np.ndarray, np.complexfloating)):
            return False
        return value.dtype.char in ("F", "D") and value.ndim == self.rank

    def inside_native(self, value: object) -> Sequence[Part]:
        pairs = zip(self.items, self.names, strict=True)
        return [Part(shape, self.part(value, name), name) for shape, name in pairs]

    def part(self, value: object, step: Step) -> object:
        return None if value is None else getattr(value, str(step))

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return together(self.cls, *(0.0 if part is None else part for part in parts))

    def made_native(self, parts: Sequence[object], like: object = None) -> object:
        return bare(self.native, dict(zip(self.names, parts, strict=True)))

    def adjoint(self, parts: Sequence[object], of: object = None) -> Sequence[object]:
        return adjoint(parts)

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        parts = [part.value(leaves, made, gradient) for part in self.parts()]
        return self.made(adjoint(parts) if gradient else parts)

    # --- tangents ---

    def given(self, given: object, count: int, what: What) -> Iterator[object]:
        parts = self._parts_of(given, what)
        yield from adjoint(parts) if what == "cotangent" else parts

    def _parts_of(self, given: object, what: What) -> Sequence[object]:
        if given is None:
            return (None, None)
        if type(given) is self.native:
            return tuple(getattr(given, n) for n in self.names)
        require_exact(given, what)
        found = np.asarray(given)
        if found.dtype.kind not in "biufc":
            found_one = f"a number, not a {type(given).__name__}"
            raise ArgumentTypeError(f"the {what} of {describe(self.kind)} is {found_one}")
        if self.rank:
            return found.real, found.imag
        return found.real[()], found.imag[()]

    def normal(self, value: object, given: object, made: Normal, where: str) -> object:
        if given is None:
            return None
        with placed(where):
            parts = self._parts_of(given, made.what)
        inside = zip(self.inside(value), parts, strict=True)
        return self.made([p.shape.normal(p.value, x, made, where) for p, x in inside])

    # --- entry points ---

    def fits(self, w: Writer, at: str) -> str:
        if self.of_python:
            return f"type({at}) is {w.name('class', complex)}"
        if not self.rank:
            return f"type({at}) is {w.name('class', self.dtype.type)}"
        array = w.name("class", np.ndarray)
        return f"type({at}) is {array} and {at}.dtype.char == {self.dtype.char!r}"

    def _leaf(self, adjoint: bool = False) -> ComplexOf | None:
        """What stands for an array in a tree; None: for a number, its parts do."""
        if not self.rank or self.items[0].kind != self.items[1].kind:
            return None
        return ComplexOf(TY_OF_DTYPE[f"float{4 * self.dtype.itemsize}"], self.rank, adjoint)

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        leaf = self._leaf(w.adjoint)
        return super().argument(w, at) if leaf is None else (leaf, at)

    def tangent_argument(
        self, w: Writer, at: str, sizes: Iterator[str]
    ) -> tuple[Tree, str] | None:
        leaf = self._leaf(w.adjoint)
        if leaf is None:
            return super().tangent_argument(w, at, sizes)
        w.check(f"{at}.shape == {next(sizes)} == {next(sizes)}")
        return leaf, at

    def result_form(self) -> Form | None:
        leaf = self._leaf()
        return super().result_form() if leaf is None else Form(leaf)

    def tangent_form(self) -> Form | None:
        leaf = self._leaf()
        return super().tangent_form() if leaf is None else Form(leaf)

    def reach(self, w: Writer, at: str) -> list[str]:
        return [f"{at}.real", f"(-{at}.imag)" if w.adjoint else f"{at}.imag"]

    def sizes(self, at: str, w: Writer | None) -> Iterator[str]:
        if self._leaf() is not None:
            yield from (f"{at}.shape",) * 2
            return
        in_tree = [f"{at}[{j}]" for j in range(len(self.items))]
        reached = in_tree if w is None else [f"{at}.{n}" for n in self.names]
        for item, x in zip(self.items, reached, strict=True):
            yield from item.sizes(x, w)

    def finish(self) -> Callable[[Iterable[object]], object]:
        return lambda parts: self.made(tuple(parts))

    def gradient_form(self) -> Form | None:
        leaf = self._leaf(adjoint=True)
        if leaf is not None:
            return Form(leaf)
        made = self.finish()
        forms = [item.gradient_form() for item in self.items]
        return tuple_form(forms, lambda parts: made(adjoint(parts)))


def adjoint(parts: Sequence[object]) -> Sequence[object]:
    """Return the parts of the conjugate; None is zero."""
    real, imag = parts
    return real, None if imag is None else -imag  # type: ignore[operator]  # a number or array


def kind_of(value: object) -> RecordK:
    """Return the kind of a complex number or array."""
    cls = Complex if type(value) is complex else ComplexArray
    return RecordK(cls, tuple((name, type_of(getattr(value, name))) for name in ("real", "imag")))


for _cls in (complex, np.complex128, np.complex64):
    register(_cls, kind_of)
