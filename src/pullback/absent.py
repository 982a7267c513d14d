"""Names that users look for in ``pullback`` and that are not there yet: what to write today."""

from __future__ import annotations

_RULE = (
    "give the value and the derivative g apart: pb.stop_gradient(f(x)) + pb.stop_gradient(g(x)) * "
    "(x - pb.stop_gradient(x))"
)
_RECOMPUTED = "f itself: what is cheap is computed again in the reverse sweep anyway"
_NUMPY = "NumPy itself: Pullback compiles np.exp, np.linalg.solve and the others"

ABSENT: dict[str, str] = {
    "pmap": "pb.vmap(f)(xs)",
    "sparse_jacobian": "pb.jacobian(f)(x), and scipy.sparse.csr_array of it",
    "sparse_hessian": "pb.hessian(f)(x), and scipy.sparse.csr_array of it; pb.hvp for products",
    "custom_vjp": _RULE,
    "custom_jvp": _RULE,
    "primitive": _RULE,
    "defvjp": _RULE,
    "implicit_root":
        "a Newton step at the root: y = pb.stop_gradient(solve(x)); y - f(y, x) / pb.grad(f)(y, x)",
    "implicit_fixed_point":
        "a Newton step there: y = pb.stop_gradient(solve(x)); "
        "y - (y - g(y, x)) / (1.0 - pb.grad(g)(y, x))",
    "checkpoint": _RECOMPUTED,
    "remat": _RECOMPUTED,
    "explain": "pb.show(f, x), which prints the compiled program",
    "make_jaxpr": "pb.show(f, x), which prints the compiled program",
    "elementwise_grad": "pb.vmap(pb.grad(f))(xs)",
    "numpy": _NUMPY,
    "scipy": "scipy.special itself, where a derivative is known",
    "lax": "Python's own loops and conditions, or pb.loop, pb.while_loop, pb.scan and pb.fold",
    "cond": "if and else, of which only the arm that is taken is run",
    "nn": "the formula: np.maximum(x, 0.0), np.tanh(x)",
    "random": "numbers that are drawn outside with np.random, passed in as an argument",
    "tree_map": "pb.ravel(tree), which gives one vector and the way back",
    "tree_util": "pb.ravel(tree), which gives one vector and the way back",
    "device_put": "the array itself: compiled code runs where NumPy does",
    "block_until_ready": "the result itself: it is ready when the call returns",
}
"""The name, and what does the same today. The row of a name that ``pullback`` has by now is never
looked up."""


def absence(name: str) -> tuple[str, str]:
    """The reason and the rewrite for a name that ``pullback`` does not have."""
    found = ABSENT.get(name)
    if found is None:
        return f"module 'pullback' has no attribute {name!r}", ""
    return f"pb.{name} is not there yet", found


__all__ = ["ABSENT", "absence"]
