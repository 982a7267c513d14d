"""A stack machine with jumps, differentiated through the programs that it runs.

The code is an array of integers, so it may be any program; the parameters get the gradient.
"""

import math

import numpy as np

import pullback as pb

PUSH, ADD, MULTIPLY, SINE, STORE, LOAD, COUNT_DOWN, HALT = range(8)


def run(parameters, code):
    """The top of the stack at the halt. An instruction is a pair (operation, operand)."""
    stack, memory = np.zeros(16), np.zeros(4)
    counters = np.array([3, 5])
    top, place, running = 0, 0, True
    while running:
        operation, operand = code[place, 0], code[place, 1]
        place += 1
        if operation == PUSH:
            stack[top] = parameters[operand]
            top += 1
        elif operation == ADD:
            top -= 1
            stack[top - 1] = stack[top - 1] + stack[top]
        elif operation == MULTIPLY:
            top -= 1
            stack[top - 1] = stack[top - 1] * stack[top]
        elif operation == SINE:
            stack[top - 1] = math.sin(stack[top - 1])
        elif operation == STORE:
            top -= 1
            memory[operand] = stack[top]
        elif operation == LOAD:
            stack[top] = memory[operand]
            top += 1
        elif operation == COUNT_DOWN:
            counters[0] -= 1
            if counters[0] > 0:
                place = operand
        else:
            running = False
    return stack[top - 1]


def inputs(n, seed):
    """A random straight program of n additions, products and sines."""
    rng = np.random.default_rng(seed)
    code = [(PUSH, 0)]
    for _ in range(n):
        code += [(PUSH, rng.integers(n)), (rng.choice([ADD, MULTIPLY]), 0), (SINE, 0)]
    return run, (rng.normal(size=n), np.array([*code, (HALT, 0)]))


def main():
    # x = p0; three times: x = sin(x) * p1 + x
    code = np.array(
        [(PUSH, 0), (STORE, 0), (LOAD, 0), (SINE, 0), (PUSH, 1), (MULTIPLY, 0), (LOAD, 0), (ADD, 0),
         (STORE, 0), (COUNT_DOWN, 2), (LOAD, 0), (HALT, 0)]
    )  # fmt: skip
    value, slope = pb.value_and_grad(run)(np.array([0.5, 0.3]), code)
    x = pb.grad(lambda p: run(np.array([p, 0.3]), code))(0.5)
    print(f"value {value:.6f}, gradient {slope}")
    assert abs(x - slope[0]) < 1e-12


if __name__ == "__main__":
    main()
