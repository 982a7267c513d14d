"""Simulations, parsers, queues and machines with states."""

import bisect
import enum
import heapq
import math
import random
from collections import deque

import numpy as np


class State(enum.Enum):
    IDLE = 0
    HEATING = 1
    COOLING = 2


def thermostat(start, gain, steps):
    state = State.IDLE
    temperature = start
    energy = 0.0
    for _ in range(steps):
        if state is State.IDLE:
            if temperature < 18.0:
                state = State.HEATING
            elif temperature > 22.0:
                state = State.COOLING
        elif state is State.HEATING and temperature > 20.0:
            state = State.IDLE
        elif state == State.COOLING and temperature < 20.0:
            state = State.IDLE
        if state is State.HEATING:
            temperature += gain
            energy += gain**2
        elif state is State.COOLING:
            temperature -= gain
            energy += gain**2
        temperature += 0.05 * (10.0 - temperature)
    return energy + temperature


def tokenize(text):
    tokens, number = [], ""
    for ch in text:
        if ch.isdigit() or ch == ".":
            number += ch
        else:
            if number:
                tokens.append(float(number))
                number = ""
            if not ch.isspace():
                tokens.append(ch)
    if number:
        tokens.append(float(number))
    return tokens


def parse_sum(text, scale):
    total = 0.0
    for t in tokenize(text):
        if isinstance(t, float):
            total += t * scale
    return total


def bfs_cost(grid, weight):
    rows, cols = len(grid), len(grid[0])
    queue = deque([(0, 0, 0.0)])
    seen = {(0, 0)}
    while queue:
        r, c, d = queue.popleft()
        if (r, c) == (rows - 1, cols - 1):
            return d
        for dr, dc in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
            nr, nc = r + dr, c + dc
            if 0 <= nr < rows and 0 <= nc < cols and grid[nr][nc] == "." and (nr, nc) not in seen:
                seen.add((nr, nc))
                queue.append((nr, nc, d + weight))
    return -1.0


def dijkstra(edges, n, scale):
    graph = {i: [] for i in range(n)}
    for a, b, w in edges:
        graph[a].append((b, w))
        graph[b].append((a, w))
    dist = [math.inf] * n
    dist[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, w in graph[u]:
            nd = d + w * scale
            if nd < dist[v]:
                dist[v] = nd
                heapq.heappush(heap, (nd, v))
    return dist[-1]


def bouncing_ball(height, restitution):
    y, v, t, bounces = height, 0.0, 0.0, 0
    while bounces < 3:
        v -= 9.81 * 0.01
        y += v * 0.01
        t += 0.01
        if y < 0:
            y = -y
            v = -v * restitution
            bounces += 1
    return y + t


def queue_waiting(arrivals, services):
    free_at = 0.0
    waits = []
    for a, s in zip(arrivals, services):
        start = max(a, free_at)
        waits.append(start - a)
        free_at = start + s
    return sum(waits) / len(waits)


def vending(coins, price):
    credit, sold = 0.0, 0
    for coin in coins:
        match coin:
            case "quarter":
                credit += 0.25
            case "dime" | "dim":
                credit += 0.10
            case str(other):
                credit -= 0.01 * len(other)
            case _:
                credit += coin
        while credit >= price:
            credit -= price
            sold += 1
    return credit + 0.0 * sold


def lotka_volterra(params, x, y, dt, steps):
    a, b, c, d = params
    trajectory = []
    for _ in range(steps):
        dx = a * x - b * x * y
        dy = -c * y + d * x * y
        x, y = x + dt * dx, y + dt * dy
        trajectory.append((x, y))
    return np.array(trajectory).mean(axis=0)


def kalman(zs, q, r):
    x, p = 0.0, 1.0
    estimates = []
    for z in zs:
        p = p + q
        k = p / (p + r)
        x = x + k * (z - x)
        p = (1 - k) * p
        estimates.append(x)
    return estimates


def event_simulation(rate, horizon):
    events = [(0.5, "arrive"), (0.8, "arrive"), (1.7, "leave")]
    heapq.heapify(events)
    clock, people, area = 0.0, 0, 0.0
    while events:
        time, kind = heapq.heappop(events)
        if time > horizon:
            break
        area += people * (time - clock)
        clock = time
        if kind == "arrive":
            people += 1
            if people < 3:
                heapq.heappush(events, (time + rate, "leave"))
        else:
            people -= 1
    return area


def game_of_life_heat(cells, warm):
    n = len(cells)
    heat = 0.0
    for _ in range(3):
        new = [row[:] for row in cells]
        for i in range(n):
            for j in range(n):
                alive = sum(
                    cells[(i + a) % n][(j + b) % n]
                    for a in (-1, 0, 1)
                    for b in (-1, 0, 1)
                    if (a, b) != (0, 0)
                )
                if cells[i][j] == 1:
                    new[i][j] = 1 if alive in (2, 3) else 0
                else:
                    new[i][j] = int(alive == 3)
        cells = new
        heat = heat * warm + sum(map(sum, cells))
    return heat


def interpolate_table(xs, ys, x):
    i = bisect.bisect_right(xs, x) - 1
    i = max(0, min(i, len(xs) - 2))
    w = (x - xs[i]) / (xs[i + 1] - xs[i])
    return ys[i] * (1 - w) + ys[i + 1] * w


def union_find(edges, n, weight):
    parent = list(range(n))

    def find(a):
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        return a

    total = 0.0
    for w, a, b in sorted(edges):
        ra, rb = find(a), find(b)
        if ra != rb:
            parent[ra] = rb
            total += w * weight
    return total


def topological(tasks, times):
    done = {}
    pending = list(tasks)
    while pending:
        for name in list(pending):
            needs = tasks[name]
            if all(n in done for n in needs):
                done[name] = times[name] + max((done[n] for n in needs), default=0.0)
                pending.remove(name)
    return max(done.values())


def pendulum_phase(theta, steps):
    phases = {"left": 0, "right": 0}
    omega = 0.0
    for _ in range(steps):
        omega -= 0.1 * math.sin(theta)
        theta += 0.1 * omega
        phases["left" if theta < 0 else "right"] += 1
    return theta * phases["left"] + omega * phases["right"]


def ring_buffer(xs, size):
    buffer = deque(maxlen=size)
    out = []
    for x in xs:
        buffer.append(x)
        out.append(sum(buffer) / len(buffer))
    return out


def monte_carlo(mu, sigma, seed):
    rng = random.Random(seed)
    draws = [rng.gauss(0, 1) for _ in range(50)]
    return sum(max(mu + sigma * z, 0.0) for z in draws) / len(draws)


def turtle(program, length):
    x = y = 0.0
    heading = 0.0
    stack = []
    for ch in program:
        if ch == "F":
            x += length * math.cos(heading)
            y += length * math.sin(heading)
        elif ch == "+":
            heading += math.pi / 7
        elif ch == "-":
            heading -= math.pi / 7
        elif ch == "[":
            stack.append((x, y, heading))
        elif ch == "]":
            x, y, heading = stack.pop()
    return math.hypot(x, y)


def two_pointers(xs, target):
    xs = sorted(xs)
    i, j = 0, len(xs) - 1
    best = None
    while i < j:
        s = xs[i] + xs[j]
        if best is None or abs(s - target) < abs(best - target):
            best = s
        if s < target:
            i += 1
        else:
            j -= 1
    return best


def annealing_schedule(energy, temperature):
    accepted, e = 0, energy
    for k in range(1, 20):
        t = temperature / k
        proposal = e * (1 + 0.3 * math.sin(k))
        if proposal < e or math.exp((e - proposal) / t) > 0.5:
            e = proposal
            accepted += 1
    return e


CASES = [
    (thermostat, (15.0, 0.8, 40)),
    (parse_sum, ("12 + 3.5 - x", 2.0)),
    (bfs_cost, (["..#", "#..", "#.."], 1.5)),
    (dijkstra, ([(0, 1, 4.0), (1, 2, 1.0), (0, 2, 6.0)], 3, 1.5)),
    (bouncing_ball, (1.0, 0.8)),
    (queue_waiting, ([0.0, 1.0, 1.5], [2.0, 1.0, 1.0])),
    (vending, (["quarter", "dime", 1.0, "button"], 0.5)),
    (lotka_volterra, ((1.1, 0.4, 0.4, 0.1), 10.0, 5.0, 0.01, 20)),
    (kalman, ([1.0, 2.0, 1.5], 0.1, 0.5)),
    (event_simulation, (1.3, 3.0)),
    (game_of_life_heat, ([[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]], 0.5)),
    (interpolate_table, ([0.0, 1.0, 2.0], [1.0, 3.0, 2.0], 1.3)),
    (union_find, ([(1.0, 0, 1), (2.0, 1, 2), (3.0, 0, 2)], 3, 1.5)),
    (topological, ({"a": [], "b": ["a"], "c": ["a", "b"]}, {"a": 1.0, "b": 2.0, "c": 0.5})),
    (pendulum_phase, (0.5, 30)),
    (ring_buffer, ([1.0, 2.0, 4.0, 8.0], 2)),
    (monte_carlo, (0.1, 0.5, 7)),
    (turtle, ("F+F[-F]F", 1.5)),
    (two_pointers, ([4.0, 1.0, 7.0, 2.0], 8.0)),
    (annealing_schedule, (3.0, 2.0)),
]
