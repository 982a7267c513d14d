"""The part that all writers of random functions share: blocks of statements, and branches of
blocks."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod


class BlockWriter(ABC):
    """Writes the lines of one random function; ``s`` is its running number."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0

    def emit(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    @abstractmethod
    def statement(self, depth: int, indent: int) -> None:
        """Write a statement, with at most ``depth`` blocks one inside another."""

    def block(self, depth: int, indent: int) -> None:
        self.emit(indent, "s = s * 0.75 + 0.1")
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, indent)

    def branch(self, depth: int, indent: int) -> None:
        self.emit(indent, f"if s > {self.random.random():.2f}:")
        self.block(depth - 1, indent + 1)
        if self.random.random() < 0.5:
            self.emit(indent, "else:")
            self.block(depth - 1, indent + 1)
