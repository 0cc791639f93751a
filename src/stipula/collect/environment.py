"""Values of an entry that stand in the environment: `env:NAME` is replaced, everything else is what it says."""

from collections.abc import Mapping

from stipula.errors import EXIT_UNAVAILABLE, Problem

PREFIX = "env:"


class NotInEnvironment(Problem):
    """A value is to be taken from the environment, where it is not."""

    code, exit_code = "COL105", EXIT_UNAVAILABLE
    hint = "{entry}: {key} is to come from the environment variable {name}, which is not set"


def resolved(values: Mapping[str, str], environ: Mapping[str, str], entry: str) -> dict[str, str]:
    """The values with `env:NAME` replaced. entry: how messages name the entry they stand in."""
    found: dict[str, str] = {}
    for key, value in values.items():
        if not value.startswith(PREFIX):
            found[key] = value
            continue
        name = value.removeprefix(PREFIX)
        if name not in environ:
            raise NotInEnvironment(entry=entry, key=key, name=name)
        found[key] = environ[name]
    return found


def secrets(values: Mapping[str, str], environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values that were taken from the environment: they never stand in a message."""
    names = [value.removeprefix(PREFIX) for value in values.values() if value.startswith(PREFIX)]
    return tuple(environ[name] for name in names if environ.get(name))
