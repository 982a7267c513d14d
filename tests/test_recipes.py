"""The recipes of the guide run, and agree with their counterparts in NumPy and SciPy."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "recipes"
GUIDE = FOLDER.parents[1] / "docs" / "guide" / "recipes.md"
RECIPES = sorted(path.name for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (FOLDER / name).read_text()
    assert "assert" in text.partition("\n# the ")[2], "no counterpart"
    runpy.run_path(str(FOLDER / name), run_name="__main__")
    assert capsys.readouterr().out


def test_the_guide_names_every_recipe() -> None:
    text = GUIDE.read_text()
    assert len(RECIPES) == 10
    assert [name for name in RECIPES if f"recipes/{name})" not in text] == []
