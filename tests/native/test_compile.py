"""Objects: the cache on disk, unloading, compiling from threads."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest

from pullback.core.waiting import join
from pullback.native import EntrySignature, PyFloat, compile_module
from pullback.native.module import CompiledEntry
from tests.native.code import Code, F, Reg, f64, function, module


def compiled(factor: float) -> CompiledEntry:
    def body(c: Code, x: Reg) -> tuple[Reg]:
        return (c.op("exp", c.op("mul", x, f64(factor))),)

    f = function("main", (F,), body)
    return compile_module(module(f), EntrySignature((PyFloat(),), PyFloat()))


def test_objects_are_cached_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled(2.0)  # with the runtime, which a process compiles once
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path))
    first, again, other = compiled(0.0), compiled(0.0), compiled(1.0)
    assert [e.module.timing.cached for e in (first, again, other)] == [False, True, False]
    assert len(list(tmp_path.iterdir())) == 2
    assert first.call(3.0) == again.call(3.0) == 1.0 and other.call(0.0) == 1.0
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path / "file"))
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(RuntimeWarning, match="cannot be used"):
        assert compiled(2.0).call(0.0) == 1.0


def test_code_lives_as_long_as_its_builtin() -> None:
    call = compiled(0.5).call
    for k in range(30):
        compiled(float(k))
    gc.collect()
    assert call(0.0) == 1.0


def test_compiling_in_threads() -> None:
    got: list[object] = []
    threads = [
        threading.Thread(target=lambda k=k: got.append(compiled(0.1 * k).call(0.0)))
        for k in range(6)
    ]
    for t in threads:
        t.start()
    for t in threads:
        join(t)
    assert got == [1.0] * 6


def test_the_text_after_llvms_passes_can_be_seen() -> None:
    assert "@exp" in compiled(0.5).module.optimised()
