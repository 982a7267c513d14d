"""What refusals of objects as keys, and of their attributes, advise, followed."""

from __future__ import annotations

from dataclasses import dataclass, field

from pullback.errors import UnsupportedError
from tests.frontend.mended import mends


@dataclass(frozen=True)
class Noted:
    a: int
    note: float = field(compare=False)


class Keeps:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.number = None

    def __eq__(self, other):
        return self.a == other.a and self.b == other.b

    def __hash__(self):
        if self.number is None:
            self.number = hash((self.a, self.b))
        return self.number


class Asks:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __eq__(self, other):
        return self.a == other.a and self.b == other.b

    def __hash__(self):
        return hash((self.a, self.b))


def refused_kept_number(x):
    return x * len({Keeps(1, 2), Keeps(1, 2)})


@mends(refused_kept_number, (1.5,), "return hash((self.a, self.b))", UnsupportedError)
def mended_kept_number(x):
    return x * len({Asks(1, 2), Asks(1, 2)})


def refused_number_elsewhere(x):
    a, b = Asks(1, 2), Asks(1, 2)
    return x * x if hash(a) == hash(b) else x


@mends(
    refused_number_elsewhere, (1.5,),
    "call hash in __hash__ only, and compare the fields: (a.x, a.y) == (b.x, b.y)",
    UnsupportedError,
)  # fmt: skip
def mended_number_elsewhere(x):
    a, b = Asks(1, 2), Asks(1, 2)
    return x * x if (a.a, a.b) == (b.a, b.b) else x


def refused_keys_returned(x):
    d = {Noted(i, x): i * x for i in range(3)}
    return x, d


@mends(
    refused_keys_returned, (1.5,), "return lists: list(d), list(d.values())", UnsupportedError,
    differs=True,
)  # fmt: skip
def mended_keys_returned(x):
    d = {Noted(i, x): i * x for i in range(3)}
    return list(d), list(d.values())


class Bag:
    def __init__(self, a):
        self.a = a


def refused_names_of_attributes(x):
    d, bag = {}, Bag(x)
    for i in range(2):
        d["ab"[i]] = x * (i + 1)
    bag.__dict__.update(d)
    return bag.a


@mends(
    refused_names_of_attributes, (1.5,), "name them: obj.a = d[k]", UnsupportedError
)
def mended_names_of_attributes(x):
    d, bag = {}, Bag(x)
    for i in range(2):
        d["ab"[i]] = x * (i + 1)
    bag.a = d["a"]
    return bag.a
