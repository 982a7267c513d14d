"""Write scalar functions that libm does not have, as LLVM text."""

from __future__ import annotations

from pullback.core.scipy_functions import KERNELS, PREFIX, Kernel, symbol_of
from pullback.native.text import real_constant

# digamma(x) = log x - 1/(2x) - sum B_2k / (2k x^2k)
_ASYMPTOTIC = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def _digamma() -> str:
    """Write digamma: reflection below zero, recurrence up to 10, then the asymptotic series."""
    pi, inf, nan = (real_constant(v) for v in (3.141592653589793, float("inf"), float("nan")))
    horner = [f"  %s{len(_ASYMPTOTIC) - 1} = fadd double {real_constant(_ASYMPTOTIC[-1])}, 0.0"]
    for k in range(len(_ASYMPTOTIC) - 2, -1, -1):
        horner.append(f"  %m{k} = fmul double %s{k + 1}, %zz")
        horner.append(f"  %s{k} = fadd double %m{k}, {real_constant(_ASYMPTOTIC[k])}")
    return f"""
define internal double @pb.digamma(double %x) nounwind willreturn memory(none) noinline {{
entry:
  %positive = fcmp ogt double %x, 0.0
  br i1 %positive, label %start, label %reflect
reflect:
  ; digamma(x) = digamma(1 - x) - pi / tan(pi x), with x taken modulo 1
  %whole = call double @llvm.rint.f64(double %x)
  %frac = fsub double %x, %whole
  %pole = fcmp oeq double %frac, 0.0
  %angle = fmul double %frac, {pi}
  %t = call double @tan(double %angle)
  %cot = fdiv double {pi}, %t
  %mirror = fsub double 1.0, %x
  %unsigned = call double @llvm.copysign.f64(double {inf}, double %x)
  %atzero = fneg double %unsigned
  %zero = fcmp oeq double %x, 0.0
  %poles = select i1 %zero, double %atzero, double {nan}
  br label %start
start:
  %x0 = phi double [ %x, %entry ], [ %mirror, %reflect ]
  %less0 = phi double [ 0.0, %entry ], [ %cot, %reflect ]
  %at.pole = phi i1 [ false, %entry ], [ %pole, %reflect ]
  %pole.value = phi double [ 0.0, %entry ], [ %poles, %reflect ]
  br label %up
up:
  %y = phi double [ %x0, %start ], [ %y1, %step ]
  %less = phi double [ %less0, %start ], [ %less1, %step ]
  %small = fcmp olt double %y, 10.0
  br i1 %small, label %step, label %series
step:
  %inverse = fdiv double 1.0, %y
  %less1 = fadd double %less, %inverse
  %y1 = fadd double %y, 1.0
  br label %up
series:
  %z = fdiv double 1.0, %y
  %zz = fmul double %z, %z
{chr(10).join(horner)}
  %tail = fmul double %s0, %zz
  %half = fmul double %z, 0.5
  %log = call double @log(double %y)
  %a = fsub double %log, %half
  %b = fsub double %a, %tail
  %c = fsub double %b, %less
  %infinite = fcmp oeq double %x, {inf}
  %d = select i1 %infinite, double {inf}, double %c
  %e = select i1 %at.pole, double %pole.value, double %d
  ret double %e
}}
"""


# zeta(s, q) = sum of (q + k)**-s for k < n, and the Euler-Maclaurin formula from q + n on:
# x**(1-s) / (s-1) + x**-s / 2 + sum of B_2j / (2j)! * s (s+1) ... (s+2j-2) * x**(1-s-2j)
_BERNOULLI = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
    1 / 74724249600, -3617 / 10670622842880000,
)  # fmt: skip


def _zeta_tail() -> str:
    """Write the terms of the series after the first two, each from the one before."""
    tail = []
    for k, coefficient in enumerate(_BERNOULLI):
        i, j = real_constant(2.0 * k + 1), real_constant(2.0 * k + 2)
        tail += [
            f"  %t{k} = fmul double %a{k}, {real_constant(coefficient)}",
            f"  %s{k + 1} = fadd double %s{k}, %t{k}",
            f"  %i{k} = fadd double %s, {i}",
            f"  %j{k} = fadd double %s, {j}",
            f"  %ij{k} = fmul double %i{k}, %j{k}",
            f"  %b{k} = fmul double %a{k}, %ij{k}",
            f"  %a{k + 1} = fmul double %b{k}, %inverse",
        ]
    return "\n".join(tail)


def _zeta_power() -> str:
    """Write x to the power of n = -s: the derivatives of digamma have s = 2 and 3."""
    two, three = real_constant(2.0), real_constant(3.0)
    return f"""
define internal double @pb.zeta.power(double %x, double %n) nounwind willreturn memory(none) {{
  %s = fneg double %n
  %cube = fcmp oeq double %s, {three}
  %square = fcmp oeq double %s, {two}
  %few = or i1 %cube, %square
  br i1 %few, label %product, label %any
product:
  %r = fdiv double 1.0, %x
  %more = select i1 %cube, double %r, double 1.0
  %rr = fmul double %r, %r
  %result = fmul double %rr, %more
  ret double %result
any:
  %p = call double @llvm.pow.f64(double %x, double %n)
  ret double %p
}}
"""


def _zeta() -> str:
    """Write the Hurwitz zeta function: the recurrence up to s + 10, then the series; a pole gives
    infinity."""
    inf, nan, ten = (real_constant(v) for v in (float("inf"), float("nan"), 10.0))
    lowest, tiny = (real_constant(v) for v in (-1e7, 1e-290))
    return f"""
define internal double @pb.zeta(double %s, double %q) nounwind willreturn memory(none) noinline {{
entry:
  %n = fneg double %s
  %limit = fadd double %s, {ten}
  %possible = fcmp ogt double %q, {lowest}
  %defined = fcmp ogt double %s, 1.0
  %go = and i1 %possible, %defined
  br i1 %go, label %up, label %none
none:
  %pole = fcmp oeq double %s, 1.0
  %r = select i1 %pole, double {inf}, double {nan}
  ret double %r
up:
  %x = phi double [ %q, %entry ], [ %x1, %step ]
  %sum = phi double [ 0.0, %entry ], [ %sum1, %step ]
  %small = fcmp olt double %x, %limit
  br i1 %small, label %step, label %series
step:
  %zero = fcmp oeq double %x, 0.0
  %p = call double @pb.zeta.power(double %x, double %n)
  %term = select i1 %zero, double {inf}, double %p
  %sum1 = fadd double %sum, %term
  %x1 = fadd double %x, 1.0
  br label %up
series:
  %w = call double @pb.zeta.power(double %x, double %n)
  %xw.near = fmul double %x, %w
  %s.1 = fsub double %s, 1.0
  %far = fcmp olt double %w, {tiny}
  br i1 %far, label %lost, label %rest
lost:
  %n.1 = fadd double %n, 1.0
  %xw.far = call double @llvm.pow.f64(double %x, double %n.1)
  br label %rest
rest:
  %xw = phi double [ %xw.near, %series ], [ %xw.far, %lost ]
  %integral = fdiv double %xw, %s.1
  %half = fmul double %w, 0.5
  %both = fadd double %integral, %half
  %s0 = fadd double %sum, %both
  %xx = fmul double %x, %x
  %inverse = fdiv double 1.0, %xx
  %ws = fmul double %w, %s
  %a0 = fdiv double %ws, %x
{_zeta_tail()}
  %infinite = fcmp oeq double %q, {inf}
  %finite = select i1 %infinite, double 0.0, double %s{len(_BERNOULLI)}
  %floor = call double @llvm.floor.f64(double %q)
  %whole = fcmp oeq double %floor, %q
  %low = fcmp ole double %q, 0.0
  %at.pole = and i1 %whole, %low
  %result = select i1 %at.pole, double {inf}, double %finite
  ret double %result
}}
"""


def _of_scipy(name: str, kernel: Kernel) -> str:
    """Write a call of a function of SciPy's."""
    pure, symbol = "nounwind willreturn memory({})", f"pb_lapack_{PREFIX}{symbol_of(name)}"
    lines, types, given, k = list[str](), list[str](), list[str](), 0
    for kind in kernel.takes:
        if kind == "l":
            lines.append(f"%n{k} = call i64 @llvm.fptosi.sat.i64.f64(double %x{k})")
            types, given, k = [*types, "i64"], [*given, f"i64 %n{k}"], k + 1
            continue
        for _ in range(2 if kind == "D" else 1):
            types, given, k = [*types, "double"], [*given, f"double %x{k}"], k + 1
    slots = [LLVM_RESULTS[kind] for kind in kernel.gives]
    if kernel.pointers:
        lines += [f"%o{j} = alloca {slot}" for j, slot in enumerate(slots)]
        types += ["ptr"] * len(slots)
        given += [f"ptr %o{j}" for j in range(len(slots))]
    else:
        types, given = [*types, "i32"], [*given, "i32 0"]
    if kernel.slope is not None:  # the structure of a flag, and before it how many there are
        lines += ["%told = alloca {i32, i32}",
                  f"store {{i32, i32}} {{i32 1, i32 {int(kernel.slope)}}}, ptr %told"]  # fmt: skip
        types, given = [*types, "ptr"], [*given, "ptr %told"]
    result = "void" if kernel.pointers else slots[0]
    call = f"call {result} @{symbol}({', '.join(given)})"
    lines += [call] if kernel.pointers else [f"%r = {call}"]
    value, slot = "%r", slots[0]
    if kernel.pointers:
        places = [(j, half) for j, k in enumerate(kernel.gives) for half in range(1 + (k == "D"))]
        slot, value = slots[places[kernel.part][0]], "%p"
        lines.append(f"%p = load {slot}, ptr %o{places[kernel.part][0]}")
    if slot != "double":
        lines.append(f"%half = extractvalue {slot} {value}, {kernel.part % 2}")
        value = "%half"
    body = "\n".join(f"  {line}" for line in lines)
    own = "argmem: readwrite" if "ptr" in types else "none"
    params = ", ".join(f"double %x{j}" for j in range(kernel.arity))
    return f"""
declare {result} @{symbol}({", ".join(types)}) {pure.format(own)}
define internal double @pb.{name}({params}) {pure.format("none")} noinline {{
{body}
  ret double {value}
}}
"""


LLVM_RESULTS = {"d": "double", "D": "{double, double}"}
"""The types of what SciPy's functions give."""

SPECIAL: dict[str, tuple[str, tuple[str, ...]]] = {
    "digamma": (_digamma(), ("log", "tan")),
    "zeta": (_zeta_power() + _zeta(), ()),
    **{name: (_of_scipy(name, kernel), ()) for name, kernel in KERNELS.items()},
}
"""Name -> text of the function ``@pb.NAME``, and the functions of libm that it calls (functions of
one argument)."""
