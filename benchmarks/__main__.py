"""``python -m benchmarks [gmm lstm calls boundary scaling memory methods corpus]``: all, or those
named."""

import platform
import sys

from benchmarks.common import HEADER, jax_or_none, pin_to_one_core

ALL = ["gmm", "lstm", "calls", "boundary", "scaling", "memory", "methods", "corpus"]


def main(wanted: list[str]) -> None:
    pin_to_one_core()
    jax = jax_or_none()
    from benchmarks import boundary, calls, corpus, gmm, lstm, memory, methods, scaling

    rooms = {"gmm": gmm, "lstm": lstm, "calls": calls, "boundary": boundary,
             "scaling": scaling, "memory": memory,
             "methods": methods, "corpus": corpus}  # fmt: skip
    beside = f"JAX {jax.__version__}" if jax else "JAX is not installed"
    print(f"{platform.machine()}, Python {platform.python_version()}, one core; {beside}")
    print("times in milliseconds; compile: first call less a later one; g: (value, gradient)\n")
    header = False
    for name in wanted:
        if name in ("gmm", "lstm"):
            if not header:
                print(HEADER)
            header = True
        else:
            print()
        rooms[name].main(jax)


if __name__ == "__main__":
    main(sys.argv[1:] or ALL)
