"""Random programs: reverse mode, its halves, forward mode and differences agree on all of them."""

import pytest

from tests.ad.agreement import AtAKink, agree
from tests.ad.generate import Generator
from tests.campaign import seeds

TRIES = 4


def compare(seed: int, nested: bool = False) -> None:
    """A few arguments are tried, since some lie near a kink."""
    g = Generator(seed)
    p, args = g.nested() if nested else g.program()
    for left in reversed(range(TRIES)):
        try:
            agree(p, args, bounded=not nested)
            return
        except AtAKink:
            if not left:
                raise
            args = g.arguments()


@pytest.mark.parametrize("block", seeds("random", 2, 2, 20))
def test_random_programs(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        compare(seed)


@pytest.mark.parametrize("block", seeds("random", 1, 1, 10))
def test_derivatives_of_random_derivatives(block: int) -> None:
    for seed in range(3 * block, 3 * block + 3):
        compare(seed, nested=True)
