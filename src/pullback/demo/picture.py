"""One picture of both fits: the points, the clusters' ellipses and the way of the means."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.patches import Ellipse

from pullback.demo.fit import Fit
from pullback.demo.inputs import Array
from pullback.demo.mixture import inverse_factor

INK, PAPER = "#22303c", "#fbfaf7"
COLOURS = ["#c8553d", "#2f6f8f"]


@dataclass(frozen=True)
class Drawn:
    """A fit and the units it was made in: data = centre + scale * standard units."""

    x: Array
    fit: Fit
    centre: Array
    scale: Array
    clusters: int
    shift: float

    def means(self, theta: Array) -> Array:
        k, d = self.clusters, self.x.shape[1]
        return self.centre + self.scale * theta[k : k + k * d].reshape(k, d)

    def factors(self, theta: Array) -> Array:
        """The square root Q of every inverse covariance, ``[K, D, D]``, in standard units."""
        k, d = self.clusters, self.x.shape[1]
        qs = theta[k + k * d : k + 2 * k * d].reshape(k, d)
        ls = theta[k + 2 * k * d :].reshape(k, d * (d - 1) // 2)
        return np.array([inverse_factor(qs[i], ls[i]) for i in range(k)])

    def covariance(self, theta: Array, k: int) -> Array:
        """The covariance of one cluster, in the data's units."""
        root: Array = np.diag(self.scale) @ np.linalg.inv(self.factors(theta)[k])
        result: Array = root @ root.T
        return result

    def weights(self, theta: Array) -> Array:
        shifted: Array = np.exp(theta[: self.clusters] - np.max(theta[: self.clusters]))
        total: float = shifted.sum()
        return shifted / total

    def densities(self, theta: Array, at: Array) -> Array:
        """The weighted density of every cluster at some places, ``[places, K]``."""
        diff = (at[:, None, :] - self.means(theta)) / self.scale
        factors = self.factors(theta)
        distance = np.square(np.einsum("kij,nkj->nki", factors, diff)).sum(axis=2)
        scale = np.abs(np.linalg.det(factors)) / np.prod(self.scale)
        result: Array = self.weights(theta) * scale * np.exp(-0.5 * distance)
        return result


def ellipse(
    axes: Axes, mean: Array, cov: Array, sigmas: float, colour: str, alpha: float, fill: bool
) -> None:
    """Add the ellipse that lies ``sigmas`` standard deviations from the mean."""
    size, turn = np.linalg.eigh(cov)
    angle = float(np.degrees(np.arctan2(turn[1, 1], turn[0, 1])))
    width, height = 2 * sigmas * np.sqrt(size[::-1])
    place = (float(mean[0]), float(mean[1]))
    patch = Ellipse(place, width, height, angle=angle, alpha=alpha, color=colour, linewidth=1.4)
    patch.set_fill(fill)
    axes.add_patch(patch)


def trail(axes: Axes, places: Array, colour: str) -> None:
    """The way of one mean: faint where it starts, strong where it ends."""
    steps = np.stack([places[:-1], places[1:]], axis=1)
    strength = np.linspace(0.35, 1.0, len(steps))
    axes.add_collection(
        LineCollection(list(steps), colors=colour, alpha=strength, linewidths=1.8, zorder=5)
    )
    axes.plot(*places.T, ".", color=colour, markersize=3.5, alpha=0.7, zorder=5)
    axes.plot(*places[0], "o", color=PAPER, markeredgecolor=colour, markersize=8, zorder=6)
    axes.plot(*places[-1], "*", color=colour, markeredgecolor=PAPER, markersize=19, zorder=7)


def draw_faithful(axes: Axes, drawn: Drawn) -> None:
    """Points coloured by the cluster that they belong to, density, ellipses, ways of the means."""
    theta = drawn.fit.path[-1]
    low, high = drawn.x.min(axis=0), drawn.x.max(axis=0)
    low, high = low - 0.12 * (high - low), high + 0.12 * (high - low)
    grid = np.meshgrid(np.linspace(low[0], high[0], 240), np.linspace(low[1], high[1], 240))
    density = drawn.densities(theta, np.stack([g.ravel() for g in grid], axis=1)).sum(axis=1)
    axes.contourf(*grid, np.sqrt(density).reshape(240, 240), levels=14, cmap="bone_r", alpha=0.33)
    belongs = drawn.densities(theta, drawn.x)
    share = belongs[:, 0] / belongs.sum(axis=1)
    blend = LinearSegmentedColormap.from_list("clusters", COLOURS[::-1])
    axes.scatter(
        drawn.x[:, 0],
        drawn.x[:, 1],
        c=share,
        cmap=blend,
        s=26,
        linewidths=0.5,
        edgecolors=PAPER,
        zorder=3,
    )
    means = drawn.means(theta)
    ways = np.array([drawn.means(step) for step in drawn.fit.path])
    for k, colour in enumerate(COLOURS):
        covariance = drawn.covariance(theta, k)
        ellipse(axes, means[k], covariance, 2.0, colour, 0.14, fill=True)
        ellipse(axes, means[k], covariance, 2.0, colour, 1.0, fill=False)
        ellipse(axes, means[k], covariance, 1.0, colour, 0.6, fill=False)
        trail(axes, ways[:, k], colour)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.set(xlabel="length of the eruption (minutes)", ylabel="wait for the next one (minutes)")
    value = -drawn.fit.losses[-1] + drawn.shift
    axes.set_title(
        f"Old Faithful: two clusters, log-likelihood {value:.2f}\n"
        "1 and 2 sigma; the way of each mean from its circle to its star",
        loc="left",
    )


def draw_projected(axes: Axes, drawn: Drawn) -> None:
    """Points, ellipses and ways of the means, seen along the two widest directions."""
    theta = drawn.fit.path[-1]
    middle = drawn.x.mean(axis=0)
    plane = np.linalg.svd(drawn.x - middle, full_matrices=False)[2][:2]
    belongs = np.argmax(drawn.densities(theta, drawn.x), axis=1)
    colours = [to_hex(plt.get_cmap("twilight_shifted")(c)) for c in np.linspace(0.08, 0.92, 25)]
    shown = (drawn.x - middle) @ plane.T
    axes.scatter(
        shown[:, 0], shown[:, 1], c=[colours[k] for k in belongs], s=7, alpha=0.55, linewidths=0
    )
    means, weights = drawn.means(theta), drawn.weights(theta)
    ways = np.array([(drawn.means(step) - middle) @ plane.T for step in drawn.fit.path])
    alive = [k for k in range(drawn.clusters) if weights[k] * len(drawn.x) > 1.0]
    for k in range(drawn.clusters):
        axes.plot(*ways[:, k].T, color=colours[k], linewidth=1.1, alpha=0.75)
        axes.plot(*ways[0, k], "o", color=PAPER, markeredgecolor=colours[k], markersize=5)
    for k in alive:
        flat = plane @ drawn.covariance(theta, k) @ plane.T
        ellipse(axes, plane @ (means[k] - middle), flat, 1.0, colours[k], 0.7, fill=False)
        ellipse(axes, plane @ (means[k] - middle), flat, 2.0, colours[k], 1.0, fill=False)
        axes.plot(*ways[-1, k], "*", color=colours[k], markeredgecolor=INK, markersize=17, zorder=6)
    limit = float(np.quantile(np.abs(shown), 0.999)) * 1.15
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal")
    axes.set(xlabel="first principal direction", ylabel="second principal direction")
    kept = f"{len(alive)} of 25 clusters keeps" if len(alive) == 1 else f"{len(alive)} of 25 keep"
    axes.set_title(f"ADBench 1k_gmm_d10_K25 in 10 dimensions\n{kept} a point", loc="left")


def draw_convergence(axes: Axes, fits: dict[str, tuple[Fit, str]]) -> None:
    """How far each loss still is from its end, per point of the curve's own range."""
    for name, (done, colour) in fits.items():
        losses = np.array(done.losses)
        gap = (losses - losses.min()) / (losses[0] - losses.min())
        axes.semilogy(np.maximum(gap, 1e-12)[:-1], color=colour, linewidth=1.8, label=name)
    axes.set(xlabel="iteration", ylabel="distance from the optimum")
    axes.set_title("What is left of the loss", loc="left")
    axes.legend(frameon=False)


def draw(folder: Path, faithful: Drawn, adbench: Drawn) -> Path:
    """Write the picture of both fits into the folder; returns its path."""
    style: Any = {
        "figure.facecolor": PAPER,
        "axes.facecolor": PAPER,
        "axes.edgecolor": INK,
        "axes.titlesize": 11,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.color": INK,
        "font.size": 10,
    }
    with plt.rc_context(style):
        figure = plt.figure(figsize=(15, 8.4), layout="constrained")
        left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=(1.45, 1.0))[0]
        draw_faithful(left.subplots(), faithful)
        top, bottom = right.subplots(2, 1, height_ratios=(1.75, 1.0))
        draw_projected(top, adbench)
        fits = {"Old Faithful": (faithful.fit, COLOURS[0]), "ADBench": (adbench.fit, COLOURS[1])}
        draw_convergence(bottom, fits)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "mixtures.png"
        figure.savefig(path, dpi=150)
        plt.close(figure)
    return path
