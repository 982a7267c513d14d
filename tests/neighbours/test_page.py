"""The blocks of the page about neighbours run as one program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.house.test_docs import ROOT, python_of

PAGE = ROOT / "docs" / "guide" / "neighbours.md"


def test_the_blocks_run(tmp_path: Path) -> None:
    program = tmp_path / "neighbours_page.py"
    program.write_text(python_of(PAGE))
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    subprocess.run(
        [sys.executable, "-W", "ignore", str(program)], cwd=tmp_path, check=True, timeout=300,
        env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
