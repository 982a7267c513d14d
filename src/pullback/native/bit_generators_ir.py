"""The LLVM text of bit generators, and of the numbers that Python and NumPy make of a Mersenne
Twister: O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
Random Number Generation (2014); Matsumoto and Nishimura, Mersenne Twister (1998); Kinderman and
Monahan, Computer Generation of Random Variables Using the Ratio of Uniform Deviates (1977).

A PCG64 is its state and increment, 16 bytes each, then whether half of a number is left, and that
half. A Mersenne Twister is 624 words of 32 bits, the place of the next one, whether a normal number
is left, and that number.
"""

from __future__ import annotations

import math
import struct


def number_text(x: float) -> str:
    """Return a number as LLVM writes it."""
    return "0x" + struct.pack(">d", x).hex().upper()


_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645

_PCG = f"""\
declare i64 @llvm.fshr.i64(i64, i64, i64)

define internal i64 @pcg_64(ptr %s) {{
  %state = load i128, ptr %s, align 16
  %at = getelementptr i8, ptr %s, i64 16
  %inc = load i128, ptr %at, align 16
  %m = mul i128 %state, {_MULTIPLIER}
  %new = add i128 %m, %inc
  store i128 %new, ptr %s, align 16
  %high2 = lshr i128 %new, 64
  %high = trunc i128 %high2 to i64
  %low = trunc i128 %new to i64
  %x = xor i64 %high, %low
  %turn2 = lshr i128 %new, 122
  %turn = trunc i128 %turn2 to i64
  %v = call i64 @llvm.fshr.i64(i64 %x, i64 %x, i64 %turn)
  ret i64 %v
}}

define internal i32 @pcg_32(ptr %s) {{
  %has = getelementptr i8, ptr %s, i64 32
  %spare = getelementptr i8, ptr %s, i64 36
  %h = load i32, ptr %has
  %there = icmp ne i32 %h, 0
  br i1 %there, label %second, label %first
second:
  store i32 0, ptr %has
  %old = load i32, ptr %spare
  ret i32 %old
first:
  %v = call i64 @pcg_64(ptr %s)
  store i32 1, ptr %has
  %up = lshr i64 %v, 32
  %upper = trunc i64 %up to i32
  store i32 %upper, ptr %spare
  %lower = trunc i64 %v to i32
  ret i32 %lower
}}

define internal double @pcg_double(ptr %s) {{
  %v = call i64 @pcg_64(ptr %s)
  %top = lshr i64 %v, 11
  %d = uitofp i64 %top to double
  %r = fmul double %d, 0x3CA0000000000000
  ret double %r
}}
"""

_TWISTER = """\
define internal void @twist(ptr %s) {
entry:
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%next, %loop]
  %next = add i64 %k, 1
  %wraps = icmp eq i64 %next, 624
  %k1 = select i1 %wraps, i64 0, i64 %next
  %far = add i64 %k, 397
  %less = sub i64 %k, 227
  %over = icmp uge i64 %far, 624
  %k397 = select i1 %over, i64 %less, i64 %far
  %p = getelementptr i32, ptr %s, i64 %k
  %p1 = getelementptr i32, ptr %s, i64 %k1
  %p397 = getelementptr i32, ptr %s, i64 %k397
  %a = load i32, ptr %p
  %b = load i32, ptr %p1
  %upper = and i32 %a, -2147483648
  %lower = and i32 %b, 2147483647
  %y = or i32 %upper, %lower
  %half = lshr i32 %y, 1
  %c = load i32, ptr %p397
  %mixed = xor i32 %c, %half
  %odd = and i32 %y, 1
  %minus = sub i32 0, %odd
  %matrix = and i32 %minus, -1727483681
  %new = xor i32 %mixed, %matrix
  store i32 %new, ptr %p
  br i1 %wraps, label %done, label %loop
done:
  ret void
}

define internal i32 @mt_32(ptr %s) {
  %at = getelementptr i32, ptr %s, i64 624
  %pos = load i32, ptr %at
  %empty = icmp sge i32 %pos, 624
  br i1 %empty, label %anew, label %there
anew:
  call void @twist(ptr %s)
  br label %there
there:
  %k = phi i32 [%pos, %0], [0, %anew]
  %k64 = zext i32 %k to i64
  %p = getelementptr i32, ptr %s, i64 %k64
  %y0 = load i32, ptr %p
  %more = add i32 %k, 1
  store i32 %more, ptr %at
  %s11 = lshr i32 %y0, 11
  %y1 = xor i32 %y0, %s11
  %s7 = shl i32 %y1, 7
  %m7 = and i32 %s7, -1658038656
  %y2 = xor i32 %y1, %m7
  %s15 = shl i32 %y2, 15
  %m15 = and i32 %s15, -272236544
  %y3 = xor i32 %y2, %m15
  %s18 = lshr i32 %y3, 18
  %y4 = xor i32 %y3, %s18
  ret i32 %y4
}

define internal i64 @mt_64(ptr %s) {
  unreachable
}

define internal double @mt_double(ptr %s) {
  %a = call i32 @mt_32(ptr %s)
  %b = call i32 @mt_32(ptr %s)
  %a5 = lshr i32 %a, 5
  %b6 = lshr i32 %b, 6
  %x = uitofp i32 %a5 to double
  %y = uitofp i32 %b6 to double
  %m = fmul double %x, 67108864.0
  %t = fadd double %m, %y
  %r = fdiv double %t, 9007199254740992.0
  ret double %r
}

define internal double @mt_polar(ptr %s) {
entry:
  %has = getelementptr i32, ptr %s, i64 625
  %spare = getelementptr i32, ptr %s, i64 626
  %h = load i32, ptr %has
  %there = icmp ne i32 %h, 0
  br i1 %there, label %second, label %try
second:
  %old = load double, ptr %spare
  store i32 0, ptr %has
  store double 0.0, ptr %spare
  ret double %old
try:
  %u = call double @mt_double(ptr %s)
  %u2 = fmul double 2.0, %u
  %x1 = fsub double %u2, 1.0
  %v = call double @mt_double(ptr %s)
  %v2 = fmul double 2.0, %v
  %x2 = fsub double %v2, 1.0
  %q1 = fmul double %x1, %x1
  %q2 = fmul double %x2, %x2
  %r2 = fadd double %q1, %q2
  %large = fcmp oge double %r2, 1.0
  %zero = fcmp oeq double %r2, 0.0
  %again = or i1 %large, %zero
  br i1 %again, label %try, label %found
found:
  %l = call double @log(double %r2)
  %m2 = fmul double -2.0, %l
  %q = fdiv double %m2, %r2
  %f = call double @sqrt(double %q)
  %keep = fmul double %f, %x1
  store double %keep, ptr %spare
  store i32 1, ptr %has
  %r = fmul double %f, %x2
  ret double %r
}

define internal double @mt_circle(ptr %s) {
entry:
  %has = getelementptr i32, ptr %s, i64 625
  %spare = getelementptr i32, ptr %s, i64 626
  %h = load i32, ptr %has
  %there = icmp ne i32 %h, 0
  br i1 %there, label %second, label %first
second:
  %old = load double, ptr %spare
  store i32 0, ptr %has
  store double 0.0, ptr %spare
  br label %done
first:
  %u = call double @mt_double(ptr %s)
  %angle = fmul double %u, 0x401921FB54442D18
  %v = call double @mt_double(ptr %s)
  %w = fsub double 1.0, %v
  %l = call double @log(double %w)
  %m2 = fmul double -2.0, %l
  %g = call double @sqrt(double %m2)
  %c = call double @cos(double %angle)
  %z = fmul double %c, %g
  %sine = call double @sin(double %angle)
  %keep = fmul double %sine, %g
  store double %keep, ptr %spare
  store i32 1, ptr %has
  br label %done
done:
  %r = phi double [%old, %second], [%z, %first]
  %moved = fadd double 0.0, %r
  ret double %moved
}

define internal double @mt_ratio(ptr %s) {
entry:
  br label %try
try:
  %u = call double @mt_double(ptr %s)
  %v = call double @mt_double(ptr %s)
  %w = fsub double 1.0, %v
  %d = fsub double %u, 0.5
  %n = fmul double MAGIC, %d
  %z = fdiv double %n, %w
  %zz2 = fmul double %z, %z
  %zz = fdiv double %zz2, 4.0
  %l = call double @log(double %w)
  %m = fneg double %l
  %fine = fcmp ole double %zz, %m
  br i1 %fine, label %found, label %try
found:
  %moved = fadd double 0.0, %z
  ret double %moved
}

define internal double @mt_waiting(ptr %s) {
  %u = call double @mt_double(ptr %s)
  %w = fsub double 1.0, %u
  %l = call double @log(double %w)
  %r = fneg double %l
  ret double %r
}

define internal i64 @mt_below(ptr %s, i64 %n) {
entry:
  %zeros = call i64 @llvm.ctlz.i64(i64 %n, i1 false)
  %bits = sub i64 64, %zeros
  %wide = icmp ugt i64 %bits, 32
  br label %try
try:
  %a = call i32 @mt_32(ptr %s)
  %a64 = zext i32 %a to i64
  br i1 %wide, label %two, label %one
one:
  %shift1 = sub i64 32, %bits
  %v1 = lshr i64 %a64, %shift1
  br label %ask
two:
  %b = call i32 @mt_32(ptr %s)
  %b64 = zext i32 %b to i64
  %shift2 = sub i64 64, %bits
  %top = lshr i64 %b64, %shift2
  %up = shl i64 %top, 32
  %v2 = or i64 %up, %a64
  br label %ask
ask:
  %v = phi i64 [%v1, %one], [%v2, %two]
  %large = icmp uge i64 %v, %n
  br i1 %large, label %try, label %found
found:
  ret i64 %v
}

declare i64 @llvm.ctlz.i64(i64, i1)
declare double @log(double)
declare double @sqrt(double)
declare double @sin(double)
declare double @cos(double)
"""


def bit_generators_text() -> str:
    """Return the text."""
    magic = number_text(4.0 * math.exp(-0.5) / math.sqrt(2.0))
    return _PCG + _TWISTER.replace("MAGIC", magic)


__all__ = ["bit_generators_text", "number_text"]
