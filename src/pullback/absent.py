"""The names that users look for in ``pullback`` and that are not there yet, with what to write
today."""

from __future__ import annotations

_RECOMPUTED = "pb.checkpoint(f)"
_NUMPY = "NumPy itself: Pullback compiles np.exp, np.linalg.solve and the others"

ABSENT: dict[str, str] = {
    "pmap": "pb.vmap(f)(xs)",
    "defvjp": "f = pb.custom_vjp(f), and then f.defvjp(fwd, bwd)",
    "remat": _RECOMPUTED,
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
"""The name, and the expression that does the same today. The row of a name that ``pullback`` has by
now is never looked up."""


def absence(name: str) -> tuple[str, str]:
    """Return the reason and the rewrite for a name that ``pullback`` does not have."""
    found = ABSENT.get(name)
    if found is None:
        return f"module 'pullback' has no attribute {name!r}", ""
    return f"pb.{name} is not there yet", found


__all__ = ["ABSENT", "absence"]
