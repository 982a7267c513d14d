"""Scalar functions that libm does not have, as LLVM text."""

from __future__ import annotations

from pullback.native.text import real_constant

# digamma(x) = log x - 1/(2x) - sum B_2k / (2k x^2k)
_ASYMPTOTIC = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def _digamma() -> str:
    """Reflection below zero, recurrence up to 10, then the asymptotic series."""
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


SPECIAL: dict[str, tuple[str, tuple[str, ...]]] = {"digamma": (_digamma(), ("log", "tan"))}
"""Name -> text of the function ``@pb.NAME``, and what it needs of libm (unary functions)."""
