"""``pb.pack``, ``pb.unpack`` and ``pb.ravel``, which convert data, ``pb.config`` and
``pb.clear_cache``."""

from pullback.api.signatures import with_types
from pullback.call.kept import clear_cache
from pullback.call.packed import pack, unpack
from pullback.call.pytrees import ravel
from pullback.settings import config

for _f in (clear_cache, pack, ravel, unpack):
    with_types(_f)

__all__ = ["clear_cache", "config", "pack", "ravel", "unpack"]
