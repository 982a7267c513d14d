"""Write calls of mathematical functions, ``call:NAME`` in the table of primitives: of libm for
scalars, and in lanes of ``vectormath``, or of libm for one lane after the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass, field
from pullback.lower.loopcode import LANES, Ty
from pullback.native.compile import wide_vectors
from pullback.native.special import SPECIAL
from pullback.native.text import LLVM, llvm_type
from pullback.native.vectormath import CONDITIONAL, INLINE, vector_function

if TYPE_CHECKING:
    from pullback.native.emit import FunctionText

_PURE = "nounwind willreturn memory(none)"  # nobody reads errno
_REMAINDER = re.compile(r"(\S+) = frem <\d+ x \w+> (.+), (.+?)")
_AS_IT_IS = frozenset({"pow", "powf"})
"""Functions that LLVM would replace by others, which round differently (``2.0 ** x`` is not
exp2(x))."""


@dataclass(slots=True)
class MathLibrary:
    """The mathematical functions that a module calls."""

    scalars: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The called functions of libm on scalars: name -> (scalar type, number of arguments)."""
    vectors: dict[str, int] = field(default_factory=dict)
    """The called functions of ``vectormath``: name of the function on doubles -> number of
    arguments."""
    lanes: dict[str, int] = field(default_factory=dict)
    """The functions called for one lane after the other: name of the function on doubles -> number
    of arguments."""
    inlined: bool = False
    """Whether the code of those functions shall belong to the lines that call them."""

    def attributes(self) -> str:
        """Return function attributes; they keep <8 x double> whole where the machine has such
        registers."""
        if not wide_vectors():
            return ""
        return '"prefer-vector-width"="512" "min-legal-vector-width"="512"'

    def call(
        self, f: FunctionText, name: str, ty: Ty, lanes: int, args: tuple[str, ...]
    ) -> str:
        """Print a call. Return its result. float32 in lanes goes through float64."""
        if lanes == 1:
            return self._scalar(f, name, ty, args)
        wide = llvm_type(Ty.F64, LANES)
        if ty is Ty.F32:
            single = llvm_type(Ty.F32, LANES)
            args = tuple(f.let(f"fpext {single} {a} to {wide}") for a in args)
        text = ", ".join(f"{wide} {a}" for a in args)
        result = f.let(f"call fastcc {wide} {self._vector(name, len(args))}({text})")
        if ty is Ty.F32:
            result = f.let(f"fptrunc {wide} {result} to {llvm_type(Ty.F32, LANES)}")
        return result

    def line(self, f: FunctionText, text: str, ty: Ty, lanes: int) -> None:
        """Print an instruction of a row. The remainder in lanes is a function of ``vectormath``;
        LLVM's is a call for one lane after the other."""
        found = _REMAINDER.fullmatch(text) if lanes > 1 else None
        if found is None:
            f.line(text)
            return
        result = self.call(f, "fmod", ty, lanes, (found[2], found[3]))
        f.line(f"{found[1]} = freeze {llvm_type(ty, lanes)} {result}")

    def _scalar(self, f: FunctionText, name: str, ty: Ty, args: tuple[str, ...]) -> str:
        one = LLVM[ty]
        if name in SPECIAL and ty is Ty.F32:
            wide = tuple(f.let(f"fpext float {a} to double") for a in args)
            return f.let(f"fptrunc double {self._scalar(f, name, Ty.F64, wide)} to float")
        symbol = self._symbol(name, ty, len(args))
        text = ", ".join(f"{one} {a}" for a in args)
        return f.let(f"call {one} @{symbol}({text})")

    def _symbol(self, name: str, ty: Ty, n: int) -> str:
        symbol = f"pb.{name}" if name in SPECIAL else name + ("f" if ty is Ty.F32 else "")
        self.scalars[symbol] = (LLVM[ty], n)
        if name in SPECIAL:
            for needed in SPECIAL[name][1]:
                self.scalars[needed] = ("double", 1)
        return symbol

    def _vector(self, name: str, n: int) -> str:
        if name in INLINE:
            self.vectors[name] = n
            if name in CONDITIONAL:
                self._by_lane(name, n)
            return f"@pb.v{LANES}.{name}"
        return self._by_lane(name, n)

    def _by_lane(self, name: str, n: int) -> str:
        self.lanes[name] = n
        self._symbol(name, Ty.F64, n)
        return f"@pb.lanes.{name}"

    def text(self) -> str:
        """Return the declarations and definitions of all functions that were called."""
        out = []
        for symbol, (ty, n) in sorted(self.scalars.items()):
            if symbol.startswith("pb."):
                out.append(SPECIAL[symbol[3:]][0])
            else:
                known = " nobuiltin" if symbol in _AS_IT_IS else ""
                out.append(f"declare {ty} @{symbol}({', '.join([ty] * n)}) {_PURE}{known}\n")
        out += [vector_function(*one, self.attributes()) for one in sorted(self.vectors.items())]
        out += [self._lane_function(name, n) for name, n in sorted(self.lanes.items())]
        return "".join(out)

    def _lane_function(self, name: str, n: int) -> str:
        apart = "alwaysinline" if self.inlined else "noinline"
        wide = llvm_type(Ty.F64, LANES)
        params = ", ".join(f"{wide} %x{j}" for j in range(n))
        symbol = f"pb.{name}" if name in SPECIAL else name
        lines = [
            f"define internal fastcc {wide} @pb.lanes.{name}({params}) {_PURE} {apart} "
            f"{self.attributes()} {{"
        ]
        acc = "poison"
        for k in range(LANES):
            args = []
            for j in range(n):
                lines.append(f"  %a{j}.{k} = extractelement {wide} %x{j}, i64 {k}")
                args.append(f"double %a{j}.{k}")
            lines.append(f"  %y{k} = call double @{symbol}({', '.join(args)})")
            lines.append(f"  %r{k} = insertelement {wide} {acc}, double %y{k}, i64 {k}")
            acc = f"%r{k}"
        return "\n".join([*lines, f"  ret {wide} {acc}", "}", ""])
