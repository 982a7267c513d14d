"""scikit-learn: estimators of a model and a loss of one's own.

The parameters of the model are any structure (a dict of arrays); they are fitted by L-BFGS with the
compiled gradient of the mean loss. Grids, pipelines and cross-validation take these estimators as
they take scikit-learn's.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

import pullback as pb
from pullback.errors import ArgumentValueError

Function = Callable[..., Any]


# --- models and losses that are used if none is given ---------------------------------------------


def linear(params: Any, x: Any) -> Any:
    """The model ``x @ weights + bias``."""
    return x @ params["weights"] + params["bias"]


def squared(prediction: Any, y: Any) -> Any:
    """Half the square of the distance."""
    return 0.5 * (prediction - y) ** 2


def cross_entropy(scores: Any, wanted: Any) -> Any:
    """The negative logarithm of the probability (``softmax`` of the scores) of the wanted class;
    ``wanted`` has 1 in its column."""
    top = np.max(scores, axis=1)
    total = np.log(np.sum(np.exp(scores - top[:, None]), axis=1)) + top
    return total - np.sum(scores * wanted, axis=1)


def squares(params: Any) -> Any:
    """Half the sum of the squares of all numbers of the parameters, but for those of ``bias``."""
    return 0.5 * np.sum(params["weights"] ** 2)


# --- estimators -----------------------------------------------------------------------------------


class _Fitted(BaseEstimator):
    """What both estimators share."""

    def __init__(
        self, loss: Function | None = None, model: Function | None = None,
        start: Function | None = None, penalty: Function | None = None, alpha: float = 0.0,
        max_iter: int = 1000, tol: float = 1e-8, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.model = model
        self.start = start
        self.penalty = penalty
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _minimize(self, x: Any, y: Any, columns: int | None, sample_weight: Any) -> None:
        """Fit the parameters."""
        if (self.model is None) != (self.start is None):
            raise ArgumentValueError(
                "a model and the start of its parameters belong together",
                "pass both, model= and start=",
            )
        if not self.alpha >= 0.0:
            raise ArgumentValueError(f"alpha is {self.alpha}", "pass a weight that is not negative")
        if self.alpha and self.penalty is None and self.model is not None:
            raise ArgumentValueError(
                "alpha weighs a penalty, and there is none for a model of one's own",
                "pass penalty=, a function of the parameters",
            )
        weights = _check_sample_weight(sample_weight, x, dtype=np.float64)
        first, back = pb.ravel(self._first(x.shape[1], columns))
        fit = _fit_of(self._default_loss if self.loss is None else self.loss, self.model or linear)
        penalty = (self.penalty or squares) if self.alpha else None
        whole = fit if penalty is None else _penalised(fit, penalty)
        alpha = () if penalty is None else (float(self.alpha),)
        objective = pb.value_and_grad(lambda p, *rest: whole(back(p), *rest))
        found = minimize(
            objective, first, (x, y, weights, *alpha), "L-BFGS-B", jac=True,
            options={"maxiter": self.max_iter, "gtol": self.tol, "ftol": 1e-14, "maxfun": 10**6},
        )  # fmt: skip
        if found.nit >= self.max_iter and not found.success:
            _warn(f"L-BFGS has not converged in {self.max_iter} steps: pass a larger max_iter")
        self.params_, self.loss_ = back(found.x), float(found.fun)
        self.n_iter_ = max(1, int(found.nit))

    def _first(self, n: int, columns: int | None) -> Any:
        if self.start is not None:
            rng = check_random_state(self.random_state)
            return self.start(n, rng) if columns is None else self.start(n, columns, rng)
        if columns is None:
            return {"weights": np.zeros(n), "bias": 0.0}
        return {"weights": np.zeros((n, columns)), "bias": np.zeros(columns)}

    def _output(self, x: Any) -> Any:
        check_is_fitted(self)
        x = validate_data(self, x, reset=False, dtype=np.float64)
        return np.asarray(pb.jit(self.model or linear)(self.params_, x))


class Regressor(RegressorMixin, _Fitted):
    """A regression with a loss and a model of one's own.

    Args:
        loss: a function ``(predictions, y)`` that returns an array: the loss of each row. Without
            it, half the square of the distance.
        model: a function ``(params, x)`` that returns a prediction for each row. Without it, a
            linear one with ``params["weights"]`` and ``params["bias"]``.
        start: a function ``(features, rng)`` that returns the first parameters, for a model of
            one's own; ``rng`` is a ``numpy.random.RandomState`` of ``random_state``.
        penalty: a function of the parameters, which is added ``alpha`` times; without it, half the
            sum of the squares of the weights of the linear model.
        alpha: the weight of the penalty.
        max_iter: the most steps of L-BFGS.
        tol: it ends where no slope is larger.
        random_state: for ``start``.

    After ``fit``: ``params_``, ``loss_`` (with the penalty), ``n_iter_``.
    """

    _default_loss = staticmethod(squared)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Regressor:  # as there
        """Fit the parameters to the rows of ``X``."""
        x, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self._minimize(x, np.asarray(y, np.float64), None, sample_weight)
        return self

    def predict(self, X: Any) -> Any:
        """Return a prediction for each row."""
        return self._output(X)


class Classifier(ClassifierMixin, _Fitted):
    """A classification with a loss and a model of one's own.

    The arguments are those of ``Regressor``, but: ``loss`` is given the scores (a row for each row
    of ``X``, a column for each class) and an array of that shape with 1 in the column of the right
    class; without it, the cross entropy of ``softmax``. ``model`` returns the scores, and ``start``
    is given ``(features, classes, rng)``.

    After ``fit``: ``classes_``, ``params_``, ``loss_``, ``n_iter_``.
    """

    _default_loss = staticmethod(cross_entropy)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Classifier:
        """Fit the parameters to the rows of ``X`` and their classes."""
        x, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        encoder = LabelEncoder().fit(y)
        self.classes_ = encoder.classes_
        if len(self.classes_) < 2:
            raise ValueError(f"Classifier can't train when only one class is present: {y[0]!r}")
        wanted = np.eye(len(self.classes_))[encoder.transform(y)]
        self._minimize(x, wanted, len(self.classes_), sample_weight)
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the scores; of two classes, how much more the second one has."""
        scores = self._output(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> Any:
        """Return ``softmax`` of the scores."""
        scores = self._output(X)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Any:
        """Return the class with the best score for each row."""
        best = np.argmax(self._output(X), axis=1)
        return self.classes_[best]


def _fit_of(loss: Function, model: Function) -> Function:
    def fit(params: Any, x: Any, y: Any, weights: Any) -> Any:
        return np.sum(weights * loss(model(params, x), y)) / np.sum(weights)

    return fit


def _penalised(fit: Function, penalty: Function) -> Function:
    def whole(params: Any, x: Any, y: Any, weights: Any, alpha: float) -> Any:
        return fit(params, x, y, weights) + alpha * penalty(params)

    return whole


def _warn(text: str) -> None:
    warnings.warn(text, ConvergenceWarning, stacklevel=4)


__all__ = ["Classifier", "Regressor"]
