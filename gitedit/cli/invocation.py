"""What `-C`, `--json` and `-q` say before and after the subcommand."""

import os


class Invocation:
    """The one mutable thing here: filled while options are read, and asked again when something goes wrong."""

    def __init__(self) -> None:
        self.directory = "."
        """What paths are relative to."""
        self.json = False
        self.quiet = False

    def add(self, directories: list[str] | None, *, json: bool = False, quiet: bool = False) -> None:
        """Take in what one level of the command line said."""
        for directory in directories or ():
            # As git's: an empty -C changes nothing.
            self.directory = os.path.join(self.directory, directory) if directory else self.directory
        self.json |= json
        self.quiet |= quiet
