"""Programs with Python's complex numbers, each with its arguments."""

import cmath
import math
from dataclasses import dataclass

PROGRAMS = []


def program(*arguments):
    def enter(f):
        PROGRAMS.extend((f, given) for given in arguments)
        return f

    return enter


@program((0.1, 0.2), (-1.3, 0.05))
def mandelbrot(x, y):
    z = 0
    c = complex(x, y)
    for _ in range(10):
        z = z * z + c
    return abs(z)


@program((0.3 + 0.5j, 50), (1 + 1j, 50))
def escape_time(c, n):
    z = 0.0
    for k in range(n):
        if abs(z) > 2:
            return k
        z = z**2 + c
    return n


@program(([1.0, 2.0, 3.0],), ([0.5],))
def transform(xs):
    n = len(xs)
    return [
        sum(x * cmath.exp(-2j * cmath.pi * k * i / n) for i, x in enumerate(xs)) for k in range(n)
    ]


@program((0.5,), (-2.0,))
def literals(x):
    return (2 + 3j) * x - 1j * True + 2 / (1j + x), -0j, -1j, 1 - 0j


@program((1 + 2j,), (-0.0 - 1j,))
def parts(z):
    return z.real, z.imag, -z, +z, not z, abs(z), z.conjugate(), z == z.real, z != 1, bool(z)


@program((1 + 2j,), (1j,))
def structures(z):
    return (z, [z, 1j], {"a": z.conjugate()}, [1, z, 2.5])


@program((1 + 2.5j,), (1e16 - 0.5j,), (complex(-0.0, math.nan),))
def texts(z):
    shown = f"{z} {z:.2f} {z!r} {z.real:.1f}", str([z, 1j])
    return *shown, "%s" % z, "{:.1f}".format(z)  # noqa: UP031, UP032  # meant


@program((1 + 2j,))
def classes(z):
    named = type(z).__name__, type(z) is complex
    return (*named, isinstance(z, complex), isinstance(z, (int, float)), isinstance(1.0, complex))


@program((1 + 2j,))
def none_of_them(z):
    return z is None, z == None, z == "x", z != [1]  # noqa: E711  # meant


@program((1 + 2j,), (0.2j,))
def made(z):
    a = complex(1, 2) + complex("1+2j") + complex(z, z) + complex(imag=2.0) + complex(True)
    return a, pow(z, 2), sum([z, 1, 2.5]), (3).real + (2.5).imag + (2.5).conjugate()


@program((1 + 2j,))
def lists(z):
    out = []
    for k in range(4):
        out.append(z * k)
    f = lambda k: z * k  # meant
    return out, [f(k) for k in range(3)], z in out, out.index(z), [w.real for w in [z, 1j, 2]]


@program((1 + 2j,))
def lengths(z):
    return len([z, 2.0]), len([z]), len((1j, z, None))


@program((1 + 2j,))
def tables(z):
    d = {}
    for k in range(3):
        d[k] = z**k
    return d


@program((1 + 2j,), (3 + 6j,))
def on_some_paths(z):
    found = None if z.imag > 5 else z
    w = None
    for _ in range(3):
        w = z if w is None else w * z
    return found, w, abs(z) > 1 and z


@program((1.5 + 0.5j,))
def in_turns(z):
    a, b = z, 1
    while abs(a) < 100:
        a, b = a * a + 0.3, b * z
    a += 1
    a *= 2j
    a /= 2
    a -= 1j
    a **= 2
    return a, b


@dataclass(frozen=True)
class Phasor:
    z: complex
    size: float

    def turned(self):
        return Phasor(self.z * 1j, self.size)


@program((1 + 2j,))
def in_a_record(z):
    return Phasor(z, 1.0).turned().z, Phasor(z, 2.0)


@program((Phasor(1j, 2.0),))
def of_a_record(p):
    return p.turned().z * p.size


@program((1 + 2j,))
def matched(z):
    match z:
        case float():
            return 0.0
        case complex(real=r):
            return r


@program((0.5, 2.0), (0.0, 3.0))
def of_cmath(r, phi):
    z = cmath.rect(r, phi)
    return cmath.polar(z), cmath.phase(z), cmath.isclose(z, z + 1e-12), cmath.isnan(z), cmath.infj
