"""Names that a function of the user's cannot have in C."""

from __future__ import annotations

from keyword import kwlist

KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while bool true false nullptr constexpr alignas alignof thread_local
    static_assert typeof asm main
"""

OF_REALS = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1
    fabs fdim floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround
    log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder
    remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""
"""Functions of math.h, each with its forms for float and long double."""

OF_MEMORY = """
    abort abs atexit atof atoi calloc div exit fflush fopen fprintf fputs free fwrite getenv labs
    longjmp malloc memchr memcmp memcpy memmove memset mmap munmap posix_memalign printf puts qsort
    rand realloc setjmp signal snprintf sprintf srand strcat strchr strcmp strcpy strlen strncmp
    strtod strtol system time
"""

RESERVED = frozenset(KEYWORDS.split()) | frozenset(OF_MEMORY.split()) | frozenset(kwlist)
RESERVED |= {name + end for name in OF_REALS.split() for end in ("", "f", "l")}
"""Words of C and Python, and functions of C's library: the object itself calls some of these."""

__all__ = ["RESERVED"]
