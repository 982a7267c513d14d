"""``scipy.misc.logsumexp``, which is in ``scipy.special`` by now."""

from scipy.special import logsumexp

__all__ = ["logsumexp"]
