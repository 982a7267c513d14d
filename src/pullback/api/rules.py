"""``pb.custom_vjp`` and ``pb.custom_jvp``: functions with derivatives of the user's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from pullback.call.binding import register_operators
from pullback.call.misuse import require_function
from pullback.call.pickled import Call, Remade
from pullback.errors import ArgumentTypeError

Function = Callable[..., Any]


class Ruled(Remade):
    """A function with a rule. Called by Python it is just the function."""

    def __init__(self, f: Function, nondiff_argnums: int | Sequence[int] = ()) -> None:
        name = self._operator
        require_function(f, name, f"@pb.{name}, or pb.{name}(f)")
        functools.update_wrapper(self, f)
        self._f = f
        alone = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)
        if not all(type(n) is int and n >= 0 for n in alone):
            raise ArgumentTypeError(
                f"nondiff_argnums of pb.{name} are positions from 0 on, not {nondiff_argnums!r}"
            )
        self._fixed = alone
        self._rules: tuple[Function | None, ...] = ()

    _operator = ""

    @property
    def __pullback_operator__(self) -> tuple[object, ...]:
        return (self._operator, (self._f, *self._rules), self._fixed)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._f(*args, **kwargs)

    def call_that_made_it(self) -> Call:
        return _with_rules, (self._f, type(self), self._fixed, self._operator, *self._rules), {}

    def __repr__(self) -> str:
        return f"<pb.{self._operator} of {self._f!r}>"


def _with_rules(
    f: Function, cls: type[Ruled], fixed: Sequence[int], operator: str, *rules: Function | None
) -> Ruled:
    made = cls(f, fixed)
    made._operator, made._rules = operator, rules
    return made


class custom_vjp(Ruled):
    """``f`` with a rule for cotangents of its own, as in JAX.

    ``f.defvjp(fwd, bwd)`` says the rule: ``fwd`` takes the arguments of ``f`` and returns ``(f(x),
    residuals)``; ``bwd(residuals, cotangent)`` returns a tuple with the cotangent of each argument
    (None stands for zero), of its shape. The arguments at the positions ``nondiff_argnums`` have no
    derivative; ``bwd`` is given them first. What a rule captures has none either: a differentiated
    value that it captures is refused by its name.

    The rule is compiled like any function, may call ``f`` and may be differentiated again. Forward
    mode transposes it, if it can be seen to be linear in the cotangent. Plain Python runs ``f``.

    >>> @custom_vjp
    ... def clipped(x):
    ...     return x * x
    >>> clipped.defvjp(lambda x: (x * x, x), lambda x, ct: (max(-1.0, min(1.0, 2.0 * x * ct)),))
    >>> clipped(3.0)
    9.0
    """

    _operator = "custom_vjp"

    def defvjp(self, fwd: Function, bwd: Function) -> None:
        """Say the rule: ``fwd(*args) -> (out, residuals)``, ``bwd(residuals, ct) -> cotangents``.
        """
        require_function(fwd, "custom_vjp", "f.defvjp(fwd, bwd)")
        require_function(bwd, "custom_vjp", "f.defvjp(fwd, bwd)")
        self._rules = (fwd, bwd)


class custom_jvp(Ruled):
    """``f`` with a rule for tangents of its own, as in JAX.

    ``f.defjvp(rule)`` says it: ``rule(primals, tangents)`` is given two tuples and returns ``(f(x),
    tangent)``; the tangent must be linear in the tangents, so that reverse mode can transpose it.
    ``f.defjvps(g, h, ...)`` says it argument by argument: ``g(tangent, out, *primals)`` is what the
    first one adds to the tangent of the result, and None adds nothing. ``nondiff_argnums`` and
    captured values: as for ``custom_vjp``.

    >>> @custom_jvp
    ... def square(x):
    ...     return x * x
    >>> square.defjvps(lambda t, out, x: 2.0 * x * t)
    >>> square(3.0)
    9.0
    """

    _operator = "custom_jvp"

    def defjvp(self, rule: Function) -> Function:
        """Say the rule: ``rule(primals, tangents) -> (out, tangent_out)``; it is returned, so that
        this can be a decorator."""
        require_function(rule, "custom_jvp", "f.defjvp(rule)")
        self._operator, self._rules = "custom_jvp", (rule,)
        return rule

    def defjvps(self, *parts: Function | None) -> None:
        """Say the rule argument by argument: ``part(tangent, out, *primals)``, or None."""
        for part in parts:
            if part is not None:
                require_function(part, "custom_jvp", "f.defjvps(part, ...)")
        self._operator, self._rules = "custom_jvps", parts


def primitive(f: Function, *partials: Function | None) -> Function:
    """Return ``f``, a function of numbers, with its partial derivatives: ``partials[i](*args)`` is
    the derivative by argument ``i`` (None: it is 0).

    >>> cube = primitive(lambda x: x * x * x, lambda x: 3.0 * x * x)
    >>> cube(2.0)
    8.0
    """
    made = custom_jvp(f)
    for part in partials:
        if part is not None:
            require_function(part, "primitive", "pb.primitive(f, df, ...)")
    made._operator, made._rules = "primitive", partials
    return made


def implicit_root(f: Function, solve: Function) -> Function:
    """Return the function ``solve``, whose result y is a root: ``f(y, *args) = 0``, of the form of
    y.

    Its derivative is that of the root, by the implicit function theorem, whatever ``solve`` does:
    it is not differentiated, and may use loops, a start value that ``f`` ignores, or
    ``pb.stop_gradient``. y is a float, an array, or a tuple or record of these; the equation for
    its derivative is linear, dense, and solved by LAPACK. ``numpy.linalg.LinAlgError`` where it is
    singular.

    >>> root = implicit_root(lambda y, x: y * y - x, lambda x: x**0.5)
    >>> root(9.0)
    3.0
    """
    return _implicit("implicit_root", f, solve)


def implicit_fixed_point(g: Function, solve: Function) -> Function:
    """Return the function ``solve``, whose result y is a fixed point: ``g(y, *args) = y``; its
    derivative is that of the fixed point. All else as for ``implicit_root``.

    >>> from math import cos
    >>> dottie = implicit_fixed_point(lambda y: cos(y), lambda: 0.7390851332151607)
    >>> dottie()
    0.7390851332151607
    """
    return _implicit("implicit_fixed_point", g, solve)


def implicit_minimum(f: Function, solve: Function) -> Function:
    """Return the function ``solve``, whose result y makes ``f(y, *args)`` least (or stationary);
    its derivative is that of the root of the gradient by y. All else as for ``implicit_root``.

    >>> least = implicit_minimum(lambda y, x: (y - x) ** 2, lambda x: x)
    >>> least(2.5)
    2.5
    """
    return _implicit("implicit_minimum", f, solve)


def _implicit(name: str, f: Function, solve: Function) -> Function:
    require_function(f, name, f"pb.{name}(f, solve)")
    require_function(solve, name, f"pb.{name}(f, solve)")
    made = custom_jvp(solve)
    made._operator, made._rules = name, (f,)
    return made


register_operators(
    custom_vjp=custom_vjp, custom_jvp=custom_jvp, primitive=primitive, implicit_root=implicit_root,
    implicit_fixed_point=implicit_fixed_point, implicit_minimum=implicit_minimum,
)  # fmt: skip

__all__ = [
    "custom_jvp", "custom_vjp", "implicit_fixed_point", "implicit_minimum", "implicit_root",
    "primitive",
]  # fmt: skip
