"""The plain forms of `gitedit apply`, read without typer: importing that costs as much as git needs for a commit.

Only exactly spelled options with separate values are read here, and only where nothing is wrong with them; every
other command line is typer's, help and usage errors included. A test compares the table with typer's own.
"""

from typing import Any, NamedTuple, get_args

from gitedit.cli.applying import Asked, asked, misuse, run
from gitedit.cli.invocation import Invocation
from gitedit.edits.model import Mode

FLAGS: dict[str, tuple[str, bool]] = {
    "--commit": ("commit", True),
    "--stage": ("stage", True),
    "--dry-run": ("dry_run", True),
    "--diff": ("diff", True),
    "--stream": ("stream", True),
    "--exact": ("exact", True),
    "--no-exact": ("exact", False),
    "--no-verify": ("no_verify", True),
    "--sign": ("sign", True),
    "--no-sign": ("sign", False),
    "--signoff": ("signoff", True),
    "--require-clean": ("require_clean", True),
    "--strict-eol": ("strict_eol", True),
    "--no-strict-eol": ("strict_eol", False),
    "--json": ("json", True),
    "--quiet": ("quiet", True),
    "-q": ("quiet", True),
}
"""Option -> the parameter that it sets, and to what."""
VALUES: dict[str, str] = {
    "--message": "message",
    "-m": "message",
    "--mode": "mode",
    "--agent": "agent",
    "--session": "session",
    "--encoding": "encoding",
    "-C": "directories",
}
"""Option that takes the next word -> the parameter that it sets."""


class Plain(NamedTuple):
    """A command line that was understood whole."""

    said: Asked
    directories: list[str]
    json: bool
    quiet: bool

    def run(self, started: Invocation) -> None:
        """Do it; raise SystemExit where the run as a whole is not a success."""
        started.add(self.directories, json=self.json, quiet=self.quiet)
        status = run(self.said, started)
        if status:
            raise SystemExit(status)


def read(arguments: list[str]) -> Plain | None:
    """Return the command line if it is a plain `apply`, else None."""
    if not arguments or arguments[0] != "apply":
        return None
    found: dict[str, Any] = {}
    directories: list[str] = []
    words = iter(arguments[1:])
    for word in words:
        if word in FLAGS:
            name, value = FLAGS[word]
            found[name] = value
        elif word in VALUES:
            following = next(words, None)
            # A value that looks like an option may be a slip; typer knows what to say.
            if following is None or following.startswith("-"):
                return None
            if word == "-C":
                directories.append(following)
            else:
                found[VALUES[word]] = following
        elif word == "-" or not word.startswith("-"):
            if "batch" in found:
                return None
            found["batch"] = word
        else:
            return None
    if found.get("mode") not in {None, *get_args(Mode)}:
        return None
    json, quiet = found.pop("json", False), found.pop("quiet", False)
    said = asked(**found)
    return Plain(said, directories, json, quiet) if misuse(said) is None else None
