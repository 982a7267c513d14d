"""Programs that put one list, dict or array into several places, in a comprehension, a generator or
a recursion, and update it there later: all of these places see that, and so does its name."""

from dataclasses import dataclass, field

import numpy as np


class Body:
    def __init__(self, m, v):
        self.m, self.v = m, v


class Log:
    def __init__(self):
        self.rows = []


@dataclass
class Task:
    weight: float
    parts: list = field(default_factory=list)


def in_objects_of_a_comprehension(xs):
    row = [1.0, 2.0]
    bodies = [Body(x, row) for x in xs]
    bodies[0].v[0] = xs[2]
    return sum(b.m * b.v[0] for b in bodies) + row[0]


def in_objects_that_a_condition_keeps(xs):
    row = [1.0]
    bodies = [Body(x, row) for x in xs if x > 0.5]
    bodies[0].v.append(xs[1])
    return sum(sum(b.v) for b in bodies)


def in_objects_of_a_dict(xs):
    row = {"a": 1.0}
    bodies = {k: Body(x, row) for k, x in enumerate(xs)}
    bodies[0].v["a"] = xs[1]
    return sum(b.m * b.v["a"] for b in bodies.values())


def arrays_in_objects(xs):
    w = 2.0 * np.array(xs)
    bodies = [Body(x, w) for x in xs]
    bodies[0].v += xs[0]
    bodies[1].v[0] = 7.0 * xs[0]
    return sum(b.m * b.v[0] + b.v[1] for b in bodies)


def parts_of_other_objects(xs):
    tasks = [Task(xs[0], [0.5]), Task(xs[1], [1.0])]
    more = list(map(lambda t: Task(t.weight, t.parts), tasks))
    again = [Task(2.0 * t.weight, t.parts) for t in more]
    more[1].parts.append(xs[1])
    tasks[0].parts[0] = 9.0 * xs[0]
    return sum(t.weight * sum(t.parts) for t in tasks + again)


def rows_in_two_comprehensions(xs):
    rows = [[x] for x in xs]
    one = [Body(r[0], r) for r in rows]
    other = [Body(r[0], r) for r in rows]
    one[0].v.append(xs[1])
    return sum(b.m * sum(b.v) for b in other)


def objects_of_a_generator(xs):
    row = [1.0]

    def bodies():
        for x in xs:
            yield Body(x, row)

    made = list(bodies())
    made[0].v.append(xs[1])
    return sum(sum(b.v) for b in made)


def what_a_generator_fills(xs):
    row = [1.0]
    state, log = {"rows": []}, Log()

    def walk():
        for x in xs:
            state["rows"].append(row)
            log.rows.append(row)
            yield x

    s = sum(walk())
    state["rows"][0][0] = 5.0 * xs[0]
    log.rows[1].append(xs[1])
    return s + sum(sum(r) for r in state["rows"]) + sum(r[0] for r in log.rows)


def objects_of_a_recursion(xs):
    row = [1.0]

    def bodies(n):
        return [] if n == 0 else [Body(xs[n - 1], row)] + bodies(n - 1)

    made = bodies(3)
    made[0].v.append(xs[1])
    return sum(sum(b.v) for b in made)


def filled_by_a_recursion(xs):
    row = [1.0]
    out = []

    def fill(n):
        if n > 0:
            out.append(row)
            fill(n - 1)

    fill(3)
    out[0].append(xs[1])
    return sum(sum(r) for r in out)


def handed_on_in_a_recursion(xs):
    def bodies(n, row):
        return [] if n == 0 else [Body(xs[n - 1], row), *bodies(n - 1, row)]

    made = bodies(3, [1.0])
    made[0].v.append(xs[1])
    return sum(sum(b.v) for b in made)


def two_of_each_call(xs):
    def bodies(n):
        row = [xs[n - 1]]
        return [] if n == 0 else [Body(xs[n - 1], row), Body(1.0, row)] + bodies(n - 1)

    made = bodies(3)
    made[0].v.append(xs[1])
    return sum(sum(b.v) for b in made)


RIGHT = [
    in_objects_of_a_comprehension, in_objects_that_a_condition_keeps, in_objects_of_a_dict,
    arrays_in_objects, parts_of_other_objects, rows_in_two_comprehensions, objects_of_a_generator,
    what_a_generator_fills, objects_of_a_recursion, filled_by_a_recursion,
    handed_on_in_a_recursion, two_of_each_call,
]  # fmt: skip
