"""Dicts with constant keys: parameters of models, options, small tables."""

import enum
import math

import numpy as np

import pullback as pb
from tests.programs import Program


def network(params, x):
    """Nested dicts of arrays and numbers, as JAX users write them."""
    hidden = np.tanh(params["first"]["w"] @ x + params["first"]["b"])
    out = params["second"]["w"] @ hidden + params["second"]["b"]
    return out * out * params["scale"] + sum(s * s for s in params["steps"])


def regularised(params):
    """Loops over a dict are unrolled."""
    total = 0.0
    for name, w in params.items():
        total += (2.0 if name == "bias" else 1.0) * np.sum(w * w)
    return total + sum(np.sum(v) for v in params.values()) + len(params)


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


def made_and_changed(x, n):
    p = {"a": x, Side.LEFT: x * x, 3: 2.0}
    q = {**p, "a": p["a"] * 3.0} | {"b": 1.5}
    r = dict(u=x, v=q["b"])
    r["w"] = math.sin(x)
    for i in range(n):
        r["u"] = r["u"] * 0.5 + i
        q[3] += r["u"] * x
    squares = {k: v * v for k, v in r.items() if k != "v"}
    out = q.pop(3) * p[Side.LEFT] + squares["u"] + squares["w"]
    return out + q.get("none", x) + ("b" in q) + len(q)


def _step(state, x):
    state["sum"] += x * x
    state["count"] += 1


def handed_state(xs):
    state = {"sum": 0.0, "count": 0}
    for x in xs:
        _step(state, x)
    return state["sum"] / state["count"]


def descent(params, x, y):
    """Gradients of dicts, differentiated."""

    def loss(p):
        error = p["slope"] * x + p["offset"] - y
        return np.sum(error * error)

    g = pb.grad(loss)(params)
    return loss({k: params[k] - 0.01 * g[k] for k in ("slope", "offset")})


def _params(rng, n):
    first = {"w": rng.normal(size=(4, n)), "b": rng.normal(size=4)}
    second = {"w": rng.normal(size=4), "b": 0.3}
    return {"first": first, "second": second, "scale": 0.7, "steps": [0.5, 2.0, 1.5]}, rng.normal(
        size=n
    )


def _weights(rng, n):
    return ({"w": rng.normal(size=n), "bias": rng.normal(size=2)},)


def _line(rng, n):
    return {"slope": 0.4, "offset": -0.2}, rng.normal(size=n), rng.normal(size=n)


PROGRAMS = [
    Program("network_of_dicts", network, _params, argnums=(0, 1)),
    Program("regularised_dict", regularised, _weights),
    Program("dicts_made_and_changed", made_and_changed, lambda rng, n: (0.8, n)),
    Program("handed_state", handed_state, lambda rng, n: (rng.normal(size=n),)),
    Program("descent_of_dicts", descent, _line),
]
