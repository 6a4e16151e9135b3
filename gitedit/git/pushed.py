"""Which commits go to another repository: what git, or the pre-commit framework, tells a hook about a push.

Read before anything else is imported: a hook that has nothing to judge is to be gone at once.
"""

TYPE_CHECKING = False  # as typing's, whose import costs more than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping


def by_push(lines: bytes, environment: "Mapping[str, str]", remote: str) -> tuple[list[str], list[str]]:
    """Return (revisions that go to the remote, revisions that it has), as `git rev-list A --not B` takes them.

    By git's lines `<local ref> <id> <remote ref> <id>`; else as the framework says it: two ids, or on the first push
    of a history only the branch.
    """
    tips: list[str] = []
    known: list[str] = [f"--remotes={remote}"] if remote else []
    # A local ref is what was typed, blanks and all: `HEAD@{1 day ago}`; and U+00A0 is a letter to git.
    rows = [line.rsplit(" ", 3) for line in lines.decode("utf-8", "surrogateescape").split("\n") if line]
    for words in rows:
        if len(words) == 4 and not _is_none(words[1]):
            tips.append(words[1])
            known += [] if _is_none(words[3]) else [words[3]]
    if rows:
        return tips, known
    if environment.get("PRE_COMMIT_TO_REF"):
        start = environment.get("PRE_COMMIT_FROM_REF", "")
        return [environment["PRE_COMMIT_TO_REF"]], [*known, *([] if _is_none(start) else [start])]
    return [environment.get("PRE_COMMIT_LOCAL_BRANCH") or "HEAD"], known


def by_receive(lines: bytes) -> list[tuple[str, str, str]]:
    """Return (old id, new id, ref) of each line that pre-receive got, deletions left out."""
    rows = [line.split(" ", 2) for line in lines.decode("utf-8", "surrogateescape").split("\n") if line]
    return [(words[0], words[1], words[2]) for words in rows if len(words) == 3 and not _is_none(words[1])]


def _is_none(oid: str) -> bool:
    """Return whether an id is all zeros: there is no such ref."""
    return not oid.strip("0")
