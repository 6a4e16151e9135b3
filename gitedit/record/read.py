"""Read the records in a message by tokens, so that re-wrapping, sorting, bullets and CRLF change nothing.

A key counts only at the start of a line; quoted text is no claim; outside the trailer block only what has grammar and
checksum is one. One pass over the lines, and one over what they gave.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from gitedit.record.digests import record_id
from gitedit.record.grammar import (
    EDIT_KEY,
    FILE_KEY,
    RECORD_KEY,
    assemble,
    is_hex,
    newer_version,
    parse_edit,
    parse_file,
    record_problem,
)
from gitedit.record.model import FoundRecord, Reading, Record
from gitedit.record.trailers import TrailerBlock, trailer_block

_KEYS = {key.lower(): key for key in (RECORD_KEY, FILE_KEY, EDIT_KEY)}
_TOKENS_DUE = {FILE_KEY: 6, EDIT_KEY: 5}
_INDENT = 40
"""Characters before a key: a squash merge of squash merges indents by eight and bullets twice."""
_TOKENS_KEPT = 64
_MOST_TOKENS = 1024
"""Of a Record line; one that goes on has no end, and what follows is not ours."""
_SHORTEST = len(FILE_KEY)

_Row = tuple[str, tuple[str, ...]]


class _Item(NamedTuple):
    """One key with the tokens that belong to it."""

    key: str
    tokens: list[str]
    line: int
    """0-based."""
    in_block: bool

    def is_complete(self) -> bool:
        count = len(self.tokens)
        if self.key != RECORD_KEY:
            return count == _TOKENS_DUE[self.key]
        return count > 0 and (self.tokens[-1].startswith("id=") or count == _MOST_TOKENS)


class _Rows(NamedTuple):
    """The File and Edit lines of one id."""

    block: set[_Row]
    """Those in the trailer block."""
    everywhere: set[_Row]
    lines: list[int]
    """0-based lines of those in the trailer block."""


def read_message(message: str | bytes) -> Reading:
    """Return the records, quotations and stray lines of a whole commit message."""
    text = message.decode("utf-8", "surrogateescape") if isinstance(message, bytes) else message
    nul = "\0" in text
    if "gitedit-" not in text.lower():
        return Reading((), (), (), nul)
    lines = text.split("\n")
    block = trailer_block(lines)
    items, quotations = _items(lines, block, closed_fences(lines, block))
    rows, strays = _rows(items)
    records: dict[tuple[str, ...], FoundRecord] = {}
    ids: set[str] = set()
    for item in items:
        if item.key != RECORD_KEY:
            continue
        ids.add(_own_id(item.tokens) or "")
        # A line that occurs twice counts once; the trailer block's stands for both.
        twin = records.get(key := tuple(item.tokens))
        if (twin is None or (item.in_block and twin.position == "body")) and (found := _found(item, rows)):
            records[key] = found
    strays += (line for own, group in rows.items() if own not in ids for line in group.lines)
    ordered = sorted(records.values(), key=lambda found: found.line)
    return Reading(tuple(ordered), tuple(quotations), tuple(line + 1 for line in sorted(strays)), nul)


def key_of(line: str) -> tuple[str, str] | None:
    """Return (our key as we write it, what follows it) if the line begins with one, behind blanks, tabs and `*`."""
    body = line.lstrip(" \t*")
    if body[:8].lower() != "gitedit-" or len(line) - len(body) > _INDENT:
        return None
    head, colon, rest = body.partition(":")
    key = _KEYS.get(head.lower() + colon)
    return (key, rest) if key else None


def closed_fences(lines: list[str], block: TrailerBlock) -> bytearray:
    """Flag each line in a closed ``` or ~~~ fence (CommonMark's, but at any indent) outside the trailer block."""
    flags = bytearray(len(lines))
    for start, end in ((0, block.start), (block.end, len(lines))):
        mark, opened = "", start
        for at in range(start, end):
            line = lines[at]
            if "```" not in line and "~~~" not in line:
                continue
            body = line.strip(" \t*\r")
            fence = body[: len(body) - len(body.lstrip(body[:1]))]
            if len(line) - len(line.lstrip(" \t*")) > _INDENT or fence[:3] not in ("```", "~~~"):
                continue
            if not mark:
                if "`" not in body[len(fence) :] or fence[0] == "~":
                    mark, opened = fence, at
            elif body == fence and fence.startswith(mark):
                flags[opened : at + 1] = b"\1" * (at + 1 - opened)
                mark = ""
    return flags


def _tokens(text: str) -> list[str]:
    return [token for token in text.replace("\t", " ").rstrip("\r").split(" ") if token]


def _items(lines: list[str], block: TrailerBlock, fenced: bytearray) -> tuple[list[_Item], list[int]]:
    """Return the items in message order, and the 1-based lines of quoted Record keys."""
    items: list[_Item] = []
    quotations: list[int] = []
    bounds = (0, block.start, block.end, len(lines))
    for part in range(3):
        open_item: _Item | None = None
        for at in range(bounds[part], bounds[part + 1]):
            line = lines[at]
            if open_item is None and (len(line) < _SHORTEST or "edit-" not in line.lower()):
                continue
            if fenced[at] or _is_quoted(line):
                found = key_of(line.lstrip(" \t*>|"))
                if found and found[0] == RECORD_KEY:
                    quotations.append(at + 1)
                open_item = None
                continue
            if at > bounds[part] and line == lines[at - 1]:
                # Each line twice, folded ones as well: no item of ours repeats a line.
                continue
            found = key_of(line)
            if found:
                open_item = _Item(found[0], [], at, part == 1)
                items.append(open_item)
            elif open_item is None:
                continue
            words = _tokens(found[1] if found else line.lstrip(" \t*"))
            open_item = _feed(items, words, at) if found or words else None
    return items, quotations


def _feed(items: list[_Item], words: Iterable[str], at: int) -> _Item | None:
    """Give `words` to the last item until it is complete; return it if it is not.

    An editor that refills a paragraph puts keys in the middle of our lines: no token of ours can be a key, so one
    begins the next item.
    """
    item = items[-1]
    for word in words:
        key = _KEYS.get(word.lower()) if word[-1] == ":" else None
        if key:
            item = _Item(key, [], at, item.in_block)
            items.append(item)
        elif not item.is_complete():
            item.tokens.append(word)
    return None if item.is_complete() else item


def _is_quoted(line: str) -> bool:
    body = line.lstrip(" \t*")
    return body[:1] in ("|", ">") and body[1:2] in (" ", "\t", "|", ">")


def _rows(items: list[_Item]) -> tuple[dict[str, _Rows], list[int]]:
    """Return the File and Edit lines by id, and the 0-based lines of those in the trailer block that do not parse."""
    rows: dict[str, _Rows] = {}
    strays: list[int] = []
    for item in items:
        if item.key == RECORD_KEY:
            continue
        own, row = item.tokens[:1], (item.key, tuple(item.tokens[1:]))
        parsed = parse_file(row[1]) if item.key == FILE_KEY else parse_edit(row[1])
        if parsed is None or not is_hex(own[0], 16):
            strays += [item.line] if item.in_block else []
            continue
        group = rows.setdefault(own[0], _Rows(set(), set(), []))
        group.everywhere.add(row)
        if item.in_block:
            group.block.add(row)
            group.lines.append(item.line)
    return rows, strays


def _own_id(tokens: list[str]) -> str | None:
    last = tokens[-1] if tokens else ""
    return last[3:] if last.startswith("id=") else None


def _found(item: _Item, rows: dict[str, _Rows]) -> FoundRecord | None:
    """Judge one Record line; None where it is prose."""
    own = _own_id(item.tokens)
    tokens = tuple(item.tokens if own is None else item.tokens[:-1])
    line = item.line + 1
    position: Literal["trailer", "body"] = "trailer" if item.in_block else "body"
    newer = newer_version(tokens)
    problem = None if newer else record_problem(tokens, own)
    # A newer grammar is not known: in the body its checksum is what tells it from prose.
    if not item.in_block and (problem or record_id(tokens) != own):
        return None
    if problem or newer or own is None:
        short = Record(own if own and is_hex(own, 16) else "", tokens[:_TOKENS_KEPT], ())
        return FoundRecord(short, position, line, problem, newer)
    record = Record(own, tokens, ())
    group = rows.get(own, _Rows(set(), set(), []))
    if record.lines_in_ref and not group.everywhere:
        return FoundRecord(record, position, line)
    assembly = assemble(record, group.everywhere)
    if item.in_block and not assembly.files:
        # A line that somebody copied into the body must not spoil those of the trailer block.
        alone = assemble(record, group.block)
        assembly = alone if alone.files or assembly.forged else assembly
    return FoundRecord(
        record._replace(files=assembly.files),
        position,
        line,
        None,
        None,
        assembly.lost,
        assembly.forged,
        assembly.paths,
    )
