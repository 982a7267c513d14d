"""``pb.custom_vjp`` and ``pb.custom_jvp``: functions with derivatives of the user's own."""

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
    """A function with a rule for cotangents of its own, as in JAX.

    ``f.defvjp(fwd, bwd)`` says the rule. It is compiled like any function, may call ``f`` and may
    be differentiated again. What it captures has no derivative: a differentiated value that it
    captures is refused by its name. Forward mode transposes the rule, if it can be seen to be
    linear in the cotangent. Plain Python runs ``f`` itself.

    Args:
        f: the function; so ``custom_vjp`` may be written as a decorator.
        nondiff_argnums: the positions of arguments that have no derivative. ``bwd`` is given them
            first.

    Returns:
        A function with the results of ``f``.

    Raises:
        TypeError: ``f`` is not a function, or ``bwd`` does not return a tuple with one cotangent
            for each argument, of its shape.
        PullbackError: the function is differentiated and has no rule yet, or forward mode is asked
            for and the rule cannot be seen to be linear.

    Source:
        The interface is JAX's ``custom_vjp``.

    Example:
        >>> import pullback as pb
        >>> @pb.custom_vjp
        ... def clipped(x):
        ...     return x * x
        >>> clipped.defvjp(lambda x: (x * x, x), lambda x, ct: (max(-1.0, min(1.0, 2.0 * x * ct)),))
        >>> clipped(3.0), pb.grad(clipped)(3.0)
        (9.0, 1.0)
    """

    _operator = "custom_vjp"

    def defvjp(self, fwd: Function, bwd: Function) -> None:
        """Say the rule for cotangents.

        Args:
            fwd: takes the arguments of ``f`` and returns ``(f(*args), residuals)``.
            bwd: ``bwd(residuals, cotangent)`` returns a tuple with the cotangent of each argument,
                of its shape; ``None`` stands for zero.

        Raises:
            TypeError: one of them is not a function.
        """
        require_function(fwd, "custom_vjp", "f.defvjp(fwd, bwd)")
        require_function(bwd, "custom_vjp", "f.defvjp(fwd, bwd)")
        self._rules = (fwd, bwd)


class custom_jvp(Ruled):
    """A function with a rule for tangents of its own, as in JAX.

    ``f.defjvp(rule)`` says the rule as a whole, ``f.defjvps(g, h, ...)`` argument by argument. It
    must be linear in the tangents, since reverse mode transposes it. What it captures has no
    derivative. Plain Python runs ``f`` itself.

    Args:
        f: the function; so ``custom_jvp`` may be written as a decorator.
        nondiff_argnums: the positions of arguments that have no derivative. The rule is given them
            first.

    Returns:
        A function with the results of ``f``.

    Raises:
        TypeError: ``f`` is not a function, or there are more or fewer parts than arguments.
        PullbackError: the function is differentiated and has no rule yet, or reverse mode is asked
            for and the rule cannot be seen to be linear.

    Source:
        The interface is JAX's ``custom_jvp``.

    Example:
        >>> import pullback as pb
        >>> @pb.custom_jvp
        ... def square(x):
        ...     return x * x
        >>> square.defjvps(lambda t, out, x: 2.0 * x * t)
        >>> square(3.0), pb.grad(square)(3.0)
        (9.0, 6.0)
    """

    _operator = "custom_jvp"

    def defjvp(self, rule: Function) -> Function:
        """Say the rule for tangents, and return it, so that this may be written as a decorator.

        Args:
            rule: ``rule(primals, tangents)`` is given two tuples and returns ``(f(*primals),
                tangent_out)``.

        Raises:
            TypeError: the rule is not a function.
        """
        require_function(rule, "custom_jvp", "f.defjvp(rule)")
        self._operator, self._rules = "custom_jvp", (rule,)
        return rule

    def defjvps(self, *parts: Function | None) -> None:
        """Say the rule for tangents argument by argument.

        Args:
            parts: for each argument ``part(tangent, out, *primals)``, which returns what this
                argument adds to the tangent of the result, or ``None``, which adds nothing.

        Raises:
            TypeError: a part is neither a function nor ``None``.
        """
        for part in parts:
            if part is not None:
                require_function(part, "custom_jvp", "f.defjvps(part, ...)")
        self._operator, self._rules = "custom_jvps", parts


def primitive(f: Function, *partials: Function | None) -> Function:
    """Return ``f``, a function of numbers, with its partial derivatives.

    Args:
        f: a function of numbers that returns a number.
        partials: for each argument the function of all arguments that is the derivative by it, or
            ``None`` where that is zero.

    Returns:
        A function with the results of ``f``.

    Raises:
        TypeError: one of them is not a function, or, when it is differentiated, there are more or
            fewer partial derivatives than arguments.

    Source:
        The rule of a primitive operation: Krawiec et al., figure 3; Smeding and Vákár, *Efficient
        CHAD*, figure 2.

    Example:
        >>> import pullback as pb
        >>> cube = pb.primitive(lambda x: x * x * x, lambda x: 3.0 * x * x)
        >>> cube(2.0), pb.grad(cube)(2.0)
        (8.0, 12.0)
    """
    made = custom_jvp(f)
    for part in partials:
        if part is not None:
            require_function(part, "primitive", "pb.primitive(f, df, ...)")
    made._operator, made._rules = "primitive", partials
    return made


def implicit_root(f: Function, solve: Function) -> Function:
    """Return ``solve``, whose result y is a root of ``f``, with the derivative of the root.

    The derivative is that of the solution of ``f(y, *args) = 0``, by the implicit function theorem,
    whatever ``solve`` does. ``solve`` itself is not differentiated: it may use loops, a start value
    that ``f`` ignores, or ``pb.stop_gradient``.

    Args:
        f: ``f(y, *args)``, of the form of y, which is zero at the root.
        solve: ``solve(*args)``, which returns y: a float, an array, or a tuple or record of these.

    Returns:
        A function with the results of ``solve``.

    Raises:
        TypeError: one of them is not a function.
        numpy.linalg.LinAlgError: the Jacobian of ``f`` by an array y is singular at the root. (By a
            float y the derivative is then infinite or NaN.)

    Source:
        The implicit function theorem: Griewank and Walther, *Evaluating Derivatives*, chapter 15.
        The equation for the derivative is linear and dense, and LAPACK solves it.

    Example:
        >>> import pullback as pb
        >>> root = pb.implicit_root(lambda y, x: y * y - x, lambda x: x**0.5)
        >>> root(9.0), pb.grad(root)(8.0**2)
        (3.0, 0.0625)
    """
    return _implicit("implicit_root", f, solve)


def implicit_fixed_point(g: Function, solve: Function) -> Function:
    """Return ``solve``, whose result y is a fixed point of ``g``, with the derivative of the fixed
    point.

    Args:
        g: ``g(y, *args)``, which is y at the fixed point.
        solve: ``solve(*args)``, which returns y; it is not differentiated.

    Returns:
        A function with the results of ``solve``.

    Raises:
        TypeError: one of them is not a function.
        numpy.linalg.LinAlgError: the Jacobian of ``g(y) - y`` by an array y is singular there.

    Source:
        That of ``implicit_root``, for ``g(y, *args) - y``.

    Example:
        >>> import pullback as pb
        >>> half = pb.implicit_fixed_point(lambda y, x: 0.5 * (y + x), lambda x: x)
        >>> half(3.0), pb.grad(half)(3.0)
        (3.0, 1.0)
    """
    return _implicit("implicit_fixed_point", g, solve)


def implicit_minimum(f: Function, solve: Function) -> Function:
    """Return ``solve``, whose result y makes ``f`` least, with the derivative of the minimum.

    A maximum or a saddle will do as well: what counts is that the gradient by y is zero.

    Args:
        f: ``f(y, *args)``, which returns one real number.
        solve: ``solve(*args)``, which returns y; it is not differentiated.

    Returns:
        A function with the results of ``solve``.

    Raises:
        TypeError: one of them is not a function.
        numpy.linalg.LinAlgError: the Hessian of ``f`` by an array y is singular there.

    Source:
        That of ``implicit_root``, for the gradient of ``f`` by y.

    Example:
        >>> import pullback as pb
        >>> least = pb.implicit_minimum(lambda y, x: (y - x) ** 2, lambda x: x)
        >>> least(2.5), pb.grad(least)(2.5)
        (2.5, 1.0)
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
