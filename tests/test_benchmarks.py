"""The benchmarks go through all they are asked for, and say what they did not measure."""

import itertools
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pullback as pb
from benchmarks import __main__, boundary, corpus, hand, library
from tests.programs import Program


def squares(x: Any) -> Any:
    return sum(v * v for v in x)


def overflows(x: Any) -> Any:
    return sum(math.exp(1e6 * v) for v in x)


def not_finite(x: Any) -> Any:
    total = 0.0
    for v in x:
        total += 1e300 * v * 1e300
    return total


def vanishes(x: Any) -> Any:
    alive = 1e-310
    for v in x:
        alive *= 1.0 + 1e-3 * v
    return alive


def timing(monkeypatch: pytest.MonkeyPatch, *functions: Callable[..., Any]) -> None:
    programs = [
        Program(f.__name__, f, lambda rng, n: (rng.uniform(1.0, 2.0, n),), growth=(2000,))
        for f in functions
    ]
    monkeypatch.setattr(corpus, "corpus", lambda: programs)
    monkeypatch.setattr(corpus, "SIZES", {f.__name__: (2000, 4000, 8000) for f in functions})


def test_a_program_that_fails_is_a_row_and_the_others_are_timed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    timing(monkeypatch, overflows, not_finite, squares)
    with pytest.raises(SystemExit, match=r"2 of 3 programs were NOT MEASURED"):
        corpus.main(budget=0.0)
    table = capsys.readouterr().out
    assert "| overflows | NOT MEASURED: n = 2000: OverflowError: math range error" in table
    assert "| not_finite | NOT MEASURED: n = 2000: the value or the gradient is not fin" in table
    assert "| squares | 2000, 4000, 8000 |" in table


def test_calls_that_are_faster_without_subnormal_numbers_are_no_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether a processor traps is its own affair: here, arithmetic on subnormal numbers takes
    twice as long by a clock that looks only at whether a product has been taken as 0."""

    turn = itertools.count(100)

    def clock(calls: list[Callable[[], Any]], traps: float) -> list[float]:
        slower = traps if np.float64(1e-310) * 0.5 > 0.0 else 1.0
        return [(call(), slower * next(turn))[1] for call in calls]

    with corpus.subnormals_as_zero():
        if np.float64(1e-310) * 0.5 > 0.0:
            pytest.skip("this machine does not count them as 0")
    timing(monkeypatch, vanishes)
    monkeypatch.setattr(corpus, "fastest", lambda calls, budget: clock(calls, 2.0))
    with pytest.raises(SystemExit, match=r"1 of 1 programs were NOT MEASURED"):
        corpus.main(budget=0.0)
    monkeypatch.setattr(corpus, "fastest", lambda calls, budget: clock(calls, 1.0))
    corpus.main(budget=0.0)


def test_a_name_that_is_not_known_is_refused_at_once() -> None:
    with pytest.raises(SystemExit, match=r"no such program: lutz; known: .*planets"):
        corpus.main(wanted=["planets", "lutz"])
    with pytest.raises(SystemExit, match=r"no such program: lutz; known: .*planets"):
        __main__.main(["gmm", "corpus", "planets", "lutz"])
    with pytest.raises(SystemExit, match=r"no such table: lutz; known: gmm, "):
        __main__.main(["lutz"])


def test_names_of_programs_follow_the_name_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(corpus, "main", lambda jax, wanted: asked.append(wanted))
    monkeypatch.setattr(__main__, "pin_to_one_core", lambda: None)
    __main__.main(["corpus", "planets", "wave"])
    assert asked == [["planets", "wave"]]


def test_data_in_and_out_is_measured_against_its_limits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(boundary, "NODES", 8)
    monkeypatch.setattr(boundary, "DATA", {"numbers": lambda: [1.0] * 8})
    monkeypatch.setattr(boundary, "optimiser", lambda: None)
    monkeypatch.setattr(boundary, "nanoseconds", lambda call: (call(), (300.0, 350.0))[1])
    boundary.main(None)
    said = capsys.readouterr().out
    first, second = (line.split()[1:] for line in said.splitlines() if line.startswith("numbers"))
    assert first == ["300", "350!"] * 3 + ["300", "350"] * 3
    assert second == ["300", "350"] * 4
    assert "above a limit (marked): 1 of 2 rows" in said


def test_the_benchmarks_need_no_test_tools() -> None:
    """``make bench`` installs the package with JAX only: every table starts without pytest."""
    code = (
        "import sys\n"
        "for name in ('pytest', 'hypothesis', 'matplotlib', 'jax', 'mypy'):\n"
        "    sys.modules[name] = None\n"
        "from benchmarks import __main__, boundary, calls, common, corpus, dual, gmm, lstm\n"
        "from benchmarks import ba, hand, operators\n"
        "from benchmarks import instructions, memory, methods, programs, scaling, table1\n"
        "assert corpus.chosen([])\n"
    )
    root = Path(__file__).parents[1]
    folders = os.pathsep.join([str(root), str(root / "src")])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env={**os.environ, "PYTHONPATH": folders},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def fingers(theta: np.ndarray) -> np.ndarray:
    """The pose of the hand, written once more: every bone's matrix as a product of rotations."""
    model, parents = hand.hand()
    angles = np.zeros((len(parents), 3))
    rest = iter(theta[6:])
    for finger in range(5):
        for joint in (2, 3, 4):
            angles[4 * finger + joint, 0] = next(rest)
            if joint == 2:
                angles[4 * finger + joint, 1] = next(rest)
    absolutes: list[np.ndarray] = []
    placed = np.zeros((len(model.vertices), 3))
    for bone, parent in enumerate(parents):
        turn = np.eye(4)
        turns = Rotation.from_euler("ZYX", angles[bone, [1, 2, 0]])
        turn[:3, :3] = turns.as_matrix()
        own = model.relatives[bone] @ turn
        absolutes.append(own if parent < 0 else absolutes[parent] @ own)
        moved = (absolutes[bone] @ model.inverses[bone] @ model.vertices.T).T
        placed += model.weights[:, bone : bone + 1] * moved[:, :3]
    return placed @ Rotation.from_rotvec(theta[:3]).as_matrix().T + theta[3:6]


@pytest.mark.parametrize("kind", hand.KINDS)
def test_hand_tracking_is_adbench_s(kind: str) -> None:
    """Values against the definition, the Jacobian against central differences."""
    text, argnums = hand.KINDS[kind]
    args = hand.arguments(kind, hand.NAMES[0])
    if kind == "simple":
        theta, _, _, at, points = args
        expected = points - fingers(theta)[at]
        whole: Any = lambda x: text(x, *args[1:])
    else:
        shift, theta, _, _, us, corners, points = args
        mixed = np.concatenate([us, 1.0 - np.sum(us, axis=1, keepdims=True)], axis=1)
        expected = points - np.einsum("ni,nik->nk", mixed, fingers(theta)[corners])
        theta = np.concatenate([shift, theta])
        whole = lambda x: text(x[:2], x[2:], *args[2:])
    np.testing.assert_allclose(text(*args), expected, rtol=0.0, atol=1e-12)
    found = hand.joined(pb.jacfwd(text, argnums)(*args))
    ends = [(whole(theta + h) - whole(theta - h)).ravel() for h in 1e-6 * np.eye(len(theta))]
    np.testing.assert_allclose(found, np.stack(ends, axis=1) / 2e-6, rtol=1e-6, atol=1e-7)


def test_library_functions_are_compared_before_they_are_timed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(library, "LARGE", 2_000)
    rows = [row for _, family in library.FAMILIES for row in family]
    names = {name for name, *_ in rows}
    assert len(names) == len(rows)
    for row in rows[::16]:
        theirs, ours, _ = library.measured(row, 400, budget=0.0)
        assert theirs > 0.0 and ours > 0.0
    library.main(None, only="argsort", budget=0.0)
    assert "| argsort | " in capsys.readouterr().out
