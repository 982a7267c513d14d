"""What all objects are that keep what an exception was made of (``interpret.payloads``)."""

from __future__ import annotations


def keep_arguments(raised: object, args: tuple[object, ...]) -> None:
    """Let ``args`` of an exception be these, those among them that are numbers or arrays."""
    raise AssertionError("the compiler does it")


class Raised:
    """The base of the classes that stand for those of exceptions."""

    def __init__(self, *args: object) -> None:
        keep_arguments(self, args)


class Stopped(Raised):
    """What stands for ``StopIteration``."""

    def __init__(self, *args: object) -> None:
        self.value = args[0] if args else None


__all__ = ["Raised", "Stopped", "keep_arguments"]
