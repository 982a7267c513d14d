"""The command line. ``python -m pullback demo`` fits two Gaussian mixtures and draws the result;
``python -m pullback papers`` walks through the figures of the papers."""

import argparse
from pathlib import Path


def main() -> int:
    """Run the command line. Return the exit status."""
    parser = argparse.ArgumentParser(prog="pullback", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="fit Gaussian mixtures to real data and draw them")
    demo.add_argument(
        "--out", type=Path, default=Path("demo-output"), help="folder for the picture"
    )
    commands.add_parser("papers", help="walk through the figures of the papers")
    options = parser.parse_args()
    if options.command == "papers":
        from pullback.papers.tour import walk

        for text in walk():
            print(text)
        return 0

    from pullback.demo.steps import run

    return run(options.out)


if __name__ == "__main__":
    raise SystemExit(main())
