"""Calls of ``np.fft`` and ``scipy.fft``, and losses of Fourier transforms, as people write them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft as sf

R = np.random.default_rng(7)
x, y = R.normal(size=7), R.normal(size=6)
z = x + 1j * R.normal(size=7)
m = R.normal(size=(3, 4, 5))
mz = m + 1j * R.normal(size=m.shape)
a = R.normal(size=(4, 5))
KINDS: tuple[Any, ...] = (
    x, y, z, m, mz, x.astype(np.float32), z.astype(np.complex64), np.arange(5), np.array([True]),
    [1, 2.5, 3], [1j, 2.0, 0.5], m[::2, ::-1, ::2], mz.T, m[:0],
)  # fmt: skip
REAL = tuple(v for v in KINDS if not np.iscomplexobj(v))


def of_numpy() -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Return calls of one transform, with arrays of all kinds."""
    found: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
    for given in KINDS:
        found += [(f, (given,)) for f in (
            lambda v: np.fft.fft(v), lambda v: np.fft.ifft(v, norm="ortho"),
            lambda v: np.fft.irfft(v, 6), lambda v: np.fft.hfft(v, 5, norm="forward"),
            lambda v: np.fft.fft(v, 4, 0), lambda v: np.fft.ifft(v, n=9, axis=0, norm="forward"),
            lambda v: np.fft.fftn(v), lambda v: sf.ifftn(v, norm="forward"),
            lambda v: sf.fft(v, norm="ortho"), lambda v: sf.hfft(v, 7, workers=2),
            lambda v: np.fft.fftshift(v), lambda v: sf.ifftshift(v, axes=0),
        )]  # fmt: skip
    for given in REAL:
        found += [(f, (given,)) for f in (
            lambda v: np.fft.rfft(v), lambda v: np.fft.ihfft(v, norm="ortho"),
            lambda v: np.fft.rfft(v, 4, axis=0), lambda v: sf.rfft(v, n=11),
            lambda v: sf.rfftn(v, norm="ortho"), lambda v: sf.dct(v), lambda v: sf.idst(v, 1),
        )]  # fmt: skip
    return found


OF_AXES: tuple[Callable[..., Any], ...] = (
    lambda v: np.fft.fft2(v), lambda v: np.fft.ifft2(v, s=(3, 8)),
    lambda v: np.fft.rfft2(v.real, axes=(0, 1)), lambda v: np.fft.irfft2(v),
    lambda v: np.fft.irfftn(v, s=(3, 7), axes=(1, 2)), lambda v: np.fft.ifftn(v, (3, -1), (2, 0)),
    lambda v: np.fft.rfftn(v.real, s=(3, -1), axes=(1, 2)), lambda v: np.fft.fftn(v, axes=[-1, 0]),
    lambda v: np.fft.fftshift(v, axes=1), lambda v: np.fft.ifftshift(v, axes=(0, 2)),
    lambda v: np.fft.irfft(v, v.shape[1] + 1, 1), lambda v: np.fft.fft(v, np.int64(3), axis=-2),
    lambda v: sf.fft2(v), lambda v: sf.irfft2(v), lambda v: sf.rfft2(v.real, s=(3, -1)),
    lambda v: sf.hfft2(v), lambda v: sf.ihfft2(v.real), lambda v: sf.ifft2(v, s=3, axes=1),
    lambda v: sf.hfftn(v, axes=(0, 1)), lambda v: sf.ihfftn(v.real), lambda v: sf.irfftn(v),
)
FREQUENCIES: tuple[Callable[..., Any], ...] = (
    lambda n: np.fft.fftfreq(n, d=0.1), lambda n: np.fft.fftfreq(n + 1), lambda n: sf.fftfreq(n),
    lambda n: np.fft.rfftfreq(n, 0.3), lambda n: sf.rfftfreq(n + 1), lambda n: np.fft.fftfreq(8),
    lambda n: [sf.next_fast_len(k * n) for k in range(12)],
    lambda n: [sf.next_fast_len(k * n, real=True) for k in range(12)],
    lambda n: [sf.prev_fast_len(k * n) for k in range(12)],
)
ERRORS: tuple[Callable[..., Any], ...] = (
    lambda v: np.fft.fft(v, axis=5), lambda v: np.fft.fft(v, 4, axis=5),
    lambda v: np.fft.fft(v, n=0), lambda v: np.fft.fft(v[:, :0]), lambda v: np.fft.irfft(v[:, :1]),
    lambda v: np.fft.fft(v, norm="bad"), lambda v: np.fft.ifft(v, norm="bad"),
    lambda v: np.fft.hfft(v, norm="bad"), lambda v: np.fft.ihfft(v, norm="bad"),
    lambda v: np.fft.ifft(v, 0, norm="bad"), lambda v: np.fft.fftn(v, axes=(0, 5)),
    lambda v: np.fft.fftn(v, s=(2,), axes=(0, 1)), lambda v: np.fft.fftfreq(v.shape[0] - 4),
    lambda v: np.fft.fftfreq(2.5), lambda v: np.fft.fftfreq(-v.shape[0]),
    lambda v: np.fft.rfftfreq(2.5),
    lambda v: sf.fft(v, axis=4), lambda v: sf.fft(v, 3, axis=4), lambda v: sf.fft(v, 3, norm="bad"),
    lambda v: sf.fft(v, plan=1), lambda v: sf.fft(v, workers=0), lambda v: sf.irfft(v[:, :1]),
    lambda v: sf.fft(v[:, :0]), lambda v: sf.irfft(v, -3), lambda v: sf.fftn(v, axes=(0, 0)),
    lambda v: sf.fftn(v, s=(0,)), lambda v: sf.fftn(v, s=(1, 2, 3)),
    lambda v: sf.fftn(v, s=(1, 2), axes=0), lambda v: sf.fftn(v, axes=3),
    lambda v: sf.dct(v, 5), lambda v: sf.dst(v, 0), lambda v: sf.dct(v, axis=7),
    lambda v: sf.dct(v, n=0), lambda v: sf.dct(v[:, :1], 1), lambda v: sf.next_fast_len(-1),
)


def cosines() -> list[tuple[Any, ...]]:
    """Return the cosine and sine transforms, with types and scalings: (function, type, norm)."""
    functions = sf.dct, sf.idct, sf.dst, sf.idst
    return list(itertools.product(functions, (1, 2, 3, 4), (None, "ortho", "forward")))


OF_COSINES: tuple[Callable[..., Any], ...] = (
    lambda v: sf.dct(v, n=9, axis=0), lambda v: sf.dst(v, n=3, axis=1),
    lambda v: sf.dctn(v, norm="ortho"), lambda v: sf.idctn(v, axes=0),
    lambda v: sf.dstn(v, s=(3, 7), axes=(0, 1)), lambda v: sf.idstn(v, type=3),
    lambda v: sf.dct(v, norm="ortho", orthogonalize=False), lambda v: sf.dct(v, orthogonalize=True),
    lambda v: sf.dct(v + 1j * v), lambda v: sf.dct(v.astype(np.float32)),
    lambda v: sf.dst(v.astype(int), 4),
)

# --- losses --------------------------------------------------------------------------------------

W = R.normal(size=200)


def total(v):
    return np.sum(W[: v.size] * v.ravel())


def of_both(v):
    return total(v.real) + 0.7 * total(v.imag * v.imag) + np.sum(np.abs(v) ** 2)


def low_pass(x):
    spectrum = np.fft.rfft(x)
    spectrum[3:] = 0
    return total(np.fft.irfft(spectrum, x.size) ** 2)


def updates(x):
    found = np.fft.fft(x)
    before = found.copy()
    found[1:3] *= 2j
    found[0] += x[1] ** 2
    return of_both(np.fft.ifft(found)) + np.abs(before[2])


def convolution(x):
    n = 2 * len(x)
    return total(np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(x**2, n), n) ** 2)


def padded(x):
    n = sf.next_fast_len(2 * len(x) - 1, real=True)
    return total(sf.irfft(sf.rfft(x, n) ** 2, n)[: 2 * len(x) - 1])


def derivative(x):
    k = 2j * np.pi * np.fft.fftfreq(len(x), 0.1)
    return total(np.fft.ifft(k * np.fft.fft(np.sin(x))).real ** 2)


def parseval(x):
    return np.sum(np.abs(np.fft.fft(x, norm="ortho")) ** 2)


def power(x):
    return total(np.abs(np.fft.rfft(x * np.hanning(len(x)))) ** 2 / len(x))


def rows(m):
    found = 0.0
    for k in range(m.shape[0]):
        for r in range(m.shape[1]):
            line = np.fft.rfft(m[k, r] * (1.0 + found * 0.01))
            found = found + np.sum(np.abs(line) ** 3) * 0.1
    return found


def comprehension(m):
    return total(np.array([np.abs(np.fft.fft(r)[1:3]) for r in m[0]]))


def several_axes(m):
    whole = of_both(np.fft.fftn(m)) + of_both(np.fft.rfftn(m, axes=(0, 1)))
    whole += total(np.fft.irfft2(np.fft.fft2(m)))
    return whole + of_both(sf.ifftn(m, s=(2, 3), axes=(2, 1)))


def hermitian(x):
    first = total(np.fft.hfft(x * (1 + 0.5j), norm="ortho") ** 2) + of_both(np.fft.ihfft(x))
    return first + total(np.fft.hfft(x, 5)) + of_both(np.fft.ihfft(x, 11))


def shifted(m):
    return total(np.fft.fftshift(m) ** 2) + of_both(np.fft.ifftshift(np.fft.fft(m), axes=1))


def steps(x):
    for _ in range(3):
        x = np.fft.ifft(np.fft.fft(x) * (1 + 0.1j)).real + np.sin(x)
    return total(x)


def chosen(x):
    found = np.fft.rfft(x)
    if found[1].real > 0:
        return np.abs(found[2]) ** 2
    return np.angle(found[1])


def highest(x):
    return np.max(np.abs(np.fft.rfft(x * np.hanning(len(x)))) ** 2)


def fitted(x):
    whole = of_both(np.fft.fft(x, 4)) + of_both(np.fft.fft(x, 11))
    return whole + total(np.fft.irfft(x, 3) ** 2) + total(np.fft.irfft(x, 20) ** 2)


def spacing(x):
    return total(np.fft.fftfreq(6, x[0] ** 2 + 1)) + total(np.fft.rfftfreq(6, x[1] ** 2 + 1))


def all_cosines(x):
    found = total(sf.dctn(np.outer(x, x), norm="ortho") ** 2)
    found += total(sf.dct(x, 1) ** 2) + total(sf.idct(x, 2, norm="ortho") ** 2)
    return found + total(sf.dst(x, 3) * sf.idst(x, 2)) + total(sf.dct(x, 4) * sf.dst(x, 1))


LOSSES: list[tuple[Callable[..., Any], Any]] = [
    (low_pass, x), (updates, x), (convolution, x), (padded, y), (derivative, y), (parseval, x),
    (power, y), (rows, m), (comprehension, m), (several_axes, m), (hermitian, x), (shifted, m),
    (steps, x), (chosen, x), (highest, y), (fitted, x), (spacing, x), (all_cosines, x),
]


def of_complex(z):
    return of_both(np.fft.fft(z * z)) + total(np.fft.irfft(z) ** 2)


def quotient(z):
    found = np.fft.fft(z, norm="forward")
    return np.sum((found / (2.0 + np.abs(found))).imag)


def in_pairs(z):
    """Parts that lie side by side, and parts that only look so."""
    first = np.fft.fft(np.fft.ifft(z, norm="ortho")) + np.fft.fft(z[::-1])
    return first[: z.size // 2] + np.fft.fft(z[::2], z.size // 2) + np.fft.irfft(z)[0]
