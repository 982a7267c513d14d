"""Krawiec et al., Fig. 12: rotating a vector by a quaternion."""

from __future__ import annotations

from typing import cast

from pullback.papers.delta.arrays import ARRAY
from pullback.papers.delta.eval import MAP
from pullback.papers.delta.rows import LIBRARY
from pullback.papers.delta.show import delta_of
from pullback.papers.delta.types import DELTA_DECL
from pullback.papers.delta.wrapper import gradient
from pullback.papers.language.build import E, lam, lets, term, tuple_
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    Fst,
    Lit,
    Pair,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Var,
)
from pullback.papers.language.values import ConV
from tests.papers.conformance import claim
from tests.papers.generate import (
    close,
)
from tests.papers.test_delta_monadic import binds, operations


def vec(v: E) -> tuple[E, E, E]:
    """The components of ((x,y),z)."""
    return E(Fst(Fst(v.t))), E(Snd(Fst(v.t))), E(Snd(v.t))


def quaternion(component: int = 0) -> Source:
    """Fig. 12, left: functions on records, here on tuples. A record is evaluated as a tuple."""
    vec3 = Prod(Prod(R, R), R)

    def dot(p: E) -> E:
        (a, b, c), (d, e, f) = vec(E(Fst(p.t))), vec(E(Snd(p.t)))
        return a * d + b * e + c * f

    def plus(p: E) -> Term:
        pairs = zip(vec(E(Fst(p.t))), vec(E(Snd(p.t))))
        return tuple_(*(a + b for a, b in pairs))

    def scale(p: E) -> Term:
        return tuple_(*(E(Fst(p.t)) * v for v in vec(E(Snd(p.t)))))

    def cross(p: E) -> Term:
        (ax, ay, az), (bx, by, bz) = vec(E(Fst(p.t))), vec(E(Snd(p.t)))
        return tuple_(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)

    def call(f: str, a: E | Term | float, b: E | Term) -> E:
        return E(Var(f))(Pair(term(a), term(b)))

    v, q, u, s = (E(Var(n)) for n in ("v", "q", "u", "s"))
    first = call("scale", E(Lit(2.0)) * call("dot", u, v), u)
    second = call("scale", s * s - call("dot", u, u), v)
    third = call("scale", E(Lit(2.0)) * s, call("cross", u, v))
    body = call("plus", call("plus", first, second), third)
    two = Prod(vec3, vec3)
    bound: list[tuple[str, Term]] = [
        ("dot", lam("p", two, dot)), ("plus", lam("p", two, plus)),
        ("scale", lam("p", Prod(R, vec3), scale)), ("cross", lam("p", two, cross)),
        ("u", Fst(q.t)), ("s", Snd(q.t)), ("out", body.t)]
    out = vec(E(Var("out")))[component]
    return Source((("q", Prod(vec3, R)), ("v", vec3)), lets(bound, out.t), R)


Q0, V0 = (((1.1, 2.2), 3.3), 4.4), ((5.5, 6.6), 7.7)
FIG12 = """
1 Add (Scale 5.5 (Var qy)) (Scale 2.2 (Var vx))
2 Add (Scale 6.6 (Var qx)) (Scale 1.1 (Var vy))
3 Add (Var x2) (Scale (-1.0) (Var x1))
4 Add (Scale 7.7 (Var qx)) (Scale 1.1 (Var vz))
5 Add (Scale 5.5 (Var qz)) (Scale 3.3 (Var vx))
6 Add (Var x5) (Scale (-1.0) (Var x4))
7 Add (Scale 6.6 (Var qz)) (Scale 3.3 (Var vy))
8 Add (Scale 7.7 (Var qy)) (Scale 2.2 (Var vz))
9 Add (Var x8) (Scale (-1.0) (Var x7))
10 Zero
11 Add (Scale 4.4 (Var x10)) (Scale 2 (Var qw))
12 Add (Scale (-4.84) (Var x11)) (Scale 8.8 (Var x3))
13 Add (Scale 9.68 (Var x11)) (Scale 8.8 (Var x6))
14 Add (Scale (-4.84) (Var x11)) (Scale 8.8 (Var x9))
15 Add (Scale 3.3 (Var qz)) (Scale 3.3 (Var qz))
16 Add (Scale 2.2 (Var qy)) (Scale 2.2 (Var qy))
17 Add (Scale 1.1 (Var qx)) (Scale 1.1 (Var qx))
18 Add (Var x17) (Var x16)
19 Add (Var x18) (Var x15)
20 Add (Scale 4.4 (Var qw)) (Scale 4.4 (Var qw))
21 Add (Var x20) (Scale (-1.0) (Var x19))
22 Add (Scale 7.7 (Var x21)) (Scale 2.42 (Var vz))
23 Add (Scale 6.6 (Var x21)) (Scale 2.42 (Var vy))
24 Add (Scale 5.5 (Var x21)) (Scale 2.42 (Var vx))
25 Add (Scale 7.7 (Var qz)) (Scale 3.3 (Var vz))
26 Add (Scale 6.6 (Var qy)) (Scale 2.2 (Var vy))
27 Add (Scale 5.5 (Var qx)) (Scale 1.1 (Var vx))
28 Add (Var x27) (Var x26)
29 Add (Var x28) (Var x25)
30 Zero
31 Add (Scale 45.98 (Var x30)) (Scale 2 (Var x29))
32 Add (Scale 3.3 (Var x31)) (Scale 91.96 (Var qz))
33 Add (Scale 2.2 (Var x31)) (Scale 91.96 (Var qy))
34 Add (Scale 1.1 (Var x31)) (Scale 91.96 (Var qx))
35 Add (Var x32) (Var x22)
36 Add (Var x33) (Var x23)
37 Add (Var x34) (Var x24)
38 Add (Var x35) (Var x12)
39 Add (Var x36) (Var x13)
40 Add (Var x37) (Var x14)
""".strip().splitlines()


@claim("KR-34")
def test_quaternion_values(row: str) -> None:
    found = [gradient(quaternion(k), (Q0, V0), 1.0, ARRAY)[0] for k in range(3)]
    assert close(found, [71.874, 303.468, 279.51], 1e-9)


@claim("KR-35")
def test_quaternion_trace(row: str) -> None:
    names = dict(enumerate(("qx", "qy", "qz", "qw", "vx", "vy", "vz"), 1))

    def text(d: object, top: bool = False) -> str:
        if isinstance(d, ConV) and d.name == "Var":
            i = cast(int, d.fields[0])
            out = f"Var {names.get(i, f'x{i - 7}')}"
        elif isinstance(d, ConV):
            out = " ".join([d.name, *(text(f) for f in d.fields)])
        else:
            assert isinstance(d, float)
            number = f"{d:.10g}"
            return "(-1.0)" if d == -1 else f"({number})" if d < 0 else number
        return out if top or " " not in out else f"({out})"

    made, body = binds(delta_of(quaternion(), (Q0, V0), order="rl", literals=True))
    assert [f"{i - 7} {text(rhs, True)}" for i, rhs in made] == FIG12
    assert text(body, True) == "Var x40"


@claim("KR-36")
def test_quaternion_without_literals(row: str) -> None:
    made, _ = binds(delta_of(quaternion(), (Q0, V0)))
    assert len(made) == 38 and all(rhs.name != "Zero" for _, rhs in made)


@claim("KR-37")
def test_quaternion_gradients(row: str) -> None:
    rows = [(91.96, 58.08, -77.44, 38.72, 4.84, -24.20, 26.62),
            (-58.08, 91.96, 38.72, 77.44, 33.88, 12.10, 4.84),
            (77.44, -38.72, 91.96, 58.08, -12.10, 24.20, 24.20)]
    for k, (a, b, c, d, e, f, g) in enumerate(rows):
        for store in (MAP, ARRAY):
            found = gradient(quaternion(k), (Q0, V0), 1.0, store)[1]
            assert close(found, ((((a, b), c), d), ((e, f), g)), 1e-9)


@claim("KR-38")
def test_delta_is_linear(row: str) -> None:
    assert [c for c, _ in DELTA_DECL.constructors] == ["Zero", "Scale", "Add", "Var", "Let"]
    m = Machine()
    s = quaternion()
    evaluate(s.body, {"q": Q0, "v": V0}, LIBRARY, m)
    made, _ = binds(delta_of(s, (Q0, V0), literals=True))
    assert len(made) == operations(m) + 2  # the operations and the two literals that are run
