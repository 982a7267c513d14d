"""The replay sees what changed, and nothing where only names did."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

import pytest

from pullback.core.build import Builder
from pullback.core.terms import Function, Program, Var
from pullback.core.types import F64
from tools.replay.adapter import METHODS
from tools.replay.canonical import Canonical, llvm_text, message_text
from tools.replay.compare import compare
from tools.replay.moved import Moved
from tools.replay.record import Data, record

ROOT = Path(__file__).parents[1]
REFUSED = str(ROOT / "tests" / "frontend" / "test_problems.py")


def test_numbers_of_runs_are_no_part_of_a_refusal() -> None:
    one, two = (f"at '{home}/pytest-{k}/edited.py' and <text {k}>:1:2, in f"
                for home, k in (("/a", 1), ("/b/c", 23)))  # fmt: skip
    assert message_text(one) == message_text(two) == "at 'edited.py' and <text _>:_:2, in f"


def program(prim: str, name: str, function: str) -> Program:
    x, b = Var(name, F64), Builder()
    y = b.prim(prim, x, hint=f"{name}_2")
    return Program({function: Function(function, (x,), b.block((y,)), (F64,))}, {}, function)


def test_names_are_no_part_of_core() -> None:
    one, two, three = (
        Canonical(p).text()
        for p in (program("sin", "x", "f"), program("sin", "y", "g"), program("cos", "x", "f"))
    )
    assert one == two != three


def test_names_are_no_part_of_llvm_text() -> None:
    text = 'define double @"f:{f}"(double %{x}) {{\n{l}:\n  br label %{l}\n}}\n'
    one, two = text.format(f="main", x="x.1", l="loop"), text.format(f="go", x="y", l="round")
    assert llvm_text(one) == llvm_text(two)
    assert llvm_text(one) != llvm_text(one.replace("%x.1", "%loop"))
    assert llvm_text("call @sin(i64 3)") != llvm_text("call @cos(i64 3)")


def test_lines_are_no_part_of_a_refusal() -> None:
    one = message_text("not supported: x\n  /somewhere/test_a.py:12:3, in f\n    try:")
    assert one == message_text("not supported: x\n  elsewhere/test_a.py:7:3, in f\n    try:")
    assert one != message_text("not supported: x\n  elsewhere/test_b.py:7:3, in f\n    try:")


@pytest.fixture(scope="module")
def recorded() -> Data:
    return record(ROOT / "src", ROOT, ["polynomial"], [REFUSED])


def changed(tmp_path: Path, changes: dict[str, tuple[str, str]]) -> Data:
    """A record of a compiler some lines of which are other ones."""
    src = tmp_path / "src"
    shutil.copytree(ROOT / "src", src, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (old, new) in changes.items():
        file = next((src / "pullback").rglob(name))
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))
    return record(src, ROOT, ["polynomial"], [REFUSED])


def test_both_orders_give_all_methods(recorded: Data) -> None:
    assert recorded["orders"] == [] and not recorded["missing"]
    assert list(recorded["programs"]["polynomial"]) == [*METHODS]
    assert any(recorded["refusals"].values())
    report = compare(recorded, copy.deepcopy(recorded))
    assert report.lines[0] == "nothing differs" and report.worse == 0


def test_a_renamed_pass_is_not_seen_and_another_one_is(recorded: Data, tmp_path: Path) -> None:
    """A pass with another name does the same; one that does nothing, and a word in messages, are
    seen."""
    after = changed(
        tmp_path,
        {
            "pipeline.py": ('"eliminate"', '"kept once"'),
            "inline.py": ("def inline_calls(program: Program) -> Program:",
                          "def inline_calls(program: Program) -> Program:\n    return program\n\n\n"
                          "def unused(program: Program) -> Program:"),
            "errors.py": ('    advice = "Instead"', '    advice = "Rather"'),
        },
    )  # fmt: skip
    text = "\n".join(compare(recorded, after).lines)
    assert "refused with another text or place" in text
    assert "first at: inline" in text and "kept once" not in text, text


def test_a_moved_module_is_found(tmp_path: Path) -> None:
    home = tmp_path / "pullback" / "frontend" / "python"
    home.mkdir(parents=True)
    (home / "pytypes.py").touch()
    (home / "names.py").touch()
    (tmp_path / "pullback" / "names.py").touch()
    finder = Moved(tmp_path, tmp_path)
    assert finder.elsewhere("pullback.frontend.pytypes") == "pullback.frontend.python.pytypes"
    assert finder.elsewhere("pullback.frontend.names") == "pullback.frontend.python.names"
    assert finder.elsewhere("pullback.frontend.gone") is None


def test_steps_that_vary_are_equal_within_some(recorded: Data) -> None:
    before, after = copy.deepcopy(recorded), copy.deepcopy(recorded)
    before["programs"]["polynomial"]["dual"]["steps"][0] = [1000, 1010]
    after["programs"]["polynomial"]["dual"]["steps"][0] = 1040
    assert compare(before, after).worse == 0
    after["programs"]["polynomial"]["dual"]["steps"][0] = 1060
    assert compare(before, after).worse == 1


def test_what_is_worse_decides(recorded: Data) -> None:
    after = copy.deepcopy(recorded)
    reverse = after["programs"]["polynomial"]["reverse"]
    reverse["steps"][0] += 1
    reverse["stages"][-1][1] = "another"
    reverse["nodes"]["Sum_"] = reverse["nodes"].get("Sum_", 0) + 2
    after["programs"]["polynomial"]["dual"] = {"error": "UnsupportedError: no"}
    report = compare(recorded, after)
    text = "\n".join(report.lines)
    assert report.worse == 2
    for part in ("more steps: 1", "polynomial (dual): UnsupportedError: no", "Sum_ +2 in all",
                 "differs at the end, first at: ring buffers"):  # fmt: skip
        assert part in text, text
