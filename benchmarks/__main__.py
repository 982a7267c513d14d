"""``python -m benchmarks [gmm lstm ba hand operators calls boundary scaling memory methods
spellings kernels choices library corpus]`` runs all of these, or those that are named; words behind
``corpus`` are names of its programs."""

import platform
import sys

from benchmarks.common import HEADER, jax_or_none, pin_to_one_core

ALL = ["gmm", "lstm", "ba", "hand", "operators", "calls", "boundary", "scaling", "memory",
       "methods", "spellings", "kernels", "choices", "library", "corpus"]  # fmt: skip


def main(words: list[str]) -> None:
    last = words.index("corpus") + 1 if "corpus" in words else len(words)
    wanted, names = words[:last], words[last:]
    unknown = [word for word in wanted if word not in ALL]
    if unknown:
        raise SystemExit(f"no such table: {', '.join(unknown)}; known: {', '.join(ALL)}")
    from benchmarks import (
        ba,
        boundary,
        calls,
        choices,
        corpus,
        gmm,
        hand,
        kernels,
        library,
        lstm,
        memory,
        methods,
        operators,
        scaling,
        spellings,
    )

    corpus.chosen(names)  # so a wrong name shows at once, and not after minutes
    pin_to_one_core()
    jax = jax_or_none()
    rooms = {"gmm": gmm, "lstm": lstm, "ba": ba, "hand": hand, "operators": operators,
             "calls": calls, "boundary": boundary, "scaling": scaling, "memory": memory,
             "methods": methods, "spellings": spellings, "kernels": kernels,
             "choices": choices, "library": library}  # fmt: skip
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
        if name == "corpus":
            corpus.main(jax, names)
        else:
            rooms[name].main(jax)


if __name__ == "__main__":
    main(sys.argv[1:] or ALL)
