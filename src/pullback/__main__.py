"""The command line. ``python -m pullback demo`` fits two Gaussian mixtures and draws the result."""

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
    options = parser.parse_args()

    from pullback.demo.run import run

    return run(options.out)


if __name__ == "__main__":
    raise SystemExit(main())
