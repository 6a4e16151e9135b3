"""The effective configuration, read once: a lower-case key (subsections as written) -> every value, last wins."""

import os
from collections.abc import Mapping, Sequence

from gitedit.git.process import Git
from gitedit.git.repository import Repository

Configuration = Mapping[str, Sequence[str | None]]

_TRUE = {"true", "yes", "on"}
_FALSE = {"false", "no", "off", ""}


def read(git: Git) -> Configuration:
    """Return the configuration of the repository that `git` runs in; a key without a value has the value None."""
    return _joined(_rows(git))


def _rows(git: Git) -> list[tuple[str | None, str, str | None]]:
    """Return (file or None, key, value) of every setting, weakest first."""
    fields = os.fsdecode(git.run("config", "--list", "--show-origin", "-z")).split("\0")
    rows = []
    for origin, row in zip(fields[::2], fields[1::2], strict=False):
        key, newline, value = row.partition("\n")
        file = origin.removeprefix("file:") if origin.startswith("file:") else None
        rows.append((file, key, value if newline else None))
    return rows


def _joined(rows: Sequence[tuple[str | None, str, str | None]]) -> Configuration:
    found: dict[str, list[str | None]] = {}
    for _, key, value in rows:
        found.setdefault(key, []).append(value)
    return found


class ConfigurationReader:
    """Reads the configuration, and reads it again only when a file that it came from, or may come from, is another."""

    def __init__(self, repository: Repository) -> None:
        """Remember nothing yet."""
        self.git_dir = repository.git_dir
        self._git = repository.at_top
        self._ref: str | None = None
        self._home = home = self._git.environment.get("HOME", "")
        xdg = self._git.environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        self._usual = [
            os.path.join(repository.common_dir, "config"),
            os.path.join(repository.git_dir, "config.worktree"),
            os.path.join(home, ".gitconfig"),
            os.path.join(xdg, "git", "config"),
        ]
        self._stamps: dict[str, tuple[int, ...] | None] = {}
        self._known: Configuration = {}

    def read(self, ref: str | None) -> Configuration:
        """Return the configuration in force while HEAD names `ref`; a key without a value has the value None."""
        # includeIf.onbranch
        if not self._stamps or ref != self._ref or any(_stamp(path) != stamp for path, stamp in self._stamps.items()):
            self._known, self._ref = self._read(), ref
        return self._known

    def _read(self) -> Configuration:
        files = dict.fromkeys(self._usual)
        # Stamped before git reads them: a change in between is noticed, if one batch late.
        self._stamps = {path: _stamp(path) for path in files}
        rows = _rows(self._git)
        for path, key, value in rows:
            if path is not None:
                whole = os.path.join(self._git.directory, path)
                files[whole] = None
                if value and key.startswith("include") and key.endswith(".path"):
                    # It may begin to be there, or to say something.
                    said = os.path.join(self._home, value[2:]) if value.startswith("~/") else value
                    files[os.path.join(os.path.dirname(whole), said)] = None
        self._stamps = {path: self._stamps.get(path) or _stamp(path) for path in files}
        return _joined(rows)


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def text(configuration: Configuration, key: str, default: str = "") -> str:
    """Return the last value of a key, lower-cased; the default where it is not set; `true` where it has no value."""
    values = configuration.get(key)
    if not values:
        return default
    return "true" if values[-1] is None else values[-1].lower()


def flag(configuration: Configuration, key: str) -> bool:
    """Return whether a boolean key is set to true, as git_config_bool() has it: a word, or a number that is not 0."""
    value = text(configuration, key)
    # strtoimax() in base 0, then a unit. What is no number is fatal to git itself.
    digits = value.strip().lstrip("+-").removeprefix("0x").rstrip("kmg")
    return value in _TRUE or (value not in _FALSE and digits.strip("0") != "")


def filemode(configuration: Configuration) -> bool:
    """Return whether the executable bit on disk counts (core.fileMode)."""
    return text(configuration, "core.filemode", "true") not in {"false", "no", "off", "0", ""}
