"""``pb.hvp`` and ``pb.vhp``: the Hessian times a vector, without forming the Hessian."""

from collections.abc import Callable
from typing import Any

from pullback.api.derived import product
from pullback.api.gradients import grad
from pullback.api.vector_products import jvp, vjp
from pullback.structures import along, arguments, once, picked, reals, replaced


@product
def hvp(f: Callable[..., Any], primals: Any, vectors: Any) -> Any:
    """Return the Hessian of ``f`` times ``vectors``, by forward over reverse mode.

    The Hessian itself is not computed.

    Args:
        f: a function that returns one real number.
        primals: a tuple of the arguments.
        vectors: a tuple with a vector for each primal, in its form; ``None`` stands for zero.

    Returns:
        A tuple with an entry for each primal, in its form; ``None`` for one without a real number.

    Raises:
        TypeError: ``f`` does not return one real number, or there are more or fewer vectors than
            primals, or one is of another form.
        ValueError: a vector has another shape than its array.
        PullbackError: ``f`` is outside the language.

    Source:
        Krawiec et al., figures 3 and 4, over *Efficient CHAD*, figures 6 and 8.

    Example:
        >>> import pullback as pb
        >>> def f(x, y):
        ...     return x * x * y
        >>> pb.hvp(f, (2.0, 3.0), (1.0, 0.0))
        (6.0, 4.0)
    """
    values, numbers, gradient = _gradient(*once(f, primals))
    moving = picked(along(vectors, values), numbers)
    found = jvp(gradient, picked(values, numbers), moving)[1]
    return replaced(tuple([None for _ in values]), numbers, found)


@product
def vhp(f: Callable[..., Any], primals: Any, vectors: Any) -> Any:
    """Return ``vectors`` times the Hessian of ``f``, by reverse over reverse mode.

    The result is that of ``hvp``, since a Hessian is symmetric; which one is faster depends on
    ``f``.

    Args:
        f: a function that returns one real number.
        primals: a tuple of the arguments.
        vectors: a tuple with a vector for each primal, in its form; ``None`` stands for zero.

    Returns:
        A tuple with an entry for each primal, in its form; ``None`` for one without a real number.

    Raises:
        TypeError: ``f`` does not return one real number, or there are more or fewer vectors than
            primals, or one is of another form.
        ValueError: a vector has another shape than its array.
        PullbackError: ``f`` is outside the language.

    Source:
        Smeding and Vákár, *Efficient CHAD*, figures 6 and 8, over itself.

    Example:
        >>> import pullback as pb
        >>> def f(x, y):
        ...     return x * x * y
        >>> pb.vhp(f, (2.0, 3.0), (1.0, 0.0))
        (6.0, 4.0)
    """
    values, numbers, gradient = _gradient(*once(f, primals))
    moving = picked(along(vectors, values), numbers)
    found = vjp(gradient, *picked(values, numbers))[1](moving)
    return replaced(tuple([None for _ in values]), numbers, found)


def _gradient(f: Callable[..., Any], primals: Any) -> Any:
    """Return the values, the numbers of those that have reals, and the gradient as a function of
    these."""
    values = arguments(primals)
    numbers = reals(values)

    def gradient(*new: Any) -> Any:
        return grad(f, numbers)(*replaced(values, numbers, new))

    return values, numbers, gradient


__all__ = ["hvp", "vhp"]
