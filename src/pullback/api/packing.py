"""``pb.pack``, ``pb.unpack`` and ``pb.ravel``, which convert data, ``pb.config`` and
``pb.clear_cache``."""

from pullback.call.driver import config, pack, unpack
from pullback.call.kept import clear_cache
from pullback.call.pytrees import ravel

__all__ = ["clear_cache", "config", "pack", "ravel", "unpack"]
