"""Calls of SciPy, and of NumPy's linear algebra, as people write them, one in a line: each line is
the body of a function of the arrays and numbers that it names."""

import linecache
import re
from collections.abc import Callable
from typing import Any

import numpy as np

_A = np.array([[0.7, 1.3, -0.4], [0.9, 2.1, 0.35], [-0.8, 0.55, 1.7]])
_TURN = np.array([[0.7, 1.3, -0.4, 0.2], [-1.9, 0.8, 0.35, 0.1], [0.3, 0.55, 1.7, -0.6],
                  [0.25, -0.15, 0.45, -0.9]])  # fmt: skip

ARGUMENTS: dict[str, Any] = {
    "s": 1.7,
    "q": 0.35,
    "v": np.array([0.5, -1.2, 2.1, 0.3, 0.9, -0.45]),
    "w": np.array([1.5, 0.2, -0.7, 2.9, 0.75, 0.1]),
    "p": np.array([0.3, 1.2, 0.7, 2.5, 0.45, 1.9]),
    "m": _A,
    "even": _A @ _A.T + np.eye(3),
    "turn": _TURN,
    "g": np.sin(np.arange(30.0).reshape(5, 6) ** 1.3),
}
"""The arguments, by the names that stand for them in the lines."""


def lines() -> list[str]:
    """Return the lines of all subjects."""
    return [line for subject in SUBJECTS for line in subject.strip().splitlines()]


def named(line: str) -> list[str]:
    """Return the names of the arguments of a line."""
    return [n for n in ARGUMENTS if re.search(rf"(?<![.\w'\"]){n}(?!['\w=]|\()", line)] or ["s"]


def function_of(line: str) -> Callable[..., Any]:
    """Return the function whose body a line is: statements and an expression, with semicolons
    between them."""
    *statements, result = line.split("; ")
    body = "".join(f"    {s}\n" for s in [*statements, f"return {result}"])
    text = f"def line({', '.join(named(line))}):\n{body}"
    file = f"<line {line}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    found: dict[str, Any] = {}
    exec("import numpy as np, scipy\n" + "".join(map(_imported, MODULES)), found)
    exec(compile(text, file, "exec"), found)
    return found["line"]


MODULES = ("integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "spatial",
           "special", "stats")  # fmt: skip


def _imported(name: str) -> str:
    return f"from scipy import {name}\n"


def arguments_of(line: str) -> tuple[Any, ...]:
    return tuple(np.copy(v) if np.ndim(v) else v for v in (ARGUMENTS[n] for n in named(line)))


EIGENVALUES = """
np.linalg.eigvals(turn)
np.linalg.eigvals(m + 1j * even)
np.linalg.eigvals(np.array([turn, turn.T + 0.1]))
w, v = np.linalg.eig(turn); w, v
np.linalg.eig(m + 1j * even).eigenvectors
np.abs(np.linalg.eigvals(m)).max()
np.real(np.linalg.eigvals(even))
np.real(np.linalg.eigvals(np.eye(3) * s))
np.roots(w[:4])
np.roots([1.0, 2j, s, 0.0])
np.real(np.roots(v[:1]))
np.poly(m)
np.poly(m + 1j * even)
linalg.eigvals(turn)
linalg.eig(m + 1j * even)
linalg.eig(turn, right=False)
linalg.expm(0.3j * m)
linalg.expm(m + 1j * even)
linalg.eigvals(turn[:3])
np.linalg.eigvals(turn[:3])
np.linalg.eigvals(m / 0.0)
"""

SUMMARIES = """
stats.zscore(v)
stats.zscore(m, axis=1, ddof=1)
stats.zscore(m, axis=None)
stats.zmap(v[:3], w)
stats.gzscore(p)
stats.zscore(np.arange(4))
stats.entropy(p), stats.entropy(p, base=2), stats.entropy(p, p[::-1] ** 2)
stats.entropy(np.abs(m), axis=1)
stats.gmean(p), stats.hmean(p), stats.pmean(p, 2), stats.pmean(p, 0)
stats.gmean(np.abs(m), axis=1, weights=np.abs(m))
stats.moment(v, 3), stats.moment(v), stats.moment(v, 2, center=s)
stats.skew(v), stats.skew(v, bias=False), stats.kurtosis(v), stats.kurtosis(v, fisher=False)
stats.kurtosis(g, axis=1, bias=False, keepdims=True)
stats.skew(v * 0.0), stats.kurtosis(w * 0.0), stats.zscore(p * 0.0)
stats.gmean(v)
stats.sem(v), stats.sem(m, axis=None), stats.variation(v)
stats.iqr(v), stats.iqr(m, axis=0, rng=(10, 90)), stats.iqr(v, scale='normal')
stats.median_abs_deviation(v), stats.median_abs_deviation(m, axis=1, scale='normal')
stats.trim_mean(v, 0.2), stats.trim_mean(g, 0.1, axis=1)
stats.tmean(v, (0.0, 1.5)), stats.tvar(v), stats.tstd(v, (0.1, None))
stats.tsem(w, (None, 2.8), (True, False))
stats.tsem(w, (None, 2.9), (True, False)) == stats.tsem(w, (None, 2.8))
d = stats.describe(m); d.nobs, d.minmax, d.mean, d.variance, d.skewness, d.kurtosis
stats.mode(np.round(v))
stats.mode(np.round(m), axis=1, keepdims=True)
stats.rankdata(np.round(v)), stats.rankdata(np.round(v), 'min'), stats.rankdata(m, 'dense')
stats.rankdata(np.round(v), 'max'), stats.rankdata(np.round(m), 'ordinal', axis=0)
stats.percentileofscore(v, s), stats.percentileofscore(v, w, kind='weak')
stats.entropy(p, base=-1)
stats.trim_mean(v, 0.8)
"""

SAMPLES = """
stats.pearsonr(v, w)
stats.pearsonr(v, w, alternative='less').pvalue
stats.pearsonr(v[:2], w[:2])
stats.pearsonr(v * 0.0, w)
stats.pearsonr(v, w[:3])
stats.spearmanr(v, w)
stats.kendalltau(v, w).correlation
stats.mannwhitneyu(v, w[:4], alternative='greater')
stats.ks_2samp(v, 1.01 * p + 0.003)
slope, intercept, r, prob, error = stats.linregress(v, w); slope, intercept, r, prob, error
line = stats.linregress(v, w); line.slope * s + line.intercept, line.intercept_stderr, line[2]
stats.linregress(v[:2], w[:2]).rvalue
stats.linregress(v * 0.0, w).slope
stats.ttest_1samp(v, 0.3)
stats.ttest_1samp(m, s).pvalue
stats.ttest_ind(v, w)
stats.ttest_ind(v[:5], w, equal_var=False).statistic
stats.ttest_rel(v, w, alternative='greater')
stats.f_oneway(v, w, p[:4])
stats.kruskal(v, w, 1.01 * p[:4] + 0.003)
stats.levene(v, w, p[:4])
stats.levene(v, p, center="mean").pvalue, stats.levene(v, p, center="trimmed")[0]
stats.bartlett(v, w, p[:4]), stats.jarque_bera(v)
stats.circmean(v), stats.circmean(m, axis=0), stats.circmean(v, high=180, low=-180)
stats.circstd(v), stats.circvar(m, axis=1), stats.circstd(v, normalize=True)
stats.combine_pvalues(p / 3), stats.combine_pvalues(p / 3, method='stouffer', weights=p)
stats.uniform(s, 2.0).support(), stats.genpareto(-s).support()
spatial.distance.cdist(m, m + s, 'mahalanobis', VI=even)
spatial.distance.cdist(m, m[:2] * s, 'seuclidean'), spatial.distance.pdist(m, 'seuclidean', V=p[:3])
spatial.distance.cdist(m, m + 1, lambda a, b: np.sum(np.abs(a - b) ** 3))
interpolate.lagrange(np.arange(3.0), v[:3])(s), interpolate.lagrange(np.arange(4.0), v[:4]).coef
special.sph_harm_y(2, np.array([-1, 0, 2, 3]), s, v[:4]), special.sph_legendre_p(1, 2, s)
np.cumulative_sum(v, include_initial=True), np.cumulative_prod(m, axis=1, include_initial=True)
stats.boxcox_llf(q, p)
stats.wasserstein_distance(v, w[:4])
stats.theilslopes(v, w)
stats.theilslopes(p, method="joint", alpha=0.9)
stats.siegelslopes(v, w)
stats.siegelslopes(w, v, "separate")
stats.multivariate_normal(v[:3], even).logpdf(m), stats.dirichlet(p[:3]).pdf([0.2, 0.3, 0.5])
c = s * np.eye(3); stats.multivariate_t(v[:3], c, 4.5).pdf(m[0]), stats.wishart(4.5, c).logpdf(c)
stats.gaussian_kde(v)(w[:3])
stats.gaussian_kde(v, 'silverman').logpdf(w[:3])
stats.gaussian_kde(v, q, weights=p).pdf(s)
kde = stats.gaussian_kde(g[:2]); kde(g[2:4]), kde.covariance
stats.gaussian_kde(v).integrate_box_1d(0.0, s)
"""

FILTERS = """
ndimage.correlate1d(v, [1, 2, 0.5])
ndimage.correlate1d(v, w[:4], origin=1)
ndimage.correlate1d(v, w[:4], mode='constant', cval=2.0)
ndimage.convolve1d(m, w[:3], axis=0, mode='wrap', origin=-1)
ndimage.correlate(g, m[:2], mode='constant')
ndimage.convolve(g, m, origin=1)
ndimage.convolve(g, m[:2], mode='nearest')
ndimage.gaussian_filter(v, 1.0)
ndimage.gaussian_filter(g, s)
ndimage.gaussian_filter(g, (s, 0.5), mode='wrap')
ndimage.gaussian_filter(g, [1.0, 2.0], order=(0, 2), mode='nearest')
ndimage.gaussian_filter1d(v, s, order=3, truncate=2.0, mode='mirror')
ndimage.gaussian_filter1d(g, 2.0, axis=0, radius=2)
ndimage.gaussian_laplace(g, 1.0)
ndimage.gaussian_gradient_magnitude(g, 1.0)
ndimage.sobel(g), ndimage.sobel(g, axis=0, mode='constant'), ndimage.prewitt(g, 0)
ndimage.laplace(g), ndimage.laplace(v)
ndimage.uniform_filter(g, 2), ndimage.uniform_filter(g, size=(1, 3)), ndimage.uniform_filter1d(v, 4)
ndimage.maximum_filter(g, 2), ndimage.minimum_filter(g, (1, 3)), ndimage.maximum_filter1d(v, 4)
ndimage.minimum_filter1d(v, 4, mode='constant', cval=0.1)
ndimage.median_filter(g, 3), ndimage.median_filter(v, 5, mode='nearest')
ndimage.rank_filter(g, -2, 3), ndimage.percentile_filter(v, 30, 4)
ndimage.gaussian_filter(v.astype(np.float32), 1.0)
ndimage.gaussian_filter(v[:1], 1.0, mode='mirror')
ndimage.correlate1d(v, [1.0, 2.0], origin=1)
"""

MATRICES = """
np.abs(np.diag(linalg.schur(turn, output="complex")[0]))
linalg.schur(m + 1j * m.T)[0].diagonal().real
np.abs(np.diag(linalg.qz(turn, turn.T @ turn + np.eye(4), "complex")[0]))
linalg.ordqz(m, even, sort="iuc")
a = linalg.ordqz(turn, turn.T @ turn, "ouc", output="complex"); np.abs(a[2] / a[3])
ndimage.find_objects(np.array([[0, 1, 1, 0], [0, 1, 0, 3]]))
sum(g[p].sum() for p in ndimage.find_objects(ndimage.label(g > 0.2)[0]))
linalg.sqrtm(even)
linalg.sqrtm(np.array([[1.0, s], [0.0, 1.0]]))
linalg.sqrtm(np.eye(3) * s)
linalg.logm(even)
linalg.logm(np.array([[1.0, s], [0.0, 1.0]]))
linalg.fractional_matrix_power(even, q)
linalg.fractional_matrix_power(even, 2), linalg.fractional_matrix_power(even, -1)
linalg.expm_frechet(m, even), linalg.expm_frechet(m, even, compute_expm=False)
linalg.cosm(m), linalg.sinm(m), linalg.tanm(m)
linalg.coshm(m), linalg.sinhm(m), linalg.tanhm(m)
linalg.qr(m), linalg.qr(g[1:].T, mode='economic'), linalg.qr(g[1:].T, mode='r'), linalg.qr(g[1:3])
linalg.qr(g[1:4, :2] + g[1, 2])
np.linalg.qr(g[1:4, 1:3], mode="complete"), np.linalg.qr(g[1:3], mode="complete")
linalg.eigh_tridiagonal(v[:3], p[1:3]), linalg.eigvalsh_tridiagonal(v[:3], w[:2])
linalg.expm(m.astype(np.float32)), linalg.qr(m[:, :2].astype(np.float32))
np.polyfit(w, v, 1, cov=True), np.polyfit(w, v, 1, cov="unscaled", w=p)
np.polyfit(w, v, 2, full=True)
linalg.pinvh(even)
u = linalg.orth(g.T[:, :3]); u @ u.T
linalg.null_space(m[:2])
linalg.null_space(m[:1]).shape, linalg.null_space(m).shape
linalg.orthogonal_procrustes(m, even)
linalg.subspace_angles(m[:, :2], even[:, :1]), linalg.subspace_angles(m[:, :1], even[:, :1])
linalg.solve_circulant(p[:3] + 2.0, v[:3])
linalg.convolution_matrix(v, 4), linalg.convolution_matrix(v, 4, 'same')
linalg.convolution_matrix(v, 4, mode='valid'), linalg.fiedler(v), linalg.leslie(p, q * p[1:])
linalg.sqrtm(turn[:3])
linalg.orthogonal_procrustes(m, g)
"""

INTEGRALS = """
special.sici(s), special.sici(v)[0], special.sici(p)[1]
special.sici(np.array([0.0, s]))[0]
special.shichi(v)[0], special.shichi(np.abs(m))[1]
special.fresnel(v), special.fresnel(s)
special.lambertw(s), special.lambertw(v)
special.lambertw(-0.1 * p[:2], -1), special.lambertw(v[:3] + 1j * w[:3], 2)
special.wofz(s), special.wofz(v + 1j * w)
special.voigt_profile(v, s, q), special.voigt_profile(s, 0.5, q)
stats.binom.ppf(q, 10, 0.4), stats.poisson.ppf([0.1, 0.5, 0.9], s * 4)
stats.poisson(3.0).ppf(q), stats.geom.isf(q, 0.3, loc=s), stats.randint.ppf(q, 2, 9)
stats.nbinom.ppf(np.array([0.0, 0.9, 0.3]), 5, 0.5), stats.hypergeom.isf(q, 20, 7, 12)
np.isinf(stats.nbinom.ppf(np.array([0.0, 1.0]), 5, 0.5))
"""

INTERPOLATION = """
interpolate.make_interp_spline(np.arange(6.0), v)(w)
interpolate.make_interp_spline(np.cumsum(p), v, k=2)(w, 1)
interpolate.make_interp_spline(np.cumsum(p), m[:2].T.repeat(2, 0), bc_type="natural")(w)
interpolate.make_interp_spline(np.arange(6.0), v, bc_type=([(1, s)], [(2, 0.0)]))(w)
interpolate.make_lsq_spline(np.cumsum(p), v, np.array([0.2] * 4 + [3.0] + [7.2] * 4))(w)
b = interpolate.BSpline(np.arange(10.0), v, 3); b(4.0 + w), b.derivative()(w)
b = interpolate.BSpline(np.arange(10.0), v, 3); b(w, extrapolate=False)
interpolate.BSpline(np.arange(10.0), v, 3).antiderivative()(w)
interpolate.splev(w, interpolate.splrep(np.cumsum(p), v))
interpolate.splev(w, interpolate.splrep(np.arange(6), v, k=5), der=2)
t = interpolate.splrep(np.cumsum(p), v); interpolate.splint(0.5, 1.0 + s, t)
t = interpolate.splrep(np.cumsum(p), v); interpolate.splev(w, interpolate.splder(t), ext=1)
interpolate.splev(w, interpolate.splantider(interpolate.splrep(np.cumsum(p), v)), ext=3)
f = interpolate.InterpolatedUnivariateSpline(np.cumsum(p), v); f(w), f.integral(0.5, s)
f = interpolate.InterpolatedUnivariateSpline(np.cumsum(p), v); f.derivative()(w)
interpolate.UnivariateSpline(np.cumsum(p), v, s=0, k=2)(w)
interpolate.LSQUnivariateSpline(np.cumsum(p), v, [3.0])(w)
interpolate.RectBivariateSpline(np.arange(5), np.cumsum(p), g)(np.array([0.3, 2.0]), p[:1])
interpolate.RectBivariateSpline(np.arange(5), np.cumsum(p), g, kx=2).ev(p + 0.1, p, dx=1)
interpolate.interp1d(np.cumsum(p), v, kind="quadratic")(1.0 + p)
interpolate.interp1d(np.cumsum(p), v, kind=3)(1.0 + p)
interpolate.interp1d(np.arange(6), v, kind="zero")(p)
interpolate.BarycentricInterpolator(np.cumsum(p), v)(w)
interpolate.barycentric_interpolate(np.arange(6), v, np.arange(6))
interpolate.KroghInterpolator(np.cumsum(p), v)(w)
interpolate.krogh_interpolate(np.arange(6), v, w, 2)
interpolate.RBFInterpolator(g[:, :2], v[:5])(m[:, :2])
interpolate.RBFInterpolator(g[:, :2], v[:5], kernel="multiquadric", epsilon=s)(m[:, :2])
interpolate.LinearNDInterpolator(g[:, :2], v[:5])(0.1 * m[:, :2])
interpolate.LinearNDInterpolator(g[:, :2], v[:5], q)(0.1, 0.2)
interpolate.NearestNDInterpolator(g[:, :2], v[:5])(m[:, :2])
interpolate.griddata(g[:, :2], v[:5], (0.1 * w, 0.1 * p)), interpolate.griddata(p, v, w, "nearest")
interpolate.make_interp_spline(p, v)(w)
interpolate.make_interp_spline(np.arange(6.0), v, k=1, bc_type="natural")(w)
interpolate.splev(w, interpolate.splrep(np.arange(6.0), v), ext=2)
interpolate.BSpline(np.arange(6.0), v, 3)(w)
"""

SIGNALS = """
signal.savgol_filter(v, 3, 1), signal.savgol_filter(g, 5, 2, axis=0, mode="nearest")
signal.savgol_filter(v, 5, 2, deriv=1, delta=0.5)
signal.filtfilt(*signal.butter(1, 0.3), np.concatenate((v, w)))
signal.filtfilt([1.0, s], [1.0, q], g, axis=0, padlen=3, padtype="even")
signal.sosfiltfilt(signal.butter(2, 0.3, output="sos"), np.concatenate((v, w, p)))
signal.lfilter([1.0, s], [1.0, q], v, zi=signal.lfilter_zi([1.0, s], [1.0, q]) * v[0])
sos = signal.butter(3, 0.3, output="sos"); signal.sosfilt(sos, v, zi=s * signal.sosfilt_zi(sos))
np.abs(signal.hilbert(v)), signal.hilbert(g, axis=0)
signal.welch(np.concatenate((v, w)), 2.0, nperseg=4), signal.periodogram(v, detrend="linear")
signal.welch(g[0], window=("tukey", 0.5), nperseg=4, noverlap=3, scaling="spectrum")
signal.csd(v, w, nperseg=4), signal.coherence(v, w, nperseg=4)
signal.stft(v, nperseg=4), signal.stft(v, nperseg=4, boundary=None, padded=False)
signal.spectrogram(v, nperseg=4)
signal.resample(v, 4), signal.resample(v, 9), signal.resample(g, 3)
x, d = signal.find_peaks(v, height=s - 2.0, prominence=0.1); x, d["prominences"], d["peak_heights"]
v[signal.find_peaks(v)[0]], signal.argrelmax(w)[0], signal.peak_prominences(v, [2])[0]
signal.medfilt(v), signal.medfilt(g, 3), signal.medfilt(v, 5)
signal.windows.gaussian(6, s), signal.windows.hann(6, sym=False), signal.windows.tukey(7, q)
signal.windows.kaiser(6, s), signal.windows.blackman(5), signal.windows.bartlett(4)
signal.lsim(([1.0], [1.0, s]), v, np.arange(6.0))
signal.impulse(([1.0, s], [1.0, q, 2.0]), T=np.linspace(0.0, 1.0, 3))
signal.lti([2.0], [s, q]).step(T=np.arange(3.0)), signal.lti([2.0], [s, q]).num
signal.tf2ss([s], [2.0, q, s]), signal.freqs([s], [1.0, q], p)
signal.cont2discrete((-even, m, m.T, m), q, "bilinear")
signal.bode(([s], [1.0, q]), p)
signal.lsim(([1.0], [1.0, s]), v[:4], np.arange(6.0))
signal.tf2ss([1.0, q, 2.0], [1.0, s])
signal.filtfilt([1.0, s], [1.0, q], v[:3])
signal.savgol_filter(v[:2], 5, 2)
"""

RATES = """
signal.convolve2d(g, m), signal.convolve2d(g, m[:2], "same"), signal.convolve2d(m, g, "valid")
signal.convolve2d(g, m[:, :2], "same", "symm"), signal.convolve2d(g, m[:2], boundary="wrap")
signal.correlate2d(g, m[:2, :2], "same"), signal.correlate2d(m, g, "valid")
signal.correlate2d(g, m[:2], "full", "fill", s)
signal.upfirdn(w[:3], v, 3, 2)
signal.deconvolve(v, p[:3])
signal.resample_poly(v, 2, 3), signal.resample_poly(v, 6, 4, window=p[:5])
signal.decimate(g.ravel(), 2), signal.decimate(g.ravel(), 3, ftype="fir")
signal.decimate(g.ravel(), 2, 3, zero_phase=False), signal.decimate(v, 2, 4, "fir", -1, False)
signal.istft(signal.stft(v, nperseg=4)[2], nperseg=4)
signal.istft(signal.stft(v, 2.0, nperseg=3, scaling="psd")[2], 2.0, nperseg=3, scaling="psd")[1]
signal.freqz(v, p, 8), signal.freqz([1.0, s], worN=p, fs=9.0)[1], signal.freqz(v, 1, 4, True)
signal.freqz_sos(np.array([[s, q, 0.3, 1.0, -0.2, 0.1], [q, 1.0, s, 1.0, 0.4, 0.2]]), 5)[1]
signal.chirp(p, 1.0, 2.0, s), signal.chirp(p, s, 2.0, 0.5, "log"), signal.chirp(v, 1, 2, 3, "quad")
signal.sawtooth(v, q), signal.square(v), signal.unit_impulse(5, 2) * s
signal.correlation_lags(6, 3), signal.correlation_lags(5, 3, "same") * s
signal.lfilter(*signal.bilinear([1.0], [1.0, 2.0], 4.0), v), linalg.pascal(3) * s
signal.sosfilt(signal.tf2sos([1.0, 0.5], [1.0, -0.2]), v)
"""

SMALL = """
linalg.lstsq(even, w[:3])[0], linalg.lstsq(g, v[:5])[0]
x, rest, rank, d = linalg.lstsq(g[:, :2], v[:5]); x, rest, rank, d, np.linalg.lstsq(g, v[:5])[2]
x, rest, rank, d = linalg.lstsq(m[:, :2] + 1j * q, w[:3][:, None]); x, rest
linalg.lu(m + 1j * even), linalg.lu(g + 1j * q, permute_l=True), linalg.lu(g.T)
linalg.lu_solve(linalg.lu_factor(m + 1j * even), w[:3], trans=2), linalg.lu(1j * g.T, p_indices=1)
linalg.orth(m + 1j * even), linalg.orth(np.outer(v, w) * 1j)
linalg.sqrtm(m + 1j * even), linalg.fractional_matrix_power(m + 1j * even, -2)
linalg.logm(m + 1j * even)
linalg.cosm(m + 1j * even), linalg.sinhm(m + 1j * even)
linalg.solve(even + np.tril(m, -1), w[:3], assume_a="pos"), linalg.solve(m, p[:3], assume_a="sym")
linalg.solve(turn, v[:4], assume_a="tridiagonal"), linalg.solve(turn, w[:4], transposed=True)
linalg.solve(turn, v[:4], assume_a="lower triangular"), linalg.solve(turn, w[:4], True)
linalg.solve(m + 1j * even, w[:3], assume_a="her"), linalg.solve(m + 2j, w[:3], 1, assume_a="sym")
linalg.solve(turn, w[:4], assume_a="pos")
linalg.solve(turn, w[:4] / 0.0)
linalg.solve_sylvester(m + 1j * even, even, 1j * m), linalg.solve_discrete_lyapunov(1j * m, even)
c = m + 1j * even; c = c[[2, 0, 1]]; c[1:, 0] = q; c
optimize.ridder(lambda x: x**3 - v[2], 0.0, 3.0), optimize.brentq(lambda x: x**3 - v[2], 0.0, 3.0)
optimize.minimize_scalar(lambda x: (x - s) ** 2).x, optimize.fminbound(lambda x: (x - s) ** 2, 0, 3)
optimize.linprog([s, 1.0], [[-1.0, -2.0]], [-1.0]).fun, optimize.nnls(even, w[:3])
found = linalg.lstsq(g[:, :2], v[:5]); found[0], found[1], found[2], found[3]
linalg.eigh(even, eigvals_only=True), linalg.eigh(even, subset_by_index=[1, 2], eigvals_only=True)
linalg.solve_continuous_are(m, even, np.eye(3), np.eye(3))
linalg.solve_discrete_are(q * m, even, np.eye(3), np.eye(3))
linalg.norm(m, np.inf), linalg.norm(m, 1.5, axis=1), linalg.norm(v, ord=-np.inf)
special.legendre(3)(s), special.hermite(4)(v), special.chebyt(3)(w), special.laguerre(2)(p)
special.jacobi(3, 0.5, 1.5)(v), special.genlaguerre(2, 0.5, True)(v), special.gegenbauer(3, 0.7)(v)
special.sh_legendre(2).coeffs, special.chebyu(3).deriv()(v), special.hermitenorm(0)(v)
np.polyval(special.legendre(4), v), sum(special.legendre(k)(v) * q**k for k in range(4))
special.legendre(-1)(s)
stats.norm(s, 0.5).interval(0.9), stats.gamma.median(2.0, scale=p), stats.binom(10, q).interval(0.8)
stats.norm.interval(s)
linalg.dft(3) @ w[:3], linalg.hilbert(3) @ w[:3], linalg.hadamard(4), linalg.helmert(3) * s
special.sph_harm_y(3, -2, p, v), special.sph_legendre_p(3, 1, p), special.legendre_p(3, 0.2 * w)
special.assoc_legendre_p(2, -1, 0.2 * v), special.sph_harm_y(2, 1, s, q)
integrate.quad(lambda x: np.exp(1j * s * x) / (1 + x * x), 0.0, 2.0, complex_func=True)[0]
optimize.linprog([1.0, s], [[-1.0, -1.0], [-1.0, 0.0], [-2.0, -2.0]], [-q, 0.0, -2 * q]).fun
b = optimize.LinearConstraint([1, 2], ub=7); optimize.milp([-s, -1], integrality=1, constraints=b).x
optimize.milp(-p[:3], bounds=optimize.Bounds(0, s), constraints=[optimize.LinearConstraint(m)]).fun
b = optimize.LinearConstraint(m, -9, s); optimize.milp(-w[:3], constraints=b, integrality=v[:3]<0).x
optimize.fmin_tnc(lambda z: (np.sum((z - s) ** 2), 2.0 * (z - s)), [0.0, 0.1], messages=0)[0]
special.roots_legendre(4)[0] * s, integrate.newton_cotes(3)[0] * s
integrate.cumulative_simpson(v, dx=0.5), integrate.cumulative_simpson(v, x=np.cumsum(p), initial=s)
integrate.cumulative_simpson(g, axis=0)
optimize.rosen(v), optimize.rosen_der(v), optimize.rosen_hess(v), optimize.rosen_hess_prod(v, w)
optimize.approx_fprime(v, optimize.rosen, 1e-3), optimize.isotonic_regression(v).x
optimize.isotonic_regression(v, weights=p, increasing=False).x
optimize.brute(lambda z: (z[0] - s) ** 2 + z[1] ** 2, ((0, 3), (-1, 1)), Ns=5, finish=None)
spatial.distance_matrix(m, even), spatial.distance_matrix(m, even, 1)
spatial.KDTree(g[:, :2]).query(m[:, :2]), spatial.KDTree(g).query(v, k=3)
spatial.ConvexHull(g[:, :2]).volume, spatial.ConvexHull(g[:, :2]).area
spatial.ConvexHull(g[:, :3]).volume, spatial.ConvexHull(g[:, :3]).area
spatial.procrustes(g[:, :2], g[:, 2:4])[2]
"""

SUBJECTS = (EIGENVALUES, SUMMARIES, SAMPLES, FILTERS, MATRICES, INTEGRALS, INTERPOLATION, SIGNALS,
            RATES, SMALL)  # fmt: skip
