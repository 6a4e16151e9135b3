"""The named points of a run, in order. Tests stop, kill or race a run there by replacing `reached`."""

NAMES = (
    "draft",
    "temporaries",
    "journal",
    "swapped",
    "hooks-run",
    "journal-commit",
    "index-locked",
    "refs-prepared",
    "next-index",
    "index-installed",
    "refs-committed",
    "index-unlocked",
    "journal-dropped",
)
RECOVERY_NAMES = (
    "recovering",
    "file-restored",
    "files-restored",
    "index-restored",
    "set-aside",
    "index-unlocked",
    "journal-dropped",
)
"""The points of a recovery; those that another run has, too, have the same name."""


def reached(_name: str) -> None:
    """Do nothing; called at each point, `swapped` and `file-restored` once a file."""
