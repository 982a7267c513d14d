"""The gallery: real problems, each a program in ``pages`` that ends with a picture.

``python -m pullback gallery`` lists them, ``python -m pullback gallery NAME`` runs one.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

PAGES = Path(__file__).parent / "pages"


def names() -> list[str]:
    """Return the names of the pages, in the order of the alphabet."""
    return sorted(path.stem for path in PAGES.glob("*.py"))


def title(name: str) -> str:
    """Return the heading of a page, which is the first line of its docstring."""
    text = ast.get_docstring(ast.parse((PAGES / f"{name}.py").read_text(encoding="utf-8")))
    assert text is not None, f"{name} does not say what it is about"
    return text.split("\n")[0]


def listing() -> str:
    """Return the names of all pages with their headings, one on each line."""
    width = max(map(len, names()))
    return "\n".join(f"{name:{width}}  {title(name)}" for name in names())


def load(name: str) -> ModuleType:
    """Run a page, and return it as a module.

    The module's name does not begin with ``pullback``: a page is a program like a user's, and so
    is compiled as one.
    """
    whole = f"gallery_{name}"
    spec = importlib.util.spec_from_file_location(whole, PAGES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[whole] = module  # dataclasses look up their annotations there
    spec.loader.exec_module(module)
    return module


def show(name: str, folder: Path, on_screen: bool) -> int:
    """Run one page, then write its picture to ``folder/NAME.png`` or show it in a window.

    Return the exit status: 1, and an error on stderr, where there is no such page or where
    matplotlib is not installed.
    """
    if name not in names():
        print(f"there is no page {name!r} in the gallery:\n{listing()}", file=sys.stderr)
        return 1
    if importlib.util.find_spec("matplotlib") is None:
        print('the gallery draws with matplotlib: pip install "pullback[demo]"', file=sys.stderr)
        return 1
    import matplotlib

    if not on_screen:
        matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    load(name)
    if on_screen:
        plt.show()
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    plt.savefig(folder / f"{name}.png")
    print(f"the picture is in {folder / f'{name}.png'}")
    return 0
