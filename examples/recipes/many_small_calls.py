"""Many small problems: one compiled loop over them instead of many calls."""

import numpy as np

import pullback as pb

rng = np.random.default_rng(8)
a, b = rng.uniform(1.0, 2.0, 1000), rng.uniform(0.5, 1.5, 1000)


def root(a, b):  # the y with y + a y^3 = b, by Newton's method until it stands still
    y = b
    while abs(y + a * y**3 - b) > 1e-13:
        y -= (y + a * y**3 - b) / (1.0 + 3.0 * a * y**2)
    return y


slopes = pb.vmap(pb.grad(root))(a, b)  # one call; each element stops when it is done
slope = pb.grad(root)
one_by_one = np.array([slope(float(p), float(q)) for p, q in zip(a, b, strict=True)])
print(slopes[:5])
assert np.allclose(slopes, one_by_one)

# the same by the implicit function theorem
y = np.array([root(p, q) for p, q in zip(a, b, strict=True)])
assert np.allclose(slopes, -(y**3) / (1.0 + 3.0 * a * y**2))
