"""``pb.interop.sklearn`` in scikit-learn's own checks, pipelines, grids and cross-validation."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import pullback as pb

Regressor, Classifier = pb.interop.sklearn.Regressor, pb.interop.sklearn.Classifier


@parametrize_with_checks([Regressor(), Classifier()])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


DIABETES = load_diabetes(return_X_y=True)
IRIS = load_iris(return_X_y=True)


def huber(prediction, y):
    r = np.abs(prediction - y)
    return np.where(r < 20.0, 0.5 * r**2, 20.0 * r - 200.0)


def layers(p, x):
    return np.tanh(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]


def first_layers(n, rng):
    return {"w1": rng.normal(size=(n, 4)) / np.sqrt(n), "b1": np.zeros(4), "w2": np.zeros(4),
            "b2": 0.0}  # fmt: skip


def decay(p):
    return np.sum(p["w1"] ** 2) + np.sum(p["w2"] ** 2)


def test_ridge() -> None:
    x, y = DIABETES
    alpha = 0.01
    found = Regressor(alpha=alpha).fit(x, y)
    wanted = Ridge(alpha=alpha * len(y)).fit(x, y)
    np.testing.assert_allclose(found.params_["weights"], wanted.coef_, rtol=1e-3, atol=0.1)
    np.testing.assert_allclose(found.predict(x), wanted.predict(x), rtol=1e-3)


def test_logistic_regression() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    x = StandardScaler().fit_transform(x)
    found = Classifier(alpha=0.01).fit(x, y)
    wanted = LogisticRegression(C=1.0 / (0.01 * len(y)) * 2.0, tol=1e-8, max_iter=5000).fit(x, y)
    np.testing.assert_allclose(found.predict_proba(x), wanted.predict_proba(x), atol=2e-3)


def test_cross_validation_of_a_loss_and_a_model_of_ones_own() -> None:
    x, y = DIABETES
    net = Regressor(huber, layers, first_layers, decay, alpha=0.1, random_state=0)
    robust = make_pipeline(StandardScaler(), Regressor(huber))
    assert cross_val_score(robust, x, y, cv=5).mean() > 0.45
    scores = cross_val_score(make_pipeline(StandardScaler(), net), x, y / 1.0, cv=3)
    assert scores.mean() > 0.3


def test_a_grid() -> None:
    x, y = IRIS
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), Classifier()),
        {"classifier__alpha": [0.0, 0.001, 0.1, 10.0]}, cv=5, n_jobs=2,
    ).fit(x, y)  # fmt: skip
    assert grid.best_score_ > 0.95 and grid.best_params_["classifier__alpha"] < 10.0


def test_weights_are_repetitions() -> None:
    x, y = DIABETES
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    by_weights = Regressor(alpha=0.01).fit(x, y, sample_weight=weights)
    repeated = Regressor(alpha=0.01).fit(np.repeat(x, weights, 0), np.repeat(y, weights))
    np.testing.assert_allclose(by_weights.predict(x), repeated.predict(x), rtol=1e-4)


def test_copies_and_pickles() -> None:
    x, y = DIABETES
    one = Regressor(huber).fit(x, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(one)).predict(x), one.predict(x))
    assert clone(one).loss is huber


def test_what_does_not_fit_together() -> None:
    x, y = DIABETES
    with pytest.raises(ValueError, match="belong together"):
        Regressor(model=layers).fit(x, y)
    with pytest.raises(ValueError, match="penalty"):
        Regressor(model=layers, start=first_layers, alpha=1.0).fit(x, y)
    for alpha in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="not negative"):
            Regressor(alpha=alpha).fit(x, y)
    with pytest.raises(pb.PullbackError):
        Regressor(loss=lambda p, y: "text").fit(x, y)


def test_classes_with_names() -> None:
    x, y = IRIS
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    found = Classifier(alpha=0.001).fit(x, names)
    assert found.score(x, names) > 0.95
    assert list(found.classes_) == ["setosa", "versicolor", "virginica"]
