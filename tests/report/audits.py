"""Audits made by hand, the hostile one with a bad value in every place that a commit's author can fill."""

from gitedit.audit.model import (
    AuditReport,
    CommitReport,
    EditFacts,
    FileFacts,
    Finding,
    Placed,
    RecordFacts,
    summarise,
)

HOSTILE = (
    "",
    "=cmd|' /C calc'!A0",
    "-1+1",
    " @SUM(1)",
    "\uff1d1",
    "\x1b]0;title\x07\x1b[2J\x9b31m",
    "a\r\nb\x00\x0b\x1f\x7f",
    "\u202e\u200b\u2028\ufffe\uffff\U000e0001",
    "\udcff\udc80",
    "\ud800",
    "<script>alert(1)</script><!-- ]]> &amp;",
    "](http://evil.invalid) ![x](y) [a]: b",
    "`` ` ``` @user #1 **b** _i_ ~~s~~ | \\| \\",
    "`",
    "{0} {{1}} %s %",
    '", "x": "y',
    "| a | b |\n|---|---|",
    "ends in a blank ",
    "x" * 5000,
)
"""Subjects, names, agents, paths and messages."""


def record(agent="A:b", path="a.py", **facts):
    edits = (
        EditFacts("exact", 3, 2, 3, 4, Placed(5, 5, 2)),
        EditFacts("line-trimmed", 30, 2, 32, 0, None),
    )
    file = FileFacts(path, "100644", "100644", "1" * 40, "2" * 40, edits)
    made = {"mode": "strict", "tool": "gitedit/0", "agent": agent, "session": None, "batch": "e" * 64}
    return RecordFacts(id="0123456789abcdef", position="trailer", **(made | facts), files=(file,))


def commit(number=1, **facts):
    made = {
        "commit": f"{number:040x}",
        "parents": (f"{number + 1:040x}",),
        "status": "verified",
        "detail": "exact",
        "subject": "Subject",
        "author_name": "T",
        "author_email": "t@example.invalid",
        "date": "2023-11-14T22:13:20+00:00",
        "signed": False,
        "signature": None,
        "records": (record(),),
        "findings": (),
    }
    return CommitReport(**(made | facts))


def finding(reason="outside-region", path="a.py", line=3, *, level="error", rule="modified", message="m"):
    return Finding(rule, level, message, reason, path, line)


def modified(number=1, *findings, **facts):
    return commit(number, status="modified", detail=None, findings=findings or (finding(),), **facts)


def ordinary(number=1, **facts):
    return commit(number, status="no-record", detail=None, records=(), **facts)


def report(*commits, read=None, boundary=(), batch=None):
    counted = summarise([one.status for one in commits], len(commits) if read is None else read)
    return AuditReport(tuple(commits), counted, tuple(boundary), batch)


def hostile(value):
    """Return an audit in which one value stands wherever it can."""
    facts = {"subject": value, "author_name": value, "author_email": value, "signed": True, "signature": value[:1]}
    # A path comes from bytes; a message may be in UTF-7, which has all surrogates.
    path = value.replace("\ud800", "")
    made = record(value or None, path, session=value, mode=value, tool=value)
    findings = (finding(path=path, message=value), finding("mode", None, None, message=value))
    note = finding(None, path, None, level="note", rule="renamed", message=value)
    return report(modified(1, *findings, note, records=(made, made), **facts), ordinary(2, **facts), read=7)
