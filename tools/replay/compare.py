"""Compare two records, and report the differences in groups; those that are worse come first and
decide the exit status."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

Data = dict[str, Any]

SHOWN = 12
"""The number of items of a group that are listed by default."""

NOISE = 0.05
"""The fraction by which steps may grow in a program whose steps vary from run to run."""

LINES = 1.1
"""The factor from which on longer LLVM text is listed."""


class Report:
    """Lines in groups; ``worse`` counts differences that a change must not make."""

    def __init__(self, shown: int) -> None:
        self.lines: list[str] = []
        self.shown, self.worse = shown, 0

    def group(self, title: str, found: list[str], worse: bool = False) -> None:
        """Add a group, if it has any lines."""
        if not found:
            return
        self.worse += len(found) if worse else 0
        self.lines.append(f"{'WORSE: ' if worse else ''}{title}: {len(found)}")
        self.lines += [f"  {line}" for line in found[: self.shown]]
        if len(found) > self.shown:
            self.lines.append(f"  ... and {len(found) - self.shown} more (--all)")


def compare(old: Data, new: Data, shown: int = SHOWN) -> Report:
    """Return the report on two records."""
    report = Report(shown)
    report.group("differs between two orders of compilation", new["orders"], worse=True)
    refusals(report, old, new)
    steps(report, old, new)
    ends(report, old, new)
    counts(report, old, new)
    if not report.lines:
        report.lines.append("nothing differs")
    pairs = [(x["seconds"], y["seconds"]) for *_, x, y in compiled(old, new)]
    before, after = (sum(p[k] for p in pairs) for k in (0, 1))
    report.lines.append(f"seconds of Python for {len(pairs)} compilations: "
                        f"{before:.1f} before, {after:.1f} now")  # fmt: skip
    return report


def both(old: Data, new: Data) -> Iterator[tuple[str, str, Data, Data]]:
    """Iterate over the programs and methods that both records have."""
    for name, methods in new["programs"].items():
        for method, after in methods.items():
            before = old["programs"].get(name, {}).get(method)
            if before is not None:
                yield name, method, before, after


def compiled(old: Data, new: Data) -> Iterator[tuple[str, str, Data, Data]]:
    """Iterate over those of them that both compile."""
    return (x for x in both(old, new) if "error" not in x[2] and "error" not in x[3])


# --- refusals -------------------------------------------------------------------------------------


def refusals(report: Report, old: Data, new: Data) -> None:
    """Report programs of the corpus and of the tests that are refused in one record only, or with
    another text."""
    newly, gone, texts = [], [], []
    for name, method, before, after in both(old, new):
        was, now = before.get("error"), after.get("error")
        if was is None and now is not None:
            newly.append(f"{name} ({method}): {indented(now)}")
        elif was is not None and now is None:
            gone.append(f"{name} ({method}): {indented(was)}")
        elif was != now:
            texts.append(f"{name} ({method}): {indented(was)}\n  is now: {indented(now)}")
    for test in [t for t in new["refusals"] if t in old["refusals"]]:
        was, now = old["refusals"][test], new["refusals"][test]
        lost, won = [t for t in was if t not in now], [t for t in now if t not in was]
        for k in range(max(len(lost), len(won))):
            if k >= len(lost):
                newly.append(f"{test}: {indented(won[k])}")
            elif k >= len(won):
                gone.append(f"{test}: {indented(lost[k])}")
            else:
                texts.append(f"{test}: {indented(lost[k])}\n  is now: {indented(won[k])}")
    report.group("refused now, and not before", newly, worse=True)
    report.group("refused before, and not now", gone)
    report.group("refused with another text or place", texts)
    for title, one, two in (("now", new, old), ("before", old, new)):
        files = {t.split("::")[0] for t in two["refusals"]}  # records may have a few files only
        only = [t for t in one["refusals"]
                if t not in two["refusals"] and t.split("::")[0] in files]  # fmt: skip
        report.group(f"tests that only ran {title} (not compared)", only)
        report.group(f"test files that could not be imported {title}",
                     [f"{k}: {indented(v)}" for k, v in one["missing"].items()])  # fmt: skip
        names = [p for p in one["programs"] if p not in two["programs"]]
        if title == "now" or len(two["programs"]) > len(names):
            report.group(f"programs that are only there {title} (not compared)", names)


def indented(text: str | None) -> str:
    """Indent a text of several lines inside a group."""
    return (text or "").replace("\n", "\n      ")


# --- what is compiled -----------------------------------------------------------------------------


def steps(report: Report, old: Data, new: Data) -> None:
    """Report programs that take more steps of the evaluator, or fewer."""
    more: list[tuple[float, str]] = []
    fewer: list[tuple[float, str]] = []
    errors = []
    for name, method, before, after in compiled(old, new):
        vary = varying(old["programs"][name]) or varying(new["programs"][name])
        for was, now in zip(before.get("steps", []), after.get("steps", []), strict=False):
            line = f"{name} ({method}): {was} -> {now}"
            if isinstance(was, str) or isinstance(now, str):
                if was != now:
                    errors.append(line)
                continue
            factor = lowest(now) / lowest(was)
            if factor > 1.0 + (NOISE if vary else 0.0):
                more.append((factor, f"{line} ({factor:.3f})"))
            elif factor < 1.0 - (NOISE if vary else 0.0):
                fewer.append((factor, f"{line} ({factor:.3f})"))
    report.group("more steps", [line for _, line in sorted(more, reverse=True)], worse=True)
    report.group("fewer steps", [line for _, line in sorted(fewer)])
    report.group("another outcome of the evaluator", errors, worse=True)


def lowest(steps: int | list[int]) -> int:
    """Return the fewest of several counts."""
    return min(steps) if isinstance(steps, list) else steps


def varying(program: Data) -> bool:
    """Whether the steps of a program vary from run to run."""
    return any(isinstance(x, list) for data in program.values() for x in data.get("steps", []))


def first_change(before: Data, after: Data, method: str) -> str:
    """Return the first stage whose program differs from the one before. If stages came or went, it
    is the first whose program does not occur in the old record."""
    was, now = (whole(x, method) for x in (before, after))
    if len(was) == len(now):
        other = (k for k in range(len(now)) if now[k][1] != was[k][1])
    else:
        known = {d for _, d in was}
        other = (k for k in range(len(now)) if now[k][1] not in known)
    k = next(other, None)
    if k is None:
        return "the order of the stages"
    if now[k][0] == "in":
        return "front end" if k == 0 else "the derivative, or what it is of"
    return now[k][0]


def whole(program: Data, method: str) -> list[list[str]]:
    """Return the stages of a method, with those that it shares with the function."""
    own: list[list[str]] = program[method]["stages"]
    shared: list[list[str]] = program["function"].get("stages", [])
    if [name for name, _ in own[:2]] == [name for name, _ in shared[:2]]:
        return own
    return [*shared, *own]


def ends(report: Report, old: Data, new: Data) -> None:
    """Report programs whose last form differs, by the first stage that differs."""
    groups: dict[str, list[str]] = defaultdict(list)
    between = []
    for name, method, before, after in compiled(old, new):
        last = [x["stages"][-1][1:] if x["stages"] else [] for x in (before, after)]
        unlike = [k for k in ("loop", "llvm") if before[k] != after[k]]
        core = last[0] != last[1]
        if core or unlike:
            programs = old["programs"][name], new["programs"][name]
            stage = first_change(*programs, method) if core else "lowering"
            stage = "LLVM text" if unlike == ["llvm"] and not core else stage
            what = ", ".join([*(["Core"] if core else []), *unlike])
            groups[stage].append(f"{name} ({method}): {what}")
        elif {d for _, d in before["stages"]} != {d for _, d in after["stages"]}:
            between.append(f"{name} ({method})")
    for stage, found in groups.items():
        report.group(f"differs at the end, first at: {stage}", found)
    report.group("differs in between, and is the same at the end", between)
    if old["programs"].keys() != new["programs"].keys():
        return  # conversions belong to all programs
    gone, won = ({*a["conversions"]} - {*b["conversions"]} for a, b in ((old, new), (new, old)))
    report.group("conversions of data that are gone", sorted(gone))
    report.group("conversions of data that are new", sorted(won))


def counts(report: Report, old: Data, new: Data) -> None:
    """Report nodes of the last Core, and instructions of loop code: in all, and by program."""
    total: Counter[str] = Counter()
    programs: dict[str, list[str]] = defaultdict(list)
    lines = []
    for name, method, before, after in compiled(old, new):
        for key in ("nodes", "instructions"):
            for node in {*before[key], *after[key]}:
                was, now = before[key].get(node, 0), after[key].get(node, 0)
                if was != now:
                    total[node] += now - was
                    programs[node].append(f"{name} ({method}): {was} -> {now}")
        if after["lines"] > LINES * before["lines"]:
            lines.append(f"{name} ({method}): {before['lines']} -> {after['lines']}")
    for node in sorted(programs):
        report.group(f"{node} {total[node]:+d} in all", programs[node])
    report.group("LLVM text that is longer by a tenth", lines)
