"""NumPy itself, which is what ``jax.numpy`` describes; its arrays can be updated, and are 64 bits
wide unless they are made otherwise."""

import numpy
from numpy import *  # noqa: F403  # what type checkers see

from pullback.compat.library_names import stand_for

stand_for(__name__, numpy)
