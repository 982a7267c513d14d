"""Gradients made by compiled code that has the cotangents as machine values."""

from __future__ import annotations

from dataclasses import replace

from pullback.call.code.decoder import Decoder
from pullback.call.code.reading import Source
from pullback.call.space import words
from pullback.core.types import Type
from pullback.native.builder import Code


class RawDecoder(Decoder):
    """Prints ``decode_raw(block, cells, words of the cotangents by value)``, for compiled code."""

    def _main(self) -> str:
        self.code = Code()
        self._body("%leaves")
        return self.code.function("define ptr @decode_raw(ptr %block, ptr %cells, ptr %leaves)")

    def _with_cotangent(
        self, source: Source, t: Type, leaves: str, given: int
    ) -> tuple[Source, int]:
        count = len(words(t))
        slots = [self.code.at(leaves, 8 * (given + k)) for k in range(count)]
        return replace(source, given=slots), count
