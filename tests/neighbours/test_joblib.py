"""joblib, loky, multiprocessing, cloudpickle: operators of programs and of notebooks in workers."""

from __future__ import annotations

import linecache
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import cloudpickle
import joblib
import numpy as np
import pytest

import pullback as pb
from tests.house.test_docs import ROOT

PROGRAM = ROOT / "tests" / "neighbours" / "joblib_program.py"


def output(program: Path, *words: str, **more: str) -> list[str]:
    """Return the lines that a program prints."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, str(program), *words], check=False, timeout=400, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": paths, **more},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("way", ["loky", "fork", "spawn"])
def test_a_program(way: str, tmp_path: Path) -> None:
    found = output(PROGRAM, way, PULLBACK_CACHE=str(tmp_path))
    assert len(found) == 14 and all(line.startswith(way) for line in found)


CELLS = """
import linecache
import numpy as np
import joblib
import multiprocessing
import pullback as pb

def cell(number, text):  # as IPython does it
    name = f"<ipython-input-{number}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    exec(compile(text, name, "exec"), globals())

cell(1, "K = 2.0\\ndef inner(x):\\n    return np.sin(x * K)\\n")
cell(2, "def loss(x):\\n    return inner(x) * x\\nslope = pb.grad(loss)\\n")
cell(3, "twice = pb.grad(lambda x: loss(x) * 2.0)\\n")
cell(4, "@pb.jit\\ndef cube(x):\\n    return loss(x) ** 3\\n")
for f in (slope, twice, cube):
    wanted = [f(x) for x in (0.5, 1.0)]
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(f)(x) for x in (0.5, 1.0))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(f, [0.5, 1.0]).get(60) == wanted == found
    print("same")
"""


def test_a_notebook(tmp_path: Path) -> None:
    program = tmp_path / "kernel.py"
    program.write_text(CELLS)
    assert output(program) == ["same"] * 3


SHARED = """
import os
import sys
import joblib
import numpy as np
import pullback as pb

def loss(x):
    return np.sum(np.sin(x) * x)

def written():
    from pullback.native import object_cache
    return os.getpid(), object_cache._writes

if __name__ == "__main__":
    x = np.ones(3)
    gradient = pb.grad(loss)
    gradient(x)
    assert written()[1] > 0
    run = joblib.Parallel(n_jobs=2)
    run(joblib.delayed(gradient)(x * k) for k in range(8))
    counts = dict(run(joblib.delayed(written)() for _ in range(8)))
    print(sum(counts.values()))
"""


def test_workers_share_kept_code(tmp_path: Path) -> None:
    program = tmp_path / "shared.py"
    program.write_text(SHARED)
    assert output(program, PULLBACK_CACHE=str(tmp_path / "kept")) == ["0"]


def test_cloudpickle_keeps_the_names_of_files() -> None:
    file = "<a cell>"
    text = "def f(x):\n    return (lambda y: y * 3.0)(x)\n"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, file, "exec"), names)
    image = cloudpickle.dumps(pb.grad(names["f"]))
    del linecache.cache[file]
    again = pickle.loads(image)
    assert again.__wrapped__.__code__.co_filename == file
    assert again(2.0) == 3.0


def test_a_text_that_differs_is_no_source() -> None:
    file = "<another cell>"
    text = "def f(x):\n    return x * 3.0\n"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, file, "exec"), names)
    other = text.replace("3.0", "4.0")
    linecache.cache[file] = len(other), None, other.splitlines(keepends=True), file
    again = pickle.loads(cloudpickle.dumps(pb.grad(names["f"])))
    with pytest.raises(pb.PullbackError, match="is not the source"):
        again(2.0)


def test_errors_of_workers_are_told_once() -> None:
    with pytest.raises(pb.PullbackError) as error:
        joblib.Parallel(n_jobs=2)(joblib.delayed(pb.grad(np.sin))(k) for k in (1, 2))
    assert isinstance(error.value, TypeError)
    assert str(error.value).count("type error") == 1
    assert pickle.loads(pickle.dumps(error.value)).reason == error.value.reason
