"""The cache of compiled objects on disk, which ``PULLBACK_CACHE`` turns on.

A file is one line (the format, the digest of all that follows and of the file's own name, the
number of bytes of the object) and the object. A file that is empty, cut off, changed, of another
format or no regular file is ignored; the object is compiled anew and replaces the file, if the
folder allows it. A cache that cannot be read or written is no reason to fail. A file gets its name
when it is complete, so processes that compile the same code at the same time do not disturb each
other."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MAGIC = b"pullback object 1\n"
_DIGEST, _LENGTH = 32, 8
_HEAD = len(MAGIC) + _DIGEST + _LENGTH


def cached(parts: tuple[str, ...], compile_: Callable[[], bytes]) -> tuple[bytes, bool]:
    """Return the object for a text and a machine, and whether it came from disk."""
    folder = _folder()
    if folder is None:
        return compile_(), False
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    path = folder / f"{key}.o"
    image = _read(path, key)
    if image is not None:
        return image, True
    image = compile_()
    with suppress(OSError):
        _write(path, pack(key, image))
    return image, False


def _folder() -> Path | None:
    """Return the folder of the cache: that of ``PULLBACK_CACHE``, or the user's own cache folder if
    it is 1; None: no cache."""
    setting = os.environ.get("PULLBACK_CACHE", "")
    if setting in ("", "0"):
        return None
    if setting != "1":
        return Path(setting)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "pullback"
    except RuntimeError:  # this user has no home folder
        return None


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
        data = path.read_bytes()
    except OSError:
        return None
    return unpack(key, data)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(prefix=path.stem[:16], suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(data)
        os.replace(scratch, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(scratch)
        raise
