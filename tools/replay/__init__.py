"""The replay: what the compiler makes of every program, beside what another revision makes of it.

``record`` compiles the corpus by every method, in two orders, and runs the tests that expect
refusals; it writes digests, counts, steps and refusals to a file. ``compare`` lists how two such
files differ. ``against`` records a revision and the working tree, and compares. docs/REPLAY.md
says how it is used.
"""
