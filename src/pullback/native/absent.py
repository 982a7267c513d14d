"""Check that no global now hides a built-in name that a compiled program uses.

A program that calls ``sum`` was compiled for Python's own ``sum``; a global of this name may be
defined later. So an entry point looks for such globals at every call. In CPython before 3.14 a
dict has a version number that every change of the dict changes: as long as it is the number that
was seen last, the entry point looks nothing up."""

from __future__ import annotations

from collections.abc import Sequence

from pullback.native import pyabi

Names = dict[str, object]
Absent = Sequence[tuple[Names, str]]
"""Namespaces of modules, each with a name that it must not have."""

CHECK = "call i1 @pb_absent()"
"""The condition that none of the names is there."""


def _by_namespace(absent: Absent) -> list[tuple[Names, list[str]]]:
    found: dict[int, tuple[Names, list[str]]] = {}
    for names, name in absent:
        found.setdefault(id(names), (names, []))[1].append(name)
    return list(found.values())


def absent_symbols(absent: Absent) -> dict[str, int]:
    """Return the addresses that the text mentions; whoever links the text keeps ``absent`` alive.
    """
    out: dict[str, int] = {}
    for k, (names, keys) in enumerate(_by_namespace(absent)):
        out[f"pb_names_{k}"] = id(names)
        out |= {f"pb_name_{k}_{j}": id(key) for j, key in enumerate(keys)}
    return out


def absent_text(absent: Absent) -> str:
    """Return the text of ``pb_absent`` and of the functions that it calls."""
    spaces = _by_namespace(absent)
    if not spaces:
        return ""
    lines = [f"@{symbol} = external global i8" for symbol in absent_symbols(absent)]
    lines += ["declare i1 @pb_names(ptr, i64, ptr, ptr) nounwind cold"]
    for k, (_, keys) in enumerate(spaces):
        places = ", ".join(f"ptr @pb_name_{k}_{j}" for j in range(len(keys)))
        lines += [
            f"@pb_seen_{k} = internal global i64 0",
            f"@pb_keys_{k} = private constant [{len(keys)} x ptr] [{places}]",
        ]
    return "\n".join([*lines, *_quick([len(keys) for _, keys in spaces]), ""])


def _version(k: int) -> str:
    return f"load i64, ptr getelementptr (i8, ptr @pb_names_{k}, i64 {pyabi.DICT_VERSION})"


def _quick(counts: list[int]) -> list[str]:
    lines = ["define internal i1 @pb_absent() alwaysinline nounwind {"]
    for k, count in enumerate(counts):
        if pyabi.has_versions():
            lines += [
                f"  %now{k} = {_version(k)}, align 8",
                f"  %seen{k} = load i64, ptr @pb_seen_{k}, align 8",
                f"  %same{k} = icmp eq i64 %now{k}, %seen{k}",
                f"  br i1 %same{k}, label %next{k}, label %look{k}, !prof !6",
                f"look{k}:",
            ]
        lines += [
            f"  %ok{k} = call i1 @pb_names(ptr @pb_names_{k}, i64 {count}, ptr @pb_keys_{k}, "
            f"ptr @pb_seen_{k})",
            f"  br i1 %ok{k}, label %next{k}, label %there",
            f"next{k}:",
        ]
    return [*lines, "  ret i1 true", "there:", "  ret i1 false", "}"]


__all__ = ["CHECK", "Absent", "absent_symbols", "absent_text"]
