"""The abstract interpreter: expressions, statements, calls, branches and loops."""
