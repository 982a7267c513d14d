"""NumPy itself: its functions are known in compiled code by what they are, not by their names."""

import numpy
from numpy import *  # noqa: F403  # what type checkers see

from pullback.compat.library_names import stand_for

stand_for(__name__, numpy)
