"""Views of arrays and other names for them, and parts of structures that inner functions update: as
in Python (values, arguments, gradients by both methods), or refused."""

import warnings

import numpy as np
import pytest

import pullback as pb
from tests import campaign
from tests.foreign.__main__ import verdict
from tests.frontend import captured_parts, kept_iterators, temporary_views, view_programs
from tests.frontend.harness import agrees, run, same

X = [0.7, 1.3, 0.9]
DIFFERENTIATED = [
    captured_parts.row_in_a_loop, captured_parts.helper_of_a_helper, captured_parts.row_of_a_loop,
    captured_parts.recursive,
    captured_parts.defaults_of_two_functions, captured_parts.default_that_is_a_view,
    view_programs.overlapping, view_programs.slices_in_a_loop,
    view_programs.vector_as_a_matrix, view_programs.view_by_a_mask, view_programs.handed_view,
    view_programs.recursion_on_named_slices, view_programs.recursion_on_blocks,
    view_programs.three_shapes_of_a_matrix, view_programs.other_shapes_of_more_axes,
    *temporary_views.PROGRAMS,
]  # fmt: skip


@pytest.mark.parametrize(
    "f",
    captured_parts.PROGRAMS + view_programs.PROGRAMS + temporary_views.PROGRAMS,
    ids=lambda f: f.__name__,
)
def test_as_in_python(f):
    x = list(X)
    agrees(f, x)
    assert x == X


@pytest.mark.parametrize(
    "f", view_programs.REFUSED, ids=lambda f: f.__name__
)
def test_refused(f):
    with pytest.raises(pb.PullbackError) as caught:
        run(f, list(X))
    assert "Instead" in str(caught.value)


BY_METHODS = [(f, method) for f in campaign.part("values", DIFFERENTIATED, 3)
              for method in campaign.rotated("values", f.__name__, ("chad", "dual"))]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "method"), BY_METHODS, ids=[f"{f.__name__}-{method}" for f, method in BY_METHODS]
)
def test_gradients(f, method):
    value, found = pb.value_and_grad(f, method=method)(X)
    assert value == pytest.approx(f(X), rel=1e-12)
    for k in range(3):
        up, down = list(X), list(X)
        up[k] += 1e-6
        down[k] -= 1e-6
        assert found[k] == pytest.approx((f(up) - f(down)) / 2e-6, rel=1e-5, abs=1e-6)


def test_an_argument_is_not_updated_through_a_view():
    def f(x):
        v = x[1:]
        v += 1.0
        return x.sum()

    with pytest.raises(pb.PullbackError, match="argument"):
        run(f, np.array(X))


VIEWS = """
m
np.asarray(m)
m[:]
m[...]
m[0:2]
m[::2]
m[::-1]
m[1:, None]
m[1:][1:]
m.T
m.transpose()
np.swapaxes(m, 0, -1)
np.moveaxis(m, 0, -1)
np.expand_dims(m, 0)
np.atleast_2d(m)
np.squeeze(m[None])
m.T[1:].T
m[::2].reshape(2, -1)
m.reshape(2, -1).T
(m if True else m)
(lambda a: a[1:])(m)
(m[1:], 1)[0]
"""
COPIES = """
np.array(m)
np.copy(m)
np.array(m[1:])
m[1:].copy()
+m
np.take(m, [0, 1], axis=0)
np.take(m, 1, axis=0)
np.concatenate([m])
np.vstack([m])
np.stack([m])
m.astype(float)
m.flatten()
m[[0, 1]]
m[m > -9]
np.roll(m, 0)
np.repeat(m, 1, axis=0)
np.nan_to_num(m)
"""
NOT_KNOWN = """
np.ravel(m)
m.reshape(m.shape)
np.flip(m)
np.diag(m)
np.diagonal(m)
np.float64(m)
np.broadcast_to(m, m.shape)
np.einsum('ij->ji', m)
np.einsum('ii->i', m)
"""
BASES = [
    "np.array([x[0], x[1] * 2, x[2], x[0] * x[1]])",
    "np.outer(np.array([x[0], x[1] * 2, x[2], x[0] * x[1]]), np.array([1.0, 2.0, -3.0, 0.5]))",
]
TEXT = """
def f(x):
    m = {base}
    v = {view}
    {update}
    return m * 1.0, v * 1.0
"""
UPDATES = ["v += 1.5\n    v[0] = 2.5", "m[1] = 3.5\n    v[...] = 7.5\n    m *= 2.0"]


@pytest.mark.parametrize("view", VIEWS.split("\n")[1:-1] + COPIES.split("\n")[1:-1])
def test_what_updates_of_a_view_or_copy_change(view, tmp_path):
    known = view in VIEWS.split("\n")
    checked = [_agrees(tmp_path, view, base, update) for base in BASES for update in UPDATES]
    assert any(checked) and (all(checked) or not known or "reshape" in view or "None" in view)


@pytest.mark.parametrize("view", NOT_KNOWN.split("\n")[1:-1])
def test_where_it_is_not_known_whether_it_is_a_view(view, tmp_path):
    for base in BASES:
        for update in UPDATES:
            _agrees(tmp_path, view, base, update)


def _agrees(path, view, base, update):
    """Whether a program is accepted, and then right."""
    file = path / f"f{len(list(path.iterdir()))}.py"
    file.write_text(TEXT.format(base=base, view=view, update=update))
    names = {"np": np}
    exec(compile(file.read_text(), str(file), "exec"), names)
    f = names["f"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = f(list(X))
    except (ValueError, IndexError, TypeError):
        return True
    try:
        found = run(f, list(X))
    except pb.PullbackError:
        return False
    same(found, expected)
    return True


@pytest.mark.parametrize("f", kept_iterators.RIGHT, ids=lambda f: f.__name__)
def test_iterators_while_their_source_changes(f):
    assert verdict(f, (0.7,)) == ("right", "")


@pytest.mark.parametrize("f", kept_iterators.REFUSED, ids=lambda f: f.__name__)
def test_iterators_whose_source_has_changed(f):
    assert verdict(f, (0.7,))[0] in ("right", "refused")
