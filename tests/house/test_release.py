"""The version stands in one place, and the changelog has its form."""

from pathlib import Path

from tools import release

ROOT = Path(__file__).parents[2]


def test_the_changelog_is_news() -> None:
    assert release.changelog_faults((ROOT / "CHANGELOG.md").read_text()) == []


def test_the_version_stands_in_one_place() -> None:
    assert release.project_faults((ROOT / "pyproject.toml").read_text()) == []
    log = (ROOT / "CHANGELOG.md").read_text()
    assert release.version_faults(release.__version__, log, []) in (
        [], [f"the section [{release.__version__}] of CHANGELOG.md has no date"],
    )  # fmt: skip


def test_planted_violations_are_caught() -> None:
    log = "## 0.2\n## [0.1.0] - unreleased\n### Mended\n- it takes 3 µs\n- " + "x" * 300
    assert [fault.partition(":")[0] for fault in release.changelog_faults(log)] == [
        "no heading of a version", "no kind of change", "a figure, for docs/BENCHMARKS.md",
        "more than news",
    ]  # fmt: skip
    assert release.version_faults("0.1.0", log, ["v0.1.0", "first"]) == [
        "the section [0.1.0] of CHANGELOG.md has no date", "the tag v0.1.0 is there already",
        "the tag first is not of the form v0.2.0",
    ]  # fmt: skip
    assert release.version_faults("0.3", "## [0.2.0] - 2027-01-01", []) == [
        "0.3 is no version of the form 0.2.0", "CHANGELOG.md has no section [0.3]",
    ]  # fmt: skip
    assert release.project_faults('[project]\nname = "p"\nversion = "1.0.0"\n') != []
