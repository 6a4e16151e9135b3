"""Git's independent word on what was computed, asked for in the clean room, and the proof from the bytes themselves.

GIT.md section 4: five points, all of which must hold before anything is published.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from gitedit.edits.lines import Lines
from gitedit.errors import VerificationError
from gitedit.git.paths import shown
from gitedit.git.treediff import TreeDiffer
from gitedit.record.model import ChangedFile

if TYPE_CHECKING:
    from unidiff.patch import Hunk


class Numstat(NamedTuple):
    """Lines of one path, as git counts them."""

    added: int
    removed: int


class _Shown(NamedTuple):
    """What `diff-tree` printed."""

    raw: list[tuple[str, str]]
    """`:oldmode newmode oldoid newoid status` and the path, in git's order."""
    numstat: dict[str, tuple[str, str]]
    patches: Iterator[bytes]
    """One a path, in the order of `raw`, each as soon as git has made it."""


class _Hunk(NamedTuple):
    """Half-open ranges of 0-based lines."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class _Hull(NamedTuple):
    """The whole lines from the first planned window to the last."""

    lines: _Hunk
    start: int
    """Byte offset at which the hull begins: the same in old and new."""
    old_end: int
    """Byte offset, exclusive."""
    new_end: int
    """Byte offset, exclusive."""


def verify(differ: TreeDiffer, old_tree: str, new_tree: str, files: Sequence[ChangedFile]) -> dict[str, Numstat]:
    """Check that the two trees differ by exactly the planned bytes; return numstat's figures by path.

    Raises VerificationError `verification-failed`.
    """
    out = _read(differ.stream(old_tree, new_tree))
    planned = sorted(files, key=lambda file: os.fsencode(file.path))
    expected = [(f":{file.old_mode} {file.new_mode} {file.old_oid} {file.new_oid} M", file.path) for file in planned]
    if out.raw != expected or list(out.numstat) != [file.path for file in planned]:
        surprise = sorted(set(out.raw) ^ set(expected))
        raise _wrong(surprise[0][1] if surprise else "", "git sees other paths, modes or blobs than planned")
    figures = {}
    # Git works on the next patches while one is checked.
    for file, patch in zip_longest(planned, out.patches):
        if file is None or patch is None:
            raise _wrong("", "git's patch does not show every planned file")
        check_outside(file)
        old_lines = Lines(file.old)
        hull = _hull(file, old_lines)
        figures[file.path] = _check_numstat(file, old_lines, hull, out.numstat[file.path])
        _check_patch(file, old_lines, hull, patch)
        _check_endings(file, hull)
    return figures


def _wrong(path: str, what: str) -> VerificationError:
    where = f"{shown(path)}: " if path else ""
    hint = "nothing was published; please report this, with the batch if you can"
    return VerificationError("verification-failed", f"{where}{what}", hint)


def _read(pieces: Iterator[bytes]) -> _Shown:
    """Read the rows; the patches are read when they are asked for."""
    out = bytearray()
    end = -1
    for piece in pieces:
        out += piece
        end = out.find(b"\0\0", max(0, len(out) - len(piece) - 1))
        if end >= 0:
            break
    head, rest = (bytes(out[:end]), bytes(out[end + 2 :])) if end >= 0 else (bytes(out), b"")
    fields = head.removesuffix(b"\0").split(b"\0") if head else []
    raw: list[tuple[str, str]] = []
    numstat: dict[str, tuple[str, str]] = {}
    while len(fields) > 2 * len(raw) and fields[2 * len(raw)].startswith(b":"):
        facts, path = fields[2 * len(raw) : 2 * len(raw) + 2]
        raw.append((facts.decode("ascii"), os.fsdecode(path)))
    for row in fields[2 * len(raw) :]:
        added, removed, path = row.split(b"\t", 2)
        numstat[os.fsdecode(path)] = (added.decode("ascii"), removed.decode("ascii"))
    return _Shown(raw, numstat, _patches(chain([b"\n" + rest], pieces)))


def _patches(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield each file's patch once it is whole; `pieces` begin with a newline."""
    # Content lines begin with `+`, `-`, a blank or `\`, so this stands at the start of a file's patch only.
    mark = b"\ndiff --git "
    unfinished: list[bytes] = []
    begun = False
    held = b""
    for piece in pieces:
        *ends, rest = (held + piece).split(mark)
        for end in ends:
            if begun:
                yield b"diff --git " + b"".join(unfinished) + end + b"\n"
            unfinished, begun = [], True
        # A mark may stand across the border of two pieces.
        unfinished.append(rest[: 1 - len(mark)])
        held = rest[1 - len(mark) :]
    if begun:
        yield b"diff --git " + (b"".join(unfinished) + held).removesuffix(b"\n") + b"\n"


def check_outside(file: ChangedFile) -> None:
    """Check point 2, the proof: outside the regions both blobs hold the same bytes, in the same order."""
    if file.old == file.new:
        raise _wrong(file.path, "the new blob is the old one")
    old = memoryview(file.old)
    old_at = new_at = 0
    end = (len(file.old), len(file.old), len(file.new), len(file.new), "")
    for old_start, old_end, new_start, new_end, _ in (*file.regions, end):
        ascending = old_at <= old_start <= old_end and new_at <= new_start <= new_end
        kept = old[old_at:old_start]
        if not ascending or len(kept) != new_start - new_at or not file.new.startswith(kept, new_at):
            raise _wrong(file.path, "bytes outside the edited regions would change")
        old_at, new_at = old_end, new_end


def _hull(file: ChangedFile, old_lines: Lines) -> _Hull:
    """Return the hull of a file whose bytes outside the regions are known to be the same."""
    old, new = file.old, file.new
    start = old.rfind(b"\n", 0, file.regions[0].old_start) + 1
    old_end, new_end = file.regions[-1].old_end, file.regions[-1].new_end
    if not (_starts_line(old, old_end) and _starts_line(new, new_end)):
        newline = old.find(b"\n", old_end)
        tail = len(old) - old_end if newline < 0 else newline + 1 - old_end
        old_end, new_end = old_end + tail, new_end + tail
    above = old_lines.before(start)
    below = old_lines.before(old_end) + (0 if _starts_line(old, old_end) else 1)
    return _Hull(_Hunk(above, below, above, above + _count(new, start, new_end)), start, old_end, new_end)


def _starts_line(content: bytes, offset: int) -> bool:
    return offset == 0 or content[offset - 1 : offset] == b"\n"


def _count(content: bytes, start: int, end: int) -> int:
    """Return how many lines there are between two line starts; an unterminated last one counts at the very end."""
    return content.count(b"\n", start, end) + (0 if _starts_line(content, end) else 1)


def _check_numstat(file: ChangedFile, old_lines: Lines, hull: _Hull, figures: tuple[str, str]) -> Numstat:
    """Check point 3: the balance of lines, and no more of them than the hull has."""
    if not (figures[0].isdigit() and figures[1].isdigit()):
        raise _wrong(file.path, "git shows no line counts")
    added, removed = int(figures[0]), int(figures[1])
    lines = hull.lines
    inside = added <= lines.new_end - lines.new_start and removed <= lines.old_end - lines.old_start
    if added - removed != _count(file.new, 0, len(file.new)) - old_lines.count or not inside:
        raise _wrong(file.path, f"git counts +{added} -{removed} lines, more than the edits account for")
    return Numstat(added, removed)


def _check_patch(file: ChangedFile, old_lines: Lines, hull: _Hull, patch: bytes) -> None:
    """Check point 4: git's hunks rebuild the new blob, and lie in the hull, slid along equal lines if need be."""
    # 3 ms, and not needed without --commit; `from` would cost five times as much in each of thousands of files.
    import unidiff.errors  # noqa: PLC0415
    import unidiff.patch  # noqa: PLC0415

    # What stands above `---` says less than the raw row, and unidiff 1.0.1 cuts the names wrongly in `x b/y`.
    names = patch.find(b"\n--- ") + 1
    try:
        patched = unidiff.patch.PatchSet(patch[names:].decode("latin-1"))
    except unidiff.errors.UnidiffParseError as error:
        raise _wrong(file.path, f"git's patch can't be read: {error}") from error
    if len(patched) != 1:
        raise _wrong(file.path, "git's patch shows another number of files")
    # The new blob is compared piece by piece as the patch would build it, not built.
    unchanged = memoryview(file.old)
    edges = {hull.lines.old_start: hull.start, hull.lines.old_end: hull.old_end}

    def offset(number: int) -> int:
        # Most hunks begin and end where the hull does, and looking for a line costs a step a line.
        return edges[number] if number in edges else old_lines.offset(number)

    old_at = new_at = line = 0
    rebuilt = True
    for hunk in patched[0]:
        # `@@ -3,0 +4 @@`: an empty side names the line before it.
        start = hunk.source_start - 1 if hunk.source_length else hunk.source_start
        target = hunk.target_start - 1 if hunk.target_length else hunk.target_start
        kept = unchanged[old_at : offset(start)]
        added = _added(hunk)
        rebuilt &= start >= line and file.new.startswith(kept, new_at)
        rebuilt &= file.new.startswith(added, new_at + len(kept))
        line = start + hunk.source_length
        old_at, new_at = offset(line), new_at + len(kept) + len(added)
        if not _inside(_Hunk(start, line, target, target + hunk.target_length), hull.lines, file):
            raise _wrong(file.path, f"git shows a change at line {target + 1}, outside the edited lines")
    rest = unchanged[old_at:]
    if not rebuilt or not file.new.startswith(rest, new_at) or len(file.new) != new_at + len(rest):
        raise _wrong(file.path, "git's patch does not lead from the old blob to the new one")


def _added(hunk: "Hunk") -> bytes:
    r"""Return the added lines of a hunk; `\ No newline at end of file` takes the newline of the line before it."""
    lines: list[str] = []
    kind = ""
    for line in hunk:
        if line.line_type == "\\":
            if kind == "+":
                lines[-1] = lines[-1].removesuffix("\n")
            continue
        kind = line.line_type
        if kind == "+":
            lines.append(line.value)
    return "".join(lines).encode("latin-1")


def _inside(hunk: _Hunk, hull: _Hunk, file: ChangedFile) -> bool:
    """Return whether the hunk lies in the hull, or does so when slid along equal lines."""
    down = max(hull.old_start - hunk.old_start, hull.new_start - hunk.new_start, 0)
    up = max(hunk.old_end - hull.old_end, hunk.new_end - hull.new_end, 0)
    if not (down or up):
        return True
    old, new = Lines(file.old), Lines(file.new)
    if any(old.line(hunk.old_start + n) != new.line(hunk.new_start + n) for n in range(down)):
        return False
    if any(old.line(hunk.old_end - 1 - n) != new.line(hunk.new_end - 1 - n) for n in range(up)):
        return False
    slid = _Hunk(*(edge + down - up for edge in hunk))
    return (
        hull.old_start <= slid.old_start
        and slid.old_end <= hull.old_end
        and hull.new_start <= slid.new_start
        and slid.new_end <= hull.new_end
    )


def _check_endings(file: ChangedFile, hull: _Hull) -> None:
    """Check point 5: outside the edited lines, every kind of line ending is as frequent as before."""
    if _census(file.old, hull.start, hull.old_end) != _census(file.new, hull.start, hull.new_end):
        raise _wrong(file.path, "line endings outside the edited lines would change")


def _census(content: bytes, start: int, end: int) -> tuple[int, ...]:
    """Count LF, CRLF and CR before `start`, then behind `end`: both are line starts, so no CRLF is cut."""
    count = content.count
    before = (count(b"\n", 0, start), count(b"\r\n", 0, start), count(b"\r", 0, start))
    return (*before, count(b"\n", end), count(b"\r\n", end), count(b"\r", end))


def read_back(body: bytes, tree: str, parent: str, message: str) -> None:
    """Check a finished commit object: it must hold this tree, this one parent and this very message, as UTF-8.

    Raises VerificationError.
    """
    headers, _, text = body.partition(b"\n\n")
    rows = headers.split(b"\n")
    links = [row for row in rows if row.startswith((b"tree ", b"parent ", b"encoding "))]
    if links != [f"tree {tree}".encode(), f"parent {parent}".encode()]:
        raise _wrong("", "the commit object holds another tree or parent than planned")
    if text != message.encode("utf-8", "surrogateescape"):
        raise _wrong("", "the commit object holds another message than planned")
