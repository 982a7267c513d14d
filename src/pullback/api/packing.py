"""``pb.pack``, ``pb.unpack`` and ``pb.ravel``, which convert data, ``pb.config`` and
``pb.clear_cache``."""

from pullback.call.kept import clear_cache
from pullback.call.packed import pack, unpack
from pullback.call.pytrees import ravel
from pullback.settings import config

__all__ = ["clear_cache", "config", "pack", "ravel", "unpack"]
