"""JAX: compiled functions inside of traced ones, called back from the host.

The result is an ordinary function of JAX: it may stand in ``jax.jit``, ``jax.grad`` and
``jax.vmap``. What JAX traces are shapes, so those of the result are found by one call at ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import jax
import numpy as np
from jax.tree_util import tree_leaves, tree_map, tree_structure

import pullback as pb
from pullback.errors import ArgumentTypeError, ArgumentValueError


def function(
    f: Callable[..., Any], mode: Literal["reverse", "forward"] = "reverse", result: Any = None
) -> Callable[..., Any]:
    """Return ``f``, a function of arrays and numbers, as a function of JAX.

    The derivative is a callback, too, and again a function of this kind: so it can be
    differentiated again, in the same mode.

    Args:
        f: a function that Pullback compiles.
        mode: ``"reverse"`` for ``jax.grad`` and ``jax.vjp``, ``"forward"`` for ``jax.jvp`` and
            ``jax.jacfwd``: JAX takes one of the two from a function.
        result: a function from the shapes and types of the arguments to those of the result
            (``jax.ShapeDtypeStruct``). Without it ``f`` is called once at arrays of ones.

    Returns:
        A function of arrays, numbers, and trees of them.
    """
    if mode not in ("reverse", "forward"):
        raise ArgumentValueError(f"no mode {mode!r}", 'choose "reverse" or "forward"')
    shapes = _Shapes(f) if result is None else result

    def called(*args: Any) -> Any:
        return _callback(pb.jit(f), shapes(*tree_map(_shape, args)), args)

    made: Callable[..., Any] = (_by_vjp if mode == "reverse" else _by_jvp)(f, called)
    made.__name__ = getattr(f, "__name__", "function")
    return made


def _by_vjp(f: Callable[..., Any], called: Callable[..., Any]) -> Any:
    made = jax.custom_vjp(called)

    def backward(args: Any, cotangent: Any) -> Any:
        gradient = function(_reversed(f), result=lambda given, _: tree_map(_real, given))
        found = gradient(args, tree_map(_zeros_for_none, cotangent))
        return tree_map(lambda x, g: g if _is_real(x) else None, args, found)

    made.defvjp(lambda *args: (made(*args), args), backward)
    return made


def _by_jvp(f: Callable[..., Any], called: Callable[..., Any]) -> Any:
    made = jax.custom_jvp(called)

    @made.defjvp
    def along(primals: Any, tangents: Any) -> Any:
        value = made(*primals)
        given = tree_map(lambda x, t: t if _is_real(x) else np.zeros(np.shape(x)), primals,
                         tangents)  # fmt: skip
        pushed = function(_pushed(f), "forward", lambda *_: tree_map(_real, value))
        found = pushed(primals, given)
        return value, tree_map(lambda x, t: t if _is_real(x) else _no_tangent(x), value, found)

    return made


def _reversed(f: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient by all arguments, as a function of them and of the cotangent: zeros for ints."""

    def backward(args: Any, cotangent: Any) -> Any:
        return pb.vjp(f, *args)[1](cotangent)

    return backward


def _pushed(f: Callable[..., Any]) -> Callable[..., Any]:
    def along(args: Any, tangents: Any) -> Any:
        return pb.jvp(f, args, tangents)[1]

    return along


# --- callbacks ------------------------------------------------------------------------------------


def _callback(compiled: Callable[..., Any], shapes: Any, args: Any) -> Any:
    wanted = tree_structure(shapes)

    def run(*given: Any) -> Any:
        found = compiled(*tree_map(_value, given))
        values = tree_leaves(found, is_leaf=lambda x: x is None)
        if len(values) != wanted.num_leaves:
            raise ArgumentValueError("the result has another form than at ones", "pass result=")
        told = [_told(v, s) for v, s in zip(values, tree_leaves(shapes), strict=True)]
        return wanted.unflatten(told)

    return jax.pure_callback(run, shapes, *args, vmap_method="sequential")


def _value(x: Any) -> Any:
    """An argument as an array of NumPy, or as a number if it has no axes."""
    return np.asarray(x)[()]


def _told(value: Any, shape: Any) -> Any:
    """A result in the shape and type that JAX was told; None is a gradient by an int."""
    if value is None:
        return np.zeros(shape.shape, shape.dtype)
    array = np.asarray(value, shape.dtype)
    if array.shape != shape.shape:
        raise ArgumentValueError(
            f"a result has the shape {array.shape}, and at ones it had {shape.shape}",
            "say the shapes with result=",
        )
    return array


def _shape(x: Any) -> Any:
    if not hasattr(x, "dtype"):
        x = np.asarray(x)
    return jax.ShapeDtypeStruct(np.shape(x), jax.dtypes.canonicalize_dtype(x.dtype))


class _Shapes:
    """The shapes of the results of a function, which is called once for each of its arguments'."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f, self.known = pb.jit(f), dict[Any, Any]()

    def __call__(self, *args: Any) -> Any:
        key = tuple((s.shape, str(s.dtype)) for s in tree_leaves(args)), tree_structure(args)
        if key not in self.known:
            ones = tree_map(lambda s: np.ones(s.shape, s.dtype)[()], args)
            self.known[key] = tree_map(_result_shape, self.f(*ones))
        return self.known[key]


def _result_shape(x: Any) -> Any:
    if not isinstance(x, bool | int | float | np.generic | np.ndarray):
        raise ArgumentTypeError(
            f"the function returns a {type(x).__name__}, which JAX has no array for",
            "return numbers, arrays, and tuples, lists or dicts of them",
        )
    return _shape(np.asarray(x))


def _is_real(x: Any) -> bool:
    dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
    return bool(jax.dtypes.issubdtype(dtype, np.floating))


def _real(x: Any) -> Any:
    """The shape of the gradient by a value; that by an int is made of zeros, and left out."""
    shape = _shape(x)
    dtype = shape.dtype if _is_real(shape) else jax.dtypes.canonicalize_dtype(np.float64)
    return jax.ShapeDtypeStruct(shape.shape, dtype)


def _zeros_for_none(c: Any) -> Any:
    """A cotangent of an int (of JAX's type float0) as zeros that a callback can be given."""
    return np.zeros(np.shape(c)) if c.dtype == jax.dtypes.float0 else c


def _no_tangent(x: Any) -> Any:
    return np.zeros(np.shape(x), jax.dtypes.float0)


__all__ = ["function"]
