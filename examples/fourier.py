"""The fast Fourier transform by recursion, and a filter designed by its gradient."""

import math

import numpy as np
import scipy.optimize

import pullback as pb


def fft(real, imag):
    """Of 2^k complex numbers, as real and imaginary parts: even and odd halves, transformed."""
    n = len(real)
    if n == 1:
        return real, imag
    even_re, even_im = fft(real[::2], imag[::2])
    odd_re, odd_im = fft(real[1::2], imag[1::2])
    angle = -2.0 * math.pi * np.arange(n // 2) / n
    turn_re, turn_im = np.cos(angle), np.sin(angle)
    re = turn_re * odd_re - turn_im * odd_im
    im = turn_re * odd_im + turn_im * odd_re
    return (
        np.concatenate([even_re + re, even_re - re]),
        np.concatenate([even_im + im, even_im - im]),
    )


def ripple(taps, wanted):
    """How far the power spectrum of the taps is from the wanted one."""
    real, imag = fft(taps, np.zeros(len(taps)))
    gap = real * real + imag * imag - wanted
    return np.sum(gap * gap) / len(taps)


def inputs(n, seed):
    """n is rounded up to a power of 2."""
    rng = np.random.default_rng(seed)
    size = 1 << max(1, math.ceil(math.log2(n)))
    return ripple, (rng.normal(size=size) / math.sqrt(size), rng.uniform(0.5, 1.0, size))


def main():
    n = 32
    wanted = np.where(np.abs(np.fft.fftfreq(n)) < 0.2, 1.0, 0.01)
    start = np.random.default_rng(0).normal(size=n) / n
    both = pb.value_and_grad(ripple)
    found = scipy.optimize.minimize(both, start, (wanted,), jac=True, method="L-BFGS-B")
    print(f"ripple {both(start, wanted)[0]:.4f} -> {found.fun:.2e}")
    print("power:", np.round(np.abs(np.fft.fft(found.x)) ** 2, 3)[: n // 2])
    assert found.fun < 1e-3


if __name__ == "__main__":
    main()
