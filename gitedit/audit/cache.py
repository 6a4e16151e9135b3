"""Finished verdicts, kept in SQLite under the common git directory so that a second audit reads only what is new.

Only what the objects alone decide is kept, under the commit's id and the version of the rules. A cache that is locked,
read-only or broken makes an audit slower, never different, and never loud.
"""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from gitedit.audit.examine import Examined
from gitedit.audit.model import report_from_json

RULES = 1
"""To be raised with every change of a verdict, a message or the facts."""
NAME = "audit.sqlite3"
_KEPT = frozenset({"verified", "modified", "forged", "malformed", "no-record"})
"""Not what may be decided otherwise when objects, refs or a newer gitedit arrive."""
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
            query = f"SELECT facts FROM verdict WHERE rules = ? AND id IN ({marks})"  # noqa: S608 - marks are marks
            for (facts,) in self._rows(query, (RULES, *map(bytes.fromhex, part))):
                with contextlib.suppress(ValueError, KeyError, TypeError, IndexError, RecursionError):
                    examined = _from_text(facts)
                    found[examined.report.commit] = examined
        return found

    def put(self, examined: Iterable[Examined]) -> None:
        """Keep the finished ones."""
        rows = [
            (bytes.fromhex(one.report.commit), RULES, _to_text(one)) for one in examined if one.report.status in _KEPT
        ]
        if self._base is None or not self._writable or not rows:
            return
        try:
            with self._base:
                self._base.executemany("INSERT OR REPLACE INTO verdict VALUES (?, ?, ?)", rows)
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
            columns = "id BLOB, rules INTEGER, facts TEXT, PRIMARY KEY (id, rules)"
            if not self._base.execute("SELECT 1 FROM sqlite_master WHERE name = 'verdict'").fetchall():
                self._base.execute(f"CREATE TABLE verdict ({columns}) WITHOUT ROWID")
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

    def _rows(self, query: str, values: Sequence[object]) -> list[tuple[str]]:
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


def _to_text(examined: Examined) -> str:
    return json.dumps([examined.report.to_json(), examined.values, examined.delta, examined.inverse])


def _from_text(text: str) -> Examined:
    facts, values, delta, inverse = json.loads(text)
    if not isinstance(facts, Mapping):
        raise TypeError("not the facts of a commit")
    return Examined(report_from_json(facts), tuple(map(str, values)), str(delta), str(inverse))
