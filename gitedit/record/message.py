"""A message from the user's text and a record: written folded, quoted where it must be, and read back before use."""

from collections.abc import Iterable

from gitedit.errors import BatchError, VerificationError
from gitedit.record.grammar import RECORD_KEY, line_tokens
from gitedit.record.model import Record
from gitedit.record.read import closed_fences, key_of, read_message
from gitedit.record.refusals import check_text, check_value, warnings_for
from gitedit.record.summary import default_text
from gitedit.record.trailers import is_blank, trailer_block

__all__ = ["default_text", "fits_in_message", "reads_back", "record_lines", "render", "warnings_for"]

WIDTH = 72
"""Columns: commitlint refuses longer lines, forges wrap them."""
MOST_EDIT_LINES = 64
MOST_BYTES = 8 * 1024
"""Of the Record, File and Edit lines, folded, with their newlines."""


def render(text: str, record: Record, *, assisted_by: str | None = None, signoff: str | None = None) -> str:
    """Return the whole message: `text` exactly (less blank lines at its end), then the record's lines.

    The block stands where git would put a trailer: at the end of the user's own trailer block if there is one, else in
    a paragraph of its own. What git ignores behind the user's trailers (comments), or from a scissors line on, stays
    behind ours.
    `assisted_by` is `AGENT:MODEL [tools]`, `signoff` is `Name <email>`.

    Raises:
        BatchError: `bad-provenance`, where text, assisted_by or signoff hold what may not enter a message.
        VerificationError: `verification-failed`, where the message does not read back as `record`.
    """
    lines = _quoted(check_text(text).split("\n"))
    while is_blank(lines[-1]):
        lines.pop()
    block = trailer_block([*lines, ""])
    own = lines[block.start : block.end]
    ours = record_lines(record)
    for key, value in (("Assisted-by", assisted_by), ("Signed-off-by", signoff)):
        if value is not None and (line := f"{key}: {check_value(key, value)}") not in own:
            ours.append(line)
    at = block.end if own or block.cut else len(lines)
    head, tail = lines[:at], lines[at:]
    while head and is_blank(head[-1]):
        head.pop()
    if not head:
        raise BatchError("bad-provenance", "the commit message begins with a scissors line", "begin it with a subject")
    message = "\n".join([*head, *([] if own else [""]), *ours, *tail]) + "\n"
    if not reads_back(message, record):
        raise VerificationError(
            "verification-failed", "The commit message does not read back as what it should record."
        )
    return message


def record_lines(record: Record) -> list[str]:
    """Return the record's lines, folded; without File and Edit lines where they are kept in a ref."""
    lines = _folded(RECORD_KEY, (*record.tokens, f"id={record.id}"))
    if not record.lines_in_ref:
        for key, tokens in line_tokens(record.files):
            lines += _folded(key, (record.id, *tokens))
    return lines


def fits_in_message(record: Record) -> bool:
    """Return whether the record's lines stay within the budget of a message."""
    # Counted first: rendering the lines of thousands of files only to count them costs as much as making the record.
    if not record.lines_in_ref and sum(len(file.edits) for file in record.files) > MOST_EDIT_LINES:
        return False
    return sum(len(line) + 1 for line in record_lines(record)) <= MOST_BYTES


def _folded(key: str, tokens: Iterable[str]) -> list[str]:
    lines = [key]
    for token in tokens:
        if len(lines[-1]) + 1 + len(token) <= WIDTH or lines[-1] == key:
            lines[-1] += " " + token
        else:
            lines.append(" " + token)
    return lines


def _quoted(lines: list[str]) -> list[str]:
    """Put `| ` before each line that our reader would take for ours, and before the lines folded under it."""
    fenced = closed_fences(lines, trailer_block(lines))
    quoted: list[str] = []
    inside = False
    for line, in_fence in zip(lines, fenced, strict=True):
        inside = not in_fence and (
            key_of(line) is not None or (inside and line[:1] in (" ", "\t") and not is_blank(line))
        )
        quoted.append("| " + line if inside else line)
    return quoted


def reads_back(message: str, record: Record) -> bool:
    """Return whether a message says `record` with our keys, in its trailer block, and nothing else."""
    want = record._replace(files=()) if record.lines_in_ref else record
    reading = read_message(message)
    sound = [
        found.record == want
        and found.position == "trailer"
        and not (found.malformed or found.unsupported or found.lost or found.forged)
        for found in reading.records
    ]
    return sound == [True] and not reading.strays and not reading.nul
