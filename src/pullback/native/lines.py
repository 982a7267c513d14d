"""Write the instructions of an LLVM function, one after another."""

from __future__ import annotations

from collections.abc import Sequence

from pullback.native.layout import Field, load_field, store_field


class Lines:
    """The instructions so far; each one with a result gets a register of its own."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def fresh(self) -> str:
        """Return a new register name."""
        self.count += 1
        return f"%t{self.count}"

    def line(self, text: str) -> None:
        """Write one instruction."""
        self.lines.append("  " + text)

    def let(self, text: str) -> str:
        """Write one instruction with a result. Return the result's name."""
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name


class ContextLines(Lines):
    """Instructions of a function that has the context, ``%ctx``."""

    def field(self, f: Field, ty: str = "i64") -> str:
        """The value of a field of the context."""
        name = self.fresh()
        for text in load_field(f, name, ty):
            self.line(text)
        return name

    def set_field(self, f: Field, ty: str, value: str) -> None:
        """Set a field of the context."""
        for text in store_field(f, self.fresh(), ty, value):
            self.line(text)

    def results(self, call: str, whole: str, fields: Sequence[str]) -> list[str]:
        """Return the results of a call that returns ``whole``: nothing, one field, or a struct of
        fields."""
        if not fields:
            self.line(call)
            return []
        result = self.let(call)
        if len(fields) == 1:
            return [result]
        return [self.let(f"extractvalue {whole} {result}, {k}") for k in range(len(fields))]
