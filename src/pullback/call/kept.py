"""Compiled code that is kept on disk: where, as ``pb.config`` says, and ``pb.clear_cache``."""

from __future__ import annotations

from pullback.native import object_cache
from pullback.settings import config

object_cache.let_choose(lambda: config.cache_dir)


def clear_cache() -> int:
    """Remove the compiled code that is kept on disk.

    What runs already is not touched. Where nothing is kept (``PULLBACK_CACHE=0``), nothing is
    removed.

    Returns:
        How many files were removed.

    Raises:
        OSError: never; a file that cannot be removed stays, and is not counted.

    Example:
        >>> import pullback as pb
        >>> import os
        >>> os.environ["PULLBACK_CACHE"] = "0"
        >>> pb.clear_cache()
        0
    """
    return object_cache.clear()
