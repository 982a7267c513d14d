"""
A shape from one picture, by ray marching
=========================================

A scene is a tree: balls, a floor, smooth unions, holes. A ray walks through it, as far each time as
the distance to the nearest surface allows, until it arrives. From one picture of a scene with light
and shadow sides we look for the shape: where its parts are, and how large.

What is differentiated is a renderer with classes, a recursion over the scene and a walk without a
fixed length. The light on a surface depends on its normal, which is the gradient of the distance,
so the renderer takes ``pb.grad`` itself; the fit then needs derivatives of that. Where a ray goes
past a surface the picture jumps, and no derivative sees it; the fit still works, since the inside
of the shape changes smoothly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

import pullback as pb
from pullback.gallery.style import panels


@dataclass(frozen=True)
class Vec:
    x: float
    y: float
    z: float

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, by: float) -> Vec:
        return Vec(self.x * by, self.y * by, self.z * by)

    def dot(self, other: Vec) -> float:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def norm(self) -> float:
        return math.sqrt(self.dot(self))


@dataclass(frozen=True)
class Ball:
    centre: Vec
    radius: float


@dataclass(frozen=True)
class Floor:
    height: float


@dataclass(frozen=True)
class Union:
    left: Solid
    right: Solid
    width: float  # of the smooth seam


@dataclass(frozen=True)
class Without:
    left: Solid
    right: Solid


Solid = Ball | Floor | Union | Without


def distance(solid: Solid, p: Vec) -> float:
    """From ``p`` to the surface; negative inside."""
    match solid:
        case Ball(centre, radius):
            return (p - centre).norm() - radius
        case Floor(height):
            return p.y - height
        case Union(left, right, width):
            a, b = distance(left, p), distance(right, p)
            mix = max(width - abs(a - b), 0.0) / width
            return min(a, b) - 0.25 * mix * mix * width
        case Without(left, right):
            return max(distance(left, p), -distance(right, p))


EYE, LIGHT, FAR = Vec(0.0, 0.6, -3.2), Vec(-0.5, 0.7, -0.5), 9.0


def brightness(solid: Solid, x: float, y: float) -> float:
    """What the camera sees at (x, y)."""
    ray = Vec(x, y, 1.0)
    ray = ray * (1.0 / ray.norm())
    t, gap = 0.0, 1.0
    while gap > 1e-7:
        gap = distance(solid, EYE + ray * t)
        t += gap
        if t > FAR:
            return 0.05
    normal = pb.grad(distance, argnums=1)(solid, EYE + ray * t)
    lit = max(normal.dot(LIGHT), 0.0) / normal.norm()
    return (0.15 + 0.85 * lit) * math.exp(-0.12 * t)


def misfit(solid: Solid, pixels: np.ndarray, picture: np.ndarray) -> float:
    total = 0.0
    for i in range(len(pixels)):
        total += (brightness(solid, pixels[i, 0], pixels[i, 1]) - picture[i]) ** 2
    return total / len(pixels)


# %%
# The scene: two balls that melt into one another, with a bite, on a floor.


def scene(u):
    body = Union(Ball(Vec(u[0], u[1], 0.0), u[2]), Ball(Vec(u[3], u[4], 0.1), u[5]), 0.3)
    return Union(Without(body, Ball(Vec(u[6], u[7], -0.75), 0.35)), Floor(-0.6), 0.15)


def of_scene(tree):
    """The numbers of a tree that are parameters: for the gradient, which is a tree as well."""
    body, bite = tree.left.left, tree.left.right.centre
    a, b = body.left, body.right
    return np.array(
        [a.centre.x, a.centre.y, a.radius, b.centre.x, b.centre.y, b.radius, bite.x, bite.y]
    )


SIZE = 28
grid = np.linspace(-0.42, 0.42, SIZE)
pixels = np.array([[x, y - 0.15] for y in grid[::-1] for x in grid])
look = pb.jit(lambda solid, pixels: np.array([brightness(solid, p[0], p[1]) for p in pixels]))
TRUTH = np.array([-0.25, 0.0, 0.6, 0.45, 0.25, 0.45, -0.2, 0.25])
GUESS = np.array([-0.1, 0.1, 0.5, 0.35, 0.1, 0.5, -0.05, 0.1])
picture = look(scene(TRUTH), pixels)
both = pb.value_and_grad(misfit)


def objective(u):
    value, tree = both(scene(u), pixels, picture)
    return value, of_scene(tree)


found = minimize(objective, GUESS, jac=True, method="L-BFGS-B", options={"maxiter": 60})
print(f"misfit {objective(GUESS)[0]:.2e} -> {found.fun:.2e} in {found.nfev} gradients")
print("found:", np.round(found.x, 3))
print("true: ", TRUTH)

# %%
# The picture that was given, and what the renderer makes of the first guess and of the fit.

fine = np.linspace(-0.42, 0.42, 120)
many = np.array([[x, y - 0.15] for y in fine[::-1] for x in fine])
figure, axes = panels(1, 3, width=10.5, height=3.9)
shown = (
    (picture.reshape(SIZE, SIZE), "Given"),
    (look(scene(GUESS), many).reshape(120, 120), "First guess"),
    (look(scene(found.x), many).reshape(120, 120), "Found"),
)
for axis, (values, name) in zip(axes, shown):
    axis.imshow(values, vmin=0.0, vmax=0.7)
    axis.set(title=name, xticks=[], yticks=[])
    axis.grid(False)

some = np.array([300, 330, 360, 390, 420, 450])
CHECKED = [(misfit, (scene(GUESS), pixels[some], picture[some]))]
