"""Compile the methods of distributions of ``scipy.stats``, of which one formula each is enough
(``text/continuous_distributions.py``, ``text/discrete_distributions.py``).

A method is found by the object that it belongs to, so SciPy's distributions are neither imported
nor listed until one is called. A frozen distribution (``norm(0, 1)``) is an operator value: the
distribution, the keywords as options, its arguments.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Sequence
from functools import lru_cache, partial
from types import FunctionType, MethodType
from typing import cast

from pullback.core.frozen import dataclass
from pullback.core.later import Later
from pullback.core.library_values import NAMED
from pullback.core.types import F64
from pullback.frontend.kinds.snapshots import held
from pullback.frontend.kinds.values import (
    CALLS,
    REGISTRY,
    FunctionV,
    Handler,
    ListV,
    OperatorV,
    Specialiser,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.library.arguments import MISSING, NONE, Args, Kwargs, bind
from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.compiled_text import items_of, run_program
from pullback.frontend.library.numpy.arrays import elementwise
from pullback.frontend.library.numpy.elementwise import numpy_scalar
from pullback.frontend.library.numpy.sequences import to_array
from pullback.frontend.python.rewrites import refuse_library
from pullback.frontend.python.source import definition_of

FROZEN, METHOD = "frozen distribution", "method of a frozen distribution"
FORMULA = "function of a distribution"
_TEXT = "pullback.frontend.library.text"
_METHODS = Later(f"{_TEXT}.distribution_methods")
_DRAWS = Later(f"{_TEXT}.distribution_draws")
_FITS = Later(f"{_TEXT}.distribution_fits")
_MOMENTS = Later(f"{_TEXT}.moment_formulas")
_CONTINUOUS = (
    *(Later(f"{_TEXT}.{name}_distributions") for name in (
        "continuous", "positive", "bounded", "lifetime", "folded", "line", "interval")),
    _MOMENTS,
)  # fmt: skip
_DISCRETE = (
    *(Later(f"{_TEXT}.{name}_distributions") for name in ("discrete", "counting")), _MOMENTS,
)  # fmt: skip
_SAME = {"erlang": "gamma", "reciprocal": "loguniform"}

_WAYS: dict[str, tuple[tuple[str, str], ...]] = {
    "logpdf": (("logpdf", ""), ("pdf", "log")),
    "pdf": (("pdf", ""), ("logpdf", "exp")),
    "logpmf": (("logpmf", ""), ("pmf", "log")),
    "pmf": (("pmf", ""), ("logpmf", "exp")),
    "cdf": (("cdf", ""), ("logcdf", "exp"), ("sf", "rest")),
    "logcdf": (("logcdf", ""), ("cdf", "log")),
    "sf": (("sf", ""), ("logsf", "exp"), ("cdf", "rest")),
    "logsf": (("logsf", ""), ("sf", "log"), ("cdf", "log of rest")),
    "ppf": (("ppf", ""),),
    "isf": (("isf", ""), ("ppf", "rest")),
    "mean": (("mean", "mean"),), "var": (("var", "var"),), "std": (("var", "std"),),
    "entropy": (("entropy", "entropy"),),
    "skew": (("skew", "shape"),), "kurtosis": (("kurtosis", "shape"),),
}  # fmt: skip
"""From which formulas a method follows, the best one first, and what is done with its number."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """What is known of a distribution: a formula is found by the name of its method."""

    name: str
    discrete: bool

    def formula(self, method: str) -> FunctionType | None:
        """The text of a method, if there is one."""
        for file in _DISCRETE if self.discrete else _CONTINUOUS:
            found: FunctionType | None = getattr(file, f"{method}_of_{self.name}", None)
            if found is not None:
                return found
        return None

    def way(self, method: str) -> tuple[FunctionType, str] | None:
        """The formula from which a method follows, and what is done with its number."""
        for name, how in _WAYS.get(method, ()):
            found = self.formula(name)
            if found is not None:
                return found, how
        return None

    @property
    def shapes(self) -> tuple[str, ...]:
        """The names of the parameters of shape."""
        known = self.way("pmf" if self.discrete else "pdf")
        assert known is not None
        return tuple(inspect.signature(known[0]).parameters)[1:]

    def ends(self, sp: Specialiser, shapes: Sequence[Value], node: ast.AST) -> tuple[Value, ...]:
        """The ends of the support."""
        own = self.formula("support")
        if own is not None:
            return items_of(run_program(sp, own, shapes, node))
        for file in _DISCRETE if self.discrete else _CONTINUOUS:
            if self.name in getattr(file, "SUPPORTS", {}):
                low, high = file.SUPPORTS[self.name]
        return Static(low), Static(high)


_POINTS = {
    "logpdf": ("density", (True,)), "pdf": ("density", (False,)),
    "logpmf": ("mass", (True,)), "pmf": ("mass", (False,)),
    "cdf": ("probability", (False, False)), "logcdf": ("probability", (True, False)),
    "sf": ("probability", (False, True)), "logsf": ("probability", (True, True)),
    "ppf": ("quantile", (False,)), "isf": ("quantile", (True,)),
}  # fmt: skip
"""The text of a method that is given a point, and its flags (``distribution_methods``)."""


def _function(text: FunctionType) -> FunctionV:
    return FunctionV(definition_of(text), None)


def _call(
    d: Distribution, method: str, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Call a method, elementwise in all its arguments, in float64."""
    found = d.way(method)
    assert found is not None
    formula, how = found
    point = {} if method not in _POINTS else {_point_of(d, method): MISSING}
    parameters = point | dict.fromkeys(d.shapes, MISSING) | {"loc": Static(0.0)}
    if not d.discrete:
        parameters["scale"] = Static(1.0)
    given = bind(sp, f"{d.name}.{method}", args, kwargs, node, **parameters)
    given = tuple(to_array(sp, v, node) if isinstance(v, (ListV, TupleV)) else v for v in given)

    def one(items: Sequence[Value]) -> Value:
        numbers = [numpy_scalar(sp.convert(v, F64, node)) for v in items]
        first, after = len(point), len(point) + len(d.shapes)
        shapes = numbers[first:after]
        allowed = _function(d.formula("allowed") or _METHODS.positive)
        rest = (TupleV(tuple(shapes)), *numbers[after:])
        told: tuple[Value, ...] = (_function(formula), Static(how), allowed)
        if not point:
            scale = () if not d.discrete else (Static(1.0),)
            made = run_program(sp, _METHODS.moment, (*told, *rest, *scale), node)
        else:
            text, flags = _POINTS[method]
            if text == "density":
                flags = (*flags, d.name in _CONTINUOUS[0].ENDS_OUT)
            if d.discrete and text == "probability":
                text = "whole_probability"
            ends = d.ends(sp, shapes, node)
            told = (*told, *ends, *map(Static, flags), numbers[0])
            made = run_program(sp, getattr(_METHODS, text), (*told, *rest), node)
        return numpy_scalar(sp.convert(made, F64, node))

    return elementwise(sp, given, one, node)


def _step(
    d: Distribution, method: str, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Call a quantile of a discrete distribution, which is SciPy's own value: it goes in steps, so
    its derivative is 0, but by loc."""
    parameters = {"q": MISSING} | dict.fromkeys(d.shapes, MISSING) | {"loc": Static(0.0)}
    given = bind(sp, f"{d.name}.{method}", args, kwargs, node, **parameters)
    given = tuple(to_array(sp, v, node) if isinstance(v, (ListV, TupleV)) else v for v in given)

    def one(items: Sequence[Value]) -> Value:
        *numbers, loc = (numpy_scalar(sp.convert(v, F64, node)) for v in items)
        asked = (Static(f"{d.name}.{method}"), TupleV(tuple(numbers)), TupleV(()), Static(1))
        found = sp.call(Static(library_value), asked, node)
        return run_program(sp, _METHODS.moved, (found, loc), node)

    return elementwise(sp, given, one, node)


def _middle(
    d: Distribution, method: str, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Call ``median``, a quantile, or ``interval``, two of them."""
    quantile = _step if d.discrete else _call
    if method == "median":
        return quantile(d, "ppf", sp, (Static(0.5), *args), kwargs, node)
    rest = {k: v for k, v in kwargs.items() if k != "confidence"}
    given = [kwargs["confidence"]] if len(rest) < len(kwargs) else [*args[:1]]
    (confidence,) = bind(sp, f"{d.name}.interval", given, {}, node, confidence=MISSING)
    args = args if len(rest) < len(kwargs) else args[1:]
    tails = items_of(run_program(sp, _METHODS.tails, (confidence,), node))
    return TupleV(tuple(quantile(d, "ppf", sp, (q, *args), rest, node) for q in tails))


def _draw(
    d: Distribution, name: str, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """Draw random numbers: SciPy's own of a seed or a generator."""
    parameters = dict.fromkeys(d.shapes, MISSING) | {"loc": Static(0 if d.discrete else 0.0)}
    if not d.discrete:
        parameters["scale"] = Static(1.0)
    more = {"size": NONE, "random_state": NONE}
    given = bind(sp, f"{name}.rvs", args, kwargs, node, **parameters, **more)
    count = len(d.shapes)
    shapes, rest = TupleV(given[:count]), given[count:]
    allowed: Value = _function(d.formula("allowed") or _METHODS.positive)
    if d.discrete:
        return run_program(sp, _DRAWS.counted, (Static(name), allowed, shapes, *rest), node)
    quantile = NONE if d.formula("ppf") is None else _operator(d, "ppf")
    told = Static(name), allowed, quantile, shapes, *rest
    return run_program(sp, _DRAWS.drawn, told, node)


def _operator(d: Distribution, method: str) -> OperatorV:
    return OperatorV(FORMULA, Static((d, method)))


def _function_of(
    sp: Specialiser, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """Call a function of a distribution for a text."""
    assert isinstance(operator.function, Static)
    d, method = cast(tuple[Distribution, str], operator.function.value)
    if d.discrete and method in ("ppf", "isf"):
        return _step(d, method, sp, args, kwargs, node)
    return _call(d, method, sp, args, kwargs, node)


# --- moments, expectations, fits ------------------------------------------------------------------

_ORDER = {"m": "mean", "v": "var", "s": "skew", "k": "kurtosis"}


def _known_moment(
    d: Distribution, method: str, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    if d.way(method) is None:
        sp.refuse(
            node, f"the {method} of scipy.stats.{d.name} is not supported",
            "d.expect(lambda x: x**3), an integral",
        )  # fmt: skip
    return _call(d, method, sp, args, kwargs, node)


def _stats(d: Distribution, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Call ``stats``: the moments that are named by letters."""
    asked = sp.static(kwargs.get("moments", Static("mv")), node, "moments=")
    rest = {k: v for k, v in kwargs.items() if k != "moments"}
    letters = [m for m in _ORDER if m in str(asked)]
    found = tuple(_known_moment(d, _ORDER[m], sp, args, rest, node) for m in letters)
    return found[0] if len(found) == 1 else TupleV(found)


def _moment(d: Distribution, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Call ``moment``: the mean of a power."""
    rest = {k: v for k, v in kwargs.items() if k != "order"}
    given = [kwargs["order"]] if "order" in kwargs else [*args[:1]]
    args = args if "order" in kwargs else args[1:]
    (order,) = bind(sp, f"{d.name}.moment", given, {}, node, order=MISSING)
    n = sp.static_int(order, node, "the order of a moment")
    if not 0 <= n <= 4:
        sp.refuse(node, "a moment of this order is not supported", "d.expect(lambda x: x**5)")
    of = [_known_moment(d, m, sp, args, rest, node) for m in list(_ORDER.values())[: max(n, 1)]]
    return run_program(sp, _FITS.raw_moment, (order, *of, *[NONE] * (4 - len(of))), node)


def _expect(d: Distribution, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Call ``expect``: the mean of a function."""
    more = {"scale": Static(1.0)} if not d.discrete else {}
    func, shapes, *at, lb, ub, conditional = bind(
        sp, f"{d.name}.expect", args, kwargs, node, func=NONE, args=TupleV(()),
        loc=Static(0 if d.discrete else 0.0), **more, lb=NONE, ub=NONE, conditional=Static(False),
    )  # fmt: skip
    if not isinstance(shapes, TupleV) or len(shapes.items) != len(d.shapes):
        sp.refuse(node, f"the argument args= of {d.name}.expect is a tuple of {len(d.shapes)}")
    numbers = [numpy_scalar(sp.convert(v, F64, node)) for v in shapes.items]
    ends = d.ends(sp, numbers, node)
    names = ("pmf", "sf", "ppf") if d.discrete else ("pdf", "cdf", "ppf")
    if not d.discrete and d.way("ppf") is None:
        sp.refuse(node, f"expect of scipy.stats.{d.name} is not supported",
                  "scipy.integrate.quad(lambda x: f(x) * d.pdf(x), low, high)[0]")  # fmt: skip
    told = (*(_operator(d, n) for n in names), *ends, func, TupleV(tuple(numbers)), *at, lb, ub)
    text = _FITS.summed if d.discrete else _FITS.expected
    return numpy_scalar(sp.convert(run_program(sp, text, (*told, conditional), node), F64, node))


def _fit(d: Distribution, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Call ``fit`` where the best parameters are known as formulas."""
    text = getattr(_FITS, f"fit_of_{d.name}", None)
    if text is None:
        sp.refuse(
            node, f"scipy.stats.{d.name}.fit is not supported",
            "scipy.optimize.minimize(lambda p: -np.sum(d.logpdf(data, *p)), p0).x",
        )  # fmt: skip
    given = bind(
        sp, f"{d.name}.fit", args, kwargs, node, data=MISSING, floc=NONE, fscale=NONE
    )
    return run_program(sp, text, given, node)


def _support(d: Distribution, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """Call ``support``: the ends of what can be."""
    more = {"scale": Static(1.0)} if not d.discrete else {}
    given = bind(
        sp, f"{d.name}.support", args, kwargs, node, **dict.fromkeys(d.shapes, MISSING),
        loc=Static(0.0), **more,
    )  # fmt: skip
    numbers = [numpy_scalar(sp.convert(v, F64, node)) for v in given]
    count = len(d.shapes)
    scale = (Static(1.0),) if d.discrete else ()
    ends = d.ends(sp, numbers[:count], node)
    found = run_program(sp, _FITS.ends, (*ends, *numbers[count:], *scale), node)
    return TupleV(tuple(numpy_scalar(sp.convert(v, F64, node)) for v in items_of(found)))


_OF_ALL = {"support": _support, "stats": _stats, "moment": _moment, "expect": _expect, "fit": _fit}


def _point_of(d: Distribution, method: str) -> str:
    """The name of the first parameter of a method."""
    return "q" if method in ("ppf", "isf") else "k" if d.discrete else "x"


# --- which function is a method of a distribution, and which object one ---------------------------


@lru_cache(maxsize=256)
def _known(name: str, discrete: bool) -> Distribution | None:
    d = Distribution(_SAME.get(name, name), discrete)
    return d if d.way("pmf" if discrete else "pdf") is not None else None


def distribution_of(obj: object) -> Distribution | None:
    """What is known of an object, if it is a distribution of SciPy's own."""
    cls = type(obj)
    if not cls.__module__.startswith("scipy.stats._"):
        return None
    name = str(getattr(obj, "name", ""))
    if getattr(sys.modules.get("scipy.stats"), name, None) is not obj:
        return None  # one that somebody has made, with ends of its own
    return _known(name, hasattr(obj, "pmf"))


def has_formulas(obj: object) -> bool:
    """Whether methods of this object are compiled."""
    return distribution_of(obj) is not None


def _handler(function: object) -> Handler | None:
    """The handler of a method of a distribution, or of the distribution, which makes a frozen
    one."""
    if not isinstance(function, MethodType):
        return _freeze(function) if distribution_of(function) is not None else None
    d, name = distribution_of(function.__self__), function.__name__
    if d is None or getattr(type(function.__self__), name, None) is not function.__func__:
        return None
    if name == "freeze":
        return _freeze(function.__self__)
    if d.discrete and name in ("ppf", "isf"):
        return partial(_step, d, name) if f"{d.name}.{name}" in NAMED else None
    if name in ("median", "interval"):
        found = f"{d.name}.ppf" in NAMED if d.discrete else d.way("ppf") is not None
        return partial(_middle, d, name) if found else None
    if name in _OF_ALL and not (d.discrete and name in ("fit", "support")):
        return partial(_OF_ALL[name], d)
    if name == "rvs":
        return partial(_draw, d, str(getattr(function.__self__, "name", "")))
    return None if d.way(name) is None else partial(_call, d, name)


CALLS.finders.append(_handler)


# --- frozen distributions -------------------------------------------------------------------------


def _freeze(distribution: object) -> Handler:
    def freeze(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        given = map(held, (*args, *kwargs.values()))
        return OperatorV(FROZEN, Static(distribution), tuple(kwargs), tuple(given))

    return freeze


def attribute(sp: Specialiser, frozen: OperatorV, name: str, node: ast.AST) -> Value:
    """Return a method of a frozen distribution: that of the distribution, with the arguments."""
    assert isinstance(frozen.function, Static)
    whole = Static(getattr(frozen.function.value, name, None))
    if whole.value not in CALLS:
        refuse_library(sp, whole.value, node)
    return OperatorV(METHOD, whole, frozen.options, frozen.args)


def _call_frozen(
    sp: Specialiser, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    positional = len(operator.args) - len(operator.options)
    own = dict(zip(map(str, operator.options), operator.args[positional:], strict=True))
    given = (*args, *operator.args[:positional])
    assert isinstance(operator.function, Static)
    name = getattr(operator.function.value, "__name__", "")
    if name == "stats" and args:
        own["moments"], given = args[0], operator.args[:positional]
    if name == "expect":
        d = distribution_of(getattr(operator.function.value, "__self__", None))
        assert d is not None
        own = dict(zip((*d.shapes, "loc", "scale"), operator.args, strict=False)) | own
        shapes = TupleV(tuple(own.pop(n) for n in d.shapes))
        kwargs = dict(zip(("func", "lb", "ub", "conditional"), args, strict=False)) | kwargs
        return sp.call(operator.function, (), node, {**kwargs, **own, "args": shapes})
    if name == "rvs":
        given = operator.args[:positional]  # there the size comes first
        own |= dict(zip(("size", "random_state"), args, strict=False))
    return sp.call(operator.function, given, node, {**kwargs, **own})


REGISTRY.operators[METHOD] = _call_frozen
REGISTRY.operators[FORMULA] = _function_of

__all__ = ["FROZEN", "attribute", "has_formulas"]
