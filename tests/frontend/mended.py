"""What a pair of a refused program and its mended form is, and the values that pairs share."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import pullback as pb

Program = Callable[..., Any]
X = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(2, 3)
MASK = np.array([True, False, True])


@dataclass(frozen=True, eq=False)
class Pair:
    """A program that is refused with an advice, and the program with the advice applied.

    ``advice``: what the refusal advises, or a part of it; ``error``: its class. ``raises``: the
    exception of the refused program in Python. ``differs``: there it means something else than the
    mended one (an error of the program, most likely), or does not end. ``outside``: the programs
    call operators, and are not compiled themselves."""

    refused: Program
    mended: Program
    args: tuple[Any, ...]
    advice: str
    error: type[pb.PullbackError]
    raises: type[Exception] | None = None
    differs: bool = False
    outside: bool = False

    def run(self, f: Program) -> Any:
        """The value in Pullback."""
        return (f if self.outside else pb.jit(f))(*copy.deepcopy(self.args))

    def python(self, f: Program) -> Any:
        """The value in Python."""
        found = f(*copy.deepcopy(self.args))
        return list(found) if hasattr(found, "send") else found


PAIRS: list[Pair] = []


def mends(
    refused: Program, args: tuple[Any, ...], advice: str, error: type[pb.PullbackError],
    raises: type[Exception] | None = None, *, differs: bool = False, outside: bool = False,
) -> Callable[[Program], Program]:  # fmt: skip
    """Note that the decorated program is the mended form of a refused one."""

    def note(mended: Program) -> Program:
        PAIRS.append(Pair(refused, mended, args, advice, error, raises, differs, outside))
        return mended

    return note
