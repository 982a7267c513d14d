"""Objects of the classes that the library has as text, such as deques."""

from __future__ import annotations

from pullback.call.shape import Text
from pullback.call.shapes.unsupported import Unsupported
from pullback.frontend.kinds.kinds import RecordK


class TextObject(Unsupported, of=RecordK, container=Text):
    """An object of Pullback's own class, which does not leave compiled code."""

    @property
    def _refusal(self) -> tuple[str, str]:
        assert isinstance(self.kind, RecordK)
        name = self.kind.cls.__name__
        what = f"a {name} is not supported as a result of compiled code"
        return what, f"return list({name[0]})"
