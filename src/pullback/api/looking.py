"""``pb.compiled``, ``pb.show`` and ``pb.cost``: what was compiled, and how many steps it takes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import Any

from pullback.api.operator_objects import (
    MethodOperator,
    Operator,
    for_count,
    positional,
    with_updates,
)
from pullback.call.binding import register_operators
from pullback.call.deferred import by_method, driver, require_method, stage_programs
from pullback.call.journal import Compilation, compilations
from pullback.call.leaving import public, writing
from pullback.call.methods import CHAD, NATIVE
from pullback.call.misuse import require_function
from pullback.call.packed import plain
from pullback.call.request import Request, What
from pullback.call.tangents import differentiable
from pullback.errors import ArgumentTypeError, ArgumentValueError


def _method_of(f: Callable[..., Any], method: str | None) -> str | None:
    """Return the method that the user names, or by which ``f``, the result of an operator, was
    made."""
    if method is not None:
        require_method(method)
    return f._method if method is None and isinstance(f, MethodOperator) else method


def asked(
    f: Callable[..., Any], args: tuple[Any, ...], method: str | None, operator: str = "show"
) -> tuple[Callable[..., Any], tuple[Any, ...], Request]:
    """Return the function, arguments and request that ``show``, ``cost`` and others are about."""
    require_function(f, operator, f"pb.{operator}(f, x)")
    if isinstance(f, Operator):
        values = plain(positional(f._f, args, {}))
        return f._f, values, for_count(f._request, len(values))
    values = plain(positional(f, args, {}))
    if method is None:
        return f, values, Request(What.VALUE)
    native = method if method in NATIVE else CHAD
    return f, values, Request(What.VALUE_AND_GRADIENT, differentiable(values), method=native)


@public
def compiled(f: Callable[..., Any]) -> tuple[Compilation, ...]:
    """Return what this process has compiled for a function, the oldest first.

    Only the last 1024 programs of all functions are remembered. The methods of the papers, which
    compile nothing, and functions that ``f`` calls are not among them.

    Args:
        f: a function, or the result of an operator, such as ``pb.grad(f)``.

    Returns:
        A tuple with an entry for each program. The entry has the operator, the arguments that it
        differentiates by, the types of the arguments, the seconds, the bytes of machine code,
        whether it was loaded from disk, and the reason why it was compiled.

    Raises:
        TypeError: ``f`` is not a function.

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> _ = pb.grad(square)(3.0)
        >>> made = pb.compiled(square)[-1]
        >>> made.operator, made.argnums, made.arguments, made.size > 0
        ('grad', (0,), ('a float',), True)
    """
    require_function(f, "compiled", "pb.compiled(f)")
    inner = f._f if isinstance(f, Operator) else f
    if not isinstance(inner, FunctionType):
        raise ArgumentTypeError(
            f"pb.compiled is about functions, not a {type(inner).__name__}",
            "wrap it: f = lambda x: model(x), and use f",
        )
    return compilations(inner.__code__)


class Printed(str):
    """A text that has been printed: where it is the last value of a cell, it is not shown again."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<printed text of {len(self.splitlines())} lines>"

    def _ipython_display_(self) -> None:
        """Show nothing."""


def _printed(text: str) -> Printed:
    with writing():
        print(text)
    return Printed(text)


@public
def show(
    f: Callable[..., Any], *args: Any, stage: str | None = None, method: str | None = None
) -> str:
    """Print a stage of the compilation of ``f`` for these arguments, and return its text.

    Args:
        f: a function, or the result of an operator, such as ``pb.grad(f)``.
        args: the arguments.
        stage: ``"core"``, what the front end made; ``"plan"``, how each loop runs (in lanes, on
            threads, and if not, why), what it keeps for the reverse sweep, and what is BLAS;
            ``"loop"``, ``"llvm"`` or ``"llvm optimised"``; or the name of a pass, which shows the
            program behind it. Without it the last program in Core is shown.
        method: ``"chad"`` or ``"dual"`` shows the gradient of ``f`` by all arguments; a method of
            the papers shows its transformed program.

    Returns:
        The text that was printed.

    Raises:
        ValueError: there is no such stage or method; the message lists them.
        PullbackError: ``f`` is outside the language.

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> text = pb.show(square, 3.0)
        main main(x:f64) -> f64
          let t:f64 = mul x x
          return t
    """
    return with_updates(lambda f: _shown(f, args, stage, method), f, args, writes=False)


def _shown(
    f: Callable[..., Any], args: tuple[Any, ...], stage: str | None, method: str | None
) -> str:
    method = _method_of(f, method)
    if method is not None and method not in NATIVE:
        return _printed(driver.by_method(*asked(f, args, method), method, by_method.derive).text())
    texts = stage_programs.stages(*asked(f, args, method))
    if stage is None:
        stage = driver.PIPELINE[-1].name
    if stage not in texts:
        raise ArgumentValueError(f"no stage {stage!r}", "choose among " + ", ".join(texts))
    return _printed(texts[stage])


@public
def cost(f: Callable[..., Any], *args: Any, method: str | None = None) -> int:
    """Return the number of steps that the reference evaluator takes for ``f(*args)``.

    Every construct costs 1 and what its parts cost, a closure 1 and what it captures; the
    operations of a method's target language cost what its paper says. So the numbers of two methods
    can be compared, and how they grow with the arguments.

    Args:
        f: a function, or the result of an operator, such as ``pb.grad(f)``.
        args: the arguments.
        method: ``"chad"``, ``"dual"`` or a method of the papers: the steps are then those of the
            value and the gradient by all arguments that have one.

    Returns:
        An int.

    Raises:
        ValueError: there is no such method.
        PullbackError: ``f`` is outside the language.

    Source:
        Smeding and Vákár, *Efficient CHAD*, appendix C.

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> pb.cost(square, 3.0) < pb.cost(square, 3.0, method="chad")
        True
        >>> [pb.cost(square, 3.0, method=m) for m in ("forward", "dual.tape", "chad.monadic")]
        [50, 212, 179]
    """
    return with_updates(lambda f: _counted(f, args, method), f, args, writes=False)


def _counted(f: Callable[..., Any], args: tuple[Any, ...], method: str | None) -> int:
    method = _method_of(f, method)
    given = asked(f, args, method, "cost")
    if method is None or method in NATIVE:
        return driver.steps(*given)
    return driver.by_method(*given, method, by_method.derive).outcome.cost


@public
def stages(f: Callable[..., Any], *args: Any, only: Sequence[str] = ()) -> str:
    """Print ``f`` at these arguments through the stages of the papers, and return the text.

    Each stage is the translation in its paper's notation, with ``*`` before the lines that the
    stage before it had not, and then what a run of it counts: the steps forward and in reverse, and
    how often each backpropagator was called. A function of reals, tuples and lambdas is shown with
    its own names, another one as the front end made it.

    Args:
        f: a function, or the result of an operator, such as ``pb.grad(f)``.
        args: the arguments.
        only: names of stages, in place of all: N1 to N5, K1 to K, C0 to C, S and E, as in
            ``docs/PAPERS.md``.

    Returns:
        The text that was printed.

    Raises:
        ValueError: there is no such stage; the message lists them.
        NotImplementedError: ``f`` is not in the papers' languages.

    Source:
        All figures of the papers; ``docs/PAPERS.md`` lists them.

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> text = pb.stages(square, 3.0, only=["N1", "N5"])
           \\x. x * x
           4 steps: 9
        <BLANKLINE>
        N1  a backpropagator is called once per path (Figs. 6, 7): dual.naive
         * \\(x, dx). (x * x, \\_d. dx (x * d) +_c dx (x * d))
           forward 25 steps, reverse 27; 3 calls of 2 backpropagators: 2 1
        <BLANKLINE>
        N5  taping (section 8.3): dual.tape
         * \\(x, dx).
         *  do { i <- push ([(dx, x), (dx, x)]);
         *       pure (x * x, i) }
           forward 72 steps, reverse 117
        <BLANKLINE>
    """
    names = by_method.stage_names()
    for name in only:
        if name not in names:
            raise ArgumentValueError(f"no stage {name!r}", "choose among " + ", ".join(names))
    g, values, request = asked(f, args, "delta.monadic")
    request = replace(request, what=What.PULLBACK)  # which is there for every result
    text = driver.by_method(
        g, values, request, "delta.monadic", partial(
            by_method.told, tell=partial(by_method.shown, only=only)))
    return _printed(text)


register_operators(compiled=compiled, show=show, cost=cost, stages=stages)


__all__ = ["asked", "compiled", "cost", "show", "stages"]
