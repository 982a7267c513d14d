"""The names of the algorithms that are compiled."""

CHAD = "chad"
"""The production algorithm: what ``method=`` is by default."""

NATIVE = (CHAD, "dual")
"""The algorithms that are compiled (``ad.methods``)."""

__all__ = ["CHAD", "NATIVE"]
