"""Containers of the standard library, as arguments: their plain data (``kinds.wrapped``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pullback.call.code.reading import Making, Sources
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.given import What
from pullback.call.shape import Part, Shape, Step, shape_of
from pullback.call.trees import Form
from pullback.core.types import Type
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import Kind, StaticK, WrappedK
from pullback.frontend.kinds.wrapped import WRAPPERS, Wrapper, is_met, wrapper_of
from pullback.frontend.python.object_classes import is_container_class
from pullback.frontend.python.pytypes import any_table, register, register_later, type_of


class Wrapped(Shape, of=WrappedK):
    """An object of one class, which is taken apart before its data is read."""

    plain = False
    grows = True

    def __init__(self, kind: WrappedK, declared: object) -> None:
        super().__init__(kind)
        self.cls, self.held, self.wrapper = kind.cls, shape_of(kind.held), _wrapper(kind.cls)
        assert isinstance(kind.extra, StaticK)
        self.extra = kind.extra

    def leaf_types(self) -> Iterator[Type]:
        yield from self.held.types

    def parts(self) -> tuple[Shape, ...]:
        return (self.held,)

    # --- values and leaves ---

    def inside(self, value: object) -> Sequence[Part]:
        if type(value) is not self.cls or type_of(self.wrapper.extra(value)) != self.extra:
            raise self.mismatch(value)
        return [Part(self.held, self.wrapper.held(value), None)]

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return self.wrapper.together(parts[0], self.extra.value)

    def part(self, value: object, step: Step) -> object:
        return self.wrapper.held(value) if type(value) is self.cls else value

    def adjoint(self, parts: Sequence[object], of: object = None) -> Sequence[object]:
        return [self.wrapper.adjoint(parts[0], of)]

    def inside_native(self, value: object) -> Sequence[Part]:
        return [Part(self.held, self.part(value, None), None)]

    def made_native(self, parts: Sequence[object], like: object = None) -> object:
        return parts[0]

    def made_given(self, parts: Sequence[object]) -> object:
        return parts[0]

    def given(self, given: object, count: int, what: What) -> Iterator[object]:
        apart = self.wrapper.tangent or self.wrapper.held
        if given is not None and type(given) is not self.cls and is_container_class(self.cls):
            name = self.cls.__name__
            raise ArgumentTypeError(f"the {what} of a {name} is a {name} or None")
        yield apart(given) if type(given) is self.cls else given

    def root_numbers(self, given: object, what: What) -> Iterator[object]:
        (held,) = self.given(given, 1, what)
        yield from self.held.root_numbers(held, what)

    # --- entry points: conversions take it apart ---

    def result_form(self) -> Form | None:
        return None

    def gradient_form(self) -> Form | None:
        return None

    # --- conversions, between which and the user's objects its data stands ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        self.held.encode(w, obj, slots, where)

    def decode(self, m: Making, sources: Sources) -> str:
        return self.held.decode(m, sources)

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        self.held.seed(m, given, sources)


def _wrapper(cls: type) -> Wrapper:
    found = wrapper_of(cls)
    assert found is not None
    return found


def kind_of(value: object) -> WrappedK:
    """Return the kind of a container."""
    cls = type(value)
    wrapper = _wrapper(cls)
    held, extra = wrapper.held(value), type_of(wrapper.extra(value))
    kind: Kind | None = any_table(held) if isinstance(held, dict) else type_of(held)
    if kind is None:
        raise ArgumentTypeError(
            f"a {cls.__name__} with {describe(type_of(held))}: only the run knows its keys",
            "let it have keys of one type and values of one type, or pass dict(d)",
        )
    return WrappedK((kind,), cls=cls, extra=extra)


for _cls in WRAPPERS:
    register(_cls, kind_of)
register_later(is_met, kind_of)
register_later(is_container_class, kind_of, kept=False)
