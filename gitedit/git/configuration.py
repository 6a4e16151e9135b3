"""The effective configuration, read once: a lower-case key (subsections as written) -> every value, last wins."""

import os
from collections.abc import Mapping, Sequence

from gitedit.git.process import Git

Configuration = Mapping[str, Sequence[str | None]]

_TRUE = {"true", "yes", "on", "1"}


def read(git: Git) -> Configuration:
    """Return the configuration of the repository that `git` runs in; a key without a value has the value None."""
    found: dict[str, list[str | None]] = {}
    for row in os.fsdecode(git.run("config", "--list", "-z")).split("\0"):
        if row:
            key, newline, value = row.partition("\n")
            found.setdefault(key, []).append(value if newline else None)
    return found


def text(configuration: Configuration, key: str, default: str = "") -> str:
    """Return the last value of a key, lower-cased; the default where it is not set; `true` where it has no value."""
    values = configuration.get(key)
    if not values:
        return default
    return "true" if values[-1] is None else values[-1].lower()


def flag(configuration: Configuration, key: str) -> bool:
    """Return whether a boolean key is set to true."""
    value = text(configuration, key)
    return value in _TRUE or (value.lstrip("-").isdigit() and int(value) != 0)
