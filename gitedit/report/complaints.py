"""What `check` and `endings` find, as `file:line: code: message` for people and editors, and as one JSON document."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from gitedit.report.documents import document
from gitedit.report.escapes import shown_path, visible


class Complaint(NamedTuple):
    """One thing that is wrong with a file."""

    path: str
    """As given, or relative to the top; bytes that are not UTF-8 are surrogate-escaped."""
    line: int
    """1-based."""
    code: str
    message: str
    hint: str = ""


class Judged(NamedTuple):
    """One batch, judged."""

    path: str
    line: int
    """1-based line of the file at which the batch begins."""
    state: str
    """applies, applied, shape (only its shape was judged), as-staged or failed."""


def lines(complaints: Iterable[Complaint]) -> str:
    """Return one line per complaint, and its hint indented below it, once while it stays the same."""
    out: list[str] = []
    said = ""
    for one in complaints:
        out.append(f"{shown_path(one.path)}:{one.line}: {one.code}: {visible(one.message)}")
        if one.hint and one.hint != said:
            out.append(f"  hint: {visible(one.hint)}")
        said = one.hint
    return "".join(line + "\n" for line in out)


def fixed_line(path: str) -> str:
    """Say that a file's endings are restored."""
    return f"{shown_path(path)}: line endings restored\n"


def left_line(reason: str) -> str:
    """Say why something was not done."""
    return f"warning: {visible(reason)}\n"


def checked_document(judged: Iterable[Judged], complaints: Iterable[Complaint]) -> str:
    """Return the document of `check --json`."""
    return document({"ok": True, "batches": [one._asdict() for one in judged], "findings": _rows(complaints)})


def endings_document(complaints: Iterable[Complaint], fixed: Iterable[str]) -> str:
    """Return the document of `endings --json`."""
    return document({"ok": True, "findings": _rows(complaints), "fixed": list(fixed)})


def _rows(complaints: Iterable[Complaint]) -> list[dict[str, Any]]:
    return [one._asdict() for one in complaints]
