"""The same program comes out in every process: no order of it depends on addresses or hashes."""

import os
import subprocess
import sys

TEXT = """
import numpy as np
import pullback as pb
from tests.programs import corpus
from pullback.lower.lower import lower
from pullback.lower.show import show_module
from pullback.call.driver import specialisation
from pullback.call.request import Request, What

[p] = [p for p in corpus() if p.name == "signed_distance"]
args = p.make_args(np.random.default_rng(0), 3)
unused = [object() for _ in range(SEED * 1000)]  # other addresses
for method in ("chad", "dual"):
    request = Request(What.VALUE_AND_GRADIENT, tuple(p.argnums), method=method)
    unit = specialisation(p.f, args, request).unit(request)
    print(show_module(lower(unit.program(True))))
"""


def test_the_order_of_sets_does_not_show() -> None:
    texts = []
    for seed in (1, 2):
        done = subprocess.run(
            [sys.executable, "-c", TEXT.replace("SEED", str(seed))],
            capture_output=True, text=True, timeout=900, check=False,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)
    assert texts[0] == texts[1] != ""
