"""What is compiled for a program does not depend on what was compiled before, nor on the process.

Every program of the corpus gives the same Core alone, after all others and in reverse order, in
processes with other hashes of strings; so do the later stages, down to the text for LLVM, of some.
The campaign "order" asks for all programs alone, and for all their stages.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from pullback.call import stage_programs
from pullback.call.request import Request, What
from pullback.core.pretty import show
from pullback.core.waiting import join
from pullback.frontend.python.pytypes import type_of
from pullback.frontend.specialise import specialise
from tests import campaign
from tests.frontend.test_unions import CASES
from tests.programs import corpus

FULL = campaign.full("order")
THROUGH = ["symbols_chosen", "generic_swap"]
"""The programs of which all stages are compared."""

Source = tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]
Digests = dict[str, dict[str, str]]


def programs() -> dict[str, Source]:
    """The corpus, and programs that use one class in several unions."""
    rng = np.random.default_rng(0)
    found = {p.name: (p.f, p.make_args(rng, p.sizes[0]), p.argnums) for p in corpus()}
    return {**found, **{f"unions {k}": case for k, case in enumerate(CASES)}}


def digest(source: Source, through: bool) -> dict[str, str]:
    """A digest of the text of each stage; of Core as the front end makes it only, if not through
    all of them."""
    f, args, argnums = source
    if through:
        texts = {}
        for method in ("chad", "dual"):
            request = Request(What.VALUE_AND_GRADIENT, argnums, method=method)
            found = stage_programs.stages(f, args, request if argnums else Request(What.VALUE))
            texts |= {f"{method} {name}": text for name, text in found.items()}
    else:
        texts = {"core": show(specialise(f, tuple(map(type_of, args)), args).program)}
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


def apart(names: Sequence[str], through: bool) -> Digests:
    """The digests of programs, each in a process in which nothing was compiled before."""
    context, sources = multiprocessing.get_context("fork"), programs()

    def alone(name: str, sender: Any) -> None:
        sender.send(digest(sources[name], through))

    found: Digests = {}
    for name in names:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=alone, args=(name, sender))
        process.start()
        found[name] = receiver.recv()
        join(process)
    return found


def elsewhere(how: str, names: Sequence[str], through: bool, seed: int) -> Digests:
    """Return the same from a process of its own: ``"alone"``, or ``"together"`` in this order."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.test_order", how, str(int(through)), *names],
        capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": str(seed)},
        timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]
    found: Digests = json.loads(run.stdout)
    return found


def test_core() -> None:
    sources = programs()
    names = campaign.part("order", list(sources), 12)
    here = {name: digest(sources[name], False) for name in names}
    assert elsewhere("together", names[::-1], False, 1) == here
    some = names if FULL else names[-len(CASES) // 12 :] + names[:: len(names) // 6]
    alone = elsewhere("alone", some, False, 2)
    assert alone == {name: here[name] for name in some}


@pytest.mark.parametrize("seed", [3])
def test_all_stages(seed: int) -> None:
    sources = programs()
    names = list(sources) if FULL else THROUGH
    here = {name: digest(sources[name], True) for name in names}
    assert elsewhere("together", names[::-1], True, seed) == here


if __name__ == "__main__":
    asked, deep, *given = sys.argv[1:]
    if asked == "alone":
        made = apart(given, bool(int(deep)))
    else:
        every = programs()
        made = {name: digest(every[name], bool(int(deep))) for name in given}
    print(json.dumps(made))
