"""Say what is missing for a release: ``make release-check``.

The version stands in one place (``pullback.__version__``); the changelog must have a dated section
for it and its form must be right, the tag ``v0.2.0`` must be new and name it, and the wheel and the
source distribution must install and run (``tools.package``).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from pullback import __version__
from tools import package

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")
SECTION = re.compile(r"^## \[([^]]+)\](?: - (\S+))?$", re.M)
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Faster")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
FIGURE = re.compile(r"\d[\d.,]*\s?(ns|µs|ms|s|MiB|seconds)\b")


def changelog_faults(text: str) -> list[str]:
    """Return what is not in the form of Keep a Changelog."""
    found = []
    for line in text.splitlines():
        if line.startswith("## ") and not SECTION.fullmatch(line):
            found.append(f"no heading of a version: {line}")
        if line.startswith("### ") and line[4:] not in KINDS:
            found.append(f"no kind of change: {line}")
        if line.startswith(("- ", "  ")) and FIGURE.search(line):
            found.append(f"a figure, for docs/BENCHMARKS.md: {line[:60]}")
        if line.startswith("- ") and len(line) > 220:
            found.append(f"more than news: {line[:60]}")
    versions = [version for version, _ in SECTION.findall(text)]
    return found + [f"twice: {v}" for v in sorted({*versions}) if versions.count(v) > 1]


def version_faults(version: str, text: str, tags: list[str]) -> list[str]:
    """Return what keeps a version from being released."""
    found = []
    if not VERSION.fullmatch(version):
        found.append(f"{version} is no version of the form 0.2.0")
    dates = dict(SECTION.findall(text))
    if version not in dates:
        found.append(f"CHANGELOG.md has no section [{version}]")
    elif not DATE.fullmatch(dates[version]):
        found.append(f"the section [{version}] of CHANGELOG.md has no date")
    if f"v{version}" in tags:
        found.append(f"the tag v{version} is there already")
    return found + [f"the tag {t} is not of the form v0.2.0" for t in tags
                    if not (t.startswith("v") and VERSION.fullmatch(t[1:]))]  # fmt: skip


def project_faults(text: str) -> list[str]:
    """Return what is wrong with the version in pyproject.toml."""
    project = tomllib.loads(text)["project"]
    said = "version" in project or "version" not in project.get("dynamic", ())
    return ["pyproject.toml says a version of its own"] if said else []


def faults() -> list[str]:
    """Return all that is missing, but for the packages."""
    log = (ROOT / "CHANGELOG.md").read_text()
    done = subprocess.run(["git", "tag"], cwd=ROOT, capture_output=True, text=True, check=False,
                          timeout=60)  # fmt: skip
    found = project_faults((ROOT / "pyproject.toml").read_text()) + changelog_faults(log)
    return found + version_faults(__version__, log, done.stdout.split())


def main() -> int:
    """Print what is missing, and try the packages; 1 if something is."""
    found = faults()
    for fault in found:
        print("missing:", fault)
    package.main()
    if not found:
        print(f"ready: git tag -a v{__version__}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
