"""
A small language, interpreted and differentiated
================================================

Here is an interpreter for a language with variables, loops, conditions and ``stop``. A program in
it says how a cup of coffee cools, and that milk is added; some of its numbers are marked with a
question mark, since nobody knows them. They are found from measured temperatures.

What is differentiated is the interpreter, and with it the program that it interprets, which is
data: a tree with texts, a dict of variables, a loop that ends when the interpreted program says so,
by an exception. The gradient by a program is a program, with a derivative in the place of each
number. Any tool that traces sees one path of one program; here one compiled interpreter runs all
programs.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

import pullback as pb
from pullback.gallery.style import BLUE, GREY, INK, ORANGE, panels


@dataclass(frozen=True)
class Number:
    value: float


@dataclass(frozen=True)
class Name:
    name: str


@dataclass(frozen=True)
class Operation:
    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Assign:
    name: str
    value: Expression


@dataclass(frozen=True)
class If:
    test: Expression
    body: list[Statement]


@dataclass(frozen=True)
class Loop:
    body: list[Statement]


@dataclass(frozen=True)
class Stop:
    pass


Expression = Number | Name | Operation
Statement = Assign | If | Loop | Stop


class Stopped(Exception):
    """``stop`` was met: the innermost loop ends."""


def evaluate(e: Expression, variables: dict[str, float]) -> float:
    match e:
        case Number(value):
            return value
        case Name(name):
            if name not in variables:
                raise NameError(f"{name} has no value")
            return variables[name]
        case Operation(sign, left, right):
            a, b = evaluate(left, variables), evaluate(right, variables)
            match sign:
                case "+":
                    return a + b
                case "-":
                    return a - b
                case "*":
                    return a * b
                case "<":
                    return 1.0 if a < b else 0.0
                case _:
                    raise SyntaxError(f"what is {sign}?")


def execute(body: list[Statement], variables: dict[str, float]) -> None:
    for statement in body:
        match statement:
            case Assign(name, value):
                variables[name] = evaluate(value, variables)
            case If(test, inner):
                if evaluate(test, variables) != 0.0:
                    execute(inner, variables)
            case Loop(inner):
                try:
                    while True:
                        execute(inner, variables)
                except Stopped:
                    pass
            case Stop():
                raise Stopped


def run(program: list[Statement], minutes: float) -> float:
    """The temperature that the program has at the end."""
    variables = {"minutes": minutes}
    execute(program, variables)
    return variables["heat"]


# %%
# The parser is Python, too, but need not be compiled: programs are read once.


class Parser:
    """With ``marks``, numbers are 1 where there is a question mark, and 0 elsewhere."""

    def __init__(self, text, marks=False):
        self.tokens = [*re.findall(r"\d+\.?\d*\??|\w+|[-+*<={}()]", text), ""]
        self.marks = marks

    def take(self):
        return self.tokens.pop(0)

    def body(self):
        out = []
        while self.tokens[0] not in ("}", ""):
            out.append(self.statement())
        self.take()
        return out

    def statement(self):
        word = self.take()
        if word == "stop":
            return Stop()
        if word == "loop":
            self.take()
            return Loop(self.body())
        if word == "if":
            test = self.expression()
            self.take()
            return If(test, self.body())
        self.take()
        return Assign(word, self.expression())

    def expression(self):
        left = self.sum()
        while self.tokens[0] == "<":
            left = Operation(self.take(), left, self.sum())
        return left

    def sum(self):
        left = self.term()
        while self.tokens[0] in ("+", "-"):
            left = Operation(self.take(), left, self.term())
        return left

    def term(self):
        left = self.factor()
        while self.tokens[0] == "*":
            left = Operation(self.take(), left, self.factor())
        return left

    def factor(self):
        word = self.take()
        if word == "(":
            inside = self.expression()
            self.take()
            return inside
        if word[0].isdigit():
            unknown = word.endswith("?")
            return Number(float(unknown) if self.marks else float(word.rstrip("?")))
        return Name(word)


TEXT = """
heat = 95?
time = 0
milk = 1
loop {
    if minutes < time + 0.25 { stop }
    heat = heat - 0.25 * 0.05? * (heat - 15?)
    time = time + 0.25
    if 8 < time {
        heat = heat - 5? * milk
        milk = 0
    }
}
"""

guess = Parser(TEXT).body()

# %%
# ``pb.ravel`` has all numbers of a program as one vector; those with a question mark are moved. The
# measurements are made by a cup with other numbers.


def total(program: list[Statement], minutes: np.ndarray, measured: np.ndarray) -> float:
    """The mean square of what the program is off."""
    out = 0.0
    for i in range(len(minutes)):
        out += (run(program, minutes[i]) - measured[i]) ** 2
    return out / len(minutes)


numbers, with_numbers = pb.ravel(guess)
unknown = pb.ravel(Parser(TEXT, marks=True).body())[0] == 1.0
MINUTES = np.arange(0.0, 30.1, 1.25)
truth = numbers.copy()
truth[unknown] = [88.0, 0.075, 21.0, 9.0]
rng = np.random.default_rng(5)
MEASURED = np.array([run(with_numbers(truth), t) for t in MINUTES])
MEASURED += 0.4 * rng.normal(size=len(MINUTES))

both, scales = pb.value_and_grad(total), np.array([10.0, 0.02, 10.0, 5.0])


def objective(u):
    changed = numbers.copy()
    changed[unknown] += scales * u
    value, gradient = both(with_numbers(changed), MINUTES, MEASURED)
    return value, scales * pb.ravel(gradient)[0][unknown]


found = minimize(objective, np.zeros(4), jac=True)
best = numbers.copy()
best[unknown] += scales * found.x
print(f"mean square {objective(np.zeros(4))[0]:.2f} -> {found.fun:.3f}")
print("numbers found:", np.round(best[unknown], 3), " true:", truth[unknown])

# %%
# Left: the cup. Right: the program, with the numbers that were found.

figure, (left, right) = panels(1, 2, width=10.0)
fine = np.arange(0.0, 30.1, 0.25)
for values, colour, label in ((numbers, GREY, "first guess"), (best, BLUE, "found")):
    program = with_numbers(values)
    left.plot(fine, [run(program, t) for t in fine], color=colour, label=label)
left.plot(MINUTES, MEASURED, "o", color=ORANGE, ms=4, label="measured")
left.set(xlabel="minutes", ylabel="temperature", title="A cup of coffee, with milk")
left.legend()
right.axis("off")
values = iter(best[unknown])
shown = re.sub(r"\d+\.?\d*\?", lambda _: f"{next(values):.3g}", TEXT.strip())
right.text(0.02, 0.95, shown, family="monospace", va="top", color=INK, fontsize=11)
right.set_title("The program that was found")

# Where a loop may stop a round earlier the result jumps; here all numbers are far from that.
smooth = Parser("heat = 50 loop { heat = heat - 0.3 * (heat - 3) if heat < 22 { stop } }").body()
CHECKED = [(run, (smooth, 1.0)), (total, (smooth, MINUTES[:2], MEASURED[:2]))]
assert math.isclose(found.fun, total(with_numbers(best), MINUTES, MEASURED), rel_tol=1e-9)
