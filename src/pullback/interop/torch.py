"""PyTorch: compiled functions of tensors, as operations that autograd knows.

Tensors are not copied: NumPy and torch see the same memory. A backward pass runs the reverse half
of ``pb.vjp``; where it is itself to be differentiated (``create_graph=True``), it is the operation
of the derivative, and so on for any order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import pullback as pb
from pullback.errors import ArgumentTypeError
from pullback.interop.nested import leaves, like, rebuilt

_NO_NUMPY = (torch.float16, torch.bfloat16)


def function(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f``, a function of arrays and numbers, as a function of tensors.

    It may be used in a model like any operation of torch: gradients of any order go through it, in
    float64 and float32. Arguments and results are tensors, numbers, and tuples, lists and dicts of
    these; what is no tensor is passed as it is. Raises ``TypeError`` for tensors that NumPy cannot
    see without a copy (on a GPU, sparse, 16 bits), and what ``f`` raises.

    Args:
        f: a function that Pullback compiles.

    Returns:
        A function of tensors on the CPU.
    """
    compiled = pb.jit(f)

    def call(*args: Any) -> Any:
        given = list(leaves(args))
        if not any(isinstance(x, torch.Tensor) for x in given):
            return _told(compiled(*args))
        return _applied(f, compiled, args, given)

    call.__name__ = call.__qualname__ = getattr(f, "__name__", "function")
    call.__doc__ = f.__doc__
    return call


def _applied(f: Callable[..., Any], compiled: Callable[..., Any], args: Any, given: Any) -> Any:
    form: list[Any] = []
    found = _Operation.apply(f, compiled, args, form, *given)
    return rebuilt(form[0], found if isinstance(found, tuple) else (found,))


class _Operation(torch.autograd.Function):
    """The operation: its tensors are the leaves of the arguments and of the result."""

    @staticmethod
    def forward(
        ctx: Any, f: Any, compiled: Any, args: Any, form: list[Any], *given: Any
    ) -> tuple[Any, ...]:
        values = rebuilt(args, [_value(x) for x in given])
        if any(ctx.needs_input_grad):
            result, ctx.pullback = pb.vjp(f, *values)
            ctx.f, ctx.args = f, args
            ctx.others = [None if isinstance(x, torch.Tensor) else x for x in given]
            ctx.save_for_backward(*(x if isinstance(x, torch.Tensor) else None for x in given))
        else:
            result = compiled(*values)
        form.append(result)
        out = tuple(map(_tensor, leaves(result)))
        ctx.form = result
        ctx.mark_non_differentiable(*(t for t in out if t is not None and not _is_real(t)))
        ctx.set_materialize_grads(True)
        return out

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
        saved = ctx.saved_tensors  # torch complains here if one of them was changed in place
        if torch.is_grad_enabled():  # the backward pass is to be differentiated
            given = [o if t is None else t for t, o in zip(saved, ctx.others, strict=True)]
            args = rebuilt(ctx.args, given)
            seeds = [c if _is_real(c) else None for c in cotangents]
            of = function(_backward(ctx.f))
            gradient = of(args, rebuilt(ctx.form, seeds))
        else:
            seeds = [_value(c) if _is_real(c) else None for c in cotangents]
            gradient = ctx.pullback(rebuilt(ctx.form, seeds))
        found = like(ctx.args, gradient)
        wanted = [_gradient(t, g) for t, g in zip(saved, found, strict=True)]
        return None, None, None, None, *wanted


def _backward(f: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient by all arguments as a function of them and of the cotangent."""

    def backward(args: Any, cotangent: Any) -> Any:
        _, pullback = pb.vjp(f, *args)
        return pullback(cotangent)

    return backward


def _is_real(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def _value(x: Any) -> Any:
    """A tensor as an array that sees its memory, or as a number of NumPy if it has no axes."""
    if not isinstance(x, torch.Tensor):
        return x
    if x.device.type != "cpu":
        raise ArgumentTypeError(
            f"a tensor on the device {x.device}: compiled code runs on the CPU", "pass x.cpu()"
        )
    if x.layout is not torch.strided or x.dtype in _NO_NUMPY:
        what = str(x.dtype if x.layout is torch.strided else x.layout).removeprefix("torch.")
        raise ArgumentTypeError(
            f"a tensor of {what}, which NumPy has no arrays for", "pass x.to_dense(), or x.double()"
        )
    return x.detach().resolve_conj().resolve_neg().numpy()[()]


def _tensor(value: Any) -> Any:
    """A number or an array of a result as a tensor; None, the gradient by an int, stays None."""
    if value is None:
        return None
    if isinstance(value, np.ndarray) and value.ndim:
        return torch.from_numpy(value)
    if not isinstance(value, bool | int | float | np.generic | np.ndarray):
        raise ArgumentTypeError(
            f"the function returns a {type(value).__name__}, which is no tensor",
            "return numbers, arrays, and tuples, lists or dicts of them",
        )
    return torch.from_numpy(np.array(value))


def _told(result: Any) -> Any:
    return rebuilt(result, [_tensor(x) for x in leaves(result)])


def _gradient(t: Any, found: Any) -> Any:
    """The gradient of an argument, as a tensor of its type; None: it has none."""
    if found is None or not _is_real(t):
        return None
    made = found if isinstance(found, torch.Tensor) else _tensor(found)
    return made.to(t.dtype)


__all__ = ["function"]
