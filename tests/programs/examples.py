"""The programs of ``examples/``: each module gives ``inputs(n, seed) -> (function, arguments)``."""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

from pullback.call.tangents import differentiable
from tests.programs import Program

FOLDER = Path(__file__).parents[2] / "examples"

# Sizes for the agreement of values, and for growth, where the usual ones do not fit.
SIZES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "attention": ((3, 6), (4, 16, 64)),
    "conjugate_gradients": ((3, 8), (4, 16, 64)),
    "ctc": ((5, 9), (10, 100, 1000)),
    "determinant": ((2, 4), (2, 4, 6)),
    "fourier": ((4, 8), (8, 64, 512)),
    "gaussian_process": ((3, 6), (4, 10, 24)),
    "hamiltonian": ((12, 30), (20, 80, 320)),
    "influence": ((6, 10), (6, 24, 96)),
    "ridge": ((5, 8), (4, 12, 36)),  # at 3 a difference takes another number of steps
    "grammar": ((3, 5), (3, 6, 14)),
    "american_option": ((3, 8), (5, 16, 50)),
    "n_body": ((3, 6), (4, 12, 40)),
    "ray_marching": ((3, 6), (5, 50, 500)),
    "soft_alignment": ((3, 8), (5, 16, 50)),
    "transport": ((3, 6), (3, 8, 24)),
    "predator_prey": ((2, 5), (4, 40, 400)),
}
USUAL = ((3, 8), (10, 100, 1000))


def module_of(name: str) -> ModuleType:
    return importlib.import_module(f"examples.{name}")


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def program_of(name: str) -> Program:
    """The function is the same at all sizes; all arguments that have a derivative are used."""
    module = module_of(name)
    f, args = module.inputs(3, 0)
    sizes, growth = SIZES.get(name, USUAL)

    def make_args(rng: Any, n: int) -> tuple[Any, ...]:
        return module.inputs(n, n)[1]

    return Program(
        f"examples/{name}", f, make_args, differentiable(args), sizes, growth=growth
    )


PROGRAMS = [program_of(name) for name in names()]
