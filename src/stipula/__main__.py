"""`python -m stipula`, and the program `stipula`."""

import sys

from stipula import __version__


def main() -> None:
    """Run the command line and end with its exit code."""
    if sys.argv[1:] == ["--version"]:  # asked by scripts and prompts all day: not worth the wait for a parser
        print(f"stipula {__version__}")  # noqa: T201 - this is its output
        return
    from stipula.cli.main import run  # noqa: PLC0415 - see above

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
