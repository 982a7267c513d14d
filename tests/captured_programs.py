"""Programs that change what is around them: globals, captured variables, and what these hold."""

from __future__ import annotations

import functools

import numpy as np

log = [1.0]
count = 0
total = 0.5
state = {"n": 0.0, "name": "s"}
table = np.ones(3)
other = table
latest = None


class Model:
    rate = 2.0

    def __init__(self) -> None:
        self.k = 1.0
        self.seen = [0.0]


model = Model()


def appended(x):
    log.append(x)
    return x * x * len(log)


def counted(x):
    global count
    count += 1
    return x * count


def summed(x):
    global total, latest
    total += x * x
    latest = x
    return total


def keyed(x):
    state["n"] += x
    state["new"] = 2.0 * x
    return state["n"] * x


def of_an_object(x):
    model.k *= x
    model.seen.append(model.k)
    return model.k * sum(model.seen)


def of_a_default_of_the_class(x):
    model.rate += x
    model.new = x * x
    return model.rate * x


def of_an_array(x):
    table[0] = x
    table[1:] *= x
    return table.sum()


def array_anew(x):
    global table
    table = table * x
    return table.sum()


def note(x):
    global count
    log.append(x)
    count += 1
    return len(log)


def by_a_helper(x):
    for k in range(3):
        note(x * k)
    return x * count + sum(log)


def in_a_recursion(x):
    if count > 2:
        return x * log[-1]
    note(x)
    return in_a_recursion(x * 1.5)


def nested(x):
    def inner(v):
        global count
        count += 2
        log[0] = v

    inner(x)
    return log[0] * count * x


def in_a_loop(x):
    global total
    for k in range(4):
        if k % 2:
            total += x * k
    return total * x


def raising(x):
    log.append(x)
    if len(log) > 2:
        raise ValueError(len(log))
    return x


def caught(x):
    global count
    try:
        count += 1
        x = log[count]
    except IndexError:
        count += 10
    return x * count


def printing(x):
    global count
    count += 1
    print("count", count)
    if count > 1:
        raise KeyError(count)
    return x


def counter():
    n, seen = 0, [0.0]

    def step(x):
        nonlocal n
        n += 1
        seen.append(x * n)
        return seen[-1] * x

    return step


made = counter()


@functools.cache
def squares(n: int) -> float:
    return float(n * n)


def beside_a_cache(x):
    global count
    count += 1
    return x * squares(count % 3)


def result(x):
    table[0] = x
    return table


def push(xs, v):
    xs.append(v)


def given_to_a_helper(x):
    push(log, x)
    push(model.seen, x)
    return len(log) * x




def in_a_loop_beside(x):
    for _ in range(3):
        model.k = model.k * x
    return model.k


def by_a_method_as_a_value(x):
    push = log.append
    push(x)
    return len(log) * x


def anew_in_a_function(x):
    def inner():
        global table
        table = table + x
        return table

    return inner().sum()


def reads(x):
    return x * sum(Reader().log())


class Reader:
    def log(self):
        return log


def by_a_method(x):
    log.append(x)
    return reads(x)


NAMES = [
    "by_a_method_as_a_value", "given_to_a_helper", "in_a_loop_beside", "anew_in_a_function",
    "appended", "counted", "summed", "keyed", "of_an_object",
    "of_a_default_of_the_class", "of_an_array", "array_anew",
    "by_a_helper", "in_a_recursion", "nested", "in_a_loop", "raising", "caught", "printing",
    "made", "by_a_method",
]  # fmt: skip


# --- refused --------------------------------------------------------------------------------------


def by_another_name(x):
    table[0] = x
    return other.sum()


def twins():
    n = 0

    def value():
        return n

    def step(x):
        nonlocal n
        n += 1
        return x * value()

    return step


twin = twins()




REFUSED = ["twin"]
