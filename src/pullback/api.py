"""The operators, with JAX's names and meanings: thin, the work is in ``call.driver``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from pullback.call import driver, jacobian_products, pytrees
from pullback.call.driver import MethodPullback, config, derive, pack, plain, unpack
from pullback.call.first_errors import first_error
from pullback.call.misuse import require_function, values_of
from pullback.call.pullbacks import Padded
from pullback.call.pytrees import ravel
from pullback.call.request import Request, What
from pullback.errors import ArgumentTypeError, ArgumentValueError, PullbackError

Argnums = int | Sequence[int]
Made = TypeVar("Made")


def _nothing(*args: object) -> object:
    """The fast call before the first call: it fits nothing."""
    return NotImplemented


MOST_OTHERS = 4
"""An operator goes through so many compiled calls before it asks the driver."""


class Operator:
    """A function made by an operator. Compiled when it is first called, for the types of the
    arguments; ``_fast`` is the compiled call of the last types seen, ``_others`` of some before."""

    __slots__ = ("__dict__", "__weakref__", "_f", "_fast", "_others", "_request")

    def __init__(self, f: Callable[..., Any], request: Request, said: tuple[object, ...]) -> None:
        require_function(f, str(said[0]), f"pb.{said[0]}(f)(x), not pb.{said[0]}(f(x))")
        functools.update_wrapper(self, f)
        self._f = _inner(f)
        self._fast: Callable[..., Any] = _nothing
        self._others: tuple[Callable[..., Any], ...] = ()
        self._request = request
        self.__pullback_operator__ = (said[0], self._f, *said[1:])

    @property
    def name(self) -> str:
        """The operator's name."""
        return str(self.__pullback_operator__[0])

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            try:
                result = self._fast(*args)
            except Exception as error:
                if not driver.may_broadcast(error):
                    raise (first := first_error(error, self._f, args)) from first.__cause__
                result = NotImplemented
            if result is not NotImplemented:
                return result
        return self._slow(args, kwargs)

    def _slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call for other types of arguments than the last, or with keyword arguments."""
        values = positional(self._f, args, kwargs)
        for fast in (self._fast, *self._others):
            try:
                result = fast(*values)
            except Exception as error:
                if not driver.may_broadcast(error):
                    raise (first := first_error(error, self._f, values)) from first.__cause__
                continue
            if result is not NotImplemented:
                break
        else:
            request = _for_count(self._request, len(values))
            try:
                fast, result = driver.bind(self._f, values, request)
            except PullbackError as error:  # where the compiler noticed it says nothing to a user
                raise error.with_traceback(None) from None
            except Exception as error:
                raise (first := first_error(error, self._f, values)) from first.__cause__
        before = (self._fast, *self._others)
        self._others = tuple(x for x in before if x is not fast)[:MOST_OTHERS]
        self._fast = fast
        return result

    def __repr__(self) -> str:
        return f"<pb.{self.name} of {self._f!r}>"


class MethodOperator(Operator):
    """A gradient by a method of the papers: run by the reference evaluator, never compiled."""

    __slots__ = ("_method",)

    def __init__(
        self, f: Callable[..., Any], request: Request, said: tuple[object, ...], method: str
    ) -> None:
        super().__init__(f, request, said)
        self._method = method

    def _slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        values = positional(self._f, args, kwargs)
        request = _for_count(self._request, len(values))
        found = _by_method(self._f, values, request, self._method, derive)
        gradient = found.gradients[0] if request.alone else found.gradients
        if request.what is What.VALUE_AND_GRADIENT:
            return found.value, gradient
        if not request.has_aux:
            return gradient
        assert isinstance(found.value, tuple)
        return gradient, found.value[1]


def _by_method(
    f: Callable[..., Any], args: Sequence[Any], request: Request, method: str,
    make: Callable[..., Made],
) -> Made:  # fmt: skip
    """What ``make`` makes of f by a method of the papers; an error of the program shows its
    values."""
    try:
        return driver.by_method(f, args, request, method, make)
    except PullbackError:
        raise
    except Exception as error:
        raise (first := first_error(error, f, args, True)) from first.__cause__


def _gradient(
    f: Callable[..., Any], what: What, argnums: Argnums, has_aux: bool, method: str
) -> Operator:
    """The operator ``grad`` or ``value_and_grad`` by a method."""
    wanted, alone = _argnums(argnums)
    native = method if method in driver.REVERSE else driver.NATIVE
    request = Request(what, wanted, alone, has_aux, native)
    said = ("grad" if what is What.GRADIENT else "value_and_grad", argnums, has_aux)
    driver.require_method(method, driver.REVERSE)
    if method in driver.REVERSE:
        return Operator(f, request, said)
    return MethodOperator(f, request, said, method)


def _for_count(request: Request, count: int) -> Request:
    """The request with negative argument numbers counted from the end."""
    if all(i >= 0 for i in request.argnums):
        return request
    argnums = tuple(i + count if i < 0 else i for i in request.argnums)
    if min(argnums) < 0:
        raise ArgumentTypeError(
            f"argnums={request.argnums} with {count} arguments given: a differentiated argument "
            "must be given",
            "count from 0: argnums=0 is the first argument",
        )
    return replace(request, argnums=argnums)


def positional(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """All arguments by position, as Python binds them; a TypeError as Python's where they do not
    fit."""
    signature = _signature(f)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as e:
        name = getattr(f, "__qualname__", None) or repr(f)
        raise ArgumentTypeError(f"{name}{signature}: {e}") from None
    if not kwargs:
        return bound.args
    if bound.kwargs and not _only_by_position(bound):
        names = ", ".join(bound.kwargs)
        raise ArgumentTypeError(
            f"the keyword-only arguments {names} are not supported in a call from outside",
            "make them ordinary parameters, or fix them with a lambda",
        )
    bound.apply_defaults()
    return bound.args


def _only_by_position(bound: inspect.BoundArguments) -> bool:
    """Whether every given argument could have been given by position."""
    by_name = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    parameters = bound.signature.parameters
    return all(parameters[name].kind not in by_name for name in bound.arguments)


def _signature(f: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(f)
    except ValueError:  # a builtin that does not tell
        return inspect.signature(lambda *args: None)


def _argnums(given: Argnums) -> tuple[tuple[int, ...], bool]:
    """Argument numbers, and whether they were given as one number."""
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return (int(given),), True
    if isinstance(given, Sequence) and all(isinstance(i, int) for i in given):
        return tuple(given), False
    raise ArgumentTypeError(
        f"argnums is an int or a tuple of ints, not {given!r}",
        "count the arguments from 0, and give the values to what it returns: pb.grad(f, 1)(x, y)",
    )


# --- the operators -----------------------------------------------------------------------------


def jit(f: Callable[..., Any]) -> Callable[..., Any]:
    """``f``, compiled.

    Returns a function with the results of ``f`` itself, compiled for the types of the arguments at
    the first call with such types: numbers, arrays (of the shapes that NumPy gives), lists,
    dicts, records. Errors that ``f`` raises are raised; what cannot be compiled is refused with a
    ``PullbackError`` that shows the place.

    >>> jit(_square)(3.0)
    9.0
    """
    return Operator(f, Request(What.VALUE), ("jit",))


def grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, method: str = "chad"
) -> Callable[..., Any]:
    """The gradient of ``f``, a function that returns one real number.

    Returns a function of the same arguments. Its result has the form of argument ``argnums`` (of a
    tuple of arguments where ``argnums`` is a tuple): an array has an array of its dtype, a record
    an instance of its class, and what is discrete ``None``. With ``has_aux`` the function returns
    ``(value, aux)`` and its gradient ``(gradient, aux)``. Raises ``TypeError`` where ``f`` does not
    return a real number or the argument has none.

    Reverse mode: Smeding and Vákár, Efficient CHAD (2022). Any other ``method`` is one of the
    papers' (``pullback.papers``), run step by step by the reference evaluator; a ``ValueError``
    lists them, and a function outside the source language of a paper is refused.

    >>> grad(_square)(3.0)
    6.0
    """
    return _gradient(f, What.GRADIENT, argnums, has_aux, method)


def value_and_grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, method: str = "chad"
) -> Callable[..., Any]:
    """``f`` and its gradient together: returns a function that returns ``(value, gradient)``, as
    ``scipy.optimize.minimize(..., jac=True)`` wants it. With ``has_aux``: ``((value, aux),
    gradient)``. Forms, methods and errors are those of ``grad``, and so is the algorithm.

    >>> value_and_grad(_square)(3.0)
    (9.0, 6.0)
    """
    return _gradient(f, What.VALUE_AND_GRADIENT, argnums, has_aux, method)


def vjp(
    f: Callable[..., Any], *primals: Any, has_aux: bool = False, method: str = "chad"
) -> Any:
    """The result of ``f`` and its pullback at ``primals``: ``(out, pullback)``.

    ``pullback(cotangent)`` takes a cotangent of the form of ``out`` (``None`` stands for zero) and
    returns a tuple, the cotangents of the primals. It can be called again, with other cotangents,
    from several threads, and after the primals were overwritten. With ``has_aux`` the function
    returns ``(out, aux)`` and this ``(out, pullback, aux)``. The other methods are those of
    ``grad``; with one of the papers' every call of the pullback runs the whole program again. The
    cotangent of a primal that is packed (``pb.pack``) is packed.

    An array's cotangent has its shape and dtype; what is discrete has ``None``. Raises
    ``TypeError`` where a cotangent is of another form than ``out``, ``ValueError`` where it has
    another shape. The pullback is the reverse half of Efficient CHAD (Smeding and Vákár, 2022).

    >>> out, pullback = vjp(_square, 3.0)
    >>> out, pullback(10.0)
    (9.0, (60.0,))
    """
    require_function(f, "vjp", "pb.vjp(f, x)")
    inner = _inner(f)
    found = jacobian_products.quick(inner, (What.PULLBACK, has_aux, method), primals)
    if found is not NotImplemented:
        return found
    driver.require_method(method, driver.REVERSE)
    values = positional(f, primals, {})
    if method in driver.REVERSE:
        return jacobian_products.vjp(inner, values, has_aux, method)
    values = plain(values)
    chosen = driver.differentiable(values)
    request = Request(What.PULLBACK, chosen, has_aux=has_aux)
    pull = _by_method(inner, values, request, method, MethodPullback)
    back = Padded(pull, chosen, len(values))
    if has_aux:
        assert isinstance(pull.value, tuple)
        out, aux = pull.value
        return out, back, aux
    return pull.value, back


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The result of ``f`` and its tangent along ``tangents``: ``(out, tangent_out)``.

    There is one tangent per primal, of its form; ``None`` stands for zero, and for the tangent of
    what is discrete. ``tangent_out`` has the form of ``out``. Raises ``TypeError`` where a tangent
    is of another form than its primal, ``ValueError`` where it has another shape. Forward mode:
    Krawiec et al. (2022), figures 3 and 4.

    >>> jvp(_square, (3.0,), (1.0,))
    (9.0, 6.0)
    """
    require_function(f, "jvp", "pb.jvp(f, (x,), (t,))")
    primals, tangents = values_of(primals, "jvp"), values_of(tangents, "jvp")
    if len(primals) != len(tangents):
        raise ArgumentTypeError(
            f"{len(primals)} primals and {len(tangents)} tangents",
            "give one tangent for each primal; None stands for zero",
        )
    inner = _inner(f)
    found: Any = jacobian_products.quick(inner, jacobian_products.TANGENT, (*primals, *tangents))
    if found is NotImplemented:
        values = positional(f, tuple(primals), {})
        found = jacobian_products.jvp(inner, values, tuple(tangents))
    out, tangent = found
    return out, tangent


def _inner(f: Callable[..., Any]) -> Callable[..., Any]:
    return f._f if isinstance(f, Operator) and f.name == "jit" else f


# --- looking and checking ----------------------------------------------------------------------


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
    seed: int = 0,
) -> None:
    """Compare reverse mode, forward mode and finite differences of ``f`` at ``args``, along random
    directions, on any structured type; ``order`` 2 also does so for the gradient (of a function
    that returns one number), ``order`` 3 for the gradient of that, and so on.

    ``eps`` is the step of the differences (1e-4; with float32 arguments 1e-2), ``atol`` and
    ``rtol`` say how far the three may be apart (1e-5; with float32 arguments 1e-2). Returns
    nothing. Raises ``AssertionError`` that names the two that disagree, and by how much;
    ``ValueError`` for a mode that is none. That two modes agree along a random direction is Lemma
    1 of Krawiec et al.

    >>> check_grads(_square, (3.0,), order=2)
    """
    if not set(modes) <= {"fwd", "rev"} or not modes:
        raise ArgumentValueError(f"modes are 'fwd' and 'rev', not {modes!r}")
    require_function(f, "check_grads", "pb.check_grads(f, (x,))")
    if type(order) is not int or order < 1:
        raise ArgumentValueError(f"order is 1, 2, ..., not {order!r}")
    values = plain(values_of(args, "check_grads"))
    short = any(map(pytrees.has_float32, values))
    atol, rtol = (v if v is not None else 1e-2 if short else 1e-5 for v in (atol, rtol))
    eps = eps if eps is not None else 1e-2 if short else 1e-4
    rng = np.random.default_rng(seed)
    tangents = tuple(pytrees.direction(rng, x) for x in values)
    out, pullback = vjp(f, *values)
    cotangent = pytrees.direction(rng, out)
    found: dict[str, float] = {}
    if "rev" in modes:
        cotangents = pullback(cotangent)
        parts = zip(values, cotangents, tangents, strict=True)  # two arguments share nothing
        found["reverse mode"] = sum(pytrees.inner(*part) for part in parts)
    if "fwd" in modes:
        found["forward mode"] = pytrees.inner(out, jvp(f, values, tangents)[1], cotangent)
    found["finite differences"] = _difference(f, values, tangents, (out, cotangent), eps)
    names = list(found)
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            a, b = found[first], found[second]
            if not abs(a - b) <= atol + rtol * max(abs(a), abs(b)):
                raise AssertionError(
                    f"{first} and {second} disagree: {a!r} and {b!r} (order {order})"
                )
    if order > 1:
        chosen = driver.differentiable(values)
        gradient = grad(f, chosen if len(chosen) > 1 else chosen[0])
        check_grads(gradient, values, order - 1, modes, atol, rtol, eps, seed + 1)


def _difference(
    f: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...], along: tuple[Any, Any],
    h: float,
) -> float:  # fmt: skip
    """The directional derivative by central differences of f as plain Python, extrapolated;
    ``along``: its result and a cotangent of that."""
    out, cotangent = along

    def at(step: float) -> float:
        moved = [pytrees.moved(x, t, step) for x, t in zip(args, tangents, strict=False)]
        return pytrees.inner(out, f(*moved), cotangent)

    def central(step: float) -> float:
        return (at(step) - at(-step)) / (2 * step)

    return (4 * central(h) - central(2 * h)) / 3


def _method_of(f: Callable[..., Any], method: str | None) -> str | None:
    """The method that is asked for by name, or that ``f`` is an operator's result by."""
    if method is not None:
        driver.require_method(method, driver.REVERSE)
    return f._method if method is None and isinstance(f, MethodOperator) else method


def _asked(f: Callable[..., Any], args: tuple[Any, ...], method: str | None) -> tuple[
    Callable[..., Any], tuple[Any, ...], Request
]:  # fmt: skip
    """The function, arguments and request that ``show`` and ``cost`` are about."""
    require_function(f, "show", "pb.show(f, x), or pb.cost(f, x)")
    if isinstance(f, Operator):
        values = plain(positional(f._f, args, {}))
        return f._f, values, _for_count(f._request, len(values))
    values = plain(positional(f, args, {}))
    if method is None:
        return f, values, Request(What.VALUE)
    native = method if method in driver.REVERSE else driver.NATIVE
    return f, values, Request(
        What.VALUE_AND_GRADIENT, driver.differentiable(values), method=native
    )


def show(
    f: Callable[..., Any], *args: Any, stage: str | None = None, method: str | None = None
) -> str:
    """Print a stage of the compilation of ``f`` for these arguments, and return its text.

    ``stage`` is "core" (what the front end made), a name of ``pipeline.PIPELINE``, "loop", "llvm"
    or "llvm optimised"; without it the last Core program is shown. ``f`` may be an operator's
    result, such as ``pb.grad(f)``; ``method="chad"`` shows the gradient by all arguments, a method
    of the papers its transformed program. Raises ``ValueError`` for a name that is none.

    >>> text = show(_square, 3.0)
    main main(x:f64) -> f64
      let t:f64 = mul x x
      return t
    """
    method = _method_of(f, method)
    if method is not None and method not in driver.REVERSE:
        text = driver.by_method(*_asked(f, args, method), method, derive).text()
        print(text)
        return text
    texts = driver.stages(*_asked(f, args, method))
    if stage is None:
        stage = driver.PIPELINE[-1].name
    if stage not in texts:
        raise ArgumentValueError(f"no stage {stage!r}", "choose among " + ", ".join(texts))
    print(texts[stage])
    return texts[stage]


def cost(f: Callable[..., Any], *args: Any, method: str | None = None) -> int:
    """How many steps the reference evaluator takes for ``f(*args)``; with ``method="chad"`` or a
    method of the papers, for the value and the gradient by all arguments that have one.

    Every construct costs 1 and what its parts cost, a closure 1 and what it captures (Efficient
    CHAD, App. C); the operations of a method's target language cost what its paper says. So the
    numbers of two methods can be compared, and how they grow. Raises ``ValueError`` for a method
    that there is not.

    >>> cost(_square, 3.0) < cost(_square, 3.0, method="chad")
    True
    >>> [cost(_square, 3.0, method=m) for m in ("forward", "dual.tape", "chad.monadic")]
    [50, 209, 179]
    """
    method = _method_of(f, method)
    asked = _asked(f, args, method)
    if method is None or method in driver.REVERSE:
        return driver.steps(*asked)
    return driver.by_method(*asked, method, derive).outcome.cost


def _square(x: float) -> float:
    """For the examples above."""
    return x * x


driver.register_operators(
    jit=jit, grad=grad, value_and_grad=value_and_grad, vjp=vjp, jvp=jvp, check_grads=check_grads,
    show=show, cost=cost,
)  # fmt: skip

__all__ = ["Operator", "check_grads", "config", "cost", "grad", "jit", "jvp", "pack", "ravel",
           "show",
           "unpack", "value_and_grad", "vjp"]  # fmt: skip
