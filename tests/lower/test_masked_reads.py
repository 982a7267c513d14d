"""Reads in a branch of a loop that runs in lanes: consecutive elements are loaded as such where the
index is in bounds for all lanes, also those that do not take the branch."""

import numpy as np
import pytest

import pullback as pb


def chosen(x, y):
    return np.where(x > 0.0, 2.0 * y, np.sqrt(x * x + y))


def divided(z, w):
    return z / w


def shorter(x, y):
    return np.array([y[i] * 2.0 if i < len(y) else 3.0 * v for i, v in enumerate(x)])


def by_index(x, k):
    return np.array([x[k[i]] * v if k[i] >= 0 else 7.0 * v for i, v in enumerate(x)])


def in_a_branch(x, y, same):
    total = np.sum(x * y) if same else 0.0
    return total + sum(y[i] * v if v > 0.0 else 2.0 * v for i, v in enumerate(x))


RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(2, 37))
Z, W = RNG.normal(size=(2, 5, 37)) + 1j * RNG.normal(size=(2, 5, 37))


def loop_code(f, *args, capsys):
    pb.show(pb.jit(f), *args, stage="loop")
    return capsys.readouterr().out


@pytest.mark.parametrize(("f", "args"), [(chosen, (X, np.abs(Y))), (divided, (Z, W))])
def test_they_are_loaded_together(f, args, capsys):
    np.testing.assert_allclose(pb.jit(f)(*args), f(*args), 1e-14)
    assert "leader" not in loop_code(f, *args, capsys=capsys)


def test_extents_that_differ_are_an_error_as_before():
    for one, other in ((X, Y[:20]), (X[:20], Y)):
        with pytest.raises(ValueError, match="broadcast"):
            pb.jit(chosen)(one, other)


def test_other_places_stay_those_of_lanes_that_read(capsys):
    k = np.arange(37)[::-1].copy()
    k[::3] = -(10**12)
    assert "leader" in loop_code(by_index, X, k, capsys=capsys)
    np.testing.assert_allclose(pb.jit(by_index)(X, k), by_index(X, k), 1e-14)


def test_a_loop_with_a_seam_reads_without_masks(capsys):
    assert "leader" not in loop_code(shorter, X, Y[:11], capsys=capsys)
    np.testing.assert_allclose(pb.jit(shorter)(X, Y[:11]), shorter(X, Y[:11]), 1e-14)


def test_what_a_branch_requires_is_not_known_behind_it():
    last = np.where(np.arange(37) < 20, np.abs(X), -np.abs(X))
    for y, same in ((Y, True), (Y[:20].copy(), False)):
        np.testing.assert_allclose(
            pb.jit(in_a_branch)(last, y, same), in_a_branch(last, y, same), 1e-12
        )
    with pytest.raises(IndexError):
        pb.jit(in_a_branch)(np.abs(X), Y[:20].copy(), False)


def test_gradients_of_such_loops():
    weights = np.linspace(0.5, 1.5, 37)

    def loss(x, y):
        return np.sum(chosen(x, y * y + 1.0) * weights)

    for method in ("chad", "dual"):
        gradient = pb.grad(loss, argnums=(0, 1), method=method)(X, Y)
        step = 1e-6
        for k in (0, 7, 36):
            for at, part in enumerate(gradient):
                more, less = [X.copy(), Y.copy()], [X.copy(), Y.copy()]
                more[at][k] += step
                less[at][k] -= step
                want = (loss(*more) - loss(*less)) / (2.0 * step)
                np.testing.assert_allclose(part[k], want, 1e-6)
