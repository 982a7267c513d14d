"""The advice for functions that compiled code cannot call: one table, by name.

A name that ends with a dot stands for all names that begin with it; the longest one counts. Every
advice has a program in ``tests/frontend/advice.py``, which shows that the advice works.
"""

from __future__ import annotations

import ast
from typing import NoReturn, Protocol

from pullback.frontend.python.libraries import name_of

OUTSIDE = "call it outside and pass the result in as an argument"
FILES = "read the file outside and pass what is in it as an argument"
SHOW = (
    "return what you want to see, or call the function itself, without Pullback: it is plain "
    "Python and prints there"
)
DRAW = (
    "np.random.default_rng(seed) and its usual methods, or numbers that are drawn outside and "
    "passed in as an argument"
)
EACH = "a comprehension: np.array([f(v) for v in x])"
FOURIER = "a transform of np.fft or scipy.fft: np.fft.fft(x), np.fft.rfft(x), scipy.fft.dct(x)"
NEWTON = (
    "write the iteration: while abs(f(x)) > 1e-12: x -= f(x) / pb.grad(f)(x); or call it outside, "
    "with jac=pb.grad(f)"
)
DESCENT = "call it outside: minimize(pb.value_and_grad(f), x0, jac=True)"
STEPS = "write the steps: for _ in range(n): k = f(y + 0.5 * h * f(y)); y = y + h * k"
RULE = "a rule: x = np.linspace(a, b, n); np.trapezoid(f(x), x)"
LINEAR = "np.interp(x, xs, ys), which is linear between the points"
SPARSE = (
    "keep rows, columns and values in arrays: y = np.zeros(n); np.add.at(y, rows, values * x[cols])"
)
COLUMNS = "pass the columns as arrays: df['x'].to_numpy()"
NUMPY = "use the NumPy function of that name, np.tanh for torch.tanh and jnp.tanh"
PLAIN_TEXT = "compare the values themselves; an f-string works in the message of an error"
LOCAL = "assign to variables and fields by their names"
TUPLE = "use a tuple or a list; for each thing once, a sorted list in which neighbours differ"
DISPATCH = "match x: case Circle(r): ...; or isinstance"
INSIDE = "call it outside; inside there are pb.grad, pb.vjp, pb.jvp and what is derived from them"
PLACES = "take the parts by their places: v[0], v[1:3]"
SOLVE = "np.linalg.solve(a, b)"
FORMULA = "write its formula, or call it outside and pass the result in"

REWRITES: dict[str, str] = {
    # linear algebra
    "scipy.linalg.ldl": SOLVE,
    "scipy.sparse.linalg.onenormest":
        "np.linalg.norm(a, 1), which it estimates by random numbers of NumPy's global state",
    # arrays
    "numpy.frompyfunc": EACH,
    "scipy.fft.": FOURIER, "scipy.fftpack.": FOURIER,
    "ufunc.at": "write a loop: for k in range(len(indices)): a[indices[k]] += values[k]",
    # numbers that the run draws, files, output
    "numpy.random.": DRAW, "random.": DRAW, "RandomState.": DRAW, "Generator.": DRAW,
    "Random.": DRAW, "secrets.": DRAW,
    "numpy.save": OUTSIDE, "numpy.savetxt": OUTSIDE, "numpy.savez": OUTSIDE,
    "numpy.load": FILES, "numpy.loadtxt": FILES, "numpy.genfromtxt": FILES,
    "numpy.fromfile": FILES, "open": FILES, "json.": FILES,
    "csv.": FILES, "pickle.": FILES, "os.": FILES, "pathlib.": FILES,
    "input": OUTSIDE, "time.": OUTSIDE, "datetime.": OUTSIDE, "re.": OUTSIDE,
    "subprocess.": OUTSIDE, "threading.": OUTSIDE, "multiprocessing.": OUTSIDE,
    "concurrent.": OUTSIDE, "asyncio.": OUTSIDE,
    "print": SHOW, "logging.": SHOW, "warnings.": SHOW, "pprint.": SHOW, "sys.": SHOW,
    "numpy.errstate": "leave it away: compiled code gives no warnings",
    # Python's own
    "frozenset": TUPLE,
    "str": PLAIN_TEXT, "repr": PLAIN_TEXT, "format": PLAIN_TEXT, "ascii": PLAIN_TEXT,
    "getattr": LOCAL, "setattr": LOCAL, "delattr": LOCAL, "vars": LOCAL, "globals": LOCAL,
    "locals": LOCAL, "eval": LOCAL, "exec": LOCAL,
    "copy.": "x.copy() of an array or a list; what nobody changes needs no copy",
    "functools.singledispatch": DISPATCH,
    "statistics.median": "np.median(np.array(xs))",
    "contextlib.": "write the statements without the context",
    "decimal.Decimal": "use floats",
    # SciPy
    "scipy.optimize.": NEWTON,
    "scipy.optimize.milp": DESCENT,
    "scipy.integrate.": RULE, "scipy.integrate.solve_ivp": STEPS, "scipy.integrate.ode": STEPS,
    "scipy.stats.": FORMULA,
    "scipy.interpolate.": LINEAR,
    "scipy.signal.": "np.convolve(x, h), or a loop over the samples",
    "scipy.sparse.": SPARSE,
    "SuperLU.": "make it inside: splu(A).solve(b); factors are kept for the next time",
    "scipy.ndimage.": "slices of a padded array: p = np.pad(x, 1); p[:-2] + p[1:-1] + p[2:]",
    "scipy.cluster.": OUTSIDE,
    "pb.": INSIDE, "pb.ravel": PLACES, "pb.ravel.<locals>.unravel": PLACES,
    # other packages
    "pandas.": COLUMNS, "polars.": COLUMNS, "xarray.": COLUMNS,
    "torch.": NUMPY, "jax.": NUMPY, "jaxlib.": NUMPY, "tensorflow.": NUMPY, "cupy.": NUMPY,
    "autograd.": NUMPY, "keras.": NUMPY,
    "sklearn.": OUTSIDE, "statsmodels.": OUTSIDE, "sympy.": OUTSIDE, "networkx.": OUTSIDE,
    "matplotlib.": OUTSIDE, "tqdm.":
        "tqdm.tqdm(xs), tqdm.trange(n) or pb.progress(xs), inside of zip or enumerate",
    "numba.": "give Pullback the function itself: fast.py_func",
}  # fmt: skip

_SETTINGS = (
    "array2string", "array_repr", "array_str", "base_repr", "binary_repr", "busday_count",
    "busday_offset", "common_type", "datetime_as_string", "datetime_data", "einsum_path",
    "format_float_positional", "format_float_scientific", "get_include", "get_printoptions",
    "getbufsize", "geterr", "geterrcall", "info", "is_busday", "isfortran", "isnat",
    "may_share_memory", "min_scalar_type", "mintypecode", "nested_iters", "printoptions",
    "savez_compressed", "set_printoptions", "setbufsize", "seterr", "seterrcall", "shares_memory",
    "show_config", "show_runtime", "test", "typename",
)  # fmt: skip
_BYTES = "from_dlpack", "frombuffer", "fromregex", "fromstring"
REWRITES |= {
    **{f"numpy.{name}": OUTSIDE for name in _SETTINGS},
    **{f"numpy.{name}": FILES for name in _BYTES},
    "numpy.polynomial.": OUTSIDE, "scipy.special.": FORMULA, "scipy.sparse.linalg.": OUTSIDE,
}  # fmt: skip
"""Texts, settings and bytes of NumPy: nothing in them depends on what is
differentiated."""

ANYTHING = "write it with supported functions, or call it outside and pass the result in"
"""The advice for a function that is not in the table."""


def rewrite_of(name: str, *, alone: bool = False) -> str:
    """Return what to write instead of a function of this name; if it is ``alone``, only what is
    said of itself, and not of its library."""
    found = REWRITES.get(name)
    parts = [] if alone else name.split(".")
    while found is None and len(parts) > 1:
        parts.pop()
        found = REWRITES.get(".".join(parts) + ".")
    return found or ANYTHING


class Refusing(Protocol):
    """An object that can refuse a program."""

    def refuse(self, node: ast.AST, reason: str, rewrite: str = "") -> NoReturn: ...


def refuse_library(run: Refusing, obj: object, node: ast.AST) -> NoReturn:
    """Refuse a function, method or class that compiled code cannot call."""
    name = name_of(obj)
    reason = f"{name} is not supported inside compiled code"
    run.refuse(node, reason, rewrite_of(name))


__all__ = ["ANYTHING", "REWRITES", "refuse_library", "rewrite_of"]
