"""The two inputs, shipped with the package.

Old Faithful: 272 eruptions, each its length and the wait for the next one, in minutes (A. Azzalini
and A. W. Bowman, "A look at some data on the Old Faithful geyser", Applied Statistics 39, 1990).
``1k_gmm_d10_K25``: ADBench's mixture input (Microsoft, MIT licence, beside the data).
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FOLDER = Path(__file__).parent / "data"


@dataclass(frozen=True)
class GmmInput:
    """An ADBench mixture input: K clusters in D dimensions, N points, the Wishart prior's numbers.

    ``alphas[K]``, ``means[K, D]``, ``qs[K, D]`` (logarithms of the diagonal of each Q),
    ``ls[K, D(D-1)/2]`` (the strictly lower part of each Q, column by column), ``x[N, D]``.
    """

    alphas: Array
    means: Array
    qs: Array
    ls: Array
    x: Array
    gamma: float
    m: int


def faithful() -> Array:
    """Old Faithful, ``[272, 2]``: length of the eruption and wait, in minutes."""
    table = np.loadtxt(FOLDER / "faithful.csv", delimiter=",", skiprows=1, usecols=(1, 2))
    return np.ascontiguousarray(table, dtype=np.float64)


def adbench(path: Path = FOLDER / "1k_gmm_d10_K25.txt") -> GmmInput:
    """Read an ADBench mixture file: ``D K N``, alphas, means, (q, l) by cluster, x, ``gamma m``."""
    words = path.read_text().split()
    d, k, n = (int(word) for word in words[:3])
    numbers = np.array(words[3:], dtype=np.float64)
    per_cluster = d + d * (d - 1) // 2
    sizes = [k, k * d, k * per_cluster, n * d, 2]
    if numbers.size != sum(sizes):
        raise ValueError(f"{path.name}: expected {sum(sizes)} numbers, found {numbers.size}")
    alphas, means, icf, x, wishart = np.split(numbers, np.cumsum(sizes)[:-1])
    factors = icf.reshape(k, per_cluster)
    return GmmInput(
        alphas=alphas.copy(),
        means=means.reshape(k, d).copy(),
        qs=factors[:, :d].copy(),
        ls=factors[:, d:].copy(),
        x=x.reshape(n, d).copy(),
        gamma=float(wishart[0]),
        m=int(wishart[1]),
    )
