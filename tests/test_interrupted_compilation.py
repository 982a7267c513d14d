"""A KeyboardInterrupt in the compiler, wherever it comes: the next call compiles the same program.

Three places of each program are tried in every run, many in the campaign "interrupts"."""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType

import numpy as np
import pytest

import pullback as pb
from tests import campaign

PLACES = campaign.seeds("interrupts", 2, 1, 60)

PROGRAMS = '''
from __future__ import annotations
import math
from dataclasses import dataclass
import numpy as np

@dataclass(frozen=True)
class Leaf:
    v: float

@dataclass(frozen=True)
class Pair:
    a: Leaf | Pair
    b: Leaf | Pair

def total(t, scale):
    match t:
        case Leaf(v):
            return math.sin(v) * scale(v)
        case Pair(a, b):
            return total(a, scale) * 0.5 + total(b, scale)

'''

COPY = """
def data_{k}(x):
    return total(Pair(Leaf(x[0]), Pair(Leaf(x[1]), Leaf(0.75))), lambda v: v * np.sum(x))

def loops_{k}(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] * (out[i - 1] if i > 0 else 1.0)
        j = 0
        while j < i:
            out[i] += math.cos(x[j])
            j += 1
    return out @ x

"""


class Count:
    """Counts calls and returns of Python code; the one at ``at`` is interrupted, or the next one
    where Python drops the exception because a finaliser runs."""

    def __init__(self, at: int = -1) -> None:
        self.left = at
        self.seen = 0

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        self.seen += 1
        if self.seen == self.left:
            sys.setprofile(None)
            raise KeyboardInterrupt

    def run(self, call: Callable[[], object]) -> bool:
        """Whether a call was interrupted."""
        sys.setprofile(self)
        before, sys.unraisablehook = sys.unraisablehook, self._dropped
        try:
            call()
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(None)
            sys.unraisablehook = before
        return False

    def _dropped(self, _: object) -> None:
        self.left = self.seen + 3  # after the end of `setprofile`, and of this
        sys.setprofile(self)


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is interrupted is all of a compilation."""
    monkeypatch.setenv("PULLBACK_CACHE", "0")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """Return the same functions many times, each time with code that has never been compiled."""
    path: Path = tmp_path_factory.mktemp("interrupted") / "programs_to_interrupt.py"
    path.write_text(PROGRAMS + "".join(COPY.format(k=k) for k in [*PLACES, 60, 61]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "method"), [("data", "chad"), ("loops", "dual")])
def test_the_next_call_compiles_the_same(
    programs: ModuleType, capsys: pytest.CaptureFixture[str], name: str, method: str
) -> None:
    x = np.array([0.1, 0.2, 0.3, 0.4])

    def core(f: Callable[..., object]) -> str:
        pb.show(pb.value_and_grad(f, method=method), x)
        return capsys.readouterr().out.replace(f.__name__, "f")

    f = getattr(programs, f"{name}_60")
    pb.value_and_grad(f, method=method)(x)  # what is done once in a process
    f = getattr(programs, f"{name}_61")
    count = Count()
    count.run(lambda: pb.value_and_grad(f, method=method)(x))
    (value, gradient), text = pb.value_and_grad(f, method=method)(x), core(f)
    for k in PLACES:
        rng = random.Random(f"{name} {method} {k}")
        f = getattr(programs, f"{name}_{k}")
        operator = pb.value_and_grad(f, method=method)
        assert Count(rng.randrange(1, count.seen // 2)).run(lambda: operator(x))
        again, other = operator(x)
        assert again == value and np.array_equal(gradient, other)
        assert core(f) == text
