"""`./dev bench [NAME…]`: run the named benchmarks, or list them."""

import importlib
import pkgutil
import sys
from pathlib import Path


def names() -> list[str]:
    """The benchmarks there are: every module of this folder with a `main`."""
    found = pkgutil.iter_modules([str(Path(__file__).parent)])
    return sorted(module.name for module in found if not module.name.startswith("_"))


def run(wanted: list[str]) -> int:
    """Run the wanted benchmarks, one after another; the exit status."""
    unknown = [name for name in wanted if name not in names()]
    if unknown or not wanted:
        if unknown:
            print(f"no benchmark named {', '.join(unknown)}", file=sys.stderr)
        print(f"./dev bench NAME…, where NAME is one of: {', '.join(names())}", file=sys.stderr)
        return 2 if unknown else 0
    for name in wanted:
        print(f"== {name}")
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
