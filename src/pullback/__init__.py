"""Automatic differentiation of ordinary functional Python, with a bounded cost."""

import importlib

from pullback import interop as interop  # reached as pb.interop, no operator
from pullback.absent import absence
from pullback.api.c_functions import cfunc
from pullback.api.checking import check_grads
from pullback.api.compilation import jit
from pullback.api.exporting import export
from pullback.api.finite_results import config
from pullback.api.gradients import grad, value_and_grad
from pullback.api.hessian_products import hvp, vhp
from pullback.api.jacobians import hessian, jacfwd, jacobian, jacrev
from pullback.api.linear_maps import linearize
from pullback.api.looking import compiled, cost, show, stages
from pullback.api.maps import vmap
from pullback.api.packing import clear_cache, pack, ravel, unpack
from pullback.api.python_functions import pure_callback
from pullback.api.rules import (
    custom_jvp,
    custom_vjp,
    implicit_fixed_point,
    implicit_minimum,
    implicit_root,
    primitive,
)
from pullback.api.sparse_derivatives import sparse_hessian, sparse_jacobian
from pullback.api.towers import jet
from pullback.api.vector_products import jvp, vjp
from pullback.combinators import (
    build,
    checkpoint,
    debug_print,
    fold,
    loop,
    map,
    scan,
    stop_gradient,
    while_loop,
)
from pullback.errors import InternalError, PullbackError, UnsupportedError
from pullback.explanation.explain import explain
from pullback.explanation.profile import profile
from pullback.loop_progress import progress

__version__ = "0.1.0"

__all__ = [  # noqa: RUF022  # in the order of the documentation
    "jit",
    "grad",
    "value_and_grad",
    "vjp",
    "jvp",
    "linearize",
    "jacfwd",
    "jacrev",
    "jacobian",
    "hessian",
    "sparse_jacobian",
    "sparse_hessian",
    "hvp",
    "vhp",
    "jet",
    "vmap",
    "pack",
    "unpack",
    "ravel",
    "custom_vjp",
    "custom_jvp",
    "primitive",
    "pure_callback",
    "cfunc",
    "export",
    "implicit_root",
    "implicit_fixed_point",
    "implicit_minimum",
    "check_grads",
    "compiled",
    "show",
    "explain",
    "profile",
    "stages",
    "cost",
    "config",
    "clear_cache",
    "build",
    "map",
    "fold",
    "scan",
    "loop",
    "while_loop",
    "stop_gradient",
    "checkpoint",
    "debug_print",
    "progress",
    "PullbackError",
    "InternalError",
    "UnsupportedError",
]


def __getattr__(name: str) -> object:
    """Import ``pb.compat``; raise an error that says what to write in place of a name that is not
    there yet."""
    if name == "compat":
        return importlib.import_module("pullback.compat")
    reason, rewrite = absence(name)
    raise AttributeError(f"{reason}\n  Instead: {rewrite}" if rewrite else reason)


def __dir__() -> list[str]:
    return sorted([*__all__, "interop", "__doc__", "__name__", "__version__"])
