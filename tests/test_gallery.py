"""The pages of the gallery run, their functions are right, and their pictures show something.

Two of the sixteen run in every run, all of them in the campaign "values".
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg

import pullback as pb
from pullback import gallery
from pullback.__main__ import main
from pullback.gallery.series import series
from tests import campaign

NAMES = gallery.names()


@pytest.fixture(autouse=True)
def no_figures_are_left() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def equal(got: Any, expected: Any) -> None:
    """Compare numbers, arrays, and tuples of them."""
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            equal(one, other)
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


def check(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """The compiled value is plain Python's; derivatives in both modes are differences."""
    equal(pb.jit(f)(*args), f(*args))
    pb.check_grads(f, args, atol=1e-5, rtol=1e-5)


def drawn(figure: Any) -> float:
    """The share of the pixels of a figure that are not of its background."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3]
    return float(np.mean(np.any(pixels != pixels[0, 0], axis=2)))


def shows_something(figure: Any) -> bool:
    """Whether all axes of a figure have something on them, and more than their frames is seen."""
    filled = all(axis.has_data() or axis.texts for axis in figure.axes)
    return filled and drawn(figure) > 0.06


def test_there_are_sixteen_with_a_heading_each() -> None:
    assert len(NAMES) == 16
    assert all(len(gallery.title(name)) > 15 for name in NAMES)


@pytest.mark.parametrize("name", campaign.part("values", NAMES, 8, core=()))
def test_a_page_runs_and_is_right(name: str) -> None:
    page = gallery.load(name)
    assert len(plt.get_fignums()) == 1
    assert shows_something(plt.gcf())
    assert page.CHECKED
    for f, args in page.CHECKED:
        check(f, args)


def test_an_empty_picture_is_caught() -> None:
    assert drawn(plt.figure()) == 0.0
    assert not shows_something(plt.figure())
    assert not shows_something(plt.subplots()[0])


def test_a_wrong_derivative_is_caught() -> None:
    @pb.custom_vjp
    def square(x: float) -> float:
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, d: (3.0 * x * d,))
    with pytest.raises(AssertionError):
        check(square, (2.0,))


def test_the_series_are_whole() -> None:
    lengths = {name: len(series(name)[1]) for name in ("nile", "lynx", "sunspots")}
    assert lengths == {"nile": 100, "lynx": 114, "sunspots": 2820}
    assert series("nile")[1].sum() == 91935.0  # R's mean(Nile) is 919.35


def said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str, str]:
    """The exit status of the command line, and what it writes to stdout and stderr."""
    monkeypatch.setattr(sys, "argv", ["pullback", "gallery", *words])
    status = main()
    out, err = capsys.readouterr()
    return status, out, err


def test_the_command_lists_the_pages(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = said(monkeypatch, capsys)
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == NAMES
    status, _, err = said(monkeypatch, capsys, "nowhere")
    assert status == 1 and "there is no page 'nowhere'" in err and "orbit" in err


def test_the_command_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gallery.importlib.util, "find_spec", lambda name: None)
    status, _, err = said(monkeypatch, capsys, "nile")
    assert status == 1 and 'pip install "pullback[demo]"' in err


def test_the_command_writes_a_picture(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pullback", "gallery", "hierarchical", "--out", str(tmp_path)],
        cwd=Path(__file__).parents[1] / "src", capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "largest R-hat" in done.stdout
    assert (tmp_path / "hierarchical.png").stat().st_size > 10_000
