"""Numerical methods as they are taught: iterations, recursions, factorisations by loops."""

import math

import numpy as np

from tests.programs import real


def power_iteration(a, rounds):
    """The largest eigenvalue of a symmetric matrix."""
    v = np.ones(len(a)) / math.sqrt(len(a))
    for _ in range(rounds):
        w = a @ v
        v = w / math.sqrt(np.sum(w * w))
    return np.sum(v * (a @ v))


def givens_qr(a, b):
    """Least squares by rotations in place: the rows of ``a`` are turned until it is triangular."""
    m, n = a.shape
    r, y = a.copy(), b.copy()
    for j in range(n):
        for i in range(m - 1, j, -1):
            h = math.sqrt(r[i - 1, j] ** 2 + r[i, j] ** 2)
            c, s = r[i - 1, j] / h, r[i, j] / h
            for k in range(j, n):
                r[i - 1, k], r[i, k] = c * r[i - 1, k] + s * r[i, k], c * r[i, k] - s * r[i - 1, k]
            y[i - 1], y[i] = c * y[i - 1] + s * y[i], c * y[i] - s * y[i - 1]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - sum(r[i, k] * x[k] for k in range(i + 1, n))) / r[i, i]
    return np.sum(x * x)


def gauss_pivots(a, b):
    """Gaussian elimination with row exchanges, in place."""
    n = len(b)
    m, y = a.copy(), b.copy()
    for j in range(n):
        best = j
        for i in range(j + 1, n):
            if abs(m[i, j]) > abs(m[best, j]):
                best = i
        for k in range(n):
            m[j, k], m[best, k] = m[best, k], m[j, k]
        y[j], y[best] = y[best], y[j]
        for i in range(j + 1, n):
            factor = m[i, j] / m[j, j]
            for k in range(j, n):
                m[i, k] -= factor * m[j, k]
            y[i] -= factor * y[j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            y[i] -= m[i, k] * y[k]
        y[i] /= m[i, i]
    return np.sum(y * y)


def gauss_seidel(a, b, rounds):
    x = np.zeros(len(b))
    for _ in range(rounds):
        for i in range(len(b)):
            rest = sum(a[i, j] * x[j] for j in range(len(b)) if j != i)
            x[i] = (b[i] - rest) / a[i, i]
    return np.sum(x * np.arange(len(b)))


def adaptive_simpson(a, n):
    """The integral of sin(a x^2) over [0, n / 4], halving where it must."""

    def f(x):
        return math.sin(a * x * x)

    def simpson(low, high):
        return (high - low) / 6.0 * (f(low) + 4.0 * f(0.5 * (low + high)) + f(high))

    def integral(low, high, whole, tolerance):
        middle = 0.5 * (low + high)
        left, right = simpson(low, middle), simpson(middle, high)
        if abs(left + right - whole) < tolerance:
            return left + right + (left + right - whole) / 15.0
        below = integral(low, middle, left, 0.5 * tolerance)
        return below + integral(middle, high, right, 0.5 * tolerance)

    end = 0.25 * n
    return integral(0.0, end, simpson(0.0, end), 1e-6)


def romberg(a, levels):
    """Richardson's triangle in place, of exp(-a x^2) over [0, 1]."""
    row = np.zeros(levels + 1)
    previous = row.copy()
    for k in range(levels + 1):
        pieces = 2**k
        inner = sum(math.exp(-a * (i / pieces) ** 2) for i in range(1, pieces))
        value = (0.5 + inner + 0.5 * math.exp(-a)) / pieces
        factor = 1.0
        for j in range(k + 1):
            row[j], value = value, value
            if j < k:
                factor *= 4.0
                value = value + (value - previous[j]) / (factor - 1.0)
        previous = row.copy()
    return previous[levels]


def agm(a, b):
    """The arithmetic-geometric mean of two numbers."""
    while abs(a - b) > 1e-14 * a:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


def pendulum_periods(amplitudes):
    """Exact periods of a pendulum, by complete elliptic integrals."""
    return sum(2.0 * math.pi / agm(1.0, math.cos(0.5 * a)) for a in amplitudes)


def bessel_series(xs):
    """J0 by its power series, as many terms as each place needs."""
    total = 0.0
    for x in xs:
        term, value, k = 1.0, 0.0, 0
        while abs(term) > 1e-17:
            value += term
            k += 1
            term *= -0.25 * x * x / (k * k)
        total += value * value
    return total


LANCZOS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
)  # fmt: skip


def log_gamma(z):
    """Lanczos's approximation; by reflection below one half."""
    if z < 0.5:
        return math.log(math.pi / math.sin(math.pi * z)) - log_gamma(1.0 - z)
    series = LANCZOS[0]
    for k in range(1, 9):
        series += LANCZOS[k] / (z - 1.0 + k)
    base = z + 6.5
    return 0.5 * math.log(2.0 * math.pi) + (z - 0.5) * math.log(base) - base + math.log(series)


def log_gammas(zs):
    return sum(log_gamma(z) for z in zs)


def clenshaw(coefficients, xs):
    """Chebyshev series, summed backwards."""
    total = 0.0
    for x in xs:
        ahead, behind = 0.0, 0.0
        for c in reversed(coefficients):
            ahead, behind = c + 2.0 * x * ahead - behind, ahead
        total += (ahead - x * behind) ** 2
    return total


def continued_fraction(terms, x):
    """terms[0] + x / (terms[1] + x / (...)), by recursion on the place."""

    def fraction(i):
        if i == len(terms) - 1:
            return terms[i]
        return terms[i] + x / fraction(i + 1)

    return fraction(0)


def de_casteljau(points, t):
    """A Bezier curve of any degree: its points are mixed in place."""
    mixed = points.copy()
    for level in range(len(points) - 1, 0, -1):
        for i in range(level):
            mixed[i] = (1.0 - t) * mixed[i] + t * mixed[i + 1]
    return mixed[0, 0] * mixed[0, 1]


def b_spline(coefficients, xs):
    """A cubic B-spline by the recursion of Cox and de Boor, with uniform knots."""

    def basis(i, degree, x):
        if degree == 0:
            return 1.0 if i <= x < i + 1 else 0.0
        left = (x - i) / degree * basis(i, degree - 1, x)
        return left + (i + degree + 1 - x) / degree * basis(i + 1, degree - 1, x)

    total = 0.0
    for x in xs:
        first = int(x) - 3
        value = sum(
            coefficients[i] * basis(i, 3, x)
            for i in range(max(first, 0), min(first + 4, len(coefficients)))
        )
        total += value * value
    return total


def neville(xs, ys, x):
    """Interpolation by a polynomial, in a triangle that overwrites itself."""
    table = ys.copy()
    for level in range(1, len(xs)):
        for i in range(len(xs) - level):
            gap = xs[i + level] - xs[i]
            table[i] = ((xs[i + level] - x) * table[i] + (x - xs[i]) * table[i + 1]) / gap
    return table[0]


def secant_roots(xs):
    """The root of y^3 + y = x for every x, by the secant method, with early return."""

    def root(x):
        a, b = 0.0, 1.0
        fa = -x
        for _ in range(50):
            fb = b * b * b + b - x
            if abs(fb) < 1e-14 or fb == fa:
                return b
            a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        return b

    return sum(root(x) * x for x in xs)


def mandelbrot(xs, ys):
    """Smooth escape times: how long each point stays, with break."""
    total = 0.0
    for i in range(len(xs)):
        re, im, steps = 0.0, 0.0, 0
        while steps < 50:
            re, im = re * re - im * im + xs[i], 2.0 * re * im + ys[i]
            if re * re + im * im > 100.0:
                break
            steps += 1
        if steps < 50:
            total += steps + 1.0 - math.log2(0.5 * math.log(re * re + im * im))
    return total / len(xs)


def collatz_product(xs, n):
    """Integers steer which numbers are multiplied."""
    product, k = 1.0, n
    while k != 1:
        product *= 1.0 + 0.1 * xs[k % len(xs)]
        k = k // 2 if k % 2 == 0 else 3 * k + 1
    return product


def jacobi_eigenvalues(a, sweeps):
    """Jacobi's rotations in place until a symmetric matrix is nearly diagonal."""
    m = a.copy()
    n = len(m)
    for _ in range(sweeps):
        for p in range(n):
            for q in range(p + 1, n):
                if abs(m[p, q]) > 1e-12:
                    turn = 0.5 * math.atan2(2.0 * m[p, q], m[q, q] - m[p, p])
                    c, s = math.cos(turn), math.sin(turn)
                    for k in range(n):
                        m[k, p], m[k, q] = c * m[k, p] - s * m[k, q], s * m[k, p] + c * m[k, q]
                    for k in range(n):
                        m[p, k], m[q, k] = c * m[p, k] - s * m[q, k], s * m[p, k] + c * m[q, k]
    return sum(math.exp(m[i, i]) for i in range(n))


def symmetric(rng, n):
    a = rng.normal(size=(n, n))
    return a @ a.T / n + np.diag(np.arange(n) + 1.0)


def system(rng, n):
    return rng.normal(size=(n, n)) + 3.0 * np.eye(n), rng.normal(size=n)


PROGRAMS = [
    real(
        "power_iteration",
        power_iteration,
        lambda r, n: (symmetric(r, n), 8),
        (0,),
        (2, 4),
        growth=(2, 6, 20),
    ),
    real(
        "givens_qr",
        givens_qr,
        lambda r, n: (r.normal(size=(n + 2, n)), r.normal(size=n + 2)),
        (0, 1),
        (2, 5),
        growth=(2, 6, 16),
    ),
    real("gauss_pivots", gauss_pivots, system, (0, 1), (2, 5), growth=(3, 8, 20)),
    real(
        "gauss_seidel",
        gauss_seidel,
        lambda r, n: (symmetric(r, n), r.normal(size=n), 6),
        (0, 1),
        (2, 5),
        growth=(3, 10, 30),
    ),
    real(
        "adaptive_simpson",
        adaptive_simpson,
        lambda r, n: (r.uniform(0.9, 1.1), n),
        (0,),
        (3, 12),
        growth=(2, 8, 30),
    ),
    real("romberg", romberg, lambda r, n: (r.uniform(0.5, 1.5), n), (0,), (2, 5), growth=(3, 6, 9)),
    real("pendulum_periods", pendulum_periods, lambda r, n: (r.uniform(0.2, 2.5, n),)),
    real("bessel_series", bessel_series, lambda r, n: (r.uniform(0.1, 6.0, n),)),
    real("log_gammas", log_gammas, lambda r, n: (r.uniform(0.1, 4.0, n),)),
    real(
        "clenshaw",
        clenshaw,
        lambda r, n: (r.normal(size=n) / n, r.uniform(-0.9, 0.9, n)),
        (0, 1),
        growth=(5, 20, 60),
    ),
    real(
        "fraction_by_recursion",
        continued_fraction,
        lambda r, n: (r.uniform(1.0, 2.0, n), r.uniform(0.5, 1.0)),
        (0, 1),
    ),
    real(
        "de_casteljau",
        de_casteljau,
        lambda r, n: (r.normal(size=(n, 2)), r.uniform(0.2, 0.8)),
        (0, 1),
        (3, 8),
        growth=(5, 15, 40),
    ),
    real(
        "b_spline",
        b_spline,
        lambda r, n: (r.normal(size=n + 4), r.uniform(3.1, n + 0.9, n)),
        (0, 1),
    ),
    real(
        "neville",
        neville,
        lambda r, n: (np.arange(n) + r.uniform(0.0, 0.3, n), r.normal(size=n), 0.4 * n),
        (0, 1, 2),
        (3, 7),
        growth=(4, 10, 30),
    ),
    real("secant_roots", secant_roots, lambda r, n: (r.uniform(0.2, 3.0, n),)),
    real(
        "mandelbrot",
        mandelbrot,
        lambda r, n: (r.uniform(-2.0, 0.6, n), r.uniform(-1.2, 1.2, n)),
        (0, 1),
        (3, 8),
    ),
    real(
        "collatz_product",
        collatz_product,
        lambda r, n: (r.normal(size=7), n),
        (0,),
        (3, 9, 27),
        growth=(8, 9, 27),
    ),
    real(
        "jacobi_eigenvalues",
        jacobi_eigenvalues,
        lambda r, n: (symmetric(r, n) / n, 3),
        (0,),
        (2, 4),
        growth=(2, 5, 12),
    ),
]
