"""The series that the gallery fits, shipped with the package, as R's ``datasets`` has them.

``nile``: the yearly flow of the Nile at Aswan, 1871-1970, in 10^8 cubic metres (G. W. Cobb, "The
problem of the Nile", Biometrika 65, 1978). ``lynx``: Canadian lynxes trapped in each year from 1821
to 1934 (M. J. Campbell and A. M. Walker, Journal of the Royal Statistical Society A 140, 1977).
``sunspots``: the mean relative number of sunspots in each month from 1749 to 1983 (D. F. Andrews
and A. M. Herzberg, *Data*, Springer, 1985).
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).parent / "data"


def series(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the times (in years) and the values of one series."""
    table = np.loadtxt(FOLDER / f"{name}.csv", delimiter=",", skiprows=1, usecols=(1, 2))
    return table[:, 0].copy(), table[:, 1].copy()
