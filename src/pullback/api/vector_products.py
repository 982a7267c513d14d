"""``pb.vjp`` and ``pb.jvp``: the Jacobian times a vector, from either side."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

from pullback.api.operator_objects import by_method, inner_function, positional, with_updates
from pullback.call import data_types, deferred, jacobian_products
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
R = TypeVar("R")
Aux = TypeVar("Aux")
Back = Callable[[Any], tuple[Any, ...]]
"""A pullback: from the cotangent of the result to those of the arguments."""


@overload
def vjp(
    f: Callable[..., R], *primals: Any, has_aux: Literal[False] = False, method: str = "chad"
) -> tuple[R, Back]: ...
@overload
def vjp(
    f: Callable[..., tuple[R, Aux]], *primals: Any, has_aux: Literal[True], method: str = "chad"
) -> tuple[R, Back, Aux]: ...
@overload
def vjp(
    f: Callable[..., Any], *primals: Any, has_aux: bool = False, method: str = "chad"
) -> Any: ...
def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False, method: str = "chad") -> Any:
    """Return the result of ``f`` and its pullback at ``primals``: ``(out, pullback)``.

    Args:
        f: a function of any number of arguments, with any result that has a real number in it.
        primals: the arguments.
        has_aux: whether ``f`` returns ``(out, aux)``.
        method: as for ``grad``. With a stage of a paper the pullback is the closure that the stage
            builds, so calling it again runs no forward pass, unless the paper's own derivative
            does.

    Returns:
        ``(out, pullback)``; with ``has_aux``, ``(out, pullback, aux)``. ``pullback(cotangent)``
        takes a cotangent of the form of ``out`` (``None`` stands for zero) and returns a tuple with
        the cotangent of each primal: of an array one of its shape and dtype, of an int, a bool or a
        text ``None``. It can be called again with other cotangents, from several threads, and after
        the primals were overwritten. The cotangent of a packed primal (``pb.pack``) is packed.

    Raises:
        TypeError: a cotangent is of another form than ``out``.
        ValueError: a cotangent has another shape than its array, or there is no such method.
        PullbackError: ``f`` is outside the language.

    Source:
        Smeding and Vákár, *Efficient CHAD*, figures 6 and 8: the reverse half.

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> out, pullback = pb.vjp(square, 3.0)
        >>> out, pullback(10.0)
        (9.0, (60.0,))
    """
    inner = inner_function(f)
    try:
        found = jacobian_products.quick(inner, (What.PULLBACK, has_aux, method), primals)
        if found is not NotImplemented:
            return found

        read = data_types.read(primals)
        if read is not None:
            out, back, *aux = vjp(f, *read, has_aux=has_aux, method=method)
            return out, lambda c: tuple(map(data_types.written, primals, back(c))), *aux

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


def jvp(f: Callable[..., R], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[R, R]:
    """Return the result of ``f`` and its tangent: ``(out, tangent_out)``.

    Args:
        f: a function of any number of arguments, with any result.
        primals: a tuple of the arguments.
        tangents: a tuple with a tangent for each primal: how it moves, in a value of its form.
            ``None`` stands for zero, and for the tangent of an int, a bool or a text.

    Returns:
        ``(out, tangent_out)``, where ``tangent_out`` is how ``out`` moves, in a value of its form.

    Raises:
        TypeError: there are more or fewer tangents than primals, or one is of another form.
        ValueError: a tangent has another shape than its array.
        PullbackError: ``f`` is outside the language.

    Source:
        Forward mode: Krawiec et al., *Provably Correct, Asymptotically Efficient, Higher-Order
        Reverse-Mode Automatic Differentiation*, figures 3 and 4.

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> pb.jvp(square, (3.0,), (1.0,))
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


register_operators(vjp=vjp, jvp=jvp)


__all__ = ["jvp", "vjp"]
