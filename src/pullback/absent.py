"""Names that users look for in ``pullback`` and that are not there yet: what to write today."""

from __future__ import annotations

_COLUMNS = "np.stack([pb.jvp(f, (x,), (e,))[1] for e in np.eye(len(x))], axis=-1)"
_PRODUCT = "pb.jvp(pb.grad(f), (x,), (v,))[1]"
_RECOMPUTED = "pb.checkpoint(f)"
_NUMPY = "NumPy itself: Pullback compiles np.exp, np.linalg.solve and the others"

ABSENT: dict[str, str] = {
    "vmap": "pb.map(f, xs), or np.stack([f(x) for x in xs])",
    "pmap": "pb.map(f, xs), or np.stack([f(x) for x in xs])",
    "jacobian": _COLUMNS,
    "jacfwd": _COLUMNS,
    "jacrev": "out, back = pb.vjp(f, x); np.stack([back(e)[0] for e in np.eye(len(out))])",
    "hessian": "np.stack([pb.jvp(pb.grad(f), (x,), (e,))[1] for e in np.eye(len(x))])",
    "hvp": _PRODUCT,
    "vhp": _PRODUCT,
    "linearize": "lambda t: pb.jvp(f, (x,), (t,))[1]",
    "jet": "pb.jvp(lambda x: pb.jvp(f, (x,), (1.0,))[1], (x,), (1.0,))",
    "defvjp": "f = pb.custom_vjp(f), and then f.defvjp(fwd, bwd)",
    "pure_callback": "the function as Python over NumPy, which is compiled; or a table of values",
    "remat": _RECOMPUTED,
    "explain": "pb.show(f, x), which prints the compiled program",
    "make_jaxpr": "pb.show(f, x), which prints the compiled program",
    "elementwise_grad": "np.array([pb.grad(f)(x) for x in xs])",
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
