"""The command line. ``python -m pullback demo`` fits two Gaussian mixtures and draws the result;
``python -m pullback papers`` walks through the figures of the papers; ``python -m pullback
gallery`` lists the programs of the gallery and runs one."""

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
    gallery = commands.add_parser("gallery", help="list the programs of the gallery, or run one")
    gallery.add_argument("name", nargs="?", help="the program to run")
    gallery.add_argument(
        "--out", type=Path, default=Path("gallery-output"), help="folder for the picture"
    )
    gallery.add_argument("--show", action="store_true", help="show the picture in a window")
    options = parser.parse_args()
    if options.command == "papers":
        from pullback.papers.tour import walk

        for text in walk():
            print(text)
        return 0
    if options.command == "gallery":
        from pullback import gallery as pages

        if options.name is None:
            print(pages.listing())
            return 0
        return pages.show(options.name, options.out, options.show)

    from pullback.demo.steps import run

    return run(options.out)


if __name__ == "__main__":
    raise SystemExit(main())
