"""The LLVM text of scalar rows: fills the placeholders of ``Row.llvm``.

    {r}  the result register; ``{r}.x`` are further registers of the template
    {0} {1} {2}   operands
    {t} {s}  type and intrinsic suffix of the last operand: double, f64; <8 x double>, v8f64
    {d} {ds} the same of the result
    {b}  the type of a comparison of such operands: i1, <8 x i1>
    {i}  the type of ints as wide as such operands: i64, <8 x i64>
    {dtop} {dmin}   of an integer result: 2 to the (bits - 1), of type {t}; the least value, of {d}
    {zero} {one} {half} {inf} {tiny} {ones} {ones1} {false} {width} {width-1} {64} {0c}..{6c}
         constants of type {t} (tiny: the smallest normal number; ones: all bits set; ones1, false:
         of type {b}; width: of the int)

A cell can also be ``call:NAME`` (a mathematical function: NAME, for float NAMEf), ``cast:fp``,
``cast:int``, ``move``, ``checked:NAME``, ``require`` and ``lower``: ``expand`` does the casts, the
others are the business of ``lower`` and ``native``.
"""

from __future__ import annotations

import re

_HOLE = re.compile(r"\{([\w-]+)\}")

_SUFFIX = {"double": "f64", "float": "f32", "i64": "i64", "i32": "i32", "i1": "i1"}
_WIDTH = {"double": 64, "float": 32, "i64": 64, "i32": 32, "i16": 16, "i8": 8, "i1": 1}
_TOP = {"i64": "0x43E0000000000000", "i32": "0x41E0000000000000"}


def vector(scalar: str, lanes: int) -> str:
    """The type of ``lanes`` values of an LLVM scalar type."""
    return scalar if lanes == 1 else f"<{lanes} x {scalar}>"


def splat(scalar: str, value: str, lanes: int) -> str:
    """A constant (without its type) in every lane."""
    return value if lanes == 1 else f"splat ({scalar} {value})"


def _constant(name: str, scalar: str, lanes: int) -> str | None:
    real = scalar in ("double", "float")
    width = _WIDTH[scalar]
    match name:
        case "zero":
            return "zeroinitializer"
        case "false":
            return splat("i1", "false", lanes)
        case "ones1":
            return splat("i1", "true", lanes)
        case "ones":
            value = "true" if scalar == "i1" else "-1"
        case "one":
            value = "1.0" if real else "1"
        case "half":
            value = "0.5"
        case "inf":
            value = "0x7FF0000000000000"
        case "tiny":
            value = "0x0010000000000000" if width == 64 else "0x3810000000000000"
        case "width":
            value = str(width)
        case "width-1":
            value = str(width - 1)
        case "prime":
            value = str((1 << 61) - 1)
        case "31" | "33" | "64" | "0c" | "1c" | "2c" | "3c" | "4c" | "5c" | "6c":
            value = name.rstrip("c")
        case _:
            return None
    return splat(scalar, value, lanes)


def expand(
    text: str, result: str, args: tuple[str, ...], operand: str, dest: str, lanes: int = 1
) -> list[str]:
    """The lines of LLVM for a cell. ``operand`` and ``dest`` are the scalar LLVM types (double,
    float, i64, i32, i1) of the last operand and of the result; ``args`` are operands as text (the
    caller splats scalars).

    >>> expand("{r} = fadd {t} {0}, {1}", "%3", ("%1", "%2"), "double", "double", 8)
    ['%3 = fadd <8 x double> %1, %2']
    >>> expand("cast:fp", "%2", ("%1",), "float", "double")
    ['%2 = fpext float %1 to double']
    """
    if text in ("cast:fp", "cast:int"):
        return [f"{result} = {_cast(text, args[0], operand, dest, lanes)}"]
    prefix = "" if lanes == 1 else f"v{lanes}"
    holes = {
        "r": result,
        "t": vector(operand, lanes),
        "s": prefix + _SUFFIX[operand],
        "d": vector(dest, lanes),
        "ds": prefix + _SUFFIX[dest],
        "b": vector("i1", lanes),
        "i": vector(f"i{_WIDTH[operand]}", lanes),
        "dtop": splat(operand, _TOP.get(dest, ""), lanes),
        "dmin": splat(dest, str(-(1 << (_WIDTH[dest] - 1))), lanes),
        **{str(i): a for i, a in enumerate(args)},
    }

    def fill(m: re.Match[str]) -> str:
        name = m.group(1)
        if name in holes:
            return holes[name]
        constant = _constant(name, operand, lanes)
        if constant is None:
            raise ValueError(f"no placeholder {{{name}}} in {text!r}")
        return constant

    return _HOLE.sub(fill, text).split("\n")


def _cast(text: str, arg: str, operand: str, dest: str, lanes: int) -> str:
    t, d = vector(operand, lanes), vector(dest, lanes)
    wider, narrower = ("fpext", "fptrunc") if text == "cast:fp" else ("sext", "trunc")
    if _WIDTH[operand] == _WIDTH[dest]:
        return f"bitcast {t} {arg} to {d}"  # no instruction: a new name
    word = wider if _WIDTH[operand] < _WIDTH[dest] else narrower
    return f"{word} {t} {arg} to {d}"
