"""Tuples of several lengths, tuples and other things in one list, dict, queue or variable."""

import heapq
import math
from collections import Counter, defaultdict, deque


def stack_machine(x):
    ops = []
    for i in range(3):
        ops.append(("push", x * (i + 1)))
        if i > 0:
            ops.append(("add",) if i == 1 else ("mul",))
    stack = []
    for op in ops:
        match op:
            case ("push", v):
                stack.append(v)
            case ("add",):
                b = stack.pop()
                stack.append(stack.pop() + b)
            case ("mul",):
                b = stack.pop()
                stack.append(stack.pop() * b)
    return stack[-1]


def turtle(x):
    commands = []
    for i in range(4):
        if i % 2:
            commands.append(("move", x, float(i)))
        else:
            commands.append(("turn", 0.3 * i))
    px, py, angle = 0.0, 0.0, x
    for name, *args in commands:
        if name == "move":
            d, k = args
            px += d * k * math.cos(angle)
            py += d * k * math.sin(angle)
        elif name == "turn":
            angle += args[0]
    return px + 2 * py


def events(x):
    queue = []
    heapq.heappush(queue, (1.0, "a", x))
    heapq.heappush(queue, (0.5, "b"))
    total = 0.0
    while queue:
        event = heapq.heappop(queue)
        t = event[0]
        if event[1] == "a":
            total += event[2] * t
            if t < 4:
                heapq.heappush(queue, (t + 1.0, "a", x * t))
        else:
            total += t
    return total


def steps(x):
    queue = deque([("start", x)])
    total, n = 0.0, 0
    while queue:
        item = queue.popleft()
        n += 1
        if item[0] == "start":
            queue.append(("step", item[1] * 2, 1.0))
            queue.append(("stop",))
        elif item[0] == "step":
            _, v, k = item
            total += v * k
            if n < 6:
                queue.append(("step", v * 0.5, k + 1.0))
        else:
            total += 1.0
    return total


def states(x):
    state = ("idle",)
    total = 0.0
    for i in range(6):
        match state:
            case ("idle",):
                state = ("run", x, i)
            case ("run", v, k):
                total += v * k
                state = ("cool", x * 0.5) if i > 2 else ("idle",)
            case ("cool", v):
                total -= v
                state = ("idle",)
    return total


def parsed(x):
    def parse(s):
        if s == "":
            return None
        if s.startswith("a"):
            return ("A", x)
        if s.startswith("b"):
            return ("B", x, 2.0)
        return ("C",)

    total = 0.0
    for s in ["a1", "", "b2", "c", "a"]:
        match parse(s):
            case None:
                total += 0.5
            case ("A", v):
                total += v
            case ("B", v, w):
                total += v * w
            case (_,):
                total += 10.0
    return total


def by_exceptions(x):
    rows = []
    for i in range(4):
        rows.append((x,) if i == 1 else ("k", x, 2.0 * i))
    total = 0.0
    for r in rows:
        try:
            _, a, b = r
            total += a * b
        except ValueError as e:
            total += r[0] * len(str(e))
        try:
            total += r[2] * x
        except IndexError:
            total -= r[0]
    return total


def spread(x):
    def area(kind, a, b=1.0):
        return a * b if kind == "rect" else a**2

    rows = []
    for i in range(3):
        rows.append(("rect", x, i + 1.0) if i % 2 else ("sq", x))
    return sum(area(*r) for r in rows)


def compared(x):
    rows = []
    for i in range(4):
        rows.append(("end",) if i == 3 else ("go", x * i))
    total, i = 0.0, 0
    while rows[i] != ("end",):
        total += rows[i][1]
        i += 1
    return total if rows[-1] == ("end",) and rows[0] == ("go", 0.0) else -total


def numbers_and_pairs(x):
    points = []
    for i in range(4):
        points.append(None if i == 0 else (x, float(i)) if i < 3 else x)
    total = sum(p[0] for p in points if isinstance(p, tuple))
    for p in points:
        if p is None:
            continue
        total += p[0] * p[1] if isinstance(p, tuple) else p**2
    return total


def gone_through(x):
    rows = []
    for i in range(5):
        rows.append(("a", x, x * i)[1:] if i % 3 == 0 else (x * i,) if i % 3 == 1 else ())
    total = 0.0
    for r in rows:
        for v in r:
            total += v * len(r)
        total += sum(r) * 0.5 + len(tuple(r))
        if r:
            total += max(r) * r[-1]
    return total


def in_values(x):
    d = {}
    for i in range(4):
        d[i] = ("pair", x, 2.0) if i == 2 else ("one", x * i)
    total = 0.0
    for k, row in d.items():
        total += row[1] * row[2] * k if len(row) == 3 else row[1]
    return total


def yielded(x):
    def changes():
        for i in range(4):
            if i % 2:
                yield ("tick", x * i)
            else:
                yield ("reset",)

    now, total = 0.0, 0.0
    for change in changes():
        if change[0] == "tick":
            now += change[1]
        else:
            total += now
            now = 1.0
    return total + now


def int_and_text_keys(x):
    d = {}
    for i in range(5):
        k = i if i % 2 else f"k{i}"
        d[k] = d.get(k, 0.0) + x * i
    total = 0.0
    for k, v in d.items():
        total += v * len(k) if isinstance(k, str) else -v * k
    del d["k0"]
    return total + d["k2"] * d[3] + (4 in d) * 10 + ("k4" in d) * 20 + d.pop(1) * len(d)


def none_text_and_int_keys(x):
    d = {}
    for i in range(6):
        k = None if i == 0 else "a" if i < 3 else i
        d[k] = d.get(k, 1.0) * x
    asked = [None, "a", 3, "b", 0]
    total = 0.0
    for k in asked:
        total = total * 0.5 + d.get(k, 7.0)
    return d[None] + 2 * d["a"] + 3 * d[4] + len(d) + total


def tuple_keys(x):
    memo = {}

    def f(k):
        if k in memo:
            return memo[k] * 2
        memo[k] = x * (len(k) if isinstance(k, tuple) else k)
        return memo[k]

    seen = set()
    total = f(3) + f((1, "b")) + f(3) + f((1, "b")) + f(1)
    for i in range(6):
        k = ("a", i % 3) if i % 2 else i % 4
        if k not in seen:
            seen.add(k)
            total += x * i
    return total * len(seen)


def grouped(x):
    groups, counts = defaultdict(list), Counter()
    for i in range(6):
        groups[i % 2 if i < 3 else "late"].append(x * i)
        counts["odd" if i % 2 else i // 4] += 1
    total = sum(len(v) * sum(v) for v in groups.values())
    return total + counts["odd"] * x + counts[0] + counts["even"]


class KdNode:
    def __init__(self, point, axis, left, right):
        self.point, self.axis, self.left, self.right = point, axis, left, right


POINTS = [(2.0, 3.0), (5.0, 4.0), (9.0, 6.0), (4.0, 7.0), (8.0, 1.0), (7.0, 2.0)]


def nearest(x):
    """A k-d tree: a recursion that sorts its argument, and the best point so far in a list."""

    def build(points, depth=0):
        if not points:
            return None
        axis = depth % 2
        points.sort(key=lambda p: p[axis])
        m = len(points) // 2
        low, high = build(points[:m], depth + 1), build(points[m + 1 :], depth + 1)
        return KdNode(points[m], axis, low, high)

    target, best = (x * 5, x * 2), [None, float("inf")]

    def visit(node):
        if node is None:
            return
        d = sum((a - b) ** 2 for a, b in zip(node.point, target))
        if d < best[1]:
            best[0] = node.point
            best[1] = d
        diff = target[node.axis] - node.point[node.axis]
        near, far = (node.left, node.right) if diff < 0 else (node.right, node.left)
        visit(near)
        if diff**2 < best[1]:
            visit(far)

    visit(build([p for p in POINTS]))
    return best[1] + best[0][0]


def nearest_in_dicts(x):
    def build(points, depth=0):
        if not points:
            return None
        points = sorted(points, key=lambda p: p[depth % 2])
        m = len(points) // 2
        low, high = build(points[:m], depth + 1), build(points[m + 1 :], depth + 1)
        return {"point": points[m], "left": low, "right": high}

    root = build([p for p in POINTS])
    target, best = (x * 5, x * 2), [None, float("inf")]

    def visit(node, depth):
        if node is None:
            return
        p, axis = node["point"], depth % 2
        d = sum((a - b) ** 2 for a, b in zip(p, target))
        if d < best[1]:
            best[0] = p
            best[1] = d
        diff = target[axis] - p[axis]
        near, far = (
            (node["left"], node["right"]) if diff < 0 else (node["right"], node["left"])
        )
        visit(near, depth + 1)
        if diff**2 < best[1]:
            visit(far, depth + 1)

    visit(root, 0)
    return best[1]


def what_python_says(x):
    """Operators of a number with what may be a tuple."""
    rows, said = [], 0
    for i in range(4):
        rows.append((x, "t") if i == 1 else x + i)
    total = 0.0
    for v in rows:
        for k in range(6):
            try:
                if k == 0:
                    total += v + 1.0
                elif k == 1:
                    total += 1.0 + v
                elif k == 2:
                    total += v * 0.5
                elif k == 3:
                    total += 2.0 - v
                elif k == 4:
                    total += v < 2.0
                else:
                    total += -v
            except TypeError as e:
                said += len(str(e))
    return total + said


PROGRAMS = [
    nearest, nearest_in_dicts, what_python_says,
    stack_machine, turtle, events, steps, states, parsed, by_exceptions, spread, compared,
    numbers_and_pairs, gone_through, in_values, yielded, int_and_text_keys, none_text_and_int_keys,
    tuple_keys, grouped,
]  # fmt: skip
