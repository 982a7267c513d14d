"""Attributes of arguments that are themselves no arguments: they are there, and are not read."""

from __future__ import annotations

from pullback.call.shape import Leaves, Made
from pullback.call.shapes.constant import Constant
from pullback.call.trees import Form, NoForm, Writer
from pullback.errors import UnsupportedError
from pullback.frontend.kinds.kinds import UnreadK
from pullback.native import Tree


class Unread(Constant, of=UnreadK):
    """Anything that is no argument. Compiled code reads an object in which a mark stands for it; in
    a gradient it is ``None``."""

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        if not gradient:
            raise UnsupportedError("an attribute that is no argument, as a result")
        return None

    def native(self, value: object) -> object:
        return self.object

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        raise NoForm

    def result_form(self) -> Form | None:
        return None
