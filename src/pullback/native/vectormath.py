"""Write exp, log, sin, ... of 8 doubles at once, as LLVM functions.

Results are within about 2 ulp of the true value, those of ``pow`` within one, and right at
infinities, NaN, zeros, subnormal and huge arguments. Every function is a range reduction and a
polynomial. The polynomials are Chebyshev interpolations (in 60 digits, then rounded) of the series
named beside them, on the reduced range; lists run from the constant term upwards. A product and a
sum are fused only where the text says ``fma``. The parts of ln 2 and pi/2 end in zero bits, so the
reductions would be exact without it too; where the rounding error of a product is needed, it is
``fma`` that gives it."""

from __future__ import annotations

from collections.abc import Callable

from pullback.lower.loopcode import LANES
from pullback.native import lane_angles, lane_exponentials, lane_logarithms, lane_powers
from pullback.native.lane_code import LaneCode, M, V

_BODIES: dict[str, Callable[..., str]] = {
    name: getattr(module, name)
    for module, names in (
        (lane_exponentials, ("exp", "exp2", "expm1", "sinh", "cosh", "tanh")),
        (lane_logarithms, ("log", "log1p", "log2", "log10", "asinh", "acosh", "atanh")),
        (lane_angles, ("sin", "cos", "tan", "asin", "acos", "atan", "atan2")),
        (lane_powers, ("pow", "cbrt", "hypot", "fmod")),
    )
    for name in names
}
_CONDITIONS: dict[str, Callable[..., str]] = {
    **dict.fromkeys(("sin", "cos", "tan"), lane_angles.near),
    "fmod": lane_powers.few_multiples,
}

INLINE = frozenset(_BODIES)
"""The functions of this file."""
CONDITIONAL = frozenset(_CONDITIONS)
"""Those that call the scalar functions of the same names, for lanes that have a number that theirs
is not made for."""


def vector_function(name: str, count: int, attributes: str) -> str:
    """Return the text of ``<8 x double> @pb.v8.NAME(<8 x double>)``, with so many parameters."""
    code = LaneCode()
    names = ("%x", "%y")[:count]
    params = ", ".join(f"{V} {x}" for x in names)
    short = name not in CONDITIONAL
    inlined = "alwaysinline" if short else "inlinehint"
    head = (
        f"define internal fastcc {V} @pb.v{LANES}.{name}({params}) nounwind memory(none) "
        f"{inlined} {attributes} {{"
    )
    if short:
        result = _BODIES[name](code, *names)
        return "\n".join([head, *code.lines, f"  ret {V} {result}", "}", ""])
    near = _CONDITIONS[name](code, *names)
    test, code.lines = code.lines, []
    result = _BODIES[name](code, *names)
    return "\n".join(
        [
            head,
            *test,
            f"  %all = call i1 @llvm.vector.reduce.and.v{LANES}i1({M} {near})",
            "  br i1 %all, label %fast, label %slow",
            "fast:",
            *code.lines,
            f"  ret {V} {result}",
            "slow:",
            f"  %each = call fastcc {V} @pb.lanes.{name}({params})",
            f"  ret {V} %each",
            "}",
            "",
        ]
    )


__all__ = ["CONDITIONAL", "INLINE", "vector_function"]
