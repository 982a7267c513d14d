"""Two hundred programs in the style in which people write them, in ten files by style.

Each file has ``CASES``: a function and its arguments, as an example call. None was written for
Pullback, so none avoids what Pullback does not know; ``python -m tests.foreign`` runs them all and
says which run right, which are refused and which are wrong."""
