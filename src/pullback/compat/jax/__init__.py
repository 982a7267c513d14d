"""The names of JAX, with its arguments: ``import pullback.compat.jax as jax``.

``jax.numpy`` and ``jax.scipy`` are NumPy and SciPy themselves, so arrays have 64 bits, and are
updated by assignment.
"""

from numpy import ndarray as Array

from pullback.api.python_functions import pure_callback
from pullback.api.rules import custom_jvp, custom_vjp
from pullback.compat.jax import lax, nn, numpy, tree, tree_util
from pullback.compat.jax.configuration import config
from pullback.compat.jax.transformations import (
    block_until_ready,
    checkpoint,
    device_get,
    device_put,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    linearize,
    remat,
    value_and_grad,
    vjp,
    vmap,
)
from pullback.compat.library_names import absent

__getattr__ = absent(__name__, {
    "custom_gradient": "jax.custom_vjp",
    "debug": "print",
    "devices": "nothing: there is one machine",
    "eval_shape": "the function itself, and the shape of its result",
    "experimental": "pb.jet, pb.interop",
    "make_jaxpr": "pb.show(f, x), which prints the compiled program",
    "pmap": "jax.vmap(f)(xs), or pb.interop.dask",
    "random": "np.random.default_rng(seed): JAX's numbers come of a generator of its own",
    "test_util": "pb.check_grads",
    "tree_map": "jax.tree.map",
})  # fmt: skip

__all__ = [
    "Array", "block_until_ready", "checkpoint", "config", "custom_jvp", "custom_vjp", "device_get",
    "device_put", "grad", "hessian", "jacfwd", "jacobian", "jacrev", "jit", "jvp", "lax",
    "linearize", "nn", "numpy", "pure_callback", "remat", "tree", "tree_util", "value_and_grad",
    "vjp", "vmap",
]  # fmt: skip
