"""Programs of any size whose clauses see updates that were made before something was raised."""

import numpy as np


def checked(x, k):
    if k % 5 == 3:
        raise ValueError(k)
    return x / (k + 1.0)


def fill(w, x, n):
    for k in range(n):
        w[k] = x
        w[k] += checked(x, k % 3)


def updated_by_a_call(x, n):
    w = np.zeros(n)
    try:
        fill(w, x, n)
    except ValueError:
        x = 2 * x
    return w.sum() + x


def in_each_round(x, n):
    w = np.zeros(n)
    for k in range(n):
        try:
            w[k] = checked(x, k)
        except ValueError:
            w[k] = x
    return w.sum()


class Steps:
    """A log and an array, updated before and after a check."""

    def __init__(self, n):
        self.log = [0.0]
        self.w = np.zeros(n)

    def step(self, x, k):
        self.log.append(x)
        self.w[k] += 1.0
        self.log.append(checked(x, k))


def methods_in_a_loop(x, n):
    steps = Steps(n)
    for k in range(n):
        try:
            steps.step(x, k)
        except ValueError:
            steps.log.append(2.0)
    return sum(steps.log) + steps.w.sum()


def a_loop_of_methods(x, n):
    steps = Steps(n)
    try:
        for k in range(n):
            steps.step(x, k if k == n - 4 else k % 3)
    except ValueError:
        steps.log.append(2.0)
    return sum(steps.log) * x + steps.w.sum()


def several_in_one(x, n):
    w = np.zeros(n)
    t = [0.0]
    for k in range(n):
        try:
            w[k], t = checked(x, k), [checked(x, k + 1)]
            w[k] = w[k - 1] + checked(x, k)
            t.append(w[k])
        except ValueError:
            w[k] = x * len(t)
    return w.sum()


def recur(steps, x, k):
    if k > 0:
        steps.log.append(x)
        recur(steps, x, k - 1)
        steps.log.append(checked(x, k))


def recursion(x, n):
    steps = Steps(n)
    try:
        recur(steps, x, n)
    except ValueError:
        x = 2 * x
    return sum(steps.log) * x


def a_loop_as_a_whole(x, n):
    total = 0.0
    w = np.zeros(n)
    try:
        for k in range(n):
            total += checked(x, k % 3)
            w[k] = total
            total += checked(x, 3 if k == n - 1 else 1)
    except ValueError:
        total = -total
    return total + w.sum()


def in_a_condition(x, n):
    k = 0
    w = np.zeros(n + 1)
    try:
        while w[k] + checked(x, k % 3) > -1.0:
            k += 1
            w[k] = x * k
    except IndexError:
        return w.sum() + k
    return 0.0


class Account:
    """One that counts its failures."""

    def __init__(self, balance):
        self.balance = balance
        self.failures = 0

    def fail(self, text):
        self.failures += 1
        raise ValueError(text)

    def take(self, v):
        self.balance -= v
        if self.balance < 0:
            self.fail("less than nothing")


def counted_failures(x, n):
    account = Account(x * n / 2)
    for k in range(n):
        try:
            account.take(x * (k % 3))
        except ValueError:
            account.balance += 2 * x
    return account.balance + x * account.failures


class Log:
    """A list that is appended to before something is raised in one arm, and in the other one."""

    def __init__(self):
        self.kept = [0.0]

    def put(self, v, bad):
        if bad:
            self.kept.append(-v)
            raise ValueError(v)
        self.kept.append(v)


def appended_in_both_arms(x, n):
    log = Log()
    for k in range(n):
        try:
            log.put(x * k, k % 3 == 1)
        except ValueError:
            log.kept.append(x)
    return sum(log.kept)


PROGRAMS = [
    updated_by_a_call, in_each_round, methods_in_a_loop, a_loop_of_methods, several_in_one,
    recursion, a_loop_as_a_whole, in_a_condition, counted_failures, appended_in_both_arms,
]  # fmt: skip
