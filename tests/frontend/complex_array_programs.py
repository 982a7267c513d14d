"""Programs with NumPy's complex arrays, each with its arguments."""

import numpy as np

PROGRAMS = []
z = np.array([1 + 2j, -0.5j, 3.0, -2 + 0.1j])
w = np.array([0.5, 1j, -1 - 1j, 2])
x = np.array([1.0, -2.0, 0.5, 4.0])
A = (np.arange(9).reshape(3, 3) % 4 + 1j * (np.arange(9).reshape(3, 3) % 5)) + 3 * np.eye(3)
B = A.T * 1j + 1
v = np.array([1j, 2, 3 - 1j])


def program(*arguments):
    def enter(f):
        PROGRAMS.append((f, arguments))
        return f

    return enter


@program(z, w)
def operators(z, w):
    return z + w, z - w, z * w, z / w, -z, +z, z * 2, 2j * z, z**2, z**3, z**-1, 1 / z


@program(z, x)
def with_real_arrays(z, x):
    return x * z, x + 1j, 1j * x, z / x, x / z, z**x, x**z, z == z, z != x, z * x.astype(int)


@program(z)
def elementary(z):
    return (
        np.exp(z),
        np.log(z),
        np.sqrt(z),
        np.sin(z),
        np.cos(z),
        np.tan(z),
        np.sinh(z),
        np.cosh(z),
        np.tanh(z),
    )


@program(z)
def inverse(z):
    return (
        np.arcsin(z),
        np.arccos(z),
        np.arctan(z),
        np.arcsinh(z),
        np.arccosh(z),
        np.arctanh(z),
        np.log2(z),
        np.log10(z),
        np.log1p(z),
        np.expm1(z),
        np.exp2(z),
    )


@program(z)
def parts(z):
    return (
        abs(z),
        np.abs(z),
        np.angle(z),
        np.angle(z, deg=True),
        np.conj(z),
        np.conjugate(z),
        z.conj(),
        z.real,
        z.imag,
        np.real(z),
        np.imag(z),
        np.sign(z),
        np.square(z),
        np.reciprocal(z),
    )


@program(z)
def reductions(z):
    return (
        z.sum(),
        np.sum(z),
        z.mean(),
        z.prod(),
        np.prod(z),
        z.cumsum(),
        np.any(z),
        np.all(z),
        np.var(z),
        np.std(z),
        z.shape,
        z.size,
        z.ndim,
        z.dtype == np.complex128,
    )


@program(A, B, v)
def products(A, B, v):
    return (
        A @ B,
        A @ v,
        v @ A,
        v @ v,
        np.dot(A, v),
        np.vdot(v, v),
        np.outer(v, v),
        np.einsum("ij,j->i", A, v),
        np.tensordot(A, B, 1),
        np.inner(v, v),
        np.trace(A),
        A.T,
        np.kron(v, v),
    )


@program(A, v)
def linear_algebra(A, v):
    return (
        np.linalg.solve(A, v),
        np.linalg.inv(A),
        np.linalg.det(A),
        np.linalg.norm(v),
        np.linalg.norm(A),
    )


@program(3)
def creation(n):
    return (
        np.zeros(n, complex),
        np.ones(n, dtype=complex),
        np.full(n, 1j),
        np.array([1j, 2]),
        np.array([[1, 2j], [3, 4]]),
        np.zeros((n, n), dtype=np.complex64),
        np.eye(n, dtype=complex),
        np.arange(n).astype(complex),
        np.asarray([1, 2], dtype=complex),
        np.zeros(n, "complex128"),
    )


@program(z)
def subscripts(z):
    return (
        z[0],
        z[1:3],
        z[::-1],
        z[np.array([0, 2])],
        z[z.real > 0],
        z[-1],
        z[None, :].shape,
        z.reshape(2, 2)[1],
        z.reshape(2, 2).T[0],
        z[1:].real,
    )


@program(z)
def stores(z):
    a = np.zeros(4, complex)
    a[0] = 1j
    a[1] = z[1]
    a[2:] = z[2:]
    a[0] += 2
    a[1:3] *= 2j
    a *= 2
    a -= z
    a[3] = 5
    return a


@program(z)
def several_names(z):
    a = z.copy()
    b = a
    b[0] = 7j
    c = a[1:]
    a.real[2] = 11.0
    a.imag = 3.0
    a.real += 1
    return a, b, c


@program(z)
def loops_over_items(z):
    s = 0
    for v in z:
        s = s + v * v
    return s, [u * 2 for u in z], sum(z), max(abs(u) for u in z), len(z), list(z)


@program(z, w)
def arrangement(z, w):
    return (
        np.concatenate([z, w]),
        np.stack([z, w]),
        np.where(z.real > 0, z, w),
        np.where(z.real > 0, z, 0.0),
        np.concatenate([z, z.real]),
        np.roll(z, 1),
        np.flip(z),
        np.tile(z, 2),
        np.repeat(z, 2),
        np.diff(z),
        np.append(z, 1j),
        np.vstack([z, w]),
    )


@program(z.astype(np.complex64))
def single_precision(z):
    return z * 2, z + 1j, z * z, np.exp(z), z.sum(), abs(z), z / 3, z.dtype == np.complex64


@program(np.complex128(1 + 2j), 2.0)
def numpy_scalars(z, x):
    return z * x, z / 0, z**2, abs(z), np.sqrt(z), z == 1, complex(z), z.real, str(z), f"{z:.2f}"


@program(2.0)
def python_numbers(x):
    return (
        np.sqrt(complex(x, 1)),
        np.exp(1j * x),
        np.abs(1j * x),
        np.angle(1j * x),
        np.exp(1j * np.arange(3) * x),
        np.float64(x) * 1j,
    )


@program(z)
def questions(z):
    return (
        [str(z[0]), repr(z[1])],
        np.isnan(z),
        np.isfinite(z),
        np.isreal(z),
        np.iscomplexobj(z),
        np.isclose(z, z),
        np.allclose(z, z + 1e-12),
        np.array_equal(z, z),
    )


@program(z)
def a_matrix_of_roots(z):
    n = len(z)
    k = np.arange(n)
    F = np.exp(-2j * np.pi * k[:, None] * k / n)
    return F @ z, (F @ z)[::2]


@program(z)
def classes(z):
    return (
        isinstance(z, np.ndarray),
        isinstance(z[0], complex),
        type(z[0]) is np.complex128,
        isinstance(z[0], np.complexfloating),
    )


@program(z)
def numbers_that_meet(z):
    s = 0j
    for v in z:
        s += v
    t = 0.0
    for v in z:
        t = t + v * 1j
    return s, t


@program(z)
def an_argument_is_updated(z):
    z[1] = 5j
    return z.sum()


@program(z)
def lists_of_arrays(z):
    out = []
    for k in range(3):
        out.append(z * k)
    return out, np.array(out).sum(axis=0), np.array([v * 2 for v in z])


def rows(z):
    return [v for v in z.reshape(2, 2)]


@program(z)
def results(z):
    return rows(z), [complex(v) for v in z], {"a": z}, (z, None)


@program(z)
def in_dicts_and_matrices(z):
    d = {"w": z}
    d["w"] = d["w"] * 2
    m = np.zeros((2, 2), complex)
    m[0, 1] = 1j
    m[1] = z[:2]
    m[:, 0] += 1
    m[0] -= 1j
    return d["w"], m


@program(z, 3)
def a_wave(z, n):
    psi = z / np.linalg.norm(z)
    for _ in range(n):
        psi = psi * np.exp(-0.1j * abs(psi) ** 2)
    return psi, (abs(psi) ** 2).sum(), np.vdot(psi, psi).real


@program(x)
def a_real_one_becomes_complex(x):
    y = x + 0j
    y[0] = 1
    x[1] = y[1].real
    return y, x


@program(z)
def conversions(z):
    return z.real[1:], z.imag.sum(), (z * z.conj()).real, z.astype(np.complex64), z.astype(complex)


@program(z)
def polynomials(z):
    return (
        np.polyval(np.array([1, 2, 3.0]), z),
        np.sum(np.abs(z) ** 2),
        np.sqrt(np.sum(z * z)),
        np.exp(1j * np.angle(z)),
    )


@program(z)
def along_axes(z):
    return (
        np.max(np.abs(z)),
        np.sum(z, axis=0),
        np.sum(z.reshape(2, 2), axis=1),
        np.mean(z.reshape(2, 2), axis=0),
        z.reshape(2, 2).sum(axis=1, keepdims=True),
        np.cumsum(z.reshape(2, 2), axis=1),
        np.prod(z.reshape(2, 2), axis=1),
    )


@program(z)
def of_python(z):
    return z.tolist(), z[0].item()


@program(z)
def choices(z):
    return [1 if v.real > 0 else 0 for v in z], np.where(np.abs(z) > 1, z / np.abs(z), z)


@program(z)
def lists(z):
    return np.abs([1j, 2]), np.exp([z[0], 1]), np.sum([1j, 2.0]), np.shape([z, z]), np.ndim(1j)


@program(z, np.float32(0.1))
def scalars(z, y):
    found = np.complex64(1j) * 2.0, np.complex64(z[0]), np.complex64(2.0), np.complex128(y)
    return *found, np.complex128(z[1]), np.complex128(3), np.float32(2) * z.astype(np.complex64)
