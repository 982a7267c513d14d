"""The sizes at which compiled code goes on in another way: loops in pieces or in chunks, larger
arenas, buffers and tables, products by BLAS.

They are in one place, since a program that is right on both sides of each is right at all sizes.
``PULLBACK_LIMITS`` in the environment lowers them for the tests, which so reach the other sides
with little data: "long=1000,worth=1". What is kept on disk is kept for one choice of them."""

from __future__ import annotations

import os
from dataclasses import asdict, fields

from pullback.core.frozen import dataclass


@dataclass(slots=True)
class Limits:
    """The limits of this process.

    long        cycles of a loop that does not run as a whole without counting anything, half of
                those of a nest of loops
    sure        cycles of a loop that counts nothing, whatever the data
    some        cycles of a number of rounds before the loop counts them
    piece       cycles of a piece of a loop
    poll        cycles between two looks for signals
    huge        bytes that are copied or cleared in pieces, with looks for signals between
    worth       cycles of a loop that runs in chunks, on threads
    body        cycles of an iteration of such a loop
    cell        cycles that a cell takes of which each chunk has one of its own
    arena       bytes by which an arena grows, and that it keeps between calls
    stack       the same of the stack of deep recursion
    slack       bytes that a loop may allocate before its arrays are first moved together
    buffer      items of the first buffer of a list that grows
    chunk       bytes of the first piece of memory for data that is converted
    product     multiplications of a product of matrices that BLAS makes
    """

    long: int = 50_000_000
    sure: int = 1_000_000
    some: int = 1 << 17
    piece: int = 1 << 14
    poll: int = 4_000_000
    huge: int = 16 << 20
    worth: int = 1 << 18
    body: int = 6
    cell: int = 48
    arena: int = 64 << 20
    stack: int = 16 << 20
    slack: int = 1 << 16
    buffer: int = 8
    chunk: int = 1 << 12
    product: int = 16_000

    @staticmethod
    def of(text: str) -> Limits:
        """Return the limits that a text says, such as "long=1000,worth=1"."""
        given = dict(part.split("=") for part in text.split(",") if part)
        return Limits(**{name: int(value) for name, value in given.items()})

    def text(self) -> str:
        """Return the text that says them all."""
        return ",".join(f"{name}={value}" for name, value in asdict(self).items())


LIMITS = Limits.of(os.environ.get("PULLBACK_LIMITS", ""))

LOWEST = (
    "long=2000,sure=500,some=256,piece=64,poll=2000,huge=64,worth=1,body=0,cell=0,arena=65536,"
    "stack=1048576,slack=64,buffer=1,chunk=4096,product=4"
)
"""The limits with which tests reach the other sides."""
assert [f.name for f in fields(Limits)] == [part.split("=")[0] for part in LOWEST.split(",")]

__all__ = ["LIMITS", "LOWEST", "Limits"]
