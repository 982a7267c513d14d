"""Compile ``np.fft`` and ``scipy.fft``: their functions are texts (``text.fourier_transforms``,
``scipy_transforms``, ``cosine_transforms``), which take complex arrays, and real ones in their
place, as pairs."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from functools import partial
from types import ModuleType

import numpy as np

from pullback.core.later import LaterFunction
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.values import WRITTEN, Specialiser, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.complex_calls import OF_COMPLEX
from pullback.frontend.library.complex_numpy import has_text, partwise
from pullback.frontend.library.text import cosine_transforms, fourier_transforms, scipy_transforms

Handler = Callable[[Specialiser, Args, Kwargs, ast.AST], Value]


def _real_only(
    name: str, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    sp.refuse(
        node, f"{name} takes real numbers", "call it with z.real", error=ArgumentTypeError
    )


_NAMES = frozenset({
    *(f"{kind}fft{axes}" for kind in ("", "i", "r", "ir", "h", "ih") for axes in ("", "2", "n")),
    *(f"{kind}{axes}" for kind in ("dct", "idct", "dst", "idst") for axes in ("", "n")),
    "fftshift", "ifftshift", "fftfreq", "rfftfreq", "next_fast_len", "prev_fast_len",
})  # fmt: skip
"""The functions of ``scipy.fft`` that have texts: it is not imported for their sake."""


def _of_scipy(name: str) -> LaterFunction | None:
    return LaterFunction("scipy.fft", name) if name in _NAMES else None


def register_texts(file: ModuleType, function_of: Callable[[str], object], library: str) -> None:
    """Register the functions of a file by those of the library that have their names."""
    for name, text in vars(file).items():
        function = function_of(name) if inspect.isfunction(text) else None
        if function is None or text.__module__ != file.__name__:
            continue
        first = next(iter(inspect.signature(text).parameters.values()))
        if "Pair" not in (first.annotation, text.__annotations__["return"]):
            WRITTEN[function] = text
            OF_COMPLEX[function] = partial(partwise, function, (0,))
            continue
        handler = partial(has_text, text)
        register(function)(handler)
        is_pair = first.annotation == "Pair"
        OF_COMPLEX[function] = handler if is_pair else partial(_real_only, f"{library}.{name}")


register_texts(fourier_transforms, lambda name: getattr(np.fft, name, None), "np.fft")
for _file in (scipy_transforms, cosine_transforms):
    register_texts(_file, _of_scipy, "scipy.fft")

__all__ = ["register_texts"]
