"""Measure a gradient over shards with 1, 2 and 4 processes: ``python -m tools.scaling_picture``.

The same 16 shards by Dask, by MPI, and by processes that do not talk to each other, each with one
thread: the last are what the machine allows. The picture and the table of the page about neighbours
are written. It needs Dask, mpi4py with ``mpiexec`` and matplotlib.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import pullback as pb

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "scaling.png"
PAGE = ROOT / "docs" / "guide" / "neighbours.md"
MARKS = "<!-- scaling: tools/scaling_picture.py -->", "<!-- end of scaling -->"
COUNTS = (1, 2, 4)
SHARDS, ROWS, ROUNDS, CALLS = 16, 40_000, 60, 25
WAIT = 300.0
WAYS = {"apart": "processes that do not talk", "mpi": "MPI", "dask": "Dask"}
COLOURS = {"apart": "#8a8f98", "mpi": "#0a7d91", "dask": "#b3501b"}
P = {"w": np.array([0.1, 0.2, 0.3]), "b": 0.5}


def loss(p: Any, x: Any, y: Any) -> Any:
    z = x @ p["w"]
    for _ in range(ROUNDS):
        z = np.tanh(z + p["b"])
    return np.sum((z - y) ** 2)


def shard(k: int, rows: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(k)
    return rng.normal(size=(rows, 3)), rng.normal(size=rows)


def best(run: Callable[[], object], wait: Callable[[], object] = lambda: None) -> float:
    """The seconds of the fastest of some calls; ``wait`` lets all processes begin together."""
    found = []
    for _ in range(CALLS):
        wait()
        start = perf_counter()
        run()
        found.append(perf_counter() - start)
    return min(found)


# --- the three ways -------------------------------------------------------------------------------


def by_dask(workers: int, rows: int) -> float:
    import dask
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, processes=True
    ) as cluster, Client(cluster) as client:
        client.wait_for_workers(workers, timeout=WAIT)
        parts = [client.submit(shard, k, rows).result(WAIT) for k in range(SHARDS)]
        xs, ys = ([client.scatter(part[i]) for part in parts] for i in (0, 1))
        call = pb.interop.dask.value_and_grad(loss, client)
        held = [[dask.delayed(x) for x in xs], [dask.delayed(y) for y in ys]]
        call(P, *held)
        return best(lambda: call(P, *held))


def by_mpi(processes: int, rows: int) -> float:
    words = [sys.executable, "-m", "tools.scaling_picture", "--rank", str(rows)]
    done = subprocess.run(
        [sys.executable, "-m", "mpiexec", "-n", str(processes), *words],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=WAIT,
    )  # fmt: skip
    return float(done.stdout)


def rank(rows: int) -> None:
    """One process of MPI: the first one prints the seconds."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    own = [shard(k, rows) for k in range(SHARDS) if k * comm.size // SHARDS == comm.rank]
    xs, ys = [x for x, _ in own], [y for _, y in own]
    call = pb.interop.mpi.value_and_grad(loss, comm)
    call(P, xs, ys)
    seconds = best(lambda: call(P, xs, ys), comm.Barrier)
    if comm.rank == 0:
        print(seconds)


def by_apart(processes: int, rows: int) -> float:
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(processes, timeout=WAIT), context.Queue()
    made = [context.Process(target=apart, args=(k, processes, rows, barrier, answers))
            for k in range(processes)]  # fmt: skip
    for process in made:
        process.start()
    times = [answers.get(timeout=WAIT) for _ in made]
    for process in made:
        process.join(WAIT)
    return float(min(map(max, zip(*times, strict=True))))


def apart(number: int, processes: int, rows: int, barrier: Any, answers: Any) -> None:
    """One of the processes that do not talk: its share of the shards, when all are ready."""
    own = [shard(k, rows) for k in range(SHARDS) if k * processes // SHARDS == number]
    call, times = pb.value_and_grad(loss), []
    call(P, *own[0])
    for _ in range(CALLS):
        barrier.wait(WAIT)
        start = perf_counter()
        for x, y in own:
            call(P, x, y)
        times.append(perf_counter() - start)
    answers.put(times)


# --- the page -------------------------------------------------------------------------------------

RUNS: dict[str, Callable[[int, int], float]] = {"apart": by_apart, "mpi": by_mpi, "dask": by_dask}


def measured() -> dict[str, Any]:
    """The seconds of each way and number of processes, with work and with next to none."""
    load = os.getloadavg()[0]
    work = {way: [run(n, ROWS) for n in COUNTS] for way, run in RUNS.items()}
    none = {way: [RUNS[way](n, 10) for n in COUNTS] for way in ("mpi", "dask")}
    return {"work": work, "none": none, "cores": len(os.sched_getaffinity(0)),
            "load": load, "after": os.getloadavg()[0],
            "machine": platform.machine()}  # fmt: skip


def table(found: dict[str, Any]) -> str:
    """The figures as a table of the page."""
    lines = ["| | " + " | ".join(f"{n} process" + "es" * (n > 1) for n in COUNTS) + " |",
             "|---|" + "---|" * len(COUNTS)]  # fmt: skip
    for way, times in found["work"].items():
        cells = " | ".join(f"{1e3 * t:.0f} ms ({times[0] / t:.2f})" for t in times)
        lines.append(f"| {WAYS[way]} | {cells} |")
    for way, times in found["none"].items():
        cells = " | ".join(f"{1e3 * t:.1f} ms" for t in times)
        lines.append(f"| {WAYS[way]}, shards of ten rows | {cells} |")
    return "\n".join(lines)


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw the speed-up against the number of processes, beside what the cores allow."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.6), facecolor="#ffffff", layout="constrained")
    cores = found["cores"]
    axes.plot(COUNTS, [min(n, cores) for n in COUNTS], ":", color="#3c3f44", linewidth=1.2,
              label=f"as many as there are cores ({cores})")  # fmt: skip
    for way, times in found["work"].items():
        axes.plot(COUNTS, [times[0] / t for t in times], "o-", color=COLOURS[way], label=WAYS[way])
    axes.set(xlabel="processes", ylabel="times as fast as one", xticks=COUNTS, ylim=(0.0, 2.4))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right", fontsize=9)
    figure.savefig(path, dpi=140)


def write(found: dict[str, Any]) -> None:
    """Write the picture and the table between the marks of the page."""
    draw(found, PICTURE)
    begin, end = MARKS
    said = (
        f"One gradient over {SHARDS} shards of {ROWS:,} rows, {ROUNDS} layers, the best of {CALLS} "
        f"calls, with one thread in each process, on {found['cores']} cores ({found['machine']}; "
        f"the load average was {found['load']:.1f} before, {found['after']:.1f} after). In "
        "brackets: how many times as fast as one process."
    )
    text = PAGE.read_text()
    new = f"{begin}\n{said}\n\n{table(found)}\n{end}"
    PAGE.write_text(re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: new, text,
                           flags=re.S))  # fmt: skip


def main() -> None:
    os.environ["PULLBACK_THREADS"] = "1"
    if "--rank" in sys.argv:
        rank(int(sys.argv[-1]))
    else:
        found = measured()
        print(json.dumps(found))
        write(found)


if __name__ == "__main__":
    main()
