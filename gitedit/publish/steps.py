"""The named points of a run, in order. Tests stop, kill or race a run there by replacing `reached`."""

NAMES = (
    "kept",
    "journal",
    "temporaries",
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


def reached(_name: str) -> None:
    """Do nothing; called at each point, `swapped` once a file."""
