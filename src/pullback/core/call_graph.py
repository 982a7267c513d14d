"""The call graph of a program."""

from __future__ import annotations

from pullback.core.terms import Program
from pullback.core.traverse import callees


def call_order(program: Program) -> tuple[str, ...]:
    """All functions, callees before their callers (a recursive call is ignored where it closes
    a cycle)."""
    order: dict[str, None] = {}
    entered: set[str] = set()
    for start in program.functions:
        stack = [] if start in entered else [(start, iter(callees(program.functions[start])))]
        entered.add(start)
        while stack:
            name, rest = stack[-1]
            for callee in rest:
                if callee not in entered:
                    entered.add(callee)
                    stack.append((callee, iter(callees(program.functions[callee]))))
                    break
            else:
                order[name] = None
                stack.pop()
    return tuple(order)


def recursive_functions(program: Program) -> frozenset[str]:
    """The functions that can call themselves, directly or through others (and those that stand
    between two such cycles)."""
    graph = {name: callees(f) for name, f in program.functions.items()}
    callers: dict[str, list[str]] = {name: [] for name in graph}
    for name, called in graph.items():
        for callee in called:
            callers[callee].append(name)
    # Functions that call nobody (left), and then those that nobody (left) calls, are on no cycle.
    left = set(graph)
    for out, back in ((graph, callers), (callers, graph)):
        degree = {name: sum(c in left for c in out[name]) for name in left}
        free = [name for name in left if degree[name] == 0]
        while free:
            name = free.pop()
            left.remove(name)
            for other in back[name]:
                if other in left:
                    degree[other] -= 1
                    if degree[other] == 0:
                        free.append(other)
    return frozenset(left)
