"""SciPy itself."""

import scipy
from scipy import *  # noqa: F403  # what type checkers see

from pullback.compat.library_names import stand_for

stand_for(__name__, scipy)
