"""``pb.config.debug_nans``: the results of operators are looked at.

While it is on, the operators' call is another one. While it is off nothing is there that could
cost."""

from __future__ import annotations

import copy
from typing import Any

from pullback.api.operator_objects import Operator, for_count, positional, with_updates
from pullback.call.deferred import non_finite
from pullback.call.leaving import leaving
from pullback.call.request import What
from pullback.settings import config, on_change

_plain_call = Operator.__call__

_LOOKED_AT = (What.VALUE, What.GRADIENT, What.VALUE_AND_GRADIENT)


def _checked_call(self: Operator, /, *args: Any, **kwargs: Any) -> Any:
    """Call an operator, and raise where the first NaN or infinity of a result arises."""
    if self._request.what not in _LOOKED_AT:
        return _plain_call(self, *args, **kwargs)
    before = copy.deepcopy(args), copy.deepcopy(kwargs)  # the call may update them
    result = _plain_call(self, *args, **kwargs)
    if non_finite.has_non_finite(result):
        values = positional(self._f, *before)
        request = for_count(self._request, len(values))
        error = with_updates(
            lambda f: non_finite.non_finite_error(f, values, request), self._f, values,
            writes=False)
        raise leaving(error, self._f)
    return result


def _switch(on: object) -> None:
    setattr(Operator, "__call__", _checked_call if on else _plain_call)  # noqa: B010  # for mypy


on_change("debug_nans", _switch)


__all__ = ["config"]
