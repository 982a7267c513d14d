"""Make one record of one revision, by several processes, two at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
UNLIKE = {"seconds", "steps"}
"""The fields that may differ between the two orders, or are counted in one of them only."""

Data = dict[str, Any]


def record(
    src: Path, tests: Path, programs: Sequence[str] | None = None,
    files: Sequence[str] | None = None,
) -> Data:  # fmt: skip
    """Return the record of the sources ``src``, with the corpus of the tree ``tests``. Refusals are
    those of the tests beside ``src``, if there are any, which import its modules by their own
    names. With ``programs`` or ``files`` only these programs of the corpus, or files of refusals,
    are recorded; with an empty list none."""
    names = programs or []
    beside = src.resolve().parent
    beside = beside if (beside / "tests" / "frontend").is_dir() else tests
    jobs: list[tuple[str, ...]] = []
    if programs is None or programs:
        jobs += [("corpus", order, *names) for order in ("forwards", "backwards")]
    if files is None:
        jobs += [("refusals", part) for part in ("0/4", "1/4", "2/4", "3/4")]
    elif files:
        jobs += [("refusals", "0/1", *files)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        def run(k: int) -> Data:
            tree = beside if jobs[k][0] == "refusals" else tests
            return _job(jobs[k], src, tree, Path(folder) / f"{k}.json", seed=k + 1)

        parts = list(pool.map(run, range(len(jobs))))
    ran = [p for p in parts if "programs" in p]
    asked = [p for p in parts if "refusals" in p]
    return {
        "programs": ran[0]["programs"] if ran else {},
        "conversions": ran[0]["conversions"] if ran else [],
        "orders": between_orders(*ran) if ran else [],
        "refusals": {k: v for p in asked for k, v in p["refusals"].items()},
        "missing": {k: v for p in asked for k, v in p["missing"].items()},
    }


def _job(job: tuple[str, ...], src: Path, tests: Path, out: Path, seed: int) -> Data:
    kind, how, *names = job
    env = {**os.environ, "PYTHONHASHSEED": str(seed), "OMP_NUM_THREADS": "1",
           "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", f"tools.replay.{kind}", str(src.resolve()), str(tests.resolve()),
         how, str(out), *names],
        cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=86_400,
    )  # fmt: skip
    if not out.exists():
        raise SystemExit(f"{kind} {how} of {src} broke off:\n{(done.stdout + done.stderr)[-4000:]}")
    data: Data = json.loads(out.read_text())
    return data


def between_orders(one: Data, two: Data) -> list[str]:
    """Return the programs that are compiled differently if the corpus is compiled backwards, in
    another process."""
    found = []
    for name, methods in one["programs"].items():
        for method, data in methods.items():
            other = two["programs"][name].get(method)
            if other is None:
                continue
            keys = {*data, *other} - UNLIKE
            unlike = sorted(k for k in keys if data.get(k) != other.get(k))
            if unlike:
                found.append(f"{name} ({method}): {', '.join(unlike)}")
    if not {*two["conversions"]} <= {*one["conversions"]}:
        found.append("the conversions of data")
    return found
