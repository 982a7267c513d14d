"""Programs that make dataclasses of others (``replace``, ``asdict``, ``astuple``), whose parts then
have several owners, or that have lists by default."""

import heapq
from dataclasses import asdict, astuple, dataclass, field, replace


@dataclass(order=True)
class Task:
    weight: float
    parts: list = field(default_factory=list, compare=False)


@dataclass
class Urgent(Task):
    until: float = 1.5


@dataclass
class Point:
    x: float
    y: float = 2.0


@dataclass
class Line:
    begin: Point
    others: list = field(default_factory=list)
    end: Point | None = None


def with_a_list_in_common(xs):
    tasks = [Task(xs[0]), Task(xs[1], [1]), Task(xs[2])]
    one = replace(tasks[0], weight=3.0 * xs[0])
    one.parts.append(4)
    return tasks[0].weight + len(tasks[0].parts) * one.weight


def in_a_heap(xs):
    tasks = [Task(x) for x in xs]
    tasks.append(replace(tasks[0], weight=3.0 * xs[0]))
    tasks[0].parts.append(1)
    heapq.heapify(tasks)
    s = 0.0
    while tasks:
        task = heapq.heappop(tasks)
        s = 0.5 * s + task.weight * (len(task.parts) + 1)
    return s


def of_several_classes(xs):
    tasks = [Task(xs[0]), Urgent(xs[1], until=xs[2])]
    tasks = [replace(t, weight=t.weight * xs[2]) for t in tasks] + tasks
    tasks[1].parts.append(xs[0])
    tasks[2].weight += 1.0
    last = tasks[3].until if isinstance(tasks[3], Urgent) else 0.0
    return sum(t.weight * (k + 1) + sum(t.parts) for k, t in enumerate(tasks)) * last


def chosen_by_identity(xs):
    points = [Point(x) for x in xs]
    chosen = points[len(xs) - 1]
    points = [replace(p, x=p.x * 2.0) if p is not chosen else p for p in points]
    chosen.x = 10.0 * xs[0]
    return sum(p.x * p.y for p in points)


def with_two_names(xs):
    p = Point(xs[0], xs[1])
    points = [p, p, Point(xs[1])]
    q = replace(p, y=5.0)
    q.x += 1.0
    points.append(replace(points[1]))
    points[0].x = 9.0 * xs[0]
    return sum(sum(astuple(v)) * (k + 1) for k, v in enumerate(points)) + q.x * q.y


def as_dicts(xs):
    p = Point(xs[0], xs[1])
    line = Line(p, [Point(xs[1]), Point(xs[2])], p)
    p.x *= 3.0
    d = asdict(line)
    line.others[0].x = 7.0
    p.y = 0.0
    return d["begin"]["x"] * d["end"]["y"] + sum(each["x"] for each in d["others"])


def tuples_in_dicts(xs):
    line = Line(Point(xs[0]), tuple(Point(x) for x in xs))
    d, t = asdict(line), astuple(line)
    s = sum(each["x"] for each in d["others"]) + t[1][1][0]
    return s * (2.0 if isinstance(d["others"], tuple) and isinstance(t[1], tuple) else 3.0)


RIGHT = [
    with_a_list_in_common, in_a_heap, of_several_classes, chosen_by_identity, with_two_names,
    as_dicts, tuples_in_dicts,
]  # fmt: skip
