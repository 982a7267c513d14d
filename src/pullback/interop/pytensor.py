"""PyTensor, and with it PyMC: compiled functions as operations of a graph, with their gradients.

The gradient of an operation is again an operation of this kind, so graphs can be differentiated any
number of times. What is called is compiled code; PyTensor itself sees one node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import DisconnectedType, grad_undefined
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op

import pullback as pb
from pullback.call.result_types import NoTensors, result_types
from pullback.errors import ArgumentTypeError
from pullback.interop.nested import leaves

Form = Any
"""Nested tuples with something in the places of tensors, and ``None`` where there is none."""

INPUT = "input"


def as_op(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f``, a function of arrays and numbers, as an operation of PyTensor with a gradient.

    Args:
        f: a function that Pullback compiles, of arguments by position. It returns a number, an
            array, or a tuple of these.

    Returns:
        A function of PyTensor's variables (or what becomes one: arrays, numbers). It returns a
        variable, or a list of variables where ``f`` returns a tuple.

    Raises:
        TypeError: ``f`` returns something else; and what ``f`` is refused for with arguments of the
            types of the variables, when it is called with them.

    Example:
        >>> import pytensor.tensor as pt  # doctest: +SKIP
        >>> x = pt.vector("x")  # doctest: +SKIP
        >>> pt.grad(pb.interop.pytensor.as_op(lambda x: (x * x).sum())(x), x)  # doctest: +SKIP
    """

    def call(*args: Any) -> Any:
        return CompiledOp(f, (INPUT,) * len(args))(*args)

    call.__name__ = call.__qualname__ = str(getattr(f, "__name__", "function"))
    call.__doc__ = f.__doc__
    return call


class CompiledOp(Op):
    """A compiled function as an operation. ``form``: how its inputs make up the arguments."""

    __props__ = ("f", "form")

    def __init__(self, f: Callable[..., Any], form: Form) -> None:
        self.f, self.form, self.compiled = f, form, pb.jit(f)

    def __str__(self) -> str:
        return f"Compiled{{{getattr(self.f, '__name__', 'function')}}}"

    def make_node(self, *inputs: Any) -> Apply:
        """Return the node for these inputs; the types of its outputs are those that ``f`` has."""
        given = [pt.as_tensor_variable(x) for x in inputs]
        types = [t for t in leaves(self._types(given)) if t is not None]
        return Apply(self, given, [pt.TensorType(t.dtype, (None,) * t.rank)() for t in types])

    def _types(self, inputs: Sequence[Variable]) -> Any:
        """Return the types of the results for inputs of these types; nothing is run."""
        ones = [_value(np.ones((1,) * x.type.ndim, x.type.dtype)) for x in inputs]
        try:
            return result_types(self.f, _filled(self.form, iter(ones)))
        except NoTensors:
            raise ArgumentTypeError(
                "the function returns something that is no tensor",
                "return a number, an array, or a tuple of these",
            ) from None

    def perform(self, node: Apply, inputs: Sequence[Any], outputs: Sequence[list[Any]]) -> None:
        """Run it."""
        result = self.compiled(*_filled(self.form, map(_value, inputs)))
        found = [x for x in leaves(result) if x is not None]
        for storage, value, variable in zip(outputs, found, node.outputs, strict=True):
            storage[0] = np.array(value, variable.type.dtype)

    def L_op(  # PyTensor's name
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], output_grads: Sequence[Any]
    ) -> list[Variable]:
        """Return the gradients by the inputs, as the outputs of another operation."""
        made: Iterator[Any] = iter(())
        if any(map(_is_real, inputs)):
            given = [_cotangent(c, y) for c, y in zip(output_grads, outputs, strict=True)]
            form = self.form, self._types(inputs)
            made = iter(CompiledOp(_reversed(self.f), form).make_node(*inputs, *given).outputs)
        return [
            next(made) if _is_real(x) else grad_undefined(self, k, x, "it is no real number")
            for k, x in enumerate(inputs)
        ]

    def R_op(  # PyTensor's name
        self, inputs: Sequence[Variable], eval_points: Variable | Sequence[Variable | None]
    ) -> list[Variable | None]:
        """Return the derivatives of the outputs along a direction, by forward mode: the outputs of
        another operation. None stands for the derivative of an output that is no real number."""
        directions = [
            pt.zeros_like(x) if d is None else d
            for x, d in zip(inputs, eval_points, strict=True)
            if _is_real(x)
        ]
        form = self.form, _real_places(self.form, iter(inputs))
        outputs = self.make_node(*inputs).outputs
        made: Iterator[Variable] = iter(())
        if directions and any(map(_is_real, outputs)):
            made = iter(CompiledOp(_pushed(self.f), form).make_node(*inputs, *directions).outputs)
        return [next(made, None) if _is_real(y) else None for y in outputs]


@lru_cache(maxsize=256)
def _reversed(f: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient by all arguments, as a function of them and of the cotangents."""

    def backward(args: Any, cotangent: Any) -> Any:
        return pb.vjp(f, *args)[1](cotangent)

    return backward


@lru_cache(maxsize=256)
def _pushed(f: Callable[..., Any]) -> Callable[..., Any]:
    """The derivative along a direction, as a function of all arguments and of the direction."""

    def along(args: Any, direction: Any) -> Any:
        return pb.jvp(f, args, direction)[1]

    return along


def _real_places(form: Form, inputs: Iterator[Variable]) -> Form:
    """Return the form with ``None`` in the places of inputs that are no real numbers."""
    if isinstance(form, tuple):
        return tuple([_real_places(part, inputs) for part in form])
    return form if form is not None and _is_real(next(inputs)) else None


def _filled(form: Form, given: Iterator[Any]) -> Any:
    """Return the tuples of a form with tensors in their places."""
    if isinstance(form, tuple):
        return tuple([_filled(part, given) for part in form])
    return None if form is None else next(given)


def _value(x: Any) -> Any:
    """An input as an array of NumPy, or as a number if it has no axes."""
    return np.asarray(x)[()]


def _is_real(x: Variable) -> bool:
    return str(x.type.dtype).startswith("float")


def _cotangent(c: Any, output: Variable) -> Variable:
    """A cotangent; of an output that nothing depends on, zeros."""
    if isinstance(c.type, DisconnectedType):
        return pt.zeros_like(output, dtype=output.type.dtype if _is_real(output) else "float64")
    return c


__all__ = ["CompiledOp", "as_op"]
