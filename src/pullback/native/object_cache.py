"""The cache of compiled objects on disk.

A file is one line (the format, the digest of all that follows and of the file's own name, the
number of bytes of the object) and the object. A file that is empty, cut off, changed, of another
format or no regular file is ignored; the object is compiled anew and replaces the file, if the
folder allows it. A cache that cannot be read or written is no reason to fail. A file gets its name
when it is complete, so processes that compile the same code at the same time do not disturb each
other.

What is read from here is run, so the folder and the file have to be the user's own, and nobody else
may write to them. Files that have not been used for the longest time go first when there are too
many bytes."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

MAGIC = b"pullback object 1\n"
_DIGEST, _LENGTH = 32, 8
_HEAD = len(MAGIC) + _DIGEST + _LENGTH

MOST_BYTES = 1 << 28
"""How much is kept."""
_EVERY = 64
"""So many files are written by a process between two looks at how much there is."""
_ABANDONED = 3600.0
"""Seconds after which an incomplete file belongs to a process that was killed."""

_NO_HOME = Path("~")
_SAFE: dict[Path, bool] = {}
_warned: set[Path] = set()
_writes = 0


def _by_environment() -> str | None:
    return None


_chosen: Callable[[], str | None] = _by_environment


def let_choose(folder: Callable[[], str | None]) -> None:
    """Note who says in which folder code is kept; None from there: the environment says it."""
    global _chosen
    _chosen = folder


def cached(parts: tuple[str, ...], compile_: Callable[[], bytes]) -> tuple[bytes, bool]:
    """Return the object for a text and a machine, and whether it came from disk."""
    if not usable():
        return compile_(), False
    key = digest(*parts)
    found = fetch(key)
    if found is not None:
        return found, True
    image = compile_()
    keep(key, image)
    return image, False


def digest(*parts: str) -> str:
    """Return the key of what these texts say together."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def usable() -> bool:
    """Whether anything is kept."""
    folder = cache_folder()
    return folder is not None and _safe(folder)


def fetch(key: str) -> bytes | None:
    """Return what is kept under a key."""
    folder = cache_folder()
    return _read(folder / f"{key}.o", key) if folder is not None and _safe(folder) else None


def keep(key: str, image: bytes) -> None:
    """Keep an object under a key, in place of what is there."""
    folder = cache_folder()
    if folder is not None and _safe(folder):
        with suppress(OSError):
            _write(folder / f"{key}.o", pack(key, image))
            _tidy(folder)


def cache_folder() -> Path | None:
    """Return the folder of the cache: the one that the user has set, that of ``PULLBACK_CACHE``, or
    the user's own cache folder; None: no cache (``PULLBACK_CACHE=0``, or no home)."""
    setting = os.environ.get("PULLBACK_CACHE", "")
    if setting == "0":
        return None
    configured = _chosen()
    if configured is not None:
        return Path(configured).absolute()
    if setting not in ("", "1"):
        return Path(setting).absolute()
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return (base if base.is_absolute() else Path.home() / ".cache") / "pullback"
    except RuntimeError:
        _warn(_NO_HOME, "there is no home folder")
        return None


def clear() -> int:
    """Remove all files of the cache. Return how many they were."""
    folder, removed = cache_folder(), 0
    if folder is not None and folder.is_dir() and _safe(folder):
        for path, _ in _files(folder):
            with suppress(OSError):
                path.unlink()
                removed += 1
    return removed


# --- whose it is ----------------------------------------------------------------------------------


def _own(status: os.stat_result) -> bool:
    """Whether a file is the user's own and nobody else may write to it."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _warn(folder: Path, why: str) -> None:
    """Warn once for a folder."""
    if folder not in _warned:
        _warned.add(folder)
        text = f"pullback: {why}, so compiled code is not kept; PULLBACK_CACHE=0 asks for no more"
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def _safe(folder: Path) -> bool:
    """Whether code may be read from a folder, which is made if it is not there."""
    if folder not in _SAFE:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = folder.stat()
        except (OSError, ValueError) as e:
            _SAFE[folder] = False
            _warn(folder, f"the folder {folder} cannot be used ({e})")
            return False
        _SAFE[folder] = stat.S_ISDIR(status.st_mode) and _own(status)
        if not _SAFE[folder]:
            _warn(folder, f"the folder {folder} is not a folder of yours alone")
    return _SAFE[folder]


# --- files ----------------------------------------------------------------------------------------


def pack(key: str, image: bytes) -> bytes:
    """Return the contents of a file."""
    rest = len(image).to_bytes(_LENGTH, "little") + image
    return MAGIC + hashlib.sha256(key.encode() + rest).digest() + rest


def unpack(key: str, data: bytes) -> bytes | None:
    """Return the object in the contents of a file; None if ``pack`` has not made them."""
    image = data[_HEAD:]
    return image if data == pack(key, image) else None


def _read(path: Path, key: str) -> bytes | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        with os.fdopen(handle, "rb") as f:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                return None
            if not _own(status):
                _warn(path.parent, f"the file {path} is not a file of yours alone")
                return None
            image = unpack(key, f.read())
    except OSError:
        return None
    if image is not None:
        with suppress(OSError):
            os.utime(path)  # it is the last one to go
    return image


def _write(path: Path, data: bytes) -> None:
    handle, scratch = tempfile.mkstemp(prefix=path.stem[:16], suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        os.replace(scratch, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(scratch)
        raise


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Iterate over the files of the cache, complete or not."""
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.name.endswith((".o", ".new")) and entry.is_file(follow_symlinks=False):
                    yield folder / entry.name, entry.stat(follow_symlinks=False)


def _tidy(folder: Path) -> None:
    """From time to time, remove what processes have left that were killed, and what has not been
    used for the longest time, until a quarter of the room is free again."""
    global _writes
    _writes += 1
    if _writes % _EVERY != 1:
        return
    now, kept = time.time(), list[tuple[float, int, Path]]()
    for path, status in _files(folder):
        if path.suffix == ".o":
            kept.append((status.st_mtime, status.st_size, path))
        elif now - status.st_mtime > _ABANDONED:
            with suppress(OSError):
                path.unlink()
    total = sum(size for _, size, _ in kept)
    if total <= MOST_BYTES:
        return
    for _, size, path in sorted(kept):
        if total <= MOST_BYTES * 3 // 4:
            break
        with suppress(OSError):
            path.unlink()
            total -= size
