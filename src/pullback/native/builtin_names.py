"""Names that were built-in ones when a program was compiled: is there a global of this name now?

An entry point asks at every call. In CPython before 3.14 a dict has a version, which every change
of it changes: where it is the one that was seen last, nothing is looked up."""

from __future__ import annotations

from collections.abc import Sequence

from pullback.native import pyabi

Names = dict[str, object]
Absent = Sequence[tuple[Names, str]]
"""Namespaces of modules, and names that they must not have."""

CHECK = "call i1 @pb_absent()"
"""Whether none of the names is there."""


def _by_namespace(absent: Absent) -> list[tuple[Names, list[str]]]:
    found: dict[int, tuple[Names, list[str]]] = {}
    for names, name in absent:
        found.setdefault(id(names), (names, []))[1].append(name)
    return list(found.values())


def absent_symbols(absent: Absent) -> dict[str, int]:
    """The addresses that the text mentions; who links it keeps ``absent`` alive."""
    out: dict[str, int] = {}
    for k, (names, keys) in enumerate(_by_namespace(absent)):
        out[f"pb_names_{k}"] = id(names)
        out |= {f"pb_name_{k}_{j}": id(key) for j, key in enumerate(keys)}
    return out


def absent_text(absent: Absent) -> str:
    """``pb_absent``, and what it calls."""
    spaces = _by_namespace(absent)
    if not spaces:
        return ""
    lines = [f"@{symbol} = external global i8" for symbol in absent_symbols(absent)]
    lines += ["declare i32 @PyDict_Contains(ptr, ptr)", "declare void @PyErr_Clear()"]
    for k, (_, keys) in enumerate(spaces):
        lines += [f"@pb_seen_{k} = internal global i64 0", *_look(k, len(keys))]
    return "\n".join([*lines, *_quick(len(spaces)), ""])


def _version(k: int) -> str:
    return f"load i64, ptr getelementptr (i8, ptr @pb_names_{k}, i64 {pyabi.DICT_VERSION})"


def _quick(count: int) -> list[str]:
    lines = ["define internal i1 @pb_absent() alwaysinline nounwind {"]
    for k in range(count):
        if pyabi.has_versions():
            lines += [
                f"  %now{k} = {_version(k)}, align 8",
                f"  %seen{k} = load i64, ptr @pb_seen_{k}, align 8",
                f"  %same{k} = icmp eq i64 %now{k}, %seen{k}",
                f"  br i1 %same{k}, label %next{k}, label %look{k}, !prof !6",
                f"look{k}:",
            ]
        lines += [
            f"  %ok{k} = call i1 @pb_look_{k}()",
            f"  br i1 %ok{k}, label %next{k}, label %there",
            f"next{k}:",
        ]
    return [*lines, "  ret i1 true", "there:", "  ret i1 false", "}"]


def _look(k: int, count: int) -> list[str]:
    lines = [f"define internal i1 @pb_look_{k}() noinline cold nounwind {{",
             f"  %now = {_version(k)}, align 8"]  # fmt: skip
    for j in range(count):
        lines += [
            f"  %c{j} = call i32 @PyDict_Contains(ptr @pb_names_{k}, ptr @pb_name_{k}_{j})",
            f"  %no{j} = icmp eq i32 %c{j}, 0",
            f"  br i1 %no{j}, label %next{j}, label %there",
            f"next{j}:",
        ]
    return [
        *lines, f"  store i64 %now, ptr @pb_seen_{k}, align 8", "  ret i1 true",
        "there:", "  call void @PyErr_Clear()", "  ret i1 false", "}",
    ]  # fmt: skip


__all__ = ["CHECK", "Absent", "absent_symbols", "absent_text"]
