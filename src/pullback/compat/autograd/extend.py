"""Functions with derivatives of the user's own: ``primitive``, ``defvjp``, ``defjvp``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from pullback.api.rules import Ruled
from pullback.errors import ArgumentTypeError
from pullback.structures import numbers_of, replaced

Function = Callable[..., Any]


class Primitive(Ruled):
    """A function whose derivative is said by ``defvjp`` or ``defjvp``; a rule for cotangents counts
    for both modes. By an argument for which none is said there is no derivative."""

    _operator = "custom_vjp"

    def __init__(self, f: Function, nondiff_argnums: int | Sequence[int] = ()) -> None:
        super().__init__(f, nondiff_argnums)
        self.has_vjp = False
        self.rule("custom_vjp", _pullback_rules(f, {}), ())

    def rule(self, operator: str, rules: tuple[Function | None, ...], known: Sequence[int]) -> None:
        """Say the rule, which covers the arguments at these positions."""
        self._operator, self._rules = operator, rules
        self._fixed = tuple(k for k in range(self.count) if k not in known)

    @property
    def count(self) -> int:
        """How many arguments the function has."""
        return len(inspect.signature(self._f).parameters)

    @property
    def function(self) -> Function:
        """The function itself, without its rule."""
        return self._f


def primitive(f: Function) -> Primitive:
    """Return ``f`` as a function whose derivatives are the user's."""
    return Primitive(f)


notrace_primitive = primitive
"""A function without derivatives: one whose rule nobody says."""

def defvjp(fun: Primitive, *vjpmakers: Function | None, **options: Any) -> None:
    """Say the cotangent of each argument: ``maker(ans, *args)`` returns a function of the cotangent
    of the result. ``None`` says that the argument has none; ``argnums=`` says the positions."""
    makers = _by_position("defvjp", vjpmakers, options)
    rules = _pullback_rules(_primitive(fun, "defvjp").function, makers)
    fun.rule("custom_vjp", rules, tuple(makers))
    fun.has_vjp = True


def defvjp_argnum(fun: Primitive, vjpmaker: Function) -> None:
    """Say the cotangents of all arguments: ``vjpmaker(argnum, ans, args, kwargs)`` returns a
    function of the cotangent of the result."""
    count = _primitive(fun, "defvjp_argnum").count

    def maker_of(k: int) -> Function:
        return lambda ans, *args: vjpmaker(k, ans, args, {})

    defvjp(fun, *map(maker_of, range(count)))


def defjvp(fun: Primitive, *jvpfuns: Function | str | None, **options: Any) -> None:
    """Say what each argument adds to the tangent of the result: ``part(g, ans, *args)``. ``"same"``
    says that the function is linear in the argument; ``None``, that it adds nothing."""
    parts = _by_position("defjvp", jvpfuns, options)
    if _primitive(fun, "defjvp").has_vjp:
        return
    made = (_part(fun.function, k, parts[k]) if k in parts else None for k in range(fun.count))
    fun.rule("custom_jvps", tuple(made), tuple(parts))


def def_linear(fun: Primitive) -> None:
    """Say that a function is linear in each of its arguments."""
    defjvp(fun, *["same"] * _primitive(fun, "def_linear").count)


def _primitive(fun: object, name: str) -> Primitive:
    if isinstance(fun, Primitive):
        return fun
    raise ArgumentTypeError(
        f"{name} is applied to what primitive returned, not to {fun!r}",
        "f = primitive(f), and then the rule; the functions of NumPy and SciPy have theirs",
    )


def _by_position(name: str, given: Sequence[Any], options: dict[str, Any]) -> dict[int, Any]:
    argnums = options.pop("argnums", None)
    if options:
        raise ArgumentTypeError(f"{name} takes argnums, and not {', '.join(options)}")
    return dict(zip(range(len(given)) if argnums is None else argnums, given, strict=False))


def _pullback_rules(f: Function, makers: dict[int, Any]) -> tuple[Function, Function]:
    """Return the rule of ``pb.custom_vjp`` that these functions mean."""
    parts = tuple(makers[k] for k in sorted(makers))

    def forward(*args: Any) -> Any:
        out = f(*args)
        return out, (out, args)

    def backward(*given: Any) -> Any:
        out, args = given[-2]
        return tuple([None if part is None else part(out, *args)(given[-1]) for part in parts])

    return forward, backward


def _part(f: Function, place: int, part: Any) -> Function | None:
    if part != "same":
        return part  # type: ignore[no-any-return]  # the user's function

    numbers = numbers_of((place,), True)

    def linear(tangent: Any, out: Any, *args: Any) -> Any:
        return f(*replaced(args, numbers, (tangent,)))

    return linear


__all__ = [
    "Primitive", "def_linear", "defjvp", "defvjp", "defvjp_argnum", "notrace_primitive",
    "primitive",
]  # fmt: skip
