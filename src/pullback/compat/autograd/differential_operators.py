"""The operators of autograd: each takes a function and the number of an argument.

They are plain Python over ``pb.grad``, ``pb.vjp`` and ``pb.jvp``, and are compiled with the code
that calls them.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import pullback as pb
from pullback.errors import ArgumentTypeError
from pullback.structures import as_given, chosen, leaves, picked, rebuilt, replaced

Function = Callable[..., Any]


def _number(value: Any) -> Any:
    """Return an array of one element as a number. Raises ``TypeError`` for other arrays."""
    if np.ndim(value) == 0:
        return value
    if np.size(value) != 1:
        raise TypeError(
            "Grad only applies to real scalar-output functions. "
            "Try jacobian, elementwise_grad or holomorphic_grad."
        )
    return np.ravel(value)[0]


def _ones(tree: Any) -> Any:
    """Return the structure with ones in place of its real numbers."""
    return rebuilt(tree, tuple([np.ones_like(x)[()] for x in leaves(tree, True)]), True)


def of_arguments(fun: Function, numbers: Any, args: Any, kwargs: Any) -> Any:
    """Return ``fun`` as a function of the chosen arguments, and their values."""

    def of_chosen(*new: Any) -> Any:
        return fun(*replaced(args, numbers, new), **kwargs)

    return of_chosen, picked(args, numbers)


def grad(fun: Function, argnum: Any = 0) -> Function:
    """Return the gradient of ``fun``, whose result has one real number (its shape may be (1, 1)).

    ``argnum`` is the position of the argument, or a tuple of positions, for which a tuple of
    gradients is returned. The gradient by x + iy is du/dx - i du/dy, in autograd as here.
    """

    @functools.wraps(fun)
    def number(*args: Any, **kwargs: Any) -> Any:
        return _number(fun(*args, **kwargs))

    return pb.grad(number, argnum)


def value_and_grad(fun: Function, argnum: Any = 0) -> Function:
    """Return a function that returns the value of ``fun`` and its gradient."""

    def value_twice(*args: Any, **kwargs: Any) -> Any:
        value = fun(*args, **kwargs)
        return _number(value), value

    gradient = pb.grad(value_twice, argnum, has_aux=True)

    @functools.wraps(fun)
    def both(*args: Any, **kwargs: Any) -> Any:
        slope, value = gradient(*args, **kwargs)
        return value, slope

    return both


def grad_and_aux(fun: Function, argnum: Any = 0) -> Function:
    """Return the gradient of the first result of ``fun``, beside its second result."""

    @functools.wraps(fun)
    def number(*args: Any, **kwargs: Any) -> Any:
        value, aux = fun(*args, **kwargs)
        return _number(value), aux

    return pb.grad(number, argnum, has_aux=True)


def grad_named(fun: Function, argname: str) -> Function:
    """Return the gradient by the argument of this name."""
    return grad(fun, argname)


def multigrad_dict(fun: Function) -> Function:
    """Return a function that returns a dict: the gradient by each argument, under its name."""
    signature = inspect.signature(fun)
    several = {p.kind: name for name, p in signature.parameters.items()}
    rest = several.get(inspect.Parameter.VAR_POSITIONAL, "")
    named = several.get(inspect.Parameter.VAR_KEYWORD, "")
    plain = tuple(name for name in signature.parameters if name not in (rest, named))

    def of_dict(values: Any) -> Any:
        more = values[rest] if rest else ()
        options = values[named] if named else {}
        return fun(*tuple([values[name] for name in plain]), *more, **options)

    gradient = grad(of_dict)

    @functools.wraps(fun)
    def gradients(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return gradient(dict(bound.arguments))

    return gradients


def elementwise_grad(fun: Function, argnum: Any = 0) -> Function:
    """Return the sum of the derivatives of all elements of the result, by each element of the
    argument: the derivative of each element, where it depends on its own element alone."""
    numbers = chosen(fun, argnum)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        of_chosen, values = of_arguments(fun, numbers, args, kwargs)
        out, back = pb.vjp(of_chosen, *values)
        if any([np.iscomplexobj(x) for x in leaves(out, True)]):
            raise TypeError("Elementwise_grad only applies to real-output functions.")
        return as_given(back(_ones(out)), numbers)

    return gradient


def deriv(fun: Function, argnum: Any = 0) -> Function:
    """Return the derivative of the result as all elements of the argument grow together, by forward
    mode."""
    numbers = chosen(fun, argnum)

    def derivative(*args: Any, **kwargs: Any) -> Any:
        of_chosen, values = of_arguments(fun, numbers, args, kwargs)
        if any([np.iscomplexobj(x) for x in leaves(values, True)]):
            raise ArgumentTypeError(
                "deriv by a complex argument moves both of its parts", "holomorphic_grad(f)(z)"
            )
        return pb.jvp(of_chosen, values, _ones(values))[1]

    return derivative


def jacobian(fun: Function, argnum: Any = 0) -> Function:
    """Return the Jacobian: the shape of the result, and behind it that of the argument."""
    return pb.jacobian(fun, argnum)


def hessian(fun: Function, argnum: Any = 0) -> Function:
    """Return the second derivatives: the shape of the result, and twice that of the argument."""
    return pb.hessian(fun, argnum)


def holomorphic_grad(fun: Function, argnum: Any = 0) -> Function:
    """Return the derivative of a holomorphic function."""
    numbers = chosen(fun, argnum)

    def derivative(*args: Any, **kwargs: Any) -> Any:
        of_chosen, values = of_arguments(fun, numbers, args, kwargs)
        if not any([np.iscomplexobj(x) for x in leaves(values, True)]):
            warnings.warn("Input to holomorphic_grad is not complex", stacklevel=2)

        def real(*new: Any) -> Any:
            return np.real(_number(of_chosen(*new)))

        everywhere = tuple([k for k, _ in enumerate(values)])
        return as_given(pb.grad(real, everywhere)(*values), numbers)

    return derivative


def make_vjp(fun: Function, argnum: Any = 0) -> Function:
    """Return a function that returns ``(vjp, value)``: the pullback first, as autograd has it."""
    numbers = chosen(fun, argnum)

    def at(*args: Any, **kwargs: Any) -> Any:
        of_chosen, values = of_arguments(fun, numbers, args, kwargs)
        out, back = pb.vjp(of_chosen, *values)

        def vjp(cotangent: Any) -> Any:
            return as_given(back(cotangent), numbers)

        return vjp, out

    return at


def make_jvp(fun: Function, argnum: Any = 0) -> Function:
    """Return a function of the arguments that returns a function of a tangent, which returns
    ``(value, tangent of the value)``."""
    numbers = chosen(fun, argnum)

    def at(*args: Any, **kwargs: Any) -> Any:
        of_chosen, values = of_arguments(fun, numbers, args, kwargs)

        def jvp(tangent: Any) -> Any:
            moving = (tangent,) if numbers.alone else tuple(tangent)
            return pb.jvp(of_chosen, values, moving)

        return jvp

    return at


def make_hvp(fun: Function, argnum: Any = 0) -> Function:
    """Return a function that returns ``(hvp, gradient)`` at its arguments."""
    return make_vjp(grad(fun, argnum), argnum)


def make_ggnvp(
    f: Function, g: Function = lambda x: 0.5 * np.sum(x**2, axis=-1), f_argnum: Any = 0
) -> Function:
    """Return a function that returns, at its arguments, the product of a vector with the
    Gauss-Newton matrix of ``g(f(...))``."""

    def at(*args: Any, **kwargs: Any) -> Any:
        back, out = make_vjp(f, f_argnum)(*args, **kwargs)
        along = make_jvp(f, f_argnum)(*args, **kwargs)
        hvp, _ = make_hvp(g)(out)

        def ggnvp(vector: Any) -> Any:
            return back(hvp(along(vector)[1]))

        return ggnvp

    return at


def hessian_tensor_product(fun: Function, argnum: Any = 0) -> Function:
    """Return a function of the arguments and of a tensor behind them, which returns the product of
    the second derivatives with the tensor."""

    def product(*args: Any, **kwargs: Any) -> Any:
        hvp, _ = make_hvp(fun, argnum)(*args[:-1], **kwargs)
        return hvp(args[-1])

    return product


def tensor_jacobian_product(fun: Function, argnum: Any = 0) -> Function:
    """Return a function of the arguments and of a tensor behind them, which returns the product of
    the tensor with the Jacobian: its axes are summed over the first ones of the result."""

    def contracted(*args: Any, **kwargs: Any) -> Any:
        return np.tensordot(args[-1], fun(*args[:-1], **kwargs), axes=np.ndim(args[-1]))

    return pb.jacobian(contracted, argnum)


hessian_vector_product = hessian_tensor_product
vector_jacobian_product = tensor_jacobian_product

__all__ = [
    "deriv", "elementwise_grad", "grad", "grad_and_aux", "grad_named", "hessian",
    "hessian_tensor_product", "hessian_vector_product", "holomorphic_grad", "jacobian",
    "make_ggnvp", "make_hvp", "make_jvp", "make_vjp", "multigrad_dict", "tensor_jacobian_product",
    "value_and_grad", "vector_jacobian_product",
]  # fmt: skip
