"""What was right in the first process is right in the second, from kept code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pullback.core.thresholds import LOWEST
from tests import campaign, second_cases
from tests.second_process import Run, both

TEXT = '''
import importlib
import os
import warnings
from pathlib import Path
import numpy as np
import pullback as pb
import second_reloaded
from scipy.stats import norm

Z = np.array([1.0 + 2.0j, 3.0j])

def of_a_wave(z):
    return np.sum(np.abs(np.exp(1j * z) * Z[0]) ** 2)

def turned(zs):
    return [z * 1j for z in zs], f"{zs[0]:.1f}"

class Oops(Exception):
    pass

class Rich(ValueError):
    def __init__(self, what, more=2):
        super().__init__(what)
        self.more = more

def grown(x, n):
    d = {}
    for i in range(n):
        d[i] = x * i
    return d[7] + d[n - 1]

def totals(x):
    found = {}
    for i in range(len(x)):
        found[i % 300] = found.get(i % 300, 0.0) + x[i] * x[i]
    return sum(found.values())

def handed(d, x):
    return sum(v * v * x for v in d.values())

def large(n):
    d = {f"k{i}": float(i) for i in range(n)}
    return list(pb.grad(handed)(d, 2.0).items())[:4], pb.jit(handed)(d, 3.0)

SET = {k * 37 % 101 for k in range(40)} - {3, 37, 74}

def ordered(given, n):
    made = {k * 1024 % 997 for k in range(n)}
    made -= {k for k in made if k % 7 == 0}
    made.add(5000)
    taken = [made.pop() for _ in range(3)]
    return taken, [k for k in made | given], [k for k in SET ^ given]

def word(x):
    return "a word for what is above" if x > 0.0 else "a word for what is below"

def normal(x):
    return norm.logpdf(x).sum() + (norm.cdf(x) * norm.ppf(0.3)).sum()

def drawn(x, seed):
    rng = np.random.default_rng(seed)
    return sum(x * rng.normal(x) for _ in range(3)) + np.random.RandomState(seed).rand() * x

def raising(x):
    if x > 3.0:
        raise Rich(x, more=7) from KeyError("k")
    if x > 2.0:
        raise Oops("literal")
    return x

def caught(x):
    try:
        return raising(x)
    except Oops:
        return x * x

def returned(x):
    found = []
    for k in range(3):
        try:
            found.append(str(raising(x + k)))
        except (Oops, Rich) as e:
            return found, e
    return found, None

def told(x):
    found, e = pb.jit(returned)(x)
    return found, type(e).__name__, getattr(e, "args", None), repr(getattr(e, "__cause__", None))

def warned(x):
    if x > 1.0:
        warnings.warn("large", stacklevel=2)
    return x * x

class Counter:
    total = 0.0
    def add(self, x):
        type(self).total += x * x
        return Counter.total * x

def counting(x):
    return Counter().add(x) + Counter().add(2.0 * x)

def counted(op):
    Counter.total = 0.0
    return [op(counting)(x) for x in (1.0, 2.0)], Counter.total

def made():
    class Same(Exception):
        pass
    return Same

MET = Path(__file__).with_suffix(".met")
A = made()
B = A if MET.exists() else made()
MET.touch()

def which(x):
    try:
        try:
            if x > 1.0:
                raise A
            raise B
        except B:
            return 2.0 * x
    except A:
        return x

MARK = object()
OTHER = MARK if A is B else object()

class Slot:
    EMPTY = object()
    def __init__(self, value=EMPTY):
        self.value = value

def slots(x, n):
    held = [Slot(k * x) if k % 2 else Slot() for k in range(n)]
    found = [MARK if s.value is Slot.EMPTY else s.value for s in held]
    return sum(v for v in found if v is not MARK), found

def slotted():
    total, found = pb.jit(slots)(1.5, 4)
    return total, [v is MARK for v in found]

def marked(x):
    v = OTHER
    for k in range(3):
        if k == 2 and x > 5.0:
            v = x
    return x if v is MARK else 2.0 * x

def reloaded():
    found = []
    for _ in range(3):
        importlib.reload(second_reloaded)
        try:
            pb.jit(second_reloaded.f)(1.0)
        except Exception as error:
            found.append(type(error) is second_reloaded.Oops)
    return found

def cases():
    yield "growth", lambda: [pb.grad(grown)(2.0, n) for n in (900, 1050, 17_000)]
    yield "totals", lambda: pb.grad(totals)(np.linspace(0.0, 1.0, 9000))
    yield "a dict", lambda: [large(n) for n in (300, 5000)]
    yield "sets", lambda: [pb.jit(ordered)(SET | {n}, n) == ordered(SET | {n}, n)
                           for n in (9, 300)]
    yield "words", lambda: [pb.jit(word)(x) for x in (1.0, -1.0)]
    yield "returned", lambda: [told(x) for x in (0.5, 2.5, 3.5)]
    yield "warned", lambda: (pb.grad(warned)(3.0), "__warningregistry__" in globals())
    yield "counted", lambda: [counted(op) for op in (pb.jit, pb.grad)]
    yield "complex", lambda: [pb.grad(of_a_wave)(v) for v in (Z, 1.0 + 2.0j)]
    yield "complex lists", lambda: pb.jit(turned)([1.0j, 2.0 - 1.0j])
    yield "draws", lambda: [pb.grad(drawn)(2.0, seed) for seed in (3, 4)]
    yield "normal", lambda: pb.grad(normal)(np.linspace(0.0, 1.0, 5))
    for f in (raising, caught):
        for op in (pb.jit, pb.grad):
            for x in (1.0, 2.5, 3.5):
                yield f"{f.__name__}, {op.__name__}, {x}", lambda f=f, op=op, x=x: op(f)(x)
    yield "a class after it was loaded again", reloaded
    yield "marks", slotted
    yield "two classes of one name", lambda: (
        A is B, *(pb.jit(f)(2.0) == f(2.0) for f in (which, marked)))
'''

CHANGED = "two classes of one name"
"""The program that finds something else in the second process."""

UPDATING = "counted"
"""What a function updates is found by the front end, in each process."""

RELOADED = """
class Oops(Exception):
    pass
def f(x):
    if x > 0.5:
        raise Oops("again")
    return x
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Run, Run]]:
    folder = tmp_path_factory.mktemp("second")
    (folder / "second_programs.py").write_text(TEXT)
    (folder / "second_reloaded.py").write_text(RELOADED)
    return both(folder, "second_programs:cases", path=str(folder))


def test_the_second_process_does_what_the_first_did(runs: dict[str, tuple[Run, Run]]) -> None:
    for title, (first, second) in runs.items():
        if title != CHANGED:
            assert first.done == second.done, title


def test_the_class_of_now_is_raised(runs: dict[str, tuple[Run, Run]]) -> None:
    for run in runs["a class after it was loaded again"]:
        assert run.done[1] == ["list", True, True, True]


def test_a_class_that_may_be_another_one_is_not_taken_for_it(
    runs: dict[str, tuple[Run, Run]],
) -> None:
    first, second = runs[CHANGED]
    assert first.done[1] == ["tuple", False, True, True]
    assert second.done[1] == ["tuple", True, True, True]


def test_the_second_process_compiles_nothing(runs: dict[str, tuple[Run, Run]]) -> None:
    assert sum(first.counts["compiled"] for first, _ in runs.values()) >= 7
    for title, (first, second) in runs.items():
        if title in (CHANGED, "a class after it was loaded again", UPDATING):
            continue
        assert first.counts["loaded"] == 0, (title, second.why)
        assert second.counts["loaded"] == first.counts["compiled"], (title, second.why)
        for what in ("compiled", "written", "emitted", "kept"):
            assert second.counts[what] == 0, (title, what)


def test_long_loops_begin_again_with_less_patience(runs: dict[str, tuple[Run, Run]]) -> None:
    for run in runs["growth"]:
        assert run.counts["linked"] > run.counts["compiled"] + run.counts["loaded"]


# --- the corpus, foreign and random programs, where every limit is low ---------------------------

KINDS = ("corpus", "foreign", *second_cases.WRITERS)
EVERY = {"corpus": 120, "foreign": 60}
AT_ONCE = 50
"""So many programs run in two processes: what all of them keep would not fit into the cache."""
TABLE = Path(__file__).with_name("second_process.txt")
"""What the whole campaign has found when it ran last."""

NOT_KEPT = {"a program that calls Python"}
"""Why programs are not kept, but for those that are refused."""


def chosen(kind: str) -> list[str]:
    """The names of the programs that run."""
    found = second_cases.names(kind)
    if kind in EVERY:
        return [name for name in found if campaign.chosen("second", name, EVERY[kind])]
    return [found[seed] for seed in campaign.seeds("second", 0, 1, len(found))]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, tuple[Run, Run]]]:
    folder = tmp_path_factory.mktemp("whole")
    lists = []
    for kind in KINDS:
        names = chosen(kind)
        if kind in second_cases.WRITERS:
            second_cases.write(folder, names)
        listed = kind if kind in EVERY else "random"
        lists += [f"tests.second_cases:{listed},{name}" for name in names]
    runs: dict[str, tuple[Run, Run]] = {}
    for k in range(0, len(lists), AT_ONCE):
        some = lists[k : k + AT_ONCE]
        runs |= both(folder, *some, path=str(folder), seconds=3600.0, PULLBACK_LIMITS=LOWEST)
    of = {name: kind for kind in KINDS for name in second_cases.names(kind)}
    found: dict[str, dict[str, tuple[Run, Run]]] = {kind: {} for kind in KINDS}
    for title, pair in runs.items():
        found[of[title.rpartition(", ")[0]]][title] = pair
    return found


def verdict(first: Run, second: Run) -> str:
    """What two processes have shown of a case."""
    if first.done != second.done:
        return f"differs: {first.done} and {second.done}"
    made = first.counts["compiled"]
    if made == 0:
        return "refused" if first.done[0] == "raised" else "nothing to compile"
    if first.counts["kept"] < made:
        return f"not kept: {first.why[-1] if first.why else 'for no reason'}"
    again = [what for what in ("compiled", "written", "emitted", "kept") if second.counts[what]]
    if again or second.counts["loaded"] != made:
        return f"compiled again: {second.why}"
    return "the same, from what was kept"


def test_whatever_is_kept(whole: dict[str, dict[str, tuple[Run, Run]]]) -> None:
    fine = {"the same, from what was kept", "refused", "nothing to compile"}
    fine |= {f"not kept: {why}" for why in NOT_KEPT}
    found = {kind: Counter(verdict(*pair) for pair in runs.values())
             for kind, runs in whole.items()}  # fmt: skip
    if campaign.full("second"):
        rows = [f"{kind:8}  {n:4}  {what}" for kind, counted in found.items()
                for what, n in sorted(counted.items())]  # fmt: skip
        TABLE.write_text("\n".join([f"limits: {LOWEST}", *rows, ""]))
    wrong = [(title, verdict(*pair)) for runs in whole.values() for title, pair in runs.items()
             if verdict(*pair) not in fine]  # fmt: skip
    assert wrong == []
    assert sum(counted["the same, from what was kept"] for counted in found.values()) > 10


def test_less_patient_code_is_reached(whole: dict[str, dict[str, tuple[Run, Run]]]) -> None:
    runs = [run for found in whole.values() for pair in found.values() for run in pair]
    for what in ("compiled", "loaded"):
        assert any(run.counts["linked"] > run.counts[what] > 0 for run in runs)
