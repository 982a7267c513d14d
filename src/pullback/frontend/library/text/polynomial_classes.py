"""The classes of ``numpy.polynomial`` as text that the front end compiles: a series with a domain,
which is mapped to a window before the series has a value there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pullback.frontend.library.text import (
    chebyshev_series,
    hermite_e_series,
    hermite_series,
    laguerre_series,
    legendre_series,
    polynomial_arithmetic,
    polynomial_calculus,
    power_series,
)
from pullback.frontend.library.text import series_tools as tools
from pullback.frontend.library.text.domains import Vector


def _map_parameters(old: Any, new: Any) -> tuple[Any, Any]:
    """Return offset and scale of the linear map of one interval to another."""
    size = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / size, (new[1] - new[0]) / size


def _mapped(x: Any, old: Any, new: Any) -> Any:
    offset, scale = _map_parameters(old, new)
    return offset + scale * (x if np.ndim(x) == 0 else np.asarray(x))


def _interval(given: Any, usual: Any, what: str) -> Vector:
    if given is None:
        return np.asarray(usual) * 1.0
    ends = tools.coefficients(given)
    if len(ends) != 2:
        raise ValueError(what + " has wrong number of elements.")
    return ends


class Series:
    """What the classes share; ``_add`` and so on are the functions of the module of each."""

    domain: Any = np.array([-1.0, 1.0])
    window: Any = np.array([-1.0, 1.0])
    maxpower = 100
    _add: Callable[..., Any]
    _sub: Callable[..., Any]
    _mul: Callable[..., Any]
    _div: Callable[..., Any]
    _pow: Callable[..., Any]
    _val: Callable[..., Any]
    _int: Callable[..., Any]
    _der: Callable[..., Any]
    _fit: Callable[..., Any]
    _line: Callable[..., Any]
    _roots: Callable[..., Any]
    _fromroots: Callable[..., Any]

    def __init__(
        self, coef: Any, domain: Any = None, window: Any = None, symbol: str = "x"
    ) -> None:
        self.coef = tools.coefficients(coef)
        self.domain = _interval(domain, self.domain, "Domain")
        self.window = _interval(window, self.window, "Window")
        self.symbol = symbol

    def _of(self, coef: Any) -> Any:
        return self.__class__(coef, self.domain, self.window, self.symbol)

    def _coefficients(self, other: Any) -> Any:
        if isinstance(other, Series):
            if not isinstance(other, self.__class__):
                raise TypeError("Polynomial types differ")
            if not np.all(self.domain == other.domain):
                raise TypeError("Domains differ")
            if not np.all(self.window == other.window):
                raise TypeError("Windows differ")
            if self.symbol != other.symbol:
                raise ValueError("Polynomial symbols differ")
            return other.coef
        return other

    def __call__(self, arg: Any) -> Any:
        return self._val(_mapped(arg, self.domain, self.window), self.coef)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.coef)

    def __len__(self) -> int:
        return len(self.coef)

    def __neg__(self) -> Any:
        return self._of(-self.coef)

    def __pos__(self) -> Any:
        return self

    def __add__(self, other: Any) -> Any:
        return self._of(self._add(self.coef, self._coefficients(other)))

    def __sub__(self, other: Any) -> Any:
        return self._of(self._sub(self.coef, self._coefficients(other)))

    def __mul__(self, other: Any) -> Any:
        return self._of(self._mul(self.coef, self._coefficients(other)))

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Series) or np.ndim(other) > 0:
            raise TypeError("unsupported types for true division")
        return self.__floordiv__(other)

    def __floordiv__(self, other: Any) -> Any:
        return self.__divmod__(other)[0]

    def __mod__(self, other: Any) -> Any:
        return self.__divmod__(other)[1]

    def __divmod__(self, other: Any) -> Any:
        quotient, rest = self._div(self.coef, self._coefficients(other))
        return self._of(quotient), self._of(rest)

    def __pow__(self, other: Any) -> Any:
        return self._of(self._pow(self.coef, other, self.maxpower))

    def __radd__(self, other: Any) -> Any:
        return self._of(self._add(other, self.coef))

    def __rsub__(self, other: Any) -> Any:
        return self._of(self._sub(other, self.coef))

    def __rmul__(self, other: Any) -> Any:
        return self._of(self._mul(other, self.coef))

    def __rfloordiv__(self, other: Any) -> Any:
        return self._of(self._div(other, self.coef)[0])

    def __rmod__(self, other: Any) -> Any:
        return self._of(self._div(other, self.coef)[1])

    def __eq__(self, other: Any) -> bool:
        return (
            isinstance(other, self.__class__)
            and bool(np.all(self.domain == other.domain))
            and bool(np.all(self.window == other.window))
            and len(self.coef) == len(other.coef)
            and bool(np.all(self.coef == other.coef))
            and self.symbol == other.symbol
        )

    def has_samecoef(self, other: Any) -> bool:
        return len(self.coef) == len(other.coef) and bool(np.all(self.coef == other.coef))

    def has_samedomain(self, other: Any) -> bool:
        return bool(np.all(self.domain == other.domain))

    def has_samewindow(self, other: Any) -> bool:
        return bool(np.all(self.window == other.window))

    def has_sametype(self, other: Any) -> bool:
        return isinstance(other, self.__class__)

    def copy(self) -> Any:
        return self._of(self.coef)

    def degree(self) -> int:
        return len(self.coef) - 1

    def cutdeg(self, deg: int) -> Any:
        return self.truncate(deg + 1)

    def trim(self, tol: float = 0) -> Any:
        return self._of(tools.without_small(self.coef, tol))

    def truncate(self, size: int) -> Any:
        if int(size) != size or size < 1:
            raise ValueError("size must be a positive integer")
        return self._of(self.coef[: int(size)])

    def convert(self, domain: Any = None, kind: Any = None, window: Any = None) -> Any:
        cls = self.__class__ if kind is None else kind
        ends = cls.domain if domain is None else domain
        view = cls.window if window is None else window
        return self._at(cls.identity(ends, view, self.symbol))

    def _at(self, other: Any) -> Any:
        """Return the series of another one: Horner's or Clenshaw's rule, of series."""
        offset, scale = _map_parameters(self.domain, self.window)
        return self._composed(other * scale + offset)

    def _composed(self, place: Any) -> Any:
        raise NotImplementedError

    def mapparms(self) -> tuple[Any, Any]:
        return _map_parameters(self.domain, self.window)

    def integ(self, m: int = 1, k: Any = (), lbnd: Any = None) -> Any:
        offset, scale = _map_parameters(self.domain, self.window)
        start = 0.0 if lbnd is None else offset + scale * lbnd
        return self._of(self._int(self.coef, m, k, start, 1.0 / scale))

    def deriv(self, m: int = 1) -> Any:
        _, scale = _map_parameters(self.domain, self.window)
        return self._of(self._der(self.coef, m, scale))

    def roots(self) -> Any:
        return _mapped(self._roots(self.coef), self.window, self.domain)

    def linspace(self, n: int = 100, domain: Any = None) -> tuple[Vector, Vector]:
        ends = self.domain if domain is None else domain
        x = np.linspace(ends[0], ends[1], n)
        return x, self(x)

    @classmethod
    def fit(
        cls, x: Any, y: Any, deg: int, domain: Any = None, rcond: Any = None, full: bool = False,
        w: Any = None, window: Any = None, symbol: str = "x",
    ) -> Any:  # fmt: skip
        places = np.asarray(x) * 1.0
        if domain is None:
            low, high = np.min(places), np.max(places)
            same = 1.0 if low == high else 0.0
            ends = np.array([low - same, high + same])
        else:
            ends = _interval(cls.domain if len(domain) == 0 else domain, cls.domain, "Domain")
        view = _interval(window, cls.window, "Window")
        found = cls._fit(_mapped(places, ends, view), y, deg, rcond=rcond, full=full, w=w)
        return cls(found, ends, view, symbol)

    @classmethod
    def fromroots(
        cls, roots: Any, domain: Any = (), window: Any = None, symbol: str = "x"
    ) -> Any:
        zeros = tools.coefficients(roots)
        if domain is None:
            ends = np.array([np.min(zeros), np.max(zeros)])
        else:
            ends = _interval(cls.domain if len(domain) == 0 else domain, cls.domain, "Domain")
        view = _interval(window, cls.window, "Window")
        offset, scale = _map_parameters(ends, view)
        coef = cls._fromroots(offset + scale * zeros) / scale ** len(zeros)
        return cls(coef, ends, view, symbol)

    @classmethod
    def identity(cls, domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        ends = _interval(domain, cls.domain, "Domain")
        view = _interval(window, cls.window, "Window")
        offset, scale = _map_parameters(view, ends)
        return cls(cls._line(offset, scale), ends, view, symbol)

    @classmethod
    def basis(cls, deg: int, domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        if int(deg) != deg or deg < 0:
            raise ValueError("deg must be non-negative integer")
        return cls([0.0] * int(deg) + [1.0], domain, window, symbol)

    @classmethod
    def cast(cls, series: Any, domain: Any = None, window: Any = None) -> Any:
        ends = cls.domain if domain is None else domain
        view = cls.window if window is None else window
        return series.convert(ends, cls, view)


class Polynomial(Series):
    _add = staticmethod(polynomial_arithmetic.polyadd)
    _sub = staticmethod(polynomial_arithmetic.polysub)
    _mul = staticmethod(polynomial_arithmetic.polymul)
    _div = staticmethod(polynomial_arithmetic.polydiv)
    _pow = staticmethod(polynomial_arithmetic.polypow)
    _val = staticmethod(power_series.polyval)
    _int = staticmethod(polynomial_calculus.polyint)
    _der = staticmethod(polynomial_calculus.polyder)
    _fit = staticmethod(polynomial_calculus.polyfit)
    _line = staticmethod(polynomial_arithmetic.polyline)
    _roots = staticmethod(polynomial_calculus.polyroots)
    _fromroots = staticmethod(polynomial_arithmetic.polyfromroots)

    def _composed(self, place: Any) -> Any:
        c, n = self.coef, len(self.coef)
        found = c[n - 1] + place * 0
        for i in range(2, n + 1):
            found = c[n - i] + found * place
        return found


class Chebyshev(Series):
    _add = staticmethod(chebyshev_series.chebadd)
    _sub = staticmethod(chebyshev_series.chebsub)
    _mul = staticmethod(chebyshev_series.chebmul)
    _div = staticmethod(chebyshev_series.chebdiv)
    _pow = staticmethod(chebyshev_series.chebpow)
    _val = staticmethod(power_series.chebval)
    _int = staticmethod(chebyshev_series.chebint)
    _der = staticmethod(chebyshev_series.chebder)
    _fit = staticmethod(chebyshev_series.chebfit)
    _line = staticmethod(chebyshev_series.chebline)
    _roots = staticmethod(chebyshev_series.chebroots)
    _fromroots = staticmethod(chebyshev_series.chebfromroots)

    def _composed(self, place: Any) -> Any:
        c, n = self.coef, len(self.coef)
        if n == 1:
            return c[0] + place * 0
        now0, now1 = c[n - 2] + place * 0, c[n - 1] + place * 0
        for i in range(3, n + 1):
            now0, now1 = c[n - i] - now1, now0 + now1 * (2 * place)
        return now0 + now1 * place

    @classmethod
    def interpolate(cls, func: Any, deg: int, domain: Any = None, args: Any = ()) -> Any:
        ends = _interval(domain, cls.domain, "Domain")

        def inside(x: Any) -> Any:
            return func(_mapped(x, cls.window, ends), *args)

        return cls(chebyshev_series.chebinterpolate(inside, deg), ends)


class Legendre(Series):
    _add = staticmethod(legendre_series.legadd)
    _sub = staticmethod(legendre_series.legsub)
    _mul = staticmethod(legendre_series.legmul)
    _div = staticmethod(legendre_series.legdiv)
    _pow = staticmethod(legendre_series.legpow)
    _val = staticmethod(power_series.legval)
    _int = staticmethod(legendre_series.legint)
    _der = staticmethod(legendre_series.legder)
    _fit = staticmethod(legendre_series.legfit)
    _line = staticmethod(legendre_series.legline)
    _roots = staticmethod(legendre_series.legroots)
    _fromroots = staticmethod(legendre_series.legfromroots)

    def _composed(self, place: Any) -> Any:
        c, n = self.coef, len(self.coef)
        if n == 1:
            return c[0] + place * 0
        now0, now1 = c[n - 2] + place * 0, c[n - 1] + place * 0
        d = n
        for i in range(3, n + 1):
            d = d - 1
            now0, now1 = c[n - i] - now1 * ((d - 1) / d), now0 + now1 * place * ((2 * d - 1) / d)
        return now0 + now1 * place


class Hermite(Series):
    _add = staticmethod(hermite_series.hermadd)
    _sub = staticmethod(hermite_series.hermsub)
    _mul = staticmethod(hermite_series.hermmul)
    _div = staticmethod(hermite_series.hermdiv)
    _pow = staticmethod(hermite_series.hermpow)
    _val = staticmethod(power_series.hermval)
    _int = staticmethod(hermite_series.hermint)
    _der = staticmethod(hermite_series.hermder)
    _fit = staticmethod(hermite_series.hermfit)
    _line = staticmethod(hermite_series.hermline)
    _roots = staticmethod(hermite_series.hermroots)
    _fromroots = staticmethod(hermite_series.hermfromroots)

    def _composed(self, place: Any) -> Any:
        c, n = self.coef, len(self.coef)
        if n == 1:
            return c[0] + place * 0
        now0, now1 = c[n - 2] + place * 0, c[n - 1] + place * 0
        d = n
        for i in range(3, n + 1):
            d = d - 1
            now0, now1 = c[n - i] - now1 * (2 * (d - 1)), now0 + now1 * (2 * place)
        return now0 + now1 * (2 * place)


class HermiteE(Series):
    _add = staticmethod(hermite_e_series.hermeadd)
    _sub = staticmethod(hermite_e_series.hermesub)
    _mul = staticmethod(hermite_e_series.hermemul)
    _div = staticmethod(hermite_e_series.hermediv)
    _pow = staticmethod(hermite_e_series.hermepow)
    _val = staticmethod(power_series.hermeval)
    _int = staticmethod(hermite_e_series.hermeint)
    _der = staticmethod(hermite_e_series.hermeder)
    _fit = staticmethod(hermite_e_series.hermefit)
    _line = staticmethod(hermite_e_series.hermeline)
    _roots = staticmethod(hermite_e_series.hermeroots)
    _fromroots = staticmethod(hermite_e_series.hermefromroots)

    def _composed(self, place: Any) -> Any:
        c, n = self.coef, len(self.coef)
        if n == 1:
            return c[0] + place * 0
        now0, now1 = c[n - 2] + place * 0, c[n - 1] + place * 0
        d = n
        for i in range(3, n + 1):
            d = d - 1
            now0, now1 = c[n - i] - now1 * (d - 1), now0 + now1 * place
        return now0 + now1 * place


class Laguerre(Series):
    domain = np.array([0.0, 1.0])
    window = np.array([0.0, 1.0])
    _add = staticmethod(laguerre_series.lagadd)
    _sub = staticmethod(laguerre_series.lagsub)
    _mul = staticmethod(laguerre_series.lagmul)
    _div = staticmethod(laguerre_series.lagdiv)
    _pow = staticmethod(laguerre_series.lagpow)
    _val = staticmethod(power_series.lagval)
    _int = staticmethod(laguerre_series.lagint)
    _der = staticmethod(laguerre_series.lagder)
    _fit = staticmethod(laguerre_series.lagfit)
    _line = staticmethod(laguerre_series.lagline)
    _roots = staticmethod(laguerre_series.lagroots)
    _fromroots = staticmethod(laguerre_series.lagfromroots)

    def _composed(self, place: Any) -> Any:
        c, n = self.coef, len(self.coef)
        if n == 1:
            return c[0] + place * 0
        now0, now1 = c[n - 2] + place * 0, c[n - 1] + place * 0
        d = n
        for i in range(3, n + 1):
            d = d - 1
            now0, now1 = (
                c[n - i] - (now1 * (d - 1)) / d,
                now0 + (now1 * ((2 * d - 1) - place)) / d,
            )
        return now0 + now1 * (1 - place)
