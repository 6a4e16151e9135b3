"""Messages while they are being written: what git will keep of one, and the records of a squash gathered in one place.

A squash lists the messages of its commits, indented; their records move from there into the trailer block. Pure.
"""

from collections.abc import Iterator

from gitedit.record.grammar import EDIT_KEY, FILE_KEY, RECORD_KEY
from gitedit.record.message import record_lines
from gitedit.record.model import FoundRecord
from gitedit.record.read import closed_fences, key_of, read_message
from gitedit.record.trailers import is_blank, trailer_block

_SCISSORS = " ------------------------ >8 ------------------------"
_TOKENS_DUE = {FILE_KEY: 6, EDIT_KEY: 5}


def as_committed(text: str, comment: str) -> str:
    """Return a message file's text as git will clean it up: cut at the scissors, comments out."""
    lines = text.split("\n")
    cut = next((n for n, line in enumerate(lines) if line == comment + _SCISSORS), len(lines))
    return "\n".join([line for line in lines[:cut] if not line.startswith(comment)] + [""] * (cut < len(lines)))


def collected(text: str) -> str | None:
    """Return the message with the body's records in its trailer block, or None where there is nothing to move.

    Only whole and sound records move; everything else stays as it is.
    """
    before = read_message(text).records
    moved = [found for found in before if found.position == "body" and _is_whole(found)]
    if not moved:
        return None
    lines = text.split("\n")
    own = {found.record.id for found in moved}
    kept = list(lines)
    for start, end, record_id in _spans(lines):
        if record_id in own:
            kept[start:end] = [""] * (end - start)
    kept = _without_gaps(lines, kept)
    new = _with_block(kept, [line for found in moved for line in record_lines(found.record)])
    after = {found.record for found in read_message(new).records if found.position == "trailer" and _is_whole(found)}
    wanted = {found.record for found in moved}
    return new if wanted <= after and len(read_message(new).records) == len(before) else None


def _is_whole(found: FoundRecord) -> bool:
    problems = found.malformed or found.unsupported or found.forged or found.lost
    return not problems and bool(found.record.files or found.record.lines_in_ref)


def _spans(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first line, end and record id of everything under a key of ours; 0-based."""
    fenced = closed_fences(lines, trailer_block(lines))
    at = 0
    while at < len(lines):
        start, found = at, None if fenced[at] else key_of(lines[at])
        at += 1
        if found is None:
            continue
        key, rest = found
        tokens = rest.split()
        while not _is_complete(key, tokens) and at < len(lines) and not is_blank(lines[at]) and not key_of(lines[at]):
            tokens += lines[at].strip(" \t*\r").split()
            at += 1
        if tokens:
            yield start, at, tokens[-1].removeprefix("id=") if key == RECORD_KEY else tokens[0]


def _is_complete(key: str, tokens: list[str]) -> bool:
    if key == RECORD_KEY:
        return bool(tokens) and tokens[-1].startswith("id=")
    return len(tokens) >= _TOKENS_DUE[key]


def _without_gaps(lines: list[str], kept: list[str]) -> list[str]:
    """Return what is kept without the runs of blank lines that the moved ones leave behind."""
    out: list[str] = []
    for old, line in zip(lines, kept, strict=True):
        emptied = line != old
        if is_blank(line) and (emptied or not old) and out and is_blank(out[-1]):
            continue
        out.append(line)
    return out


def _with_block(lines: list[str], ours: list[str]) -> str:
    """Put our lines where git would put a trailer; comments and what scissors cut off stay behind them."""
    block = trailer_block([*lines, ""] if lines and lines[-1] else lines)
    own = lines[block.start : block.end]
    head, tail = lines[: block.end], lines[block.end :]
    while head and is_blank(head[-1]):
        head.pop()
    while tail and not tail[0]:
        tail.pop(0)
    gap = [""] if tail else []
    text = "\n".join([*head, *([] if own else [""]), *ours, *gap, *tail])
    return text if text.endswith("\n") else text + "\n"
