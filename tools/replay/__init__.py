"""The replay: compare the programs that the compiler makes with those of another revision.

``record`` compiles the corpus by every method, in two orders, and runs the tests that expect
refusals; it writes digests, counts, steps and refusals to a file. ``compare`` lists how two such
files differ. ``against`` records a revision and the working tree, and compares. docs/REPLAY.md
says how to use it.
"""
