"""Recorded commits for the audit's tests, made as `apply` makes them but with fewer children; the audit in short."""

import os
from contextlib import contextmanager

from gitedit.commands.audit import AuditRequest, audit
from gitedit.edits.batch import joined
from gitedit.edits.engine import apply_edits
from gitedit.edits.model import Edit, FileEdits
from gitedit.record.compose import make_record
from gitedit.record.digests import batch_digest
from gitedit.record.message import default_text, render
from gitedit.record.model import ChangedFile


@contextmanager
def environ(env):
    """Let this process see `env` only."""
    saved = dict(os.environ)
    os.environ.clear()
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(saved)


def edit(repo, path, *pairs, message=None, **more):
    """Commit the replacements `pairs` (old, new) in one file; return the commit's id."""
    return edits(repo, {path: pairs}, message=message, **more)


def edits(repo, files, message=None, mode="strict", **who):
    """Commit the replacements of several files (path -> pairs) with their record; return the commit's id."""
    batch = joined(FileEdits(path, tuple(Edit(old, new) for old, new in pairs)) for path, pairs in files.items())
    changed = []
    for path, file_edits, _ in batch:
        old = repo.read(path)
        revision = apply_edits(old, file_edits, mode=mode)
        repo.write(path, revision.content)
        old_mode, old_oid = repo.git("ls-files", "-s", "--", path).decode().split()[:2]
        new_oid = repo.git("hash-object", "-w", "--no-filters", "--", path).decode()
        facts = (path, old_mode, old_mode, old_oid, new_oid, old, revision.content, revision.regions)
        changed.append(ChangedFile(*facts))
    digest = batch_digest(batch, mode, exact=False)
    record = make_record(changed, mode=mode, batch_digest=digest, tool="gitedit/0", **who)
    text = default_text(changed) if message is None else message
    listed = "".join(f"{c.new_mode} {c.new_oid}\t{c.path}\0" for c in changed)
    repo.git("update-index", "-z", "--index-info", data=listed.encode("utf-8", "surrogateescape"))
    return repo.commit(None, render(text, record, assisted_by=who.get("agent")))


def audited(repo, *revisions, **more):
    """Audit a range (default: HEAD alone) and return the whole report."""
    with environ(repo.env):
        return audit(AuditRequest(repo.path, revisions or ("HEAD~1..HEAD",), **{"cache": False, **more}))


def head(repo, revisions=("HEAD^!",), **more):
    """Audit HEAD; return (status, detail, reasons and rules of its findings)."""
    [report] = audited(repo, *revisions, every_commit=True, **more).commits
    return report.status, report.detail, sorted(finding.reason or finding.rule for finding in report.findings)


def message(repo, revision="HEAD"):
    """Return a commit's message as stored."""
    return repo.git("cat-file", "commit", revision).partition(b"\n\n")[2] + b"\n"


def text(count=40, word="line"):
    """Return numbered lines."""
    return "".join(f"{word} {number}\n" for number in range(1, count + 1))


def line(number, word="line"):
    """Return an oldText that stands once in `text`."""
    return f"{word} {number}\n"


def begun(repo):
    """Give a repository two files, then one recorded commit that edits line 10 and 20 of `a`; return it."""
    repo.commit({"a": text(), "b": text(word="row"), "mixed": b"one\r\ntwo\nthree\r\nfour\n" * 3 + b"end\r\n"})
    edit(repo, "a", (line(10), "ten\n"), (line(20), "twenty\nand a half\n"))
    return repo


def amend(repo, files, *args):
    """Amend HEAD with other content of files, its message kept."""
    for path, content in files.items():
        repo.write(path, content)
        repo.git("add", path)
    repo.git("commit", "-q", "--amend", "--no-edit", *args)


def prepended(repo, path="a"):
    """Let upstream put lines above."""
    repo.commit({path: b"new first\nnew second\n" + repo.read(path)}, "upstream")


def squash(repo, *, forge=False):
    """Squash `main` onto its root as `git merge --squash` does, or as a forge's button does."""
    commits = repo.git("rev-list", "--reverse", "HEAD").split()[1:]
    bodies = [message(repo, commit.decode()) for commit in commits]
    repo.git("checkout", "-q", "-b", "squashed", repo.git("rev-list", "--max-parents=0", "HEAD").decode())
    repo.git("merge", "--squash", "-q", "main")
    if forge:
        repo.commit(None, b"Title (#7)\n\n" + b"".join(b"* " + body + b"\n" for body in bodies))
    else:
        repo.git("commit", "-q", "--no-edit")


def rules(report):
    """Return the rules of a report's findings, sorted."""
    return sorted(finding.rule for finding in report.findings)
