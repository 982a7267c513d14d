"""``pb.jacfwd``, ``pb.jacrev``, ``pb.jacobian`` and ``pb.hessian``: dense matrices of derivatives.

As in JAX the structure of the results is outside, that of the arguments inside: of a function of
``{"a": x}`` that returns ``(y, z)`` it is ``({"a": dy/dx}, {"a": dz/dx})``, where ``dy/dx`` has the
axes of ``y``, then those of ``x``.
"""

import os
from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from pullback.api.derived import BY_PASSES, derived
from pullback.api.gradients import grad
from pullback.api.operator_objects import Argnums
from pullback.api.vector_products import jvp, vjp
from pullback.structures import (
    as_given,
    called_as,
    chosen,
    is_larger,
    leaves,
    once,
    one_hot,
    picked,
    quiet,
    rebuilt,
    replaced,
    require_kind,
    stacked,
    turned,
    units,
    with_reals,
)

P = ParamSpec("P")

MEMORY = 1.0 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
"""The bytes of memory that this machine has."""


@derived
def jacfwd(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[P, Any]:
    """Return the Jacobian of ``f`` by forward mode: one pass for each real number of the argument.

    Args:
        f: a function with any result that has a real number in it; with ``has_aux`` a pair of such
            a result and anything else.
        argnums: the arguments to differentiate by: a position, counted from 0, or a name, or a
            tuple of positions and names.
        has_aux: whether ``f`` returns ``(out, aux)``.
        holomorphic: whether ``f`` is a holomorphic function of complex arguments; its complex
            derivatives are returned then.

    Returns:
        A function of the same arguments that returns the Jacobian; with ``has_aux``, ``(jacobian,
        aux)``. Of an array of shape ``s`` that returns an array of shape ``r`` it is an array of
        shape ``r + s``. Of structures it has the structure of the result outside and that of the
        argument inside: ``{"y": {"x": dy/dx}}``. An int, a bool or a text has ``None``. Where
        ``argnums`` is a tuple, a tuple of Jacobians stands in each place.

    Raises:
        TypeError: the argument has no real number in it.
        ValueError: no argument has that name.
        MemoryError: the Jacobian would not fit into memory. It is raised before anything runs.
        PullbackError: ``f`` is outside the language.

    Source:
        Krawiec et al., figures 3 and 4, eight directions at a time.

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> def f(x):
        ...     return np.stack([x[0] * x[1], x[0] + x[1]])
        >>> pb.jacfwd(f)(np.array([1.0, 2.0]))
        array([[2., 1.],
               [1., 1.]])
    """
    numbers = chosen(f, argnums)

    def jacobian(*args: Any) -> Any:
        g, entry = once(f, args)
        again = quiet(g)
        given = with_reals(picked(entry, numbers))
        inputs = leaves(given, True)
        result = g(*entry)
        out = result[0] if has_aux else result
        outputs = leaves(out, True)
        require_kind(inputs, holomorphic, "jacrev", "argument")
        shapes = tuple([np.shape(y) for y in outputs])
        _require_room(_count(inputs) * _count(outputs), JACOBIAN)

        def inner(*new: Any) -> Any:
            found = again(*replaced(entry, numbers, new))
            return found[0] if has_aux else found

        def columns(here: Any, x: Any) -> Any:
            """Return the derivatives of all results by one argument; its axes are the last."""

            def moved(index: Any) -> Any:
                tangents = rebuilt(given, _only(here, one_hot(x, index)), True)
                return leaves(jvp(inner, given, tangents)[1], True)

            columns = _stacked_over(np.shape(x), moved, (), shapes)
            return [turned(column, np.ndim(x)) for column in columns]

        found = [columns(here, x) for here, x in zip(units(inputs), inputs, strict=True)]
        rows = [
            as_given(rebuilt(given, tuple([column[j] for column in found]), True), numbers)
            for j, _ in enumerate(outputs)
        ]
        matrix = rebuilt(out, tuple(rows), True)
        return (matrix, result[1]) if has_aux else matrix

    return called_as(f, jacobian)


@derived
def jacrev(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[P, Any]:
    """Return the Jacobian of ``f`` by reverse mode: one pass for each real number of the result.

    Args:
        f: a function with any result that has a real number in it; with ``has_aux`` a pair of such
            a result and anything else.
        argnums: the arguments to differentiate by: a position, counted from 0, or a name, or a
            tuple of positions and names.
        has_aux: whether ``f`` returns ``(out, aux)``.
        holomorphic: whether ``f`` is a holomorphic function of complex arguments; its complex
            derivatives are returned then.

    Returns:
        A function of the same arguments that returns the Jacobian; with ``has_aux``, ``(jacobian,
        aux)``. Of an array of shape ``s`` that returns an array of shape ``r`` it is an array of
        shape ``r + s``. Of structures it has the structure of the result outside and that of the
        argument inside: ``{"y": {"x": dy/dx}}``. An int, a bool or a text has ``None``.

    Raises:
        TypeError: the argument has no real number in it.
        ValueError: no argument has that name.
        MemoryError: the Jacobian would not fit into memory. It is raised before anything runs.
        PullbackError: ``f`` is outside the language.

    Source:
        Smeding and Vákár, *Efficient CHAD*, figures 6 and 8, for each unit cotangent.

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> def f(x):
        ...     return np.stack([x[0] * x[1], x[0] + x[1]])
        >>> pb.jacrev(f)(np.array([1.0, 2.0]))
        array([[2., 1.],
               [1., 1.]])
    """
    numbers = chosen(f, argnums)

    def jacobian(*args: Any) -> Any:
        g, entry = once(f, args)
        given = with_reals(picked(entry, numbers))

        def inner(*new: Any) -> Any:
            found = g(*replaced(entry, numbers, new))
            return found[0] if has_aux else found

        out, pullback = vjp(inner, *given)
        outputs = leaves(out, True)
        inputs = leaves(given, True)
        require_kind(outputs, holomorphic, "jacfwd", "result")
        if holomorphic:
            require_kind(inputs, True, "jacfwd", "argument")
        shapes = tuple([np.shape(x) for x in inputs])
        _require_room(_count(inputs) * _count(outputs), JACOBIAN)

        def rows(here: Any, y: Any) -> Any:
            """Return the derivatives of one result by the arguments."""

            def moved(index: Any) -> Any:
                seed = rebuilt(out, _only(here, one_hot(y, index)), True)
                return leaves(pullback(seed), True)

            values = tuple(_stacked_over(np.shape(y), moved, (), shapes))
            return as_given(rebuilt(given, values, True), numbers)

        found = [rows(here, y) for here, y in zip(units(outputs), outputs, strict=True)]
        matrix = rebuilt(out, tuple(found), True)
        return (matrix, quiet(g)(*entry)[1]) if has_aux else matrix

    return called_as(f, jacobian)


@derived
def jacobian(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[P, Any]:
    """Return the Jacobian of ``f`` by the cheaper mode.

    That is ``jacrev`` where the result has fewer real numbers than the argument, else ``jacfwd``.

    Args:
        f: a function with any result that has a real number in it; with ``has_aux`` a pair of such
            a result and anything else.
        argnums: the arguments to differentiate by: a position, counted from 0, or a name, or a
            tuple of positions and names.
        has_aux: whether ``f`` returns ``(out, aux)``.
        holomorphic: whether ``f`` is a holomorphic function of complex arguments; its complex
            derivatives are returned then.

    Returns:
        A function of the same arguments that returns the Jacobian; with ``has_aux``, ``(jacobian,
        aux)``. Of an array of shape ``s`` that returns an array of shape ``r`` it is an array of
        shape ``r + s``; structures are those of ``jacfwd``.

    Raises:
        TypeError: the argument has no real number in it.
        ValueError: no argument has that name.
        MemoryError: the Jacobian would not fit into memory. It is raised before anything runs.
        PullbackError: ``f`` is outside the language.

    Source:
        That of ``jacfwd`` or ``jacrev``.

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> def f(x):
        ...     return np.stack([x[0] * x[1], x[0] + x[1]])
        >>> pb.jacobian(f)(np.array([1.0, 2.0]))
        array([[2., 1.],
               [1., 1.]])
    """
    numbers = chosen(f, argnums)

    def cheaper(*args: Any) -> Any:
        g, entry = once(f, args)
        again = quiet(g)
        forward = jacfwd(again, numbers, has_aux, holomorphic)
        reverse = jacrev(again, numbers, has_aux, holomorphic)
        result = g(*entry)
        out = result[0] if has_aux else result
        if is_larger(leaves(picked(entry, numbers), True), leaves(out, True)):
            return reverse(*entry)
        return forward(*entry)

    return called_as(f, cheaper)


@derived
def hessian(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[P, Any]:
    """Return the second derivatives of ``f``, by forward mode over reverse mode.

    Args:
        f: a function that returns one real number, or an array or structure of them; with
            ``has_aux`` a pair of such a result and anything else.
        argnums: the arguments to differentiate by, twice: a position, counted from 0, or a name, or
            a tuple of positions and names.
        has_aux: whether ``f`` returns ``(out, aux)``.
        holomorphic: whether ``f`` is a holomorphic function of complex arguments; its complex
            derivatives are returned then.

    Returns:
        A function of the same arguments that returns the second derivatives; with ``has_aux``,
        ``(hessian, aux)``. Of an array of shape ``s`` that returns a number it is an array of shape
        ``s + s``. Of a dict it is a dict of dicts: ``{"a": {"a": ..., "b": ...}, "b": ...}``.

    Raises:
        TypeError: the argument has no real number in it.
        ValueError: no argument has that name.
        MemoryError: the result would not fit into memory. It is raised before anything runs.
        PullbackError: ``f`` is outside the language.

    Source:
        Krawiec et al., figures 3 and 4, over *Efficient CHAD*, figures 6 and 8.

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> pb.hessian(np.prod)(np.array([2.0, 3.0]))
        array([[0., 1.],
               [1., 0.]])
    """
    numbers = chosen(f, argnums)

    def hessian(*args: Any) -> Any:
        g, entry = once(f, args)
        first = jacrev(g, numbers, has_aux, holomorphic)
        matrix = jacfwd(first, numbers, has_aux, holomorphic)
        count = _count(leaves(picked(entry, numbers), True))
        _require_room(count * count, HESSIAN)
        return matrix(*entry)

    return called_as(f, hessian)


def _hessian_of_data(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[..., Any]:
    """Return the Hessian of a function that returns a number: one compiled pass for each real."""
    first = jacrev(f, argnums, has_aux, True) if holomorphic else grad(f, argnums, has_aux)
    made: Callable[..., Any] = jacfwd(first, argnums, has_aux, holomorphic)
    return made


def _text(operator: Any) -> Callable[..., Any]:
    text: Callable[..., Any] = operator.__wrapped__
    return text


BY_PASSES.update({"hessian": _hessian_of_data, "jacfwd": _text(jacfwd), "jacrev": _text(jacrev),
                  "jacobian": _text(jacobian)})  # fmt: skip


def _count(values: Any) -> float:
    return sum([1.0 * np.size(x) for x in values])


JACOBIAN = "pb.sparse_jacobian, or products by pb.jvp and pb.vjp"
HESSIAN = "pb.sparse_hessian, or products by pb.hvp"


def _require_room(count: float, instead: str) -> None:
    if 8.0 * count > MEMORY:
        raise MemoryError(f"{count:.0f} derivatives do not fit into memory: use {instead}")


def _only(here: Any, value: Any) -> Any:
    """Return a (co)tangent that is zero but for one leaf."""
    return tuple([value if this else None for this in here])


def _stacked_over(shape: Any, f: Callable[[Any], Any], index: Any, inner: Any) -> Any:
    """Return the results of ``f`` at all indices within a shape, these axes in front. ``inner``:
    the shapes of the leaves of each of them."""
    if len(shape) == 0:
        return f(index)
    rows = tuple([(*shape[1:], *own) for own in inner])
    return stacked(shape[0], lambda i: _stacked_over(shape[1:], f, (*index, i), inner), rows)


__all__ = ["hessian", "jacfwd", "jacobian", "jacrev"]
