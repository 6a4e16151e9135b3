"""The verdicts on single commits, however many: for those who start from a commit or a line, not from a range."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from gitedit.audit.cache import Cache
from gitedit.audit.examine import Examiner, is_candidate, ordinary
from gitedit.audit.model import CommitReport
from gitedit.git import history
from gitedit.git.commits import Commit, parse_commit
from gitedit.git.objects import ObjectReader
from gitedit.git.repository import Repository
from gitedit.git.walk import RawCommit

RECORD_REFS = "refs/gitedit/records/"
_CHUNK = 512


def judge(
    repository: Repository,
    room: history.Room,
    oids: Iterable[str],
    *,
    cache: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Iterator[tuple[Commit, CommitReport]]:
    """Yield each commit that is here, with its verdict: that of `gitedit audit`, less the notes about other commits."""
    wanted = list(dict.fromkeys(oids))
    examiner = Examiner(room, lambda: history.refs_below(repository, RECORD_REFS))
    reader = ObjectReader(room.git)
    store = Cache(os.path.join(repository.common_dir, "gitedit")) if cache else None
    try:
        for start in range(0, len(wanted), _CHUNK):
            yield from _judged(examiner, store, _commits(reader, wanted[start : start + _CHUNK]))
            if progress:
                progress(min(start + _CHUNK, len(wanted)))
    finally:
        if store:
            store.close()
        reader.close()
        examiner.close()


def _commits(reader: ObjectReader, oids: Sequence[str]) -> list[tuple[Commit, bool]]:
    """Return the commits, and of each whether its message may speak of us."""
    found: list[tuple[Commit, bool]] = []
    for oid, item in zip(oids, reader.read_many(oids), strict=True):
        if item and item.kind == "commit":
            raw = RawCommit(oid, item.body)
            found.append((parse_commit(*raw), is_candidate(raw)))
    return found


def _judged(
    examiner: Examiner, store: Cache | None, commits: Sequence[tuple[Commit, bool]]
) -> Iterator[tuple[Commit, CommitReport]]:
    candidates = [commit for commit, speaks in commits if speaks]
    known = store.get([commit.oid for commit in candidates]) if store else {}
    fresh = [commit for commit in candidates if commit.oid not in known]
    for examined in examiner.examine([fresh] if fresh else []):
        known.update((one.report.commit, one) for one in examined)
        if store:
            store.put(examined)
    for commit, _ in commits:
        one = known.get(commit.oid)
        yield commit, one.report if one else ordinary(commit)
