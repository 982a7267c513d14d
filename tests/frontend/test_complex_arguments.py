"""Complex arrays at the boundary: whatever their layout in memory, they arrive and leave bit for
bit as they are, and gradients by them are what the conjugate of the parts says."""

import numpy as np
import pytest

import pullback as pb


def _numbers(shape, dtype=np.complex128):
    n = int(np.prod(shape))
    parts = np.linspace(-1.5, 2.5, 2 * n + 1)[: 2 * n].astype(np.empty(0, dtype).real.dtype)
    return parts.view(dtype).reshape(shape)


def _field(n):
    """A field of records of 24 bytes: its strides are no multiple of its size."""
    rows = np.zeros(n, [("z", np.complex128), ("x", np.float64)])
    rows["z"] = _numbers(n)
    return rows["z"]


def _misaligned(n):
    room = np.zeros(16 * n + 1, np.uint8)[1:].view(np.complex128)
    room[:] = _numbers(n)
    return room


def _read_only(z):
    z = z.copy()
    z.flags.writeable = False
    return z


LAYOUTS = {
    "dense": _numbers((3, 17)),
    "transposed": _numbers((17, 3)).T,
    "strided": _numbers((6, 34))[::2, ::2],
    "backwards": _numbers((3, 17))[::-1, ::-1],
    "row": _numbers((3, 17))[:, 1:],
    "spread": np.broadcast_to(_numbers((17,)), (3, 17)),
    "fortran": np.asfortranarray(_numbers((3, 17))),
    "permuted": _numbers((4, 3, 5)).transpose(1, 2, 0),
    "single": _numbers((3, 17), np.complex64)[:, ::3],
    "dense single": _numbers((3, 17), np.complex64),
    "empty": _numbers((0, 4)),
    "empty rows": _numbers((4, 0)),
    "field": _field(9),
    "misaligned": _misaligned(9),
    "other order": _numbers((3, 5)).astype(">c16"),
    "read only": _read_only(_numbers((3, 5))),
}


def same_bits(got, want):
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    assert np.ascontiguousarray(got).tobytes() == np.ascontiguousarray(want).tobytes()


@pytest.fixture(scope="module")
def programs():
    return pb.jit(lambda z: z), pb.jit(lambda z: (z, np.conj(z), z.real, z.imag, z.T))


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_arrives_and_leaves(name, programs):
    z, (same, parts) = LAYOUTS[name], programs
    native = z.astype(z.dtype.newbyteorder("="))
    for _ in range(2):
        same_bits(same(z), native)
        wanted = native, np.conj(native), native.real, native.imag, native.T
        for got, want in zip(parts(z), wanted, strict=True):
            same_bits(got, want)


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_rows_of_every_length(dtype, programs):
    for n in range(36):
        z = _numbers((n,), dtype)
        same_bits(programs[0](z), z)
        same_bits(programs[1](z)[1], np.conj(z))


def test_bits_of_zeros_and_nans_stay(programs):
    odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 5e-324], np.float64)
    z = np.empty((7, 7), complex)
    z.real, z.imag = odd[:, None], odd
    same_bits(programs[0](z), z)
    back = pb.vjp(lambda z: z, z)[1]
    np.testing.assert_array_equal(back(z)[0], z)  # conjugated on the way in and on the way out


@pytest.mark.parametrize("name", LAYOUTS)
def test_cotangents_and_tangents_of_every_layout(name):
    z = LAYOUTS[name]
    w = np.conj(np.ascontiguousarray(z, z.dtype.newbyteorder("="))) * 0.5

    def f(z, w):
        return z * w

    for method in ("chad", "dual"):
        out, back = pb.vjp(f, z, w, method=method)
        np.testing.assert_allclose(out, z * w, 1e-6)
        for got, want in zip(back(z), (z * w, z * z), strict=True):
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, 1e-6)
    _, moved = pb.jvp(f, (z, w), (w, z))
    np.testing.assert_allclose(moved, w * w + z * z, 1e-6)
    push = pb.linearize(f, z, w)[1]
    np.testing.assert_allclose(push(w, z), w * w + z * z, 1e-6)
    loss = pb.grad(lambda z: np.sum((z * z).real) + np.sum(z.imag))(z)
    np.testing.assert_allclose(loss, 2.0 * z - 1j, 1e-6)


def test_a_cotangent_of_another_form():
    z = _numbers((2, 3))
    _, back = pb.vjp(lambda z: 2.0 * z, z)
    np.testing.assert_allclose(back(np.ones((2, 3)))[0], 2.0 * np.ones((2, 3)))
    np.testing.assert_allclose(back(None)[0], np.zeros((2, 3)))
    with pytest.raises(ValueError, match="shape"):
        back(np.ones((3, 2), complex))
    with pytest.raises(TypeError):
        pb.jit(lambda z: z * 2.0)(z.view(np.recarray))


def test_results_do_not_share_memory_with_arguments():
    z = _numbers((4, 4))
    one, other = pb.jit(lambda z: (z, z[1:]))(z)
    assert not any(np.shares_memory(a, b) for a, b in ((z, one), (z, other), (one, other)))
    assert one.flags.c_contiguous and other.flags.c_contiguous and other.flags.writeable


def test_an_argument_that_is_updated_keeps_its_layout():
    def update(z):
        z[1] = z[0] * 1j
        z.real[0] = 7.0
        return np.sum(z)

    for whole in (_numbers((3, 5)), _numbers((5, 3)).T, _numbers((6, 5), np.complex64)[::2]):
        one, other = whole.copy(), np.zeros((12, 10), whole.dtype)[::4, ::2]
        other[:] = whole
        want = update(one)
        np.testing.assert_allclose(pb.jit(update)(other), want, 1e-6)
        np.testing.assert_allclose(other, one, 1e-6)


def test_single_items_are_read_where_they_lie():
    """However long an array is, reading one item of it takes no longer."""
    one = pb.jit(lambda z, i: (z[i], z[-1].imag))
    either = pb.jit(lambda z, i: z[i] if i > 2 else z[0] * 2.0)
    for z in LAYOUTS.values():
        if z.ndim == 1:
            assert one(z, 3) == (z[3], z[-1].imag)
            assert either(z, 3) == z[3] and either(z, 1) == z[0] * 2.0
    long = np.broadcast_to(np.complex128(2.0 + 1.0j), (1 << 40,))  # of 16 bytes
    assert one(long, 1 << 39) == (2.0 + 1.0j, 1.0)
    assert either(long, 1 << 39) == 2.0 + 1.0j


def test_a_pullback_keeps_what_it_read():
    z = _numbers((4, 33))
    _, back = pb.vjp(lambda z: z * z, z)
    want = 2.0 * z.copy()
    z[:] = 0.0
    np.testing.assert_allclose(back(np.ones(z.shape, complex))[0], want)


def test_lists_and_records_of_complex_arrays():
    z = _numbers((3, 4))
    both = {"a": z.T, "b": [z[::2], z]}

    def f(d):
        return {"a": d["a"] * 2.0, "b": [w + 1j for w in d["b"]]}

    got = pb.jit(f)(both)
    same_bits(got["a"], 2.0 * z.T)
    same_bits(got["b"][1], z + 1j)
    grad = pb.grad(lambda d: np.sum((d["a"] * d["a"]).real) + np.sum(d["b"][0].imag))(both)
    np.testing.assert_allclose(grad["a"], 2.0 * z.T)
    np.testing.assert_allclose(grad["b"][0], -1j * np.ones((2, 4)))


@pytest.mark.parametrize("name", LAYOUTS)
def test_transforms_of_every_layout(name):
    """A Fourier transform reads pairs where they lie, and its result is copied as a whole."""
    z = LAYOUTS[name]
    if z.size == 0:
        return
    w = np.ascontiguousarray(z, z.dtype.newbyteorder("="))
    for f in (np.fft.fft, lambda z: np.fft.ifft(z, axis=0), lambda z: 2.0 * z - np.fft.fft(z)):
        got, want = pb.jit(f)(z), f(w)
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, 1e-6, 1e-6)
    parts = pb.jit(lambda z: (np.fft.fft(z).T, np.conj(np.fft.fft(z)), np.fft.fft(z)[..., 1:]))(z)
    whole = np.fft.fft(w)
    for got, want in zip(parts, (whole.T, np.conj(whole), whole[..., 1:]), strict=True):
        np.testing.assert_allclose(got, want, 1e-6, 1e-6)
    back = pb.vjp(np.fft.fft, z)[1](whole)[0]
    np.testing.assert_allclose(back, np.fft.fft(whole), 1e-6, 1e-5)  # the matrix is symmetric
