"""A unified patch that `git apply` takes, for any bytes, made from the changed regions."""

from collections.abc import Sequence

from gitedit.edits.hunks import Hunk, changes, hunks
from gitedit.edits.model import Region
from gitedit.report.escapes import c_quoted

_NO_NEWLINE = b"\n\\ No newline at end of file\n"


def unified(path: str, old: bytes, new: bytes, regions: Sequence[Region]) -> str:
    """Return the patch of one file, "" where nothing changed; bytes that are not UTF-8 are surrogate-escaped.

    The patches of several files are one patch when joined.
    """
    body = b"".join(_rendered(hunk) for hunk in hunks(old, changes(old, new, regions)))
    if not body:
        return ""
    before, after = c_quoted(path, "a/"), c_quoted(path, "b/")
    # As git: a TAB behind a name with a blank in it, or `patch` takes the rest of the line for a date.
    tab = "\t" if " " in path else ""
    header = f"diff --git {before} {after}\n--- {before}{tab}\n+++ {after}{tab}\n"
    return header + body.decode("utf-8", "surrogateescape")


def _rendered(hunk: Hunk) -> bytes:
    old, new = _range(hunk.old_line, hunk.old_count), _range(hunk.new_line, hunk.new_count)
    parts = [f"@@ -{old} +{new} @@\n".encode()]
    for sign, _, text in hunk.lines:
        parts += [sign.encode(), text]
        if not text.endswith(b"\n"):
            parts.append(_NO_NEWLINE)
    return b"".join(parts)


def _range(before: int, count: int) -> str:
    """Return `START,COUNT`; an empty range starts at the line before it, and `,1` is not written."""
    start = before + 1 if count else before
    return f"{start}" if count == 1 else f"{start},{count}"
