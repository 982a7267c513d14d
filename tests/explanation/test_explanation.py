"""What ``pb.explain`` says: its counts are those of ``pb.cost``, its rows lead to their lines."""

import math
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import pullback as pb
from pullback.explanation.chart import exponent
from pullback.explanation.explain import Explained
from pullback.explanation.model import Part
from pullback.explanation.sizes import resized
from tests import campaign
from tests.explanation import nasty_programs as nasty
from tests.explanation.nasty_programs import CASES

NAMES = campaign.part("values", list(CASES), 3)
VOID = {"meta", "input", "br"}


class Balanced(HTMLParser):
    """Reads a page: tags must close, nothing may be loaded, and only our script is there."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts = 0
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("link", "img", "iframe", "b onmouseover")
        assert not {k for k, _ in attrs} & {"src", "href", "onmouseover", "onclick"}
        self.links |= {v or "" for k, v in attrs if k == "data-place"}
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_whole_and_counts_as_cost_does(name: str) -> None:
    f, args = CASES[name]
    made = _explained(name)
    reader = Balanced()
    reader.feed(made.html)
    assert not reader.open and reader.scripts == 1
    assert "http" not in made.html
    named = {line.place for s in made.model.sources for line in s.lines} - {""}
    assert named and reader.links <= named, "each row leads to a line that is shown"
    if name == "raises":
        assert "RuntimeError: <i>too large</i>" in made.model.notes[0]
        return
    assert made.model.value_steps == pb.cost(f, *args)
    gradient = sum(made.model.part_steps(p) for p in Part)
    if name in ("no reals", "an array"):
        assert not gradient and made.model.notes[0].startswith("There is no ")
    else:
        assert gradient == pb.cost(f, *args, method="chad")


def test_each_line_has_its_own_steps() -> None:
    made = _explained("loop").model
    (source,) = made.sources
    steps = {line.text.strip(): line.cost.value for line in source.lines}
    assert steps["t += math.sin(v) * v"] > steps["t -= v"] > 0
    assert steps["t = 0.0"] == 0
    by_place = {line.place: line.text for line in source.lines if line.place}
    sines = [row for row in made.listings[0].rows if " sin " in row.text]
    assert [by_place[row.place].strip() for row in sines] == ["t += math.sin(v) * v"]
    cosines = [row for row in made.listings[-1].rows if " cos " in row.text]
    assert [(by_place[r.place].strip(), r.part, r.runs) for r in cosines] == [
        ("t += math.sin(v) * v", Part.REVERSE, 2)]


def test_what_is_kept_and_what_is_computed_again() -> None:
    network = _explained("network").model
    assert [row.bytes for row in network.kept] == [20 * 5 * 8]  # what tanh has returned
    loop = _explained("loop").model
    assert not loop.kept
    assert sum(row.bytes for row in loop.again) == 3 * 8 + 2 * 8  # each v, and two sines
    tree = _explained("tree").model
    assert sum(row.bytes for row in tree.kept) > 3 * 8


def test_growth() -> None:
    made = _explained("network").model
    rows = next(g for g in made.growth if g.own == 20)
    assert rows.name == "x, y" and 20 in rows.sizes
    assert exponent(rows.sizes, rows.value) == pytest.approx(1.0, abs=0.05)
    assert max(g / v for g, v in zip(rows.gradient, rows.value)) < 4
    square = pb.explain(lambda x: np.sum(np.outer(x, x)), np.arange(5.0)).model.growth[0]
    assert exponent(square.sizes, square.value) == pytest.approx(2.0, abs=0.1)


def test_long_runs_are_counted_with_smaller_arguments() -> None:
    def slow(x):
        return sum(math.sin(a) * math.cos(b) for a in x for b in x)

    made = pb.explain(slow, np.ones(4000)).model
    assert made.counted == "x: 250 where you gave 4000"
    assert made.value_steps > 250**2


def test_resized() -> None:
    a, n = resized((np.arange(6.0).reshape(3, 2), 3), 3, 2)
    assert np.array_equal(a, [[0, 1], [2, 3]]) and n == 2


def test_stages() -> None:
    made = pb.explain(lambda x, y: (x + y) * x, 3.0, 4.0).model
    cards = {card.name: card for card in made.stages}
    assert "calls of" in cards["N1"].counts and cards["C"].lines
    again = pb.stages(lambda x, y: (x + y) * x, 3.0, 4.0, only=["N1"])
    assert cards["N1"].counts in again


def test_argnums_and_operators() -> None:
    f, args = CASES["loop"]
    by_scale = pb.explain(pb.grad(f, "scale"), *args).model
    assert [by for _, _, by in by_scale.arguments] == [False, True]
    assert [by for _, _, by in pb.explain(pb.jit(f), *args).model.arguments] == [True, True]


def test_a_long_function() -> None:
    scope: dict[str, object] = {"math": math}
    import linecache

    name = "<long text>"
    linecache.cache[name] = (len(nasty.long_text), None, nasty.long_text.splitlines(True), name)
    exec(compile(nasty.long_text, name, "exec"), scope)
    made = pb.explain(scope["five_hundred"], 0.5)
    assert len(made.model.sources[0].lines) == 503
    assert made.model.value_steps > 500 and made.model.part_steps(Part.REVERSE) > 0


def test_no_source_is_refused_as_elsewhere() -> None:
    scope: dict[str, object] = {}
    exec("def f(x): return x * x", scope)
    with pytest.raises(pb.PullbackError, match="source"):
        pb.explain(scope["f"], 1.0)


def test_arguments_are_left_alone(tmp_path: Path) -> None:
    def scaled(x):
        x *= 2.0
        return np.sum(x)

    x = np.ones(3)
    made = pb.explain(scaled, x, path=tmp_path / "page.html")
    assert np.array_equal(x, np.ones(3))
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == made.html
    assert made._repr_html_().startswith("<iframe srcdoc=")
    assert re.fullmatch(r"<explanation of .*scaled: [\d,]+ characters of HTML>", repr(made))


@cache
def _explained(name: str) -> Explained:
    f, args = CASES[name]
    return pb.explain(f, *args)


def test_what_the_user_does_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        pb.explain(math.sin, 1.0, path=tmp_path / "not there" / "page.html")
    with pytest.raises(IsADirectoryError):
        pb.explain(math.sin, 1.0, path=tmp_path)
    for use in (pb.explain, pb.profile, pb.cost, pb.show):
        with pytest.raises(TypeError, match=f"pb.{use.__name__} is applied to a function"):
            use(3.0, 1.0)
    for seconds in (-1.0, math.nan, math.inf, "1"):
        with pytest.raises(ValueError, match="seconds is a number"):
            pb.profile(math.sin, 1.0, seconds=seconds)
