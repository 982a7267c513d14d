"""``jax.config``: what its settings mean here."""

from __future__ import annotations

from pullback.errors import ArgumentValueError

_MEANT = {
    "jax_enable_x64": (True, "arrays of float32 where 32 bits are wanted: all else has 64"),
    "jax_platform_name": ("cpu", "no platform: there is one machine"),
    "jax_platforms": ("cpu", "no platform: there is one machine"),
}


class Config:
    """The settings: those that are so anyway can be set."""

    def update(self, name: str, value: object) -> None:
        """Set what is so anyway. Raises ``ValueError`` for anything else."""
        meant, instead = _MEANT.get(name, (None, "pb.config"))
        if name not in _MEANT or value != meant:
            raise ArgumentValueError(
                f"jax.config.update({name!r}, {value!r}) means nothing to Pullback", instead
            )


config = Config()

__all__ = ["Config", "config"]
