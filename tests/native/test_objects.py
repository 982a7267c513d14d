"""The cache of objects on disk: what is not a whole object of this format is compiled anew."""

from __future__ import annotations

import errno
import os
import random
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

import pytest

import pullback as pb
from pullback.core.waiting import child
from pullback.native import EntrySignature, PyFloat, compile_module, object_cache
from pullback.native.compile import runtime_symbols
from pullback.native.object_cache import MAGIC, cached, pack, unpack
from tests import campaign
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


def test_no_cache_if_none_is_wanted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULLBACK_CACHE", "0")
    monkeypatch.setattr(pb.config, "cache_dir", str(folder))
    assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    assert cached(PARTS, lambda: b"new") == (b"new", False)
    assert not list(folder.iterdir())


def test_the_folder_of_the_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "caches"))
    for setting in ("", "1"):
        monkeypatch.setenv("PULLBACK_CACHE", setting)
        cached((*PARTS, setting), lambda: IMAGE)
    own = folder / "caches" / "pullback"
    assert len(list(own.iterdir())) == 2
    assert own.stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr(pb.config, "cache_dir", str(folder / "chosen"))
    assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    assert cached(PARTS, forbidden) == (IMAGE, True)
    assert pb.clear_cache() == 1
    assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    assert len(list(own.iterdir())) == 2


def test_a_folder_of_others_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = folder / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("PULLBACK_CACHE", str(shared))
    with pytest.warns(RuntimeWarning, match="not a folder of yours alone"):
        assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it warns once
        assert cached(PARTS, lambda: b"new") == (b"new", False)
    assert not list(shared.iterdir())


def test_a_file_that_others_may_write(folder: Path) -> None:
    cached(PARTS, lambda: IMAGE)
    (path,) = folder.iterdir()
    path.chmod(0o666)
    with pytest.warns(RuntimeWarning, match="not a file of yours alone"):
        assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    assert path.stat().st_mode & 0o777 == 0o600
    assert cached(PARTS, forbidden) == (IMAGE, True)
    (folder / "elsewhere").write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(folder / "elsewhere")
    assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    assert not path.is_symlink()


def test_the_least_recently_used_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_cache, "_EVERY", 1)
    monkeypatch.setattr(object_cache, "_writes", 1)
    monkeypatch.setattr(object_cache, "MOST_BYTES", 10 * (len(IMAGE) + 100))
    for k in range(9):
        cached((str(k),), lambda: IMAGE)
        for path in folder.iterdir():
            status = path.stat()
            os.utime(path, (status.st_atime, status.st_mtime - 10.0))
    assert cached(("0",), forbidden)[1]  # used just now
    (folder / "killed.new").write_bytes(b"half")
    os.utime(folder / "killed.new", (0.0, 0.0))
    monkeypatch.setattr(object_cache, "_EVERY", 2)
    monkeypatch.setattr(object_cache, "_writes", 0)
    cached(("large",), lambda: IMAGE * 4)
    left = {k for k in range(9) if cached((str(k),), lambda: b"") == (IMAGE, True)}
    assert left and 0 in left and 1 not in left and 8 in left
    assert not (folder / "killed.new").exists()


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the administrator may use some of them
        for name in ("file", "file/below", "closed", "read only", "read only/below", "loop", long):
            monkeypatch.setenv("PULLBACK_CACHE", str(folder / name))
            assert cached((name, "machine"), lambda: IMAGE)[0] == IMAGE
            assert cached((name, "machine"), lambda: IMAGE)[0] == IMAGE
    monkeypatch.setenv("PULLBACK_CACHE", "/proc/pullback")
    monkeypatch.setattr(object_cache, "_SAFE", {})
    monkeypatch.setattr(object_cache, "_warned", set())
    with pytest.warns(RuntimeWarning, match="cannot be used") as seen:
        assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
        assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    assert len(seen) == 1


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative, so of no meaning")
    monkeypatch.setattr(Path, "home", unknown)
    monkeypatch.setattr(object_cache, "_warned", set())
    with pytest.warns(RuntimeWarning, match="no home folder") as seen:
        assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
        assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    assert len(seen) == 1


def test_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, mode: str) -> IO[bytes]:
        if mode == "wb":
            os.close(handle)
            raise OSError(errno.ENOSPC, "no space left")
        return open(handle, mode)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", full)
        assert cached(PARTS, lambda: IMAGE) == (IMAGE, False)
    assert not list(folder.iterdir())
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
    assert [child(pid) for pid in children] == [0, 0, 0]
    assert len(list(folder.iterdir())) == 10


def _writes_until_killed(folder: Path, image: bytes) -> None:
    chosen = random.Random(os.getpid())
    while True:
        name = str(chosen.randrange(20))
        if cached((name,), lambda: image)[0] != image:
            os._exit(1)
        if chosen.random() < 0.3:
            for path in folder.glob("*.o"):
                path.unlink(missing_ok=True)


def _started(folder: Path, image: bytes) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            _writes_until_killed(folder, image)
        finally:
            os._exit(1)
    return pid


def test_processes_that_are_killed(folder: Path) -> None:
    times = 1000 if campaign.full("kept") else 16
    image, chosen = os.urandom(1 << 17), random.Random(times)
    running = [_started(folder, image) for _ in range(8)]
    try:
        for _ in range(times):
            time.sleep(0.004 * chosen.random())
            pid = running.pop(chosen.randrange(len(running)))
            os.kill(pid, signal.SIGKILL)
            assert child(pid) == signal.SIGKILL
            for path in folder.glob("*.o"):
                with suppress(FileNotFoundError):
                    assert unpack(path.stem, path.read_bytes()) == image
            running.append(_started(folder, image))
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)
            child(pid)
    assert cached(PARTS, lambda: IMAGE)[0] == IMAGE
    assert cached(PARTS, forbidden) == (IMAGE, True)
