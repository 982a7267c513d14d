"""
Morse code, read without knowing where the letters stand
========================================================

A noisy signal is sent by hand, now faster, now slower. Of the messages that a network learns from
we know the dots and dashes, but not when each was sent. Connectionist temporal classification (A.
Graves and others, 2006) sums over all ways to lay the symbols along the time, by dynamic
programming.

What is differentiated is that dynamic program: two loops, a table that is filled in place, branches
that depend on which symbols are equal. Other tools have it as a built-in function in C++ with a
derivative written by hand; here it is thirty lines, as one would write them without derivatives.
"""

import math

import numpy as np
from scipy.optimize import minimize

import pullback as pb
from pullback.gallery.style import BLUE, GREY, ORANGE, panels

BLANK, DOT, DASH = 0, 1, 2
NEVER = -1e30
WINDOW, HIDDEN = 15, 6


def log_add(a, b):
    top = max(a, b)
    return top + math.log1p(math.exp(min(a, b) - top))


def ctc_loss(logs, label):
    """Minus the logarithm of the probability of a label; ``logs[t, k]``: of symbol k at time t."""
    symbols = [BLANK]
    for symbol in label:
        symbols += [symbol, BLANK]
    if len(label) > len(logs):
        raise ValueError("the label is longer than the signal")
    places = len(symbols)
    alpha = np.full(places, NEVER)
    alpha[0], alpha[1] = logs[0, BLANK], logs[0, symbols[1]]
    for t in range(1, len(logs)):
        for s in range(places - 1, -1, -1):  # downwards: what is to the left is of the time before
            total = alpha[s]
            if s > 0:
                total = log_add(total, alpha[s - 1])
            if s > 1 and symbols[s] != BLANK and symbols[s] != symbols[s - 2]:
                total = log_add(total, alpha[s - 2])
            alpha[s] = total + logs[t, symbols[s]]
    return -log_add(alpha[places - 1], alpha[places - 2])


# %%
# The network sees a window of the signal at each time. It is small: 6 hidden units.

SHAPES = [(WINDOW, HIDDEN), (HIDDEN,), (HIDDEN, 3), (3,)]


def log_probabilities(theta, windows):
    first = theta[: WINDOW * HIDDEN].reshape(WINDOW, HIDDEN)
    rest = theta[WINDOW * HIDDEN :]
    hidden = np.tanh(windows @ first + rest[:HIDDEN])
    scores = hidden @ rest[HIDDEN : 4 * HIDDEN].reshape(HIDDEN, 3) + rest[4 * HIDDEN :]
    top = np.max(scores, axis=1, keepdims=True)
    return scores - top - np.log(np.sum(np.exp(scores - top), axis=1, keepdims=True))


def loss(theta, messages):
    total = 0.0
    for windows, label in messages:
        total += ctc_loss(log_probabilities(theta, windows), label)
    return total / len(messages) + 1e-4 * np.sum(theta * theta)


# %%
# Messages are made by a sender whose speed and hand are unsteady.


def message(rng, length):
    """The windows of a noisy signal, its symbols, and the signal itself."""
    label = rng.integers(DOT, DASH + 1, length)
    signal = [0.0] * int(rng.integers(3, 6))
    for symbol in label:
        on = rng.integers(2, 4) if symbol == DOT else rng.integers(6, 10)
        signal += [1.0] * int(on) + [0.0] * int(rng.integers(2, 6))
    signal = np.array(signal) + 0.15 * rng.normal(size=len(signal))
    padded = np.pad(signal, WINDOW // 2)
    return np.lib.stride_tricks.sliding_window_view(padded, WINDOW).copy(), label, signal


rng = np.random.default_rng(6)
messages = [message(rng, int(rng.integers(4, 8)))[:2] for _ in range(24)]
start = 0.3 * rng.normal(size=sum(math.prod(shape) for shape in SHAPES))
history = []
found = minimize(
    pb.value_and_grad(loss), start, (messages,), jac=True, method="L-BFGS-B",
    options={"maxiter": 120},
    callback=lambda intermediate_result: history.append(intermediate_result.fun),
)  # fmt: skip
print(f"loss {history[0]:.2f} -> {history[-1]:.2f}")

# %%
# Read new messages: take the most probable symbol of each time, without repetitions and blanks.


def read(logs):
    best = logs.argmax(axis=1)
    return [int(b) for t, b in enumerate(best) if b != BLANK and (t == 0 or best[t - 1] != b)]


new = [message(np.random.default_rng(seed), 12) for seed in range(77, 97)]
right = sum(read(log_probabilities(found.x, w)) == list(symbols) for w, symbols, _ in new)
print(f"{right} of {len(new)} new messages are read without a mistake; one of them:")
windows, label, signal = new[1]
logs = log_probabilities(found.x, windows)
spell = {DOT: "·", DASH: "–"}
sent, got = ("".join(spell[int(k)] for k in word) for word in (label, read(logs)))
print("sent:", sent)
print("read:", got)

figure, (above, below) = panels(2, 1, height=4.8)
above.plot(signal, color=GREY, drawstyle="steps-mid", lw=1.2)
above.set(ylabel="signal", title=f"sent  {sent}     read  {got}", xlim=(0, len(signal)))
times = np.arange(len(signal))
for symbol, colour, name in ((DOT, BLUE, "dot"), (DASH, ORANGE, "dash")):
    chance = np.exp(logs[:, symbol])
    below.fill_between(times, chance, step="mid", color=colour, alpha=0.35, lw=0)
    below.plot(times, chance, color=colour, drawstyle="steps-mid", lw=1.2, label=name)
below.plot(times, np.exp(logs[:, BLANK]), ":", color=GREY, lw=1, label="blank")
below.set(xlabel="time", ylabel="probability", xlim=(0, len(signal)), ylim=(0, 1.05))
below.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.2))

CHECKED = [
    (ctc_loss, (log_probabilities(start, messages[0][0]), messages[0][1])),
    (loss, (found.x, messages[:2])),
]
