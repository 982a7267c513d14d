"""nutpie: its sampler calls the compiled log density and gradient, with no Python in between."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from nutpie import _lib
from nutpie.sample import CompiledModel

import pullback as pb
from pullback.api.c_functions import EXPANSION, CFunction


@dataclass(frozen=True)
class Model(CompiledModel):
    """A model for ``nutpie.sample``."""

    size: int
    logp: CFunction
    expand: CFunction
    variables: Mapping[str, tuple[int, ...]]
    start: Callable[[int], Any]

    @property
    def n_dim(self) -> int:
        """How many numbers a point has."""
        return self.size

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the variables, by name."""
        return dict(self.variables)

    @property
    def coords(self) -> dict[str, Any]:
        """The coordinates of the variables: none."""
        return {}

    def _make_sampler(
        self, settings: Any, init_mean: Any, cores: int, progress: Any, store: Any
    ) -> Any:
        return _lib.PySampler.from_pymc(
            settings, cores, self._make_model(init_mean), progress, store
        )

    def _make_model(self, init_mean: Any) -> Any:
        shapes = list(self.variables.values())
        many = sum(int(np.prod(s)) for s in shapes)
        names, types = list(self.variables), ["float64"] * len(shapes)
        axes = {
            name: [f"{name}_axis_{k}" for k in range(len(shape))]
            for name, shape in self.variables.items()
        }
        sizes = {
            axis: n for name, shape in self.variables.items()
            for axis, n in zip(axes[name], shape, strict=True)
        }  # fmt: skip
        return _lib.PyMcModel(
            _lib.LogpFunc(self.logp.address, 0, self),
            _lib.ExpandFunc(self.size, many, self.expand.address, 0, self),
            _lib.PyVariable.new_variables(names, types, shapes, sizes, axes),
            self.size, sizes, {}, self.start, None,
        )  # fmt: skip


def model(
    logp: Callable[..., Any], size: int, variables: Mapping[str, tuple[int, ...]] | None = None,
    expand: Callable[..., Any] | None = None, start: Any = None,
) -> Model:  # fmt: skip
    """Return a model for ``nutpie.sample``: the log density of an array of ``size`` numbers.

    ``variables`` names the parts of that array in a trace, with their shapes; ``expand``, another
    function of the array, returns the numbers of the trace in its place (constrained, derived).
    ``start`` is the first point (else one around 0). Raises ``NotImplementedError`` for a function
    that needs Python or LAPACK."""
    point = None if start is None else np.array(start, float)

    def first(seed: int) -> Any:
        rng = np.random.default_rng(seed)
        return rng.uniform(-1.0, 1.0, size) if point is None else point.copy()

    trial = (np.zeros(size) if point is None else point,)
    density = pb.cfunc(logp, like=trial)
    expansion = pb.cfunc(expand or np.positive, EXPANSION, like=trial)
    return Model(None, size, density, expansion, dict(variables or {"x": (size,)}), first)


__all__ = ["Model", "model"]
