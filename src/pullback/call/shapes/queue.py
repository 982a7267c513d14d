"""Deques that a program makes."""

from __future__ import annotations

from pullback.call.shapes.unsupported import Unsupported
from pullback.frontend.kinds.kinds import RecordK
from pullback.frontend.library.text.deques import deque


class Deque(Unsupported, of=RecordK, container=deque):
    """The object of Pullback's own class, which does not leave compiled code."""

    @property
    def _refusal(self) -> tuple[str, str]:
        return "a deque is not supported as a result of compiled code", "return list(d)"
