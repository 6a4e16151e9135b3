"""Finished verdicts, kept in SQLite under the common git directory so that a second audit reads only what is new.

Only what the objects alone decide is kept, under the commit's id and the version of the rules. A cache that is locked,
read-only or broken makes an audit slower, never different, and never loud.
"""

import contextlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring_ascii as quoted

from gitedit.audit.examine import Examined
from gitedit.audit.model import CommitReport, Finding, StoredRecords, records_text

RULES = 6
"""To be raised with every change of a verdict, a message or the facts."""
NAME = "audit.sqlite3"
_KEPT = frozenset({"verified", "modified", "forged", "malformed", "no-record"})
"""Not what may be decided otherwise when objects, refs or a newer gitedit arrive."""
_Row = tuple[bytes, int, str, int, str, int]
_COLUMNS = "id BLOB, rules INTEGER, facts TEXT, count INTEGER, records TEXT, sum INTEGER, PRIMARY KEY (id, rules)"
_WAIT_SECONDS = 0.2
_AT_ONCE = 500
"""Below SQLite's limit on variables in one statement (999 before 3.32)."""


class Cache:
    """The cache of one repository; close it when done."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, NAME)
        self._base: sqlite3.Connection | None = None
        self._writable = True
        with contextlib.suppress(OSError):
            _make_folder(folder)
        self._open(again=True)

    def get(self, commits: Sequence[str]) -> dict[str, Examined]:
        """Return what is known of these commits, by id."""
        found: dict[str, Examined] = {}
        for start in range(0, len(commits), _AT_ONCE):
            part = commits[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            query = f"SELECT * FROM verdict WHERE rules = ? AND id IN ({marks})"  # noqa: S608 - marks are marks
            for row in self._rows(query, (RULES, *map(bytes.fromhex, part))):
                examined = _from_row(row)
                if examined:
                    found[examined.report.commit] = examined
        return found

    def is_empty(self) -> bool:
        """Return whether there is nothing to be found."""
        return not self._rows("SELECT * FROM verdict WHERE rules = ? LIMIT 1", (RULES,))

    def put(self, examined: Iterable[Examined]) -> None:
        """Keep the finished ones."""
        rows = [_to_row(one) for one in examined if one.report.status in _KEPT]
        if self._base is None or not self._writable or not rows:
            return
        try:
            with self._base:
                self._base.executemany("INSERT OR REPLACE INTO verdict VALUES (?, ?, ?, ?, ?, ?)", rows)
        except sqlite3.Error:
            self._writable = False

    def close(self) -> None:
        """Let go of the file."""
        if self._base is not None:
            with contextlib.suppress(sqlite3.Error):
                self._base.close()
            self._base = None

    def _open(self, *, again: bool) -> None:
        try:
            self._base = sqlite3.connect(self._path, timeout=_WAIT_SECONDS)
            # A torn file after a power cut is found broken and made anew.
            self._base.execute("PRAGMA synchronous = OFF")
            if not self._base.execute("SELECT 1 FROM sqlite_master WHERE name = 'verdict'").fetchall():
                self._base.execute(f"CREATE TABLE verdict ({_COLUMNS})")
        except sqlite3.OperationalError:
            # Locked, read-only, no such folder: as it is.
            self._writable = False
        except sqlite3.Error:
            self._remake(again=again)

    def _remake(self, *, again: bool) -> None:
        self.close()
        with contextlib.suppress(OSError):
            if again:
                os.unlink(self._path)
                self._open(again=False)

    def _rows(self, query: str, values: Sequence[object]) -> list[_Row]:
        if self._base is None:
            return []
        try:
            return self._base.execute(query, values).fetchall()
        except sqlite3.OperationalError:
            return []
        except sqlite3.Error:
            self._remake(again=True)
            return []


def _make_folder(folder: str) -> None:
    """Make our folder with the mode of the git directory that it stands in (core.sharedRepository)."""
    if not os.path.isdir(folder):
        os.mkdir(folder)
        os.chmod(folder, os.stat(os.path.dirname(folder)).st_mode & 0o7777)


def _to_row(examined: Examined) -> _Row:
    report = examined.report
    records = report.records.text if isinstance(report.records, StoredRecords) else records_text(report.records)
    # Lines, as JSON takes twice as long to read; quoted, no text holds a newline.
    facts = "\n".join(
        [
            " ".join(report.parents),
            report.status,
            report.detail or "",
            *map(quoted, (report.subject, report.author_name, report.author_email)),
            report.date,
            "signed" if report.signed else "",
            json.dumps(report.findings) if report.findings else "",
            " ".join(examined.values),
            examined.delta,
            examined.inverse,
            examined.reverted,
        ]
    )
    row = (bytes.fromhex(report.commit), RULES, facts, len(report.records), records)
    return *row, _checksum(*row)


def _from_row(row: _Row) -> Examined | None:
    """Return what a row holds, or None where it is not as it was written."""
    try:
        return _unchecked(row) if _checksum(*row[:-1]) == row[-1] else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def _unchecked(row: _Row) -> Examined:
    commit, _, facts, count, records, _ = row
    parents, status, detail, subject, name, email, date, signed, findings, values, *compared = facts.split("\n")
    found = CommitReport(
        commit.hex(),
        tuple(parents.split()),
        status,
        detail or None,
        _unquoted(subject),
        _unquoted(name),
        _unquoted(email),
        date,
        signed != "",
        None,
        StoredRecords(records, count) if count else (),
        tuple(Finding(*each) for each in json.loads(findings)) if findings else (),
    )
    return Examined(found, tuple(values.split()), *compared)


def _unquoted(text: str) -> str:
    return str(json.loads(text)) if "\\" in text else text[1:-1]


def _checksum(commit: bytes, rules: int, facts: str, count: int, records: str) -> int:
    """Return a checksum of a row: SQLite keeps none, and nothing of a broken page may reach a report."""
    return zlib.crc32(f"{rules} {count} {facts} {records}".encode("utf-8", "replace"), zlib.crc32(commit))
