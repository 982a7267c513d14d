"""The cache of objects on disk: what is not a whole object of this format is compiled anew."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from pullback.native import EntrySignature, PyFloat, compile_module
from pullback.native.compile import runtime_symbols
from pullback.native.object_cache import MAGIC, cached, pack, unpack
from tests.native.code import Code, F, Reg, f64, function, module

PARTS = ("text", "machine")
IMAGE = bytes(range(256)) * 4


def forbidden() -> bytes:
    raise AssertionError("compiled")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    runtime_symbols()  # has an object too
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path))
    return tmp_path


def test_an_object_comes_from_disk(folder: Path) -> None:
    assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    assert cached(PARTS, forbidden) == (IMAGE, True)
    assert cached(("another text", "machine"), lambda: b"other") == (b"other", False)
    assert sorted(p.suffix for p in folder.iterdir()) == [".o", ".o"]


def test_no_cache_unless_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in ("", "0"):
        monkeypatch.setenv("PULLBACK_CACHE", setting)
        assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
        assert cached(PARTS, lambda: b"new") == (b"new", False)
    assert not list(folder.iterdir())


def test_every_part_of_a_file_is_no_file() -> None:
    whole = pack("key", IMAGE)
    assert unpack("key", whole) == IMAGE
    assert unpack("other", whole) is None
    assert unpack("key", whole + b"\0") is None
    assert not any(unpack("key", whole[:n]) is not None for n in range(len(whole)))
    assert not any(unpack("key", whole[n:]) is not None for n in range(1, len(whole)))


def test_every_changed_bit_is_seen() -> None:
    whole = pack("key", IMAGE)
    for at in range(8 * len(whole)):
        changed = bytearray(whole)
        changed[at // 8] ^= 1 << at % 8
        assert unpack("key", bytes(changed)) is None


def flipped(data: bytes) -> bytes:
    at = random.Random(7).randrange(len(MAGIC), len(data))
    return data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :]


SPOILED: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "truncated": lambda data: data[: len(data) // 2],
    "flipped": flipped,
    "of another version": lambda data: data.replace(b"object 1", b"object 0", 1),
    "an object alone": lambda data: data[len(MAGIC) + 40 :],
    "of zeros": lambda data: bytes(len(data)),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_bad_file_is_replaced(folder: Path, how: str) -> None:
    def compiled() -> tuple[float, bool]:
        def body(c: Code, x: Reg) -> tuple[Reg]:
            return (c.op("mul", x, f64(1.0 + len(how))),)

        entry = compile_module(
            module(function("main", (F,), body)), EntrySignature((PyFloat(),), PyFloat())
        )
        return entry.call(2.0), entry.module.timing.cached

    expected = 2.0 * (1.0 + len(how))
    assert compiled() == (expected, False)
    (path,) = folder.glob("*.o")
    path.write_bytes(SPOILED[how](path.read_bytes()))
    assert compiled() == (expected, False)
    assert compiled() == (expected, True)
    assert [path] == list(folder.iterdir())


def test_a_folder_in_the_place_of_a_file(folder: Path) -> None:
    cached(PARTS, lambda: IMAGE)
    (path,) = folder.iterdir()
    path.unlink()
    path.mkdir()
    assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    assert [path] == list(folder.iterdir())


def test_a_folder_that_cannot_be_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").write_text("")
    (folder / "closed").mkdir(mode=0o000)
    (folder / "read only").mkdir(mode=0o500)
    (folder / "loop").symlink_to("loop")
    long = "x" * 300
    for name in ("file", "file/below", "closed", "read only", "read only/below", "loop", long):
        monkeypatch.setenv("PULLBACK_CACHE", str(folder / name))
        assert cached((name, "machine"), lambda: IMAGE)[0] == IMAGE
        assert cached((name, "machine"), lambda: IMAGE)[0] == IMAGE
    monkeypatch.setenv("PULLBACK_CACHE", "/proc/pullback")
    assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)


def test_an_interrupt_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(old: str, new: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            cached(PARTS, lambda: IMAGE)
    assert not list(folder.iterdir())
    assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)


def test_processes_at_the_same_time(folder: Path) -> None:
    image = os.urandom(1 << 16)

    def work() -> bool:
        for k in range(10):
            if cached((str(k),), lambda: image)[0] != image:
                return False
            for path in folder.glob("*.o"):  # a file with this name is whole
                if unpack(path.stem, path.read_bytes()) != image:
                    return False
        return True

    children = []
    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            try:
                os._exit(0 if work() else 1)
            finally:
                os._exit(2)
        children.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0, 0, 0]
    assert len(list(folder.iterdir())) == 10
