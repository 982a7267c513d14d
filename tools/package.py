"""Build the wheel and the source distribution, and try each in an empty environment:
``python -m tools.package``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = """
import numpy as np, pullback as pb
from pathlib import Path
def energy(x, k):
    return 0.5 * k * np.sum((x[1:] - x[:-1]) ** 2)
assert pb.grad(energy)(np.array([0.0, 1.0, 3.0]), 2.0).tolist() == [-2.0, -2.0, 4.0]
home = Path(pb.__file__).parent
assert (home / "py.typed").exists() and list((home / "demo" / "data").iterdir())
print("pullback", pb.__version__, "runs from", home.parent.name)
"""


def run(*words: str | Path, where: Path) -> None:
    """Run a command, and stop if it fails."""
    subprocess.run([str(w) for w in words], cwd=where, check=True, timeout=300)


def environment(folder: Path) -> Path:
    """Return the Python of a new environment."""
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def main() -> int:
    """Build and try; any failure ends the program with an error."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dist = folder / "dist"
        python = environment(folder / "build")
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(python, *pip, "build", where=folder)
        run(python, "-m", "build", "--outdir", dist, ROOT, where=folder)
        program = folder / "tried.py"
        program.write_text(PROGRAM)
        for k, made in enumerate(sorted(dist.iterdir())):
            python = environment(folder / f"empty{k}")
            run(python, *pip, made, where=folder)
            print(made.name)
            run(python, program, where=folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
