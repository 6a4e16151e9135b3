"""The hooks of a push, on both ends: the new commits of each ref are audited before anybody else has them.

On the server nothing may be written, no cache either, and nothing may take longer or grow larger than allowed; whatever
goes wrong, the push is refused.
"""

import contextlib
import signal
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gitedit.audit.model import ERROR, LEVELS, CommitReport
from gitedit.commands.audit import RECORD_REFS, AuditRequest, audit
from gitedit.errors import EditError, HookError
from gitedit.git import configuration, objects, paths, process, pushed, repository
from gitedit.git.repository import Repository

SECONDS, MEGABYTES = 60, 1024
"""Limits on the server, unless `gitedit.receiveSeconds` and `gitedit.receiveMegabytes` set others."""


class PushRequest(NamedTuple):
    """One pre-push or pre-receive."""

    lines: bytes = b""
    """What git wrote to standard input."""
    remote: str = ""
    directory: str = "."
    require: tuple[str, ...] = ()
    allow_unverifiable: bool = False
    fail_on: str = ERROR


def pre_push(request: PushRequest, environment: Mapping[str, str]) -> tuple[CommitReport, ...]:
    """Return the commits for which the push is to be stopped."""
    with paths.failures_named():
        found = repository.find(process.for_hook(request.directory), bare_allowed=True)
        tips, known = pushed.by_push(request.lines, environment, request.remote)
        there = _commits(found, [*tips, *(name for name in known if not name.startswith("--"))])
        revisions = [tip for tip in tips if tip in there]
        known = [name for name in known if name.startswith("--") or name in there]
        return _refused(request, [*revisions, "--not", *known] if revisions else [], {}, cache=True)


def pre_receive(request: PushRequest) -> tuple[CommitReport, ...]:
    """Return the commits for which the push is to be refused.

    Raises HookError `hook-rejected`, where it takes too long or is too large to be judged.
    """
    with paths.failures_named():
        found = repository.find(process.for_hook(request.directory), bare_allowed=True)
        config = configuration.read(found.git)
        with _alarm(_limit(config, "gitedit.receiveseconds", SECONDS)):
            rows = pushed.by_receive(request.lines)
            refs = {ref.removeprefix(RECORD_REFS): new for _, new, ref in rows if ref.startswith(RECORD_REFS)}
            tips = [new for _, new, _ in rows]
            there = _commits(found, tips)
            revisions = [tip for tip in dict.fromkeys(tips) if tip in there]
            _check_size(found, tips, _limit(config, "gitedit.receivemegabytes", MEGABYTES))
            return _refused(request, [*revisions, "--not", "--all"] if revisions else [], refs, cache=False)


def _refused(
    request: PushRequest, revisions: Sequence[str], record_refs: Mapping[str, str], *, cache: bool
) -> tuple[CommitReport, ...]:
    """Audit the revisions; return the commits with a finding at the level that fails."""
    if not revisions:
        return ()
    asked = AuditRequest(
        directory=request.directory,
        revisions=tuple(revisions),
        require=request.require,
        allow_unverifiable=request.allow_unverifiable,
        cache=cache,
        record_refs=record_refs,
    )
    limit = LEVELS.index(request.fail_on)
    return tuple(
        report for report in audit(asked).commits if (level := report.worst()) and LEVELS.index(level) >= limit
    )


def _commits(found: Repository, names: Sequence[str]) -> set[str]:
    """Return which of the names are commits that are here, or tags of such."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return set()
    data = "".join(f"{name}^{{commit}}\n" for name in wanted).encode("utf-8", "surrogateescape")
    answer = found.git.run("cat-file", "--batch-check", data=data).splitlines()
    return {name for name, line in zip(wanted, answer, strict=True) if b" commit " in line}


def _check_size(found: Repository, tips: Sequence[str], megabytes: int) -> None:
    """Refuse a push whose new objects are larger than allowed: an audit reads blobs whole."""
    size = objects.size_of_new(found.git, tips, megabytes << 20) if tips else 0
    if size > megabytes << 20:
        message = f"the push brings more than {megabytes} MiB of content, too much to be audited"
        raise HookError("hook-rejected", message, "push in smaller steps, or ask for a higher gitedit.receiveMegabytes")


@contextlib.contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    """Raise HookError in the block when the time is up."""

    def ring(_number: int, _frame: types.FrameType | None) -> None:
        message = f"the audit of the push took longer than {seconds} s"
        raise HookError("hook-rejected", message, "push in smaller steps, or ask for a higher gitedit.receiveSeconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _limit(config: configuration.Configuration, key: str, default: int) -> int:
    value = configuration.text(config, key, str(default))
    if not value.isdigit() or int(value) < 1:
        raise EditError(
            "usage", f"git config {key} is '{value[:40]}'; it must be a number above 0", f"git config {key} {default}"
        )
    return int(value)
