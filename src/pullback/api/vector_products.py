"""``pb.vjp`` and ``pb.jvp``: the Jacobian times a vector, from either side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pullback.api.operator_objects import by_method, inner_function, positional, with_updates
from pullback.call import deferred, jacobian_products
from pullback.call.binding import register_operators
from pullback.call.deferred import require_method
from pullback.call.leaving import leaving
from pullback.call.methods import NATIVE
from pullback.call.misuse import require_function, values_of
from pullback.call.packed import plain
from pullback.call.request import Request, What
from pullback.call.tangents import differentiable
from pullback.errors import ArgumentTypeError

Function = Callable[..., Any]


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False, method: str = "chad") -> Any:
    """Return the result of ``f`` and its pullback at ``primals``: ``(out, pullback)``.

    ``pullback(cotangent)`` takes a cotangent of the form of ``out`` (``None`` stands for zero) and
    returns a tuple, the cotangents of the primals. It can be called again, with other cotangents,
    from several threads, and after the primals were overwritten. With ``has_aux`` the function
    returns ``(out, aux)`` and this ``(out, pullback, aux)``. The other methods are those of
    ``grad``; with one of the papers' the pullback is the closure that its stage builds, so calling
    it again runs no forward pass (but where the paper's own derivative does). The
    cotangent of a primal that is packed (``pb.pack``) is packed.

    An array's cotangent has its shape and dtype; what is discrete has ``None``. Raises
    ``TypeError`` where a cotangent is of another form than ``out``, ``ValueError`` where it has
    another shape. The pullback is the reverse half of Efficient CHAD (Smeding and Vákár, 2022).

    >>> out, pullback = vjp(_square, 3.0)
    >>> out, pullback(10.0)
    (9.0, (60.0,))
    """
    inner = inner_function(f)
    try:
        found = jacobian_products.quick(inner, (What.PULLBACK, has_aux, method), primals)
        if found is not NotImplemented:
            return found

        def of(f: Function) -> Any:
            return _vjp(f, inner_function(f), primals, has_aux, method)

        return with_updates(of, f, primals)
    except Exception as error:
        raise leaving(error, inner)  # noqa: B904  # it has its cause


def _vjp(f: Function, inner: Function, primals: Any, has_aux: bool, method: str) -> Any:
    """The same for what is not remembered."""
    require_function(f, "vjp", "pb.vjp(f, x)")
    require_method(method)
    values = positional(f, primals, {})
    if method in NATIVE:
        return jacobian_products.vjp(inner, values, has_aux, method)
    values = plain(values)
    chosen = differentiable(values)
    request = Request(What.PULLBACK, chosen, has_aux=has_aux)
    pull = by_method(inner, values, request, method, deferred.by_method.MethodPullback)
    back = deferred.by_method.Padded(pull, chosen, len(values))
    if has_aux:
        assert isinstance(pull.value, tuple)
        out, aux = pull.value
        return out, back, aux
    return pull.value, back


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Return the result of ``f`` and its tangent along ``tangents``: ``(out, tangent_out)``.

    There is one tangent per primal, of its form; ``None`` stands for zero, and for the tangent of
    what is discrete. ``tangent_out`` has the form of ``out``. Raises ``TypeError`` where a tangent
    is of another form than its primal, ``ValueError`` where it has another shape. Forward mode:
    Krawiec et al. (2022), figures 3 and 4.

    >>> jvp(_square, (3.0,), (1.0,))
    (9.0, 6.0)
    """
    try:
        return with_updates(lambda f: _jvp(f, primals, tangents), f, primals)
    except Exception as error:
        raise leaving(error, f)  # noqa: B904  # it has its cause


def _jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    if not (type(primals) is type(tangents) is tuple):
        require_function(f, "jvp", "pb.jvp(f, (x,), (t,))")
        primals, tangents = values_of(primals, "jvp"), values_of(tangents, "jvp")
    if len(primals) != len(tangents):
        raise ArgumentTypeError(
            f"{len(primals)} primals and {len(tangents)} tangents",
            "give one tangent for each primal; None stands for zero",
        )
    inner = inner_function(f)
    found: Any = jacobian_products.quick(inner, jacobian_products.TANGENT, (*primals, *tangents))
    if found is NotImplemented:
        require_function(f, "jvp", "pb.jvp(f, (x,), (t,))")
        values = positional(f, tuple(primals), {})
        found = jacobian_products.jvp(inner, values, tuple(tangents))
    out, tangent = found
    return out, tangent


def _square(x: float) -> float:
    """For the examples above."""
    return x * x


register_operators(vjp=vjp, jvp=jvp)


__all__ = ["jvp", "vjp"]
