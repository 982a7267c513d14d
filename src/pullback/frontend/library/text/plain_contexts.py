"""``contextlib.nullcontext`` and ``closing`` as objects: kept, chosen, handed on. Behind ``with``
itself they are written out (``python.managers``)."""

from __future__ import annotations

from typing import Any


class nullcontext:  # the library's name
    def __init__(self, enter_result: Any = None) -> None:
        self.enter_result = enter_result

    def __enter__(self) -> Any:
        return self.enter_result

    def __exit__(self, *excinfo: Any) -> None:
        pass


class closing:  # the library's name
    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __enter__(self) -> Any:
        return self.thing

    def __exit__(self, *excinfo: Any) -> None:
        self.thing.close()
