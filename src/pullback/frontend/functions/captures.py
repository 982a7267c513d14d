"""Two functions of one place in the source, walked together by what they capture."""

from __future__ import annotations

from abc import ABC, abstractmethod

from pullback.frontend.functions.scopes import AnyScope, Scope
from pullback.frontend.kinds.values import FunctionV, Value


class Captures(ABC):
    """Makes a function of two, scope by scope: functions may share scopes, and capture each other,
    so every pair of scopes is gone through once."""

    def __init__(self) -> None:
        self.scopes: dict[tuple[Scope, Scope], Scope] = {}

    @abstractmethod
    def value(self, x: Value, y: Value) -> Value:
        """Return the value that two values of one name become."""

    @abstractmethod
    def fill(self, made: Scope, a: Scope, b: Scope) -> None:
        """Give ``made`` the names that it has of two scopes."""

    def outside(self, a: AnyScope, b: AnyScope) -> AnyScope:
        """Return the scope that two scopes become which are not both of compiled functions."""
        return a

    def function(self, f: FunctionV, g: FunctionV) -> FunctionV:
        """Return the function that two functions become."""
        keywords = zip(f.kw_defaults, g.kw_defaults, strict=True)
        return FunctionV(
            f.definition,
            self.scope(f.scope, g.scope),
            tuple(self.value(x, y) for x, y in zip(f.defaults, g.defaults, strict=True)),
            tuple((n, self.value(x, y)) for (n, x), (_, y) in keywords),
            tuple(self.value(x, y) for x, y in zip(f.bound, g.bound, strict=True)),
        )

    def scope(self, a: AnyScope, b: AnyScope) -> AnyScope:
        """Return the scope that two scopes become."""
        if not (isinstance(a, Scope) and isinstance(b, Scope)):
            return self.outside(a, b)
        if (a, b) not in self.scopes:
            always = a.always & b.always
            made = Scope({}, live=False, rebound=a.rebound, always=always)
            self.scopes[a, b] = made
            made.parent = self.scope(a.parent, b.parent)
            self.fill(made, a, b)
        return self.scopes[a, b]
