"""`python -m stipula`, and the program `stipula`."""

import sys


def main() -> None:
    """Run the command line and end with its exit code."""
    from stipula.cli.main import run  # noqa: PLC0415 - the entry point stays light for those who only import it

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
