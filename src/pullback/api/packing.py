"""``pb.pack``, ``pb.unpack`` and ``pb.ravel``, which convert data, and ``pb.config``."""

from pullback.call.driver import config, pack, unpack
from pullback.call.pytrees import ravel

__all__ = ["config", "pack", "ravel", "unpack"]
