"""What cannot be differentiated, shown at its place in the user's source."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pullback.ad.sweep import DerivativeError
from pullback.errors import UnsupportedError


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """What cannot be differentiated is shown at its place in the user's source."""
    try:
        yield
    except DerivativeError as e:
        raise UnsupportedError(e.reason, site=e.let.site) from None


__all__ = ["refusals"]
