"""``autograd.misc``: optimizers, fixed points, structures as vectors."""

from pullback.compat.autograd.misc.flatten import flatten

__all__ = ["flatten"]
