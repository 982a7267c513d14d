"""Lists that the function made itself: append, pop, element updates, amortised O(1) both ways."""

import math
from dataclasses import dataclass

import numpy as np

from tests.programs import Program, real


def collected(xs):
    """The commonest loop in Python."""
    out = []
    for x in xs:
        out.append(math.sin(x))
    a = np.array(out)
    return np.sum(a * a) + out[-1]


def running_sums(xs):
    sums = [0.0]
    for x in xs:
        sums.append(sums[-1] * 0.5 + x)
    return sums[-1] * sums[len(sums) // 2]


def kept(xs):
    """Appended under a branch; empty if nothing is kept."""
    out = []
    for x in xs:
        if x > 0.0:
            out.append(x * x)
        elif len(out) > 0:
            out[-1] += x
    return sum(out) + len(out)


def trajectory(x, n):
    """A list of arrays."""
    state, seen = x, []
    for _ in range(n):
        state = np.sin(state) + 0.1 * x
        seen.append(state)
    a = np.array(seen)
    return np.sum(a * a) + seen[0][0]


def simpson(a, b, tol):
    """Adaptive quadrature of exp(-x^2) with a stack of intervals of its own."""

    def g(x):
        return math.exp(-x * x)

    stack, total = [(a, b)], 0.0
    while stack:
        lo, hi = stack.pop()
        mid = 0.5 * (lo + hi)
        h = hi - lo
        one = h / 6 * (g(lo) + 4 * g(mid) + g(hi))
        two = (
            h
            / 12
            * (g(lo) + 4 * g(0.5 * (lo + mid)) + 2 * g(mid) + 4 * g(0.5 * (mid + hi)) + g(hi))
        )
        if abs(two - one) < tol or h < 1e-3:
            total += two
        else:
            stack.append((lo, mid))
            stack.append((mid, hi))
    return total


def stack_machine(x, y, ops):
    """Postfix code: numbers are operations too."""
    stack = []
    for op in ops:
        if op == 0:
            stack.append(x)
        elif op == 1:
            stack.append(y)
        elif op == 2:
            stack.append(stack.pop() + stack.pop())
        else:
            stack.append(stack.pop() * stack.pop())
    return stack.pop()


def merged(xs, ys):
    """Two sorted lists into one."""
    out = []
    i = j = 0
    while i < len(xs) and j < len(ys):
        if xs[i] <= ys[j]:
            out.append(xs[i])
            i += 1
        else:
            out.append(ys[j])
            j += 1
    out.extend(xs[i:])
    out += ys[j:]
    return sum(k * v for k, v in enumerate(out))


def _merge_sort(xs):
    if len(xs) <= 1:
        return xs
    half = len(xs) // 2
    left, right = _merge_sort(xs[:half]), _merge_sort(xs[half:])
    out = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] < right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    return out + left[i:] + right[j:]


def textbook_merge_sort(xs):
    return sum(k * v * v for k, v in enumerate(_merge_sort(xs)))


def _quick_sort(xs):
    if len(xs) <= 1:
        return xs
    low, high = [], []
    for x in xs[1:]:
        if x < xs[0]:
            low.append(x)
        else:
            high.append(x)
    return _quick_sort(low) + [xs[0]] + _quick_sort(high)


def textbook_quick_sort(xs):
    return sum(k * math.sin(v) for k, v in enumerate(_quick_sort(xs)))


def split_by_size(xs):
    """Two lists, of which now the one and now the other or both grow."""
    up, down = [], []
    for x in xs:
        if x > 0.5:
            up.append(math.sin(x))
        elif x < -0.5:
            down.append(x * x)
        else:
            up.append(x)
            down.append(-x)
    return sum(up[k] * down[k] for k in range(min(len(up), len(down))))


def _chain(points):
    """One half of the convex hull: a list that grows and shrinks."""
    out = []
    for p in points:
        while len(out) >= 2:
            a, b = out[-2], out[-1]
            if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0:
                break
            out.pop()
        out.append(p)
    return out


def hull_area(points):
    """The area of the convex hull (Andrew's monotone chain)."""
    order = sorted(points, key=lambda p: p[0])
    ring = _chain(order)[:-1] + _chain(order[::-1])[:-1]
    area = 0.0
    for k in range(len(ring)):
        a, b = ring[k], ring[(k + 1) % len(ring)]
        area += a[0] * b[1] - a[1] * b[0]
    return 0.5 * area


def insertion_sort(xs):
    a = [x * 1.0 for x in xs]
    for i in range(1, len(a)):
        j = i
        while j > 0 and a[j - 1] > a[j]:
            a[j - 1], a[j] = a[j], a[j - 1]
            j -= 1
    return sum(k * v for k, v in enumerate(a))


def edit_distance(a, b):
    """A soft dynamic program with two rows."""
    row = [float(j) for j in range(len(b) + 1)]
    for i in range(len(a)):
        new = [i + 1.0]
        for j in range(len(b)):
            cost = (a[i] - b[j]) ** 2
            new.append(
                -math.log(
                    math.exp(-row[j] - cost) + math.exp(-row[j + 1] - 1.0) + math.exp(-new[j] - 1.0)
                )
            )
        row = new
    return row[len(b)]


def queue(x, n):
    """pop(0), insert: O(length), as in Python."""
    todo, total = [x], 0.0
    while todo and len(todo) < n:
        v = todo.pop(0)
        total += v * v
        if v > 0.05:
            todo.append(v * 0.6)
            todo.insert(0, v * 0.3)
            todo.insert(1, v * v * 0.1)
    return total + len(todo)


def _push(xs, v):
    xs.append(v)
    return xs


def _set(a, i, v):
    a[i] = v


def handed_on(xs):
    """Helpers that update what they are given."""
    out, a = [], np.zeros(len(xs))
    for i in range(len(xs)):
        out = _push(out, xs[i] * i)
        _push(out, xs[i])
        _set(a, i, out[-1] * out[0] + out[len(out) // 2])
    return np.sum(a * a) + sum(out)


@dataclass(frozen=True)
class Tree:
    value: float
    left: "Tree | None"
    right: "Tree | None"


def _grown(depth, v):
    return None if depth == 0 else Tree(v, _grown(depth - 1, v * 0.9), _grown(depth - 1, v + 0.1))


def _visit(t, out):
    if t is None:
        return
    _visit(t.left, out)
    out.append(t.value)
    _visit(t.right, out)


def in_order(x, depth):
    """A recursion that appends to its argument."""
    out = []
    _visit(_grown(depth, x), out)
    return sum(math.sin(v) * k for k, v in enumerate(out))


def adaptive_steps(x, tol):
    """An integrator that chooses its steps and stores what it has seen."""
    t, y, h = 0.0, x, 0.3
    ts, ys = [t], [y]
    while t < 2.0:
        full = y + h * math.cos(t) * y
        half = y + 0.5 * h * math.cos(t) * y
        two = half + 0.5 * h * math.cos(t + 0.5 * h) * half
        if abs(two - full) < tol or h < 1e-3:
            t, y = t + h, two
            ts.append(t)
            ys.append(y)
            h = min(h * 1.5, 0.5)
        else:
            h = h * 0.5
    area = 0.0
    for k in range(1, len(ts)):
        area += 0.5 * (ys[k] + ys[k - 1]) * (ts[k] - ts[k - 1])
    return area


def several_ends(xs):
    """Reversed, cleared, deleted, copied; two names of one list."""
    a = [x for x in xs]
    b = a
    b.append(2.0)
    c = a[:]
    c.reverse()
    del c[0]
    a.clear()
    a.append(c[-1] * 3.0)
    return sum(c) * b[0] + len(b)


def pairs(xs):
    """Comprehensions with two for, ragged rows, filters over dependent ranges."""
    n = len(xs)
    low = [xs[i] * xs[j] for i in range(n) for j in range(i) if (i + j) % 3]
    rows = [[x + j for j in range(i)] for i, x in enumerate(xs)]
    flat = np.array([v * v for row in rows for v in row])
    mixed = sum(xs[i] * k for i in range(n) for k in range(i) if k != 1)
    return sum(low) + sum(sum(row) for row in rows) + np.sum(flat) + len(rows[n - 1]) + mixed


def ordered(xs):
    """sorted and .sort by keys; searches."""
    pairs = [(x * x, i) for i, x in enumerate(xs)]
    pairs.sort(reverse=True)
    ranks = [i for _, i in pairs]
    up = sorted(xs, key=lambda x: math.cos(x))
    best = max(pairs, key=lambda p: -abs(p[0] - 1.0))
    ranks.remove(ranks[0])
    few = min((x * x for x in xs if x > 0.3), default=2.0)
    total = sum(k * v for k, v in enumerate(up)) + best[0] * best[1] + few
    return total + ranks.index(ranks[-1]) + ranks.count(1) + (ranks == [1, 2]) + pairs[0][0]


def first_above(xs, limit):
    """A search with for ... else, and a while ... else."""
    for i in range(len(xs)):
        if xs[i] > limit:
            break
    else:
        return xs[0] * limit
    total = 0.0
    for n in range(2, len(xs)):
        for d in range(2, n):
            if n % d == 0:
                break
        else:
            total += xs[n] * n
            continue
        total -= 0.5 * xs[n]
    k = i
    while k > 0:
        k -= 2
        if k == 1:
            break
    else:
        total *= 2.0
    return total + xs[i]


def _floats(rng, n):
    return (rng.normal(size=n),)


def _list(rng, n):
    return ([float(v) for v in rng.normal(size=n)],)


def _points(rng, n):
    return ([(float(x), float(y)) for x, y in rng.normal(size=(n + 2, 2))],)


def _sorted_lists(rng, n):
    xs, ys = rng.normal(size=n), rng.normal(size=n + 1)
    return [float(v) for v in np.sort(xs)], [float(v) for v in np.sort(ys)]


def _code(rng, n):
    ops = [0, 1]
    for _ in range(n):
        ops += [int(rng.integers(0, 2)), 2 + int(rng.integers(0, 2))]
    return 0.7, 1.3, np.array(ops)


def _pairs(rng, n):
    return rng.normal(size=n), rng.normal(size=n + 1)


PROGRAMS = [
    Program("collected", collected, _floats),
    Program("running_sums", running_sums, _floats),
    Program("kept", kept, _floats),
    Program("trajectory", trajectory, lambda rng, n: (rng.normal(size=3), n)),
    Program("simpson_stack", simpson, lambda rng, n: (0.1, 1.7, 1e-2 / n**2), argnums=(0, 1)),
    Program("stack_machine", stack_machine, _code, argnums=(0, 1)),
    Program("merged_lists", merged, _sorted_lists, argnums=(0, 1)),
    real("textbook_merge_sort", textbook_merge_sort, _list),
    real("textbook_quick_sort", textbook_quick_sort, _list),
    real("split_by_size", split_by_size, _floats),
    real("hull_area", hull_area, _points),
    Program("insertion_sort", insertion_sort, _floats),
    Program("edit_distance_rows", edit_distance, _pairs, argnums=(0, 1)),
    Program("queue", queue, lambda rng, n: (0.9, n)),
    Program("handed_on", handed_on, _floats),
    Program("in_order", in_order, lambda rng, n: (0.4, 1 + n.bit_length())),
    Program("adaptive_steps", adaptive_steps, lambda rng, n: (0.8, 0.05 / n)),
    Program("several_ends", several_ends, _floats),
    Program("pairs_of_lists", pairs, _floats),
    Program("ordered_lists", ordered, _floats),
    Program("first_above", first_above, lambda rng, n: (rng.normal(size=n), 0.4)),
    Program("none_above", first_above, lambda rng, n: (rng.normal(size=n), 9.0), argnums=(0, 1)),
]  # fmt: skip
