"""``pb.config``, the settings of the process."""

from __future__ import annotations

import os
from dataclasses import dataclass, field


@dataclass(slots=True)
class Config:
    """The settings, on ``pb.config``: ``check``, which programs the type checker of Core sees,
    "always" (after every pass), "last" (the final program) or "never"; ``cache_size``, how many
    specialisations are kept; ``cache_dir``, the folder in which compiled code is kept for the next
    processes (None: ``PULLBACK_CACHE`` says it, or else it is the user's own cache folder).

    >>> config.cache_size
    512
    """

    check: str = field(default_factory=lambda: os.environ.get("PULLBACK_CHECK", "last"))
    cache_size: int = 512
    cache_dir: str | None = None

    def __setattr__(self, name: str, value: object) -> None:
        if name not in ("check", "cache_size", "cache_dir"):
            raise AttributeError(
                f"pb.config has 'check', 'cache_size' and 'cache_dir', not {name!r}"
            )
        if name == "cache_dir" and value is not None:
            if not isinstance(value, str | os.PathLike):
                raise ValueError(f"pb.config.cache_dir is a path or None, not {value!r}")
            value = os.fspath(value)
        if name == "check" and value not in ("always", "last", "never"):
            raise ValueError(f"pb.config.check is 'always', 'last' or 'never', not {value!r}")
        if name == "cache_size" and (type(value) is not int or value < 1):
            raise ValueError(f"pb.config.cache_size is a positive int, not {value!r}")
        object.__setattr__(self, name, value)


config = Config()

__all__ = ["Config", "config"]
