"""Imports that find a module of Pullback where it was before, or is after, a move.

The tests and this tool are of one revision, the compiler may be of another one. A module that is
not where it is looked for is searched for by its file name, then by ``RENAMED``.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

PACKAGE = "pullback"

RENAMED: tuple[tuple[str, str], ...] = ()
"""Pairs of names of one module, before and after it was renamed, from ``pullback.`` on."""


class _Known(Loader):
    """Gives a module that is there already, under one more name."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


class Moved(MetaPathFinder):
    """Finds a moved module in the sources ``src``. A folder of ``other``, another source tree,
    that is missing in ``src`` is an empty package."""

    def __init__(self, src: Path, other: Path) -> None:
        self.src, self.other = src, other

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The place of a module that the usual finders did not find."""
        if not name.startswith(f"{PACKAGE}."):
            return None
        home = self.elsewhere(name)
        if home is not None:
            return ModuleSpec(name, _Known(importlib.import_module(home)))
        if (self.other / name.replace(".", "/")).is_dir():
            return ModuleSpec(name, None, is_package=True)
        return None

    def elsewhere(self, name: str) -> str | None:
        """The name of the only module that may be meant."""
        for pair in RENAMED:
            for one, two in (pair, pair[::-1]):
                if name == one and self.file(two).exists():
                    return two
        last = name.rpartition(".")[2]
        files = sorted((self.src / PACKAGE).rglob(f"{last}.py"))
        if len(files) > 1:  # the one in the same top folder, if there is one
            top = name.split(".")[1]
            files = [f for f in files if f.relative_to(self.src).parts[1] == top]
        return module_name(self.src, files[0]) if len(files) == 1 else None

    def file(self, name: str) -> Path:
        """The file in which a module would be."""
        return self.src / (name.replace(".", "/") + ".py")


def module_name(src: Path, file: Path) -> str:
    """The name by which a file is imported."""
    return ".".join(file.relative_to(src).with_suffix("").parts)


def install(src: Path, other: Path) -> None:
    """Import Pullback from ``src``, also by the names that its modules have in ``other``."""
    sys.path.insert(0, str(src))
    sys.meta_path.append(Moved(src, other))


def locate(src: Path, module: str, name: str) -> object:
    """A global name: that of the module, or that of the only other module that defines it."""
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        texts = {f: f.read_text() for f in (src / PACKAGE).rglob("*.py")}
        for pattern in (rf"^(?:def|class) {name}\b", rf"^{name}\b.*="):
            files = [f for f, text in texts.items() if re.search(pattern, text, re.MULTILINE)]
            if files:
                break
        if len(files) != 1:
            raise LookupError(f"{name} of {module} is in {len(files)} modules") from None
        return getattr(importlib.import_module(module_name(src, files[0])), name)


def replace_everywhere(old: object, new: object) -> None:
    """Replace a global of Pullback in every module that has it."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == PACKAGE:
            for key in [k for k, v in vars(module).items() if v is old]:
                setattr(module, key, new)
