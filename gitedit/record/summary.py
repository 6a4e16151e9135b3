"""The text for people when the user gives no message: a subject, and one line per changed region."""

from collections.abc import Sequence

from gitedit.record.encoding import shown_path
from gitedit.record.model import ChangedFile

_SUBJECT_WIDTH = 72
_REGION_LINES = 20


def default_text(files: Sequence[ChangedFile], *, readable: bool = True) -> str:
    """Return `Edit src/a.py: 2 replacements` and, if `readable`, at most 20 lines as `- src/a.py 20 -> 20-21 exact`."""
    subject = _subject(files)
    if not readable:
        return subject
    total = sum(len(file.regions) for file in files)
    lines: list[str] = []
    for file in files:
        lines += _region_lines(file, _REGION_LINES - len(lines))
    if total > len(lines):
        lines.append(f"- ... and {total - len(lines)} more")
    return "\n".join([subject, "", *lines])


def _subject(files: Sequence[ChangedFile]) -> str:
    count = sum(len(file.regions) for file in files)
    what = f"{count} replacement{'' if count == 1 else 's'}"
    paths = [shown_path(file.path) for file in files]
    names = [" and ".join(paths)] if len(paths) <= 2 else []
    if len(paths) == 1:
        # Too long: its last directories, then its name alone, as `.../name.py`.
        parts = paths[0].split("/")
        names += (".../" + "/".join(parts[-keep:]) for keep in range(min(len(parts) - 1, _SUBJECT_WIDTH), 0, -1))
    names.append(f"{len(paths)} file{'' if len(paths) == 1 else 's'}")
    subjects = [f"Edit {name}: {what}" for name in names]
    return next((subject for subject in subjects if len(subject) <= _SUBJECT_WIDTH), subjects[-1])


def _region_lines(file: ChangedFile, limit: int) -> list[str]:
    rows: list[str] = []
    old_at, new_at = _LineCount(file.old), _LineCount(file.new)
    for region in file.regions[: max(0, limit)]:
        old_range = old_at.lines(region.old_start, region.old_end)
        new_range = new_at.lines(region.new_start, region.new_end)
        if region.new_start == region.new_end and _is_whole_lines(file.old, region.old_start, region.old_end):
            place = f"{old_range} deleted"
        elif region.old_start == region.old_end and _is_whole_lines(file.new, region.new_start, region.new_end):
            place = f"{new_range} added"
        else:
            place = f"{old_range} -> {new_range}"
        rows.append(f"- {shown_path(file.path)} {place} {region.strategy}")
    return rows


class _LineCount:
    """Turn ascending byte offsets into 1-based lines, counting each newline once."""

    def __init__(self, data: bytes) -> None:
        self._data, self._offset, self._line = data, 0, 1

    def lines(self, start: int, end: int) -> str:
        """Return `first` or `first-last`: the lines in which bytes [start, end) lie; if none, the line at `start`."""
        first = self._line_at(start)
        last = self._line_at(max(start, end - 1))
        return str(first) if first == last else f"{first}-{last}"

    def _line_at(self, offset: int) -> int:
        self._line += self._data.count(b"\n", self._offset, offset)
        self._offset = offset
        return self._line


def _is_whole_lines(data: bytes, start: int, end: int) -> bool:
    starts = start == 0 or data[start - 1 : start] == b"\n"
    return starts and start < end and (data[end - 1 : end] == b"\n" or end == len(data))
