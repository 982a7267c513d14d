"""Pictures of growth, as SVG: steps against size, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from pullback.explanation.model import Growth

WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT, TOP = 420, 210, 56, 28, 12, 12


def chart(growth: Growth) -> str:
    """Return the picture: a line for the function and one for its gradient, with the exponent by
    which each grows between the last two sizes.

    >>> g = Growth("x", 4, (2, 4), (10, 20), (30, 60))
    >>> chart(g).count("<circle"), "steps grow like size^1.00" in chart(g)
    (4, True)
    """
    lines = [("value", growth.value)]
    if all(growth.gradient):
        lines.append(("gradient", growth.gradient))
    ys = [y for _, line in lines for y in line]
    across = _Scale(growth.sizes, LEFT, WIDTH - RIGHT)
    up = _Scale(ys, HEIGHT - BOTTOM, TOP)
    parts = [_axes(across, up, growth.sizes)]
    if growth.sizes[0] <= growth.own <= growth.sizes[-1]:
        x = across(growth.own)
        parts.append(f'<line class="own" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" '
                     f'y2="{HEIGHT - BOTTOM}"><title>as given</title></line>')  # fmt: skip
    for name, line in lines:
        points = [(across(n), up(y)) for n, y in zip(growth.sizes, line, strict=True)]
        path = " L".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<path class="{name}" d="M{path}"/>')
        parts += [
            f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{n:,}: {steps:,} '
            f"steps</title></circle>"
            for (x, y), n, steps in zip(points, growth.sizes, line, strict=True)]
    slope = exponent(growth.sizes, growth.value)
    parts.append(f'<text x="{LEFT + 6}" y="{TOP + 10}">steps grow like size^{slope:.2f}</text>')
    told = f"steps against the size of {growth.name}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{_escaped(told)}">'
        f'{"".join(parts)}</svg>'
    )


def exponent(sizes: Sequence[int], steps: Sequence[int]) -> float:
    """Return the exponent of growth between the last two sizes."""
    return log10(steps[-1] / steps[-2]) / log10(sizes[-1] / sizes[-2])


def _escaped(text: str) -> str:
    return "".join(c if c.isalnum() or c in " ,._" else " " for c in text)


class _Scale:
    """Where numbers stand on a logarithmic axis."""

    def __init__(self, numbers: Sequence[int], start: float, end: float) -> None:
        self.low, high = log10(min(numbers)), log10(max(numbers))
        self.start, self.unit = start, (end - start) / ((high - self.low) or 1.0)
        self.numbers = numbers

    def __call__(self, n: float) -> float:
        return self.start + (log10(n) - self.low) * self.unit

    def ticks(self) -> list[int]:
        """Return round numbers on the axis."""
        low, high = min(self.numbers), max(self.numbers)
        found = [m * 10**k for k in range(19) for m in (1, 2, 5) if low <= m * 10**k <= high]
        return found if len(found) < 7 else [n for n in found if str(n)[0] == "1"]


def _axes(across: _Scale, up: _Scale, sizes: Sequence[int]) -> str:
    bottom = HEIGHT - BOTTOM
    parts = [f'<path class="axis" d="M{LEFT},{TOP} V{bottom} H{WIDTH - RIGHT}"/>']
    parts += [
        f'<text x="{across(n):.1f}" y="{bottom + 15}" text-anchor="middle">{n:,}</text>'
        for n in across.ticks()]
    for n in up.ticks():
        y = up(n)
        parts.append(f'<path class="axis" d="M{LEFT},{y:.1f} H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{n:,}</text>')
    return "".join(parts)


__all__ = ["chart", "exponent"]
