"""The operators, with JAX's names and meanings: thin, the work is in ``call.driver``.

A file for each family; the public names stand in ``pullback/__init__.py``."""
