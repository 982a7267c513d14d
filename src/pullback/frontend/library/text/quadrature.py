"""Integrals to a tolerance, as plain Python that the front end compiles: R. Piessens, E. de
Doncker-Kapenga, C. W. Uberhuber and D. K. Kahaner, *QUADPACK* (1983), section 3.3: the rule of
Gauss and Kronrod on the interval with the largest error, which is halved, and P. Wynn's epsilon
algorithm (1956) on the sums, with the limits for steps and ends that SciPy follows.

Which intervals are halved has no derivative; the derivative is that of the sums and of their limit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text.domains import Vector

_EPS = float(np.finfo(float).eps)
_LEAST = float(np.finfo(float).tiny)
_MOST = float(np.finfo(float).max)

Function = Callable[[Any], Any]
Part = tuple[float, float, float, float]
"""An integral over an interval, its error, that of the absolute value, and that of the distance
from the mean."""
Rule = Callable[[float, float], Part]

_NODES_21 = np.array([
    0.995657163025808080735527280689003, 0.973906528517171720077964012084452,
    0.930157491355708226001207180059508, 0.865063366688984510732096688423493,
    0.780817726586416897063717578345042, 0.679409568299024406234327365114874,
    0.562757134668604683339000099272694, 0.433395394129247190799265943165784,
    0.294392862701460198131126603103866, 0.14887433898163121088482600112972, 0.0,
])  # fmt: skip
_WEIGHTS_21 = np.array([
    0.011694638867371874278064396062192, 0.03255816230796472747881897245938589,
    0.05475589657435199603138130024458, 0.07503967481091995276704314091619,
    0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
    0.123491976262065851077958109585166, 0.134709217311473325928054001771707,
    0.142775938577060080797094273138717, 0.147739104901338491374841515972068,
    0.149445554002916905664936468389821,
])  # fmt: skip
_GAUSS_10 = np.array([
    0.0, 0.066671344308688137593568809893332, 0.0, 0.149451349150580593145863397657697, 0.0,
    0.219086362515982043995534934228163, 0.0, 0.269266719309996355091226921569469, 0.0,
    0.295524224714752870173815619188769, 0.0,
])  # fmt: skip
_NODES_15 = np.array([
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.58608723546769113029414483825873, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0,
])  # fmt: skip
_WEIGHTS_15 = np.array([
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.16900472663926790282829543641283, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
])  # fmt: skip
_GAUSS_7 = np.array([
    0.0, 0.129484966168869693270611432679082, 0.0, 0.27970539148927666790146777142378, 0.0,
    0.381830050505118944950369775488975, 0.0, 0.417959183673469387755102040816327,
])  # fmt: skip


def _both(half: Vector) -> Vector:
    return np.concatenate((half, half[-2::-1]))


def _signed(half: Vector) -> Vector:
    return np.concatenate((-half, half[-2::-1]))


NODES_21, WEIGHTS_21, GAUSS_10 = _signed(_NODES_21), _both(_WEIGHTS_21), _both(_GAUSS_10)
NODES_15, WEIGHTS_15, GAUSS_7 = _signed(_NODES_15), _both(_WEIGHTS_15), _both(_GAUSS_7)


def over(f: Function, a: float, b: float, finite: bool) -> Part:
    """Return the integral over an interval, by the rule of 21 points, or by that of 15 for an
    integral that a transformation has made finite."""
    nodes = NODES_21 if finite else NODES_15
    weights = WEIGHTS_21 if finite else WEIGHTS_15
    gauss = GAUSS_10 if finite else GAUSS_7
    middle, half = 0.5 * (a + b), 0.5 * (b - a)
    y = np.array([f(middle + half * x) for x in nodes])
    mean = weights @ y
    value, wide = mean * half, constant(abs(half))
    known = constant(y)
    size = (weights @ np.abs(known)) * wide
    spread = (weights @ np.abs(known - 0.5 * constant(mean))) * wide
    error = abs((constant(mean) - gauss @ known) * wide)
    if spread != 0.0 and error != 0.0:
        error = spread * min(1.0, (200.0 * error / spread) ** 1.5)
    if size > _LEAST / (50.0 * _EPS):
        error = max(50.0 * _EPS * size, error)
    return value, error, size, spread


def _extrapolated(table: Vector, n: int, last: Vector, calls: int) -> tuple[float, float, int]:
    """Do one more diagonal of the epsilon algorithm, in place; return the limit, its error, and how
    many numbers of the table count."""
    error, result, before = _MOST, table[n - 1], n
    if n >= 3:
        table[n + 1], count, k = table[n - 1], (n - 1) // 2, n - 1
        table[n - 1] = _MOST
        for i in range(count):
            limit = table[k + 2]
            e0, e1, e2, e3 = table[k - 2], table[k - 1], limit, table[k]
            d1, d2, d3 = e1 - e3, e2 - e1, e1 - e0
            size = abs(e1)
            small2 = abs(d2) <= max(abs(e2), size) * _EPS
            small3 = abs(d3) <= max(size, abs(e0)) * _EPS
            if small2 and small3:
                found = abs(d2) + abs(d3)
                return limit, constant(max(found, 5.0 * _EPS * abs(limit))), before
            table[k] = e1
            if abs(d1) <= max(size, abs(e3)) * _EPS or small2 or small3:
                n = 2 * i + 1
                break
            s = 1.0 / d1 + 1.0 / d2 - 1.0 / d3
            if abs(s * e1) <= 1e-4:
                n = 2 * i + 1
                break
            limit = e1 + 1.0 / s
            table[k] = limit
            k -= 2
            found = abs(d2) + abs(limit - e2) + abs(d3)
            if found <= error:
                error, result = found, limit
        if n == 50:
            n = 49
        k = 1 if before % 2 == 0 else 0
        for _ in range(count + 1):
            table[k] = table[k + 2]
            k += 2
        if before != n:
            for i in range(n):
                table[i] = table[before - n + i]
        if calls < 4:
            last[calls - 1], error = result, _MOST
        else:
            error = abs(result - last[2]) + abs(result - last[1]) + abs(result - last[0])
            last[0], last[1], last[2] = last[1], last[2], result
    return result, constant(max(error, 5.0 * _EPS * abs(result))), n


def _halved(f: Function, low: Vector, high: Vector, values: Vector, errors: Vector, place: int,
            n: int, finite: bool) -> tuple[float, float, bool, bool]:  # fmt: skip
    """Halve an interval, in place: the half with the larger error stays there, the other one is the
    last. Return the sum of both, of their errors, whether these are estimates, and whether the
    interval is too short."""
    left, right = low[place], high[place]
    middle = 0.5 * (left + right)
    area1, error1, _, spread1 = over(f, left, middle, finite)
    area2, error2, _, spread2 = over(f, middle, right, finite)
    swap = error2 > error1
    low[place], high[place] = (middle, right) if swap else (left, middle)
    low[n], high[n] = (left, middle) if swap else (middle, right)
    values[place], values[n] = (area2, area1) if swap else (area1, area2)
    errors[place], errors[n] = max(error1, error2), min(error1, error2)
    ends = max(abs(constant(left)), abs(constant(right)))
    short = ends <= (1.0 + 100.0 * _EPS) * (abs(constant(middle)) + 1000.0 * _LEAST)
    return area1 + area2, error1 + error2, spread1 != error1 and spread2 != error2, short


def _narrow(order: Vector, low: Vector, high: Vector, small: float, rank: int,
            top: int) -> tuple[int, bool]:  # fmt: skip
    """Return the rank of the first interval that is not small, by the order of errors, and whether
    there is none."""
    for k in range(rank, top + 1):
        if constant(high[order[k - 1]] - low[order[k - 1]]) > small:
            return k, False
    return max(rank, top + 1), True


def integral(f: Function, a: float, b: float, finite: bool, epsabs: float, epsrel: float,
             limit: int) -> tuple[float, float, int]:  # fmt: skip
    """Return the integral, an estimate of its error, and how it ended."""
    if limit < 1 or (epsabs <= 0.0 and epsrel < max(50.0 * _EPS, 5e-29)):
        return 0.0 * b, 0.0, 6
    low, high, values, errors = np.zeros(limit), np.zeros(limit), np.zeros(limit), np.zeros(limit)
    result, error, size, first = over(f, a, b, finite)
    low[0], high[0], values[0], errors[0] = a, b, result, error
    bound = max(epsabs, epsrel * abs(constant(result)))
    status = 2 if error <= 100.0 * _EPS * size and error > bound else 1 if limit == 1 else 0
    if status != 0 or (error <= bound and error != first) or error == 0.0:
        return result, error, status
    return _refined(f, low, high, values, errors, finite, epsabs, epsrel, size)


def _refined(f: Function, low: Vector, high: Vector, values: Vector, errors: Vector, finite: bool,
             epsabs: float, epsrel: float, size: float) -> tuple[float, float, int]:  # fmt: skip
    """Return the same, by intervals that are halved; ``size``: the integral of the absolute
    value."""
    limit, table, last = low.size, np.zeros(53), np.zeros(3)
    table[0] = result = area = values[0]
    errsum = worst = errors[0]
    width, same_sign = constant(high[0] - low[0]), abs(constant(area)) >= (1.0 - 50.0 * _EPS) * size
    error, correction, small, large, wanted = _MOST, 0.0, 0.0, 0.0, 0.0
    count, calls, place, rank, stalled, slow, slow_late, grown = 2, 0, 0, 1, 0, 0, 0, 0
    inside, never, bad, status = False, False, False, 0
    for n in range(1, limit):
        before, value = worst, values[place]
        both, change, rough, short = _halved(f, low, high, values, errors, place, n, finite)
        errsum, area = errsum + change - before, area + both - value
        same = abs(constant(value - both)) <= 1e-5 * abs(constant(both))
        if rough and same and change >= 0.99 * before:
            slow, slow_late = (slow, slow_late + 1) if inside else (slow + 1, slow_late)
        grown += 1 if rough and n >= 10 and change > before else 0
        bound = max(epsabs, epsrel * abs(constant(area)))
        bad = bad or slow_late >= 5
        stuck = slow + slow_late >= 10 or grown >= 20
        status = 4 if short else 1 if n == limit - 1 else 2 if stuck else 0
        if errsum <= bound:
            return np.sum(values), errsum, status - 1 if status > 2 else status
        if status != 0:
            break
        order = np.argsort(-errors[: n + 1])
        rank = min(rank, 1 + np.sum(errors[: n + 1] > errors[place]))
        if n == 1:
            small, large, wanted, table[1] = width * 0.375, errsum, bound, area
        elif not never:
            large -= before
            if constant(high[place] - low[place]) > small:
                large += change
            place = order[rank - 1]
            ready = inside or constant(high[place] - low[place]) <= small
            if ready and not inside:
                inside, rank = True, 2
            if ready and not bad and large > wanted:
                top = n + 1 if n + 1 <= 2 + limit // 2 else limit + 2 - n
                rank, ready = _narrow(order, low, high, small, rank, top)
            if ready:
                count, calls, stalled = count + 1, calls + 1, stalled + 1
                table[count - 1] = area
                found, off, count = _extrapolated(table, count, last, calls)
                if stalled > 5 and error < 1e-3 * errsum:
                    status = 5
                if off < error:
                    stalled, error, result, correction = 0, off, found, large
                    wanted = max(epsabs, epsrel * abs(constant(found)))
                if status == 5 or (error == off and error <= wanted):
                    break
                never = never or count == 1
                rank, inside, small, large = 1, False, small * 0.5, errsum
        place = order[rank - 1]
        worst = errors[place]
    return _ended(result, area, error, errsum, correction, status, bad, same_sign, size,
                  np.sum(values))  # fmt: skip


def _ended(result: float, area: float, error: float, errsum: float, correction: float,
           status: int, bad: bool, same_sign: bool, size: float,
           total: float) -> tuple[float, float, int]:  # fmt: skip
    """Return the limit of the sums or the last sum, whichever is better."""
    known, whole = constant(result), constant(area)
    summed = error == _MOST
    if not summed and (status != 0 or bad):
        if bad:
            error += correction
        if status == 0:
            status = 3
        if known != 0.0 and whole != 0.0:
            summed = error / abs(known) > errsum / abs(whole)
        elif error > errsum:
            summed = True
        elif whole == 0.0:
            return result, error, status - 1 if status > 2 else status
    if summed:
        return total, errsum, status - 1 if status > 2 else status
    if same_sign or max(abs(known), abs(whole)) > size * 0.01:
        ratio = known / whole if whole != 0.0 else 0.0
        if ratio < 0.01 or ratio > 100.0 or errsum > abs(whole):
            status = 6
    return result, error, status - 1 if status > 2 else status
