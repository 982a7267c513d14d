"""Time functions of NumPy and SciPy inside of compiled functions beside themselves, and the
gradients of their sums, for a thousand elements and for a million.

A function may take 1.5 times as long, its gradient 4 times and the time in which as many numbers
are read and written. What takes longer is marked, and named below the table with its reason."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.spatial
import scipy.special
import scipy.stats

import pullback as pb
from benchmarks.common import interleaved, worst_difference

MOST, MOST_OF_GRADIENT = 1.5, 4.0
SMALL, LARGE = 1_000, 1_000_000

Args = tuple[Any, ...]


def vector(n: int) -> Args:
    """Numbers between -3 and 3."""
    return (np.random.default_rng(n).uniform(-3.0, 3.0, n),)


def positive(n: int) -> Args:
    return (np.random.default_rng(n).uniform(0.1, 3.0, n),)


def unit(n: int) -> Args:
    return (np.random.default_rng(n).uniform(0.05, 0.95, n),)


def pairs(n: int) -> Args:
    rng = np.random.default_rng(n)
    return rng.uniform(0.1, 3.0, n), rng.uniform(0.1, 3.0, n)


def matrix(n: int) -> Args:
    side = int(n**0.5)
    return (np.random.default_rng(n).uniform(-3.0, 3.0, (side, side)),)


def square(n: int) -> Args:
    """A well-conditioned matrix, at most 300 x 300, since its functions take its third power."""
    side = min(int(n**0.5), 300)
    return (np.random.default_rng(n).uniform(-1.0, 1.0, (side, side)) + side * np.eye(side),)


def symmetric(n: int) -> Args:
    (a,) = square(n)
    return (a @ a.T / len(a),)


def system(n: int) -> Args:
    (a,) = square(n)
    return a, np.linspace(0.5, 1.5, len(a))


def squares(n: int) -> Args:
    (a,) = square(n)
    return a, a.T.copy()


def complexes(n: int) -> Args:
    rng = np.random.default_rng(n)
    return (rng.uniform(0.1, 3.0, n) + 1j * rng.uniform(-3.0, 3.0, n),)


def points(n: int) -> Args:
    """Two clouds whose distances are n."""
    rng = np.random.default_rng(n)
    return rng.normal(size=(int(n**0.5), 3)), rng.normal(size=(int(n**0.5), 3))


def heads(n: int) -> Args:
    """Queries and keys of eight heads, whose scores are at most about n numbers."""
    side = max(int((n / 8) ** 0.5), 4)
    rng = np.random.default_rng(n)
    return rng.normal(size=(8, side, 32)), rng.normal(size=(8, side, 32))


def columns(n: int) -> Args:
    """Queries and keys as columns of one matrix."""
    return (np.random.default_rng(n).normal(size=(int(n**0.5) // 2, 128)),)


def signal(n: int) -> Args:
    return np.random.default_rng(n).normal(size=n), np.hanning(31)

def diffused(u: Any) -> Any:
    """One step of heat along a line, in place."""
    v = u.copy()
    v[1:-1] += 0.1 * (v[2:] - 2.0 * v[1:-1] + v[:-2])
    return v


Row = tuple[str, Callable[..., Any], Callable[[int], Args]]

ELEMENTWISE: tuple[Row, ...] = (
    ("x + 1", lambda x: x + 1.0, vector),
    ("x * x", lambda x: x * x, vector),
    ("1 / x", lambda x: 1.0 / x, positive),
    ("x ** 2.5", lambda x: x**2.5, positive),
    ("x ** y", lambda x, y: x**y, pairs),
    ("x % y", lambda x, y: x % y, pairs),
    ("x // y", lambda x, y: x // y, pairs),
    ("abs", lambda x: np.abs(x), vector),
    ("sign", lambda x: np.sign(x), vector),
    ("floor", lambda x: np.floor(x), vector),
    ("round", lambda x: np.round(x), vector),
    ("sqrt", lambda x: np.sqrt(x), positive),
    ("cbrt", lambda x: np.cbrt(x), positive),
    ("exp", lambda x: np.exp(x), vector),
    ("expm1", lambda x: np.expm1(x), vector),
    ("exp2", lambda x: np.exp2(x), vector),
    ("log", lambda x: np.log(x), positive),
    ("log1p", lambda x: np.log1p(x), positive),
    ("log2", lambda x: np.log2(x), positive),
    ("log10", lambda x: np.log10(x), positive),
    ("sin", lambda x: np.sin(x), vector),
    ("cos", lambda x: np.cos(x), vector),
    ("tan", lambda x: np.tan(x), vector),
    ("arcsin", lambda x: np.arcsin(x), unit),
    ("arctan", lambda x: np.arctan(x), vector),
    ("arctan2", lambda x, y: np.arctan2(x, y), pairs),
    ("hypot", lambda x, y: np.hypot(x, y), pairs),
    ("sinh", lambda x: np.sinh(x), vector),
    ("tanh", lambda x: np.tanh(x), vector),
    ("logaddexp", lambda x, y: np.logaddexp(x, y), pairs),
    ("maximum", lambda x, y: np.maximum(x, y), pairs),
    ("clip", lambda x: np.clip(x, -1.0, 1.0), vector),
    ("where", lambda x: np.where(x > 0.0, x, 0.1 * x), vector),
    ("nan_to_num", lambda x: np.nan_to_num(x), vector),
    ("x > 0", lambda x: x > 0.0, vector),
)

REDUCTIONS: tuple[Row, ...] = (
    ("sum", lambda x: np.sum(x), vector),
    ("sum of rows", lambda x: np.sum(x, axis=1), matrix),
    ("sum of columns", lambda x: np.sum(x, axis=0), matrix),
    ("prod", lambda x: np.prod(x), unit),
    ("mean", lambda x: np.mean(x), vector),
    ("var", lambda x: np.var(x), vector),
    ("std of rows", lambda x: np.std(x, axis=1), matrix),
    ("max", lambda x: np.max(x), vector),
    ("max of rows", lambda x: np.max(x, axis=1), matrix),
    ("argmax", lambda x: np.argmax(x), vector),
    ("any", lambda x: np.any(x > 2.9999), vector),
    ("count_nonzero", lambda x: np.count_nonzero(x > 0.0), vector),
    ("median", lambda x: np.median(x), vector),
    ("quantile", lambda x: np.quantile(x, 0.3), vector),
    ("norm", lambda x: np.linalg.norm(x), vector),
    ("logsumexp", lambda x: scipy.special.logsumexp(x), vector),
    ("softmax", lambda x: scipy.special.softmax(x), vector),
    ("cumsum", lambda x: np.cumsum(x), vector),
    ("cumprod", lambda x: np.cumprod(x), unit),
    ("diff", lambda x: np.diff(x), vector),
    ("gradient", lambda x: np.gradient(x), vector),
    ("trapezoid", lambda x: scipy.integrate.trapezoid(x), vector),
    ("dot", lambda x, y: np.dot(x, y), pairs),
)

SHAPES: tuple[Row, ...] = (
    ("x[::-1] * 2", lambda x: x[::-1] * 2.0, vector),
    ("x.T.copy()", lambda x: x.T.copy(), matrix),
    ("concatenate", lambda x: np.concatenate((x, x)), vector),
    ("stack", lambda x: np.stack((x, x), axis=1), vector),
    ("roll", lambda x: np.roll(x, 3), vector),
    ("tile", lambda x: np.tile(x, 2), vector),
    ("repeat", lambda x: np.repeat(x, 2), vector),
    ("x[mask]", lambda x: x[x > 0.0], vector),
    ("take", lambda x: x[np.argsort(x)], vector),
    ("sort", lambda x: np.sort(x), vector),
    ("argsort", lambda x: np.argsort(x), vector),
    ("unique", lambda x: np.unique(np.floor(10.0 * x)), vector),
    ("searchsorted", lambda x: np.searchsorted(np.linspace(-3.0, 3.0, 100), x), vector),
    ("interp", lambda x: np.interp(x, np.linspace(-3.0, 3.0, 9), np.arange(9.0)), vector),
    ("outer", lambda x: np.outer(x[:300], x[:300]), vector),
    ("tril", lambda x: np.tril(x), matrix),
    ("pad", lambda x: np.pad(x, 2), matrix),
    ("v[1:-1] += ...", diffused, vector),
)

MATRICES: tuple[Row, ...] = (
    ("a @ b", lambda a, b: a @ b, squares),
    ("einsum ij,kj->ik", lambda a, b: np.einsum("ij,kj->ik", a, b), squares),
    ("einsum ij,ij->i", lambda a, b: np.einsum("ij,ij->i", a, b), squares),
    ("q @ k.T, 8 heads", lambda q, k: q @ k.transpose(0, 2, 1), heads),
    ("q @ k.T, columns", lambda x: x[:, :64] @ x[:, 64:].T, columns),
    ("kron", lambda a: np.kron(a[:30, :30], a[:20, :20]), square),
    ("trace", lambda a: np.trace(a), square),
    ("solve", lambda a, b: np.linalg.solve(a, b), system),
    ("inv", lambda a: np.linalg.inv(a), square),
    ("det", lambda a: np.linalg.slogdet(a)[1], square),
    ("cholesky", lambda a: np.linalg.cholesky(a), symmetric),
    ("eigvalsh", lambda a: np.linalg.eigvalsh(a), symmetric),
    ("svd, values", lambda a: np.linalg.svd(a, compute_uv=False), square),
    ("qr, R", lambda a: np.linalg.qr(a)[1], square),
    ("lstsq", lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], system),
    ("expm", lambda a: scipy.linalg.expm(a / 100.0), square),
    ("cdist", lambda a, b: scipy.spatial.distance.cdist(a, b), points),
)

COMPLEX: tuple[Row, ...] = (
    ("z * z", lambda z: z * z, complexes),
    ("1 / z", lambda z: 1.0 / z, complexes),
    ("abs(z)", lambda z: np.abs(z), complexes),
    ("angle(z)", lambda z: np.angle(z), complexes),
    ("exp(z)", lambda z: np.exp(z), complexes),
    ("log(z)", lambda z: np.log(z), complexes),
    ("sqrt(z)", lambda z: np.sqrt(z), complexes),
    ("sum(z)", lambda z: np.sum(z), complexes),
    ("fft", lambda z: np.fft.fft(z), complexes),
    ("ifft", lambda z: np.fft.ifft(z), complexes),
    ("rfft", lambda x: np.fft.rfft(x), vector),
    ("irfft", lambda z: np.fft.irfft(z), complexes),
    ("fft2", lambda x: np.fft.fft2(x), matrix),
    ("dct", lambda x: scipy.fft.dct(x), vector),
    ("dct, type 4", lambda x: scipy.fft.dct(x, type=4), vector),
)

SPECIAL: tuple[Row, ...] = (
    ("erf", lambda x: scipy.special.erf(x), vector),
    ("erfc", lambda x: scipy.special.erfc(x), vector),
    ("ndtri", lambda x: scipy.special.ndtri(x), unit),
    ("gammaln", lambda x: scipy.special.gammaln(x), positive),
    ("digamma", lambda x: scipy.special.digamma(x), positive),
    ("expit", lambda x: scipy.special.expit(x), vector),
    ("xlogy", lambda x, y: scipy.special.xlogy(x, y), pairs),
    ("beta", lambda x, y: scipy.special.beta(x, y), pairs),
    ("gammainc", lambda x, y: scipy.special.gammainc(x, y), pairs),
    ("j0", lambda x: scipy.special.j0(x), vector),
    ("jv", lambda x: scipy.special.jv(1.5, x), positive),
    ("i0e", lambda x: scipy.special.i0e(x), vector),
    ("norm.logpdf", lambda x: scipy.stats.norm.logpdf(x), vector),
    ("norm.cdf", lambda x: scipy.stats.norm.cdf(x), vector),
    ("gamma.logpdf", lambda x: scipy.stats.gamma.logpdf(x, 2.0), positive),
    ("t.logpdf", lambda x: scipy.stats.t.logpdf(x, 5.0), vector),
    ("convolve", lambda x, k: np.convolve(x, k), signal),
    ("fftconvolve", lambda x, k: scipy.signal.fftconvolve(x, k), signal),
    ("lfilter", lambda x: scipy.signal.lfilter([0.2, 0.3], [1.0, -0.4], x), vector),
    ("simpson", lambda x: scipy.integrate.simpson(x), vector),
)

FAMILIES: tuple[tuple[str, tuple[Row, ...]], ...] = (
    ("Element by element", ELEMENTWISE), ("Reductions and scans", REDUCTIONS),
    ("Shapes, order and indices", SHAPES), ("Matrices", MATRICES),
    ("Complex numbers and transforms", COMPLEX), ("Special functions and SciPy", SPECIAL),
)  # fmt: skip


def loss(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the sum of what a function gives, or of its squared absolute values."""

    def total(*args: Any) -> Any:
        y = f(*args)
        return np.sum(np.abs(y) ** 2) if np.iscomplexobj(y) else np.sum(y)

    return total


def touched(args: Args, value: Any) -> int:
    """Return how many numbers a function reads and writes."""
    return sum(np.size(a) * (1 + np.iscomplexobj(a)) for a in (*args, value))


def copy_seconds() -> float:
    """Return the time in which a number is read and written."""
    x, y = np.ones(LARGE), np.ones(LARGE)
    (time,) = interleaved([lambda: np.copyto(y, x)], budget=0.2)
    return time.least / LARGE


def measured(row: Row, n: int, budget: float) -> tuple[float, float, float | None]:
    """Return NumPy's seconds for a row, those of the compiled function and of its gradient (None:
    it has none, its result is of ints or bools)."""
    _, f, make = row
    args = make(n)
    compiled, value = pb.jit(f), f(*args)
    assert worst_difference(_parts(compiled(*args)), _parts(value)) <= 1e-9, row[0]
    calls = [partial(f, *args), partial(compiled, *args)]
    if np.result_type(value).kind in "fc":
        gradient = pb.grad(loss(f), tuple(range(len(args))))
        gradient(*args)
        calls.append(partial(gradient, *args))
    times = [t.least for t in interleaved(calls, budget=budget, least=5)]
    return times[0], times[1], times[2] if len(times) > 2 else None


def _ratio(ratio: float | None, is_slow: bool) -> str:
    mark = "**" if is_slow else ""
    return "" if ratio is None else f"{mark}{ratio:.2f}{mark}"


def _parts(value: Any) -> list[Any]:
    return [np.real(value), np.imag(value)]


def main(_jax: Any, only: str = "", budget: float = 0.15) -> None:
    """Print a table for each family. ``only``: the rows with these letters in their names."""
    print(f"times of compiled code over NumPy's; f at most {MOST}, its gradient {MOST_OF_GRADIENT}")
    per_number, missed = copy_seconds(), list[str]()
    for family, rows in FAMILIES:
        chosen = [row for row in rows if only in row[0]]
        if not chosen:
            continue
        sizes = "".join(f"| us, n = {n:,} | f | gradient " for n in (SMALL, LARGE))
        print(f"\n| {family} {sizes}|\n|---|" + "---|" * 6)
        for row in chosen:
            cells = []
            for n in (SMALL, LARGE):
                theirs, ours, gradient = measured(row, n, budget)
                args = row[2](n)
                allowed = MOST_OF_GRADIENT * theirs + per_number * touched(args, row[1](*args))
                slow = ours > MOST * theirs, gradient is not None and gradient > allowed
                ratios = [ours / theirs, None if gradient is None else gradient / theirs]
                cells.append(f"{1e6 * theirs:.1f}")
                cells += [_ratio(r, is_slow) for r, is_slow in zip(ratios, slow)]
                if any(slow):
                    missed.append(f"{row[0]} ({n:,})")
            print(f"| {row[0]} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{len(missed)} miss: " + ", ".join(missed))
