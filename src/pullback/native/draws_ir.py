"""The LLVM text of draws of random numbers without Python: ``pb_draw`` has the form of the C
function of a Python function (``core.called_python``), and calls that of ``core.draws`` for all
that it does not do itself.

It does what loops draw: numbers of one parameter or none of ``numpy.random.Generator`` with PCG64,
by NumPy's own C functions, and of generators that are Mersenne Twisters. The state is taken out of
the words, and written behind the numbers, as Python does it. ``@enabled`` has a byte for each
method, which says whether ``native.native_draws`` has found it to be right.
"""

from __future__ import annotations

from pullback.core.draws import METHODS, NUMBERS
from pullback.native.bit_generators_ir import bit_generators_text, number_text

DRAW, ENABLED, PYTHON = "pb_draw", "pb_enable_draw", "pb_python_draw"
NUMPY = "pb_numpy_"
"""What the names of NumPy's C functions begin with."""

FILLS = {
    "random": "random_standard_uniform_fill", "standard_normal": "random_standard_normal_fill",
    "standard_exponential": "random_standard_exponential_fill",
}  # fmt: skip
"""NumPy's functions that fill an array with numbers, for methods without parameters."""

MOVED = {
    "laplace": ("random_laplace", (0.0, 1.0)), "gumbel": ("random_gumbel", (0.0, 1.0)),
    "logistic": ("random_logistic", (0.0, 1.0)), "rayleigh": ("random_rayleigh", (1.0,)),
    "standard_cauchy": ("random_standard_cauchy", ()),
}  # fmt: skip
"""Its functions of one number, with the parameters of the standard distribution."""

SHAPED = {
    "standard_gamma": ("random_standard_gamma", 1), "beta": ("random_beta", 2),
    "chisquare": ("random_chisquare", 1), "standard_t": ("random_standard_t", 1),
}  # fmt: skip
"""Its functions of one number with parameters, which are positive."""

BOUNDED, POISSON = "random_bounded_uint64_fill", "random_poisson"
ROUTINES = (
    *FILLS.values(), *(f for f, _ in MOVED.values()), *(f for f, _ in SHAPED.values()),
    BOUNDED, POISSON,
)  # fmt: skip

TWISTERS = {
    "legacy.random_sample": "double", "legacy.standard_normal": "polar",
    "legacy.standard_exponential": "waiting", "python.random": "double", "python.gauss": "circle",
    "python.normalvariate": "ratio", "python.expovariate": "waiting",
}  # fmt: skip
"""The functions of one number, below, for methods of generators that are Mersenne Twisters."""

RANGE = "python.randrange"

NATIVE = (*FILLS, *MOVED, *SHAPED, "integers", "poisson", *TWISTERS, RANGE,
          "legacy.randint")  # fmt: skip

PCG_WORDS, LEGACY_WORDS = 11, 629

_HEAD = "(ptr %s, ptr %bits, ptr %reals, ptr %ints, ptr %out, i64 %n)"


def _drawing(name: str, checks: str, before: str, body: str, fits: str = "") -> str:
    """A function that fills ``%out`` with the numbers that the lines ``body`` make, or says that it
    cannot. ``checks`` make ``%fine``, ``before`` stands before the loop."""
    return f"""\
define internal i1 @draw_{name}{_HEAD} {{
entry:
{checks}  br i1 %fine, label %begin, label %no
begin:
{before}  %any = icmp sgt i64 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %k = phi i64 [0, %begin], [%next, %loop]
{body}  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret i1 true
no:
  ret i1 false
}}
"""


_SIZE = """\
  %size = load i64, ptr %ints
  %fine = icmp sge i64 %size, -1
"""
_STORE = """\
  %p = getelementptr double, ptr %out, i64 %k
  store double %v, ptr %p
"""


def _fill(name: str, routine: str) -> str:
    return f"""\
define internal i1 @draw_{name}{_HEAD} {{
{_SIZE}  br i1 %fine, label %begin, label %no
begin:
  call void @{NUMPY}{routine}(ptr %bits, i64 %n, ptr %out)
  ret i1 true
no:
  ret i1 false
}}
"""


def _moved(name: str, routine: str, params: tuple[float, ...]) -> str:
    given = "".join(f", double {number_text(p)}" for p in params)
    call = f"  %v = call double @{NUMPY}{routine}(ptr %bits{given})\n"
    return _drawing(name, _SIZE, "", call + _STORE)


def _positive(count: int) -> str:
    """Checks that the parameters are numbers, and positive; ``%a0``, ``%a1`` are they."""
    text = """\
  %size = load i64, ptr %ints
  %f0 = icmp sge i64 %size, -1
"""
    for k in range(count):
        text += f"""\
  %pl{k} = getelementptr i64, ptr %ints, i64 {k + 1}
  %l{k} = load i64, ptr %pl{k}
  %one{k} = icmp eq i64 %l{k}, 1
  %pa{k} = getelementptr double, ptr %reals, i64 {k}
  %a{k} = load double, ptr %pa{k}
  %pos{k} = fcmp ogt double %a{k}, 0.0
  %less{k} = fcmp olt double %a{k}, 1.0e9
  %q{k} = and i1 %one{k}, %pos{k}
  %r{k} = and i1 %q{k}, %less{k}
  %f{k + 1} = and i1 %f{k}, %r{k}
"""
    return text + f"  %fine = and i1 %f{count}, true\n"


def _shaped(name: str, routine: str, count: int) -> str:
    given = "".join(f", double %a{k}" for k in range(count))
    call = f"  %v = call double @{NUMPY}{routine}(ptr %bits{given})\n"
    return _drawing(name, _positive(count), "", call + _STORE)


_HALVES = """\
  %high = ashr i64 %whole, 32
  %low = and i64 %whole, 4294967295
  %dh = sitofp i64 %high to double
  %dl = sitofp i64 %low to double
  %ph = getelementptr double, ptr %out, i64 %k
  %k2 = add i64 %k, %n
  %pl = getelementptr double, ptr %out, i64 %k2
  store double %dh, ptr %ph
  store double %dl, ptr %pl
"""

_WHOLE = f"  %whole = call i64 @{NUMPY}{POISSON}(ptr %bits, double %a0)\n"


def _between(name: str, masked: bool) -> str:
    """Whole numbers between two bounds; the library fills the second half of ``%out`` first."""
    end = "  %e = add i64 0, 0\n" if masked else "  %e = load i64, ptr %pe\n"
    checks = f"""\
  %low0 = load i64, ptr %ints
  %p1 = getelementptr i64, ptr %ints, i64 1
  %high0 = load i64, ptr %p1
  %p2 = getelementptr i64, ptr %ints, i64 2
  %size = load i64, ptr %p2
  %pe = getelementptr i64, ptr %ints, i64 3
{end}  %asked = icmp sge i64 %size, -1
  %open = sub i64 1, %e
  %last = sub i64 %high0, %open
  %range = sub i64 %last, %low0
  %not = icmp sge i64 %high0, -4611686018427387904
  %small = icmp ult i64 %range, 4294967295
  %order = icmp sge i64 %last, %low0
  %f1 = and i1 %asked, %small
  %f2 = and i1 %order, %not
  %fine = and i1 %f1, %f2
"""
    given = f"ptr %bits, i64 %low0, i64 %range, i64 %n, i1 {str(masked).lower()}, ptr %second"
    call = f"""\
  %second = getelementptr double, ptr %out, i64 %n
  call void @{NUMPY}{BOUNDED}({given})
"""
    body = """\
  %kn = add i64 %k, %n
  %pw = getelementptr i64, ptr %out, i64 %kn
  %whole = load i64, ptr %pw
"""
    return _drawing(name, checks, call, body + _HALVES)


_RANDRANGE = f"""\
define internal i1 @draw_randrange{_HEAD} {{
entry:
  %p1 = getelementptr i64, ptr %ints, i64 1
  %p2 = getelementptr i64, ptr %ints, i64 2
  %a = load i64, ptr %ints
  %single = icmp eq i64 %given, 1
  br i1 %single, label %first, label %two
two:
  %b = load i64, ptr %p1
  %step = load i64, ptr %p2
  %width = sub i64 %b, %a
  %unit = icmp eq i64 %step, 1
  br i1 %unit, label %first, label %no
first:
  %start = phi i64 [0, %entry], [%a, %two]
  %m = phi i64 [%a, %entry], [%width, %two]
  %positive = icmp sgt i64 %m, 0
  br i1 %positive, label %draw, label %no
draw:
  %v = call i64 @mt_below(ptr %s, i64 %m)
  %whole = add i64 %start, %v
  %high = ashr i64 %whole, 32
  %low = and i64 %whole, 4294967295
  %dh = sitofp i64 %high to double
  %dl = sitofp i64 %low to double
  %pl = getelementptr double, ptr %out, i64 1
  store double %dh, ptr %out
  store double %dl, ptr %pl
  ret i1 true
no:
  ret i1 false
}}
""".replace("i64 %n)", "i64 %n, i64 %given)")


def _twister(name: str, function: str) -> str:
    fine = _SIZE if name.startswith("legacy.") else "  %fine = icmp sge i64 %n, 0\n"
    body = f"  %v = call double @mt_{function}(ptr %s)\n"
    return _drawing(_label(name), fine, "", body + _STORE)


def _label(name: str) -> str:
    return name.replace(".", "_")




def _pcg_state(load: bool) -> str:
    """Take the state of a PCG64 out of the words, or write it behind the numbers."""
    text = "" if load else "  store double 0.0, ptr %end\n"
    for k in range(PCG_WORDS - 1):
        field = f"  %g{k}{load:d} = getelementptr i32, ptr %pcg, i64 {k}\n"
        if load:
            text += f"""\
  %w{k} = getelementptr i64, ptr %state, i64 {k + 1}
  %x{k} = load i64, ptr %w{k}
  %y{k} = trunc i64 %x{k} to i32
{field}  store i32 %y{k}, ptr %g{k}1
"""
        else:
            text += f"""\
{field}  %z{k} = load i32, ptr %g{k}0
  %d{k} = uitofp i32 %z{k} to double
  %o{k} = getelementptr double, ptr %end, i64 {k + 1}
  store double %d{k}, ptr %o{k}
"""
    return text


_MT_IN = """\
  br label %copy
copy:
  %i = phi i64 [0, %mt_go], [%i1, %copy]
  %i1 = add i64 %i, 1
  %ci = getelementptr i64, ptr %state, i64 %i1
  %cw = load i64, ptr %ci
  %c32 = trunc i64 %cw to i32
  %co = getelementptr i32, ptr %mt, i64 %i
  store i32 %c32, ptr %co
  %cmore = icmp ult i64 %i1, 626
  br i1 %cmore, label %copy, label %copied
copied:
  %wh = getelementptr i64, ptr %state, i64 627
  %wl = getelementptr i64, ptr %state, i64 628
  %hh = load i64, ptr %wh
  %ll = load i64, ptr %wl
  %hup = shl i64 %hh, 32
  %gauss = or i64 %hup, %ll
  %pg = getelementptr i32, ptr %mt, i64 626
  store i64 %gauss, ptr %pg
"""
_MT_OUT = """\
  %dk = sitofp i64 %kind to double
  store double %dk, ptr %end
  br label %back
back:
  %j = phi i64 [0, %mt_end], [%j1, %back]
  %j1 = add i64 %j, 1
  %bi = getelementptr i32, ptr %mt, i64 %j
  %b32 = load i32, ptr %bi
  %bd = uitofp i32 %b32 to double
  %bo = getelementptr double, ptr %end, i64 %j1
  store double %bd, ptr %bo
  %bmore = icmp ult i64 %j1, 626
  br i1 %bmore, label %back, label %returned
returned:
  %qg = getelementptr i32, ptr %mt, i64 626
  %g2 = load i64, ptr %qg
  %gh = lshr i64 %g2, 32
  %gl = and i64 %g2, 4294967295
  %dgh = uitofp i64 %gh to double
  %dgl = uitofp i64 %gl to double
  %oh = getelementptr double, ptr %end, i64 627
  %ol = getelementptr double, ptr %end, i64 628
  store double %dgh, ptr %oh
  store double %dgl, ptr %ol
  br label %done
"""


def _bits(prefix: str, state: str) -> str:
    """Fill the structure by which NumPy's functions draw."""
    parts = (f"%{state}", f"@{prefix}_64", f"@{prefix}_32", f"@{prefix}_double", f"@{prefix}_64")
    return "".join(
        f"  %b{prefix}{k} = getelementptr ptr, ptr %bits, i64 {k}\n"
        f"  store ptr {part}, ptr %b{prefix}{k}\n"
        for k, part in enumerate(parts)
    )


def _cases(group: str, names: tuple[str, ...], state: str, halves: frozenset[str]) -> str:
    """The calls of the functions of these methods."""
    text = ""
    for name in names:
        k, more = NUMBERS[name], ""
        at = "%half" if name in halves else "%n"
        function = _label(name)
        if name == RANGE:
            function, more = "randrange", ", i64 %given"
        given = f"ptr %{state}, ptr %bits, ptr %reals, ptr %ints, ptr %out1, i64 {at}{more}"
        text += f"""\
case{k}:
  %ok{k} = call i1 @draw_{function}({given})
  br i1 %ok{k}, label %{group}_end, label %python
"""
    return text


def _switch(names: tuple[str, ...], label: str = "") -> str:
    cases = "".join(f" i64 {NUMBERS[n]}, label %{label or f'case{NUMBERS[n]}'}" for n in names)
    return cases


_HALF = frozenset({"integers", "poisson", RANGE, "legacy.randint"})
_OF_PCG = (*FILLS, *MOVED, *SHAPED, "integers", "poisson")
_OF_TWISTERS = (*TWISTERS, RANGE, "legacy.randint")


def draws_text() -> str:
    """Return the text."""
    functions = [
        *(_fill(_label(n), r) for n, r in FILLS.items()),
        *(_moved(_label(n), r, p) for n, (r, p) in MOVED.items()),
        *(_shaped(_label(n), r, c) for n, (r, c) in SHAPED.items()),
        _drawing("poisson", _positive(1), "", _WHOLE + _HALVES),
        _between("integers", False), _between("legacy_randint", True), _RANDRANGE,
        *(_twister(n, f) for n, f in TWISTERS.items()),
    ]  # fmt: skip
    return "".join([_declarations(), bit_generators_text(), *functions, _main()])


def _declarations() -> str:
    return "".join([
        *(f"declare void @{NUMPY}{r}(ptr, i64, ptr)\n" for r in FILLS.values()),
        *(f"declare double @{NUMPY}{r}(ptr{', double' * len(p)})\n" for r, p in MOVED.values()),
        *(f"declare double @{NUMPY}{r}(ptr{', double' * c})\n" for r, c in SHAPED.values()),
        f"declare void @{NUMPY}{BOUNDED}(ptr, i64, i64, i64, i1 zeroext, ptr)\n",
        f"declare i64 @{NUMPY}{POISSON}(ptr, double)\n",
        f"declare void @{PYTHON}(ptr, ptr, ptr, ptr, ptr, ptr, ptr)\n",
    ])  # fmt: skip


def _pcg_part() -> str:
    return f"""\
pcg_ask:
  %is11 = icmp eq i64 %size, {PCG_WORDS}
  %is0 = icmp eq i64 %kind, 0
  %isp = and i1 %is11, %is0
  br i1 %isp, label %pcg_go, label %python
pcg_go:
{_pcg_state(True)}{_bits("pcg", "pcg")}  switch i64 %method, label %python [{_switch(_OF_PCG)} ]
{_cases("pcg", _OF_PCG, "pcg", _HALF)}pcg_end:
{_pcg_state(False)}  br label %done
"""


def _twister_part() -> str:
    return f"""\
mt_ask:
  %ism = icmp eq i64 %size, {LEGACY_WORDS}
  br i1 %ism, label %mt_go, label %python
mt_go:
{_MT_IN}{_bits("mt", "mt")}  switch i64 %method, label %python [{_switch(_OF_TWISTERS)} ]
{_cases("mt", _OF_TWISTERS, "mt", _HALF)}mt_end:
{_MT_OUT}"""


def _main() -> str:
    """The functions that are called from outside."""
    both = _switch(_OF_PCG, "pcg_ask") + _switch(_OF_TWISTERS, "mt_ask")
    return f"""\
@enabled = internal global [{len(METHODS)} x i8] zeroinitializer

define void @{ENABLED}(i64 %k, i8 %v) {{
  %p = getelementptr i8, ptr @enabled, i64 %k
  store i8 %v, ptr %p
  ret void
}}

define void @{DRAW}(ptr %reals, ptr %words, ptr %nr, ptr %nw, ptr %out, ptr %count, ptr %info) {{
entry:
  %pcg = alloca [48 x i8], align 16
  %mt = alloca [2520 x i8], align 16
  %bits = alloca [5 x ptr], align 8
  %n = load i64, ptr %words
  %half = sdiv i64 %n, 2
  %pm = getelementptr i64, ptr %words, i64 1
  %method = load i64, ptr %pm
  %ps = getelementptr i64, ptr %words, i64 2
  %size = load i64, ptr %ps
  %state = getelementptr i64, ptr %words, i64 3
  %kind = load i64, ptr %state
  %ints = getelementptr i64, ptr %state, i64 %size
  %all32 = load i32, ptr %nw
  %all = sext i32 %all32 to i64
  %rest = sub i64 %all, 3
  %given = sub i64 %rest, %size
  %out1 = getelementptr double, ptr %out, i64 1
  %end = getelementptr double, ptr %out1, i64 %n
  %pe = getelementptr i8, ptr @enabled, i64 %method
  %e = load i8, ptr %pe
  %on = icmp ne i8 %e, 0
  %counts = icmp sge i64 %n, 0
  %go = and i1 %on, %counts
  br i1 %go, label %which, label %python
which:
  switch i64 %method, label %python [{both} ]
{_pcg_part()}{_twister_part()}done:
  store double 0.0, ptr %out
  store i32 0, ptr %info
  ret void
python:
  call void @{PYTHON}(ptr %reals, ptr %words, ptr %nr, ptr %nw, ptr %out, ptr %count, ptr %info)
  ret void
}}
"""


__all__ = ["DRAW", "ENABLED", "NATIVE", "NUMPY", "PYTHON", "RANGE", "ROUTINES", "draws_text"]
