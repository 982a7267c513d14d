"""mypy --strict and ruff, over the package and over planted mistakes."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False,
        timeout=300,
    )


def test_mypy_strict() -> None:
    done = tool("mypy", "-p", "pullback", "-p", "tools")
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff() -> None:
    done = tool("ruff", "check", "src", "tests", "benchmarks", "examples", "tools")
    assert done.returncode == 0, done.stdout + done.stderr


def test_planted_mistakes_are_caught(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("import os\n\n\ndef f(x):\n    return x\n")
    checked = tool("mypy", "--config-file", str(ROOT / "pyproject.toml"), str(path))
    assert "no-untyped-def" in checked.stdout
    linted = tool("ruff", "check", "--config", str(ROOT / "pyproject.toml"), str(path))
    assert "F401" in linted.stdout
