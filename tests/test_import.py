"""What is imported, and when: the compiler and SciPy where they are first needed."""

import subprocess
import sys
from pathlib import Path

ONLY_IMPORTED = """
import sys, pullback
late = ("ad.reverse", "frontend.specialise", "opt.cse", "papers.methods", "pipeline")
assert not [name for name in late if f"pullback.{name}" in sys.modules]
assert not [name for name in sys.modules if name.startswith("scipy")]
"""

PROGRAM = """
import sys, pullback as pb
def f(x):
    return x * x * x
assert pb.grad(f)(2.0) == 12.0
print("pullback.frontend.specialise" in sys.modules, "scipy.special" in sys.modules)
"""

COUNTED = """
import sys, pullback
print(sum(name.split(".")[0] == "pullback" for name in sys.modules))
"""
MOST_MODULES = 487
"""So many of its modules an import brings at most; it is to fall."""

SCIPY = """
import sys, pullback as pb, scipy
def f(x):
    return scipy.special.erf(x)
assert abs(pb.grad(f)(0.0) - 1.1283791670955126) < 1e-15
"""


def run(text: str, folder: Path, name: str = "program.py") -> str:
    file = folder / name
    file.write_text(text)
    environment = {"PULLBACK_CACHE": str(folder / "cache"), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(file)], env=environment, capture_output=True, text=True, check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_import_brings_neither_the_compiler_nor_scipy(tmp_path: Path) -> None:
    run(ONLY_IMPORTED, tmp_path)


def test_an_import_brings_few_modules(tmp_path: Path) -> None:
    assert int(run(COUNTED, tmp_path)) <= MOST_MODULES


def test_a_kept_program_needs_no_compiler(tmp_path: Path) -> None:
    assert run(PROGRAM, tmp_path) == "True False\n"
    assert run(PROGRAM, tmp_path) == "False False\n"


def test_functions_of_scipy_are_known_by_name(tmp_path: Path) -> None:
    run(SCIPY, tmp_path)
