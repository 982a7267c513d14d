"""NumPy's complex arrays: values, dtypes and shapes are NumPy's, gradients are JAX's."""

import numpy as np
import pytest

import pullback as pb
from tests.frontend.complex_array_programs import PROGRAMS, A, v, w, x, z


def copies(args):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


def check_same(want, got):
    """Values of one class, of which arrays have one dtype and shape."""
    assert type(want) is type(got)
    if isinstance(want, dict):
        assert want.keys() == got.keys()
        want, got = [*want.values()], [*got.values()]
    if isinstance(want, (tuple, list)):
        assert len(want) == len(got)
        for one, other in zip(want, got, strict=True):
            check_same(one, other)
    elif isinstance(want, (np.ndarray, np.generic)):
        assert (want.dtype, want.shape) == (got.dtype, got.shape)
        rtol = 1e-5 if want.dtype in (np.complex64, np.float32) else 1e-13
        np.testing.assert_allclose(got, want, rtol, rtol)
    else:
        assert want == got


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_programs(f, args):
    before, after = copies(args), copies(args)
    with np.errstate(all="ignore"):
        want = f(*before)
    check_same(want, pb.jit(f)(*after))
    check_same(before, after)  # what is updated in place


def power(z):
    return np.sum(np.abs(z) ** 2)


def quotients(z, w):
    return np.sum((z * w / (2 + w * w)).real) + np.vdot(z, w).imag


def elementary(z):
    found = np.exp(z) + np.log(z) + np.sqrt(z) + np.sin(z) + np.tanh(z) + z**3 + z**-1
    return np.sum(found.imag)


def inverse(z):
    return np.sum((np.arcsin(z * 0.3) + np.arctan(z * 0.3) + np.arccosh(z + 1) + np.angle(z)).real)


def matrices(a, v):
    whole = np.abs(np.linalg.det(a)) + np.linalg.solve(a, v).real.sum()
    return whole + np.linalg.inv(a).imag.sum() + np.linalg.norm(a @ v)


def spectrum(x):
    k = np.arange(4)
    return np.sum(np.abs(np.exp(-2j * np.pi * k[:, None] * k / 4) @ x) ** 3)


def updates(z):
    a = np.zeros(4, complex)
    a[0] = z[1] ** 2
    a[1:] = z[1:] * 1j
    a[2] *= z[0]
    a *= 2
    return (a * a).real.sum()


def horner(z):
    s = 0
    for c in z:
        s = s * c + c
    return abs(s)


def along_axes(z):
    return np.prod(z).real + np.var(z) + np.cumsum(z)[2].imag


def choices(z):
    return np.where(z.imag > 0, z * z, 1j * z).imag.sum() + np.concatenate([z, z.conj()])[3].real


def of_a_scalar(z):
    return (z**2.5).real + abs(z) / (z * z).imag


LOSSES = [
    (power, (z,)), (quotients, (z, w)), (elementary, (z,)), (inverse, (z,)), (matrices, (A, v)),
    (spectrum, (x,)), (updates, (z,)), (horner, (z,)), (along_axes, (z,)),
    (choices, (z + 0.25 + 0.25j,)), (of_a_scalar, (np.complex128(1 + 2j),)),
]  # fmt: skip


def by_differences(f, args, i, h=1e-6):
    """du/dx - i du/dy by every number of an argument."""
    base = np.asarray(args[i])
    found = np.zeros(base.shape, base.dtype)
    for place in np.ndindex(base.shape):
        for step, unit in ((h, 1), (1j * h, -1j))[: 1 + np.iscomplexobj(base)]:
            values = []
            for sign in (1, -1):
                moved = base.copy()
                moved[place] += sign * step
                values.append(f(*args[:i], moved[()], *args[i + 1 :]))
            found[place] += unit * (values[0] - values[1]) / (2 * h)
    return found


@pytest.mark.parametrize("method", ["chad", "dual"])
@pytest.mark.parametrize(("f", "args"), LOSSES, ids=lambda v: getattr(v, "__name__", ""))
def test_gradients(f, args, method):
    for i, given in enumerate(args):
        gradient = pb.grad(f, i, method=method)(*args)
        assert type(gradient) is type(given) and gradient.dtype == given.dtype
        np.testing.assert_allclose(gradient, by_differences(f, args, i), 1e-5, 1e-6)


def wave(z):
    return z * z * np.exp(z)


def test_holomorphic_functions_of_arrays():
    slope = (2 * z + z * z) * np.exp(z)
    for operator in (pb.jacfwd, pb.jacrev, pb.jacobian):
        np.testing.assert_allclose(operator(wave, holomorphic=True)(z), np.diag(slope))
    total = lambda z: np.sum(wave(z))  # meant
    np.testing.assert_allclose(pb.grad(total, holomorphic=True)(z), slope)
    np.testing.assert_allclose(pb.vjp(wave, z)[1](w)[0], w * slope)
    np.testing.assert_allclose(pb.jvp(wave, (z,), (w,))[1], w * slope)
    np.testing.assert_allclose(pb.linearize(wave, z)[1](w), w * slope)
    cubes = lambda z: np.sum(z**3)  # meant
    np.testing.assert_allclose(pb.hessian(cubes, holomorphic=True)(z), np.diag(6 * z))
    (product,) = pb.hvp(power, (z,), (w,))
    np.testing.assert_allclose(product, 2 * w.conj())


def test_maps_and_checks():
    np.testing.assert_allclose(pb.vmap(lambda v: v * 1j)(z), z * 1j)
    pb.check_grads(matrices, (A, v), order=1)
    with pytest.raises(TypeError, match="cotangent"):
        pb.vjp(wave, z)[1]("x")


def test_views_and_strides_cross():
    for a in (np.stack([z, w])[:, ::2], np.asfortranarray(np.stack([z, w])), z[::-1], z[:0]):
        check_same(a * 2j, pb.jit(lambda a: a * 2j)(a))
        check_same((a.conj() * 2), pb.grad(power)(a))


@pytest.mark.parametrize(("f", "said"), [
    (lambda z: np.sort(z), "sort of complex numbers"),
    (lambda z: np.sinc(z), "sinc of complex numbers"),
    (lambda z: np.linalg.eigh(z), "eigh of complex numbers"),
    (lambda z: np.max(z), "max of complex numbers"),
    (lambda z: z < 1, "not supported between instances"),
    (lambda z: z % 2, "unsupported operand type"),
    (lambda z: z.view(float), "no field or method 'view'"),
    (lambda z: 1.0 if np.array([z[0], z[0]]) else 2.0, "ambiguous"),
    (lambda z: z.astype(float), "as real numbers"),
    (lambda z: np.sum(z, initial=1.0), "initial of sum"),
    (lambda z: z.sum(initial=1.0), "initial of sum"),
    (lambda z: np.sum(z, dtype=float), "dtype of sum"),
    (lambda z: z.mean(None, float), "so many arguments of mean"),
    (lambda z: np.sum(z, dtype=np.complex64), "dtype= here"),
    (lambda z: np.diff(z, prepend=0.0), "prepend of diff"),
    (lambda z: np.nansum(z), "nansum of complex numbers"),
    (lambda z: np.atleast_1d(z, z), "as this argument"),
])  # fmt: skip
def test_refusals(f, said):
    with pytest.raises(pb.PullbackError, match=said):
        pb.jit(f)(z)


@pytest.mark.parametrize("update", ["x[0] = 1j", "x *= 1j", "x += 1j * x"])
def test_complex_numbers_do_not_fit_into_real_arrays(update):
    space = {}
    text = f"def f(x):\n    {update}\n    return x\n"
    exec(compile(text, __file__, "exec"), space)
    with pytest.raises((TypeError, pb.PullbackError)):
        pb.jit(space["f"])(x.copy())
