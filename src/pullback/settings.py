"""``pb.config``, the settings of the process."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from pullback.core.thread_count import cores, let_run


def _threads() -> int:
    """Return the number that ``PULLBACK_THREADS`` says, or that of the cores."""
    said = os.environ.get("PULLBACK_THREADS", "")
    return int(said) if said.isdecimal() and int(said) > 0 else cores()


@dataclass(slots=True)
class Config:
    """The settings of the process, on ``pb.config``.

    Attributes:
        cache_dir: the folder in which compiled code is kept for the next processes. ``None``, the
            default: the folder that ``PULLBACK_CACHE`` names, or else the user's own cache folder.
        cache_size: how many compiled functions a process remembers: 512 at first.
        check: which programs the compiler's own type checker sees: ``"always"`` (after every pass),
            ``"last"`` (the final program, the default) or ``"never"``.
        debug_nans: whether ``pb.grad``, ``pb.value_and_grad`` and ``pb.jit`` look at their results,
            and raise where the first NaN or infinity of a value or a cotangent arises: the line,
            the operation and its operands. Off at first; then nothing is looked at.
        threads: on how many threads long loops may run: ``PULLBACK_THREADS``, or else the number of
            cores. Results are the same, bit by bit, whatever their number.
        verbose: what is said of compilation on ``sys.stderr``: ``"slow"``, the default, on a
            terminal what takes more than two seconds; ``"always"``, the same wherever
            ``sys.stderr`` leads; ``"log"``, a line for every program that is compiled, too, with
            the reason; ``"never"``, nothing.

    Raises:
        ValueError: a setting is given a value that it cannot have.
        AttributeError: there is no such setting.

    Example:
        >>> import pullback as pb
        >>> pb.config.cache_size
        512
    """

    check: str = field(default_factory=lambda: os.environ.get("PULLBACK_CHECK", "last"))
    cache_size: int = 512
    cache_dir: str | None = None
    threads: int = field(default_factory=_threads)
    verbose: str = "slow"
    debug_nans: bool = False

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__slots__:
            raise AttributeError(
                "pb.config has 'check', 'cache_size', 'cache_dir', 'debug_nans', 'threads' and "
                f"'verbose', not {name!r}"
            )
        if name == "cache_dir" and value is not None:
            if not isinstance(value, str | os.PathLike):
                raise ValueError(f"pb.config.cache_dir is a path or None, not {value!r}")
            value = os.fspath(value)
        if name == "check" and value not in ("always", "last", "never"):
            raise ValueError(f"pb.config.check is 'always', 'last' or 'never', not {value!r}")
        if name == "verbose" and value not in ("slow", "always", "log", "never"):
            raise ValueError(
                f"pb.config.verbose is 'slow', 'always', 'log' or 'never', not {value!r}"
            )
        if name in ("cache_size", "threads") and (type(value) is not int or value < 1):
            raise ValueError(f"pb.config.{name} is a positive int, not {value!r}")
        if name == "debug_nans" and type(value) is not bool:
            raise ValueError(f"pb.config.debug_nans is True or False, not {value!r}")
        if name == "threads":
            let_run(cast("int", value))
        object.__setattr__(self, name, value)
        if name in _SWITCHES:
            _SWITCHES[name](value)


_SWITCHES: dict[str, Callable[[object], None]] = {}


def on_change(name: str, act: Callable[[object], None]) -> None:
    """Call ``act`` with each new value of a setting."""
    _SWITCHES[name] = act


config = Config()

__all__ = ["Config", "config", "on_change"]
