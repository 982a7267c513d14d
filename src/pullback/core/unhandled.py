"""What stands behind the last case of a ``match`` that has a case for each class.

For a union of classes mypy proves that (``typing.assert_never``), in a time that grows with the
square of the classes. The terms of the papers and the kinds of the front end have a base class
instead, and ``tests/house/test_types.py`` compares the cases with its subclasses."""

from __future__ import annotations

from typing import NoReturn


def unhandled(x: object) -> NoReturn:
    """Raise an error: no case of a ``match`` took ``x``."""
    raise AssertionError(f"no case for {type(x).__name__}: {x!r}")


__all__ = ["unhandled"]
