"""
The calibration of a camera
===========================

A camera takes pictures of a chessboard from several sides. From where the corners appear in the
pictures one finds the camera (focal length, middle of the picture, distortion by the lens) and
where it stood each time (Z. Zhang, "A flexible new technique for camera calibration", 2000).

What is differentiated is the projection, written as a textbook has it: a rotation by Rodrigues'
formula with its branch for an angle of zero, a perspective, and a distortion. The residuals of one
picture do not depend on where the camera stood in the others, so the Jacobian is mostly zeros;
``pb.sparse_jacobian`` finds its pattern and takes a few passes for all of its columns, where one
would write the pattern by hand in other tools.
"""

import math

import numpy as np
import scipy.optimize

import pullback as pb
from pullback.gallery.style import BLUE, GREY, INK, ORANGE, panels

VIEWS, LENS = 6, 5  # the lens: focal length, middle (2), distortion (2)


def rotated(axis, x):
    """``x`` turned about ``axis`` by the length of it."""
    square = axis @ axis
    if square == 0.0:
        return x + np.cross(axis, x)
    angle = math.sqrt(square)
    unit = axis / angle
    turned = x * math.cos(angle) + np.cross(unit, x) * math.sin(angle)
    return turned + unit * ((unit @ x) * (1.0 - math.cos(angle)))


def projected(lens, pose, corner):
    """Where the picture shows a corner of the board; ``pose``: an axis (3) and a shift (3)."""
    seen = rotated(pose[:3], corner) + pose[3:]
    flat = seen[:2] / seen[2]
    square = flat @ flat
    return lens[0] * (1.0 + lens[3] * square + lens[4] * square**2) * flat + lens[1:3]


def residuals(parameters, corners, pictures):
    """What is off in all pictures, in pixels."""
    lens, out = parameters[:LENS], []
    for view, picture in enumerate(pictures):
        pose = parameters[LENS + 6 * view : LENS + 6 * view + 6]
        for corner, seen in zip(corners, picture):
            gap = projected(lens, pose, corner) - seen
            out.append(gap[0])
            out.append(gap[1])
    return np.array(out)


# %%
# The board has 7 by 5 corners, 3 cm apart; the pictures have noise of 0.3 pixels.

rng = np.random.default_rng(0)
corners = np.array([[0.03 * i - 0.09, 0.03 * j - 0.06, 0.0] for j in range(5) for i in range(7)])
LENS_TRUE = np.array([800.0, 320.0, 240.0, -0.28, 0.09])
poses = np.concatenate(
    [0.45 * rng.normal(size=(VIEWS, 3)), [0.0, 0.0, 0.3] + 0.03 * rng.normal(size=(VIEWS, 3))],
    axis=1,
)
truth = np.concatenate([LENS_TRUE, poses.ravel()])
pictures = -residuals(truth, corners, np.zeros((VIEWS, len(corners), 2)))
pictures = -pictures.reshape(VIEWS, len(corners), 2)
pictures += 0.3 * rng.normal(size=pictures.shape)

# %%
# Start from a lens without distortion, and from places that are some centimetres off. The Jacobian
# goes to SciPy's ``least_squares`` as a sparse matrix.

guess = truth + np.concatenate([[120.0, 15.0, -15.0, 0.28, -0.09], 0.02 * rng.normal(size=36)])
jacobian = pb.sparse_jacobian(residuals)
found = scipy.optimize.least_squares(
    residuals, guess, jacobian, args=(corners, pictures), x_scale="jac"
)
names = ("focal length", "middle x", "middle y", "distortion 1", "distortion 2")
matrix = jacobian(found.x, corners, pictures).toarray()
deviations = 0.3 * np.sqrt(np.diag(np.linalg.inv(matrix.T @ matrix)))
for name, value, deviation, true in zip(names, found.x, deviations, LENS_TRUE):
    print(f"{name:13} {value:8.3f} +- {deviation:.3f}   (true {true:g})")

# %%
# Left: one picture, before and after. Right: where the Jacobian is not zero.

figure, (left, right) = panels(1, 2)


def seen_by(parameters, view):
    out = residuals(parameters, corners, np.zeros_like(pictures))
    return out.reshape(VIEWS, -1, 2)[view]


for parameters, colour, marker, label in (
    (guess, GREY, "s", "first guess"), (found.x, BLUE, "o", "fit")
):  # fmt: skip
    left.plot(*seen_by(parameters, 0).T, marker, mfc="none", color=colour, label=label)
left.plot(*pictures[0].T, "x", color=ORANGE, label="in the picture")
left.invert_yaxis()
left.set(xlabel="x (pixels)", ylabel="y (pixels)", title="The corners of one view", aspect="equal")
left.legend(loc="upper left", bbox_to_anchor=(0.0, -0.15), ncols=3)
right.spy(matrix, aspect="auto", markersize=1.2, color=INK)
right.grid(False)
right.set(xlabel="parameter: lens, then six poses", ylabel="residual", title="The Jacobian")
right.xaxis.set_ticks_position("bottom")

CHECKED = [(residuals, (guess, corners[:3], pictures[:, :3]))]
