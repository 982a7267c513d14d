"""JAX's operators, by JAX's arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pullback as pb
from pullback.errors import ArgumentTypeError

Function = Callable[..., Any]


def jit(fun: Function | None = None, **options: Any) -> Function:
    """Return ``fun``, compiled. Which arguments are static needs not be said: bools, strings and
    functions are, and shapes never have to be."""
    if fun is None:
        return functools.partial(jit, **options)
    _require_known("jit", options, _JIT)
    return pb.jit(fun)


_JIT = ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "keep_unused",
        "device", "backend", "inline", "abstracted_axes")  # fmt: skip
_CHECKPOINT = ("prevent_cse", "policy", "static_argnums", "concrete")


def _require_known(name: str, options: dict[str, Any], known: Sequence[str]) -> None:
    for option in options:
        if option not in known:
            raise ArgumentTypeError(f"jax.{name} has no argument {option!r}")


def _require_floats(name: str, allow_int: bool) -> None:
    if allow_int:
        raise ArgumentTypeError(
            f"jax.{name} with allow_int=True: ints have no derivative, and get None",
            "leave allow_int=True away, and differentiate by floats",
        )


def grad(
    fun: Function, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False,
) -> Function:  # fmt: skip
    """Return the gradient of a function that returns one number."""
    _require_floats("grad", allow_int)
    if not holomorphic:
        return pb.grad(fun, argnums, has_aux)

    @functools.wraps(fun)
    def real(*args: Any, **kwargs: Any) -> Any:
        out = fun(*args, **kwargs)
        return (out[0].real, out[1]) if has_aux else out.real

    return pb.grad(real, argnums, has_aux)


def value_and_grad(
    fun: Function, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False,
) -> Function:  # fmt: skip
    """Return a function that returns ``(value, gradient)``, or ``((value, aux), gradient)``."""
    _require_floats("value_and_grad", allow_int)
    if not holomorphic:
        return pb.value_and_grad(fun, argnums, has_aux)

    def real(*args: Any, **kwargs: Any) -> Any:
        out = fun(*args, **kwargs)
        return (out[0] if has_aux else out).real, out

    gradient = pb.grad(real, argnums, has_aux=True)

    @functools.wraps(fun)
    def both(*args: Any, **kwargs: Any) -> Any:
        slope, out = gradient(*args, **kwargs)
        return out, slope

    return both


def jacfwd(
    fun: Function, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:
    """Return the Jacobian, by forward mode."""
    return pb.jacfwd(fun, argnums, has_aux, holomorphic)


def jacrev(
    fun: Function, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False,
) -> Function:  # fmt: skip
    """Return the Jacobian, by reverse mode."""
    _require_floats("jacrev", allow_int)
    return pb.jacrev(fun, argnums, has_aux, holomorphic)


jacobian = jacrev


def hessian(
    fun: Function, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:
    """Return the second derivatives."""
    return pb.hessian(fun, argnums, has_aux, holomorphic)


def vmap(
    fun: Function, in_axes: Any = 0, out_axes: Any = 0, axis_name: Any = None,
    axis_size: Any = None,
) -> Function:  # fmt: skip
    """Return the function that applies ``fun`` to every element along an axis."""
    if axis_name is not None or axis_size is not None:
        raise ArgumentTypeError(
            "jax.vmap with axis_name or axis_size is not there in pullback.compat",
            "reduce over the axis outside of vmap: np.sum(jax.vmap(f)(xs), axis=0)",
        )
    return pb.vmap(fun, in_axes, out_axes)


def jvp(fun: Function, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """Return ``(out, tangent)``, or ``(out, tangent, aux)``."""
    out, tangent = pb.jvp(fun, primals, tangents)
    if has_aux:
        return out[0], tangent[0], out[1]
    return out, tangent


def vjp(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return ``(out, pullback)``, or ``(out, pullback, aux)``."""
    return pb.vjp(fun, *primals, has_aux=has_aux)


def linearize(fun: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return ``(out, linear_map)``, or ``(out, linear_map, aux)``."""
    out, linear_map = pb.linearize(fun, *primals)
    if not has_aux:
        return out, linear_map

    def of_value(*tangents: Any) -> Any:
        return linear_map(*tangents)[0]

    return out[0], of_value, out[1]


def checkpoint(fun: Function, **options: Any) -> Function:
    """Return ``fun``, of which a reverse sweep keeps the arguments and nothing else. A policy is
    for memory alone, and is not asked."""
    _require_known("checkpoint", options, _CHECKPOINT)
    return pb.checkpoint(fun)


remat = checkpoint


def device_put(x: Any, device: Any = None) -> Any:
    """Return ``x``: there is one machine."""
    return x


def device_get(x: Any) -> Any:
    """Return ``x``: there is one machine."""
    return x


def block_until_ready(x: Any) -> Any:
    """Return ``x``: it is ready when the call returns."""
    return x


__all__ = [
    "block_until_ready", "checkpoint", "device_get", "device_put", "grad", "hessian", "jacfwd",
    "jacobian", "jacrev", "jit", "jvp", "linearize", "remat", "value_and_grad", "vjp", "vmap",
]  # fmt: skip
