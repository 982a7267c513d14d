"""Draw the picture of the README from its own program: ``python -m tools.readme_picture``.

The blocks of ``README.md`` are run as they stand, so the picture shows what they compute. It needs
matplotlib.
"""

from __future__ import annotations

import re
import runpy
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "fit.png"
FACE, INK, PREY, PREDATORS = "#ffffff", "#3c3f44", "#0a7d91", "#b3501b"


def program() -> dict[str, Any]:
    """Run the blocks of the README, up to the picture, and return their variables."""
    text = (ROOT / "README.md").read_text().partition("![")[0]
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "readme.py"  # Pullback reads the source
        path.write_text("\n".join(blocks))
        return runpy.run_path(str(path))


def draw(path: Path) -> None:
    """Draw what was seen, the first guess and the fit."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    of = program()
    when = of["times"][1:]
    inked = ("axes.edgecolor", "text.color", "axes.labelcolor", "xtick.color", "ytick.color")
    style: dict[Any, Any] = {"font.size": 11, **dict.fromkeys(inked, INK)}
    plt.rcParams.update(style)
    figure, axes = plt.subplots(figsize=(8.4, 3.6), facecolor=FACE, layout="constrained")
    first, last = (of["populations"](of[name], of["times"]) for name in ("guess", "fit"))
    for k, (name, colour) in enumerate([("prey", PREY), ("predators", PREDATORS)]):
        axes.plot(when[::2], of["seen"][::2, k], ".", color=colour, alpha=0.45, markersize=5,
                  label=f"{name}: seen")  # fmt: skip
        axes.plot(when, first[:, k], ":", color=colour, linewidth=1.3, label="first guess")
        axes.plot(when, last[:, k], "-", color=colour, linewidth=2.0, label="fit")
    axes.set(xlabel="time", ylabel="population", ylim=(0.0, 16.0), xlim=(0.0, 20.0))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(ncols=2, columnspacing=4.0, frameon=False, loc="upper right", fontsize=9)
    figure.savefig(path, dpi=140, facecolor=FACE)


if __name__ == "__main__":
    draw(PICTURE)
