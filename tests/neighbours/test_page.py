"""Each section of the page about neighbours is a program, behind the imports that stand first."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from tests.house.test_docs import ROOT, python_of

PAGE = ROOT / "docs" / "guide" / "neighbours.md"
LINES = PAGE.read_text().splitlines()
STARTS = [k for k, line in enumerate(LINES) if line.startswith("## ")]
PYTHON = python_of(PAGE).splitlines()
IMPORTS = takewhile(lambda line: not line.startswith("def "), PYTHON)
FIRST = [line for line in IMPORTS if line.startswith(("import ", "from "))]


@pytest.mark.parametrize("start", STARTS, ids=lambda k: LINES[k].removeprefix("## "))
def test_the_blocks_run(start: int, tmp_path: Path) -> None:
    end = min((k for k in STARTS if k > start), default=len(LINES))
    program = tmp_path / "neighbours_page.py"
    program.write_text("\n".join([*FIRST, *PYTHON[start:end], ""]))
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    subprocess.run(
        [sys.executable, "-W", "ignore", str(program)], cwd=tmp_path, check=True, timeout=300,
        env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
