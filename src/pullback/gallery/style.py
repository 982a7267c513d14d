"""How all pictures of the gallery look: one set of colours, which people who are colour-blind can
tell apart (M. Okabe and K. Ito, "Color universal design", 2008), and one set of lines and letters.
"""

from __future__ import annotations

from typing import Any

from matplotlib import pyplot as plt

INK = "#22303c"
BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
GOLD, SKY, GREY = "#e69f00", "#56b4e9", "#8a949c"

LOOK: Any = {
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "savefig.dpi": 110,
    "font.size": 11,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e7ea",
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "lines.linewidth": 1.8,
    "image.cmap": "cividis",
}


def panels(rows: int = 1, columns: int = 1, width: float = 9.0, height: float = 4.2) -> Any:
    """Return a new figure in this style, and its axes as ``plt.subplots`` gives them."""
    plt.rcParams.update(LOOK)
    return plt.subplots(rows, columns, figsize=(width, height), layout="constrained")
