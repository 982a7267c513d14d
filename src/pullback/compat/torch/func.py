"""``torch.func``: functions of NumPy's arrays, with torch's arguments and results.

The gradient by a complex number x + iy is torch's: du/dx + i du/dy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pullback as pb
from pullback.compat.library_names import absent
from pullback.errors import ArgumentTypeError
from pullback.structures import leaves, rebuilt

Function = Callable[..., Any]


def _conjugated(tree: Any) -> Any:
    """Return the structure with its complex numbers conjugated: from JAX's convention, which is
    that of ``pb.grad``, to torch's, and back."""
    found = leaves(tree, True)
    if not any([np.iscomplexobj(x) for x in found]):
        return tree
    return rebuilt(tree, tuple([np.conj(x) for x in found]), True)


def grad(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """Return the gradient of a function that returns one number; with ``has_aux``,
    ``(gradient, aux)``."""
    gradient = pb.grad(func, argnums, has_aux)

    def conjugate(*args: Any, **kwargs: Any) -> Any:
        found = gradient(*args, **kwargs)
        if has_aux:
            return _conjugated(found[0]), found[1]
        return _conjugated(found)

    return conjugate


def grad_and_value(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """Return a function that returns ``(gradient, value)``, or ``(gradient, (value, aux))``."""
    both = pb.value_and_grad(func, argnums, has_aux)

    def gradient_first(*args: Any, **kwargs: Any) -> Any:
        value, found = both(*args, **kwargs)
        return _conjugated(found), value

    return gradient_first


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return ``(out, pullback)``, or ``(out, pullback, aux)``."""
    out, back, *aux = pb.vjp(func, *primals, has_aux=has_aux)

    def pullback(cotangents: Any) -> Any:
        return _conjugated(back(_conjugated(cotangents)))

    return out, pullback, *aux


def jvp(
    func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> Any:
    """Return ``(out, tangent)``, or ``(out, tangent, aux)``."""
    out, tangent = pb.jvp(func, primals, tangents)
    if has_aux:
        return out[0], tangent[0], out[1]
    return out, tangent


def linearize(func: Function, *primals: Any) -> Any:
    """Return ``(out, linear_map)``."""
    return pb.linearize(func, *primals)


def jacrev(
    func: Function, argnums: Any = 0, *, has_aux: bool = False, chunk_size: Any = None
) -> Function:
    """Return the Jacobian, by reverse mode."""
    return pb.jacrev(func, argnums, has_aux)


def jacfwd(
    func: Function, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Function:
    """Return the Jacobian, by forward mode."""
    return pb.jacfwd(func, argnums, has_aux)


def hessian(func: Function, argnums: Any = 0) -> Function:
    """Return the second derivatives."""
    return pb.hessian(func, argnums)


def vmap(
    func: Function, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *,
    chunk_size: Any = None,
) -> Function:  # fmt: skip
    """Return the function that applies ``func`` to every element along an axis."""
    if randomness != "error":
        raise ArgumentTypeError(
            f"torch.func.vmap with randomness={randomness!r}",
            "draw the numbers outside, one row for each element, and map over them",
        )
    return pb.vmap(func, in_dims, out_dims)


__getattr__ = absent(__name__, dict.fromkeys(
    ("functional_call", "functionalize", "stack_module_state"),
    "a function of a dict of arrays in place of a module",
))  # fmt: skip

__all__ = [
    "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp", "vmap",
]  # fmt: skip
