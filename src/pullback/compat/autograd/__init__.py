"""The names of autograd (HIPS), with its arguments.

``autograd.numpy`` and ``autograd.scipy`` are NumPy and SciPy themselves.
"""

from pullback.combinators import checkpoint
from pullback.compat.autograd import numpy
from pullback.compat.autograd.differential_operators import (
    deriv,
    elementwise_grad,
    grad,
    grad_and_aux,
    grad_named,
    hessian,
    hessian_tensor_product,
    hessian_vector_product,
    holomorphic_grad,
    jacobian,
    make_ggnvp,
    make_hvp,
    make_jvp,
    make_vjp,
    multigrad_dict,
    tensor_jacobian_product,
    value_and_grad,
    vector_jacobian_product,
)
from pullback.compat.autograd.extend import primitive
from pullback.compat.library_names import absent

__getattr__ = absent(__name__, {
    "container_types": "dicts, lists and tuples themselves",
    "convenience_wrappers": "autograd itself, which has its functions",
    "core": "autograd.make_vjp, autograd.make_jvp and autograd.extend",
})  # fmt: skip

__all__ = [
    "checkpoint", "deriv", "elementwise_grad", "grad", "grad_and_aux", "grad_named", "hessian",
    "hessian_tensor_product", "hessian_vector_product", "holomorphic_grad", "jacobian",
    "make_ggnvp", "make_hvp", "make_jvp", "make_vjp", "multigrad_dict", "numpy",
    "primitive",    "tensor_jacobian_product", "value_and_grad", "vector_jacobian_product",
]  # fmt: skip
