"""The examples run, print what they found, and look alike. A quarter of them runs in every run as a
whole; the corpus has the functions of all of them."""

import ast
import runpy

import pytest

from pullback.call.tangents import differentiable
from tests import campaign
from tests.programs.examples import FOLDER, module_of, names

NAMES = names()


def test_there_are_enough() -> None:
    assert len(NAMES) >= 25


@pytest.mark.parametrize("name", [n for n in NAMES if campaign.chosen("values", n, 4)])
def test_main_runs_and_prints(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each main program ends with an assertion of its own about what it found."""
    module_of(name).main()
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_short_and_says_what_it_is(name: str) -> None:
    source = (FOLDER / f"{name}.py").read_text()
    tree = ast.parse(source)
    assert ast.get_docstring(tree), "no docstring"
    assert len(source.splitlines()) <= 150
    module = module_of(name)
    f, args = module.inputs(4, 0)
    assert f.__module__ == module.__name__
    assert differentiable(args)
    assert 'if __name__ == "__main__":\n    main()\n' in source


def test_examples_run_as_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    """``python examples/determinant.py``: nothing but the file itself is needed."""
    runpy.run_path(str(FOLDER / "determinant.py"), run_name="__main__")
    assert "Jacobi" in capsys.readouterr().out
